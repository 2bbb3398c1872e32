/* model_describe.c - what is in a weights file, for people (scone_model in scone_lab.h).
 *
 * A weights file is a file of weights.h with the metadata that WEIGHTS_CONFIG, ... name, a
 * configuration that this version knows, and float tensors alone. Whether the tensors are those of
 * the configuration is for the model itself to check when it runs (weights_expect).
 * Mean and standard deviation take two passes in double. Cost: linear in the file.
 */
#include "model/setup/config.h"
#include "model/weights/weights.h"

#include "base/arena.h"
#include "text/json_check.h"
#include "text/text.h"
#include "scone_lab.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>

_Static_assert((int)SCONE_MODEL_MOST_DIMENSIONS == (int)WEIGHTS_RANK_LIMIT, "every shape fits");

struct scone_model {
    weights *file; /* NULL: a preset alone */
    arena *texts;
    scone_model_about about;
    scone_model_field *fields;
    scone_model_score *scores;
    scone_model_tensor *tensors;
};

/* ---- configuration ---- */

static char *keep_text(scone_model *m, const char *text)
{
    return arena_text(m->texts, text, strlen(text));
}

static scone_status describe_config(scone_model *m, const model_config *config)
{
    scone_status status = SCONE_OK;
    char *text = NULL;
    m->about.fields = config_field_count();
    TRY_ALLOC(m->fields, m->about.fields);
    for (size_t f = 0; f < m->about.fields; f++) {
        const config_field *field = config_field_get(f);
        char value[CONFIG_TEXT_SIZE];
        config_field_text(value, config, field);
        char *kept = keep_text(m, value);
        if (!kept) TRY(SCONE_ERR_MEMORY);
        m->fields[f] = (scone_model_field){field->name, kept, field->meaning};
    }
    TRY(config_print(&text, config));
    m->about.config = keep_text(m, text);
    if (!m->about.config) TRY(SCONE_ERR_MEMORY);
cleanup:
    mem_free(text);
    return status;
}

/* ---- validation ---- */

static scone_status read_scores(scone_model *m, const char *text)
{
    scone_status status = SCONE_OK;
    cJSON *object = NULL;
    TRY(json_check(text, strlen(text)));
    object = cJSON_Parse(text);
    if (!object) FAIL(SCONE_ERR_MEMORY, "out of memory for %zu bytes of JSON", strlen(text));
    if (!cJSON_IsObject(object)) FAIL(SCONE_ERR_INPUT, "not a JSON object");
    TRY_ALLOC(m->scores, (size_t)cJSON_GetArraySize(object));
    for (const cJSON *item = object->child; item; item = item->next) {
        size_t length = strlen(item->string);
        for (size_t i = 0; i < length; i++) {
            unsigned char c = (unsigned char)item->string[i];
            if (c <= 0x20 || c >= 0x7f) {
                FAIL(SCONE_ERR_INPUT, "the score \"%s\" has other than plain letters in its name",
                     SHOW(item->string, length));
            }
        }
        if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble)) {
            FAIL(SCONE_ERR_INPUT, "the score \"%s\" is not a finite number",
                 SHOW(item->string, length));
        }
        char *name = keep_text(m, item->string);
        if (!name) TRY(SCONE_ERR_MEMORY);
        m->scores[m->about.scores++] = (scone_model_score){name, item->valuedouble};
    }
cleanup:
    cJSON_Delete(object);
    if (status != SCONE_OK) status_prefix("metadata: \"%s\"", WEIGHTS_VALIDATION);
    return status;
}

/* ---- tensors ---- */

static scone_model_tensor describe_tensor(const weights_tensor *tensor)
{
    const float *values = tensor->data;
    size_t count = weights_values(tensor);
    scone_model_tensor out = {.name = tensor->name,
                              .dimensions = tensor->rank,
                              .smallest = (double)values[0],
                              .largest = (double)values[0]};
    memcpy(out.shape, tensor->shape, sizeof out.shape);
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < count; i++) {
        double value = (double)values[i];
        sum += value;
        if (value < out.smallest) out.smallest = value;
        if (value > out.largest) out.largest = value;
    }
    out.mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        double deviation = (double)values[i] - out.mean;
        squares += deviation * deviation;
    }
    out.sd = sqrt(squares / (double)count);
    return out;
}

static scone_status describe_tensors(scone_model *m)
{
    scone_status status = SCONE_OK;
    m->about.tensors = weights_count(m->file);
    TRY_ALLOC(m->tensors, m->about.tensors);
    for (size_t t = 0; t < m->about.tensors; t++) {
        const weights_tensor *tensor = weights_get(m->file, t);
        if (tensor->type != WEIGHTS_F32) {
            FAIL(SCONE_ERR_INPUT, "tensor '%s' holds whole numbers; weights are F32 alone",
                 SHOW(tensor->name, strlen(tensor->name)));
        }
        m->tensors[t] = describe_tensor(tensor);
        m->about.parameters += weights_values(tensor);
    }
cleanup:
    return status;
}

/* ---- all of it ---- */

static scone_status model_begin(scone_model **out)
{
    scone_status status = SCONE_OK;
    scone_model *m = NULL;
    *out = NULL;
    TRY_ZERO(m, 1);
    TRY(arena_alloc(&m->texts, 4096));
    *out = m;
    return SCONE_OK;
cleanup:
    mem_free(m);
    return status;
}

static scone_status read_notes(scone_model *m)
{
    scone_status status = SCONE_OK;
    const char *config, *validation;
    model_config parsed;
    TRY(weights_need(&m->about.preset, m->file, WEIGHTS_PRESET));
    TRY(weights_need(&config, m->file, WEIGHTS_CONFIG));
    TRY(weights_need(&m->about.command, m->file, WEIGHTS_COMMAND));
    TRY(weights_need(&m->about.commit, m->file, WEIGHTS_COMMIT));
    TRY(weights_need(&m->about.data, m->file, WEIGHTS_DATA));
    TRY(weights_need(&validation, m->file, WEIGHTS_VALIDATION));
    status = config_parse(&parsed, config, strlen(config));
    if (status == SCONE_OK) status = describe_config(m, &parsed);
    if (status == SCONE_OK) status = read_scores(m, validation);
    if (status == SCONE_OK) status = describe_tensors(m);
    if (status != SCONE_OK) status_prefix("%s", weights_path(m->file));
cleanup:
    return status;
}

scone_status scone_model_open(scone_model **model, const char *path)
{
    scone_status status = SCONE_OK;
    scone_model *m = NULL;
    *model = NULL;
    TRY(model_begin(&m));
    TRY(weights_open(&m->file, path, WEIGHTS_FORMAT_MODEL));
    m->about.bytes = weights_bytes(m->file);
    TRY(read_notes(m));
    *model = m;
    return SCONE_OK;
cleanup:
    scone_model_free(m);
    return status;
}

scone_status scone_model_named(scone_model **model, const char *preset)
{
    scone_status status = SCONE_OK;
    scone_model *m = NULL;
    model_config config;
    *model = NULL;
    TRY(config_preset(&config, preset));
    TRY(model_begin(&m));
    m->about.preset = keep_text(m, preset);
    if (!m->about.preset) TRY(SCONE_ERR_MEMORY);
    TRY(describe_config(m, &config));
    *model = m;
    return SCONE_OK;
cleanup:
    scone_model_free(m);
    return status;
}

void scone_model_free(scone_model *m)
{
    if (!m) return;
    weights_free(m->file);
    arena_free(m->texts);
    mem_free(m->fields);
    mem_free(m->scores);
    mem_free(m->tensors);
    mem_free(m);
}

const scone_model_about *scone_model_describe(const scone_model *m)
{
    return &m->about;
}

const scone_model_field *scone_model_field_get(const scone_model *m, size_t index)
{
    return &m->fields[index];
}

const scone_model_score *scone_model_score_get(const scone_model *m, size_t index)
{
    return &m->scores[index];
}

const scone_model_tensor *scone_model_tensor_get(const scone_model *m, size_t index)
{
    return &m->tensors[index];
}
