/* report_drawing.c - the graph as inline SVG (see report.h): causes above effects, targets filled,
 * edges as wide as they are likely, undirected ones dashed and without an arrow.
 */
#include "report/report.h"

#include "text/text.h"
#include "draw/layers.h"
#include "draw/svg.h"

#include <math.h>
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

/* One curve from layer to layer, upright where it meets them. */
static void write_way(xml_writer *x, const layout *l, const layout_edge *edge, bool arrow)
{
    const size_t *way = l->ways + edge->first;
    for (size_t i = 0; i < edge->count; i++) {
        const layout_cell *cell = &l->cells[way[i]];
        double at_y = layer_y(cell->layer), at_x = cell->x + margin;
        if (i == 0) {
            svg_point(x, "M", at_x, at_y + 0.5 * node_height);
            continue;
        }
        const layout_cell *before = &l->cells[way[i - 1]];
        double last_y = layer_y(before->layer) + (i == 1 ? 0.5 * node_height : 0.0);
        if (i + 1 == edge->count) at_y -= 0.5 * node_height + (arrow ? 7.0 : 0.0);
        double middle = 0.5 * (last_y + at_y);
        svg_point(x, " C", before->x + margin, middle);
        svg_point(x, " ", at_x, middle);
        svg_point(x, " ", at_x, at_y);
    }
}

static void draw_edge(xml_writer *x, const scone_result *r, const layout *l,
                      const layout_edge *edge)
{
    double down = r->probabilities[edge->from * r->map.count + edge->to];
    double up = r->probabilities[edge->to * r->map.count + edge->from];
    double likely = edge->undirected ? down + up : down;
    xml_write_open(x, "path");
    xml_write_attribute(x, "class", edge->undirected ? "u" : "d");
    xml_write_length(x, "stroke-width", 0.8 + 1.4 * likely);
    xml_write_value(x, "d");
    write_way(x, l, edge, !edge->undirected);
    xml_write_value_end(x);
    xml_write_open(x, "title");
    xml_write_text(x, r->map.names[edge->from]);
    xml_write_markup(x, edge->undirected ? " - " : " &#8594; ");
    xml_write_text(x, r->map.names[edge->to]);
    xml_write_text(x, ": ");
    xml_write_decimals(x, likely, 2);
    xml_write_close(x);
    xml_write_close(x);
}

/* Of several conditions: in how many it changed, in words for a title and in the corner. */
static void tell_changed(xml_writer *x, const scone_result *r, size_t changed)
{
    if (changed == 0) return;
    if (r->conditions == 0) {
        xml_write_text(x, " (target)");
    } else {
        xml_write_print(x, " (changed in %zu of %zu conditions)", changed, r->conditions);
    }
}

static void draw_count(xml_writer *x, const layout_cell *cell, double y, size_t changed)
{
    xml_write_open(x, "text");
    xml_write_attribute(x, "class", "c");
    xml_write_length(x, "x", cell->x + margin + 0.5 * cell->width - 2.0);
    xml_write_length(x, "y", y - 0.5 * node_height - 2.0);
    xml_write_print(x, "%zu", changed);
    xml_write_close(x);
}

/* changed [variables]: in how many conditions, or 1 for a target of two tables */
static void draw_node(xml_writer *x, const scone_result *r, const layout_cell *cell,
                      const size_t *changed)
{
    size_t count = changed[cell->node];
    const char *name = r->map.names[cell->node];
    size_t bytes;
    bool cut = label_length(name, &bytes) > LABEL_CHARACTERS;
    double y = layer_y(cell->layer);
    char label[4 * LABEL_CHARACTERS + 1];
    memcpy(label, name, bytes);
    label[bytes] = '\0';
    xml_write_open(x, "g");
    xml_write_attribute(x, "class", count ? "t" : "n");
    xml_write_open(x, "title");
    xml_write_text(x, name);
    tell_changed(x, r, count);
    xml_write_close(x);
    xml_write_open(x, "rect");
    xml_write_attribute(x, "rx", "6");
    xml_write_length(x, "x", cell->x + margin - 0.5 * cell->width);
    xml_write_length(x, "y", y - 0.5 * node_height);
    xml_write_length(x, "width", cell->width);
    xml_write_length(x, "height", node_height);
    if (count && r->conditions > 0) {
        double share = (double)count / (double)r->conditions;
        xml_write_value(x, "fill-opacity");
        xml_write_decimals(x, 0.35 + 0.65 * sqrt(share), 2);
        xml_write_value_end(x);
    }
    xml_write_close(x);
    if (count && r->conditions > 0) draw_count(x, cell, y, count);
    xml_write_open(x, "text");
    xml_write_length(x, "x", cell->x + margin);
    xml_write_length(x, "y", y + 4.5);
    xml_write_text(x, label);
    if (cut) xml_write_markup(x, "&#8230;");
    xml_write_close(x);
    xml_write_close(x);
}

static void draw_all(xml_writer *x, const scone_result *r, const layout *l, const size_t *changed)
{
    double height = layer_y(l->layer_count - 1) + 0.5 * node_height + margin;
    xml_write_open(x, "div");
    xml_write_attribute(x, "class", "figure");
    xml_write_block(x, "svg");
    xml_write_attribute(x, "role", "img");
    svg_size(x, l->width + 2.0 * margin, height);
    xml_write_markup(x, "<defs><marker id=\"a\" viewBox=\"0 0 10 10\" refX=\"2\" refY=\"5\" "
                        "markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" markerHeight=\"9\" "
                        "orient=\"auto\"><path class=\"head\" d=\"M0,0 L10,5 L0,10 z\"/></marker>"
                        "</defs>\n");
    for (size_t e = 0; e < l->edge_count; e++) draw_edge(x, r, l, &l->edges[e]);
    for (size_t c = 0; c < l->cell_count; c++) {
        if (l->cells[c].node != SIZE_MAX) draw_node(x, r, &l->cells[c], changed);
    }
    xml_write_close(x);
    xml_write_close(x);
}

static bool has_edges(const graph *g, size_t v)
{
    return !bits_empty(graph_parents(g, v), g->words) ||
           !bits_empty(graph_children(g, v), g->words) ||
           !bits_empty(graph_siblings(g, v), g->words);
}

/* The variables without edges, which the figure leaves out. */
static void list_isolated(xml_writer *x, const scone_result *r)
{
    size_t listed = 0;
    for (size_t v = 0; v < r->map.count; v++) {
        if (has_edges(r->by_name, v)) continue;
        if (listed == 0) xml_write_open(x, "p");
        xml_write_text(x, listed++ ? ", " : "Without edges: ");
        xml_write_text(x, r->map.names[v]);
    }
    if (listed == 0) return;
    xml_write_text(x, ".");
    xml_write_close(x);
}

/* In how many conditions each variable changed; of two tables 1 or 0. */
static void count_changed(size_t *changed, const scone_result *r)
{
    for (size_t v = 0; v < r->map.count && r->conditions == 0; v++) {
        changed[report_variable(r, r->targets[v].variable)] = r->targets[v].target;
    }
    for (size_t k = 0; k < r->conditions; k++) {
        for (size_t i = 0; i < r->map.count; i++) {
            const scone_target *target = scone_result_condition_target(r, k, i);
            changed[report_variable(r, target->variable)] += target->target;
        }
    }
}

scone_status report_drawing(xml_writer *x, const scone_result *r)
{
    scone_status status = SCONE_OK;
    layout l = {0};
    double *widths = NULL;
    size_t *changed = NULL;
    if (r->decoded.count == 0) {
        xml_write_element(x, "p", "No edges were found.");
        return SCONE_OK;
    }
    TRY_ALLOC(widths, r->map.count);
    TRY_ZERO(changed, r->map.count);
    count_changed(changed, r);
    for (size_t v = 0; v < r->map.count; v++) {
        size_t bytes;
        widths[v] = 18.0 + 7.6 * (double)label_length(r->map.names[v], &bytes);
    }
    bool drawn = r->decoded.count <= REPORT_DRAWN_EDGES && r->map.count <= REPORT_DRAWN_NODES;
    if (drawn) TRY(layers_graph(&l, r->by_name, widths, gap));
    if (drawn && !l.too_large) {
        draw_all(x, r, &l, changed);
    } else {
        xml_write_element(x, "p",
                          "The graph has too many edges for a picture that can be read; "
                          "graph.graphml opens in programs for large graphs.");
    }
    list_isolated(x, r);
cleanup:
    layers_clear(&l);
    mem_free(widths);
    mem_free(changed);
    return status;
}
