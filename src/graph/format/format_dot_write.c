/* format_dot_write.c - graphs as DOT that Graphviz lays out and this project reads back.
 *
 * A quoted DOT string has no way to end in a single backslash or to hold one before a quote or a
 * line break. If some name needs that, identifiers are numbers and the names are labels, in which
 * two backslashes stand for one. Cost: linear in the output.
 */
#include "graph/format/format_builder.h"
#include "text/write/writer.h"

#include <string.h>

/* Can the name stand between quotes as it is? */
static bool fits_identifier(const char *name)
{
    while (*name) {
        size_t run = strspn(name, "\\");
        if (run % 2 == 1 && (name[run] == '\0' || strchr("\"\r\n", name[run]))) return false;
        name += run;
        name += strcspn(name, "\\");
    }
    return true;
}

static const char *escape_quote(char character, char room[WRITER_ESCAPE_SIZE])
{
    (void)room;
    return character == '"' ? "\\\"" : NULL;
}

static const char *escape_label(char character, char room[WRITER_ESCAPE_SIZE])
{
    if (character == '\\') return "\\\\";
    if (character == '\n') return "\\n";
    return escape_quote(character, room);
}

static void write_quoted(writer *w, const char *name, writer_escape escape)
{
    writer_text(w, "\"");
    writer_escaped(w, name, escape);
    writer_text(w, "\"");
}

static void write_node(writer *w, const graph *g, size_t node, bool numbered)
{
    if (numbered) {
        writer_print(w, "%zu", node);
    } else {
        write_quoted(w, scone_graph_name(g, node), escape_quote);
    }
}

scone_status graph_write_dot(output_file *stream, const graph *g)
{
    writer w = {.stream = stream, .status = builder_check_names(g, true)};
    bool numbered = false;
    for (size_t i = 0; g->names && i < g->nodes; i++) {
        if (!fits_identifier(g->names[i])) numbered = true;
    }
    writer_text(&w, "digraph {\n");
    for (size_t i = 0; i < g->nodes; i++) {
        writer_text(&w, "    ");
        write_node(&w, g, i, numbered);
        if (numbered) {
            writer_text(&w, " [label=");
            write_quoted(&w, g->names[i], escape_label);
            writer_text(&w, "]");
        }
        writer_text(&w, ";\n");
    }
    for (edge_cursor e = {0}; graph_next_edge(g, &e);) {
        writer_text(&w, "    ");
        write_node(&w, g, e.source, numbered);
        writer_text(&w, " -> ");
        write_node(&w, g, e.target, numbered);
        writer_text(&w, e.undirected ? " [dir=none];\n" : ";\n");
    }
    writer_text(&w, "}\n");
    return w.status;
}
