/* format_adjacency.c - graphs as a delimited table of zeros and ones.
 *
 *     ,A,B,C
 *     A,0,1,0
 *     B,0,0,1
 *     C,0,1,0
 *
 * Row i, column j is 1 if i -> j; 1 on both sides of the diagonal is an undirected edge (B - C
 * above). Read in four shapes: with row names and any first header cell, with row names and a
 * header that is one cell shorter (as R writes), or without row names.
 *
 * Cost: linear in the text; the bit matrices are allocated only if the text is long enough for
 * the table that its header announces.
 */
#include "graph/format/format_builder.h"
#include "text/delimited_rows.h"
#include "text/write/delimited_write.h"
#include "text/text.h"

#include "text/number/number.h"

#include <string.h>

/* Where names and values stand in the rows. */
typedef struct table_shape {
    size_t names_from; /* first header cell that is a variable: 0 or 1 */
    bool row_names;
    size_t fields; /* in every row */
} table_shape;

static bool read_cell(bool *one, delimited_field field)
{
    if (field.length == 1 && (field.text[0] == '0' || field.text[0] == '1')) {
        *one = field.text[0] == '1';
        return true;
    }
    double value;
    if (number_parse(&value, field.text, field.text + field.length) != NUMBER_OK) return false;
    *one = value == 1.0;
    return value == 0.0 || value == 1.0;
}

/* A field that repeats the header's second cell is a name even if it is the name 0 or 1. */
static bool starts_with_name(delimited_field field, const delimited_field *second)
{
    bool one;
    if (!read_cell(&one, field)) return true;
    return second && field.length == second->length &&
           memcmp(field.text, second->text, field.length) == 0;
}

/* Decides from the header (the current row), the number of rows, and the first of them. */
static scone_status find_shape(table_shape *shape, delimited_rows *rows)
{
    scone_status status = SCONE_OK;
    size_t header = rows->record.count, left = delimited_rows_left(rows);
    delimited_rows ahead = {0};
    if (rows->record.fields[0].length == 0) {
        *shape = (table_shape){1, true, header};
        goto cleanup;
    }
    size_t first = header;
    bool named = false; /* does the first row start with a name rather than a value? */
    if (left > 0) {
        ahead = *rows;
        ahead.record = (delimited_record){0};
        ahead.memory = NULL;
        TRY(arena_alloc(&ahead.memory, 0));
        bool more;
        TRY(delimited_rows_next(&ahead, &more));
        first = ahead.record.count;
        named =
            starts_with_name(ahead.record.fields[0], header > 1 ? &rows->record.fields[1] : NULL);
    }
    if (first == header + 1) {
        *shape = (table_shape){0, true, first};
    } else if (left + 1 == header && named) {
        *shape = (table_shape){1, true, header};
    } else {
        *shape = (table_shape){0, false, header};
    }
cleanup:
    delimited_record_free(&ahead.record);
    arena_free(ahead.memory);
    return status;
}

/* The names of the header into the builder. */
static scone_status read_header(graph_builder *b, const delimited_rows *rows, size_t from)
{
    scone_status status = SCONE_OK;
    for (size_t c = from; c < rows->record.count; c++) {
        delimited_field field = rows->record.fields[c];
        if (field.length == 0) {
            FAIL(SCONE_ERR_INPUT,
                 "row %zu, column %zu: the header has no name here; name every "
                 "variable",
                 rows->row, c + 1);
        }
        size_t node;
        bool known;
        TRY(builder_node(b, &node, &known, field.text, field.length, rows->row));
        if (known) {
            FAIL(SCONE_ERR_INPUT,
                 "row %zu: columns %zu and %zu are both named \"%s\"; names must be unique",
                 rows->row, node + from + 1, c + 1, SHOW(field.text, field.length));
        }
    }
cleanup:
    return status;
}

/* The current row as row i of the matrix; g may be NULL to only check it. */
static scone_status read_row(graph *g, const graph_builder *b, const delimited_rows *rows,
                             const table_shape *shape, size_t i)
{
    scone_status status = SCONE_OK;
    const delimited_field *fields = rows->record.fields;
    if (rows->record.count != shape->fields) {
        FAIL(SCONE_ERR_INPUT, "row %zu: fields: %zu, expected: %zu; fill in what is missing",
             rows->row, rows->record.count, shape->fields);
    }
    size_t length = strlen(b->names[i]), values = shape->row_names ? 1 : 0;
    if (shape->row_names &&
        (fields[0].length != length || memcmp(fields[0].text, b->names[i], length) != 0)) {
        FAIL(SCONE_ERR_INPUT,
             "row %zu: named \"%s\" where the header has \"%s\"; rows come in the order of the "
             "columns",
             rows->row, SHOW(fields[0].text, fields[0].length), SHOW(b->names[i], length));
    }
    for (size_t j = 0; j < b->nodes; j++) {
        bool one;
        if (!read_cell(&one, fields[values + j])) {
            FAIL(SCONE_ERR_INPUT,
                 "row %zu, column \"%s\": \"%s\" is neither 0 nor 1; an adjacency table says "
                 "whether there is an edge, so choose a threshold for weights",
                 rows->row, SHOW(b->names[j], strlen(b->names[j])),
                 SHOW(fields[values + j].text, fields[values + j].length));
        }
        if (one && i == j) {
            FAIL(
                SCONE_ERR_INPUT,
                "row %zu, column \"%s\": 1 on the diagonal, an edge from a node to itself; write 0",
                rows->row, SHOW(b->names[j], strlen(b->names[j])));
        }
        if (!one || !g) continue;
        if (graph_directed(g, j, i)) {
            graph_undirect(g, i, j);
        } else {
            graph_direct(g, i, j);
        }
    }
cleanup:
    return status;
}

/* A row of N values takes at least 2 N bytes, less a final line break. */
static bool table_fits(size_t nodes, size_t bytes)
{
    size_t needed;
    return size_multiply(&needed, nodes, 2) && size_multiply(&needed, needed, nodes) &&
           needed <= bytes + 1;
}

scone_status graph_parse_adjacency(graph **out, const char *text, size_t size)
{
    scone_status status = SCONE_OK;
    delimited_rows rows = {0};
    graph_builder b = {0};
    graph *g = NULL;
    table_shape shape;
    *out = NULL;
    TRY(delimited_rows_open(&rows, text, size));
    TRY(builder_open(&b, "row"));
    TRY(find_shape(&shape, &rows));
    TRY(read_header(&b, &rows, shape.names_from));
    if (table_fits(b.nodes, (size_t)(rows.end - rows.next))) {
        TRY(graph_alloc(&g, b.nodes));
        TRY(graph_set_names(g, (const char *const *)b.names));
    } /* else a row below must be short or missing: read on to say which */
    size_t count = 0;
    for (;; count++) {
        bool more;
        TRY(delimited_rows_next(&rows, &more));
        if (!more) break;
        if (count == b.nodes) {
            FAIL(SCONE_ERR_INPUT,
                 "row %zu: more rows than the %zu variables of the header; an "
                 "adjacency table has one row per variable",
                 rows.row, b.nodes);
        }
        TRY(read_row(g, &b, &rows, &shape, count));
    }
    if (count != b.nodes) {
        FAIL(SCONE_ERR_INPUT,
             "rows of values: %zu, variables of the header: %zu; an adjacency table has one row "
             "per variable",
             count, b.nodes);
    }
    if (!g) FAIL_DEFECT("an adjacency table is shorter than its values");
    *out = g;
    g = NULL;
cleanup:
    scone_graph_free(g);
    builder_close(&b);
    delimited_rows_close(&rows);
    return status;
}

scone_status graph_write_adjacency(output_file *stream, const graph *g, char delimiter)
{
    scone_status status = builder_check_names(g, false);
    if (status != SCONE_OK) return status;
    delimited_writer w = delimited_write_start(stream, delimiter);
    delimited_write_words(&w, g->nodes ? "" : "\"\""); /* not a blank line */
    for (size_t j = 0; j < g->nodes; j++) delimited_write_text(&w, scone_graph_name(g, j));
    delimited_write_end(&w);
    for (size_t i = 0; i < g->nodes; i++) {
        delimited_write_text(&w, scone_graph_name(g, i));
        for (size_t j = 0; j < g->nodes; j++) {
            bool one = graph_directed(g, i, j) || graph_undirected(g, i, j);
            delimited_write_words(&w, one ? "1" : "0");
        }
        delimited_write_end(&w);
    }
    return w.out.status;
}
