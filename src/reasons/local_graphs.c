/* local_graphs.c - local graphs from votes, repaired and closed (see local_graphs.h). */
#include "reasons/local_graphs.h"

#include "rules/witness.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = RULE_MOST_NODES * (RULE_MOST_NODES - 1) / 2 };

/* ---- one graph ---- */

typedef struct voted {
    int from, to;
    double share;
} voted;

static int compare_voted(const void *left, const void *right)
{
    const voted *a = left, *b = right;
    if (a->share != b->share) return a->share > b->share ? -1 : 1;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* The elected skeleton; returns the number of directions, which go to list, strongest first. */
static size_t read_votes(voted list[MOST_PAIRS], local_graph *g, int count,
                         const unsigned char *elected, const double *shares)
{
    size_t directions = 0;
    int cell = 0;
    memset(g, 0, sizeof *g);
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++, cell++) {
            scone_mark mark = (scone_mark)elected[cell];
            if (mark == SCONE_MARK_NONE) continue;
            pdag_undirect(g, a, b);
            if (mark == SCONE_MARK_UNDIRECTED) continue;
            bool forward = mark == SCONE_MARK_FORWARD;
            list[directions++] = (voted){forward ? a : b, forward ? b : a, shares[cell]};
        }
    }
    qsort(list, directions, sizeof *list, compare_voted);
    return directions;
}

/* Has a DAG its skeleton, its directions and exactly its v-structures? */
static bool has_extension(const local_graph *g, int count)
{
    local_graph dag;
    return pdag_acyclic(g, count) && pdag_extend(&dag, g, count) &&
           pdag_same_colliders(&dag, g, count);
}

/* false, and no edges, if nothing is known; *opened grows by the directions that are left open. */
static bool repair(local_graph *g, int count, const unsigned char *elected, const double *shares,
                   size_t *opened)
{
    voted list[MOST_PAIRS];
    size_t kept = 0, directions = read_votes(list, g, count, elected, shares);
    for (size_t d = 0; d < directions; d++) {
        if (mask_has(pdag_reach(g, list[d].to), list[d].from)) continue;
        pdag_direct(g, list[d].from, list[d].to);
        list[kept++] = list[d];
    }
    bool fits = has_extension(g, count);
    while (!fits && kept > 0) {
        kept--;
        pdag_undirect(g, list[kept].from, list[kept].to);
        fits = has_extension(g, count);
    }
    *opened += directions - kept;
    if (fits && pdag_close(g, count)) return true;
    memset(g, 0, sizeof *g);
    return false;
}

/* ---- all of them ---- */

/* What the local graphs say about ordered pairs of columns. */
typedef struct tally {
    size_t columns;
    double *votes;          /* [columns, columns]: shares of i -> j */
    uint32_t *looks;        /* [columns, columns]: local graphs that hold both */
    unsigned char *regimes; /* [columns, columns] */
} tally;

static void tell(tally *t, const local_subset *s, int regime, const double *shares)
{
    const local_graph *g = &s->local[regime];
    int cell = 0;
    for (int a = 0; a < s->count; a++) {
        for (int b = a + 1; b < s->count; b++, cell++) {
            size_t ends[2] = {s->nodes[a], s->nodes[b]};
            t->looks[ends[0] * t->columns + ends[1]]++;
            t->looks[ends[1] * t->columns + ends[0]]++;
            bool forward = pdag_directed(g, a, b);
            if (!forward && !pdag_directed(g, b, a)) continue;
            size_t place = ends[!forward] * t->columns + ends[forward];
            t->votes[place] += shares[cell];
            t->regimes[place] |= (unsigned char)(1u << regime);
        }
    }
}

static int compare_directions(const void *left, const void *right)
{
    const local_direction *a = left, *b = right;
    if (a->strength != b->strength) return a->strength > b->strength ? -1 : 1;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static scone_status list_directions(local_graphs *out, const tally *t)
{
    scone_status status = SCONE_OK;
    size_t cells = t->columns * t->columns, count = 0;
    for (size_t c = 0; c < cells; c++) count += t->regimes[c] != 0;
    TRY_ALLOC(out->directions, count);
    for (size_t c = 0; c < cells; c++) {
        if (!t->regimes[c]) continue;
        out->directions[out->direction_count++] =
            (local_direction){.from = c / t->columns,
                              .to = c % t->columns,
                              .regimes = t->regimes[c],
                              .strength = t->votes[c] / (double)t->looks[c]};
    }
    if (count) qsort(out->directions, count, sizeof *out->directions, compare_directions);
cleanup:
    return status;
}

/* Subset t in both regimes; it is kept if both have a graph. */
static void make_subset(local_graphs *out, tally *t, const ensemble_locals *locals, size_t subset)
{
    const ensemble_result *elected = locals->elected;
    size_t first = locals->offsets[subset], size = locals->offsets[subset + 1] - first;
    local_subset *s = &out->subsets[out->count];
    bool known = true;
    *s = (local_subset){.count = (int)size};
    for (size_t m = 0; m < size; m++) s->nodes[m] = (uint32_t)locals->members[first + m];
    for (int regime = 0; regime < 2; regime++) {
        double shares[MOST_PAIRS];
        size_t cell = (size_t)regime * elected->cells + elected->offsets[subset];
        size_t pairs = elected->offsets[subset + 1] - elected->offsets[subset];
        const unsigned char *winners = elected->winners + cell;
        for (size_t p = 0; p < pairs; p++) shares[p] = elected->shares[cell + p][winners[p]];
        bool fits = repair(&s->local[regime], s->count, winners, shares, &out->opened);
        if (fits) tell(t, s, regime, shares);
        out->hopeless += !fits;
        known = known && fits;
    }
    if (!known) return;
    rule_view view = local_subset_view(s);
    view_find_descendants(&view);
    memcpy(s->descendants, view.descendants, sizeof s->descendants);
    out->count++;
}

scone_status local_graphs_make(local_graphs *out, const ensemble_locals *locals)
{
    scone_status status = SCONE_OK;
    tally t = {.columns = locals->columns};
    size_t cells;
    *out = (local_graphs){.count = 0};
    for (size_t s = 0; s < locals->count; s++) {
        if (locals->offsets[s + 1] - locals->offsets[s] > RULE_MOST_NODES) return SCONE_OK;
    }
    if (!size_multiply(&cells, t.columns, t.columns)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY_ZERO(t.votes, cells);
    TRY_ZERO(t.looks, cells);
    TRY_ZERO(t.regimes, cells);
    TRY_ALLOC(out->subsets, locals->count);
    for (size_t s = 0; s < locals->count; s++) make_subset(out, &t, locals, s);
    TRY(list_directions(out, &t));
cleanup:
    mem_free(t.votes);
    mem_free(t.looks);
    mem_free(t.regimes);
    return status;
}

void local_graphs_free(local_graphs *graphs)
{
    mem_free(graphs->subsets);
    mem_free(graphs->directions);
    *graphs = (local_graphs){.count = 0};
}
