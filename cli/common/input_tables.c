/* input_tables.c - the tables of a command, two or a control and conditions (see input_tables.h).
 */
#include "input_tables.h"

#include "folder.h"
#include "launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void tables_files_free(tables_files *files)
{
    for (size_t f = 0; f < files->count; f++) free(files->paths[f]);
    free(files->paths);
    *files = (tables_files){0};
}

static int out_of_memory(session *s)
{
    complain("out of memory");
    s->failed = true;
    return SCONE_ERR_MEMORY;
}

static int note_file(tables_files *files, session *s, const char *path)
{
    size_t size = strlen(path) + 1;
    char **paths = realloc(files->paths, (files->count + 1) * sizeof *paths);
    if (!paths) return out_of_memory(s);
    files->paths = paths;
    char *copy = malloc(size);
    if (!copy) return out_of_memory(s);
    memcpy(copy, path, size);
    files->paths[files->count++] = copy;
    return SCONE_OK;
}

/* The files of a DCDI problem, where they are under the usual names. */
static int note_dcdi(tables_files *files, session *s, const char *folder, size_t index)
{
    static const char *const stems[] = {"data", "data_interv", "regime", "regimes"};
    size_t size = strlen(folder) + 64;
    bool slash = size > 64 && folder[size - 65] == '/';
    char *path = malloc(size);
    int code = SCONE_OK;
    for (size_t f = 0; path && f < sizeof stems / sizeof *stems && code == SCONE_OK; f++) {
        (void)snprintf(path, size, "%s%s%s%zu.%s", folder, slash ? "" : "/", stems[f], index,
                       f < 2 ? "npy" : "csv");
        if (is_file(path)) code = note_file(files, s, path);
    }
    if (!path) code = out_of_memory(s);
    free(path);
    return code;
}

static void note_choice(session *s, const char *path, const problem_folder *folder)
{
    char text[512];
    (void)snprintf(text, sizeof text,
                   "%.300s holds %zu problems; this is number %zu, --index chooses another", path,
                   folder->problems, folder->index);
    s->context.log(s->context.user, SCONE_NOTE, text);
}

static int read_folder(scone_pair **pair, tables_files *files, session *s, const char *path,
                       const tables_options *o, const scone_read_options *how)
{
    problem_folder folder = {0};
    int code = folder_find(&folder, path, o->index_given ? &o->index : NULL);
    if (code != SCONE_OK) {
        s->failed = true;
    } else {
        if (folder.problems > 1 && !o->index_given) note_choice(s, path, &folder);
        scone_status status = folder.dcdi
                                  ? scone_pair_read_dcdi(pair, path, folder.index, how, &s->context)
                                  : scone_pair_read(pair, folder.observational,
                                                    folder.interventional, how, &s->context);
        if (status != SCONE_OK) {
            code = session_fail(s, status);
        } else if (folder.dcdi) {
            files->dcdi = true;
            files->index = folder.index;
            code = note_dcdi(files, s, path, folder.index);
        } else {
            code = note_file(files, s, folder.observational);
            if (code == SCONE_OK) code = note_file(files, s, folder.interventional);
        }
    }
    folder_free(&folder);
    return code;
}

int tables_read(scone_pair **pair, tables_files *files, session *s, const arguments *parsed,
                const tables_options *o, const scone_read_options *how)
{
    const char *path = parsed->positional[0];
    scone_status status;
    *files = (tables_files){0};
    if (parsed->count == 1 && !o->regime) return read_folder(pair, files, s, path, o, how);
    if (parsed->count == 2) {
        status = scone_pair_read(pair, path, parsed->positional[1], how, &s->context);
    } else {
        status = scone_pair_read_split(pair, path, o->regime, how, &s->context);
    }
    if (status != SCONE_OK) return session_fail(s, status);
    int code = SCONE_OK;
    for (int f = 0; f < parsed->count && code == SCONE_OK; f++) {
        code = note_file(files, s, parsed->positional[f]);
    }
    return code;
}

int tables_usage(const command *about, const arguments *parsed, const tables_options *o)
{
    if (parsed->count == 0 || parsed->count > 2) {
        return usage_error(about,
                           "it takes two tables OBS INT, one table with --regime, or a folder");
    }
    if (parsed->count == 2 && o->regime) {
        return usage_error(about, "--regime goes with one table, not with two");
    }
    bool folder = parsed->count == 1 && !o->regime;
    if (o->index_given && !folder) return usage_error(about, "--index goes with a folder");
    if (folder && is_file(parsed->positional[0])) {
        return usage_error(about,
                           "'%.200s' is one table; add the second, or --regime COLUMN if it "
                           "holds both regimes",
                           parsed->positional[0]);
    }
    return SCONE_OK;
}

/* ---- several conditions ---- */

/* The file of an argument, and the name that stands before it, if it is "NAME=FILE" and no file. */
static const char *cut_name(char *name, size_t size, const char *argument)
{
    const char *equals = strchr(argument, '=');
    name[0] = '\0';
    if (!equals || is_file(argument) || (size_t)(equals - argument) >= size) return argument;
    memcpy(name, argument, (size_t)(equals - argument));
    name[equals - argument] = '\0';
    return equals + 1;
}

static bool has_name(const char *argument)
{
    char name[256];
    return cut_name(name, sizeof name, argument) != argument;
}

/* Reads the conditions of a folder. */
static int read_conditions(scone_conditions **conditions, tables_files *files, session *s,
                           const char *path, const tables_options *o, const scone_read_options *how)
{
    condition_files found;
    int code = folder_find_conditions(&found, path, o->index_given ? &o->index : NULL);
    if (code == SCONE_ERR_MEMORY) {
        code = out_of_memory(s);
    } else if (code != SCONE_OK || found.count == 0) {
        complain("%s: the folder cannot be listed; give the tables by name", path);
        s->failed = true;
        code = SCONE_ERR_IO;
    }
    if (code == SCONE_OK && found.problems > 1 && !o->index_given) {
        const problem_folder folder = {.index = found.index, .problems = found.problems};
        note_choice(s, path, &folder);
    }
    for (size_t f = 0; f < found.count && code == SCONE_OK; f++) {
        code = note_file(files, s, found.paths[f]);
    }
    if (code == SCONE_OK) {
        scone_status status = scone_conditions_read(conditions, (const char *const *)found.paths,
                                                    NULL, found.count, how, &s->context);
        if (status != SCONE_OK) code = session_fail(s, status);
    }
    condition_files_free(&found);
    return code;
}

/* What the folder of the command line holds. It is looked at once, so that all that follows takes
 * it for the same: a failure is kept and told by the reading. */
static struct {
    bool done;
    bool regimes;    /* its problem of DCDI's layout tells several apart, or that cannot be told */
    bool conditions; /* it is one that `scone simulate --conditions` writes, or cannot be listed */
    size_t problem;
    int code;
    char message[1024];
} folder_seen;

static void look_at_folder(const arguments *parsed, const tables_options *o)
{
    size_t regimes = 0;
    bool dcdi;
    const char *path = parsed->positional[0];
    const size_t *index = o->index_given ? &o->index : NULL;
    folder_seen.done = true;
    folder_seen.conditions = folder_has_conditions(path, index);
    if (folder_seen.conditions) return;
    int code = folder_is_dcdi(&dcdi, &folder_seen.problem, path, index);
    if (code == SCONE_ERR_IO) {
        (void)snprintf(folder_seen.message, sizeof folder_seen.message, "%s: %s", path,
                       strerror(errno));
    } else if (code == SCONE_OK && dcdi) {
        code = (int)scone_dcdi_regimes(&regimes, path, folder_seen.problem);
        if (code != SCONE_OK) {
            (void)snprintf(folder_seen.message, sizeof folder_seen.message, "%s",
                           scone_error_message());
        }
    }
    folder_seen.code = code;
    folder_seen.regimes = code != SCONE_OK || regimes > 1;
}

/* Is the argument a folder with several conditions, or one of which that cannot be told? */
static bool many_in_folder(const arguments *parsed, const tables_options *o)
{
    if (parsed->count != 1 || o->regime || o->conditions) return false;
    if (!folder_seen.done) look_at_folder(parsed, o);
    return folder_seen.regimes || folder_seen.conditions;
}

bool tables_many(const arguments *parsed, const tables_options *o)
{
    bool named = false;
    if (many_in_folder(parsed, o)) return true;
    for (int i = 0; i < parsed->count; i++) named = named || has_name(parsed->positional[i]);
    return parsed->count > 2 || o->conditions || (named && parsed->count == 2);
}

int tables_many_usage(const command *about, const arguments *parsed, const tables_options *o)
{
    if (o->conditions && parsed->count != 1) {
        return usage_error(about, "--conditions goes with one long table, not with %d",
                           parsed->count);
    }
    if (o->regime) {
        return usage_error(about, o->conditions
                                      ? "--regime pools what --conditions tells apart; give one"
                                      : "--regime goes with one table, not with several");
    }
    bool folder = parsed->count == 1 && !o->conditions;
    if (o->index_given && !folder) return usage_error(about, "--index goes with a folder");
    return SCONE_OK;
}

/* A problem of a DCDI folder, each regime a condition. */
static int read_regimes(scone_conditions **conditions, tables_files *files, session *s,
                        const char *path, const tables_options *o, const scone_read_options *how)
{
    problem_folder folder = {0};
    size_t problem = folder_seen.problem;
    if (folder_seen.code != SCONE_OK) {
        if (*folder_seen.message) complain("%s", folder_seen.message);
        s->failed = true;
        return folder_seen.code;
    }
    int code = folder_find(&folder, path, o->index_given ? &o->index : NULL);
    if (code != SCONE_OK) s->failed = true;
    if (code == SCONE_OK) {
        if (folder.problems > 1 && !o->index_given) note_choice(s, path, &folder);
        scone_status status =
            scone_conditions_read_dcdi(conditions, path, problem, how, &s->context);
        if (status != SCONE_OK) code = session_fail(s, status);
    }
    folder_free(&folder);
    if (code != SCONE_OK) return code;
    files->dcdi = true;
    files->index = problem;
    return note_dcdi(files, s, path, problem);
}

int tables_many_read(scone_conditions **conditions, tables_files *files, session *s,
                     const arguments *parsed, const tables_options *o,
                     const scone_read_options *how)
{
    enum { NAME = 256 };
    size_t count = (size_t)parsed->count;
    int code = SCONE_OK;
    *files = (tables_files){0};
    if (many_in_folder(parsed, o)) {
        return folder_seen.regimes
                   ? read_regimes(conditions, files, s, parsed->positional[0], o, how)
                   : read_conditions(conditions, files, s, parsed->positional[0], o, how);
    }
    const char **paths = calloc(count, sizeof *paths), **names = calloc(count, sizeof *names);
    char(*texts)[NAME] = calloc(count, sizeof *texts);
    if (!paths || !names || !texts) code = out_of_memory(s);
    for (size_t f = 0; f < count && code == SCONE_OK; f++) {
        const char *given = parsed->positional[f];
        paths[f] = o->conditions ? given : cut_name(texts[f], NAME, given);
        names[f] = paths[f] != given ? texts[f] : NULL;
        code = note_file(files, s, paths[f]);
    }
    if (code == SCONE_OK) {
        scone_status status =
            o->conditions
                ? scone_conditions_read_long(conditions, paths[0], o->conditions, how, &s->context)
                : scone_conditions_read(conditions, paths, names, count, how, &s->context);
        if (status != SCONE_OK) code = session_fail(s, status);
    }
    free(texts);
    free(names);
    free(paths);
    return code;
}
