/* test_verify.c - scone verify: its counts against a check by the definitions over every DAG with
 * its names, the table of docs/methods/theory.md, threads, files, what is refused. */
#include "testing.h"

#include "io/file.h"
#include "theory/study.h"
#include "theory/verify.h"

#include <unistd.h>

static scone_verify *verified(size_t nodes, size_t subset_size, int threads)
{
    scone_verify *v;
    scone_verify_options options = {nodes, subset_size};
    scone_context context = {.threads = threads};
    CHECK_OK(scone_verify_run(&v, &options, &context));
    return v;
}

/* Every claim holds but the one that is known to fail. */
static void check_claims(const scone_verify *v, bool dpt_fails)
{
    const scone_verify_row *sum = scone_verify_get(v, 0);
    for (int check = 0; check < SCONE_VERIFY_CHECKS; check++) {
        bool fails = check == SCONE_VERIFY_SOUND_DPT_LITERAL && dpt_fails;
        if ((sum->exceptions[check] > 0) != fails) {
            fail_msg("%s: %lu exceptions", scone_verify_check_name((scone_verify_check)check),
                     (unsigned long)sum->exceptions[check]);
        }
        CHECK((scone_verify_example(v, (scone_verify_check)check) != NULL) == fails);
    }
}

/* An independent program found these (docs/methods/theory.md). */
static void test_table(void **state)
{
    (void)state;
    static const struct {
        size_t nodes, subset_size;
        uint64_t cases, r, printed, any, all;
    } known[] = {
        {3, 0, 175, 192, 102, 102, 192},
        {4, 3, 8145, 13944, 4632, 7944, 13944},
        {4, 0, 8145, 14160, 7944, 7944, 14160},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        scone_verify *v = verified(known[k].nodes, known[k].subset_size, 1);
        const scone_verify_row *sum = scone_verify_get(v, 0);
        assert_int_equal(sum->cases, known[k].cases);
        assert_int_equal(sum->r, known[k].r);
        assert_int_equal(sum->recovered[SCONE_VERIFY_SSI_CVT], known[k].printed);
        assert_int_equal(sum->recovered[SCONE_VERIFY_SSI_ANY], known[k].any);
        assert_int_equal(sum->recovered[SCONE_VERIFY_SSI_ANY_SCR], known[k].all);
        assert_int_equal(sum->recovered[SCONE_VERIFY_CVT], 0);
        check_claims(v, known[k].nodes == 4 && known[k].subset_size == 0);
        scone_verify_free(v);
    }
}

static void test_every_small_family(void **state)
{
    (void)state;
    for (size_t nodes = 1; nodes <= 4; nodes++) {
        for (size_t size = 0; size <= nodes; size++) {
            if (size == 1) continue;
            scone_verify *v = verified(nodes, size, 1);
            check_claims(v, nodes == 4 && (size == 0 || size == 4));
            uint64_t cases = 0, r = 0;
            CHECK(scone_verify_count(v) == nodes + 1);
            for (size_t row = 1; row <= nodes; row++) {
                CHECK(scone_verify_get(v, row)->targets == row);
                cases += scone_verify_get(v, row)->cases;
                r += scone_verify_get(v, row)->r;
            }
            CHECK(cases == scone_verify_get(v, 0)->cases && r == scone_verify_get(v, 0)->r);
            scone_verify_free(v);
        }
    }
}

/* The smallest exception is the one that test_rules.c spells out, under other names. */
static void test_example(void **state)
{
    (void)state;
    scone_verify *v = verified(4, 0, 1);
    const char *example = scone_verify_example(v, SCONE_VERIFY_SOUND_DPT_LITERAL);
    CHECK(example);
    assert_string_equal(example, "A -> D, B -> A, B -> C, B -> D, C -> A; targets A; at A -> C");
    CHECK(scone_verify_get(v, 0)->dpt_printed_wrong > 0);
    scone_verify_free(v);
}

/* ---- by the definitions, over every DAG with its names ---- */

enum { MOST_DAGS = 543, NODES = 4, MOST_VIEWS = 16 };

typedef struct labelled {
    local_graph dag, cpdag;
    uint64_t cpdag_code;
    local_graph local[MOST_VIEWS];
    oracle_outcomes single[NODES];
} labelled;

typedef struct labelled_case {
    const labelled *of;
    oracle_outcomes outcomes;
    directions by_paper; /* SSI and CVT */
} labelled_case;

static bool add_direction(void *context, const certificate *c)
{
    labelled_case *of = ((void **)context)[0];
    const oracle_view *view = ((void **)context)[1];
    of->by_paper.to[view->node[c->source]] |= MASK_BIT(view->node[c->target]);
    return true;
}

static size_t list_dags(labelled *dags, uint32_t *views, size_t view_count, int most_given)
{
    size_t found = 0;
    for (uint32_t code = 0; code < 1u << 12; code++) {
        local_graph g;
        bool doubled = false;
        memset(&g, 0, sizeof g);
        for (int a = 0, bit = 0; a < NODES; a++) {
            for (int b = 0; b < NODES; b++) {
                if (a == b) continue;
                if (!(code >> bit++ & 1u)) continue;
                doubled |= pdag_directed(&g, b, a);
                pdag_direct(&g, a, b);
            }
        }
        if (doubled || !pdag_acyclic(&g, NODES)) continue;
        labelled *d = &dags[found++];
        d->dag = g;
        oracle_cpdag(&d->cpdag, &g, NODES);
        d->cpdag_code = classes_encode(&d->cpdag, NODES);
        for (size_t v = 0; v < view_count; v++) {
            oracle_local_graph(&d->local[v], &g, NODES, views[v]);
        }
        for (int t = 0; t < NODES; t++) {
            oracle_target_outcomes(&d->single[t], &g, NODES, t, most_given);
        }
    }
    CHECK(found == MOST_DAGS);
    return found;
}

static void list_cases(labelled_case *cases, labelled *dags, const uint32_t *views,
                       size_t view_count, int most_given)
{
    for (size_t d = 0; d < MOST_DAGS; d++) {
        for (uint32_t targets = 1; targets < 1u << NODES; targets++) {
            labelled_case *c = &cases[d * 15 + targets - 1];
            memset(c, 0, sizeof *c);
            c->of = &dags[d];
            MASK_FOR(t, targets) {
                for (int w = 0; w < ORACLE_WORDS; w++) {
                    c->outcomes.words[w] |= dags[d].single[t].words[w];
                }
            }
            for (size_t v = 0; v < view_count; v++) {
                oracle_view view;
                oracle_view_make(&view, &dags[d].dag, NODES, views[v], most_given);
                view.outcomes = &c->outcomes;
                void *context[] = {c, &view};
                rule_ssi(&view.view, add_direction, context);
                rule_cvt(&view.view, add_direction, context);
            }
        }
    }
}

/* Is what two cases say of the graph the same? With H_obs or with the local graphs alone. */
static bool same_graphs(const labelled *a, const labelled *b, bool with_obs, size_t view_count)
{
    if (with_obs) return a->cpdag_code == b->cpdag_code;
    return memcmp(a->local, b->local, view_count * sizeof *a->local) == 0;
}

static directions closed(const local_graph *cpdag, const directions *k)
{
    local_graph g = *cpdag;
    for (int a = 0; a < NODES; a++) {
        MASK_FOR(b, k->to[a]) {
            if (pdag_undirected(&g, a, b)) pdag_direct(&g, a, b);
        }
    }
    (void)pdag_close(&g, NODES);
    return directions_of(&g, NODES);
}

typedef struct totals {
    uint64_t r, per_not_reduced, ctr_not_test;
} totals;

static totals sum_cases(const labelled_case *cases, bool with_obs, size_t view_count)
{
    totals t = {0};
    for (size_t c = 0; c < MOST_DAGS * 15; c++) {
        directions reduced = directions_of(&cases[c].of->dag, NODES), g_test = reduced;
        directions said = cases[c].by_paper; /* where the whole class has an edge */
        uint16_t joined[NODES];
        for (int v = 0; v < NODES; v++) joined[v] = pdag_adjacent(&cases[c].of->dag, v);
        for (size_t o = 0; o < MOST_DAGS * 15; o++) {
            if (!same_graphs(cases[c].of, cases[o].of, with_obs, view_count)) continue;
            directions other = directions_of(&cases[o].of->dag, NODES);
            reduced = directions_common(&reduced, &other);
            if (memcmp(&cases[c].outcomes, &cases[o].outcomes, sizeof cases[c].outcomes) != 0) {
                continue;
            }
            g_test = directions_common(&g_test, &other);
            for (int v = 0; v < NODES; v++) joined[v] &= pdag_adjacent(&cases[o].of->dag, v);
        }
        directions r = directions_without(&g_test, &reduced), k = reduced;
        directions h_per = closed(&cases[c].of->cpdag, &k);
        for (int v = 0; v < NODES; v++) said.to[v] &= joined[v];
        directions_add(&k, &said);
        directions h_ctr = closed(&cases[c].of->cpdag, &k);
        t.r += (uint64_t)directions_count(&r);
        t.per_not_reduced += !directions_within(&h_per, &reduced);
        t.ctr_not_test += !directions_within(&h_ctr, &g_test);
    }
    return t;
}

/* The same R; and why H_obs must be part of the information (D22). */
static void test_definitions(void **state)
{
    (void)state;
    static labelled dags[MOST_DAGS];
    static labelled_case cases[MOST_DAGS * 15];
    uint32_t views[MOST_VIEWS];
    size_t view_count = 0;
    for (uint32_t set = 1; set < 16; set++) {
        if (mask_count(set) == 3) views[view_count++] = set;
    }
    memset(dags, 0, sizeof dags);
    (void)list_dags(dags, views, view_count, 2);
    list_cases(cases, dags, views, view_count, 2);
    totals with = sum_cases(cases, true, view_count), alone = sum_cases(cases, false, view_count);
    scone_verify *v = verified(4, 3, 1);
    assert_int_equal(with.r, scone_verify_get(v, 0)->r);
    assert_int_equal(with.per_not_reduced, 0);
    assert_int_equal(with.ctr_not_test, 0);
    assert_int_equal(alone.per_not_reduced, 1170);
    assert_int_equal(alone.ctr_not_test, 876);
    scone_verify_free(v);
}

/* ---- subsets that are not all of one size ---- */

typedef struct irregular {
    oracle_outcomes tested, *outcomes;
    directions said;
} irregular;

static literal look_irregular(void *context, int v, uint32_t z)
{
    const irregular *i = context;
    if (!oracle_outcome(&i->tested, NODES, v, z)) return LITERAL_UNKNOWN;
    return oracle_outcome(i->outcomes, NODES, v, z) ? LITERAL_CHANGED : LITERAL_INVARIANT;
}

static bool add_irregular(void *context, const certificate *c)
{
    ((irregular *)context)->said.to[c->source] |= MASK_BIT(c->target);
    return true;
}

/* With ABC, ABD and BCD, but without ACD, every pair is in a subset, and yet the rules miss what
 * could be known: the proof of completeness asks that all nodes are tested given the same sets. */
static void test_irregular_family(void **state)
{
    (void)state;
    enum { A, B, C, D };
    static const uint32_t family[] = {7, 11, 14};
    irregular i = {.said = {{0}}};
    study *s;
    CHECK_OK(study_alloc(&s, NODES, 0));
    CHECK_OK(study_class(s, 0xfff)); /* the complete graph */
    for (int v = 0; v < NODES; v++) {
        for (uint32_t z = 0; z < 1u << NODES; z++) {
            bool inside = false;
            for (int f = 0; f < 3; f++) inside |= !((z | MASK_BIT(v)) & ~family[f]);
            uint32_t bit = (uint32_t)v << NODES | z;
            if (inside && !mask_has(z, v)) i.tested.words[bit >> 6] |= UINT64_C(1) << (bit & 63);
        }
    }
    size_t at = SIZE_MAX; /* A -> C -> B -> D and all other edges forward, target C */
    for (size_t c = 0; c < s->case_count; c++) {
        const local_graph *dag = &s->members[s->cases[c].member];
        for (int w = 0; w < ORACLE_WORDS; w++) s->cases[c].outcomes.words[w] &= i.tested.words[w];
        if (pdag_directed(dag, A, C) && pdag_directed(dag, C, B) && pdag_directed(dag, B, D) &&
            s->cases[c].targets == MASK_BIT(C)) {
            at = c;
        }
    }
    CHECK(at < s->case_count);
    directions g_test = directions_of(&s->members[s->cases[at].member], NODES), h;
    for (size_t c = 0; c < s->case_count; c++) {
        if (memcmp(&s->cases[c].outcomes, &s->cases[at].outcomes, sizeof i.tested) != 0) continue;
        directions other = directions_of(&s->members[s->cases[c].member], NODES);
        g_test = directions_common(&g_test, &other);
    }
    i.outcomes = &s->cases[at].outcomes;
    s->whole.view.look = look_irregular;
    s->whole.view.context = &i;
    rule_ssi_any(&s->whole.view, add_irregular, &i);
    rule_scr(&s->whole.view, add_irregular, &i);
    CHECK(study_close(&h, s, &i.said));
    CHECK(directions_within(&h, &g_test)); /* sound all the same */
    CHECK(mask_has(g_test.to[C], D) && !mask_has(h.to[C], D));
    study_free(s);
}

/* ---- threads, files, refusals ---- */

static void test_threads(void **state)
{
    (void)state;
    scone_verify *one = verified(4, 0, 1);
    char *first, *other;
    size_t first_size, other_size;
    CHECK_OK(scone_verify_write(one, "verify_one.csv"));
    CHECK_OK(file_read_all(&first, &first_size, "verify_one.csv", 1 << 20));
    CHECK(strstr(first, "nodes,subsets,targets,cases,cases_with_r,r,ssi,cvt,dpt,"));
    CHECK(strstr(first, "\n4,all,any,8145,5912,14160,7944,0,288,"));
    for (int threads = 2; threads <= 5; threads++) {
        scone_verify *many = verified(4, 0, threads);
        CHECK(memcmp(one->row, many->row, sizeof one->row) == 0);
        CHECK(memcmp(one->example, many->example, sizeof one->example) == 0);
        CHECK_OK(scone_verify_write(many, "verify_many.csv"));
        CHECK_OK(file_read_all(&other, &other_size, "verify_many.csv", 1 << 20));
        CHECK(first_size == other_size && memcmp(first, other, first_size) == 0);
        mem_free(other);
        scone_verify_free(many);
    }
    mem_free(first);
    scone_verify_free(one);
    (void)unlink("verify_one.csv");
    (void)unlink("verify_many.csv");
}

static void test_refused(void **state)
{
    (void)state;
    scone_verify *v;
    CHECK_FAILS(scone_verify_run(&v, &(scone_verify_options){0, 0}, NULL), SCONE_ERR_INPUT,
                "ask for 1 to 7");
    CHECK(!v);
    CHECK_FAILS(scone_verify_run(&v, &(scone_verify_options){8, 0}, NULL), SCONE_ERR_INPUT,
                "ask for 1 to 7");
    CHECK_FAILS(scone_verify_run(&v, &(scone_verify_options){4, 1}, NULL), SCONE_ERR_INPUT,
                "subsets of 1 among 4");
    CHECK_FAILS(scone_verify_run(&v, &(scone_verify_options){4, 5}, NULL), SCONE_ERR_INPUT,
                "subsets of 5 among 4");
    scone_verify_free(NULL);
}

static bool stop(void *user, const char *stage, double done)
{
    (void)user;
    (void)stage;
    return done < 0.5;
}

static void test_stopped(void **state)
{
    (void)state;
    scone_verify *v;
    scone_context context = {.threads = 1, .progress = stop};
    CHECK(scone_verify_run(&v, &(scone_verify_options){4, 0}, &context) == SCONE_ERR_INPUT);
    CHECK(!v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_every_small_family),
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_irregular_family),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
