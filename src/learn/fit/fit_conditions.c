/* fit_conditions.c - one node with its parents under a control and several conditions (see
 * docs/methods/conditions.md).
 *
 * The control and the conditions R that share its mechanism are fitted together; every other
 * condition pays for a change of its own:
 *     S = L(R) + sum over k not in R of (max(own_k, small_k) - odds)
 * own_k is a fit of the rows of k alone. small_k is the shared fit with an offset, a gain or slopes
 * of the parents, and a scale of its own, in the density of the shared residuals; it needs few
 * rows. R is found by iteration: it begins with the control, and is then the control and all
 * conditions that gain no more than the odds by a change. Cost: O(n) times the fits of at most four
 * sets R, and O(k^3) for each condition, k columns.
 */
#include "learn/fit/fit_parts.h"

#include <math.h>
#include <string.h>

/* A fit of its own needs so many rows for its density, and so many for each column. */
enum { ROUNDS = 3, OWN_LEAST = 200, OWN_ROWS = 3 };

/* An offset, a gain, and a slope for each parent */
enum { SLOPES = FAMILY_MAX_PARENTS + 2 };

typedef struct blocks {
    fit_node_work *fit;
    fit_work *work;
    size_t parts;
    double odds;
    double *own;     /* [parts] score of the rows of a condition alone */
    double *changed; /* [parts] score with the best change */
    double *margins; /* [parts] what the best change gains */
    double *best;    /* [parts] the margins of the best R yet */
    bool *shares;    /* [parts] R */
    bool *best_shares;
    double score; /* of the best R yet */
    fit_grid grid;
    double scale; /* root mean square of the shared standardized residuals */
} blocks;

/* ---- sides ---- */

/* FIRST is the control and SECOND the rest of R; all others are out. R is POOLED. */
static void set_sides(fit_work *work, const bool *shares)
{
    work->side[0] = FIT_SIDE_FIRST;
    for (size_t c = 1; c < work->b->parts; c++) {
        work->side[c] = shares[c] ? FIT_SIDE_SECOND : FIT_SIDE_OUT;
    }
    fit_rows_divide(work);
}

void fit_conditions_again(fit_work *work, const float *margins)
{
    for (size_t c = 1; c < work->b->parts; c++) work->shares[c] = !(margins[c - 1] > 0.0f);
    set_sides(work, work->shares);
}

void fit_conditions_single(fit_work *work, size_t part)
{
    for (size_t c = 0; c < work->b->parts; c++) work->side[c] = FIT_SIDE_OUT;
    work->side[part] = FIT_SIDE_SECOND;
    fit_rows_divide(work);
}

/* ---- small changes ---- */

/* e = r / sigma and 1 / sigma of one condition under the shared model, and what they are regressed
 * on: 1, the mean, z of each parent, all over sigma. */
typedef struct regression {
    const blocks *s;
    const fit_rows *rows; /* of one part */
    size_t count;         /* of the slopes */
    double gram[SLOPES * SLOPES], right[SLOPES];
} regression;

static double column_at(const regression *r, size_t a, size_t i)
{
    const fit_work *work = r->s->work;
    const fit_design *d = &r->s->fit->d;
    double w = (double)work->weight[i];
    if (a == 0) return w;
    if (a == 1) return w * (double)(r->s->fit->y[i] - work->residual[i]);
    return w * (double)d->columns[d->first[a - 2]][i];
}

static void regression_make(regression *r)
{
    size_t first = r->rows->begin[0], n = r->rows->count;
    double x[SLOPES];
    memset(r->gram, 0, sizeof r->gram);
    memset(r->right, 0, sizeof r->right);
    for (size_t i = first; i < first + n; i++) {
        double e = (double)r->s->work->scratch[i];
        for (size_t a = 0; a < r->count; a++) {
            x[a] = column_at(r, a, i);
            r->right[a] += x[a] * e;
            for (size_t b = 0; b <= a; b++) r->gram[a * SLOPES + b] += x[a] * x[b];
        }
    }
}

/* The log density of e less its regression on some of the columns, with a scale of its own, after
 * its price. */
static double regression_score(const regression *r, const size_t *columns, size_t count)
{
    if (r->rows->count < OWN_ROWS * (count + 1)) return -HUGE_VAL;
    const blocks *s = r->s;
    float *left = s->work->apart;
    size_t first = r->rows->begin[0], n = r->rows->count;
    double a[SLOPES * SLOPES], x[SLOPES], factor[SLOPES * SLOPES], square = 0.0;
    for (size_t i = 0; i < count; i++) {
        x[i] = r->right[columns[i]];
        for (size_t j = 0; j <= i; j++)
            a[i * count + j] = r->gram[columns[i] * SLOPES + columns[j]];
    }
    fit_solve(a, x, count, factor);
    for (size_t i = first; i < first + n; i++) {
        double e = (double)s->work->scratch[i];
        for (size_t j = 0; j < count; j++) e -= x[j] * column_at(r, columns[j], i);
        left[i] = (float)e;
        square += e * e;
    }
    double scale = fmax(sqrt(square / (double)n) / s->scale, 1e-6);
    return fit_grid_density(&s->grid, (double)s->work->rows[FIT_POOLED].count, left + first, n,
                            scale) -
           0.5 * log((double)n) * (double)(count + 1);
}

/* What the best small change of a condition gains over the shared model, whose log density of e is
 * `shared`. */
static double small_change(const blocks *s, const fit_rows *rows, double shared)
{
    size_t parents = s->fit->d.parents, columns[SLOPES];
    regression r = {.s = s, .rows = rows, .count = parents > 0 ? parents + 2 : 1};
    regression_make(&r);
    columns[0] = 0;
    double best = regression_score(&r, columns, 1);
    if (parents > 0) {
        columns[1] = 1;
        best = fmax(best, regression_score(&r, columns, 2));
        for (size_t p = 0; p < parents; p++) columns[p + 1] = p + 2;
        best = fmax(best, regression_score(&r, columns, parents + 1));
    }
    return best - shared;
}

/* ---- one R ---- */

/* How much a histogram of n rows is too good for m of these rows, and too bad for m others: as the
 * correction of its entropy (fit_entropy). */
static double grid_luck(const fit_grid *grid, double n, double m)
{
    int filled = 0;
    for (int i = 0; i < FIT_BINS; i++) filled += grid->bins[i] > 1e-3;
    return (filled - 1) / 3.0 * m / n;
}

/* The score of a condition with the best change, and its margin over the shared model. */
static void compare(blocks *s, size_t part)
{
    const basis *b = s->work->b;
    size_t n = b->rows[part];
    double count = (double)s->work->rows[FIT_POOLED].count, log_weight = 0.0;
    const fit_rows rows = {.parts = 1,
                           .begin = &b->start[part],
                           .length = &b->padded[part],
                           .limit = SIZE_MAX,
                           .count = n,
                           .padding = b->padded[part] - n};
    fit_node_standardized(s->fit, FIT_POOLED, &rows);
    const float *e = s->work->scratch + b->start[part], *w = s->work->weight + b->start[part];
    for (size_t i = 0; i < n; i++) log_weight += log((double)w[i] + 1e-30);
    double density = fit_grid_density(&s->grid, count, e, n, 1.0);
    double small = small_change(s, &rows, density), luck = grid_luck(&s->grid, count, (double)n);
    double shared = density + log_weight;
    s->changed[part] = fmax(shared + small, s->own[part]);
    s->margins[part] = fmax(small, s->own[part] - shared - (s->shares[part] ? -luck : luck));
}

/* Fits the shared model of R and compares the conditions with it; returns the score. */
static double fit_block(blocks *s)
{
    set_sides(s->work, s->shares);
    fit_node_prepare(s->fit, s->work, s->fit->request);
    fit_node_plain(s->fit, FIT_POOLED);
    fit_rows rows = fit_rows_of(s->work, FIT_POOLED);
    double square = 0.0, score = s->fit->sets[FIT_POOLED].score;
    fit_node_standardized(s->fit, FIT_POOLED, &rows);
    fit_grid_make(&s->grid, s->work->scratch, &rows);
    FIT_EACH_BLOCK(&rows, o, m)
    {
        for (size_t i = o; i < o + m; i++) {
            square += (double)(s->work->scratch[i] * s->work->scratch[i]);
        }
    }
    s->scale = sqrt(square / (double)rows.count) + 1e-12;
    for (size_t c = 1; c < s->parts; c++) {
        compare(s, c);
        if (!s->shares[c]) score += s->changed[c] - s->odds;
    }
    return score;
}

/* Keeps the R at hand if it is the best so far. */
static void keep_best(blocks *s, double score)
{
    if (!(score > s->score)) return;
    s->score = score;
    memcpy(s->best, s->margins, s->parts * sizeof *s->best);
    memcpy(s->best_shares, s->shares, s->parts * sizeof *s->best_shares);
}

/* R becomes what the margins say; false if that is what it was. */
static bool move(blocks *s)
{
    bool moved = false;
    for (size_t c = 1; c < s->parts; c++) {
        bool shares = s->margins[c] <= s->odds;
        moved = moved || shares != s->shares[c];
        s->shares[c] = shares;
    }
    return moved;
}

/* The best R, whose model is fitted at the end. */
static void find_block(blocks *s)
{
    bool all = false, moved = true;
    for (size_t c = 1; c < s->parts; c++) s->shares[c] = false;
    for (int round = 0; round < ROUNDS && moved; round++) {
        keep_best(s, fit_block(s));
        moved = move(s);
        size_t count = 0;
        for (size_t c = 1; c < s->parts; c++) count += s->shares[c];
        all = all || (round + 1 < ROUNDS && count + 1 == s->parts);
    }
    if (!all) {
        for (size_t c = 1; c < s->parts; c++) s->shares[c] = true;
        keep_best(s, fit_block(s));
        if (move(s)) keep_best(s, fit_block(s));
    }
    memcpy(s->shares, s->best_shares, s->parts * sizeof *s->shares);
    set_sides(s->work, s->shares);
    fit_node_prepare(s->fit, s->work, s->fit->request);
    fit_node_plain(s->fit, FIT_POOLED);
}

/* ---- the whole ---- */

static void fit_own(blocks *s)
{
    for (size_t c = 1; c < s->parts; c++) {
        s->own[c] = -HUGE_VAL;
        fit_conditions_single(s->work, c);
        fit_node_prepare(s->fit, s->work, s->fit->request);
        size_t rows = s->work->b->rows[c];
        if (rows < OWN_LEAST || rows < OWN_ROWS * s->fit->d.count) continue;
        fit_node_plain(s->fit, FIT_SECOND);
        s->own[c] = s->fit->sets[FIT_SECOND].score;
    }
}

/* Refined functions and the noise's shape of the shared model; returns what they gain. */
static double refine(fit_result *result, blocks *s)
{
    fit_node_work *fit = s->fit;
    fit_best *best = &fit->sets[FIT_POOLED];
    double plain = best->score;
    if (s->work->rows[FIT_SECOND].parts > 0 &&
        fit_refine(s->work, &fit->refined, &fit->plain, fit->request)) {
        fit_node_refined(fit, FIT_POOLED);
        result->refining = best->score - plain;
        if (best->refined) result->units = (uint32_t)fit->refined.units;
    }
    if (fit->d.parents > 0) result->shape[FIT_POOLED] = fit_node_shape(fit, FIT_POOLED);
    return best->score - plain;
}

/* The same model for all sets: that of R. */
static void hand_out(fit_result *result, float *coefficients, const blocks *s)
{
    const fit_node_work *fit = s->fit;
    const fit_best *best = &fit->sets[FIT_POOLED];
    const family *f = fit->request->family;
    float *out = coefficients;
    for (size_t set = 0; set < FIT_SETS; set++) {
        result->model[set] = best->model;
        result->refined[set] = best->refined;
        for (size_t v = 0; v < FIT_VECTORS; v++) {
            for (size_t a = 0; a < fit->d.count; a++) *out++ = (float)best->vectors[v][a];
        }
    }
    fit_features_save(out, s->work, result->units, f->count);
    /* The sign says who changed: R need not be what its own margins ask for. */
    size_t all = fit_coefficient_count(s->work->b, f), margins = s->parts - 1;
    for (size_t c = 0; c < margins; c++) {
        double margin = s->best[c + 1];
        margin = s->best_shares[c + 1] ? fmin(margin, 0.0) : fmax(margin, 1e-6);
        coefficients[all - margins + c] = (float)margin;
    }
}

/* Effects with few values: each condition against the control, then R. */
static void find_discrete(fit_result *result, blocks *s)
{
    const fit_design *d = &s->fit->d;
    size_t node = s->fit->request->family->node;
    fit_best *best = &s->fit->sets[FIT_POOLED];
    double *b = best->vectors[FIT_LOCATION], *h = best->vectors[FIT_SPREAD];
    fit_design_make(&s->fit->d, s->work->b, s->fit->request->family);
    for (size_t c = 0; c < s->parts; c++) {
        fit_conditions_single(s->work, c);
        s->own[c] = fit_discrete_set(s->work, d, node, FIT_SECOND, 1, &best->model, b, h);
    }
    for (size_t c = 1; c < s->parts; c++) {
        fit_conditions_single(s->work, c);
        s->work->side[0] = FIT_SIDE_FIRST;
        fit_rows_divide(s->work);
        s->best[c] = s->own[0] + s->own[c] -
                     fit_discrete_set(s->work, d, node, FIT_POOLED, 1, &best->model, b, h);
        s->best_shares[c] = s->best[c] <= s->odds;
    }
    set_sides(s->work, s->best_shares);
    result->score = fit_discrete_set(s->work, d, node, FIT_POOLED, 1, &best->model, b, h);
    for (size_t c = 1; c < s->parts; c++) {
        if (!s->best_shares[c]) result->score += s->own[c] - s->odds;
    }
}

void fit_conditions(fit_result *result, float *coefficients, fit_work *work,
                    const fit_request *request)
{
    fit_node_work fit = {.work = work, .request = request};
    blocks s = {.fit = &fit,
                .work = work,
                .parts = work->b->parts,
                .odds = request->odds,
                .own = work->own,
                .shares = work->shares,
                .best_shares = work->shares + work->b->parts,
                .score = -HUGE_VAL};
    s.margins = s.own + s.parts;
    s.best = s.margins + s.parts;
    s.changed = s.best + s.parts;
    *result = (fit_result){0};
    if (work->b->levels[request->family->node] > 0) {
        find_discrete(result, &s);
    } else {
        fit_own(&s);
        find_block(&s);
        result->score = s.score + refine(result, &s);
    }
    result->columns = (uint32_t)fit.d.count;
    result->contrast = FIT_SHARED;
    result->shared = result->separate = result->score;
    for (size_t c = 1; c < s.parts; c++) result->changed += !s.best_shares[c];
    hand_out(result, coefficients, &s);
}
