/* weights_files.h - weight files for tests, built byte by byte and without the writer: headers can
 * say anything, and the checksums can be made to fit the lie.
 */
#ifndef SCONE_TESTS_WEIGHTS_FILES_H
#define SCONE_TESTS_WEIGHTS_FILES_H

#include "testing.h"

#include "model/weights/weights.h"

#include <inttypes.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* 64-byte aligned, as a map is. */
typedef struct file_bytes {
    unsigned char *data;
    size_t size;
} file_bytes;

/* Length, text, spaces up to a multiple of 64, values. The 16 characters after "header_xxh64":" are
 * replaced by the hash of it all, up to the values, with zeros in their place. */
static inline file_bytes file_make(const char *header, const void *values, size_t value_size)
{
    static const char member[] = "\"header_xxh64\":\"";
    size_t length = strlen(header), padded = (8 + length + 63) / 64 * 64;
    file_bytes file = {.size = padded + value_size};
    file.data = aligned_alloc(64, (file.size + 63) / 64 * 64);
    CHECK(file.data != NULL);
    memset(file.data, ' ', padded);
    for (size_t i = 0; i < 8; i++) file.data[i] = (unsigned char)((padded - 8) >> 8 * i);
    memcpy(file.data + 8, header, length);
    if (value_size) memcpy(file.data + padded, values, value_size);
    const char *found = strstr(header, member);
    if (found && strlen(found) >= sizeof member + 15) {
        unsigned char *digits = file.data + 8 + (found - header) + sizeof member - 1;
        char text[17];
        memset(digits, '0', 16);
        (void)snprintf(text, sizeof text, "%016" PRIx64, (uint64_t)XXH64(file.data, padded, 0));
        memcpy(digits, text, 16);
    }
    return file;
}

static inline void file_free(file_bytes *file)
{
    free(file->data);
    file->data = NULL;
}

static inline void file_save(const char *path, const file_bytes *file)
{
    FILE *stream = fopen(path, "wb");
    CHECK(stream != NULL);
    CHECK(fwrite(file->data, 1, file->size, stream) == file->size);
    CHECK(fclose(stream) == 0);
}

static inline file_bytes file_load(const char *path)
{
    file_bytes file = {0};
    FILE *stream = fopen(path, "rb");
    CHECK(stream != NULL);
    CHECK(fseek(stream, 0, SEEK_END) == 0);
    file.size = (size_t)ftell(stream);
    rewind(stream);
    file.data = aligned_alloc(64, (file.size + 63) / 64 * 64);
    CHECK(file.data != NULL);
    CHECK(fread(file.data, 1, file.size, stream) == file.size);
    CHECK(fclose(stream) == 0);
    return file;
}

/* XXH64 of some values as text, in one of four static places. */
static inline const char *hash_text(const void *values, size_t size)
{
    static char texts[4][17];
    static size_t next;
    char *text = texts[next++ % 4];
    (void)snprintf(text, 17, "%016" PRIx64, (uint64_t)XXH64(values, size, 0));
    return text;
}

#endif
