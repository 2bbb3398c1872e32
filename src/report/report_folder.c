/* report_folder.c - is an earlier result in a folder one of the same tables? A run with other
 * options replaces it; a run on other tables would take away what may have cost hours (see
 * scone.h).
 */
#include "report/report.h"

#include "text/growing.h"
#include "text/json_read.h"
#include "text/text.h"

#include <string.h>

/* The hashes of the tables in run.json. */
static scone_status read_hashes(uint64_t hashes[2], const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *list;
    size_t place = 0;
    TRY(json_list(&list, root, "tables"));
    if (json_length(list) != 2) FAIL(SCONE_ERR_INPUT, "\"tables\" does not hold two");
    for (const cJSON *item = list->child; item; item = item->next) {
        TRY(json_hash(&hashes[place++], item, "xxh64"));
    }
cleanup:
    return status;
}

enum { FILES_TOLD = 5 };

/* "a.csv, b.csv": what the run read as its tables; the other inputs are knowledge and weights. */
static scone_status print_inputs(growing *out, const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *reading, *inputs;
    const char *form, *text;
    size_t files, place = 0;
    TRY(json_object_of(&reading, root, "reading"));
    TRY(json_string(&form, reading, "form"));
    if (strcmp(form, "dcdi") == 0) {
        TRY(json_string(&text, reading, "folder"));
        growing_print(out, "%s", SHOW(text, strlen(text)));
        return SCONE_OK;
    }
    bool one = strcmp(form, "split") == 0 || strcmp(form, "long") == 0;
    const cJSON *conditions = json_optional(root, "conditions");
    files = one ? 1 : conditions ? json_length(conditions) + 1 : 2;
    TRY(json_list(&inputs, root, "inputs"));
    for (const cJSON *item = inputs->child; item && place < files; item = item->next, place++) {
        if (place == FILES_TOLD) {
            growing_print(out, " and %zu more", files - place);
            break;
        }
        TRY(json_string(&text, item, "path"));
        growing_print(out, "%s%s", place ? ", " : "", SHOW(text, strlen(text)));
    }
cleanup:
    return status;
}

static scone_status refuse(const char *folder, const cJSON *root)
{
    growing out = {0};
    char *text;
    growing_print(&out, "%s: holds the result of a run on other tables (", folder);
    scone_status status = print_inputs(&out, root);
    growing_print(&out, "); choose another folder, or add --force to replace it");
    scone_status finished = growing_finish(&text, &out);
    if (finished != SCONE_OK) return finished;
    if (status == SCONE_OK) status = RAISE(SCONE_ERR_INPUT, "%s", text);
    mem_free(text);
    return status;
}

scone_status scone_result_check_tables(const char *folder, const scone_pair *pair)
{
    scone_status status = SCONE_OK;
    warning_list warnings = {0}; /* the run itself tells them */
    column_map map = {.count = 0};
    uint64_t hashes[2];
    char *path = NULL;
    cJSON *root = NULL;
    TRY(path_join(&path, folder, "run.json"));
    if (!path_exists(path)) goto cleanup;
    TRY(column_map_make(&map, pair, &warnings, NULL));
    status = json_load(&root, path);
    if (status == SCONE_OK) status = read_hashes(hashes, root);
    if (status == SCONE_OK && memcmp(hashes, map.hashes, sizeof hashes) != 0) {
        status = refuse(folder, root);
        goto cleanup;
    }
    if (status == SCONE_ERR_INPUT) {
        status_prefix("%s does not tell which tables the result is of; choose another folder, or "
                      "add --force to replace it",
                      path);
    }
cleanup:
    cJSON_Delete(root);
    mem_free(path);
    warnings_free(&warnings);
    column_map_free(&map);
    return status;
}
