/* output_folder.c - a folder of outputs that appears as a whole (see file.h); how it is put in
 * place stands in output_folder_commit.c, and what killed runs leave in output_leftovers.c.
 */
#include "io/output_folder_parts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FOLDER_TRIES = 1000, MARK_BYTES = 4096, LOCK_TRIES = 200 };

/* ---- what is there ---- */

/* The folder a link leads to, so that the link survives; a link that leads nowhere is refused
 * before the work instead of after it. */
static scone_status resolve(char **out, const char *path)
{
    scone_status status = SCONE_OK;
    struct stat about;
    char real[PATH_MAX], *plain;
    size_t length = strlen(path);
    *out = NULL;
    while (length > 1 && path[length - 1] == '/') length--;
    plain = mem_copy_text(path, length);
    if (!plain) TRY(SCONE_ERR_MEMORY);
    if (lstat(plain, &about) != 0 || !S_ISLNK(about.st_mode)) {
        *out = plain;
        return SCONE_OK;
    }
    if (!realpath(plain, real)) {
        FAIL(SCONE_ERR_IO, "%s: is a link that leads nowhere (%s); remove it, or name a folder",
             plain, strerror(errno));
    }
    *out = mem_copy_text(real, strlen(real));
    if (!*out) TRY(SCONE_ERR_MEMORY);
cleanup:
    mem_free(plain);
    return status;
}

/* Did this command write the marker? Its name alone proves nothing. */
static scone_status read_mark(bool *ours, const output_folder *folder, const char *name)
{
    scone_status status = SCONE_OK;
    input_file *file = NULL;
    char *path = NULL, text[MARK_BYTES + 1];
    size_t have = 0, got = 1;
    struct stat about;
    *ours = false;
    TRY(path_join(&path, folder->path, name));
    if (stat(path, &about) != 0) {
        if (errno == ENOENT) goto cleanup; /* a link that leads nowhere */
        FAIL(SCONE_ERR_IO, "%s: cannot examine: %s", path, strerror(errno));
    }
    if (!S_ISREG(about.st_mode)) goto cleanup;
    TRY(input_open(&file, path));
    for (; have < MARK_BYTES && got > 0; have += got) {
        TRY(input_read(file, text + have, MARK_BYTES - have, &got));
    }
    for (size_t k = 0; k < OUTPUT_MARKS && folder->kind->marks[k]; k++) {
        const char *mark = folder->kind->marks[k];
        *ours = *ours || memmem(text, have, mark, strlen(mark));
    }
cleanup:
    input_close(file);
    mem_free(path);
    if (status == SCONE_ERR_INPUT) status = SCONE_OK; /* damaged gzip: not ours */
    return status;
}

/* Is there something in folder/inner, one of ours, that this command did not write? */
static scone_status check_inner(const output_folder *folder, const char *inner, bool force)
{
    scone_status status = SCONE_OK;
    listing entries = {0};
    struct stat about;
    char *path = NULL, *name = NULL;
    TRY(path_join(&path, folder->path, inner));
    if (force) goto cleanup;
    if (lstat(path, &about) != 0) {
        FAIL(SCONE_ERR_IO, "%s: cannot examine: %s", path, strerror(errno));
    }
    if (!S_ISDIR(about.st_mode)) goto cleanup;
    TRY(listing_read(&entries, path, NULL));
    for (size_t k = 0; k < entries.count; k++) {
        mem_free(name);
        name = NULL;
        TRY(path_join(&name, inner, entries.names[k]));
        if (folder->kind->classify(name) != OUTPUT_FOREIGN) continue;
        FAIL(SCONE_ERR_INPUT,
             "%s: holds %s, which no earlier run of this command wrote and which would be removed; "
             "move it away, choose another folder, or add --force",
             folder->path, name);
    }
cleanup:
    listing_free(&entries);
    mem_free(path);
    mem_free(name);
    return status;
}

/* A folder where a file of ours would come is never removed. */
static scone_status check_file(const output_folder *folder, const char *name)
{
    scone_status status = SCONE_OK;
    struct stat about;
    char *path = NULL;
    TRY(path_join(&path, folder->path, name));
    if (lstat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        FAIL(SCONE_ERR_INPUT,
             "%s: is a folder, and a file of this name is to be written; move it away, or choose "
             "another folder",
             path);
    }
cleanup:
    mem_free(path);
    return status;
}

/* What is in the way in an existing folder? */
static scone_status examine_existing(const output_folder *folder, bool force)
{
    scone_status status = SCONE_OK;
    listing list;
    const char *ours = NULL;
    bool marker = false;
    TRY(listing_read(&list, folder->path, NULL));
    for (size_t i = 0; i < list.count; i++) {
        output_entry kind = folder->kind->classify(list.names[i]);
        if (kind == OUTPUT_FOREIGN) continue;
        if (!ours) ours = list.names[i];
        if (kind == OUTPUT_FOLDER) continue;
        TRY(check_file(folder, list.names[i]));
        if (kind == OUTPUT_MARKER && !marker) TRY(read_mark(&marker, folder, list.names[i]));
    }
    if (ours && !marker && !force) {
        FAIL(SCONE_ERR_INPUT,
             "%s: already holds %s, which no earlier run of this command wrote; choose another "
             "folder, or add --force to replace it",
             folder->path, ours);
    }
    for (size_t i = 0; i < list.count; i++) {
        if (folder->kind->classify(list.names[i]) != OUTPUT_FOLDER) continue;
        TRY(check_inner(folder, list.names[i], force));
    }
cleanup:
    listing_free(&list);
    return status;
}

/* ---- opening ---- */

scone_status output_temporary(char **path, const output_folder *folder, const char *between)
{
    size_t size = strlen(folder->path) + strlen(between) + 48;
    *path = mem_alloc(size, 1);
    if (!*path) return SCONE_ERR_MEMORY;
    (void)snprintf(*path, size, "%s%s-%ld-%d", folder->path, between, (long)getpid(),
                   folder->number);
    return SCONE_OK;
}

/* Makes the temporary folder, "<path>.scone-tmp-<n>" or "<path>/.scone-tmp-<n>", and locks it. */
static scone_status make_temporary(output_folder *folder)
{
    bool taken;
    for (folder->number = 0; folder->number < FOLDER_TRIES; folder->number++) {
        char *name;
        scone_status status =
            output_temporary(&name, folder, folder->existing ? "/" OUTPUT_INSIDE : OUTPUT_INSIDE);
        if (status != SCONE_OK) return status;
        if (mkdir(name, (mode_t)0777) == 0) {
            folder->temporary = name;
            folder->lock = output_lock(name, &taken);
            return SCONE_OK;
        }
        int reason = errno;
        mem_free(name);
        errno = reason;
        if (reason != EEXIST) break;
    }
    return RAISE(SCONE_ERR_IO,
                 "%s: cannot create the folder: %s; check that its parent exists and is writable",
                 folder->path, strerror(errno));
}

/* Between looking for other runs and making a folder of its own, no other run may do the same:
 * waits for the lock of the parent, but not for ever. Returns a descriptor to be closed, or -1. */
static int lock_parent(const char *parent)
{
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    bool taken = true;
    for (int i = 0; i < LOCK_TRIES && taken; i++) {
        int descriptor = output_lock(parent, &taken);
        if (descriptor >= 0) return descriptor;
        if (taken) (void)nanosleep(&pause, NULL);
    }
    return -1;
}

scone_status output_folder_open(output_folder **out, const char *path, const output_kind *kind,
                                bool force, const scone_context *context)
{
    scone_status status = SCONE_OK;
    output_folder *folder = NULL;
    char *parent = NULL;
    int guard = -1;
    struct stat info;
    *out = NULL;
    if (!*path) return RAISE(SCONE_ERR_INPUT, "the name of the output folder is empty");
    TRY_ZERO(folder, 1);
    folder->lock = -1;
    folder->kind = kind;
    TRY(resolve(&folder->path, path));
    TRY(output_parent(&parent, folder->path));
    if (stat(folder->path, &info) == 0 && !S_ISDIR(info.st_mode)) {
        FAIL(SCONE_ERR_IO, "%s: is a file; the output needs a folder", path);
    }
    guard = lock_parent(parent);
    TRY(output_leftovers_clear(folder->path, context));
    if (stat(folder->path, &info) == 0) {
        folder->existing = true;
        TRY(examine_existing(folder, force));
    } else if (errno != ENOENT) {
        FAIL(SCONE_ERR_IO, "%s: cannot examine: %s", path, strerror(errno));
    }
    TRY(make_temporary(folder));
    *out = folder;
    folder = NULL;
cleanup:
    if (guard >= 0) (void)close(guard);
    mem_free(parent);
    output_folder_discard(folder);
    return status;
}

scone_status output_folder_path(char **path, output_folder *folder, const char *name)
{
    scone_status status = SCONE_OK;
    char *parent = NULL;
    *path = NULL;
    const char *slash = strchr(name, '/');
    if (slash) {
        char *first = mem_copy_text(name, (size_t)(slash - name));
        if (!first) TRY(SCONE_ERR_MEMORY);
        status = path_join(&parent, folder->temporary, first);
        mem_free(first);
        if (status != SCONE_OK) goto cleanup;
        if (mkdir(parent, (mode_t)0777) != 0 && errno != EEXIST) {
            FAIL(SCONE_ERR_IO, "%s: cannot create the folder: %s", parent, strerror(errno));
        }
    }
    TRY(path_join(path, folder->temporary, name));
cleanup:
    mem_free(parent);
    return status;
}

void output_folder_discard(output_folder *folder)
{
    if (!folder) return;
    /* Again, if something kept the first attempt from its end. */
    for (int i = 0; folder->temporary && i < 2 && path_exists(folder->temporary); i++) {
        output_remove_tree(folder->temporary);
    }
    if (folder->lock >= 0) (void)close(folder->lock);
    mem_free(folder->temporary);
    mem_free(folder->path);
    mem_free(folder);
}
