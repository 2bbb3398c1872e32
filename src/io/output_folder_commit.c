/* output_folder_commit.c - putting a finished folder in place (see file.h).
 *
 * A new folder appears by one rename. One that replaces an earlier result, and nothing else,
 * changes places with it in one step, where the system can do that (Linux, renameat2). Where it
 * cannot, or where other files stay in the folder, the entries are moved one by one:
 *   1. the old ones into DIR/.scone-tmp-P-N/.old. A run that is killed here is undone by the next.
 *   2. the folder is renamed to DIR/.scone-place-P-N, which decides.
 *   3. the new ones into DIR. A run that is killed here is finished by the next.
 * The marker goes first and comes last, so that a reader never takes a mixture for a result. If a
 * step fails, all moves are undone.
 */
#include "io/output_folder_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- in one step ---- */

/* May another folder stand for this one: the same owner and disk, and nobody stands in it? */
static bool is_replaceable(const output_folder *folder, mode_t *mode)
{
    struct stat old, fresh, here;
    if (stat(folder->path, &old) != 0 || stat(folder->temporary, &fresh) != 0) return false;
    if (stat(".", &here) == 0 && here.st_ino == old.st_ino && here.st_dev == old.st_dev) {
        return false;
    }
    *mode = old.st_mode & (mode_t)07777;
    return old.st_dev == fresh.st_dev && old.st_uid == fresh.st_uid && old.st_gid == fresh.st_gid;
}

/* What came into the old folder after it was listed is nobody's to remove. */
static void save_foreign(const output_folder *folder)
{
    listing list;
    if (listing_read(&list, folder->temporary, NULL) != SCONE_OK) return;
    for (size_t k = 0; k < list.count; k++) {
        if (folder->kind->classify(list.names[k]) != OUTPUT_FOREIGN) continue;
        (void)output_move(folder->temporary, folder->path, list.names[k]);
    }
    listing_free(&list);
}

/* *done: the new folder has the place of the old one, which is now the temporary one. */
static scone_status exchange(bool *done, output_folder *folder)
{
    *done = false;
#ifdef RENAME_EXCHANGE
    mode_t mode;
    char *beside;
    if (!is_replaceable(folder, &mode)) return SCONE_OK;
    scone_status status = output_temporary(&beside, folder, OUTPUT_INSIDE);
    if (status != SCONE_OK) return status;
    if (chmod(folder->temporary, mode) != 0 || rename(folder->temporary, beside) != 0) {
        mem_free(beside);
        return SCONE_OK;
    }
    *done = renameat2(AT_FDCWD, beside, AT_FDCWD, folder->path, RENAME_EXCHANGE) == 0;
    if (!*done && rename(beside, folder->temporary) == 0) {
        mem_free(beside);
        return SCONE_OK;
    }
    mem_free(folder->temporary);
    folder->temporary = beside;
    if (*done) save_foreign(folder);
#endif
    return SCONE_OK;
}

/* ---- entry by entry ---- */

/* Both lists of a replacement, and how far it has come. */
typedef struct replacement {
    listing fresh, old;
    char *retired; /* temporary/.old */
    size_t placed, taken;
    bool decided; /* the folder has its second name */
} replacement;

/* Puts the marker at the beginning or at the end. */
static void order_marker(const output_folder *folder, listing *list, bool first)
{
    for (size_t k = 0; k < list->count; k++) {
        if (folder->kind->classify(list->names[k]) != OUTPUT_MARKER) continue;
        size_t to = first ? 0 : list->count - 1;
        char *marker = list->names[k];
        list->names[k] = list->names[to];
        list->names[to] = marker;
        return;
    }
}

/* Keeps of `list` what this command writes; *foreign: there was more than that and the temporary
 * folder. */
static void keep_ours(const output_folder *folder, listing *list, bool *foreign)
{
    size_t kept = 0;
    const char *slash = strrchr(folder->temporary, '/');
    *foreign = false;
    for (size_t i = 0; i < list->count; i++) {
        if (folder->kind->classify(list->names[i]) != OUTPUT_FOREIGN) {
            list->names[kept++] = list->names[i];
        } else {
            *foreign = *foreign || !slash || strcmp(list->names[i], slash + 1) != 0;
            mem_free(list->names[i]);
        }
    }
    list->count = kept;
}

/* Renames the temporary folder; `between` is what stands between path and numbers. */
static scone_status rename_temporary(output_folder *folder, replacement *r, const char *between)
{
    scone_status status = SCONE_OK;
    char *to = NULL, *retired = NULL;
    TRY(output_temporary(&to, folder, between));
    TRY(path_join(&retired, to, OUTPUT_RETIRED));
    if (rename(folder->temporary, to) != 0) {
        FAIL(SCONE_ERR_IO, "%s: cannot rename: %s", folder->temporary, strerror(errno));
    }
    mem_free(folder->temporary);
    mem_free(r->retired);
    folder->temporary = to;
    r->retired = retired;
    to = retired = NULL;
cleanup:
    mem_free(to);
    mem_free(retired);
    return status;
}

/* Moves `count` entries back, last first; false if one of them could not be. */
static bool move_back(const char *from, const char *to, const listing *list, size_t count)
{
    bool all = true;
    while (count-- > 0) all = output_move(from, to, list->names[count]) == SCONE_OK && all;
    return all;
}

/* Undoes a replacement that failed half-way. If even that fails, everything stays where it is, the
 * message says where, and the next run puts it right. */
static scone_status undo(output_folder *folder, scone_status status, replacement *r)
{
    status_record failure;
    status_save(&failure, status);
    bool undone = move_back(folder->path, folder->temporary, &r->fresh, r->placed);
    if (undone && r->decided) {
        undone = rename_temporary(folder, r, "/" OUTPUT_INSIDE) == SCONE_OK;
    }
    undone = undone && move_back(r->retired, folder->path, &r->old, r->taken);
    if (undone) return status_restore(&failure);
    (void)RAISE(status, "%s; the earlier outputs are in %s", failure.message, r->retired);
    mem_free(folder->temporary);
    folder->temporary = NULL; /* do not remove it */
    return status;
}

static scone_status replace_entries(output_folder *folder, replacement *r)
{
    scone_status status = SCONE_OK;
    order_marker(folder, &r->old, true);
    order_marker(folder, &r->fresh, false);
    TRY(path_join(&r->retired, folder->temporary, OUTPUT_RETIRED));
    if (mkdir(r->retired, (mode_t)0777) != 0) {
        FAIL(SCONE_ERR_IO, "%s: cannot create the folder: %s", r->retired, strerror(errno));
    }
    for (; r->taken < r->old.count; r->taken++) {
        TRY(output_move(folder->path, r->retired, r->old.names[r->taken]));
    }
    TRY(rename_temporary(folder, r, "/" OUTPUT_PLACING));
    r->decided = true;
    for (; r->placed < r->fresh.count; r->placed++) {
        TRY(output_move(folder->temporary, folder->path, r->fresh.names[r->placed]));
    }
cleanup:
    if (status != SCONE_OK && (r->taken || r->decided)) status = undo(folder, status, r);
    return status;
}

static scone_status commit_existing(output_folder *folder)
{
    scone_status status = SCONE_OK;
    replacement r = {.taken = 0};
    bool foreign, done = false;
    TRY(listing_read(&r.fresh, folder->temporary, NULL));
    TRY(listing_read(&r.old, folder->path, NULL));
    keep_ours(folder, &r.old, &foreign);
    if (!foreign) TRY(exchange(&done, folder));
    if (!done) TRY(replace_entries(folder, &r));
cleanup:
    listing_free(&r.fresh);
    listing_free(&r.old);
    mem_free(r.retired);
    return status;
}

/* ---- both ---- */

scone_status output_folder_commit(output_folder **handle)
{
    scone_status status = SCONE_OK;
    output_folder *folder = *handle;
    char *parent = NULL;
    *handle = NULL;
    TRY(output_parent(&parent, folder->path));
    TRY(output_sync(folder->temporary));
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
    /* The result is in place; if its name cannot be kept for certain, nothing better is known. */
    (void)output_sync(parent);
    (void)output_sync(folder->path);
cleanup:
    mem_free(parent);
    output_folder_discard(folder);
    return status;
}
