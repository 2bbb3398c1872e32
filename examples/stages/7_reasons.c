/* 7_reasons.c - directions that follow from what changed and what did not, with certificates.
 *
 * In: the decoded graph and the pair. Out: the graph that is decoded with certificates, each edge
 * with the rule and the changes that its certificate rests on.
 * New: reasons_parse_rules, reasons_give, reasons_why.
 *
 *   make examples && build/examples/7_reasons
 */
#include "reasons/reasons.h"
#include "stage.h"

static scone_status print_reasoned(const reasoned *out, const char *const *names)
{
    const reasons *r = &out->reasons;
    printf("out: %zu tests on %zu rows at most, %zu certificates\n", r->tested, r->rows, r->count);
    for (size_t e = 0; e < out->decoded.count; e++) {
        const decode_edge *edge = &out->decoded.edges[e];
        char *why;
        scone_status status = reasons_why(&why, r, &out->decoded, e, NULL, "search", names);
        if (status != SCONE_OK) return status;
        printf("%s %s %s by %s\n", names[edge->from], edge->undirected ? "--" : "->",
               names[edge->to], why);
        mem_free(why);
    }
    return SCONE_OK;
}

int main(void)
{
    const decode_options how = {.threshold = 0.5, .margin = 0.2};
    reasons_options options = {.rows = DATA_SOURCE_ROWS};
    scone_status status = SCONE_OK;
    scone_problem *problem = NULL;
    search_result found = {.graph = NULL};
    decoding decoded = {.graph = NULL};
    reasoned out = {.probabilities = NULL};
    TRY(stage_problem(&problem));
    const scone_pair *pair = scone_problem_pair(problem);
    TRY(stage_search(&found, pair));
    TRY(decode(&decoded, found.probabilities, STAGE_COLUMNS, NULL, &how));
    stage_print_graph("in", decoded.graph);

    TRY(reasons_parse_rules(&options.rules, "all"));
    TRY(reasons_give(&out, pair, &decoded, found.probabilities, NULL, &how, &options, NULL));
    TRY(print_reasoned(&out, (const char *const *)pair->tables[0]->names));
    stage_print_matrix("out, P(row -> column)", out.probabilities, STAGE_COLUMNS);
cleanup:
    reasoned_free(&out);
    decoding_free(&decoded);
    search_result_free(&found);
    scone_problem_free(problem);
    return stage_end(status);
}
