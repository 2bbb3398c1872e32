/* token_file.c - reading and appending token files (see token_file.h). */
#include "model/tokens/token_file_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct token_file {
    int descriptor;
    char *path;
    bool writes;
    token_file_header header;
    uint64_t *offsets; /* [count + 1]: where the graphs start, and where the last one ends */
    size_t count, capacity;
    uint64_t size; /* of the file */
};

static scone_status raise_system(const token_file *file, const char *what)
{
    return RAISE(SCONE_ERR_IO, "%s: cannot %s: %s", file->path, what, strerror(errno));
}

/* ---- bytes ---- */

/* Fails with SCONE_ERR_INPUT, without the file's name, if it has fewer bytes. */
static scone_status read_at(const token_file *file, void *buffer, size_t size, uint64_t offset)
{
    char *to = buffer;
    while (size > 0) {
        size_t piece = size < SSIZE_MAX / 2 ? size : SSIZE_MAX / 2;
        ssize_t got = pread(file->descriptor, to, piece, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return raise_system(file, "read");
        if (got == 0) {
            return RAISE(SCONE_ERR_INPUT, "truncated: the file ends after %llu bytes",
                         (unsigned long long)offset);
        }
        to += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return SCONE_OK;
}

static scone_status write_at(const token_file *file, const void *bytes, size_t size,
                             uint64_t offset)
{
    const char *from = bytes;
    while (size > 0) {
        size_t piece = size < SSIZE_MAX / 2 ? size : SSIZE_MAX / 2;
        ssize_t wrote = pwrite(file->descriptor, from, piece, (off_t)offset);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return raise_system(file, "write");
        from += wrote;
        offset += (uint64_t)wrote;
        size -= (size_t)wrote;
    }
    return SCONE_OK;
}

/* Ends the file at `size`. */
static scone_status cut(token_file *file, uint64_t size)
{
    int code;
    do {
        code = ftruncate(file->descriptor, (off_t)size);
    } while (code != 0 && errno == EINTR);
    if (code != 0) return raise_system(file, "cut off what is no complete graph");
    file->size = size;
    return SCONE_OK;
}

/* ---- which graphs there are ---- */

static scone_status note_graph(token_file *file, uint64_t end)
{
    if (file->count + 2 > file->capacity) {
        size_t capacity = file->capacity ? 2 * file->capacity : 64;
        uint64_t *offsets = mem_resize(file->offsets, capacity, sizeof *offsets);
        if (!offsets) return SCONE_ERR_MEMORY;
        file->offsets = offsets;
        file->capacity = capacity;
    }
    if (file->count == 0) file->offsets[0] = sizeof(token_file_header);
    file->offsets[++file->count] = end;
    return SCONE_OK;
}

/* Where the complete graphs end. */
static uint64_t graphs_end(const token_file *file)
{
    return file->count ? file->offsets[file->count] : sizeof(token_file_header);
}

/* Goes from header to header; *why_not says what is wrong with the rest, if there is one. */
static scone_status find_graphs(token_file *file, status_record *why_not)
{
    scone_status status = SCONE_OK;
    token_record record;
    for (uint64_t at; (at = graphs_end(file)) < file->size;) {
        uint64_t room = file->size - at;
        if (room < sizeof record) {
            status_save(why_not, RAISE(SCONE_ERR_INPUT, "truncated within its header"));
            break;
        }
        status = read_at(file, &record, sizeof record, at);
        if (status == SCONE_OK) status = token_record_check(&record, room);
        if (status == SCONE_ERR_INPUT) {
            status_save(why_not, status);
            return SCONE_OK;
        }
        TRY(status);
        TRY(note_graph(file, at + sizeof record + record.bytes));
    }
cleanup:
    return status;
}

static void warn_rest(const token_file *file, const status_record *why_not,
                      const scone_context *context)
{
    context_log(context, SCONE_WARNING,
                "%s: graph %zu is not complete (%s); the %zu before it can be used, and the last "
                "%zu bytes %s overwritten",
                file->path, file->count + 1, why_not->message, file->count, token_file_rest(file),
                file->writes ? "are" : "will be");
}

/* Graph `index`; a failure does not name it. */
static scone_status read_graph(tokens **out, const token_file *file, size_t index)
{
    scone_status status = SCONE_OK;
    tokens *t = NULL;
    token_record record;
    uint64_t at = file->offsets[index], room = file->offsets[index + 1] - at;
    *out = NULL;
    TRY(read_at(file, &record, sizeof record, at));
    TRY(token_record_check(&record, room)); /* again: the file may have changed */
    TRY(token_record_tokens(&t, &record));
    TRY(read_at(file, t->block, t->bytes, at + sizeof record));
    TRY(token_record_verify(&record, t));
    *out = t;
    t = NULL;
cleanup:
    tokens_free(t);
    return status;
}

/* ---- opening ---- */

static scone_status open_path(token_file *file, const char *path, int flags)
{
    scone_status status = SCONE_OK;
    struct stat info;
    file->path = mem_copy_text(path, strlen(path));
    if (!file->path) TRY(SCONE_ERR_MEMORY);
    file->descriptor = open(path, flags | O_CLOEXEC, (mode_t)0666);
    if (file->descriptor < 0) {
        FAIL(SCONE_ERR_IO, "%s: cannot open: %s; check the name and the permissions", path,
             strerror(errno));
    }
    if (fstat(file->descriptor, &info) != 0) TRY(raise_system(file, "examine"));
    if (!S_ISREG(info.st_mode)) {
        FAIL(SCONE_ERR_IO, "%s: is not a regular file; name another", path);
    }
    file->size = (uint64_t)info.st_size;
cleanup:
    return status;
}

static scone_status read_header(token_file *file)
{
    scone_status status = SCONE_OK;
    if (file->size < sizeof file->header) {
        FAIL(SCONE_ERR_INPUT,
             "truncated: %llu bytes, where the header of a token file has %zu; delete it, it will "
             "be made anew",
             (unsigned long long)file->size, sizeof file->header);
    }
    TRY(read_at(file, &file->header, sizeof file->header, 0));
    TRY(token_file_header_check(&file->header));
cleanup:
    if (status == SCONE_ERR_INPUT) status_prefix("%s", file->path);
    return status;
}

scone_status token_file_open(token_file **out, const char *path, const scone_context *context)
{
    scone_status status = SCONE_OK;
    token_file *file = NULL;
    status_record *why_not = NULL;
    *out = NULL;
    TRY_ZERO(why_not, 1);
    TRY_ZERO(file, 1);
    file->descriptor = -1;
    TRY(open_path(file, path, O_RDONLY));
    TRY(read_header(file));
    TRY(find_graphs(file, why_not));
    if (token_file_rest(file) > 0) warn_rest(file, why_not, context);
    *out = file;
    file = NULL;
cleanup:
    mem_free(why_not);
    token_file_close(file);
    return status;
}

/* A file that is new, or whose first writer was stopped before the header was complete. */
static scone_status start_file(token_file *file, const token_file_header *wanted)
{
    char there[sizeof *wanted];
    size_t size = (size_t)file->size;
    scone_status status = read_at(file, there, size, 0);
    if (status != SCONE_OK) return status;
    if (memcmp(there, wanted, size) != 0) {
        return RAISE(SCONE_ERR_INPUT, "%s: not a token file; name another or delete it",
                     file->path);
    }
    status = write_at(file, wanted, sizeof *wanted, 0);
    file->size = sizeof *wanted;
    return status;
}

/* Graphs are checked from the last one back until one is sound: what a failing disk or a loss of
 * power leaves behind may have a header and no bytes. */
static scone_status drop_unsound(token_file *file, status_record *why_not)
{
    while (file->count > 0) {
        tokens *last = NULL;
        scone_status status = read_graph(&last, file, file->count - 1);
        tokens_free(last);
        if (status != SCONE_ERR_INPUT) return status;
        status_save(why_not, status);
        file->count--;
    }
    return SCONE_OK;
}

scone_status token_file_continue(token_file **out, const char *path, const char *description,
                                 const scone_context *context)
{
    scone_status status = SCONE_OK;
    token_file *file = NULL;
    token_file_header *wanted = NULL;
    status_record *why_not = NULL;
    *out = NULL;
    TRY_ALLOC(wanted, 1);
    TRY_ZERO(why_not, 1);
    token_file_header_fill(wanted, description);
    TRY_ZERO(file, 1);
    file->descriptor = -1;
    file->writes = true;
    TRY(open_path(file, path, O_RDWR | O_CREAT));
    if (flock(file->descriptor, LOCK_EX | LOCK_NB) != 0) {
        FAIL(SCONE_ERR_IO, "%s: another process writes to it (%s); wait for it or name another",
             path, strerror(errno));
    }
    struct stat info; /* again, since another writer may have just finished */
    if (fstat(file->descriptor, &info) != 0) TRY(raise_system(file, "examine"));
    file->size = (uint64_t)info.st_size;
    if (file->size < sizeof *wanted) TRY(start_file(file, wanted));
    TRY(read_header(file));
    if (file->header.description != wanted->description) {
        FAIL(SCONE_ERR_INPUT,
             "%s: was made with '%.400s', not with '%.400s'; delete it or name another", path,
             file->header.text, wanted->text);
    }
    TRY(find_graphs(file, why_not));
    TRY(drop_unsound(file, why_not));
    if (file->size > graphs_end(file)) {
        warn_rest(file, why_not, context);
        TRY(cut(file, graphs_end(file)));
    }
    *out = file;
    file = NULL;
cleanup:
    mem_free(wanted);
    mem_free(why_not);
    token_file_close(file);
    return status;
}

/* ---- use ---- */

size_t token_file_count(const token_file *file)
{
    return file->count;
}

size_t token_file_rest(const token_file *file)
{
    return (size_t)(file->size - graphs_end(file));
}

const char *token_file_description(const token_file *file)
{
    return file->header.text;
}

scone_status token_file_read(tokens **out, const token_file *file, size_t index)
{
    *out = NULL;
    if (index >= file->count) {
        return RAISE(SCONE_ERR_INPUT, "%s: there is no graph %zu; the file holds %zu", file->path,
                     index + 1, file->count);
    }
    scone_status status = read_graph(out, file, index);
    if (status != SCONE_ERR_INPUT) return status;
    return RAISE(SCONE_ERR_INPUT,
                 "%s: graph %zu is damaged: %s; delete the file, it will be made anew", file->path,
                 index + 1, scone_error_message());
}

scone_status token_file_append(token_file *file, const tokens *t)
{
    scone_status status = SCONE_OK;
    token_record record;
    uint64_t at = graphs_end(file), end = at + sizeof record + t->bytes;
    if (!file->writes) FAIL(SCONE_ERR_DEFECT, "%s: open for reading alone", file->path);
    token_record_fill(&record, t);
    TRY(write_at(file, &record, sizeof record, at));
    TRY(write_at(file, t->block, t->bytes, at + sizeof record));
    TRY(note_graph(file, end));
    file->size = end;
cleanup:
    if (status != SCONE_OK && file->writes) {
        status_record *failure = mem_alloc(1, sizeof *failure);
        if (failure) status_save(failure, status);
        (void)cut(file, at); /* if that fails too, the next writer does it */
        if (failure) status = status_restore(failure);
        mem_free(failure);
    }
    return status;
}

scone_status token_file_finish(token_file **handle)
{
    scone_status status = SCONE_OK;
    token_file *file = *handle;
    *handle = NULL;
    if (!file) return SCONE_OK;
    if (file->writes && fsync(file->descriptor) != 0) TRY(raise_system(file, "write"));
    int code = close(file->descriptor);
    file->descriptor = -1;
    if (code != 0) TRY(raise_system(file, "write"));
cleanup:
    token_file_close(file);
    return status;
}

void token_file_close(token_file *file)
{
    if (!file) return;
    if (file->descriptor >= 0) (void)close(file->descriptor); /* also gives up the lock */
    mem_free(file->offsets);
    mem_free(file->path);
    mem_free(file);
}
