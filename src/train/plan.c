/* plan.c - from options to a plan (see plan.h). */
#include "train/plan.h"

#include "io/file.h"
#include "text/number/number.h"
#include "scm/scm.h"
#include "scm/setting_names.h"
#include "train/training_set.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    PLAN_GRAPHS = 2000,
    PLAN_EPOCHS = 20,
    PLAN_BATCH = 8,
    PLAN_VALIDATIONS = 50,
    PLAN_MOST_GRAPHS = 10000000,
    PLAN_MOST_BATCH = 4096,
    PLAN_COMMAND = 2048
};
static const double most_steps = 1e12;

/* ---- fields of the configuration ---- */

static const config_field *find_field(const char *name, size_t length)
{
    for (size_t f = 0; f < config_field_count(); f++) {
        const config_field *field = config_field_get(f);
        if (strlen(field->name) == length && strncmp(field->name, name, length) == 0) return field;
    }
    return NULL;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

/* A flag or a gate may be given in words; learners are, with '+' between. */
static scone_status read_value(double *value, const config_field *field, const char *text,
                               size_t length)
{
    const char *const words[2] = {field->kind == CONFIG_GATE ? "printed" : "false",
                                  field->kind == CONFIG_GATE ? "proved" : "true"};
    if (field->kind == CONFIG_FLAG || field->kind == CONFIG_GATE) {
        for (int k = 0; k < 2; k++) {
            if (!is_word(text, length, words[k])) continue;
            *value = k;
            return SCONE_OK;
        }
        return RAISE(SCONE_ERR_INPUT, "%s is '%.*s'; use %s or %s", field->name,
                     length > 40 ? 40 : (int)length, text, words[0], words[1]);
    }
    if (field->kind == CONFIG_LEARNERS) {
        unsigned set;
        scone_status status = learner_parse(&set, text, length);
        *value = (double)set;
        return status;
    }
    if (number_parse(value, text, text + length) == NUMBER_OK) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT, "%s is '%.*s', which is no number", field->name,
                 length > 40 ? 40 : (int)length, text);
}

static scone_status change_field(model_config *config, const char *text, size_t length)
{
    scone_status status = SCONE_OK;
    double value;
    const char *equals = memchr(text, '=', length);
    const config_field *field = equals ? find_field(text, (size_t)(equals - text)) : NULL;
    if (!field) {
        FAIL(SCONE_ERR_INPUT,
             "'%.*s' changes no field of the configuration; write NAME=VALUE with a name of scone "
             "model --preset paper",
             length > 100 ? 100 : (int)length, text);
    }
    TRY(read_value(&value, field, equals + 1, (size_t)(text + length - equals - 1)));
    void *at = (char *)config + field->offset;
    if (field->kind == CONFIG_COUNT) {
        if (!(value >= 0.0 && value <= 1e9) || value != floor(value)) {
            FAIL(SCONE_ERR_INPUT, "%s must be a whole number from 0 on", field->name);
        }
        *(size_t *)at = (size_t)value;
    } else if (field->kind == CONFIG_NUMBER) {
        *(double *)at = value;
    } else if (field->kind == CONFIG_FLAG) {
        *(bool *)at = value != 0.0;
    } else if (field->kind == CONFIG_LEARNERS) {
        *(unsigned *)at = (unsigned)value;
    } else {
        *(model_cvt_gate *)at = value != 0.0 ? MODEL_CVT_PROVED : MODEL_CVT_PRINTED;
    }
cleanup:
    return status;
}

scone_status plan_change_config(model_config *config, const char *changes)
{
    scone_status status = SCONE_OK;
    for (const char *at = changes; at && *at;) {
        size_t length = strcspn(at, ",");
        TRY(change_field(config, at, length));
        at += length;
        if (*at == ',') at++;
    }
    TRY(config_check(config));
cleanup:
    return status;
}

/* ---- the command ---- */

typedef struct writer {
    char text[PLAN_COMMAND];
    size_t used;
} writer;

__attribute__((format(printf, 2, 3))) static void add(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(w->text + w->used, sizeof w->text - w->used, format, arguments);
    va_end(arguments);
    if (length > 0) w->used += (size_t)length;
    if (w->used >= sizeof w->text) w->used = sizeof w->text - 1;
}

static void add_setting(writer *w, const scone_setting *s, size_t samples_min)
{
    char families[SETTING_FAMILIES_TEXT], low[NUMBER_TEXT_SIZE], high[NUMBER_TEXT_SIZE];
    scone_setting base;
    if (scone_setting_named(&base, s->name) != SCONE_OK) base = (scone_setting){.p_target = -1.0};
    add(w, " --setting %s", s->name);
    if (s->nodes_min != base.nodes_min || s->nodes_max != base.nodes_max) {
        add(w, " --nodes %zu..%zu", s->nodes_min, s->nodes_max);
    }
    if (s->edges_min != base.edges_min || s->edges_max != base.edges_max ||
        s->edges_per_node != base.edges_per_node) {
        (void)number_format(low, s->edges_min);
        (void)number_format(high, s->edges_max);
        add(w, " --edges%s %s..%s", s->edges_per_node ? "-per-node" : "", low, high);
    }
    if (s->families && s->families != base.families) {
        setting_families_text(families, s->families, ',');
        add(w, " --mechanisms %s", families);
    }
    if (s->noise != base.noise) add(w, " --noise %s", setting_noises[s->noise]);
    if (s->p_target != base.p_target) {
        (void)number_format(low, s->p_target);
        add(w, " --p-target %s", low);
    }
    if (s->samples != base.samples) add(w, " --samples %zu", s->samples);
    if (samples_min < s->samples) add(w, " --samples-min %zu", samples_min);
    add(w, " --data-seed %" PRIu64, s->seed);
}

static scone_status write_command(train_plan *plan, const scone_train_options *o)
{
    const char *changes = o->changes;
    writer w = {.used = 0};
    add(&w, "scone train --preset %s", plan->preset);
    if (changes && *changes) add(&w, " --config %s", changes);
    if (o->learners) add(&w, " --learners %s", o->learners);
    add_setting(&w, &plan->setting, plan->samples_min);
    add(&w, " --graphs %zu --validation %zu --steps %zu --batch %zu --every %zu", plan->graphs,
        plan->validation_graphs, plan->steps, plan->batch, plan->every);
    if (plan->patience > 0) add(&w, " --patience %zu", plan->patience);
    if (plan->threshold > 0.0) add(&w, " --threshold %.2f", plan->threshold);
    if (plan->stream) add(&w, " --stream");
    add(&w, " --seed %" PRIu64, plan->seed);
    plan->command = mem_copy_text(w.text, strlen(w.text));
    return plan->command ? SCONE_OK : SCONE_ERR_MEMORY;
}

/* ---- numbers ---- */

static scone_status fill_numbers(train_plan *plan, const scone_train_options *o)
{
    scone_status status = SCONE_OK;
    plan->graphs = o->graphs ? o->graphs : PLAN_GRAPHS;
    plan->batch = o->batch ? o->batch : PLAN_BATCH;
    size_t tenth = plan->graphs / 10;
    plan->validation_graphs = o->validation ? o->validation
                              : tenth < 8   ? 8
                              : tenth > 200 ? 200
                                            : tenth;
    if (plan->graphs > PLAN_MOST_GRAPHS || plan->validation_graphs > PLAN_MOST_GRAPHS) {
        FAIL(SCONE_ERR_INPUT, "--graphs and --validation must be at most %d", PLAN_MOST_GRAPHS);
    }
    if (plan->batch > PLAN_MOST_BATCH) {
        FAIL(SCONE_ERR_INPUT, "--batch must be at most %d", PLAN_MOST_BATCH);
    }
    if (o->steps && o->epochs) FAIL(SCONE_ERR_INPUT, "give --steps or --epochs, not both");
    double epochs = (double)(o->epochs ? o->epochs : PLAN_EPOCHS);
    double steps =
        o->steps ? (double)o->steps : ceil(epochs * (double)plan->graphs / (double)plan->batch);
    if (steps > most_steps) FAIL(SCONE_ERR_INPUT, "%.0f steps are too many; use fewer", steps);
    plan->steps = (size_t)steps;
    plan->every = o->every ? o->every : plan->steps / PLAN_VALIDATIONS;
    if (plan->every < 1) plan->every = 1;
    plan->patience = o->patience;
    plan->threshold = o->threshold;
    double twentieths = rint(o->threshold * 20.0);
    bool listed =
        twentieths >= 1.0 && twentieths <= 19.0 && fabs(o->threshold * 20.0 - twentieths) < 1e-9;
    if (o->threshold != 0.0 && !listed) {
        FAIL(SCONE_ERR_INPUT, "--threshold must be one of 0.05, 0.10, ... 0.95");
    }
    plan->seed = o->seed;
cleanup:
    return status;
}

static scone_status fill_setting(train_plan *plan, const scone_train_options *o)
{
    scone_status status = SCONE_OK;
    plan->setting = o->setting;
    plan->setting.count = 1;
    TRY(setting_check(&plan->setting));
    if (plan->setting.conditions > 1 || plan->setting.control_samples > 0) {
        FAIL(SCONE_ERR_INPUT, "models are trained on two tables with as many rows each; use a "
                              "setting without --conditions and --control-samples");
    }
    if (plan->setting.nodes_max > plan->config.identities ||
        plan->setting.nodes_max > TOKEN_MOST_NODES) {
        FAIL(SCONE_ERR_INPUT,
             "graphs of %zu nodes, but the model has %zu identities; use fewer nodes",
             plan->setting.nodes_max, plan->config.identities);
    }
    plan->samples_min = o->samples_min ? o->samples_min : plan->setting.samples;
    if (plan->samples_min > plan->setting.samples) {
        FAIL(SCONE_ERR_INPUT, "--samples-min %zu is above --samples %zu; use fewer",
             plan->samples_min, plan->setting.samples);
    }
    plan->validation = plan->setting;
    plan->validation.seed += SCONE_TRAIN_VALIDATION_SEED;
cleanup:
    return status;
}

static scone_status fill_paths(train_plan *plan, const scone_train_options *o)
{
    scone_status status = SCONE_OK;
    size_t length = strlen(o->output);
    if (o->work) {
        plan->work = mem_copy_text(o->work, strlen(o->work));
    } else {
        TRY_ALLOC(plan->work, length + 5);
        (void)snprintf(plan->work, length + 5, "%s.run", o->output);
    }
    plan->output = mem_copy_text(o->output, length);
    const char *folder = o->tokens ? o->tokens : plan->work;
    if (plan->work && folder) plan->token_folder = mem_copy_text(folder, strlen(folder));
    if (!plan->work || !plan->output || !plan->token_folder) TRY(SCONE_ERR_MEMORY);
cleanup:
    return status;
}

/* A shorter way to set the field of the configuration. */
static scone_status take_learners(train_plan *plan, const char *learners)
{
    if (!learners) return SCONE_OK;
    if (plan->config.evidence) {
        return RAISE(SCONE_ERR_INPUT,
                     "--learners means nothing to the preset %s; paper, paper-nb and paper-nc have "
                     "local learners",
                     plan->preset);
    }
    return learner_parse(&plan->config.learners, learners, strlen(learners));
}

scone_status plan_make(train_plan **out, const scone_train_options *options)
{
    scone_status status = SCONE_OK;
    train_plan *plan = NULL;
    *out = NULL;
    TRY_ZERO(plan, 1);
    if (!options->output || !*options->output) FAIL(SCONE_ERR_INPUT, "no file for the weights");
    if (options->resume && options->force)
        FAIL(SCONE_ERR_INPUT, "give --resume or --force, not both");
    plan->stream = options->stream;
    plan->resume = options->resume;
    plan->force = options->force;
    const char *wanted = options->preset ? options->preset : "paper";
    TRY(config_preset(&plan->config, wanted));
    for (const char *const *name = config_preset_names(); *name; name++) {
        if (strcmp(*name, wanted) == 0) plan->preset = *name;
    }
    TRY(plan_change_config(&plan->config, options->changes));
    TRY(take_learners(plan, options->learners));
    TRY(config_print(&plan->config_text, &plan->config));
    plan->tokens = config_token_options(&plan->config);
    TRY(fill_numbers(plan, options));
    TRY(fill_setting(plan, options));
    TRY(fill_paths(plan, options));
    TRY(write_command(plan, options));
    *out = plan;
    plan = NULL;
cleanup:
    plan_free(plan);
    return status;
}

size_t plan_graphs(const train_plan *plan, size_t steps)
{
    size_t taken = steps * plan->batch;
    return plan->stream && taken < plan->graphs ? taken : plan->graphs;
}

void plan_free(train_plan *plan)
{
    if (!plan) return;
    mem_free(plan->config_text);
    mem_free(plan->output);
    mem_free(plan->work);
    mem_free(plan->token_folder);
    mem_free(plan->command);
    mem_free(plan);
}
