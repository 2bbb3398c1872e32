/* arena.c - block allocator (see arena.h). Cost: O(1) per request, one malloc per block. */
#include "base/arena.h"

#include <string.h>

enum { ARENA_ALIGN = 64, ARENA_DEFAULT_BLOCK = 64 * 1024 };

typedef struct arena_block {
    struct arena_block *next;
    size_t size, used; /* bytes of data[], a multiple of ARENA_ALIGN */
    unsigned char *data;
} arena_block;

struct arena {
    size_t block_bytes;
    arena_block *first, *current;
};

scone_status arena_alloc(arena **out, size_t block_bytes)
{
    *out = mem_zero(1, sizeof **out);
    if (!*out) return SCONE_ERR_MEMORY;
    (*out)->block_bytes = block_bytes ? block_bytes : ARENA_DEFAULT_BLOCK;
    return SCONE_OK;
}

void arena_free(arena *a)
{
    if (!a) return;
    for (arena_block *block = a->first, *next; block; block = next) {
        next = block->next;
        mem_free(block->data);
        mem_free(block);
    }
    mem_free(a);
}

/* Appends a block that can hold `bytes` after the current one. */
static arena_block *add_block(arena *a, size_t bytes)
{
    arena_block *block = mem_zero(1, sizeof *block);
    if (!block) return NULL;
    block->size = bytes > a->block_bytes ? bytes : a->block_bytes;
    block->data = mem_aligned(block->size, 1);
    if (!block->data) {
        mem_free(block);
        return NULL;
    }
    if (a->current) {
        block->next = a->current->next;
        a->current->next = block;
    } else {
        a->first = block;
    }
    a->current = block;
    return block;
}

void *arena_get(arena *a, size_t count, size_t size)
{
    size_t bytes;
    if (!size_multiply(&bytes, count, size) || !size_add(&bytes, bytes, ARENA_ALIGN)) {
        (void)RAISE(SCONE_ERR_MEMORY, "out of memory (%zu elements of %zu bytes)", count, size);
        return NULL;
    }
    bytes = (bytes - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (bytes == 0) bytes = ARENA_ALIGN;

    arena_block *block = a->current;
    while (block && block->size - block->used < bytes) {
        block = block->next; /* blocks after the current one are empty, left by arena_clear */
        if (block) a->current = block;
    }
    if (!block) block = add_block(a, bytes);
    if (!block) return NULL;
    void *memory = block->data + block->used;
    block->used += bytes;
    return memory;
}

char *arena_text(arena *a, const char *text, size_t length)
{
    size_t bytes;
    if (!size_add(&bytes, length, 1)) return NULL;
    char *copy = arena_get(a, bytes, 1);
    if (!copy) return NULL;
    if (length) memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void arena_clear(arena *a)
{
    for (arena_block *block = a->first; block; block = block->next) block->used = 0;
    a->current = a->first;
}

size_t arena_bytes(const arena *a)
{
    size_t total = 0;
    for (const arena_block *block = a->first; block; block = block->next) total += block->size;
    return total;
}
