/* bench_model.c - time and share of peak of one training step of the model: forward, loss,
 * backward, update.
 *
 *     bench_model [THREADS] [REPEATS] [PRESET] [CASE...]
 *
 * The cases are those of model_cases.h; all of them unless some are named. The peak is that of a
 * 512 x 512 x 512 sgemm on each thread, timed in every repeat; each line has the least time of all
 * repeats. With one thread times are those of the processor, so that other programs disturb less;
 * with more they are those of the clock. Flops are those of matrix products and attention: what
 * soft-max, layer norm, GELU, the motifs of the heads and the update take shows as time without
 * flops. "step" is the whole batch in one pass, "step by graphs" the way of src/train: each graph
 * on one thread, their gradients added. Prints CSV, after a line that starts with '#' and has the
 * sizes of the case.
 */
#include "model_cases.h"

#include "parallel/parallel.h"
#include "model/model.h"
#include "train/optimizer.h"

#include <cblas.h>
#include <time.h>

enum { SIDE = 512, STREAMS = 2, PASSES = 2, MOST_THREADS = 64 };

static const char *const PARTS[MODEL_PARTS] = {
    "embedding",           "projection in",        "row attention",
    "projections between", "column attention",     "feed-forward",
    "bias heads",          "pooling and messages", "output"};

typedef double part_times[MODEL_PARTS][STREAMS][PASSES];

typedef struct clock_state {
    double last;
    part_times now, best;
} clock_state;

static const double EQUAL[3] = {1.0, 1.0, 1.0};

static clockid_t timer = CLOCK_MONOTONIC;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(timer, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* ---- flops ---- */

static double squares(const nn_groups *groups)
{
    double sum = 0.0;
    for (size_t g = 0; g < groups->count; g++) {
        double n = (double)(groups->offsets[g + 1] - groups->offsets[g]);
        sum += n * n;
    }
    return sum;
}

/* Of the forward pass; the backward pass has twice as many, attention 2.5 times. */
static double forward_flops(model_part part, int stream, const batch *b, const model_config *config)
{
    double d = (double)config->width, ff = (double)config->feed_forward;
    double rows = (double)(stream ? b->grid : 2 * b->cells), blocks = (double)config->blocks;
    double cells = (double)b->cells, members = (double)b->members;
    switch (part) {
    case PART_EMBED:
        return stream
                   ? 2 * rows * d
                   : 2 * rows * d * ((double)b->feature_count + d) + 4 * (double)b->nodes * d * d;
    case PART_IN:
        return blocks * 6 * rows * d * d;
    case PART_ROW:
        return blocks * 4 * d * squares(stream ? &b->grid_rows : &b->rows);
    case PART_BETWEEN:
        return blocks * 8 * rows * d * d;
    case PART_COLUMN:
        return blocks * 4 * d * squares(stream ? &b->grid_columns : &b->columns);
    case PART_OUT:
        return blocks * (2 * rows * d * d + 4 * rows * d * ff);
    case PART_HEADS: /* SSI: z, p, m and W_b of both ends; DPT: z, Delta, W_1 of instances */
        if (stream || !config->bias_heads) return 0.0;
        return blocks * d *
               (4 * cells * d + 4 * members * d + 8 * members + 4 * cells * d + 4 * cells * d +
                2 * cells * d + 4 * (double)b->instances * d);
    case PART_POOL:
        return stream ? 0.0 : blocks * 4 * rows * d;
    case PART_OUTPUT:
        return stream ? 0.0 : 6 * d * ((double)b->grid + (double)b->pairs);
    default:
        return 0.0;
    }
}

static double pass_flops(model_part part, int stream, int pass, const batch *b,
                         const model_config *config)
{
    bool attention = part == PART_ROW || part == PART_COLUMN;
    return forward_flops(part, stream, b, config) * (pass == 0 ? 1.0 : attention ? 2.5 : 2.0);
}

/* ---- the peak ---- */

typedef struct products {
    float *x[3]; /* [threads, SIDE, SIDE] */
} products;

static void products_make(products *p, int threads)
{
    size_t count = (size_t)threads * SIDE * SIDE;
    for (size_t k = 0; k < 3; k++) {
        p->x[k] = mem_aligned(count, sizeof(float));
        require(p->x[k] != NULL);
        for (size_t i = 0; i < count; i++) p->x[k][i] = 0.5f;
    }
}

static void multiply(void *argument, size_t item, int worker)
{
    const products *p = argument;
    size_t at = item * SIDE * SIDE;
    (void)worker;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1.0f, p->x[0] + at,
                SIDE, p->x[1] + at, SIDE, 0.0f, p->x[2] + at, SIDE);
}

/* ---- measuring ---- */

typedef struct bench {
    const size_case *c;
    case_batch made;
    parameter_layout *layout;
    optimizer *o;
    float *gradients;
    int threads, repeats;
    scone_context context;
    products peak;
    clock_state clock;
    double step, loss, update, product;
} bench;

static void watch(void *argument, model_part part, int stream, bool backward)
{
    clock_state *clock = argument;
    double now = seconds();
    clock->now[part][stream][backward] += now - clock->last;
    clock->last = now;
}

static void keep_least(clock_state *clock)
{
    double *b = &clock->best[0][0][0];
    const double *n = &clock->now[0][0][0];
    for (size_t k = 0; k < MODEL_PARTS * STREAMS * PASSES; k++) b[k] = least(b[k], n[k]);
}

static void update(bench *x)
{
    double norm;
    require(optimizer_update(&norm, x->o, x->gradients, 1e-4, &x->context) == SCONE_OK);
}

static void take_step(bench *x, model_run *run, int repeat)
{
    clock_state *clock = &x->clock;
    const batch *b = x->made.b;
    loss_terms terms;
    memset(clock->now, 0, sizeof clock->now);
    double start = seconds();
    memset(x->gradients, 0, x->layout->count * sizeof *x->gradients);
    clock->last = seconds();
    require(model_forward(run, x->o->weights, b) == SCONE_OK);
    double middle = seconds();
    model_loss(&terms, run, b, EQUAL, CASE_SEED, (uint64_t)repeat);
    clock->last = seconds();
    double loss = clock->last - middle;
    model_backward(run, x->gradients, x->o->weights, b);
    middle = seconds();
    update(x);
    double end = seconds();
    if (repeat == 0) return; /* memory is new */
    x->loss = least(x->loss, loss);
    x->update = least(x->update, end - middle);
    x->step = least(x->step, end - start);
    keep_least(clock);
}

/* Returns the bytes of the activations. */
static size_t measure_batch(bench *x)
{
    model_run *run;
    double *first = &x->clock.best[0][0][0];
    for (size_t k = 0; k < MODEL_PARTS * STREAMS * PASSES; k++) first[k] = 1e9;
    x->step = x->loss = x->update = x->product = 1e9;
    require(model_run_alloc(&run, x->layout, &x->context) == SCONE_OK);
    model_run_watch(run, watch, &x->clock);
    for (int k = 0; k < x->repeats; k++) {
        take_step(x, run, k);
        double start = seconds();
        parallel_plain((size_t)x->threads, x->threads, multiply, &x->peak);
        x->product = least(x->product, seconds() - start);
    }
    size_t bytes = model_run_bytes(run);
    model_run_free(run);
    return bytes;
}

/* ---- graph by graph ---- */

typedef struct graphs_job {
    bench *x;
    batch *b[MOST_GRAPHS];
    float *gradients; /* [graphs, count] */
    model_run *run[MOST_THREADS];
} graphs_job;

static void graph_item(void *argument, size_t item, int worker)
{
    graphs_job *job = argument;
    size_t count = job->x->layout->count;
    float *gradients = job->gradients + item * count;
    loss_terms terms;
    memset(gradients, 0, count * sizeof *gradients);
    require(model_forward(job->run[worker], job->x->o->weights, job->b[item]) == SCONE_OK);
    model_loss(&terms, job->run[worker], job->b[item], EQUAL, CASE_SEED, item);
    model_backward(job->run[worker], gradients, job->x->o->weights, job->b[item]);
}

static double measure_graphs(bench *x)
{
    graphs_job job = {.x = x};
    const scone_context alone = {.threads = 1};
    size_t graphs = x->made.graphs, count = x->layout->count;
    double best = 1e9;
    job.gradients = mem_aligned(graphs * count, sizeof(float));
    require(job.gradients != NULL);
    for (size_t g = 0; g < graphs; g++) {
        const batch_item item = {x->made.t[g], x->made.identity[g], false};
        require(batch_alloc(&job.b[g]) == SCONE_OK);
        require(batch_make(job.b[g], &item, 1, &x->layout->config) == SCONE_OK);
    }
    for (int k = 0; k < x->threads; k++) {
        require(model_run_alloc(&job.run[k], x->layout, &alone) == SCONE_OK);
    }
    for (int repeat = 0; repeat < x->repeats; repeat++) {
        double start = seconds();
        parallel_plain(graphs, x->threads, graph_item, &job);
        memset(x->gradients, 0, count * sizeof *x->gradients);
        for (size_t i = 0; i < graphs * count; i++) {
            x->gradients[i % count] += job.gradients[i] / (float)graphs;
        }
        update(x);
        if (repeat > 0) best = least(best, seconds() - start);
    }
    for (size_t g = 0; g < graphs; g++) batch_free(job.b[g]);
    for (int k = 0; k < x->threads; k++) model_run_free(job.run[k]);
    mem_free(job.gradients);
    return best;
}

/* ---- printing ---- */

static void print_line(const bench *x, const char *part, const char *stream, const char *pass,
                       double time, double flops)
{
    double peak = 2.0 * SIDE * SIDE * SIDE * x->threads / x->product;
    (void)printf("%s,%d,%s,%s,%s,%.3f,%.1f,%.1f,%.2f\n", x->c->name, x->threads, part, stream, pass,
                 1e3 * time, 1e-6 * flops, 1e-9 * flops / time, flops / time / peak);
}

/* Returns the flops of the step. */
static double print_parts(const bench *x)
{
    static const char *const streams[] = {"marginal", "global"};
    static const char *const passes[] = {"forward", "backward"};
    double total = 0.0;
    for (int part = 0; part < MODEL_PARTS; part++) {
        for (int stream = 0; stream < STREAMS; stream++) {
            for (int pass = 0; pass < PASSES; pass++) {
                double flops =
                    pass_flops((model_part)part, stream, pass, x->made.b, &x->layout->config);
                double time = x->clock.best[part][stream][pass];
                total += flops;
                if (time > 0.0 && time < 1e8) {
                    print_line(x, PARTS[part], streams[stream], passes[pass], time, flops);
                }
            }
        }
    }
    return total;
}

static void measure(bench *x, const model_config *config)
{
    require(parameters_layout_make(&x->layout, config) == SCONE_OK);
    require(optimizer_alloc(&x->o, x->layout, CASE_SEED) == SCONE_OK);
    case_weights(x->o->weights, x->layout);
    case_make(&x->made, x->c, config);
    x->gradients = mem_aligned(x->layout->count, sizeof *x->gradients);
    require(x->gradients != NULL);
    size_t bytes = measure_batch(x);
    const batch *b = x->made.b;
    (void)printf("# %s: graphs %zu, nodes %zu, most subsets %zu, most pairs %zu, cells %zu, "
                 "tokens %zu, grid %zu, triples %zu, instances %zu, parameters %zu, MB %.1f\n",
                 x->c->name, b->graphs, x->c->nodes, x->made.subsets, x->made.pairs, b->cells,
                 2 * b->cells, b->grid, b->triples, b->instances, x->layout->count,
                 1e-6 * (double)bytes);
    print_line(x, "sgemm 512", "", "", x->product, 2.0 * SIDE * SIDE * SIDE * x->threads);
    double flops = print_parts(x);
    print_line(x, "loss", "", "", x->loss, 0.0);
    print_line(x, "update", "", "", x->update, 0.0);
    print_line(x, "step", "", "", x->step, flops);
    if (x->made.graphs > 1) print_line(x, "step by graphs", "", "", measure_graphs(x), flops);
    (void)fflush(stdout);
    case_free(&x->made);
    mem_free(x->gradients);
    optimizer_free(x->o);
    parameters_layout_free(x->layout);
}

int main(int count, char **arguments)
{
    static bench x;
    model_config config;
    x.threads = count > 1 ? atoi(arguments[1]) : 1;
    x.repeats = count > 2 ? atoi(arguments[2]) : 10;
    if (x.threads < 1 || x.threads > MOST_THREADS || x.repeats < 2) return 2;
    require(config_preset(&config, count > 3 ? arguments[3] : "paper") == SCONE_OK);
    if (x.threads == 1) timer = CLOCK_PROCESS_CPUTIME_ID;
    x.context.threads = x.threads;
    products_make(&x.peak, x.threads);
    (void)printf("case,threads,part,stream,pass,milliseconds,megaflops,gigaflops_per_second,"
                 "share_of_peak\n");
    for (int k = 0; k < (count > 4 ? count - 4 : (int)CASE_COUNT); k++) {
        x.c = count > 4 ? case_named(arguments[4 + k]) : &CASES[k];
        measure(&x, &config);
    }
    for (size_t k = 0; k < 3; k++) mem_free(x.peak.x[k]);
    return 0;
}
