/* sensitivity.h - selection scores: how much nodes and pairs differ between the regimes, and how
 * strongly pairs are associated (paper, appendix "Sampling admissible subsets of nodes").
 *
 *   s_i  = rescale( w1 |shift_i| + w2 MI(X_i; c) )
 *          shift_i = (mean1_i - mean0_i) / sqrt((v0_i + v1_i) / 2)              (D1)
 *   G_ij = rescale( |corr0_ij - corr1_ij| )                                     (the paper's Gamma)
 *   a_ij = |partial correlation| of the shrunk average covariance (moments.h)   (D3, its alpha)
 *
 * rescale is min-max, over nodes for s and over pairs for G; a range of at most 1e-12 is rounding
 * (all quantities are of order one) and gives 0 everywhere.
 *
 * MI is the plug-in estimate in nats on 16 equal-count bins of the pooled column (D2). Equal values
 * share the bin of their middle rank, so a tied value is never split. Its bias, (B - 1) / 2n for
 * B occupied bins, two regimes and n rows in all (Miller, "Note on the bias of information
 * estimates", 1955), is taken off, not below 0.
 *
 * Cost: one sort and merge per column, order n + N^2 + N^3 / 3 (the inverse), parallel over
 * columns.
 */
#ifndef SCONE_SAMPLE_SENSITIVITY_H
#define SCONE_SAMPLE_SENSITIVITY_H

#include "stats/moments.h"

/* Bounds that columns without variance would exceed: in standard deviations and in nats. */
#define SENSITIVITY_SHIFT_LIMIT 100.0
#define SENSITIVITY_RATIO_LIMIT 40.0

typedef struct sensitivity_options {
    double shift_weight;       /* w1 >= 0, default 1 */
    double information_weight; /* w2 >= 0, default 1 */
} sensitivity_options;

typedef struct sensitivity {
    size_t columns;
    double *score;              /* [columns]: s_i in [0, 1] */
    double *shift;              /* [columns]: signed, within +-SENSITIVITY_SHIFT_LIMIT */
    double *information;        /* [columns]: MI(X_i; c) >= 0 */
    double *log_variance_ratio; /* [columns]: log(v1 / v0), within +-SENSITIVITY_RATIO_LIMIT; 0 if
                                   both are 0 */
    double *distance;           /* [columns]: two-sample Kolmogorov-Smirnov distance in [0, 1] */
    double *contrast;           /* [columns, columns]: G in [0, 1], symmetric, diagonal 0 */
    double *association;        /* [columns, columns]: a in [0, 1], symmetric, diagonal 0 */
    double *storage;            /* owns all of the above */
} sensitivity;

/* options may be NULL for the defaults; m holds the moments of the same pair. */
scone_status sensitivity_alloc(sensitivity **out, const scone_pair *pair, const moments *m,
                               const sensitivity_options *options, const scone_context *context);
void sensitivity_free(sensitivity *s);

/* MI in nats and Kolmogorov-Smirnov distance of two samples in ascending order, without NaN. */
double sensitivity_information(const double *x, size_t x_count, const double *y, size_t y_count);
double sensitivity_distance(const double *x, size_t x_count, const double *y, size_t y_count);

#endif
