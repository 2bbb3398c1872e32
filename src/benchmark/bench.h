/* bench.h - the parts of a benchmark: its rows, the file they are kept in, and the scores of one
 * discovery against the truth.
 *
 * The file is CSV. Its first columns name the setting in full, the graph, the method and the
 * effort; the scores and the seconds follow, the id of a learned method's weights or of an outside
 * method's command, the commit of the program, and how the method fared; older files lack some of
 * these last four. If a row is of several conditions, or of a control with other rows than the
 * conditions have, four more columns tell of them; they are empty in the other rows. The first
 * ones, the id and the last four identify a row. A row that is
 * there need not be computed again. Rows of the benchmark at hand stand together at the end, in the
 * order of settings, graphs and methods, whichever was finished first; other rows stay before them.
 */
#ifndef SCONE_BENCHMARK_BENCH_H
#define SCONE_BENCHMARK_BENCH_H

#include "base/arena.h"
#include "base/memory.h"
#include "scone_lab.h"

enum {
    BENCH_KEY_SIZE = 440,
    BENCH_KEY_CELLS = 13, /* before the scores */
    BENCH_KEY_LAST = 4    /* about conditions; only of a row that needs them */
};

/* Does a method see conditions apart? Others get the pair of the control and all of them together;
 * one of the caller gets both. */
bool bench_sees_conditions(const char *method);

/* "ood-20-20,20,20,polynomial+sigmoid,mixed,0.4,10000,7,0,ges,normal,0,0,": the cells that identify
 * a row; the last is the id of the weights or the command, "" for a method without. With several
 * conditions there follows what the last columns have: ",5,1..3,1000,pooled". */
void bench_key(char key[BENCH_KEY_SIZE], const scone_setting *setting, size_t problem,
               const char *method, const char *id, const scone_discover_options *options);
/* Appends to a key. */
void bench_key_append(char key[BENCH_KEY_SIZE], const char *text);
/* The id in a key, and its length; what follows it begins with a comma. */
const char *bench_key_id(size_t *length, const char *key);

/* One line of the file. */
typedef struct bench_line {
    const char *key; /* of bench_key */
    scone_scores scores;
    double seconds;
    const char *commit; /* of the program that made it; "" if the file does not tell */
    scone_bench_status status;
    const char *reason; /* "" for SCONE_BENCH_OK */
    size_t place; /* from 1 on among the rows of the benchmark at hand; 0: a row of another one */
} bench_line;

typedef struct bench_lines {
    arena *memory; /* of the texts */
    bench_line *items;
    size_t count, capacity;
} bench_lines;

scone_status bench_lines_open(bench_lines *lines);
void bench_lines_close(bench_lines *lines);
/* Adds a copy of a line behind those whose place is not greater. */
scone_status bench_lines_add(bench_lines *lines, const bench_line *line);
/* Gives the line of this key, if there is one, its place and moves it there; true if there is. */
bool bench_lines_place(bench_lines *lines, const char *key, size_t place);
/* Takes the line of this key out, if there is one. */
void bench_lines_drop(bench_lines *lines, const char *key);
/* The line of this key, or NULL. */
const bench_line *bench_lines_find(const bench_lines *lines, const char *key);
/* Adds the lines of a file; it must have been written by bench_lines_write. */
scone_status bench_lines_read(bench_lines *lines, const char *path);
/* Replaces the file as a whole. */
scone_status bench_lines_write(const bench_lines *lines, const char *path);

/* All scores of a discovery on a simulated problem, with AUPRC and targets. Of several conditions
 * the targets are those of each; NaN if the discovery did not tell them apart. */
scone_status bench_score(scone_scores *scores, const scone_result *result,
                         const scone_problem *problem);

/* ---- bench_outside.c: methods of the caller ---- */

enum { BENCH_ID_SIZE = 17 };

/* 16 hex digits that tell commands apart, also by whether they are told the targets. */
void bench_outside_id(char id[BENCH_ID_SIZE], const scone_bench_outside *outside);
/* Fails unless the names can stand in a row and are no name of another method. */
scone_status bench_outside_check(const scone_bench_options *options);

/* What a method did on a graph: plain bytes, which processes can send. */
typedef struct bench_outcome {
    scone_scores scores;
    double seconds;
    scone_bench_status status;
    char reason[SCONE_BENCH_REASON];
} bench_outcome;

/* Runs one and scores its graph: without probabilities and targets, whose scores are NaN. A graph
 * over other variables is a failure of the method. */
scone_status bench_outside_run(bench_outcome *outcome, const scone_bench_options *options,
                               const scone_bench_outside *outside, const scone_problem *problem);

/* ---- bench_result.c ---- */

/* Rows by setting, graph and method, in memory that the benchmark takes over. */
scone_status bench_result_make(scone_bench **out, scone_bench_row *rows, size_t count,
                               size_t settings, size_t methods);

#endif
