/* problem_write.c - all problems of a setting in a folder that appears complete or not at all.
 *
 * CSV: g0/obs.csv, g0/int.csv, g0/graph.csv (edge list), g0/targets.csv (variable,target), then g1
 * and so on. With several conditions c1.csv, c2.csv, ... stand in the place of int.csv, and
 * targets.csv has condition,variable. DCDI: see data/dcdi.h. Both: setting.json, from which the
 * folder can be made again.
 * Graphs run in parallel; if there is only one, its rows do.
 */
#include "io/file.h"
#include "parallel/parallel.h"
#include "text/write/delimited_write.h"
#include "data/dcdi.h"
#include "data/table.h"
#include "scm/scm.h"
#include "scm/setting_json.h"

#include <stdio.h>
#include <string.h>

typedef struct write_job {
    const scone_setting *setting;
    scone_problem_format format;
    output_folder *folder;
    setting_outcome *outcomes;  /* [count] */
    const scone_context *inner; /* for the work on one graph */
} write_job;

/* ---- names of our entries ---- */

/* Is entry prefix + digits + suffix? */
static bool is_numbered(const char *entry, const char *prefix, const char *suffix)
{
    size_t length = strlen(prefix);
    if (strncmp(entry, prefix, length) != 0) return false;
    size_t digits = strspn(entry + length, "0123456789");
    return digits > 0 && strcmp(entry + length + digits, suffix) == 0;
}

/* Is entry "g3/c12.csv"? */
static bool is_condition(const char *entry)
{
    if (*entry++ != 'g') return false;
    size_t digits = strspn(entry, "0123456789");
    return digits > 0 && entry[digits] == '/' && is_numbered(entry + digits + 1, "c", ".csv");
}

static output_entry classify(const char *entry)
{
    static const char *const numbered[][2] = {
        {"DAG", ".npy"},    {"data", ".npy"},         {"data_interv", ".npy"},
        {"regime", ".csv"}, {"intervention", ".csv"}, {"g", "/obs.csv"},
        {"g", "/int.csv"},  {"g", "/graph.csv"},      {"g", "/targets.csv"}};
    if (strcmp(entry, "setting.json") == 0) return OUTPUT_MARKER;
    if (is_numbered(entry, "g", "")) return OUTPUT_FOLDER;
    if (is_condition(entry)) return OUTPUT_OURS;
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
        if (is_numbered(entry, numbered[i][0], numbered[i][1])) return OUTPUT_OURS;
    }
    return OUTPUT_FOREIGN;
}

static const output_kind problems_kind = {classify, {"\"scone_version\""}};

/* ---- the files of one graph ---- */

static scone_status graph_path(char **path, output_folder *folder, size_t index, const char *file)
{
    char name[64];
    (void)snprintf(name, sizeof name, "g%zu/%s", index, file);
    return output_folder_path(path, folder, name);
}

/* Every variable, and whether it is a target. */
static void list_targets(delimited_writer *w, const scone_graph *truth, const bool *targets)
{
    delimited_write_words(w, "variable,target");
    delimited_write_end(w);
    for (size_t v = 0; v < scone_graph_nodes(truth); v++) {
        delimited_write_text(w, scone_graph_name(truth, v));
        delimited_write_count(w, targets[v]);
        delimited_write_end(w);
    }
}

/* The targets of each condition; one without any has a row without a variable. */
static void list_condition_targets(delimited_writer *w, const scone_problem *problem)
{
    const scone_graph *truth = scone_problem_graph(problem);
    const scone_conditions *conditions = scone_problem_conditions(problem);
    delimited_write_words(w, "condition,variable");
    delimited_write_end(w);
    for (size_t k = 1; k <= scone_conditions_count(conditions); k++) {
        const bool *targets = scone_problem_condition_targets(problem, k);
        size_t count = 0;
        for (size_t v = 0; v < scone_graph_nodes(truth); v++) {
            if (!targets[v]) continue;
            count++;
            delimited_write_text(w, scone_conditions_name(conditions, k));
            delimited_write_text(w, scone_graph_name(truth, v));
            delimited_write_end(w);
        }
        if (count > 0) continue;
        delimited_write_text(w, scone_conditions_name(conditions, k));
        delimited_write_words(w, "");
        delimited_write_end(w);
    }
}

static scone_status write_targets(const char *path, const scone_problem *problem)
{
    scone_status status = SCONE_OK;
    output_file *file = NULL;
    TRY(output_open(&file, path));
    delimited_writer w = delimited_write_start(file, ',');
    if (scone_conditions_count(scone_problem_conditions(problem)) == 1) {
        list_targets(&w, scone_problem_graph(problem), scone_problem_targets(problem));
    } else {
        list_condition_targets(&w, problem);
    }
    TRY(w.out.status);
    TRY(output_commit(&file));
cleanup:
    output_discard(file);
    return status;
}

static scone_status write_csv(output_folder *folder, size_t index, const scone_problem *problem)
{
    scone_status status = SCONE_OK;
    char name[32], *path = NULL;
    const scone_conditions *conditions = scone_problem_conditions(problem);
    for (size_t k = 0; k <= scone_conditions_count(conditions); k++) {
        (void)snprintf(name, sizeof name, "%s.csv", scone_conditions_name(conditions, k));
        TRY(graph_path(&path, folder, index, name));
        TRY(scone_table_write(scone_conditions_table(conditions, k), path));
        mem_free(path);
        path = NULL;
    }
    TRY(graph_path(&path, folder, index, "graph.csv"));
    TRY(scone_graph_write(scone_problem_graph(problem), path, SCONE_GRAPH_EDGES));
    mem_free(path);
    path = NULL;
    TRY(graph_path(&path, folder, index, "targets.csv"));
    TRY(write_targets(path, problem));
cleanup:
    mem_free(path);
    return status;
}

/* The tables and targets of the conditions, the control first, as the regimes 0, 1, ... */
static scone_status write_dcdi(output_folder *folder, size_t index, const scone_problem *problem)
{
    scone_status status = SCONE_OK;
    const scone_conditions *conditions = scone_problem_conditions(problem);
    size_t count = scone_conditions_count(conditions) + 1;
    const table **tables = NULL;
    const bool **targets = NULL;
    TRY_ALLOC(tables, count);
    TRY_ALLOC(targets, count);
    for (size_t k = 0; k < count; k++) {
        tables[k] = scone_conditions_table(conditions, k);
        targets[k] = scone_problem_condition_targets(problem, k);
    }
    TRY(dcdi_write_regimes(folder, index, tables, targets, count, scone_problem_graph(problem)));
cleanup:
    mem_free(tables);
    mem_free(targets);
    return status;
}

/* How many mechanisms changed, over all conditions. */
static size_t count_targets(const scone_problem *problem)
{
    size_t count = 0, nodes = scone_graph_nodes(scone_problem_graph(problem));
    for (size_t k = 1; k <= scone_conditions_count(scone_problem_conditions(problem)); k++) {
        const bool *targets = scone_problem_condition_targets(problem, k);
        for (size_t v = 0; v < nodes; v++) count += targets[v];
    }
    return count;
}

static scone_status write_graph(void *argument, size_t index, int worker)
{
    (void)worker;
    scone_status status = SCONE_OK;
    write_job *job = argument;
    scone_problem *problem = NULL;
    TRY(scone_simulate(&problem, job->setting, index, job->inner));
    const scone_graph *truth = scone_problem_graph(problem);
    job->outcomes[index] = (setting_outcome){scone_graph_nodes(truth), scone_graph_edges(truth),
                                             count_targets(problem)};
    if (job->format == SCONE_PROBLEM_CSV) {
        TRY(write_csv(job->folder, index, problem));
    } else {
        TRY(write_dcdi(job->folder, index + 1, problem));
    }
cleanup:
    scone_problem_free(problem);
    return status;
}

static scone_status write_setting(const write_job *job)
{
    scone_status status = SCONE_OK;
    char *path = NULL, *text = NULL;
    output_file *file = NULL;
    TRY(setting_print(&text, job->setting, job->format, job->outcomes));
    TRY(output_folder_path(&path, job->folder, "setting.json"));
    TRY(output_open(&file, path));
    TRY(output_print(file, "%s\n", text));
    TRY(output_commit(&file));
cleanup:
    output_discard(file);
    mem_free(path);
    mem_free(text);
    return status;
}

scone_status scone_simulate_write(const scone_setting *setting, const char *folder,
                                  scone_problem_format format, bool force,
                                  const scone_context *context)
{
    scone_status status = SCONE_OK;
    write_job job = {.setting = setting, .format = format};
    if (format != SCONE_PROBLEM_CSV && format != SCONE_PROBLEM_DCDI) {
        FAIL(SCONE_ERR_USAGE, "--format must be csv or dcdi");
    }
    TRY(setting_check(setting));
    TRY_ZERO(job.outcomes, setting->count);
    TRY(output_folder_open(&job.folder, folder, &problems_kind, force, context));
    if (setting->count == 1) {
        job.inner = context;
        TRY(write_graph(&job, 0, 0));
    } else {
        TRY(parallel_for(setting->count, context, "simulate", write_graph, &job));
    }
    TRY(write_setting(&job));
    TRY(output_folder_commit(&job.folder));
cleanup:
    output_folder_discard(job.folder);
    mem_free(job.outcomes);
    return status;
}
