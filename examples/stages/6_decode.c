/* 6_decode.c - from probabilities to a graph, with what is known beforehand.
 *
 * In: P(i -> j) of the search, and two lines of knowledge. Out: the probabilities given the
 * knowledge; a graph that extends to one without cycles; why each of its edges looks as it does.
 * New: knowledge_parse, knowledge_compile, decode_condition, decode, decode_why.
 *
 *   make examples && build/examples/6_decode
 */
#include "decode/decode.h"
#include "stage.h"

#include <string.h>

int main(void)
{
    static const char text[] = "X1 !-> X2\nX2 -> X5\n";
    const decode_options how = {.threshold = 0.5, .margin = 0.2};
    scone_status status = SCONE_OK;
    scone_problem *problem = NULL;
    search_result found = {.graph = NULL};
    knowledge_file file = {.count = 0};
    knowledge *known = NULL;
    decoding decoded = {.graph = NULL};
    double p[STAGE_COLUMNS * STAGE_COLUMNS];
    TRY(stage_problem(&problem));
    const char *const *names = (const char *const *)scone_problem_pair(problem)->tables[0]->names;
    TRY(stage_search(&found, scone_problem_pair(problem)));
    stage_print_matrix("in, P(row -> column)", found.probabilities, STAGE_COLUMNS);
    printf("in, what is known:\n%s", text);

    TRY(knowledge_parse(&file, text, strlen(text)));
    const knowledge_names about = {.variables = names, .count = STAGE_COLUMNS};
    TRY(knowledge_compile(&known, &file, &about));
    TRY(decode_condition(p, found.probabilities, STAGE_COLUMNS, known));
    stage_print_matrix("out, given what is known", p, STAGE_COLUMNS);
    TRY(decode(&decoded, p, STAGE_COLUMNS, known, &how));
    stage_print_graph("out", decoded.graph);
    for (size_t e = 0; e < decoded.count; e++) {
        const decode_edge *edge = &decoded.edges[e];
        char *why;
        TRY(decode_why(&why, &decoded, e, known, "search", names));
        printf("%zu%s%zu by %s\n", edge->from, edge->undirected ? "--" : "->", edge->to, why);
        mem_free(why);
    }
cleanup:
    decoding_free(&decoded);
    knowledge_free(known);
    knowledge_file_free(&file);
    search_result_free(&found);
    scone_problem_free(problem);
    return stage_end(status);
}
