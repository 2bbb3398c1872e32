/* token_statistics.h - the numbers of pairs and nodes that go into tokens.
 *
 * Paper, appendix "Endpoint Encoding" and "Global Stream Construction". For a channel (a regime, or
 * all rows together) with correlations r_ij, deviations s_i and P the inverse of its covariance,
 * shrunk as Ledoit and Wolf do (D3):
 *
 *   pair   r_ij,  -Omega_ij,  tanh(b_ij),  tanh(b_ji)
 *          Omega_ij = P_ij / sqrt(P_ii P_jj)      b_ij = r_ij s_j / s_i: j regressed on i, each
 *          column in units of its deviation over both regimes (root mean square), so that neither
 *          the units of the tables nor variances that grow along the order of a simulation matter
 *   node   s_v, mean shift, log variance ratio, Kolmogorov-Smirnov distance and how far it
 *          exceeds what chance makes of so many rows (D11)
 *   grid   Omega of the average of both covariances (D5), diagonal 0
 *
 * A column without variance has 0 everywhere. Cost: n N^2 + N^3 per channel.
 */
#ifndef SCONE_MODEL_TOKENS_TOKEN_STATISTICS_H
#define SCONE_MODEL_TOKENS_TOKEN_STATISTICS_H

#include "sample/sensitivity.h"
#include "model/tokens/tokens.h"

/* pair_statistics of the pairs of t, each regime by itself. */
scone_status token_statistics_pairs(tokens *t, const scone_pair *pair, const moments *m,
                                    const scone_context *context);
/* The same numbers of the rows of both regimes together, in both channels (paper-nc). */
scone_status token_statistics_pooled(tokens *t, const scone_pair *pair,
                                     const scone_context *context);
/* node_statistics of all nodes. */
void token_statistics_nodes(tokens *t, const sensitivity *scores, const scone_pair *pair);
/* precision of the shrunk average covariance. */
scone_status token_statistics_precision(tokens *t, const moments *m);

#endif
