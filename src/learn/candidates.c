/* candidates.c - the catalogue of candidate pairs (see candidates.h). */
#include "learn/candidates.h"

#include "linalg/gram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void candidates_free(candidates *c)
{
    if (!c) return;
    mem_free(c->items);
    mem_free(c);
}

/* ---- contrast ---- */

scone_status candidates_contrast(double *contrast, const scone_pair *pair,
                                 const scone_context *context)
{
    scone_status status = SCONE_OK;
    gram_work *work = NULL;
    double *other = NULL;
    size_t columns = pair->tables[0]->columns, cells;
    if (!size_multiply(&cells, columns, columns)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: correlations of %zu columns", columns);
    }
    TRY_ZERO(other, cells);
    TRY(gram_work_alloc(&work, context));
    memset(contrast, 0, cells * sizeof *contrast);
    for (int regime = 0; regime < 2; regime++) {
        const table *t = pair->tables[regime];
        matrix_view view = {.values = t->values, .rows = t->rows, .columns = columns};
        if (t->rows == 0) continue;
        TRY(correlation_matrix(regime ? other : contrast, NULL, NULL, &view, work));
    }
    for (size_t k = 0; k < cells; k++) contrast[k] = fabs(other[k] - contrast[k]);
    for (size_t j = 0; j < columns; j++) contrast[j + columns * j] = 0.0; /* also without rows */
cleanup:
    gram_work_free(work);
    mem_free(other);
    return status;
}

/* ---- order ---- */

static int compare_columns(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->second > y->second) - (x->second < y->second);
}

static int compare_contrast(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->contrast != y->contrast) return x->contrast > y->contrast ? -1 : 1;
    return compare_columns(a, b);
}

/* An elected pair has votes, so its strength is above the 0 of the others. */
static int compare_rank(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->strength != y->strength) return x->strength > y->strength ? -1 : 1;
    if (x->elections != y->elections) return x->elections > y->elections ? -1 : 1;
    return compare_contrast(a, b);
}

/* ---- the two sources ---- */

/* Elected cells as candidates, repetitions included. */
static size_t collect_elected(candidate *out, const ensemble_result *votes, const double *contrast,
                              size_t columns)
{
    size_t count = 0;
    for (size_t k = 0; k < votes->channels * votes->cells; k++) {
        if (votes->winners[k] == SCONE_MARK_NONE) continue;
        const size_t *pair = votes->pairs[k % votes->cells];
        out[count++] = (candidate){.first = pair[0],
                                   .second = pair[1],
                                   .strength = 1.0 - votes->shares[k][SCONE_MARK_NONE],
                                   .elections = 1,
                                   .contrast = contrast[pair[0] + columns * pair[1]]};
    }
    return count;
}

static void sift_down(candidate *heap, size_t count, size_t at)
{
    for (;;) {
        size_t worst = at, child = 2 * at + 1;
        for (size_t k = child; k < child + 2 && k < count; k++) {
            if (compare_contrast(&heap[k], &heap[worst]) > 0) worst = k;
        }
        if (worst == at) return;
        candidate moved = heap[at];
        heap[at] = heap[worst];
        heap[worst] = moved;
        at = worst;
    }
}

/* The `wanted` pairs of largest contrast, in a heap whose root is the least of them. */
static size_t collect_contrast(candidate *heap, size_t wanted, const double *contrast,
                               size_t columns)
{
    size_t count = 0;
    for (size_t i = 0; i < columns && wanted > 0; i++) {
        for (size_t j = i + 1; j < columns; j++) {
            candidate c = {.first = i, .second = j, .contrast = contrast[i + columns * j]};
            if (!(c.contrast > 0.0)) continue;
            if (count < wanted) {
                heap[count++] = c;
                if (count < wanted) continue;
                for (size_t k = count / 2 + 1; k-- > 0;) sift_down(heap, count, k);
            } else if (compare_contrast(&c, &heap[0]) < 0) {
                heap[0] = c;
                sift_down(heap, count, 0);
            }
        }
    }
    return count;
}

/* Joins repetitions of a pair; items sorted by columns. */
static size_t join_repetitions(candidate *items, size_t count)
{
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        if (kept > 0 && compare_columns(&items[kept - 1], &items[k]) == 0) {
            items[kept - 1].strength = fmax(items[kept - 1].strength, items[k].strength);
            items[kept - 1].elections += items[k].elections;
        } else {
            items[kept++] = items[k];
        }
    }
    return kept;
}

scone_status candidates_build(candidates **out, const ensemble_result *votes,
                              const double *contrast, size_t columns,
                              const candidates_options *options)
{
    scone_status status = SCONE_OK;
    candidates *c = NULL;
    size_t wanted = columns ? columns * (columns - 1) / 2 : 0, room;
    *out = NULL;
    if (options->contrast_pairs < wanted) wanted = options->contrast_pairs;
    if (!size_add(&room, votes->channels * votes->cells, wanted)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: %zu candidate pairs", wanted);
    }
    TRY_ZERO(c, 1);
    TRY_ALLOC(c->items, room);
    c->count = collect_elected(c->items, votes, contrast, columns);
    c->count += collect_contrast(c->items + c->count, wanted, contrast, columns);
    qsort(c->items, c->count, sizeof *c->items, compare_columns);
    c->count = join_repetitions(c->items, c->count);
    qsort(c->items, c->count, sizeof *c->items, compare_rank);
    if (options->cap > 0 && c->count > options->cap) {
        c->cut = c->count - options->cap;
        c->count = options->cap;
    }
    *out = c;
    return SCONE_OK;
cleanup:
    candidates_free(c);
    return status;
}
