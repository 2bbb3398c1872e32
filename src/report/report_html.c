/* report_html.c - report.html: one page that needs nothing else (see report.h). Every name is escaped;
 * there is no script. Times, paths and threads are in run.json alone, so that the page is the same
 * bytes for the same data.
 */
#include "report/report.h"

#include "text/text.h"

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:64rem;padding:0 1rem;"
    "color:#1c2530;background:#fff}"
    "h1{font-size:1.6rem;margin-bottom:.2rem}h2{font-size:1.15rem;margin-top:2rem}"
    ".sub{color:#5b6875;margin-top:0}"
    "table{border-collapse:collapse}th,td{padding:.25rem .8rem;border-bottom:1px solid #dfe4ea;"
    "text-align:left}td.v,th.v{text-align:right;font-variant-numeric:tabular-nums}"
    ".warning{background:#fff6e0;border-left:4px solid #d99a00;padding:.4rem .8rem;margin:.4rem 0}"
    ".figure{overflow:auto;border:1px solid #dfe4ea;border-radius:6px}"
    "svg text{font:13px system-ui,sans-serif;text-anchor:middle;fill:#1c2530}"
    "svg rect{fill:#f4f6f8;stroke:#8794a1}svg .t rect{fill:#ffd9b8;stroke:#c35a00}"
    "svg path{fill:none;stroke:#42566b}svg .d{marker-end:url(#a)}"
    "svg .u{stroke-dasharray:5 4;stroke:#7c8b99}svg .head{fill:#42566b;stroke:none}"
    ".key{display:inline-block;width:.9em;height:.9em;border:1px solid #c35a00;background:#ffd9b8;"
    "border-radius:3px;vertical-align:-.1em}"
    "@media(prefers-color-scheme:dark){body{background:#14181d;color:#dfe5ea}"
    ".sub{color:#93a0ac}th,td{border-color:#333c45}.warning{background:#3a2f10}"
    ".figure{border-color:#333c45;background:#e9edf0}}";

static size_t count_targets(const scone_result *r)
{
    size_t count = 0;
    for (size_t t = 0; t < r->count; t++) count += r->targets[t].target;
    return count;
}

static size_t count_undirected(const scone_result *r)
{
    size_t count = 0;
    for (size_t e = 0; e < r->decoded.count; e++) count += r->edges[e].undirected;
    return count;
}

static const char *many(size_t count, const char *one, const char *several)
{
    return count == 1 ? one : several;
}

static scone_status write_summary(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    size_t undirected = count_undirected(r), directed = r->decoded.count - undirected;
    size_t targets = count_targets(r);
    TRY(output_print(
        stream,
        "<h1>Causal graph of %zu %s</h1>\n<p class=\"sub\">scone %s, preset %s, effort "
        "%s, seed %llu</p>\n",
        r->count, many(r->count, "variable", "variables"), scone_version(), r->preset->name,
        report_effort(r->options.effort), (unsigned long long)r->options.seed));
    TRY(output_print(stream,
                     "<p>From %zu rows before and %zu rows after the change: %zu directed %s, %zu "
                     "%s whose direction is open, and %zu %s whose mechanism changed.</p>\n",
                     r->rows[0], r->rows[1], directed, many(directed, "edge", "edges"), undirected,
                     many(undirected, "edge", "edges"), targets,
                     many(targets, "variable", "variables")));
    for (size_t w = 0; w < r->warning_count; w++) {
        TRY(output_print(stream, "<p class=\"warning\">Warning: "));
        TRY(text_write_xml(stream, r->warnings[w]));
        TRY(output_print(stream, "</p>\n"));
    }
cleanup:
    return status;
}

static scone_status write_targets(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream,
                     "<h2>Which mechanisms changed</h2>\n<table><thead><tr><th>variable</th>"
                     "<th>changed</th><th class=\"v\">score</th><th class=\"v\">p-value</th>"
                     "</tr></thead>\n<tbody>\n"));
    for (size_t t = 0; t < r->count; t++) {
        const scone_target *target = &r->targets[t];
        TRY(output_print(stream, "<tr><td>"));
        TRY(text_write_xml(stream, report_name(r, target->variable)));
        TRY(output_print(stream, "</td><td>%s</td><td class=\"v\">",
                         target->target ? "<span class=\"key\"></span> yes" : "no"));
        TRY(number_print_decimals(stream, target->score, 1));
        TRY(output_print(stream, "</td><td class=\"v\">"));
        TRY(number_print_p_value(stream, target->p_value));
        TRY(output_print(stream, "</td></tr>\n"));
    }
    TRY(output_print(stream, "</tbody></table>\n"));
cleanup:
    return status;
}

static scone_status write_edges(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    if (r->decoded.count == 0) return SCONE_OK;
    TRY(output_print(stream, "<h2>Edges, strongest first</h2>\n<table><thead><tr><th>edge</th>"
                             "<th class=\"v\">forward</th><th class=\"v\">backward</th>"
                             "<th class=\"v\">no edge</th><th>why</th></tr></thead>\n<tbody>\n"));
    for (size_t e = 0; e < r->decoded.count; e++) {
        const scone_edge *edge = &r->edges[e];
        const double shares[3] = {edge->p_forward, edge->p_backward, edge->p_none};
        TRY(output_print(stream, "<tr><td>"));
        TRY(text_write_xml(stream, report_name(r, edge->source)));
        TRY(output_print(stream, edge->undirected ? " &#8212; " : " &#8594; "));
        TRY(text_write_xml(stream, report_name(r, edge->target)));
        for (size_t s = 0; s < 3; s++) {
            TRY(output_print(stream, "</td><td class=\"v\">"));
            TRY(number_print_decimals(stream, shares[s], 3));
        }
        TRY(output_print(stream, "</td><td>"));
        TRY(text_write_xml(stream, edge->why));
        TRY(output_print(stream, "</td></tr>\n"));
    }
    TRY(output_print(stream, "</tbody></table>\n"));
cleanup:
    return status;
}

static scone_status write_guide(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, "<h2>How to read this</h2>\n<ul>\n"
                             "<li>A &#8594; B: A is a direct cause of B among these variables. A "
                             "&#8212; B: they are directly connected, and the data do not tell "
                             "which one is the cause.</li>\n"
                             "<li>forward, backward and no edge are the probabilities of the "
                             "three possibilities for a pair; they sum to 1. An edge is listed if "
                             "forward and backward together reach "));
    TRY(number_print_decimals(stream, r->options.threshold, 2));
    TRY(output_print(stream, ", and it gets an arrow if they differ by at least "));
    TRY(number_print_decimals(stream, r->options.margin, 2));
    TRY(output_print(stream, ", if something known beforehand says so, or if it follows from "
                             "other arrows (Meek rules R1 to R4; <i>why</i> names them).</li>\n"
                             "<li>A variable whose mechanism changed responds differently to its "
                             "causes after the change. One that merely follows a changed cause is "
                             "not listed as changed. The p-value is the chance of so much evidence "
                             "if nothing changed; about "));
    TRY(number_print_decimals(stream, 100.0 * r->options.alpha, 1));
    TRY(output_print(stream,
                     "%% of the variables marked yes are marked wrongly.</li>\n"
                     "<li>All of this assumes that no unmeasured variable causes two of these, and "
                     "that there are no feedback loops.</li>\n"
                     "</ul>\n<p class=\"sub\">The same result is in edges.csv, probabilities.csv, "
                     "targets.csv and graph.json beside this page; run.json tells how it was "
                     "made.</p>\n"));
cleanup:
    return status;
}

scone_status report_html(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream,
                     "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                     "<title>Causal graph of %zu variables</title>\n<style>%s</style>\n</head>\n"
                     "<body>\n",
                     r->count, style));
    TRY(write_summary(stream, r));
    TRY(output_print(stream, "<h2>The graph</h2>\n<p>Causes are above their effects. <span "
                             "class=\"key\"></span> marks a changed mechanism; a dashed line has "
                             "no known direction; a wider line is more likely.</p>\n"));
    TRY(report_drawing(stream, r));
    TRY(write_targets(stream, r));
    TRY(write_edges(stream, r));
    TRY(write_guide(stream, r));
    TRY(output_print(stream, "</body>\n</html>\n"));
cleanup:
    return status;
}
