/* output_folder.c - a folder of outputs that appears as a whole (see file.h).
 *
 * A new folder is filled beside its place and moved there by one rename. Into an existing folder
 * (the current one, a mount point, one with foreign files) a hidden folder is put; at commit
 * the old outputs move into it, the new ones out of it, and if any step fails all moves are undone.
 */
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_TRIES = 1000 };

struct output_folder {
    char *path;      /* final place, no trailing slash */
    char *temporary; /* where files are written now; NULL before it was made */
    char *retired;   /* temporary/.old: earlier outputs during commit */
    bool existing;   /* path existed before */
    output_classify classify;
    pthread_mutex_t lock; /* guards the creation of sub-folders */
};

/* ---- lists of names and recursive removal ---- */

typedef struct name_list {
    char **names;
    size_t count, capacity;
} name_list;

static void free_list(name_list *list)
{
    for (size_t i = 0; i < list->count; i++) mem_free(list->names[i]);
    mem_free(list->names);
    *list = (name_list){0};
}

static scone_status add_name(name_list *list, const char *name)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        char **grown = mem_resize(list->names, capacity, sizeof *grown);
        if (!grown) return SCONE_ERR_MEMORY;
        list->names = grown;
        list->capacity = capacity;
    }
    list->names[list->count] = mem_copy_text(name, strlen(name));
    if (!list->names[list->count]) return SCONE_ERR_MEMORY;
    list->count++;
    return SCONE_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Entries of a folder in byte order, without "." and "..". */
static scone_status list_folder(name_list *list, const char *path)
{
    scone_status status = SCONE_OK;
    *list = (name_list){0};
    DIR *folder = opendir(path);
    if (!folder) FAIL(SCONE_ERR_IO, "%s: cannot list: %s", path, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        TRY(add_name(list, entry->d_name));
    }
    if (list->count > 1) qsort(list->names, list->count, sizeof *list->names, compare_names);
cleanup:
    if (folder) (void)closedir(folder);
    if (status != SCONE_OK) free_list(list);
    return status;
}

/* Removes a file or a folder with all it holds; works within PATH_MAX and without memory, since
 * it also runs when memory is short. */
static void remove_tree(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) {
        (void)unlink(path);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (unlinkat(dirfd(folder), entry->d_name, 0) == 0) continue;
        char child[PATH_MAX];
        int length = snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
        if (length > 0 && (size_t)length < sizeof child) remove_tree(child);
    }
    (void)closedir(folder);
    (void)rmdir(path);
}

/* ---- opening ---- */

/* What is in the way in an existing folder? */
static scone_status examine_existing(const output_folder *folder, bool force)
{
    scone_status status = SCONE_OK;
    name_list list;
    TRY(list_folder(&list, folder->path));
    const char *ours = NULL;
    bool marker = false;
    for (size_t i = 0; i < list.count; i++) {
        output_entry kind = folder->classify(list.names[i]);
        if (kind == OUTPUT_MARKER) marker = true;
        if (kind != OUTPUT_FOREIGN && !ours) ours = list.names[i];
    }
    if (ours && !marker && !force) {
        FAIL(SCONE_ERR_INPUT,
             "%s: already holds %s, which no earlier run of this command wrote; choose another "
             "folder, or add --force to replace it",
             folder->path, ours);
    }
cleanup:
    free_list(&list);
    return status;
}

/* Makes the temporary folder: "<path>.tmp-<n>" or "<path>/.scone-tmp-<n>". */
static scone_status make_temporary(output_folder *folder)
{
    size_t size;
    if (!size_add(&size, strlen(folder->path), 48)) return RAISE(SCONE_ERR_MEMORY, "out of memory");
    char *name = mem_alloc(size, 1);
    if (!name) return SCONE_ERR_MEMORY;
    for (int i = 0; i < FOLDER_TRIES; i++) {
        (void)snprintf(name, size, "%s%s-%ld-%d", folder->path,
                       folder->existing ? "/.scone-tmp" : ".tmp", (long)getpid(), i);
        if (mkdir(name, (mode_t)0777) == 0) {
            folder->temporary = name;
            return SCONE_OK;
        }
        if (errno != EEXIST) break;
    }
    mem_free(name);
    return RAISE(SCONE_ERR_IO,
                 "%s: cannot create the folder: %s; check that its parent exists and is writable",
                 folder->path, strerror(errno));
}

scone_status output_folder_open(output_folder **out, const char *path, output_classify classify,
                                bool force)
{
    scone_status status = SCONE_OK;
    output_folder *folder = NULL;
    struct stat info;
    *out = NULL;
    if (!*path) return RAISE(SCONE_ERR_INPUT, "the name of the output folder is empty");
    TRY_ZERO(folder, 1);
    pthread_mutex_init(&folder->lock, NULL);
    folder->classify = classify;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    folder->path = mem_copy_text(path, length);
    if (!folder->path) TRY(SCONE_ERR_MEMORY);
    if (stat(folder->path, &info) == 0) {
        if (!S_ISDIR(info.st_mode)) {
            FAIL(SCONE_ERR_IO, "%s: is a file; the output needs a folder", path);
        }
        folder->existing = true;
        TRY(examine_existing(folder, force));
    }
    TRY(make_temporary(folder));
    *out = folder;
    return SCONE_OK;
cleanup:
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
        pthread_mutex_lock(&folder->lock);
        int code = mkdir(parent, (mode_t)0777);
        int reason = code == 0 ? 0 : errno;
        pthread_mutex_unlock(&folder->lock);
        if (reason != 0 && reason != EEXIST) {
            FAIL(SCONE_ERR_IO, "%s: cannot create the folder: %s", parent, strerror(reason));
        }
    }
    TRY(path_join(path, folder->temporary, name));
cleanup:
    mem_free(parent);
    return status;
}

/* ---- committing ---- */

static scone_status move_entry(const char *from_folder, const char *to_folder, const char *name)
{
    scone_status status = SCONE_OK;
    char *from = NULL, *to = NULL;
    TRY(path_join(&from, from_folder, name));
    TRY(path_join(&to, to_folder, name));
    if (rename(from, to) != 0) {
        FAIL(SCONE_ERR_IO, "%s: cannot move the finished output into place: %s", to,
             strerror(errno));
    }
cleanup:
    mem_free(from);
    mem_free(to);
    return status;
}

/* Moves `count` entries back, last first; false if one of them could not be. */
static bool move_back(const char *from, const char *to, const name_list *list, size_t count)
{
    bool all = true;
    while (count-- > 0) all = move_entry(from, to, list->names[count]) == SCONE_OK && all;
    return all;
}

/* Undoes a commit that failed half-way. If even that fails, the earlier outputs are kept where
 * they are, and the message says where. */
static scone_status undo_commit(output_folder *folder, scone_status status, const name_list *fresh,
                                size_t placed, const name_list *old, size_t retired)
{
    status_record failure;
    status_save(&failure, status);
    bool undone = move_back(folder->path, folder->temporary, fresh, placed);
    undone = move_back(folder->retired, folder->path, old, retired) && undone;
    if (undone) return status_restore(&failure);
    (void)RAISE(status, "%s; the earlier outputs are in %s", failure.message, folder->retired);
    mem_free(folder->temporary);
    folder->temporary = NULL; /* do not remove it */
    return status;
}

/* Keeps of `list` what this command writes. */
static void keep_ours(const output_folder *folder, name_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (folder->classify(list->names[i]) != OUTPUT_FOREIGN) {
            list->names[kept++] = list->names[i];
        } else {
            mem_free(list->names[i]);
        }
    }
    list->count = kept;
}

static scone_status commit_existing(output_folder *folder)
{
    scone_status status = SCONE_OK;
    name_list fresh = {0}, old = {0};
    size_t retired = 0, placed = 0;
    TRY(list_folder(&fresh, folder->temporary));
    TRY(list_folder(&old, folder->path));
    keep_ours(folder, &old);
    TRY(path_join(&folder->retired, folder->temporary, ".old"));
    if (mkdir(folder->retired, (mode_t)0777) != 0) {
        FAIL(SCONE_ERR_IO, "%s: cannot create the folder: %s", folder->retired, strerror(errno));
    }
    for (; retired < old.count; retired++) {
        TRY(move_entry(folder->path, folder->retired, old.names[retired]));
    }
    for (; placed < fresh.count; placed++) {
        TRY(move_entry(folder->temporary, folder->path, fresh.names[placed]));
    }
cleanup:
    if (status != SCONE_OK && (placed || retired)) {
        status = undo_commit(folder, status, &fresh, placed, &old, retired);
    }
    free_list(&fresh);
    free_list(&old);
    return status;
}

/* Asks the disk to keep the new names; some file systems cannot, which is no failure. */
static scone_status sync_folder(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return SCONE_OK;
    int code = fsync(descriptor);
    int reason = errno;
    (void)close(descriptor);
    if (code == 0 || reason == EINVAL || reason == ENOTSUP || reason == EROFS) return SCONE_OK;
    return RAISE(SCONE_ERR_IO, "%s: cannot write: %s", path, strerror(reason));
}

scone_status output_folder_commit(output_folder **handle)
{
    scone_status status = SCONE_OK;
    output_folder *folder = *handle;
    *handle = NULL;
    TRY(sync_folder(folder->temporary));
    if (folder->existing) {
        TRY(commit_existing(folder));
    } else {
        if (rename(folder->temporary, folder->path) != 0) {
            FAIL(SCONE_ERR_IO, "%s: cannot move the finished folder into place: %s", folder->path,
                 strerror(errno));
        }
        mem_free(folder->temporary);
        folder->temporary = NULL;
    }
cleanup:
    output_folder_discard(folder);
    return status;
}

void output_folder_discard(output_folder *folder)
{
    if (!folder) return;
    if (folder->temporary) remove_tree(folder->temporary);
    pthread_mutex_destroy(&folder->lock);
    mem_free(folder->temporary);
    mem_free(folder->retired);
    mem_free(folder->path);
    mem_free(folder);
}
