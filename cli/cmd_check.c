/* cmd_check.c - scone check: looks at two tables, or a control and conditions, before anything is
 * computed from them, and tells what stands in the way. Exit code 0 if nothing does, 1 if a finding
 * is an error.
 */
#include "commands.h"
#include "input_tables.h"
#include "printing.h"
#include "session.h"

#include <math.h>
#include <string.h>

const command command_check = {
    .name = "check",
    .synopsis = "scone check OBS INT [options]\n"
                "scone check CONTROL [NAME=]CONDITION... [options]\n"
                "scone check DATA --conditions COLUMN[=CONTROL[,NAME...]] [options]\n"
                "scone check DATA --regime COLUMN[=CONTROL] [options]\n"
                "scone check FOLDER [--index I] [options]",
    .summary = "looks at tables for trouble before they are used",
    .about = "OBS and INT are the tables from before and after the change: CSV or TSV with a\n"
             "header (also .gz) or NPY. Or give one table with a column that tells the regimes\n"
             "apart, a folder with obs.csv and int.csv, or a DCDI folder. A control and several\n"
             "conditions are given as scone discover takes them. Reports missing and infinite\n"
             "cells, constant, duplicate and collinear columns, trouble with units and scale, and\n"
             "too few rows: worst first, by column and condition, with what to do about it.\n"
             "\n"
             "Exit code 0: ready, perhaps with warnings. 1: the tables would be refused.",
    .examples = "scone simulate custom --nodes 6 --edges 6 --samples 500 -o demo\n"
                "scone check demo/g0/obs.csv demo/g0/int.csv",
};

/* From so many findings of one kind on they are told as one, with so many names. */
enum { GROUP_FROM = 3, GROUP_NAMES = 8 };

static const char *const na_choices[] = {"keep", "drop", "error", NULL};
static const scone_na na_values[] = {SCONE_NA_KEEP, SCONE_NA_DROP, SCONE_NA_ERROR};

static const char *severity_name(scone_severity severity)
{
    switch (severity) {
    case SCONE_SEVERITY_NOTE:
        return "note";
    case SCONE_SEVERITY_WARNING:
        return "warning";
    case SCONE_SEVERITY_ERROR:
        return "error";
    }
    return "note";
}

static size_t count_severity(const scone_check *check, scone_severity severity)
{
    size_t count = 0;
    for (size_t f = 0; f < scone_check_count(check); f++) {
        count += scone_check_get(check, f)->severity == severity;
    }
    return count;
}

/* ---- JSON ---- */

/* The length of the column name that `text` starts with: the longest of the table's names that is
 * followed by ", " or the end, so that names with commas stay whole. */
static size_t name_length(const scone_table *table, const char *text)
{
    size_t best = 0;
    for (size_t c = 0; c < scone_table_columns(table); c++) {
        const char *name = scone_table_name(table, c);
        size_t length = strlen(name);
        if (length <= best || strncmp(text, name, length) != 0) continue;
        if (text[length] == '\0' || strncmp(text + length, ", ", 2) == 0) best = length;
    }
    if (best) return best;
    const char *comma = strstr(text, ", ");
    return comma ? (size_t)(comma - text) : strlen(text);
}

static void json_columns(json *j, cJSON *object, const scone_table *table, const char *columns)
{
    cJSON *array = json_array(j, object, "columns");
    while (*columns) {
        size_t length = name_length(table, columns);
        json_append_text(j, array, columns, length);
        columns += length;
        if (*columns) columns += 2; /* ", " */
    }
}

/* What is looked at: a pair, or a control and conditions. One condition is told as a pair is. */
typedef struct check_source {
    scone_pair *pair;
    scone_conditions *conditions;
    bool several;
    tables_files files;
} check_source;

static const scone_table *source_table(const check_source *c, size_t place)
{
    return c->conditions ? scone_conditions_table(c->conditions, place)
                         : scone_pair_table(c->pair, (int)place);
}

static size_t source_tables(const check_source *c)
{
    return c->conditions ? scone_conditions_count(c->conditions) + 1 : 2;
}

static void json_names(json *j, cJSON *object, const char *const *names, size_t count)
{
    cJSON *array = json_array(j, object, "conditions");
    for (size_t k = 0; k < count; k++) json_append_text(j, array, names[k], strlen(names[k]));
}

static int print_json(const scone_check *check, const check_source *source)
{
    json j;
    json_begin(&j);
    const scone_table *first = source_table(source, 0);
    if (source->several) {
        cJSON *names = json_array(&j, j.root, "tables");
        for (size_t k = 0; k < source_tables(source); k++) {
            const char *name = scone_conditions_name(source->conditions, k);
            json_append_text(&j, names, name, strlen(name));
        }
    }
    cJSON *rows = json_array(&j, j.root, "rows");
    for (size_t k = 0; k < source_tables(source); k++) {
        json_append_number(&j, rows, (double)scone_table_rows(source_table(source, k)));
    }
    json_number(&j, j.root, "columns", (double)scone_table_columns(first));
    cJSON *findings = json_array(&j, j.root, "findings");
    for (size_t f = 0; f < scone_check_count(check); f++) {
        const scone_finding *finding = scone_check_get(check, f);
        cJSON *object = json_append_object(&j, findings);
        json_text(&j, object, "severity", severity_name(finding->severity));
        json_text(&j, object, "code", finding->code);
        json_columns(&j, object, first, finding->columns);
        if (source->several) {
            json_names(&j, object, finding->conditions, finding->condition_count);
        }
        json_text(&j, object, "message", finding->message);
        json_text(&j, object, "remedy", finding->remedy);
        json_number(&j, object, "value", finding->value);
    }
    json_flag(&j, j.root, "ok", count_severity(check, SCONE_SEVERITY_ERROR) == 0);
    return json_end(&j);
}

/* ---- text ---- */

static void print_verdict(size_t errors, size_t warnings)
{
    if (errors) {
        (void)printf("These tables will be refused: %zu %s to mend first%s.\n", errors,
                     plural(errors, "error", "errors"), warnings ? ", and warnings besides" : "");
    } else if (warnings) {
        (void)printf("These tables will run, with %zu %s to look at.\n", warnings,
                     plural(warnings, "warning", "warnings"));
    } else {
        (void)printf("These tables are ready.\n");
    }
}

/* Findings [first, last) of one severity and code as one: the names and the worst of them. */
static void print_group(const scone_check *check, const scone_table *table, size_t first,
                        size_t last)
{
    const scone_finding *worst = scone_check_get(check, first);
    bool single = true; /* one column each */
    for (size_t f = first; f < last; f++) {
        const char *columns = scone_check_get(check, f)->columns;
        single &= columns[name_length(table, columns)] == '\0';
    }
    (void)printf("%s: %s: %zu %s: ", severity_name(worst->severity), worst->code, last - first,
                 single ? "columns" : "groups of columns");
    for (size_t f = first; f < last && f < first + GROUP_NAMES; f++) {
        (void)printf("%s%s", f > first ? (single ? ", " : "; ") : "",
                     scone_check_get(check, f)->columns);
    }
    if (last - first > GROUP_NAMES) (void)printf(" and %zu more", last - first - GROUP_NAMES);
    (void)printf("\n    The first of them: %s\n", worst->message);
    if (*worst->remedy) (void)printf("    To do: %s\n", worst->remedy);
    (void)printf("\n");
}

static void print_finding(const scone_finding *finding)
{
    (void)printf("%s: %s%s%s\n", severity_name(finding->severity), finding->code,
                 *finding->columns ? ": " : "", finding->columns);
    (void)printf("    %s\n", finding->message);
    if (*finding->remedy) (void)printf("    To do: %s\n", finding->remedy);
    (void)printf("\n");
}

/* The end of the findings that are like the one at `first`; findings are sorted. */
static size_t group_end(const scone_check *check, size_t first)
{
    const scone_finding *like = scone_check_get(check, first);
    size_t last = first + 1;
    for (; *like->columns && last < scone_check_count(check); last++) {
        const scone_finding *next = scone_check_get(check, last);
        if (next->severity != like->severity || strcmp(next->code, like->code) != 0) break;
    }
    return last;
}

/* "3 columns; 100 rows in regime 0, 90 in regime 1", or of the control and so many conditions */
static void print_sizes(const check_source *source)
{
    const scone_table *first = source_table(source, 0);
    size_t columns = scone_table_columns(first), count = source_tables(source) - 1;
    size_t least = SIZE_MAX, most = 0;
    (void)printf("%zu %s; %zu %s in ", columns, plural(columns, "column", "columns"),
                 scone_table_rows(first), plural(scone_table_rows(first), "row", "rows"));
    if (!source->several) {
        (void)printf("regime 0, %zu in regime 1\n\n", scone_table_rows(source_table(source, 1)));
        return;
    }
    for (size_t k = 1; k <= count; k++) {
        size_t rows = scone_table_rows(source_table(source, k));
        least = rows < least ? rows : least;
        most = rows > most ? rows : most;
    }
    (void)printf("the control, %zu", least);
    if (most > least) (void)printf(" to %zu", most);
    (void)printf(" in each of %zu conditions\n\n", count);
}

static int print_text(const scone_check *check, const check_source *source)
{
    const scone_table *first = source_table(source, 0);
    bool grouped = false;
    print_sizes(source);
    for (size_t f = 0, end; f < scone_check_count(check); f = end) {
        end = group_end(check, f);
        if (end - f >= GROUP_FROM) {
            print_group(check, first, f, end);
            grouped = true;
            continue;
        }
        for (size_t each = f; each < end; each++) print_finding(scone_check_get(check, each));
    }
    if (grouped) (void)printf("--json lists every finding of a group.\n");
    print_verdict(count_severity(check, SCONE_SEVERITY_ERROR),
                  count_severity(check, SCONE_SEVERITY_WARNING));
    return SCONE_OK;
}

/* ---- the command ---- */

static int read_source(check_source *c, session *s, const arguments *parsed,
                       const tables_options *o, const scone_read_options *how)
{
    if (!tables_many(parsed, o)) return tables_read(&c->pair, &c->files, s, parsed, o, how);
    int code = tables_many_read(&c->conditions, &c->files, s, parsed, o, how);
    c->several = code == SCONE_OK && scone_conditions_count(c->conditions) > 1;
    return code;
}

static int check_tables(session *s, const arguments *parsed, const tables_options *o, scone_na na)
{
    check_source source = {.pair = NULL};
    scone_check *check = NULL;
    const scone_read_options how = {.na = na, .allow_empty = true};
    int code = read_source(&source, s, parsed, o, &how);
    if (code == SCONE_OK) {
        scone_status status = source.conditions
                                  ? scone_check_conditions(&check, source.conditions, &s->context)
                                  : scone_check_run(&check, source.pair, &s->context);
        if (status != SCONE_OK) code = session_fail(s, status);
    }
    if (code == SCONE_OK) {
        session_hide_bar(s);
        code = s->as_json ? print_json(check, &source) : print_text(check, &source);
    }
    if (code == SCONE_OK && count_severity(check, SCONE_SEVERITY_ERROR) > 0) {
        code = SCONE_ERR_INPUT;
    }
    scone_check_free(check);
    scone_pair_free(source.pair);
    scone_conditions_free(source.conditions);
    tables_files_free(&source.files);
    return code;
}

int run_check(int argc, char **argv)
{
    session s = session_start();
    tables_options o = {0};
    int na = 0; /* of na_choices */
    const option table[] = {
        option_regime(&o),
        option_conditions(&o),
        option_index(&o),
        option_choice("na", 0, "HOW",
                      "missing or infinite cells: keep (default; each is\n"
                      "reported), drop (check the tables without those\n"
                      "rows), error (stop at the first, naming its place)",
                      na_choices, &na, NULL),
        option_threads(&s),
        option_memory(&s),
        option_json(&s),
        option_quiet(&s),
        {.name = NULL},
    };
    arguments parsed;
    if (!options_parse(&parsed, &command_check, table, argc, argv)) return SCONE_ERR_USAGE;
    if (parsed.help) {
        options_help(stdout, &command_check, table);
        return stdout_check(SCONE_OK);
    }
    int code = tables_many(&parsed, &o) ? tables_many_usage(&command_check, &parsed, &o)
                                        : tables_usage(&command_check, &parsed, &o);
    if (code == SCONE_OK) code = session_open(&s);
    if (code != SCONE_OK) return code;
    return session_close(&s, check_tables(&s, &parsed, &o, na_values[na]));
}
