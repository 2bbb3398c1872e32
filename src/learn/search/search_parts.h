/* search_parts.h - what the files of the search share (see search.h). */
#ifndef SCONE_LEARN_SEARCH_SEARCH_PARTS_H
#define SCONE_LEARN_SEARCH_SEARCH_PARTS_H

#include "graph/closure.h"
#include "learn/search/search.h"

typedef struct search {
    size_t nodes, words, max_parents;
    size_t parts;      /* the control and the conditions */
    size_t looks;      /* candidates of a scan that are fitted */
    size_t passes;     /* along the order, at most */
    double price;      /* of a further parent: its parameters and the edge */
    double least_gain; /* of a scan, in nats, below which a candidate is not fitted */
    double rows;       /* of all tables */
    double luck;       /* nats that a fit may gain by a better start */
    const search_options *options;
    const scone_context *context;
    family_score *scores;
    graph *dag;
    closure *reach;
    family *families;          /* [nodes] the current parents */
    family_score_wish *wishes; /* [capacity] */
    size_t wish_count, wish_capacity;
} search;

/* ---- wishes (search_wish.c) ---- */

/* Adds a family to the next request unless it is known. */
scone_status search_wish(search *s, const family *f, const family *beside);
/* Fits a family again from a larger one. */
scone_status search_revise(search *s, const family *f, const family *beside);
/* Fits a family again from what it is alone, with all starts there are. */
scone_status search_afresh(search *s, const family *f);
/* Could a gain be due to where the fit started? Then an addition counts after the smaller family
 * was fitted again from the larger one. */
bool search_optimum_matters(const search *s, const family *f, double gain);
/* Computes what was wished for. */
scone_status search_fulfil(search *s, const char *stage);

/* ---- what may be done (search_wish.c) ---- */

bool search_fixed(const search *s, size_t from, size_t to);
bool search_allowed(const search *s, size_t from, size_t to);
/* Does the node's family have room for another parent? */
bool search_room(const search *s, const family *f);
/* One-step gain of `from` as a further parent in a scanned family; 0 if it is no candidate. */
double search_gain(const search *s, const family *f, size_t from);
/* The best `limit` candidates of a scanned family in the set `among` (NULL: all), best first, that
 * could pay for themselves; returns their number. */
size_t search_best(const search *s, const family *f, const bits_word *among, size_t *best,
                   size_t limit);

void search_add(search *s, size_t from, size_t to);
void search_delete(search *s, size_t from, size_t to);
/* Replaces the graph by these families, which are acyclic. */
void search_replace(search *s, const family *families);

/* ---- stages ---- */

scone_status search_greedy(search *s);
/* Offers each node the parents that show only together; says whether one took them. */
scone_status search_joint(search *s, const basis *b, bool *improved);
/* At most this many passes. */
scone_status search_order(search *s, size_t passes);
/* Takes away parents of refined models that are worth too little. */
scone_status search_prune(search *s);
scone_status search_describe(search_result *out, search *s);

#endif
