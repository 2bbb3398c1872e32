/* layers.c - a layered layout (see layers.h). */
#include "draw/layers.h"

#include "graph/graph_extend.h"
#include "graph/format/format.h"
#include "graph/graph_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_SWEEPS = 16, PLACE_SWEEPS = 12 };

/* Neighbours of cells in the layers above (side 0) and below (side 1), and the cells by layer. */
typedef struct layout_work {
    layout *l;
    double gap;
    size_t *starts[2], *neighbours[2]; /* [cells + 1], [links] */
    size_t *layer_starts, *members;    /* [layers + 1], [cells] in order of place */
    double *wishes;                    /* [cells] */
    double *sums, *weights;            /* [cells] blocks of the regression */
    size_t *lengths;                   /* [cells] */
} layout_work;

void layers_clear(layout *l)
{
    mem_free(l->cells);
    mem_free(l->edges);
    mem_free(l->ways);
    *l = (layout){0};
}

/* ---- layers and ways ---- */

/* Longest path from a root; roots are pulled down to just above their first effect. */
static void find_layers(size_t *layers, const graph *dag, const size_t *order)
{
    for (size_t i = 0; i < dag->nodes; i++) {
        size_t v = order[i];
        const bits_word *parents = graph_parents(dag, v);
        layers[v] = 0;
        BITS_EACH(p, parents, dag->words) {
            if (layers[p] + 1 > layers[v]) layers[v] = layers[p] + 1;
        }
    }
    for (size_t v = 0; v < dag->nodes; v++) {
        size_t nearest = SIZE_MAX;
        const bits_word *children = graph_children(dag, v);
        if (!bits_empty(graph_parents(dag, v), dag->words)) continue;
        BITS_EACH(c, children, dag->words) {
            if (layers[c] < nearest) nearest = layers[c];
        }
        if (nearest != SIZE_MAX) layers[v] = nearest - 1;
    }
}

/* Cells, edges and ways; every node with an edge gets a cell, every layer an edge
 * crosses a point. */
static scone_status make_cells(layout *l, const graph *g, const graph *dag, const size_t *layers,
                               const double *widths)
{
    scone_status status = SCONE_OK;
    size_t *cell_of = NULL, steps = 0, used = 0, nodes = 0;
    TRY_ALLOC(cell_of, g->nodes);
    for (edge_cursor e = {0}; graph_next_edge(dag, &e);) {
        steps += layers[e.target] - layers[e.source];
        l->edge_count++;
    }
    for (size_t v = 0; v < g->nodes; v++) {
        bool drawn = !bits_empty(graph_parents(dag, v), dag->words) ||
                     !bits_empty(graph_children(dag, v), dag->words);
        cell_of[v] = drawn ? nodes++ : SIZE_MAX;
        if (drawn && layers[v] + 1 > l->layer_count) l->layer_count = layers[v] + 1;
    }
    l->too_large = nodes + steps > LAYOUT_CELL_LIMIT;
    if (l->too_large) goto cleanup;
    TRY_ALLOC(l->cells, nodes + steps);
    TRY_ALLOC(l->edges, l->edge_count);
    TRY_ALLOC(l->ways, steps + l->edge_count);
    for (size_t v = 0; v < g->nodes; v++) {
        if (cell_of[v] == SIZE_MAX) continue;
        l->cells[l->cell_count++] = (layout_cell){v, layers[v], 0, widths[v], 0.0};
    }
    layout_edge *edge = l->edges;
    for (edge_cursor e = {0}; graph_next_edge(dag, &e); edge++) {
        *edge = (layout_edge){e.source, e.target, graph_undirected(g, e.source, e.target), used, 0};
        l->ways[used++] = cell_of[e.source];
        for (size_t layer = layers[e.source] + 1; layer < layers[e.target]; layer++) {
            l->ways[used++] = l->cell_count;
            l->cells[l->cell_count++] = (layout_cell){SIZE_MAX, layer, 0, 4.0, 0.0};
        }
        l->ways[used++] = cell_of[e.target];
        edge->count = used - edge->first;
    }
cleanup:
    mem_free(cell_of);
    return status;
}

/* ---- neighbours ---- */

/* Counts, then fills: the links of all ways on one side. */
static void link_side(layout_work *w, int side)
{
    const layout *l = w->l;
    size_t *starts = w->starts[side];
    memset(starts, 0, (l->cell_count + 1) * sizeof *starts);
    for (size_t e = 0; e < l->edge_count; e++) {
        const size_t *way = l->ways + l->edges[e].first;
        for (size_t i = 0; i + 1 < l->edges[e].count; i++) starts[way[side ? i : i + 1] + 1]++;
    }
    for (size_t c = 0; c < l->cell_count; c++) starts[c + 1] += starts[c];
    for (size_t e = l->edge_count; e-- > 0;) {
        const size_t *way = l->ways + l->edges[e].first;
        for (size_t i = 0; i + 1 < l->edges[e].count; i++) {
            /* filled from the end of each range, whose start moves down by and by */
            size_t here = way[side ? i : i + 1], there = way[side ? i + 1 : i];
            w->neighbours[side][--starts[here + 1]] = there;
        }
    }
    /* starts[c + 1] is now where the range of c begins */
    memmove(starts, starts + 1, l->cell_count * sizeof *starts);
}

static scone_status open_work(layout_work *w, layout *l, double gap)
{
    scone_status status = SCONE_OK;
    size_t links = 0, cells = l->cell_count;
    *w = (layout_work){.l = l, .gap = gap};
    for (size_t e = 0; e < l->edge_count; e++) links += l->edges[e].count - 1;
    for (int side = 0; side < 2; side++) {
        TRY_ALLOC(w->starts[side], cells + 1);
        TRY_ALLOC(w->neighbours[side], links);
        link_side(w, side);
        w->starts[side][cells] = links;
    }
    TRY_ZERO(w->layer_starts, l->layer_count + 1);
    TRY_ALLOC(w->members, cells);
    TRY_ALLOC(w->wishes, cells);
    TRY_ALLOC(w->sums, cells);
    TRY_ALLOC(w->weights, cells);
    TRY_ALLOC(w->lengths, cells);
    for (size_t c = 0; c < cells; c++) w->layer_starts[l->cells[c].layer + 1]++;
    for (size_t y = 0; y < l->layer_count; y++) w->layer_starts[y + 1] += w->layer_starts[y];
    for (size_t c = cells; c-- > 0;) { /* backwards, so that each layer is in the order of cells */
        size_t y = l->cells[c].layer;
        w->members[--w->layer_starts[y + 1]] = c;
    }
    memmove(w->layer_starts, w->layer_starts + 1, l->layer_count * sizeof *w->layer_starts);
    w->layer_starts[l->layer_count] = cells;
cleanup:
    return status;
}

static void close_work(layout_work *w)
{
    for (int side = 0; side < 2; side++) {
        mem_free(w->starts[side]);
        mem_free(w->neighbours[side]);
    }
    mem_free(w->layer_starts);
    mem_free(w->members);
    mem_free(w->wishes);
    mem_free(w->sums);
    mem_free(w->weights);
    mem_free(w->lengths);
}

/* ---- order within layers ---- */

static void number_places(layout_work *w, size_t layer)
{
    size_t first = w->layer_starts[layer];
    for (size_t i = first; i < w->layer_starts[layer + 1]; i++) {
        w->l->cells[w->members[i]].place = i - first;
    }
}

typedef struct placed {
    double wish;
    size_t place, cell;
} placed;

static int compare_placed(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->wish != y->wish) return x->wish < y->wish ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Orders a layer by the mean place of its neighbours on one side; those without stay about. */
static void order_layer(layout_work *w, size_t layer, int side, placed *scratch)
{
    size_t first = w->layer_starts[layer], count = w->layer_starts[layer + 1] - first;
    for (size_t i = 0; i < count; i++) {
        size_t cell = w->members[first + i], from = w->starts[side][cell];
        size_t to = w->starts[side][cell + 1];
        double sum = 0.0;
        for (size_t n = from; n < to; n++) {
            sum += (double)w->l->cells[w->neighbours[side][n]].place;
        }
        double wish = to > from ? sum / (double)(to - from) : (double)i;
        scratch[i] = (placed){wish, i, cell};
    }
    if (count) qsort(scratch, count, sizeof *scratch, compare_placed);
    for (size_t i = 0; i < count; i++) w->members[first + i] = scratch[i].cell;
    number_places(w, layer);
}

static scone_status order_layers(layout_work *w)
{
    size_t layers = w->l->layer_count;
    placed *scratch = mem_alloc(w->l->cell_count, sizeof *scratch);
    if (!scratch) return SCONE_ERR_MEMORY;
    for (size_t y = 0; y < layers; y++) number_places(w, y);
    for (int sweep = 0; sweep < ORDER_SWEEPS; sweep++) {
        for (size_t i = 0; i < layers; i++) {
            bool down = sweep % 2 == 0;
            order_layer(w, down ? i : layers - 1 - i, down ? 0 : 1, scratch);
        }
    }
    mem_free(scratch);
    return SCONE_OK;
}

/* ---- places within layers ---- */

/* The distance that two neighbours of a layer must keep. */
static double separation(const layout_work *w, size_t left, size_t right)
{
    return 0.5 * (w->l->cells[left].width + w->l->cells[right].width) + w->gap;
}

/* Minimizes the squared distances to the wishes, keeping order and separations: with u = x minus
 * the separations so far this is a regression with rising values. */
static void place_layer(layout_work *w, size_t layer)
{
    size_t first = w->layer_starts[layer], count = w->layer_starts[layer + 1] - first, blocks = 0;
    double offset = 0.0;
    for (size_t i = 0; i < count; i++) {
        size_t cell = w->members[first + i];
        if (i > 0) offset += separation(w, w->members[first + i - 1], cell);
        w->sums[blocks] = w->wishes[cell] - offset;
        w->weights[blocks] = 1.0;
        w->lengths[blocks++] = 1;
        while (blocks > 1 && w->sums[blocks - 2] * w->weights[blocks - 1] >
                                 w->sums[blocks - 1] * w->weights[blocks - 2]) {
            blocks--;
            w->sums[blocks - 1] += w->sums[blocks];
            w->weights[blocks - 1] += w->weights[blocks];
            w->lengths[blocks - 1] += w->lengths[blocks];
        }
    }
    offset = 0.0;
    for (size_t b = 0, i = 0; b < blocks; b++) {
        for (size_t k = 0; k < w->lengths[b]; k++, i++) {
            size_t cell = w->members[first + i];
            if (i > 0) offset += separation(w, w->members[first + i - 1], cell);
            w->l->cells[cell].x = w->sums[b] / w->weights[b] + offset;
        }
    }
}

/* Wishes of a layer: the mean x of the neighbours on both sides. */
static void wish_neighbours(layout_work *w, size_t layer)
{
    for (size_t i = w->layer_starts[layer]; i < w->layer_starts[layer + 1]; i++) {
        size_t cell = w->members[i], count = 0;
        double sum = 0.0;
        for (int side = 0; side < 2; side++) {
            for (size_t n = w->starts[side][cell]; n < w->starts[side][cell + 1]; n++, count++) {
                sum += w->l->cells[w->neighbours[side][n]].x;
            }
        }
        w->wishes[cell] = count ? sum / (double)count : w->l->cells[cell].x;
    }
}

static void place_layers(layout_work *w)
{
    layout *l = w->l;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t c = 0; c < l->cell_count; c++) w->wishes[c] = 0.0;
    for (size_t y = 0; y < l->layer_count; y++) place_layer(w, y);
    for (int sweep = 0; sweep < PLACE_SWEEPS; sweep++) {
        for (size_t i = 0; i < l->layer_count; i++) {
            size_t layer = sweep % 2 == 0 ? i : l->layer_count - 1 - i;
            wish_neighbours(w, layer);
            place_layer(w, layer);
        }
    }
    for (size_t c = 0; c < l->cell_count; c++) {
        low = fmin(low, l->cells[c].x - 0.5 * l->cells[c].width);
        high = fmax(high, l->cells[c].x + 0.5 * l->cells[c].width);
    }
    for (size_t c = 0; c < l->cell_count; c++) l->cells[c].x -= low;
    l->width = l->cell_count ? high - low : 0.0;
}

scone_status layers_graph(layout *out, const graph *g, const double *widths, double gap)
{
    scone_status status = SCONE_OK;
    layout_work w = {0};
    graph_work *work = NULL;
    graph *dag = NULL;
    size_t *order = NULL, *layers = NULL;
    *out = (layout){0};
    TRY(graph_alloc(&dag, g->nodes));
    TRY(graph_work_alloc(&work, g->nodes));
    TRY_ALLOC(order, g->nodes);
    TRY_ALLOC(layers, g->nodes);
    if (!graph_extend(dag, g, work) || !graph_order(order, dag, work)) {
        FAIL_DEFECT("a graph to draw extends to no DAG");
    }
    find_layers(layers, dag, order);
    TRY(make_cells(out, g, dag, layers, widths));
    if (out->too_large) goto cleanup;
    TRY(open_work(&w, out, gap));
    TRY(order_layers(&w));
    place_layers(&w);
cleanup:
    close_work(&w);
    mem_free(layers);
    mem_free(order);
    graph_work_free(work);
    scone_graph_free(dag);
    return status;
}
