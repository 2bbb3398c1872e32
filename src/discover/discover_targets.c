/* discover_targets.c - the stage `targets` of a discovery: which mechanisms changed, in two tables
 * or in each of several conditions, and what speaks against the answer as a whole (see discover.h).
 */
#include "discover/discover.h"

#include "text/names.h"

#include <stdio.h>

/* With fast effort no more rows of a regime than this are tested for a change. */
enum { TARGET_ROWS_FAST = 3000 };

/* Does the control as a whole speak against p-values? tests [variables]: of any condition. */
static scone_status warn_dependence(bool *depend, discovery *d, const target_test *tests,
                                    const scone_context *context)
{
    scone_status status = SCONE_OK;
    double dependence;
    TRY(targets_dependence(&dependence, tests, &d->map));
    *depend = dependence > MOVEMENT_DEPENDENCE;
    if (*depend) {
        TRY(warnings_add(&d->warnings, context,
                         "rows of the control depend on their neighbours: blocks of them differ "
                         "by %.1f times the variance of rows picked evenly, so p-values are too "
                         "small; go by the sizes in targets.csv, and take rows farther apart if "
                         "you can",
                         dependence));
    }
cleanup:
    return status;
}

/* where: "" or "in A and B " */
static scone_status warn_many(discovery *d, const char *where, const scone_context *context)
{
    return warnings_add(&d->warnings, context,
                        "%smore than half of the variables are called changed, which is seldom "
                        "so; usually everything shifted together (another batch, season or "
                        "instrument), rows depend on each other, or the graph is wrong; take a "
                        "control of the same batch and time, look at the largest sizes in "
                        "targets.csv first, and give what you know with --knowledge",
                        where);
}

/* What speaks against the targets as a whole. */
static scone_status warn_targets(discovery *d, const scone_context *context)
{
    scone_status status = SCONE_OK;
    bool many = targets_too_many(d->tests, d->map.count), depend;
    TRY(warn_dependence(&depend, d, d->tests, context));
    d->rate_holds = !many && !depend;
    if (many) TRY(warn_many(d, "", context));
cleanup:
    return status;
}

/* The same for several conditions: names those in which nearly everything is called changed. */
static scone_status warn_conditions(discovery *d, const scone_context *context)
{
    scone_status status = SCONE_OK;
    names_told told = {.quote = "'"};
    char where[NAMES_TOLD_SIZE + 64];
    bool depend;
    for (size_t k = 0; k < d->conditions->count; k++) {
        const target_test *tests = d->condition_tests + k * d->map.count;
        if (targets_too_many(tests, d->map.count)) names_tell(&told, d->conditions->names[k + 1]);
    }
    TRY(warn_dependence(&depend, d, d->condition_tests, context));
    d->rate_holds = told.count == 0 && !depend;
    if (told.count == 0) goto cleanup;
    (void)snprintf(where, sizeof where, "in %zu of %zu conditions (%s) ", told.count,
                   d->conditions->count, names_tell_end(&told));
    TRY(warn_many(d, where, context));
cleanup:
    return status;
}

static scone_status find_targets_of_conditions(discovery *d, size_t rows,
                                               const scone_context *context)
{
    size_t cells, conditions = d->conditions->count;
    const targets_request request = {.pair = d->pair,
                                     .conditions = conditions,
                                     .condition_rows = d->condition_rows,
                                     .graph = discovery_decoded(d)->graph,
                                     .map = &d->map,
                                     .margins = d->answer.condition_margins,
                                     .known = d->known,
                                     .alpha = d->request.options.alpha,
                                     .rows = rows};
    if (!size_multiply(&cells, conditions, d->map.count)) {
        return RAISE(SCONE_ERR_MEMORY, "out of memory");
    }
    d->condition_tests = mem_alloc(cells, sizeof *d->condition_tests);
    if (!d->condition_tests) return SCONE_ERR_MEMORY;
    scone_status status = targets_conditions(d->condition_tests, d->tests, &request, context);
    return status == SCONE_OK ? warn_conditions(d, context) : status;
}

scone_status discover_targets(discovery *d, const scone_context *context)
{
    scone_status status = SCONE_OK;
    target_test *of_nodes = NULL;
    bool fast = d->request.options.effort == SCONE_EFFORT_FAST;
    TRY_ALLOC(d->tests, d->map.count);
    TRY(targets_extend(&d->dag, discovery_decoded(d)->graph));
    if (d->conditions) return find_targets_of_conditions(d, fast ? TARGET_ROWS_FAST : 0, context);
    TRY_ALLOC(of_nodes, d->map.node_count);
    TRY(targets_test(of_nodes, d->pair, discovery_decoded(d)->graph, fast ? TARGET_ROWS_FAST : 0,
                     context));
    TRY(targets_of_variables(d->tests, &d->map, of_nodes, d->answer.margins, d->known,
                             d->request.options.alpha));
    TRY(warn_targets(d, context));
cleanup:
    mem_free(of_nodes);
    return status;
}
