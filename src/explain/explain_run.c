/* explain_run.c - run.json as far as the tables of the run are concerned (see explain.h). */
#include "explain/explain.h"

#include "io/file.h"
#include "text/json_read.h"
#include "report/report.h"

#include <string.h>

static scone_status read_inputs(scone_explanation *x, const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *list;
    TRY(json_list(&list, root, "inputs"));
    TRY_ZERO(x->inputs, json_length(list));
    for (const cJSON *item = list->child; item; item = item->next) {
        explained_input *input = &x->inputs[x->input_count];
        const char *path;
        TRY(json_string(&path, item, "path"));
        TRY(explain_keep_text(&input->path, x, path));
        input->hashed = json_optional(item, "xxh64") != NULL;
        if (input->hashed) TRY(json_hash(&input->hash, item, "xxh64"));
        x->input_count++;
    }
cleanup:
    return status;
}

static scone_status read_tables(scone_explanation *x, const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *list;
    int regime = 0;
    TRY(json_list(&list, root, "tables"));
    if (json_length(list) != 2) FAIL(SCONE_ERR_INPUT, "\"tables\" does not hold two");
    for (const cJSON *item = list->child; item; item = item->next, regime++) {
        TRY(json_whole(&x->rows[regime], item, "rows", 0, SIZE_MAX));
        TRY(json_hash(&x->hashes[regime], item, "xxh64"));
    }
cleanup:
    return status;
}

static scone_status read_reading(scone_explanation *x, const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *reading;
    const char *text;
    TRY(json_object_of(&reading, root, "reading"));
    TRY(json_string(&text, reading, "na"));
    x->drop = strcmp(text, "drop") == 0;
    TRY(json_string(&text, reading, "form"));
    if (strcmp(text, "split") == 0) {
        TRY(json_string(&text, reading, "regime"));
        TRY(explain_keep_text(&x->regime, x, text));
    } else if (strcmp(text, "dcdi") == 0) {
        TRY(json_string(&text, reading, "folder"));
        TRY(explain_keep_text(&x->dcdi, x, text));
        TRY(json_whole(&x->index, reading, "index", 0, SIZE_MAX));
    } else if (strcmp(text, "long") == 0 || strcmp(text, "conditions") == 0) {
        x->conditions = true;
    } else if (strcmp(text, "files") != 0) {
        FAIL(SCONE_ERR_INPUT, "\"form\" is none of files, split, dcdi, conditions and long");
    }
cleanup:
    return status;
}

scone_status explain_read_run(scone_explanation *x, const char *path)
{
    scone_status status = SCONE_OK;
    cJSON *root = NULL;
    TRY(json_load(&root, path));
    status = read_inputs(x, root);
    if (status == SCONE_OK) status = read_tables(x, root);
    if (status == SCONE_OK) status = read_reading(x, root);
    if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
cleanup:
    cJSON_Delete(root);
    return status;
}

/* ---- reading the tables again ---- */

static scone_status check_inputs(const scone_explanation *x)
{
    scone_status status = SCONE_OK;
    for (size_t i = 0; i < x->input_count; i++) {
        const explained_input *input = &x->inputs[i];
        bool regular;
        size_t bytes;
        uint64_t hash = 0;
        if (!path_exists(input->path)) {
            FAIL(SCONE_ERR_IO,
                 "%s is not there any more; run scone explain where scone discover ran, or give "
                 "the tables with --obs and --int",
                 input->path);
        }
        if (!input->hashed) continue;
        TRY(report_hash_file(&regular, &bytes, &hash, input->path));
        if (!regular || hash != input->hash) {
            FAIL(SCONE_ERR_INPUT,
                 "%s has changed since the run (XXH64 %016llx, then %016llx); give the tables of "
                 "the run with --obs and --int, or run scone discover again",
                 input->path, (unsigned long long)hash, (unsigned long long)input->hash);
        }
    }
cleanup:
    return status;
}

scone_status scone_explain_tables(scone_pair **pair, const scone_explanation *x, const char *first,
                                  const char *second, const scone_context *context)
{
    const scone_read_options how = {.na = x->drop ? SCONE_NA_DROP : SCONE_NA_ERROR};
    *pair = NULL;
    if (x->conditions && !first) {
        return RAISE(
            SCONE_ERR_INPUT,
            "the run read several conditions, whose tests were made on the control and "
            "all others together; give the control with --obs and one table of the others, "
            "in the order of their names, with --int");
    }
    bool files = !x->dcdi && !x->regime;
    if (first && (files ? !second : second != NULL)) {
        return RAISE(SCONE_ERR_INPUT, "the run read %s; give %s",
                     files ? "two tables" : "one table or folder",
                     files ? "both, --obs and --int" : "it with --obs alone");
    }
    if (!first) {
        if (second) return RAISE(SCONE_ERR_INPUT, "--int goes with --obs");
        scone_status status = check_inputs(x);
        if (status != SCONE_OK) return status;
        if (!x->dcdi && x->input_count < (files ? 2u : 1u)) {
            return RAISE(SCONE_ERR_INPUT,
                         "%s/run.json does not say which files were read; give them with --obs "
                         "and --int",
                         x->folder);
        }
        first = x->dcdi ? x->dcdi : x->inputs[0].path;
        if (files) second = x->inputs[1].path;
    }
    if (x->dcdi) return scone_pair_read_dcdi(pair, first, x->index, &how, context);
    if (x->regime) return scone_pair_read_split(pair, first, x->regime, &how, context);
    return scone_pair_read(pair, first, second, &how, context);
}
