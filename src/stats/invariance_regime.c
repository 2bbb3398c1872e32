/* invariance_regime.c - the regime given Z: logistic regression on functions of Z.
 *
 * Newton's method, every step a weighted least squares fit: with p the present probability of
 * regime 1, root = sqrt(p (1 - p)) and B the functions times root, it moves logit p by
 * (B'B)^-1 B' (regime - p) / root. The first functions of Z come first, then the random ones. Where
 * Z tells the regimes apart the probability stays within 1 / (1 + exp(+-MOST_LOGIT)), and such rows
 * hardly count. O(n k^2) a step.
 */
#include "stats/invariance_parts.h"

#include "base/vmath.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

#define MOST_LOGIT 8.0
#define MOST_MOVE  4.0 /* of a row's logit in one step */

enum { FIRST_STEPS = 4, LAST_STEPS = 2 };

/* logit, limited, after a move that comes times root; pull from it. With `reweigh` also root, and
 * ratio, the new root over the old one, which takes the place of move. */
SIMD_CLONES static void update(double *restrict logit, double *restrict root, double *restrict pull,
                               double *restrict move, double damping, size_t n, double regime,
                               bool reweigh)
{
    for (size_t i = 0; i < n; i++) {
        double x = logit[i] + damping * move[i] / root[i];
        x = x < -MOST_LOGIT ? -MOST_LOGIT : x > MOST_LOGIT ? MOST_LOGIT : x;
        double p = 1.0 / (1.0 + vmath_exp(-x)), fresh = reweigh ? sqrt(p * (1.0 - p)) : root[i];
        logit[i] = x;
        move[i] = fresh / root[i];
        root[i] = fresh;
        pull[i] = (regime - p) / fresh;
    }
}

SIMD_CLONES static void scale(double *restrict out, const double *restrict ratio, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] *= ratio[i];
}

/* move [n] = root times the step of the logit; returns the factor that keeps it in bounds. */
static double newton_move(const invariance *t, invariance_work *w, double *move)
{
    int n = blas_int(t->n), k = blas_int(w->size), s = INVARIANCE_MOST_BASIS;
    double most = 0.0;
    cblas_dgemv(CblasColMajor, CblasTrans, n, k, 1.0, w->basis, n, w->pull, 1, 0.0, w->coefficients,
                1);
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, k, w->factor, s,
                w->coefficients, 1);
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, k, w->factor, s,
                w->coefficients, 1);
    cblas_dgemv(CblasColMajor, CblasNoTrans, n, k, 1.0, w->basis, n, w->coefficients, 1, 0.0, move,
                1);
    for (size_t i = 0; i < t->n; i++) {
        double step = fabs(move[i]) / w->root[i];
        most = step > most ? step : most;
    }
    return most > MOST_MOVE ? MOST_MOVE / most : 1.0;
}

static void newton_step(const invariance *t, invariance_work *w, bool reweigh)
{
    size_t n = t->n, start = t->rows[0], size = w->size;
    double *move = w->terms, damping = newton_move(t, w, move);
    update(w->logit, w->root, w->pull, move, damping, start, 0.0, reweigh);
    update(w->logit + start, w->root + start, w->pull + start, move + start, damping, n - start,
           1.0, reweigh);
    if (!reweigh) return;
    for (size_t a = 0; a < size; a++) scale(w->basis + a * n, move, n);
    w->size = 0;
    invariance_append(t, w, size);
}

/* All rows alike, as if Z said nothing. */
static void start_regime(const invariance *t, invariance_work *w)
{
    double p = (double)t->rows[1] / (double)t->n, root = sqrt(p * (1.0 - p));
    for (size_t i = 0; i < t->n; i++) {
        w->logit[i] = log(p / (1.0 - p));
        w->root[i] = root;
        w->pull[i] = ((i >= t->rows[0] ? 1.0 : 0.0) - p) / root;
    }
}

void invariance_expand(const invariance *t, invariance_work *w, const size_t *given, size_t count)
{
    bool same = w->given_count == count;
    for (size_t j = 0; j < count && same; j++) same = w->given[j] == given[j];
    if (same) return;
    for (size_t j = 0; j < count; j++) w->given[j] = given[j];
    w->given_count = count;
    w->size = 0;
    start_regime(t, w);
    invariance_append(t, w, invariance_fill_first(t, w));
    for (int step = 0; step < FIRST_STEPS && count > 0; step++) newton_step(t, w, true);
    if (count > 1) {
        invariance_append(t, w, invariance_fill_units(t, w));
        for (int step = 1; step < LAST_STEPS; step++) newton_step(t, w, true);
    }
    if (count > 0) newton_step(t, w, false); /* the weights need not be the last */
    invariance_fill_weights(t, w);
    invariance_leverages(t, w);
    w->information = 0.0;
    for (size_t i = 0; i < t->n; i++) {
        double u = w->pull[i] * w->root[i];
        w->information += u * u;
    }
}
