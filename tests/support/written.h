/* written.h - what a writer writes, read back; and a stream that fails. */
#ifndef SCONE_TESTS_WRITTEN_H
#define SCONE_TESTS_WRITTEN_H

#include "testing.h"

#include "io/file.h"

#include <unistd.h>

static inline output_file *written_open(const char *path)
{
    output_file *stream;
    CHECK_OK(output_open(&stream, path));
    return stream;
}

/* Ends the file, removes it, and returns what was in it; free with mem_free. */
static inline char *written_text(output_file *stream, const char *path)
{
    char *text;
    size_t size;
    CHECK_OK(output_commit(&stream));
    CHECK_OK(file_read_all(&text, &size, path, 1 << 24));
    CHECK(unlink(path) == 0);
    return text;
}

static inline void written_expect(output_file *stream, const char *path, const char *expected)
{
    char *text = written_text(stream, path);
    assert_string_equal(text, expected);
    mem_free(text);
}

/* Every byte is lost: the stream's buffer is full, and so is the device behind it. */
static inline output_file *written_full(void)
{
    output_file *stream = written_open("/dev/full");
    for (int i = 0; i < 1 << 18; i++) CHECK_OK(output_write(stream, "x", 1));
    return stream;
}

#endif
