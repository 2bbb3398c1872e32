/* test_local_graphs.c - local graphs from votes: always closed and with a DAG, whatever was
 * elected; the weakest directions give way; what local graphs say is counted by regime. */
#include "testing.h"

#include "base/rng.h"
#include "learn/ensemble_parts.h"
#include "reasons/local_graphs.h"
#include "rules/witness.h"

/* The votes of one subset, in both regimes the same if `second` is NULL. */
static ensemble_locals *make_locals(const ensemble_subsets *subsets, size_t columns,
                                    const char *const marks[2], const double *shares)
{
    ensemble_locals *l;
    size_t members = subsets->offsets[subsets->count];
    l = mem_zero(1, sizeof *l);
    CHECK(l != NULL);
    l->columns = columns;
    l->count = subsets->count;
    l->offsets = mem_alloc(l->count + 1, sizeof *l->offsets);
    l->members = mem_alloc(members, sizeof *l->members);
    memcpy(l->offsets, subsets->offsets, (l->count + 1) * sizeof *l->offsets);
    memcpy(l->members, subsets->members, members * sizeof *l->members);
    CHECK_OK(ensemble_result_alloc(&l->elected, subsets, 2));
    for (int regime = 0; regime < 2; regime++) {
        for (size_t cell = 0; cell < l->elected->cells; cell++) {
            static const char words[] = ".><-";
            size_t at = (size_t)regime * l->elected->cells + cell;
            size_t mark = (size_t)(strchr(words, marks[regime][cell]) - words);
            for (int c = 0; c < ENSEMBLE_CLASSES; c++) l->elected->shares[at][c] = 0.0;
            l->elected->winners[at] = (unsigned char)mark;
            l->elected->shares[at][mark] = shares[cell];
        }
    }
    return l;
}

static bool has(const local_graph *g, int count, const char *edges)
{
    local_graph wanted = {.children = {0}};
    for (const char *at = edges; *at; at += 3 + (at[3] == ' ')) {
        int a = at[0] - '0', b = at[2] - '0';
        if (at[1] == '-') pdag_undirect(&wanted, a, b);
        if (at[1] == '>') pdag_direct(&wanted, a, b);
        if (at[1] == '<') pdag_direct(&wanted, b, a);
    }
    return pdag_equal(&wanted, g, count);
}

typedef struct repair_case {
    int count;
    const char *marks;  /* of the pairs (0,1), (0,2), .. */
    const char *shares; /* in tenths */
    const char *edges;  /* after it; NULL: nothing is known */
    size_t opened;
} repair_case;

static void test_repair(void **state)
{
    (void)state;
    static const repair_case cases[] = {
        {3, ">.>", "909", "0>1 1>2", 0},           /* pairs 01 02 12 */
        {3, ">.-", "909", "0>1 1>2", 0},           /* closed: no new v-structure at 1 */
        {3, ">.<", "905", "0>1 1<2", 0},           /* a v-structure that was elected */
        {3, "><>", "987", "0>1 2>0 2>1", 1},       /* a cycle: the weakest is left open, then R2 */
        {3, "---", "555", "0-1 0-2 1-2", 0},       /* a triangle */
        {4, "-.--.-", "505505", NULL, 0},          /* a ring of four, all open */
        {4, ">..-.-", "900505", "0>1 1>2 2>3", 0}, /* 01 02 03 12 13 23: R1, R1 */
        {4, ">.>>.-", "909905", NULL, 3},          /* a ring that no DAG closes */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const repair_case *c = &cases[k];
        static const size_t all[] = {0, 1, 2, 3}, four[] = {0, 4}, triple[] = {0, 3};
        const ensemble_subsets subsets = {1, c->count == 3 ? triple : four, all};
        double shares[6];
        for (size_t s = 0; c->shares[s]; s++) shares[s] = 0.1 * (c->shares[s] - '0');
        const char *marks[2] = {c->marks, c->marks};
        ensemble_locals *locals = make_locals(&subsets, 4, marks, shares);
        local_graphs got;
        CHECK_OK(local_graphs_make(&got, locals));
        CHECK(got.count == (c->edges != NULL) && got.hopeless == (c->edges ? 0 : 2u));
        CHECK(got.opened == 2 * c->opened);
        if (c->edges && !has(&got.subsets[0].local[0], c->count, c->edges)) fail_msg("case %zu", k);
        local_graphs_free(&got);
        ensemble_locals_free(locals);
    }
}

/* Directions by regime, and how strong: shares over all local graphs that hold both. */
static void test_directions(void **state)
{
    (void)state;
    static const size_t offsets[] = {0, 2, 4}, members[] = {1, 3, 1, 3};
    const ensemble_subsets subsets = {2, offsets, members};
    const double shares[] = {0.8, 0.6};
    const char *marks[2] = {"><", ">."};
    ensemble_locals *locals = make_locals(&subsets, 5, marks, shares);
    local_graphs got;
    CHECK_OK(local_graphs_make(&got, locals));
    CHECK(got.count == 2 && got.direction_count == 2 && got.opened == 0 && got.hopeless == 0);
    const local_direction *first = &got.directions[0], *second = &got.directions[1];
    CHECK(first->from == 1 && first->to == 3 && first->regimes == 3);
    CHECK_NEAR(first->strength, 1.6 / 4.0, 1e-15);
    CHECK(second->from == 3 && second->to == 1 && second->regimes == 1);
    CHECK_NEAR(second->strength, 0.6 / 4.0, 1e-15);
    CHECK(got.subsets[1].nodes[0] == 1 && got.subsets[1].nodes[1] == 3);
    CHECK(pdag_directed(&got.subsets[1].local[0], 1, 0));
    CHECK(pdag_adjacent(&got.subsets[1].local[1], 0) == 0);
    CHECK(got.subsets[1].descendants[1] == 1 && got.subsets[1].descendants[0] == 0);
    local_graphs_free(&got);
    ensemble_locals_free(locals);
}

/* Whatever is elected: a skeleton of elected pairs, closed, with a DAG that keeps its directions;
 * a direction that was elected the other way only by closure of the stronger ones. */
static void test_random(void **state)
{
    (void)state;
    enum { SIZE = 7, PAIRS = 21 };
    rng r = rng_stream(8, RNG_TEST, 0, 0, 0);
    static const size_t offsets[] = {0, SIZE}, members[] = {0, 1, 2, 3, 4, 5, 6};
    const ensemble_subsets subsets = {1, offsets, members};
    size_t kept = 0, opened = 0, hopeless = 0;
    for (int trial = 0; trial < 3000; trial++) {
        char text[2][PAIRS + 1] = {{0}, {0}};
        double shares[PAIRS], density = 0.1 + 0.8 * rng_uniform(&r);
        for (int cell = 0; cell < 2 * PAIRS; cell++) {
            bool edge = rng_uniform(&r) < density;
            text[cell / PAIRS][cell % PAIRS] = edge ? "><-"[rng_below(&r, 3)] : '.';
            shares[cell % PAIRS] = 0.3 + 0.7 * rng_uniform(&r);
        }
        const char *marks[2] = {text[0], text[1]};
        ensemble_locals *locals = make_locals(&subsets, SIZE, marks, shares);
        local_graphs got;
        CHECK_OK(local_graphs_make(&got, locals));
        opened += got.opened;
        hopeless += got.hopeless;
        for (size_t s = 0; s < got.count; s++) {
            for (int regime = 0; regime < 2; regime++) {
                const local_graph *g = &got.subsets[s].local[regime];
                local_graph dag, closed = *g;
                int cell = 0;
                CHECK(pdag_extend(&dag, g, SIZE) && pdag_same_colliders(&dag, g, SIZE));
                CHECK(pdag_close(&closed, SIZE) && pdag_equal(&closed, g, SIZE));
                for (int a = 0; a < SIZE; a++) {
                    for (int b = a + 1; b < SIZE; b++, cell++) {
                        bool edge = text[regime][cell] != '.';
                        CHECK(edge == mask_has(pdag_adjacent(g, a), b));
                    }
                }
                kept++;
            }
        }
        local_graphs_free(&got);
        ensemble_locals_free(locals);
    }
    CHECK(kept > 1000 && opened > 1000 && hopeless > 100);
}

/* More columns than a rule looks at. */
static void test_large(void **state)
{
    (void)state;
    enum { SIZE = RULE_MOST_NODES + 1, PAIRS = SIZE * (SIZE - 1) / 2 };
    size_t offsets[] = {0, SIZE}, members[SIZE];
    double shares[PAIRS];
    char text[PAIRS + 1] = {0};
    for (size_t m = 0; m < SIZE; m++) members[m] = m;
    for (size_t p = 0; p < PAIRS; p++) shares[p] = 1.0;
    memset(text, '>', PAIRS);
    const ensemble_subsets subsets = {1, offsets, members};
    const char *marks[2] = {text, text};
    ensemble_locals *locals = make_locals(&subsets, SIZE, marks, shares);
    local_graphs got;
    CHECK_OK(local_graphs_make(&got, locals));
    CHECK(got.subsets == NULL && got.count == 0 && got.direction_count == 0);
    local_graphs_free(&got);
    ensemble_locals_free(locals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repair),
        cmocka_unit_test(test_directions),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
