/* test_decode.c - from probabilities to graphs: hand-made cases, and 10,000 random ones with
 * knowledge that contradicts the probabilities. */
#include "testing.h"

#include "base/rng.h"
#include "graph/graph_extend.h"
#include "decode/decode.h"

enum { MOST = 12 };

static const char *const letters[] = {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L"};
static const decode_options usual = {.threshold = 0.5, .margin = 0.2};

static knowledge *know(const char *text, size_t nodes)
{
    knowledge_file file;
    knowledge *k;
    CHECK_OK(knowledge_parse(&file, text, strlen(text)));
    const knowledge_names about = {.variables = letters, .count = nodes};
    CHECK_OK(knowledge_compile(&k, &file, &about));
    knowledge_file_free(&file);
    return k;
}

/* All steps; p gets the conditioned probabilities. */
static scone_status decode_given(decoding *d, double *p, size_t nodes, const knowledge *k,
                                 const decode_options *options)
{
    *d = (decoding){0};
    scone_status status = decode_condition(p, p, nodes, k);
    return status == SCONE_OK ? decode(d, p, nodes, k, options) : status;
}

/* "A>B 0.9", "A-B": the mark of every pair of the graph in order, for comparisons. */
static void describe(char *out, const decoding *d)
{
    *out = '\0';
    for (size_t i = 0; i < d->graph->nodes; i++) {
        for (size_t j = i + 1; j < d->graph->nodes; j++) {
            static const char marks[] = " ><-";
            scone_mark mark = scone_graph_mark(d->graph, i, j);
            if (mark != SCONE_MARK_NONE) {
                out += sprintf(out, "%s%c%s ", letters[i], marks[mark], letters[j]);
            }
        }
    }
}

static void check_graph(const double *given, size_t nodes, const char *text, const char *expected)
{
    double p[MOST * MOST];
    char found[512];
    decoding d;
    memcpy(p, given, nodes * nodes * sizeof *p);
    knowledge *k = know(text, nodes);
    CHECK_OK(decode_given(&d, p, nodes, k, &usual));
    describe(found, &d);
    assert_string_equal(found, expected);
    decoding_free(&d);
    knowledge_free(k);
}

static void check_why(const double *given, size_t nodes, const char *text, size_t from, size_t to,
                      const char *expected)
{
    double p[MOST * MOST];
    decoding d;
    bool found = false;
    memcpy(p, given, nodes * nodes * sizeof *p);
    knowledge *k = know(text, nodes);
    CHECK_OK(decode_given(&d, p, nodes, k, &usual));
    for (size_t e = 0; e < d.count; e++) {
        if (d.edges[e].from != from || d.edges[e].to != to) continue;
        char *why;
        CHECK_OK(decode_why(&why, &d, e, k, "search", letters));
        assert_string_equal(why, expected);
        mem_free(why);
        found = true;
    }
    CHECK(found);
    decoding_free(&d);
    knowledge_free(k);
}

/* ---- hand-made cases ---- */

static void test_threshold_and_margin(void **state)
{
    (void)state;
    /* A-B clear, A-C below the threshold, A-D without a direction, B-C at the margin exactly */
    const double p[16] = {
        0,   0.75, 0.25, 0.4, /**/
        0,   0,    0.5,  0,   /**/
        0,   0.25, 0,    0,   /**/
        0.3, 0,    0,    0,   /**/
    };
    const decode_options fine = {.threshold = 0.5, .margin = 0.25};
    double copy[16];
    char found[64];
    decoding d;
    memcpy(copy, p, sizeof copy);
    CHECK_OK(decode_given(&d, copy, 4, NULL, &fine));
    describe(found, &d);
    assert_string_equal(found, "A>B A-D B>C ");
    CHECK(d.count == 3 && d.skipped_count == 0);
    /* strongest first, by the probability of the mark */
    CHECK_SAME(d.edges[0].probability, 0.75);
    CHECK_NEAR(d.edges[1].probability, 0.7, 1e-15);
    CHECK(d.edges[1].undirected && d.edges[1].from == 0 && d.edges[1].to == 3);
    CHECK_SAME(d.edges[2].probability, 0.5);
    decoding_free(&d);
    CHECK(memcmp(copy, p, sizeof p) == 0); /* without knowledge nothing is conditioned */
}

/* An edge at less than even odds needs a lead in proportion: with a threshold of 0.1, A -> B at
 * (0.12, 0.06) leads by 0.06 < 0.2 * 2 * 0.18, A -> C at (0.15, 0.03) by 0.12 > 0.072. */
static void test_margin_of_unlikely_edges(void **state)
{
    (void)state;
    const double p[9] = {0, 0.12, 0.15, 0.06, 0, 0, 0.03, 0, 0};
    const decode_options low = {.threshold = 0.1, .margin = 0.2};
    double copy[9];
    char found[64];
    decoding d;
    CHECK_NEAR(decode_margin(&low, 0.18), 0.072, 1e-15);
    CHECK_SAME(decode_margin(&low, 0.5), 0.2);
    CHECK_SAME(decode_margin(&low, 0.9), 0.2);
    memcpy(copy, p, sizeof copy);
    CHECK_OK(decode_given(&d, copy, 3, NULL, &low));
    describe(found, &d);
    assert_string_equal(found, "A-B A>C ");
    decoding_free(&d);
}

static void test_cycle(void **state)
{
    (void)state;
    const double p[9] = {0, 0.9, 0, 0, 0, 0.8, 0.7, 0, 0}; /* A > B > C > A */
    double copy[9];
    decoding d;
    memcpy(copy, p, sizeof copy);
    CHECK_OK(decode_given(&d, copy, 3, NULL, &usual));
    CHECK(d.skipped_count == 1 && d.skipped[0].from == 2 && d.skipped[0].to == 0);
    decoding_free(&d);
    check_graph(p, 3, "", "A>B B>C ");
    /* a required edge comes first whatever its probability */
    check_graph(p, 3, "C -> A", "A>B A<C ");
    check_why(p, 3, "C -> A", 2, 0, "knowledge line 1");
    check_graph(p, 3, "# no\nA !-> B", "A<C B>C ");
    check_graph(p, 3, "tier 2: A\ntier 1: C\nB !-> C", "A>B A<C ");
}

static void test_no_extension(void **state)
{
    (void)state;
    /* an undirected square has no orientation without a new v-structure: the clearest edge gives
     * way, and the others follow or stay */
    const double square[16] = {
        0,    0.40, 0,    0.45, /* A-B, A-D */
        0.40, 0,    0.45, 0,    /* B-C */
        0,    0.40, 0,    0.40, /* C-D */
        0.40, 0,    0.44, 0,    /**/
    };
    double copy[16];
    decoding d;
    memcpy(copy, square, sizeof copy);
    CHECK_OK(decode_given(&d, copy, 4, NULL, &usual));
    CHECK(scone_graph_edges(d.graph) == 4);
    CHECK(graph_directed(d.graph, 0, 3)); /* the clearest, the first of two */
    decoding_free(&d);
    check_why(square, 4, "", 0, 3, "search, direction so that the graph extends to a DAG");
    /* A > B > C > D with A - D: A <- D would close a cycle, A -> D is a v-structure of its own */
    const double chord[16] = {
        0, 0.9, 0, 0.4, 0, 0, 0.9, 0, 0, 0, 0, 0.9, 0.45, 0, 0, 0,
    };
    check_graph(chord, 4, "", "A>B A>D B>C C>D ");
}

static void test_reasons(void **state)
{
    (void)state;
    const double chain[9] = {0, 0.9, 0, 0, 0, 0.45, 0, 0.45, 0}; /* A > B - C */
    check_graph(chain, 3, "", "A>B B>C ");
    check_why(chain, 3, "", 0, 1, "search");
    check_why(chain, 3, "", 1, 2, "Meek R1 from A -> B");
    check_why(chain, 3, "B !-> C", 2, 1, "search, direction by knowledge line 1");
    check_why(chain, 3, "tier 3: B\n\ntier 1: C", 2, 1,
              "search, direction by knowledge lines 1 and 3");
    const double triangle[9] = {0, 0.9, 0.45, 0, 0, 0.9, 0.45, 0, 0}; /* A > B > C, A - C */
    check_why(triangle, 3, "", 0, 2, "Meek R2 from A -> B -> C");
    /* A - B, A - C, A - D, C > B < D: R3 */
    const double fork[16] = {
        0, 0.45, 0.45, 0.45, 0.45, 0, 0, 0, 0.45, 0.9, 0, 0, 0.45, 0.9, 0, 0,
    };
    check_why(fork, 4, "", 0, 1, "Meek R3 from C -> B <- D");
    /* A - B, A - D, A - C, D > C > B: R4 */
    const double kite[16] = {
        0, 0.45, 0.45, 0.45, 0.45, 0, 0, 0, 0.45, 0.9, 0, 0, 0.45, 0, 0.9, 0,
    };
    check_why(kite, 4, "", 0, 1, "Meek R4 from D -> C -> B");
}

static void test_conditioning(void **state)
{
    (void)state;
    double p[16] = {0, 0.6, 0.5, 0.5, 0.2, 0, 0.1, 0.3, 0.5, 0.1, 0, 0.25, 0.25, 0.7, 0.25, 0};
    decoding d;
    knowledge *k = know("A !-> B\nB -> C\nA !-> C\nC !-> A\nD !-> A", 4);
    CHECK_OK(decode_given(&d, p, 4, k, &usual));
    CHECK_SAME(p[1], 0.0); /* A -> B forbidden: 0.2 of the 0.4 that are left */
    CHECK_NEAR(p[4], 0.5, 1e-15);
    CHECK_SAME(p[6], 1.0); /* B -> C required */
    CHECK_SAME(p[9], 0.0);
    CHECK_SAME(p[2], 0.0); /* neither A -> C nor C -> A, and nothing was left */
    CHECK_SAME(p[8], 0.0);
    CHECK_NEAR(p[3], 0.5 / 0.75, 1e-15);
    CHECK_SAME(p[7], 0.3); /* untouched */
    decoding_free(&d);
    knowledge_free(k);
    double bad[4] = {0, 0.7, 0.7, 0}, nan[4] = {0, (double)NAN, 0, 0}, low[4] = {0, -0.1, 0, 0};
    CHECK_FAILS(decode_given(&d, bad, 2, NULL, &usual), SCONE_ERR_DEFECT, "probabilities");
    decoding_free(&d);
    CHECK_FAILS(decode_given(&d, nan, 2, NULL, &usual), SCONE_ERR_DEFECT, "probabilities");
    decoding_free(&d);
    CHECK_FAILS(decode_given(&d, low, 2, NULL, &usual), SCONE_ERR_DEFECT, "probabilities");
    decoding_free(&d);
    CHECK_OK(decode_given(&d, bad, 0, NULL, &usual));
    CHECK(d.count == 0);
    decoding_free(&d);
}

/* ---- random cases ---- */

/* Probabilities of many shapes: sparse, dense, undecided. */
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

/* Statements about places that `place` renames; NULL if they contradict each other. */
static knowledge *draw_knowledge(size_t nodes, rng r, const size_t *place)
{
    char text[1024] = "";
    size_t used = 0, lines = rng_below(&r, 8);
    for (size_t l = 0; l < lines; l++) {
        size_t i = rng_below(&r, nodes), j = rng_below(&r, nodes), what = rng_below(&r, 4);
        if (i == j) continue;
        const char *a = letters[place[i]], *b = letters[place[j]];
        if (what < 2) {
            used += (size_t)sprintf(text + used, "%s %s %s\n", a, what ? "->" : "!->", b);
        } else if (what == 2) {
            used += (size_t)sprintf(text + used, "tier %zu: %s\n", l % 3, a);
        } else {
            used += (size_t)sprintf(text + used, "%s !-> %s\n%s !-> %s\n", a, b, b, a);
        }
    }
    knowledge_file file;
    knowledge *k = NULL;
    CHECK_OK(knowledge_parse(&file, text, used));
    const knowledge_names about = {.variables = letters, .count = nodes};
    scone_status status = knowledge_compile(&k, &file, &about);
    CHECK(status == SCONE_OK || status == SCONE_ERR_INPUT);
    knowledge_file_free(&file);
    return k;
}

static void check_knowledge(const decoding *d, const knowledge *k, const double *p)
{
    size_t nodes = d->graph->nodes;
    for (size_t i = 0; i < nodes; i++) {
        for (size_t j = 0; j < nodes; j++) {
            if (i == j) continue;
            if (knowledge_requires(k, i, j)) CHECK(graph_directed(d->graph, i, j));
            if (knowledge_forbids(k, i, j)) {
                CHECK(!graph_directed(d->graph, i, j) && !graph_undirected(d->graph, i, j));
                CHECK_SAME(p[i * nodes + j], 0.0);
            }
            CHECK(p[i * nodes + j] >= 0.0 && p[i * nodes + j] + p[j * nodes + i] <= 1.0 + 1e-9);
        }
    }
}

/* Every pair above the threshold is there or was skipped for a cycle; directions follow the
 * probabilities where they are clear. */
static void check_pairs(const decoding *d, const double *p)
{
    size_t nodes = d->graph->nodes;
    for (size_t i = 0; i < nodes; i++) {
        for (size_t j = i + 1; j < nodes; j++) {
            double forward = p[i * nodes + j], backward = p[j * nodes + i];
            scone_mark mark = scone_graph_mark(d->graph, i, j);
            bool skipped = false, clear = fabs(forward - backward) >= usual.margin;
            for (size_t s = 0; s < d->skipped_count; s++) {
                size_t from = d->skipped[s].from, to = d->skipped[s].to;
                skipped |= (from == i && to == j) || (from == j && to == i);
            }
            CHECK((mark != SCONE_MARK_NONE) == (forward + backward >= usual.threshold && !skipped));
            if (mark == SCONE_MARK_NONE || !clear) continue;
            CHECK(mark == (forward > backward ? SCONE_MARK_FORWARD : SCONE_MARK_BACKWARD));
        }
    }
}

static void check_closed(const decoding *d, meek *m, graph_work *work, graph *dag, graph *copy)
{
    CHECK(graph_extend(dag, d->graph, work));
    graph_assign(copy, d->graph);
    CHECK_OK(meek_close(copy, m));
    CHECK(m->count == 0 && graph_equal_marks(copy, d->graph));
    /* the steps, taken back and replayed in their order */
    for (size_t s = 0; s < d->step_count; s++) {
        graph_undirect(copy, d->steps[s].from, d->steps[s].to);
    }
    for (size_t s = 0; s < d->step_count; s++) {
        CHECK(meek_reason_holds(copy, &d->steps[s]));
        graph_direct(copy, d->steps[s].from, d->steps[s].to);
    }
    CHECK(d->count == scone_graph_edges(d->graph));
}

static void check_permuted(const decoding *d, const double *given, size_t nodes, rng knowledge_rng,
                           rng *r)
{
    double p[MOST * MOST];
    size_t place[MOST];
    decoding other;
    rng_permutation(r, place, nodes);
    for (size_t i = 0; i < nodes; i++) {
        for (size_t j = 0; j < nodes; j++) p[place[i] * nodes + place[j]] = given[i * nodes + j];
    }
    knowledge *k = draw_knowledge(nodes, knowledge_rng, place);
    CHECK(k != NULL);
    CHECK_OK(decode_given(&other, p, nodes, k, &usual));
    for (size_t i = 0; i < nodes; i++) {
        for (size_t j = 0; j < nodes; j++) {
            if (i == j) continue;
            CHECK(scone_graph_mark(d->graph, i, j) ==
                  scone_graph_mark(other.graph, place[i], place[j]));
        }
    }
    decoding_free(&other);
    knowledge_free(k);
}

static void test_random(void **state)
{
    (void)state;
    size_t accepted = 0, repaired = 0, skipped = 0, closed = 0;
    size_t itself[MOST];
    for (size_t i = 0; i < MOST; i++) itself[i] = i;
    meek *m;
    graph_work *work;
    CHECK_OK(meek_alloc(&m, MOST));
    CHECK_OK(graph_work_alloc(&work, MOST));
    for (uint64_t round = 0; accepted < 10000; round++) {
        rng r = rng_stream(5, RNG_TEST, round, 0, 0), s = rng_stream(5, RNG_TEST, round, 1, 0);
        double given[MOST * MOST], p[MOST * MOST];
        size_t nodes = 2 + rng_below(&r, MOST - 1);
        knowledge *k = draw_knowledge(nodes, s, itself);
        if (!k) continue;
        accepted++;
        draw_probabilities(given, nodes, &r);
        memcpy(p, given, sizeof p);
        decoding d;
        graph *dag, *copy;
        CHECK_OK(graph_alloc(&dag, nodes));
        CHECK_OK(graph_alloc(&copy, nodes));
        CHECK_OK(decode_given(&d, p, nodes, k, &usual));
        check_knowledge(&d, k, p);
        check_pairs(&d, p);
        check_closed(&d, m, work, dag, copy);
        check_permuted(&d, given, nodes, s, &r);
        for (size_t e = 0; e < d.count; e++) {
            char *why;
            CHECK_OK(decode_why(&why, &d, e, k, "search", letters));
            CHECK(strlen(why) >= 6);
            mem_free(why);
            repaired += d.edges[e].cause == DECODE_EXTENSION;
        }
        skipped += d.skipped_count;
        closed += d.step_count;
        decoding_free(&d);
        scone_graph_free(dag);
        scone_graph_free(copy);
        knowledge_free(k);
    }
    /* the cases that matter did occur */
    CHECK(repaired > 1000 && skipped > 1000 && closed > 1000);
    graph_work_free(work);
    meek_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threshold_and_margin),
        cmocka_unit_test(test_margin_of_unlikely_edges),
        cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_no_extension),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_conditioning),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
