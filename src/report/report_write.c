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
    bool of_conditions; /* only if there are several */
} files[] = {
    {"edges.csv", report_edges, false},       {"probabilities.csv", report_probabilities, false},
    {"targets.csv", report_targets, false},   {"sizes.csv", report_sizes, true},
    {"graph.json", report_graph_json, false}, {"graph.dot", write_dot, false},
    {"graph.graphml", write_graphml, false},  {"report.html", report_html, false},
};

enum { FILES = sizeof files / sizeof *files, REPORT_PLACES = 100, REPORT_PATH_SIZE = 4096 };

static output_entry classify(const char *entry)
{
    if (strcmp(entry, "run.json") == 0) return OUTPUT_MARKER;
    for (size_t f = 0; f < FILES; f++) {
        if (strcmp(entry, files[f].name) == 0) return OUTPUT_OURS;
    }
    return OUTPUT_FOREIGN;
}

/* Results of version 0.1.0 have no "format" in their run.json. */
static const output_kind result_kind = {classify,
                                        {"\"format\": \"scone-result\"", "\"program\": \"scone\""}};

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

struct scone_claim {
    output_folder *folder;
    char *path; /* as the caller wrote it */
};

void scone_claim_free(scone_claim *claim)
{
    if (!claim) return;
    output_folder_discard(claim->folder);
    mem_free(claim->path);
    mem_free(claim);
}

scone_status scone_result_claim(scone_claim **out, const char *folder, bool force,
                                const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_claim *claim = NULL;
    *out = NULL;
    TRY_ZERO(claim, 1);
    claim->path = mem_copy_text(folder, strlen(folder));
    if (!claim->path) TRY(SCONE_ERR_MEMORY);
    TRY(output_folder_open(&claim->folder, folder, &result_kind, force, context));
    *out = claim;
    claim = NULL;
cleanup:
    scone_claim_free(claim);
    return status;
}

/* Fills a prepared folder and puts it in place; frees it. */
static scone_status write_folder(output_folder **folder, const scone_result *result,
                                 const scone_run *run)
{
    scone_status status = SCONE_OK;
    for (size_t f = 0; f < FILES; f++) {
        if (files[f].of_conditions && result->conditions == 0) continue;
        TRY(write_file(*folder, result, f, NULL));
    }
    TRY(write_file(*folder, result, 0, run));
    TRY(output_folder_commit(folder));
cleanup:
    output_folder_discard(*folder);
    *folder = NULL;
    return status;
}

/* A result may have cost hours: if its place has gone or is full, it is written to the first free
 * "<path>.saved-<n>", or to "<name>.saved-<n>" in the current folder. Returns the failure. */
static scone_status write_elsewhere(const char *path, const scone_result *result,
                                    const scone_run *run)
{
    status_record failure;
    char place[REPORT_PATH_SIZE];
    const char *slash = strrchr(path, '/');
    const char *const stems[2] = {path, slash ? slash + 1 : path};
    status_save(&failure, SCONE_ERR_IO);
    for (int k = 0; k < 2 * REPORT_PLACES; k++) {
        output_folder *folder = NULL;
        int length = snprintf(place, sizeof place, "%s.saved-%d", stems[k / REPORT_PLACES],
                              k % REPORT_PLACES + 1);
        if (length < 0 || (size_t)length >= sizeof place) break;
        if (path_exists(place)) continue;
        if (output_folder_open(&folder, place, &result_kind, false, NULL) != SCONE_OK ||
            write_folder(&folder, result, run) != SCONE_OK) {
            k = k / REPORT_PLACES * REPORT_PLACES + REPORT_PLACES - 1; /* not in this folder */
            continue;
        }
        return RAISE(SCONE_ERR_IO, "%s; the result is in %s instead", failure.message, place);
    }
    return status_restore(&failure);
}

scone_status scone_result_write_claimed(const scone_result *result, scone_claim **handle,
                                        const scone_run *run)
{
    const scone_run nothing = {0};
    scone_claim *claim = *handle;
    *handle = NULL;
    if (!run) run = &nothing;
    scone_status status = write_folder(&claim->folder, result, run);
    if (status == SCONE_ERR_IO) status = write_elsewhere(claim->path, result, run);
    scone_claim_free(claim);
    return status;
}

scone_status scone_result_write(const scone_result *result, const char *folder, bool force,
                                const scone_run *run)
{
    scone_claim *claim;
    scone_status status = scone_result_claim(&claim, folder, force, NULL);
    return status == SCONE_OK ? scone_result_write_claimed(result, &claim, run) : status;
}

scone_status scone_result_check_folder(const char *folder, bool force)
{
    scone_claim *claim;
    scone_status status = scone_result_claim(&claim, folder, force, NULL);
    scone_claim_free(claim);
    return status;
}
