/* test_reasons_weigh.c - certificates against the learner, knowledge and each other: hand-made
 * cases, and 10,000 random ones in which they contradict each other. */
#include "testing.h"

#include "base/rng.h"
#include "graph/graph_extend.h"
#include "reasons/reasons.h"

enum { MOST = 9, MOST_REASONS = 40 };

static const char *const letters[] = {"A", "B", "C", "D", "E", "F", "G", "H", "I"};
static const decode_options usual = {.threshold = 0.5, .margin = 0.2};

static knowledge *know(const char *text, size_t nodes)
{
    knowledge_file file;
    knowledge *k = NULL;
    CHECK_OK(knowledge_parse(&file, text, strlen(text)));
    const knowledge_names about = {.variables = letters, .count = nodes};
    scone_status status = knowledge_compile(&k, &file, &about);
    CHECK(status == SCONE_OK || status == SCONE_ERR_INPUT);
    knowledge_file_free(&file);
    return k;
}

/* The whole way from probabilities and certificates to a graph. */
static void combine(decoding *final, double *p, size_t nodes, reasons *r, const knowledge *k)
{
    decoding found;
    double conditioned[MOST * MOST];
    CHECK_OK(decode_condition(conditioned, p, nodes, k));
    CHECK_OK(decode(&found, conditioned, nodes, k, &usual));
    CHECK_OK(reasons_weigh(p, r, conditioned, &found, k, &usual));
    CHECK_OK(decode(final, p, nodes, k, &usual));
    reasons_mark(r, final);
    decoding_free(&found);
}

/* ---- hand-made cases ---- */

/* One or two certificates on three variables A, B, C; returns the outcome of the first. */
static reason_outcome outcome_of(const double *given, const char *knowing, size_t from, size_t to,
                                 double weight, double opposite, scone_mark expected)
{
    reason list[2] = {{.from = from, .to = to, .weight = weight},
                      {.from = to, .to = from, .weight = opposite}};
    reasons r = {.list = list, .count = opposite > 0.0 ? 2 : 1};
    if (opposite > weight) {
        reason first = list[0];
        list[0] = list[1];
        list[1] = first;
    }
    double p[9];
    decoding d;
    knowledge *k = know(knowing, 3);
    memcpy(p, given, sizeof p);
    combine(&d, p, 3, &r, k);
    CHECK(scone_graph_mark(d.graph, from, to) == expected);
    for (size_t i = 0; i < 9; i++) {
        size_t turned = i % 3 * 3 + i / 3; /* P(edge) stays, unless knowledge speaks */
        if (!*knowing) CHECK_NEAR(p[i] + p[turned], given[i] + given[turned], 1e-12);
    }
    decoding_free(&d);
    knowledge_free(k);
    return list[opposite > weight].outcome;
}

static void test_outcomes(void **state)
{
    (void)state;
    const double open[9] = {0, 0.45, 0, 0.45};
    const double weak[9] = {0, 0.65, 0, 0.25};
    const double strong[9] = {0, 0.97, 0, 0.01};
    CHECK(outcome_of(open, "", 0, 1, 5, 0, SCONE_MARK_FORWARD) == REASON_ORIENTS);
    CHECK(outcome_of(open, "", 1, 0, 5, 0, SCONE_MARK_FORWARD) == REASON_ORIENTS);
    CHECK(outcome_of(weak, "", 0, 1, 5, 0, SCONE_MARK_FORWARD) == REASON_AGREES);
    CHECK(outcome_of(weak, "", 1, 0, 50, 0, SCONE_MARK_FORWARD) == REASON_TURNS);
    CHECK(outcome_of(strong, "", 1, 0, 1.5, 0, SCONE_MARK_BACKWARD) == REASON_OVERRULED);
    /* contradicting certificates: the clearly stronger one, else none */
    CHECK(outcome_of(open, "", 0, 1, 9, 5, SCONE_MARK_FORWARD) == REASON_ORIENTS);
    CHECK(outcome_of(open, "", 0, 1, 5, 9, SCONE_MARK_BACKWARD) == REASON_OPPOSED);
    CHECK(outcome_of(open, "", 0, 1, 5.5, 5, SCONE_MARK_UNDIRECTED) == REASON_OPPOSED);
    /* knowledge always wins */
    CHECK(outcome_of(weak, "A -> B", 1, 0, 500, 0, SCONE_MARK_BACKWARD) == REASON_KNOWN);
    CHECK(outcome_of(weak, "B !-> A", 1, 0, 500, 0, SCONE_MARK_BACKWARD) == REASON_KNOWN);
    CHECK(outcome_of(weak, "tier 2: B\ntier 1: A", 1, 0, 500, 0, SCONE_MARK_BACKWARD) ==
          REASON_KNOWN);
    CHECK(outcome_of(open, "A -> B", 0, 1, 5, 0, SCONE_MARK_FORWARD) == REASON_AGREES);
    /* a certificate that knowledge excludes does not stand in the way of its opposite */
    CHECK(outcome_of(open, "A !-> B", 1, 0, 5, 8, SCONE_MARK_FORWARD) == REASON_AGREES);
}

static void test_cycle(void **state)
{
    (void)state;
    /* A > B > C with A > C: C -> A would close a cycle, however sure */
    const double p[9] = {0, 0.9, 0.6, 0, 0, 0.9, 0.3, 0, 0};
    CHECK(outcome_of(p, "", 2, 0, 500, 0, SCONE_MARK_BACKWARD) == REASON_CYCLE);
    CHECK(outcome_of(p, "", 1, 0, 500, 0, SCONE_MARK_FORWARD) == REASON_TURNS);
}

static void test_closure_premises(void **state)
{
    (void)state;
    /* A > B - C: B > C follows by R1, and is as strong as A > B */
    const double sure[9] = {0, 0.97, 0, 0, 0, 0.45, 0, 0.45, 0};
    const double unsure[9] = {0, 0.6, 0, 0.35, 0, 0.45, 0, 0.45, 0};
    CHECK(outcome_of(sure, "", 2, 1, 2, 0, SCONE_MARK_BACKWARD) == REASON_OVERRULED);
    CHECK(outcome_of(unsure, "", 2, 1, 5, 0, SCONE_MARK_FORWARD) == REASON_TURNS);
    CHECK(outcome_of(sure, "", 1, 2, 5, 0, SCONE_MARK_FORWARD) == REASON_ORIENTS);
}

/* ---- random cases ---- */

static void draw_probabilities(double *p, size_t nodes, rng *r)
{
    double density = rng_uniform(r), undecided = rng_uniform(r);
    for (size_t i = 0; i < nodes; i++) {
        p[i * nodes + i] = 0.0;
        for (size_t j = i + 1; j < nodes; j++) {
            double edge = rng_uniform(r) < density ? rng_range(r, 0.5, 1) : rng_range(r, 0, 0.5);
            double share = rng_uniform(r) < undecided ? rng_range(r, 0.45, 0.55) : rng_uniform(r);
            p[i * nodes + j] = edge * share;
            p[j * nodes + i] = edge * (1.0 - share);
        }
    }
}

static knowledge *draw_knowledge(size_t nodes, rng r, const size_t *place)
{
    char text[1024] = "";
    size_t used = 0, lines = rng_below(&r, 6);
    for (size_t l = 0; l < lines; l++) {
        size_t i = rng_below(&r, nodes), j = rng_below(&r, nodes), what = rng_below(&r, 3);
        if (i == j) continue;
        const char *a = letters[place[i]], *b = letters[place[j]];
        if (what < 2) {
            used += (size_t)sprintf(text + used, "%s %s %s\n", a, what ? "->" : "!->", b);
        } else {
            used += (size_t)sprintf(text + used, "tier %zu: %s\n", l % 3, a);
        }
    }
    return know(text, nodes);
}

/* Certificates about any ordered pairs, repeated and opposed ones among them, strongest first. */
static size_t draw_reasons(reason *list, size_t nodes, rng *r)
{
    size_t count = rng_below(r, MOST_REASONS);
    double weight = 1.0 + 40.0 * rng_uniform(r);
    for (size_t i = 0; i < count; i++) {
        list[i] = (reason){.from = rng_below(r, nodes), .weight = weight};
        list[i].to = (list[i].from + 1 + rng_below(r, nodes - 1)) % nodes;
        weight = 1.0 + (weight - 1.0) * rng_range(r, 0.6, 0.9999);
    }
    return count;
}

/* As the rules do, keep to the adjacencies of the found graph. */
static size_t keep_adjacent(reason *list, size_t count, const double *p, size_t nodes,
                            const knowledge *k)
{
    double copy[MOST * MOST];
    decoding d;
    size_t kept = 0;
    CHECK_OK(decode_condition(copy, p, nodes, k));
    CHECK_OK(decode(&d, copy, nodes, k, &usual));
    for (size_t i = 0; i < count; i++) {
        if (graph_adjacent(d.graph, list[i].from, list[i].to)) list[kept++] = list[i];
    }
    decoding_free(&d);
    return kept;
}

static void check_final(const decoding *d, const knowledge *k, const double *p, size_t nodes)
{
    meek *m;
    graph_work *work;
    graph *dag, *copy;
    CHECK_OK(meek_alloc(&m, nodes));
    CHECK_OK(graph_work_alloc(&work, nodes));
    CHECK_OK(graph_alloc(&dag, nodes));
    CHECK_OK(graph_copy(&copy, d->graph));
    CHECK(graph_extend(dag, d->graph, work));
    CHECK_OK(meek_close(copy, m));
    CHECK(m->count == 0);
    for (size_t i = 0; i < nodes; i++) {
        for (size_t j = 0; j < nodes; j++) {
            double forward = p[i * nodes + j], backward = p[j * nodes + i];
            if (i == j) continue;
            CHECK(forward >= 0.0 && forward + backward <= 1.0 + 1e-9);
            if (knowledge_requires(k, i, j)) CHECK(graph_directed(d->graph, i, j));
            if (knowledge_forbids(k, i, j)) CHECK(!graph_directed(d->graph, i, j));
            if (knowledge_forbids(k, i, j)) CHECK(!graph_undirected(d->graph, i, j));
            bool clear = forward - backward >= usual.margin;
            if (clear && graph_adjacent(d->graph, i, j)) CHECK(graph_directed(d->graph, i, j));
        }
    }
    scone_graph_free(dag);
    scone_graph_free(copy);
    graph_work_free(work);
    meek_free(m);
}

/* Every certificate that was accepted is in the graph and named by its edge. */
static void check_reasons(const decoding *d, const reasons *r, const knowledge *k)
{
    for (size_t i = 0; i < r->count; i++) {
        const reason *one = &r->list[i];
        if (one->outcome <= REASON_TURNS) CHECK(graph_directed(d->graph, one->from, one->to));
        bool excluded =
            knowledge_requires(k, one->to, one->from) || knowledge_forbids(k, one->from, one->to);
        CHECK(excluded == (one->outcome == REASON_KNOWN));
    }
    for (size_t e = 0; e < d->count; e++) {
        const decode_edge *edge = &d->edges[e];
        if (edge->cause == DECODE_RULE) CHECK(edge->reason > 0);
        if (!edge->reason) continue;
        const reason *one = &r->list[edge->reason - 1];
        CHECK(one->from == edge->from && one->to == edge->to && one->outcome <= REASON_TURNS);
    }
}

static void check_permuted(const decoding *d, const double *given, const reasons *original,
                           const reason *before, size_t nodes, rng knowledge_rng, rng *r)
{
    double p[MOST * MOST];
    size_t place[MOST];
    reason list[MOST_REASONS];
    decoding other;
    reasons moved = {.list = list, .count = original->count};
    rng_permutation(r, place, nodes);
    for (size_t i = 0; i < nodes; i++) {
        for (size_t j = 0; j < nodes; j++) p[place[i] * nodes + place[j]] = given[i * nodes + j];
    }
    for (size_t i = 0; i < moved.count; i++) {
        list[i] = before[i];
        list[i].from = place[before[i].from];
        list[i].to = place[before[i].to];
    }
    knowledge *k = draw_knowledge(nodes, knowledge_rng, place);
    combine(&other, p, nodes, &moved, k);
    for (size_t i = 0; i < nodes; i++) {
        for (size_t j = 0; j < nodes; j++) {
            if (i == j) continue;
            CHECK(scone_graph_mark(d->graph, i, j) ==
                  scone_graph_mark(other.graph, place[i], place[j]));
        }
    }
    for (size_t i = 0; i < moved.count; i++) CHECK(list[i].outcome == original->list[i].outcome);
    decoding_free(&other);
    knowledge_free(k);
}

static void test_random(void **state)
{
    (void)state;
    size_t accepted = 0, seen[REASON_CYCLE + 1] = {0}, itself[MOST];
    for (size_t i = 0; i < MOST; i++) itself[i] = i;
    for (uint64_t round = 0; accepted < 10000; round++) {
        rng r = rng_stream(11, RNG_TEST, round, 0, 0), s = rng_stream(11, RNG_TEST, round, 1, 0);
        double given[MOST * MOST], p[MOST * MOST];
        reason list[MOST_REASONS], before[MOST_REASONS];
        size_t nodes = 2 + rng_below(&r, MOST - 1);
        knowledge *k = draw_knowledge(nodes, s, itself);
        if (!k) continue;
        accepted++;
        draw_probabilities(given, nodes, &r);
        memcpy(p, given, sizeof p);
        reasons all = {.list = list, .count = draw_reasons(list, nodes, &r)};
        all.count = keep_adjacent(list, all.count, given, nodes, k);
        memcpy(before, list, sizeof before);
        decoding d;
        combine(&d, p, nodes, &all, k);
        check_final(&d, k, p, nodes);
        check_reasons(&d, &all, k);
        check_permuted(&d, given, &all, before, nodes, s, &r);
        for (size_t i = 0; i < all.count; i++) seen[list[i].outcome]++;
        decoding_free(&d);
        knowledge_free(k);
    }
    for (size_t o = 0; o <= REASON_CYCLE; o++) CHECK(seen[o] > 500); /* every outcome did occur */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_closure_premises),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
