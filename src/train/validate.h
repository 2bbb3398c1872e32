/* validate.h - how good probabilities of directed edges are on graphs whose truth is known.
 *
 * Input are matrices [N, N] of P(i -> j) at temperature 1; the rest of a pair is P(no edge). Other
 * temperatures t follow from them, since soft-max(z / t) is p^(1/t), normalized. Scores are sums
 * over graphs in their order, in double.
 */
#ifndef SCONE_TRAIN_VALIDATE_H
#define SCONE_TRAIN_VALIDATE_H

#include "graph/graph.h"
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

/* The true graph of labelled tokens. */
scone_status validate_truth(graph **out, const tokens *t);
/* The graph that decoding makes of the probabilities [nodes, nodes], without knowledge and margin,
 * against the truth. */
scone_status validate_marks(scone_scores *out, const double *p, const graph *truth,
                            double threshold);

#endif
