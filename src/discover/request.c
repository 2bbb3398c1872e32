/* request.c - the options of a discovery before anything is read or learned (see request.h). */
#include "discover/request.h"

#include "reasons/reasons.h"

#include <string.h>

void request_free(discover_request *request)
{
    arena_free(request->memory);
    input_list_clear(&request->inputs);
    *request = (discover_request){0};
}

static scone_status check_shares(const scone_discover_options *o)
{
    if (!(o->alpha >= 0.0 && o->alpha < 1.0)) {
        return RAISE(SCONE_ERR_INPUT, "--alpha must be above 0 and below 1, not %g", o->alpha);
    }
    if (!(o->threshold >= 0.0 && o->threshold <= 1.0)) {
        return RAISE(SCONE_ERR_INPUT, "--threshold must be above 0 and at most 1, not %g",
                     o->threshold);
    }
    if (!(o->margin <= 1.0)) {
        return RAISE(SCONE_ERR_INPUT, "--margin must be at most 1, not %g", o->margin);
    }
    return SCONE_OK;
}

/* What the preset makes no use of is refused, so that nobody believes it did something. */
static scone_status check_meanings(const discover_request *r)
{
    const scone_discover_options *o = &r->options;
    if ((int)o->effort < SCONE_EFFORT_NORMAL || (int)o->effort > SCONE_EFFORT_THOROUGH) {
        return RAISE(SCONE_ERR_INPUT, "--effort must be fast, normal or thorough");
    }
    scone_status status = check_shares(o);
    if (status != SCONE_OK) return status;
    if (o->max_parents > 0 && !r->preset->limits_parents) {
        return RAISE(SCONE_ERR_INPUT, "--max-parents means nothing to the preset %s; leave it out",
                     r->preset->name);
    }
    bool resamples = r->preset->bootstrap[SCONE_EFFORT_NORMAL] > 0;
    if (!resamples && o->bootstrap > 0 && o->bootstrap != SCONE_BOOTSTRAP_NONE) {
        return RAISE(SCONE_ERR_INPUT, "--bootstrap means nothing to the preset %s; leave it out",
                     r->preset->name);
    }
    return SCONE_OK;
}

/* *text in the memory of the request; NULL stays. */
static scone_status keep_text(discover_request *r, const char **text)
{
    if (!*text) return SCONE_OK;
    *text = arena_text(r->memory, *text, strlen(*text));
    return *text ? SCONE_OK : SCONE_ERR_MEMORY;
}

/* The preset that was asked for, or the best one that has weights. */
static scone_status choose_preset(discover_request *r, const scone_context *context)
{
    const char *asked = r->options.preset, *usual = "best";
    char *path = NULL;
    if (asked || r->options.model) return preset_find(&r->preset, asked ? asked : usual);
    scone_status status = scone_model_find(&path, usual, NULL);
    mem_free(path);
    if (status == SCONE_ERR_IO) {
        context_log(context, SCONE_NOTE,
                    "the weights of the preset %s are missing: this is --preset search", usual);
        return preset_find(&r->preset, "search");
    }
    return status == SCONE_OK ? preset_find(&r->preset, usual) : status;
}

/* The weights, before anything else is done: whoever forgot them wants to hear it soon. */
static scone_status take_model(discover_request *r, learned_model **model)
{
    scone_status status = SCONE_OK;
    scone_discover_options *o = &r->options;
    char *path = NULL;
    if (!r->preset->learned) {
        if (!o->model) return SCONE_OK;
        return RAISE(SCONE_ERR_INPUT, "--model means nothing to the preset %s; leave it out",
                     r->preset->name);
    }
    TRY(scone_model_find(&path, r->preset->name, o->model));
    TRY(learned_open(model, path, r->preset->name));
    TRY(input_list_join(&r->inputs, &(*model)->inputs));
    memcpy(r->model_id, (*model)->id, sizeof r->model_id);
    o->model = path;
    TRY(keep_text(r, &o->model));
cleanup:
    mem_free(path);
    return status;
}

/* Trained on 14 at most, it gains with 30 and loses weak edges with 70
 * (docs/notebook/presets.md). */
enum { CORRECTED_MOST = 40 };

/* No preset was asked for: the search stands in for a model that is not made for
 * so many columns. */
static scone_status fall_back(discover_request *r, learned_model **model, size_t columns,
                              warning_list *warnings, const scone_context *context)
{
    scone_status status = SCONE_OK;
    size_t most = learned_most_columns(*model);
    if (most > CORRECTED_MOST) most = CORRECTED_MOST;
    if (columns <= most) return SCONE_OK;
    TRY(warnings_add(
        warnings, context,
        "%zu columns are more than the %zu that the model of the preset %s is made for: "
        "this is the graph of --preset search",
        columns, most, r->preset->name));
    learned_free(*model);
    *model = NULL;
    r->options.model = NULL;
    memset(r->model_id, 0, sizeof r->model_id);
    TRY(preset_find(&r->preset, "search"));
cleanup:
    return status;
}

static scone_status fill_in(discover_request *r, const learned_model *model)
{
    scone_discover_options *o = &r->options;
    if (o->alpha == 0.0) o->alpha = 0.05;
    if (o->bootstrap == 0) {
        o->bootstrap = r->preset->bootstrap[o->effort];
    } else if (o->bootstrap == SCONE_BOOTSTRAP_NONE) {
        o->bootstrap = 0;
    }
    if (o->bootstrap > 1000000) {
        return RAISE(SCONE_ERR_INPUT, "--bootstrap must be at most 1000000, not %zu", o->bootstrap);
    }
    if (o->threshold == 0.0) o->threshold = model ? model->threshold : r->preset->threshold;
    if (o->margin == 0.0) o->margin = r->preset->margin;
    if (o->margin < 0.0) o->margin = 0.0;
    return SCONE_OK;
}

/* Who votes: as the weights were trained with, or as asked for. */
static scone_status take_learners(discover_request *r, const learned_model *model,
                                  warning_list *warnings, const scone_context *context)
{
    scone_status status = SCONE_OK;
    const char *asked = r->options.learners;
    char trained[LEARNER_TEXT], used[LEARNER_TEXT];
    if (r->preset->stages == 0) {
        if (!asked) return SCONE_OK;
        FAIL(SCONE_ERR_INPUT,
             "--learners means nothing to the preset %s; paper, paper-nb and paper-nc have local "
             "learners",
             r->preset->name);
    }
    unsigned own = learned_learners(model);
    r->learners = own;
    if (asked) TRY(learner_parse(&r->learners, asked, strlen(asked)));
    if (r->learners != own) {
        learner_text(trained, own, ',');
        learner_text(used, r->learners, ',');
        TRY(warnings_add(warnings, context,
                         "the votes are those of the learners %s, but the weights were trained "
                         "with those of %s",
                         used, trained));
    }
cleanup:
    return status;
}

scone_status request_take(discover_request *r, learned_model **model,
                          const scone_discover_options *given, size_t columns,
                          warning_list *warnings, const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_discover_options *o = &r->options;
    *r = (discover_request){.rules = 0};
    *model = NULL;
    TRY(arena_alloc(&r->memory, 0));
    if (given) *o = *given;
    TRY(choose_preset(r, context));
    TRY(check_meanings(r));
    TRY(take_model(r, model));
    if (!o->preset && *model) TRY(fall_back(r, model, columns, warnings, context));
    TRY(take_learners(r, *model, warnings, context));
    if (!o->rules) o->rules = r->preset->rules;
    TRY(reasons_parse_rules(&r->rules, o->rules));
    if (!o->rules) o->rules = "all";
    TRY(keep_text(r, &o->rules));
    TRY(keep_text(r, &o->knowledge));
    TRY(keep_text(r, &o->learners));
    if (!o->condition) o->condition = "changed";
    TRY(keep_text(r, &o->condition));
    o->preset = r->preset->name;
    TRY(fill_in(r, *model));
cleanup:
    return status;
}

scone_status request_check_columns(const learned_model *model, size_t nodes)
{
    size_t most = model ? learned_most_columns(model) : SIZE_MAX;
    if (nodes <= most) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "%zu columns vary, but the model tells at most %zu apart; leave some out, or use "
                 "--preset search",
                 nodes, most);
}
