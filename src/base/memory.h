/* memory.h - allocation with checked sizes.
 *
 * size_multiply and size_add are the only size arithmetic of the project: whatever comes from a
 * file goes through them before it reaches an allocation. A wrapped product is an out-of-memory
 * status, never a short buffer.
 */
#ifndef SCONE_BASE_MEMORY_H
#define SCONE_BASE_MEMORY_H

#include "base/status.h"

/* false if the result does not fit; *result is then untouched */
static inline bool size_multiply(size_t *result, size_t a, size_t b)
{
    size_t product;
    if (__builtin_mul_overflow(a, b, &product)) return false;
    *result = product;
    return true;
}

static inline bool size_add(size_t *result, size_t a, size_t b)
{
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum)) return false;
    *result = sum;
    return true;
}

/* Allocate count * size bytes (at least 1), zeroed or not, or grow; NULL with the failure raised.
 * On failure mem_resize leaves the old block alone. */
void *mem_alloc(size_t count, size_t size);
void *mem_zero(size_t count, size_t size);
void *mem_resize(void *block, size_t count, size_t size);
/* 64-byte aligned, uninitialized; release with mem_free. */
void *mem_aligned(size_t count, size_t size);
char *mem_copy_text(const char *text, size_t length); /* adds the final NUL */
void mem_free(void *block);

/* pointer = alloc(count elements of its type), or cleanup with SCONE_ERR_MEMORY */
#define TRY_ALLOC(pointer_, count_)                                                                \
    do {                                                                                           \
        (pointer_) = mem_alloc((count_), sizeof *(pointer_));                                      \
        if (!(pointer_)) {                                                                         \
            status = SCONE_ERR_MEMORY;                                                             \
            goto cleanup;                                                                          \
        }                                                                                          \
    } while (0)

#define TRY_ALIGNED(pointer_, count_)                                                              \
    do {                                                                                           \
        (pointer_) = mem_aligned((count_), sizeof *(pointer_));                                    \
        if (!(pointer_)) {                                                                         \
            status = SCONE_ERR_MEMORY;                                                             \
            goto cleanup;                                                                          \
        }                                                                                          \
    } while (0)

#define TRY_ZERO(pointer_, count_)                                                                 \
    do {                                                                                           \
        (pointer_) = mem_zero((count_), sizeof *(pointer_));                                       \
        if (!(pointer_)) {                                                                         \
            status = SCONE_ERR_MEMORY;                                                             \
            goto cleanup;                                                                          \
        }                                                                                          \
    } while (0)

#endif
