/* layers.h - places for the nodes of a graph and ways for its edges, causes above effects.
 *
 * Layers by the longest path from a root, in a DAG that extends the graph; edges that span several
 * layers are led through points on the layers between (Sugiyama, Tagawa and Toda, "Methods for
 * visual understanding of hierarchical system structures", 1981). Cells of a layer are ordered by
 * the means of their neighbours' places, in sweeps down and up; then each layer is moved as near to
 * its neighbours as the widths allow, which is an isotonic regression (pool adjacent violators).
 * Nodes without edges are left out. O(sweeps (cells log cells + links)).
 */
#ifndef SCONE_DRAW_LAYERS_H
#define SCONE_DRAW_LAYERS_H

#include "graph/graph.h"

enum { LAYOUT_CELL_LIMIT = 20000 };

/* A node, or a point on a long edge. */
typedef struct layout_cell {
    size_t node; /* SIZE_MAX: a point */
    size_t layer, place;
    double width, x; /* x of its centre */
} layout_cell;

/* Cells first .. first + count - 1 of `ways`, from the cause (or the upper end) down. */
typedef struct layout_edge {
    size_t from, to; /* nodes; from is above to */
    bool undirected;
    size_t first, count;
} layout_edge;

typedef struct layout {
    layout_cell *cells;
    size_t cell_count, layer_count;
    layout_edge *edges;
    size_t edge_count;
    size_t *ways;   /* cells along the edges */
    double width;   /* of the whole; x runs from 0 to this */
    bool too_large; /* more cells than the limit: nothing else is set */
} layout;

/* widths [nodes] of the labels, gap between neighbours of a layer. g extends to a DAG. The caller
 * frees also after a failure. */
scone_status layers_graph(layout *out, const graph *g, const double *widths, double gap);
void layers_clear(layout *l);

#endif
