/* report.h - the files of a finished discovery. Everything is written by variable, that is in the
 * order of the names (discover/result.h), so that no file but run.json depends on the order of the
 * columns.
 */
#ifndef SCONE_REPORT_REPORT_H
#define SCONE_REPORT_REPORT_H

#include "io/file.h"
#include "discover/result.h"

/* The variable of a column. */
static inline size_t report_variable(const scone_result *r, size_t column)
{
    return r->variables[column];
}

/* The name of a column. */
static inline const char *report_name(const scone_result *r, size_t column)
{
    return r->names[r->variables[column]];
}

/* ---- number_print.c ---- */

/* The shortest digits that read back to the same bits; null for JSON where there is no number. */
scone_status number_print(output_file *stream, double value);
/* Rounded to so many decimals: "0.95", "-3.0". */
scone_status number_print_decimals(output_file *stream, double value, int decimals);
/* A p-value for people: three digits, "< 1e-300" where it is too small to say. */
scone_status number_print_p_value(output_file *stream, double value);
const char *report_effort(scone_effort effort);

/* ---- report_tables.c ---- */

scone_status report_edges(output_file *stream, const scone_result *r);
scone_status report_probabilities(output_file *stream, const scone_result *r);
scone_status report_targets(output_file *stream, const scone_result *r);

/* ---- report_graph_json.c, report_run_json.c ---- */

scone_status report_graph_json(output_file *stream, const scone_result *r);
scone_status report_run_json(output_file *stream, const scone_result *r, const scone_run *run);
/* XXH64 of a file's bytes. *regular = false for a pipe, whose bytes are gone. */
scone_status report_hash_file(bool *regular, size_t *bytes, uint64_t *hash, const char *path);

/* ---- report_reasons_json.c ---- */

/* The members rules, tests, certificates and conflicts; and the certificates of one edge. */
scone_status report_reasons(output_file *stream, const scone_result *r);
scone_status report_edge_reasons(output_file *stream, const scone_result *r, size_t edge);
const char *report_literal(literal value);
const char *report_outcome(reason_outcome outcome);

/* ---- report_html.c, report_drawing.c ---- */

scone_status report_html(output_file *stream, const scone_result *r);

enum { REPORT_DRAWN_NODES = 300, REPORT_DRAWN_EDGES = 1000 };
/* The graph as inline SVG, and a sentence about variables without edges; a sentence alone if the
 * graph is too large to be read. */
scone_status report_drawing(output_file *stream, const scone_result *r);

#endif
