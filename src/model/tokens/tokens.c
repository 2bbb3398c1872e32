/* tokens.c - the block of arrays (see tokens.h). */
#include "model/tokens/tokens.h"

#include <string.h>

enum { ALIGNMENT = 64 };

/* ---- sizes ---- */

static scone_status check_limit(const char *what, uint32_t size, size_t limit)
{
    if (size <= limit) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT, "%lu %s; at most %zu are possible here", (unsigned long)size,
                 what, limit);
}

scone_status token_sizes_check(const token_sizes *s)
{
    scone_status status = SCONE_OK;
    size_t nodes = s->nodes, pairs = s->pairs;
    if (nodes == 0) FAIL(SCONE_ERR_INPUT, "tokens without nodes");
    TRY(check_limit("nodes", s->nodes, TOKEN_MOST_NODES));
    TRY(check_limit("subsets", s->subsets, TOKEN_MOST_SUBSETS));
    TRY(check_limit("members of subsets", s->members, TOKEN_MOST_MEMBERS));
    TRY(check_limit("candidate pairs", s->pairs, nodes * (nodes - 1) / 2));
    TRY(check_limit("cells", s->cells, TOKEN_MOST_CELLS));
    TRY(check_limit("cells", s->cells, pairs * s->subsets));
    TRY(check_limit("triples", s->triples, TOKEN_MOST_CELLS));
    TRY(check_limit("paths", s->paths, pairs * TOKEN_PATHS));
    TRY(check_limit("pairs of paths", s->path_steps, (size_t)s->paths * TOKEN_PATH_PAIRS));
    TRY(check_limit("instances of paths", s->instances, (size_t)s->cells * TOKEN_PATHS));
    TRY(check_limit("cells of instances", s->instance_steps,
                    (size_t)s->instances * TOKEN_PATH_PAIRS));
    if (s->evidence != 0 && s->evidence != TOKEN_EVIDENCE) {
        FAIL(SCONE_ERR_INPUT, "%lu numbers of evidence for a pair; there are %d, or none",
             (unsigned long)s->evidence, (int)TOKEN_EVIDENCE);
    }
cleanup:
    return status;
}

static size_t padded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Places the arrays in `block` and returns its bytes; with NULL only the bytes. Sizes of 32 bits
 * and elements of at most 32 bytes cannot wrap 64. */
static size_t place_arrays(tokens *t, const token_sizes *s, char *block)
{
    size_t at = 0;
#define PLACE(name_, count_)                                                                       \
    if (block) t->name_ = (void *)(block + at);                                                    \
    at += padded((count_) * sizeof *t->name_);
    TOKEN_ARRAYS(PLACE)
#undef PLACE
    return at;
}

size_t token_sizes_bytes(const token_sizes *sizes)
{
    return place_arrays(NULL, sizes, NULL);
}

/* ---- memory ---- */

scone_status tokens_alloc(tokens **out, const token_sizes *sizes)
{
    scone_status status = SCONE_OK;
    tokens *t = NULL;
    *out = NULL;
    TRY(token_sizes_check(sizes));
    TRY_ZERO(t, 1);
    t->size = *sizes;
    t->bytes = token_sizes_bytes(sizes);
    t->block = mem_aligned(t->bytes, 1);
    if (!t->block) TRY(SCONE_ERR_MEMORY);
    memset(t->block, 0, t->bytes);
    (void)place_arrays(t, sizes, t->block);
    *out = t;
    return SCONE_OK;
cleanup:
    tokens_free(t);
    return status;
}

scone_status tokens_copy(tokens **out, const tokens *from)
{
    const token_sizes *s = &from->size;
    tokens *t;
    scone_status status = tokens_alloc(&t, s);
    *out = t;
    if (status != SCONE_OK) return status;
    t->graph = from->graph;
    t->seed = from->seed;
    t->labelled = from->labelled;
#define COPY(name_, count_)                                                                        \
    if ((count_) > 0) memcpy(t->name_, from->name_, (count_) * sizeof *t->name_);
    TOKEN_ARRAYS(COPY)
#undef COPY
    return SCONE_OK;
}

void tokens_free(tokens *t)
{
    if (!t) return;
    mem_free(t->block);
    mem_free(t);
}

/* ---- small views ---- */

void token_endpoints(float out[TOKEN_ENDPOINTS], uint8_t code)
{
    /* the state of i and of j: 0 no edge, 1 tail, 2 arrowhead */
    static const uint8_t states[4][2] = {{0, 0}, {1, 2}, {2, 1}, {1, 1}};
    for (size_t k = 0; k < TOKEN_ENDPOINTS; k++) out[k] = 0.0F;
    out[states[code & 3][0]] = 1.0F;
    out[3 + states[code & 3][1]] = 1.0F;
}

void token_pair_index(uint32_t *index, const tokens *t)
{
    size_t n = t->size.nodes;
    memset(index, 0xFF, n * n * sizeof *index);
    for (uint32_t e = 0; e < t->size.pairs; e++) {
        size_t i = t->ends[e][0], j = t->ends[e][1];
        index[i * n + j] = index[j * n + i] = e;
    }
}
