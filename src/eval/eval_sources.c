/* eval_sources.c - the files of the cases behind a path (see eval.h).
 *
 * A path is one of
 *   a graph file;
 *   a folder with one graph (graph.json, graph.csv, edges.csv, ... and, if there, probabilities.csv
 *   and targets.csv);
 *   a folder whose sub-folders are such folders (g0, g1, ...);
 *   a DCDI folder (DAG1.npy, DAG2.npy, ...), whose cases are called g0, g1, ... in the way that
 *   `scone simulate --format dcdi` numbers them (or g<i> for DAG<i> if there is a DAG0).
 * The order in which a file system lists a folder never shows: cases are sorted by name.
 */
#include "eval/eval.h"

#include "io/file.h"
#include "io/listing.h"
#include "text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Looked for in this order: first the formats that know nodes without edges. */
static const char *const graph_files[] = {
    "graph.json", "graph.csv", "graph.graphml", "graph.dot",    "edges.csv",
    "graph.tsv",  "edges.tsv", "graph.npy",     "graph.csv.gz", "edges.csv.gz"};

enum { GRAPH_FILES = sizeof graph_files / sizeof *graph_files };

static void source_free(eval_source *source)
{
    mem_free(source->name);
    mem_free(source->graph);
    mem_free(source->probabilities);
    mem_free(source->targets);
    mem_free(source->dcdi);
}

void eval_sources_free(source_list *list)
{
    for (size_t i = 0; i < list->count; i++) source_free(&list->items[i]);
    mem_free(list->items);
    *list = (source_list){0};
}

/* Takes over the texts of `source`, also on failure. */
static scone_status sources_add(source_list *list, eval_source *source)
{
    if (list->count == list->capacity) {
        size_t grown;
        eval_source *items = NULL;
        if (size_multiply(&grown, list->capacity ? list->capacity : 8, 2)) {
            items = mem_resize(list->items, grown, sizeof *items);
        }
        if (!items) {
            source_free(source);
            return RAISE(SCONE_ERR_MEMORY, "out of memory: too many graphs");
        }
        list->items = items;
        list->capacity = grown;
    }
    list->items[list->count++] = *source;
    return SCONE_OK;
}

/* folder/name if that is a file, else NULL in *path. */
static scone_status path_if_file(char **path, const char *folder, const char *name)
{
    path_kind kind = PATH_ABSENT;
    scone_status status = path_join(path, folder, name);
    if (status == SCONE_OK) status = path_look(&kind, *path);
    if (status != SCONE_OK || kind != PATH_OTHER) {
        mem_free(*path);
        *path = NULL;
    }
    return status;
}

static scone_status folder_graph(char **path, const char *folder)
{
    scone_status status = SCONE_OK;
    *path = NULL;
    for (size_t f = 0; f < GRAPH_FILES && !*path && status == SCONE_OK; f++) {
        status = path_if_file(path, folder, graph_files[f]);
    }
    return status;
}

/* Adds the one problem of a folder that has the graph file `graph_path` (taken over). */
static scone_status add_folder(source_list *list, const char *folder, char *graph_path,
                               const char *name)
{
    scone_status status = SCONE_OK;
    eval_source source = {.graph = graph_path};
    source.name = mem_copy_text(name, strlen(name));
    if (!source.name) TRY(SCONE_ERR_MEMORY);
    TRY(path_if_file(&source.probabilities, folder, "probabilities.csv"));
    TRY(path_if_file(&source.targets, folder, "targets.csv"));
    return sources_add(list, &source);
cleanup:
    source_free(&source);
    return status;
}

/* Is this "DAG<index>.npy"? */
static bool is_dcdi_graph(const char *entry, size_t *index)
{
    if (strncmp(entry, "DAG", 3) != 0) return false;
    size_t digits = strspn(entry + 3, "0123456789");
    if (digits == 0 || digits > 9 || strcmp(entry + 3 + digits, ".npy") != 0) return false;
    *index = (size_t)strtoul(entry + 3, NULL, 10);
    return true;
}

/* Adds a DCDI problem; name_dcdi names it when all are known. */
static scone_status add_dcdi(source_list *list, const char *folder, const char *entry, size_t index)
{
    scone_status status = SCONE_OK;
    eval_source source = {.index = index};
    source.dcdi = mem_copy_text(folder, strlen(folder));
    if (!source.dcdi) TRY(SCONE_ERR_MEMORY);
    TRY(path_join(&source.graph, folder, entry));
    return sources_add(list, &source);
cleanup:
    source_free(&source);
    return status;
}

static scone_status name_dcdi(source_list *list)
{
    size_t first = 1;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].dcdi && list->items[i].index == 0) first = 0;
    }
    for (size_t i = 0; i < list->count; i++) {
        eval_source *source = &list->items[i];
        if (!source->dcdi) continue;
        char name[32];
        int length = snprintf(name, sizeof name, "g%zu", source->index - first);
        source->name = mem_copy_text(name, (size_t)length);
        if (!source->name) return SCONE_ERR_MEMORY;
    }
    return SCONE_OK;
}

/* One entry of a folder with many problems; anything else in it is left alone. */
static scone_status add_entry(source_list *list, const char *folder, const char *entry)
{
    scone_status status = SCONE_OK;
    char *path = NULL, *graph_path = NULL;
    size_t index;
    path_kind kind;
    if (entry[0] == '.') return SCONE_OK;
    if (is_dcdi_graph(entry, &index)) return add_dcdi(list, folder, entry, index);
    TRY(path_join(&path, folder, entry));
    TRY(path_look(&kind, path));
    if (kind != PATH_FOLDER) goto cleanup;
    TRY(folder_graph(&graph_path, path));
    if (graph_path) TRY(add_folder(list, path, graph_path, entry));
cleanup:
    mem_free(path);
    return status;
}

static scone_status add_entries(source_list *list, const char *folder)
{
    scone_status status = SCONE_OK;
    listing entries;
    TRY(listing_read(&entries, folder, NULL));
    for (size_t k = 0; k < entries.count; k++) TRY(add_entry(list, folder, entries.names[k]));
cleanup:
    listing_free(&entries);
    return status;
}

static int compare_sources(const void *a, const void *b)
{
    const eval_source *x = a, *y = b;
    return text_compare_names(x->name, y->name);
}

/* The last part of a path, without trailing slashes. */
static char *last_part(const char *path)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/') start--;
    return mem_copy_text(path + start, end - start);
}

scone_status eval_sources_find(source_list *list, const char *path)
{
    scone_status status = SCONE_OK;
    char *name = NULL, *graph_path = NULL;
    *list = (source_list){0};
    name = last_part(path);
    if (!name) TRY(SCONE_ERR_MEMORY);
    path_kind kind;
    TRY(path_look(&kind, path));
    if (kind == PATH_ABSENT) {
        FAIL(SCONE_ERR_IO, "%s: no such file or folder; check the path", path);
    }
    if (kind != PATH_FOLDER) {
        eval_source source = {.name = name, .graph = mem_copy_text(path, strlen(path))};
        name = NULL;
        if (!source.graph) {
            source_free(&source);
            TRY(SCONE_ERR_MEMORY);
        }
        TRY(sources_add(list, &source));
        goto cleanup;
    }
    TRY(folder_graph(&graph_path, path));
    if (graph_path) {
        TRY(add_folder(list, path, graph_path, name));
        goto cleanup;
    }
    TRY(add_entries(list, path));
    TRY(name_dcdi(list));
    if (list->count == 0) {
        FAIL(SCONE_ERR_INPUT,
             "%s: there is no graph in this folder; it needs graph.csv, edges.csv, graph.json, "
             "sub-folders with one of them, or DAG1.npy, DAG2.npy, ...",
             path);
    }
    qsort(list->items, list->count, sizeof *list->items, compare_sources);
cleanup:
    mem_free(name);
    if (status != SCONE_OK) eval_sources_free(list);
    return status;
}
