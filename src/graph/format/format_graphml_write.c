/* format_graphml_write.c - graphs as GraphML (see format_graphml.c for the reading side).
 *
 * Names are the ids if all of them are name tokens of XML, as the schema of GraphML wants; else
 * the ids are n0, n1, ... In both cases names are also data. Cost: linear in the output.
 */
#include "graph/format/format_builder.h"
#include "text/text.h"
#include "text/xml.h"

#include <string.h>

/* Is every name a name token? Fails on a character that XML cannot hold. */
static scone_status check_characters(bool *tokens, const graph *g)
{
    *tokens = true;
    for (size_t i = 0; g->names && i < g->nodes; i++) {
        const char *text = g->names[i], *end = text + strlen(text);
        while (text < end) {
            uint32_t c = text_next(&text, end);
            if (!xml_is_char(c)) {
                return RAISE(SCONE_ERR_INPUT,
                             "node %zu: the name \"%s\" holds the character U+%04X, which XML "
                             "cannot; rename it or write an edge list",
                             i + 1, SHOW(g->names[i], strlen(g->names[i])), (unsigned)c);
            }
            if (!xml_is_name_char(c)) *tokens = false;
        }
    }
    return SCONE_OK;
}

static scone_status write_id(output_file *stream, const graph *g, size_t node, bool tokens)
{
    if (!tokens) return output_print(stream, "n%zu", node);
    return text_write_xml(stream, scone_graph_name(g, node));
}

static scone_status write_edge(output_file *stream, const graph *g, size_t source, size_t target,
                               const char *kind, bool tokens)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, "    <edge source=\""));
    TRY(write_id(stream, g, source, tokens));
    TRY(output_print(stream, "\" target=\""));
    TRY(write_id(stream, g, target, tokens));
    if (kind) {
        TRY(output_print(stream, "\"><data key=\"kind\">%s</data></edge>\n", kind));
    } else {
        TRY(output_print(stream, "\"/>\n"));
    }
cleanup:
    return status;
}

scone_status graph_write_graphml(output_file *stream, const graph *g)
{
    scone_status status = SCONE_OK;
    bool tokens, mixed = graph_count_undirected(g) > 0;
    TRY(builder_check_names(g, true));
    TRY(check_characters(&tokens, g));
    TRY(output_print(
        stream, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
                "  <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"));
    if (mixed) {
        TRY(output_print(
            stream, "  <key id=\"kind\" for=\"edge\" attr.name=\"kind\" attr.type=\"string\"/>\n"));
    }
    TRY(output_print(stream, "  <graph edgedefault=\"directed\">\n"));
    for (size_t i = 0; i < g->nodes; i++) {
        TRY(output_print(stream, "    <node id=\""));
        TRY(write_id(stream, g, i, tokens));
        TRY(output_print(stream, "\"><data key=\"name\">"));
        TRY(text_write_xml(stream, scone_graph_name(g, i)));
        TRY(output_print(stream, "</data></node>\n"));
    }
    for (edge_cursor e = {0}; graph_next_edge(g, &e);) {
        const char *kind = !mixed ? NULL : e.undirected ? "undirected" : "directed";
        TRY(write_edge(stream, g, e.source, e.target, kind, tokens));
        if (e.undirected) TRY(write_edge(stream, g, e.target, e.source, kind, tokens));
    }
    TRY(output_print(stream, "  </graph>\n</graphml>\n"));
cleanup:
    return status;
}
