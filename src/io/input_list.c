/* input_list.c - the files that something was read from (see input_list.h). */
#include "io/input_list.h"

#include <string.h>

#define XXH_INLINE_ALL
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

static scone_status add(input_list *list, const char *path, size_t bytes, uint64_t hash)
{
    input_record *grown = mem_resize(list->records, list->count + 1, sizeof *grown);
    if (!grown) return SCONE_ERR_MEMORY;
    list->records = grown;
    char *copy = mem_copy_text(path, strlen(path));
    if (!copy) return SCONE_ERR_MEMORY;
    list->records[list->count++] = (input_record){copy, bytes, hash};
    return SCONE_OK;
}

scone_status input_list_note(input_list *list, const input_file *file)
{
    const char *path;
    size_t bytes;
    uint64_t hash;
    if (!list || !input_digest(&path, &bytes, &hash, file)) return SCONE_OK;
    return add(list, path, bytes, hash);
}

scone_status input_list_add(input_list *list, const char *path, const void *bytes, size_t size)
{
    return add(list, path, size, XXH64(bytes, size, 0));
}

scone_status input_list_join(input_list *list, const input_list *more)
{
    scone_status status = SCONE_OK;
    for (size_t k = 0; k < more->count && status == SCONE_OK; k++) {
        const input_record *record = &more->records[k];
        status = add(list, record->path, record->bytes, record->hash);
    }
    return status;
}

const input_record *input_list_find(const input_list *list, const char *path)
{
    for (size_t k = 0; k < list->count; k++) {
        if (strcmp(list->records[k].path, path) == 0) return &list->records[k];
    }
    return NULL;
}

void input_list_clear(input_list *list)
{
    for (size_t k = 0; k < list->count; k++) mem_free(list->records[k].path);
    mem_free(list->records);
    *list = (input_list){0};
}
