/* format.c - reading and writing graphs in any format (see format.h). */
#include "graph/format/format.h"
#include "text/limits.h"

#include "text/delimited_rows.h"
#include "text/text.h"

#include <string.h>

/* ---- which format ---- */

scone_graph_format graph_format_of_name(const char *path)
{
    static const struct {
        const char *ending;
        scone_graph_format format;
    } known[] = {
        {".csv", SCONE_GRAPH_EDGES},   {".tsv", SCONE_GRAPH_EDGES},       {".npy", SCONE_GRAPH_NPY},
        {".json", SCONE_GRAPH_JSON},   {".dot", SCONE_GRAPH_DOT},         {".gv", SCONE_GRAPH_DOT},
        {".xml", SCONE_GRAPH_GRAPHML}, {".graphml", SCONE_GRAPH_GRAPHML},
    };
    size_t length = strlen(path);
    if (length > 3 && text_is(path + length - 3, 3, ".gz")) length -= 3;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        size_t ending = strlen(known[k].ending);
        if (length > ending && text_is(path + length - ending, ending, known[k].ending)) {
            return known[k].format;
        }
    }
    return SCONE_GRAPH_AUTO;
}

static bool is_endpoint(delimited_field field)
{
    static const char *const words[] = {"source", "target", "from", "to"};
    for (size_t k = 0; k < 4; k++) {
        if (text_is(field.text, field.length, words[k])) return true;
    }
    return false;
}

static bool has_column(const delimited_record *header, const char *name)
{
    for (size_t c = 0; c < header->count; c++) {
        if (text_is(header->fields[c].text, header->fields[c].length, name)) return true;
    }
    return false;
}

/* An edge list has its columns in the header. So may an adjacency table whose variables bear those
 * names; it is told apart by its first row, which starts with the name of the first variable. */
static scone_status format_of_rows(scone_graph_format *format, const char *text, size_t size)
{
    scone_status status = SCONE_OK;
    delimited_rows rows = {0};
    char *first = NULL;
    *format = SCONE_GRAPH_EDGES;
    TRY(delimited_rows_open(&rows, text, size));
    const delimited_record *header = &rows.record;
    if (!(has_column(header, "source") && has_column(header, "target")) &&
        !(has_column(header, "from") && has_column(header, "to"))) {
        *format = SCONE_GRAPH_ADJACENCY;
        goto cleanup;
    }
    if (is_endpoint(header->fields[0])) goto cleanup;
    size_t length = header->fields[1].length;
    first = mem_copy_text(header->fields[1].text, length);
    if (!first) TRY(SCONE_ERR_MEMORY);
    bool more;
    TRY(delimited_rows_next(&rows, &more));
    if (more && rows.record.fields[0].length == length &&
        memcmp(rows.record.fields[0].text, first, length) == 0) {
        *format = SCONE_GRAPH_ADJACENCY;
    }
cleanup:
    mem_free(first);
    delimited_rows_close(&rows);
    return status;
}

/* The format that the first bytes tell; SCONE_GRAPH_AUTO for what may be a delimited file. */
static scone_graph_format format_of_start(const char *bytes, size_t size)
{
    if (size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0) return SCONE_GRAPH_NPY;
    const char *at = bytes, *end = bytes + size;
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) at += 3;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) at++;
    size_t left = (size_t)(end - at);
    if (left > 0 && *at == '{') return SCONE_GRAPH_JSON;
    if (left > 0 && *at == '<') return SCONE_GRAPH_GRAPHML;
    if (left > 1 && (memcmp(at, "//", 2) == 0 || memcmp(at, "/*", 2) == 0 || *at == '#')) {
        return SCONE_GRAPH_DOT;
    }
    static const char *const words[] = {"strict", "digraph", "graph", "dag", "pdag"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t length = strlen(words[k]);
        if (left > length && text_is(at, length, words[k]) && strchr(" \t\r\n{\"", at[length]) &&
            memchr(at, '{', left)) {
            return SCONE_GRAPH_DOT;
        }
    }
    return SCONE_GRAPH_AUTO;
}

static scone_status format_of_content(scone_graph_format *format, const char *bytes, size_t size)
{
    *format = format_of_start(bytes, size);
    return *format == SCONE_GRAPH_AUTO ? format_of_rows(format, bytes, size) : SCONE_OK;
}

scone_graph_format graph_format_of_content(const char *bytes, size_t size)
{
    scone_graph_format format;
    return format_of_content(&format, bytes, size) == SCONE_OK ? format : SCONE_GRAPH_AUTO;
}

/* ---- reading ---- */

scone_status graph_parse(graph **out, const char *bytes, size_t size, scone_graph_format format)
{
    *out = NULL;
    if (format == SCONE_GRAPH_AUTO) {
        scone_status status = format_of_content(&format, bytes, size);
        if (status != SCONE_OK) return status;
    }
    switch (format) {
    case SCONE_GRAPH_EDGES:
        return graph_parse_edges(out, bytes, size);
    case SCONE_GRAPH_ADJACENCY:
        return graph_parse_adjacency(out, bytes, size);
    case SCONE_GRAPH_NPY:
        return graph_parse_npy(out, bytes, size);
    case SCONE_GRAPH_JSON:
        return graph_parse_json(out, bytes, size);
    case SCONE_GRAPH_DOT:
        return graph_parse_dot(out, bytes, size);
    case SCONE_GRAPH_GRAPHML:
        return graph_parse_graphml(out, bytes, size);
    case SCONE_GRAPH_AUTO:
        break;
    }
    return RAISE(SCONE_ERR_USAGE, "%d is not a graph format", (int)format);
}

scone_status scone_graph_read(scone_graph **out, const char *path, scone_graph_format format)
{
    scone_status status = SCONE_OK;
    char *bytes = NULL;
    size_t size;
    *out = NULL;
    TRY(file_read_all(&bytes, &size, path, TEXT_FILE_LIMIT));
    if (format == SCONE_GRAPH_AUTO) {
        format = graph_format_of_name(path);
        /* The name tells a delimited file, its header which kind. */
        if (format == SCONE_GRAPH_EDGES) status = format_of_rows(&format, bytes, size);
    }
    if (status == SCONE_OK) status = graph_parse(out, bytes, size, format);
    if (status != SCONE_OK) status_prefix("%s", path);
cleanup:
    mem_free(bytes);
    return status;
}

/* ---- writing ---- */

bool graph_next_edge(const graph *g, edge_cursor *edge)
{
    for (; edge->source < g->nodes; edge->source++, edge->from = 0) {
        size_t later = edge->from > edge->source ? edge->from : edge->source + 1;
        size_t child = bits_next(graph_children(g, edge->source), g->words, edge->from);
        size_t sibling = bits_next(graph_siblings(g, edge->source), g->words, later);
        if (child == SIZE_MAX && sibling == SIZE_MAX) continue;
        edge->undirected = sibling < child;
        edge->target = edge->undirected ? sibling : child;
        edge->from = edge->target + 1;
        return true;
    }
    return false;
}

static scone_status write_any(output_file *stream, const graph *g, scone_graph_format format,
                              char delimiter)
{
    switch (format) {
    case SCONE_GRAPH_EDGES:
        return graph_write_edges(stream, g, delimiter);
    case SCONE_GRAPH_ADJACENCY:
        return graph_write_adjacency(stream, g, delimiter);
    case SCONE_GRAPH_NPY:
        return graph_write_npy(stream, g);
    case SCONE_GRAPH_JSON:
        return graph_write_json(stream, g);
    case SCONE_GRAPH_DOT:
        return graph_write_dot(stream, g);
    case SCONE_GRAPH_GRAPHML:
        return graph_write_graphml(stream, g);
    case SCONE_GRAPH_AUTO:
        break;
    }
    return RAISE(SCONE_ERR_USAGE, "%d is not a graph format", (int)format);
}

scone_status graph_write_stream(output_file *stream, const graph *g, scone_graph_format format)
{
    return write_any(stream, g, format, ',');
}

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && text_is(path + length - tail, tail, ending);
}

scone_status scone_graph_write(const scone_graph *g, const char *path, scone_graph_format format)
{
    scone_status status = SCONE_OK;
    output_file *stream = NULL;
    if (ends_with(path, ".gz")) {
        FAIL(SCONE_ERR_INPUT, "%s: graphs are written without compression; leave out .gz", path);
    }
    if (format == SCONE_GRAPH_AUTO) format = graph_format_of_name(path);
    if (format == SCONE_GRAPH_AUTO) {
        FAIL(SCONE_ERR_INPUT,
             "%s: the name does not tell the format; end it in .csv, .tsv, .npy, "
             ".json, .dot, .gv, .graphml or .xml",
             path);
    }
    TRY(output_open(&stream, path));
    status = write_any(stream, g, format, ends_with(path, ".tsv") ? '\t' : ',');
    if (status != SCONE_OK) {
        /* What the names cannot do is about the graph; an output error names the file itself. */
        if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
        goto cleanup;
    }
    status = output_commit(&stream);
cleanup:
    output_discard(stream);
    return status;
}
