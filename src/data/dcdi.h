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

/* Writes all five files of problem `index` (the number in their names: graph g of a simulation is
 * g + 1). data_interv holds the rows of regime 0, then those of regime 1. Safe to call from several
 * threads with different indices. */
scone_status dcdi_write(output_folder *folder, size_t index, const scone_pair *pair,
                        const graph *truth, const bool *targets);
/* The same with tables[count], at least two, of the regimes 0, 1, ..., and the targets of each
 * (targets[0] is not looked at). */
scone_status dcdi_write_regimes(output_folder *folder, size_t index, const table *const *tables,
                                const bool *const *targets, size_t count, const graph *truth);

/* ---- the text files, from memory (also for the fuzz target); messages name lines alone ---- */

/* One number a line, "1" or "1.0"; blank lines are skipped. Regime 0 gives 0, others 1. *distinct
 * is the number of different regimes other than 0, at most 2 (several are pooled). Free with
 * mem_free. */
scone_status dcdi_parse_regimes(unsigned char **regimes, size_t *count, size_t *distinct,
                                const char *text, size_t size);

/* Lines of node numbers below `nodes`. interventional[line] tells whether the line names any; a
 * line break ends a line, so text after the last one is a line too. Adds to targets[nodes] all
 * nodes that are named. Free interventional with mem_free. */
scone_status dcdi_parse_interventions(unsigned char **interventional, size_t *count, bool *targets,
                                      size_t nodes, const char *text, size_t size);

#endif
