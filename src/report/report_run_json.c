/* report_run_json.c - run.json: what is needed to tell one run from another and to repeat it
 * (docs/reference/result-files.md). Hashes of files are XXH64 of their bytes, as xxhsum -H1 prints
 * them.
 */
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

/* ---- hashes of files ---- */

scone_status report_hash_file(bool *regular, size_t *bytes, uint64_t *hash, const char *path)
{
    enum { BLOCK = 1 << 16 };
    scone_status status = SCONE_OK;
    struct stat about;
    XXH64_state_t state;
    char *block = NULL;
    *regular = false;
    *bytes = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) FAIL(SCONE_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    if (fstat(file, &about) != 0) {
        FAIL(SCONE_ERR_IO, "%s: cannot examine: %s", path, strerror(errno));
    }
    if (!S_ISREG(about.st_mode)) goto cleanup;
    TRY_ALLOC(block, BLOCK);
    (void)XXH64_reset(&state, 0);
    for (;;) {
        ssize_t got = read(file, block, BLOCK);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) FAIL(SCONE_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
        if (got == 0) break;
        (void)XXH64_update(&state, block, (size_t)got);
        *bytes += (size_t)got;
    }
    *hash = XXH64_digest(&state);
    *regular = true;
cleanup:
    if (file >= 0) (void)close(file);
    mem_free(block);
    return status;
}

const char *report_effort(scone_effort effort)
{
    switch (effort) {
    case SCONE_EFFORT_FAST:
        return "fast";
    case SCONE_EFFORT_THOROUGH:
        return "thorough";
    case SCONE_EFFORT_NORMAL:
        break;
    }
    return "normal";
}

/* Sizes and hashes are those of what was read: a file may have been replaced or deleted since. */
static void write_inputs(json_writer *j, const scone_result *r, const scone_run *run)
{
    json_write_lines(j, "inputs");
    for (size_t i = 0; i < run->input_count; i++) {
        const input_record *record = input_list_find(&r->request.inputs, run->inputs[i]);
        json_write_object(j, NULL);
        json_write_string(j, "path", run->inputs[i]);
        if (record) {
            json_write_count(j, "bytes", record->bytes);
            json_write_hash(j, "xxh64", record->hash);
        } else {
            json_write_null(j, "bytes");
            json_write_null(j, "xxh64");
        }
        json_write_close(j);
    }
    json_write_close(j);
}

/* The files of the control and of the conditions, in their order; null for what is no regular file.
 */
static void write_files(json_writer *j, const scone_result *r)
{
    json_write_array(j, "files");
    for (size_t k = 0; k <= r->conditions; k++) {
        json_write_object(j, NULL);
        json_write_string(j, "name", k ? r->condition_names[k - 1] : r->control);
        json_write_string(j, "path", r->files[k]);
        json_write_close(j);
    }
    json_write_close(j);
}

/* How to read the tables again (explain_run.c). */
static void write_reading(json_writer *j, const scone_result *r, const scone_run *run)
{
    json_write_object(j, "reading");
    json_write_string(j, "form",
                      run->conditions     ? "long"
                      : r->conditions > 0 ? "conditions"
                      : run->folder       ? "dcdi"
                      : run->regime       ? "split"
                                          : "files");
    json_write_string(j, "na", run->na == SCONE_NA_DROP ? "drop" : "error");
    if (r->conditions > 0 && !run->conditions && !run->folder) write_files(j, r);
    if (run->conditions) {
        json_write_string(j, "conditions", run->conditions);
    } else if (run->folder) {
        json_write_string(j, "folder", run->folder);
        json_write_count(j, "index", run->index);
    } else if (run->regime) {
        json_write_string(j, "regime", run->regime);
    }
    json_write_close(j);
}

/* ---- the file ---- */

static void write_conditions(json_writer *j, const scone_result *r)
{
    if (r->conditions == 0) return;
    json_write_lines(j, "conditions");
    for (size_t k = 0; k < r->conditions; k++) json_write_string(j, NULL, r->condition_names[k]);
    json_write_close(j);
}

static void write_options(json_writer *j, const scone_result *r)
{
    const scone_discover_options *o = &r->request.options;
    json_write_string(j, "preset", r->request.preset->name);
    json_write_string(j, "effort", report_effort(o->effort));
    json_write_number(j, "alpha", o->alpha);
    json_write_number(j, "threshold", o->threshold);
    json_write_number(j, "margin", o->margin);
    json_write_count(j, "bootstrap", o->bootstrap);
    json_write_count(j, "max_parents", o->max_parents);
    json_write_count(j, "seed", o->seed);
    if (o->model) {
        json_write_object(j, "model");
        json_write_string(j, "path", o->model);
        json_write_string(j, "header_xxh64", r->request.model_id);
        json_write_close(j);
    }
    if (r->request.learners) {
        char learners[LEARNER_TEXT];
        learner_text(learners, r->request.learners, ',');
        json_write_string(j, "learners", learners);
    }
    json_write_string(j, "rules", o->rules);
    json_write_string(j, "knowledge", o->knowledge);
}

static void write_tables(json_writer *j, const scone_result *r)
{
    json_write_lines(j, "tables");
    for (size_t regime = 0; regime < 2; regime++) {
        json_write_object(j, NULL);
        json_write_count(j, "regime", regime);
        json_write_count(j, "rows", r->map.rows[regime]);
        json_write_count(j, "columns", r->map.count);
        json_write_hash(j, "xxh64", r->map.hashes[regime]);
        json_write_close(j);
    }
    json_write_close(j);
}

static void write_times(json_writer *j, const scone_result *r, const scone_run *run)
{
    struct rusage usage;
    struct timespec now;
    double seconds = (double)NAN;
    json_write_array(j, "stages");
    for (size_t s = 0; s < r->clock.count; s++) {
        json_write_object(j, NULL);
        json_write_string(j, "name", r->clock.stages[s].name);
        json_write_decimals(j, "seconds", r->clock.stages[s].seconds, 6);
        json_write_close(j);
    }
    json_write_close(j);
    if (run->started > 0.0 && clock_gettime(CLOCK_MONOTONIC, &now) == 0) {
        seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - run->started;
    }
    json_write_decimals(j, "seconds", seconds, 6);
    long peak = getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
    json_write_count(j, "peak_memory_bytes", 1024 * (uint64_t)peak);
}

scone_status report_run_json(output_file *stream, const scone_result *r, const scone_run *run)
{
    json_writer j = json_write_start(stream);
    json_write_string(&j, "format", "scone-result");
    json_write_string(&j, "program", "scone");
    json_write_string(&j, "version", scone_version());
    json_write_string(&j, "command", run->command);
    write_options(&j, r);
    json_write_count(&j, "threads", run->threads > 1 ? (uint64_t)run->threads : 1);
    json_write_count(&j, "processes", run->processes > 1 ? (uint64_t)run->processes : 1);
    write_inputs(&j, r, run);
    write_reading(&j, r, run);
    write_tables(&j, r);
    write_conditions(&j, r);
    write_times(&j, r, run);
    json_write_lines(&j, "warnings");
    for (size_t w = 0; w < r->warnings.count; w++) {
        json_write_string(&j, NULL, r->warnings.texts[w]);
    }
    json_write_close(&j);
    return json_write_end(&j);
}
