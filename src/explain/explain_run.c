/* explain_run.c - run.json as far as the tables of the run are concerned (see explain.h). */
#include "explain/explain.h"

#include "io/file.h"
#include "text/json_read.h"
#include "report/report.h"
#include "text/text.h"

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

/* The files of the control and of the conditions, in the order of graph.json. */
static scone_status read_files(scone_explanation *x, const cJSON *reading)
{
    scone_status status = SCONE_OK;
    const cJSON *list;
    size_t place = 0;
    TRY(json_list(&list, reading, "files"));
    if (json_length(list) != x->condition_count + 1) {
        FAIL(SCONE_ERR_INPUT, "\"files\" does not hold one for each condition of graph.json");
    }
    TRY_ZERO(x->files, x->condition_count + 1);
    for (const cJSON *item = list->child; item; item = item->next, place++) {
        const char *name, *path;
        TRY(json_string(&name, item, "name"));
        const char *known = place > 0 ? x->condition_names[place - 1] : x->control;
        if (known && strcmp(name, known) != 0) {
            FAIL(SCONE_ERR_INPUT, "\"files\" does not have the conditions of graph.json");
        }
        if (!known) TRY(explain_keep_text(&x->control, x, name));
        if (!json_optional(item, "path")) continue; /* it was no regular file */
        TRY(json_string(&path, item, "path"));
        TRY(explain_keep_text(&x->files[place], x, path));
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
    } else if (strcmp(text, "long") == 0) {
        TRY(json_string(&text, reading, "conditions"));
        TRY(explain_keep_text(&x->column, x, text));
    } else if (strcmp(text, "conditions") == 0) {
        TRY(read_files(x, reading));
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

/* What the run read, in words, and how to say where it is now. */
static scone_status check_given(const scone_explanation *x, const char *first, const char *second)
{
    bool one = x->dcdi || x->regime || x->column;
    if (!first) return second ? RAISE(SCONE_ERR_INPUT, "--int goes with --obs") : SCONE_OK;
    if (one == (second == NULL)) return SCONE_OK;
    if (one) {
        return RAISE(SCONE_ERR_INPUT, "the run read one table or folder; give it with --obs alone");
    }
    if (x->files) {
        return RAISE(SCONE_ERR_INPUT,
                     "the run read a control and %zu conditions; give the control with --obs, and "
                     "with --int one table with the rows of all conditions, in the order of their "
                     "names",
                     x->condition_count);
    }
    return RAISE(SCONE_ERR_INPUT, "the run read two tables; give both, --obs and --int");
}

/* Several conditions, one after the other in the second table. */
static scone_status read_conditions(scone_pair **pair, const scone_explanation *x, const char *path,
                                    const scone_read_options *how, const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_conditions *conditions = NULL;
    const char **names = NULL;
    if (x->column) {
        TRY(scone_conditions_read_long(&conditions, path, x->column, how, context));
    } else {
        TRY_ALLOC(names, x->condition_count + 1);
        for (size_t k = 0; k <= x->condition_count; k++) {
            names[k] = k ? x->condition_names[k - 1] : x->control;
            if (x->files[k]) continue;
            FAIL(SCONE_ERR_INPUT,
                 "%s/run.json does not say which file holds '%s'; give the control with --obs, and "
                 "with --int one table with the rows of all conditions, in the order of their "
                 "names",
                 x->folder, SHOW(names[k], strlen(names[k])));
        }
        TRY(scone_conditions_read(&conditions, x->files, names, x->condition_count + 1, how,
                                  context));
    }
    TRY(scone_conditions_pool(pair, conditions));
cleanup:
    scone_conditions_free(conditions);
    mem_free(names);
    return status;
}

scone_status scone_explain_tables(scone_pair **pair, const scone_explanation *x, const char *first,
                                  const char *second, const scone_context *context)
{
    const scone_read_options how = {.na = x->drop ? SCONE_NA_DROP : SCONE_NA_ERROR};
    *pair = NULL;
    scone_status status = check_given(x, first, second);
    if (status == SCONE_OK && !first) status = check_inputs(x);
    if (status != SCONE_OK) return status;
    if (x->files && !first) return read_conditions(pair, x, NULL, &how, context);
    bool files = !x->dcdi && !x->regime && !x->column;
    if (!first) {
        if (!x->dcdi && x->input_count < (files ? 2u : 1u)) {
            return RAISE(SCONE_ERR_INPUT,
                         "%s/run.json does not say which files were read; give them with --obs "
                         "and --int",
                         x->folder);
        }
        first = x->dcdi ? x->dcdi : x->inputs[0].path;
        if (files) second = x->inputs[1].path;
    }
    if (x->column) return read_conditions(pair, x, first, &how, context);
    if (x->dcdi) return scone_pair_read_dcdi(pair, first, x->index, &how, context);
    if (x->regime) return scone_pair_read_split(pair, first, x->regime, &how, context);
    return scone_pair_read(pair, first, second, &how, context);
}
