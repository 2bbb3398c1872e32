/* reasons_strength.h - how strong the directions of a decoded graph are.
 *
 * A direction that the learner found is as strong as its log-odds; one that is known, infinitely
 * strong; a conclusion of the closure as strong as the weakest premise of its best derivation. The
 * closure notes one derivation of several, which one depends on the numbering; hence all of them
 * are looked at, from weak to strong until nothing changes. O(rounds E N d) for E conclusions.
 */
#ifndef SCONE_REASONS_REASONS_STRENGTH_H
#define SCONE_REASONS_REASONS_STRENGTH_H

#include "decode/decode.h"

/* The learner's log-odds of from -> to against to -> from. */
typedef double (*direction_odds)(const void *context, size_t from, size_t to);

/* strength [nodes, nodes]: row i column j for every i -> j of the graph; the rest is untouched. */
void reasons_strength(double *strength, const decoding *d, direction_odds odds,
                      const void *context);

#endif
