/* discover.c - scone_discover: the whole way from two tables to a graph.
 *
 *     prepare   check, number the variables by name, read the knowledge, leave out constant columns
 *     learn     a preset gives P(i -> j) for all pairs
 *     decode    probabilities and knowledge become a closed graph that extends to a DAG
 *     rules     invariance tests certify, add and contradict directions; then decode again
 *     targets   each variable is tested for a changed mechanism given its parents
 */
#include "parallel/team.h"
#include "data/pair.h"
#include "discover/prepare.h"
#include "discover/result.h"
#include "discover/targets.h"

#include <math.h>
#include <stdio.h>

/* Do all processes work on the same? What the learners see of the knowledge is in it. */
static scone_status compare_processes(const scone_result *r, const knowledge *part,
                                      const scone_context *context)
{
    scone_status status = SCONE_OK;
    const scone_discover_options *o = &r->options;
    char text[512];
    int length = snprintf(text, sizeof text, "%s %s %d %a %zu %zu %a %a %u %llu", scone_version(),
                          r->preset->name, (int)o->effort, o->alpha, o->bootstrap, o->max_parents,
                          o->threshold, o->margin, r->rules, (unsigned long long)o->seed);
    TRY(team_same(context, text, (size_t)length, "the versions of scone or the options"));
    TRY(team_same(context, r->model_id, sizeof r->model_id, "the weights"));
    TRY(team_same(context, r->hashes, sizeof r->hashes, "the tables"));
    if (!part) return team_same(context, "", 0, "the knowledge files");
    size_t bytes = part->nodes * part->words * sizeof *part->required;
    TRY(team_same(context, part->required, bytes, "the knowledge files"));
    TRY(team_same(context, part->forbidden, bytes, "the knowledge files"));
    TRY(team_same(context, part->targets, part->nodes, "the knowledge files"));
cleanup:
    return status;
}

/* The preset's probabilities in nodes; without two columns there is nothing to learn. */
static scone_status learn(preset_answer *answer, scone_result *r, const scone_pair *pair,
                          const knowledge *part, preset_searched *searched,
                          const scone_context *context)
{
    preset_searched own = {0};
    const preset_request request = {.pair = pair,
                                    .hashes = r->hashes,
                                    .searched = searched ? searched : &own,
                                    .effort = r->options.effort,
                                    .bootstrap = r->options.bootstrap,
                                    .max_parents = r->options.max_parents,
                                    .knowledge = part,
                                    .model = r->model,
                                    .seed = r->options.seed};
    if (r->node_count < 2) return SCONE_OK;
    scone_status status = r->preset->run(answer, &request, context);
    preset_searched_clear(&own);
    learned_free(r->model);
    r->model = NULL;
    return status;
}

/* Spreads the conditioned probabilities of the nodes over all variables. */
static scone_status keep_probabilities(scone_result *r, const double *probabilities)
{
    size_t cells;
    if (!size_multiply(&cells, r->count, r->count)) {
        return RAISE(SCONE_ERR_MEMORY, "out of memory: probabilities of %zu columns", r->count);
    }
    r->probabilities = mem_zero(cells, sizeof *r->probabilities);
    if (!r->probabilities) return SCONE_ERR_MEMORY;
    for (size_t i = 0; i < r->node_count; i++) {
        for (size_t j = 0; j < r->node_count; j++) {
            r->probabilities[r->nodes[i] * r->count + r->nodes[j]] =
                probabilities[i * r->node_count + j];
        }
    }
    return SCONE_OK;
}

/* From the tests of the nodes to decisions about all variables. */
static scone_status decide(target_test *tests, const scone_result *r, const preset_answer *answer)
{
    scone_status status = SCONE_OK;
    signed char *known = NULL;
    TRY_ZERO(known, r->count);
    for (size_t v = 0; v < r->count; v++) {
        tests[v] = (target_test){.score = 0.0, .p_value = 1.0, .margin = HUGE_VAL};
        if (r->kinds[v] == VARIABLE_CONSTANT) known[v] = -1;
        if (r->kinds[v] == VARIABLE_SPLIT) tests[v] = targets_split(r->rows[0], r->rows[1]);
        if (r->known && r->known->targets[v] != 0) known[v] = r->known->targets[v];
    }
    for (size_t i = 0; i < r->node_count; i++) {
        target_test *test = &tests[r->nodes[i]];
        *test = answer->targets[i];
        test->margin = answer->margins[i];
        double evidence = fmax(test->margin, 0.0) / log(10.0);
        test->score = fmin(test->score, evidence); /* the weaker of the two */
    }
    TRY(targets_decide(tests, r->count, r->options.alpha, known));
cleanup:
    mem_free(known);
    return status;
}

static scone_status warn_cycles(scone_result *r, const scone_context *context)
{
    size_t skipped = r->decoded.skipped_count;
    if (skipped == 0) return SCONE_OK;
    const decode_edge *first = &r->decoded.skipped[0];
    return result_warn(r, context,
                       "%zu likely %s left out, since %s would have closed a cycle of stronger "
                       "ones%s %.60s -> %.60s",
                       skipped, skipped == 1 ? "edge was" : "edges were",
                       skipped == 1 ? "it" : "each", skipped == 1 ? ":" : "; the strongest is",
                       r->names[r->nodes[first->from]], r->names[r->nodes[first->to]]);
}

/* Certificates for the directions of the decoded graph, and what follows from them. */
static scone_status give_reasons(scone_result *r, double *probabilities, const scone_pair *pair,
                                 const knowledge *part, const decode_options *how,
                                 const scone_context *context)
{
    scone_status status = SCONE_OK;
    data_source *data = NULL;
    decoding final = {0};
    if (r->decoded.count == 0) return SCONE_OK;
    size_t rows = r->options.effort == SCONE_EFFORT_FAST ? DATA_SOURCE_ROWS_FAST : DATA_SOURCE_ROWS;
    TRY(literals_data_alloc(&data, pair, r->options.seed, rows, context));
    const reasons_request request = {.found = r->decoded.graph,
                                     .probabilities = probabilities,
                                     .source = literals_data_use(data),
                                     .levels = literals_usual,
                                     .rules = r->rules};
    TRY(reasons_find(&r->reasons, &request, context));
    r->reasons.rows = rows;
    TRY(reasons_weigh(&r->reasons, probabilities, &r->decoded, part, how));
    TRY(decode(&final, probabilities, r->node_count, part, how));
    reasons_mark(&r->reasons, &final);
    decoding_free(&r->decoded);
    r->decoded = final;
    final = (decoding){0};
    TRY(result_conflicts(r, context));
cleanup:
    decoding_free(&final);
    literals_data_free(data);
    return status;
}

/* With fast effort no more rows of a regime than this are tested for a change. */
enum { TARGET_ROWS_FAST = 3000 };

static scone_status test_targets(preset_answer *answer, const scone_result *r,
                                 const scone_pair *pair, const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_pair *few = NULL;
    if (r->options.effort == SCONE_EFFORT_FAST) TRY(pair_thin(&few, pair, TARGET_ROWS_FAST));
    TRY(targets_test(answer->targets, few ? few : pair, r->decoded.graph, context));
cleanup:
    scone_pair_free(few);
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
    scone_status status = SCONE_OK;
    scone_pair *pair = NULL;
    knowledge *part = NULL;
    preset_answer answer = {0};
    target_test *tests = NULL;
    scone_result *r = NULL;
    size_t cells;
    *out = NULL;
    TRY_ZERO(r, 1);
    TRY(arena_alloc(&r->memory, 0));

    result_stage(r, "prepare");
    TRY(prepare(r, &pair, &part, given, options, context));
    TRY(compare_processes(r, part, context));
    if (!size_multiply(&cells, r->node_count, r->node_count))
        FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY_ZERO(answer.probabilities, cells);
    TRY_ZERO(answer.targets, r->node_count);
    TRY_ALLOC(answer.margins, r->node_count);
    for (size_t i = 0; i < r->node_count; i++) answer.margins[i] = HUGE_VAL;
    TRY_ALLOC(answer.values, cells);
    for (size_t i = 0; i < cells; i++) answer.values[i] = (double)NAN;

    result_stage(r, "learn");
    TRY(learn(&answer, r, pair, part, searched, context));

    result_stage(r, "decode");
    TRY(context_progress(context, "decode", 0.0));
    const decode_options how = {r->options.threshold, r->options.margin};
    TRY(decode(&r->decoded, answer.probabilities, r->node_count, part, &how));
    if (r->rules) {
        result_stage(r, "rules");
        TRY(give_reasons(r, answer.probabilities, pair, part, &how, context));
    }
    TRY(warn_cycles(r, context));
    TRY(keep_probabilities(r, answer.probabilities));

    result_stage(r, "targets");
    if (!answer.has_targets) TRY(test_targets(&answer, r, pair, context));
    TRY_ALLOC(tests, r->count);
    TRY(decide(tests, r, &answer));
    TRY(result_finish(r, tests, answer.values));
    result_stage(r, NULL);
cleanup:
    status = team_agree(context, status); /* all processes succeed, or none */
    if (status == SCONE_OK) {
        *out = r;
        r = NULL;
    }
    mem_free(answer.probabilities);
    mem_free(answer.targets);
    mem_free(answer.margins);
    mem_free(answer.values);
    mem_free(tests);
    knowledge_free(part);
    scone_pair_free(pair);
    scone_result_free(r);
    return status;
}
