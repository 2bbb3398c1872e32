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
    size_t tables_count;
    size_t v;         /* the node at work, */
    wild_node *nodes; /* [conditions] and what it is in each; the control is the same in all */
    double **noise;   /* [tables][rows] */
    sample_blocks blocks;
} wild_job;

static const wild_node *node_of(const wild_job *job, size_t k)
{
    return &job->nodes[k ? k - 1 : 0];
}

/* f into the column and noise into the noise array, for one block of rows of one table. */
static scone_status sample_block(void *argument, size_t item, int worker)
{
    (void)worker;
    const wild_job *job = argument;
    size_t block, k = scm_block_place(&block, &job->blocks, item), start = block * MODEL_BLOCK;
    const wild_node *node = node_of(job, k);
    size_t rows = job->tables[k]->rows;
    size_t n = rows - start < MODEL_BLOCK ? rows - start : MODEL_BLOCK;
    const double *columns = job->tables[k]->values + start;
    double *out = table_column(job->tables[k], job->v) + start;
    _Alignas(64) double scratch[WILD_SCRATCH * MODEL_BLOCK];
    rng r = scm_sample_stream(job->m, job->v, block, k);
    if (node->parents == 0) {
        wild_shape_fill(out, node, &r, scratch, n);
        return SCONE_OK;
    }
    double *noise = job->noise[k] + start;
    wild_shape_fill(noise, node, &r, scratch, n);
    if (node->spread) wild_spread(noise, node, columns, rows, scratch, n);
    wild_function(out, node, k > 0, columns, rows, scratch, n);
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
    double mean, sd, check = 0.0; /* NaN as soon as a value is not finite */
    const double *control = table_column(job->tables[0], job->v);
    size_t rows = job->tables[0]->rows;
    if (node_of(job, 0)->parents > 0) {
        measure(&mean, &sd, control, rows);
        for (size_t k = 0; k < job->tables_count; k++) {
            const wild_node *node = node_of(job, k);
            double *x = table_column(job->tables[k], job->v);
            bool louder = k > 0 && node->change == WILD_NOISE;
            double noise_sd = louder ? node->amount * node->noise_sd : node->noise_sd;
            for (size_t i = 0; i < job->tables[k]->rows; i++) {
                x[i] = (x[i] - mean) / sd + noise_sd * job->noise[k][i];
            }
        }
    }
    measure(&mean, &sd, control, rows);
    for (size_t k = 0; k < job->tables_count; k++) {
        const wild_node *node = node_of(job, k);
        double *x = table_column(job->tables[k], job->v);
        double move = k > 0 && node->change == WILD_MEAN ? node->amount : 0.0;
        for (size_t i = 0; i < job->tables[k]->rows; i++) {
            x[i] = (x[i] - mean) / sd + move;
            check += 0.0 * x[i];
        }
    }
    if (check == 0.0) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "the values of X%zu pass the largest number: products along too many edges; use "
                 "fewer --edges or another --seed",
                 job->v);
}

/* What node v is in each condition. */
static scone_status draw_node(wild_job *job, arena *memory)
{
    scone_status status = SCONE_OK;
    const model *m = job->m;
    wild_node same = {.parents = m->parent_counts[job->v], .parent = m->parents[job->v]};
    rng weights = scm_mechanism_stream(m, job->v, MODEL_WEIGHTS);
    arena_clear(memory); /* a dense graph has many pairs of parents: one node's at a time */
    TRY(wild_draw(&same, memory, false, &weights, NULL));
    for (size_t k = 1; k <= m->conditions; k++) {
        job->nodes[k - 1] = same;
        if (!scm_targets(m, k)[job->v]) continue;
        rng change = scm_change_stream(m, k, job->v, MODEL_SHIFT);
        TRY(wild_draw_change(&job->nodes[k - 1], memory, &change));
    }
cleanup:
    return status;
}

scone_status wild_sample(scone_table *const *tables, const model *m, const scone_context *context)
{
    scone_status status = SCONE_OK;
    size_t nodes = m->truth->nodes;
    arena *memory = NULL;
    wild_job job = {.tables = tables, .m = m, .tables_count = m->conditions + 1};
    job.blocks = scm_blocks(tables[0], tables[1], job.tables_count);
    TRY(arena_alloc(&memory, 0));
    TRY_ALLOC(job.nodes, m->conditions);
    TRY_ZERO(job.noise, job.tables_count);
    for (size_t k = 0; k < job.tables_count; k++) TRY_ALLOC(job.noise[k], tables[k]->rows);
    for (size_t i = 0; i < nodes; i++) {
        job.v = m->order[i];
        TRY(draw_node(&job, memory));
        TRY(parallel_for(job.blocks.count, context, NULL, sample_block, &job));
        TRY(finish_node(&job));
        TRY(context_progress(context, "simulate", (double)(i + 1) / (double)nodes));
    }
cleanup:
    arena_free(memory);
    for (size_t k = 0; job.noise && k < job.tables_count; k++) mem_free(job.noise[k]);
    mem_free(job.noise);
    mem_free(job.nodes);
    return status;
}
