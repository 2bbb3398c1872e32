/* arena.h - many small allocations that are released together.
 *
 * An arena hands out 64-byte aligned memory from blocks it owns. Pointers stay valid until
 * arena_clear or arena_free. Not thread-safe: one arena per thread.
 */
#ifndef SCONE_BASE_ARENA_H
#define SCONE_BASE_ARENA_H

#include "base/memory.h"

typedef struct arena arena;

scone_status arena_alloc(arena **out, size_t block_bytes); /* 0: a default of 64 KiB */
void arena_free(arena *a);
/* Uninitialized memory for count * size bytes, or NULL with the failure raised. */
void *arena_get(arena *a, size_t count, size_t size);
char *arena_text(arena *a, const char *text, size_t length);
/* Forgets everything handed out, keeps the blocks for reuse. */
void arena_clear(arena *a);
size_t arena_bytes(const arena *a); /* memory held */

#endif
