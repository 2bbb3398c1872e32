/* optimizer.c - AdamW (see optimizer.h). Elements do not depend on each other, so any division
 * among threads gives the same bytes; only the norm is a sum, and it is made on one thread. */
#include "train/optimizer.h"

#include "parallel/parallel.h"

#include <math.h>
#include <string.h>

static const double half_turn = 3.14159265358979323846;

scone_status optimizer_alloc(optimizer **out, const parameter_layout *layout, uint64_t seed)
{
    scone_status status = SCONE_OK;
    optimizer *o = NULL;
    *out = NULL;
    TRY_ZERO(o, 1);
    o->layout = layout;
    TRY_ZERO(o->weights, layout->count);
    TRY_ZERO(o->moment1, layout->count);
    TRY_ZERO(o->moment2, layout->count);
    TRY_ZERO(o->average, layout->count);
    parameters_start(o->weights, layout, seed);
    memcpy(o->average, o->weights, layout->count * sizeof *o->average);
    *out = o;
    o = NULL;
cleanup:
    optimizer_free(o);
    return status;
}

void optimizer_free(optimizer *o)
{
    if (!o) return;
    mem_free(o->weights);
    mem_free(o->moment1);
    mem_free(o->moment2);
    mem_free(o->average);
    mem_free(o);
}

double optimizer_rate(const model_config *config, size_t step, size_t steps)
{
    size_t warm = (size_t)ceil(config->warm_up * (double)steps);
    if (step < warm) return config->learning_rate * (double)(step + 1) / (double)warm;
    size_t length = steps > warm + 1 ? steps - 1 - warm : 1;
    double way = fmin((double)(step - warm) / (double)length, 1.0);
    double share =
        config->final_rate + (1.0 - config->final_rate) * 0.5 * (1.0 + cos(half_turn * way));
    return config->learning_rate * share;
}

/* Euclidean norm, summed in double in the order of the parameters. */
static double optimizer_norm(const float *gradients, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += (double)gradients[i] * (double)gradients[i];
    return sqrt(sum);
}

/* ---- the update ---- */

typedef struct update_job {
    optimizer *o;
    const float *gradients;
    float scale, beta1, beta2, correction1, correction2, epsilon, rate, decay, keep;
} update_job;

static void update_range(const update_job *job, size_t first, size_t last, float decay)
{
    const optimizer *o = job->o;
    for (size_t i = first; i < last; i++) {
        float g = job->gradients[i] * job->scale;
        float m = job->beta1 * o->moment1[i] + (1.0f - job->beta1) * g;
        float v = job->beta2 * o->moment2[i] + (1.0f - job->beta2) * g * g;
        float w = o->weights[i];
        float way = (m * job->correction1) / (sqrtf(v * job->correction2) + job->epsilon);
        w -= job->rate * (way + decay * w);
        o->moment1[i] = m;
        o->moment2[i] = v;
        o->weights[i] = w;
        o->average[i] = job->keep * o->average[i] + (1.0f - job->keep) * w;
    }
}

static void update_parameter(void *argument, size_t item, int worker)
{
    const update_job *job = argument;
    const parameter *p = &job->o->layout->list[item];
    (void)worker;
    update_range(job, p->offset, p->offset + p->rows * p->columns, p->decay ? job->decay : 0.0f);
}

scone_status optimizer_update(double *norm, optimizer *o, const float *gradients, double rate,
                              const scone_context *context)
{
    const model_config *config = &o->layout->config;
    *norm = optimizer_norm(gradients, o->layout->count);
    if (!isfinite(*norm)) {
        return RAISE(SCONE_ERR_INPUT,
                     "the gradient of step %zu is not finite: the training diverged; use a smaller "
                     "learning_rate",
                     o->step + 1);
    }
    double t = (double)(++o->step);
    update_job job = {
        .o = o,
        .gradients = gradients,
        .scale = (float)(*norm > config->clip ? config->clip / *norm : 1.0),
        .beta1 = (float)config->beta1,
        .beta2 = (float)config->beta2,
        .correction1 = (float)(1.0 / (1.0 - pow(config->beta1, t))),
        .correction2 = (float)(1.0 / (1.0 - pow(config->beta2, t))),
        .epsilon = (float)config->epsilon,
        .rate = (float)rate,
        .decay = (float)config->weight_decay,
        .keep = (float)fmin(config->average_decay, (1.0 + t) / (10.0 + t)),
    };
    parallel_plain(o->layout->list_count, context_threads(context), update_parameter, &job);
    return SCONE_OK;
}
