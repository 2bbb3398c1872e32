/* verify.c - the claims of the theory on every small graph (verify.h). */
#include "theory/verify.h"

#include <string.h>

/* ---- rules that act together ---- */

enum {
    BIT_SSI = 1 << RULE_SSI,
    BIT_CVT = 1 << RULE_CVT,
    BIT_DPT = 1 << RULE_DPT,
    BIT_SSI_ANY = 1 << RULE_SSI_ANY,
    BIT_SCR = 1 << RULE_SCR
};

static const struct {
    const char *name;
    unsigned rules;
} rule_sets[SCONE_VERIFY_SETS] = {
    [SCONE_VERIFY_SSI] = {"ssi", BIT_SSI},
    [SCONE_VERIFY_CVT] = {"cvt", BIT_CVT},
    [SCONE_VERIFY_DPT] = {"dpt", BIT_DPT},
    [SCONE_VERIFY_SSI_ANY] = {"ssi-any", BIT_SSI_ANY},
    [SCONE_VERIFY_SCR] = {"scr", BIT_SCR},
    [SCONE_VERIFY_SSI_CVT] = {"ssi+cvt", BIT_SSI | BIT_CVT},
    [SCONE_VERIFY_PAPER] = {"paper", BIT_SSI | BIT_CVT | BIT_DPT},
    [SCONE_VERIFY_SSI_ANY_SCR] = {"ssi-any+scr", BIT_SSI_ANY | BIT_SCR},
    [SCONE_VERIFY_ALL] = {"all", BIT_SSI | BIT_CVT | BIT_DPT | BIT_SSI_ANY | BIT_SCR},
};

static const struct {
    const char *name, *claim;
} checks[SCONE_VERIFY_CHECKS] = {
    [SCONE_VERIFY_OBS_IN_PER] = {"obs-in-per", "DirE(H_obs) is within DirE(H_per)"},
    [SCONE_VERIFY_PER_IN_CTR] = {"per-in-ctr", "DirE(H_per) is within DirE(H_ctr)"},
    [SCONE_VERIFY_CTR_IN_TEST] = {"ctr-in-test", "DirE(H_ctr) is within DirE(G_test)"},
    [SCONE_VERIFY_SOUND_SSI] = {"sound-ssi", "no direction of SSI contradicts G"},
    [SCONE_VERIFY_SOUND_CVT] = {"sound-cvt", "no direction of CVT contradicts G"},
    [SCONE_VERIFY_SOUND_DPT] = {"sound-dpt", "no direction of DPT as used contradicts G"},
    [SCONE_VERIFY_SOUND_SSI_ANY] = {"sound-ssi-any",
                                    "no direction of SSI with any witness contradicts G"},
    [SCONE_VERIFY_SOUND_SCR] = {"sound-scr", "no direction of SCR contradicts G"},
    [SCONE_VERIFY_SOUND_DPT_LITERAL] = {"sound-dpt-printed",
                                        "no direction of DPT as printed contradicts G"},
    [SCONE_VERIFY_CLOSURE] = {"closure",
                              "the closure is idempotent, free of order, and what all consistent "
                              "extensions share"},
    [SCONE_VERIFY_TEST_IN_LITERAL] = {"test-in-literal",
                                      "DirE(G_test) is within the one by the letter (D19)"},
    [SCONE_VERIFY_COMPLETE] = {"complete", "SSI with any witness, SCR and closure give G_test"},
    [SCONE_VERIFY_BOUNDARY] = {"boundary", "G_test is the closure of H_obs with the edges between "
                                           "always changed and other nodes"},
};

const char *scone_verify_set_name(scone_verify_set set)
{
    return rule_sets[set].name;
}

const char *scone_verify_check_name(scone_verify_check check)
{
    return checks[check].name;
}

const char *scone_verify_check_claim(scone_verify_check check)
{
    return checks[check].claim;
}

/* ---- exceptions ---- */

static int compare_examples(const verify_case *a, const verify_case *b)
{
    if (a->edges != b->edges) return a->edges < b->edges ? -1 : 1;
    int size_a = mask_count(a->targets), size_b = mask_count(b->targets);
    if (size_a != size_b) return size_a < size_b ? -1 : 1;
    if (a->dag != b->dag) return a->dag < b->dag ? -1 : 1;
    if (a->targets != b->targets) return a->targets < b->targets ? -1 : 1;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

void verify_keep_smaller(verify_case *kept, const verify_case *other)
{
    if (other->edges < 0) return;
    if (kept->edges < 0 || compare_examples(other, kept) < 0) *kept = *other;
}

/* The case contradicts the claim; `what` holds the directions that are wrong or missing. */
static void note_exception(verify_worker *w, scone_verify_check check, const study_case *c,
                           uint64_t weight, const directions *what)
{
    int size = mask_count(c->targets);
    w->row[0].exceptions[check] += weight;
    w->row[size].exceptions[check] += weight;
    directions dag = directions_of(&w->study->members[c->member], w->study->count);
    verify_case example = {.edges = directions_count(&dag),
                           .dag = classes_encode(&w->study->members[c->member], w->study->count),
                           .targets = c->targets,
                           .from = -1,
                           .to = -1};
    for (int v = 0; v < w->study->count && example.from < 0; v++) {
        if (!what->to[v]) continue;
        example.from = v;
        example.to = mask_lowest(what->to[v]);
    }
    verify_keep_smaller(&w->example[check], &example);
}

/* ---- groups and cases ---- */

/* What a group says of the sets of rules. */
typedef struct group_result {
    estimands e;
    directions r;                         /* R */
    directions boundary;                  /* what the edges at the always changed nodes give */
    directions closed[SCONE_VERIFY_SETS]; /* closure of H_obs with K_per and the rules of a set */
    int recovered[SCONE_VERIFY_SETS];     /* of R */
    bool closure_is_right;
} group_result;

static directions knowledge_of(const estimands *e, unsigned rules)
{
    directions k = e->k_per;
    for (int rule = 0; rule < RULE_KINDS; rule++) {
        if (mask_has(rules, rule)) directions_add(&k, &e->k_rule[rule]);
    }
    return k;
}

/* Adds the directions of `knowledge` one by one, each followed by closure. */
static directions close_in_steps(const study *s, const directions *knowledge, bool backwards)
{
    local_graph g = s->cpdag;
    for (int step = 0; step < s->count * s->count; step++) {
        int pair = backwards ? s->count * s->count - 1 - step : step;
        int a = pair / s->count, b = pair % s->count;
        if (mask_has(knowledge->to[a], b)) (void)pdag_require(&g, s->count, a, b);
    }
    return directions_of(&g, s->count);
}

static bool closure_is_right(const study *s, const directions *knowledge, const directions *closed)
{
    directions again, brute, forwards, backwards;
    (void)study_close(&again, s, closed);
    study_shared(&brute, s, knowledge);
    forwards = close_in_steps(s, knowledge, false);
    backwards = close_in_steps(s, knowledge, true);
    return memcmp(&again, closed, sizeof again) == 0 && memcmp(&brute, closed, sizeof brute) == 0 &&
           memcmp(&forwards, closed, sizeof forwards) == 0 &&
           memcmp(&backwards, closed, sizeof backwards) == 0;
}

/* The nodes that no tested set makes invariant. */
static uint16_t always_changed(const study *s, const oracle_outcomes *outcomes)
{
    int most_given = s->whole.most_given;
    uint16_t changed = 0;
    for (int v = 0; v < s->count; v++) {
        bool always = true;
        for (uint32_t z = 0; z < 1u << s->count && always; z++) {
            if (mask_has(z, v) || mask_count(z) > most_given) continue;
            always = oracle_outcome(outcomes, s->count, v, z);
        }
        if (always) changed |= MASK_BIT(v);
    }
    return changed;
}

static directions boundary_of(const study *s, const study_case *c)
{
    uint16_t inside = always_changed(s, &c->outcomes);
    directions k = directions_of(&s->members[c->member], s->count), closed;
    for (int v = 0; v < s->count; v++) k.to[v] &= mask_has(inside, v) ? (uint16_t)~inside : inside;
    (void)study_close(&closed, s, &k);
    return closed;
}

static void judge_group(group_result *g, size_t *end, study *s, size_t first)
{
    study_group(&g->e, end, s, first);
    g->r = directions_without(&g->e.g_test, &g->e.reduced);
    g->boundary = boundary_of(s, &s->cases[first]);
    g->closure_is_right = true;
    directions k[SCONE_VERIFY_SETS];
    for (int set = 0; set < SCONE_VERIFY_SETS; set++) {
        int same = 0; /* sets of rules often say the same */
        k[set] = knowledge_of(&g->e, rule_sets[set].rules);
        while (memcmp(&k[same], &k[set], sizeof *k) != 0) same++;
        if (same < set) {
            g->closed[set] = g->closed[same];
            g->recovered[set] = g->recovered[same];
            continue;
        }
        (void)study_close(&g->closed[set], s, &k[set]);
        directions hit = directions_common(&g->r, &g->closed[set]);
        g->recovered[set] = directions_count(&hit);
        g->closure_is_right &= closure_is_right(s, &k[set], &g->closed[set]);
    }
}

/* a is within b, or the case is an exception */
static void claim_within(verify_worker *w, scone_verify_check check, const study_case *c,
                         uint64_t weight, const directions *a, const directions *b)
{
    directions outside = directions_without(a, b);
    if (directions_count(&outside)) note_exception(w, check, c, weight, &outside);
}

static void check_case(verify_worker *w, const group_result *g, const study_case *c,
                       uint64_t weight)
{
    static const scone_verify_check sound[RULE_KINDS] = {
        SCONE_VERIFY_SOUND_SSI, SCONE_VERIFY_SOUND_CVT, SCONE_VERIFY_SOUND_DPT,
        SCONE_VERIFY_SOUND_SSI_ANY, SCONE_VERIFY_SOUND_SCR};
    const estimands *e = &g->e;
    const directions nothing = {{0}}, *all = &g->closed[SCONE_VERIFY_ALL];
    directions dag = directions_of(&w->study->members[c->member], w->study->count);
    claim_within(w, SCONE_VERIFY_OBS_IN_PER, c, weight, &e->h_obs, &e->h_per);
    claim_within(w, SCONE_VERIFY_PER_IN_CTR, c, weight, &e->h_per, &g->closed[SCONE_VERIFY_PAPER]);
    claim_within(w, SCONE_VERIFY_CTR_IN_TEST, c, weight, all, &e->g_test);
    for (int rule = 0; rule < RULE_KINDS; rule++) {
        claim_within(w, sound[rule], c, weight, &e->k_rule[rule], &dag);
    }
    claim_within(w, SCONE_VERIFY_SOUND_DPT_LITERAL, c, weight, &e->k_dpt_literal, &dag);
    claim_within(w, SCONE_VERIFY_TEST_IN_LITERAL, c, weight, &e->g_test, &w->literal[c->member]);
    claim_within(w, SCONE_VERIFY_COMPLETE, c, weight, &e->g_test,
                 &g->closed[SCONE_VERIFY_SSI_ANY_SCR]);
    directions missing = directions_without(&e->g_test, &g->boundary);
    directions differ = directions_without(&g->boundary, &e->g_test);
    directions_add(&differ, &missing);
    claim_within(w, SCONE_VERIFY_BOUNDARY, c, weight, &differ, &nothing);
    if (!g->closure_is_right) note_exception(w, SCONE_VERIFY_CLOSURE, c, weight, &nothing);
}

static void count_case(verify_worker *w, const group_result *g, const study_case *c,
                       uint64_t weight)
{
    directions by_letter = directions_without(&w->literal[c->member], &g->e.reduced);
    directions too_many = directions_without(&w->literal[c->member], &g->e.g_test);
    directions dag = directions_of(&w->study->members[c->member], w->study->count);
    directions wrong = directions_without(&g->e.k_dpt_literal, &dag);
    int size = mask_count(c->targets), r = directions_count(&g->r);
    for (int which = 0; which < 2; which++) {
        scone_verify_row *row = &w->row[which ? size : 0];
        row->cases += weight;
        row->cases_with_r += r ? weight : 0;
        row->r += weight * (uint64_t)r;
        row->dpt_printed += weight * (uint64_t)directions_count(&g->e.k_dpt_literal);
        row->dpt_printed_wrong += weight * (uint64_t)directions_count(&wrong);
        row->literal_r += weight * (uint64_t)directions_count(&by_letter);
        row->literal_only += weight * (uint64_t)directions_count(&too_many);
        for (int set = 0; set < SCONE_VERIFY_SETS; set++) {
            row->recovered[set] += weight * (uint64_t)g->recovered[set];
        }
    }
}

scone_status verify_class(void *argument, size_t item, int worker_index)
{
    scone_status status = SCONE_OK;
    const verification *v = argument;
    verify_worker *w = &v->workers[worker_index];
    uint64_t weight = v->classes[item].weight;
    TRY(study_class(w->study, v->classes[item].code));
    TRY(study_literal(w->literal, w->study));
    for (size_t first = 0, end; first < w->study->case_count; first = end) {
        group_result g;
        judge_group(&g, &end, w->study, first);
        for (size_t c = first; c < end; c++) {
            check_case(w, &g, &w->study->cases[c], weight);
            count_case(w, &g, &w->study->cases[c], weight);
        }
    }
cleanup:
    return status;
}
