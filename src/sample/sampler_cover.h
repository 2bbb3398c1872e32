/* sampler_cover.h - the guarantee that every candidate pair is in at least one subset (D6), and the
 * report on who has been visited how often. */
#ifndef SCONE_SAMPLE_SAMPLER_COVER_H
#define SCONE_SAMPLE_SAMPLER_COVER_H

#include "sample/sampler.h"

/* Adds subsets until every pair is in at least one. Each starts at the node with the most uncovered
 * pairs and takes the node that covers most further ones with those it has (of equals the one with
 * more uncovered pairs in all, then the lower index); when none covers any it goes on from the
 * node with most, and fills up by the largest growth weight of the sampler. Nothing is random.
 * Pairs may repeat and be in either order. *added may be NULL. Fails with SCONE_ERR_INPUT for a
 * node out of range, a pair of a node with itself, or subsets of one node. Order k N per added
 * subset, at most one per pair. */
scone_status sampler_cover(sampler *s, const node_pair *pairs, size_t count, size_t *added);

typedef struct coverage_report {
    size_t subsets, pairs;
    double share;             /* of the pairs that are in some subset; 1 if none */
    size_t least_pair_visits; /* of the pairs; 0 if there are none */
    double mean_pair_visits;
    size_t least_node_visits; /* of all nodes */
    double mean_node_visits;
} coverage_report;

/* Over the given valid pairs, or over all pairs of nodes if `pairs` is NULL. */
coverage_report sampler_coverage(const sampler *s, const node_pair *pairs, size_t count);

#endif
