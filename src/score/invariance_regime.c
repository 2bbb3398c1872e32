/* invariance_regime.c - the regime given Z: logistic regression on functions of Z.
 *
 * Newton's method, every step a weighted least squares fit: with p the present probability of
 * regime 1, root = sqrt(p (1 - p)) and B the functions times root, it moves logit p by
 * (B'B)^-1 B' (regime - p) / root. The first functions of Z come first; then those of the pool that
 * the residual depends on. Where Z tells the regimes apart the probability stays within
 * 1 / (1 + exp(+-MOST_LOGIT)), and such rows hardly count. O(n k^2) a step.
 */
#include "score/invariance_parts.h"

#include "base/vmath.h"
#include "linalg/blas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LOGIT 8.0
#define MOST_MOVE  4.0 /* of a row's logit in one step */

enum { FIRST_STEPS = 4, LAST_STEPS = 2 };
static size_t ROUNDS = 4, EACH = 4;

/* pull and, with `reweigh`, root from the logit, and the ratio of the new root to the old one. */
SIMD_CLONES static void fill_pull(double *restrict pull, double *restrict root,
                                  double *restrict ratio, const double *restrict logit,
                                  const double *restrict move, double damping, size_t n,
                                  double regime, bool reweigh)
{
    for (size_t i = 0; i < n; i++) {
        double x = logit[i] + damping * move[i] / root[i];
        x = x < -MOST_LOGIT ? -MOST_LOGIT : x > MOST_LOGIT ? MOST_LOGIT : x;
        double p = 1.0 / (1.0 + vmath_exp(-x)), fresh = reweigh ? sqrt(p * (1.0 - p)) : root[i];
        ratio[i] = fresh / root[i];
        root[i] = fresh;
        pull[i] = (regime - p) / fresh;
    }
}

SIMD_CLONES static void scale(double *restrict out, const double *restrict ratio, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] *= ratio[i];
}

/* move [n] = root times the step of the logit; returns the factor that keeps it in bounds. */
static double newton_move(const invariance *t, invariance_work *w, const double *pull, double *move)
{
    int n = blas_int(t->n), k = blas_int(w->size), s = INVARIANCE_MOST_BASIS;
    double most = 0.0;
    cblas_dgemv(CblasColMajor, CblasTrans, n, k, 1.0, w->basis, n, pull, 1, 0.0, w->coefficients,
                1);
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, k, w->factor, s,
                w->coefficients, 1);
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, k, w->factor, s,
                w->coefficients, 1);
    cblas_dgemv(CblasColMajor, CblasNoTrans, n, k, 1.0, w->basis, n, w->coefficients, 1, 0.0, move,
                1);
    for (size_t i = 0; i < t->n; i++) most = fmax(most, fabs(move[i] / w->root[i]));
    return most > MOST_MOVE ? MOST_MOVE / most : 1.0;
}

static void newton_step(const invariance *t, invariance_work *w)
{
    double *move = w->terms, *ratio = w->terms + t->n, damping = newton_move(t, w, w->pull, move);
    size_t n = t->n, start = t->rows[0], size = w->size;
    for (size_t i = 0; i < n; i++) {
        double x = w->logit[i] + damping * move[i] / w->root[i];
        w->logit[i] = fmin(fmax(x, -MOST_LOGIT), MOST_LOGIT);
        move[i] = 0.0;
    }
    fill_pull(w->pull, w->root, ratio, w->logit, move, 0.0, start, 0.0, true);
    fill_pull(w->pull + start, w->root + start, ratio + start, w->logit + start, move, 0.0,
              n - start, 1.0, true);
    for (size_t a = 0; a < size; a++) scale(w->basis + a * n, ratio, n);
    w->size = 0;
    invariance_append(t, w, size);
}

void invariance_pull(const invariance *t, invariance_work *w)
{
    double *move = w->terms, *ratio = w->terms + t->n;
    size_t start = t->rows[0];
    if (w->size == w->first) {
        memcpy(w->pull_v, w->pull, t->n * sizeof *w->pull);
        return;
    }
    double damping = newton_move(t, w, w->pull, move);
    fill_pull(w->pull_v, w->root, ratio, w->logit, move, damping, start, 0.0, false);
    fill_pull(w->pull_v + start, w->root + start, ratio, w->logit + start, move + start, damping,
              t->n - start, 1.0, false);
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
    if (!same) {
        for (size_t j = 0; j < count; j++) w->given[j] = given[j];
        w->given_count = count;
        if (getenv("CROUNDS")) ROUNDS = (size_t)atoi(getenv("CROUNDS"));
        if (getenv("CEACH")) EACH = (size_t)atoi(getenv("CEACH"));
        start_regime(t, w);
        w->size = 0;
        invariance_append(t, w, invariance_fill_first(t, w));
        for (int step = 0; step < FIRST_STEPS && count > 0; step++) newton_step(t, w);
        invariance_fill_pool(t, w);
        memset(w->chosen, 0, sizeof w->chosen);
        for (size_t round = 0; round < ROUNDS; round++) {
            if (invariance_select(t, w, w->pull, 1, EACH) == 0) break;
            newton_step(t, w);
        }
        for (int step = 0; step < LAST_STEPS && count > 0; step++) newton_step(t, w);
        invariance_fill_weights(t, w);
        memcpy(w->chosen_first, w->chosen, sizeof w->chosen);
        w->first = w->size;
    }
    memcpy(w->chosen, w->chosen_first, sizeof w->chosen);
    w->size = w->first;
}
