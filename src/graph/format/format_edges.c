/* format_edges.c - graphs as a delimited list of edges.
 *
 *     source,target,kind
 *     A,B,directed
 *     B,C,undirected
 *     D,,
 *
 * Columns are found by name (source and target, or from and to; kind), others are ignored. A row
 * without a target declares a node. Without a kind column a pair listed in both directions is an
 * undirected edge, as in an adjacency table; with one, that is a contradiction.
 *
 * A list of edges has no order of nodes, so both sides use the order of the names (numbers inside
 * them as numbers): nodes are numbered that way on reading and rows sorted that way on writing,
 * which makes writing, reading and writing again give the same bytes.
 *
 * Cost: O(text + N log N + N^2 / 64).
 */
#include "graph/format/format_builder.h"
#include "text/delimited_rows.h"
#include "text/write/delimited_write.h"
#include "text/names.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct edge_columns {
    size_t source, target, kind; /* kind is SIZE_MAX if there is none */
    size_t count;                /* columns of the header */
} edge_columns;

/* The column with this name, SIZE_MAX if there is none; two are refused. */
static scone_status find_column(size_t *column, const delimited_rows *rows, const char *name)
{
    *column = SIZE_MAX;
    for (size_t c = 0; c < rows->record.count; c++) {
        if (!text_is(rows->record.fields[c].text, rows->record.fields[c].length, name)) continue;
        if (*column != SIZE_MAX) {
            return RAISE(SCONE_ERR_INPUT,
                         "row %zu: columns %zu and %zu are both named \"%s\"; rename one",
                         rows->row, *column + 1, c + 1, name);
        }
        *column = c;
    }
    return SCONE_OK;
}

static scone_status find_columns(edge_columns *columns, const delimited_rows *rows)
{
    scone_status status = SCONE_OK;
    TRY(find_column(&columns->source, rows, "source"));
    TRY(find_column(&columns->target, rows, "target"));
    if (columns->source == SIZE_MAX && columns->target == SIZE_MAX) {
        TRY(find_column(&columns->source, rows, "from"));
        TRY(find_column(&columns->target, rows, "to"));
    }
    if (columns->source == SIZE_MAX || columns->target == SIZE_MAX) {
        FAIL(SCONE_ERR_INPUT,
             "row %zu: the header of an edge list needs the columns source and target (or from and "
             "to), it has \"%s\" first",
             rows->row, SHOW(rows->record.fields[0].text, rows->record.fields[0].length));
    }
    TRY(find_column(&columns->kind, rows, "kind"));
    columns->count = rows->record.count;
cleanup:
    return status;
}

static scone_status read_kind(bool *undirected, const delimited_rows *rows, size_t column)
{
    *undirected = false;
    if (column == SIZE_MAX) return SCONE_OK;
    delimited_field kind = rows->record.fields[column];
    *undirected = text_is(kind.text, kind.length, "undirected");
    if (*undirected || text_is(kind.text, kind.length, "directed")) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "row %zu, column %zu: the kind \"%s\" is neither \"directed\" nor \"undirected\"",
                 rows->row, column + 1, SHOW(kind.text, kind.length));
}

static scone_status read_edge(graph_builder *b, const delimited_rows *rows,
                              const edge_columns *columns)
{
    scone_status status = SCONE_OK;
    if (rows->record.count != columns->count) {
        FAIL(SCONE_ERR_INPUT,
             "row %zu: fields: %zu, columns of the header: %zu; quote names that hold the "
             "delimiter",
             rows->row, rows->record.count, columns->count);
    }
    const delimited_field *source = &rows->record.fields[columns->source];
    const delimited_field *target = &rows->record.fields[columns->target];
    if (source->length == 0) {
        FAIL(SCONE_ERR_INPUT, "row %zu, column %zu: the source is empty; name a node", rows->row,
             columns->source + 1);
    }
    size_t from, to;
    bool undirected;
    TRY(builder_node(b, &from, NULL, source->text, source->length, rows->row));
    if (target->length == 0) {
        if (columns->kind != SIZE_MAX && rows->record.fields[columns->kind].length > 0) {
            FAIL(SCONE_ERR_INPUT,
                 "row %zu: a kind but no target; name the target, or leave the "
                 "kind empty to declare a node without edges",
                 rows->row);
        }
        goto cleanup;
    }
    TRY(read_kind(&undirected, rows, columns->kind));
    TRY(builder_node(b, &to, NULL, target->text, target->length, rows->row));
    TRY(builder_edge(b, from, to, undirected, rows->row));
cleanup:
    return status;
}

scone_status graph_parse_edges(graph **out, const char *text, size_t size)
{
    scone_status status = SCONE_OK;
    delimited_rows rows = {0};
    graph_builder b = {0};
    *out = NULL;
    TRY(delimited_rows_open(&rows, text, size));
    TRY(builder_open(&b, "row"));
    edge_columns columns = {0};
    TRY(find_columns(&columns, &rows));
    bool more;
    for (;;) {
        TRY(delimited_rows_next(&rows, &more));
        if (!more) break;
        TRY(read_edge(&b, &rows, &columns));
    }
    TRY(builder_sort(&b));
    TRY(builder_finish(&b, out, columns.kind == SIZE_MAX));
cleanup:
    builder_close(&b);
    delimited_rows_close(&rows);
    return status;
}

/* ---- writing ---- */

/* The nodes in the order of their names; `made` holds those of an unnamed graph.
 * Both new memory. */
static scone_status sort_nodes(named_place **out, default_name **made, const graph *g)
{
    scone_status status = SCONE_OK;
    TRY_ALLOC(*out, g->nodes);
    if (g->names) {
        names_sort_natural(*out, (const char *const *)g->names, g->nodes);
        return SCONE_OK;
    }
    TRY_ALLOC(*made, g->nodes);
    for (size_t i = 0; i < g->nodes; i++) { /* X0, X1, ... are in order already */
        (*out)[i] = (named_place){graph_default_name((*made)[i], i), i};
    }
cleanup:
    return status;
}

/* The rows of one source: its directed edges, and its undirected ones to later names. `rank` is
 * the place of each node in `nodes`, `targets` room for a set. */
static void write_source(delimited_writer *w, const graph *g, const named_place *nodes,
                         const size_t *rank, bits_word *targets, size_t at, bool with_kind)
{
    size_t source = nodes[at].place;
    bits_clear(targets, g->words);
    BITS_EACH(target, graph_children(g, source), g->words) bits_add(targets, rank[target]);
    BITS_EACH(target, graph_siblings(g, source), g->words) {
        if (rank[target] > at) bits_add(targets, rank[target]);
    }
    BITS_EACH(k, targets, g->words) {
        bool undirected = graph_undirected(g, source, nodes[k].place);
        delimited_write_text(w, nodes[at].name);
        delimited_write_text(w, nodes[k].name);
        if (with_kind) delimited_write_words(w, undirected ? "undirected" : "directed");
        delimited_write_end(w);
    }
}

/* A row for a node without edges. */
static void write_lonely(delimited_writer *w, const char *name, bool with_kind)
{
    delimited_write_text(w, name);
    delimited_write_words(w, "");
    if (with_kind) delimited_write_words(w, "");
    delimited_write_end(w);
}

scone_status graph_write_edges(output_file *stream, const graph *g, char delimiter)
{
    scone_status status = SCONE_OK;
    named_place *nodes = NULL;
    default_name *made = NULL;
    size_t *rank = NULL;
    bits_word *targets = NULL;
    bool with_kind = graph_count_undirected(g) > 0;
    TRY(builder_check_names(g, false));
    TRY(sort_nodes(&nodes, &made, g));
    TRY_ALLOC(rank, g->nodes);
    TRY_ALLOC(targets, g->words);
    for (size_t at = 0; at < g->nodes; at++) rank[nodes[at].place] = at;
    delimited_writer w = delimited_write_start(stream, delimiter);
    delimited_write_words(&w, "source");
    delimited_write_words(&w, "target");
    if (with_kind) delimited_write_words(&w, "kind");
    delimited_write_end(&w);
    for (size_t at = 0; at < g->nodes; at++) {
        write_source(&w, g, nodes, rank, targets, at, with_kind);
    }
    for (size_t at = 0; at < g->nodes; at++) {
        size_t v = nodes[at].place;
        if (!bits_empty(graph_parents(g, v), g->words)) continue;
        if (!bits_empty(graph_children(g, v), g->words)) continue;
        if (!bits_empty(graph_siblings(g, v), g->words)) continue;
        write_lonely(&w, nodes[at].name, with_kind);
    }
    status = w.out.status;
cleanup:
    mem_free(nodes);
    mem_free(made);
    mem_free(rank);
    mem_free(targets);
    return status;
}
