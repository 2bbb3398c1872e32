/* simulate_and_score.c - a problem whose answer is known, two methods, and how right they are.
 *
 * In: a setting of the generator, six columns, 500 rows before and after the change.
 * Out: the true edges, and for each method how many of them it finds and what it gets wrong.
 * New: scone_setting_named, scone_simulate, scone_eval_graphs.
 *
 *   make examples && build/examples/simulate_and_score
 */
#include <scone.h>

static scone_status score(const scone_problem *problem, const char *preset)
{
    const scone_discover_options options = {.preset = preset};
    scone_result *found = NULL;
    scone_scores s;
    scone_status status = scone_discover(&found, scone_problem_pair(problem), &options, NULL);
    if (status == SCONE_OK) {
        status = scone_eval_graphs(&s, scone_result_graph(found), scone_problem_graph(problem));
    }
    if (status == SCONE_OK) {
        printf("%-7s %.0f of %.0f edges right, %.0f missing, %.0f extra, %.0f reversed; F1 %.2f\n",
               preset, s.hits, s.true_edges, s.missing, s.extra, s.reversed, s.f1);
    }
    scone_result_free(found);
    return status;
}

int main(void)
{
    static const char *const presets[] = {"polybic", "search", "best"};
    scone_setting setting;
    scone_problem *problem = NULL;
    scone_status status = scone_setting_named(&setting, "ood-20-20");
    setting.nodes_min = setting.nodes_max = 6;
    setting.edges_min = setting.edges_max = 7;
    setting.families = SCONE_LINEAR | SCONE_SIGMOID;
    setting.noise = SCONE_NOISE_ADDITIVE;
    setting.samples = 500;
    setting.seed = 5;
    if (status == SCONE_OK) status = scone_simulate(&problem, &setting, 0, NULL);
    if (status == SCONE_OK) {
        const scone_graph *truth = scone_problem_graph(problem);
        for (size_t i = 0; i < scone_graph_nodes(truth); i++) {
            printf("%s%s ->", scone_graph_name(truth, i),
                   scone_problem_targets(problem)[i] ? " (changed)" : "");
            for (size_t j = 0; j < scone_graph_nodes(truth); j++) {
                bool edge = scone_graph_mark(truth, i, j) == SCONE_MARK_FORWARD;
                if (edge) printf(" %s", scone_graph_name(truth, j));
            }
            printf("\n");
        }
    }
    for (size_t p = 0; p < 3 && status == SCONE_OK; p++) status = score(problem, presets[p]);
    if (status != SCONE_OK) fprintf(stderr, "%s\n", scone_error_message());
    scone_problem_free(problem);
    return (int)status;
}
