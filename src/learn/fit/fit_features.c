/* fit_features.c - functions of several parents jointly, found for the node at hand.
 *
 * The functions are tanh(w'z + c), the units of a small network. They start from a pool of random
 * ones (Rahimi, Recht, NIPS 2007), the same for every family of as many parents; each involves few
 * parents, so that a further parent takes nothing away from what could be said without it. Those
 * are chosen, one after the other, that explain most of what the columns before them left
 * (orthogonal least squares: Chen, Billings, Luo, Int. J. Control 50, 1989). Then all w and c are
 * improved together by Gauss-Newton steps with the coefficients of the columns projected out
 * (variable projection: Golub, Pereyra 1973; Kaufman 1975) and damping. Both regimes have
 * coefficients of their own and the same functions. All this looks at a sample of the rows: O((k +
 * H (p + 1))^2 m) a step for k columns, H units of p parents and m rows.
 */
#include "learn/fit/fit_parts.h"

#include "base/rng.h"
#include "base/simd.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { MOST_INVOLVED = 4, TRAIN_STEPS = 16, START_STEPS = 10 };
static const double TRAIN_LEAST = 2.0; /* nats on the sample */

/* The same for everybody: drawn once for each worker. Feature f of k parents involves 1 + f mod 4
 * of them, at most k; the gate looks at the first ones, which therefore are of all kinds. */
static void draw(float *w, size_t f, size_t parents)
{
    static const double scales[] = {0.6, 1.2, 2.4};
    rng r = rng_stream(0, RNG_SEARCH, 2, (uint32_t)f, (uint32_t)parents);
    size_t wanted = parents - f % MOST_INVOLVED % parents;
    if (wanted > MOST_INVOLVED) wanted = MOST_INVOLVED - f % MOST_INVOLVED;
    memset(w, 0, (FAMILY_MAX_PARENTS + 1) * sizeof *w);
    double scale = scales[f / MOST_INVOLVED % 3];
    for (size_t p = 0, left = wanted; left > 0; p++) {
        /* every choice of `wanted` parents is as likely */
        if (rng_uniform(&r) * (double)(parents - p) >= (double)left) continue;
        w[p] = (float)(scale * rng_normal(&r));
        left--;
    }
    w[FAMILY_MAX_PARENTS] = (float)rng_normal(&r);
}

scone_status fit_features_alloc(fit_features **out)
{
    scone_status status = SCONE_OK;
    fit_features *features = NULL;
    size_t square = (size_t)FIT_CHOICE * FIT_CHOICE;
    *out = NULL;
    TRY_ZERO(features, 1);
    TRY_ALLOC(features->gram, square);
    for (int c = 0; c < 2; c++) {
        TRY_ZERO(features->sample[c], (size_t)FIT_CHOICE * FIT_CHOICE_ROWS);
        TRY_ALLOC(features->chosen[c], square);
        TRY_ALLOC(features->factor[c], (size_t)FIT_MAX_COLUMNS * FIT_CHOICE);
    }
    double **squares[] = {&features->normal, &features->trial, &features->triangle};
    for (size_t i = 0; i < 3; i++) TRY_ALLOC(*squares[i], square);
    for (size_t k = 1; k <= FAMILY_MAX_PARENTS; k++) {
        for (size_t f = 0; f < FIT_POOL; f++) draw(features->pool[k - 1][f], f, k);
    }
    *out = features;
    return SCONE_OK;
cleanup:
    fit_features_free(features);
    return status;
}

void fit_features_free(fit_features *features)
{
    if (!features) return;
    mem_free(features->gram);
    for (int c = 0; c < 2; c++) {
        mem_free(features->sample[c]);
        mem_free(features->chosen[c]);
        mem_free(features->factor[c]);
    }
    mem_free(features->normal);
    mem_free(features->trial);
    mem_free(features->triangle);
    mem_free(features);
}

/* A unit on m rows from row o on */
static void values(float *out, const float *w, const fit_design *d, size_t o, size_t m)
{
    const float *z[FAMILY_MAX_PARENTS + 1];
    float c[FAMILY_MAX_PARENTS + 1];
    size_t count = 0;
    for (size_t p = 0; p < d->parents; p++) {
        if (w[p] == 0.0f) continue;
        z[count] = d->columns[d->first[p]];
        c[count++] = w[p];
    }
    z[count] = d->one;
    c[count++] = w[FAMILY_MAX_PARENTS];
    kernel_linear(out, z, c, count, o, m);
    kernel_tanh(out, out, m);
    for (size_t i = 0; i < m; i++) out[i] *= d->one[o + i];
}

void fit_features_fill(fit_work *work, const fit_design *d, const fit_rows *rows, size_t count)
{
    for (size_t a = 0; a < count; a++) {
        float *out = work->joint + a * work->b->stride;
        FIT_EACH_BLOCK(rows, o, m)
        {
            values(out + o, work->features->units[a], d, o, m);
        }
    }
}

void fit_features_first(fit_work *work, const fit_design *d, size_t count)
{
    fit_features *features = work->features;
    memcpy(features->units, features->pool[d->parents - 1], count * sizeof *features->units);
}

void fit_features_save(float *out, const fit_work *work, size_t count, size_t parents)
{
    for (size_t a = 0; a < count; a++) {
        const float *w = work->features->units[a];
        memcpy(out, w, parents * sizeof *w);
        out[parents] = w[FAMILY_MAX_PARENTS];
        out += parents + 1;
    }
}

void fit_features_load(fit_work *work, const float *units, size_t count, size_t parents)
{
    for (size_t a = 0; a < count; a++) {
        float *w = work->features->units[a];
        memcpy(w, units, parents * sizeof *w);
        w[FAMILY_MAX_PARENTS] = units[parents];
        units += parents + 1;
    }
}

/* ---- the sample ---- */

/* What is looked at: the plain columns of e, the constant, units, y. */
typedef struct sample {
    fit_work *work;
    const fit_design *e, *d;
    const float *y;
    size_t fixed; /* columns of e in use, and the constant */
} sample;

/* Column `place` of a regime's sample */
static float *column(const sample *s, int c, size_t place)
{
    return s->work->features->sample[c] + place * FIT_CHOICE_ROWS;
}

static size_t sample_rows(const sample *s, int c, size_t *first)
{
    fit_rows all = fit_rows_of(s->work, c == 0 ? FIT_FIRST : FIT_SECOND);
    fit_rows rows = fit_rows_first(&all, FIT_CHOICE_ROWS);
    *first = rows.begin[0];
    return fit_rows_length(&rows, 0);
}

static void sample_unit(const sample *s, int c, size_t place, const float *w)
{
    size_t first, length = sample_rows(s, c, &first);
    float *out = column(s, c, place);
    for (size_t o = 0; o < length; o += KERNEL_BLOCK) {
        size_t m = length - o < KERNEL_BLOCK ? length - o : KERNEL_BLOCK;
        values(out + o, w, s->d, first + o, m);
    }
}

static void sample_begin(const sample *s)
{
    for (int c = 0; c < 2; c++) {
        size_t first, length = sample_rows(s, c, &first);
        for (size_t a = 0; a < s->fixed; a++) {
            const float *from = a + 1 < s->fixed ? s->e->columns[a] : s->d->one;
            memcpy(column(s, c, a), from + first, length * sizeof(float));
        }
    }
}

/* Places y last and leaves the Gram matrix of all columns, lower triangle */
static float *sample_gram(const sample *s, int c, size_t columns)
{
    size_t first, length = sample_rows(s, c, &first);
    float *gram = s->work->features->gram;
    memcpy(column(s, c, columns - 1), s->y + first, length * sizeof(float));
    cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)columns, (int)length, 1.0f,
                column(s, c, 0), FIT_CHOICE_ROWS, 0.0f, gram, (int)columns);
    return gram;
}

/* ---- the choice of units to start from ---- */

/* One regime's part: columns are the fixed ones, the pool, y. */
typedef struct selection {
    size_t columns, picked;
    float *gram;   /* [columns][columns], full */
    float *factor; /* [picked][columns]: rows of the Cholesky factor so far */
    float *left;   /* [columns]: squares that the picked ones leave */
    float *total;  /* [columns]: squares before */
    float *shared; /* [columns]: products with y that they leave */
} selection;

/* Takes column `pivot` out of all others. */
static void pick(selection *s, size_t pivot)
{
    float *row = s->factor + s->picked * s->columns, root = sqrtf(s->left[pivot]);
    memcpy(row, s->gram + pivot * s->columns, s->columns * sizeof *row);
    for (size_t t = 0; t < s->picked; t++) {
        const float *before = s->factor + t * s->columns;
        float x = before[pivot];
        for (size_t j = 0; j < s->columns; j++) row[j] -= x * before[j];
    }
    float target = row[s->columns - 1] / root;
    for (size_t j = 0; j < s->columns; j++) {
        row[j] /= root;
        s->left[j] = fmaxf(s->left[j] - row[j] * row[j], 0.0f);
        s->shared[j] -= target * row[j];
    }
    s->picked++;
}

static bool independent(const selection *s, size_t j)
{
    return s->left[j] > 1e-4f * s->total[j] && s->left[j] > 0.0f;
}

/* What a column explains of y's remaining squares: (x'r)^2 / x'x, both after the picked ones. */
static float explains(const selection *s, size_t j)
{
    size_t y = s->columns - 1;
    if (!independent(s, j)) return 0.0f;
    return s->shared[j] * s->shared[j] / s->left[j] / fmaxf(s->left[y], 1e-6f * s->total[y]);
}

static void select_begin(selection *part, const sample *s, int c)
{
    fit_features *features = s->work->features;
    size_t k = s->fixed + FIT_POOL + 1;
    *part = (selection){.columns = k,
                        .gram = features->chosen[c],
                        .factor = features->factor[c],
                        .left = features->left[c],
                        .total = features->total[c],
                        .shared = features->shared[c]};
    for (size_t f = 0; f < FIT_POOL; f++) {
        sample_unit(s, c, s->fixed + f, features->pool[s->d->parents - 1][f]);
    }
    const float *gram = sample_gram(s, c, k);
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j <= i; j++) {
            part->gram[i * k + j] = part->gram[j * k + i] = gram[i * k + j];
        }
        part->left[i] = part->total[i] = gram[i * k + i];
        part->shared[i] = gram[(k - 1) * k + i];
    }
    for (size_t a = 0; a < s->fixed; a++) {
        if (independent(part, a)) pick(part, a);
    }
}

/* Returns how many units say anything, at most count. */
static size_t choose(const sample *s, size_t count)
{
    fit_features *features = s->work->features;
    selection parts[2];
    for (int c = 0; c < 2; c++) select_begin(&parts[c], s, c);
    for (size_t a = 0; a < count; a++) {
        size_t best = 0;
        float most = 0.0f;
        for (size_t j = s->fixed; j + 1 < parts[0].columns; j++) {
            float value = explains(&parts[0], j) + explains(&parts[1], j);
            if (value > most) best = j, most = value;
        }
        if (most <= 0.0f) return a;
        memcpy(features->units[a], features->pool[s->d->parents - 1][best - s->fixed],
               sizeof *features->units);
        for (int c = 0; c < 2; c++) {
            if (independent(&parts[c], best)) pick(&parts[c], best);
        }
    }
    return count;
}

/* ---- training ---- */

/* Cholesky of the first k rows of a Gram matrix [columns], in place: the rest becomes what they
 * leave of it. A dependent column is passed over. */
SIMD_CLONES_FUSED static void eliminate(float *gram, size_t columns, size_t k)
{
    float left[FIT_CHOICE]; /* column j in one piece */
    for (size_t j = 0; j < k; j++) {
        float pivot = gram[j * columns + j];
        bool used = pivot > 1e-5f * (float)FIT_CHOICE_ROWS;
        float root = used ? sqrtf(pivot) : 1.0f;
        for (size_t i = j; i < columns; i++) {
            left[i] = gram[i * columns + j] = used ? gram[i * columns + j] / root : 0.0f;
        }
        for (size_t i = j + 1; used && i < columns; i++) {
            float x = left[i], *restrict row = gram + i * columns;
            for (size_t t = j + 1; t <= i; t++) row[t] -= x * left[t];
        }
    }
}

/* The coefficients of the first k columns after `eliminate`, from the last row. */
static void coefficients(float *x, const float *gram, size_t columns, size_t k)
{
    const float *y = gram + (columns - 1) * columns;
    for (size_t j = k; j-- > 0;) {
        float sum = y[j], pivot = gram[j * columns + j];
        for (size_t i = j + 1; i < k; i++) sum -= gram[i * columns + j] * x[i];
        x[j] = pivot > 0.0f ? sum / pivot : 0.0f;
    }
}

/* Units and, given their coefficients, the derivatives by their weights; returns the number of
 * columns with y. */
static size_t place_units(const sample *s, int c, size_t units, const float *slope)
{
    fit_features *features = s->work->features;
    size_t first, length = sample_rows(s, c, &first), place = s->fixed + units;
    for (size_t a = 0; a < units; a++) sample_unit(s, c, s->fixed + a, features->units[a]);
    for (size_t a = 0; slope && a < units; a++) {
        const float *t = column(s, c, s->fixed + a);
        for (size_t p = 0; p <= s->d->parents; p++, place++) {
            const float *z = p < s->d->parents ? s->d->columns[s->d->first[p]] : s->d->one;
            float *out = column(s, c, place);
            for (size_t i = 0; i < length; i++) {
                out[i] = slope[a] * (1.0f - t[i] * t[i]) * z[first + i] * s->d->one[first + i];
            }
        }
    }
    return place + 1;
}

/* Log mean squares that the units leave, over both regimes; with `normal` also the normal equations
 * of a step. */
static double evaluate(const sample *s, size_t units, double *normal, double *right)
{
    size_t k = s->fixed + units, steps = units * (s->d->parents + 1);
    double total = 0.0;
    if (normal) {
        memset(normal, 0, steps * steps * sizeof *normal);
        memset(right, 0, steps * sizeof *right);
    }
    for (int c = 0; c < 2; c++) {
        float x[FIT_CHOICE];
        size_t first, length = sample_rows(s, c, &first), columns = place_units(s, c, units, NULL);
        float *gram = sample_gram(s, c, columns);
        eliminate(gram, columns, k);
        double square = fmax((double)gram[columns * columns - 1], 1e-9 * (double)length);
        total += 0.5 * (double)length * log(square / (double)length);
        if (!normal) continue;
        coefficients(x, gram, columns, k);
        columns = place_units(s, c, units, x + s->fixed);
        gram = sample_gram(s, c, columns);
        eliminate(gram, columns, k);
        double weight = (double)length / square;
        for (size_t i = 0; i < steps; i++) {
            for (size_t j = 0; j <= i; j++) {
                normal[i * steps + j] += weight * (double)gram[(k + i) * columns + k + j];
            }
            right[i] += weight * (double)gram[(columns - 1) * columns + k + i];
        }
    }
    return total;
}

static void train(const sample *s, size_t units, int limit)
{
    fit_features *features = s->work->features;
    size_t parents = s->d->parents, steps = units * (parents + 1);
    float(*kept)[FAMILY_MAX_PARENTS + 1] = features->kept;
    double damping = 1e-2, now = evaluate(s, units, features->normal, features->right);
    for (int step = 0; step < limit; step++) {
        memcpy(kept, features->units, units * sizeof *kept);
        memcpy(features->trial, features->normal, steps * steps * sizeof *features->trial);
        memcpy(features->move, features->right, steps * sizeof *features->move);
        for (size_t i = 0; i < steps; i++) {
            features->trial[i * steps + i] += damping * (features->normal[i * steps + i] + 1.0);
        }
        fit_solve(features->trial, features->move, steps, features->triangle);
        for (size_t a = 0, i = 0; a < units; a++) {
            for (size_t p = 0; p <= parents; p++, i++) {
                float *w = &features->units[a][p < parents ? p : FAMILY_MAX_PARENTS];
                *w = fmaxf(fminf(*w + (float)features->move[i], 30.0f), -30.0f);
            }
        }
        double next = evaluate(s, units, NULL, NULL);
        if (next < now) {
            bool done = next > now - TRAIN_LEAST || step + 1 == limit;
            now = next;
            if (done) break;
            damping = fmax(damping * 0.2, 1e-5);
            (void)evaluate(s, units, features->normal, features->right);
        } else {
            memcpy(features->units, kept, units * sizeof *kept);
            damping *= 10.0;
            if (damping > 1e4) break;
        }
    }
}

/* Units of an earlier fit; parents that it does not have get no weight. */
static void take_start(const sample *s, const fit_start *start, const family *f)
{
    size_t parents = start->family->count;
    const float *from = start->coefficients +
                        (size_t)FIT_SETS * FIT_VECTORS * fit_columns(s->work->b, start->family);
    for (size_t a = 0; a < start->units; a++, from += parents + 1) {
        float *w = s->work->features->units[a];
        memset(w, 0, (FAMILY_MAX_PARENTS + 1) * sizeof *w);
        for (size_t i = 0; i < f->count; i++) {
            for (size_t q = 0; q < parents; q++) {
                if (f->parents[i] == start->family->parents[q]) w[i] = from[q];
            }
        }
        w[FAMILY_MAX_PARENTS] = from[parents];
    }
}

/* The first start with units; NULL if there is none. */
static const fit_start *usable_start(const fit_request *request, size_t count)
{
    for (size_t i = 0; i < request->start_count; i++) {
        size_t units = request->starts[i].units;
        if (units > 0 && units <= count) return &request->starts[i];
    }
    return NULL;
}

size_t fit_features_find(fit_work *work, const fit_features_task *task, size_t count)
{
    const sample s = {work, task->e, task->d, task->y, task->before + 1};
    size_t room = (FIT_CHOICE - s.fixed - 1) / (task->d->parents + 2);
    if (count > room) count = room;
    const fit_start *start = usable_start(task->request, count);
    sample_begin(&s);
    size_t units = choose(&s, count);
    if (start) { /* it takes the places of the first ones */
        take_start(&s, start, task->request->family);
        if (units < start->units) units = start->units;
    }
    if (units > 0) train(&s, units, start ? START_STEPS : TRAIN_STEPS);
    return units;
}
