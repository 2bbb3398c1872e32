/* discover_rules.c - the stage `rules` of a discovery: certificates for the directions of the
 * decoded graph, and what follows from them (see discover.h). */
#include "discover/discover.h"

/* The pairs of tables that the rules see: the control with some conditions or all. */
static scone_status choose_pairs(size_t **chosen, size_t *count, const discovery *d, size_t rows)
{
    scone_effort effort = d->request.options.effort;
    const pairs_request request = {.conditions = d->conditions->count,
                                   .control_rows = d->map.rows[0],
                                   .rows = d->condition_rows,
                                   .most_rows = rows,
                                   .most = effort == SCONE_EFFORT_FAST       ? REASONS_PAIRS_FAST
                                           : effort == SCONE_EFFORT_THOROUGH ? d->conditions->count
                                                                             : REASONS_PAIRS,
                                   .found = d->decoded.graph,
                                   .margins = d->answer.condition_margins,
                                   .least = TARGET_LEAST_MARGIN};
    return reasons_choose_pairs(chosen, count, &request);
}

scone_status discover_rules(discovery *d, const decode_options *how, const scone_context *context)
{
    scone_status status = SCONE_OK;
    const scone_discover_options *o = &d->request.options;
    bool fast = o->effort == SCONE_EFFORT_FAST;
    size_t *chosen = NULL;
    literal_conditions pairs = {.pair = d->pair, .rows = d->condition_rows};
    reasons_options options = {.rules = d->request.rules,
                               .rows = fast ? DATA_SOURCE_ROWS_FAST : DATA_SOURCE_ROWS,
                               .local = d->stages.count ? &d->local : NULL,
                               .other = d->stages.count ? d->stages.list[0].graph : NULL,
                               .seed = o->seed};
    if (d->decoded.count == 0 && d->stages.count == 0) return SCONE_OK;
    if (d->conditions) {
        TRY(choose_pairs(&chosen, &pairs.count, d, options.rows));
        if (pairs.count == 0) goto cleanup; /* no condition has rows enough for a test */
        pairs.chosen = chosen;
        options.conditions = &pairs;
        options.condition_count = d->conditions->count;
        options.names = (const char *const *)d->conditions->names + 1;
    }
    TRY(reasons_give(&d->reasoned, d->pair, &d->decoded, d->conditioned, d->part, how, &options,
                     context));
    TRY(conflicts_list(&d->conflicts, &d->reasoned.reasons, d->request.preset->voice,
                       d->map.node_names));
    TRY(conflicts_warn(&d->conflicts, &d->warnings, context));
cleanup:
    mem_free(chosen);
    return status;
}
