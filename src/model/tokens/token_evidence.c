/* token_evidence.c - the evidence of a search as numbers (see token_evidence.h). */
#include "model/tokens/token_evidence.h"

#include "graph/graph_order.h"

#include "model/tokens/token_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- candidate pairs ---- */

typedef struct likely_pair {
    double p, gain;
    uint32_t ends[2];
    bool found;
} likely_pair;

static int compare_likely(const void *first, const void *second)
{
    const likely_pair *a = first, *b = second;
    if (a->found != b->found) return a->found ? -1 : 1;
    if (a->p != b->p) return a->p > b->p ? -1 : 1;
    if (a->gain != b->gain) return a->gain > b->gain ? -1 : 1;
    if (a->ends[0] != b->ends[0]) return a->ends[0] < b->ends[0] ? -1 : 1;
    return a->ends[1] < b->ends[1] ? -1 : a->ends[1] > b->ends[1];
}

static size_t list_pairs(likely_pair *list, const search_result *found)
{
    size_t n = found->graph->nodes, count = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = i + 1; j < n; j++) {
            double there = found->probabilities[i * n + j], back = found->probabilities[j * n + i];
            list[count++] = (likely_pair){
                .p = there + back,
                .gain = fmax(found->gains[i * n + j], found->gains[j * n + i]),
                .ends = {i, j},
                .found = graph_adjacent(found->graph, i, j),
            };
        }
    }
    if (count > 1) qsort(list, count, sizeof *list, compare_likely);
    return count;
}

scone_status token_evidence_draft(tokens *d, const search_result *found, size_t cap_per_node,
                                  arena *memory)
{
    scone_status status = SCONE_OK;
    likely_pair *list = NULL;
    size_t n = found->graph->nodes, count, edges = 0;
    TRY_ALLOC(list, n * (n - 1) / 2 + 1);
    count = list_pairs(list, found);
    while (edges < count && list[edges].found) edges++;
    if (cap_per_node > 0 && count > cap_per_node * n) {
        count = edges > cap_per_node * n ? edges : cap_per_node * n;
    }
    d->size = (token_sizes){.nodes = (uint32_t)n,
                            .subsets = 1,
                            .members = (uint32_t)n,
                            .pairs = (uint32_t)count,
                            .evidence = TOKEN_EVIDENCE};
    TRY_ARENA(d->subset_offsets, memory, 2);
    TRY_ARENA(d->subset_nodes, memory, n);
    TRY_ARENA(d->ends, memory, count);
    d->subset_offsets[0] = 0;
    d->subset_offsets[1] = (uint32_t)n;
    for (size_t v = 0; v < n; v++) d->subset_nodes[v] = (uint32_t)v;
    for (size_t e = 0; e < count; e++) memcpy(d->ends[e], list[e].ends, sizeof d->ends[e]);
cleanup:
    mem_free(list);
    return status;
}

/* ---- numbers ---- */

typedef struct fill_job {
    const search_result *found;
    graph_work *work;
    double unit; /* nats */
    size_t nodes;
} fill_job;

static float scaled(const fill_job *job, double nats)
{
    return (float)asinh(nats / job->unit);
}

static float log_probability(double p)
{
    return (float)(log(fmax(p, 1e-6)) / 5.0);
}

static size_t degree(const graph *g, size_t node, bool parents)
{
    size_t count = 0;
    for (size_t u = 0; u < g->nodes; u++) {
        count += u != node && (parents ? graph_directed(g, u, node) : graph_directed(g, node, u));
    }
    return count;
}

/* out [TOKEN_SIDE] for a -> b */
static void fill_side(float *out, const fill_job *job, size_t a, size_t b)
{
    const search_result *found = job->found;
    const fit_result *fit = &found->fits[b];
    size_t at = a * job->nodes + b;
    bool possible = isfinite(found->values[at]) != 0;
    bool spread = fit->model[FIT_POOLED] == FIT_LOG || fit->model[FIT_POOLED] == FIT_SD;
    const float numbers[TOKEN_SIDE] = {
        possible ? scaled(job, found->values[at]) : 0.0F,
        possible ? 1.0F : 0.0F,
        scaled(job, found->gains[at]),
        graph_directed(found->graph, a, b) ? 1.0F : 0.0F,
        graph_reaches(found->graph, a, b, job->work) ? 1.0F : 0.0F,
        log_probability(found->probabilities[at]),
        scaled(job, fit->refining),
        scaled(job, (double)fit->shape[FIT_POOLED]),
        scaled(job, fit->separate - fit->shared),
        (float)degree(found->graph, b, true) / 4.0F,
        (float)degree(found->graph, b, false) / 4.0F,
        spread ? 1.0F : 0.0F,
        fit->refined[FIT_POOLED] ? 1.0F : 0.0F,
    };
    memcpy(out, numbers, sizeof numbers);
}

scone_status token_evidence_fill(tokens *d, const search_result *found, double rows, arena *memory)
{
    scone_status status = SCONE_OK;
    size_t n = d->size.nodes;
    fill_job job = {.found = found, .unit = log(fmax(rows, 2.0)), .nodes = n};
    TRY(graph_work_alloc(&job.work, n));
    TRY_ARENA(d->evidence, memory, (size_t)d->size.pairs * TOKEN_EVIDENCE);
    TRY_ARENA(d->prior, memory, n * n);
    for (size_t k = 0; k < n * n; k++) d->prior[k] = (float)found->probabilities[k];
    for (size_t e = 0; e < d->size.pairs; e++) {
        size_t i = d->ends[e][0], j = d->ends[e][1];
        float *out = d->evidence + e * TOKEN_EVIDENCE;
        fill_side(out, &job, i, j);
        fill_side(out + TOKEN_SIDE, &job, j, i);
        out[2 * TOKEN_SIDE] = (float)(log(rows) / 10.0);
        out[2 * TOKEN_SIDE + 1] = (float)(log((double)n) / 5.0);
    }
    for (size_t c = 0; c < d->size.cells; c++) {
        size_t e = d->cell_pair[c], i = d->ends[e][0], j = d->ends[e][1];
        uint8_t code = graph_directed(found->graph, i, j)   ? TOKEN_FORWARD
                       : graph_directed(found->graph, j, i) ? TOKEN_BACKWARD
                                                            : TOKEN_NONE;
        d->codes[c][0] = d->codes[c][1] = code;
    }
cleanup:
    graph_work_free(job.work);
    return status;
}
