/* memory.c - allocation with checked sizes (see memory.h). */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void *raise_memory(size_t count, size_t size)
{
    (void)RAISE(
        SCONE_ERR_MEMORY,
        "out of memory (%zu elements of %zu bytes); use fewer rows or columns, or a machine "
        "with more memory",
        count, size);
    return NULL;
}

void *mem_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (!size_multiply(&bytes, count, size)) return raise_memory(count, size);
    void *block = malloc(bytes ? bytes : 1);
    return block ? block : raise_memory(count, size);
}

void *mem_zero(size_t count, size_t size)
{
    void *block = count && size ? calloc(count, size) : calloc(1, 1);
    return block ? block : raise_memory(count, size);
}

void *mem_resize(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (!size_multiply(&bytes, count, size)) return raise_memory(count, size);
    void *grown = realloc(block, bytes ? bytes : 1);
    return grown ? grown : raise_memory(count, size);
}

void *mem_aligned(size_t count, size_t size)
{
    size_t bytes;
    if (!size_multiply(&bytes, count, size) || !size_add(&bytes, bytes, 64)) {
        return raise_memory(count, size);
    }
    bytes &= ~(size_t)63; /* aligned_alloc wants a multiple of the alignment; never 0 here */
    void *block = aligned_alloc(64, bytes);
    return block ? block : raise_memory(count, size);
}

char *mem_copy_text(const char *text, size_t length)
{
    size_t bytes;
    if (!size_add(&bytes, length, 1)) return raise_memory(length, 1);
    char *copy = mem_alloc(bytes, 1);
    if (!copy) return NULL;
    if (length) memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void mem_free(void *block)
{
    free(block);
}
