/* fit_parts.c - small algebra and the entropy of the location-scale fits (see fit_parts.h). */
#include "learn/fit/fit_parts.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

SIMD_INLINE double dot(const double *restrict a, const double *restrict b, size_t count)
{
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t p = 0; p < count; p++) sum += a[p] * b[p];
    return sum;
}

/* L L' = A + ridge I into factor; false if A + ridge I is not positive definite. */
SIMD_CLONES_FUSED static bool factorize(const double *a, size_t k, double ridge, double *factor)
{
    memcpy(factor, a, k * k * sizeof *a);
    for (size_t j = 0; j < k; j++) {
        double *cj = factor + j * k, d = cj[j] + ridge - dot(cj, cj, j);
        if (!(d > 0.25 * ridge)) return false;
        d = sqrt(d);
        cj[j] = d;
        for (size_t i = j + 1; i < k; i++) {
            double *ci = factor + i * k;
            ci[j] = (ci[j] - dot(ci, cj, j)) / d;
        }
    }
    return true;
}

void fit_design_make(fit_design *d, const basis *b, const family *f)
{
    d->count = 0;
    d->parents = f->count;
    for (size_t p = 0; p < f->count; p++) {
        d->first[p] = d->count;
        for (size_t a = 0; a < b->size[f->parents[p]]; a++, d->count++) {
            d->index[d->count] = f->parents[p] * BASIS_SIZE + a;
            d->columns[d->count] = basis_column(b, d->index[d->count]);
        }
    }
    d->first[f->count] = d->count;
    d->index[d->count] = b->columns - 1;
    d->columns[d->count++] = d->one = basis_column(b, b->columns - 1);
}

size_t fit_columns(const basis *b, const family *f)
{
    size_t count = 1;
    for (size_t p = 0; p < f->count; p++) count += b->size[f->parents[p]];
    return count;
}

static size_t fitted_count(const basis *b, const family *f)
{
    return fit_columns(b, f) * FIT_SETS * FIT_VECTORS + (size_t)FIT_UNITS * (f->count + 1);
}

size_t fit_coefficient_count(const basis *b, const family *f)
{
    return fitted_count(b, f) + (b->parts > 2 ? b->parts - 1 : 0);
}

const float *fit_margins(const basis *b, const family *f, const float *coefficients)
{
    return coefficients + fitted_count(b, f);
}

/* Does a set have the rows of this part? */
static bool looks_at(const fit_work *work, fit_set set, size_t part)
{
    if (work->side[part] == FIT_SIDE_FIRST) return set != FIT_SECOND;
    return work->side[part] == FIT_SIDE_SECOND && set != FIT_FIRST;
}

void fit_rows_divide(fit_work *work)
{
    const basis *b = work->b;
    for (int set = 0; set < FIT_SETS; set++) {
        fit_rows rows = {.begin = work->begin[set], .length = work->length[set], .limit = SIZE_MAX};
        for (size_t c = 0; c < b->parts; c++) {
            if (!looks_at(work, (fit_set)set, c)) continue;
            work->begin[set][rows.parts] = b->start[c];
            work->length[set][rows.parts++] = b->padded[c];
            rows.count += b->rows[c];
            rows.padding += b->padded[c] - b->rows[c];
        }
        work->rows[set] = rows;
    }
}

fit_rows fit_rows_of(const fit_work *work, fit_set set)
{
    return work->rows[set];
}

fit_rows fit_rows_first(const fit_rows *rows, size_t limit)
{
    fit_rows few = *rows;
    size_t sum = 0;
    if (limit < few.limit) few.limit = limit;
    for (int p = 0; p < few.parts; p++) sum += fit_rows_length(&few, p);
    if (sum < few.count) { /* the padding, if any, is hardly worth knowing in a sample */
        few.count = sum;
        few.padding = 0;
    }
    return few;
}

double fit_stored(const fit_work *work, fit_set set, size_t i, size_t j)
{
    const basis *b = work->b;
    double sum = 0.0;
    for (size_t c = 0; c < b->parts; c++) {
        if (looks_at(work, set, c)) sum += b->gram[c][i * b->columns + j];
    }
    return sum;
}

float fit_filled(const fit_work *work, fit_set set, size_t bin)
{
    float sum = 0.0f;
    for (size_t c = 0; c < work->b->parts; c++) {
        if (looks_at(work, set, c)) sum += work->b->filled[c][bin];
    }
    return sum;
}

void fit_solve(const double *a, double *x, size_t k, double *factor)
{
    double trace = 0.0;
    for (size_t i = 0; i < k; i++) trace += a[i * k + i];
    double ridge = 1e-9 * trace / (double)k + 1e-200;
    for (int attempt = 0; !factorize(a, k, ridge, factor); attempt++, ridge *= 100.0) {
        if (attempt == 12 || !isfinite(ridge)) { /* not a number somewhere: no fit */
            memset(x, 0, k * sizeof *x);
            return;
        }
    }
    fit_back(factor, x, k);
}

void fit_back(const double *factor, double *x, size_t k)
{
    for (size_t i = 0; i < k; i++) {
        double s = x[i];
        for (size_t p = 0; p < i; p++) s -= factor[i * k + p] * x[p];
        x[i] = s / factor[i * k + i];
    }
    for (size_t i = k; i-- > 0;) {
        double s = x[i];
        for (size_t p = i + 1; p < k; p++) s -= factor[p * k + i] * x[p];
        x[i] = s / factor[i * k + i];
    }
}

void fit_project(double *out, const fit_design *d, const fit_rows *rows, const float *v)
{
    memset(out, 0, d->count * sizeof *out);
    FIT_EACH_BLOCK(rows, o, m) kernel_project(out, d->columns, v + o, d->count, o, m);
}

void fit_apply(float *out, const fit_design *d, const fit_rows *rows, const double *coefficients)
{
    float c[FIT_MAX_COLUMNS];
    for (size_t a = 0; a < d->count; a++) c[a] = (float)coefficients[a];
    FIT_EACH_BLOCK(rows, o, m) kernel_linear(out + o, d->columns, c, d->count, o, m);
}

void fit_gram(double *gram, const fit_design *d, const fit_rows *rows, const float *w)
{
    if (!w) w = d->one;
    FIT_EACH_BLOCK(rows, o, m) kernel_gram(gram, d->columns, w + o, d->count, o, m);
}

/* An end of the bins, as a distance from the end of the unit interval. Tails that thin out, as
 * normal ones do, have no end: bins that stopped at the outermost value would pretend that there is
 * nothing beyond it, and fits of fewer rows, whose range is smaller, would gain by that. */
static float sharp_end(float end)
{
    float part = (end - 0.01f) / 0.02f;
    return end * (part < 0.0f ? 0.0f : part > 1.0f ? 1.0f : part);
}

/* Counts are floats until so many rows are done. */
enum { GRID_ROWS = 1 << 16 };

/* The density is modelled as a logistic density of the same variance times a histogram of the
 * values after that logistic's distribution function; so tails need no bins of their own. The bins
 * fill the range of the values, so that noise with sharp ends, like a uniform one, shows. Values
 * are shared between two bins: with whole counts, fits that differ by nothing of importance differ
 * by several nats as values cross the bins' edges. The plug-in entropy gets the correction of
 * Miller and Madow. */
void fit_grid_make(fit_grid *grid, const float *e, const fit_rows *rows)
{
    double square = 0.0, n = (double)rows->count;
    float range[2] = {0.0f, 0.0f};
    FIT_EACH_BLOCK(rows, o, m) square += kernel_range(range, e + o, m);
    double sd = sqrt(square / n);
    if (!(sd > 1e-12)) sd = 1e-12;
    *grid = (fit_grid){.scale = (float)(1.8137993642 / sd)}; /* pi / sqrt 3 */
    grid->low = sharp_end(1.0f / (1.0f + expf(-range[0] * grid->scale)));
    grid->high = 1.0f - sharp_end(1.0f / (1.0f + expf(range[1] * grid->scale)));
    for (int p = 0; p < rows->parts; p++) {
        size_t m, length = fit_rows_length(rows, p);
        for (size_t done = 0; done < length; done += m) {
            m = length - done < GRID_ROWS ? length - done : GRID_ROWS;
            grid->base += kernel_histogram(grid->bins, FIT_BINS, e + rows->begin[p] + done,
                                           grid->scale, grid->low, grid->high, m);
        }
    }
    if (rows->padding > 0) { /* zeros were counted where they are */
        float zeros[KERNEL_LANES] = {0};
        double bins[FIT_BINS] = {0}, share = (double)rows->padding / KERNEL_LANES;
        grid->base -= share * kernel_histogram(bins, FIT_BINS, zeros, grid->scale, grid->low,
                                               grid->high, KERNEL_LANES);
        for (int i = 0; i < FIT_BINS; i++) grid->bins[i] -= share * bins[i];
    }
}

/* A little of the logistic density is mixed in: values may lie where the grid has seen none. */
double fit_grid_density(const fit_grid *grid, double count, const float *e, size_t n, double scale)
{
    const float share = 0.02f, step = (float)(1.0 / scale) * grid->scale;
    float range = grid->high > grid->low ? grid->high - grid->low : 1.0f;
    float bins[FIT_BINS + 1], t[KERNEL_BLOCK], x[KERNEL_BLOCK], h[KERNEL_BLOCK];
    double sum = (double)n * (log((double)grid->scale) - log(scale));
    for (size_t i = 0; i < FIT_BINS; i++) {
        bins[i] = (1.0f - share) * (float)(fmax(grid->bins[i], 0.0) / count) * FIT_BINS / range;
    }
    bins[FIT_BINS] = bins[FIT_BINS - 1];
    for (size_t o = 0; o < n; o += KERNEL_BLOCK) {
        size_t m = n - o < KERNEL_BLOCK ? n - o : KERNEL_BLOCK;
        size_t padded = (m + KERNEL_LANES - 1) / KERNEL_LANES * KERNEL_LANES;
        for (size_t i = 0; i < padded; i++) t[i] = fminf(fmaxf(-step * e[o + i], -40.0f), 40.0f);
        kernel_exp(x, t, padded);
        for (size_t i = 0; i < padded; i++) x[i] += 1.0f;
        for (size_t i = 0; i < padded; i++) {
            float u = 1.0f / x[i], place = (u - grid->low) / range * FIT_BINS - 0.5f;
            float within = fminf(fmaxf(place, 0.0f), (float)(FIT_BINS - 1));
            size_t bin = (size_t)within;
            float part = within - (float)bin;
            bool out = u < grid->low || u > grid->high;
            h[i] = share + (out ? 0.0f : (1.0f - part) * bins[bin] + part * bins[bin + 1]);
        }
        kernel_log(x, x, padded); /* log(1 + exp t), whose density is exp(t) / (1 + exp t)^2 */
        kernel_log(h, h, padded);
        for (size_t i = 0; i < m; i++) sum += (double)(t[i] - 2.0f * x[i] + h[i]);
    }
    return sum;
}

double fit_entropy(const float *e, const fit_rows *rows)
{
    fit_grid grid;
    double n = (double)rows->count, entropy = 0.0;
    int filled = 0;
    fit_grid_make(&grid, e, rows);
    double width = grid.high > grid.low ? (double)(grid.high - grid.low) / FIT_BINS : 1.0;
    for (int i = 0; i < FIT_BINS; i++) {
        if (!(grid.bins[i] > 1e-3)) continue;
        double p = grid.bins[i] / n;
        entropy -= p * log(p / width);
        filled++;
    }
    entropy += (filled - 1) / (3.0 * n); /* two thirds of 1 / 2n: the weights' mean square */
    return n * entropy - grid.base;
}

double fit_price(const fit_rows *rows, size_t parameters, size_t further)
{
    return log((double)rows->count) * (0.2 * (double)parameters + 0.5 * (double)further);
}

double fit_likelihood(fit_work *work, const fit_rows *rows, double log_sigma)
{
    FIT_EACH_BLOCK(rows, o, m)
    {
        for (size_t i = o; i < o + m; i++) {
            work->scratch[i] = work->residual[i] * work->weight[i];
        }
    }
    return -log_sigma - fit_entropy(work->scratch, rows);
}
