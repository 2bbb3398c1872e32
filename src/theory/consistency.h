/* consistency.h - P(G-hat = G_test) by simulation (paper, theorem on consistency;
 * docs/methods/theory.md, "With data").
 *
 * For one simulated graph: all conditional independences in each regime and all invariance tests
 * once, then for a family of subsets the local graphs, H_obs, the literals, the rules and the
 * closure from these tables. The population gives the same tables by d-separation, so that one
 * piece of code makes G-hat from both.
 */
#ifndef SCONE_THEORY_CONSISTENCY_H
#define SCONE_THEORY_CONSISTENCY_H

#include "data/table.h"
#include "theory/study.h"
#include "scone_lab.h"

enum { CONSISTENCY_SETS = 1 << SCONE_CONSISTENCY_MOST_NODES, CONSISTENCY_MOST_HITS = 3 };

/* The level of all tests, going to 0 with the rows n of a regime so slowly that every fixed
 * dependence or change is found in the end: 5 / n, at most 0.02. */
double consistency_level(size_t rows);

/* What a method is told, or finds out: by number of nodes and set. */
typedef struct consistency_answers {
    int count;
    double log_alpha;
    /* log p-value of a and b, a < b, given z: in regime 0, in 1, in both */
    double independent[3][SCONE_CONSISTENCY_MOST_NODES][SCONE_CONSISTENCY_MOST_NODES]
                      [CONSISTENCY_SETS];
    uint8_t literals[SCONE_CONSISTENCY_MOST_NODES][CONSISTENCY_SETS]; /* enum literal */
} consistency_answers;

/* All tests on data; `linear` chooses the test of independence. Literals of |Z| < subset_size. */
scone_status consistency_ask(consistency_answers *answers, const scone_pair *pair,
                             size_t subset_size, bool linear);
/* The population's answers. */
void consistency_know(consistency_answers *answers, const local_graph *dag, int count,
                      uint32_t targets, size_t subset_size);

/* Admissible subsets: bit s of a word for the set s. */
typedef uint64_t subset_family;
_Static_assert(CONSISTENCY_SETS <= 64, "a family of subsets fits into a word");

subset_family consistency_all_subsets(int count, size_t size);
/* Is (v, Z) inside some subset? */
bool consistency_tested(subset_family family, int v, uint32_t z);

/* H_obs, and G-hat from it with the rules on these subsets. A direction that two rules contradict
 * is not taken. */
void consistency_graph(local_graph *h_obs, local_graph *found, const consistency_answers *answers,
                       subset_family family);

/* of[a][b]: the subsets of the family on each of which, alone, a -> b is found: directed in a local
 * graph or by a rule. */
typedef struct subset_witnesses {
    subset_family of[SCONE_CONSISTENCY_MOST_NODES][SCONE_CONSISTENCY_MOST_NODES];
} subset_witnesses;

void consistency_witnesses(subset_witnesses *witnesses, const consistency_answers *answers,
                           subset_family family);

/* ---- one simulated graph (consistency_case.c) ---- */

typedef struct coverage_sum {
    size_t directions, above, outside;
    double measured, squares, independent, bound; /* sums over directions */
} coverage_sum;

typedef struct consistency_case {
    scone_consistency_point point[2 * SCONE_CONSISTENCY_MOST_POINTS];
    coverage_sum coverage[SCONE_CONSISTENCY_MOST_POINTS][CONSISTENCY_MOST_HITS];
    size_t unwitnessed;
} consistency_case;

struct scone_consistency {
    scone_consistency_options options;
    size_t point_count, coverage_count;
    scone_consistency_point point[2 * SCONE_CONSISTENCY_MOST_POINTS];
    scone_consistency_coverage coverage[SCONE_CONSISTENCY_MOST_POINTS * CONSISTENCY_MOST_HITS];
    size_t unwitnessed;
};

/* Graph `index` of the options: fills all points and the coverage. */
scone_status consistency_case_run(consistency_case *result, const scone_consistency_options *o,
                                  size_t index, study *s);

/* ---- the sampler (consistency_coverage.c) ---- */

/* families[t]: the first options->subsets[t] subsets that the sampler draws for this pair. */
scone_status consistency_sample(subset_family *families, const scone_pair *pair,
                                const scone_consistency_options *o, size_t index);
/* Coverage of the directions in g_test by repeated runs of the sampler on this pair. */
scone_status consistency_cover(consistency_case *result, const scone_pair *pair,
                               const scone_consistency_options *o, size_t index,
                               const directions *g_test, const subset_witnesses *witnesses);

/* The bound of the lemma, also where it does not hold: exp(-T KL(hits/T || mass)). */
double consistency_bound(size_t subsets, size_t hits, double mass);
/* P(L < hits) for L binomial (subsets, mass). */
double consistency_tail(size_t subsets, size_t hits, double mass);

#endif
