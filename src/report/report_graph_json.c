/* report_graph_json.c - graph.json: the graph with all that is known about it (docs/manual/discover.md).
 *
 * The members nodes and edges are those of every graph in JSON (graph/format/format_json.c), so the file
 * is read wherever a graph is.
 */
#include "report/report.h"

#include "text/text.h"

static scone_status write_text(output_file *stream, const char *before, const char *text)
{
    scone_status status = output_print(stream, "%s", before);
    return status == SCONE_OK ? text_write_json(stream, text) : status;
}

static scone_status write_number(output_file *stream, const char *before, double value)
{
    scone_status status = output_print(stream, "%s", before);
    return status == SCONE_OK ? number_print(stream, value) : status;
}

static const char *node_name(const scone_result *r, size_t node)
{
    return r->names[r->nodes[node]];
}

/* ---- the closure ---- */

static scone_status write_premise(output_file *stream, const scone_result *r, const char *before,
                                  size_t from, size_t to)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, "%s[", before));
    TRY(text_write_json(stream, node_name(r, from)));
    TRY(write_text(stream, ", ", node_name(r, to)));
    TRY(output_print(stream, "]"));
cleanup:
    return status;
}

/* The directed edges that the rule stands on (graph/meek.h). */
static scone_status write_premises(output_file *stream, const scone_result *r,
                                   const meek_reason *step)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, "["));
    switch (step->rule) {
    case MEEK_R1:
        TRY(write_premise(stream, r, "", step->first, step->from));
        break;
    case MEEK_R2:
        TRY(write_premise(stream, r, "", step->from, step->first));
        TRY(write_premise(stream, r, ", ", step->first, step->to));
        break;
    case MEEK_R3:
        TRY(write_premise(stream, r, "", step->first, step->to));
        TRY(write_premise(stream, r, ", ", step->second, step->to));
        break;
    case MEEK_R4:
        TRY(write_premise(stream, r, "", step->second, step->first));
        TRY(write_premise(stream, r, ", ", step->first, step->to));
        break;
    case MEEK_REQUIRED:
        break;
    }
    TRY(output_print(stream, "]"));
cleanup:
    return status;
}

static scone_status write_closure(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, ",\n  \"closure\": ["));
    for (size_t s = 0; s < r->decoded.step_count; s++) {
        const meek_reason *step = &r->decoded.steps[s];
        TRY(output_print(stream, "%s\n    {\"step\": %zu, \"rule\": \"R%d\"", s ? "," : "", s + 1,
                         (int)step->rule));
        TRY(write_text(stream, ", \"source\": ", node_name(r, step->from)));
        TRY(write_text(stream, ", \"target\": ", node_name(r, step->to)));
        TRY(output_print(stream, ", \"premises\": "));
        TRY(write_premises(stream, r, step));
        TRY(output_print(stream, "}"));
    }
    TRY(output_print(stream, "%s]", r->decoded.step_count ? "\n  " : ""));
cleanup:
    return status;
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

static scone_status write_edge(output_file *stream, const scone_result *r, size_t index)
{
    scone_status status = SCONE_OK;
    const scone_edge *edge = &r->edges[index];
    const decode_edge *decoded = &r->decoded.edges[index];
    TRY(write_text(stream, "{\"source\": ", report_name(r, edge->source)));
    TRY(write_text(stream, ", \"target\": ", report_name(r, edge->target)));
    TRY(output_print(stream, ", \"kind\": \"%s\"", edge->undirected ? "undirected" : "directed"));
    TRY(write_number(stream, ", \"p_forward\": ", edge->p_forward));
    TRY(write_number(stream, ", \"p_backward\": ", edge->p_backward));
    TRY(write_number(stream, ", \"p_none\": ", edge->p_none));
    TRY(write_number(stream, ", \"worth\": ", edge->worth));
    TRY(write_number(stream, ", \"turned\": ", edge->turned));
    TRY(write_text(stream, ", \"why\": ", edge->why));
    TRY(output_print(stream, ", \"cause\": \"%s\"", cause_name(decoded->cause)));
    if (decoded->cause == DECODE_MEEK) {
        TRY(output_print(stream, ", \"step\": %zu", decoded->step + 1));
    }
    TRY(report_edge_reasons(stream, r, index));
    TRY(output_print(stream, "}"));
cleanup:
    return status;
}

static scone_status write_edges(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, ",\n  \"edges\": ["));
    for (size_t e = 0; e < r->decoded.count; e++) {
        TRY(output_print(stream, "%s\n    ", e ? "," : ""));
        TRY(write_edge(stream, r, e));
    }
    TRY(output_print(stream, "%s]", r->decoded.count ? "\n  " : ""));
    TRY(output_print(stream, ",\n  \"left_out\": ["));
    for (size_t s = 0; s < r->decoded.skipped_count; s++) {
        const decode_edge *edge = &r->decoded.skipped[s];
        TRY(write_text(
            stream, s ? ",\n    {\"source\": " : "\n    {\"source\": ", node_name(r, edge->from)));
        TRY(write_text(stream, ", \"target\": ", node_name(r, edge->to)));
        TRY(write_number(stream, ", \"p_forward\": ", edge->probability));
        TRY(output_print(stream, ", \"why\": \"it would close a cycle\"}"));
    }
    TRY(output_print(stream, "%s]", r->decoded.skipped_count ? "\n  " : ""));
cleanup:
    return status;
}

/* ---- the rest ---- */

static scone_status write_targets(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, ",\n  \"targets\": ["));
    for (size_t t = 0; t < r->count; t++) {
        const scone_target *target = &r->targets[t];
        TRY(write_text(stream, t ? ",\n    {\"variable\": " : "\n    {\"variable\": ",
                       report_name(r, target->variable)));
        TRY(write_number(stream, ", \"score\": ", target->score));
        TRY(write_number(stream, ", \"p_value\": ", target->p_value));
        TRY(output_print(stream, ", \"target\": %s}", target->target ? "true" : "false"));
    }
    TRY(output_print(stream, "%s]", r->count ? "\n  " : ""));
cleanup:
    return status;
}

static scone_status write_method(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    const scone_discover_options *o = &r->options;
    TRY(output_print(stream, ",\n  \"method\": {\"preset\": \"%s\", \"effort\": \"%s\"",
                     r->preset->name, report_effort(o->effort)));
    if (r->model_id[0]) TRY(output_print(stream, ", \"model\": \"%s\"", r->model_id));
    TRY(write_number(stream, ", \"threshold\": ", o->threshold));
    TRY(write_number(stream, ", \"margin\": ", o->margin));
    TRY(write_number(stream, ", \"alpha\": ", o->alpha));
    TRY(output_print(stream, ", \"bootstrap\": %zu, \"max_parents\": %zu, \"seed\": %llu}",
                     o->bootstrap, o->max_parents, (unsigned long long)o->seed));
cleanup:
    return status;
}

scone_status report_graph_json(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream,
                     "{\n  \"format\": \"scone-graph\",\n  \"version\": 1,\n  \"nodes\": ["));
    for (size_t v = 0; v < r->count; v++) TRY(write_text(stream, v ? ", " : "", r->names[v]));
    TRY(output_print(stream, "]"));
    TRY(write_edges(stream, r));
    TRY(write_closure(stream, r));
    TRY(report_reasons(stream, r));
    TRY(write_targets(stream, r));
    TRY(write_method(stream, r));
    TRY(output_print(stream, ",\n  \"warnings\": ["));
    for (size_t w = 0; w < r->warning_count; w++) {
        TRY(write_text(stream, w ? ", " : "", r->warnings[w]));
    }
    TRY(output_print(stream, "]\n}\n"));
cleanup:
    return status;
}
