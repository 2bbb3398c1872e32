/* fit.c - the models of each set of rows, the contrast of the regimes, and the scratch (see fit.h).
 */
#include "learn/fit/fit_parts.h"

#include <math.h>
#include <string.h>

/* Keeps a model with its mean and log variance if it is the best so far. */
static bool keep_better(fit_best *fit, size_t k, double score, fit_model model,
                        const double *location, const double *spread)
{
    if (!(score > fit->score)) return false; /* also if it is not a number */
    fit->score = score;
    fit->model = model;
    if (location) memcpy(fit->vectors[FIT_LOCATION], location, k * sizeof *location);
    memcpy(fit->vectors[FIT_SPREAD], spread, k * sizeof *spread);
    return true;
}

/* work->gram = D'D of a set, from the stored matrices */
static void set_gram(fit_node_work *fit, fit_set set)
{
    size_t k = fit->d.count;
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j <= i; j++) {
            fit->work->gram[i * k + j] =
                fit_stored(fit->work, set, fit->d.index[i], fit->d.index[j]);
        }
    }
}

/* Gram matrices of D and products with y, from the stored ones */
static void plain_linear(fit_node_work *fit, size_t column)
{
    size_t k = fit->d.count;
    for (int c = 0; c < 2; c++) {
        fit_set set = c == 0 ? FIT_FIRST : FIT_SECOND;
        for (size_t i = 0; i < k; i++) {
            for (size_t j = 0; j <= i; j++) {
                fit->plain.gram[c][i * k + j] =
                    fit_stored(fit->work, set, fit->d.index[i], fit->d.index[j]);
            }
            fit->plain.products[c][i] = fit_stored(fit->work, set, fit->d.index[i], column);
        }
    }
}

/* residual = y - mean; returns the variance */
static double centre(fit_node_work *fit, fit_set set, const fit_rows *rows, double *mean)
{
    size_t last = fit->d.count - 1;
    fit_design constant = {.count = 1, .one = fit->d.one};
    constant.columns[0] = fit->d.one;
    *mean = 0.0;
    if (set != FIT_SECOND) *mean += fit->plain.products[0][last];
    if (set != FIT_FIRST) *mean += fit->plain.products[1][last];
    *mean /= (double)rows->count;
    return fit_residuals(fit->work, &constant, rows, fit->y, mean);
}

void fit_node_plain(fit_node_work *fit, fit_set set)
{
    fit_work *work = fit->work;
    const fit_design *d = &fit->d;
    fit_rows rows = fit_rows_of(work, set);
    fit_best *out = &fit->sets[set];
    double location[FIT_MAX_COLUMNS], spread[FIT_MAX_COLUMNS] = {0};
    size_t k = d->count, last = k - 1;
    *out = (fit_best){.score = -HUGE_VAL};

    double score = fit_linear_set(work, &fit->plain, set, location);
    double variance = fit->plain.variance[set];
    spread[last] = log(variance + 1e-30);
    keep_better(out, k, score, FIT_CONSTANT, location, spread);
    if (d->parents == 0) return;
    set_gram(fit, set);
    score = fit_modelled(work, d, d, &rows, fit->y, variance, location, spread);
    keep_better(out, k, score - fit_price(&rows, 2 * k, 0), FIT_MODELLED, location, spread);

    memset(location, 0, sizeof location);
    double rival = -0.5 * log(variance + 1e-30) - 0.5;
    variance = centre(fit, set, &rows, &location[last]);
    score = fit_log_link(work, d, &rows, variance, spread);
    keep_better(out, k, score - fit_price(&rows, k + 1, 0), FIT_LOG, location, spread);
    const fit_sd_request how = {fit->request, set, variance, rival};
    score = fit_sd_link(work, d, &rows, &how, out->vectors[FIT_PHASE]);
    memset(spread, 0, sizeof spread);
    spread[last] = log(variance + 1e-30);
    keep_better(out, k, score - fit_price(&rows, k + 1, 0), FIT_SD, location, spread);
}

/* e of a refined fit, residual * weight, into its own place: fits of a set may come after it */
static void keep_noise(fit_node_work *fit, fit_set set, const fit_rows *rows, const float *weight,
                       float constant)
{
    float *noise = fit->work->noise[set != FIT_POOLED];
    FIT_EACH_BLOCK(rows, o, m)
    {
        for (size_t i = o; i < o + m; i++) {
            noise[i] = fit->work->residual[i] * (weight ? weight[i] : constant);
        }
    }
}

/* work->gram of the refined design of a set */
static void refined_gram(fit_node_work *fit, fit_set set)
{
    size_t k = fit->e.count;
    const double *first = fit->refined.gram[0], *second = fit->refined.gram[1];
    for (size_t i = 0; i < k * k; i++) {
        fit->work->gram[i] =
            (set != FIT_SECOND ? first[i] : 0.0) + (set != FIT_FIRST ? second[i] : 0.0);
    }
}

/* Residuals and weights of the refined mean with a spread in D, or in the refined design too. */
static double modelled(fit_node_work *fit, fit_set set, const fit_rows *rows, int refinement,
                       double *spread)
{
    double location[FIT_MAX_COLUMNS];
    const fit_design *design = refinement == FIT_REFINED_BOTH ? &fit->e : &fit->d;
    (void)fit_linear_set(fit->work, &fit->refined, set, location);
    if (refinement == FIT_REFINED_BOTH) refined_gram(fit, set);
    if (refinement == FIT_REFINED_MEAN) set_gram(fit, set);
    return fit_modelled(fit->work, &fit->e, design, rows, fit->y, fit->refined.variance[set],
                        location, spread);
}

void fit_node_refined(fit_node_work *fit, fit_set set)
{
    fit_work *work = fit->work;
    fit_rows rows = fit_rows_of(work, set);
    fit_best *out = &fit->sets[set];
    double location[FIT_MAX_COLUMNS], spread[FIT_MAX_COLUMNS] = {0};
    size_t k = fit->d.count, further = fit->refined.further;
    double score = fit_linear_set(work, &fit->refined, set, location);
    double variance = fit->refined.variance[set];
    spread[k - 1] = log(variance + 1e-30);
    if (keep_better(out, k, score, FIT_CONSTANT, NULL, spread)) {
        out->refined = FIT_REFINED_MEAN;
        keep_noise(fit, set, &rows, NULL, (float)(1.0 / sqrt(variance + 1e-30)));
    }
    for (int r = FIT_REFINED_MEAN; r <= FIT_REFINED_BOTH; r++) {
        size_t more = r == FIT_REFINED_BOTH ? 2 * further : further;
        score = modelled(fit, set, &rows, r, spread) - fit_price(&rows, 2 * k, more);
        if (!keep_better(out, k, score, FIT_MODELLED, NULL, spread)) break;
        out->refined = (uint8_t)r;
        keep_noise(fit, set, &rows, work->weight, 0.0f);
        if (fit->d.parents < 2) break; /* D alone follows functions of one parent */
    }
}

/* The standardized residuals of the best model into work->scratch. */
void fit_node_standardized(fit_node_work *fit, fit_set set, const fit_rows *rows)
{
    fit_work *work = fit->work;
    const fit_best *best = &fit->sets[set];
    double level = best->vectors[FIT_SPREAD][fit->d.count - 1];
    if (best->refined) {
        FIT_EACH_BLOCK(rows, o, m)
        {
            memcpy(work->scratch + o, work->noise[set != FIT_POOLED] + o, m * sizeof(float));
        }
        return;
    }
    double square = fit_residuals(work, &fit->d, rows, fit->y, best->vectors[FIT_LOCATION]);
    if (best->model == FIT_SD) {
        (void)fit_sd_spread(work, &fit->d, rows, best->vectors[FIT_PHASE], exp(level));
    } else {
        (void)fit_spread(work, &fit->d, rows, best->vectors[FIT_SPREAD], log(square + 1e-30));
    }
    FIT_EACH_BLOCK(rows, o, m)
    {
        for (size_t i = o; i < o + m; i++) work->scratch[i] = work->residual[i] * work->weight[i];
    }
}

/* Adds what a model of the noise's shape gains. */
float fit_node_shape(fit_node_work *fit, fit_set set)
{
    fit_rows rows = fit_rows_of(fit->work, set);
    set_gram(fit, set);
    fit_node_standardized(fit, set, &rows);
    double gain = fit_shape(fit->work, &fit->d, &rows, fit->work->gram, fit->work->scratch,
                            fit->request->effort);
    fit->sets[set].score += gain;
    return (float)gain;
}

static void consider(fit_result *result, double value, fit_contrast contrast)
{
    if (!(value > result->separate)) return;
    result->separate = value;
    result->contrast = contrast;
}

static void consider_changes(fit_result *result, fit_node_work *fit, const fit_linear *l)
{
    for (int c = FIT_MEAN; c <= FIT_SCALE; c++) {
        if (c == FIT_OFFSET && l->d->count == FIT_MAX_COLUMNS) continue;
        consider(result, fit_linear_change(fit->work, l, (fit_contrast)c), (fit_contrast)c);
    }
}

/* The best so far, without the shape of the noise */
static double best_yet(const fit_result *result, const fit_node_work *fit)
{
    double separate = fit->sets[FIT_FIRST].score + fit->sets[FIT_SECOND].score;
    return fmax(fit->sets[FIT_POOLED].score, fmax(separate, result->separate));
}

static bool any_refined(const fit_node_work *fit)
{
    bool any = false;
    for (int s = 0; s < FIT_SETS; s++) any = any || fit->sets[s].refined;
    return any;
}

void fit_node_prepare(fit_node_work *fit, fit_work *work, const fit_request *request)
{
    size_t column = (size_t)request->family->node * BASIS_SIZE;
    fit->work = work;
    fit->request = request;
    fit->y = basis_column(work->b, column);
    fit_design_make(&fit->d, work->b, request->family);
    fit->plain =
        (fit_linear){.d = &fit->d, .y = fit->y, .gram = {work->linear[0], work->linear[1]}};
    fit->refined = (fit_linear){
        .d = &fit->e, .design = &fit->e, .y = fit->y, .gram = {work->linear[2], work->linear[3]}};
    plain_linear(fit, column);
}

void fit_node(fit_result *result, float *coefficients, fit_work *work, const fit_request *request)
{
    fit_node_work fit;
    if (work->b->parts > 2) {
        fit_conditions(result, coefficients, work, request);
        return;
    }
    if (work->b->levels[request->family->node] > 0) {
        fit_discrete(result, coefficients, work, request->family);
        return;
    }
    fit_node_prepare(&fit, work, request);
    for (int s = FIT_SETS; s-- > 0;) fit_node_plain(&fit, (fit_set)s);
    *result = (fit_result){.separate = -HUGE_VAL, .columns = (uint32_t)fit.d.count};
    consider_changes(result, &fit, &fit.plain);
    if (fit_refine(work, &fit.refined, &fit.plain, request)) {
        double plain = best_yet(result, &fit);
        for (int s = FIT_SETS; s-- > 0;) fit_node_refined(&fit, (fit_set)s);
        consider_changes(result, &fit, &fit.refined);
        result->refining = best_yet(result, &fit) - plain;
        if (result->refining > 0.0 || any_refined(&fit)) {
            result->units = (uint32_t)fit.refined.units;
        }
    }
    for (int s = 0; s < FIT_SETS && fit.d.parents > 0; s++) {
        result->shape[s] = fit_node_shape(&fit, (fit_set)s);
    }
    consider(result, fit.sets[FIT_FIRST].score + fit.sets[FIT_SECOND].score, FIT_SEPARATE);
    result->shared = fit.sets[FIT_POOLED].score;
    if (result->shared >= result->separate) result->contrast = FIT_SHARED;
    result->score = fmax(result->shared, result->separate);
    for (size_t s = 0; s < FIT_SETS; s++) {
        result->model[s] = fit.sets[s].model;
        result->refined[s] = fit.sets[s].refined;
        for (size_t v = 0; v < FIT_VECTORS; v++) {
            for (size_t a = 0; a < fit.d.count; a++) {
                *coefficients++ = (float)fit.sets[s].vectors[v][a];
            }
        }
    }
    fit_features_save(coefficients, work, result->units, request->family->count);
}

/* For a scan: e of the best model of a set and, if its mean is refined, its residuals; see
 * fit_parts.h. */
bool fit_refined_again(fit_work *work, const family *f, const fit_result *result,
                       const float *coefficients, fit_set set)
{
    fit_node_work fit;
    const fit_request request = {.family = f};
    if (!result->refined[set]) return false;
    fit_node_prepare(&fit, work, &request);
    const float *units = coefficients + (size_t)FIT_SETS * FIT_VECTORS * fit.d.count;
    fit_refine_again(work, &fit.refined, &fit.plain, f, units, result->units);
    fit.sets[set] = (fit_best){.score = -HUGE_VAL};
    fit_rows rows = fit_rows_of(work, set);
    double location[FIT_MAX_COLUMNS], spread[FIT_MAX_COLUMNS] = {0};
    if (result->model[set] == FIT_MODELLED) {
        (void)modelled(&fit, set, &rows, result->refined[set], spread);
    } else {
        (void)fit_linear_set(work, &fit.refined, set, location);
        spread[fit.d.count - 1] = log(fit.refined.variance[set] + 1e-30);
        (void)fit_spread(work, &fit.d, &rows, spread, spread[fit.d.count - 1]);
    }
    return true;
}

/* ---- scratch ---- */

scone_status fit_work_alloc(fit_work **out, const basis *b)
{
    scone_status status = SCONE_OK;
    fit_work *work = NULL;
    size_t square = (size_t)(FIT_MAX_COLUMNS + 1) * (FIT_MAX_COLUMNS + 1);
    *out = NULL;
    TRY_ZERO(work, 1);
    size_t length = b->stride > BASIS_BINS ? b->stride : BASIS_BINS; /* bins may stand for rows */
    work->b = b;
    float **rows[] = {&work->residual, &work->fitted,   &work->weight,  &work->scratch,
                      &work->apart,    &work->noise[0], &work->noise[1]};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) TRY_ZERO(*rows[i], length);
    TRY_ZERO(work->joint, b->stride * FIT_FEATURES);
    TRY(fit_features_alloc(&work->features));
    double **squares[] = {&work->gram,      &work->small,     &work->factor,    &work->vectors,
                          &work->linear[0], &work->linear[1], &work->linear[2], &work->linear[3]};
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) TRY_ALLOC(*squares[i], square);
    TRY_ALLOC(work->starts, FIT_SD_STARTS);
    TRY_ALLOC(work->side, b->parts);
    TRY_ALLOC(work->own, 4 * b->parts);
    TRY_ALLOC(work->shares, 2 * b->parts);
    for (int set = 0; set < FIT_SETS; set++) {
        TRY_ALLOC(work->begin[set], b->parts);
        TRY_ALLOC(work->length[set], b->parts);
    }
    for (size_t c = 0; c < b->parts; c++) work->side[c] = c ? FIT_SIDE_SECOND : FIT_SIDE_FIRST;
    fit_rows_divide(work);
    *out = work;
    return SCONE_OK;
cleanup:
    fit_work_free(work);
    return status;
}

void fit_work_free(fit_work *work)
{
    if (!work) return;
    float *rows[] = {work->residual, work->fitted,   work->weight,   work->scratch,
                     work->apart,    work->noise[0], work->noise[1], work->joint};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) mem_free(rows[i]);
    double *squares[] = {work->gram,      work->small,     work->factor,    work->vectors,
                         work->linear[0], work->linear[1], work->linear[2], work->linear[3]};
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) mem_free(squares[i]);
    fit_features_free(work->features);
    for (int set = 0; set < FIT_SETS; set++) {
        mem_free(work->begin[set]);
        mem_free(work->length[set]);
    }
    mem_free(work->side);
    mem_free(work->own);
    mem_free(work->shares);
    mem_free(work->starts);
    mem_free(work);
}
