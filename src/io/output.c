/* output.c - one output file that appears complete or not at all (see file.h). */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUT_BUFFER = 256 * 1024, OUTPUT_TRIES = 1000 };

struct output_file {
    int descriptor;
    char *path;      /* where it shall appear, links resolved */
    char *temporary; /* NULL when writing straight to a device or pipe */
    char *buffer;
    size_t used;
};

bool path_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

scone_status path_look(path_kind *kind, const char *path)
{
    struct stat info;
    bool there = stat(path, &info) == 0;
    *kind = !there ? PATH_ABSENT : S_ISDIR(info.st_mode) ? PATH_FOLDER : PATH_OTHER;
    if (there || errno == ENOENT || errno == ENOTDIR) return SCONE_OK;
    return RAISE(SCONE_ERR_IO, "%s: cannot examine: %s", path, strerror(errno));
}

bool path_is_folder(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) return errno != ENOENT && errno != ENOTDIR;
    return S_ISDIR(info.st_mode);
}

scone_status path_join(char **path, const char *folder, const char *name)
{
    size_t a = strlen(folder), b = strlen(name), size;
    *path = NULL;
    if (!size_add(&size, a, b) || !size_add(&size, size, 2)) {
        return RAISE(SCONE_ERR_MEMORY, "out of memory");
    }
    *path = mem_alloc(size, 1);
    if (!*path) return SCONE_ERR_MEMORY;
    bool slash = a > 0 && folder[a - 1] != '/';
    (void)snprintf(*path, size, "%s%s%s", folder, slash ? "/" : "", name);
    return SCONE_OK;
}

/* The file a link stands for, so that the link survives the rename; else a copy of path. */
static scone_status resolve_link(char **out, const char *path)
{
    struct stat info;
    *out = NULL;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
        char real[PATH_MAX];
        if (realpath(path, real)) {
            path = real;
        } else if (errno != ENOENT) {
            return RAISE(SCONE_ERR_IO, "%s: cannot follow the link: %s", path, strerror(errno));
        }
        *out = mem_copy_text(path, strlen(path));
    } else {
        *out = mem_copy_text(path, strlen(path));
    }
    return *out ? SCONE_OK : SCONE_ERR_MEMORY;
}

/* Creates "<path>.tmp-<n>" with the permissions a new file has. */
static scone_status create_temporary(output_file *file)
{
    size_t size;
    if (!size_add(&size, strlen(file->path), 40)) return RAISE(SCONE_ERR_MEMORY, "out of memory");
    file->temporary = mem_alloc(size, 1);
    if (!file->temporary) return SCONE_ERR_MEMORY;
    for (int i = 0; i < OUTPUT_TRIES; i++) {
        (void)snprintf(file->temporary, size, "%s.tmp-%ld-%d", file->path, (long)getpid(), i);
        file->descriptor =
            open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)0666);
        if (file->descriptor >= 0) return SCONE_OK;
        if (errno != EEXIST) break;
    }
    scone_status status =
        RAISE(SCONE_ERR_IO, "%s: cannot write: %s; check that the folder exists and is writable",
              file->path, strerror(errno));
    mem_free(file->temporary);
    file->temporary = NULL;
    return status;
}

scone_status output_open(output_file **out, const char *path)
{
    scone_status status = SCONE_OK;
    output_file *file = NULL;
    struct stat info;
    *out = NULL;
    TRY_ZERO(file, 1);
    file->descriptor = -1;
    TRY(resolve_link(&file->path, path));
    TRY_ALLOC(file->buffer, OUTPUT_BUFFER);
    bool exists = stat(file->path, &info) == 0;
    if (!exists && errno != ENOENT && errno != ENOTDIR) {
        FAIL(SCONE_ERR_IO, "%s: cannot examine: %s", path, strerror(errno));
    }
    if (exists && S_ISDIR(info.st_mode)) {
        FAIL(SCONE_ERR_IO, "%s: is a folder; name a file", path);
    }
    if (exists && !S_ISREG(info.st_mode)) {
        file->descriptor = open(file->path, O_WRONLY | O_CLOEXEC);
        if (file->descriptor < 0) {
            FAIL(SCONE_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
        }
    } else {
        TRY(create_temporary(file));
        if (exists && fchmod(file->descriptor, info.st_mode & (mode_t)07777) != 0) {
            FAIL(SCONE_ERR_IO, "%s: cannot give the permissions of the earlier file: %s", path,
                 strerror(errno));
        }
    }
    *out = file;
    return SCONE_OK;
cleanup:
    output_discard(file);
    return status;
}

static scone_status flush_buffer(output_file *file)
{
    size_t done = 0;
    while (done < file->used) {
        ssize_t wrote = write(file->descriptor, file->buffer + done, file->used - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) {
            return RAISE(SCONE_ERR_IO, "%s: cannot write: %s", file->path, strerror(errno));
        }
        done += (size_t)wrote;
    }
    file->used = 0;
    return SCONE_OK;
}

scone_status output_write(output_file *file, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        if (file->used == OUTPUT_BUFFER) {
            scone_status status = flush_buffer(file);
            if (status != SCONE_OK) return status;
        }
        size_t take = OUTPUT_BUFFER - file->used;
        if (take > size) take = size;
        memcpy(file->buffer + file->used, from, take);
        file->used += take;
        from += take;
        size -= take;
    }
    return SCONE_OK;
}

scone_status output_print(output_file *file, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0) return RAISE(SCONE_ERR_DEFECT, "internal error: bad print format");
    if ((size_t)length < sizeof text) return output_write(file, text, (size_t)length);

    char *longer = mem_alloc((size_t)length + 1, 1);
    if (!longer) return SCONE_ERR_MEMORY;
    va_start(arguments, format);
    (void)vsnprintf(longer, (size_t)length + 1, format, arguments);
    va_end(arguments);
    scone_status status = output_write(file, longer, (size_t)length);
    mem_free(longer);
    return status;
}

scone_status output_commit(output_file **handle)
{
    scone_status status = SCONE_OK;
    output_file *file = *handle;
    *handle = NULL;
    TRY(flush_buffer(file));
    if (file->temporary && fsync(file->descriptor) != 0) {
        FAIL(SCONE_ERR_IO, "%s: cannot write: %s", file->path, strerror(errno));
    }
    int code = close(file->descriptor);
    file->descriptor = -1;
    if (code != 0) FAIL(SCONE_ERR_IO, "%s: cannot write: %s", file->path, strerror(errno));
    if (file->temporary) {
        if (rename(file->temporary, file->path) != 0) {
            FAIL(SCONE_ERR_IO, "%s: cannot move the finished file into place: %s", file->path,
                 strerror(errno));
        }
        mem_free(file->temporary);
        file->temporary = NULL;
    }
cleanup:
    output_discard(file);
    return status;
}

void output_discard(output_file *file)
{
    if (!file) return;
    if (file->descriptor >= 0) (void)close(file->descriptor);
    if (file->temporary) (void)unlink(file->temporary);
    mem_free(file->temporary);
    mem_free(file->path);
    mem_free(file->buffer);
    mem_free(file);
}
