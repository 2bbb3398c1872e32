/* local_score.h - scores of (node, parents), computed once each and in parallel.
 *
 * A search asks for many scores at a time; those not known yet are computed by all threads and then
 * entered in the order of the requests, so nothing depends on the number of threads.
 */
#ifndef SCONE_LEARN_LOCAL_SCORE_H
#define SCONE_LEARN_LOCAL_SCORE_H

#include "learn/fit.h"

/* A family: a node and its parents, increasing. Unused places of parents are 0. */
typedef struct family {
    uint32_t node, count;
    uint32_t parents[FIT_MAX_PARENTS];
} family;

/* `of` with one parent more or less; count stays within FIT_MAX_PARENTS (caller's duty). */
family family_with(const family *of, size_t parent);
family family_without(const family *of, size_t parent);
bool family_has(const family *of, size_t parent);

typedef struct local_score local_score;

/* edge_cost: nats that each parent costs on top of the BIC. effort as in fit.h. */
scone_status local_score_alloc(local_score **out, const basis *b, double edge_cost, int effort,
                               const scone_context *context);
void local_score_free(local_score *scores);

/* Makes sure that these families are known. stage may be NULL (see parallel_for). */
scone_status local_score_request(local_score *scores, const family *families, size_t count,
                                 const char *stage);
/* A family that was requested: penalized score, or all of its fit. */
double local_score_get(const local_score *scores, const family *f);
const fit_result *local_score_fit(const local_score *scores, const family *f);
size_t local_score_count(const local_score *scores);

#endif
