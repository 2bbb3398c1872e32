/* train_small.c - weights of one's own: far too few steps for good ones, but every part is there.
 *
 * In: a setting of the generator, from which the graphs to train on are drawn, and the two tables.
 * Out: a weights file, what is in it, and a probability that the trained model gives.
 * New: scone_lab.h, scone_train_run, scone_model_open, scone_model_describe.
 *
 *   make examples && \
 *   build/examples/train_small examples/control.csv examples/treated.csv build/examples/small
 */
#include <scone_lab.h>

static scone_status train(const char *path)
{
    scone_train_options options = {.graphs = 8, .validation = 4, .steps = 8, .batch = 2};
    scone_train_report report;
    scone_model *model = NULL;
    options.changes = "width=8,blocks=1,heads=2,feed_forward=8,identities=8,bootstraps=2";
    options.output = path;
    options.force = true; /* replaces weights of an earlier run */
    scone_status status = scone_setting_named(&options.setting, "ood-20-20");
    options.setting.nodes_min = options.setting.nodes_max = 6;
    options.setting.edges_min = options.setting.edges_max = 7;
    options.setting.samples = 200;
    if (status == SCONE_OK) status = scone_train_run(&report, &options, NULL);
    if (status == SCONE_OK) status = scone_model_open(&model, path);
    if (status == SCONE_OK) {
        const scone_model_about *about = scone_model_describe(model);
        printf("%zu steps, loss %.2f; preset %s, %zu parameters in %zu tensors\n", report.steps,
               report.loss, about->preset, about->parameters, about->tensors);
    }
    scone_model_free(model);
    return status;
}

int main(int argc, char **argv)
{
    scone_pair *pair = NULL;
    scone_result *found = NULL;
    if (argc != 4) {
        fprintf(stderr, "usage: train_small CONTROL TREATED WEIGHTS\n");
        return SCONE_ERR_USAGE;
    }
    const scone_discover_options options = {.preset = "paper", .model = argv[3]};
    scone_status status = train(argv[3]);
    if (status == SCONE_OK) status = scone_pair_read(&pair, argv[1], argv[2], NULL, NULL);
    if (status == SCONE_OK) status = scone_discover(&found, pair, &options, NULL);
    if (status == SCONE_OK) {
        printf("P(%s -> %s) = %.2f by these weights\n", scone_result_name(found, 1),
               scone_result_name(found, 0), scone_result_probability(found, 1, 0));
    }
    if (status != SCONE_OK) fprintf(stderr, "%s\n", scone_error_message());
    scone_result_free(found);
    scone_pair_free(pair);
    return (int)status;
}
