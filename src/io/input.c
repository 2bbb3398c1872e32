/* input.c - reading plain and gzip files (see file.h).
 *
 * gzip is recognized by its magic bytes. Concatenated gzip members are one file, as gzip itself
 * has it. A gzip file that ends early is an error, never a short table.
 */
#include "io/file.h"
#include "io/input_list.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define XXH_INLINE_ALL
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

enum {
    INPUT_BUFFER = 64 * 1024,
    INPUT_PATIENCE = 5000, /* milliseconds for which a pipe may be without a writer */
    INPUT_PAUSE = 50
};

struct input_file {
    int descriptor;
    char *path;
    size_t size_hint;
    unsigned char *raw; /* bytes from the disk, before decompression */
    size_t raw_begin, raw_end;
    bool raw_finished; /* the disk has no more */
    bool regular;      /* a file on a disk: the digest below is of all that was read */
    XXH64_state_t digest;
    size_t digested;
    bool gzip;
    bool in_member; /* inside a gzip member */
    z_stream inflater;
};

static void *zlib_alloc(void *opaque, unsigned count, unsigned size)
{
    (void)opaque;
    return mem_alloc(count, size);
}

static void zlib_free(void *opaque, void *block)
{
    (void)opaque;
    mem_free(block);
}

/* Reads up to `size` bytes from the disk; *got = 0 at the end of the file. */
static scone_status read_disk(input_file *file, void *buffer, size_t size, size_t *got)
{
    ssize_t count = -1;
    do {
        count = read(file->descriptor, buffer, size);
    } while (count < 0 && errno == EINTR);
    *got = count > 0 ? (size_t)count : 0;
    file->raw_finished = count == 0;
    if (count > 0 && file->regular) {
        (void)XXH64_update(&file->digest, buffer, *got);
        file->digested += *got;
    }
    if (count >= 0) return SCONE_OK;
    return RAISE(SCONE_ERR_IO, "%s: cannot read: %s", file->path, strerror(errno));
}

/* Fills the raw buffer if it is empty. */
static scone_status refill(input_file *file)
{
    if (file->raw_begin < file->raw_end || file->raw_finished) return SCONE_OK;
    size_t got = 0;
    scone_status status = read_disk(file, file->raw, INPUT_BUFFER, &got);
    if (status != SCONE_OK) return status;
    file->raw_begin = 0;
    file->raw_end = got;
    return SCONE_OK;
}

/* Looks at the first two bytes; a short first read of a pipe is completed. */
static scone_status detect_gzip(input_file *file)
{
    size_t have = file->raw_end, got = 1;
    while (have < 2 && got > 0) {
        scone_status status = read_disk(file, file->raw + have, INPUT_BUFFER - have, &got);
        if (status != SCONE_OK) return status;
        have += got;
    }
    file->raw_end = have;
    if (have < 2 || file->raw[0] != 0x1f || file->raw[1] != 0x8b) return SCONE_OK;
    file->inflater = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free};
    if (inflateInit2(&file->inflater, 15 + 16) != Z_OK) {
        return RAISE(SCONE_ERR_MEMORY, "%s: out of memory while starting to decompress",
                     file->path);
    }
    file->gzip = true;
    file->in_member = true;
    file->size_hint = 0;
    return SCONE_OK;
}

/* A pipe is opened without waiting, since one without a writer would wait for ever: reading nothing
 * means that nobody has the other end. What is read goes into the raw buffer. */
static scone_status await_writer(input_file *file)
{
    struct pollfd entry = {.fd = file->descriptor, .events = POLLIN};
    for (int waited = 0; waited < INPUT_PATIENCE; waited += INPUT_PAUSE) {
        ssize_t count = read(file->descriptor, file->raw, INPUT_BUFFER);
        if (count > 0) file->raw_end = (size_t)count;
        if (count != 0) return SCONE_OK; /* also if the writer takes its time */
        if (poll(&entry, 1, INPUT_PAUSE) > 0 && entry.revents == POLLHUP) return SCONE_OK;
    }
    return RAISE(SCONE_ERR_IO, "%s: no program writes to this pipe; start it first, or name a file",
                 file->path);
}

/* The rest is read by waiting for it. */
static scone_status end_non_blocking(input_file *file)
{
    int flags = fcntl(file->descriptor, F_GETFL);
    if (flags >= 0 && fcntl(file->descriptor, F_SETFL, flags & ~O_NONBLOCK) == 0) return SCONE_OK;
    return RAISE(SCONE_ERR_IO, "%s: cannot read: %s", file->path, strerror(errno));
}

scone_status input_open(input_file **out, const char *path)
{
    scone_status status = SCONE_OK;
    input_file *file = NULL;
    *out = NULL;
    TRY_ZERO(file, 1);
    file->descriptor = -1;
    file->path = mem_copy_text(path, strlen(path));
    if (!file->path) TRY(SCONE_ERR_MEMORY);
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->descriptor < 0) {
        FAIL(SCONE_ERR_IO, "%s: cannot open: %s; check the name and the permissions", path,
             strerror(errno));
    }
    struct stat info;
    if (fstat(file->descriptor, &info) != 0) {
        FAIL(SCONE_ERR_IO, "%s: cannot examine: %s", path, strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        FAIL(SCONE_ERR_IO, "%s: is a folder, not a file; name a file inside it", path);
    }
    file->regular = S_ISREG(info.st_mode);
    if (file->regular && info.st_size > 0) file->size_hint = (size_t)info.st_size;
    (void)XXH64_reset(&file->digest, 0);
    TRY_ALLOC(file->raw, INPUT_BUFFER);
    if (S_ISFIFO(info.st_mode)) TRY(await_writer(file));
    TRY(end_non_blocking(file));
    TRY(detect_gzip(file));
    *out = file;
    return SCONE_OK;
cleanup:
    input_close(file);
    return status;
}

/* Between members: another member, the end, or rubbish (which gzip ignores if it is zeros). */
static scone_status next_member(input_file *file, bool *finished)
{
    *finished = false;
    do {
        scone_status status = refill(file);
        if (status != SCONE_OK) return status;
        while (file->raw_begin < file->raw_end && file->raw[file->raw_begin] == 0)
            file->raw_begin++;
    } while (file->raw_begin == file->raw_end && !file->raw_finished);
    if (file->raw_begin == file->raw_end) {
        *finished = true;
        return SCONE_OK;
    }
    if (file->raw[file->raw_begin] != 0x1f) {
        return RAISE(SCONE_ERR_INPUT, "%s: damaged: unexpected bytes after the gzip data",
                     file->path);
    }
    if (inflateReset(&file->inflater) != Z_OK) {
        return RAISE(SCONE_ERR_DEFECT, "%s: cannot restart decompression", file->path);
    }
    file->in_member = true;
    return SCONE_OK;
}

static scone_status read_gzip(input_file *file, char *buffer, size_t size, size_t *got)
{
    z_stream *z = &file->inflater;
    *got = 0;
    while (*got == 0 && size > 0) {
        if (!file->in_member) {
            bool finished;
            scone_status status = next_member(file, &finished);
            if (status != SCONE_OK || finished) return status;
        }
        scone_status status = refill(file);
        if (status != SCONE_OK) return status;
        if (file->raw_begin == file->raw_end) {
            return RAISE(SCONE_ERR_INPUT,
                         "%s: truncated: the gzip data ends too early; copy the "
                         "file again",
                         file->path);
        }
        unsigned room = size > (1u << 30) ? 1u << 30 : (unsigned)size;
        z->next_in = file->raw + file->raw_begin;
        z->avail_in = (unsigned)(file->raw_end - file->raw_begin);
        z->next_out = (unsigned char *)buffer;
        z->avail_out = room;
        int code = inflate(z, Z_NO_FLUSH);
        file->raw_begin = file->raw_end - z->avail_in;
        *got = room - z->avail_out;
        if (code == Z_MEM_ERROR) {
            return RAISE(SCONE_ERR_MEMORY, "%s: out of memory while decompressing", file->path);
        }
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
            return RAISE(SCONE_ERR_INPUT, "%s: damaged gzip data (%s); copy the file again",
                         file->path, z->msg ? z->msg : "bad stream");
        }
        if (code == Z_STREAM_END) file->in_member = false;
    }
    return SCONE_OK;
}

scone_status input_read(input_file *file, char *buffer, size_t size, size_t *got)
{
    if (file->gzip) return read_gzip(file, buffer, size, got);
    *got = 0;
    if (file->raw_begin == file->raw_end && !file->raw_finished && size >= INPUT_BUFFER) {
        return read_disk(file, buffer, size, got); /* no copy through the raw buffer */
    }
    scone_status status = refill(file);
    if (status != SCONE_OK) return status;
    size_t take = file->raw_end - file->raw_begin;
    if (take > size) take = size;
    if (take) memcpy(buffer, file->raw + file->raw_begin, take);
    file->raw_begin += take;
    *got = take;
    return SCONE_OK;
}

size_t input_size_hint(const input_file *file)
{
    return file->size_hint;
}

bool input_digest(const char **path, size_t *bytes, uint64_t *hash, const input_file *file)
{
    *path = file->path;
    *bytes = file->digested;
    *hash = XXH64_digest(&file->digest);
    return file->regular && file->raw_finished;
}

void input_close(input_file *file)
{
    if (!file) return;
    if (file->gzip) (void)inflateEnd(&file->inflater);
    if (file->descriptor >= 0) (void)close(file->descriptor);
    mem_free(file->raw);
    mem_free(file->path);
    mem_free(file);
}

scone_status file_read_all(char **bytes, size_t *size, const char *path, size_t limit)
{
    return file_read_noted(bytes, size, path, limit, NULL);
}

scone_status file_read_noted(char **bytes, size_t *size, const char *path, size_t limit,
                             input_list *inputs)
{
    scone_status status = SCONE_OK;
    input_file *file = NULL;
    char *buffer = NULL;
    size_t used = 0, capacity = 0;
    *bytes = NULL;
    *size = 0;
    TRY(input_open(&file, path));
    capacity = input_size_hint(file) < limit ? input_size_hint(file) : 0;
    if (capacity < 4096) capacity = 4096;
    TRY_ALLOC(buffer, capacity + 1);
    for (;;) {
        size_t got;
        TRY(input_read(file, buffer + used, capacity - used, &got));
        if (got == 0) break;
        used += got;
        if (used > limit) {
            FAIL(SCONE_ERR_INPUT,
                 "%s: larger than the %zu bytes allowed here; is it the right "
                 "file?",
                 path, limit);
        }
        if (used == capacity) {
            size_t doubled;
            if (!size_multiply(&doubled, capacity, 2)) FAIL(SCONE_ERR_MEMORY, "out of memory");
            char *grown = mem_resize(buffer, doubled + 1, 1);
            if (!grown) TRY(SCONE_ERR_MEMORY);
            buffer = grown;
            capacity = doubled;
        }
    }
    TRY(input_list_note(inputs, file));
    buffer[used] = '\0';
    *bytes = buffer;
    *size = used;
    buffer = NULL;
cleanup:
    mem_free(buffer);
    input_close(file);
    return status;
}
