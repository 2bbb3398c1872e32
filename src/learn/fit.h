/* fit.h - how well parents explain a node: the location-scale contrast score (docs/score.md).
 *
 * For rows R (one regime, or both together) and parents P with design D = [basis of P, 1]:
 *   constant   y = D b + s e
 *   modelled   y = D b + exp(D h / 2) e
 *   log link   y = m + exp(D h / 2) e
 *   sd link    y = m + |D g| e
 * The log-likelihood is -sum log sigma - n H(e), the entropy H of e estimated and not assumed; each
 * model pays 1/2 log n per parameter, and the best one counts. A node is scored once for both
 * regimes together (its mechanism is shared) and once for each (it changed); the better counts.
 */
#ifndef SCONE_LEARN_FIT_H
#define SCONE_LEARN_FIT_H

#include "learn/basis.h"

enum { FIT_MAX_PARENTS = 12, FIT_MAX_COLUMNS = FIT_MAX_PARENTS * BASIS_SIZE + 1 };

typedef enum fit_model { FIT_CONSTANT, FIT_MODELLED, FIT_LOG, FIT_SD } fit_model;

typedef struct fit_result {
    double score;            /* the better of the two */
    double shared, separate; /* penalized log-likelihoods */
    fit_model model[3];      /* best model: both regimes, regime 0, regime 1 */
} fit_result;

typedef struct fit_work fit_work; /* scratch of one thread */

scone_status fit_work_alloc(fit_work **out, const basis *b);
void fit_work_free(fit_work *work);
/* parents: increasing indices, at most FIT_MAX_PARENTS. effort 0: few starts of the sd link, 1:
 * all. Never allocates or fails. O(k^2 n) times the steps of the fits, k = 6 |P| + 1. */
void fit_node(fit_result *result, fit_work *work, size_t node, const size_t *parents, size_t count,
              int effort);

#endif
