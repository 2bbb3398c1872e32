/* f_tail.h - the upper tail of the F distribution, as a logarithm.
 *
 *     P(F > f) = I_x(b / 2, a / 2),  x = b / (b + a f)
 *
 * with a and b degrees of freedom and I the regularized incomplete beta function, by the continued
 * fraction DLMF 8.17.22 (modified Lentz). Probabilities far below the smallest double keep their
 * digits. Relative error of P below 1e-9 for degrees of freedom up to 1e7.
 */
#ifndef SCONE_STATS_F_TAIL_H
#define SCONE_STATS_F_TAIL_H

/* log P(F > f) for f >= 0 and positive degrees of freedom; 0 for f = 0. */
double f_tail_log(double f, double a, double b);

#endif
