/* graph_paths.h - simple paths between two nodes, whatever the directions of their edges.
 *
 * Depth-first with a distance bound: a branch is entered only if the goal can still be reached
 * within the length left, by the distances in the skeleton. Each step costs O(words).
 */
#ifndef SCONE_GRAPH_GRAPH_PATHS_H
#define SCONE_GRAPH_GRAPH_PATHS_H

#include "graph/graph_work.h"

/* Gets the nodes path[0 .. count-1] from start to goal (count - 1 edges, no node twice); false
 * stops the enumeration. The array is valid during the call only. */
typedef bool (*path_visit)(void *user, const size_t *path, size_t count);

/* Visits all simple paths from start to goal with at most `longest` edges, in lexicographic order
 * of their nodes; returns how many were visited. Their number grows as degree^longest. visit may
 * be NULL (counting). A path from a node to itself is the node alone. */
size_t graph_paths(const graph *g, size_t start, size_t goal, size_t longest, path_visit visit,
                   void *user, graph_work *work);

#endif
