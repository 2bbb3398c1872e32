/* fit_refine.c - means that bend more, or in which parents interact.
 *
 * The design D of a family gets further columns: smooth functions of several parents jointly
 * (fit_features.c), and for a single parent ramps between closer knots. The mean is linear in all
 * of them, the log spread in D or in all; shape stays with D. A least-squares fit on few rows tells
 * whether it is worth while, which it is not where the functions are sums of simple ones.
 * Cost: O(K^2 n) for the Gram matrices, K <= FIT_MAX_COLUMNS; one pass gives all contrasts.
 */
#include "learn/fit/fit_parts.h"

#include <math.h>
#include <string.h>

enum { SAMPLE = 1024 };

static size_t fit_refine_design(fit_work *work, fit_design *e, const fit_design *d, const family *f)
{
    const basis *b = work->b;
    size_t room = FIT_MAX_COLUMNS - d->count;
    *e = *d;
    e->count--; /* the constant goes last */
    size_t size = f->count == 1 ? b->detail_size[f->parents[0]] : 0;
    for (size_t a = 0; a < size && room > 0; a++, room--) {
        e->columns[e->count++] = basis_detail(b, f->parents[0], a);
    }
    return room;
}

static size_t unit_count(const family *f)
{
    return f->count == 1 ? FIT_UNITS / 2 : FIT_UNITS;
}

/* The chosen functions and the constant go last. */
static void complete(fit_work *work, fit_design *e, const fit_design *d, size_t features)
{
    for (size_t a = 0; a < features; a++) {
        e->columns[e->count++] = work->joint + a * work->b->stride;
    }
    e->columns[e->count++] = d->one;
}

static void fill_linear(fit_linear *l, const fit_rows *const parts)
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
        fit_rows all = fit_rows_of(work, c == 0 ? FIT_FIRST : FIT_SECOND);
        parts[c] = fit_rows_first(&all, SAMPLE);
        fit_features_fill(work, plain->d, &parts[c], features);
        FIT_EACH_BLOCK(&parts[c], o, m)
        {
            for (size_t i = o; i < o + m; i++) {
                squares[c] += (double)(refined->y[i] * refined->y[i]);
            }
        }
        count[c + 1] = (double)parts[c].count;
    }
    count[0] = count[1] + count[2];
    fill_linear(refined, parts);
    fill_linear(plain, parts);
    for (int s = 0; s < FIT_SETS; s++) {
        fit_rows all = fit_rows_of(work, (fit_set)s);
        double more = (double)(refined->d->count - plain->d->count);
        double ratio = mean_square(work, plain, squares, (fit_set)s, count[s]) /
                       mean_square(work, refined, squares, (fit_set)s, count[s]);
        /* less what noise alone explains */
        gain[s > 0] += (double)all.count * (0.5 * log(ratio) - 0.5 * more / count[s]);
        if (s == 0) price = 0.5 * more * log((double)all.count);
    }
    return fmax(gain[0], gain[1]) > price;
}

/* The design with the units in use, its Gram matrices */
static void fill(fit_work *work, fit_linear *refined, const fit_linear *plain, size_t before,
                 size_t units)
{
    fit_rows parts[2] = {fit_rows_of(work, FIT_FIRST), fit_rows_of(work, FIT_SECOND)};
    refined->design->count = before;
    complete(work, refined->design, plain->d, units);
    refined->further = refined->design->count - plain->d->count;
    refined->units = units;
    for (int c = 0; c < 2; c++) fit_features_fill(work, plain->d, &parts[c], units);
    fill_linear(refined, parts);
}

/* An earlier fit of the node has units: it was worth while there. */
static bool begun(const fit_request *request)
{
    for (size_t i = 0; i < request->start_count; i++) {
        if (request->starts[i].units > 0) return true;
    }
    return false;
}

bool fit_refine(fit_work *work, fit_linear *refined, fit_linear *plain, const fit_request *request)
{
    const family *f = request->family;
    fit_design *e = refined->design;
    if (f->count == 0 || !work->b->detail) return false;
    size_t room = fit_refine_design(work, e, plain->d, f), before = e->count;
    size_t features = FIT_FEATURES < room ? FIT_FEATURES : room, units = unit_count(f);
    fit_features_first(work, plain->d, features);
    complete(work, e, plain->d, features);
    if (e->count == plain->d->count) return false;
    if (!begun(request) && !worth_refining(work, refined, plain, features)) return false;
    if (units > room) units = room;
    const fit_features_task task = {e, plain->d, before, refined->y, request};
    units = fit_features_find(work, &task, units);
    fill(work, refined, plain, before, units);
    return true;
}

void fit_refine_again(fit_work *work, fit_linear *refined, fit_linear *plain, const family *f,
                      const float *units, size_t count)
{
    (void)fit_refine_design(work, refined->design, plain->d, f);
    fit_features_load(work, units, count, f->count);
    fill(work, refined, plain, refined->design->count, count);
}
