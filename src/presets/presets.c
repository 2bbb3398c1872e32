/* presets.c - the table of methods (see presets.h). */
#include "presets/presets.h"

#include "presets/presets_parts.h"
#include "learn/ensemble.h"
#include "learn/trivial.h"
#include "reasons/stages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- polybic: bootstrap votes of PolyBIC on all pairs, each regime by itself ---- */

static scone_status preset_polybic(preset_answer *answer, const preset_request *request,
                                   const scone_context *context)
{
    scone_status status = SCONE_OK;
    size_t n = request->pair->tables[0]->columns, offsets[2] = {0, n}, *members = NULL;
    ensemble_result *votes = NULL;
    ensemble_options options = ensemble_defaults;
    TRY_ALLOC(members, n);
    for (size_t i = 0; i < n; i++) members[i] = i;
    const ensemble_subsets all = {.count = 1, .offsets = offsets, .members = members};
    options.replicates = request->bootstrap;
    options.seed = request->seed;
    TRY(ensemble_run(&votes, request->pair, &all, &options, context));
    for (size_t cell = 0; cell < votes->cells; cell++) {
        size_t i = votes->pairs[cell][0], j = votes->pairs[cell][1];
        for (size_t c = 0; c < votes->channels; c++) {
            const double *share = votes->shares[c * votes->cells + cell];
            double half = 0.5 * share[SCONE_MARK_UNDIRECTED],
                   weight = 1.0 / (double)votes->channels;
            answer->probabilities[i * n + j] += weight * (share[SCONE_MARK_FORWARD] + half);
            answer->probabilities[j * n + i] += weight * (share[SCONE_MARK_BACKWARD] + half);
        }
    }
cleanup:
    ensemble_result_free(votes);
    mem_free(members);
    return status;
}

/* ---- the methods to compare with ---- */

static scone_status run_trivial(preset_answer *answer, const preset_request *request,
                                trivial_kind kind, const scone_context *context)
{
    graph *found;
    scone_status status = trivial_order(&found, request->pair, kind, context);
    if (status != SCONE_OK) return status;
    for (size_t i = 0; i < found->nodes; i++) {
        for (size_t j = 0; j < found->nodes; j++) {
            if (graph_directed(found, i, j)) answer->probabilities[i * found->nodes + j] = 1.0;
        }
    }
    scone_graph_free(found);
    return SCONE_OK;
}

static scone_status preset_empty(preset_answer *answer, const preset_request *request,
                                 const scone_context *context)
{
    return run_trivial(answer, request, TRIVIAL_EMPTY, context);
}

static scone_status preset_variance(preset_answer *answer, const preset_request *request,
                                    const scone_context *context)
{
    return run_trivial(answer, request, TRIVIAL_VARIANCE, context);
}

static scone_status preset_r2(preset_answer *answer, const preset_request *request,
                              const scone_context *context)
{
    return run_trivial(answer, request, TRIVIAL_R2, context);
}

static scone_status preset_kurtosis(preset_answer *answer, const preset_request *request,
                                    const scone_context *context)
{
    return run_trivial(answer, request, TRIVIAL_KURTOSIS, context);
}

/* ---- what a preset fills in ---- */

scone_status preset_answer_alloc(preset_answer *answer, size_t columns)
{
    scone_status status = SCONE_OK;
    size_t cells;
    *answer = (preset_answer){.probabilities = NULL};
    if (!size_multiply(&cells, columns, columns)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: probabilities of %zu columns", columns);
    }
    TRY_ZERO(answer->probabilities, cells);
    TRY_ALLOC(answer->margins, columns);
    for (size_t i = 0; i < columns; i++) answer->margins[i] = HUGE_VAL;
    TRY_ALLOC(answer->values, cells);
    for (size_t i = 0; i < cells; i++) answer->values[i] = (double)NAN;
cleanup:
    return status;
}

void preset_answer_free(preset_answer *answer)
{
    mem_free(answer->probabilities);
    mem_free(answer->margins);
    mem_free(answer->values);
    mem_free(answer->condition_margins);
    ensemble_locals_free(answer->locals);
    *answer = (preset_answer){.probabilities = NULL};
}

/* ---- the table ---- */

/* The presets of discover come first, the default at the top. */
static const preset presets[] = {
    {.name = "search",
     .voice = "search",
     .threshold = 0.5,
     .margin = 0.2,
     .limits_parents = true,
     .run = preset_search},
    {.name = "ges",
     .voice = "vote",
     .threshold = 0.5,
     .margin = 0.2,
     .bootstrap =
         {[SCONE_EFFORT_FAST] = 10, [SCONE_EFFORT_NORMAL] = 50, [SCONE_EFFORT_THOROUGH] = 200},
     .limits_parents = true,
     .run = preset_ges},
    {.name = "polybic",
     .voice = "vote",
     .threshold = 0.5,
     .margin = 0.2,
     .bootstrap =
         {[SCONE_EFFORT_FAST] = 10, [SCONE_EFFORT_NORMAL] = 50, [SCONE_EFFORT_THOROUGH] = 200},
     .run = preset_polybic},
    /* As validated: no margin, the threshold of the weights; the paper's three rules (D23). Its
     * ablations do without rules, and have no contrastive aggregate. */
    {.name = "paper",
     .voice = "model",
     .learned = true,
     .stages = STAGES_MOST,
     .rules = "paper",
     .run = preset_model},
    {.name = "paper-nb",
     .voice = "model",
     .learned = true,
     .stages = STAGES_CONTRASTIVE,
     .rules = "none",
     .run = preset_model},
    {.name = "paper-nc",
     .voice = "model",
     .learned = true,
     .stages = STAGES_CONTRASTIVE,
     .rules = "none",
     .run = preset_model},
    /* The search with its probabilities corrected; what it has seen: docs/notebook/presets.md. */
    {.name = "best",
     .voice = "model",
     .margin = 0.2,
     .limits_parents = true,
     .learned = true,
     .run = preset_model},
    {.name = "best-ood",
     .voice = "model",
     .margin = 0.2,
     .limits_parents = true,
     .learned = true,
     .run = preset_model_of_edges},
    {.name = "empty",
     .voice = "order",
     .trivial = true,
     .threshold = 0.5,
     .margin = 0.2,
     .run = preset_empty},
    {.name = "variance",
     .voice = "order",
     .trivial = true,
     .threshold = 0.5,
     .margin = 0.2,
     .run = preset_variance},
    {.name = "r2",
     .voice = "order",
     .trivial = true,
     .threshold = 0.5,
     .margin = 0.2,
     .run = preset_r2},
    {.name = "kurtosis",
     .voice = "order",
     .trivial = true,
     .threshold = 0.5,
     .margin = 0.2,
     .run = preset_kurtosis},
};

enum { PRESETS = sizeof presets / sizeof *presets };

/* The same names as the table, for the callers; checked by test_discover.c. */
static const char *const method_names[] = {"search",   "ges",      "polybic",  "paper", "paper-nb",
                                           "paper-nc", "best",     "best-ood", "empty", "variance",
                                           "r2",       "kurtosis", NULL};
static const char *const preset_names[] = {"search",   "ges",  "polybic",  "paper", "paper-nb",
                                           "paper-nc", "best", "best-ood", NULL};

const char *const *scone_preset_names(void)
{
    return preset_names;
}

const char *const *scone_method_names(void)
{
    return method_names;
}

bool scone_preset_learned(const char *name)
{
    for (size_t p = 0; p < PRESETS; p++) {
        if (strcmp(presets[p].name, name) == 0) return presets[p].learned;
    }
    return false;
}

bool scone_preset_votes(const char *name)
{
    for (size_t p = 0; p < PRESETS; p++) {
        if (strcmp(presets[p].name, name) == 0) return presets[p].stages > 0;
    }
    return false;
}

const char *preset_voice(const char *name)
{
    for (size_t p = 0; p < PRESETS; p++) {
        if (strcmp(presets[p].name, name) == 0) return presets[p].voice;
    }
    return "search";
}

scone_status preset_find(const preset **out, const char *name)
{
    char list[256] = "";
    size_t used = 0;
    *out = NULL;
    for (size_t p = 0; p < PRESETS; p++) {
        if (!name || strcmp(presets[p].name, name) == 0) {
            *out = &presets[p];
            return SCONE_OK;
        }
        if (used >= sizeof list) continue;
        int length =
            snprintf(list + used, sizeof list - used, "%s%s", p ? ", " : "", presets[p].name);
        if (length > 0) used += (size_t)length;
    }
    return RAISE(SCONE_ERR_INPUT, "there is no preset '%.100s'; use one of %s", name, list);
}
