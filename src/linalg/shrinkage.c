/* shrinkage.c - Ledoit and Wolf's estimate (see shrinkage.h).
 *
 * sum_r |x_r x_r' - S|^2 = (sum_r (x_r'x_r)^2 - n trace(S S)) / p, so one pass over the rows gives
 * the squared lengths x_r'x_r and no p x p matrix per row is formed.
 */
#include "linalg/shrinkage.h"

#include <math.h>
#include <string.h>

/* Adds the squared centred values of every column to its rows: lengths [rows] = x_r'x_r. */
static void row_lengths(double *lengths, const matrix_view *x, const double *means,
                        const double *deviations)
{
    memset(lengths, 0, x->rows * sizeof *lengths);
    for (size_t j = 0; j < x->columns; j++) {
        const double *column = x->values + x->rows * (x->order ? x->order[j] : j);
        double deviation = deviations ? deviations[j] : 1.0;
        if (!(deviation > 0.0)) continue;
        for (size_t r = 0; r < x->rows; r++) {
            double z = (column[r] - means[j]) / deviation;
            lengths[r] += z * z;
        }
    }
}

/* b^2 / d^2, both times p (which cancels) */
static double shrinkage_intensity(const double *s, const double *lengths, double mean_variance,
                                  size_t rows, size_t p)
{
    double n = (double)rows, squares = 0.0, distance = 0.0, spread = 0.0;
    for (size_t j = 0; j < p; j++) {
        for (size_t i = 0; i < p; i++) {
            double value = s[i + p * j], away = i == j ? value - mean_variance : value;
            squares += value * value;
            distance += away * away;
        }
    }
    for (size_t r = 0; r < rows; r++) spread += lengths[r] * lengths[r];
    double error = (spread / n - squares) / n;
    if (!(distance > 0.0) || !(error > 0.0)) return 0.0;
    return error < distance ? error / distance : 1.0;
}

scone_status shrinkage_covariance(double *estimate, double *intensity, const matrix_view *x,
                                  bool standardize, gram_work *work)
{
    scone_status status = SCONE_OK;
    double *means = NULL, *deviations = NULL, *lengths = NULL;
    size_t p = x->columns;
    *intensity = 0.0;
    if (x->rows == 0) FAIL(SCONE_ERR_INPUT, "a covariance needs at least one row");
    TRY_ALLOC(means, p);
    TRY_ALLOC(deviations, p);
    TRY_ALLOC(lengths, x->rows);
    if (standardize) {
        TRY(correlation_matrix(estimate, means, deviations, x, work));
        for (size_t j = 0; j < p; j++) { /* a constant column has no variance to scale to 1 */
            if (!(deviations[j] > 0.0)) estimate[j + p * j] = 0.0;
        }
    } else {
        TRY(covariance_matrix(estimate, means, x, (double)x->rows, work));
    }
    row_lengths(lengths, x, means, standardize ? deviations : NULL);

    double trace = 0.0;
    for (size_t j = 0; j < p; j++) trace += estimate[j + p * j];
    double mean_variance = p ? trace / (double)p : 0.0;
    double share = shrinkage_intensity(estimate, lengths, mean_variance, x->rows, p);
    for (size_t i = 0; i < p * p; i++) estimate[i] *= 1.0 - share;
    for (size_t j = 0; j < p; j++) estimate[j + p * j] += share * mean_variance;
    *intensity = share;
cleanup:
    mem_free(means);
    mem_free(deviations);
    mem_free(lengths);
    return status;
}
