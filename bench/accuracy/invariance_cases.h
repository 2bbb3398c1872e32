/* invariance_cases.h - queries Inv(v | Z) whose answer is known, for bench_invariance.c.
 *
 * From the generator (docs/methods/generator.md): graphs of 8 nodes with about 10 edges. Half of
 * the queries without a change are a node that is no target given its parents, of which one at
 * least is a target or follows one, so that P(Z) differs; the others any (v, Z), |Z| <= 3, of which
 * the graph says that v and the regime are d-separated while Z changes. From a small design of our
 * own, z1 -> z2, (z1, z2) -> v or z2 -> v, where z2's mechanism changes: heavy tails, discrete
 * values, noise whose scale depends on Z. */
#ifndef SCONE_BENCH_ACCURACY_INVARIANCE_CASES_H
#define SCONE_BENCH_ACCURACY_INVARIANCE_CASES_H

#include "base/rng.h"
#include "graph/dsep.h"
#include "graph/graph.h"
#include "stats/invariance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct query {
    scone_problem *problem; /* owns the pair, or NULL */
    scone_pair *pair;
    size_t v, given[INVARIANCE_MOST_GIVEN], count;
} query;

typedef enum own_kind {
    OWN_NONE,
    OWN_CAUCHY,
    OWN_T2,
    OWN_DISCRETE,
    OWN_SPREAD,
    OWN_PLAIN
} own_kind;

typedef enum own_change {
    CHANGE_NONE,
    CHANGE_MEAN,
    CHANGE_SLOPE,
    CHANGE_SPREAD,
    CHANGE_SHAPE
} own_change;

typedef struct family {
    const char *name;
    unsigned families; /* of the generator; 0: ours */
    scone_noise noise;
    own_kind own;
} family;

enum { FAMILIES = 14 };
static const family family_list[FAMILIES] = {
    {"linear", SCONE_LINEAR, SCONE_NOISE_ADDITIVE, OWN_NONE},
    {"polynomial_additive", SCONE_POLYNOMIAL, SCONE_NOISE_ADDITIVE, OWN_NONE},
    {"polynomial_multiplicative", SCONE_POLYNOMIAL, SCONE_NOISE_MULTIPLICATIVE, OWN_NONE},
    {"polynomial_mixed", SCONE_POLYNOMIAL, SCONE_NOISE_MIXED, OWN_NONE},
    {"sigmoid_additive", SCONE_SIGMOID, SCONE_NOISE_ADDITIVE, OWN_NONE},
    {"sigmoid_multiplicative", SCONE_SIGMOID, SCONE_NOISE_MULTIPLICATIVE, OWN_NONE},
    {"sigmoid_mixed", SCONE_SIGMOID, SCONE_NOISE_MIXED, OWN_NONE},
    {"nn", SCONE_NN, SCONE_NOISE_ADDITIVE, OWN_NONE},
    {"nn_add", SCONE_NN_ADD, SCONE_NOISE_ADDITIVE, OWN_NONE},
    {"all_mixed", 31, SCONE_NOISE_MIXED, OWN_NONE},
    {"cauchy", 0, SCONE_NOISE_ADDITIVE, OWN_CAUCHY},
    {"t2", 0, SCONE_NOISE_ADDITIVE, OWN_T2},
    {"discrete", 0, SCONE_NOISE_ADDITIVE, OWN_DISCRETE},
    {"heteroscedastic", 0, SCONE_NOISE_ADDITIVE, OWN_SPREAD},
};

/* ---- from the generator ---- */

/* The graph with one more node, the regime, that points to the targets. */
static inline scone_status augmented(graph **out, const scone_problem *p)
{
    const graph *g = scone_problem_graph(p);
    scone_status status = graph_alloc(out, g->nodes + 1);
    if (status != SCONE_OK) return status;
    for (size_t i = 0; i < g->nodes; i++) {
        for (size_t j = 0; j < g->nodes; j++) {
            if (graph_directed(g, i, j)) graph_direct(*out, i, j);
        }
        if (scone_problem_targets(p)[i]) graph_direct(*out, g->nodes, i);
    }
    return SCONE_OK;
}

/* Does the query hold as a true null with a Z that changes? z: a mask of nodes. */
static inline bool is_null(const graph *g, size_t v, uint64_t z, graph_work *work)
{
    bits_word set = z, none = 0;
    bool moves = false;
    size_t regime = g->nodes - 1;
    if (z >> v & 1) return false;
    for (size_t j = 0; j < regime; j++) {
        moves = moves || ((z >> j & 1) && !dsep_pair(g, regime, j, &none, work));
    }
    return moves && dsep_pair(g, regime, v, &set, work);
}

static inline void set_query(query *q, size_t v, uint64_t z)
{
    q->v = v;
    q->count = 0;
    for (size_t j = 0; j < 64; j++) {
        if (z >> j & 1) q->given[q->count++] = j;
    }
}

/* Picks one of the queries at random; false if there is none. */
static inline bool pick_null(query *q, const graph *g, bool parents, rng *r, graph_work *work)
{
    size_t found = 0, nodes = g->nodes - 1;
    for (size_t v = 0; v < nodes; v++) {
        for (uint64_t z = 1; z < UINT64_C(1) << nodes; z++) {
            int size = __builtin_popcountll(z);
            if (parents ? z != graph_parents(g, v)[0] || size > 4 : size > 3) continue;
            if (!is_null(g, v, z, work)) continue;
            if (rng_below(r, ++found) == 0) set_query(q, v, z);
        }
    }
    return found > 0;
}

/* A target with one to four parents. */
static inline bool pick_target(query *q, const scone_problem *p, rng *r)
{
    const graph *g = scone_problem_graph(p);
    size_t found = 0;
    for (size_t v = 0; v < g->nodes; v++) {
        uint64_t z = graph_parents(g, v)[0];
        if (!scone_problem_targets(p)[v] || __builtin_popcountll(z) > 4) continue;
        if (rng_below(r, ++found) == 0) set_query(q, v, z);
    }
    return found > 0;
}

static inline scone_status generator_query(query *q, const family *f, bool changed, size_t rows,
                                           uint64_t seed, size_t number)
{
    scone_status status = SCONE_OK;
    graph *g = NULL;
    graph_work *work = NULL;
    scone_setting setting = {.name = "custom",
                             .nodes_min = 8,
                             .nodes_max = 8,
                             .edges_min = 10,
                             .edges_max = 10,
                             .families = f->families,
                             .noise = f->noise,
                             .p_target = 0.4,
                             .samples = rows,
                             .count = 1,
                             .seed = seed};
    TRY(graph_work_alloc(&work, 9));
    for (size_t attempt = 0;; attempt++) { /* few rows suffice to see whether the graph has one */
        size_t index = number + attempt * 1000003;
        rng r = rng_stream(seed, RNG_TEST, index, 0, 0);
        scone_setting glance = setting;
        glance.samples = 2;
        TRY(scone_simulate(&q->problem, &glance, index, NULL));
        TRY(augmented(&g, q->problem));
        bool found =
            changed ? pick_target(q, q->problem, &r) : pick_null(q, g, number % 2 == 0, &r, work);
        scone_problem_free(q->problem);
        scone_graph_free(g);
        q->problem = NULL;
        g = NULL;
        if (!found) continue;
        TRY(scone_simulate(&q->problem, &setting, index, NULL));
        break;
    }
    q->pair = (scone_pair *)(uintptr_t)scone_problem_pair(q->problem);
cleanup:
    graph_work_free(work);
    scone_graph_free(g);
    return status;
}

/* ---- of our own ---- */

typedef struct own_model {
    double slope[2], base, offset[2], scale[2]; /* z2 from z1 by regime */
    double a, b, c, spread;                     /* v from z1, z2 */
    bool bent, both;
    int levels;
} own_model;

static inline double own_noise(own_kind kind, rng *r)
{
    double x = rng_normal(r);
    if (kind == OWN_CAUCHY) return x / rng_normal(r);
    if (kind == OWN_T2) return x / sqrt(rng_exponential(r));
    return x;
}

static inline own_model own_draw(own_kind kind, rng *r)
{
    own_model m;
    m.slope[0] = rng_sign(r) * rng_range(r, 0.25, 1.0);
    bool steeper = rng_uniform(r) < 0.5;
    m.slope[1] = steeper ? rng_sign(r) * rng_range(r, 1.0, 2.0) : m.slope[0];
    m.offset[0] = 0.0;
    m.offset[1] = steeper ? 0.0 : rng_range(r, -1.0, 1.0);
    m.scale[0] = 0.5;
    m.scale[1] = steeper ? 0.5 : rng_range(r, 0.3, 0.8);
    m.a = rng_sign(r) * rng_range(r, 0.25, 1.0);
    m.b = rng_sign(r) * rng_range(r, 0.25, 1.0);
    m.c = rng_range(r, -1.0, 1.0);
    m.bent = rng_uniform(r) < 0.5;
    m.both = rng_uniform(r) < 0.5;
    m.spread = kind == OWN_SPREAD ? rng_sign(r) * rng_range(r, 0.3, 0.8) : 0.0;
    m.levels = 2 + (int)rng_below(r, 5);
    return m;
}

/* Rounds to `levels` values. */
static inline double own_level(double x, int levels)
{
    double step = 4.0 / levels;
    return fmin(fmax(floor((x + 2.0) / step), 0.0), levels - 1.0);
}

/* The change of v: a shift of the mean, of the slope in z2, of the scale; or as much variance as
 * before, in two lumps. */
static inline double own_value(const own_model *m, own_kind kind, own_change change, double amount,
                               int regime, double z1, double z2, rng *r)
{
    double now = regime ? amount : 0.0, slope = m->b + (change == CHANGE_SLOPE ? now : 0.0);
    double f =
        (m->both ? m->a * z1 : 0.0) + slope * (m->bent ? z2 / sqrt(1.0 + z2 * z2) * 1.5 : z2);
    if (m->bent && m->both) f += m->c * z1 * z2 / (1.0 + z1 * z1 + z2 * z2);
    double e = own_noise(kind, r), sign = rng_sign(r);
    if (change == CHANGE_SHAPE) e = sqrt(1.0 - now * now) * e + now * sign;
    if (change == CHANGE_SPREAD) e *= 1.0 + now;
    double scale = 0.6 * exp(fmin(fmax(m->spread * z2, -1.5), 1.5));
    double value = f + scale * e + (change == CHANGE_MEAN ? 0.6 * now : 0.0);
    return kind == OWN_DISCRETE ? own_level(value, m->levels) : value;
}

static inline scone_status own_query(query *q, own_kind kind, own_change change, double amount,
                                     size_t rows, uint64_t seed, size_t number)
{
    scone_status status = SCONE_OK;
    rng r = rng_stream(seed, RNG_TEST, number, (uint64_t)kind + 100, 0);
    own_model m = own_draw(kind, &r);
    TRY_ZERO(q->pair, 1);
    for (int c = 0; c < 2; c++) {
        TRY(table_alloc(&q->pair->tables[c], rows, 3, NULL));
        double *z1 = table_column(q->pair->tables[c], 0), *z2 = table_column(q->pair->tables[c], 1),
               *v = table_column(q->pair->tables[c], 2);
        for (size_t i = 0; i < rows; i++) {
            z1[i] = rng_range(&r, -2.0, 2.0);
            if (kind == OWN_DISCRETE) z1[i] = own_level(z1[i], 3) - 1.0;
            z2[i] = m.offset[c] + m.slope[c] * z1[i] + m.scale[c] * own_noise(kind, &r);
            if (kind == OWN_DISCRETE) z2[i] = own_level(z2[i], 4) - 1.5;
            v[i] = own_value(&m, kind, change, amount, c, z1[i], z2[i], &r);
        }
    }
    set_query(q, 2, m.both ? 3 : 2);
cleanup:
    return status;
}

/* The pair with the columns of the query alone, v the last: others would only take time. */
static inline scone_status narrow(scone_pair **out, query *q)
{
    scone_status status = SCONE_OK;
    scone_pair *pair = NULL;
    TRY_ZERO(pair, 1);
    for (int c = 0; c < 2; c++) {
        const scone_table *from = q->pair->tables[c];
        TRY(table_alloc(&pair->tables[c], from->rows, q->count + 1, NULL));
        for (size_t j = 0; j <= q->count; j++) {
            memcpy(table_column(pair->tables[c], j),
                   table_column(from, j < q->count ? q->given[j] : q->v),
                   from->rows * sizeof(double));
        }
    }
    for (size_t j = 0; j < q->count; j++) q->given[j] = j;
    q->v = q->count;
    *out = pair;
    pair = NULL;
cleanup:
    scone_pair_free(pair);
    return status;
}

static inline void query_free(query *q)
{
    if (q->problem) {
        scone_problem_free(q->problem);
    } else {
        scone_pair_free(q->pair);
    }
    *q = (query){0};
}

#endif
