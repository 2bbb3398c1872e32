/* fit_parts.h - what the files of the location-scale fits share (see fit.h). */
#ifndef SCONE_LEARN_FIT_PARTS_H
#define SCONE_LEARN_FIT_PARTS_H

#include "learn/fit.h"
#include "learn/kernel.h"

enum { FIT_BINS = 64, FIT_SD_STARTS = 64 };

/* The rows of one fit: one part per regime. */
typedef struct fit_rows {
    int parts;
    size_t begin[2], length[2]; /* with padding */
    size_t count, padding;      /* true rows, rows of padding */

} fit_rows;

/* The columns of one fit; the last is the constant. */
typedef struct fit_design {
    const float *columns[FIT_MAX_COLUMNS];
    size_t index[FIT_MAX_COLUMNS]; /* in the basis */
    size_t count;
} fit_design;

struct fit_work {
    const basis *b;
    const float *one;                  /* the constant column */
    float *residual, *fitted;          /* [stride] */
    float *weight, *scratch;           /* [stride] */
    double *gram;                      /* D'D of the rows of the current fit */
    double *small, *factor, *vectors;  /* [FIT_MAX_COLUMNS squared] scratch */
    double (*starts)[FIT_MAX_COLUMNS]; /* [FIT_SD_STARTS] of the sd link */
};

/* for every block: offset_ is its first row, m_ its length */
#define FIT_EACH_BLOCK(rows_, offset_, m_)                                                         \
    for (int part_ = 0; part_ < (rows_)->parts; part_++)                                           \
        for (size_t offset_ = (rows_)->begin[part_], end_ = offset_ + (rows_)->length[part_],      \
                    m_ = end_ - offset_ < KERNEL_BLOCK ? end_ - offset_ : KERNEL_BLOCK;            \
             offset_ < end_;                                                                       \
             offset_ += m_, m_ = end_ - offset_ < KERNEL_BLOCK ? end_ - offset_ : KERNEL_BLOCK)

/* Solves A x = b, A symmetric [k, k] with its lower triangle, b in x, by Cholesky with a ridge that
 * grows until the factor exists. */
void fit_solve(const double *a, double *x, size_t k, double *factor);
/* D'v and D c */
void fit_project(double *out, const fit_design *d, const fit_rows *rows, const float *v);
void fit_apply(float *out, const fit_design *d, const fit_rows *rows, const double *coefficients);
/* gram += D' diag(w) D over the rows; NULL: weight 1 */
void fit_gram(double *gram, const fit_work *work, const fit_design *d, const fit_rows *rows,
              const float *w);
/* n H of e; padding holds zeros */
double fit_entropy(const float *e, const fit_rows *rows);
/* -sum log sigma - n H(residual * weight), weight = 1 / sigma */
double fit_likelihood(fit_work *work, const fit_rows *rows, double log_sigma);
/* sd link for centred residuals of this variance: the log-likelihood */
double fit_sd_link(fit_work *work, const fit_design *d, const fit_rows *rows, double variance,
                   int effort);

#endif
