/* report_html.c - report.html: one page that needs nothing else (see report.h). Every name is
 * escaped; there is no script. Times, paths and threads are in run.json alone, so that the page is
 * the same bytes for the same data.
 */
#include "report/report.h"

#include <math.h>

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:64rem;padding:0 1rem;"
    "color:#1c2530;background:#fff}"
    "h1{font-size:1.6rem;margin-bottom:.2rem}h2{font-size:1.15rem;margin-top:2rem}"
    ".sub{color:#5b6875;margin-top:0}"
    "table{border-collapse:collapse}th,td{padding:.25rem .8rem;border-bottom:1px solid #dfe4ea;"
    "text-align:left}td.v,th.v{text-align:right;font-variant-numeric:tabular-nums}"
    "td.v{white-space:nowrap}"
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

/* Of several conditions alone: head and first column of the table of sizes stay in sight. */
static const char style_of_conditions[] =
    ".figure:has(table){max-height:80vh}.sizes{background:#fff;color:#1c2530}"
    ".sizes th,.sizes td{padding:.1rem .5rem;white-space:nowrap}"
    ".sizes thead th{position:sticky;top:0;background:#f4f6f8;vertical-align:bottom;z-index:1}"
    ".sizes tbody th,.sizes thead th:first-child{position:sticky;left:0;background:#f4f6f8}"
    ".sizes thead th:first-child{z-index:2}.sizes .t{background:#ffd9b8;font-weight:bold}"
    ".sizes .tall span{writing-mode:vertical-rl}svg .c{font-size:10px;fill:#7a3900}";

/* In any condition, if there are several. */
static size_t count_targets(const scone_result *r)
{
    size_t count = 0;
    for (size_t t = 0; t < r->map.count; t++) count += r->targets[t].target;
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

static void write_summary(xml_writer *x, const scone_result *r)
{
    size_t undirected = count_undirected(r), directed = r->decoded.count - undirected;
    size_t targets = count_targets(r);
    xml_write_print(x,
                    "<h1>Causal graph of %zu %s</h1>\n<p class=\"sub\">scone %s, preset %s, effort "
                    "%s, seed %llu</p>\n",
                    r->map.count, many(r->map.count, "variable", "variables"), scone_version(),
                    r->request.preset->name, report_effort(r->request.options.effort),
                    (unsigned long long)r->request.options.seed);
    if (r->conditions > 0) {
        xml_write_print(x,
                        "<p>From %zu rows of the control and %zu rows of %zu conditions: %zu "
                        "directed %s, %zu %s whose direction is open, and %zu %s whose mechanism "
                        "changed in at least one condition.</p>\n",
                        r->map.rows[0], r->map.rows[1], r->conditions, directed,
                        many(directed, "edge", "edges"), undirected,
                        many(undirected, "edge", "edges"), targets,
                        many(targets, "variable", "variables"));
    } else {
        xml_write_print(
            x,
            "<p>From %zu rows before and %zu rows after the change: %zu directed %s, %zu "
            "%s whose direction is open, and %zu %s whose mechanism changed.</p>\n",
            r->map.rows[0], r->map.rows[1], directed, many(directed, "edge", "edges"), undirected,
            many(undirected, "edge", "edges"), targets, many(targets, "variable", "variables"));
    }
    for (size_t w = 0; w < r->warnings.count; w++) {
        xml_write_open(x, "p");
        xml_write_attribute(x, "class", "warning");
        xml_write_text(x, "Warning: ");
        xml_write_text(x, r->warnings.texts[w]);
        xml_write_close(x);
    }
}

/* A cell of a table with a number in it, to be closed. */
static void open_number(xml_writer *x)
{
    xml_write_open(x, "td");
    xml_write_attribute(x, "class", "v");
}

void report_number(xml_writer *x, double value, int decimals)
{
    open_number(x);
    xml_write_decimals(x, value, decimals);
    xml_write_close(x);
}

void report_p_value(xml_writer *x, double value)
{
    open_number(x);
    if (value >= 0.0001) {
        xml_write_decimals(x, value, 4);
    } else if (value < 1e-300) {
        xml_write_text(x, "< 1e-300");
    } else {
        int exponent = (int)floor(log10(value));
        double digits = value / pow(10.0, exponent);
        bool ten = digits >= 9.95; /* as it would be rounded */
        xml_write_decimals(x, ten ? 1.0 : digits, 1);
        xml_write_print(x, "e%d", ten ? exponent + 1 : exponent);
    }
    xml_write_close(x);
}

static void write_targets(xml_writer *x, const scone_result *r)
{
    xml_write_markup(x, "<h2>Which mechanisms changed, the farthest first</h2>\n<table><thead><tr>"
                        "<th>variable</th><th>changed</th><th class=\"v\">size</th>"
                        "<th class=\"v\">p-value</th><th class=\"v\">evidence</th>"
                        "<th>why</th></tr></thead>\n<tbody>\n");
    for (size_t t = 0; t < r->map.count; t++) {
        const scone_target *target = &r->targets[t];
        xml_write_open(x, "tr");
        xml_write_element(x, "td", report_name(r, target->variable));
        xml_write_open(x, "td");
        xml_write_markup(x, target->target ? "<span class=\"key\"></span> yes" : "no");
        xml_write_close(x);
        report_number(x, target->size, 2);
        report_p_value(x, target->p_value);
        report_number(x, target->evidence, 1);
        xml_write_element(x, "td", target->reason);
        xml_write_close(x);
    }
    xml_write_markup(x, "</tbody></table>\n");
}

static void write_edges(xml_writer *x, const scone_result *r)
{
    if (r->decoded.count == 0) return;
    xml_write_markup(x, "<h2>Edges, strongest first</h2>\n<table><thead><tr><th>edge</th>"
                        "<th class=\"v\">forward</th><th class=\"v\">backward</th>"
                        "<th class=\"v\">no edge</th><th>why</th></tr></thead>\n<tbody>\n");
    for (size_t e = 0; e < r->decoded.count; e++) {
        const scone_edge *edge = &r->edges[e];
        xml_write_open(x, "tr");
        xml_write_open(x, "td");
        xml_write_text(x, report_name(r, edge->source));
        xml_write_markup(x, edge->undirected ? " &#8212; " : " &#8594; ");
        xml_write_text(x, report_name(r, edge->target));
        xml_write_close(x);
        report_number(x, edge->p_forward, 3);
        report_number(x, edge->p_backward, 3);
        report_number(x, edge->p_none, 3);
        xml_write_element(x, "td", edge->why);
        xml_write_close(x);
    }
    xml_write_markup(x, "</tbody></table>\n");
}

static void write_guide(xml_writer *x, const scone_result *r)
{
    xml_write_markup(x, "<h2>How to read this</h2>\n<ul>\n"
                        "<li>A &#8594; B: A is a direct cause of B among these variables. A "
                        "&#8212; B: they are directly connected, and the data do not tell "
                        "which one is the cause.</li>\n"
                        "<li>forward, backward and no edge are the probabilities of the "
                        "three possibilities for a pair; they sum to 1. An edge is listed if "
                        "forward and backward together reach ");
    xml_write_decimals(x, r->request.options.threshold, 2);
    xml_write_markup(x, ", and it gets an arrow if they differ by at least ");
    xml_write_decimals(x, r->request.options.margin, 2);
    xml_write_markup(x, ", if something known beforehand says so, or if it follows from "
                        "other arrows (Meek rules R1 to R4; <i>why</i> names them).</li>\n"
                        "<li>A variable whose mechanism changed responds differently to its "
                        "causes after the change. One that merely follows a changed cause is "
                        "not listed as changed. The size says how far the mechanism moved, in "
                        "standard deviations of what the mechanism before the change leaves "
                        "unexplained. The p-value is the chance of so much evidence "
                        "if nothing changed");
    if (r->rate_holds) {
        xml_write_markup(x, "; about ");
        xml_write_decimals(x, 100.0 * r->request.options.alpha, 1);
        xml_write_markup(x, r->conditions > 0
                                ? "% of the changes that are marked are marked wrongly"
                                : "% of the variables marked yes are marked wrongly");
    } else {
        xml_write_markup(x, r->conditions > 0
                                ? ". How many of the changes that are marked are marked wrongly is "
                                  "not known here, as the warnings above say"
                                : ". How many of those marked yes are marked wrongly is not known "
                                  "here, as the warnings above say");
    }
    xml_write_markup(x,
                     ".</li>\n"
                     "<li>All of this assumes that no unmeasured variable causes two of these, and "
                     "that there are no feedback loops.</li>\n"
                     "</ul>\n<p class=\"sub\">The same result is in edges.csv, probabilities.csv, "
                     "targets.csv");
    if (r->conditions > 0) xml_write_markup(x, ", sizes.csv");
    xml_write_markup(x, " and graph.json beside this page; run.json tells how it was "
                        "made.</p>\n");
}

scone_status report_html(output_file *stream, const scone_result *r)
{
    xml_writer x = xml_write_start(stream, 0);
    xml_write_print(&x,
                    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                    "style-src 'unsafe-inline'\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                    "<title>Causal graph of %zu variables</title>\n",
                    r->map.count);
    xml_write_open(&x, "style");
    xml_write_markup(&x, style);
    if (r->conditions > 0) xml_write_markup(&x, style_of_conditions);
    xml_write_close(&x);
    xml_write_markup(&x, "</head>\n<body>\n");
    write_summary(&x, r);
    xml_write_markup(&x, "<h2>The graph</h2>\n<p>Causes are above their effects. <span "
                         "class=\"key\"></span> marks a changed mechanism; a dashed line has "
                         "no known direction; a wider line is more likely.");
    if (r->conditions > 0) {
        xml_write_print(&x,
                        " The number says in how many of the %zu conditions it changed, and the "
                        "more they are, the stronger is the colour.",
                        r->conditions);
    }
    xml_write_markup(&x, "</p>\n");
    scone_status status = report_drawing(&x, r);
    if (status == SCONE_OK && r->conditions > 0) status = report_html_conditions(&x, r);
    if (status != SCONE_OK) return status;
    if (r->conditions == 0) write_targets(&x, r);
    write_edges(&x, r);
    write_guide(&x, r);
    xml_write_markup(&x, "</body>\n</html>\n");
    return xml_write_end(&x);
}
