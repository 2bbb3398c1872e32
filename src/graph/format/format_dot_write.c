/* format_dot_write.c - graphs as DOT that Graphviz lays out and this project reads back.
 *
 * A quoted DOT string has no way to end in a single backslash or to hold one before a quote or a
 * line break. If some name needs that, identifiers are numbers and the names are labels, in which
 * two backslashes stand for one. Cost: linear in the output.
 */
#include "graph/format/format_builder.h"

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

static scone_status write_identifier(output_file *stream, const char *name)
{
    scone_status status = SCONE_OK;
    TRY(output_write(stream, "\"", 1));
    while (*name) {
        size_t plain = strcspn(name, "\"");
        TRY(output_write(stream, name, plain));
        name += plain;
        if (*name) {
            TRY(output_write(stream, "\\\"", 2));
            name++;
        }
    }
    TRY(output_write(stream, "\"", 1));
cleanup:
    return status;
}

static scone_status write_label(output_file *stream, const char *name)
{
    scone_status status = SCONE_OK;
    TRY(output_write(stream, "\"", 1));
    while (*name) {
        size_t plain = strcspn(name, "\\\"\n");
        TRY(output_write(stream, name, plain));
        name += plain;
        if (*name) {
            char escape[2] = {'\\', *name == '\n' ? 'n' : *name};
            TRY(output_write(stream, escape, 2));
            name++;
        }
    }
    TRY(output_write(stream, "\"", 1));
cleanup:
    return status;
}

static scone_status write_node(output_file *stream, const graph *g, size_t node, bool numbered)
{
    if (numbered) return output_print(stream, "%zu", node);
    return write_identifier(stream, scone_graph_name(g, node));
}

scone_status graph_write_dot(output_file *stream, const graph *g)
{
    scone_status status = SCONE_OK;
    bool numbered = false;
    TRY(builder_check_names(g, true));
    for (size_t i = 0; g->names && i < g->nodes; i++) {
        if (!fits_identifier(g->names[i])) numbered = true;
    }
    TRY(output_print(stream, "digraph {\n"));
    for (size_t i = 0; i < g->nodes; i++) {
        TRY(output_print(stream, "    "));
        TRY(write_node(stream, g, i, numbered));
        if (numbered) {
            TRY(output_print(stream, " [label="));
            TRY(write_label(stream, g->names[i]));
            TRY(output_print(stream, "]"));
        }
        TRY(output_print(stream, ";\n"));
    }
    for (edge_cursor e = {0}; graph_next_edge(g, &e);) {
        TRY(output_print(stream, "    "));
        TRY(write_node(stream, g, e.source, numbered));
        TRY(output_print(stream, " -> "));
        TRY(write_node(stream, g, e.target, numbered));
        TRY(output_print(stream, "%s;\n", e.undirected ? " [dir=none]" : ""));
    }
    TRY(output_print(stream, "}\n"));
cleanup:
    return status;
}
