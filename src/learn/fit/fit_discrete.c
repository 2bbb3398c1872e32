/* fit_discrete.c - effects with few values: probabilities instead of densities.
 *
 * A variable with the values z_1 < ... < z_L (standardized, L at most BASIS_LEVELS) has no density,
 * so location and scale of a noise mean nothing. With design D of the parents
 *     log p(y = l | x) = a_l + z_l D b + z_l^2 D h - log Z(x):
 * the logistic regression of a binary y, its form for adjacent categories otherwise, where h (only
 * for three values and more) lets the spread depend on the parents. A mechanism that changed has
 * its own a, b and h in each regime; one that changed by an offset only its own a. The parameters
 * maximize the likelihood (Newton's method with step halving), each pays for itself as elsewhere.
 * Cost: O((L + k^2) n) a step, k columns.
 */
#include "learn/fit/fit_parts.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

enum { LEVELS = BASIS_LEVELS, MOMENTS = 2, STEPS = 15 };

typedef struct discrete {
    fit_work *work;
    const fit_design *d;
    const fit_rows *rows;
    const uint8_t *level; /* [stride] */
    size_t levels, columns, moments, groups;
    float z[MOMENTS][LEVELS];
    /* parameters: a of the levels but the first of each group, then b, then h */
    double theta[FIT_MAX_COLUMNS];
} discrete;

static size_t level_parameters(const discrete *p)
{
    return p->groups * (p->levels - 1);
}

static size_t parameters(const discrete *p)
{
    return level_parameters(p) + p->moments * p->columns;
}

/* Probabilities of the levels in a block; returns the sum of the log-likelihood. */
static double block_probabilities(const discrete *p, const double *theta, int group, size_t o,
                                  size_t m, float probability[LEVELS][KERNEL_BLOCK])
{
    float eta[MOMENTS][KERNEL_BLOCK], top[KERNEL_BLOCK], sum[KERNEL_BLOCK] = {0};
    float c[FIT_MAX_COLUMNS];
    double total = 0.0;
    for (size_t j = 0; j < p->moments; j++) {
        const double *b = theta + level_parameters(p) + j * p->columns;
        for (size_t a = 0; a < p->columns; a++) c[a] = (float)b[a];
        kernel_linear(eta[j], p->d->columns, c, p->columns, o, m);
    }
    for (size_t l = 0; l < p->levels; l++) {
        size_t place = (p->groups == 2 && group == 1 ? p->levels - 1 : 0) + l - 1;
        float a = l > 0 ? (float)theta[place] : 0.0f;
        for (size_t i = 0; i < m; i++) {
            float t = a + p->z[0][l] * eta[0][i];
            if (p->moments > 1) t += p->z[1][l] * eta[1][i];
            probability[l][i] = t;
            top[i] = l == 0 || t > top[i] ? t : top[i];
        }
    }
    for (size_t i = 0; i < m; i++) {
        float t = probability[p->level[o + i]][i] - top[i];
        total += (double)(t * p->d->one[o + i]);
    }
    for (size_t l = 0; l < p->levels; l++) {
        for (size_t i = 0; i < m; i++) {
            float t = probability[l][i] - top[i];
            probability[l][i] = t < -60.0f ? -60.0f : t;
        }
        kernel_exp(probability[l], probability[l], m);
        for (size_t i = 0; i < m; i++) sum[i] += probability[l][i];
    }
    kernel_log(top, sum, m);
    for (size_t i = 0; i < m; i++) total -= (double)(top[i] * p->d->one[o + i]);
    for (size_t l = 0; l < p->levels; l++) {
        for (size_t i = 0; i < m; i++) probability[l][i] *= p->d->one[o + i] / sum[i];
    }
    return total;
}

/* Means of the moments, and their covariances times the weight of each row. */
typedef struct block_moments {
    float mean[MOMENTS][KERNEL_BLOCK], residual[MOMENTS][KERNEL_BLOCK];
    float variance[MOMENTS][MOMENTS][KERNEL_BLOCK];
} block_moments;

static void find_moments(block_moments *out, const discrete *p, size_t o, size_t m,
                         float probability[LEVELS][KERNEL_BLOCK])
{
    memset(out, 0, sizeof *out);
    for (size_t l = 0; l < p->levels; l++) {
        for (size_t j = 0; j < p->moments; j++) {
            for (size_t i = 0; i < m; i++) out->mean[j][i] += p->z[j][l] * probability[l][i];
        }
    }
    for (size_t l = 0; l < p->levels; l++) {
        for (size_t j = 0; j < p->moments; j++) {
            for (size_t q = 0; q <= j; q++) {
                for (size_t i = 0; i < m; i++) {
                    out->variance[j][q][i] += (p->z[j][l] - out->mean[j][i]) *
                                              (p->z[q][l] - out->mean[q][i]) * probability[l][i];
                }
            }
        }
    }
    for (size_t j = 0; j < p->moments; j++) {
        for (size_t i = 0; i < m; i++) {
            out->residual[j][i] = p->z[j][p->level[o + i]] * p->d->one[o + i] - out->mean[j][i];
        }
    }
}

/* Gradient and information of one block, into the lower triangle. */
static void add_block(const discrete *p, double *gradient, double *information, int group, size_t o,
                      size_t m, float probability[LEVELS][KERNEL_BLOCK])
{
    block_moments moments;
    size_t n = parameters(p), lower = level_parameters(p), k = p->columns;
    size_t first = p->groups == 2 && group == 1 ? p->levels - 1 : 0;
    double *gram = p->work->vectors, projected[FIT_MAX_COLUMNS];
    find_moments(&moments, p, o, m, probability);
    for (size_t j = 0; j < p->moments; j++) {
        kernel_project(gradient + lower + j * k, p->d->columns, moments.residual[j], k, o, m);
        for (size_t q = 0; q <= j; q++) {
            memset(gram, 0, k * k * sizeof *gram);
            kernel_gram(gram, p->d->columns, moments.variance[j][q], k, o, m);
            for (size_t a = 0; a < k; a++) {
                for (size_t b = 0; b < k; b++) {
                    double x = a >= b ? gram[a * k + b] : gram[b * k + a];
                    if (j == q && b > a) continue;
                    information[(lower + j * k + a) * n + lower + q * k + b] += x;
                }
            }
        }
    }
    for (size_t l = 1; l < p->levels; l++) {
        size_t row = first + l - 1;
        float w[KERNEL_BLOCK];
        for (size_t q = 1; q <= l; q++) {
            double sum = 0.0;
            for (size_t i = 0; i < m; i++) {
                float x = probability[l][i];
                sum += (double)(q == l ? x * (1.0f - x) : -x * probability[q][i]);
            }
            information[row * n + first + q - 1] += sum;
        }
        for (size_t i = 0; i < m; i++) {
            bool is = p->level[o + i] == l;
            gradient[row] += (double)((is ? p->d->one[o + i] : 0.0f) - probability[l][i]);
        }
        for (size_t j = 0; j < p->moments; j++) {
            for (size_t i = 0; i < m; i++) {
                w[i] = probability[l][i] * (p->z[j][l] - moments.mean[j][i]);
            }
            memset(projected, 0, k * sizeof *projected);
            kernel_project(projected, p->d->columns, w, k, o, m);
            for (size_t a = 0; a < k; a++) {
                information[(lower + j * k + a) * n + row] += projected[a];
            }
        }
    }
}

static double evaluate(const discrete *p, const double *theta, double *gradient,
                       double *information)
{
    float probability[LEVELS][KERNEL_BLOCK];
    size_t n = parameters(p);
    double sum = 0.0;
    memset(gradient, 0, n * sizeof *gradient);
    memset(information, 0, n * n * sizeof *information);
    FIT_EACH_BLOCK(p->rows, o, m)
    {
        sum += block_probabilities(p, theta, part_, o, m, probability);
        add_block(p, gradient, information, part_, o, m, probability);
    }
    return sum;
}

/* Levels that do not occur in a group have no maximum; a ridge and few steps keep them finite. */
static double maximize(discrete *p)
{
    double gradient[FIT_MAX_COLUMNS], next[FIT_MAX_COLUMNS], trial[FIT_MAX_COLUMNS];
    double *information = p->work->small;
    size_t n = parameters(p);
    double value = evaluate(p, p->theta, gradient, information);
    for (int step = 0; step < STEPS; step++) {
        double trace = 0.0, expected = 0.0, reached = -HUGE_VAL, scale = 1.0;
        memcpy(trial, gradient, n * sizeof *trial);
        for (size_t a = 0; a < n; a++) trace += information[a * n + a];
        for (size_t a = 0; a < n; a++) information[a * n + a] += 1e-5 * trace / (double)n + 1e-6;
        double move[FIT_MAX_COLUMNS];
        memcpy(move, gradient, n * sizeof *move);
        fit_solve(information, move, n, p->work->factor);
        for (size_t a = 0; a < n; a++) expected += 0.5 * move[a] * gradient[a];
        if (!(expected > 0.02)) break;
        for (int halving = 0; halving < 6 && !(reached > value); halving++, scale *= 0.5) {
            for (size_t a = 0; a < n; a++) trial[a] = p->theta[a] + scale * move[a];
            reached = evaluate(p, trial, next, information);
        }
        if (!(reached > value)) break;
        value = reached;
        memcpy(p->theta, trial, n * sizeof *trial);
        memcpy(gradient, next, n * sizeof *gradient);
    }
    return value;
}

static discrete make(fit_work *work, const fit_design *d, const fit_rows *rows, size_t node,
                     size_t moments, size_t groups)
{
    const basis *b = work->b;
    discrete p = {.work = work,
                  .d = d,
                  .rows = rows,
                  .level = b->bin + node * b->stride,
                  .levels = b->levels[node],
                  .columns = d->count - 1,
                  .moments = moments,
                  .groups = groups};
    for (size_t l = 0; l < p.levels; l++) {
        p.z[0][l] = b->centres[node * BASIS_SIZE * BASIS_BINS + l];
        p.z[1][l] = p.z[0][l] * p.z[0][l];
    }
    return p;
}

/* Moments that the design leaves room for: a third value says something of the spread. */
static size_t most_moments(const fit_work *work, const fit_design *d, size_t node)
{
    size_t levels = work->b->levels[node];
    bool fits = 2 * (levels - 1) + 2 * (d->count - 1) <= FIT_MAX_COLUMNS;
    return levels > 2 && fits ? 2 : 1;
}

/* b and h [columns] with a last 0. */
double fit_discrete_set(fit_work *work, const fit_design *d, size_t node, fit_set set,
                        size_t groups, fit_model *model, double *b, double *h)
{
    fit_rows rows = fit_rows_of(work, set);
    double best = -HUGE_VAL;
    size_t most = most_moments(work, d, node);
    for (size_t moments = 1; moments <= most; moments++) {
        discrete p = make(work, d, &rows, node, moments, groups);
        double score = maximize(&p) - fit_price(&rows, parameters(&p), 0);
        if (!(score > best)) continue;
        best = score;
        *model = moments > 1 ? FIT_MODELLED : FIT_CONSTANT;
        memset(b, 0, d->count * sizeof *b);
        memset(h, 0, d->count * sizeof *h);
        const double *from = p.theta + level_parameters(&p);
        memcpy(b, from, p.columns * sizeof *b);
        if (moments > 1) memcpy(h, from + p.columns, p.columns * sizeof *h);
    }
    return best;
}

void fit_discrete(fit_result *result, float *coefficients, fit_work *work, const family *f)
{
    fit_design d;
    double vectors[FIT_VECTORS][FIT_MAX_COLUMNS] = {{0}}, score[FIT_SETS];
    fit_model ignored;
    size_t node = f->node;
    fit_design_make(&d, work->b, f);
    *result = (fit_result){.columns = (uint32_t)d.count};
    for (int s = 0; s < FIT_SETS; s++) {
        score[s] = fit_discrete_set(work, &d, node, (fit_set)s, 1, &result->model[s],
                                    vectors[FIT_LOCATION], vectors[FIT_SPREAD]);
        for (size_t v = 0; v < FIT_VECTORS; v++) {
            for (size_t a = 0; a < d.count; a++) *coefficients++ = (float)vectors[v][a];
        }
    }
    double offset = fit_discrete_set(work, &d, node, FIT_POOLED, 2, &ignored, vectors[FIT_LOCATION],
                                     vectors[FIT_SPREAD]);
    result->shared = score[FIT_POOLED];
    result->separate = fmax(score[FIT_FIRST] + score[FIT_SECOND], offset);
    result->contrast = offset > score[FIT_FIRST] + score[FIT_SECOND] ? FIT_OFFSET : FIT_SEPARATE;
    if (result->shared >= result->separate) result->contrast = FIT_SHARED;
    result->score = fmax(result->shared, result->separate);
}

void fit_discrete_terms(fit_work *work, const fit_design *d, const fit_rows *rows, size_t node,
                        fit_model model, const float *coefficients)
{
    float probability[LEVELS][KERNEL_BLOCK];
    block_moments moments;
    discrete p = make(work, d, rows, node, model == FIT_MODELLED ? 2 : 1, 1);
    size_t k = d->count;
    for (size_t j = 0; j < p.moments; j++) {
        for (size_t a = 0; a < p.columns; a++) {
            double b = (double)coefficients[(j ? FIT_SPREAD : FIT_LOCATION) * k + a];
            p.theta[level_parameters(&p) + j * p.columns + a] = b;
        }
    }
    (void)maximize(&p);                      /* finds a; b and h are there already */
    p.moments = most_moments(work, d, node); /* theta has zeros for what the model leaves out */
    FIT_EACH_BLOCK(rows, o, m)
    {
        (void)block_probabilities(&p, p.theta, 0, o, m, probability);
        find_moments(&moments, &p, o, m, probability);
        memcpy(work->scratch + o, moments.residual[0], m * sizeof(float));
        memcpy(work->weight + o, moments.variance[0][0], m * sizeof(float));
        memcpy(work->apart + o, moments.residual[1], m * sizeof(float));
        memcpy(work->fitted + o, moments.variance[1][1], m * sizeof(float));
    }
}
