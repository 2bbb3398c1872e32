/* comparison.c - the result of scone bench as a table or as JSON (see comparison.h). */
#include "comparison.h"

#include "printing.h"
#include "setting_options.h"

#include <inttypes.h>
#include <math.h>

static void print_title(const scone_setting *s)
{
    char nodes[64], edges[64], mechanisms[128], rows[256];
    nodes_text(nodes, sizeof nodes, s);
    edges_text(edges, sizeof edges, s);
    mechanisms_text(mechanisms, sizeof mechanisms, s);
    rows_text(rows, sizeof rows, s);
    (void)printf("%s: %s nodes, %s edges, %s%s%s, %s, %zu %s, seed %" PRIu64 "\n", s->name, nodes,
                 edges, mechanisms, s->wild ? "" : ", noise ", s->wild ? "" : noise_names[s->noise],
                 rows, s->count, plural(s->count, "graph", "graphs"), s->seed);
}

/* "2.80 ± 1.10"; the spread is left out if there is none. */
static void spread_cell(text_table *table, size_t column, int digits, double mean, double sd)
{
    if (isnan(mean)) {
        table_cell(table, column, "-");
    } else if (isnan(sd)) {
        table_cell(table, column, "%.*f", digits, mean);
    } else {
        table_cell(table, column, "%.*f ± %.*f", digits, mean, digits, sd);
    }
}

/* The graphs of a setting on which a method fared like this. */
static size_t count_graphs(const scone_bench *bench, size_t setting, size_t method,
                           scone_bench_status fared)
{
    size_t count = 0;
    for (size_t r = 0; r < scone_bench_count(bench); r++) {
        const scone_bench_row *row = scone_bench_get(bench, r);
        count += row->setting == setting && row->method == method && row->status == fared;
    }
    return count;
}

/* "failed", "timeout", "1 failed, 2 timeout"; "" if all is well */
static void missing_text(char *text, size_t size, size_t failed, size_t late)
{
    *text = '\0';
    if (failed && late) {
        (void)snprintf(text, size, "%zu failed, %zu timeout", failed, late);
    } else if (failed || late) {
        (void)snprintf(text, size, "%zu %s", failed + late, failed ? "failed" : "timeout");
    }
}

static int print_setting(const scone_bench *bench, const scone_setting *setting, size_t index,
                         const char *const *methods, size_t count)
{
    static const char *const heads[] = {"method",   "SHD",      "F1",      "precision", "recall",
                                        "skel. F1", "targ. F1", "seconds", "graphs"};
    size_t columns = sizeof heads / sizeof *heads, whole = 0;
    text_table table;
    for (size_t m = 0; m < count; m++) {
        whole += count_graphs(bench, index, m, SCONE_BENCH_OK) == setting->count;
    }
    if (whole == count) columns--; /* every mean is over all graphs */
    print_title(setting);
    table_begin(&table, columns);
    table_row(&table);
    for (size_t h = 0; h < columns; h++) table_cell(&table, h, "%s", heads[h]);
    for (size_t m = 0; m < count; m++) {
        scone_scores mean, sd;
        double seconds, seconds_sd;
        size_t graphs = scone_bench_summary(bench, index, m, &mean, &sd, &seconds, &seconds_sd);
        table_row(&table);
        table_cell(&table, 0, "%s", methods[m]);
        spread_cell(&table, 1, 2, mean.shd, sd.shd);
        spread_cell(&table, 2, 3, mean.f1, sd.f1);
        spread_cell(&table, 3, 3, mean.precision, sd.precision);
        spread_cell(&table, 4, 3, mean.recall, sd.recall);
        spread_cell(&table, 5, 3, mean.skeleton_f1, sd.skeleton_f1);
        spread_cell(&table, 6, 3, mean.target_f1, sd.target_f1);
        spread_cell(&table, 7, 2, seconds, seconds_sd);
        if (whole < count) {
            char missing[64];
            missing_text(missing, sizeof missing, count_graphs(bench, index, m, SCONE_BENCH_FAILED),
                         count_graphs(bench, index, m, SCONE_BENCH_TIMEOUT));
            table_cell(&table, 8, "%zu of %zu%s%s%s", graphs, setting->count, *missing ? " (" : "",
                       missing, *missing ? ")" : "");
        }
    }
    return table_end(&table);
}

int comparison_print(const scone_bench *bench, const scone_setting *settings, size_t count,
                     const char *const *methods, size_t method_count)
{
    int code = SCONE_OK;
    for (size_t s = 0; s < count && code == SCONE_OK; s++) {
        if (s > 0) (void)printf("\n");
        code = print_setting(bench, &settings[s], s, methods, method_count);
    }
    return code;
}

int comparison_json(const scone_bench *bench, const scone_setting *settings, size_t count,
                    const char *const *methods, size_t method_count)
{
    json j;
    json_begin(&j);
    cJSON *array = json_array(&j, j.root, "settings");
    for (size_t s = 0; s < count; s++) {
        cJSON *object = json_append_object(&j, array);
        json_setting(&j, object, &settings[s]);
        cJSON *rows = json_array(&j, object, "methods");
        for (size_t m = 0; m < method_count; m++) {
            scone_scores mean, sd;
            double seconds, seconds_sd;
            size_t graphs = scone_bench_summary(bench, s, m, &mean, &sd, &seconds, &seconds_sd);
            cJSON *row = json_append_object(&j, rows);
            json_text(&j, row, "method", methods[m]);
            json_number(&j, row, "graphs", (double)graphs);
            json_integer(&j, row, "failed", count_graphs(bench, s, m, SCONE_BENCH_FAILED));
            json_integer(&j, row, "timeout", count_graphs(bench, s, m, SCONE_BENCH_TIMEOUT));
            json_scores(&j, json_object(&j, row, "mean"), &mean);
            json_scores(&j, json_object(&j, row, "sd"), &sd);
            json_number(&j, row, "seconds", seconds);
            json_number(&j, row, "seconds_sd", seconds_sd);
        }
    }
    return json_end(&j);
}
