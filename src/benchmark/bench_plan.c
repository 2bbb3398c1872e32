/* bench_plan.c - what a benchmark is asked for, what of it the file has, and what there is to do.
 */
#include "benchmark/bench_parts.h"

#include "base/context.h"
#include "io/file.h"
#include "learn/learner.h"
#include "parallel/team.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

const scone_bench_outside *bench_method_outside(const scone_bench_options *o, size_t method)
{
    return method < o->method_count ? NULL : &o->outside[method - o->method_count];
}

const char *bench_method_name(const scone_bench_options *o, size_t method)
{
    return method < o->method_count ? o->methods[method]
                                    : o->outside[method - o->method_count].name;
}

/* ---- what is asked for ---- */

static scone_status check_methods(const scone_bench_options *o)
{
    char list[512] = "";
    size_t used = 0;
    for (const char *const *known = scone_method_names(); *known; known++) {
        if (used >= sizeof list) break;
        int length = snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", *known);
        if (length > 0) used += (size_t)length;
    }
    for (size_t m = 0; m < o->method_count; m++) {
        const char *const *known = scone_method_names();
        while (*known && strcmp(*known, o->methods[m]) != 0) known++;
        if (!*known) {
            return RAISE(SCONE_ERR_INPUT, "there is no method '%.100s'; use some of %s",
                         o->methods[m], list);
        }
    }
    return SCONE_OK;
}

/* Two rows a table are the least that a method can work on; told before anything is run. */
static scone_status check_samples(const scone_bench_options *o)
{
    for (size_t s = 0; s < o->setting_count; s++) {
        if (o->settings[s].control_samples == 1) {
            return RAISE(SCONE_ERR_INPUT,
                         "the setting %s has 1 row of the control; use --control-samples 2 or more",
                         o->settings[s].name);
        }
        if (o->settings[s].samples >= 2) continue;
        return RAISE(SCONE_ERR_INPUT, "the setting %s has %zu %s a table; use --samples 2 or more",
                     o->settings[s].name, o->settings[s].samples,
                     o->settings[s].samples == 1 ? "row" : "rows");
    }
    return SCONE_OK;
}

/* Weights that are missing or wrong are told before anything is run. */
static scone_status check_models(bench_job *job)
{
    scone_status status = SCONE_OK;
    const scone_bench_options *o = job->options;
    learned_model *model = NULL;
    unsigned learners;
    const char *asked = o->discover.learners;
    if (asked) TRY(learner_parse(&learners, asked, strlen(asked)));
    TRY_ZERO(job->models, job->methods);
    TRY_ZERO(job->ids, job->methods);
    for (size_t m = 0; m < o->outside_count; m++) {
        bench_outside_id(job->ids[o->method_count + m], &o->outside[m]);
    }
    for (size_t m = 0; m < o->method_count; m++) {
        if (!scone_preset_learned(o->methods[m])) continue;
        TRY(scone_model_find(&job->models[m], o->methods[m], o->models ? o->models[m] : NULL));
        TRY(learned_open(&model, job->models[m], o->methods[m]));
        memcpy(job->ids[m], model->id, sizeof model->id);
        learned_free(model);
        model = NULL;
    }
cleanup:
    return status;
}

/* Reads what is there and refuses to lose it. */
static scone_status open_file(bench_lines *lines, const scone_bench_options *o)
{
    path_kind kind = PATH_ABSENT;
    scone_status status = o->output ? path_look(&kind, o->output) : SCONE_OK;
    if (status != SCONE_OK || kind == PATH_ABSENT) return status;
    if (o->resume) return bench_lines_read(lines, o->output);
    if (o->force) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT,
                 "%s exists; --resume adds what is missing there, --force starts anew", o->output);
}

static size_t count_graphs(const scone_bench_options *o)
{
    size_t graphs = 0;
    for (size_t s = 0; s < o->setting_count; s++) graphs += o->settings[s].count;
    return graphs;
}

/* Options of discovery do not reach a method of the caller, so its rows do not depend on them. */
static void key_in(char key[BENCH_KEY_SIZE], const bench_job *job, size_t setting, size_t number,
                   size_t method)
{
    static const scone_discover_options none = {0};
    const scone_bench_options *o = job->options;
    bench_key(key, &o->settings[setting], number, bench_method_name(o, method), job->ids[method],
              bench_method_outside(o, method) ? &none : &o->discover);
}

void bench_key_of(char key[BENCH_KEY_SIZE], const bench_job *job, size_t g, size_t method)
{
    key_in(key, job, job->plan.where[g].setting, job->plan.where[g].number, method);
}

/* Is the row asked for twice? Methods and settings may be named twice. */
static bool is_repeated(const bench_job *job, size_t g, size_t method)
{
    const scone_bench_options *o = job->options;
    size_t setting = job->plan.where[g].setting, number = job->plan.where[g].number;
    char key[BENCH_KEY_SIZE], other[BENCH_KEY_SIZE];
    for (size_t m = 0; m < method; m++) {
        if (strcmp(bench_method_name(o, m), bench_method_name(o, method)) != 0) continue;
        if (strcmp(job->ids[m], job->ids[method]) == 0) return true;
    }
    bench_key_of(key, job, g, method);
    for (size_t s = 0; s < setting; s++) {
        key_in(other, job, s, number, method);
        if (number < o->settings[s].count && strcmp(key, other) == 0) return true;
    }
    return false;
}

/* All graphs, and a hash of all keys by which processes can tell whether they mean the same. */
static scone_status plan_graphs(bench_job *job)
{
    scone_status status = SCONE_OK;
    const scone_bench_options *o = job->options;
    bench_plan *plan = &job->plan;
    uint64_t hash = 0;
    plan->graphs = count_graphs(o);
    TRY_ALLOC(plan->where, plan->graphs);
    TRY_ZERO(plan->missing, plan->graphs * job->methods);
    TRY_ALLOC(plan->items, plan->graphs);
    for (size_t s = 0, g = 0; s < o->setting_count; s++) {
        for (size_t number = 0; number < o->settings[s].count; number++, g++) {
            plan->where[g].setting = s;
            plan->where[g].number = number;
            for (size_t m = 0; m < job->methods; m++) {
                char key[BENCH_KEY_SIZE];
                bench_key_of(key, job, g, m);
                hash = XXH3_64bits_withSeed(key, strlen(key), hash);
            }
        }
    }
    TRY(team_same(job->outer, &hash, sizeof hash, "the settings or the methods"));
cleanup:
    return status;
}

/* Differences between methods say nothing if another version made some of the rows. */
static void tell_other_versions(const bench_job *job)
{
    const bench_line *other = NULL;
    size_t count = 0;
    for (size_t i = 0; i < job->lines.count; i++) {
        const bench_line *line = &job->lines.items[i];
        if (line->place == 0 || strcmp(line->commit, SCONE_COMMIT) == 0) continue;
        if (count++ == 0) other = line;
    }
    if (count == 0) return;
    context_log(
        job->outer, SCONE_WARNING,
        "%s: %zu of the rows that are kept are of other versions of scone (the first: %s, this "
        "one: %s); --force runs all again",
        job->options->output, count, *other->commit ? other->commit : "not told", SCONE_COMMIT);
}

/* Is there a row that need not be computed again? */
static bool is_kept(const bench_job *job, const char *key)
{
    const bench_line *line = bench_lines_find(&job->lines, key);
    return line && (line->status == SCONE_BENCH_OK || !job->options->retry);
}

/* Process 0 knows what is in the file and tells the others what is missing. */
static scone_status plan_work(bench_job *job)
{
    scone_status status = SCONE_OK;
    const scone_bench_options *o = job->options;
    bench_plan *plan = &job->plan;
    if (team_is_first(job->outer)) {
        TRY(bench_lines_open(&job->lines));
        TRY(open_file(&job->lines, o));
        for (size_t row = 0; row < plan->graphs * job->methods; row++) {
            char key[BENCH_KEY_SIZE];
            size_t g = row / job->methods, method = row % job->methods;
            bench_key_of(key, job, g, method);
            bool there = is_repeated(job, g, method) ||
                         (is_kept(job, key) && bench_lines_place(&job->lines, key, row + 1));
            plan->missing[row] = !there;
            job->finished += there;
        }
        tell_other_versions(job);
    }
    TRY(team_spread(job->outer, plan->missing, plan->graphs * job->methods));
    for (size_t g = 0; g < plan->graphs; g++) {
        const unsigned char *missing = plan->missing + g * job->methods;
        if (memchr(missing, 1, job->methods)) plan->items[plan->count++] = g;
    }
cleanup:
    return status;
}

scone_status bench_plan_make(bench_job *job)
{
    scone_status status = SCONE_OK;
    job->methods = job->options->method_count + job->options->outside_count;
    job->total = count_graphs(job->options) * job->methods;
    TRY(check_methods(job->options));
    TRY(bench_outside_check(job->options));
    TRY(check_samples(job->options));
    TRY(check_models(job));
    TRY(plan_graphs(job));
    TRY(plan_work(job));
cleanup:
    return status;
}

void bench_plan_free(bench_job *job)
{
    mem_free(job->plan.where);
    mem_free(job->plan.missing);
    mem_free(job->plan.items);
    for (size_t m = 0; job->models && m < job->methods; m++) mem_free(job->models[m]);
    mem_free(job->models);
    mem_free(job->ids);
    bench_lines_close(&job->lines);
}
