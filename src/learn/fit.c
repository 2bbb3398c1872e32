/* fit.c - see fit.h. */
#include "learn/fit.h"

#include "learn/kernel.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { BINS = 64 };
int fit_lift = 1;
long fit_wins[3];

struct fit_work {
    const basis *b;
    float *r, *f, *w, *t; /* [stride] */
    double *gram, *chol, *small, *eig; /* [max columns squared] */
    double (*starts)[FIT_MAX_COLUMNS];
    double *fewgram;
    float *lift;
    double *liftgram, *liftx, *liftchol;
};

/* the rows of one fit, as blocks */
typedef struct rows {
    int parts;
    size_t begin[2], length[2]; /* padded */
    size_t count;               /* true rows */
    size_t padding;
} rows;

typedef struct design {
    const float *columns[FIT_MAX_COLUMNS];
    size_t index[FIT_MAX_COLUMNS]; /* into the basis */
    size_t count;
} design;

#define EACH_BLOCK(rows_, offset_, m_)                                                             \
    for (int part_ = 0; part_ < (rows_)->parts; part_++)                                           \
        for (size_t offset_ = (rows_)->begin[part_],                                               \
                    end_ = offset_ + (rows_)->length[part_],                                       \
                    m_ = end_ - offset_ < KERNEL_BLOCK ? end_ - offset_ : KERNEL_BLOCK;            \
             offset_ < end_; offset_ += m_,                                                        \
                    m_ = end_ - offset_ < KERNEL_BLOCK ? end_ - offset_ : KERNEL_BLOCK)

/* ---- small dense algebra ---- */

/* Solves A x = b in place by Cholesky with a growing ridge; a is k x k row-major, lower used. */
static void solve(double *a, double *x, size_t k, double *chol)
{
    double trace = 0.0;
    for (size_t i = 0; i < k; i++) trace += a[i * k + i];
    double ridge = 1e-9 * trace / (double)k + 1e-300;
    for (int attempt = 0; attempt < 12; attempt++, ridge *= 100.0) {
        memcpy(chol, a, k * k * sizeof *a);
        bool ok = true;
        for (size_t j = 0; j < k && ok; j++) {
            double *cj = chol + j * k;
            double d = cj[j] + ridge;
            for (size_t p = 0; p < j; p++) d -= cj[p] * cj[p];
            if (!(d > 0.25 * ridge) || !(d > 0)) {
                ok = false;
                break;
            }
            d = sqrt(d);
            cj[j] = d;
            for (size_t i = j + 1; i < k; i++) {
                double *ci = chol + i * k;
                double s = ci[j];
                for (size_t p = 0; p < j; p++) s -= ci[p] * cj[p];
                ci[j] = s / d;
            }
        }
        if (!ok) continue;
        for (size_t i = 0; i < k; i++) {
            double s = x[i];
            for (size_t p = 0; p < i; p++) s -= chol[i * k + p] * x[p];
            x[i] = s / chol[i * k + i];
        }
        for (size_t i = k; i-- > 0;) {
            double s = x[i];
            for (size_t p = i + 1; p < k; p++) s -= chol[p * k + i] * x[p];
            x[i] = s / chol[i * k + i];
        }
        return;
    }
    memset(x, 0, k * sizeof *x);
}

static double gram_entry(const fit_work *work, const rows *range, size_t i, size_t j)
{
    const basis *b = work->b;
    double sum = 0.0;
    for (int part = 0; part < range->parts; part++) {
        int regime = range->begin[part] >= b->start[1] && b->rows[1] ? 1 : 0;
        sum += b->gram[regime][i * b->columns + j];
    }
    return sum;
}

/* Design Gram of the rows: from the stored matrices, or by summing when fewer rows are looked at. */
static void design_gram(fit_work *work, const design *d, const rows *range, bool all)
{
    size_t k = d->count;
    if (all) {
        for (size_t i = 0; i < k; i++) {
            for (size_t j = 0; j <= i; j++) {
                work->gram[i * k + j] = gram_entry(work, range, d->index[i], d->index[j]);
            }
        }
        return;
    }
    memset(work->gram, 0, k * k * sizeof *work->gram);
    const float *one = basis_column(work->b, work->b->columns - 1);
    EACH_BLOCK(range, o, m) kernel_gram(work->gram, d->columns, one + o, k, o, m);
}

static void project(double *out, const design *d, const rows *range, const float *v)
{
    memset(out, 0, d->count * sizeof *out);
    EACH_BLOCK(range, o, m) kernel_project(out, d->columns, v + o, d->count, o, m);
}

static void apply(float *out, const design *d, const rows *range, const double *coefficients)
{
    float c[FIT_MAX_COLUMNS];
    for (size_t a = 0; a < d->count; a++) c[a] = (float)coefficients[a];
    EACH_BLOCK(range, o, m) kernel_linear(out + o, d->columns, c, d->count, o, m);
}

/* ---- entropy ---- */

/* n H of the values e (in place of padding e = 0): histogram after a logistic transform of matching
 * scale, Miller-Madow correction. */
static double entropy(const float *e, const rows *range)
{
    double square = 0.0, n = (double)range->count;
    EACH_BLOCK(range, o, m)
    {
        float s = 0.0f;
#pragma omp simd reduction(+ : s)
        for (size_t i = 0; i < m; i++) s += e[o + i] * e[o + i];
        square += (double)s;
    }
    double sd = sqrt(square / n);
    if (!(sd > 1e-12)) sd = 1e-12;
    float scale = (float)(1.8137993642 / sd);
    unsigned bins[BINS] = {0};
    double base = 0.0;
    EACH_BLOCK(range, o, m) base += kernel_histogram(bins, BINS, e + o, scale, m);
    bins[BINS / 2] -= (unsigned)range->padding;
    base -= (double)range->padding * log((double)scale / 4.0);
    double h = 0.0;
    int filled = 0;
    for (int i = 0; i < BINS; i++) {
        if (!bins[i]) continue;
        double p = bins[i] / n;
        h -= p * log(p * BINS);
        filled++;
    }
    h += (filled - 1) / (2.0 * n);
    return n * h - base;
}

/* ---- models: each returns the log-likelihood and leaves no state but scratch ---- */

static double constant_model(fit_work *work, const design *d, const rows *range, const float *y,
                             const double *beta, double *variance)
{
    apply(work->r, d, range, beta);
    double square = 0.0;
    EACH_BLOCK(range, o, m)
    {
        float s = 0.0f;
#pragma omp simd reduction(+ : s)
        for (size_t i = 0; i < m; i++) {
            float r = y[o + i] - work->r[o + i];
            work->r[o + i] = r;
            s += r * r;
        }
        square += (double)s;
    }
    *variance = square / (double)range->count;
    return -entropy(work->r, range);
}

/* sigma from log-variance h (clipped), in f: fills w = 1/sigma, returns sum of log sigma */
static double spread_from_log(fit_work *work, const rows *range, double centre)
{
    double sum = 0.0;
    const float *one = basis_column(work->b, work->b->columns - 1);
    float low = (float)(centre - 10.0), high = (float)(centre + 10.0);
    EACH_BLOCK(range, o, m)
    {
        float s = 0.0f, *f = work->f + o, *t = work->t + o;
#pragma omp simd reduction(+ : s)
        for (size_t i = 0; i < m; i++) {
            float h = f[i] < low ? low : f[i] > high ? high : f[i];
            f[i] = h;
            s += h * one[o + i];
            t[i] = -0.5f * h;
        }
        sum += 0.5 * (double)s;
        kernel_exp(work->w + o, t, m);
    }
    return sum;
}

/* One Fisher step for log sigma^2 = D h given residuals r: h += (D'D)^-1 D'(r^2/sigma^2 - 1) */
static void log_step(fit_work *work, const design *d, const rows *range, double *h, double centre)
{
    double g[FIT_MAX_COLUMNS];
    const float *one = basis_column(work->b, work->b->columns - 1);
    apply(work->f, d, range, h);
    (void)spread_from_log(work, range, centre);
    EACH_BLOCK(range, o, m)
    {
        for (size_t i = 0; i < m; i++) {
            float e = work->r[o + i] * work->w[o + i];
            float q = e * e;
            if (q > 25.0f) q = 25.0f;
            work->t[o + i] = (q - 1.0f) * one[o + i];
        }
    }
    project(g, d, range, work->t);
    solve(work->gram, g, d->count, work->chol);
    for (size_t a = 0; a < d->count; a++) h[a] += g[a];
}

/* Start of the log-variance: regression of log(r^2 + floor) on D. */
static void log_start(fit_work *work, const design *d, const rows *range, double *h, double floor)
{
    const float *one = basis_column(work->b, work->b->columns - 1);
    EACH_BLOCK(range, o, m)
    {
        for (size_t i = 0; i < m; i++) {
            work->t[o + i] = work->r[o + i] * work->r[o + i] + (float)floor;
        }
        kernel_log(work->f + o, work->t + o, m);
        for (size_t i = 0; i < m; i++) work->f[o + i] = (work->f[o + i] + 1.27f) * one[o + i];
    }
    project(h, d, range, work->f);
    solve(work->gram, h, d->count, work->chol);
}

static double finish(fit_work *work, const rows *range, double log_sigma)
{
    EACH_BLOCK(range, o, m)
    {
        for (size_t i = 0; i < m; i++) work->t[o + i] = work->r[o + i] * work->w[o + i];
    }
    return -log_sigma - entropy(work->t, range);
}

/* Modelled spread with modelled mean; expects r of the constant model. */
static double modelled_model(fit_work *work, const design *d, const rows *range, const float *y,
                             double variance)
{
    size_t k = d->count;
    double h[FIT_MAX_COLUMNS], beta[FIT_MAX_COLUMNS];
    double centre = log(variance + 1e-30);
    log_start(work, d, range, h, 1e-4 * variance);
    for (int round = 0; round < 2; round++) {
        apply(work->f, d, range, h);
        (void)spread_from_log(work, range, centre);
        memset(work->small, 0, k * k * sizeof *work->small);
        memset(beta, 0, sizeof beta);
        EACH_BLOCK(range, o, m)
        {
            for (size_t i = 0; i < m; i++) {
                float w = work->w[o + i] * work->w[o + i];
                work->w[o + i] = w;
                work->t[o + i] = w * y[o + i];
            }
            kernel_gram(work->small, d->columns, work->w + o, k, o, m);
            kernel_project(beta, d->columns, work->t + o, k, o, m);
        }
        solve(work->small, beta, k, work->chol);
        apply(work->r, d, range, beta);
        EACH_BLOCK(range, o, m)
        {
            for (size_t i = 0; i < m; i++) work->r[o + i] = y[o + i] - work->r[o + i];
        }
        log_step(work, d, range, h, centre);
    }
    apply(work->f, d, range, h);
    double log_sigma = spread_from_log(work, range, centre);
    return finish(work, range, log_sigma);
}

/* r = y - mean over the rows; returns the variance */
static double centre_only(fit_work *work, const rows *range, const float *y)
{
    const float *one = basis_column(work->b, work->b->columns - 1);
    double sum = 0.0, square = 0.0;
    EACH_BLOCK(range, o, m)
    {
        float s = 0.0f;
#pragma omp simd reduction(+ : s)
        for (size_t i = 0; i < m; i++) s += y[o + i] * one[o + i];
        sum += (double)s;
    }
    float mean = (float)(sum / (double)range->count);
    EACH_BLOCK(range, o, m)
    {
        float s = 0.0f;
#pragma omp simd reduction(+ : s)
        for (size_t i = 0; i < m; i++) {
            float r = (y[o + i] - mean) * one[o + i];
            work->r[o + i] = r;
            s += r * r;
        }
        square += (double)s;
    }
    return square / (double)range->count;
}

static double log_model(fit_work *work, const design *d, const rows *range, double variance)
{
    double h[FIT_MAX_COLUMNS], centre = log(variance + 1e-30);
    log_start(work, d, range, h, 1e-4 * variance);
    log_step(work, d, range, h, centre);
    log_step(work, d, range, h, centre);
    apply(work->f, d, range, h);
    double log_sigma = spread_from_log(work, range, centre);
    return finish(work, range, log_sigma);
}

/* ---- sd link ---- */

/* One pass at g: objective 1/2 sum log s + r^2/s, s = f^2 + delta; optionally gradient and
 * information. */
static double sd_pass(fit_work *work, const design *d, const rows *range, const double *g,
                      double delta, double *gradient, double *information)
{
    float c[FIT_MAX_COLUMNS];
    size_t k = d->count;
    double objective = 0.0;
    const float *one = basis_column(work->b, work->b->columns - 1);
    for (size_t a = 0; a < k; a++) c[a] = (float)g[a];
    if (gradient) {
        memset(gradient, 0, k * sizeof *gradient);
        memset(information, 0, k * k * sizeof *information);
    }
    float dl = (float)delta;
    EACH_BLOCK(range, o, m)
    {
        float s[KERNEL_BLOCK], q[KERNEL_BLOCK], v[KERNEL_BLOCK], w[KERNEL_BLOCK], sum = 0.0f;
        const float *r = work->r + o;
        kernel_linear(work->f + o, d->columns, c, k, o, m);
        const float *f = work->f + o;
        for (size_t i = 0; i < m; i++) s[i] = f[i] * f[i] + dl;
        kernel_log(q, s, m);
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < m; i++) {
            float inverse = 1.0f / s[i], ratio = r[i] * r[i] * inverse;
            sum += (q[i] + ratio) * one[o + i];
            v[i] = f[i] * inverse * (1.0f - ratio) * one[o + i];
            w[i] = 2.0f * f[i] * f[i] * inverse * inverse;
        }
        objective += 0.5 * (double)sum;
        if (gradient) {
            kernel_project(gradient, d->columns, v, k, o, m);
            kernel_gram(information, d->columns, w, k, o, m);
        }
    }
    return objective;
}

/* Rounds of weighted least squares: target 1.2533 |r| sign(f), weight 1/max(f^2, floor). */
static void sd_rounds(fit_work *work, const design *d, const rows *range, double *g, double variance)
{
    size_t k = d->count;
    float floor = (float)(0.0036 * variance);
    for (int round = 0; round < 4; round++) {
        float c[FIT_MAX_COLUMNS];
        double x[FIT_MAX_COLUMNS] = {0};
        for (size_t a = 0; a < k; a++) c[a] = (float)g[a];
        memset(work->small, 0, k * k * sizeof *work->small);
        EACH_BLOCK(range, o, m)
        {
            float f[KERNEL_BLOCK], w[KERNEL_BLOCK], v[KERNEL_BLOCK];
            kernel_linear(f, d->columns, c, k, o, m);
            for (size_t i = 0; i < m; i++) {
                float q = f[i] * f[i];
                w[i] = 1.0f / (q > floor ? q : floor);
                float r = work->r[o + i];
                r = r < 0.0f ? -r : r;
                v[i] = w[i] * 1.2533f * (f[i] < 0.0f ? -r : r);
            }
            kernel_gram(work->small, d->columns, w, k, o, m);
            kernel_project(x, d->columns, v, k, o, m);
        }
        solve(work->small, x, k, work->chol);
        memcpy(g, x, k * sizeof *g);
    }
}

/* Fisher scoring to convergence; returns the objective. */
static double sd_converge(fit_work *work, const design *d, const rows *range, double *g,
                          double delta, int steps)
{
    size_t k = d->count;
    double gradient[FIT_MAX_COLUMNS], trial[FIT_MAX_COLUMNS];
    double objective = sd_pass(work, d, range, g, delta, gradient, work->small);
    for (int step = 0; step < steps; step++) {
        double trace = 0.0;
        for (size_t a = 0; a < k; a++) trace += work->small[a * k + a];
        for (size_t a = 0; a < k; a++) work->small[a * k + a] += 1e-4 * trace / (double)k;
        solve(work->small, gradient, k, work->chol);
        double scale = 1.0, next = 0.0;
        bool better = false;
        for (int half = 0; half < 5; half++, scale *= 0.4) {
            for (size_t a = 0; a < k; a++) trial[a] = g[a] - scale * gradient[a];
            double direction[FIT_MAX_COLUMNS];
            next = sd_pass(work, d, range, trial, delta, half == 0 ? direction : NULL, work->small);
            if (next < objective) {
                if (half == 0) {
                    memcpy(gradient, direction, sizeof gradient);
                } else {
                    (void)sd_pass(work, d, range, trial, delta, gradient, work->small);
                }
                better = true;
                break;
            }
        }
        if (!better) break;
        double gain = objective - next;
        memcpy(g, trial, k * sizeof *g);
        objective = next;
        if (gain < 0.2) break;
    }
    return objective;
}

/* Top eigenvector of sum min(r^2/v, 9) D D' in the metric D'D, scaled by sqrt(n v). */
static void sd_eigen_start(fit_work *work, const design *d, const rows *range, double *g,
                           double variance)
{
    size_t k = d->count;
    memset(work->small, 0, k * k * sizeof *work->small);
    float inverse = (float)(1.0 / (variance + 1e-30));
    EACH_BLOCK(range, o, m)
    {
        float w[KERNEL_BLOCK];
        for (size_t i = 0; i < m; i++) {
            float q = work->r[o + i] * work->r[o + i] * inverse;
            w[i] = q > 9.0f ? 9.0f : q;
        }
        kernel_gram(work->small, d->columns, w, k, o, m);
    }
    /* lower triangles, row-major = upper, column-major */
    memcpy(work->chol, work->gram, k * k * sizeof *work->chol);
    double trace = 0.0;
    for (size_t a = 0; a < k; a++) trace += work->chol[a * k + a];
    for (size_t a = 0; a < k; a++) work->chol[a * k + a] += 1e-6 * trace / (double)k;
    lapack_int found = 0, fail[FIT_MAX_COLUMNS];
    double values[FIT_MAX_COLUMNS];
    lapack_int info = LAPACKE_dsygvx(LAPACK_COL_MAJOR, 1, 'V', 'I', 'U', (lapack_int)k, work->small,
                                     (lapack_int)k, work->chol, (lapack_int)k, 0, 0, (lapack_int)k,
                                     (lapack_int)k, 0.0, &found, values, work->eig, (lapack_int)k,
                                     fail);
    if (info != 0 || found < 1) {
        memset(g, 0, k * sizeof *g);
        g[0] = sqrt(variance);
        return;
    }
    double scale = sqrt((double)range->count * variance);
    for (size_t a = 0; a < k; a++) g[a] = work->eig[a] * scale;
}

static rows first_rows(const rows *range, size_t limit)
{
    rows few = *range;
    few.count = few.padding = 0;
    for (int p = 0; p < few.parts; p++) {
        if (few.length[p] > limit) few.length[p] = limit;
    }
    return few;
}

enum { LIFT_PER_PARENT = 3, LIFT_MAX = 1 + LIFT_PER_PARENT * 6 };

/* Lifted start: E r^2 = f^2 = g' (d d') g is linear in the matrix g g'. Least squares of r^2 on all
 * products of a reduced basis estimates that matrix consistently; its top eigenvector is g. */
static bool sd_lifted_start(fit_work *work, const design *d, const rows *range, double *g,
                            double variance)
{
    static const size_t pick[LIFT_PER_PARENT] = {0, 1, 3};
    const float *columns[LIFT_MAX];
    size_t where[LIFT_MAX], c = 0, k = d->count, parents = (k - 1) / BASIS_SIZE;
    if (1 + parents * LIFT_PER_PARENT > LIFT_MAX) return false;
    for (size_t p = 0; p < parents; p++) {
        for (size_t a = 0; a < LIFT_PER_PARENT; a++) {
            where[c] = p * BASIS_SIZE + pick[a];
            columns[c] = d->columns[where[c]];
            c++;
        }
    }
    where[c] = k - 1;
    columns[c++] = d->columns[k - 1];
    size_t q = c * (c + 1) / 2;
    float *features = work->lift;
    const float *fp[LIFT_MAX * (LIFT_MAX + 1) / 2];
    for (size_t j = 0; j < q; j++) fp[j] = features + j * KERNEL_BLOCK;
    double *gram = work->liftgram, *x = work->liftx;
    memset(gram, 0, q * q * sizeof *gram);
    memset(x, 0, q * sizeof *x);
    const float *one = basis_column(work->b, work->b->columns - 1);
    float cap = (float)(9.0 * variance);
    EACH_BLOCK(range, o, m)
    {
        float t[KERNEL_BLOCK];
        size_t j = 0;
        for (size_t a = 0; a < c; a++) {
            for (size_t b = 0; b <= a; b++, j++) {
                float *f = features + j * KERNEL_BLOCK;
                const float *u = columns[a] + o, *v = columns[b] + o;
                for (size_t i = 0; i < m; i++) f[i] = u[i] * v[i];
            }
        }
        for (size_t i = 0; i < m; i++) {
            float r = work->r[o + i] * work->r[o + i];
            t[i] = r > cap ? cap : r;
        }
        kernel_gram(gram, fp, one + o, q, 0, m);
        kernel_project(x, fp, t, q, 0, m);
    }
    double trace = 0.0;
    for (size_t j = 0; j < q; j++) trace += gram[j * q + j];
    for (size_t j = 0; j < q; j++) gram[j * q + j] += 1e-5 * trace / (double)q;
    solve(gram, x, q, work->liftchol);
    double matrix[LIFT_MAX * LIFT_MAX], values[LIFT_MAX];
    size_t j = 0;
    for (size_t a = 0; a < c; a++) {
        for (size_t b = 0; b <= a; b++, j++) {
            matrix[a * c + b] = matrix[b * c + a] = a == b ? x[j] : 0.5 * x[j];
        }
    }
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)c, matrix, (lapack_int)c, values)) {
        return false;
    }
    memset(g, 0, k * sizeof *g);
    double scale = sqrt(fmax(values[c - 1], 1e-12 * variance));
    for (size_t a = 0; a < c; a++) g[where[a]] = scale * matrix[(c - 1) * c + a];
    return true;
}

enum { SIGN_PLACES = 5, SD_STARTS = 3 + 15 * FIT_MAX_PARENTS, SD_KEPT = 4 };

/* Least squares of 1.2533 |r| sign(z_p - t) on the design: f changes its sign along parent p. */
static void sd_sign_start(fit_work *work, const design *d, const rows *few, double *g,
                          const float *z, float t, float second)
{
    EACH_BLOCK(few, o, m)
    {
        for (size_t i = 0; i < m; i++) {
            float r = work->r[o + i];
            r = 1.2533f * (r < 0.0f ? -r : r);
            bool flip = (z[o + i] < t) != (z[o + i] > second);
            work->t[o + i] = flip ? -r : r;
        }
    }
    project(g, d, few, work->t);
}

static double sd_model(fit_work *work, const design *d, const rows *range, double variance,
                       int steps)
{
    static double none[1];
    (void)none;
    double (*start)[FIT_MAX_COLUMNS] = work->starts;
    double objective[SD_STARTS], delta = 0.0025 * variance;
    size_t k = d->count, parents = (k - 1) / BASIS_SIZE;
    int starts = 0;
    rows few = first_rows(range, (range->parts == 2 ? 1024 : 2048));
    rows more = first_rows(range, (range->parts == 2 ? 2048 : 4096));
    /* Gram matrix of the few rows, for the least-squares starts */
    memset(work->fewgram, 0, k * k * sizeof *work->fewgram);
    const float *one = basis_column(work->b, work->b->columns - 1);
    EACH_BLOCK(&few, o, m) kernel_gram(work->fewgram, d->columns, one + o, k, o, m);
    sd_sign_start(work, d, &few, start[starts], one, -1.0f, 1e30f);
    solve(work->fewgram, start[starts++], k, work->chol);
    sd_eigen_start(work, d, range, start[starts++], variance);
    if (fit_lift & 1 && sd_lifted_start(work, d, &more, start[starts], variance)) starts++;
    if (fit_lift & 2) {
        static const float places[SIGN_PLACES] = {-1.0f, -0.5f, 0.0f, 0.5f, 1.0f};
        for (size_t p = 0; p < parents; p++) {
            for (int t = 0; t < SIGN_PLACES; t++) {
                for (int u = t + 1; u <= SIGN_PLACES; u++) {
                    if (u < SIGN_PLACES && !(fit_lift & 4)) continue;
                    sd_sign_start(work, d, &few, start[starts], d->columns[p * BASIS_SIZE],
                                  places[t], u < SIGN_PLACES ? places[u] : 1e30f);
                    solve(work->fewgram, start[starts++], k, work->chol);
                }
            }
        }
    }
    for (int s = 0; s < starts; s++) {
        sd_rounds(work, d, &few, start[s], variance);
        objective[s] = sd_pass(work, d, &few, start[s], delta, NULL, NULL);
    }
    int best = -1;
    double lowest = 1e300;
    for (int kept = 0; kept < SD_KEPT && kept < starts; kept++) {
        int pick = 0;
        for (int s = 1; s < starts; s++) {
            if (objective[s] < objective[pick]) pick = s;
        }
        objective[pick] = 1e300;
        double reached = sd_converge(work, d, &more, start[pick], delta, steps);
        if (reached < lowest) {
            lowest = reached;
            best = pick;
        }
    }
    double *g = start[best];
    fit_wins[best > 2 ? 2 : best]++;
    (void)sd_converge(work, d, range, g, delta, 6);
    float floor = (float)(0.0009 * variance);
    double log_sigma = 0.0;
    apply(work->f, d, range, g);
    EACH_BLOCK(range, o, m)
    {
        float s = 0.0f, l[KERNEL_BLOCK], q[KERNEL_BLOCK];
        for (size_t i = 0; i < m; i++) {
            float f = work->f[o + i] * work->f[o + i];
            q[i] = f + floor;
        }
        kernel_log(l, q, m);
#pragma omp simd reduction(+ : s)
        for (size_t i = 0; i < m; i++) s += l[i] * one[o + i];
        for (size_t i = 0; i < m; i++) l[i] *= -0.5f;
        kernel_exp(work->w + o, l, m);
        log_sigma += 0.5 * (double)s;
    }
    return finish(work, range, log_sigma);
}

/* ---- one fit, and the contrast ---- */

static double fit_rows(fit_work *work, const design *d, const rows *range, size_t node, bool all,
                       const fit_options *options, fit_model *model)
{
    const float *y = basis_column(work->b, node * BASIS_SIZE);
    size_t k = d->count;
    double log_n = log((double)range->count) * options->penalty * 0.5, variance;
    double beta[FIT_MAX_COLUMNS];
    design_gram(work, d, range, all);
    if (all) {
        for (size_t a = 0; a < k; a++) {
            beta[a] = gram_entry(work, range, d->index[a], node * BASIS_SIZE);
        }
    } else {
        project(beta, d, range, y);
    }
    solve(work->gram, beta, k, work->chol);
    double best = constant_model(work, d, range, y, beta, &variance) - log_n * (double)(k + 1);
    *model = FIT_CONSTANT;
    if (k == 1) return best;
    if (options->models & 1u << FIT_MODELLED) {
        double score = modelled_model(work, d, range, y, variance) - log_n * (double)(2 * k);
        if (score > best) {
            best = score;
            *model = FIT_MODELLED;
        }
    }
    variance = centre_only(work, range, y);
    if (options->models & 1u << FIT_LOG) {
        double score = log_model(work, d, range, variance) - log_n * (double)(k + 1);
        if (score > best) {
            best = score;
            *model = FIT_LOG;
        }
    }
    if (options->models & 1u << FIT_SD) {
        double score =
            sd_model(work, d, range, variance, options->sd_steps) - log_n * (double)(k + 1);
        if (score > best) {
            best = score;
            *model = FIT_SD;
        }
    }
    return best;
}

void fit_node(fit_result *result, fit_work *work, size_t node, const size_t *parents, size_t count,
              const fit_options *options)
{
    const basis *b = work->b;
    design d;
    d.count = 0;
    for (size_t p = 0; p < count; p++) {
        for (size_t a = 0; a < BASIS_SIZE; a++) {
            d.index[d.count] = parents[p] * BASIS_SIZE + a;
            d.columns[d.count] = basis_column(b, d.index[d.count]);
            d.count++;
        }
    }
    d.index[d.count] = b->columns - 1;
    d.columns[d.count++] = basis_column(b, b->columns - 1);

    rows part[3] = {{.parts = 2}, {.parts = 1}, {.parts = 1}};
    bool all = true;
    for (int c = 0; c < 2; c++) {
        size_t length = b->padded[c], rows_here = b->rows[c];
        if (options->limit && options->limit < rows_here) {
            length = options->limit / KERNEL_LANES * KERNEL_LANES;
            rows_here = length;
            all = false;
        }
        part[0].begin[c] = part[1 + c].begin[0] = b->start[c];
        part[0].length[c] = part[1 + c].length[0] = length;
        part[0].count += rows_here;
        part[1 + c].count = rows_here;
        part[0].padding += length - rows_here;
        part[1 + c].padding = length - rows_here;
    }
    double value[3];
    for (int p = 0; p < 3; p++) {
        value[p] = fit_rows(work, &d, &part[p], node, all, options, &result->model[p]);
    }
    result->shared = value[0];
    result->separate = value[1] + value[2];
    result->score = fmax(result->shared, result->separate);
}

scone_status fit_work_alloc(fit_work **out, const basis *b)
{
    scone_status status = SCONE_OK;
    fit_work *work = NULL;
    *out = NULL;
    TRY_ZERO(work, 1);
    work->b = b;
    size_t square = (size_t)FIT_MAX_COLUMNS * FIT_MAX_COLUMNS;
    TRY_ZERO(work->r, b->stride);
    TRY_ZERO(work->f, b->stride);
    TRY_ZERO(work->w, b->stride);
    TRY_ZERO(work->t, b->stride);
    TRY_ALLOC(work->gram, square);
    TRY_ALLOC(work->chol, square);
    TRY_ALLOC(work->small, square);
    TRY_ALLOC(work->eig, square);
    TRY_ALLOC(work->fewgram, square);
    TRY_ALLOC(work->starts, 256);
    TRY_ZERO(work->lift, 190 * 512);
    TRY_ZERO(work->liftgram, 190 * 190);
    TRY_ZERO(work->liftchol, 190 * 190);
    TRY_ZERO(work->liftx, 190);
    *out = work;
    return SCONE_OK;
cleanup:
    fit_work_free(work);
    return status;
}

void fit_work_free(fit_work *work)
{
    if (!work) return;
    mem_free(work->r);
    mem_free(work->f);
    mem_free(work->w);
    mem_free(work->t);
    mem_free(work->gram);
    mem_free(work->chol);
    mem_free(work->small);
    mem_free(work->eig);
    mem_free(work->lift);
    mem_free(work->starts);
    mem_free(work->fewgram);
    mem_free(work->liftgram);
    mem_free(work->liftchol);
    mem_free(work->liftx);
    mem_free(work);
}
