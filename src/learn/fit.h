/* fit.h - likelihood of a node given parents under the location-scale models.
 *
 * See docs/score.md. For rows R (a regime, or both) and parents P with design D = [1, basis of P]:
 *   constant   y = D b + s e
 *   modelled   y = D b + exp(D h / 2) e
 *   log link   y = m + exp(D h / 2) e
 *   sd link    y = m + |D g| e
 * The log-likelihood is -sum log sigma - n H(e) with the entropy H of e estimated from the data.
 */
#ifndef SCONE_LEARN_FIT_H
#define SCONE_LEARN_FIT_H

#include "learn/basis.h"

enum { FIT_MODELS = 4, FIT_MAX_PARENTS = 12, FIT_MAX_COLUMNS = FIT_MAX_PARENTS * BASIS_SIZE + 1 };
typedef enum fit_model { FIT_CONSTANT, FIT_MODELLED, FIT_LOG, FIT_SD } fit_model;

typedef struct fit_options {
    unsigned models;      /* bit set of fit_model */
    size_t limit;         /* rows per regime to look at, 0 for all */
    double penalty;       /* factor on 1/2 log n per parameter, 1 = BIC */
    int sd_steps;         /* Fisher steps of the sd link */
} fit_options;

typedef struct fit_result {
    double score;            /* penalized log-likelihood, best of shared and separate */
    double shared, separate; /* the two */
    fit_model model[3];      /* best model: pooled, regime 0, regime 1 */
} fit_result;

typedef struct fit_work fit_work;

scone_status fit_work_alloc(fit_work **out, const basis *b);
void fit_work_free(fit_work *work);
/* parents: increasing indices, at most FIT_MAX_PARENTS */
void fit_node(fit_result *result, fit_work *work, size_t node, const size_t *parents, size_t count,
              const fit_options *options);

#endif
