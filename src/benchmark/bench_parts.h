/* bench_parts.h - what bench.c and bench_plan.c share: a benchmark that is being run. */
#ifndef SCONE_BENCHMARK_BENCH_PARTS_H
#define SCONE_BENCHMARK_BENCH_PARTS_H

#include "benchmark/bench.h"

#include "presets/learned.h"

#ifndef SCONE_COMMIT
#define SCONE_COMMIT "unknown"
#endif

_Static_assert((int)BENCH_ID_SIZE == (int)LEARNED_ID_SIZE, "one column has the ids of both");

/* What there is to do, in the order of the rows. */
typedef struct bench_plan {
    size_t graphs; /* of all settings */
    struct {
        size_t setting, number;
    } * where;              /* [graphs] */
    unsigned char *missing; /* [graphs, methods]: the rows that the file does not have */
    size_t *items;          /* [count]: graphs with a missing row */
    size_t count;
} bench_plan;

typedef struct bench_job {
    const scone_bench_options *options;
    const scone_context *outer;
    scone_context inner;          /* of a method */
    size_t methods;               /* own ones and those of the caller */
    char **models;                /* [methods]: weights files; NULL: the method has none */
    char (*ids)[LEARNED_ID_SIZE]; /* [methods]: of the weights, or of the command */
    bench_plan plan;
    bench_lines lines; /* process 0 */
    /* Rows that are there, and rows of the graph that this process is at; both atomic. */
    size_t finished, current, total;
} bench_job;

/* Own methods come first, then those of the caller. */
const char *bench_method_name(const scone_bench_options *options, size_t method);
/* NULL for an own method. */
const scone_bench_outside *bench_method_outside(const scone_bench_options *options, size_t method);

/* The key of a row. */
void bench_key_of(char key[BENCH_KEY_SIZE], const bench_job *job, size_t g, size_t method);

/* Checks what is asked for, and finds out what there is to do. */
scone_status bench_plan_make(bench_job *job);
void bench_plan_free(bench_job *job);

#endif
