/* outside.c - a command as a method: its problem as a folder, its run, its answer (see outside.h).
 */
#include "outside.h"

#include "outside_process.h"
#include "session.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert((int)OPTIONS_TEXTS <= (int)SCONE_BENCH_MOST_OUTSIDE, "every --method has a place");

enum {
    PATH_SIZE = 4096,
    EDGES_LIMIT = 64 << 20, /* bytes of a graph, far more than any of a benchmark needs */
    RUN_LIMIT = 64 << 10    /* bytes of run.json */
};

/* ---- what the command line says ---- */

int outside_parse(outside_list *list, const command *about, const outside_options *o)
{
    *list = (outside_list){.count = o->methods.count, .limit = o->limit};
    for (size_t m = 0; m < o->methods.count; m++) {
        const char *text = o->methods.items[m];
        size_t length = strcspn(text, "=");
        if (length == 0 || length >= OUTSIDE_NAME || !text[length] || !text[length + 1]) {
            return usage_error(about, "--method: '%.100s' is not NAME=COMMAND", text);
        }
        memcpy(list->names[m], text, length);
        list->items[m] =
            (scone_bench_outside){.name = list->names[m], .command = text + length + 1};
    }
    for (const char *name = o->told; name;) {
        size_t length = strcspn(name, ","), m = 0;
        while (m < list->count && (strncmp(list->names[m], name, length) != 0 ||
                                   list->names[m][length < OUTSIDE_NAME ? length : 0] != '\0')) {
            m++;
        }
        if (length == 0 || length >= OUTSIDE_NAME || m == list->count) {
            return usage_error(about, "--tell-targets: '%.*s' is no NAME of a --method",
                               length > 100 ? 100 : (int)length, name);
        }
        list->items[m].told_targets = true;
        name = name[length] ? name + length + 1 : NULL;
    }
    if (list->limit > 0.0 && list->count == 0) {
        return usage_error(about, "--time-limit goes with --method NAME=COMMAND");
    }
    return SCONE_OK;
}

/* ---- the folder ---- */

typedef struct outside_folder {
    char top[PATH_SIZE - 64], problem[PATH_SIZE], out[PATH_SIZE];
} outside_folder;

/* Reason of a failure that ends the benchmark; returns the status. */
static scone_status give_up(scone_bench_answer *answer, scone_status status, const char *format,
                            ...) __attribute__((format(printf, 3, 4)));
static scone_status give_up(scone_bench_answer *answer, scone_status status, const char *format,
                            ...)
{
    va_list list;
    va_start(list, format);
    (void)vsnprintf(answer->reason, sizeof answer->reason, format, list);
    va_end(list);
    return status;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    (void)remove(path); /* what cannot be removed holds up nothing else */
    return 0;
}

static void folder_remove(const outside_folder *folder)
{
    if (*folder->top) (void)nftw(folder->top, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static scone_status folder_make(outside_folder *folder, scone_bench_answer *answer)
{
    const char *place = getenv("TMPDIR");
    int length = snprintf(folder->top, sizeof folder->top, "%s/scone-bench-XXXXXX",
                          place && *place ? place : "/tmp");
    bool fits = length > 0 && (size_t)length < sizeof folder->top;
    if (!fits || !mkdtemp(folder->top)) {
        *folder->top = '\0';
        return give_up(answer, SCONE_ERR_IO,
                       "cannot make a folder in %.100s: %s; set TMPDIR to one that can be written",
                       place && *place ? place : "/tmp",
                       fits ? strerror(errno) : "its name is too long");
    }
    (void)snprintf(folder->problem, sizeof folder->problem, "%s/problem", folder->top);
    (void)snprintf(folder->out, sizeof folder->out, "%s/out", folder->top);
    if (mkdir(folder->problem, 0777) == 0 && mkdir(folder->out, 0777) == 0) return SCONE_OK;
    return give_up(answer, SCONE_ERR_IO, "%.100s: %s", folder->top, strerror(errno));
}

static bool write_targets(const char *path, const scone_problem *problem)
{
    const scone_graph *graph = scone_problem_graph(problem);
    const bool *targets = scone_problem_targets(problem);
    FILE *file = fopen(path, "w");
    if (!file) return false;
    bool fine = fputs("variable\n", file) >= 0;
    for (size_t v = 0; v < scone_graph_nodes(graph); v++) {
        if (targets[v]) fine = fprintf(file, "%s\n", scone_graph_name(graph, v)) > 0 && fine;
    }
    return fclose(file) == 0 && fine;
}

static scone_status write_one(const outside_folder *folder, const scone_table *table,
                              const char *name, scone_bench_answer *answer)
{
    char path[PATH_SIZE + 64];
    (void)snprintf(path, sizeof path, "%s/%.32s.csv", folder->problem, name);
    scone_status status = scone_table_write(table, path);
    return status == SCONE_OK ? status : give_up(answer, status, "%s", scone_error_message());
}

/* The two tables; of several conditions also each by itself. */
static scone_status write_problem(const outside_folder *folder, const scone_problem *problem,
                                  bool told_targets, scone_bench_answer *answer)
{
    static const char *const tables[] = {"obs", "int"};
    char path[PATH_SIZE + 32];
    scone_status status = SCONE_OK;
    const scone_conditions *conditions = scone_problem_conditions(problem);
    size_t count = scone_conditions_count(conditions);
    for (int regime = 0; regime < 2 && status == SCONE_OK; regime++) {
        status = write_one(folder, scone_pair_table(scone_problem_pair(problem), regime),
                           tables[regime], answer);
    }
    for (size_t k = 1; k <= count && count > 1 && status == SCONE_OK; k++) {
        status = write_one(folder, scone_conditions_table(conditions, k),
                           scone_conditions_name(conditions, k), answer);
    }
    if (status != SCONE_OK || !told_targets) return status;
    (void)snprintf(path, sizeof path, "%s/targets.csv", folder->problem);
    if (write_targets(path, problem)) return SCONE_OK;
    return give_up(answer, SCONE_ERR_IO, "%.100s: cannot be written", path);
}

/* ---- the answer ---- */

static void fail_answer(scone_bench_answer *answer, const char *reason)
{
    answer->status = SCONE_BENCH_FAILED;
    (void)snprintf(answer->reason, sizeof answer->reason, "%s", reason);
}

/* Is there a file that can be read without waiting? */
static bool find_file(const char *path, size_t *size)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    *size = (size_t)about.st_size;
    return true;
}

static scone_status read_edges(const outside_folder *folder, scone_bench_answer *answer)
{
    char path[PATH_SIZE + 32];
    size_t size;
    (void)snprintf(path, sizeof path, "%s/edges.csv", folder->out);
    if (!find_file(path, &size)) {
        fail_answer(answer, "it wrote no edges.csv");
        return SCONE_OK;
    }
    if (size > EDGES_LIMIT) {
        fail_answer(answer, "its edges.csv has more than 64 MiB");
        return SCONE_OK;
    }
    scone_status status = scone_graph_read(&answer->graph, path, SCONE_GRAPH_EDGES);
    if (status == SCONE_OK) return SCONE_OK;
    const char *message = scone_error_message();
    if (status != SCONE_ERR_INPUT) return give_up(answer, status, "%s", message);
    /* The folder differs from run to run. */
    size_t length = strlen(folder->out) + 1;
    bool named = strncmp(message, path, length) == 0;
    fail_answer(answer, named ? message + length : message);
    return SCONE_OK;
}

/* The seconds that the method itself took, if it tells. */
static scone_status read_seconds(const outside_folder *folder, scone_bench_answer *answer)
{
    char path[PATH_SIZE + 32];
    size_t size = 0;
    (void)snprintf(path, sizeof path, "%s/run.json", folder->out);
    if (!find_file(path, &size)) return SCONE_OK;
    char *text = size <= RUN_LIMIT ? malloc(size + 1) : NULL;
    if (!text && size <= RUN_LIMIT) return give_up(answer, SCONE_ERR_MEMORY, "out of memory");
    FILE *file = text ? fopen(path, "r") : NULL;
    size_t got = file ? fread(text, 1, size, file) : 0;
    if (file) (void)fclose(file);
    cJSON *root = got > 0 ? cJSON_ParseWithLength(text, got) : NULL;
    const cJSON *seconds = root ? cJSON_GetObjectItemCaseSensitive(root, "seconds") : NULL;
    if (cJSON_IsNumber(seconds) && seconds->valuedouble >= 0.0 && isfinite(seconds->valuedouble)) {
        answer->seconds = seconds->valuedouble;
    } else {
        fail_answer(answer, "its run.json is not {\"seconds\": S}");
    }
    cJSON_Delete(root);
    free(text);
    return SCONE_OK;
}

/* ---- the run ---- */

/* The folders follow the command, unless it says where they go. */
static char *script_of(const char *text)
{
    static const char *const places[] = {"$1", "$2", "${1", "${2", "$@", "$*"};
    bool placed = false;
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        placed = placed || strstr(text, places[p]);
    }
    size_t size = strlen(text) + 8;
    char *script = malloc(size);
    if (script) (void)snprintf(script, size, "%s%s", text, placed ? "" : " \"$@\"");
    return script;
}

static scone_status judge(const outside_process *process, double limit, scone_bench_answer *answer)
{
    answer->seconds = process->seconds;
    switch (process->end) {
    case OUTSIDE_INTERRUPTED:
        return give_up(answer, SCONE_ERR_INPUT, "stopped");
    case OUTSIDE_TIMED_OUT:
        answer->status = SCONE_BENCH_TIMEOUT;
        (void)snprintf(answer->reason, sizeof answer->reason, "more than %g seconds", limit);
        return SCONE_OK;
    case OUTSIDE_SIGNALLED:
        answer->status = SCONE_BENCH_FAILED;
        (void)snprintf(answer->reason, sizeof answer->reason, "ended by signal %d%s%.150s",
                       process->code, *process->last_line ? ": " : "", process->last_line);
        return SCONE_OK;
    case OUTSIDE_EXITED:
        break;
    }
    if (process->code == 0) return SCONE_OK;
    answer->status = SCONE_BENCH_FAILED;
    (void)snprintf(answer->reason, sizeof answer->reason, "%.190s", process->last_line);
    if (!*process->last_line) {
        (void)snprintf(answer->reason, sizeof answer->reason, "exit code %d", process->code);
    }
    return SCONE_OK;
}

scone_status outside_run(void *user, const scone_bench_outside *outside,
                         const scone_problem *problem, scone_bench_answer *answer)
{
    const outside_list *list = user;
    outside_folder folder = {0};
    outside_process process;
    char *script = script_of(outside->command);
    scone_status status = folder_make(&folder, answer);
    if (status == SCONE_OK && !script) status = give_up(answer, SCONE_ERR_MEMORY, "out of memory");
    if (status == SCONE_OK) status = write_problem(&folder, problem, outside->told_targets, answer);
    if (status == SCONE_OK) {
        int error = outside_process_run(&process, script, folder.problem, folder.out, list->limit);
        if (error) status = give_up(answer, SCONE_ERR_IO, "/bin/sh: %s", strerror(error));
    }
    if (status == SCONE_OK) status = judge(&process, list->limit, answer);
    if (status == SCONE_OK && answer->status == SCONE_BENCH_OK) {
        status = read_edges(&folder, answer);
    }
    if (status == SCONE_OK && answer->status == SCONE_BENCH_OK) {
        status = read_seconds(&folder, answer);
    }
    folder_remove(&folder);
    free(script);
    return status;
}
