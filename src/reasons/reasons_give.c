/* reasons_give.c - the rule stage of a discovery, from its parts (see reasons.h). */
#include "reasons/reasons.h"

scone_status reasons_give(reasoned *out, const scone_pair *pair, const decoding *found,
                          const double *probabilities, const knowledge *k,
                          const decode_options *how, const reasons_options *options,
                          const scone_context *context)
{
    scone_status status = SCONE_OK;
    data_source *data = NULL;
    size_t nodes = found->graph->nodes, cells;
    *out = (reasoned){.probabilities = NULL};
    if (!size_multiply(&cells, nodes, nodes)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY_ALLOC(out->probabilities, cells);
    TRY(literals_data_alloc(&data, pair, options->seed, options->rows, context));
    const reasons_request request = {.found = found->graph,
                                     .probabilities = probabilities,
                                     .local = options->local,
                                     .other = options->other,
                                     .source = literals_data_use(data),
                                     .levels = literals_usual,
                                     .rules = options->rules};
    TRY(reasons_find(&out->reasons, &request, context));
    out->reasons.rows = options->rows;
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
