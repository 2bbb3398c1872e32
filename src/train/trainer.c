/* trainer.c - steps and validations (see trainer.h). */
#include "train/trainer.h"

#include "parallel/parallel.h"
#include "parallel/team.h"

#include <math.h>
#include <string.h>

enum { TRAINER_ALIGNMENT = 64, TRAINER_CHUNK = 4096 };

/* What one thread works with. */
typedef struct workbench {
    batch *b;
    model_run *run;
    uint32_t *identity; /* [nodes of the largest graph] */
} workbench;

/* What a graph of a batch gives: this, then from SHARE_HEAD on its gradients. */
typedef struct share {
    loss_terms terms;
} share;

#define ALIGNED(bytes_) (((bytes_) + TRAINER_ALIGNMENT - 1) / TRAINER_ALIGNMENT * TRAINER_ALIGNMENT)
#define SHARE_HEAD      ALIGNED(sizeof(share))

typedef struct place { /* in the batch at hand */
    size_t graph;
    uint64_t epoch;
    double weight; /* of its gradients; they add up to 1 */
} place;

struct trainer {
    const train_plan *plan;
    training_set *set;
    const training_set *validation;
    train_state *state;
    const scone_context *context; /* that of the caller */
    scone_context left;           /* the same with the threads that the loader leaves */
    shuffle *order;
    workbench *benches; /* [threads] */
    size_t threads;
    double class_weights[3]; /* of `weighed` graphs */
    size_t weighed;
    place *places;     /* [batch] */
    char *shares;      /* [batch][share_size] */
    size_t share_size; /* bytes: a share and the gradients */
    float *gradients;  /* [count]: of the batch */
    double *matrices;  /* [validation graphs][most nodes^2] */
    history_row sums;  /* over the steps since the last validation */
    size_t summed;     /* steps */
};

/* ---- memory ---- */

static scone_status bench_alloc(workbench *bench, const trainer *t, size_t most_nodes)
{
    scone_status status = SCONE_OK;
    const scone_context alone = {.threads = 1};
    TRY(batch_alloc(&bench->b));
    TRY(model_run_alloc(&bench->run, t->state->o->layout, &alone));
    TRY_ALLOC(bench->identity, most_nodes);
cleanup:
    return status;
}

static scone_status alloc_arrays(trainer *t)
{
    scone_status status = SCONE_OK;
    size_t count = t->state->o->layout->count, nodes = t->validation->most_nodes;
    t->share_size = SHARE_HEAD + ALIGNED(count * sizeof(float));
    TRY_ALLOC(t->places, t->plan->batch);
    t->shares = mem_aligned(t->plan->batch, t->share_size);
    if (!t->shares) TRY(SCONE_ERR_MEMORY);
    TRY_ALLOC(t->gradients, count);
    size_t total;
    if (!size_multiply(&total, t->validation->count, nodes * nodes)) total = SIZE_MAX;
    TRY_ALLOC(t->matrices, total);
cleanup:
    return status;
}

scone_status trainer_alloc(trainer **out, const train_plan *plan, training_set *set,
                           const training_set *validation, train_state *state,
                           const scone_context *context)
{
    scone_status status = SCONE_OK;
    trainer *t = NULL;
    *out = NULL;
    TRY_ZERO(t, 1);
    t->plan = plan;
    t->set = set;
    t->validation = validation;
    t->state = state;
    t->context = context;
    t->threads = (size_t)context_threads(context);
    if (context) t->left = *context;
    size_t most = plan->setting.nodes_max;
    TRY(shuffle_alloc(&t->order, set->count, plan->seed, plan->stream));
    TRY_ZERO(t->benches, t->threads);
    for (size_t k = 0; k < t->threads; k++) TRY(bench_alloc(&t->benches[k], t, most));
    TRY(alloc_arrays(t));
    *out = t;
    t = NULL;
cleanup:
    trainer_free(t);
    return status;
}

void trainer_free(trainer *t)
{
    if (!t) return;
    for (size_t k = 0; t->benches && k < t->threads; k++) {
        batch_free(t->benches[k].b);
        model_run_free(t->benches[k].run);
        mem_free(t->benches[k].identity);
    }
    mem_free(t->benches);
    shuffle_free(t->order);
    mem_free(t->places);
    mem_free(t->shares);
    mem_free(t->gradients);
    mem_free(t->matrices);
    mem_free(t);
}

/* ---- one graph of a step ---- */

static share *share_of(const trainer *t, size_t item)
{
    return (share *)(void *)(t->shares + item * t->share_size);
}

static float *share_gradients(const trainer *t, size_t item)
{
    return (float *)(void *)(t->shares + item * t->share_size + SHARE_HEAD);
}

static scone_status run_graph(void *argument, size_t item, int worker)
{
    scone_status status = SCONE_OK;
    trainer *t = argument;
    const workbench *bench = &t->benches[worker];
    const optimizer *o = t->state->o;
    const place *at = &t->places[item];
    const tokens *input = t->set->graphs[at->graph];
    float *gradients = share_gradients(t, item);
    batch_random_identity(bench->identity, input->size.nodes, t->plan->config.identities,
                          t->plan->seed, at->epoch * t->set->count + at->graph);
    const batch_item one = {input, bench->identity,
                            shuffle_reversed(t->order, at->epoch, at->graph)};
    memset(share_of(t, item), 0, t->share_size);
    TRY(batch_make(bench->b, &one, 1, &t->plan->config));
    TRY(model_forward(bench->run, o->weights, bench->b));
    model_loss(&share_of(t, item)->terms, bench->run, bench->b, t->class_weights, t->plan->seed,
               (uint64_t)o->step * t->plan->batch + item);
    model_backward(bench->run, gradients, o->weights, bench->b);
cleanup:
    return status;
}

/* ---- a step ---- */

/* The graphs of the step at hand are ready on return, and so are the class weights of all that
 * are. */
static scone_status prepare_graphs(trainer *t)
{
    scone_status status = SCONE_OK;
    TRY(training_set_need(t->set, plan_graphs(t->plan, t->state->o->step + 1)));
    t->left.threads = training_set_threads(t->set, t->context);
    if (t->weighed < t->set->ready) {
        training_set_class_weights(t->class_weights, t->set, t->plan->config.class_weights);
        t->weighed = t->set->ready;
    }
cleanup:
    return status;
}

static void choose_places(trainer *t)
{
    double total = 0.0;
    for (size_t k = 0; k < t->plan->batch; k++) {
        place *at = &t->places[k];
        at->graph =
            shuffle_graph(t->order, (uint64_t)t->state->o->step * t->plan->batch + k, &at->epoch);
        at->weight = fmax((double)t->set->graphs[at->graph]->size.pairs, 1.0);
        total += at->weight;
    }
    for (size_t k = 0; k < t->plan->batch; k++) t->places[k].weight /= total;
}

/* gradients = sum of the shares in their order, for one stretch of parameters */
static void add_shares(void *argument, size_t item, int worker)
{
    const trainer *t = argument;
    size_t count = t->state->o->layout->count, first = item * TRAINER_CHUNK;
    size_t last = first + TRAINER_CHUNK < count ? first + TRAINER_CHUNK : count;
    (void)worker;
    for (size_t i = first; i < last; i++) t->gradients[i] = 0.0f;
    for (size_t k = 0; k < t->plan->batch; k++) {
        const float *part = share_gradients(t, k);
        float weight = (float)t->places[k].weight;
        for (size_t i = first; i < last; i++) t->gradients[i] += weight * part[i];
    }
}

static void add_terms(trainer *t, double rate, double norm)
{
    double right = 0.0, labelled = 0.0;
    for (size_t k = 0; k < t->plan->batch; k++) {
        const loss_terms *terms = &share_of(t, k)->terms;
        double weight = t->places[k].weight;
        t->sums[HISTORY_LOSS] += weight * terms->total;
        t->sums[HISTORY_CROSS_ENTROPY] += weight * terms->cross_entropy;
        t->sums[HISTORY_SHD_TERM] += weight * terms->shd;
        t->sums[HISTORY_RANK_TERM] += weight * terms->rank;
        t->sums[HISTORY_GLOBAL_TERM] += weight * terms->global;
        t->sums[HISTORY_GATE_TERM] += weight * terms->gate;
        t->sums[HISTORY_TARGET_TERM] += weight * terms->target;
        right += (double)terms->right;
        labelled += (double)terms->labelled;
    }
    t->sums[HISTORY_RIGHT] += labelled > 0.0 ? right / labelled : 0.0;
    t->sums[HISTORY_NORM] += norm;
    t->sums[HISTORY_RATE] = rate;
    t->summed++;
}

scone_status trainer_step(trainer *t)
{
    scone_status status = SCONE_OK;
    optimizer *o = t->state->o;
    double rate = optimizer_rate(&t->plan->config, o->step, t->plan->steps), norm;
    TRY(prepare_graphs(t));
    choose_places(t);
    TRY(team_for(t->plan->batch, &t->left, NULL, run_graph, t, t->shares, t->share_size));
    parallel_plain((o->layout->count - 1) / TRAINER_CHUNK + 1, t->left.threads, add_shares, t);
    TRY(optimizer_update(&norm, o, t->gradients, rate, &t->left));
    add_terms(t, rate, norm);
cleanup:
    return status;
}

/* ---- validation ---- */

static scone_status predict_graph(void *argument, size_t item, int worker)
{
    scone_status status = SCONE_OK;
    trainer *t = argument;
    const workbench *bench = &t->benches[worker];
    const tokens *input = t->validation->graphs[item];
    size_t size = t->validation->most_nodes * t->validation->most_nodes;
    double *p = t->matrices + item * size;
    memset(p, 0, size * sizeof *p);
    /* the same in every training, whatever its seed */
    batch_random_identity(bench->identity, input->size.nodes, t->plan->config.identities,
                          t->plan->validation.seed, item);
    for (int reading = 0; reading < 2; reading++) {
        const batch_item one = {input, bench->identity, reading == 1};
        TRY(batch_make(bench->b, &one, 1, &t->plan->config));
        TRY(model_predict(bench->run, t->state->o->average, bench->b));
        model_probabilities(p, bench->run, bench->b, 0, t->plan->config.temperature, 0.5);
    }
cleanup:
    return status;
}

static void fill_row(history_row row, const trainer *t, const validation_scores *v)
{
    memcpy(row, t->sums, sizeof t->sums);
    for (int c = HISTORY_LOSS; c <= HISTORY_NORM; c++) {
        row[c] = t->summed > 0 ? t->sums[c] / (double)t->summed : 0.0;
    }
    row[HISTORY_STEP] = (double)t->state->o->step;
    row[HISTORY_VALIDATION_LOSS] = v->loss;
    row[HISTORY_TEMPERATURE] = v->temperature * t->plan->config.temperature;
    row[HISTORY_CALIBRATION] = v->calibration;
    row[HISTORY_THRESHOLD] = v->threshold;
    row[HISTORY_ERROR] = v->error;
    row[HISTORY_SHD] = v->shd;
    row[HISTORY_F1] = v->f1;
    row[HISTORY_SHD_HALF] = v->shd_half;
    row[HISTORY_F1_HALF] = v->f1_half;
}

scone_status trainer_validate(trainer *t)
{
    scone_status status = SCONE_OK;
    train_state *state = t->state;
    size_t size = t->validation->most_nodes * t->validation->most_nodes;
    validation_scores v;
    history_row row;
    TRY(team_for(t->validation->count, &t->left, NULL, predict_graph, t, t->matrices,
                 size * sizeof *t->matrices));
    TRY(validate(&v, t->validation->graphs, t->validation->count, t->matrices, size,
                 t->plan->threshold));
    TRY(team_spread(&t->left, &v, sizeof v)); /* all stop at the same step, whatever their libm */
    fill_row(row, t, &v);
    TRY(history_add(&state->curves, row));
    memset(t->sums, 0, sizeof t->sums);
    t->summed = 0;
    state->stale++;
    /* By the likelihood: graphs at one threshold tell less of the probabilities. */
    if (v.loss < state->best_loss) {
        state->best_loss = v.loss;
        state->best_step = state->o->step;
        state->stale = 0;
        memcpy(state->best, state->o->average, state->o->layout->count * sizeof *state->best);
    }
cleanup:
    return status;
}
