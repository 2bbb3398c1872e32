/* listing.c - the names in a folder (see listing.h). */
#include "io/listing.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void listing_free(listing *list)
{
    for (size_t i = 0; i < list->count; i++) mem_free(list->names[i]);
    mem_free(list->names);
    *list = (listing){0};
}

static scone_status add_name(listing *list, const char *name)
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

scone_status listing_read(listing *list, const char *folder, bool *missing)
{
    scone_status status = SCONE_OK;
    *list = (listing){0};
    if (missing) *missing = false;
    DIR *stream = opendir(folder);
    if (!stream && missing && errno == ENOENT) {
        *missing = true;
        return SCONE_OK;
    }
    if (!stream) FAIL(SCONE_ERR_IO, "%s: cannot list the folder: %s", folder, strerror(errno));
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(stream);
        if (!entry) break;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        TRY(add_name(list, entry->d_name));
    }
    if (errno) FAIL(SCONE_ERR_IO, "%s: cannot list the folder: %s", folder, strerror(errno));
    if (list->count > 1) qsort(list->names, list->count, sizeof *list->names, compare_names);
cleanup:
    if (stream) (void)closedir(stream);
    if (status != SCONE_OK) listing_free(list);
    return status;
}
