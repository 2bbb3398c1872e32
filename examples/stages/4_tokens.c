/* 4_tokens.c - what the trained model reads: the columns and a search, as tokens.
 *
 * In: the pair and the result of the search. Out: candidate pairs of nodes, each with statistics of
 * both tables and with the evidence that the search has for it.
 * New: config_preset, config_token_options, token_make.
 *
 *   make examples && build/examples/4_tokens
 */
#include "model/setup/config.h"
#include "stage.h"

static void print_tokens(const tokens *t)
{
    const token_sizes *size = &t->size;
    printf("out: %u nodes, %u subset, %u candidate pairs with %u numbers of evidence each,\n",
           size->nodes, size->subsets, size->pairs, size->evidence);
    printf("%u cells, %u unshielded triples, %u paths; %zu bytes\n", size->cells, size->triples,
           size->paths, t->bytes);
    for (size_t e = 0; e < size->pairs; e++) {
        size_t i = t->ends[e][0], j = t->ends[e][1];
        const float *before = t->pair_statistics[e][0], *after = t->pair_statistics[e][1];
        printf("pair %zu %zu: correlation %.2f, then %.2f; the search says %.2f and %.2f\n", i, j,
               (double)before[TOKEN_CORRELATION], (double)after[TOKEN_CORRELATION],
               (double)t->prior[i * size->nodes + j], (double)t->prior[j * size->nodes + i]);
    }
}

int main(void)
{
    scone_status status = SCONE_OK;
    scone_problem *problem = NULL;
    search_result found = {.graph = NULL};
    model_config config;
    tokens *t = NULL;
    TRY(stage_problem(&problem));
    const scone_pair *pair = scone_problem_pair(problem);
    TRY(stage_search(&found, pair));
    stage_print_pair("in", pair);
    stage_print_graph("in", found.graph);

    TRY(config_preset(&config, "best"));
    token_options options = config_token_options(&config);
    options.found = &found;
    TRY(token_make(&t, pair, NULL, &options, NULL));
    print_tokens(t);
cleanup:
    tokens_free(t);
    search_result_free(&found);
    scone_problem_free(problem);
    return stage_end(status);
}
