/* report.h - the files of a finished discovery. Everything is written by variable, that is in the
 * order of the names (discover/result.h), so that no file but run.json depends on the order of the
 * columns.
 */
#ifndef SCONE_REPORT_REPORT_H
#define SCONE_REPORT_REPORT_H

#include "io/file.h"
#include "discover/result.h"
#include "text/write/json_write.h"
#include "text/write/xml_write.h"

/* The variable of a column. */
static inline size_t report_variable(const scone_result *r, size_t column)
{
    return r->map.variables[column];
}

/* The name of a column. */
static inline const char *report_name(const scone_result *r, size_t column)
{
    return r->map.names[r->map.variables[column]];
}

/* The name of a node. */
static inline const char *report_node(const scone_result *r, size_t node)
{
    return r->map.names[r->map.nodes[node]];
}

/* ---- report_tables.c ---- */

scone_status report_edges(output_file *stream, const scone_result *r);
scone_status report_probabilities(output_file *stream, const scone_result *r);
scone_status report_targets(output_file *stream, const scone_result *r);

/* ---- report_graph_json.c, report_run_json.c ---- */

const char *report_effort(scone_effort effort);
scone_status report_graph_json(output_file *stream, const scone_result *r);
scone_status report_run_json(output_file *stream, const scone_result *r, const scone_run *run);
/* XXH64 of a file's bytes. *regular = false for a pipe, whose bytes are gone. */
scone_status report_hash_file(bool *regular, size_t *bytes, uint64_t *hash, const char *path);

/* ---- report_reasons_json.c ---- */

/* The members rules, tests, certificates and conflicts; and the certificates of one edge. What
 * fails to be written is kept by the writer. */
scone_status report_reasons(json_writer *j, const scone_result *r);
void report_edge_reasons(json_writer *j, const scone_result *r, size_t edge);
/* A list of names. */
void report_nodes(json_writer *j, const char *key, const scone_result *r, const uint32_t *nodes,
                  size_t count);
/* The directed edges that a step of the closure stands on (graph/meek.h), and how many. */
size_t report_premises(meek_edge premises[2], const meek_reason *step);
const char *report_literal(literal value);
const char *report_outcome(reason_outcome outcome);

/* ---- report_stages_json.c ---- */

/* The member stages, if the preset has any. */
void report_stages(json_writer *j, const scone_result *r);

/* ---- report_conditions.c: of several conditions ---- */

/* How far each variable moved in each of them. */
scone_status report_sizes(output_file *stream, const scone_result *r);
/* The same as a table on the page, and what changed in which. */
scone_status report_html_conditions(xml_writer *x, const scone_result *r);

/* ---- report_html.c, report_drawing.c ---- */

scone_status report_html(output_file *stream, const scone_result *r);
/* Cells of a table with a number in them; a p-value has two digits, "< 1e-300" where it is too
 * small to say. */
void report_number(xml_writer *x, double value, int decimals);
void report_p_value(xml_writer *x, double value);

enum { REPORT_DRAWN_NODES = 300, REPORT_DRAWN_EDGES = 1000 };
/* The graph as inline SVG, and a sentence about variables without edges; a sentence alone if the
 * graph is too large to be read. */
scone_status report_drawing(xml_writer *x, const scone_result *r);

#endif
