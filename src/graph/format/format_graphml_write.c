/* format_graphml_write.c - graphs as GraphML (see format_graphml.c for the reading side).
 *
 * Names are the ids if all of them are name tokens of XML, as the schema of GraphML wants; else
 * the ids are n0, n1, ... In both cases names are also data. Cost: linear in the output.
 */
#include "graph/format/format_builder.h"
#include "text/text.h"
#include "text/xml.h"
#include "text/write/xml_write.h"

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

static void write_id(xml_writer *x, const char *attribute, const graph *g, size_t node, bool tokens)
{
    char number[24];
    (void)snprintf(number, sizeof number, "n%zu", node);
    xml_write_attribute(x, attribute, tokens ? scone_graph_name(g, node) : number);
}

static void write_data(xml_writer *x, const char *key, const char *text)
{
    xml_write_open(x, "data");
    xml_write_attribute(x, "key", key);
    xml_write_text(x, text);
    xml_write_close(x);
}

static void write_key(xml_writer *x, const char *name, const char *of)
{
    xml_write_open(x, "key");
    xml_write_attribute(x, "id", name);
    xml_write_attribute(x, "for", of);
    xml_write_attribute(x, "attr.name", name);
    xml_write_attribute(x, "attr.type", "string");
    xml_write_close(x);
}

static void write_edge(xml_writer *x, const graph *g, size_t source, size_t target,
                       const char *kind, bool tokens)
{
    xml_write_open(x, "edge");
    write_id(x, "source", g, source, tokens);
    write_id(x, "target", g, target, tokens);
    if (kind) write_data(x, "kind", kind);
    xml_write_close(x);
}

scone_status graph_write_graphml(output_file *stream, const graph *g)
{
    scone_status status = SCONE_OK;
    bool tokens, mixed = graph_count_undirected(g) > 0;
    TRY(builder_check_names(g, true));
    TRY(check_characters(&tokens, g));
    xml_writer x = xml_write_start(stream, 2);
    xml_write_markup(&x, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml_write_block(&x, "graphml");
    xml_write_attribute(&x, "xmlns", "http://graphml.graphdrawing.org/xmlns");
    write_key(&x, "name", "node");
    if (mixed) write_key(&x, "kind", "edge");
    xml_write_block(&x, "graph");
    xml_write_attribute(&x, "edgedefault", "directed");
    for (size_t i = 0; i < g->nodes; i++) {
        xml_write_open(&x, "node");
        write_id(&x, "id", g, i, tokens);
        write_data(&x, "name", scone_graph_name(g, i));
        xml_write_close(&x);
    }
    for (edge_cursor e = {0}; graph_next_edge(g, &e);) {
        const char *kind = !mixed ? NULL : e.undirected ? "undirected" : "directed";
        write_edge(&x, g, e.source, e.target, kind, tokens);
        if (e.undirected) write_edge(&x, g, e.target, e.source, kind, tokens);
    }
    xml_write_close(&x);
    xml_write_close(&x);
    status = xml_write_end(&x);
cleanup:
    return status;
}
