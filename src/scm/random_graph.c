/* random_graph.c - random connected DAGs and random intervention targets (see random_graph.h).
 *
 * Erdos-Renyi over a uniformly random order, with probability p = 2 E / (N (N - 1)), at most 1, for
 * every pair. Components are then joined one after the other: they are taken in the order of
 * their smallest node, and a node drawn uniformly from all that is joined so far is connected
 * with a node drawn uniformly from the next component, in the direction of the order.
 */
#include "scm/random_graph.h"

static scone_status draw_pairs(graph *g, const size_t *order, double p, rng *r)
{
    scone_status status = SCONE_OK;
    double *u = NULL;
    TRY_ALLOC(u, g->nodes);
    for (size_t later = 1; later < g->nodes; later++) {
        rng_fill_uniform(r, u, later);
        for (size_t earlier = 0; earlier < later; earlier++) {
            if (u[earlier] < p) graph_direct(g, order[earlier], order[later]);
        }
    }
cleanup:
    mem_free(u);
    return status;
}

/* Appends the component of `start` to members; reached marks all nodes found so far. */
static void collect_component(const graph *g, size_t start, bits_word *reached, size_t *members,
                              size_t *count)
{
    size_t next = *count;
    members[(*count)++] = start;
    bits_add(reached, start);
    for (; next < *count; next++) {
        size_t v = members[next];
        const bits_word *parents = graph_parents(g, v), *children = graph_children(g, v);
        for (size_t w = 0; w < g->words; w++) {
            bits_word fresh = (parents[w] | children[w]) & ~reached[w];
            reached[w] |= fresh;
            for (; fresh; fresh &= fresh - 1) {
                members[(*count)++] = w * 64 + (size_t)__builtin_ctzll(fresh);
            }
        }
    }
}

static scone_status join_components(graph *g, const size_t *order, rng *r)
{
    scone_status status = SCONE_OK;
    size_t *members = NULL, *position = NULL, count = 0;
    bits_word *reached = NULL;
    TRY_ALLOC(members, g->nodes);
    TRY_ALLOC(position, g->nodes);
    TRY_ZERO(reached, g->words);
    for (size_t i = 0; i < g->nodes; i++) position[order[i]] = i;
    /* A joined component is part of the first from then on, so each is visited once. */
    for (size_t v = 0; v < g->nodes; v++) {
        if (bits_has(reached, v)) continue;
        size_t before = count;
        collect_component(g, v, reached, members, &count);
        if (before == 0) continue;
        size_t a = members[rng_below(r, before)];
        size_t b = members[before + rng_below(r, count - before)];
        if (position[a] < position[b]) {
            graph_direct(g, a, b);
        } else {
            graph_direct(g, b, a);
        }
    }
cleanup:
    mem_free(members);
    mem_free(position);
    mem_free(reached);
    return status;
}

scone_status random_graph_draw(graph **out, size_t *order, size_t nodes, double edges, rng *r)
{
    scone_status status = SCONE_OK;
    graph *g = NULL;
    *out = NULL;
    TRY(graph_alloc(&g, nodes));
    rng_permutation(r, order, nodes);
    if (nodes > 1) {
        double p = 2.0 * edges / ((double)nodes * (double)(nodes - 1));
        TRY(draw_pairs(g, order, p, r));
        TRY(join_components(g, order, r));
    }
    *out = g;
    return SCONE_OK;
cleanup:
    scone_graph_free(g);
    return status;
}

/* candidates[nodes]: the nodes with parents; returns how many. */
static size_t list_candidates(size_t *candidates, const graph *g)
{
    size_t count = 0;
    for (size_t v = 0; v < g->nodes; v++) {
        if (!bits_empty(graph_parents(g, v), g->words)) candidates[count++] = v;
    }
    return count;
}

/* Redrawing until there is a target would take long for a small p. The same distribution without a
 * loop: the first target is candidate j with probability proportional to (1 - p)^j, and those
 * after it are independent. */
scone_status random_targets_draw(bool *targets, const graph *g, double p, rng *r)
{
    scone_status status = SCONE_OK;
    size_t *candidates = NULL;
    double *weights = NULL, weight = 1.0;
    TRY_ALLOC(candidates, g->nodes);
    TRY_ALLOC(weights, g->nodes);
    for (size_t v = 0; v < g->nodes; v++) targets[v] = false;
    size_t count = list_candidates(candidates, g);
    for (size_t j = 0; j < count; j++, weight *= 1.0 - p) weights[j] = weight;
    if (count > 0 && p > 0.0) {
        size_t first = rng_categorical(r, weights, count);
        targets[candidates[first]] = true;
        for (size_t j = first + 1; j < count; j++) targets[candidates[j]] = rng_uniform(r) < p;
    }
cleanup:
    mem_free(candidates);
    mem_free(weights);
    return status;
}

/* The first places of a random permutation of the candidates. */
scone_status random_targets_choose(bool *targets, const graph *g, size_t low, size_t high, rng *r)
{
    scone_status status = SCONE_OK;
    size_t *candidates = NULL;
    TRY_ALLOC(candidates, g->nodes);
    for (size_t v = 0; v < g->nodes; v++) targets[v] = false;
    size_t count = list_candidates(candidates, g);
    size_t wanted = low + (size_t)rng_below(r, (uint64_t)(high - low) + 1);
    for (size_t j = 0; j < count && j < wanted; j++) {
        size_t k = j + (size_t)rng_below(r, count - j), chosen = candidates[k];
        candidates[k] = candidates[j];
        targets[chosen] = true;
    }
cleanup:
    mem_free(candidates);
    return status;
}
