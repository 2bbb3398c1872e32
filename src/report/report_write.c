/* report_write.c - the folder of a finished discovery, which appears as a whole (see report.h). */
#include "report/report.h"

#include "graph/format/format.h"

#include <string.h>

static scone_status write_dot(output_file *stream, const scone_result *r)
{
    return graph_write_dot(stream, r->by_name);
}

static scone_status write_graphml(output_file *stream, const scone_result *r)
{
    return graph_write_graphml(stream, r->by_name);
}

static const struct {
    const char *name;
    scone_status (*write)(output_file *stream, const scone_result *r);
} files[] = {
    {"edges.csv", report_edges},     {"probabilities.csv", report_probabilities},
    {"targets.csv", report_targets}, {"graph.json", report_graph_json},
    {"graph.dot", write_dot},        {"graph.graphml", write_graphml},
    {"report.html", report_html},
};

enum { FILES = sizeof files / sizeof *files };

static output_entry classify(const char *entry)
{
    if (strcmp(entry, "run.json") == 0) return OUTPUT_MARKER;
    for (size_t f = 0; f < FILES; f++) {
        if (strcmp(entry, files[f].name) == 0) return OUTPUT_OURS;
    }
    return OUTPUT_FOREIGN;
}

/* One file of the folder; run is NULL except for run.json, which is no row of the table. */
static scone_status write_file(output_folder *folder, const scone_result *r, size_t f,
                               const scone_run *run)
{
    scone_status status = SCONE_OK;
    output_file *stream = NULL;
    char *path = NULL;
    TRY(output_folder_path(&path, folder, run ? "run.json" : files[f].name));
    TRY(output_open(&stream, path));
    TRY(run ? report_run_json(stream, r, run) : files[f].write(stream, r));
    TRY(output_commit(&stream));
cleanup:
    output_discard(stream);
    mem_free(path);
    return status;
}

scone_status scone_result_write(const scone_result *result, const char *folder, bool force,
                                const scone_run *run)
{
    scone_status status = SCONE_OK;
    const scone_run nothing = {0};
    output_folder *out = NULL;
    TRY(output_folder_open(&out, folder, classify, force));
    for (size_t f = 0; f < FILES; f++) TRY(write_file(out, result, f, NULL));
    TRY(write_file(out, result, 0, run ? run : &nothing));
    TRY(output_folder_commit(&out));
cleanup:
    output_folder_discard(out);
    return status;
}

scone_status scone_result_check_folder(const char *folder, bool force)
{
    output_folder *out = NULL;
    scone_status status = output_folder_open(&out, folder, classify, force);
    output_folder_discard(out);
    return status;
}
