/* input_list.h - the files that something was read from: size and hash of the bytes that were read,
 * whatever happens to the files afterwards. The hash is XXH64, as xxhsum -H1 prints it.
 */
#ifndef SCONE_IO_INPUT_LIST_H
#define SCONE_IO_INPUT_LIST_H

#include "io/file.h"

typedef struct input_record {
    char *path; /* as it was given */
    size_t bytes;
    uint64_t hash;
} input_record;

struct input_list {
    input_record *records;
    size_t count;
};

/* Notes a regular file that has been read to its end; anything else is left out. */
scone_status input_list_note(input_list *list, const input_file *file);
/* Notes a file whose bytes are in memory. */
scone_status input_list_add(input_list *list, const char *path, const void *bytes, size_t size);
/* Adds copies of the records of another list. */
scone_status input_list_join(input_list *list, const input_list *more);
/* The first record of a path, or NULL. */
const input_record *input_list_find(const input_list *list, const char *path);
void input_list_clear(input_list *list);

#endif
