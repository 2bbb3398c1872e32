/* bench_model.c - time and share of peak of one training step of the model: forward, loss,
 * backward.
 *
 *     bench_model [THREADS] [REPEATS] [PRESET]
 *
 * Two sizes: 8 graphs of N 20, T 24, K 60, and one of N 100, T 150, K 400. Candidate pairs join
 * nodes that are close on a ring, subsets of 8 nodes lie in a window of 20 and cover all pairs.
 * The peak is that of a 512 x 512 x 512 sgemm on each thread, timed in every repeat; each line has
 * the least time of all repeats. With one thread times are those of the processor, so that other
 * programs disturb less; with more they are those of the clock. Flops are those of matrix products
 * and attention: what soft-max, layer norm, GELU and the motifs of the heads take shows as time
 * without flops. Prints CSV.
 */
#include "base/arena.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "model/model.h"
#include "token/layout.h"

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 512, K_SUBSET = 8, WINDOW = 20, MOST_GRAPHS = 8, STREAMS = 2, PASSES = 2 };

typedef struct size_case {
    const char *name;
    size_t graphs, nodes, subsets, reach; /* reach: of a pair on the ring */
} size_case;

static const size_case CASES[] = {{"B 8 N 20", 8, 20, 24, 3}, {"B 1 N 100", 1, 100, 150, 4}};

static const char *const PARTS[MODEL_PARTS] = {
    "embedding",           "projection in",        "row attention",
    "projections between", "column attention",     "feed-forward",
    "bias heads",          "pooling and messages", "output"};

typedef double part_times[MODEL_PARTS][STREAMS][PASSES];

typedef struct clock_state {
    double last;
    part_times now, best;
} clock_state;

static clockid_t timer = CLOCK_MONOTONIC;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(timer, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void require(bool fine)
{
    if (fine) return;
    (void)fprintf(stderr, "bench_model: %s\n", scone_error_message());
    exit(2);
}

/* ---- tokens ---- */

/* Subset g: the ends of the pairs that are its share, then others of the window around them. */
static void draw_subset(tokens *t, rng *r, const size_case *c, size_t g)
{
    uint32_t *nodes = t->subset_nodes + g * K_SUBSET;
    size_t pairs = t->size.pairs, count = 0;
    bool taken[128] = {false};
    for (size_t e = g * pairs / c->subsets; e < (g + 1) * pairs / c->subsets; e++) {
        for (size_t k = 0; k < 2; k++) taken[t->ends[e][k]] = true;
    }
    for (size_t v = 0; v < c->nodes; v++) count += taken[v];
    size_t start = t->ends[g * pairs / c->subsets][0];
    while (count < K_SUBSET) {
        size_t v = (start + c->nodes - WINDOW / 2 + rng_below(r, WINDOW)) % c->nodes;
        count += !taken[v];
        taken[v] = true;
    }
    for (size_t v = 0, m = 0; v < c->nodes && m < K_SUBSET; v++) {
        if (taken[v]) nodes[m++] = (uint32_t)v;
    }
    t->subset_offsets[g + 1] = (uint32_t)((g + 1) * K_SUBSET);
}

static void fill_values(tokens *t, rng *r, arena *memory)
{
    const token_sizes *s = &t->size;
    size_t n = s->nodes;
    t->pair_statistics = arena_get(memory, s->pairs, sizeof *t->pair_statistics);
    t->node_statistics = arena_get(memory, n, sizeof *t->node_statistics);
    t->precision = arena_get(memory, n * n, sizeof *t->precision);
    t->context = arena_get(memory, s->pairs, 1);
    t->labels = arena_get(memory, s->pairs, 1);
    t->truth = arena_get(memory, n * n, 1);
    require(t->pair_statistics && t->node_statistics && t->precision && t->context && t->labels &&
            t->truth);
    memset(t->truth, 0, n * n);
    memset(t->precision, 0, n * n * sizeof *t->precision);
    for (size_t i = 0; i < 4 * n; i++) t->node_statistics[i / 4][i % 4] = (float)rng_uniform(r);
    for (size_t c = 0; c < 2 * s->cells; c++) t->codes[c / 2][c % 2] = (uint8_t)rng_below(r, 4);
    for (size_t e = 0; e < s->pairs; e++) {
        size_t i = t->ends[e][0], j = t->ends[e][1];
        for (size_t k = 0; k < 8; k++) {
            t->pair_statistics[e][k / 4][k % 4] = (float)(rng_uniform(r) - 0.5);
        }
        t->precision[i * n + j] = t->precision[j * n + i] = (float)(rng_uniform(r) - 0.5);
        t->context[e] = rng_uniform(r) < 0.5;
        t->labels[e] = t->truth[i * n + j] = (uint8_t)rng_below(r, 3);
        t->truth[j * n + i] = token_swapped(t->labels[e]);
    }
}

static tokens *make_tokens(const size_case *c, uint64_t seed)
{
    rng r = rng_stream(seed, RNG_TEST, c->nodes, 0, 0);
    tokens draft = {.size = {.nodes = (uint32_t)c->nodes,
                             .subsets = (uint32_t)c->subsets,
                             .members = (uint32_t)(c->subsets * K_SUBSET),
                             .pairs = (uint32_t)(c->nodes * c->reach)},
                    .labelled = true};
    tokens *t;
    arena *memory;
    require(arena_alloc(&memory, 0) == SCONE_OK);
    draft.subset_offsets = arena_get(memory, c->subsets + 1, sizeof(uint32_t));
    draft.subset_nodes = arena_get(memory, draft.size.members, sizeof(uint32_t));
    draft.ends = arena_get(memory, draft.size.pairs, sizeof *draft.ends);
    require(draft.subset_offsets && draft.subset_nodes && draft.ends);
    for (size_t e = 0; e < draft.size.pairs; e++) {
        size_t i = e / c->reach, j = (i + 1 + e % c->reach) % c->nodes;
        draft.ends[e][0] = (uint32_t)(i < j ? i : j);
        draft.ends[e][1] = (uint32_t)(i < j ? j : i);
    }
    draft.subset_offsets[0] = 0;
    for (size_t g = 0; g < c->subsets; g++) draw_subset(&draft, &r, c, g);
    require(layout_fill(&draft, memory) == SCONE_OK);
    fill_values(&draft, &r, memory);
    require(tokens_copy(&t, &draft) == SCONE_OK && tokens_check(t) == SCONE_OK);
    arena_free(memory);
    return t;
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
        return stream ? 2 * rows * d : 2 * rows * d * (10 + d) + 4 * (double)b->nodes * d * d;
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

/* ---- measuring ---- */

static void watch(void *argument, model_part part, int stream, bool backward)
{
    clock_state *clock = argument;
    double now = seconds();
    clock->now[part][stream][backward] += now - clock->last;
    clock->last = now;
}

static void keep_least(part_times best, const part_times now)
{
    double *b = &best[0][0][0];
    const double *n = &now[0][0][0];
    for (size_t k = 0; k < MODEL_PARTS * STREAMS * PASSES; k++) b[k] = n[k] < b[k] ? n[k] : b[k];
}

typedef struct products {
    float *x[3]; /* [threads, SIDE, SIDE] */
} products;

static void multiply(void *argument, size_t item, int worker)
{
    const products *p = argument;
    size_t at = item * SIDE * SIDE;
    (void)worker;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1.0f, p->x[0] + at,
                SIDE, p->x[1] + at, SIDE, 0.0f, p->x[2] + at, SIDE);
}

static void print_line(const char *size, const char *part, const char *stream, const char *pass,
                       double time, double flops, double peak)
{
    (void)printf("%s,%s,%s,%s,%.3f,%.1f,%.1f,%.2f\n", size, part, stream, pass, 1e3 * time,
                 1e-6 * flops, 1e-9 * flops / time, flops / time / peak);
}

static void print_table(const size_case *c, const part_times best, double step, double loss,
                        double product, int threads, const batch *b, const model_config *config)
{
    static const char *const streams[] = {"marginal", "global"}, *const passes[] = {"forward",
                                                                                    "backward"};
    double peak = 2.0 * SIDE * SIDE * SIDE * threads / product, total = 0.0;
    print_line(c->name, "sgemm 512", "", "", product, peak * product, peak);
    for (int part = 0; part < MODEL_PARTS; part++) {
        for (int stream = 0; stream < STREAMS; stream++) {
            for (int pass = 0; pass < PASSES; pass++) {
                double flops = pass_flops((model_part)part, stream, pass, b, config);
                double time = best[part][stream][pass];
                total += flops;
                if (time > 0.0 && time < 1e8) {
                    print_line(c->name, PARTS[part], streams[stream], passes[pass], time, flops,
                               peak);
                }
            }
        }
    }
    print_line(c->name, "loss", "", "", loss, 0.0, peak);
    print_line(c->name, "step", "", "", step, total, peak);
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void measure(const size_case *c, model_config config, int threads, int repeats, products *p)
{
    static const double equal[3] = {1.0, 1.0, 1.0};
    static uint32_t identity[MOST_GRAPHS][128];
    static clock_state clock;
    scone_context context = {.threads = threads};
    batch_item items[MOST_GRAPHS];
    tokens *t[MOST_GRAPHS];
    parameter_layout *layout;
    model_run *run;
    batch *b;
    require(layout_make(&layout, &config) == SCONE_OK && batch_alloc(&b) == SCONE_OK);
    require(model_run_alloc(&run, layout, &context) == SCONE_OK);
    for (size_t g = 0; g < c->graphs; g++) {
        t[g] = make_tokens(c, g + 1);
        batch_random_identity(identity[g], c->nodes, config.identities, 1, g);
        items[g] = (batch_item){t[g], identity[g], false};
    }
    require(batch_make(b, items, c->graphs, &config) == SCONE_OK);
    float *values = mem_aligned(layout->count, sizeof *values);
    float *gradients = mem_aligned(layout->count, sizeof *gradients);
    require(values && gradients);
    parameters_start(values, layout, 1);
    double *first = &clock.best[0][0][0], step = 1e9, loss = 1e9, product = 1e9;
    for (size_t k = 0; k < MODEL_PARTS * STREAMS * PASSES; k++) first[k] = 1e9;
    model_run_watch(run, watch, &clock);
    for (int k = 0; k < repeats; k++) {
        loss_terms terms;
        memset(gradients, 0, layout->count * sizeof *gradients);
        memset(clock.now, 0, sizeof clock.now);
        double start = clock.last = seconds();
        require(model_forward(run, values, b) == SCONE_OK);
        double middle = seconds();
        model_loss(&terms, run, b, equal, 1, (uint64_t)k);
        clock.last = seconds();
        loss = least(loss, clock.last - middle);
        model_backward(run, gradients, values, b);
        step = least(step, seconds() - start);
        if (k > 0) keep_least(clock.best, (const double(*)[STREAMS][PASSES])clock.now);
        start = seconds();
        parallel_plain((size_t)threads, threads, multiply, p);
        product = least(product, seconds() - start);
    }
    print_table(c, (const double(*)[STREAMS][PASSES])clock.best, step, loss, product, threads, b,
                &config);
    (void)fprintf(stderr, "%s: %zu tokens, %zu grid cells, %zu triples, %zu instances, %.1f MB\n",
                  c->name, 2 * b->cells, b->grid, b->triples, b->instances,
                  1e-6 * (double)model_run_bytes(run));
    for (size_t g = 0; g < c->graphs; g++) tokens_free(t[g]);
    mem_free(values);
    mem_free(gradients);
    model_run_free(run);
    batch_free(b);
    layout_free(layout);
}

int main(int count, char **arguments)
{
    int threads = count > 1 ? atoi(arguments[1]) : 1, repeats = count > 2 ? atoi(arguments[2]) : 10;
    model_config config;
    products p;
    require(config_preset(&config, count > 3 ? arguments[3] : "paper") == SCONE_OK);
    if (threads < 1 || repeats < 2) return 2;
    if (threads == 1) timer = CLOCK_PROCESS_CPUTIME_ID;
    for (size_t k = 0; k < 3; k++) {
        p.x[k] = mem_aligned((size_t)threads * SIDE * SIDE, sizeof(float));
        require(p.x[k] != NULL);
        for (size_t i = 0; i < (size_t)threads * SIDE * SIDE; i++) p.x[k][i] = 0.5f;
    }
    (void)printf(
        "size,part,stream,pass,milliseconds,megaflops,gigaflops_per_second,share_of_peak\n");
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        measure(&CASES[k], config, threads, repeats, &p);
    }
    for (size_t k = 0; k < 3; k++) mem_free(p.x[k]);
    return 0;
}
