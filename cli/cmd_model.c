/* cmd_model.c - scone model FILE: what is in a weights file, in words. */
#include "commands.h"
#include "model_option.h"
#include "printing.h"
#include "scone_lab.h"
#include "session.h"

const command command_model = {
    .name = "model",
    .synopsis = "scone model FILE [options]\n"
                "scone model --preset NAME [options]",
    .summary = "says what a weights file holds and how it was trained",
    .about = "FILE is a weights file of a learned model (.safetensors). It is read whole, every\n"
             "checksum is compared, and then it is explained: the preset and the number of\n"
             "parameters, how and from what it was trained, its scores on validation data, its\n"
             "configuration, and the tensors with their shape, mean and standard deviation.\n"
             "\n"
             "With --preset there is no file: it prints the configuration of a preset (paper,\n"
             "paper-nb: no bias heads, paper-nc: no contrast, best and best-ood: corrections of a\n"
             "search).",
    .examples = "scone model --preset paper",
};

/* ---- text ---- */

static void print_title(const scone_model_about *about, const char *path)
{
    if (!path) {
        (void)printf("Preset %s, without weights\n", about->preset);
        return;
    }
    (void)printf("%s: weights of the preset %s\n", path, about->preset);
    (void)printf("%zu %s in %zu %s, %zu bytes; every checksum holds\n", about->parameters,
                 plural(about->parameters, "parameter", "parameters"), about->tensors,
                 plural(about->tensors, "tensor", "tensors"), about->bytes);
}

static void print_training(const scone_model *m, const scone_model_about *about)
{
    (void)printf("\nTrained\n  command     %s\n  commit      %s\n  data        XXH64 %s\n",
                 about->command, about->commit, about->data);
    (void)printf("  validation  ");
    for (size_t s = 0; s < about->scores; s++) {
        const scone_model_score *score = scone_model_score_get(m, s);
        (void)printf("%s%s %.4g", s ? ", " : "", score->name, score->value);
    }
    (void)printf("%s\n", about->scores ? "" : "none");
}

static int print_config(const scone_model *m, const scone_model_about *about)
{
    (void)printf("\nConfiguration\n");
    text_table table;
    table_begin(&table, 3);
    table.left[2] = true;
    for (size_t f = 0; f < about->fields; f++) {
        const scone_model_field *field = scone_model_field_get(m, f);
        table_row(&table);
        table_cell(&table, 0, "  %s", field->name);
        table_cell(&table, 1, "%s", field->value);
        table_cell(&table, 2, "%s", field->meaning);
    }
    return table_end(&table);
}

/* "64 x 3"; "single" for one value without dimensions */
static void shape_cell(text_table *table, size_t column, const scone_model_tensor *tensor)
{
    char text[128] = "single";
    size_t used = 0;
    for (size_t d = 0; d < tensor->dimensions && used < sizeof text; d++) {
        int length =
            snprintf(text + used, sizeof text - used, "%s%zu", d ? " x " : "", tensor->shape[d]);
        used += length > 0 ? (size_t)length : 0;
    }
    table_cell(table, column, "%s", text);
}

static int print_tensors(const scone_model *m, const scone_model_about *about)
{
    static const char *const heads[] = {"  name", "shape", "mean", "sd", "smallest", "largest"};
    enum { HEADS = sizeof heads / sizeof *heads };
    (void)printf("\nTensors\n");
    text_table table;
    table_begin(&table, HEADS);
    table_row(&table);
    for (size_t h = 0; h < HEADS; h++) table_cell(&table, h, "%s", heads[h]);
    for (size_t t = 0; t < about->tensors; t++) {
        const scone_model_tensor *tensor = scone_model_tensor_get(m, t);
        table_row(&table);
        table_cell(&table, 0, "  %s", tensor->name);
        shape_cell(&table, 1, tensor);
        table_cell(&table, 2, "%.4g", tensor->mean);
        table_cell(&table, 3, "%.4g", tensor->sd);
        table_cell(&table, 4, "%.4g", tensor->smallest);
        table_cell(&table, 5, "%.4g", tensor->largest);
    }
    return table_end(&table);
}

static int print_text(const scone_model *m, const char *path)
{
    const scone_model_about *about = scone_model_describe(m);
    print_title(about, path);
    if (path) print_training(m, about);
    int code = print_config(m, about);
    if (code == SCONE_OK && path) code = print_tensors(m, about);
    return code;
}

/* ---- JSON ---- */

static void json_tensors(json *j, const scone_model *m, const scone_model_about *about)
{
    cJSON *tensors = json_array(j, j->root, "tensors");
    for (size_t t = 0; t < about->tensors; t++) {
        const scone_model_tensor *tensor = scone_model_tensor_get(m, t);
        cJSON *object = json_append_object(j, tensors);
        json_text(j, object, "name", tensor->name);
        cJSON *shape = json_array(j, object, "shape");
        for (size_t d = 0; d < tensor->dimensions; d++) {
            json_append_number(j, shape, (double)tensor->shape[d]);
        }
        json_number(j, object, "mean", tensor->mean);
        json_number(j, object, "sd", tensor->sd);
        json_number(j, object, "smallest", tensor->smallest);
        json_number(j, object, "largest", tensor->largest);
    }
}

static int print_json(const scone_model *m, const char *path)
{
    const scone_model_about *about = scone_model_describe(m);
    json j;
    json_begin(&j);
    json_text(&j, j.root, "preset", about->preset);
    if (!j.failed) j.failed = !cJSON_AddRawToObject(j.root, "config", about->config);
    if (!path) return json_end(&j);
    json_text(&j, j.root, "file", path);
    json_integer(&j, j.root, "bytes", about->bytes);
    json_integer(&j, j.root, "parameters", about->parameters);
    json_text(&j, j.root, "command", about->command);
    json_text(&j, j.root, "commit", about->commit);
    json_text(&j, j.root, "data_xxh64", about->data);
    cJSON *validation = json_object(&j, j.root, "validation");
    for (size_t s = 0; s < about->scores; s++) {
        const scone_model_score *score = scone_model_score_get(m, s);
        json_number(&j, validation, score->name, score->value);
    }
    json_tensors(&j, m, about);
    return json_end(&j);
}

/* ---- the command ---- */

int run_model(int argc, char **argv)
{
    session s = session_start();
    const char *preset = NULL;
    const option table[] = {
        option_words("preset", 'p', "NAME", "the configuration of a preset instead of a file",
                     model_presets(), &preset),
        option_json(&s),
        option_quiet(&s),
        {.name = NULL},
    };
    arguments parsed;
    if (!options_parse(&parsed, &command_model, table, argc, argv)) return SCONE_ERR_USAGE;
    if (parsed.help) {
        options_help(stdout, &command_model, table);
        return stdout_check(SCONE_OK);
    }
    if (parsed.count + (preset != NULL) != 1) {
        return usage_error(&command_model, "it takes one weights FILE, or --preset NAME");
    }
    int code = session_open(&s);
    if (code != SCONE_OK) return code;
    const char *path = preset ? NULL : parsed.positional[0];
    scone_model *m = NULL;
    scone_status status = path ? scone_model_open(&m, path) : scone_model_named(&m, preset);
    if (status != SCONE_OK) {
        code = session_fail(&s, status);
    } else {
        session_hide_bar(&s);
        code = s.as_json ? print_json(m, path) : print_text(m, path);
    }
    scone_model_free(m);
    return session_close(&s, code);
}
