/* discover.h - a discovery, from two tables to a graph: the outputs of its stages. */
#ifndef SCONE_DISCOVER_DISCOVER_H
#define SCONE_DISCOVER_DISCOVER_H

#include "data/conditions/conditions.h"
#include "discover/column_map.h"
#include "discover/conflicts.h"
#include "discover/request.h"
#include "discover/targets.h"

enum { DISCOVERY_STAGES = 8 };

/* How long the stages took. */
typedef struct stage_clock {
    scone_stage stages[DISCOVERY_STAGES];
    size_t count;
    double started;
} stage_clock;

/* Each field is put out by one stage and only read by those that follow. */
typedef struct discovery {
    /* prepare */
    discover_request request;
    learned_model *model;               /* NULL: the preset has none */
    const scone_conditions *conditions; /* NULL: two tables */
    size_t *condition_rows;             /* of each condition, if there are several */
    column_map map;
    knowledge *known, *part; /* about variables, about nodes; NULL: none */
    scone_pair *pair;        /* the columns of the nodes */
    /* learn */
    preset_answer answer;
    /* decode */
    double *conditioned; /* [nodes, nodes] the answer's probabilities given the knowledge */
    decoding decoded;
    /* stages, of presets with local learners */
    local_graphs local;
    stage_list stages; /* the last one after the rules */
    /* rules, if any */
    reasoned reasoned;
    conflict_list conflicts;
    /* targets */
    target_test *tests;           /* [variables] */
    graph *dag;                   /* of nodes, in which they were tested */
    bool rate_holds;              /* do their decisions keep to the false discovery rate? */
    target_test *condition_tests; /* [conditions, variables], if there are several */

    warning_list warnings; /* all stages add to these, */
    stage_clock clock;     /* and to this one */
} discovery;

/* What the last stages decided on. */
static inline const decoding *discovery_decoded(const discovery *d)
{
    return d->reasoned.probabilities ? &d->reasoned.decoded : &d->decoded;
}

static inline const double *discovery_probabilities(const discovery *d)
{
    return d->reasoned.probabilities ? d->reasoned.probabilities : d->conditioned;
}

/* ---- stages (discover_rules.c, discover_targets.c) ---- */

scone_status discover_rules(discovery *d, const decode_options *how, const scone_context *context);
scone_status discover_targets(discovery *d, const scone_context *context);

/* ---- all of them ---- */

/* scone_discover, for several calls on the same tables, which are then not examined: searched (or
 * NULL) keeps a search between them. */
scone_status discover_with(scone_result **out, const scone_pair *pair,
                           const scone_discover_options *options, preset_searched *searched,
                           const scone_context *context);
/* The same with several conditions, of which the pair is what scone_conditions_pool makes; the
 * preset must be one that tells them apart. */
scone_status discover_conditions_with(scone_result **out, const scone_pair *pair,
                                      const scone_conditions *conditions,
                                      const scone_discover_options *options,
                                      preset_searched *searched, const scone_context *context);

#endif
