/* token_layout_paths.c - the shortest paths beside a candidate pair (see token_layout.h).
 *
 * For the pair {a, b}: all paths from a to b through candidate pairs that visit no node twice and
 * do not use {a, b}, shorter ones first, those of equal length in the order of their nodes; the
 * first TOKEN_PATHS of at most TOKEN_PATH_PAIRS pairs. (Breadth first, as in the paper's appendix
 * "Contrastive Discriminating Path"; the order of nodes breaks ties.)
 *
 * With near[r] the nodes from which a walk of r pairs reaches b without a or b on the way, a path
 * of m pairs is found depth first, where the next node after k steps comes from its neighbours in
 * near[m - k - 1]. A dead end is then possible only where all ways on lead back to the path.
 */
#include "model/tokens/token_layout.h"

#include "graph/bits.h"

#include <string.h>

typedef struct path_search {
    size_t nodes, words;
    const uint32_t *index;
    bits_word *neighbours;                 /* [nodes, words] */
    bits_word *near[TOKEN_PATH_PAIRS + 1]; /* [words] each; 1 .. TOKEN_PATH_PAIRS - 1 are used */
    bits_word *next[TOKEN_PATH_PAIRS];     /* [words] each: where to go on after so many steps */
    uint32_t path[TOKEN_PATH_PAIRS + 1];   /* nodes so far */
    /* what was found */
    tokens *draft;
    size_t room; /* paths that this pair may still have */
} path_search;

static void search_free(path_search *s)
{
    mem_free(s->neighbours);
    for (size_t r = 0; r <= TOKEN_PATH_PAIRS; r++) mem_free(s->near[r]);
    for (size_t k = 0; k < TOKEN_PATH_PAIRS; k++) mem_free(s->next[k]);
}

static scone_status search_alloc(path_search *s)
{
    scone_status status = SCONE_OK;
    const tokens *d = s->draft;
    TRY_ZERO(s->neighbours, s->nodes * s->words);
    for (size_t r = 0; r <= TOKEN_PATH_PAIRS; r++) TRY_ZERO(s->near[r], s->words);
    for (size_t k = 0; k < TOKEN_PATH_PAIRS; k++) TRY_ZERO(s->next[k], s->words);
    for (size_t e = 0; e < d->size.pairs; e++) {
        size_t i = d->ends[e][0], j = d->ends[e][1];
        bits_add(s->neighbours + i * s->words, j);
        bits_add(s->neighbours + j * s->words, i);
    }
cleanup:
    return status;
}

/* Keeps the path of `length` pairs. */
static void keep_path(path_search *s, size_t length)
{
    tokens *d = s->draft;
    for (size_t k = 0; k < length; k++) {
        uint32_t from = s->path[k], to = s->path[k + 1];
        d->path_pairs[d->size.path_steps] = s->index[(size_t)from * s->nodes + to];
        d->path_forward[d->size.path_steps] = from < to;
        d->size.path_steps++;
    }
    d->size.paths++;
    d->path_step_offsets[d->size.paths] = d->size.path_steps;
    s->room--;
}

/* Goes on from path[step] with `left` pairs to go; path[step + left] is b already. */
static void extend_path(path_search *s, size_t step, size_t left)
{
    if (left == 1) {
        keep_path(s, step + 1);
        return;
    }
    bits_word *next = s->next[step];
    bits_copy(next, s->neighbours + s->path[step] * s->words, s->words);
    bits_intersect(next, s->near[left - 1], s->words);
    /* The second bound tells the compiler what left > 1 means. */
    for (size_t k = 0; k <= step && k < TOKEN_PATH_PAIRS; k++) bits_remove(next, s->path[k]);
    BITS_EACH(v, next, s->words) {
        if (s->room == 0) return;
        s->path[step + 1] = (uint32_t)v;
        extend_path(s, step + 1, left - 1);
    }
}

static void pair_paths(path_search *s, size_t e)
{
    size_t a = s->draft->ends[e][0], b = s->draft->ends[e][1];
    bits_copy(s->near[1], s->neighbours + b * s->words, s->words);
    bits_remove(s->near[1], a);
    s->room = TOKEN_PATHS;
    s->path[0] = (uint32_t)a;
    for (size_t length = 2; length <= TOKEN_PATH_PAIRS && s->room > 0; length++) {
        if (length > 2) {
            bits_word *near = s->near[length - 1];
            bits_clear(near, s->words);
            BITS_EACH(v, s->near[length - 2], s->words)
                bits_unite(near, s->neighbours + v * s->words, s->words);
            bits_remove(near, a);
            bits_remove(near, b);
        }
        s->path[length] = (uint32_t)b;
        extend_path(s, 0, length);
    }
}

scone_status token_layout_paths(tokens *d, const uint32_t *index, arena *memory)
{
    scone_status status = SCONE_OK;
    path_search search = {
        .nodes = d->size.nodes, .words = bits_words(d->size.nodes), .index = index, .draft = d};
    size_t most = (size_t)d->size.pairs * TOKEN_PATHS;
    d->size.paths = d->size.path_steps = 0;
    TRY_ARENA(d->path_offsets, memory, (size_t)d->size.pairs + 1);
    TRY_ARENA(d->path_step_offsets, memory, most + 1);
    TRY_ARENA(d->path_pairs, memory, most * TOKEN_PATH_PAIRS);
    TRY_ARENA(d->path_forward, memory, most * TOKEN_PATH_PAIRS);
    TRY(search_alloc(&search));
    d->path_step_offsets[0] = 0;
    for (size_t e = 0; e < d->size.pairs; e++) {
        d->path_offsets[e] = d->size.paths;
        pair_paths(&search, e);
    }
    d->path_offsets[d->size.pairs] = d->size.paths;
cleanup:
    search_free(&search);
    return status;
}
