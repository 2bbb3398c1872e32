/* discovery.h - what the tests of the pipeline and of its reports share: simulated pairs, their
 * columns in another order, comparisons of results by name, and what holds of every result. */
#ifndef SCONE_TESTS_DISCOVERY_H
#define SCONE_TESTS_DISCOVERY_H

#include "testing.h"

#include "base/rng.h"
#include "data/table.h"
#include "graph/graph_extend.h"
#include "graph/meek.h"

#include <stdlib.h>

/* A small problem with linear and curved mechanisms. */
static inline scone_problem *draw_problem(size_t nodes, size_t samples, uint64_t seed)
{
    scone_setting setting;
    scone_problem *problem;
    CHECK_OK(scone_setting_named(&setting, "ood-20-20"));
    setting.nodes_min = setting.nodes_max = nodes;
    setting.edges_min = setting.edges_max = (double)nodes;
    setting.families = SCONE_LINEAR | SCONE_SIGMOID;
    setting.samples = samples;
    setting.seed = seed;
    CHECK_OK(scone_simulate(&problem, &setting, 0, NULL));
    return problem;
}

/* A copy whose column j is column order[j] of the pair, under the name that names gives it. */
static inline scone_pair *rearrange(const scone_pair *pair, const size_t *order,
                                    const char *const *names)
{
    scone_table *tables[2];
    scone_pair *out;
    for (int regime = 0; regime < 2; regime++) {
        const scone_table *from = pair->tables[regime];
        const char **kept = malloc(from->columns * sizeof *kept);
        CHECK(kept != NULL);
        for (size_t j = 0; j < from->columns; j++) {
            kept[j] = names ? names[order[j]] : from->names[order[j]];
        }
        CHECK_OK(table_alloc(&tables[regime], from->rows, from->columns, kept));
        for (size_t j = 0; j < from->columns; j++) {
            memcpy(table_column(tables[regime], j), table_column(from, order[j]),
                   from->rows * sizeof(double));
        }
        free(kept);
    }
    CHECK_OK(scone_pair_join(&out, tables[0], tables[1]));
    return out;
}

/* The same things about the same names, bit by bit. */
static inline void check_same_result(const scone_result *a, const scone_result *b)
{
    size_t n = scone_result_variables(a), *place = malloc(n * sizeof *place);
    CHECK(place != NULL && scone_result_variables(b) == n);
    for (size_t i = 0; i < n; i++) {
        place[i] = SIZE_MAX;
        for (size_t j = 0; j < n; j++) {
            if (strcmp(scone_result_name(a, i), scone_result_name(b, j)) == 0) place[i] = j;
        }
        CHECK(place[i] != SIZE_MAX);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            CHECK_SAME(scone_result_probability(a, i, j),
                       scone_result_probability(b, place[i], place[j]));
            if (i == j) continue;
            CHECK(scone_graph_mark(scone_result_graph(a), i, j) ==
                  scone_graph_mark(scone_result_graph(b), place[i], place[j]));
        }
        const scone_target *t = scone_result_target(a, i), *u = scone_result_target(b, i);
        CHECK(place[t->variable] == u->variable && t->target == u->target);
        CHECK_SAME(t->size, u->size);
        CHECK_SAME(t->evidence, u->evidence);
        assert_string_equal(t->reason, u->reason);
        CHECK_SAME(t->p_value, u->p_value);
    }
    CHECK(scone_result_edges(a) == scone_result_edges(b));
    for (size_t e = 0; e < scone_result_edges(a); e++) {
        const scone_edge *x = scone_result_edge(a, e), *y = scone_result_edge(b, e);
        CHECK(place[x->source] == y->source && place[x->target] == y->target);
        CHECK(x->undirected == y->undirected);
        assert_string_equal(x->why, y->why);
    }
    CHECK(scone_result_warnings(a) == scone_result_warnings(b));
    for (size_t w = 0; w < scone_result_warnings(a); w++) {
        assert_string_equal(scone_result_warning(a, w), scone_result_warning(b, w));
    }
    free(place);
}

/* Everything that must hold of any result. */
static inline void check_result(const scone_result *r)
{
    size_t n = scone_result_variables(r), edges = 0;
    const scone_graph *g = scone_result_graph(r);
    graph *dag, *closed;
    graph_work *work;
    meek *m;
    CHECK_OK(graph_alloc(&dag, n));
    CHECK_OK(graph_copy(&closed, g));
    CHECK_OK(graph_work_alloc(&work, n));
    CHECK_OK(meek_alloc(&m, n));
    CHECK(graph_extend(dag, g, work));
    CHECK_OK(meek_close(closed, m));
    CHECK(m->count == 0);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double p = scone_result_probability(r, i, j), q = scone_result_probability(r, j, i);
            CHECK(p >= 0.0 && p <= 1.0 && p + q <= 1.0 + 1e-9);
            if (i == j) CHECK_SAME(p, 0.0);
        }
        const scone_target *t = scone_result_target(r, i);
        CHECK(isfinite(t->evidence) && t->evidence >= 0.0);
        CHECK(t->p_value >= 0.0 && t->p_value <= 1.0 && isfinite(t->size) && t->reason[0]);
        if (i > 0) CHECK(scone_result_target(r, i - 1)->size >= t->size);
    }
    for (size_t e = 0; e < scone_result_edges(r); e++, edges++) {
        const scone_edge *edge = scone_result_edge(r, e);
        scone_mark mark = scone_graph_mark(g, edge->source, edge->target);
        CHECK(mark == (edge->undirected ? SCONE_MARK_UNDIRECTED : SCONE_MARK_FORWARD));
        CHECK_NEAR(edge->p_forward + edge->p_backward + edge->p_none, 1.0, 1e-9);
        CHECK_SAME(edge->p_forward, scone_result_probability(r, edge->source, edge->target));
        CHECK(strlen(edge->why) > 3);
        CHECK(edge->p_forward + edge->p_backward >= scone_result_threshold(r));
    }
    CHECK(edges == scone_graph_edges(g));
    meek_free(m);
    graph_work_free(work);
    scone_graph_free(closed);
    scone_graph_free(dag);
}

#endif
