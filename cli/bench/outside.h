/* outside.h - methods that are commands of others: what the command line says of them, and running
 * one on a problem (docs/manual/compare.md).
 */
#ifndef SCONE_CLI_OUTSIDE_H
#define SCONE_CLI_OUTSIDE_H

#include "options.h"
#include "scone_lab.h"

enum { OUTSIDE_NAME = 64 };

/* As given: --method, --tell-targets, --time-limit. */
typedef struct outside_options {
    text_list methods; /* NAME=COMMAND */
    const char *told;  /* NAME,... or NULL */
    double limit;      /* seconds; 0: none */
} outside_options;

typedef struct outside_list {
    scone_bench_outside items[SCONE_BENCH_MOST_OUTSIDE];
    char names[SCONE_BENCH_MOST_OUTSIDE][OUTSIDE_NAME];
    size_t count;
    double limit;
} outside_list;

/* Returns an exit code. The list points into itself and into the options, so it stays where it is.
 */
int outside_parse(outside_list *list, const command *about, const outside_options *options);

/* A scone_bench_runner; user is an outside_list. The problem is written into a temporary folder,
 * which is gone afterwards. */
scone_status outside_run(void *user, const scone_bench_outside *outside,
                         const scone_problem *problem, scone_bench_answer *answer);

#endif
