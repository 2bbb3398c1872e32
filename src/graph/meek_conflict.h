/* meek_conflict.h - how the Meek closure (meek.h) says why it cannot go on. Private to meek.c. */
#ifndef SCONE_GRAPH_MEEK_CONFLICT_H
#define SCONE_GRAPH_MEEK_CONFLICT_H

#include "graph/meek.h"

/* Note a conflict in m->conflict; the graph is still the contradictory one. */
void meek_conflict_collider(meek *m, size_t left, size_t middle, size_t right);
void meek_conflict_cycle(meek *m, const graph *g);
void meek_conflict_request(meek *m, meek_conflict_kind kind, size_t from, size_t to);

/* Finds the required directions behind the conflict and raises SCONE_ERR_INPUT. Uses up the
 * workspace's matrix. O(N words + reasons). */
scone_status meek_conflict_raise(meek *m, const graph *g);

#endif
