/* setting_json.c - setting.json, written and read (see setting_json.h).
 *
 * Every field of scone_setting under its own name, those of conditions and of the control's rows
 * where they are not the usual ones. The seed is a text of digits, because readers of
 * JSON commonly keep 53 bits of a number and a seed has 64. Also, for the reader of the folder:
 * version, format, and, up to 10,000 graphs, nodes, edges and targets of each.
 */
#include "scm/setting_json.h"

#include "io/file.h"
#include "text/number/number.h"
#include "scm/scm.h"
#include "scm/setting_names.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <stdio.h>

enum {
    SETTING_FILE_LIMIT = 4 << 20, /* a value of a JSON file takes up to 40 times its text */
    SETTING_OUTCOME_LIMIT = 10000 /* so that what is written stays well below */
};

static const char *const format_names[] = {"csv", "dcdi"};

/* ---- writing ---- */

/* cJSON returns NULL when memory runs out; one flag collects that. */
typedef struct json_writer {
    cJSON *object;
    bool failed;
} json_writer;

static void put_text(json_writer *w, const char *key, const char *value)
{
    w->failed = !cJSON_AddStringToObject(w->object, key, value) || w->failed;
}

/* cJSON itself keeps about 15 digits, which would not give the same setting back. */
static void put_number(json_writer *w, const char *key, double value)
{
    char digits[NUMBER_TEXT_SIZE];
    (void)number_format(digits, value);
    w->failed = !cJSON_AddRawToObject(w->object, key, digits) || w->failed;
}

static void put_bool(json_writer *w, const char *key, bool value)
{
    w->failed = !cJSON_AddBoolToObject(w->object, key, value) || w->failed;
}

static void put_families(json_writer *w, unsigned families)
{
    cJSON *list = cJSON_AddArrayToObject(w->object, "families");
    w->failed = !list || w->failed;
    for (size_t i = 0; list && i < SETTING_FAMILIES; i++) {
        if (!(families & 1u << i)) continue;
        cJSON *name = cJSON_CreateString(setting_families[i]);
        if (!name || !cJSON_AddItemToArray(list, name)) {
            cJSON_Delete(name);
            w->failed = true;
        }
    }
}

static void put_outcomes(json_writer *w, const setting_outcome *outcomes, size_t count)
{
    cJSON *list = cJSON_AddArrayToObject(w->object, "graphs");
    w->failed = !list || w->failed;
    for (size_t i = 0; list && i < count; i++) {
        json_writer item = {.object = cJSON_CreateObject()};
        put_number(&item, "nodes", (double)outcomes[i].nodes);
        put_number(&item, "edges", (double)outcomes[i].edges);
        put_number(&item, "targets", (double)outcomes[i].targets);
        if (!item.object || !cJSON_AddItemToArray(list, item.object)) {
            cJSON_Delete(item.object);
            item.failed = true;
        }
        w->failed = item.failed || w->failed;
    }
}

/* One condition, and a control of as many rows, need no mention. */
static void put_conditions(json_writer *w, const scone_setting *s)
{
    if (s->conditions > 1) put_number(w, "conditions", (double)s->conditions);
    if (s->condition_targets_max > 0) {
        put_number(w, "condition_targets_min", (double)s->condition_targets_min);
        put_number(w, "condition_targets_max", (double)s->condition_targets_max);
    }
    if (s->control_samples > 0) put_number(w, "control_samples", (double)s->control_samples);
}

scone_status setting_print(char **text, const scone_setting *s, scone_problem_format format,
                           const setting_outcome *outcomes)
{
    scone_status status = SCONE_OK;
    char seed[24], *printed = NULL;
    *text = NULL;
    json_writer w = {.object = cJSON_CreateObject()};
    (void)snprintf(seed, sizeof seed, "%" PRIu64, s->seed);
    put_text(&w, "scone_version", scone_version());
    put_text(&w, "name", s->name);
    put_number(&w, "nodes_min", (double)s->nodes_min);
    put_number(&w, "nodes_max", (double)s->nodes_max);
    put_number(&w, "edges_min", s->edges_min);
    put_number(&w, "edges_max", s->edges_max);
    put_bool(&w, "edges_per_node", s->edges_per_node);
    put_families(&w, s->families);
    put_text(&w, "noise", setting_noises[s->noise]);
    put_bool(&w, "wild", s->wild);
    put_number(&w, "p_target", s->p_target);
    put_number(&w, "samples", (double)s->samples);
    put_conditions(&w, s);
    put_number(&w, "count", (double)s->count);
    put_text(&w, "seed", seed);
    put_text(&w, "format", format_names[format]);
    if (s->count <= SETTING_OUTCOME_LIMIT) put_outcomes(&w, outcomes, s->count);
    if (!w.failed) printed = cJSON_Print(w.object);
    if (!printed) FAIL(SCONE_ERR_MEMORY, "out of memory while writing setting.json");
    *text = mem_copy_text(printed, strlen(printed));
    if (!*text) TRY(SCONE_ERR_MEMORY);
cleanup:
    cJSON_free(printed);
    cJSON_Delete(w.object);
    return status;
}

/* ---- reading ---- */

static scone_status get_number(double *value, const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsNumber(item)) return RAISE(SCONE_ERR_INPUT, "\"%s\" is not a number", key);
    *value = cJSON_GetNumberValue(item);
    return SCONE_OK;
}

static scone_status get_size(size_t *value, const cJSON *object, const char *key)
{
    double number = 0.0;
    scone_status status = get_number(&number, object, key);
    if (status != SCONE_OK) return status;
    if (!(number >= 0.0 && number <= 0x1p53) || number != (double)(uint64_t)number) {
        return RAISE(SCONE_ERR_INPUT, "\"%s\" is not a whole number", key);
    }
    *value = (size_t)number;
    return SCONE_OK;
}

static scone_status get_bool(bool *value, const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsBool(item)) return RAISE(SCONE_ERR_INPUT, "\"%s\" is not true or false", key);
    *value = cJSON_IsTrue(item);
    return SCONE_OK;
}

static scone_status get_text(const char **value, const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsString(item)) return RAISE(SCONE_ERR_INPUT, "\"%s\" is not a text", key);
    *value = cJSON_GetStringValue(item);
    return SCONE_OK;
}

static scone_status get_seed(uint64_t *seed, const cJSON *object)
{
    const char *digits = "";
    scone_status status = get_text(&digits, object, "seed");
    if (status != SCONE_OK) return status;
    uint64_t value = 0;
    bool good = *digits != '\0';
    for (const char *c = digits; *c && good; c++) {
        good = *c >= '0' && *c <= '9' && !__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, (uint64_t)(*c - '0'), &value);
    }
    if (!good) {
        return RAISE(SCONE_ERR_INPUT, "\"seed\" is '%.40s', not a whole number below 2^64", digits);
    }
    *seed = value;
    return SCONE_OK;
}

static scone_status get_families(unsigned *families, const cJSON *object)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, "families"), *item;
    if (!cJSON_IsArray(list)) return RAISE(SCONE_ERR_INPUT, "\"families\" is not a list");
    *families = 0;
    cJSON_ArrayForEach(item, list)
    {
        const char *name = cJSON_IsString(item) ? cJSON_GetStringValue(item) : "";
        size_t i = 0;
        while (i < SETTING_FAMILIES && strcmp(setting_families[i], name) != 0) i++;
        if (i == SETTING_FAMILIES) {
            return RAISE(SCONE_ERR_INPUT,
                         "\"families\" holds '%.40s'; use linear, polynomial, sigmoid, nn, nn_add",
                         name);
        }
        *families |= 1u << i;
    }
    return SCONE_OK;
}

/* 0 if the field is not there, as in files of one condition. */
static scone_status get_size_if_any(size_t *value, const cJSON *object, const char *key)
{
    *value = 0;
    if (!cJSON_GetObjectItemCaseSensitive(object, key)) return SCONE_OK;
    return get_size(value, object, key);
}

static scone_status read_conditions(scone_setting *s, const cJSON *object)
{
    scone_status status = SCONE_OK;
    TRY(get_size_if_any(&s->conditions, object, "conditions"));
    TRY(get_size_if_any(&s->condition_targets_min, object, "condition_targets_min"));
    TRY(get_size_if_any(&s->condition_targets_max, object, "condition_targets_max"));
    TRY(get_size_if_any(&s->control_samples, object, "control_samples"));
cleanup:
    return status;
}

static scone_status read_fields(scone_setting *s, const cJSON *object)
{
    scone_status status = SCONE_OK;
    const char *name = "", *noise = "";
    TRY(get_text(&name, object, "name"));
    if (strlen(name) >= sizeof s->name) {
        FAIL(SCONE_ERR_INPUT, "\"name\" is longer than %zu characters", sizeof s->name - 1);
    }
    (void)snprintf(s->name, sizeof s->name, "%s", name);
    TRY(get_size(&s->nodes_min, object, "nodes_min"));
    TRY(get_size(&s->nodes_max, object, "nodes_max"));
    TRY(get_number(&s->edges_min, object, "edges_min"));
    TRY(get_number(&s->edges_max, object, "edges_max"));
    TRY(get_bool(&s->edges_per_node, object, "edges_per_node"));
    TRY(get_families(&s->families, object));
    TRY(get_text(&noise, object, "noise"));
    int mode = 0;
    while (mode < SETTING_NOISES && strcmp(setting_noises[mode], noise) != 0) mode++;
    if (mode == SETTING_NOISES) {
        FAIL(SCONE_ERR_INPUT, "\"noise\" is '%.40s'; use mixed, additive or multiplicative", noise);
    }
    s->noise = (scone_noise)mode;
    TRY(get_bool(&s->wild, object, "wild"));
    TRY(get_number(&s->p_target, object, "p_target"));
    TRY(get_size(&s->samples, object, "samples"));
    TRY(read_conditions(s, object));
    TRY(get_size(&s->count, object, "count"));
    TRY(get_seed(&s->seed, object));
    TRY(setting_check(s));
cleanup:
    return status;
}

scone_status setting_parse(scone_setting *setting, const char *text, size_t size)
{
    scone_status status = SCONE_OK;
    const char *end = text;
    *setting = (scone_setting){0};
    cJSON *object = cJSON_ParseWithLengthOpts(text, size, &end, false);
    if (!cJSON_IsObject(object)) {
        FAIL(SCONE_ERR_INPUT, "not a JSON object (byte %zu); give a setting.json of scone simulate",
             (size_t)(end - text) + 1);
    }
    for (; end < text + size && (*end == ' ' || *end == '\n' || *end == '\r' || *end == '\t');)
        end++;
    if (end != text + size) {
        FAIL(SCONE_ERR_INPUT, "text after the end of the JSON object (byte %zu)",
             (size_t)(end - text) + 1);
    }
    TRY(read_fields(setting, object));
cleanup:
    cJSON_Delete(object);
    if (status != SCONE_OK) *setting = (scone_setting){0};
    return status;
}

scone_status scone_setting_read(scone_setting *setting, const char *path)
{
    scone_status status = SCONE_OK;
    char *text = NULL;
    size_t size;
    *setting = (scone_setting){0};
    TRY(file_read_all(&text, &size, path, SETTING_FILE_LIMIT));
    status = setting_parse(setting, text, size);
    if (status != SCONE_OK) status_prefix("%s", path);
cleanup:
    mem_free(text);
    return status;
}
