/* explain.c - a discovery kept as a folder of files, and later the reason of an edge in words.
 *
 * In: two CSV files over the same six columns. Out: a folder as `scone discover -o` writes it; read
 * from there, the strongest edge that a certificate stands behind; all tests made once more.
 * New: scone_result_write, scone_explain_read, scone_explain_get, scone_explain_check.
 *
 *   make examples && \
 *   build/examples/explain examples/control.csv examples/treated.csv build/examples/explained
 */
#include <scone.h>

static scone_status discover(const char *control, const char *treated, const char *folder)
{
    const char *const inputs[] = {control, treated};
    const scone_run run = {.inputs = inputs, .input_count = 2}; /* to read the tables again */
    scone_pair *pair = NULL;
    scone_result *found = NULL;
    scone_status status = scone_pair_read(&pair, control, treated, NULL, NULL);
    if (status == SCONE_OK) status = scone_discover(&found, pair, NULL, NULL);
    if (status == SCONE_OK) status = scone_result_write(found, folder, false, &run);
    scone_result_free(found);
    scone_pair_free(pair);
    return status;
}

static scone_status explain(const char *folder)
{
    scone_explanation *told = NULL;
    scone_pair *pair = NULL;
    scone_status status = scone_explain_read(&told, folder);
    if (status == SCONE_OK) status = scone_explain_tables(&pair, told, NULL, NULL, NULL);
    if (status == SCONE_OK) status = scone_explain_check(told, pair, NULL);
    for (size_t e = 0; status == SCONE_OK && e < scone_explain_count(told); e++) {
        const scone_explained *edge = scone_explain_get(told, e);
        if (edge->certificates == 0) continue;
        printf("%s", edge->text);
        printf("%zu of %zu certificates confirmed, %zu doubts after %zu tests\n", edge->confirmed,
               edge->certificates, scone_explain_doubts(told), scone_explain_tests(told));
        break;
    }
    scone_pair_free(pair);
    scone_explain_free(told);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: explain CONTROL TREATED FOLDER\n");
        return SCONE_ERR_USAGE;
    }
    scone_status status = discover(argv[1], argv[2], argv[3]);
    if (status == SCONE_OK) status = explain(argv[3]);
    if (status != SCONE_OK) fprintf(stderr, "%s\n", scone_error_message());
    return (int)status;
}
