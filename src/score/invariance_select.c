/* invariance_select.c - further functions of Z, chosen from a pool.
 *
 * The test is right if its functions of Z describe either v given Z or the regime given Z, and
 * nearly right if the product of what they miss is small. So functions are taken from the pool that
 * the residual of v, of its absolute value or of the regime still depends on, the strongest few of
 * each (the double selection of A. Belloni, V. Chernozhukov and C. Hansen, Review of Economic
 * Studies 81, 2014). O(pool rows x pool size).
 */
#include "score/invariance_parts.h"

#include "linalg/blas.h"

#include <math.h>
#include <stdlib.h>

/* The rows of the pool, to length 1. */
static void gather(const invariance *t, invariance_work *w, const double *sides, size_t count)
{
    size_t step = t->n / w->pool_rows, m = w->pool_rows;
    for (size_t k = 0; k < count; k++) {
        double *out = w->pool_sides + k * m, square = 0.0;
        for (size_t i = 0; i < m; i++) {
            out[i] = sides[k * t->n + i * step];
            square += out[i] * out[i];
        }
        double scale = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
        for (size_t i = 0; i < m; i++) out[i] *= scale;
    }
}

/* The best function that is not taken yet, or pool_count if none is better than chance. */
static size_t strongest(const invariance_work *w, const double *scores)
{
    double most = (getenv("LEAST") ? atof(getenv("LEAST")) : 2.0) / sqrt((double)w->pool_rows);
    size_t best = w->pool_count;
    for (size_t p = 0; p < w->pool_count; p++) {
        if (w->chosen[p] || !(fabs(scores[p]) > most)) continue;
        best = p;
        most = fabs(scores[p]);
    }
    return best;
}

size_t invariance_select(const invariance *t, invariance_work *w, const double *sides, size_t count,
                         size_t each)
{
    double scores[INVARIANCE_POOL * 2];
    size_t added = 0, limit = invariance_limit(t), pool = w->pool_count;
    if (pool == 0) return 0;
    gather(t, w, sides, count);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(pool), blas_int(count),
                blas_int(w->pool_rows), 1.0, w->pool, blas_int(w->pool_rows), w->pool_sides,
                blas_int(w->pool_rows), 0.0, scores, blas_int(pool));
    for (size_t k = 0; k < count; k++) {
        for (size_t e = 0; e < each && w->size + added < limit; e++) {
            size_t best = strongest(w, scores + k * pool);
            if (best == pool) break;
            w->chosen[best] = true;
            invariance_fill_unit(w->basis + (w->size + added++) * t->n, t, w, &w->units[best]);
        }
    }
    invariance_append(t, w, added);
    return added;
}
