/* study.c - what can be known from which information (study.h). */
#include "theory/study.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- the cases of a class ---- */

scone_status study_alloc(study **out, int count, int subset_size)
{
    scone_status status = SCONE_OK;
    study *s = NULL;
    *out = NULL;
    TRY_ZERO(s, 1);
    s->count = count;
    s->subset_size = subset_size;
    TRY_ALLOC(s->members, CLASSES_MOST_MEMBERS);
    TRY_ALLOC(s->views, (size_t)1 << count);
    *out = s;
    s = NULL;
cleanup:
    study_free(s);
    return status;
}

void study_free(study *s)
{
    if (!s) return;
    mem_free(s->members);
    mem_free(s->single);
    mem_free(s->views);
    mem_free(s->cases);
    mem_free(s->group);
    mem_free(s);
}

static int compare_cases(const void *a, const void *b)
{
    const study_case *x = a, *y = b;
    int order = memcmp(&x->outcomes, &y->outcomes, sizeof x->outcomes);
    if (order) return order;
    if (x->member != y->member) return x->member < y->member ? -1 : 1;
    return (x->targets > y->targets) - (x->targets < y->targets);
}

/* The outcomes of a target set are the union of those of its members. */
static void make_cases(study *s)
{
    uint32_t sets = 1u << s->count;
    for (size_t m = 0; m < s->member_count; m++) {
        study_case *of_member = s->cases + m * (sets - 1); /* targets = 1 is the first */
        for (uint32_t targets = 1; targets < sets; targets++) {
            study_case *c = &of_member[targets - 1];
            uint32_t rest = targets & (targets - 1);
            const oracle_outcomes *one =
                &s->single[m * (size_t)s->count + (size_t)mask_lowest(targets)];
            c->member = (uint32_t)m;
            c->targets = targets;
            c->outcomes = *one;
            if (!rest) continue;
            for (int w = 0; w < ORACLE_WORDS; w++) {
                c->outcomes.words[w] |= of_member[rest - 1].outcomes.words[w];
            }
        }
    }
}

static void sort_cases(study *s)
{
    size_t first = 0;
    qsort(s->cases, s->case_count, sizeof *s->cases, compare_cases);
    for (size_t i = 0; i < s->case_count; i++) {
        const study_case *c = &s->cases[i];
        if (memcmp(&c->outcomes, &s->cases[first].outcomes, sizeof c->outcomes) != 0) first = i;
        s->group[(size_t)c->member << s->count | c->targets] = (uint32_t)first;
    }
}

static scone_status reserve_cases(study *s)
{
    scone_status status = SCONE_OK;
    size_t wanted = s->member_count << s->count;
    s->case_count = s->member_count * (((size_t)1 << s->count) - 1);
    if (wanted <= s->case_capacity) return SCONE_OK;
    mem_free(s->cases);
    mem_free(s->single);
    mem_free(s->group);
    s->cases = NULL;
    s->single = NULL;
    s->group = NULL;
    s->case_capacity = 0;
    TRY_ALLOC(s->cases, wanted);
    TRY_ALLOC(s->single, s->member_count * (size_t)s->count);
    TRY_ALLOC(s->group, wanted);
    s->case_capacity = wanted;
cleanup:
    return status;
}

scone_status study_class(study *s, uint64_t code)
{
    scone_status status = SCONE_OK;
    int size = s->subset_size ? s->subset_size : s->count;
    classes_decode(&s->cpdag, s->count, code);
    s->member_count = class_members(s->members, &s->cpdag, s->count);
    if (!s->member_count) FAIL_DEFECT("a Markov equivalence class without a member");
    TRY(reserve_cases(s));
    s->view_count = 0;
    for (uint32_t set = 1; set < 1u << s->count; set++) {
        int members = mask_count(set);
        if (members < 2 || (s->subset_size && members != size)) continue;
        oracle_view_make(&s->views[s->view_count++], &s->members[0], s->count, set, size - 1);
    }
    oracle_view_make(&s->whole, &s->members[0], s->count, mask_all(s->count), size - 1);
    for (size_t m = 0; m < s->member_count; m++) {
        for (int t = 0; t < s->count; t++) {
            oracle_target_outcomes(&s->single[m * (size_t)s->count + (size_t)t], &s->members[m],
                                   s->count, t, size - 1);
        }
    }
    make_cases(s);
    sort_cases(s);
    directions nothing = {{0}};
    study_shared(&s->reduced, s, &nothing);
cleanup:
    return status;
}

/* ---- estimands ---- */

typedef struct collected {
    const oracle_view *view;
    directions *into;
} collected;

static bool collect(void *context, const certificate *c)
{
    const collected *to = context;
    to->into->to[to->view->node[c->source]] |= MASK_BIT(to->view->node[c->target]);
    return true;
}

static void apply_rule(directions *k, const oracle_view *view,
                       void (*rule)(const rule_view *, rule_emit, void *))
{
    collected to = {view, k};
    rule(&view->view, collect, &to);
}

void study_group(estimands *e, size_t *end, study *s, size_t first)
{
    const oracle_outcomes *outcomes = &s->cases[first].outcomes;
    size_t last = first;
    memset(e, 0, sizeof *e);
    e->h_obs = directions_of(&s->cpdag, s->count);
    e->g_test = directions_of(&s->members[s->cases[first].member], s->count);
    for (; last < s->case_count; last++) {
        const study_case *c = &s->cases[last];
        if (memcmp(&c->outcomes, outcomes, sizeof *outcomes) != 0) break;
        directions of_member = directions_of(&s->members[c->member], s->count);
        e->g_test = directions_common(&e->g_test, &of_member);
    }
    *end = last;
    e->reduced = e->k_per = s->reduced;
    (void)study_close(&e->h_per, s, &e->k_per);
    for (size_t v = 0; v < s->view_count; v++) {
        oracle_view *view = &s->views[v];
        view->outcomes = outcomes;
        apply_rule(&e->k_rule[RULE_SSI], view, rule_ssi);
        apply_rule(&e->k_rule[RULE_CVT], view, rule_cvt);
        apply_rule(&e->k_rule[RULE_DPT], view, rule_dpt);
        apply_rule(&e->k_dpt_literal, view, rule_dpt_literal);
    }
    s->whole.outcomes = outcomes;
    apply_rule(&e->k_rule[RULE_SSI_ANY], &s->whole, rule_ssi_any);
    apply_rule(&e->k_rule[RULE_SCR], &s->whole, rule_scr);
}

bool study_close(directions *h, const study *s, const directions *knowledge)
{
    local_graph g = s->cpdag;
    bool consistent = true;
    for (int a = 0; a < s->count; a++) {
        MASK_FOR(b, knowledge->to[a]) {
            if (pdag_undirected(&g, a, b)) {
                pdag_direct(&g, a, b);
            } else if (!pdag_directed(&g, a, b)) {
                consistent = false;
            }
        }
    }
    consistent &= pdag_close(&g, s->count);
    *h = directions_of(&g, s->count);
    return consistent;
}

void study_shared(directions *shared, const study *s, const directions *knowledge)
{
    bool none = true;
    memset(shared, 0, sizeof *shared);
    for (size_t m = 0; m < s->member_count; m++) {
        directions d = directions_of(&s->members[m], s->count);
        if (!directions_within(knowledge, &d)) continue;
        *shared = none ? d : directions_common(shared, &d);
        none = false;
    }
}

/* ---- the letter of the definition ---- */

static int compare_groups(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

scone_status study_literal(directions *g_test, const study *s)
{
    scone_status status = SCONE_OK;
    size_t sets = (size_t)1 << s->count;
    uint32_t *images = NULL; /* [members, sets]: the member's groups, sorted, repeated ones as ~0 */
    TRY_ALLOC(images, s->member_count * sets);
    for (size_t m = 0; m < s->member_count; m++) {
        uint32_t *image = images + m * sets;
        memcpy(image + 1, s->group + m * sets + 1, (sets - 1) * sizeof *image);
        image[0] = UINT32_MAX;
        qsort(image, sets, sizeof *image, compare_groups);
        for (size_t i = sets - 1; i > 0; i--) {
            if (image[i] == image[i - 1]) image[i] = UINT32_MAX;
        }
        qsort(image, sets, sizeof *image, compare_groups);
    }
    for (size_t m = 0; m < s->member_count; m++) {
        g_test[m] = directions_of(&s->members[m], s->count);
        for (size_t other = 0; other < s->member_count; other++) {
            if (memcmp(images + m * sets, images + other * sets, sets * sizeof *images) != 0) {
                continue;
            }
            directions d = directions_of(&s->members[other], s->count);
            g_test[m] = directions_common(&g_test[m], &d);
        }
    }
cleanup:
    mem_free(images);
    return status;
}
