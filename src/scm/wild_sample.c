/* wild_sample.c - sampling from the second benchmark (see wild.h).
 *
 * Columns are scaled as they are generated, so a node is finished in all rows before its children
 * begin: nodes run one after the other in topological order, their blocks of rows in parallel. The
 * means and standard deviations are summed in the order of the rows, whatever the threads.
 * Cost O(rows * (nodes + edges) * 40) cosines at most.
 */
#include "parallel/parallel.h"
#include "scm/scm.h"
#include "scm/wild.h"

#include <math.h>

typedef struct wild_job {
    scone_table *const *tables;
    const model *m;
    size_t v; /* the node at work */
    wild_node node;
    double *noise[2]; /* [rows] by regime */
    size_t rows, blocks;
} wild_job;

/* f into the column and noise into the noise array, for one block of rows of one regime. */
static scone_status sample_block(void *argument, size_t item, int worker)
{
    (void)worker;
    const wild_job *job = argument;
    int regime = item >= job->blocks;
    size_t block = item % job->blocks, start = block * MODEL_BLOCK;
    size_t n = job->rows - start < MODEL_BLOCK ? job->rows - start : MODEL_BLOCK;
    const double *columns = job->tables[regime]->values + start;
    double *out = table_column(job->tables[regime], job->v) + start;
    _Alignas(64) double scratch[WILD_SCRATCH * MODEL_BLOCK];
    rng r = scm_sample_stream(job->m, job->v, block, regime);
    if (job->node.parents == 0) {
        wild_shape_fill(out, &job->node, &r, scratch, n);
        return SCONE_OK;
    }
    double *noise = job->noise[regime] + start;
    wild_shape_fill(noise, &job->node, &r, scratch, n);
    if (job->node.spread) wild_spread(noise, &job->node, columns, job->rows, scratch, n);
    wild_function(out, &job->node, regime, columns, job->rows, scratch, n);
    return SCONE_OK;
}

/* Mean and standard deviation, in two passes; a column that does not vary gets sd 1. */
static void measure(double *mean, double *sd, const double *x, size_t n)
{
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    *mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) squares += (x[i] - *mean) * (x[i] - *mean);
    *sd = sqrt(squares / (double)n);
    if (!(*sd > 0.0)) *sd = 1.0;
}

static scone_status finish_node(const wild_job *job)
{
    const wild_node *node = &job->node;
    double *x[2], mean, sd;
    for (int regime = 0; regime < 2; regime++)
        x[regime] = table_column(job->tables[regime], job->v);
    if (node->parents > 0) {
        measure(&mean, &sd, x[0], job->rows);
        for (int regime = 0; regime < 2; regime++) {
            bool louder = regime == 1 && node->change == WILD_NOISE;
            double noise_sd = louder ? node->amount * node->noise_sd : node->noise_sd;
            for (size_t i = 0; i < job->rows; i++) {
                x[regime][i] = (x[regime][i] - mean) / sd + noise_sd * job->noise[regime][i];
            }
        }
    }
    measure(&mean, &sd, x[0], job->rows);
    double check = 0.0; /* NaN as soon as a value is not finite */
    for (int regime = 0; regime < 2; regime++) {
        double move = regime == 1 && node->change == WILD_MEAN ? node->amount : 0.0;
        for (size_t i = 0; i < job->rows; i++) {
            x[regime][i] = (x[regime][i] - mean) / sd + move;
            check += 0.0 * x[regime][i];
        }
    }
    if (check == 0.0) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "the values of X%zu pass the largest number: products along too many edges; use "
                 "fewer --edges or another --seed",
                 job->v);
}

scone_status wild_sample(scone_table *const tables[2], const model *m, const scone_context *context)
{
    scone_status status = SCONE_OK;
    size_t rows = tables[0]->rows, nodes = m->truth->nodes;
    arena *memory = NULL;
    wild_job job = {.tables = tables, .m = m, .rows = rows};
    job.blocks = rows / MODEL_BLOCK + (rows % MODEL_BLOCK != 0);
    TRY(arena_alloc(&memory, 0));
    for (int regime = 0; regime < 2; regime++) TRY_ALLOC(job.noise[regime], rows);
    for (size_t i = 0; i < nodes; i++) {
        job.v = m->order[i];
        job.node = (wild_node){.parents = m->parent_counts[job.v], .parent = m->parents[job.v]};
        rng weights = scm_mechanism_stream(m, job.v, MODEL_WEIGHTS);
        rng change = scm_mechanism_stream(m, job.v, MODEL_SHIFT);
        arena_clear(memory); /* a dense graph has many pairs of parents: one node's at a time */
        TRY(wild_draw(&job.node, memory, m->targets[job.v], &weights, &change));
        TRY(parallel_for(2 * job.blocks, context, NULL, sample_block, &job));
        TRY(finish_node(&job));
        TRY(context_progress(context, "simulate", (double)(i + 1) / (double)nodes));
    }
cleanup:
    arena_free(memory);
    for (int regime = 0; regime < 2; regime++) mem_free(job.noise[regime]);
    return status;
}
