/* output_leftovers.c - what a killed run left beside and inside its output folder is found,
 * finished or undone (see output_folder_parts.h).
 *
 * Who still works is known by the locks: a folder of ours that can be locked belongs to nobody. On
 * file systems without locks nobody knows, and nothing is touched.
 */
#include "io/output_folder_parts.h"

#include "base/context.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- small operations on folders ---- */

int output_lock(const char *path, bool *taken)
{
    *taken = false;
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return -1;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
    *taken = errno == EWOULDBLOCK;
    (void)close(descriptor);
    return -1;
}

scone_status output_parent(char **parent, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) {
        *parent = mem_copy_text(".", 1);
    } else {
        *parent = mem_copy_text(path, slash == path ? 1 : (size_t)(slash - path));
    }
    return *parent ? SCONE_OK : SCONE_ERR_MEMORY;
}

scone_status output_move(const char *from_folder, const char *to_folder, const char *name)
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

void output_remove_tree(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    if (!folder) {
        if (descriptor >= 0) (void)close(descriptor);
        (void)unlink(path);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (unlinkat(dirfd(folder), entry->d_name, 0) == 0) continue;
        char child[PATH_MAX];
        int length = snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
        if (length > 0 && (size_t)length < sizeof child) output_remove_tree(child);
    }
    (void)closedir(folder);
    (void)rmdir(path);
}

scone_status output_sync(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return SCONE_OK;
    int code = fsync(descriptor);
    int reason = errno;
    (void)close(descriptor);
    if (code == 0 || reason == EINVAL || reason == ENOTSUP || reason == EROFS) return SCONE_OK;
    return RAISE(SCONE_ERR_IO, "%s: cannot write: %s", path, strerror(reason));
}

/* ---- one leftover ---- */

/* Is name prefix + "-P-N"? */
static bool is_numbered(const char *name, const char *prefix, size_t length)
{
    if (strncmp(name, prefix, length) != 0) return false;
    name += length;
    for (int part = 0; part < 2; part++) {
        if (*name++ != '-') return false;
        size_t digits = strspn(name, "0123456789");
        if (digits == 0) return false;
        name += digits;
    }
    return *name == '\0';
}

/* Moves the entries of `from` into `to`, but for what is kept back there; never over an entry. */
static scone_status move_entries(const char *from, const char *to, bool replace)
{
    scone_status status = SCONE_OK;
    listing entries;
    char *place = NULL;
    TRY(listing_read(&entries, from, NULL));
    for (size_t k = 0; k < entries.count; k++) {
        struct stat about;
        if (strcmp(entries.names[k], OUTPUT_RETIRED) == 0) continue;
        mem_free(place);
        place = NULL;
        TRY(path_join(&place, to, entries.names[k]));
        if (!replace && lstat(place, &about) == 0) {
            FAIL(SCONE_ERR_IO, "%s: is in the way of the earlier one in %s; move one of them away",
                 place, from);
        }
        TRY(output_move(from, to, entries.names[k]));
    }
cleanup:
    listing_free(&entries);
    mem_free(place);
    return status;
}

/* A killed run's folder `left` inside `path`: puts back what it had taken away, or goes on placing
 * what it had begun to place. */
static scone_status settle_inside(const char *path, const char *left, bool placing,
                                  const scone_context *context)
{
    scone_status status = SCONE_OK;
    char *retired = NULL;
    TRY(path_join(&retired, left, OUTPUT_RETIRED));
    if (placing) {
        TRY(move_entries(left, path, true));
        context_log(context, SCONE_WARNING,
                    "%s: an earlier run was killed while it put its finished files in place; they "
                    "are all there now",
                    path);
    } else if (path_exists(retired)) {
        TRY(move_entries(retired, path, false));
        context_log(context, SCONE_WARNING,
                    "%s: an earlier run was killed while it replaced the files of another; those "
                    "are back",
                    path);
    } else {
        context_log(context, SCONE_NOTE, "%s: removed the unfinished files of a killed run", path);
    }
    (void)output_sync(path);
    output_remove_tree(left);
cleanup:
    mem_free(retired);
    return status;
}

static scone_status settle(const char *path, const char *folder, const char *name, bool inside,
                           const scone_context *context)
{
    scone_status status = SCONE_OK;
    char *left = NULL;
    int lock = -1;
    bool taken;
    TRY(path_join(&left, folder, name));
    lock = output_lock(left, &taken);
    if (taken) {
        FAIL(SCONE_ERR_INPUT,
             "%s: another run is going to write there (it holds %s); wait for its end, or choose "
             "another folder",
             path, left);
    }
    if (lock < 0) goto cleanup; /* gone meanwhile, not ours, or no locks here */
    if (inside) {
        bool placing = strncmp(name, OUTPUT_PLACING, strlen(OUTPUT_PLACING)) == 0;
        TRY(settle_inside(path, left, placing, context));
    } else {
        output_remove_tree(left);
        context_log(context, SCONE_NOTE, "%s: removed what a killed run had left", left);
    }
cleanup:
    if (lock >= 0) (void)close(lock);
    mem_free(left);
    return status;
}

/* ---- all of them ---- */

static scone_status clear_beside(const char *path, const scone_context *context)
{
    scone_status status = SCONE_OK;
    listing entries = {0};
    char *parent = NULL, *prefix = NULL;
    bool missing;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name) + strlen(OUTPUT_INSIDE);
    TRY(output_parent(&parent, path));
    if (access(parent, R_OK) != 0 && errno == EACCES) goto cleanup; /* others' names are secret */
    TRY_ALLOC(prefix, length + 1);
    (void)snprintf(prefix, length + 1, "%s%s", name, OUTPUT_INSIDE);
    TRY(listing_read(&entries, parent, &missing));
    for (size_t k = 0; k < entries.count; k++) {
        if (!is_numbered(entries.names[k], prefix, length)) continue;
        TRY(settle(path, parent, entries.names[k], false, context));
    }
cleanup:
    listing_free(&entries);
    mem_free(parent);
    mem_free(prefix);
    return status;
}

scone_status output_leftovers_clear(const char *path, const scone_context *context)
{
    scone_status status = SCONE_OK;
    listing entries = {0};
    bool missing;
    TRY(clear_beside(path, context));
    TRY(listing_read(&entries, path, &missing));
    for (size_t k = 0; k < entries.count; k++) {
        const char *name = entries.names[k];
        if (!is_numbered(name, OUTPUT_INSIDE, strlen(OUTPUT_INSIDE)) &&
            !is_numbered(name, OUTPUT_PLACING, strlen(OUTPUT_PLACING))) {
            continue;
        }
        TRY(settle(path, path, name, true, context));
    }
cleanup:
    listing_free(&entries);
    return status;
}
