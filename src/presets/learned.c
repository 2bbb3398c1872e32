/* learned.c - reading the weights of a preset, and its probabilities (see learned.h). */
#include "presets/learned.h"

#include "parallel/team.h"
#include "text/json_check.h"
#include "text/text.h"
#include "model/model.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>

/* ---- weights ---- */

/* A number of the validation, which the training wrote. */
static scone_status read_score(double *value, const cJSON *scores, const char *name, double most)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(scores, name);
    *value = cJSON_IsNumber(item) ? item->valuedouble : 0.0;
    if (*value > 0.0 && *value <= most) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "metadata: \"%s\" has no usable \"%s\", which decides what counts as an edge; "
                 "train again",
                 WEIGHTS_VALIDATION, name);
}

static scone_status read_validation(learned_model *m, const char *text)
{
    scone_status status = SCONE_OK;
    cJSON *scores = NULL;
    TRY(json_check(text, strlen(text)));
    scores = cJSON_Parse(text);
    if (!scores) FAIL(SCONE_ERR_MEMORY, "out of memory for %zu bytes of JSON", strlen(text));
    TRY(read_score(&m->temperature, scores, "temperature", 1e6));
    TRY(read_score(&m->threshold, scores, "threshold", 1.0));
cleanup:
    cJSON_Delete(scores);
    return status;
}

/* The name of a preset stands for what the model sees; fields may differ, switches not. */
static scone_status check_preset(const char *noted, const model_config *config, const char *preset)
{
    scone_status status = SCONE_OK;
    model_config usual;
    if (strcmp(noted, preset) != 0) {
        FAIL(SCONE_ERR_INPUT,
             "weights of the preset '%s', not of '%s'; use --preset %s, or other weights",
             SHOW(noted, strlen(noted)), preset, SHOW(noted, strlen(noted)));
    }
    TRY(config_preset(&usual, preset));
    if (config->contrast != usual.contrast || config->bias_heads != usual.bias_heads ||
        config->evidence != usual.evidence) {
        FAIL(SCONE_ERR_INPUT,
             "its configuration has contrast %s, bias_heads %s and evidence %s, which is not the "
             "preset %s; train again without changing them",
             config->contrast ? "on" : "off", config->bias_heads ? "on" : "off",
             config->evidence ? "on" : "off", preset);
    }
cleanup:
    return status;
}

static scone_status take(learned_model *m, const weights *file, const char *preset)
{
    scone_status status = SCONE_OK;
    const char *noted, *id, *text, *scores;
    model_config config;
    TRY(weights_need(&noted, file, WEIGHTS_PRESET));
    TRY(weights_need(&text, file, WEIGHTS_CONFIG));
    TRY(weights_need(&scores, file, WEIGHTS_VALIDATION));
    TRY(weights_need(&id, file, "header_xxh64"));
    (void)snprintf(m->id, sizeof m->id, "%.16s", id);
    status = config_parse(&config, text, strlen(text));
    if (status == SCONE_OK) status = check_preset(noted, &config, preset);
    if (status == SCONE_OK) status = read_validation(m, scores);
    if (status == SCONE_ERR_INPUT) status_prefix("%s", weights_path(file));
    if (status != SCONE_OK) goto cleanup;
    TRY(parameters_layout_make(&m->layout, &config));
    TRY_ALLOC(m->values, m->layout->count);
    TRY(parameters_load(m->values, m->layout, file));
cleanup:
    return status;
}

scone_status learned_open(learned_model **out, const char *path, const char *preset)
{
    scone_status status = SCONE_OK;
    weights *file = NULL;
    learned_model *m = NULL;
    *out = NULL;
    TRY(weights_open(&file, path, WEIGHTS_FORMAT_MODEL));
    TRY_ZERO(m, 1);
    TRY(take(m, file, preset));
    TRY(weights_note_input(&m->inputs, file));
    *out = m;
    m = NULL;
cleanup:
    learned_free(m);
    weights_free(file);
    return status;
}

void learned_free(learned_model *model)
{
    if (!model) return;
    parameters_layout_free(model->layout);
    mem_free(model->values);
    input_list_clear(&model->inputs);
    mem_free(model);
}

unsigned learned_learners(const learned_model *model)
{
    return model->layout->config.learners;
}

size_t learned_most_columns(const learned_model *model)
{
    size_t rows = model->layout->config.identities;
    return rows < TOKEN_MOST_NODES ? rows : TOKEN_MOST_NODES;
}

/* ---- probabilities ---- */

/* Below so many nodes passes run side by side, a thread each; from there on, where activations take
 * much memory, one after the other on all threads. */
enum { SIDE_BY_SIDE_NODES = 128 };

/* What one pass works with. */
typedef struct predict_worker {
    batch *b;
    model_run *run;
    uint32_t *identity; /* [nodes] */
} predict_worker;

typedef struct predict_job {
    const learned_model *model;
    const tokens *t;
    const char *const *names;
    uint64_t seed;
    predict_worker *workers;
    size_t worker_count;
    double *matrices; /* [items][nodes^2]: item = 2 assignment + reading */
} predict_job;

static scone_status alloc_workers(predict_job *job, int threads_each)
{
    scone_status status = SCONE_OK;
    const scone_context own = {.threads = threads_each};
    TRY_ZERO(job->workers, job->worker_count);
    for (size_t k = 0; k < job->worker_count; k++) {
        predict_worker *w = &job->workers[k];
        TRY(batch_alloc(&w->b));
        TRY(model_run_alloc(&w->run, job->model->layout, &own));
        TRY_ALLOC(w->identity, job->t->size.nodes);
    }
cleanup:
    return status;
}

static void free_workers(predict_job *job)
{
    for (size_t k = 0; job->workers && k < job->worker_count; k++) {
        batch_free(job->workers[k].b);
        model_run_free(job->workers[k].run);
        mem_free(job->workers[k].identity);
    }
    mem_free(job->workers);
}

/* One forward pass. */
static scone_status predict_item(void *argument, size_t item, int worker)
{
    scone_status status = SCONE_OK;
    const predict_job *job = argument;
    const predict_worker *w = &job->workers[worker];
    const model_config *config = &job->model->layout->config;
    size_t nodes = job->t->size.nodes, cells = nodes * nodes;
    double *p = job->matrices + item * cells;
    memset(p, 0, cells * sizeof *p);
    TRY(batch_named_identity(w->identity, job->names, nodes, config->identities,
                             job->seed * UINT64_C(0x9e3779b97f4a7c15) + item / 2));
    const batch_item one = {job->t, w->identity, item % 2 == 1};
    TRY(batch_make(w->b, &one, 1, config));
    TRY(model_predict(w->run, job->model->values, w->b));
    model_probabilities(p, w->run, w->b, 0, config->temperature, 1.0);
    for (size_t c = 0; c < cells; c++) {
        if (isfinite(p[c])) continue;
        FAIL(SCONE_ERR_INPUT,
             "the weights give no probabilities for these tables (the numbers between overflow); "
             "train again, or use --preset search");
    }
cleanup:
    return status;
}

/* The mean of the items in their order, then the temperature: as the validation did it. */
static void combine(double *p, const predict_job *job, size_t items)
{
    size_t n = job->t->size.nodes;
    double heat = job->model->temperature / job->model->layout->config.temperature;
    for (size_t i = 0; i < n; i++) {
        p[i * n + i] = 0.0;
        for (size_t j = i + 1; j < n; j++) {
            double forward = 0.0, backward = 0.0, q[3];
            for (size_t k = 0; k < items; k++) {
                forward += job->matrices[k * n * n + i * n + j];
                backward += job->matrices[k * n * n + j * n + i];
            }
            model_heat(q, forward / (double)items, backward / (double)items, heat);
            p[i * n + j] = q[0];
            p[j * n + i] = q[1];
        }
    }
}

/* A pair that is no candidate has the logits of the global head alone, and its loss saw only a
 * share of the pairs without an edge: their odds are too high by its inverse, 8 times with 50
 * columns and edges. The number of edges is what the candidates make one expect. With the evidence
 * of a search its probabilities, of all pairs, are where the logits start, and nothing is taken
 * back. */
static scone_status weigh_others(double *p, const tokens *t)
{
    scone_status status = SCONE_OK;
    size_t n = t->size.nodes;
    double edges = 0.0;
    uint8_t *candidate = NULL;
    if (t->size.evidence) goto cleanup;
    TRY_ZERO(candidate, n * n);
    for (size_t e = 0; e < t->size.pairs; e++) {
        size_t i = t->ends[e][0], j = t->ends[e][1];
        candidate[i * n + j] = 1;
        edges += p[i * n + j] + p[j * n + i];
    }
    double share = model_global_share(n, edges);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            if (candidate[i * n + j]) continue;
            double edge = p[i * n + j] + p[j * n + i];
            double factor = share / (1.0 - edge * (1.0 - share)); /* of P(edge): odds times share */
            p[i * n + j] *= factor;
            p[j * n + i] *= factor;
        }
    }
cleanup:
    mem_free(candidate);
    return status;
}

scone_status learned_predict(double *p, const learned_model *model, const tokens *t,
                             const char *const *names, size_t assignments, uint64_t seed,
                             const scone_context *context)
{
    scone_status status = SCONE_OK;
    size_t nodes = t->size.nodes, items = 2 * assignments, cells;
    predict_job job = {.model = model, .t = t, .names = names, .seed = seed};
    scone_context how = context ? *context : (scone_context){0};
    int threads = context_threads(context);
    bool side_by_side = nodes < SIDE_BY_SIDE_NODES;
    how.threads = !side_by_side ? 1 : (size_t)threads < items ? threads : (int)items;
    job.worker_count = (size_t)how.threads;
    if (!size_multiply(&cells, nodes * nodes, items)) cells = SIZE_MAX;
    TRY_ALLOC(job.matrices, cells);
    TRY(alloc_workers(&job, side_by_side ? 1 : threads));
    TRY(team_for(items, &how, "model", predict_item, &job, job.matrices,
                 nodes * nodes * sizeof *job.matrices));
    combine(p, &job, items);
    TRY(weigh_others(p, t));
cleanup:
    free_workers(&job);
    mem_free(job.matrices);
    return status;
}
