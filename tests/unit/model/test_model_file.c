/* test_model_file.c - what scone_model tells of a weights file, and the metadata it insists on. */
#include "testing.h"

#include "model/setup/config.h"
#include "model/weights/weights.h"
#include "scone_lab.h"

#include <stdlib.h>
#include <unistd.h>

static const char path[] = "test_model_file.safetensors";
static const float kernel[6] = {0.5f, -1.25f, 3.0f, 0.0f, 2.0f, -0.75f};
static const float blend[1] = {0.25f};

enum { NOTES = 6 };

/* All that a weights file needs. */
static void usual_notes(weights_note notes[NOTES], char **config)
{
    model_config c = config_default();
    CHECK_OK(config_print(config, &c));
    weights_note all[NOTES] = {{WEIGHTS_CONFIG, *config},
                               {WEIGHTS_PRESET, "paper"},
                               {WEIGHTS_COMMAND, "scone train --preset paper --seed 1 -o paper"},
                               {WEIGHTS_COMMIT, "0123abc"},
                               {WEIGHTS_DATA, "00112233445566ff"},
                               {WEIGHTS_VALIDATION, "{\"shd\":12.5,\"f1\":0.6}"}};
    memcpy(notes, all, sizeof all);
}

static const weights_tensor both[2] = {
    {.name = "block.0.kernel", .rank = 2, .shape = {3, 2}, .data = kernel},
    {.name = "blend", .data = blend},
};

static void save(const weights_note *notes, size_t count)
{
    CHECK_OK(weights_write(path, WEIGHTS_FORMAT_MODEL, both, 2, notes, count));
}

static void test_describe(void **state)
{
    (void)state;
    weights_note notes[NOTES];
    char *config;
    scone_model *m;
    usual_notes(notes, &config);
    save(notes, NOTES);
    CHECK_OK(scone_model_open(&m, path));
    const scone_model_about *about = scone_model_describe(m);
    CHECK(strcmp(about->preset, "paper") == 0 && strcmp(about->commit, "0123abc") == 0);
    CHECK(strcmp(about->command, notes[2].value) == 0);
    CHECK(strcmp(about->data, "00112233445566ff") == 0 && strcmp(about->config, config) == 0);
    CHECK(about->tensors == 2 && about->parameters == 7 && about->scores == 2);
    FILE *stream = fopen(path, "rb");
    CHECK(stream && fseek(stream, 0, SEEK_END) == 0 && (size_t)ftell(stream) == about->bytes);
    (void)fclose(stream);
    CHECK(strcmp(scone_model_score_get(m, 0)->name, "shd") == 0);
    CHECK_SAME(scone_model_score_get(m, 0)->value, 12.5);
    CHECK_SAME(scone_model_score_get(m, 1)->value, 0.6);
    const scone_model_tensor *scalar = scone_model_tensor_get(m, 0);
    const scone_model_tensor *matrix = scone_model_tensor_get(m, 1);
    CHECK(strcmp(scalar->name, "blend") == 0 && scalar->dimensions == 0);
    CHECK_SAME(scalar->mean, 0.25);
    CHECK_SAME(scalar->sd, 0.0);
    CHECK(matrix->dimensions == 2 && matrix->shape[0] == 3 && matrix->shape[1] == 2);
    /* sum 3.5; squares 0.25 + 1.5625 + 9 + 4 + 0.5625 = 15.375 */
    CHECK_NEAR(matrix->mean, 3.5 / 6, 1e-15);
    CHECK_NEAR(matrix->sd, sqrt(15.375 / 6 - 3.5 * 3.5 / 36), 1e-14);
    CHECK_SAME(matrix->smallest, -1.25);
    CHECK_SAME(matrix->largest, 3.0);
    CHECK(about->fields == config_field_count());
    CHECK(strcmp(scone_model_field_get(m, 0)->name, "width") == 0);
    CHECK(strcmp(scone_model_field_get(m, 0)->value, "64") == 0);
    scone_model_free(m);
    scone_model_free(NULL);
    mem_free(config);
}

/* Each entry of the metadata left out, and each that can be wrong made wrong. */
static void test_notes(void **state)
{
    (void)state;
    weights_note notes[NOTES];
    char *config, message[128];
    scone_model *m;
    usual_notes(notes, &config);
    for (size_t left_out = 0; left_out < NOTES; left_out++) {
        weights_note fewer[NOTES - 1];
        for (size_t n = 0, k = 0; n < NOTES; n++) {
            if (n != left_out) fewer[k++] = notes[n];
        }
        save(fewer, NOTES - 1);
        (void)snprintf(message, sizeof message, "%s: metadata: \"%s\" is missing", path,
                       notes[left_out].key);
        CHECK_FAILS(scone_model_open(&m, path), SCONE_ERR_INPUT, message);
        CHECK(m == NULL);
    }
    static const char *const wrong[][3] = {
        {WEIGHTS_CONFIG, "{}", "configuration of the model: the field \"width\" is missing"},
        {WEIGHTS_CONFIG, "{\"depth\":1}", "unknown field \"depth\""},
        {WEIGHTS_CONFIG, "64", "configuration of the model: not a JSON object"},
        {WEIGHTS_VALIDATION, "", "metadata: \"validation\": line 1: not valid JSON"},
        {WEIGHTS_VALIDATION, "[1]", "metadata: \"validation\": not a JSON object"},
        {WEIGHTS_VALIDATION, "{\"shd\":\"5\"}", "the score \"shd\" is not a finite number"},
        {WEIGHTS_VALIDATION, "{\"shd\":1e999}", "the score \"shd\" is not a finite number"},
        {WEIGHTS_VALIDATION, "{\"\\u001b[2J\":1}", "other than plain letters in its name"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        weights_note changed[NOTES];
        memcpy(changed, notes, sizeof notes);
        for (size_t n = 0; n < NOTES; n++) {
            if (strcmp(changed[n].key, wrong[i][0]) == 0) changed[n].value = wrong[i][1];
        }
        save(changed, NOTES);
        CHECK_FAILS(scone_model_open(&m, path), SCONE_ERR_INPUT, wrong[i][2]);
        CHECK(strncmp(scone_error_message(), path, strlen(path)) == 0);
    }
    const uint64_t word[1] = {3};
    weights_tensor whole = {.name = "step", .type = WEIGHTS_U64, .data = word};
    CHECK_OK(weights_write(path, WEIGHTS_FORMAT_MODEL, &whole, 1, notes, NOTES));
    CHECK_FAILS(scone_model_open(&m, path), SCONE_ERR_INPUT, "tensor 'step' holds whole numbers");
    CHECK_OK(weights_write(path, WEIGHTS_FORMAT_CHECKPOINT, both, 2, notes, NOTES));
    CHECK_FAILS(scone_model_open(&m, path), SCONE_ERR_INPUT, "its format is \"scone-checkpoint\"");
    mem_free(config);
    CHECK(unlink(path) == 0);
}

static void test_named(void **state)
{
    (void)state;
    scone_model *m;
    CHECK_OK(scone_model_named(&m, "paper-nb"));
    const scone_model_about *about = scone_model_describe(m);
    CHECK(strcmp(about->preset, "paper-nb") == 0 && about->command == NULL && !about->tensors);
    CHECK(strstr(about->config, "\"bias_heads\":false") != NULL);
    scone_model_free(m);
    CHECK_FAILS(scone_model_named(&m, "search"), SCONE_ERR_INPUT, "no model preset 'search'");
    CHECK(m == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
