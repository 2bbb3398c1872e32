/* memory.c - allocation with checked sizes, under a limit (see memory.h).
 *
 * What is held is counted by the sizes that the allocator itself reports for its blocks, so that a
 * block needs no header of ours. The count is one atomic number of the process.
 */
#include "base/memory.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static size_t limit; /* atomic, like held; 0: none */
static size_t held;

void scone_memory_limit(size_t bytes)
{
    __atomic_store_n(&limit, bytes, __ATOMIC_RELAXED);
}

static void *raise_memory(size_t count, size_t size)
{
    (void)RAISE(
        SCONE_ERR_MEMORY,
        "out of memory (%zu elements of %zu bytes); use fewer rows or columns, or a machine "
        "with more memory",
        count, size);
    return NULL;
}

/* May `bytes` more be taken? If not, the failure is raised. */
static bool admit(size_t bytes)
{
    size_t most = __atomic_load_n(&limit, __ATOMIC_RELAXED);
    if (most == 0) return true;
    size_t now = __atomic_load_n(&held, __ATOMIC_RELAXED);
    if (now <= most && bytes <= most - now) return true;
    (void)RAISE(SCONE_ERR_MEMORY,
                "out of memory: the limit is %.1f MB, %.1f MB are in use, and one part of the work "
                "wants %.1f MB more; use fewer rows or columns, or allow more with --memory",
                (double)most / 1e6, (double)now / 1e6, (double)bytes / 1e6);
    return false;
}

static void *count_block(void *block)
{
    (void)__atomic_add_fetch(&held, malloc_usable_size(block), __ATOMIC_RELAXED);
    return block;
}

void *mem_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (!size_multiply(&bytes, count, size)) return raise_memory(count, size);
    if (!admit(bytes)) return NULL;
    void *block = malloc(bytes ? bytes : 1);
    return block ? count_block(block) : raise_memory(count, size);
}

void *mem_zero(size_t count, size_t size)
{
    size_t bytes;
    if (!size_multiply(&bytes, count, size)) return raise_memory(count, size);
    if (!admit(bytes)) return NULL;
    void *block = bytes ? calloc(count, size) : calloc(1, 1);
    return block ? count_block(block) : raise_memory(count, size);
}

void *mem_resize(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (!size_multiply(&bytes, count, size)) return raise_memory(count, size);
    size_t before = block ? malloc_usable_size(block) : 0;
    if (bytes > before && !admit(bytes - before)) return NULL;
    void *grown = realloc(block, bytes ? bytes : 1);
    if (!grown) return raise_memory(count, size);
    (void)__atomic_sub_fetch(&held, before, __ATOMIC_RELAXED);
    return count_block(grown);
}

void *mem_aligned(size_t count, size_t size)
{
    size_t bytes;
    if (!size_multiply(&bytes, count, size) || !size_add(&bytes, bytes, 64)) {
        return raise_memory(count, size);
    }
    bytes &= ~(size_t)63; /* aligned_alloc wants a multiple of the alignment; never 0 here */
    if (!admit(bytes)) return NULL;
    void *block = aligned_alloc(64, bytes);
    return block ? count_block(block) : raise_memory(count, size);
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
    if (!block) return;
    (void)__atomic_sub_fetch(&held, malloc_usable_size(block), __ATOMIC_RELAXED);
    free(block);
}
