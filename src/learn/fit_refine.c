/* fit_refine.c - means that bend more, or in which parents interact.
 *
 * The design D of a family gets further columns: ramps between closer knots for each parent, and
 * smooth functions of all of them jointly, tanh(w'z + c) with random w and c
 * (random features: Rahimi, Recht, NIPS 2007), the same for every family of as many parents. The mean
 * is linear in all of them; spread and shape stay with D. A least-squares fit on few rows tells
 * whether it is worth while, which it is not where the functions are sums of simple ones.
 * Cost: O(K^2 n) for the Gram matrices, K <= FIT_MAX_COLUMNS; one pass gives all contrasts.
 */
#include "learn/fit_parts.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

enum { SAMPLE = 1024 };

/* The same directions for everybody: drawn once for each worker. */
void fit_features_draw(float (*features)[FAMILY_MAX_PARENTS + 1])
{
    static const double scales[] = {0.6, 1.2, 2.4};
    rng r = rng_stream(0, RNG_SEARCH, 2, 0, 0);
    for (size_t f = 0; f < FIT_FEATURES; f++) {
        for (size_t p = 0; p < FAMILY_MAX_PARENTS; p++) {
            features[f][p] = (float)(scales[f % 3] * rng_normal(&r));
        }
        features[f][FAMILY_MAX_PARENTS] = (float)rng_normal(&r);
    }
}

/* Adds the further columns to e, which starts as D without its constant; values of the joint ones
 * are computed for these rows. */
static void feature_values(fit_work *work, const fit_design *d, const fit_rows *rows, size_t count)
{
    const float *z[FAMILY_MAX_PARENTS + 1];
    for (size_t p = 0; p < d->parents; p++) z[p] = d->columns[d->first[p]];
    z[d->parents] = d->one;
    for (size_t f = 0; f < count; f++) {
        float c[FAMILY_MAX_PARENTS + 1], *out = work->joint + f * work->b->stride;
        memcpy(c, work->features[f], d->parents * sizeof *c);
        c[d->parents] = work->features[f][FAMILY_MAX_PARENTS];
        FIT_EACH_BLOCK(rows, o, m)
        {
            kernel_linear(out + o, z, c, d->parents + 1, o, m);
            kernel_tanh(out + o, out + o, m);
            for (size_t i = o; i < o + m; i++) out[i] *= d->one[i];
        }
    }
}

static size_t fit_refine_design(fit_work *work, fit_design *e, const fit_design *d, const family *f)
{
    const basis *b = work->b;
    size_t features = 0, room = FIT_MAX_COLUMNS - d->count;
    *e = *d;
    e->count--; /* the constant goes last */
    for (size_t p = 0; p < f->count; p++) {
        size_t size = b->detail_size[f->parents[p]];
        if (size > room) break;
        for (size_t a = 0; a < size; a++, room--) {
            e->columns[e->count++] = basis_detail(b, f->parents[p], a);
        }
    }
    features = f->count <= 2 ? 48 : f->count == 3 ? 64 : FIT_FEATURES;
    if (features > room) features = room;
    for (size_t a = 0; a < features; a++) e->columns[e->count++] = work->joint + a * b->stride;
    e->columns[e->count++] = d->one;
    return features;
}

static void fill_linear(fit_work *work, fit_linear *l, const fit_rows *const parts)
{
    size_t k = l->d->count;
    for (int c = 0; c < 2; c++) {
        double trace = 0.0;
        memset(l->gram[c], 0, k * k * sizeof *l->gram[c]);
        fit_gram(l->gram[c], l->d, &parts[c], NULL);
        fit_project(l->products[c], l->d, &parts[c], l->y);
        for (size_t i = 0; i < k; i++) trace += l->gram[c][i * k + i];
        for (size_t i = 0; i + 1 < k; i++) l->gram[c][i * k + i] += 1e-6 * trace / (double)k;
    }
    (void)work;
}

/* Mean square of the least-squares residuals, from the Gram matrices alone */
static double mean_square(fit_work *work, const fit_linear *l, const double *squares, fit_set set,
                          double n)
{
    size_t k = l->d->count;
    double x[FIT_MAX_COLUMNS], sum = 0.0;
    for (size_t i = 0; i < k; i++) {
        x[i] = 0.0;
        for (int c = 0; c < 2; c++) {
            if (set != (c == 0 ? FIT_SECOND : FIT_FIRST)) x[i] += l->products[c][i];
        }
        for (size_t j = 0; j <= i; j++) {
            double a = 0.0;
            for (int c = 0; c < 2; c++) {
                if (set != (c == 0 ? FIT_SECOND : FIT_FIRST)) a += l->gram[c][i * k + j];
            }
            work->small[i * k + j] = a;
        }
    }
    double products[FIT_MAX_COLUMNS];
    memcpy(products, x, k * sizeof *x);
    fit_solve(work->small, x, k, work->factor);
    for (int c = 0; c < 2; c++) {
        if (set != (c == 0 ? FIT_SECOND : FIT_FIRST)) sum += squares[c];
    }
    for (size_t i = 0; i < k; i++) sum -= products[i] * x[i];
    return fmax(sum / n, 1e-12);
}

/* Could the further columns pay for themselves? Decided on a sample. */
static bool worth_refining(fit_work *work, fit_linear *refined, fit_linear *plain, size_t features)
{
    fit_rows parts[2];
    double squares[2] = {0.0, 0.0}, count[FIT_SETS] = {0.0}, price = 0.0, gain[2] = {0.0, 0.0};
    for (int c = 0; c < 2; c++) {
        fit_rows all = fit_rows_of(work->b, c == 0 ? FIT_FIRST : FIT_SECOND);
        parts[c] = fit_rows_first(&all, SAMPLE);
        feature_values(work, plain->d, &parts[c], features);
        FIT_EACH_BLOCK(&parts[c], o, m)
        {
            for (size_t i = o; i < o + m; i++) {
                squares[c] += (double)(refined->y[i] * refined->y[i]);
            }
        }
        count[c + 1] = (double)parts[c].count;
    }
    count[0] = count[1] + count[2];
    fill_linear(work, refined, parts);
    fill_linear(work, plain, parts);
    for (int s = 0; s < FIT_SETS; s++) {
        fit_rows all = fit_rows_of(work->b, (fit_set)s);
        double more = (double)(refined->d->count - plain->d->count);
        double ratio = mean_square(work, plain, squares, (fit_set)s, count[s]) /
                       mean_square(work, refined, squares, (fit_set)s, count[s]);
        /* less what noise alone explains */
        gain[s > 0] += (double)all.count * (0.5 * log(ratio) - 0.5 * more / count[s]);
        if (s == 0) price = 0.5 * more * log((double)all.count);
    }
    return fmax(gain[0], gain[1]) > price;
}

bool fit_refine(fit_work *work, fit_linear *refined, fit_linear *plain, const family *f)
{
    if (f->count == 0 || !work->b->detail) return false;
    size_t features = fit_refine_design(work, refined->design, plain->d, f);
    refined->further = refined->design->count - plain->d->count;
    if (refined->further == 0) return false;
    if (!worth_refining(work, refined, plain, features)) return false;
    fit_rows parts[2] = {fit_rows_of(work->b, FIT_FIRST), fit_rows_of(work->b, FIT_SECOND)};
    for (int c = 0; c < 2; c++) {
        if (features) feature_values(work, plain->d, &parts[c], features);
    }
    fill_linear(work, refined, parts);
    return true;
}
