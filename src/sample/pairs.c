/* pairs.c - the largest entries of a score matrix (see pairs.h).
 *
 * A heap with the worst of the best pairs on top, kept in the caller's array; taking the top off
 * again and again then leaves the array sorted, best first.
 */
#include "sample/pairs.h"

/* Does a come before b in the result? */
static bool pair_better(const double *scores, size_t nodes, node_pair a, node_pair b)
{
    double score_a = scores[a.first + nodes * a.second];
    double score_b = scores[b.first + nodes * b.second];
    if (score_a != score_b) return score_a > score_b;
    if (a.first != b.first) return a.first < b.first;
    return a.second < b.second;
}

/* Moves the pair at `place` down until both pairs below it are better. */
static void heap_sink(node_pair *heap, size_t count, size_t place, const double *scores,
                      size_t nodes)
{
    node_pair moved = heap[place];
    for (size_t below; (below = 2 * place + 1) < count; place = below) {
        if (below + 1 < count && pair_better(scores, nodes, heap[below], heap[below + 1])) below++;
        if (!pair_better(scores, nodes, moved, heap[below])) break;
        heap[place] = heap[below];
    }
    heap[place] = moved;
}

size_t pairs_top(node_pair *pairs, size_t limit, const double *scores, size_t nodes)
{
    size_t count = 0;
    if (limit == 0) return 0;
    for (size_t j = 1; j < nodes; j++) {
        for (size_t i = 0; i < j; i++) {
            node_pair pair = {i, j};
            if (!(scores[i + nodes * j] > 0.0)) continue;
            if (count < limit) {
                pairs[count++] = pair;
                if (count < limit) continue;
                for (size_t k = count / 2; k-- > 0;) heap_sink(pairs, count, k, scores, nodes);
            } else if (pair_better(scores, nodes, pair, pairs[0])) {
                pairs[0] = pair;
                heap_sink(pairs, count, 0, scores, nodes);
            }
        }
    }
    if (count < limit) {
        for (size_t k = count / 2; k-- > 0;) heap_sink(pairs, count, k, scores, nodes);
    }
    for (size_t left = count; left > 1; left--) {
        node_pair worst = pairs[0];
        pairs[0] = pairs[left - 1];
        heap_sink(pairs, left - 1, 0, scores, nodes);
        pairs[left - 1] = worst;
    }
    return count;
}
