/* graph_work.c - scratch memory and whole-matrix passes (see graph_work.h). */
#include "graph/graph_work.h"

#include "base/simd.h"

scone_status graph_work_alloc(graph_work **out, size_t nodes)
{
    scone_status status = SCONE_OK;
    graph_work *work = NULL;
    *out = NULL;
    TRY_ZERO(work, 1);
    work->nodes = nodes;
    work->words = bits_words(nodes);
    size_t cells, numbers;
    if (!size_add(&cells, nodes, GRAPH_WORK_SETS) || !size_multiply(&cells, cells, work->words) ||
        !size_multiply(&numbers, nodes, GRAPH_WORK_NUMBERS)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: a workspace for a graph of %zu nodes", nodes);
    }
    TRY_ZERO(work->sets[0], cells);
    TRY_ZERO(work->numbers[0], numbers);
    for (size_t s = 1; s < GRAPH_WORK_SETS; s++) work->sets[s] = work->sets[s - 1] + work->words;
    for (size_t n = 1; n < GRAPH_WORK_NUMBERS; n++) work->numbers[n] = work->numbers[n - 1] + nodes;
    work->matrix = work->sets[GRAPH_WORK_SETS - 1] + work->words;
    *out = work;
    return SCONE_OK;
cleanup:
    graph_work_free(work);
    return status;
}

void graph_work_free(graph_work *work)
{
    if (!work) return;
    mem_free(work->sets[0]);
    mem_free(work->numbers[0]);
    mem_free(work);
}

SIMD_CLONES size_t graph_row_counts(size_t *counts, const bits_word *matrix, size_t nodes,
                                    size_t words)
{
    size_t sum = 0;
    for (size_t v = 0; v < nodes; v++) {
        const bits_word *row = matrix + v * words;
        size_t count = 0;
        for (size_t w = 0; w < words; w++) count += (size_t)__builtin_popcountll(row[w]);
        counts[v] = count;
        sum += count;
    }
    return sum;
}

void graph_skeleton(bits_word *out, const graph *g, bool closed)
{
    size_t cells = g->nodes * g->words;
    for (size_t w = 0; w < cells; w++) out[w] = g->parents[w] | g->children[w] | g->siblings[w];
    if (!closed) return;
    for (size_t v = 0; v < g->nodes; v++) bits_add(out + v * g->words, v);
}

size_t graph_next_adjacent(const graph *g, size_t v, const bits_word *without, size_t from)
{
    const bits_word *parents = graph_parents(g, v), *children = graph_children(g, v),
                    *siblings = graph_siblings(g, v);
    bits_word mask = ~(bits_word)0 << (from % 64);
    for (size_t w = from / 64; w < g->words; w++) {
        bits_word rest = (parents[w] | children[w] | siblings[w]) & ~without[w] & mask;
        if (rest) return w * 64 + (size_t)__builtin_ctzll(rest);
        mask = ~(bits_word)0;
    }
    return SIZE_MAX;
}
