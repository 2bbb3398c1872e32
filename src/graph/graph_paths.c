/* graph_paths.c - simple paths in the skeleton (see graph_paths.h). */
#include "graph/graph_paths.h"

/* distance[v] = edges on a shortest path from v to the goal in the skeleton, SIZE_MAX if there is
 * none. O(N words). */
static void graph_distances(size_t *distance, const graph *g, size_t goal, graph_work *work)
{
    bits_word *layer = work->sets[0], *next = work->sets[1], *seen = work->sets[2];
    size_t words = g->words;
    for (size_t v = 0; v < g->nodes; v++) distance[v] = SIZE_MAX;
    bits_clear(layer, words);
    bits_add(layer, goal);
    bits_copy(seen, layer, words);
    for (size_t far = 0; !bits_empty(layer, words); far++) {
        bits_clear(next, words);
        BITS_EACH(v, layer, words) {
            distance[v] = far;
            bits_unite(next, graph_parents(g, v), words);
            bits_unite(next, graph_children(g, v), words);
            bits_unite(next, graph_siblings(g, v), words);
        }
        bits_subtract(next, seen, words);
        bits_unite(seen, next, words);
        bits_word *swap = layer;
        layer = next;
        next = swap;
    }
}

size_t graph_paths(const graph *g, size_t start, size_t goal, size_t longest, path_visit visit,
                   void *user, graph_work *work)
{
    size_t *path = work->numbers[1], *tried = work->numbers[2], *distance = work->numbers[3];
    bits_word *on_path = work->sets[0];
    graph_distances(distance, g, goal, work);
    if (distance[start] > longest) return 0;
    bits_clear(on_path, g->words);
    bits_add(on_path, start);
    size_t last = 0, found = 0; /* path[0 .. last]; tried[i]: where path[i] goes on looking */
    path[0] = start;
    tried[0] = 0;
    for (;;) {
        size_t v = path[last], next = SIZE_MAX;
        if (v == goal) {
            found++;
            if (visit && !visit(user, path, last + 1)) return found;
        } else {
            next = graph_next_adjacent(g, v, on_path, tried[last]);
        }
        if (next == SIZE_MAX) { /* nothing left here: one step back */
            bits_remove(on_path, v);
            if (last == 0) return found;
            last--;
            continue;
        }
        tried[last] = next + 1;
        /* last + 1 <= longest here, since the distance of v left room for a step */
        if (distance[next] == SIZE_MAX || distance[next] > longest - (last + 1)) continue;
        bits_add(on_path, next);
        path[++last] = next;
        tried[last] = 0;
    }
}
