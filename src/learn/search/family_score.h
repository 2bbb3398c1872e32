/* family_score.h - scores of families, computed once each and in parallel.
 *
 * A search asks for many scores at a time; those not known yet are computed by all threads and then
 * entered in the order of the requests, so nothing depends on the number of threads. A new fit
 * starts also from fits of the same node with one parent less, and from the family it is asked for
 * by. Looking back from a larger family can improve what is known of a smaller one (revise).
 */
#ifndef SCONE_LEARN_SEARCH_FAMILY_SCORE_H
#define SCONE_LEARN_SEARCH_FAMILY_SCORE_H

#include "learn/fit/fit.h"

typedef struct family_score family_score;

typedef struct family_score_options {
    double edge_cost; /* nats that a parent with one column costs on top of its parameters */
    double discount;  /* of it for each further column (search_discount) */
    int effort;       /* as in fit.h */
    double odds;      /* nats that a change in one of several conditions costs to say (fit.h) */
} family_score_options;

typedef struct family_score_wish {
    family family;
    family beside; /* a known family of the same node to start from, or the same family */
    bool revise;   /* fit again from `beside` if it is known; keep the better */
    bool afresh;   /* fit again, once, from no other family, with most effort; keep the better */
} family_score_wish;

/* Nats that a parent with so many columns costs on top of its parameters, at least 3.5 if an edge
 * costs that. */
double family_score_edge_cost(const family_score_options *options, size_t columns);

scone_status family_score_alloc(family_score **out, const basis *b,
                                const family_score_options *options, const scone_context *context);
void family_score_free(family_score *scores);

/* Makes sure that these families are known. stage may be NULL (see parallel_for). */
scone_status family_score_request(family_score *scores, const family_score_wish *wishes,
                                  size_t count, const char *stage);
bool family_score_known(const family_score *scores, const family *f);
/* A family that was requested: penalized score, or all of its fit. */
double family_score_get(const family_score *scores, const family *f);
const fit_result *family_score_fit(const family_score *scores, const family *f);
/* With several conditions: the margins of that fit (fit_margins), by condition. */
const float *family_score_margins(const family_score *scores, const family *f);
/* From now on a change costs this; what is known is counted again, with the changes it has. */
void family_score_set_odds(family_score *scores, double odds);
size_t family_score_count(const family_score *scores);

/* Restricts the possible further parents of a node that scans look at; all other nodes at first.
 * Scans made before are forgotten. */
scone_status family_score_restrict(family_score *scores, size_t node, const uint32_t *candidates,
                                   size_t count);
const uint32_t *family_score_candidates(const family_score *scores, size_t node, size_t *count);
/* Makes sure that these known families have scans (fit_scan). */
scone_status family_score_scan(family_score *scores, const family *families, size_t count,
                               const char *stage);
/* The scan of a family, in the order of the candidates; NULL if there is none. */
const float *family_score_gains(const family_score *scores, const family *f);

#endif
