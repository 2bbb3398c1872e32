/* dcdi.h - folders of benchmark problems in the layout of DCDI (Brouillard et al. 2020) and SEA
 * (Wu et al. 2024).
 *
 * Problem i, counted from 1, is
 *   DAG{i}.npy           N x N, [a][b] = 1 for a -> b
 *   data{i}.npy          rows x N, observational
 *   data_interv{i}.npy   rows x N, interventional rows and often observational ones too
 *   regime{i}.csv        one number a line for the rows of data_interv: 0 observational
 *   intervention{i}.csv  the targets of each of these rows, "3,7"; a blank line for none
 * SEA writes regimes{i}.csv and interventions{i}.csv; both spellings are read, the former written.
 * docs/reference/formats.md, section "DCDI folders", is the contract; scone_pair_read_dcdi reads
 * the data.
 */
#ifndef SCONE_DATA_DCDI_H
#define SCONE_DATA_DCDI_H

#include "io/file.h"
#include "data/table.h"
#include "graph/graph.h"

/* The numbers of all problems in a folder (those with a data_interv file), ascending; free with
 * mem_free. */
scone_status dcdi_list(size_t **indices, size_t *count, const char *folder);

/* The true graph, with nodes X0, X1, ... */
scone_status dcdi_read_graph(graph **truth, const char *folder, size_t index);

/* One flag per node: is it named in any line of the intervention file? free with mem_free. */
scone_status dcdi_read_targets(bool **targets, const char *folder, size_t index, size_t nodes);

/* The targets of each regime other than 0, in the order of their numbers;
 * scone_conditions_read_dcdi names its conditions by these numbers, "1" or "12". */
typedef struct dcdi_condition_targets {
    size_t count, nodes;
    uint64_t *numbers; /* [count] ascending */
    bool *targets;     /* [count, nodes] is the node named in any line of the regime's rows? */
} dcdi_condition_targets;

/* From the regime and the intervention file, which both need a line for each row. Without a regime
 * file the rows that have targets are regime 1, as for the data. The caller frees. */
scone_status dcdi_read_condition_targets(dcdi_condition_targets *out, const char *folder,
                                         size_t index, size_t nodes);
void dcdi_condition_targets_free(dcdi_condition_targets *t);

/* Writes all five files of problem `index` (the number in their names: graph g of a simulation is
 * g + 1). data_interv holds the rows of regime 0, then those of regime 1. Safe to call from several
 * threads with different indices. */
scone_status dcdi_write(output_folder *folder, size_t index, const scone_pair *pair,
                        const graph *truth, const bool *targets);
/* The same with tables[count], at least two, of the regimes 0, 1, ..., and the targets of each
 * (targets[0] is not looked at). */
scone_status dcdi_write_regimes(output_folder *folder, size_t index, const table *const *tables,
                                const bool *const *targets, size_t count, const graph *truth);

/* ---- the rows of data_interv ---- */

typedef struct dcdi_rows {
    table *rows;       /* with the files that were read in its inputs */
    uint64_t *regimes; /* [rows] the regime of each */
    char *path;        /* of data_interv */
    char *regime_path; /* of the file with the regimes; NULL: there is none */
    size_t several;    /* the regimes other than 0, whatever rows were dropped */
} dcdi_rows;

/* Reads the rows with their regimes; what `options` say of missing cells is done to both together.
 * The caller frees also after a failure. */
scone_status dcdi_read_rows(dcdi_rows *out, const char *folder, size_t index,
                            const scone_read_options *options, const scone_context *context);
void dcdi_rows_free(dcdi_rows *r);
/* data{i}.npy, or NULL if it is not there. */
scone_status dcdi_read_observational(table **out, const dcdi_rows *rows, const char *folder,
                                     size_t index, const scone_read_options *options,
                                     const scone_context *context);
/* Fails unless both the control and what is not have rows, or options allow it. */
scone_status dcdi_check_rows(size_t control, size_t others, const char *path,
                             const scone_read_options *options);

/* Regimes other than 0, told apart. */
typedef struct dcdi_regimes {
    size_t count, rows;
    uint64_t *numbers; /* [count] ascending */
    size_t *of_row;    /* [rows] the place of its regime among them; SIZE_MAX: regime 0 */
} dcdi_regimes;

scone_status dcdi_regimes_number(dcdi_regimes *out, const uint64_t *regimes, size_t rows);
void dcdi_regimes_free(dcdi_regimes *r);

/* ---- the text files ---- */

enum { DCDI_TEXT_LIMIT = 1 << 30 }; /* bytes of a regime or intervention file */

/* The regime or intervention file in DCDI's or SEA's spelling; *path is NULL if there is none. */
scone_status dcdi_find_text(char **path, const char *folder, const char *stem, size_t index);

/* From memory, also for the fuzz target; messages name lines alone. One number a line, "1" or
 * "1.0"; blank lines are skipped. Free with mem_free. */
scone_status dcdi_parse_regimes(uint64_t **regimes, size_t *count, const char *text, size_t size);

/* Lines of node numbers below `nodes`. interventional[line] tells whether the line names any; a
 * line break ends a line, so text after the last one is a line too. Adds to targets[nodes] all
 * nodes that are named. Free interventional with mem_free. */
scone_status dcdi_parse_interventions(unsigned char **interventional, size_t *count, bool *targets,
                                      size_t nodes, const char *text, size_t size);
/* The same lines, by regime: adds to targets [regimes, nodes]. Fails if rows of regime 0 have
 * targets, or if there are not as many lines as rows (blank ones at the end do not count). */
scone_status dcdi_parse_row_targets(bool *targets, size_t nodes, const dcdi_regimes *regimes,
                                    const char *text, size_t size);

#endif
