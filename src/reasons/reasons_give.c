/* reasons_give.c - the rule stage of a discovery, from its parts (see reasons.h). */
#include "reasons/reasons.h"

#include <string.h>

/* Which condition is in which pair, for words and files. */
static scone_status note_pairs(reasons *r, const reasons_options *options)
{
    scone_status status = SCONE_OK;
    const literal_conditions *conditions = options->conditions;
    if (!conditions) return SCONE_OK;
    TRY_ALLOC(r->pairs, conditions->count);
    memcpy(r->pairs, conditions->chosen, conditions->count * sizeof *r->pairs);
    r->pair_count = conditions->count;
    r->conditions = options->names;
cleanup:
    return status;
}

scone_status reasons_give(reasoned *out, const scone_pair *pair, const decoding *found,
                          const double *probabilities, const knowledge *k,
                          const decode_options *how, const reasons_options *options,
                          const scone_context *context)
{
    scone_status status = SCONE_OK;
    const literal_conditions *conditions = options->conditions;
    data_source *data = NULL;
    size_t nodes = found->graph->nodes, cells;
    *out = (reasoned){.probabilities = NULL};
    if (!size_multiply(&cells, nodes, nodes)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY_ALLOC(out->probabilities, cells);
    if (conditions) {
        TRY(literals_data_conditions(&data, conditions, options->seed, options->rows, context));
    } else {
        TRY(literals_data_alloc(&data, pair, options->seed, options->rows, context));
    }
    reasons_request request = {.found = found->graph,
                               .probabilities = probabilities,
                               .local = options->local,
                               .other = options->other,
                               .source = literals_data_use(data),
                               .levels = literals_usual,
                               .pairs = conditions ? conditions->count : 1,
                               .rules = options->rules};
    /* Pairs may be chosen by what the data say, so all that there are count. */
    if (conditions) request.levels.pairs = options->condition_count;
    TRY(reasons_find(&out->reasons, &request, context));
    out->reasons.rows = options->rows;
    TRY(note_pairs(&out->reasons, options));
    TRY(reasons_weigh(out->probabilities, &out->reasons, probabilities, found, k, how));
    TRY(decode(&out->decoded, out->probabilities, nodes, k, how));
    reasons_mark(&out->reasons, &out->decoded);
cleanup:
    literals_data_free(data);
    return status;
}

void reasoned_free(reasoned *r)
{
    reasons_free(&r->reasons);
    decoding_free(&r->decoded);
    mem_free(r->probabilities);
    *r = (reasoned){.probabilities = NULL};
}
