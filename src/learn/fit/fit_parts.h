/* fit_parts.h - what the files of the location-scale fits share (see fit.h). */
#ifndef SCONE_LEARN_FIT_FIT_PARTS_H
#define SCONE_LEARN_FIT_FIT_PARTS_H

#include "learn/fit/fit.h"
#include "learn/fit/kernel.h"

enum { FIT_BINS = 64, FIT_SD_STARTS = 80, FIT_ORDERS = 8, FIT_FEATURES = 40, FIT_POOL = 144 };
/* Columns and rows that a choice of functions looks at */
enum { FIT_CHOICE = FIT_MAX_COLUMNS + FIT_POOL + 1, FIT_CHOICE_ROWS = 2048 };

/* The rows of one fit: the parts of the basis that it looks at. */
typedef struct fit_rows {
    int parts;
    const size_t *begin, *length; /* [parts], with padding */
    size_t limit;                 /* no more rows of a part are looked at */
    size_t count, padding;        /* true rows, rows of padding */
} fit_rows;

static inline size_t fit_rows_length(const fit_rows *rows, int part)
{
    return rows->length[part] < rows->limit ? rows->length[part] : rows->limit;
}

/* To which set of a fit does a part of the basis belong? */
typedef enum fit_side { FIT_SIDE_FIRST, FIT_SIDE_SECOND, FIT_SIDE_OUT } fit_side;

/* The columns of one fit; the last is the constant. */
typedef struct fit_design {
    const float *columns[FIT_MAX_COLUMNS];
    size_t index[FIT_MAX_COLUMNS];        /* in the basis */
    size_t first[FAMILY_MAX_PARENTS + 1]; /* column of each parent; of the constant */
    size_t parents, count;
    const float *one; /* weight of each row: 1, or 0 in the padding */
} fit_design;

/* Functions of several parents jointly, and what finding them needs (fit_features.c). */
typedef struct fit_features {
    float pool[FAMILY_MAX_PARENTS][FIT_POOL][FAMILY_MAX_PARENTS + 1];
    float units[FIT_FEATURES][FAMILY_MAX_PARENTS + 1]; /* those in use: weights, and c last */
    float kept[FIT_FEATURES][FAMILY_MAX_PARENTS + 1];
    float *sample[2];                  /* [FIT_CHOICE][FIT_CHOICE_ROWS] */
    float *gram, *chosen[2];           /* [FIT_CHOICE squared] */
    float *factor[2];                  /* [FIT_MAX_COLUMNS][FIT_CHOICE] */
    double *normal, *trial, *triangle; /* [FIT_CHOICE squared] */
    double right[FIT_CHOICE], move[FIT_CHOICE];
    float left[2][FIT_CHOICE], total[2][FIT_CHOICE], shared[2][FIT_CHOICE];
} fit_features;

struct fit_work {
    const basis *b;
    uint8_t *side;                   /* [parts] fit_side */
    size_t *begin[FIT_SETS];         /* [parts] each, of rows */
    size_t *length[FIT_SETS];        /* the same */
    fit_rows rows[FIT_SETS];         /* what the sides say */
    float *residual, *fitted;        /* [stride] */
    float *weight, *scratch, *apart; /* [stride] */
    float *noise[2];                 /* [stride]: e of refined fits, pooled and of each regime */
    float *joint;                    /* [FIT_FEATURES][stride]: columns of refined designs */
    fit_features *features;
    double *gram;                      /* D'D of the rows of the current fit */
    double *small, *factor, *vectors;  /* [(FIT_MAX_COLUMNS + 1) squared] scratch */
    double *linear[4];                 /* the same size: Gram matrices of D and refined */
    double (*starts)[FIT_MAX_COLUMNS]; /* [FIT_SD_STARTS] of the sd link */
    double *own;                       /* [4 * parts] scores of single conditions */
    bool *shares;                      /* [2 * parts] which share the mechanism */
};

/* for every block: offset_ is its first row, m_ its length */
#define FIT_EACH_BLOCK(rows_, offset_, m_)                                                         \
    for (int part_ = 0; part_ < (rows_)->parts; part_++)                                           \
        for (size_t offset_ = (rows_)->begin[part_],                                               \
                    end_ = offset_ + fit_rows_length(rows_, part_),                                \
                    m_ = end_ - offset_ < KERNEL_BLOCK ? end_ - offset_ : KERNEL_BLOCK;            \
             offset_ < end_;                                                                       \
             offset_ += m_, m_ = end_ - offset_ < KERNEL_BLOCK ? end_ - offset_ : KERNEL_BLOCK)

void fit_design_make(fit_design *d, const basis *b, const family *f);
/* Says again which rows the sets have, after a change of work->side. With two tables they are the
 * first and the second. */
void fit_rows_divide(fit_work *work);
fit_rows fit_rows_of(const fit_work *work, fit_set set);
/* The first `limit` rows of each part: a sample. */
fit_rows fit_rows_first(const fit_rows *rows, size_t limit);
/* An entry of D'D over the rows of a set, from the stored Gram matrices */
double fit_stored(const fit_work *work, fit_set set, size_t i, size_t j);
/* The rows of a set in a bin of a node (basis.filled) */
float fit_filled(const fit_work *work, fit_set set, size_t bin);

/* Solves A x = b, A symmetric [k, k] with its lower triangle, b in x, by Cholesky with a ridge that
 * grows until the factor exists; fit_back solves again with the same factor. */
void fit_solve(const double *a, double *x, size_t k, double *factor);
void fit_back(const double *factor, double *x, size_t k);
/* D'v and D c */
void fit_project(double *out, const fit_design *d, const fit_rows *rows, const float *v);
void fit_apply(float *out, const fit_design *d, const fit_rows *rows, const double *coefficients);
/* gram += D' diag(w) D over the rows; NULL: weight 1 */
void fit_gram(double *gram, const fit_design *d, const fit_rows *rows, const float *w);
/* The smoothed histogram of e after a logistic transform (kernel_histogram);
 * padding holds zeros. */
typedef struct fit_grid {
    float scale, low, high;
    double bins[FIT_BINS], base; /* base: sum of the log base density */
} fit_grid;

void fit_grid_make(fit_grid *grid, const float *e, const fit_rows *rows);
/* The sum of log density of e[i] / scale, i < n, under the grid of `count` rows, less n log scale;
 * e may be read up to a multiple of KERNEL_LANES. */
double fit_grid_density(const fit_grid *grid, double count, const float *e, size_t n, double scale);
/* n H of e; padding holds zeros */
double fit_entropy(const float *e, const fit_rows *rows);
/* -sum log sigma - n H(residual * weight), weight = 1 / sigma */
double fit_likelihood(fit_work *work, const fit_rows *rows, double log_sigma);

/* What this many parameters of the plain design cost, and of the refined one beyond it. A plain
 * parameter costs less than the BIC would take: an edge also has a cost of its own, and the two
 * together have to exceed what chance gains (docs/notebook/search.md). */
double fit_price(const fit_rows *rows, size_t parameters, size_t further);

/* ---- one node (fit.c) ---- */

/* The best model of one set of rows so far. */
typedef struct fit_best {
    double score; /* penalized */
    fit_model model;
    uint8_t refined; /* fit_refinement */
    double vectors[FIT_VECTORS][FIT_MAX_COLUMNS];
} fit_best;

typedef struct fit_node_work fit_node_work;

/* ---- linear means with constant spread (fit_linear.c, fit_refine.c) ---- */

/* A design with its Gram matrices and products with y, apart for each regime. */
typedef struct fit_linear {
    const fit_design *d;
    fit_design *design; /* the same where it is to be made */
    size_t further;     /* columns that the plain design does not have */
    size_t units;       /* of these, functions of the parents jointly */
    const float *y;
    double *gram[2];
    double products[2][FIT_MAX_COLUMNS];
    double variance[FIT_SETS]; /* mean squares of the residuals; set by fit_linear_set */
} fit_linear;

/* One node with its parents. */
struct fit_node_work {
    fit_work *work;
    const fit_request *request;
    fit_design d, e; /* plain and refined */
    fit_linear plain, refined;
    const float *y;
    fit_best sets[FIT_SETS];
};

/* Also to be called after the sides have changed. */
void fit_node_prepare(fit_node_work *fit, fit_work *work, const fit_request *request);
/* The best plain model of a set; a refined one if it is better. */
void fit_node_plain(fit_node_work *fit, fit_set set);
void fit_node_refined(fit_node_work *fit, fit_set set);
/* Adds what a model of the noise's shape gains, and returns it. */
float fit_node_shape(fit_node_work *fit, fit_set set);
/* Residuals of the best model of a set on these rows, and weights 1/sigma; their product into
 * work->scratch. Rows beyond the set's have no place in a refined model. */
void fit_node_standardized(fit_node_work *fit, fit_set set, const fit_rows *rows);

/* ---- several conditions (fit_conditions.c) ---- */

/* Like fit_node, for a basis of more than two parts. */
void fit_conditions(fit_result *result, float *coefficients, fit_work *work,
                    const fit_request *request);
/* The sides of such a fit again, from its margins (fit_margins): POOLED is the control and the
 * conditions that share its mechanism. */
void fit_conditions_again(fit_work *work, const float *margins);
/* SECOND is this part of the basis alone. */
void fit_conditions_single(fit_work *work, size_t part);

/* Penalized log-likelihood of a set; the residuals stay in work. */
double fit_linear_set(fit_work *work, fit_linear *l, fit_set set, double *coefficients);
/* The same of both regimes with a change of one part; the variances must be known. */
double fit_linear_change(fit_work *work, const fit_linear *l, fit_contrast contrast);
/* Makes the refined design and its Gram matrices; false if it is not worth while. */
bool fit_refine(fit_work *work, fit_linear *refined, fit_linear *plain, const fit_request *request);
/* The same with units that were found before (fit_features_save). */
void fit_refine_again(fit_work *work, fit_linear *refined, fit_linear *plain, const family *f,
                      const float *units, size_t count);

scone_status fit_features_alloc(fit_features **out);
void fit_features_free(fit_features *features);
/* Takes the first functions of the pool. */
void fit_features_first(fit_work *work, const fit_design *d, size_t count);
/* What units are found for: y beside the first `before` columns of e and the constant, with d the
 * plain design of f; starts may be had from earlier fits. */
typedef struct fit_features_task {
    const fit_design *e, *d;
    size_t before;
    const float *y;
    const fit_request *request;
} fit_features_task;

/* Finds units that say most; returns their number, at most count. */
size_t fit_features_find(fit_work *work, const fit_features_task *task, size_t count);
/* Copies the units in use, parents + 1 numbers each, and takes them up again. */
void fit_features_save(float *out, const fit_work *work, size_t count, size_t parents);
void fit_features_load(fit_work *work, const float *units, size_t count, size_t parents);
/* Their values on these rows into work->joint. */
void fit_features_fill(fit_work *work, const fit_design *d, const fit_rows *rows, size_t count);

/* ---- location-scale models (fit_scale.c) ---- */

/* residual = y - D b; returns its mean square */
double fit_residuals(fit_work *work, const fit_design *d, const fit_rows *rows, const float *y,
                     const double *b);
/* sigma^2 = exp(D h), log sigma^2 clipped around `centre`: weight = 1/sigma; returns
 * sum log sigma */
double fit_spread(fit_work *work, const fit_design *d, const fit_rows *rows, const double *h,
                  double centre);
/* Mean modelled in the design `mean`, spread in D, from the residuals of least squares with
 * work->gram = D'D; -HUGE_VAL if the spread clearly does not depend on the parents. */
double fit_modelled(fit_work *work, const fit_design *mean, const fit_design *d,
                    const fit_rows *rows, const float *y, double variance, double *b, double *h);
/* Constant mean, log-linear variance, from centred residuals with work->gram = D'D. */
double fit_log_link(fit_work *work, const fit_design *d, const fit_rows *rows, double variance,
                    double *h);

/* ---- sd link (fit_sd.c) ---- */

typedef struct fit_sd_request {
    const fit_request *request;
    fit_set set;
    double variance;
    double rival; /* log-likelihood per row of another model with normal noise */
} fit_sd_request;

/* For centred residuals: the log-likelihood, or -HUGE_VAL if a look at few rows shows that the
 * rival is far better; g in both cases. */
double fit_sd_link(fit_work *work, const fit_design *d, const fit_rows *rows,
                   const fit_sd_request *how, double *g);
/* sigma = sqrt((D g)^2 + floor): weight = 1/sigma, work->fitted = D g; returns sum log sigma */
double fit_sd_spread(fit_work *work, const fit_design *d, const fit_rows *rows, const double *g,
                     double variance);

/* If the best model of a set has a refined mean: its residuals and weights 1/sigma into work. */
bool fit_refined_again(fit_work *work, const family *f, const fit_result *result,
                       const float *coefficients, fit_set set);

/* ---- effects with few values (fit_discrete.c) ---- */

/* The best penalized log-likelihood of a set, its coefficients b and h; groups as in
 * fit_discrete.c: 1, or 2 for an offset of the second set. */
double fit_discrete_set(fit_work *work, const fit_design *d, size_t node, fit_set set,
                        size_t groups, fit_model *model, double *b, double *h);
/* Like fit_node, for a node with basis.levels. */
void fit_discrete(fit_result *result, float *coefficients, fit_work *work, const family *f);
/* For a scan: residuals and variances of z and of z^2 given the parents, into scratch and weight,
 * apart and fitted; model and coefficients of the set with these rows. */
void fit_discrete_terms(fit_work *work, const fit_design *d, const fit_rows *rows, size_t node,
                        fit_model model, const float *coefficients);

/* ---- shape of the noise (fit_shape.c) ---- */

/* What a model of the shape of the standardized residuals e gains after its penalty, at least 0;
 * gram = D'D. e is overwritten; effort as in fit_request. */
double fit_shape(fit_work *work, const fit_design *d, const fit_rows *rows, const double *gram,
                 float *e, int effort);
/* Log-likelihood of m rows (a multiple of 8) with eta_j = D'theta_j, whose place its gradient
 * takes; orders 4 or FIT_ORDERS; a row counts `one` times. */
double fit_shape_terms(float eta[FIT_ORDERS][KERNEL_BLOCK], const float *u, const float *one,
                       size_t m, int orders);

#endif
