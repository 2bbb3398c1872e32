/* bench_nn.c - time and share of peak of the operations of src/model/nn at the sizes of the axial
 * model.
 *
 *     bench_nn [THREADS] [REPEATS]
 *
 * 3,456 tokens of 64 channels and 8 heads, feed-forward 256; row groups of 36 tokens, column groups
 * of 4 (by index); the global stream has 8 grids of 20 x 20. The peak is that of a 512 x 512 x 512
 * sgemm on each thread, timed between the operations of every repeat; each line has the least time
 * of all repeats. Flops are those of products alone: what soft-max, layer norm and GELU take shows
 * as time without flops. The last lines are the sums over one block of each stream, and over both.
 * Prints CSV.
 */
#include "base/memory.h"
#include "parallel/parallel.h"
#include "base/rng.h"
#include "model/nn/ops.h"

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { D = 64, HEADS = 8, FFN = 256, CELL_TOKENS = 3456, GRID = 20, BATCH = 8, SIDE = 512 };
enum { GRID_TOKENS = GRID * GRID * BATCH, MOST = CELL_TOKENS };

typedef struct buffers {
    real *x, *y, *dx, *dy; /* [MOST, FFN] */
    real *w, *dw, *b, *db; /* [FFN, FFN] */
    real *kept;            /* [MOST, HEADS] or [MOST, 2] */
    uint32_t index[2][MOST], offsets[4][MOST + 1];
    real *product[3]; /* [threads, SIDE, SIDE] */
    nn_work *work;
    int threads;
} buffers;

typedef struct operation {
    const char *name;
    bool global;                   /* which stream it belongs to */
    size_t tokens, in, out, group; /* group: of attention, by index if by_index */
    bool by_index;
    int times; /* per block */
    void (*forward)(const buffers *, const struct operation *);
    void (*backward)(const buffers *, const struct operation *);
} operation;

static void linear_pass(const buffers *b, const operation *o)
{
    linear_forward(b->y, b->x, b->w, b->b, o->tokens, o->in, o->out, NN_SET, b->work);
}

static void linear_back(const buffers *b, const operation *o)
{
    linear_backward(b->dx, b->dw, b->db, b->dy, b->x, b->w, o->tokens, o->in, o->out, NN_SET,
                    b->work);
}

static void norm_pass(const buffers *b, const operation *o)
{
    layer_norm_forward(b->y, b->kept, b->x, b->w, b->b, o->tokens, o->in, b->work);
}

static void norm_back(const buffers *b, const operation *o)
{
    layer_norm_backward(b->dx, b->dw, b->db, b->dy, b->x, b->kept, b->w, o->tokens, o->in, NN_ADD,
                        b->work);
}

static void gelu_pass(const buffers *b, const operation *o)
{
    gelu_forward(b->y, b->x, o->tokens * o->in, b->work);
}

static void gelu_back(const buffers *b, const operation *o)
{
    gelu_backward(b->dx, b->dy, b->x, o->tokens * o->in, b->work);
}

static nn_groups groups_of(const buffers *b, const operation *o)
{
    const uint32_t *index = o->by_index ? b->index[o->global] : NULL;
    return (nn_groups){o->tokens / o->group, b->offsets[2 * o->global + o->by_index], index};
}

static void attention_pass(const buffers *b, const operation *o)
{
    nn_groups groups = groups_of(b, o);
    attention_forward(b->y, b->kept, b->x, &groups, D, HEADS, b->work);
}

static void attention_back(const buffers *b, const operation *o)
{
    nn_groups groups = groups_of(b, o);
    attention_backward(b->dx, b->dy, b->y, b->kept, b->x, &groups, D, HEADS, b->work);
}

#define STREAM(name_, global_, tokens_, row_, column_)                                               \
    {name_ " layer norm", global_, tokens_, D, 0, 0, false, 3, norm_pass, norm_back},                \
        {name_ " linear 64-192", global_, tokens_, D, 3 * D, 0, false, 2, linear_pass, linear_back}, \
        {name_ " row attention", global_,       tokens_, 0, 0, row_, false, 1,                       \
         attention_pass,         attention_back},                                                    \
        {name_ " column attention",                                                                  \
         global_,                                                                                    \
         tokens_,                                                                                    \
         0,                                                                                          \
         0,                                                                                          \
         column_,                                                                                    \
         true,                                                                                       \
         1,                                                                                          \
         attention_pass,                                                                             \
         attention_back},                                                                            \
        {name_ " linear 64-64", global_, tokens_, D, D, 0, false, 2, linear_pass, linear_back},      \
        {name_ " linear 64-256", global_, tokens_, D, FFN, 0, false, 1, linear_pass, linear_back},   \
        {name_ " GELU 256", global_, tokens_, FFN, 0, 0, false, 1, gelu_pass, gelu_back},            \
    {                                                                                                \
        name_ " linear 256-64", global_, tokens_, FFN, D, 0, false, 1, linear_pass, linear_back      \
    }

static const operation OPERATIONS[] = {STREAM("cells", false, CELL_TOKENS, 36, 4),
                                       STREAM("grid", true, GRID_TOKENS, GRID, GRID)};
enum { COUNT = sizeof OPERATIONS / sizeof *OPERATIONS };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void multiply(void *argument, size_t item, int worker)
{
    const buffers *b = argument;
    size_t at = item * SIDE * SIDE;
    (void)worker;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1.0f,
                b->product[0] + at, SIDE, b->product[1] + at, SIDE, 0.0f, b->product[2] + at, SIDE);
}

static real *random_array(rng *r, size_t count)
{
    real *x = mem_aligned(count, sizeof *x);
    if (!x) exit(2);
    for (size_t i = 0; i < count; i++) x[i] = (real)rng_normal(r);
    return x;
}

static void buffers_fill(buffers *b)
{
    rng r = rng_stream(1, RNG_TEST, 0, 0, 0);
    real **large[] = {&b->x, &b->y, &b->dx, &b->dy}, **small[] = {&b->w, &b->dw, &b->b, &b->db};
    for (size_t i = 0; i < 4; i++) {
        *large[i] = random_array(&r, (size_t)MOST * FFN);
        *small[i] = random_array(&r, (size_t)FFN * FFN);
    }
    b->kept = random_array(&r, (size_t)MOST * HEADS);
    for (size_t i = 0; i < 3; i++) {
        b->product[i] = random_array(&r, (size_t)b->threads * SIDE * SIDE);
    }
    const size_t tokens[2] = {CELL_TOKENS, GRID_TOKENS}, columns[2] = {4, GRID};
    const size_t rows[2] = {36, GRID};
    for (size_t s = 0; s < 2; s++) {
        for (size_t g = 0; g <= tokens[s] / rows[s]; g++) {
            b->offsets[2 * s][g] = (uint32_t)(g * rows[s]);
        }
        for (size_t g = 0; g <= tokens[s] / columns[s]; g++) {
            b->offsets[2 * s + 1][g] = (uint32_t)(g * columns[s]);
        }
    }
    /* the subsets of a pair lie anywhere; the columns of a grid are its transpose */
    size_t order[CELL_TOKENS];
    rng_permutation(&r, order, CELL_TOKENS);
    for (size_t i = 0; i < CELL_TOKENS; i++) b->index[0][i] = (uint32_t)order[i];
    for (size_t i = 0; i < GRID_TOKENS; i++) {
        size_t grid = i / (GRID * GRID), column = i / GRID % GRID, row = i % GRID;
        b->index[1][i] = (uint32_t)((grid * GRID + row) * GRID + column);
    }
}

/* of the products in the forward pass; the backward pass has 2 (linear) and
 * 2.5 (attention) times */
static double forward_flops(const operation *o)
{
    if (o->group) return 4.0 * (double)o->tokens * (double)o->group * D;
    return 2.0 * (double)o->tokens * (double)o->in * (double)o->out;
}

static double backward_flops(const operation *o)
{
    return forward_flops(o) * (o->group ? 2.5 : 2.0);
}

static void print_line(const char *name, const char *pass, double time, double flops, double peak)
{
    (void)printf("%s,%s,%.3f,%.1f,%.1f,%.2f\n", name, pass, 1e3 * time, 1e-6 * flops,
                 1e-9 * flops / time, flops / time / peak);
}

static void print_sums(const double times[COUNT][2], double peak)
{
    const char *const names[] = {"cells block", "grid block", "both blocks"};
    double time[3][2] = {{0}}, flops[3][2] = {{0}};
    for (size_t i = 0; i < COUNT; i++) {
        const operation *o = &OPERATIONS[i];
        for (size_t pass = 0; pass < 2; pass++) {
            double work = pass ? backward_flops(o) : forward_flops(o);
            for (size_t sum = o->global; sum < 3; sum += 2 - o->global) {
                time[sum][pass] += o->times * times[i][pass];
                flops[sum][pass] += o->times * work;
            }
        }
    }
    for (size_t sum = 0; sum < 3; sum++) {
        print_line(names[sum], "forward", time[sum][0], flops[sum][0], peak);
        print_line(names[sum], "backward", time[sum][1], flops[sum][1], peak);
        print_line(names[sum], "both", time[sum][0] + time[sum][1], flops[sum][0] + flops[sum][1],
                   peak);
    }
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

int main(int count, char **arguments)
{
    static buffers b;
    int repeats = count > 2 ? atoi(arguments[2]) : 30;
    b.threads = count > 1 ? atoi(arguments[1]) : 1;
    scone_context context = {.threads = b.threads};
    if (b.threads < 1 || nn_work_alloc(&b.work, &context, D * FFN + FFN) != SCONE_OK) return 2;
    buffers_fill(&b);
    double times[COUNT][2], product = 1e9;
    for (size_t i = 0; i < COUNT; i++) times[i][0] = times[i][1] = 1e9;
    for (int k = 0; k < repeats; k++) {
        for (size_t i = 0; i < COUNT; i++) {
            double start = seconds();
            OPERATIONS[i].forward(&b, &OPERATIONS[i]);
            double middle = seconds();
            OPERATIONS[i].backward(&b, &OPERATIONS[i]);
            times[i][0] = least(times[i][0], middle - start);
            times[i][1] = least(times[i][1], seconds() - middle);
        }
        double start = seconds();
        parallel_plain((size_t)b.threads, b.threads, multiply, &b);
        product = least(product, seconds() - start);
    }
    double peak = 2.0 * SIDE * SIDE * SIDE * b.threads / product;
    (void)printf("operation,pass,milliseconds,megaflops,gigaflops_per_second,share_of_peak\n");
    print_line("sgemm 512", "forward", product, peak * product, peak);
    for (size_t i = 0; i < COUNT; i++) {
        print_line(OPERATIONS[i].name, "forward", times[i][0], forward_flops(&OPERATIONS[i]), peak);
        print_line(OPERATIONS[i].name, "backward", times[i][1], backward_flops(&OPERATIONS[i]),
                   peak);
    }
    print_sums((const double(*)[2])times, peak);
    nn_work_free(b.work);
    return 0;
}
