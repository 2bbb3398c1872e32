/* test_search_order.c - moves along the order of the graph, after and against the greedy search
 * alone; and what is pruned at the end. */
#include "testing.h"

#include "graph/graph_order.h"
#include "learn/search/search_parts.h"

enum { NODES = 6, PASSES = 6 };

static uint32_t families_of_problem = SCONE_SIGMOID;

/* A search up to where its stages begin, as search_run prepares it. */
typedef struct run {
    scone_problem *problem;
    basis *b;
    search_options options;
    search s;
} run;

static scone_problem *make_problem(uint64_t seed)
{
    scone_setting setting;
    scone_problem *made;
    CHECK_OK(scone_setting_named(&setting, "ood-20-20"));
    setting.families = families_of_problem;
    setting.noise = SCONE_NOISE_MIXED;
    setting.nodes_min = setting.nodes_max = NODES;
    setting.edges_min = setting.edges_max = 9.0;
    setting.samples = 300;
    setting.seed = seed;
    CHECK_OK(scone_simulate(&made, &setting, 0, NULL));
    return made;
}

static void begin(run *r, uint64_t seed, const bits_word *required, const bits_word *forbidden)
{
    *r = (run){.problem = make_problem(seed),
               .options = {.required = required, .forbidden = forbidden}};
    search *s = &r->s;
    const family_score_options how = {.edge_cost = search_edge_cost(NODES), .effort = 0};
    CHECK_OK(basis_alloc(&r->b, scone_problem_pair(r->problem), &(basis_options){.seed = 1}, NULL));
    *s = (search){.nodes = NODES,
                  .words = bits_words(NODES),
                  .max_parents = FAMILY_MAX_PARENTS,
                  .looks = 4,
                  .least_gain = 0.4 * (0.2 * BASIS_SIZE * log(600.0) + how.edge_cost),
                  .options = &r->options};
    CHECK_OK(family_score_alloc(&s->scores, r->b, &how, NULL));
    CHECK_OK(graph_alloc(&s->dag, NODES));
    CHECK_OK(closure_alloc(&s->reach, NODES));
    s->families = mem_zero(NODES, sizeof *s->families);
    CHECK(s->families != NULL);
    for (size_t v = 0; v < NODES; v++) s->families[v].node = (uint32_t)v;
    for (size_t i = 0; required && i < NODES; i++) {
        for (size_t j = 0; j < NODES; j++) {
            if (bits_has(required + i, j)) search_add(s, i, j);
        }
    }
}

static void end(run *r)
{
    family_score_free(r->s.scores);
    scone_graph_free(r->s.dag);
    closure_free(r->s.reach);
    mem_free(r->s.families);
    mem_free(r->s.wishes);
    basis_free(r->b);
    scone_problem_free(r->problem);
}

static double total(const search *s)
{
    double sum = 0.0;
    for (size_t v = 0; v < NODES; v++) sum += family_score_get(s->scores, &s->families[v]);
    return sum;
}

/* The graph has no cycle and says the same as the families. */
static void check_graph(const search *s)
{
    graph_work *work;
    CHECK_OK(graph_work_alloc(&work, NODES));
    CHECK(graph_is_dag(s->dag, work));
    for (size_t v = 0; v < NODES; v++) {
        CHECK(s->families[v].node == v);
        for (size_t u = 0; u < NODES; u++) {
            CHECK(family_has(&s->families[v], u) == (u != v && graph_directed(s->dag, u, v)));
            CHECK(closure_reaches(s->reach, u, v) == graph_reaches(s->dag, u, v, work));
        }
    }
    graph_work_free(work);
}

/* Some seeds, and then those below 100 where the greedy search is stuck: which of them are depends
 * on the last bits of the scores, so on the machine, but not all can fail. */
#ifdef __SANITIZE_ADDRESS__ /* the same code, much slower there */
static const uint64_t seeds[] = {1, 30, 37, 46, 82, 90};
enum { PLAIN_SEEDS = 1 };
#else
static const uint64_t seeds[] = {1, 2, 3, 4, 20, 30, 37, 46, 68, 82, 86, 90};
enum { PLAIN_SEEDS = 4 };
#endif
enum { SEEDS = sizeof seeds / sizeof *seeds };

/* Never worse than the greedy search, and better where that is stuck: no addition, deletion or
 * reversal improves what it ends with. */
static void test_improves(void **state)
{
    (void)state;
    int better = 0;
    for (size_t k = 0; k < SEEDS; k++) {
        run r;
        begin(&r, seeds[k], NULL, NULL);
        CHECK_OK(search_greedy(&r.s));
        check_graph(&r.s);
        double greedy = total(&r.s);
        CHECK_OK(search_greedy(&r.s));
        CHECK_SAME(total(&r.s), greedy);
        CHECK_OK(search_order(&r.s, PASSES));
        check_graph(&r.s);
        double ordered = total(&r.s);
        if (!(ordered >= greedy)) {
            fail_msg("seed %d: %g after the greedy search, %g at last", (int)seeds[k], greedy,
                     ordered);
        }
        better += ordered > greedy + 3.0;
        CHECK(ordered < 0.0); /* standardized columns: no density of theirs is that high */
        end(&r);
    }
    CHECK(better >= 2);
}

/* No passes, no change. */
static void test_no_pass(void **state)
{
    (void)state;
    run r;
    begin(&r, 90, NULL, NULL);
    CHECK_OK(search_greedy(&r.s));
    double greedy = total(&r.s);
    CHECK_OK(search_order(&r.s, 0));
    CHECK_SAME(total(&r.s), greedy);
    end(&r);
}

/* The edges that tucks bring in are forbidden, and one of the others is required the other way
 * round: tucks respect both. False if there are no such edges. */
static bool check_knowledge(uint64_t seed)
{
    run r;
    bits_word greedy[NODES] = {0}, required[NODES] = {0}, forbidden[NODES] = {0};
    size_t from = NODES, to = NODES, brought = 0;
    begin(&r, seed, NULL, NULL);
    CHECK_OK(search_greedy(&r.s));
    for (size_t v = 0; v < NODES; v++) greedy[v] = *graph_parents(r.s.dag, v);
    CHECK_OK(search_order(&r.s, PASSES));
    for (size_t v = 0; v < NODES; v++) {
        for (size_t u = 0; u < NODES; u++) {
            if (!family_has(&r.s.families[v], u)) continue;
            if (bits_has(&greedy[v], u)) {
                from = v; /* the edge as it was not found */
                to = u;
            } else {
                bits_add(&forbidden[u], v);
                brought++;
            }
        }
    }
    end(&r);
    if (brought == 0 || from == NODES) return false;
    bits_add(&required[from], to);
    begin(&r, seed, required, forbidden);
    CHECK_OK(search_greedy(&r.s));
    CHECK_OK(search_order(&r.s, PASSES));
    check_graph(&r.s);
    CHECK(graph_directed(r.s.dag, from, to));
    for (size_t u = 0; u < NODES; u++) {
        for (size_t v = 0; v < NODES; v++) {
            if (bits_has(&forbidden[u], v)) CHECK(!graph_directed(r.s.dag, u, v));
        }
    }
    end(&r);
    return true;
}

static void test_knowledge(void **state)
{
    (void)state;
    int checked = 0;
    for (size_t k = PLAIN_SEEDS; k < SEEDS; k++) checked += check_knowledge(seeds[k]);
    CHECK(checked >= 2);
}

static void test_max_parents(void **state)
{
    (void)state;
    run r;
    begin(&r, 90, NULL, NULL);
    r.s.max_parents = 1;
    CHECK_OK(search_greedy(&r.s));
    CHECK_OK(search_order(&r.s, PASSES));
    check_graph(&r.s);
    for (size_t v = 0; v < NODES; v++) CHECK(r.s.families[v].count <= 1);
    end(&r);
}

/* ---- prune ---- */

static double worth_of(const search *s, size_t parent, size_t v)
{
    family less = family_without(&s->families[v], parent);
    return family_score_get(s->scores, &s->families[v]) - family_score_get(s->scores, &less);
}

/* What a parent must be worth: its share of what units gain, 1.5 sqrt(n) at most. */
static double least_worth(const search *s, const family *f)
{
    return fmin(1.5 * sqrt(s->rows), 0.6 * family_score_fit(s->scores, f)->refining);
}

/* Is every parent worth that? */
static bool worth_enough(const search *s, const family *f)
{
    double score = family_score_get(s->scores, f);
    double limit = least_worth(s, f);
    bool enough = true;
    for (size_t i = 0; i < f->count && limit > 0.0; i++) {
        family less = family_without(f, f->parents[i]);
        enough = enough && score - family_score_get(s->scores, &less) > limit;
    }
    return enough;
}

static bool has_sd_link(const search *s, const family *f)
{
    const fit_result *fit = family_score_fit(s->scores, f);
    return fit->model[0] == FIT_SD || fit->model[1] == FIT_SD || fit->model[2] == FIT_SD;
}

/* A high limit, so that much goes: afterwards no parent of a node with units is worth less, parents
 * of other nodes and required ones are as they were, and nothing was added. */
static void test_prune(void **state)
{
    (void)state;
    size_t before = 0, after = 0, plain = 0, refined = 0, kept = 0;
    families_of_problem = SCONE_NN;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        run r;
        family old[NODES];
        bits_word required[NODES] = {0};
        begin(&r, seed, NULL, NULL);
        r.s.rows = seed % 2 ? 4000.0 : 1e8; /* the root decides, or the share */
        CHECK_OK(search_greedy(&r.s));
        for (size_t v = 0; v < NODES; v++) { /* one required edge: the first there is */
            if (r.s.families[v].count == 0) continue;
            bits_add(&required[r.s.families[v].parents[0]], v);
            r.options.required = required;
            break;
        }
        memcpy(old, r.s.families, sizeof old);
        CHECK_OK(search_prune(&r.s)); /* fast effort does not */
        for (size_t v = 0; v < NODES; v++) CHECK(family_equal(&r.s.families[v], &old[v]));
        r.options.effort = 1;
        CHECK_OK(search_prune(&r.s));
        check_graph(&r.s);
        for (size_t v = 0; v < NODES; v++) {
            const family *f = &r.s.families[v];
            bool units = family_score_fit(r.s.scores, f)->units > 0;
            before += old[v].count;
            after += f->count;
            refined += units && f->count > 0;
            if (family_score_fit(r.s.scores, &old[v])->units == 0 && !has_sd_link(&r.s, &old[v])) {
                CHECK(family_equal(f, &old[v]));
                plain += f->count > 0;
            }
            if (worth_enough(&r.s, &old[v])) {
                CHECK(family_equal(f, &old[v]));
                kept += old[v].count > 0;
            }
            for (size_t i = 0; i < f->count; i++) {
                CHECK(family_has(&old[v], f->parents[i]));
                if (!units || bits_has(&required[f->parents[i]], v)) continue;
                CHECK(worth_of(&r.s, f->parents[i], v) >= least_worth(&r.s, f));
            }
            for (size_t u = 0; u < NODES; u++) {
                if (bits_has(&required[u], v)) CHECK(family_has(f, u));
            }
        }
        end(&r);
    }
    families_of_problem = SCONE_SIGMOID;
    CHECK(after < before && plain > 0 && kept > plain && refined > 0);
}

/* Parents that were worth enough until the family without them learnt from the one with them. */
static size_t unlucky_parents(uint32_t problem_families, const uint64_t *among, size_t count)
{
    size_t unlucky = 0;
    families_of_problem = problem_families;
    for (size_t k = 0; k < count; k++) {
        run r;
        family old[NODES];
        double worth[NODES][FAMILY_MAX_PARENTS], least[NODES];
        begin(&r, among[k], NULL, NULL);
        r.s.rows = 600.0;
        CHECK_OK(search_greedy(&r.s));
        for (size_t v = 0; v < NODES; v++) { /* a parent that is not there, and all that it needs */
            size_t u = (v + 1) % NODES;
            if (!family_has(&r.s.families[v], u) && !closure_would_cycle(r.s.reach, u, v)) {
                search_add(&r.s, u, v);
            }
            family f = r.s.families[v];
            CHECK_OK(search_wish(&r.s, &f, &f));
            CHECK_OK(search_fulfil(&r.s, NULL));
            for (size_t i = 0; i < f.count; i++) {
                family less = family_without(&f, f.parents[i]);
                CHECK_OK(search_wish(&r.s, &less, &f));
            }
            CHECK_OK(search_fulfil(&r.s, NULL));
            for (size_t i = 0; i < f.count; i++) worth[v][i] = worth_of(&r.s, f.parents[i], v);
            least[v] = least_worth(&r.s, &f);
        }
        memcpy(old, r.s.families, sizeof old);
        r.options.effort = 1;
        CHECK_OK(search_prune(&r.s));
        for (size_t v = 0; v < NODES; v++) {
            for (size_t i = 0; i < old[v].count; i++) {
                bool gone = !family_has(&r.s.families[v], old[v].parents[i]);
                if (gone && worth[v][i] >= least[v]) unlucky++;
            }
        }
        end(&r);
    }
    families_of_problem = SCONE_SIGMOID;
    return unlucky;
}

/* These seeds have five and six such parents; none of them goes without second looks. */
static void test_luck(void **state)
{
    (void)state;
    static const uint64_t units[] = {8, 10, 11, 14}, sd[] = {52, 62, 92, 105, 220, 223};
    CHECK(unlucky_parents(SCONE_NN, units, 4) >= 2);
    CHECK(unlucky_parents(SCONE_POLYNOMIAL | SCONE_SIGMOID, sd, 6) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_improves),  cmocka_unit_test(test_no_pass),
        cmocka_unit_test(test_knowledge), cmocka_unit_test(test_max_parents),
        cmocka_unit_test(test_prune),     cmocka_unit_test(test_luck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
