/* report_reasons_json.c - the certificates in graph.json: tests, rules, what became of them
 * (docs/methods/reasons.md has the format; explain_read.c reads it).
 */
#include "report/report.h"

#include "text/text.h"
#include "rules/pdag.h"

static const char *node_name(const scone_result *r, size_t node)
{
    return r->names[r->nodes[node]];
}

static scone_status write_number(output_file *stream, const char *before, double value)
{
    scone_status status = output_print(stream, "%s", before);
    return status == SCONE_OK ? number_print(stream, value) : status;
}

/* "before" and a list of names. */
static scone_status write_names(output_file *stream, const scone_result *r, const char *before,
                                const uint32_t *nodes, size_t count)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, "%s[", before));
    for (size_t n = 0; n < count; n++) {
        if (n) TRY(output_print(stream, ", "));
        TRY(text_write_json(stream, node_name(r, nodes[n])));
    }
    TRY(output_print(stream, "]"));
cleanup:
    return status;
}

static scone_status write_mask(output_file *stream, const scone_result *r, const char *before,
                               const local_subset *s, uint32_t set)
{
    uint32_t nodes[RULE_MOST_NODES];
    size_t count = 0;
    MASK_FOR(k, set) nodes[count++] = s->nodes[k];
    return write_names(stream, r, before, nodes, count);
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

/* ---- tests ---- */

static scone_status write_test(output_file *stream, const scone_result *r, size_t index)
{
    scone_status status = SCONE_OK;
    const tested_literal *test = &r->reasons.tests[index];
    TRY(output_print(stream, "%s\n    {\"test\": %zu, \"variable\": ", index ? "," : "",
                     index + 1));
    TRY(text_write_json(stream, node_name(r, test->v)));
    TRY(write_names(stream, r, ", \"given\": ", test->given, test->count));
    TRY(output_print(stream, ", \"verdict\": \"%s\"", report_literal(test->value)));
    TRY(write_number(stream, ", \"statistic\": ", test->result.statistic));
    TRY(write_number(stream, ", \"degrees\": ", test->result.degrees));
    TRY(write_number(stream, ", \"rest\": ", test->result.rest));
    TRY(write_number(stream, ", \"p_value\": ", test->result.p_value));
    TRY(write_number(stream, ", \"p_corrected\": ", r->reasons.corrected[index]));
    TRY(write_number(stream, ", \"effect\": ", test->result.effect));
    TRY(write_number(stream, ", \"effect_high\": ", test->result.effect_high));
    TRY(output_print(stream, "}"));
cleanup:
    return status;
}

static scone_status write_tests(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    const literal_levels *levels = &r->reasons.levels;
    TRY(output_print(stream, ",\n  \"rules\": {\"applied\": "));
    TRY(text_write_json(stream, r->options.rules));
    TRY(output_print(stream, ", \"tests\": %zu, \"rows\": %zu, \"correction\": \"holm\"",
                     r->reasons.tested, r->reasons.rows));
    TRY(write_number(stream, ", \"changed_level\": ", levels->changed));
    TRY(write_number(stream, ", \"invariant_level\": ", levels->invariant));
    TRY(write_number(stream, ", \"margin\": ", levels->margin));
    TRY(output_print(stream, ", \"seed\": \"%llu\"},\n  \"tests\": [",
                     (unsigned long long)r->options.seed));
    for (size_t t = 0; t < r->reasons.test_count; t++) TRY(write_test(stream, r, t));
    TRY(output_print(stream, "%s]", r->reasons.test_count ? "\n  " : ""));
cleanup:
    return status;
}

/* ---- certificates ---- */

static scone_status write_local(output_file *stream, const scone_result *r, const local_subset *s,
                                const char *before)
{
    scone_status status = SCONE_OK;
    bool first = true;
    TRY(output_print(stream, "%s[", before));
    for (int a = 0; a < s->count; a++) {
        uint32_t undirected = s->local.neighbours[a] & ~((2u << a) - 1u);
        MASK_FOR(b, (uint32_t)s->local.children[a] | undirected) {
            bool directed = pdag_directed(&s->local, a, b);
            TRY(output_print(stream, first ? "[" : ", ["));
            TRY(text_write_json(stream, node_name(r, s->nodes[a])));
            TRY(output_print(stream, ", \"%s\", ", directed ? "->" : "-"));
            TRY(text_write_json(stream, node_name(r, s->nodes[b])));
            TRY(output_print(stream, "]"));
            first = false;
        }
    }
    TRY(output_print(stream, "]"));
cleanup:
    return status;
}

static scone_status write_skeleton(output_file *stream, const scone_result *r,
                                   const local_subset *s)
{
    scone_status status = SCONE_OK;
    bool first = true;
    TRY(output_print(stream, ", \"skeleton\": ["));
    for (int a = 0; a < s->count; a++) {
        MASK_FOR(b, (uint32_t)s->skeleton[a] & ~((2u << a) - 1u)) {
            const uint32_t pair[2] = {s->nodes[a], s->nodes[b]};
            TRY(write_names(stream, r, first ? "" : ", ", pair, 2));
            first = false;
        }
    }
    TRY(output_print(stream, "]"));
cleanup:
    return status;
}

/* Is the direction a premise of the step (graph/meek.h)? */
static bool rests_on(const meek_reason *step, const graph *set)
{
    switch (step->rule) {
    case MEEK_R1:
        return graph_directed(set, step->first, step->from);
    case MEEK_R2:
        return graph_directed(set, step->from, step->first) ||
               graph_directed(set, step->first, step->to);
    case MEEK_R3:
        return graph_directed(set, step->first, step->to) ||
               graph_directed(set, step->second, step->to);
    case MEEK_R4:
        return graph_directed(set, step->second, step->first) ||
               graph_directed(set, step->first, step->to);
    case MEEK_REQUIRED:
        break;
    }
    return false;
}

/* The steps of the closure that rest on the certificate, directly or by way of others. */
static scone_status write_follows(output_file *stream, const scone_result *r, const reason *one,
                                  graph *set)
{
    scone_status status = SCONE_OK;
    const char *before = "";
    TRY(output_print(stream, ", \"follows\": ["));
    if (one->outcome <= REASON_TURNS) {
        graph_direct(set, one->from, one->to);
        for (size_t s = 0; s < r->decoded.step_count; s++) {
            const meek_reason *step = &r->decoded.steps[s];
            if (!rests_on(step, set)) continue;
            graph_direct(set, step->from, step->to);
            TRY(output_print(stream, "%s%zu", before, s + 1));
            before = ", ";
        }
        for (size_t s = 0; s < r->decoded.step_count; s++) {
            graph_remove(set, r->decoded.steps[s].from, r->decoded.steps[s].to);
        }
        graph_remove(set, one->from, one->to);
    }
    TRY(output_print(stream, "]"));
cleanup:
    return status;
}

static scone_status write_certificate(output_file *stream, const scone_result *r, size_t index,
                                      graph *set)
{
    scone_status status = SCONE_OK;
    const reason *one = &r->reasons.list[index];
    const certificate *c = &one->certificate;
    uint32_t path[RULE_MOST_NODES];
    for (int k = 0; k < c->path_count; k++) path[k] = one->subset.nodes[c->path[k]];
    TRY(output_print(stream, "%s\n    {\"certificate\": %zu, \"rule\": \"%s\", \"source\": ",
                     index ? "," : "", index + 1, rule_name(c->rule)));
    TRY(text_write_json(stream, node_name(r, one->from)));
    TRY(output_print(stream, ", \"target\": "));
    TRY(text_write_json(stream, node_name(r, one->to)));
    TRY(output_print(stream, ", \"outcome\": \"%s\"", report_outcome(one->outcome)));
    TRY(write_number(stream, ", \"log_odds\": ", one->weight));
    TRY(write_number(stream, ", \"learner_log_odds\": ", one->learner));
    TRY(write_mask(stream, r, ", \"witness\": ", &one->subset, c->witness));
    TRY(output_print(stream, ", \"literals\": ["));
    for (int l = 0; l < c->literal_count; l++) {
        TRY(output_print(stream, "%s%u", l ? ", " : "", one->tests[l] + 1u));
    }
    TRY(output_print(stream, "]"));
    if (c->path_count) {
        TRY(write_names(stream, r, ", \"path\": ", path, c->path_count));
        TRY(write_mask(stream, r, ", \"replay\": ", &one->subset, c->replay));
    }
    TRY(write_names(stream, r, ", \"subset\": ", one->subset.nodes, (size_t)one->subset.count));
    TRY(write_local(stream, r, &one->subset, ", \"local\": ["));
    TRY(write_local(stream, r, &one->subset, ", "));
    TRY(output_print(stream, "]"));
    TRY(write_skeleton(stream, r, &one->subset));
    TRY(write_follows(stream, r, one, set));
    TRY(output_print(stream, "}"));
cleanup:
    return status;
}

/* ---- conflicts ---- */

static scone_status write_conflicts(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, ",\n  \"conflicts\": ["));
    for (size_t i = 0; i < r->conflict_count; i++) {
        TRY(output_print(stream, "%s\n    {\"certificate\": %zu, \"text\": ", i ? "," : "",
                         r->conflicting[i] + 1));
        TRY(text_write_json(stream, r->conflicts[i]));
        TRY(output_print(stream, "}"));
    }
    TRY(output_print(stream, "%s]", r->conflict_count ? "\n  " : ""));
cleanup:
    return status;
}

scone_status report_reasons(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    graph *set = NULL;
    TRY(graph_alloc(&set, r->node_count));
    TRY(write_tests(stream, r));
    TRY(output_print(stream, ",\n  \"certificates\": ["));
    for (size_t i = 0; i < r->reasons.count; i++) TRY(write_certificate(stream, r, i, set));
    TRY(output_print(stream, "%s]", r->reasons.count ? "\n  " : ""));
    TRY(write_conflicts(stream, r));
cleanup:
    scone_graph_free(set);
    return status;
}

scone_status report_edge_reasons(output_file *stream, const scone_result *r, size_t edge)
{
    scone_status status = SCONE_OK;
    const decode_edge *decoded = &r->decoded.edges[edge];
    const char *before = "";
    TRY(output_print(stream, ", \"certificates\": ["));
    for (size_t i = 0; decoded->reason && i < r->reasons.count; i++) {
        const reason *one = &r->reasons.list[i];
        if (one->from != decoded->from || one->to != decoded->to) continue;
        TRY(output_print(stream, "%s%zu", before, i + 1));
        before = ", ";
    }
    TRY(output_print(stream, "]"));
cleanup:
    return status;
}
