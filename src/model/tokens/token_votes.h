/* token_votes.h - the elections of the subsets by the local learners of a configuration
 * (docs/methods/tokens.md, "Votes").
 *
 * Learners vote with equal weight, whatever the number of their replicates: the shares of the votes
 * of each are averaged, and the class with the largest average wins. PolyBIC is fitted once for all
 * subsets (learn/polybic/polybic_votes.h); alone it elects as it always did. The others run on
 * every subset, GES on TOKEN_GES_REPLICATES replicates, the search once on the rows as they are,
 * since rows that occur twice would look like peaks of a density to it. Subsets that come later
 * are voted on without asking again about the earlier ones.
 */
#ifndef SCONE_MODEL_TOKENS_TOKEN_VOTES_H
#define SCONE_MODEL_TOKENS_TOKEN_VOTES_H

#include "learn/ensemble.h"
#include "model/tokens/token_make.h"

enum { TOKEN_GES_REPLICATES = 10 };

typedef struct token_votes token_votes;

/* Pair and context must outlive it. */
scone_status token_votes_alloc(token_votes **out, const scone_pair *pair,
                               const token_options *options, const scone_context *context);
void token_votes_free(token_votes *votes);

/* The elections of the subsets; a later call must name those of the calls before, and may add some.
 * ensemble_result_free releases *out. */
scone_status token_votes_elect(ensemble_result **out, token_votes *votes,
                               const ensemble_subsets *subsets);

#endif
