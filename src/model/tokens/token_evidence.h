/* token_evidence.h - what a search knows of the pairs, as numbers for the model
 * (docs/methods/tokens.md).
 *
 * Beyond the paper: instead of the votes of weak learners on many subsets the model reads the
 * evidence of the strong score (docs/methods/score.md) on one subset, all columns. For each
 * direction a -> b of a candidate pair, in units that do not depend on the number of rows, s(x) =
 * asinh(x / log n):
 *
 *   s(value) or 0, is it possible?, s(gain), found?, is a an ancestor of b?, log P(a -> b) / 5
 *   of b: s(gain of refined designs), s(gain of the noise's shape), s(margin of a change),
 *         parents / 4, children / 4, is only its spread modelled?, is its mean refined?
 * and for both log n / 10, log N / 5; n counts the rows of both tables.
 *
 * The prior is the search's own P(i -> j); the model learns what to change about it.
 */
#ifndef SCONE_MODEL_TOKENS_TOKEN_EVIDENCE_H
#define SCONE_MODEL_TOKENS_TOKEN_EVIDENCE_H

#include "base/arena.h"
#include "learn/search/search.h"
#include "model/tokens/tokens.h"

/* Sizes and arrays of the draft before token_layout_fill: one subset of all nodes; as candidate
 * pairs the edges found and then those that are likeliest to be one, cap_per_node N at most (0:
 * all). */
scone_status token_evidence_draft(tokens *draft, const search_result *found, size_t cap_per_node,
                                  arena *memory);
/* After it: codes, evidence and prior. rows: of both tables. */
scone_status token_evidence_fill(tokens *draft, const search_result *found, double rows,
                                 arena *memory);

#endif
