/* reasons_strength.c - how strong the directions of a decoded graph are (see reasons_strength.h).
 */
#include "reasons/reasons_strength.h"

#include <math.h>

typedef struct strengths {
    double *s; /* [nodes, nodes] */
    const graph *g;
} strengths;

static double of(const strengths *x, size_t from, size_t to)
{
    return x->s[from * x->g->nodes + to];
}

/* R1: c -> a, c and b not adjacent. R2: a -> c -> b. */
static double by_one(const strengths *x, size_t a, size_t b, size_t c)
{
    double best = -HUGE_VAL;
    if (graph_directed(x->g, c, a) && !graph_adjacent(x->g, c, b)) best = of(x, c, a);
    if (graph_directed(x->g, a, c) && graph_directed(x->g, c, b)) {
        best = fmax(best, fmin(of(x, a, c), of(x, c, b)));
    }
    return best;
}

/* R3: c -> b <- d, c and d not adjacent. R4: d -> c -> b, d and b not adjacent. a is adjacent to
 * both. */
static double by_two(const strengths *x, size_t a, size_t b, size_t c)
{
    double best = -HUGE_VAL;
    const graph *g = x->g;
    if (!graph_directed(g, c, b) || !graph_adjacent(g, a, c)) return best;
    for (size_t d = 0; d < g->nodes; d++) {
        if (d == a || d == b || d == c || !graph_adjacent(g, a, d)) continue;
        if (graph_directed(g, d, b) && !graph_adjacent(g, c, d)) {
            best = fmax(best, fmin(of(x, c, b), of(x, d, b)));
        }
        if (graph_directed(g, d, c) && !graph_adjacent(g, b, d)) {
            best = fmax(best, fmin(of(x, d, c), of(x, c, b)));
        }
    }
    return best;
}

static double best_derivation(const strengths *x, size_t a, size_t b)
{
    double best = of(x, a, b);
    for (size_t c = 0; c < x->g->nodes; c++) {
        if (c == a || c == b) continue;
        best = fmax(best, fmax(by_one(x, a, b, c), by_two(x, a, b, c)));
    }
    return best;
}

void reasons_strength(double *s, const decoding *d, direction_odds odds, const void *context)
{
    const strengths x = {s, d->graph};
    for (size_t e = 0; e < d->count; e++) {
        const decode_edge *edge = &d->edges[e];
        bool known = edge->cause == DECODE_REQUIRED || edge->cause == DECODE_FORBIDDEN;
        if (edge->undirected) continue;
        s[edge->from * d->graph->nodes + edge->to] =
            known ? HUGE_VAL : odds(context, edge->from, edge->to);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t e = 0; e < d->count; e++) {
            const decode_edge *edge = &d->edges[e];
            if (edge->undirected || edge->cause != DECODE_MEEK) continue;
            double *now = &s[edge->from * d->graph->nodes + edge->to];
            double best = best_derivation(&x, edge->from, edge->to);
            changed |= best > *now;
            *now = best;
        }
    }
}
