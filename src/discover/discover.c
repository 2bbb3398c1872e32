/* discover.c - scone_discover: the whole way from two tables to a graph.
 *
 *     prepare   the request, the numbering of the columns, knowledge, the columns that vary
 *     check     what the preflight holds against the tables becomes warnings
 *     learn     a preset gives P(i -> j) for all pairs
 *     decode    probabilities and knowledge become a closed graph that extends to a DAG
 *     stages    what local learners elected becomes local graphs, and two aggregates of them
 *     rules     invariance tests certify, add and contradict directions; then decode again
 *     targets   each variable is tested for a changed mechanism given its parents
 *
 * A stage reads what the stages before it put out and puts out fields of its own (discover.h). The
 * result takes over what is kept of them.
 */
#include "discover/discover.h"

#include "base/clock.h"
#include "discover/examine.h"
#include "discover/prepare.h"
#include "discover/result.h"
#include "parallel/team.h"
#include "text/text.h"

#include <stdio.h>
#include <string.h>

/* Ends the stage at hand, if any, and begins the next; NULL only ends. The name is a literal. */
static void begin_stage(stage_clock *c, const char *name)
{
    double now = clock_seconds();
    if (c->count > 0) c->stages[c->count - 1].seconds = now - c->started;
    if (!name) return;
    c->stages[c->count++] = (scone_stage){name, 0.0};
    c->started = now;
}

/* ---- prepare ---- */

/* Do all processes work on the same? What the learners see of the knowledge is in it. */
static scone_status compare_processes(const discover_request *r, const column_map *map,
                                      const knowledge *part, const scone_context *context)
{
    scone_status status = SCONE_OK;
    const scone_discover_options *o = &r->options;
    char text[512];
    int length =
        snprintf(text, sizeof text, "%s %s %d %a %zu %zu %a %a %u %u %llu", scone_version(),
                 r->preset->name, (int)o->effort, o->alpha, o->bootstrap, o->max_parents,
                 o->threshold, o->margin, r->learners, r->rules, (unsigned long long)o->seed);
    TRY(team_same(context, text, (size_t)length, "the versions of scone or the options"));
    TRY(team_same(context, r->model_id, sizeof r->model_id, "the weights"));
    TRY(team_same(context, map->hashes, sizeof map->hashes, "the tables"));
    if (!part) return team_same(context, "", 0, "the knowledge files");
    size_t bytes = part->nodes * part->words * sizeof *part->required;
    TRY(team_same(context, part->required, bytes, "the knowledge files"));
    TRY(team_same(context, part->forbidden, bytes, "the knowledge files"));
    for (size_t k = 0; k < part->conditions; k++) {
        const knowledge here = knowledge_in(part, k);
        TRY(team_same(context, here.targets, part->nodes, "the knowledge files"));
    }
cleanup:
    return status;
}

static scone_status prepare(discovery *d, const scone_pair *given,
                            const scone_discover_options *options, const scone_context *context)
{
    scone_status status = SCONE_OK;
    TRY(context_progress(context, "prepare", 0.0));
    TRY(request_take(&d->request, &d->model, options, given->tables[0]->columns, &d->warnings,
                     context));
    for (int k = 0; k < 2; k++) {
        TRY(input_list_join(&d->request.inputs, &given->tables[k]->inputs));
    }
    for (size_t k = 0; d->conditions && k <= d->conditions->count; k++) {
        TRY(input_list_join(&d->request.inputs, &d->conditions->tables[k]->inputs));
    }
    TRY(column_map_make(&d->map, given, &d->warnings, context));
    TRY(request_check_columns(d->model, d->map.node_count));
    TRY(prepare_knowledge(&d->known, &d->part, &d->map, d->conditions, &d->request.options,
                          &d->request.inputs));
    TRY(prepare_pair(&d->pair, &d->map, given, !d->request.preset->trivial));
    TRY(context_progress(context, "prepare", 1.0));
    TRY(compare_processes(&d->request, &d->map, d->part, context));
cleanup:
    return status;
}

/* ---- learn ---- */

/* Without two columns there is nothing to learn. */
static scone_status learn(discovery *d, preset_searched *searched, const scone_context *context)
{
    scone_status status = SCONE_OK;
    preset_searched own = {0};
    const scone_discover_options *o = &d->request.options;
    const preset_request request = {.pair = d->pair,
                                    .hashes = d->map.hashes,
                                    .searched = searched ? searched : &own,
                                    .effort = o->effort,
                                    .bootstrap = o->bootstrap,
                                    .max_parents = o->max_parents,
                                    .knowledge = d->part,
                                    .model = d->model,
                                    .conditions = d->conditions ? d->conditions->count : 1,
                                    .condition_rows = d->condition_rows,
                                    .learners = d->request.learners,
                                    .seed = o->seed};
    TRY(preset_answer_alloc(&d->answer, d->map.node_count));
    if (d->map.node_count < 2) return SCONE_OK;
    TRY(d->request.preset->run(&d->answer, &request, context));
cleanup:
    preset_searched_clear(&own);
    return status;
}

/* ---- stages, decode and rules ---- */

/* The observational graph, and what the local graphs of the regimes add to it. */
static scone_status aggregate(discovery *d, const scone_context *context)
{
    scone_status status = SCONE_OK;
    TRY(context_progress(context, "stages", 0.0));
    TRY(local_graphs_make(&d->local, d->answer.locals));
    if (!d->local.subsets) return SCONE_OK; /* they are too large for local graphs */
    TRY(stages_observe(&d->stages, d->pair, d->part, context));
    TRY(stages_locals(&d->stages, &d->local, d->part));
cleanup:
    return status;
}

/* What the rules add. */
static scone_status aggregate_rules(discovery *d)
{
    const reasons *r = &d->reasoned.reasons;
    if (d->stages.count == 0 || d->request.preset->stages < STAGES_MOST) return SCONE_OK;
    return stages_next(&d->stages, r->directions, r->direction_count, d->part);
}

static scone_status decode_answer(discovery *d, const decode_options *how,
                                  const scone_context *context)
{
    scone_status status = SCONE_OK;
    size_t nodes = d->map.node_count;
    TRY(context_progress(context, "decode", 0.0));
    TRY_ALLOC(d->conditioned, nodes * nodes); /* as many as the answer's, which are there */
    TRY(decode_condition(d->conditioned, d->answer.probabilities, nodes, d->part));
    TRY(decode(&d->decoded, d->conditioned, nodes, d->part, how));
cleanup:
    return status;
}

static scone_status warn_cycles(discovery *d, const scone_context *context)
{
    const decoding *decoded = discovery_decoded(d);
    size_t skipped = decoded->skipped_count;
    if (skipped == 0) return SCONE_OK;
    const decode_edge *first = &decoded->skipped[0];
    return warnings_add(&d->warnings, context,
                        "%zu likely %s left out, since %s would have closed a cycle of stronger "
                        "ones%s %s -> %s",
                        skipped, skipped == 1 ? "edge was" : "edges were",
                        skipped == 1 ? "it" : "each", skipped == 1 ? ":" : "; the strongest is",
                        d->map.node_names[first->from], d->map.node_names[first->to]);
}

/* ---- the way ---- */

static scone_status run(discovery *d, const scone_pair *given,
                        const scone_discover_options *options, preset_searched *searched,
                        const scone_context *context)
{
    scone_status status = SCONE_OK;
    begin_stage(&d->clock, "prepare");
    TRY(prepare(d, given, options, context));
    if (!searched) { /* else the tables are made for a comparison of methods */
        begin_stage(&d->clock, "check");
        TRY(examine_tables(&d->warnings, given, d->conditions, context));
    }
    const decode_options how = {d->request.options.threshold, d->request.options.margin};

    begin_stage(&d->clock, "learn");
    TRY(learn(d, searched, context));

    begin_stage(&d->clock, "decode");
    TRY(decode_answer(d, &how, context));

    if (d->answer.locals) {
        begin_stage(&d->clock, "stages");
        TRY(aggregate(d, context));
    }
    if (d->request.rules) {
        begin_stage(&d->clock, "rules");
        TRY(discover_rules(d, &how, context));
    }
    TRY(aggregate_rules(d));
    TRY(warn_cycles(d, context));

    begin_stage(&d->clock, "targets");
    TRY(discover_targets(d, context));
    begin_stage(&d->clock, NULL);
cleanup:
    return status;
}

static void discovery_free(discovery *d)
{
    request_free(&d->request);
    learned_free(d->model);
    column_map_free(&d->map);
    knowledge_free(d->known);
    knowledge_free(d->part);
    scone_pair_free(d->pair);
    preset_answer_free(&d->answer);
    mem_free(d->conditioned);
    decoding_free(&d->decoded);
    local_graphs_free(&d->local);
    stages_free(&d->stages);
    reasoned_free(&d->reasoned);
    conflicts_free(&d->conflicts);
    mem_free(d->tests);
    scone_graph_free(d->dag);
    mem_free(d->condition_tests);
    mem_free(d->condition_rows);
    warnings_free(&d->warnings);
}

/* conditions: those that the second table of the pair holds, one after the other, or NULL. */
static scone_status discover_all(scone_result **out, const scone_pair *given,
                                 const scone_conditions *conditions,
                                 const scone_discover_options *options, preset_searched *searched,
                                 const scone_context *context)
{
    scone_status status = SCONE_OK;
    discovery d = {.conditions = conditions};
    scone_result *r = NULL;
    *out = NULL;
    if (conditions) {
        TRY_ALLOC(d.condition_rows, conditions->count);
        for (size_t k = 0; k < conditions->count; k++) {
            d.condition_rows[k] = conditions->tables[k + 1]->rows;
        }
    }
    TRY(run(&d, given, options, searched, context));
    TRY(result_make(&r, &d));
cleanup:
    status = team_agree(context, status); /* all processes succeed, or none */
    if (status == SCONE_OK) {
        *out = r;
        r = NULL;
    }
    discovery_free(&d);
    scone_result_free(r);
    return status;
}

scone_status scone_discover(scone_result **out, const scone_pair *pair,
                            const scone_discover_options *options, const scone_context *context)
{
    return discover_with(out, pair, options, NULL, context);
}

scone_status discover_with(scone_result **out, const scone_pair *given,
                           const scone_discover_options *options, preset_searched *searched,
                           const scone_context *context)
{
    return discover_all(out, given, NULL, options, searched, context);
}

scone_status discover_conditions_with(scone_result **out, const scone_pair *pair,
                                      const scone_conditions *conditions,
                                      const scone_discover_options *options,
                                      preset_searched *searched, const scone_context *context)
{
    return discover_all(out, pair, conditions, options, searched, context);
}

/* The presets that were trained know two tables. */
static scone_status choose_preset(scone_discover_options *o, const scone_context *context)
{
    if (o->preset && scone_preset_learned(o->preset)) {
        return RAISE(SCONE_ERR_INPUT,
                     "the preset %s was trained on two tables and cannot tell several conditions "
                     "apart; leave --preset out, use --preset search, or pool the conditions with "
                     "--regime",
                     o->preset);
    }
    if (!o->preset) {
        o->preset = "search";
        o->model = NULL;
        context_log(context, SCONE_NOTE,
                    "with several conditions the preset is search: the others know two tables");
    } else if (strcmp(o->preset, "search") != 0) {
        context_log(context, SCONE_NOTE,
                    "the preset %s knows two tables: it sees the conditions together", o->preset);
    }
    return SCONE_OK;
}

static scone_status check_names(const scone_conditions *conditions)
{
    for (size_t k = 0; k <= conditions->count; k++) {
        const char *name = conditions->names[k];
        if (column_map_name_fits(name)) continue;
        return RAISE(SCONE_ERR_INPUT,
                     "condition %zu: the name '%s' is empty, not UTF-8 or holds control "
                     "characters; give another with NAME=FILE, or rename it in its column",
                     k, SHOW(name, strlen(name)));
    }
    return SCONE_OK;
}

scone_status scone_discover_conditions(scone_result **out, const scone_conditions *conditions,
                                       const scone_discover_options *options,
                                       const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_discover_options chosen = options ? *options : (scone_discover_options){0};
    scone_pair view = {{conditions->tables[0], conditions->tables[1]}}, *pair = NULL;
    *out = NULL;
    if (!chosen.condition) chosen.condition = conditions->names[1];
    if (conditions->count == 1) return scone_discover(out, &view, &chosen, context);
    TRY(check_names(conditions));
    TRY(choose_preset(&chosen, context));
    TRY(scone_conditions_pool(&pair, conditions));
    TRY(discover_all(out, pair, conditions, &chosen, NULL, context));
cleanup:
    scone_pair_free(pair);
    return status;
}
