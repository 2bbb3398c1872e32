/* result.h - what scone_discover found: the answer that users get, which nobody changes any more.
 *
 * Everything is kept by variable (column_map.h), but for what decoding and rules say, which is by
 * node, and what scone.h hands out, which is by column.
 */
#ifndef SCONE_DISCOVER_RESULT_H
#define SCONE_DISCOVER_RESULT_H

#include "discover/discover.h"

struct scone_result {
    discover_request request; /* with the defaults filled in */
    column_map map;
    knowledge *known; /* about variables, or NULL */

    decoding decoded;      /* in nodes */
    reasons reasons;       /* in nodes */
    stage_list stages;     /* in nodes; none: the preset has no local learners */
    double *probabilities; /* [variables, variables] */

    graph *by_name;                  /* nodes = variables, with names */
    graph *by_column;                /* nodes = columns, with names */
    scone_edge *edges;               /* strongest first, in columns; as many as decoded.count */
    size_t conditions;               /* 0: two tables */
    const char **condition_names;    /* [conditions] */
    size_t *condition_rows;          /* [conditions] */
    scone_target *condition_targets; /* [conditions, variables] farthest first in each */
    const char *control;             /* its name, if there are several conditions */
    const char **files;              /* [conditions + 1] where the control and they are from, or
                                        NULL each */
    scone_target *targets;           /* [variables] farthest first, in columns */
    bool rate_holds;                 /* of the targets: see discover.h */
    arena *memory;                   /* of the reasons of edges and targets in words */

    conflict_list conflicts;
    warning_list warnings;
    stage_clock clock;
};

/* Takes over from d what is kept, also when it fails. */
scone_status result_make(scone_result **out, discovery *d);

#endif
