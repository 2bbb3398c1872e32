/* explain_words.c - the reasons of an edge in sentences (see explain.h). */
#include "explain/explain.h"

#include "text/growing.h"
#include "rules/pdag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct telling {
    const scone_explanation *x;
    growing out;
} telling;

#define SAY(t_, ...) growing_print(&(t_)->out, __VA_ARGS__)

static const char *name(const telling *t, size_t node)
{
    return t->x->names[node];
}

/* "A", "A and B", "A, B and C" */
static void say_set(telling *t, const local_subset *s, uint32_t set)
{
    int left = mask_count(set);
    MASK_FOR(k, set) {
        SAY(t, "%s%s", name(t, s->nodes[k]), left > 2 ? ", " : left == 2 ? " and " : "");
        left--;
    }
}

/* ---- tests ---- */

explain_p_text explain_show_p(double p)
{
    explain_p_text out;
    if (p < 1e-300) {
        (void)snprintf(out.text, sizeof out.text, "p < 1e-300");
    } else {
        (void)snprintf(out.text, sizeof out.text, "p = %.2g", p);
    }
    return out;
}

/* "B changed (p < 1e-300, effect 0.96 sd)", "A did not (p = 0.41, effect at most 0.05 sd)": in
 * standard deviations of the variable given Z */
static void say_changed(telling *t, const tested_literal *test)
{
    SAY(t, "%s changed (%s, effect %.2g sd)", name(t, test->v),
        explain_show_p(test->result.p_value).text, test->result.effect);
}

static void say_unchanged(telling *t, const tested_literal *test, const char *words)
{
    SAY(t, "%s%s (%s, effect at most %.2g sd)", name(t, test->v), words,
        explain_show_p(test->result.p_value).text, test->result.effect_high);
}

static const tested_literal *literal_test(const telling *t, const reason *one, int l)
{
    return &t->x->reasons.tests[one->tests[l]];
}

static const tested_literal *first_with(const telling *t, const reason *one, literal value)
{
    for (int l = 0; l < one->certificate.literal_count; l++) {
        if (one->certificate.literals[l].value == value) return literal_test(t, one, l);
    }
    return NULL; /* explain_reasons.c saw to it that there is one */
}

static void say_all_unchanged(telling *t, const reason *one)
{
    const char *before = "";
    for (int l = 0; l < one->certificate.literal_count; l++) {
        if (one->certificate.literals[l].value != LITERAL_INVARIANT) continue;
        SAY(t, "%s", before);
        say_unchanged(t, literal_test(t, one, l), " did not");
        before = " and ";
    }
}

/* ---- rules ---- */

static void say_given(telling *t, const reason *one, uint32_t set)
{
    if (!set) return;
    SAY(t, "given ");
    say_set(t, &one->subset, set);
    SAY(t, ", ");
}

/* "  Screening: ", and of several conditions which two tables it compares. */
static void say_rule(telling *t, const reason *one, const char *rule)
{
    const char *condition = reasons_condition(&t->x->reasons, one->pair);
    SAY(t, "  %s", rule);
    if (condition) SAY(t, " (%s and %s)", t->x->control, condition);
}

static void say_ssi(telling *t, const reason *one)
{
    const char *from = name(t, one->from), *to = name(t, one->to);
    say_rule(t, one, "Single-sided invariance");
    SAY(t, ": ");
    say_given(t, one, one->certificate.witness);
    say_changed(t, first_with(t, one, LITERAL_CHANGED));
    SAY(t, " and ");
    say_all_unchanged(t, one);
    SAY(t, ".\n  If %s caused %s, %s would have changed, too. So %s -> %s.\n", to, from, from, from,
        to);
}

static void say_cvt(telling *t, const reason *one)
{
    const certificate *c = &one->certificate;
    const uint32_t *nodes = one->subset.nodes;
    say_rule(t, one, "Contrastive v-structure");
    SAY(t, ": ");
    say_given(t, one, c->witness);
    say_changed(t, first_with(t, one, LITERAL_CHANGED));
    SAY(t, "; ");
    say_all_unchanged(t, one);
    SAY(t, ".\n  If %s caused one of them, that one would have changed, too. So %s -> %s <- %s.\n",
        name(t, one->to), name(t, nodes[c->path[0]]), name(t, nodes[c->path[1]]),
        name(t, nodes[c->path[2]]));
}

static void say_dpt(telling *t, const reason *one)
{
    const certificate *c = &one->certificate;
    say_rule(t, one, "Discriminating path");
    SAY(t, " ");
    for (int k = 0; k < c->path_count; k++) {
        SAY(t, "%s%s", k ? " - " : "", name(t, one->subset.nodes[c->path[k]]));
    }
    SAY(t, ": ");
    say_given(t, one, c->witness);
    say_changed(t, first_with(t, one, LITERAL_CHANGED));
    SAY(t, "; ");
    say_all_unchanged(t, one);
    SAY(t, ".\n  Of the directions that the path may have only those with %s -> %s are left.\n",
        name(t, one->from), name(t, one->to));
}

static void say_scr(telling *t, const reason *one)
{
    const certificate *c = &one->certificate;
    const char *from = name(t, one->from), *to = name(t, one->to);
    bool alone = mask_count(c->witness) == 1;
    say_rule(t, one, "Screening");
    SAY(t, ": given ");
    say_set(t, &one->subset, c->witness);
    SAY(t, ", ");
    say_unchanged(t, first_with(t, one, LITERAL_INVARIANT), " did not change");
    if (alone) {
        SAY(t, ", but without it ");
        say_changed(t, first_with(t, one, LITERAL_CHANGED));
        SAY(t,
            ".\n  So the change reaches %s by way of %s, and nothing causes the change itself: "
            "%s -> %s.\n",
            to, from, from, to);
        return;
    }
    SAY(t, ", but without any one of these it did (");
    for (int l = 1; l < c->literal_count; l++) {
        SAY(t, "%s%s", l > 1 ? ", " : "",
            explain_show_p(literal_test(t, one, l)->result.p_value).text);
    }
    SAY(t,
        ").\n  So each of them stands between the change and %s, and nothing causes the change "
        "itself: %s -> %s.\n",
        to, from, to);
}

static void say_outcome(telling *t, const reason *one)
{
    switch (one->outcome) {
    case REASON_AGREES:
        SAY(t, "  The %s has the same direction.\n", t->x->voice);
        break;
    case REASON_ORIENTS:
        SAY(t, "  The %s had left the direction open.\n", t->x->voice);
        break;
    case REASON_TURNS:
        SAY(t, "  The %s had the opposite direction, with less evidence.\n", t->x->voice);
        break;
    case REASON_OVERRULED:
        SAY(t, "  It is overruled: the %s has the opposite direction, with more evidence.\n",
            t->x->voice);
        break;
    case REASON_OPPOSED:
        SAY(t, "  It is not used: a certificate for the opposite is as strong or stronger.\n");
        break;
    case REASON_KNOWN:
        SAY(t, "  It is not used: the knowledge file excludes it.\n");
        break;
    case REASON_CYCLE:
        SAY(t, "  It is not used: it would close a cycle with other directions.\n");
        break;
    }
}

static void say_certificate(telling *t, const reason *one)
{
    switch (one->certificate.rule) {
    case RULE_SSI:
    case RULE_SSI_ANY:
        say_ssi(t, one);
        break;
    case RULE_CVT:
        say_cvt(t, one);
        break;
    case RULE_DPT:
        say_dpt(t, one);
        break;
    case RULE_SCR:
        say_scr(t, one);
        break;
    case RULE_KINDS:
        break;
    }
    say_outcome(t, one);
}

/* ---- closure ---- */

/* What is said of the edge between two nodes, in short. */
static void say_premise(telling *t, size_t from, size_t to)
{
    for (size_t e = 0; e < t->x->edge_count; e++) {
        const explained_edge *edge = &t->x->edges[e];
        if (edge->from != from || edge->to != to) continue;
        SAY(t, "    %s -> %s: %s\n", name(t, from), name(t, to), t->x->shown[e].why);
    }
}

static void say_step(telling *t, const meek_reason *step)
{
    const char *a = name(t, step->from), *b = name(t, step->to), *c = name(t, step->first);
    const char *d = step->second == MEEK_NO_NODE ? "" : name(t, step->second);
    SAY(t, "  It follows from other directions (Meek rule R%d): ", (int)step->rule);
    switch (step->rule) {
    case MEEK_R1:
        SAY(t,
            "%s -> %s, and %s and %s are not adjacent.\n  With %s -> %s, %s would be a common "
            "effect of both, which the graph does not have. It rests on\n",
            c, a, c, b, b, a, a);
        say_premise(t, step->first, step->from);
        break;
    case MEEK_R2:
        SAY(t, "%s -> %s -> %s.\n  With %s -> %s there would be a cycle. It rests on\n", a, c, b, b,
            a);
        say_premise(t, step->from, step->first);
        say_premise(t, step->first, step->to);
        break;
    case MEEK_R3:
        SAY(t,
            "%s -> %s <- %s.\n  With %s -> %s there would be a cycle, or %s a common effect of %s "
            "and %s. It rests on\n",
            c, b, d, b, a, a, c, d);
        say_premise(t, step->first, step->to);
        say_premise(t, step->second, step->to);
        break;
    case MEEK_R4:
        SAY(t,
            "%s -> %s -> %s.\n  With %s -> %s there would be a cycle, or %s a common effect of %s "
            "and %s. It rests on\n",
            d, c, b, b, a, a, b, d);
        say_premise(t, step->second, step->first);
        say_premise(t, step->first, step->to);
        break;
    case MEEK_REQUIRED:
        break;
    }
}

/* ---- one edge ---- */

static void say_cause(telling *t, size_t e)
{
    const explained_edge *edge = &t->x->edges[e];
    const scone_explained *shown = &t->x->shown[e];
    if (edge->cause == DECODE_REQUIRED || edge->cause == DECODE_FORBIDDEN) {
        SAY(t, "  What is known beforehand: %s.\n", shown->why);
        return;
    }
    SAY(t, "  Probabilities: %s -> %s %.2f, %s -> %s %.2f, no edge %.2f.\n", shown->source,
        shown->target, shown->p_forward, shown->target, shown->source, shown->p_backward,
        shown->p_none);
    if (edge->undirected) {
        SAY(t,
            "  The data do not tell which of them is the cause: the %s prefers neither, and no "
            "rule applies.\n",
            t->x->voice);
    } else if (edge->cause == DECODE_EXTENSION) {
        SAY(t,
            "  The direction was open; it is chosen so that an acyclic graph fits the others.\n");
    } else if (edge->cause == DECODE_MEEK) {
        say_step(t, &t->x->steps[edge->step]);
    }
}

/* What the score says, for edges that the search found. */
static void say_score(telling *t, const explained_edge *edge)
{
    if (!(edge->worth > 0.0) || edge->undirected) return; /* also if it is not known */
    SAY(t, "  The score: without it the tables are explained worse by %.4g nats", edge->worth);
    if (isnan(edge->turned)) {
        SAY(t, "; turned round it does not go with the other edges.\n");
    } else {
        SAY(t, ", with it turned round by %.4g.\n", edge->turned);
    }
}

static scone_status tell_edge(scone_explanation *x, size_t e)
{
    telling t = {.x = x};
    const explained_edge *edge = &x->edges[e];
    scone_explained *shown = &x->shown[e];
    size_t against = 0;
    char *text;
    SAY(&t, "%s %s %s\n", shown->source, edge->undirected ? "-" : "->", shown->target);
    say_cause(&t, e);
    for (size_t i = 0; i < x->reasons.count; i++) {
        const reason *one = &x->reasons.list[i];
        if (one->from != edge->from || one->to != edge->to) {
            against += one->from == edge->to && one->to == edge->from;
            continue;
        }
        shown->certificates++;
        say_certificate(&t, one);
    }
    bool alone = !shown->certificates && edge->cause == DECODE_SEARCH && !edge->undirected;
    const char *stage = edge->undirected ? NULL : explain_stage(x, edge->from, edge->to, alone);
    if (stage) SAY(&t, "  Stages: %s.\n", stage);
    if (alone) {
        SAY(&t, "  It rests on the %s alone: no rule applies, or the tests do not see enough.\n",
            x->voice);
    }
    say_score(&t, edge);
    for (size_t i = 0; against && i < x->reasons.count; i++) {
        const reason *one = &x->reasons.list[i];
        if (one->from != edge->to || one->to != edge->from) continue;
        SAY(&t, "  Against it:\n");
        say_certificate(&t, one);
        if (edge->undirected) shown->certificates++;
    }
    scone_status status = growing_finish(&text, &t.out);
    if (status != SCONE_OK) return status;
    shown->text = arena_text(x->memory, text, strlen(text));
    mem_free(text);
    return shown->text ? SCONE_OK : SCONE_ERR_MEMORY;
}

scone_status explain_words(scone_explanation *x)
{
    scone_status status = SCONE_OK;
    for (size_t e = 0; e < x->edge_count; e++) TRY(tell_edge(x, e));
cleanup:
    return status;
}
