/* cmd_verify_data.c - scone verify --data (see cmd_verify_data.h). */
#include "cmd_verify_data.h"

#include "printing.h"
#include "setting_options.h"

#include <math.h>
#include <stdlib.h>

const char *data_option_given(const data_options *d)
{
    if (d->rows) return "--rows";
    if (d->subsets) return "--subsets";
    if (d->mechanisms) return "--mechanisms";
    if (d->count) return "--count";
    if (d->restarts) return "--restarts";
    if (d->seed_given) return "--seed";
    return NULL;
}

/* "250,1000": whole numbers with commas; false if it is something else or too long. */
static bool read_list(size_t *list, size_t *count, const char *text)
{
    *count = 0;
    for (const char *at = text;; at++) {
        char *end;
        if (*at < '0' || *at > '9' || *count == SCONE_CONSISTENCY_MOST_POINTS) return false;
        unsigned long value = strtoul(at, &end, 10);
        if (end - at > 9 || value == 0) return false;
        list[(*count)++] = value;
        at = end;
        if (!*at) return true;
        if (*at != ',') return false;
    }
}

int data_options_read(scone_consistency_options *o, const command *about, const data_options *d)
{
    if (d->rows && !read_list(o->rows, &o->row_count, d->rows)) {
        return usage_error(about, "--rows takes up to %d numbers with commas, not '%.100s'",
                           SCONE_CONSISTENCY_MOST_POINTS, d->rows);
    }
    if (d->subsets && !read_list(o->subsets, &o->subset_count, d->subsets)) {
        return usage_error(about, "--subsets takes up to %d numbers with commas, not '%.100s'",
                           SCONE_CONSISTENCY_MOST_POINTS, d->subsets);
    }
    if (d->mechanisms) {
        o->families = parse_mechanisms(about, d->mechanisms);
        if (!o->families) return SCONE_ERR_USAGE;
    }
    o->count = d->count;
    o->restarts = d->restarts;
    o->seed = d->seed;
    return SCONE_OK;
}

/* ---- JSON ---- */

static double share(size_t part, size_t whole)
{
    return whole ? (double)part / (double)whole : (double)NAN;
}

static void json_point(json *j, cJSON *points, const scone_consistency_point *p)
{
    cJSON *object = json_append_object(j, points);
    json_integer(j, object, "rows", p->rows);
    if (p->subsets) {
        json_integer(j, object, "subsets", p->subsets);
    } else {
        json_text(j, object, "subsets", "all");
    }
    json_number(j, object, "alpha", p->alpha);
    json_integer(j, object, "graphs", p->graphs);
    json_integer(j, object, "equal", p->equal);
    json_number(j, object, "share", p->share);
    json_number(j, object, "error", p->error);
    json_integer(j, object, "equal_known", p->equal_known);
    json_integer(j, object, "equal_obs", p->equal_obs);
    json_integer(j, object, "literals", p->literals);
    json_integer(j, object, "literal_right", p->literal_right);
    json_integer(j, object, "false_changes", p->false_changes);
    json_integer(j, object, "missed_changes", p->missed_changes);
    json_integer(j, object, "directions", p->directions);
    json_integer(j, object, "found", p->found);
    json_integer(j, object, "found_right", p->found_right);
}

static int print_json(const scone_consistency *r)
{
    const scone_consistency_options *o = scone_consistency_used(r);
    json j;
    json_begin(&j);
    json_integer(&j, j.root, "nodes", o->nodes);
    json_integer(&j, j.root, "subset_size", o->subset_size);
    cJSON *points = json_array(&j, j.root, "points");
    for (size_t i = 0; i < scone_consistency_points(r); i++) {
        json_point(&j, points, scone_consistency_point_get(r, i));
    }
    cJSON *coverage = json_array(&j, j.root, "coverage");
    for (size_t i = 0; i < scone_consistency_coverages(r); i++) {
        const scone_consistency_coverage *c = scone_consistency_coverage_get(r, i);
        cJSON *object = json_append_object(&j, coverage);
        json_integer(&j, object, "subsets", c->subsets);
        json_integer(&j, object, "hits", c->hits);
        json_integer(&j, object, "directions", c->directions);
        json_number(&j, object, "measured", c->measured);
        json_number(&j, object, "error", c->error);
        json_number(&j, object, "independent", c->independent);
        json_number(&j, object, "bound", c->bound);
        json_integer(&j, object, "above", c->above);
        json_integer(&j, object, "outside", c->outside);
    }
    json_integer(&j, j.root, "unwitnessed", scone_consistency_unwitnessed(r));
    return json_end(&j);
}

/* ---- text ---- */

static int print_points(const scone_consistency *r)
{
    static const char *const heads[] = {"rows",  "subsets", "G_test", "+-",     "known",
                                        "H_obs", "tests",   "missed", "recall", "precision"};
    enum { COLUMNS = sizeof heads / sizeof *heads };
    text_table table;
    table_begin(&table, COLUMNS);
    table_row(&table);
    for (size_t h = 0; h < COLUMNS; h++) table_cell(&table, h, "%s", heads[h]);
    for (size_t i = 0; i < scone_consistency_points(r); i++) {
        const scone_consistency_point *p = scone_consistency_point_get(r, i);
        table_row(&table);
        table_cell(&table, 0, "%zu", p->rows);
        if (p->subsets) {
            table_cell(&table, 1, "%zu", p->subsets);
        } else {
            table_cell(&table, 1, "all");
        }
        table_number(&table, 2, 3, p->share);
        table_number(&table, 3, 3, p->error);
        table_number(&table, 4, 3, share(p->equal_known, p->graphs));
        table_number(&table, 5, 3, share(p->equal_obs, p->graphs));
        table_number(&table, 6, 3, share(p->literal_right, p->literals));
        table_cell(&table, 7, "%zu", p->missed_changes);
        table_number(&table, 8, 3, share(p->found_right, p->directions));
        table_number(&table, 9, 3, share(p->found_right, p->found));
    }
    return table_end(&table);
}

static int print_coverage(const scone_consistency *r)
{
    static const char *const heads[] = {"subsets",     "hits",  "sampler", "+-",
                                        "independent", "bound", "above",   "outside"};
    enum { COLUMNS = sizeof heads / sizeof *heads };
    text_table table;
    table_begin(&table, COLUMNS);
    table_row(&table);
    for (size_t h = 0; h < COLUMNS; h++) table_cell(&table, h, "%s", heads[h]);
    for (size_t i = 0; i < scone_consistency_coverages(r); i++) {
        const scone_consistency_coverage *c = scone_consistency_coverage_get(r, i);
        table_row(&table);
        table_cell(&table, 0, "%zu", c->subsets);
        table_cell(&table, 1, "%zu", c->hits);
        table_number(&table, 2, 4, c->measured);
        table_number(&table, 3, 4, c->error);
        table_number(&table, 4, 4, c->independent);
        table_number(&table, 5, 4, c->bound);
        table_cell(&table, 6, "%zu", c->above);
        table_cell(&table, 7, "%zu", c->outside);
    }
    return table_end(&table);
}

static int print_text(const scone_consistency *r)
{
    const scone_consistency_options *o = scone_consistency_used(r);
    size_t coverages = scone_consistency_coverages(r);
    size_t covered = coverages ? scone_consistency_coverage_get(r, 0)->directions : 0;
    size_t unwitnessed = scone_consistency_unwitnessed(r);
    (void)printf("%zu simulated %s of %zu nodes, subsets of %zu\n\n", o->count,
                 plural(o->count, "graph", "graphs"), o->nodes, o->subset_size);
    (void)printf(
        "Share of graphs found from data that are G_test; known: if all tests were right;\n"
        "tests: share of (v, Z) answered rightly; recall, precision: of directions:\n");
    int code = print_points(r);
    if (code != SCONE_OK) return code;
    (void)printf("\nChance that fewer than `hits` sampled subsets witness a direction of G_test,\n"
                 "over %zu directions; %zu %s no witness:\n",
                 covered, unwitnessed, plural(unwitnessed, "has", "have"));
    return coverages ? print_coverage(r) : SCONE_OK;
}

int verify_data(session *s, const scone_consistency_options *o, const char *output, bool force)
{
    scone_consistency *r = NULL;
    int code = SCONE_OK;
    scone_status status = output ? scone_consistency_check_folder(output, force) : SCONE_OK;
    if (status == SCONE_OK) status = scone_consistency_run(&r, o, &s->context);
    if (status != SCONE_OK) code = session_fail(s, status);
    if (code == SCONE_OK) {
        session_hide_bar(s);
        code = s->as_json ? print_json(r) : print_text(r);
    }
    if (code == SCONE_OK && output) { /* last: a failure above leaves no file */
        status = scone_consistency_write(r, output, force);
        if (status != SCONE_OK) code = session_fail(s, status);
    }
    scone_consistency_free(r);
    return code;
}
