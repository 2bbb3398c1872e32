/* validate.h - how good probabilities of directed edges are on graphs whose truth is known.
 *
 * Input are matrices [N, N] of P(i -> j) at temperature 1; the rest of a pair is P(no edge). Other
 * temperatures t follow from them, since soft-max(z / t) is p^(1/t), normalized. Scores are sums
 * over graphs in their order, in double.
 */
#ifndef SCONE_TRAIN_VALIDATE_H
#define SCONE_TRAIN_VALIDATE_H

#include "model/tokens/tokens.h"

typedef struct validation_scores {
    double loss;        /* mean - log p of the true class, candidate pairs, fitted temperature */
    double temperature; /* that makes this smallest */
    double calibration; /* expected calibration error of P(i -> j) on candidate pairs */
    double threshold;   /* of P(edge): as asked for, or the one with the smallest error */
    double error;       /* mean over graphs of SHD / true edges (at least 1) */
    double shd, f1;     /* means over graphs; F1 of directed edges */
    double shd_half, f1_half; /* the same at the threshold 0.5 */
} validation_scores;

/* probabilities [count][stride]: that of graph g starts at g * stride and has N^2 values. The
 * graphs are labelled. threshold: a multiple of 0.05 to judge at, or 0 for the best one. Cost: 20
 * decodings of every graph. */
scone_status validate(validation_scores *out, tokens *const *graphs, size_t count,
                      const double *probabilities, size_t stride, double threshold);

/* ---- the parts, for tests ---- */

/* P(i -> j), P(j -> i), P(none) of a pair at another temperature. */
void model_heat(double out[3], double forward, double backward, double temperature);

typedef struct marks_compared {
    double shd, hits, predicted, actual;
} marks_compared;

/* The graph of these probabilities against the truth [nodes, nodes] (TOKEN_FORWARD where i -> j):
 * pairs with P(edge) >= threshold get their likelier direction, the likeliest first; one that would
 * close a directed cycle is left out (decode/decode.h without knowledge and margin). */
scone_status validate_marks(marks_compared *out, const double *p, const uint8_t *truth,
                            size_t nodes, double threshold);
/* 2 hits / (predicted + actual); 1 if both are 0 */
double validate_f1(const marks_compared *m);

#endif
