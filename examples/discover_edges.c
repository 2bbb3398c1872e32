/* discover_edges.c - the shortest way from two tables to a graph; the head of scone.h shows it.
 *
 * In: two CSV files over the same six columns, from before and after a change that nobody watched.
 * Out: the edges that were found, strongest first, each with its probability.
 * New: scone_pair_read, scone_discover, scone_result_edge.
 *
 *   make examples && build/examples/discover_edges examples/control.csv examples/treated.csv
 */
#include <scone.h>

int main(int argc, char **argv)
{
    scone_pair *pair = NULL;
    scone_result *found = NULL;
    if (argc != 3) {
        fprintf(stderr, "usage: discover_edges CONTROL TREATED\n");
        return SCONE_ERR_USAGE;
    }
    scone_status status = scone_pair_read(&pair, argv[1], argv[2], NULL, NULL);
    if (status == SCONE_OK) status = scone_discover(&found, pair, NULL, NULL);
    if (status != SCONE_OK) fprintf(stderr, "%s\n", scone_error_message());
    for (size_t e = 0; status == SCONE_OK && e < scone_result_edges(found); e++) {
        const scone_edge *edge = scone_result_edge(found, e);
        printf("%s %s %s, probability %.2f\n", scone_result_name(found, edge->source),
               edge->undirected ? "--" : "->", scone_result_name(found, edge->target),
               1.0 - edge->p_none);
    }
    scone_result_free(found);
    scone_pair_free(pair);
    return (int)status;
}
