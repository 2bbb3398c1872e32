/* cmd_eval.c - scone eval PREDICTED TRUE: all scores of a graph, or of many, against the truth. */
#include "commands.h"
#include "printing.h"
#include "session.h"

#include <math.h>

const command command_eval = {
    .name = "eval",
    .synopsis = "scone eval PREDICTED TRUE [options]",
    .summary = "scores predicted graphs against the true ones",
    .about = "PREDICTED and TRUE are two graph files (edge list or adjacency CSV, NPY, JSON,\n"
             "DOT, GraphML), two folders with one graph each, or two folders with many (g0,\n"
             "g1, ..., or DAG1.npy, DAG2.npy, ...), which are matched by name. A folder may also\n"
             "hold probabilities.csv and targets.csv. Nodes are matched by name, and so are the\n"
             "conditions of targets.csv: each has targets of its own.\n"
             "\n"
             "SHD counts the pairs of variables whose edge is missing, extra, reversed, or\n"
             "directed in one graph only. Precision, recall and F1 are over directed edges; an\n"
             "undirected prediction counts as an edge and never as a hit.",
    .examples = "scone simulate ood-20-20 --count 3 --samples 100 -o demo\n"
                "scone eval demo demo",
};

static int print_json(const scone_eval *eval, const scone_scores *mean, const scone_scores *sd)
{
    json j;
    json_begin(&j);
    size_t count = scone_eval_count(eval);
    if (count == 1) json_scores(&j, j.root, &scone_eval_get(eval, 0)->scores);
    cJSON *cases = json_array(&j, j.root, "cases");
    for (size_t c = 0; c < count; c++) {
        const scone_eval_case *one = scone_eval_get(eval, c);
        cJSON *object = json_append_object(&j, cases);
        json_text(&j, object, "name", one->name);
        json_scores(&j, object, &one->scores);
    }
    json_scores(&j, json_object(&j, j.root, "mean"), mean);
    json_scores(&j, json_object(&j, j.root, "sd"), sd);
    return json_end(&j);
}

static void ratio_row(text_table *table, const char *name, double precision, double recall,
                      double f1)
{
    table_row(table);
    table_cell(table, 0, "%s", name);
    table_number(table, 1, 3, precision);
    table_number(table, 2, 3, recall);
    table_number(table, 3, 3, f1);
}

static int print_one(const scone_scores *scores)
{
    (void)printf("SHD %.0f: %.0f missing, %.0f extra, %.0f reversed, %.0f directed in one only\n",
                 scores->shd, scores->missing, scores->extra, scores->reversed, scores->undirected);
    (void)printf("%.0f true edges, %.0f predicted, %.0f right\n\n", scores->true_edges,
                 scores->predicted_edges, scores->hits);
    text_table table;
    table_begin(&table, 4);
    table_row(&table);
    table_cell(&table, 1, "precision");
    table_cell(&table, 2, "recall");
    table_cell(&table, 3, "F1");
    ratio_row(&table, "directed", scores->precision, scores->recall, scores->f1);
    ratio_row(&table, "skeleton", scores->skeleton_precision, scores->skeleton_recall,
              scores->skeleton_f1);
    if (!isnan(scores->target_f1)) {
        ratio_row(&table, "targets", scores->target_precision, scores->target_recall,
                  scores->target_f1);
    }
    int code = table_end(&table);
    if (!isnan(scores->auprc)) (void)printf("\nAUPRC %.3f\n", scores->auprc);
    return code;
}

static void scores_row(text_table *table, const char *name, const scone_scores *scores, int digits)
{
    table_row(table);
    table_cell(table, 0, "%s", name);
    table_number(table, 1, digits, scores->shd);
    table_number(table, 2, digits, scores->missing);
    table_number(table, 3, digits, scores->extra);
    table_number(table, 4, digits, scores->reversed);
    table_number(table, 5, digits, scores->undirected);
    table_number(table, 6, 3, scores->precision);
    table_number(table, 7, 3, scores->recall);
    table_number(table, 8, 3, scores->f1);
    table_number(table, 9, 3, scores->skeleton_f1);
    table_number(table, 10, 3, scores->auprc);
    table_number(table, 11, 3, scores->target_f1);
}

static int print_many(const scone_eval *eval, const scone_scores *mean, const scone_scores *sd)
{
    static const char *const heads[] = {"graph",    "SHD",      "missing", "extra",
                                        "reversed", "undir.",   "prec.",   "recall",
                                        "F1",       "skel. F1", "AUPRC",   "targ. F1"};
    enum { HEADS = sizeof heads / sizeof *heads };
    text_table table;
    table_begin(&table, HEADS);
    table_row(&table);
    for (size_t h = 0; h < HEADS; h++) table_cell(&table, h, "%s", heads[h]);
    for (size_t c = 0; c < scone_eval_count(eval); c++) {
        const scone_eval_case *one = scone_eval_get(eval, c);
        scores_row(&table, one->name, &one->scores, 0);
    }
    scores_row(&table, "mean", mean, 2);
    scores_row(&table, "± sd", sd, 2);
    return table_end(&table);
}

int run_eval(int argc, char **argv)
{
    session s = session_start();
    const char *probabilities = NULL;
    const option table[] = {
        option_text("probabilities", 'p', "FILE",
                    "the prediction's edge probabilities, N x N with header\n"
                    "and row names (or NPY), for the area under the\n"
                    "precision-recall curve; a folder's own is found",
                    &probabilities),
        option_threads(&s),
        option_memory(&s),
        option_json(&s),
        option_quiet(&s),
        {.name = NULL},
    };
    arguments parsed;
    if (!options_parse(&parsed, &command_eval, table, argc, argv)) return SCONE_ERR_USAGE;
    if (parsed.help) {
        options_help(stdout, &command_eval, table);
        return stdout_check(SCONE_OK);
    }
    if (parsed.count != 2) {
        return usage_error(&command_eval, "it takes two graphs or folders, PREDICTED and TRUE");
    }
    int code = session_open(&s);
    if (code != SCONE_OK) return code;
    scone_eval *eval = NULL;
    scone_status status = scone_eval_run(&eval, parsed.positional[0], parsed.positional[1],
                                         probabilities, &s.context);
    if (status != SCONE_OK) {
        code = session_fail(&s, status);
    } else {
        session_hide_bar(&s);
        scone_scores mean, sd;
        scone_eval_summary(eval, &mean, &sd);
        if (s.as_json) {
            code = print_json(eval, &mean, &sd);
        } else if (scone_eval_count(eval) == 1) {
            code = print_one(&scone_eval_get(eval, 0)->scores);
        } else {
            code = print_many(eval, &mean, &sd);
        }
    }
    scone_eval_free(eval);
    return session_close(&s, code);
}
