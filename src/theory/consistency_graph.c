/* consistency_graph.c - from the answers of tests, or of the population, to a graph
 * (consistency.h). */
#include "theory/consistency.h"

#include "stats/independence.h"
#include "stats/invariance.h"

#include <math.h>
#include <string.h>

double consistency_level(size_t rows)
{
    double alpha = 5.0 / (double)rows;
    return alpha < 0.02 ? alpha : 0.02;
}

/* ---- answers ---- */

static scone_status ask_independence(consistency_answers *answers, const scone_pair *pair,
                                     bool linear)
{
    scone_status status = SCONE_OK;
    independence *tests[2] = {NULL, NULL};
    for (int regime = 0; regime < 2; regime++) {
        TRY(independence_alloc(&tests[regime], pair->tables[regime], linear));
    }
    for (uint32_t z = 0; z < 1u << answers->count; z++) {
        if (mask_count(z) > answers->count - 2) continue;
        TRY(independence_given(tests[0], z));
        TRY(independence_given(tests[1], z));
        uint32_t free = mask_all(answers->count) & ~z;
        MASK_FOR(b, free) {
            MASK_FOR(a, free & ((1u << b) - 1u)) {
                independence_result r[3];
                for (int regime = 0; regime < 2; regime++) {
                    r[regime] = independence_of(tests[regime], (size_t)a, (size_t)b);
                }
                r[2] = (independence_result){r[0].statistic + r[1].statistic,
                                             r[0].degrees + r[1].degrees, r[0].rest + r[1].rest};
                for (int which = 0; which < 3; which++) {
                    answers->independent[which][a][b][z] = independence_log_p(&r[which]);
                }
            }
        }
    }
cleanup:
    independence_free(tests[0]);
    independence_free(tests[1]);
    return status;
}

static scone_status ask_literals(consistency_answers *answers, const scone_pair *pair,
                                 size_t subset_size)
{
    scone_status status = SCONE_OK;
    invariance *test = NULL;
    invariance_work *work = NULL;
    const invariance_options options = {0};
    TRY(invariance_create(&test, pair, &options));
    TRY(invariance_work_create(&work, test));
    for (uint32_t z = 0; z < 1u << answers->count; z++) {
        size_t given[SCONE_CONSISTENCY_MOST_NODES], m = 0;
        if ((size_t)mask_count(z) >= subset_size) continue;
        MASK_FOR(u, z) given[m++] = (size_t)u;
        for (int v = 0; v < answers->count; v++) {
            invariance_result r;
            if (mask_has(z, v)) continue;
            invariance_test(test, work, (size_t)v, given, m, &r);
            if (!r.possible) continue;
            bool changed = r.p_value <= exp(answers->log_alpha);
            answers->literals[v][z] = changed ? LITERAL_CHANGED : LITERAL_INVARIANT;
        }
    }
cleanup:
    invariance_work_free(work);
    invariance_free(test);
    return status;
}

scone_status consistency_ask(consistency_answers *answers, const scone_pair *pair,
                             size_t subset_size, bool linear)
{
    scone_status status = SCONE_OK;
    memset(answers, 0, sizeof *answers);
    answers->count = (int)pair->tables[0]->columns;
    answers->log_alpha = log(consistency_level(pair->tables[0]->rows));
    TRY(ask_independence(answers, pair, linear));
    TRY(ask_literals(answers, pair, subset_size));
cleanup:
    return status;
}

void consistency_know(consistency_answers *answers, const local_graph *dag, int count,
                      uint32_t targets, size_t subset_size)
{
    memset(answers, 0, sizeof *answers);
    answers->count = count;
    answers->log_alpha = -1.0;
    for (uint32_t z = 0; z < 1u << count; z++) {
        uint16_t changed = oracle_changed(dag, count, targets, z);
        for (int a = 0; a < count; a++) {
            if (mask_has(z, a)) continue;
            uint16_t connected = oracle_connected(dag, count, a, z);
            for (int b = a + 1; b < count; b++) {
                double log_p = mask_has(connected, b) ? -2.0 : 0.0;
                for (int which = 0; which < 3; which++) {
                    answers->independent[which][a][b][z] = log_p;
                }
            }
            if ((size_t)mask_count(z) >= subset_size) continue;
            answers->literals[a][z] = mask_has(changed, a) ? LITERAL_CHANGED : LITERAL_INVARIANT;
        }
    }
}

/* ---- families ---- */

subset_family consistency_all_subsets(int count, size_t size)
{
    subset_family family = 0;
    for (uint32_t s = 0; s < 1u << count; s++) {
        if ((size_t)mask_count(s) == size) family |= UINT64_C(1) << s;
    }
    return family;
}

bool consistency_tested(subset_family family, int v, uint32_t z)
{
    uint32_t wanted = z | MASK_BIT(v);
    for (uint32_t s = wanted; s < CONSISTENCY_SETS; s++) {
        if (family >> s & 1 && !(wanted & ~s)) return true;
    }
    return false;
}

/* ---- graphs ---- */

typedef struct independences {
    const consistency_answers *answers;
    int which;
} independences;

/* The set with the largest p-value; any that separates will do in the end. */
static bool separate_by_tests(uint32_t *set, const void *context, int a, int b, uint32_t s)
{
    const independences *i = context;
    const double *log_p = i->answers->independent[i->which][a < b ? a : b][a < b ? b : a];
    uint32_t allowed = s & ~(uint32_t)(MASK_BIT(a) | MASK_BIT(b));
    *set = 0;
    for (uint32_t z = 0;; z = (z - allowed) & allowed) {
        if (log_p[z] > log_p[*set]) *set = z;
        if (z == allowed) return log_p[*set] > i->answers->log_alpha;
    }
}

typedef struct answered_view {
    rule_view view; /* its context is this object: do not copy */
    const consistency_answers *answers;
    subset_family family; /* what is tested */
    uint8_t node[RULE_MOST_NODES];
    directions *into;
} answered_view;

static literal look_up(void *context, int v, uint32_t z)
{
    const answered_view *o = context;
    uint32_t all = 0;
    MASK_FOR(u, z) all |= MASK_BIT(o->node[u]);
    if (!consistency_tested(o->family, o->node[v], all)) return LITERAL_UNKNOWN;
    return (literal)o->answers->literals[o->node[v]][all];
}

static bool collect(void *context, const certificate *c)
{
    const answered_view *o = context;
    o->into->to[o->node[c->source]] |= MASK_BIT(o->node[c->target]);
    return true;
}

/* Local graphs are for the caller to set, and descendants to find. */
static void view_begin(answered_view *o, const consistency_answers *answers, subset_family family,
                       uint32_t s, const local_graph *h_obs, directions *into)
{
    int size = 0;
    memset(o, 0, sizeof *o);
    o->answers = answers;
    o->family = family;
    o->into = into;
    MASK_FOR(v, s) o->node[size++] = (uint8_t)v;
    o->view.count = size;
    o->view.look = look_up;
    o->view.context = o;
    for (int a = 0; a < size; a++) {
        for (int b = 0; b < size; b++) {
            if (mask_has(pdag_adjacent(h_obs, o->node[a]), o->node[b])) {
                o->view.skeleton[a] |= MASK_BIT(b);
            }
        }
    }
}

/* What the rules for one subset say of it, and, if told, the others with what it tests alone. */
static void apply_to_subset(answered_view *o, const consistency_answers *answers, uint32_t s,
                            const local_graph *h_obs, directions *into, bool all_rules)
{
    view_begin(o, answers, UINT64_C(1) << s, s, h_obs, into);
    for (int regime = 0; regime < 2; regime++) {
        const independences i = {answers, regime};
        oracle_local_graph_with(&o->view.local[regime], s, separate_by_tests, &i);
    }
    view_find_descendants(&o->view);
    for (int rule = 0; rule < RULE_KINDS; rule++) {
        bool within = rule == RULE_SSI || rule == RULE_CVT || rule == RULE_DPT;
        if (within || all_rules) rule_apply((rule_kind)rule, &o->view, collect, o);
    }
}

void consistency_graph(local_graph *h_obs, local_graph *found, const consistency_answers *answers,
                       subset_family family)
{
    const independences both = {answers, 2};
    directions k = {{0}};
    answered_view o;
    oracle_local_graph_with(h_obs, mask_all(answers->count), separate_by_tests, &both);
    for (uint32_t s = 0; s < CONSISTENCY_SETS; s++) {
        if (family >> s & 1) apply_to_subset(&o, answers, s, h_obs, &k, false);
    }
    view_begin(&o, answers, family, mask_all(answers->count), h_obs, &k);
    o.view.local[0] = o.view.local[1] = *h_obs;
    view_find_descendants(&o.view);
    rule_apply(RULE_SSI_ANY, &o.view, collect, &o);
    rule_apply(RULE_SCR, &o.view, collect, &o);
    *found = *h_obs;
    for (int a = 0; a < answers->count; a++) {
        MASK_FOR(b, k.to[a]) {
            if (pdag_undirected(h_obs, a, b) && !mask_has(k.to[b], a)) pdag_direct(found, a, b);
        }
    }
    (void)pdag_close(found, answers->count);
}

void consistency_witnesses(subset_witnesses *witnesses, const consistency_answers *answers,
                           subset_family family)
{
    const independences both = {answers, 2};
    local_graph h_obs;
    memset(witnesses, 0, sizeof *witnesses);
    oracle_local_graph_with(&h_obs, mask_all(answers->count), separate_by_tests, &both);
    for (uint32_t s = 0; s < CONSISTENCY_SETS; s++) {
        directions k = {{0}};
        answered_view o;
        if (!(family >> s & 1)) continue;
        apply_to_subset(&o, answers, s, &h_obs, &k, true);
        for (int a = 0; a < o.view.count; a++) {
            MASK_FOR(b, o.view.local[0].children[a]) k.to[o.node[a]] |= MASK_BIT(o.node[b]);
        }
        for (int a = 0; a < answers->count; a++) {
            MASK_FOR(b, k.to[a]) witnesses->of[a][b] |= UINT64_C(1) << s;
        }
    }
}
