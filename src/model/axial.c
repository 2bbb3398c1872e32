/* axial.c - one axial block of either stream (docs/methods/model.md): row attention, column
 * attention, feed-forward, each with layer norm before and residual around it.
 *
 *     x1 = x0 + W_o attention_rows(W_qkv LN x0 + b) + b_o
 *     x2 = x1 + the same along columns
 *     x3 = x2 + W_2 gelu(W_1 LN x2 + b_1) + b_2
 *
 * Attention mixes the tokens of a group, all else goes by token: so a block is three loops over
 * chunks with the two attentions between them. Of the layer norms and of GELU the backward pass
 * keeps the inputs and computes the outputs again.
 */
#include "model/model_parts.h"

#include <string.h>

typedef struct axial_job {
    model_run *run;
    const axial_kept *kept;
    const place_axial *place;
    const real *values;
    real *out;     /* forward */
    real *dx, *dy; /* backward: of the stream, of the attention's output */
    real *gradients;
    const real *dqkv;
    size_t d, ff;
    /* places in the parts */
    size_t norm[2], qkv[2], project[2], feed_in[2], feed_out[2];
} axial_job;

static const place_attention *attention_of(const axial_job *job, int way)
{
    return way == ROW ? &job->place->row : &job->place->column;
}

/* ---- one chunk, forward ---- */

/* qkv = W LN x + b */
static void project_in(const axial_job *job, const chunk *c, int way)
{
    const place_attention *place = attention_of(job, way);
    const axial_kept *kept = job->kept;
    const nn_work *work = job->run->serial;
    const real *v = job->values;
    size_t d = job->d;
    layer_norm_forward(c->scratch, kept->statistics[way] + c->first * 2,
                       kept->x[way] + c->first * d, v + place->norm.gain, v + place->norm.shift,
                       c->rows, d, work);
    linear_forward(kept->qkv[way] + c->first * 3 * d, c->scratch, v + place->qkv.weight,
                   v + place->qkv.bias, c->rows, d, 3 * d, NN_SET, work);
}

/* next = x + W y + b */
static void project_out(const axial_job *job, const chunk *c, int way)
{
    const place_attention *place = attention_of(job, way);
    const real *v = job->values;
    size_t d = job->d, at = c->first * d;
    real *next = job->kept->x[way + 1] + at;
    const real *x = job->kept->x[way] + at;
    if (next != x) memcpy(next, x, c->rows * d * sizeof *next);
    linear_forward(next, job->kept->y[way] + at, v + place->out.weight, v + place->out.bias,
                   c->rows, d, d, NN_ADD, job->run->serial);
}

/* out = x + W_2 gelu(W_1 LN x + b_1) + b_2 */
static void feed_forward(const axial_job *job, const chunk *c)
{
    const place_feed_forward *place = &job->place->feed;
    const axial_kept *kept = job->kept;
    const nn_work *work = job->run->serial;
    const real *v = job->values, *x = kept->x[2] + c->first * job->d;
    size_t d = job->d, ff = job->ff;
    real *normed = c->scratch, *active = normed + CHUNK_ROWS * d;
    real *inner = kept->inner ? kept->inner + c->first * ff : active;
    real *out = job->out + c->first * d;
    layer_norm_forward(normed, kept->statistics[2] + c->first * 2, x, v + place->norm.gain,
                       v + place->norm.shift, c->rows, d, work);
    linear_forward(inner, normed, v + place->in.weight, v + place->in.bias, c->rows, d, ff, NN_SET,
                   work);
    gelu_forward(active, inner, c->rows * ff, work);
    if (out != x) memcpy(out, x, c->rows * d * sizeof *out);
    linear_forward(out, active, v + place->out.weight, v + place->out.bias, c->rows, ff, d, NN_ADD,
                   work);
}

static void first_chunk(void *argument, const chunk *c)
{
    project_in(argument, c, ROW);
}

static void middle_chunk(void *argument, const chunk *c)
{
    project_out(argument, c, ROW);
    project_in(argument, c, COLUMN);
}

static void last_chunk(void *argument, const chunk *c)
{
    project_out(argument, c, COLUMN);
    feed_forward(argument, c);
}

static axial_job job_of(model_run *run, const axial_kept *kept, const place_axial *place,
                        const real *values)
{
    return (axial_job){.run = run,
                       .kept = kept,
                       .place = place,
                       .values = values,
                       .d = run->layout->config.width,
                       .ff = run->layout->config.feed_forward};
}

void axial_forward(model_run *run, real *out, axial_kept *kept, int stream,
                   const place_axial *place, const real *values)
{
    static const model_part attentions[2] = {PART_ROW, PART_COLUMN};
    const model_config *config = &run->layout->config;
    axial_job job = job_of(run, kept, place, values);
    size_t rows = run->rows[stream];
    job.out = out;
    run_chunks(run, rows, first_chunk, &job, NULL);
    run_watch(run, PART_IN, stream, false);
    for (int way = ROW; way <= COLUMN; way++) {
        attention_forward(kept->y[way], kept->log_sum[way], kept->qkv[way],
                          run->groups[stream][way], config->width, config->heads, run->work);
        run_watch(run, attentions[way], stream, false);
        run_chunks(run, rows, way == ROW ? middle_chunk : last_chunk, &job, NULL);
        run_watch(run, way == ROW ? PART_BETWEEN : PART_OUT, stream, false);
    }
}

/* ---- one chunk, backward ---- */

/* out = x + W_2 gelu(inner) + b_2, inner = W_1 LN x + b_1: dx is that by out and gets that by x */
static void feed_forward_back(const axial_job *job, const chunk *c)
{
    const place_feed_forward *place = &job->place->feed;
    const axial_kept *kept = job->kept;
    const nn_work *work = job->run->serial;
    const real *v = job->values, *x = kept->x[2] + c->first * job->d;
    size_t d = job->d, ff = job->ff;
    real *normed = c->scratch, *dnormed = normed + CHUNK_ROWS * d;
    real *active = dnormed + CHUNK_ROWS * d, *dinner = active + CHUNK_ROWS * ff;
    real *statistics = kept->statistics[2] + c->first * 2, *dx = job->dx + c->first * d;
    const real *inner = kept->inner + c->first * ff;
    gelu_forward(active, inner, c->rows * ff, work);
    linear_backward(dinner, c->part + job->feed_out[0], c->part + job->feed_out[1], dx, active,
                    v + place->out.weight, c->rows, ff, d, NN_SET, work);
    gelu_backward(dinner, dinner, inner, c->rows * ff, work);
    layer_norm_forward(normed, statistics, x, v + place->norm.gain, v + place->norm.shift, c->rows,
                       d, work);
    linear_backward(dnormed, c->part + job->feed_in[0], c->part + job->feed_in[1], dinner, normed,
                    v + place->in.weight, c->rows, d, ff, NN_SET, work);
    layer_norm_backward(dx, c->part + job->norm[0], c->part + job->norm[1], dnormed, x, statistics,
                        v + place->norm.gain, c->rows, d, NN_ADD, work);
}

/* next = x + W y + b: dx passes, dy = dx W */
static void project_out_back(const axial_job *job, const chunk *c, int way)
{
    const place_attention *place = attention_of(job, way);
    size_t d = job->d, at = c->first * d;
    linear_backward(job->dy + at, c->part + job->project[0], c->part + job->project[1],
                    job->dx + at, job->kept->y[way] + at, job->values + place->out.weight, c->rows,
                    d, d, NN_SET, job->run->serial);
}

/* qkv = W LN x + b: dx gets what comes through */
static void project_in_back(const axial_job *job, const chunk *c, int way)
{
    const place_attention *place = attention_of(job, way);
    const axial_kept *kept = job->kept;
    const nn_work *work = job->run->serial;
    const real *v = job->values;
    size_t d = job->d;
    const real *x = kept->x[way] + c->first * d;
    real *normed = c->scratch, *dnormed = normed + CHUNK_ROWS * d;
    real *statistics = kept->statistics[way] + c->first * 2;
    layer_norm_forward(normed, statistics, x, v + place->norm.gain, v + place->norm.shift, c->rows,
                       d, work);
    linear_backward(dnormed, c->part + job->qkv[0], c->part + job->qkv[1],
                    job->dqkv + c->first * 3 * d, normed, v + place->qkv.weight, c->rows, d, 3 * d,
                    NN_SET, work);
    layer_norm_backward(job->dx + c->first * d, c->part + job->norm[0], c->part + job->norm[1],
                        dnormed, x, statistics, v + place->norm.gain, c->rows, d, NN_ADD, work);
}

static void last_chunk_back(void *argument, const chunk *c)
{
    feed_forward_back(argument, c);
    project_out_back(argument, c, COLUMN);
}

static void middle_chunk_back(void *argument, const chunk *c)
{
    project_in_back(argument, c, COLUMN);
    project_out_back(argument, c, ROW);
}

static void first_chunk_back(void *argument, const chunk *c)
{
    project_in_back(argument, c, ROW);
}

/* ---- sums ---- */

static void sum_linear(size_t at[2], chunk_sums *sums, real *gradients, const place_linear *place,
                       size_t in, size_t out)
{
    at[0] = chunk_sums_add(sums, gradients + place->weight, in * out);
    at[1] = chunk_sums_add(sums, gradients + place->bias, out);
}

static void sum_norm(size_t at[2], chunk_sums *sums, real *gradients, const place_norm *place,
                     size_t d)
{
    at[0] = chunk_sums_add(sums, gradients + place->gain, d);
    at[1] = chunk_sums_add(sums, gradients + place->shift, d);
}

static void sums_in(axial_job *job, chunk_sums *sums, int way)
{
    const place_attention *place = attention_of(job, way);
    sum_norm(job->norm, sums, job->gradients, &place->norm, job->d);
    sum_linear(job->qkv, sums, job->gradients, &place->qkv, job->d, 3 * job->d);
}

static void sums_out(axial_job *job, chunk_sums *sums, int way)
{
    sum_linear(job->project, sums, job->gradients, &attention_of(job, way)->out, job->d, job->d);
}

static void sums_feed(axial_job *job, chunk_sums *sums)
{
    const place_feed_forward *place = &job->place->feed;
    sum_norm(job->norm, sums, job->gradients, &place->norm, job->d);
    sum_linear(job->feed_in, sums, job->gradients, &place->in, job->d, job->ff);
    sum_linear(job->feed_out, sums, job->gradients, &place->out, job->ff, job->d);
}

void axial_backward(model_run *run, real *dx, real *gradients, const axial_kept *kept, int stream,
                    const place_axial *place, const real *values)
{
    static const model_part attentions[2] = {PART_ROW, PART_COLUMN};
    const model_config *config = &run->layout->config;
    axial_job job = job_of(run, kept, place, values);
    chunk_sums last = {0}, middle = {0}, first = {0};
    size_t rows = run->rows[stream];
    job.dx = dx;
    job.gradients = gradients;
    job.dy = run->dy;
    job.dqkv = run->dqkv;
    sums_feed(&job, &last);
    sums_out(&job, &last, COLUMN);
    run_chunks(run, rows, last_chunk_back, &job, &last);
    run_watch(run, PART_OUT, stream, true);
    for (int way = COLUMN; way >= ROW; way--) {
        chunk_sums *sums = way == COLUMN ? &middle : &first;
        attention_backward(run->dqkv, run->dy, kept->y[way], kept->log_sum[way], kept->qkv[way],
                           run->groups[stream][way], config->width, config->heads, run->work);
        run_watch(run, attentions[way], stream, true);
        sums_in(&job, sums, way);
        if (way == COLUMN) sums_out(&job, sums, ROW);
        run_chunks(run, rows, way == COLUMN ? middle_chunk_back : first_chunk_back, &job, sums);
        run_watch(run, way == COLUMN ? PART_BETWEEN : PART_IN, stream, true);
    }
}
