/* loss.h - the terms of the training objective (paper, "Optimization Objective").
 *
 * Each function returns scale times a sum over its items and adds the gradient of exactly that to
 * dlogits (or dgates, dgamma), unless it is NULL; the caller chooses the scale, e.g. lambda divided
 * by the number of items of the whole batch. Logits are [rows, LOSS_CLASSES] in the order ->, <-,
 * none (D15), probabilities p = soft-max(logits / temperature). Sums are double, in the order of
 * the items.
 */
#ifndef SCONE_MODEL_NN_LOSS_H
#define SCONE_MODEL_NN_LOSS_H

#include "model/nn/real.h"

enum { LOSS_CLASSES = 3, LOSS_FORWARD = 0, LOSS_BACKWARD = 1, LOSS_NONE = 2 };
/* A row with this label is left out. */
enum { LOSS_NO_LABEL = 255 };

/* sum of weights[label] (- log p[label]); labels below LOSS_CLASSES, or LOSS_NO_LABEL */
double loss_cross_entropy(real *dlogits, const real *logits, const uint8_t *labels,
                          const double weights[LOSS_CLASSES], double temperature, size_t rows,
                          double scale);
/* sum of weights[label]: what a weighted mean divides by */
double loss_weight(const uint8_t *labels, const double weights[LOSS_CLASSES], size_t rows);

/* Soft structural Hamming distance: sum of (p[->] - [label is ->])^2 + (p[<-] - [label is <-])^2 */
double loss_shd(real *dlogits, const real *logits, const uint8_t *labels, double temperature,
                size_t rows, double scale);

/* An arrow that is there, and one that is not: places row * LOSS_CLASSES + class in the logits. */
typedef struct loss_pair {
    uint32_t positive, negative;
} loss_pair;

/* Pairwise hinge: sum of max(0, margin - p[positive] + p[negative]) */
double loss_rank(real *dlogits, const real *logits, const loss_pair *pairs, size_t count,
                 double margin, double temperature, double scale);

/* Gates that stay open: (sum over heads of (1 - mean gate of the head)^2) / heads;
 * gates[rows, heads]. With no rows it is 0. */
double loss_gates(real *dgates, const real *gates, size_t rows, size_t heads, double scale);

/* sum of - log(gamma) where the node changed, - log(1 - gamma) where not: gamma[rows] in (0, 1) of
 * node[rows], changed[nodes] 0, 1 or LOSS_NO_LABEL */
double loss_targets(real *dgamma, const real *gamma, const uint8_t *changed, const uint32_t *node,
                    size_t rows, double scale);

#endif
