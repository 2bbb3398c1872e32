/* 9_report.c - the answer of a run, and how its files are made.
 *
 * In: the result of all stages. Out: two files in a folder that appears whole or not at all.
 * New: output_folder_open, output_open, report_edges, report_targets.
 *
 *   make examples && build/examples/9_report build/examples/report
 */
#include "report/report.h"
#include "stage.h"

#include <string.h>

static output_entry classify(const char *entry)
{
    return strstr(entry, ".csv") ? OUTPUT_MARKER : OUTPUT_FOREIGN;
}
static const output_kind kind = {classify, {"source,target"}};
static scone_status write_file(output_folder *folder, const char *name, const scone_result *r,
                               scone_status (*write)(output_file *, const scone_result *))
{
    scone_status status = SCONE_OK;
    char *path = NULL, *bytes = NULL;
    output_file *file = NULL;
    size_t size;
    TRY(output_folder_path(&path, folder, name));
    TRY(output_open(&file, path));
    TRY(write(file, r));
    TRY(output_commit(&file));
    TRY(file_read_all(&bytes, &size, path, (size_t)1 << 20));
    printf("out, %s:\n%s", name, bytes);
cleanup:
    output_discard(file);
    mem_free(path);
    mem_free(bytes);
    return status;
}

int main(int argc, char **argv)
{
    scone_status status = SCONE_OK;
    scone_problem *problem = NULL;
    scone_result *r = NULL;
    output_folder *folder = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: 9_report FOLDER\n");
        return SCONE_ERR_USAGE;
    }
    TRY(stage_problem(&problem));
    TRY(scone_discover(&r, scone_problem_pair(problem), NULL, NULL));
    stage_print_graph("in", r->by_name);
    TRY(output_folder_open(&folder, argv[1], &kind, false, NULL));
    TRY(write_file(folder, "edges.csv", r, report_edges));
    TRY(write_file(folder, "targets.csv", r, report_targets));
    TRY(output_folder_commit(&folder));
cleanup:
    output_folder_discard(folder);
    scone_result_free(r);
    scone_problem_free(problem);
    return stage_end(status);
}
