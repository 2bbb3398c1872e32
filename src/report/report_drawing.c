/* report_drawing.c - the graph as inline SVG (see report.h): causes above effects, targets filled, edges
 * as wide as they are likely, undirected ones dashed and without an arrow.
 */
#include "report/report.h"

#include "text/text.h"
#include "draw/layers.h"

#include <string.h>

enum { LABEL_CHARACTERS = 22 };

static const double layer_height = 74.0, node_height = 28.0, margin = 12.0, gap = 18.0;

/* Characters of a label, cut to LABEL_CHARACTERS; *bytes is how long the cut text is. */
static size_t label_length(const char *name, size_t *bytes)
{
    const char *text = name, *end = name + strlen(name);
    size_t count = 0;
    while (text < end && count < LABEL_CHARACTERS) {
        if (text_next(&text, end) == UINT32_MAX) text++;
        count++;
    }
    *bytes = (size_t)(text - name);
    return text < end ? count + 1 : count;
}

static double layer_y(size_t layer)
{
    return margin + 0.5 * node_height + layer_height * (double)layer;
}

/* "12.5,30.0" */
static scone_status write_point(output_file *stream, const char *before, double x, double y)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, "%s", before));
    TRY(number_print_decimals(stream, x, 1));
    TRY(output_print(stream, ","));
    TRY(number_print_decimals(stream, y, 1));
cleanup:
    return status;
}

/* One curve from layer to layer, upright where it meets them. */
static scone_status write_way(output_file *stream, const layout *l, const layout_edge *edge,
                              bool arrow)
{
    scone_status status = SCONE_OK;
    const size_t *way = l->ways + edge->first;
    for (size_t i = 0; i < edge->count; i++) {
        const layout_cell *cell = &l->cells[way[i]];
        double y = layer_y(cell->layer), x = cell->x + margin;
        if (i == 0) {
            y += 0.5 * node_height;
            TRY(write_point(stream, "M", x, y));
            continue;
        }
        const layout_cell *before = &l->cells[way[i - 1]];
        double last_y = layer_y(before->layer) + (i == 1 ? 0.5 * node_height : 0.0);
        if (i + 1 == edge->count) y -= 0.5 * node_height + (arrow ? 7.0 : 0.0);
        double middle = 0.5 * (last_y + y);
        TRY(write_point(stream, " C", before->x + margin, middle));
        TRY(write_point(stream, " ", x, middle));
        TRY(write_point(stream, " ", x, y));
    }
cleanup:
    return status;
}

static scone_status draw_edge(output_file *stream, const scone_result *r, const layout *l,
                              const layout_edge *edge)
{
    scone_status status = SCONE_OK;
    double down = r->probabilities[edge->from * r->count + edge->to];
    double up = r->probabilities[edge->to * r->count + edge->from];
    double likely = edge->undirected ? down + up : down;
    TRY(output_print(stream, "<path class=\"%s\" stroke-width=\"", edge->undirected ? "u" : "d"));
    TRY(number_print_decimals(stream, 0.8 + 1.4 * likely, 1));
    TRY(output_print(stream, "\" d=\""));
    TRY(write_way(stream, l, edge, !edge->undirected));
    TRY(output_print(stream, "\"><title>"));
    TRY(text_write_xml(stream, r->names[edge->from]));
    TRY(output_print(stream, edge->undirected ? " - " : " &#8594; "));
    TRY(text_write_xml(stream, r->names[edge->to]));
    TRY(output_print(stream, ": "));
    TRY(number_print_decimals(stream, likely, 2));
    TRY(output_print(stream, "</title></path>\n"));
cleanup:
    return status;
}

static scone_status draw_node(output_file *stream, const scone_result *r, const layout_cell *cell,
                              const bool *target)
{
    scone_status status = SCONE_OK;
    const char *name = r->names[cell->node];
    size_t bytes;
    bool cut = label_length(name, &bytes) > LABEL_CHARACTERS;
    double y = layer_y(cell->layer);
    char label[4 * LABEL_CHARACTERS + 1];
    memcpy(label, name, bytes);
    label[bytes] = '\0';
    TRY(output_print(stream, "<g class=\"%s\"><title>", target[cell->node] ? "t" : "n"));
    TRY(text_write_xml(stream, name));
    TRY(output_print(stream, "%s</title><rect rx=\"6\" x=\"",
                     target[cell->node] ? " (target)" : ""));
    TRY(number_print_decimals(stream, cell->x + margin - 0.5 * cell->width, 1));
    TRY(output_print(stream, "\" y=\""));
    TRY(number_print_decimals(stream, y - 0.5 * node_height, 1));
    TRY(output_print(stream, "\" width=\""));
    TRY(number_print_decimals(stream, cell->width, 1));
    TRY(output_print(stream, "\" height=\""));
    TRY(number_print_decimals(stream, node_height, 1));
    TRY(output_print(stream, "\"/><text x=\""));
    TRY(number_print_decimals(stream, cell->x + margin, 1));
    TRY(output_print(stream, "\" y=\""));
    TRY(number_print_decimals(stream, y + 4.5, 1));
    TRY(output_print(stream, "\">"));
    TRY(text_write_xml(stream, label));
    TRY(output_print(stream, "%s</text></g>\n", cut ? "&#8230;" : ""));
cleanup:
    return status;
}

static scone_status draw_all(output_file *stream, const scone_result *r, const layout *l,
                             const bool *target)
{
    scone_status status = SCONE_OK;
    double width = l->width + 2.0 * margin;
    double height = layer_y(l->layer_count - 1) + 0.5 * node_height + margin;
    TRY(output_print(stream, "<div class=\"figure\"><svg role=\"img\" width=\""));
    TRY(number_print_decimals(stream, width, 0));
    TRY(output_print(stream, "\" height=\""));
    TRY(number_print_decimals(stream, height, 0));
    TRY(output_print(stream, "\" viewBox=\"0 0 "));
    TRY(number_print_decimals(stream, width, 0));
    TRY(output_print(stream, " "));
    TRY(number_print_decimals(stream, height, 0));
    TRY(output_print(stream,
                     "\">\n<defs><marker id=\"a\" viewBox=\"0 0 10 10\" refX=\"2\" refY=\"5\" "
                     "markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" markerHeight=\"9\" "
                     "orient=\"auto\"><path class=\"head\" d=\"M0,0 L10,5 L0,10 z\"/></marker>"
                     "</defs>\n"));
    for (size_t e = 0; e < l->edge_count; e++) TRY(draw_edge(stream, r, l, &l->edges[e]));
    for (size_t c = 0; c < l->cell_count; c++) {
        if (l->cells[c].node != SIZE_MAX) TRY(draw_node(stream, r, &l->cells[c], target));
    }
    TRY(output_print(stream, "</svg></div>\n"));
cleanup:
    return status;
}

static bool has_edges(const graph *g, size_t v)
{
    return !bits_empty(graph_parents(g, v), g->words) ||
           !bits_empty(graph_children(g, v), g->words) ||
           !bits_empty(graph_siblings(g, v), g->words);
}

/* The variables without edges, which the figure leaves out. */
static scone_status list_isolated(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    size_t listed = 0;
    for (size_t v = 0; v < r->count; v++) {
        if (has_edges(r->by_name, v)) continue;
        TRY(output_print(stream, listed++ ? ", " : "<p>Without edges: "));
        TRY(text_write_xml(stream, r->names[v]));
    }
    if (listed) TRY(output_print(stream, ".</p>\n"));
cleanup:
    return status;
}

scone_status report_drawing(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    layout l = {0};
    double *widths = NULL;
    bool *target = NULL;
    if (r->decoded.count == 0) {
        TRY(output_print(stream, "<p>No edges were found.</p>\n"));
        goto cleanup;
    }
    TRY_ALLOC(widths, r->count);
    TRY_ZERO(target, r->count);
    for (size_t v = 0; v < r->count; v++) {
        size_t bytes;
        widths[v] = 18.0 + 7.6 * (double)label_length(r->names[v], &bytes);
        target[report_variable(r, r->targets[v].variable)] = r->targets[v].target;
    }
    bool drawn = r->decoded.count <= REPORT_DRAWN_EDGES && r->count <= REPORT_DRAWN_NODES;
    if (drawn) TRY(layers_graph(&l, r->by_name, widths, gap));
    if (drawn && !l.too_large) {
        TRY(draw_all(stream, r, &l, target));
    } else {
        TRY(output_print(stream, "<p>The graph has too many edges for a picture that can be read; "
                                 "graph.graphml opens in programs for large graphs.</p>\n"));
    }
    TRY(list_isolated(stream, r));
cleanup:
    layers_clear(&l);
    mem_free(widths);
    mem_free(target);
    return status;
}
