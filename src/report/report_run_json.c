/* report_run_json.c - run.json: what is needed to tell one run from another and to repeat it
 * (docs/manual/discover.md). Hashes of files are XXH64 of their bytes, as xxhsum -H1 prints them.
 */
#include "report/report.h"

#include "text/text.h"

#include <errno.h>
#include <fcntl.h>
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
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) goto cleanup;
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

static scone_status write_inputs(output_file *stream, const scone_run *run)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, ",\n  \"inputs\": ["));
    for (size_t i = 0; i < run->input_count; i++) {
        bool regular;
        size_t bytes;
        uint64_t hash = 0;
        TRY(report_hash_file(&regular, &bytes, &hash, run->inputs[i]));
        TRY(output_print(stream, "%s\n    {\"path\": ", i ? "," : ""));
        TRY(text_write_json(stream, run->inputs[i]));
        if (regular) {
            TRY(output_print(stream, ", \"bytes\": %zu, \"xxh64\": \"%016llx\"}", bytes,
                             (unsigned long long)hash));
        } else {
            TRY(output_print(stream, ", \"bytes\": null, \"xxh64\": null}"));
        }
    }
    TRY(output_print(stream, "%s]", run->input_count ? "\n  " : ""));
cleanup:
    return status;
}

/* How to read the tables again (explain_read.c). */
static scone_status write_reading(output_file *stream, const scone_run *run)
{
    scone_status status = SCONE_OK;
    const char *form = run->folder ? "dcdi" : run->regime ? "split" : "files";
    TRY(output_print(stream, ",\n  \"reading\": {\"form\": \"%s\", \"na\": \"%s\"", form,
                     run->na == SCONE_NA_DROP ? "drop" : "error"));
    if (run->folder) {
        TRY(output_print(stream, ", \"folder\": "));
        TRY(text_write_json(stream, run->folder));
        TRY(output_print(stream, ", \"index\": %zu", run->index));
    } else if (run->regime) {
        TRY(output_print(stream, ", \"regime\": "));
        TRY(text_write_json(stream, run->regime));
    }
    TRY(output_print(stream, "}"));
cleanup:
    return status;
}

/* ---- the file ---- */

static scone_status write_options(output_file *stream, const scone_result *r)
{
    scone_status status = SCONE_OK;
    const scone_discover_options *o = &r->options;
    TRY(output_print(stream, ",\n  \"preset\": \"%s\",\n  \"effort\": \"%s\",\n  \"alpha\": ",
                     r->preset->name, report_effort(o->effort)));
    TRY(number_print(stream, o->alpha));
    TRY(output_print(stream, ",\n  \"threshold\": "));
    TRY(number_print(stream, o->threshold));
    TRY(output_print(stream, ",\n  \"margin\": "));
    TRY(number_print(stream, o->margin));
    TRY(output_print(stream, ",\n  \"bootstrap\": %zu,\n  \"max_parents\": %zu,\n  \"seed\": %llu",
                     o->bootstrap, o->max_parents, (unsigned long long)o->seed));
    if (o->model) {
        TRY(output_print(stream, ",\n  \"model\": {\"path\": "));
        TRY(text_write_json(stream, o->model));
        TRY(output_print(stream, ", \"header_xxh64\": \"%s\"}", r->model_id));
    }
    TRY(output_print(stream, ",\n  \"rules\": "));
    TRY(text_write_json(stream, o->rules));
    TRY(output_print(stream, ",\n  \"knowledge\": "));
    if (o->knowledge) {
        TRY(text_write_json(stream, o->knowledge));
    } else {
        TRY(output_print(stream, "null"));
    }
cleanup:
    return status;
}

static scone_status write_times(output_file *stream, const scone_result *r, const scone_run *run)
{
    scone_status status = SCONE_OK;
    struct rusage usage;
    struct timespec now;
    TRY(output_print(stream, ",\n  \"stages\": ["));
    for (size_t s = 0; s < r->stage_count; s++) {
        TRY(output_print(stream, "%s{\"name\": \"%s\", \"seconds\": ", s ? ", " : "",
                         r->stages[s].name));
        TRY(number_print_decimals(stream, r->stages[s].seconds, 6));
        TRY(output_print(stream, "}"));
    }
    TRY(output_print(stream, "],\n  \"seconds\": "));
    if (run->started > 0.0 && clock_gettime(CLOCK_MONOTONIC, &now) == 0) {
        double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - run->started;
        TRY(number_print_decimals(stream, seconds, 6));
    } else {
        TRY(output_print(stream, "null"));
    }
    long peak = getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
    TRY(output_print(stream, ",\n  \"peak_memory_bytes\": %lld", 1024LL * peak));
cleanup:
    return status;
}

scone_status report_run_json(output_file *stream, const scone_result *r, const scone_run *run)
{
    scone_status status = SCONE_OK;
    TRY(output_print(
        stream,
        "{\n  \"program\": \"scone\",\n  \"version\": \"%s\",\n  \"command\": ", scone_version()));
    if (run->command) {
        TRY(text_write_json(stream, run->command));
    } else {
        TRY(output_print(stream, "null"));
    }
    TRY(write_options(stream, r));
    TRY(output_print(stream, ",\n  \"threads\": %d,\n  \"processes\": %d",
                     run->threads > 1 ? run->threads : 1, run->processes > 1 ? run->processes : 1));
    TRY(write_inputs(stream, run));
    TRY(write_reading(stream, run));
    TRY(output_print(stream, ",\n  \"tables\": ["));
    for (int regime = 0; regime < 2; regime++) {
        TRY(output_print(stream,
                         "%s\n    {\"regime\": %d, \"rows\": %zu, \"columns\": %zu, \"xxh64\": "
                         "\"%016llx\"}",
                         regime ? "," : "", regime, r->rows[regime], r->count,
                         (unsigned long long)r->hashes[regime]));
    }
    TRY(output_print(stream, "\n  ]"));
    TRY(write_times(stream, r, run));
    TRY(output_print(stream, ",\n  \"warnings\": ["));
    for (size_t w = 0; w < r->warning_count; w++) {
        TRY(output_print(stream, "%s\n    ", w ? "," : ""));
        TRY(text_write_json(stream, r->warnings[w]));
    }
    TRY(output_print(stream, "%s]\n}\n", r->warning_count ? "\n  " : ""));
cleanup:
    return status;
}
