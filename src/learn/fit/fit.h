/* fit.h - how well parents explain a node: the location-scale contrast score
 * (docs/methods/score.md).
 *
 * For rows R (one regime, or both together) and parents P with design D = [basis of P, 1]:
 *   constant   y = D b + s e
 *   modelled   y = D b + exp(D h / 2) e
 *   log link   y = m + exp(D h / 2) e
 *   sd link    y = m + |D g| e
 * and the first two with a refined mean: D and further functions of the parents, also of all of
 * them jointly (fit_refine.c). On top of the best, the shape of e may depend on the parents
 * (fit_shape.c). The log-likelihood is -sum log sigma - n H(e), the entropy H of e estimated and
 * not assumed; each model pays for its parameters (fit_price), and the best one counts. A node is
 * scored for both regimes together (its mechanism is shared), for each (it changed), and with a
 * change of one part only: of the mean, of its offset, or of the noise's scale. The best counts.
 * A node with few values has probabilities instead of a density (fit_discrete.c).
 */
#ifndef SCONE_LEARN_FIT_FIT_H
#define SCONE_LEARN_FIT_FIT_H

#include "learn/fit/basis.h"
#include "learn/fit/family.h"

/* Columns of a design, also of a refined one. */
enum { FIT_MAX_COLUMNS = 160 };

typedef enum fit_model { FIT_CONSTANT, FIT_MODELLED, FIT_LOG, FIT_SD, FIT_MODELS } fit_model;

typedef enum fit_contrast {
    FIT_SHARED,
    FIT_SEPARATE, /* everything changed */
    FIT_MEAN,     /* the mean changed, the noise did not */
    FIT_OFFSET,   /* only a constant was added */
    FIT_SCALE     /* only the noise's scale changed */
} fit_contrast;

/* Which parts of a model also depend on further functions of the parents? */
enum fit_refinement { FIT_NOT_REFINED, FIT_REFINED_MEAN, FIT_REFINED_BOTH };

/* Rows of a fit: both regimes, the first, the second. */
typedef enum fit_set { FIT_POOLED, FIT_FIRST, FIT_SECOND, FIT_SETS } fit_set;

/* Coefficients that are kept of a fit, for each set: mean and log variance of the best model, and
 * g of the sd link, whether it is the best or not. */
enum { FIT_LOCATION, FIT_SPREAD, FIT_PHASE, FIT_VECTORS };

/* Functions of several parents jointly, tanh(w'z + c), at most (fit_features.c) */
enum { FIT_UNITS = 24 };

typedef struct fit_result {
    double score;            /* the better of the two */
    double shared, separate; /* penalized log-likelihoods: no change, the best kind of change */
    fit_model model[FIT_SETS];
    uint8_t refined[FIT_SETS]; /* fit_refinement of the best model */
    uint32_t units;            /* functions of parents jointly that refined designs have */
    double refining;           /* nats that refined designs gain over plain ones */
    float shape[FIT_SETS];     /* nats that the shape of the noise gains */
    fit_contrast contrast;
    uint32_t columns; /* of the design */
    uint32_t changed; /* conditions with a mechanism of their own, if there are several */
} fit_result;

/* An earlier fit of the same node, from which the sd link and the units may start. */
typedef struct fit_start {
    const family *family;
    const float *coefficients;
    size_t units;
} fit_start;

typedef struct fit_request {
    const family *family;
    int effort; /* 0: few starts of the sd link, 1: normal, 2: all */
    const fit_start *starts;
    size_t start_count;
    double odds; /* nats that a change in one of several conditions costs to say */
} fit_request;

typedef struct fit_work fit_work; /* scratch of one thread */

scone_status fit_work_alloc(fit_work **out, const basis *b);
void fit_work_free(fit_work *work);
/* Columns of a family's design, and how many coefficients are kept: FIT_SETS * FIT_VECTORS for each
 * column, then w and c of the units; of several conditions also their margins (fit_margins). */
size_t fit_columns(const basis *b, const family *f);
size_t fit_coefficient_count(const basis *b, const family *f);
/* Of several conditions: for each the nats by which a mechanism of its own is better than the
 * shared one, without what it costs to say so. */
const float *fit_margins(const basis *b, const family *f, const float *coefficients);
/* Never allocates or fails. O(k^2 n) times the steps of the fits, k columns. */
void fit_node(fit_result *result, float *coefficients, fit_work *work, const fit_request *request);

/* What the likelihood would gain by each candidate parent, by one step of scoring from a fit of
 * this family, in nats on all rows without a penalty: cheap, and good enough to say which
 * candidates to fit. O(k n) a candidate, O(n) where the spread is constant. */
void fit_scan(float *gains, fit_work *work, const family *f, const fit_result *result,
              const float *coefficients, const uint32_t *candidates, size_t count);

#endif
