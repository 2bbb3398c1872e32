/* report_reasons_json.c - the certificates in graph.json: tests, rules, what became of them
 * (docs/methods/reasons.md has the format; explain_read.c reads it).
 */
#include "report/report.h"

#include "rules/pdag.h"

#include <inttypes.h>

void report_nodes(json_writer *j, const char *key, const scone_result *r, const uint32_t *nodes,
                  size_t count)
{
    json_write_array(j, key);
    for (size_t n = 0; n < count; n++) json_write_string(j, NULL, report_node(r, nodes[n]));
    json_write_close(j);
}

static void write_mask(json_writer *j, const char *key, const scone_result *r,
                       const local_subset *s, uint32_t set)
{
    json_write_array(j, key);
    MASK_FOR(k, set) json_write_string(j, NULL, report_node(r, s->nodes[k]));
    json_write_close(j);
}

const char *report_literal(literal value)
{
    return value == LITERAL_CHANGED     ? "changed"
           : value == LITERAL_INVARIANT ? "invariant"
                                        : "unknown";
}

const char *report_outcome(reason_outcome outcome)
{
    static const char *const words[] = {"agrees",  "orients", "turns", "overruled",
                                        "opposed", "known",   "cycle"};
    return words[outcome];
}

size_t report_premises(meek_edge premises[2], const meek_reason *step)
{
    switch (step->rule) {
    case MEEK_R1:
        premises[0] = (meek_edge){step->first, step->from};
        return 1;
    case MEEK_R2:
        premises[0] = (meek_edge){step->from, step->first};
        premises[1] = (meek_edge){step->first, step->to};
        return 2;
    case MEEK_R3:
        premises[0] = (meek_edge){step->first, step->to};
        premises[1] = (meek_edge){step->second, step->to};
        return 2;
    case MEEK_R4:
        premises[0] = (meek_edge){step->second, step->first};
        premises[1] = (meek_edge){step->first, step->to};
        return 2;
    case MEEK_REQUIRED:
        break;
    }
    return 0;
}

/* Of several conditions: the control and the condition whose tables were compared. */
static void write_pair(json_writer *j, const char *key, const scone_result *r, size_t pair)
{
    const char *condition = reasons_condition(&r->reasons, pair);
    if (!condition) return;
    json_write_array(j, key);
    json_write_string(j, NULL, r->control);
    json_write_string(j, NULL, condition);
    json_write_close(j);
}

/* ---- tests ---- */

static void write_test(json_writer *j, const scone_result *r, size_t index)
{
    const tested_literal *test = &r->reasons.tests[index];
    json_write_object(j, NULL);
    json_write_count(j, "test", index + 1);
    write_pair(j, "pair", r, test->pair);
    json_write_string(j, "variable", report_node(r, test->v));
    report_nodes(j, "given", r, test->given, test->count);
    json_write_string(j, "verdict", report_literal(test->value));
    json_write_number(j, "statistic", test->result.statistic);
    json_write_number(j, "degrees", test->result.degrees);
    json_write_number(j, "rest", test->result.rest);
    json_write_number(j, "p_value", test->result.p_value);
    json_write_number(j, "p_corrected", r->reasons.corrected[index]);
    json_write_number(j, "effect", test->result.effect);
    json_write_number(j, "effect_high", test->result.effect_high);
    json_write_close(j);
}

static void write_tests(json_writer *j, const scone_result *r)
{
    const literal_levels *levels = &r->reasons.levels;
    char seed[24];
    (void)snprintf(seed, sizeof seed, "%" PRIu64, r->request.options.seed);
    json_write_object(j, "rules");
    json_write_string(j, "applied", r->request.options.rules);
    json_write_count(j, "tests", r->reasons.tested);
    json_write_count(j, "rows", r->reasons.rows);
    json_write_string(j, "correction", "holm");
    json_write_number(j, "changed_level", levels->changed);
    json_write_number(j, "invariant_level", levels->invariant);
    json_write_number(j, "margin", levels->margin);
    json_write_string(j, "seed", seed);
    if (r->conditions > 0) {
        json_write_count(j, "conditions", r->conditions);
        json_write_array(j, "pairs");
        for (size_t p = 0; p < r->reasons.pair_count; p++) write_pair(j, NULL, r, p);
        json_write_close(j);
    }
    json_write_close(j);
    json_write_lines(j, "tests");
    for (size_t t = 0; t < r->reasons.test_count; t++) write_test(j, r, t);
    json_write_close(j);
}

/* ---- certificates ---- */

static void write_local(json_writer *j, const scone_result *r, const local_subset *s, int regime)
{
    const local_graph *g = &s->local[regime];
    json_write_array(j, NULL);
    for (int a = 0; a < s->count; a++) {
        uint32_t undirected = g->neighbours[a] & ~((2u << a) - 1u);
        MASK_FOR(b, (uint32_t)g->children[a] | undirected) {
            json_write_array(j, NULL);
            json_write_string(j, NULL, report_node(r, s->nodes[a]));
            json_write_string(j, NULL, pdag_directed(g, a, b) ? "->" : "-");
            json_write_string(j, NULL, report_node(r, s->nodes[b]));
            json_write_close(j);
        }
    }
    json_write_close(j);
}

static void write_skeleton(json_writer *j, const scone_result *r, const local_subset *s)
{
    json_write_array(j, "skeleton");
    for (int a = 0; a < s->count; a++) {
        MASK_FOR(b, (uint32_t)s->skeleton[a] & ~((2u << a) - 1u)) {
            const uint32_t pair[2] = {s->nodes[a], s->nodes[b]};
            report_nodes(j, NULL, r, pair, 2);
        }
    }
    json_write_close(j);
}

static bool rests_on(const meek_reason *step, const graph *set)
{
    meek_edge premises[2];
    size_t count = report_premises(premises, step);
    for (size_t p = 0; p < count; p++) {
        if (graph_directed(set, premises[p].from, premises[p].to)) return true;
    }
    return false;
}

/* The steps of the closure that rest on the certificate, directly or by way of others. */
static void write_follows(json_writer *j, const scone_result *r, const reason *one, graph *set)
{
    json_write_array(j, "follows");
    if (one->outcome <= REASON_TURNS) {
        graph_direct(set, one->from, one->to);
        for (size_t s = 0; s < r->decoded.step_count; s++) {
            const meek_reason *step = &r->decoded.steps[s];
            if (!rests_on(step, set)) continue;
            graph_direct(set, step->from, step->to);
            json_write_count(j, NULL, s + 1);
        }
        for (size_t s = 0; s < r->decoded.step_count; s++) {
            graph_remove(set, r->decoded.steps[s].from, r->decoded.steps[s].to);
        }
        graph_remove(set, one->from, one->to);
    }
    json_write_close(j);
}

static void write_certificate(json_writer *j, const scone_result *r, size_t index, graph *set)
{
    const reason *one = &r->reasons.list[index];
    const local_subset *subset = &one->subset;
    const certificate *c = &one->certificate;
    json_write_object(j, NULL);
    json_write_count(j, "certificate", index + 1);
    json_write_string(j, "rule", rule_name(c->rule));
    write_pair(j, "pair", r, one->pair);
    json_write_string(j, "source", report_node(r, one->from));
    json_write_string(j, "target", report_node(r, one->to));
    json_write_string(j, "outcome", report_outcome(one->outcome));
    json_write_number(j, "log_odds", one->weight);
    json_write_number(j, "learner_log_odds", one->learner);
    write_mask(j, "witness", r, subset, c->witness);
    json_write_array(j, "literals");
    for (int l = 0; l < c->literal_count; l++) json_write_count(j, NULL, one->tests[l] + 1u);
    json_write_close(j);
    if (c->path_count) {
        json_write_array(j, "path");
        for (int k = 0; k < c->path_count; k++) {
            json_write_string(j, NULL, report_node(r, subset->nodes[c->path[k]]));
        }
        json_write_close(j);
        write_mask(j, "replay", r, subset, c->replay);
    }
    report_nodes(j, "subset", r, subset->nodes, (size_t)subset->count);
    json_write_array(j, "local"); /* one for each regime */
    for (int regime = 0; regime < 2; regime++) write_local(j, r, subset, regime);
    json_write_close(j);
    write_skeleton(j, r, subset);
    write_follows(j, r, one, set);
    json_write_close(j);
}

/* ---- conflicts ---- */

static void write_conflicts(json_writer *j, const scone_result *r)
{
    json_write_lines(j, "conflicts");
    for (size_t i = 0; i < r->conflicts.count; i++) {
        json_write_object(j, NULL);
        json_write_count(j, "certificate", r->conflicts.reasons[i] + 1);
        json_write_string(j, "text", r->conflicts.texts[i]);
        json_write_close(j);
    }
    json_write_close(j);
}

scone_status report_reasons(json_writer *j, const scone_result *r)
{
    scone_status status = SCONE_OK;
    graph *set = NULL;
    TRY(graph_alloc(&set, r->map.node_count));
    write_tests(j, r);
    json_write_lines(j, "certificates");
    for (size_t i = 0; i < r->reasons.count; i++) write_certificate(j, r, i, set);
    json_write_close(j);
    write_conflicts(j, r);
cleanup:
    scone_graph_free(set);
    return status;
}

void report_edge_reasons(json_writer *j, const scone_result *r, size_t edge)
{
    const decode_edge *decoded = &r->decoded.edges[edge];
    json_write_array(j, "certificates");
    for (size_t i = 0; decoded->reason && i < r->reasons.count; i++) {
        const reason *one = &r->reasons.list[i];
        if (one->from == decoded->from && one->to == decoded->to) json_write_count(j, NULL, i + 1);
    }
    json_write_close(j);
}
