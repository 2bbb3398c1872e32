/* bench_sampler_options.c - what the sampler's options do: which pairs the subsets hold.
 *
 * Simulated problems of the training families (linear, nn, nn_add). One option at a time is moved
 * away from the default. For T subsets (16 at N = 20, 64 at N = 50), means over graphs:
 *   edges_covered   share of the true edges with both ends in some subset
 *   edge_visits     subsets that hold a true edge; other_visits the same for all other pairs
 *   families        share of the nodes with parents that are with all of them in some subset
 *   pairs_covered   share of all pairs in some subset
 *   target_visits   visits of a target over visits of another node
 * and subsets, the number drawn when it is left open. Prints CSV after lines that start with '#'.
 *
 *     nice build/bench/bench_sampler_options [SEED] > bench/results/learners/sampler_options.csv
 */
#include "graph/graph.h"
#include "sample/sensitivity.h"
#include "sample/sampler_cover.h"

#include <math.h>
#include <stdlib.h>

enum { GRAPHS = 12, SEEDS = 4, VARIANTS = 28 };

typedef struct figures {
    double edges_covered, edge_visits, other_visits, families, pairs_covered, target_visits;
    double subsets;
} figures;

typedef struct variant {
    const char *name;
    double value;
    sampler_options options;
} variant;

static size_t make_variants(variant *out)
{
    static const double shares[] = {0.0, 0.25, 0.5, 0.75, 1.0};
    static const double betas[] = {0.0, 0.5, 1.0, 2.0};
    static const double bases[] = {1.0, 1.25, 1.5, 2.0, 3.0, 5.0};
    size_t n = 0;
    out[n++] = (variant){"default", 0.0, sampler_defaults()};
    for (size_t i = 0; i < 5; i++) {
        out[n] = (variant){"rho", shares[i], sampler_defaults()};
        out[n++].options.seed_sensitivity = shares[i];
        out[n] = (variant){"lambda", shares[i], sampler_defaults()};
        out[n++].options.association = shares[i];
    }
    for (size_t i = 0; i < 4; i++) {
        out[n] = (variant){"beta_cov", betas[i], sampler_defaults()};
        out[n++].options.coverage = betas[i];
    }
    for (size_t i = 0; i < 6; i++) {
        out[n] = (variant){"q", bases[i], sampler_defaults()};
        out[n++].options.association_base = bases[i];
        out[n] = (variant){"r", bases[i], sampler_defaults()};
        out[n++].options.contrast_base = bases[i];
    }
    out[n] = (variant){"no_contrast", 0.0, sampler_defaults()};
    out[n++].options.use_contrast = false;
    return n;
}

static bool family_together(const sampler *s, const graph *g, size_t node)
{
    for (size_t t = 0; t < s->count; t++) {
        bool has_node = false;
        size_t parents = 0, all = bits_count(graph_parents(g, node), g->words);
        for (size_t k = 0; k < s->size; k++) {
            size_t i = sampler_subset(s, t)[k];
            has_node = has_node || i == node;
            parents += bits_has(graph_parents(g, node), i);
        }
        if (has_node && parents == all) return true;
    }
    return false;
}

static void add_figures(figures *sum, const sampler *s, const scone_problem *problem)
{
    const graph *g = scone_problem_graph(problem);
    const bool *targets = scone_problem_targets(problem);
    double edges = 0.0, covered = 0.0, visits[2] = {0.0, 0.0}, with_parents = 0.0, families = 0.0;
    double target_visits[2] = {0.0, 0.0}, target_count[2] = {0.0, 0.0};
    for (size_t j = 0; j < s->nodes; j++) {
        target_visits[targets[j]] += (double)s->visits[j];
        target_count[targets[j]] += 1.0;
        for (size_t i = 0; i < j; i++) {
            double times = (double)s->pair_visits[i + s->nodes * j];
            bool edge = graph_adjacent(g, i, j);
            edges += edge;
            covered += edge && times > 0.0;
            visits[edge] += times;
        }
        if (bits_empty(graph_parents(g, j), g->words)) continue;
        with_parents += 1.0;
        families += family_together(s, g, j);
    }
    double others = (double)pairs_count(s->nodes) - edges;
    sum->edges_covered += covered / edges;
    sum->edge_visits += visits[1] / edges;
    sum->other_visits += visits[0] / others;
    sum->families += families / with_parents;
    sum->pairs_covered += sampler_coverage(s, NULL, 0).share;
    sum->target_visits += target_visits[1] / target_count[1] / (target_visits[0] / target_count[0]);
}

static scone_status run_variant(figures *sum, const scone_problem *problem,
                                const sensitivity *scores, const variant *v, size_t subsets)
{
    scone_status status = SCONE_OK;
    sampler *s = NULL;
    sampler_options options = v->options;
    sampler_scores input = {scores->columns, scores->association, scores->contrast, scores->score};
    for (size_t seed = 0; seed < SEEDS; seed++) {
        options.seed = seed;
        options.count = subsets;
        TRY(sampler_alloc(&s, &input, &options));
        TRY(sampler_run(s));
        add_figures(sum, s, problem);
        sampler_free(s);
        s = NULL;
        options.count = 0;
        TRY(sampler_alloc(&s, &input, &options));
        TRY(sampler_run(s));
        sum->subsets += (double)s->count;
        sampler_free(s);
        s = NULL;
    }
cleanup:
    sampler_free(s);
    return status;
}

static scone_status run_size(size_t nodes, size_t subsets, uint64_t seed, const variant *variants,
                             size_t count)
{
    scone_status status = SCONE_OK;
    figures sums[VARIANTS] = {0};
    scone_problem *problem = NULL;
    moments *m = NULL;
    sensitivity *scores = NULL;
    scone_setting setting = {.name = "custom",
                             .nodes_min = nodes,
                             .nodes_max = nodes,
                             .edges_min = (double)nodes,
                             .edges_max = (double)nodes,
                             .families = SCONE_LINEAR | SCONE_NN | SCONE_NN_ADD,
                             .p_target = 0.4,
                             .samples = 2000,
                             .count = GRAPHS,
                             .seed = seed};
    for (size_t index = 0; index < GRAPHS; index++) {
        TRY(scone_simulate(&problem, &setting, index, NULL));
        TRY(moments_alloc(&m, scone_problem_pair(problem), NULL));
        TRY(sensitivity_alloc(&scores, scone_problem_pair(problem), m, NULL, NULL));
        for (size_t v = 0; v < count; v++) {
            TRY(run_variant(&sums[v], problem, scores, &variants[v], subsets));
        }
        sensitivity_free(scores);
        moments_free(m);
        scone_problem_free(problem);
        scores = NULL;
        m = NULL;
        problem = NULL;
    }
    for (size_t v = 0; v < count; v++) {
        double runs = GRAPHS * SEEDS;
        figures f = sums[v];
        printf("%s,%g,%zu,%zu,%.3f,%.2f,%.2f,%.3f,%.3f,%.2f,%.1f\n", variants[v].name,
               variants[v].value, nodes, subsets, f.edges_covered / runs, f.edge_visits / runs,
               f.other_visits / runs, f.families / runs, f.pairs_covered / runs,
               f.target_visits / runs, f.subsets / runs);
    }
cleanup:
    sensitivity_free(scores);
    moments_free(m);
    scone_problem_free(problem);
    return status;
}

int main(int argc, char **argv)
{
    variant variants[VARIANTS];
    size_t count = make_variants(variants);
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    printf("# command: build/bench/bench_sampler_options %llu\n", (unsigned long long)seed);
    printf(
        "# %d graphs with E = N, 2,000 rows a regime, families linear, nn and nn_add, %d sampler "
        "seeds\n",
        (int)GRAPHS, (int)SEEDS);
    printf("option,value,nodes,count,edges_covered,edge_visits,other_visits,families,pairs_covered,"
           "target_visits,subsets\n");
    if (run_size(20, 16, seed, variants, count) != SCONE_OK ||
        run_size(50, 64, seed, variants, count) != SCONE_OK) {
        fprintf(stderr, "bench_sampler_options: %s\n", scone_error_message());
        return 1;
    }
    return 0;
}
