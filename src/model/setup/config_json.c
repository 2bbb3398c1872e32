/* config_json.c - the configuration as JSON, written and read (see config.h).
 *
 * A reader that passed over a field it does not know, or filled in one that is missing, would run
 * weights with another model than the one they were trained for. Both are errors, but for fields
 * that came later: files from before them have the value that was fixed in the code then.
 */
#include "model/setup/config.h"

#include "text/json_check.h"
#include "text/text.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>

/* ---- writing ---- */

scone_status config_print(char **text, const model_config *config)
{
    scone_status status = SCONE_OK;
    char *printed = NULL, value[CONFIG_TEXT_SIZE];
    *text = NULL;
    cJSON *object = cJSON_CreateObject();
    bool failed = !object;
    for (size_t f = 0; f < config_field_count() && !failed; f++) {
        const config_field *field = config_field_get(f);
        config_field_text(value, config, field);
        /* raw: cJSON itself keeps about 15 digits */
        bool words = field->kind == CONFIG_GATE || field->kind == CONFIG_LEARNERS;
        failed = words ? !cJSON_AddStringToObject(object, field->name, value)
                       : !cJSON_AddRawToObject(object, field->name, value);
    }
    if (!failed) printed = cJSON_PrintUnformatted(object);
    if (!printed) FAIL(SCONE_ERR_MEMORY, "out of memory while writing the configuration");
    *text = mem_copy_text(printed, strlen(printed));
    if (!*text) TRY(SCONE_ERR_MEMORY);
cleanup:
    cJSON_free(printed);
    cJSON_Delete(object);
    return status;
}

/* ---- reading ---- */

static scone_status read_count(size_t *value, const cJSON *item, const config_field *field)
{
    double number = cJSON_IsNumber(item) ? item->valuedouble : -1.0;
    if (!(number >= 0.0 && number <= 0x1p53) || number != (double)(uint64_t)number) {
        return RAISE(SCONE_ERR_INPUT, "\"%s\" is not a whole number", field->name);
    }
    *value = (size_t)number;
    return SCONE_OK;
}

static scone_status read_gate(model_cvt_gate *gate, const cJSON *item, const config_field *field)
{
    if (cJSON_IsString(item) && strcmp(item->valuestring, "printed") == 0) {
        *gate = MODEL_CVT_PRINTED;
    } else if (cJSON_IsString(item) && strcmp(item->valuestring, "proved") == 0) {
        *gate = MODEL_CVT_PROVED;
    } else {
        return RAISE(SCONE_ERR_INPUT, "\"%s\" is neither \"printed\" nor \"proved\"", field->name);
    }
    return SCONE_OK;
}

static scone_status read_learners(unsigned *set, const cJSON *item, const config_field *field)
{
    if (!cJSON_IsString(item)) {
        return RAISE(SCONE_ERR_INPUT, "\"%s\" is not a list of names", field->name);
    }
    scone_status status = learner_parse(set, item->valuestring, strlen(item->valuestring));
    if (status != SCONE_OK) status_prefix("\"%s\"", field->name);
    return status;
}

static scone_status read_field(model_config *config, const cJSON *item, const config_field *field)
{
    void *at = (char *)config + field->offset;
    switch (field->kind) {
    case CONFIG_COUNT:
        return read_count(at, item, field);
    case CONFIG_NUMBER:
        if (!cJSON_IsNumber(item)) break;
        *(double *)at = item->valuedouble;
        return SCONE_OK;
    case CONFIG_FLAG:
        if (!cJSON_IsBool(item)) break;
        *(bool *)at = cJSON_IsTrue(item);
        return SCONE_OK;
    case CONFIG_GATE:
        return read_gate(at, item, field);
    case CONFIG_LEARNERS:
        return read_learners(at, item, field);
    }
    return RAISE(SCONE_ERR_INPUT, "\"%s\" is not %s", field->name,
                 field->kind == CONFIG_FLAG ? "true or false" : "a number");
}

static void set_earlier(model_config *config, const config_field *field)
{
    void *at = (char *)config + field->offset;
    if (field->kind == CONFIG_FLAG) {
        *(bool *)at = field->earlier != 0.0;
    } else if (field->kind == CONFIG_LEARNERS) {
        *(unsigned *)at = (unsigned)field->earlier;
    } else {
        *(double *)at = field->earlier;
    }
}

/* The only member of this name; NULL if it is missing and may be. */
static scone_status find_field(const cJSON **item, const cJSON *object, const config_field *field)
{
    const char *name = field->name;
    *item = NULL;
    for (const cJSON *member = object->child; member; member = member->next) {
        if (strcmp(member->string, name) != 0) continue;
        if (*item) return RAISE(SCONE_ERR_INPUT, "the field \"%s\" occurs twice", name);
        *item = member;
    }
    if (*item || !isnan(field->earlier)) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "the field \"%s\" is missing; it was written by another version of scone", name);
}

static scone_status refuse_unknown(const cJSON *object)
{
    for (const cJSON *member = object->child; member; member = member->next) {
        size_t f = 0;
        while (f < config_field_count() && strcmp(config_field_get(f)->name, member->string) != 0)
            f++;
        if (f == config_field_count()) {
            return RAISE(SCONE_ERR_INPUT,
                         "unknown field \"%s\"; it was written by another version of scone",
                         SHOW(member->string, strlen(member->string)));
        }
    }
    return SCONE_OK;
}

scone_status config_parse(model_config *config, const char *text, size_t size)
{
    scone_status status = SCONE_OK;
    cJSON *object = NULL;
    *config = (model_config){0};
    TRY(json_check(text, size));
    object = cJSON_ParseWithLength(text, size);
    if (!object) FAIL(SCONE_ERR_MEMORY, "out of memory for %zu bytes of JSON", size);
    if (!cJSON_IsObject(object)) FAIL(SCONE_ERR_INPUT, "not a JSON object");
    TRY(refuse_unknown(object));
    for (size_t f = 0; f < config_field_count(); f++) {
        const cJSON *item;
        const config_field *field = config_field_get(f);
        TRY(find_field(&item, object, field));
        if (item) {
            TRY(read_field(config, item, field));
        } else {
            set_earlier(config, field);
        }
    }
    TRY(config_check(config));
cleanup:
    cJSON_Delete(object);
    if (status != SCONE_OK) {
        status_prefix("configuration of the model");
        *config = (model_config){0};
    }
    return status;
}
