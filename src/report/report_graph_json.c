/* report_graph_json.c - graph.json: the graph with all that is known about it
 * (docs/reference/result-files.md).
 *
 * The members nodes and edges are those of every graph in JSON (graph/format/format_json.c), so the
 * file is read wherever a graph is.
 */
#include "report/report.h"

/* ---- the closure ---- */

static void write_closure(json_writer *j, const scone_result *r)
{
    json_write_lines(j, "closure");
    for (size_t s = 0; s < r->decoded.step_count; s++) {
        const meek_reason *step = &r->decoded.steps[s];
        const char rule[] = {'R', (char)('0' + step->rule), '\0'};
        meek_edge premises[2];
        size_t count = report_premises(premises, step);
        json_write_object(j, NULL);
        json_write_count(j, "step", s + 1);
        json_write_string(j, "rule", rule);
        json_write_string(j, "source", report_node(r, step->from));
        json_write_string(j, "target", report_node(r, step->to));
        json_write_array(j, "premises");
        for (size_t p = 0; p < count; p++) {
            const uint32_t pair[2] = {premises[p].from, premises[p].to};
            report_nodes(j, NULL, r, pair, 2);
        }
        json_write_close(j);
        json_write_close(j);
    }
    json_write_close(j);
}

/* ---- edges ---- */

static const char *cause_name(decode_cause cause)
{
    switch (cause) {
    case DECODE_SEARCH:
        break;
    case DECODE_REQUIRED:
        return "required";
    case DECODE_FORBIDDEN:
        return "forbidden";
    case DECODE_EXTENSION:
        return "extension";
    case DECODE_MEEK:
        return "closure";
    case DECODE_RULE:
        return "rule";
    }
    return "search";
}

static void write_edge(json_writer *j, const scone_result *r, size_t index)
{
    const scone_edge *edge = &r->edges[index];
    const decode_edge *decoded = &r->decoded.edges[index];
    json_write_object(j, NULL);
    json_write_string(j, "source", report_name(r, edge->source));
    json_write_string(j, "target", report_name(r, edge->target));
    json_write_string(j, "kind", edge->undirected ? "undirected" : "directed");
    json_write_number(j, "p_forward", edge->p_forward);
    json_write_number(j, "p_backward", edge->p_backward);
    json_write_number(j, "p_none", edge->p_none);
    json_write_number(j, "worth", edge->worth);
    json_write_number(j, "turned", edge->turned);
    json_write_string(j, "why", edge->why);
    json_write_string(j, "cause", cause_name(decoded->cause));
    if (decoded->cause == DECODE_MEEK) json_write_count(j, "step", decoded->step + 1);
    report_edge_reasons(j, r, index);
    json_write_close(j);
}

static void write_edges(json_writer *j, const scone_result *r)
{
    json_write_lines(j, "edges");
    for (size_t e = 0; e < r->decoded.count; e++) write_edge(j, r, e);
    json_write_close(j);
    json_write_lines(j, "left_out");
    for (size_t s = 0; s < r->decoded.skipped_count; s++) {
        const decode_edge *edge = &r->decoded.skipped[s];
        json_write_object(j, NULL);
        json_write_string(j, "source", report_node(r, edge->from));
        json_write_string(j, "target", report_node(r, edge->to));
        json_write_number(j, "p_forward", edge->probability);
        json_write_string(j, "why", "it would close a cycle");
        json_write_close(j);
    }
    json_write_close(j);
}

/* ---- the rest ---- */

static void write_target(json_writer *j, const scone_result *r, const scone_target *target)
{
    json_write_object(j, NULL);
    json_write_string(j, "variable", report_name(r, target->variable));
    json_write_boolean(j, "target", target->target);
    json_write_number(j, "size", target->size);
    json_write_number(j, "p_value", target->p_value);
    json_write_number(j, "evidence", target->evidence);
    json_write_string(j, "reason", target->reason);
    json_write_close(j);
}

static void write_targets(json_writer *j, const scone_result *r)
{
    json_write_lines(j, "targets");
    for (size_t t = 0; t < r->map.count; t++) write_target(j, r, &r->targets[t]);
    json_write_close(j);
    if (r->conditions == 0) return;
    json_write_lines(j, "conditions");
    for (size_t k = 0; k < r->conditions; k++) {
        json_write_object(j, NULL);
        json_write_string(j, "condition", r->condition_names[k]);
        json_write_count(j, "rows", r->condition_rows[k]);
        json_write_lines(j, "targets");
        for (size_t t = 0; t < r->map.count; t++) {
            write_target(j, r, scone_result_condition_target(r, k, t));
        }
        json_write_close(j);
        json_write_close(j);
    }
    json_write_close(j);
}

static void write_method(json_writer *j, const scone_result *r)
{
    const scone_discover_options *o = &r->request.options;
    json_write_object(j, "method");
    json_write_string(j, "preset", r->request.preset->name);
    json_write_string(j, "effort", report_effort(o->effort));
    if (r->request.model_id[0]) json_write_string(j, "model", r->request.model_id);
    if (r->request.learners) {
        char learners[LEARNER_TEXT];
        learner_text(learners, r->request.learners, ',');
        json_write_string(j, "learners", learners);
    }
    json_write_number(j, "threshold", o->threshold);
    json_write_number(j, "margin", o->margin);
    json_write_number(j, "alpha", o->alpha);
    json_write_count(j, "bootstrap", o->bootstrap);
    json_write_count(j, "max_parents", o->max_parents);
    json_write_count(j, "seed", o->seed);
    json_write_close(j);
}

scone_status report_graph_json(output_file *stream, const scone_result *r)
{
    json_writer j = json_write_start(stream);
    json_write_string(&j, "format", "scone-graph");
    json_write_count(&j, "version", 1);
    json_write_array(&j, "nodes");
    for (size_t v = 0; v < r->map.count; v++) json_write_string(&j, NULL, r->map.names[v]);
    json_write_close(&j);
    write_edges(&j, r);
    write_closure(&j, r);
    scone_status status = report_reasons(&j, r);
    if (status != SCONE_OK) return status;
    report_stages(&j, r);
    write_targets(&j, r);
    write_method(&j, r);
    json_write_array(&j, "warnings");
    for (size_t w = 0; w < r->warnings.count; w++) {
        json_write_string(&j, NULL, r->warnings.texts[w]);
    }
    json_write_close(&j);
    return json_write_end(&j);
}
