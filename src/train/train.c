/* train.c - scone_train_run: a whole training, from options to the weights file.
 *
 * Process 0 alone reads and writes files; after reading a checkpoint it sends the state to the
 * others. A validation, a checkpoint and the curves come together, every plan->every steps, so that
 * a stop loses at most so many.
 */
#include "base/clock.h"
#include "io/file.h"
#include "text/number/number.h"
#include "parallel/team.h"
#include "train/trainer.h"
#include "scone_lab.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef SCONE_COMMIT
#define SCONE_COMMIT "unknown"
#endif

typedef struct training {
    const scone_context *context;
    train_plan *plan;
    training_set *set, *validation;
    parameter_layout *layout;
    train_state state;
    trainer *trainer;
    double started; /* seconds of the monotonic clock */
    size_t first;   /* step at which this run began */
    bool is_first;  /* process */
    int lock;       /* descriptor of the work folder, -1: none */
} training;

/* ---- the graphs ---- */

/* Of the graphs that are ready, which after a step are always the same. */
static uint64_t data_hash(const training *t)
{
    return t->set->hash ^ (t->validation->hash * UINT64_C(0x9e3779b97f4a7c15));
}

/* Half of the threads make graphs ahead while the others train. */
static scone_status open_sets(training *t)
{
    scone_status status = SCONE_OK;
    const train_plan *plan = t->plan;
    graph_recipe recipe = {.setting = plan->validation,
                           .samples_min = plan->samples_min,
                           .options = plan->tokens,
                           .count = plan->validation_graphs,
                           .folder = plan->token_folder,
                           .stage = "validation graphs"};
    TRY(training_set_load(&t->validation, &recipe, t->context));
    recipe.setting = plan->setting;
    recipe.count = plan_graphs(plan, plan->steps);
    recipe.stage = "training graphs";
    int ahead = plan->stream ? context_threads(t->context) / 2 : 0;
    TRY(training_set_open(&t->set, &recipe, ahead, t->context));
    TRY(training_set_need(t->set, plan_graphs(plan, 0)));
cleanup:
    return status;
}

/* ---- files and folders ---- */

static scone_status make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || path_is_folder(path)) return SCONE_OK;
    return RAISE(SCONE_ERR_IO, "%s: cannot make the folder: %s", path, strerror(errno));
}

/* One training at a time works in a folder; the lock ends with the process, however it ends. A
 * folder that is not there yet is fine, and so is a file system that knows no locks. */
static scone_status lock_folder(training *t)
{
    const char *path = t->plan->work;
    if (t->lock < 0) t->lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (t->lock < 0) {
        if (errno == ENOENT || errno == ENOTDIR) return SCONE_OK; /* make_folder tells */
        return RAISE(SCONE_ERR_IO, "%s: cannot open the folder: %s", path, strerror(errno));
    }
    if (flock(t->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "%s: another training is at work in this folder; wait for its end, or give "
                 "another -o FILE or --work DIR",
                 path);
}

/* Nothing that is there is lost unasked, and a run of hours does not end at
 * a missing permission. */
static scone_status prepare_files(training *t)
{
    scone_status status = SCONE_OK;
    const train_plan *plan = t->plan;
    output_file *probe = NULL;
    bool begun;
    path_kind kind;
    TRY(lock_folder(t));
    TRY(output_open(&probe, plan->output));
    TRY(path_look(&kind, plan->output));
    if (kind != PATH_ABSENT && !plan->force && !plan->resume) {
        FAIL(SCONE_ERR_INPUT, "%s exists; give another name, or --force to replace it",
             plan->output);
    }
    TRY(checkpoint_exists(&begun, plan->work));
    if (begun && !plan->force && !plan->resume) {
        FAIL(SCONE_ERR_INPUT,
             "%s holds checkpoints of a training; go on with --resume, or begin anew with --force",
             plan->work);
    }
    TRY(make_folder(plan->work));
    TRY(lock_folder(t));
    TRY(make_folder(plan->token_folder));
    TRY(checkpoint_tidy(plan->work));
    if (plan->force) TRY(checkpoint_remove_all(plan->work));
cleanup:
    output_discard(probe);
    return status;
}

static scone_status write_curves(const training *t)
{
    scone_status status = SCONE_OK;
    char *csv = NULL, *svg = NULL;
    TRY(path_join(&csv, t->plan->work, "curves.csv"));
    TRY(path_join(&svg, t->plan->work, "curves.svg"));
    TRY(history_write_csv(&t->state.curves, csv));
    TRY(history_write_svg(&t->state.curves, svg));
cleanup:
    mem_free(csv);
    mem_free(svg);
    return status;
}

/* The row of the best weights. */
static const double *best_row(const train_state *state)
{
    for (size_t r = 0; r < state->curves.count; r++) {
        if (state->curves.rows[r][HISTORY_STEP] == (double)state->best_step)
            return state->curves.rows[r];
    }
    return state->curves.rows[state->curves.count - 1];
}

static void print_scores(char *text, size_t size, const double *row)
{
    static const struct {
        const char *name;
        history_column column;
    } scores[] = {{"step", HISTORY_STEP},
                  {"loss", HISTORY_VALIDATION_LOSS},
                  {"shd", HISTORY_SHD},
                  {"f1", HISTORY_F1},
                  {"error", HISTORY_ERROR},
                  {"calibration", HISTORY_CALIBRATION},
                  {"temperature", HISTORY_TEMPERATURE},
                  {"threshold", HISTORY_THRESHOLD},
                  {"shd_half", HISTORY_SHD_HALF},
                  {"f1_half", HISTORY_F1_HALF}};
    char number[NUMBER_TEXT_SIZE];
    size_t used = 0;
    for (size_t k = 0; k < sizeof scores / sizeof *scores && used < size; k++) {
        (void)number_format(number, row[scores[k].column]);
        (void)snprintf(text + used, size - used, "%s\"%s\":%s", k ? "," : "{", scores[k].name,
                       number);
        used = strlen(text);
    }
    (void)snprintf(text + used, size - used, "}");
}

static scone_status write_weights(const training *t)
{
    scone_status status = SCONE_OK;
    const train_plan *plan = t->plan;
    char scores[1024], hash[17];
    weights_tensor *tensors = NULL;
    print_scores(scores, sizeof scores, best_row(&t->state));
    (void)snprintf(hash, sizeof hash, "%016" PRIx64, data_hash(t));
    const weights_note notes[] = {{WEIGHTS_CONFIG, plan->config_text},
                                  {WEIGHTS_PRESET, plan->preset},
                                  {WEIGHTS_COMMAND, plan->command},
                                  {WEIGHTS_COMMIT, SCONE_COMMIT},
                                  {WEIGHTS_DATA, hash},
                                  {WEIGHTS_VALIDATION, scores}};
    TRY_ALLOC(tensors, t->layout->list_count);
    parameters_tensors(tensors, t->layout, t->state.best);
    TRY(weights_write(plan->output, WEIGHTS_FORMAT_MODEL, tensors, t->layout->list_count, notes,
                      sizeof notes / sizeof *notes));
cleanup:
    mem_free(tensors);
    return status;
}

/* ---- the state ---- */

/* Numbers of a state, as they go from process 0 to the others. */
typedef struct state_numbers {
    uint64_t found, step, best_step, stale, rows, data;
    double best_loss;
} state_numbers;

static scone_status spread_state(training *t, bool *found, uint64_t *data)
{
    scone_status status = SCONE_OK;
    train_state *s = &t->state;
    size_t bytes = t->layout->count * sizeof(float);
    float *const arrays[] = {s->o->weights, s->o->moment1, s->o->moment2, s->o->average, s->best};
    state_numbers n = {*found,          s->o->step, s->best_step, s->stale,
                       s->curves.count, *data,      s->best_loss};
    TRY(team_spread(t->context, &n, sizeof n));
    *found = n.found != 0;
    *data = n.data;
    if (!*found) goto cleanup;
    s->o->step = n.step;
    s->best_step = n.best_step;
    s->stale = n.stale;
    s->best_loss = n.best_loss;
    while (s->curves.count < n.rows) TRY(history_add(&s->curves, (const history_row){0}));
    for (size_t r = 0; r < n.rows; r++) {
        TRY(team_spread(t->context, s->curves.rows[r], sizeof s->curves.rows[r]));
    }
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        TRY(team_spread(t->context, arrays[k], bytes));
    }
cleanup:
    return status;
}

static scone_status take_up(training *t)
{
    scone_status status = SCONE_OK;
    bool found = false;
    uint64_t data = 0;
    if (t->is_first) TRY(checkpoint_read(&found, &t->state, &data, t->plan, t->context));
    TRY(spread_state(t, &found, &data));
    if (!found) goto cleanup;
    TRY(training_set_need(t->set, plan_graphs(t->plan, t->state.o->step)));
    if (data != data_hash(t)) {
        FAIL(SCONE_ERR_INPUT,
             "%s: the checkpoint of step %zu was made with other training data; begin anew with "
             "--force",
             t->plan->work, t->state.o->step);
    }
    if (t->is_first) {
        context_log(t->context, SCONE_NOTE, "going on after step %zu of %zu", t->state.o->step,
                    t->plan->steps);
    }
cleanup:
    return status;
}

static scone_status begin(training *t)
{
    scone_status status = SCONE_OK;
    const train_plan *plan = t->plan;
    if (t->is_first) TRY(prepare_files(t));
    TRY(parameters_layout_make(&t->layout, &plan->config));
    TRY(open_sets(t));
    TRY(optimizer_alloc(&t->state.o, t->layout, plan->seed));
    TRY_ZERO(t->state.best, t->layout->count);
    t->state.best_loss = (double)INFINITY;
    if (plan->resume) TRY(take_up(t));
    TRY(trainer_alloc(&t->trainer, plan, t->set, t->validation, &t->state, t->context));
    t->started = clock_seconds();
    t->first = t->state.o->step;
cleanup:
    return status;
}

/* ---- the loop ---- */

static bool is_over(const training *t)
{
    bool patient = t->plan->patience == 0 || t->state.stale < t->plan->patience;
    return t->state.o->step >= t->plan->steps || !patient;
}

static void print_time(char out[32], double seconds)
{
    unsigned long minutes = (unsigned long)(seconds / 60.0 + 0.5);
    if (minutes < 1) {
        (void)snprintf(out, 32, "%lu s", (unsigned long)(seconds + 0.5));
    } else if (minutes < 120) {
        (void)snprintf(out, 32, "%lu min", minutes);
    } else {
        (void)snprintf(out, 32, "%lu h %lu min", minutes / 60, minutes % 60);
    }
}

static void say_row(const training *t)
{
    const history *h = &t->state.curves;
    const double *row = h->rows[h->count - 1];
    size_t step = t->state.o->step, made = step - t->first;
    double seconds = clock_seconds() - t->started;
    double pace = (double)made / fmax(seconds, 1e-9); /* validations included */
    char left[32];
    print_time(left, (double)(t->plan->steps - step) / fmax(pace, 1e-9));
    context_log(t->context, SCONE_NOTE,
                "step %zu of %zu: loss %.4f, validation %.4f, SHD %.2f, F1 %.3f, calibration error "
                "%.3f%s; %.1f graphs/s, %s left",
                step, t->plan->steps, row[HISTORY_LOSS], row[HISTORY_VALIDATION_LOSS],
                row[HISTORY_SHD], row[HISTORY_F1], row[HISTORY_CALIBRATION],
                t->state.stale == 0 ? ", the best so far" : "", pace * (double)t->plan->batch,
                left);
}

static scone_status loop(training *t)
{
    scone_status status = SCONE_OK;
    const train_plan *plan = t->plan;
    while (!is_over(t)) {
        TRY(trainer_step(t->trainer));
        size_t step = t->state.o->step;
        if (step % plan->every == 0 || step == plan->steps) {
            TRY(trainer_validate(t->trainer));
            if (t->is_first) {
                TRY(checkpoint_write(&t->state, plan, data_hash(t)));
                TRY(write_curves(t));
                say_row(t);
            }
        }
        TRY(context_progress(t->context, "training", (double)step / (double)plan->steps));
    }
    if (t->is_first) {
        TRY(write_curves(t)); /* may be missing after a stop between checkpoint and curves */
        TRY(write_weights(t));
    }
cleanup:
    return status;
}

static void fill_report(scone_train_report *report, const training *t)
{
    const double *row = best_row(&t->state);
    *report = (scone_train_report){.steps = t->state.o->step,
                                   .best_step = t->state.best_step,
                                   .stopped = t->state.o->step < t->plan->steps,
                                   .parameters = t->layout->count,
                                   .loss = row[HISTORY_VALIDATION_LOSS],
                                   .shd = row[HISTORY_SHD],
                                   .f1 = row[HISTORY_F1],
                                   .calibration = row[HISTORY_CALIBRATION],
                                   .temperature = row[HISTORY_TEMPERATURE],
                                   .threshold = row[HISTORY_THRESHOLD]};
}

scone_status scone_train_run(scone_train_report *report, const scone_train_options *options,
                             const scone_context *context)
{
    scone_status status = SCONE_OK;
    training t = {.context = context, .is_first = team_is_first(context), .lock = -1};
    if (report) *report = (scone_train_report){0};
    TRY(plan_make(&t.plan, options));
    TRY(team_same(context, t.plan->command, strlen(t.plan->command), "the options"));
    TRY(begin(&t));
    TRY(loop(&t));
    if (report) fill_report(report, &t);
cleanup:
    status = team_agree(context, status); /* all processes succeed, or none */
    trainer_free(t.trainer);
    optimizer_free(t.state.o);
    mem_free(t.state.best);
    history_clear(&t.state.curves);
    parameters_layout_free(t.layout);
    training_set_free(t.set);
    training_set_free(t.validation);
    plan_free(t.plan);
    if (t.lock >= 0) (void)close(t.lock);
    return status;
}
