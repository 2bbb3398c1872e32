/* token_layout.c - cells by subset and by pair, cells that touch a member, triples, instances of
 * paths (see token_layout.h). Lists whose length is not known are walked twice: to count and to
 * write. */
#include "model/tokens/token_layout.h"

#include <stdlib.h>
#include <string.h>

/* ---- cells ---- */

static scone_status count_cells(tokens *d, const uint32_t *index)
{
    size_t n = d->size.nodes, cells = 0;
    for (size_t g = 0; g < d->size.subsets; g++) {
        d->row_offsets[g] = (uint32_t)cells;
        for (size_t a = d->subset_offsets[g]; a < d->subset_offsets[g + 1]; a++) {
            const uint32_t *row = index + (size_t)d->subset_nodes[a] * n;
            for (size_t b = a + 1; b < d->subset_offsets[g + 1]; b++) {
                cells += row[d->subset_nodes[b]] != UINT32_MAX;
            }
        }
        if (cells > TOKEN_MOST_CELLS) {
            return RAISE(SCONE_ERR_INPUT,
                         "more than %d cells of subsets and pairs; use smaller subsets or fewer "
                         "candidate pairs",
                         (int)TOKEN_MOST_CELLS);
        }
    }
    d->row_offsets[d->size.subsets] = d->size.cells = (uint32_t)cells;
    return SCONE_OK;
}

/* a cell before it has its number */
typedef struct loose_cell {
    uint32_t pair, members[2];
} loose_cell;

static int compare_pairs(const void *a, const void *b)
{
    uint32_t x = ((const loose_cell *)a)->pair, y = ((const loose_cell *)b)->pair;
    return (x > y) - (x < y);
}

/* The cells of subset g in the order of their pairs; loose [cells of the subset] is scratch. */
static void fill_row(tokens *d, size_t g, const uint32_t *index, loose_cell *loose)
{
    size_t n = d->size.nodes, count = 0, first = d->row_offsets[g];
    for (uint32_t a = d->subset_offsets[g]; a < d->subset_offsets[g + 1]; a++) {
        const uint32_t *row = index + (size_t)d->subset_nodes[a] * n;
        for (uint32_t b = a + 1; b < d->subset_offsets[g + 1]; b++) {
            uint32_t e = row[d->subset_nodes[b]];
            if (e != UINT32_MAX) loose[count++] = (loose_cell){e, {a, b}};
        }
    }
    if (count > 1) qsort(loose, count, sizeof *loose, compare_pairs);
    for (size_t k = 0; k < count; k++) {
        d->cell_subset[first + k] = (uint32_t)g;
        d->cell_pair[first + k] = loose[k].pair;
        memcpy(d->cell_members[first + k], loose[k].members, sizeof loose[k].members);
    }
}

/* Turns counts [groups] at offsets[1] .. into offsets, then lets place(k) fill the groups. */
static void sum_offsets(uint32_t *offsets, size_t groups)
{
    offsets[0] = 0;
    for (size_t g = 0; g < groups; g++) offsets[g + 1] += offsets[g];
}

static void fill_columns(tokens *d, uint32_t *next)
{
    memset(d->column_offsets, 0, ((size_t)d->size.pairs + 1) * sizeof *d->column_offsets);
    for (size_t c = 0; c < d->size.cells; c++) d->column_offsets[d->cell_pair[c] + 1]++;
    sum_offsets(d->column_offsets, d->size.pairs);
    memcpy(next, d->column_offsets, d->size.pairs * sizeof *next);
    for (uint32_t c = 0; c < d->size.cells; c++) d->column_cells[next[d->cell_pair[c]]++] = c;
}

static void fill_touching(tokens *d, uint32_t *next)
{
    memset(d->touch_offsets, 0, ((size_t)d->size.members + 1) * sizeof *d->touch_offsets);
    for (size_t c = 0; c < d->size.cells; c++) {
        d->touch_offsets[d->cell_members[c][0] + 1]++;
        d->touch_offsets[d->cell_members[c][1] + 1]++;
    }
    sum_offsets(d->touch_offsets, d->size.members);
    memcpy(next, d->touch_offsets, d->size.members * sizeof *next);
    for (uint32_t c = 0; c < d->size.cells; c++) {
        d->touch_cells[next[d->cell_members[c][0]]++] = c;
        d->touch_cells[next[d->cell_members[c][1]]++] = c;
    }
}

static scone_status token_layout_cells(tokens *d, const uint32_t *index, arena *memory)
{
    scone_status status = SCONE_OK;
    loose_cell *loose = NULL;
    uint32_t *next = NULL;
    size_t longest = 0;
    TRY_ARENA(d->row_offsets, memory, (size_t)d->size.subsets + 1);
    TRY(count_cells(d, index));
    TRY_ARENA(d->cell_subset, memory, d->size.cells);
    TRY_ARENA(d->cell_pair, memory, d->size.cells);
    TRY_ARENA(d->cell_members, memory, d->size.cells);
    TRY_ARENA(d->codes, memory, d->size.cells);
    TRY_ARENA(d->column_offsets, memory, (size_t)d->size.pairs + 1);
    TRY_ARENA(d->column_cells, memory, d->size.cells);
    TRY_ARENA(d->touch_offsets, memory, (size_t)d->size.members + 1);
    TRY_ARENA(d->touch_cells, memory, 2 * (size_t)d->size.cells);
    for (size_t g = 0; g < d->size.subsets; g++) {
        size_t length = d->row_offsets[g + 1] - d->row_offsets[g];
        if (length > longest) longest = length;
    }
    TRY_ALLOC(loose, longest);
    TRY_ALLOC(next, d->size.pairs > d->size.members ? d->size.pairs : d->size.members);
    for (size_t g = 0; g < d->size.subsets; g++) fill_row(d, g, index, loose);
    memset(d->codes, 0, d->size.cells * sizeof *d->codes);
    fill_columns(d, next);
    fill_touching(d, next);
cleanup:
    mem_free(loose);
    mem_free(next);
    return status;
}

/* ---- triples ---- */

static uint32_t other_node(const tokens *d, uint32_t cell, size_t member)
{
    const uint32_t *both = d->cell_members[cell];
    return d->subset_nodes[both[0] == member ? both[1] : both[0]];
}

/* Triples around one member; writes them from `at` on if there is room yet. */
static size_t member_triples(tokens *d, size_t member, const uint32_t *index, size_t at)
{
    size_t n = d->size.nodes;
    for (size_t a = d->touch_offsets[member]; a < d->touch_offsets[member + 1]; a++) {
        const uint32_t *row = index + (size_t)other_node(d, d->touch_cells[a], member) * n;
        for (size_t b = a + 1; b < d->touch_offsets[member + 1]; b++) {
            if (row[other_node(d, d->touch_cells[b], member)] != UINT32_MAX) continue;
            if (d->triple_cells) {
                d->triple_cells[at][0] = d->touch_cells[a];
                d->triple_cells[at][1] = d->touch_cells[b];
                d->triple_centres[at] = (uint32_t)member;
            }
            at++;
        }
    }
    return at;
}

static size_t walk_triples(tokens *d, const uint32_t *index)
{
    size_t at = 0;
    for (size_t g = 0; g < d->size.subsets; g++) {
        d->triple_offsets[g] = (uint32_t)at;
        for (size_t m = d->subset_offsets[g]; m < d->subset_offsets[g + 1]; m++) {
            at = member_triples(d, m, index, at);
        }
        if (at > TOKEN_MOST_CELLS) break; /* refused by token_layout_triples */
    }
    return at;
}

static scone_status token_layout_triples(tokens *d, const uint32_t *index, arena *memory)
{
    scone_status status = SCONE_OK;
    d->triple_cells = NULL;
    TRY_ARENA(d->triple_offsets, memory, (size_t)d->size.subsets + 1);
    size_t count = walk_triples(d, index);
    if (count > TOKEN_MOST_CELLS) {
        FAIL(SCONE_ERR_INPUT,
             "more than %d triples within subsets; use smaller subsets or fewer candidate pairs",
             (int)TOKEN_MOST_CELLS);
    }
    d->size.triples = d->triple_offsets[d->size.subsets] = (uint32_t)count;
    TRY_ARENA(d->triple_cells, memory, count);
    TRY_ARENA(d->triple_centres, memory, count);
    (void)walk_triples(d, index);
cleanup:
    return status;
}

/* ---- instances of paths ---- */

/* Where the cells of the subset at hand are. */
typedef struct cell_finder {
    uint32_t *cell;   /* [pairs] */
    uint32_t *subset; /* [pairs]: the subset that the entry is for */
} cell_finder;

/* Does the path lie in the subset? Writes its cells from `at` on if there is room yet. */
static bool path_inside(tokens *d, const cell_finder *finder, size_t subset, size_t path, size_t at)
{
    size_t first = d->path_step_offsets[path], end = d->path_step_offsets[path + 1];
    for (size_t k = first; k < end; k++) {
        if (finder->subset[d->path_pairs[k]] != subset) return false;
    }
    for (size_t k = first; k < end && d->instance_cells; k++) {
        d->instance_cells[at + k - first] = finder->cell[d->path_pairs[k]];
    }
    return true;
}

/* All instances in the order of their cells and paths; counts[0] instances, counts[1] steps. */
static void walk_instances(tokens *d, cell_finder *finder, size_t counts[2])
{
    counts[0] = counts[1] = 0;
    memset(finder->subset, 0xFF, d->size.pairs * sizeof *finder->subset);
    for (uint32_t g = 0; g < d->size.subsets; g++) {
        for (uint32_t c = d->row_offsets[g]; c < d->row_offsets[g + 1]; c++) {
            finder->cell[d->cell_pair[c]] = c;
            finder->subset[d->cell_pair[c]] = g;
        }
        for (uint32_t c = d->row_offsets[g]; c < d->row_offsets[g + 1]; c++) {
            uint32_t e = d->cell_pair[c];
            d->instance_offsets[c] = (uint32_t)counts[0];
            for (uint32_t p = d->path_offsets[e]; p < d->path_offsets[e + 1]; p++) {
                if (!path_inside(d, finder, g, p, counts[1])) continue;
                if (d->instance_cells) {
                    d->instance_paths[counts[0]] = p;
                    d->instance_step_offsets[counts[0]] = (uint32_t)counts[1];
                }
                counts[0]++;
                counts[1] += d->path_step_offsets[p + 1] - d->path_step_offsets[p];
            }
        }
    }
    d->instance_offsets[d->size.cells] = (uint32_t)counts[0];
}

static scone_status token_layout_instances(tokens *d, arena *memory)
{
    scone_status status = SCONE_OK;
    cell_finder finder = {0};
    size_t counts[2];
    d->instance_cells = NULL;
    TRY_ALLOC(finder.cell, d->size.pairs);
    TRY_ALLOC(finder.subset, d->size.pairs);
    TRY_ARENA(d->instance_offsets, memory, (size_t)d->size.cells + 1);
    walk_instances(d, &finder, counts); /* at most 32 steps per cell: 2^31 */
    d->size.instances = (uint32_t)counts[0];
    d->size.instance_steps = (uint32_t)counts[1];
    TRY_ARENA(d->instance_paths, memory, counts[0]);
    TRY_ARENA(d->instance_step_offsets, memory, counts[0] + 1);
    TRY_ARENA(d->instance_cells, memory, counts[1]);
    walk_instances(d, &finder, counts);
    d->instance_step_offsets[counts[0]] = (uint32_t)counts[1];
cleanup:
    mem_free(finder.cell);
    mem_free(finder.subset);
    return status;
}

/* ---- all of it ---- */

void token_layout_contexts(tokens *d, double share)
{
    for (size_t e = 0; e < d->size.pairs; e++) {
        size_t first = d->column_offsets[e], end = d->column_offsets[e + 1], edges = 0;
        for (size_t k = first; k < end; k++) {
            const uint8_t *codes = d->codes[d->column_cells[k]];
            edges += codes[0] != TOKEN_NONE || codes[1] != TOKEN_NONE;
        }
        d->context[e] = edges > 0 && (double)edges >= share * (double)(end - first);
    }
}

scone_status token_layout_fill(tokens *d, arena *memory)
{
    scone_status status = SCONE_OK;
    uint32_t *index = NULL;
    TRY_ALLOC(index, (size_t)d->size.nodes * d->size.nodes);
    token_pair_index(index, d);
    TRY(token_layout_cells(d, index, memory));
    TRY(token_layout_triples(d, index, memory));
    TRY(token_layout_paths(d, index, memory));
    TRY(token_layout_instances(d, memory));
cleanup:
    mem_free(index);
    return status;
}
