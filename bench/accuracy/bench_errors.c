/* bench_errors.c - where the errors of the search come from.
 *
 * For graphs of a setting: runs the search, and for every node whose parents are wrong compares the
 * score of its true parents with that of the parents found. If the true graph scores higher, the
 * search failed; if lower, the score did. One line of CSV per graph ("graph") and per wrong node
 * ("node").
 *
 *     bench_errors SETTING COUNT SEED [EFFORT] [ROWS]
 *
 * SETTING as in settings.h.
 */
#include "graph/graph.h"
#include "learn/search/search.h"
#include "settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static family parents_of(const scone_graph *g, size_t node)
{
    family f = {.node = (uint32_t)node};
    for (size_t u = 0; u < scone_graph_nodes(g); u++) {
        if (u != node && graph_directed(g, u, node) && f.count < FAMILY_MAX_PARENTS) {
            f = family_with(&f, u);
        }
    }
    return f;
}

static void print_parents(const family *f)
{
    for (size_t i = 0; i < f->count; i++) printf("%s%u", i ? " " : "", f->parents[i]);
}

/* Total score of found minus true; prints the nodes that differ. */
static double compare(size_t index, const scone_problem *problem, const scone_graph *found,
                      const scone_context *context)
{
    static const char *const models[] = {"constant", "modelled", "log", "sd"};
    const scone_graph *truth = scone_problem_graph(problem);
    const scone_pair *pair = scone_problem_pair(problem);
    const family_score_options options = {
        .edge_cost = search_edge_cost(scone_graph_nodes(truth)),
        .discount = search_discount((double)(pair->tables[0]->rows + pair->tables[1]->rows)),
        .effort = 2};
    basis *b;
    family_score *scores;
    double sum = 0.0;
    require(basis_alloc(&b, pair, &(basis_options){0}, context));
    require(family_score_alloc(&scores, b, &options, context));
    for (size_t v = 0; v < scone_graph_nodes(truth); v++) {
        family is = parents_of(found, v), should = parents_of(truth, v);
        if (family_equal(&is, &should)) continue;
        const family_score_wish wishes[2] = {{.family = is, .beside = is},
                                             {.family = should, .beside = should}};
        require(family_score_request(scores, wishes, 2, NULL));
        const family_score_wish again[2] = {{.family = is, .beside = should, .revise = true},
                                            {.family = should, .beside = is, .revise = true}};
        require(family_score_request(scores, again, 2, NULL));
        double difference = family_score_get(scores, &is) - family_score_get(scores, &should);
        const fit_result *best = family_score_fit(scores, &should);
        sum += difference;
        printf("node,%zu,%zu,%s,%s,%s,%d,%.1f,", index, v, models[best->model[0]],
               models[best->model[1]], models[best->model[2]], scone_problem_targets(problem)[v],
               difference);
        print_parents(&should);
        printf(",");
        print_parents(&is);
        printf("\n");
    }
    family_score_free(scores);
    basis_free(b);
    return sum;
}

int main(int argc, char **argv)
{
    scone_setting setting;
    const scone_context context = {.threads = 2};
    search_options options = {.edge_cost = -1.0, .effort = argc > 4 ? atoi(argv[4]) : 1};
    options.joint = options.effort > 1;
    if (argc < 4) {
        fprintf(stderr, "usage: bench_errors SETTING COUNT SEED [EFFORT] [ROWS]\n");
        return 2;
    }
    setting_read(&setting, argv[1]);
    size_t count = (size_t)atoi(argv[2]);
    setting.seed = (uint64_t)atoll(argv[3]);
    if (argc > 5) setting.samples = (size_t)atoll(argv[5]);
    double shd = 0.0, f1 = 0.0, seconds = 0.0;
    printf(
        "kind,graph,node,pooled,first,second,target,found minus true,true parents,found parents\n");
    for (size_t g = 0; g < count; g++) {
        scone_problem *problem;
        search_result found;
        scone_scores scores;
        require(scone_simulate(&problem, &setting, g, &context));
        double start = now();
        require(search_run(&found, scone_problem_pair(problem), &options, &context));
        double took = now() - start;
        require(scone_eval_graphs(&scores, found.graph, scone_problem_graph(problem)));
        double difference = compare(g, problem, found.graph, &context);
        printf("graph,%zu,,,,,,%.1f,SHD %.0f F1 %.3f,%zu fits %.2f s\n", g, difference, scores.shd,
               scores.f1, found.evaluations, took);
        fflush(stdout);
        shd += scores.shd;
        f1 += scores.f1;
        seconds += took;
        search_result_free(&found);
        scone_problem_free(problem);
    }
    fprintf(stderr, "%s seed %s: SHD %.2f F1 %.3f %.2f s\n", argv[1], argv[3], shd / (double)count,
            f1 / (double)count, seconds / (double)count);
    return 0;
}
