/* ges_insert.c - the forward phase: Insert(x, y, T) (see ges_parts.h).
 *
 * Chickering (2002), theorem 15: for x and y not adjacent, T a set of neighbours of y that are not
 * adjacent to x, NA the neighbours of y that are, the operator is valid if and only if C = NA + T
 * is a clique and every semi-directed path from y to x meets C. It adds x -> y and directs t - y to
 * t -> y for t in T. Corollary 16: the gain is
 *     s(y, Pa + C + x) - s(y, Pa + C) = -n/2 log(1 - r^2) - penalty,
 * r being the partial correlation of x and y given Pa + C, Pa the parents of y.
 *
 * Keys. A clique C of the neighbours of y serves all x with NA within C, which in a sparse graph
 * are nearly all nodes; so row y of the keys is computed for all x together. The correlations of
 * all nodes are swept by the parents and then by the members of C one by one (a Cholesky
 * factorization in steps): with b_1, b_2, ... the rows of the factor so far,
 *
 *     b = (R_p - sum_j b_j[p] b_j) / sqrt(v_p),   v -= b^2,   c -= b[y] b
 *
 * for all x at once, where v are residual variances, c residual covariances with y. Depth first, a
 * clique costs one such step, O(k N) for k parents, instead of N Cholesky factors. The key is an
 * upper bound, as paths are not looked at: they change with every step anywhere in the graph.
 */
#include "learn/ges/ges_parts.h"

#include "base/simd.h"
#include "graph/graph_cpdag.h"
#include "graph/graph_extend.h"

/* ---- candidates of a pair ---- */

typedef struct insert_pair {
    ges_search *s;
    size_t x, y;
    bits_word *parents;
} insert_pair;

static void insert_visit(void *user, const bits_word *clique, size_t depth, size_t added)
{
    insert_pair *pair = user;
    ges_search *s = pair->s;
    (void)depth;
    (void)added;
    bits_copy(pair->parents, graph_parents(s->state, pair->y), s->words);
    bits_unite(pair->parents, clique, s->words);
    double with = ges_local(s->score, pair->y, pair->parents, pair->x, SIZE_MAX);
    double without = ges_local(s->score, pair->y, pair->parents, SIZE_MAX, SIZE_MAX);
    ges_candidate_add(s, clique, with - without);
}

static void insert_candidates(ges_search *s, size_t x, size_t y)
{
    insert_pair pair = {s, x, y, s->sets[4]};
    if (x == y || bits_has(ges_adjacent(s, y), x)) return;
    if (ges_known(s, s->options.forbidden, x, y)) return;
    ges_pair_cliques(s, x, y, insert_visit, &pair);
}

static bool insert_valid(ges_search *s, size_t x, size_t y, const bits_word *set)
{
    return !ges_path(s, y, x, set, false);
}

static bool insert_apply(ges_search *s, size_t x, size_t y, const bits_word *set)
{
    const bits_word *near = ges_adjacent(s, x);
    graph_assign(s->edited, s->state);
    graph_direct(s->edited, x, y);
    BITS_EACH_WORD(t, w, s->words, set[w] & ~near[w]) graph_direct(s->edited, t, y);
    return graph_extend(s->dag, s->edited, s->work) && graph_cpdag(s->next, s->dag, s->work);
}

static void insert_cells(ges_search *s, const bits_word *rows, const bits_word *changed, size_t x,
                         size_t y)
{
    (void)changed;
    ges_cells_shared(s, &ges_insert, rows, x, y);
}

/* ---- keys of a row ---- */

typedef struct insert_sweep {
    ges_search *s;
    size_t y, rank;           /* rank: rows of the factor at depth 0 */
    double *factor;           /* [nodes, nodes] */
    double *share, *best;     /* [nodes] each: given one clique, and the best so far */
    double *residual, *joint; /* [GES_DEPTH + 1, nodes] each: v and c */
    double *outside;          /* [GES_DEPTH + 1, nodes]: members of NA outside the clique */
} insert_sweep;

static const double least_variance = 0.01 * GES_RIDGE;

/* Appends p to the variables given: row `rank` of the factor, v and c from `from` to `to`. */
SIMD_CLONES static void sweep_step(double *factor, double *v_to, double *c_to, const double *v_from,
                                   const double *c_from, const double *correlation, size_t p,
                                   size_t y, size_t rank, size_t n)
{
    double *b = factor + rank * n;
    double pivot = v_from[p] >= least_variance ? v_from[p] : least_variance;
    double scale = 1.0 / sqrt(pivot);
    for (size_t x = 0; x < n; x++) b[x] = correlation[p * n + x];
    for (size_t j = 0; j < rank; j++) {
        const double *above = factor + j * n;
        double share = above[p];
        for (size_t x = 0; x < n; x++) b[x] -= share * above[x];
    }
    for (size_t x = 0; x < n; x++) b[x] *= scale;
    double share = b[y];
    for (size_t x = 0; x < n; x++) {
        v_to[x] = v_from[x] - b[x] * b[x];
        c_to[x] = c_from[x] - share * b[x];
    }
}

/* The share of what is left of y that each x explains, c^2 / (v_x v_y) but for the floor. */
SIMD_CLONES static void sweep_shares(double *share, const double *v, const double *c, size_t y,
                                     size_t n)
{
    double own = v[y] >= GES_FLOOR ? v[y] : GES_FLOOR, scale = 1.0 / own;
    for (size_t x = 0; x < n; x++) {
        double other = v[x] >= least_variance ? v[x] : least_variance;
        double left = v[y] - c[x] * c[x] / other;
        share[x] = 1.0 - (left >= GES_FLOOR ? left : GES_FLOOR) * scale;
    }
}

static void sweep_visit(void *user, const bits_word *clique, size_t depth, size_t added)
{
    insert_sweep *sweep = user;
    ges_search *s = sweep->s;
    size_t n = s->nodes;
    double *v = sweep->residual + depth * n, *c = sweep->joint + depth * n;
    double *outside = sweep->outside + depth * n;
    (void)clique;
    if (depth > 0) {
        memcpy(outside, outside - n, n * sizeof *outside);
        BITS_EACH(x, ges_adjacent(s, added), s->words) outside[x] -= 1.0;
        sweep_step(sweep->factor, v, c, v - n, c - n, s->score->correlation, added, sweep->y,
                   sweep->rank + depth - 1, n);
    }
    sweep_shares(sweep->share, v, c, sweep->y, n);
    for (size_t x = 0; x < n; x++) { /* not for x whose NA is not within the clique */
        if (outside[x] == 0.0 && sweep->share[x] > sweep->best[x]) sweep->best[x] = sweep->share[x];
    }
}

/* Given the parents of y: depth 0. */
static void sweep_parents(insert_sweep *sweep)
{
    ges_search *s = sweep->s;
    size_t n = s->nodes;
    for (size_t x = 0; x < n; x++) {
        sweep->residual[x] = 1.0;
        sweep->joint[x] = s->score->correlation[sweep->y * n + x];
        sweep->best[x] = sweep->outside[x] = 0.0;
    }
    BITS_EACH(z, graph_siblings(s->state, sweep->y), s->words) {
        BITS_EACH(x, ges_adjacent(s, z), s->words) sweep->outside[x] += 1.0;
    }
    BITS_EACH(p, graph_parents(s->state, sweep->y), s->words) {
        sweep_step(sweep->factor, sweep->residual, sweep->joint, sweep->residual, sweep->joint,
                   s->score->correlation, p, sweep->y, sweep->rank, n);
        sweep->rank++;
    }
}

/* Where large cliques were left out: pairs whose NA is larger than all that were visited. */
static void row_of_large(ges_search *s, size_t y, size_t size)
{
    const bits_word *neighbours = graph_siblings(s->state, y);
    for (size_t x = 0; x < s->nodes; x++) {
        const bits_word *near = ges_adjacent(s, x);
        size_t shared = 0;
        for (size_t w = 0; w < s->words; w++) {
            shared += (size_t)__builtin_popcountll(neighbours[w] & near[w]);
        }
        if (shared > size) ges_cell_from_candidates(s, &ges_insert, x, y);
    }
}

static void insert_row(ges_search *s, size_t y)
{
    size_t n = s->nodes, used = bits_count(graph_parents(s->state, y), s->words);
    double *row = ges_keys_row(&s->keys[0], y);
    for (size_t x = 0; x < n; x++) row[x] = GES_NO_GAIN;
    if (used >= s->options.max_parents) return;
    double *levels = s->sweep + n * n;
    insert_sweep sweep = {s, y, 0, s->sweep, levels, levels + n, levels + 2 * n, NULL, NULL};
    sweep.joint = sweep.residual + (GES_DEPTH + 1) * n;
    sweep.outside = sweep.joint + (GES_DEPTH + 1) * n;

    const bits_word *neighbours = graph_siblings(s->state, y), *near = ges_adjacent(s, y);
    bool all;
    size_t size = ges_clique_size(&all, s, neighbours), room = s->options.max_parents - used - 1;
    if (size > room) size = room;
    sweep_parents(&sweep);
    bits_clear(s->sets[2], s->words);
    ges_cliques(s, s->sets[2], neighbours, size, sweep_visit, &sweep);

    /* The share at which the gain is worth a step; most are below and need no logarithm. */
    double enough = -expm1(-2.0 * (s->score->penalty + s->least) / s->score->rows);
    for (size_t x = 0; x < n; x++) {
        if (!(sweep.best[x] > enough) || x == y || bits_has(near, x)) continue;
        if (ges_known(s, s->options.forbidden, x, y)) continue;
        row[x] = ges_gain(s->score, sweep.best[x]);
    }
    if (!all) row_of_large(s, y, size);
}

const ges_phase ges_insert = {
    0, insert_row, insert_candidates, insert_valid, insert_apply, insert_cells};
