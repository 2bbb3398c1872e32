/* report_conditions.c - several conditions beside each other: sizes.csv, and in report.html the
 * table of sizes and the list of what changed (see report.h). Names are text and never markup.
 */
#include "report/report.h"

#include "text/write/delimited_write.h"

#include <math.h>
#include <stdlib.h>

/* The table on the page has no more variables than this; and where there are more conditions than
 * this, only those in which something changed. The list has no more rows than this. */
enum { VARIABLES_SHOWN = 200, CONDITIONS_SHOWN = 12, CHANGES_SHOWN = 1000 };

/* Significant digits in sizes.csv, as in targets.csv. */
enum { DIGITS = 4 };

/* ---- the table by variable ---- */

/* [variables, conditions] */
typedef struct size_table {
    const scone_result *r;
    const scone_target **cells;
} size_table;

static scone_status open_table(size_table *t, const scone_result *r)
{
    scone_status status = SCONE_OK;
    size_t cells;
    *t = (size_table){.r = r};
    if (!size_multiply(&cells, r->map.count, r->conditions))
        FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY_ALLOC(t->cells, cells);
    for (size_t k = 0; k < r->conditions; k++) {
        for (size_t i = 0; i < r->map.count; i++) {
            const scone_target *target = scone_result_condition_target(r, k, i);
            t->cells[report_variable(r, target->variable) * r->conditions + k] = target;
        }
    }
cleanup:
    return status;
}

static const scone_target *cell(const size_table *t, size_t variable, size_t condition)
{
    return t->cells[variable * t->r->conditions + condition];
}

/* Variables that are called changed. */
static size_t count_changed(const scone_result *r, size_t condition)
{
    size_t count = 0;
    for (size_t i = 0; i < r->map.count; i++) {
        count += scone_result_condition_target(r, condition, i)->target;
    }
    return count;
}

/* ---- sizes.csv ---- */

scone_status report_sizes(output_file *stream, const scone_result *r)
{
    size_table t;
    delimited_writer w = delimited_write_start(stream, ',');
    scone_status status = open_table(&t, r);
    if (status != SCONE_OK) return status;
    delimited_write_words(&w, "variable");
    for (size_t k = 0; k < r->conditions; k++) delimited_write_text(&w, r->condition_names[k]);
    delimited_write_end(&w);
    for (size_t v = 0; v < r->map.count; v++) {
        delimited_write_text(&w, r->map.names[v]);
        for (size_t k = 0; k < r->conditions; k++) {
            delimited_write_rounded(&w, cell(&t, v, k)->size, DIGITS);
        }
        delimited_write_end(&w);
    }
    mem_free(t.cells);
    return w.out.status;
}

/* ---- which rows and columns the page shows ---- */

typedef struct shown_row {
    size_t variable;
    double largest;
    bool changed; /* in any condition */
} shown_row;

/* A variable that moved farther comes first; ties fall by name. */
static int compare_sizes(const void *left, const void *right)
{
    const shown_row *a = left, *b = right;
    if (a->largest != b->largest) return a->largest > b->largest ? -1 : 1;
    return (a->variable > b->variable) - (a->variable < b->variable);
}

/* Those that changed somewhere come first: they must not be cut off. */
static int compare_changed(const void *left, const void *right)
{
    const shown_row *a = left, *b = right;
    if (a->changed != b->changed) return a->changed ? -1 : 1;
    return compare_sizes(left, right);
}

/* Sorts the rows [variables] that are shown to the front, and returns how many these are. */
static size_t choose_rows(shown_row *rows, const size_table *t)
{
    size_t count = t->r->map.count;
    for (size_t v = 0; v < count; v++) {
        rows[v] = (shown_row){.variable = v};
        for (size_t k = 0; k < t->r->conditions; k++) {
            rows[v].largest = fmax(rows[v].largest, cell(t, v, k)->size);
            rows[v].changed = rows[v].changed || cell(t, v, k)->target;
        }
    }
    qsort(rows, count, sizeof *rows, compare_changed);
    if (count > VARIABLES_SHOWN) count = VARIABLES_SHOWN;
    qsort(rows, count, sizeof *rows, compare_sizes);
    return count;
}

static size_t choose_columns(size_t *columns, const scone_result *r)
{
    size_t count = 0;
    for (size_t k = 0; k < r->conditions; k++) {
        bool shown = r->conditions <= CONDITIONS_SHOWN || count_changed(r, k) > 0;
        if (shown) columns[count++] = k;
    }
    return count;
}

/* ---- the page ---- */

/* What the table leaves out, and where all of it is. */
static void write_rest(xml_writer *x, const scone_result *r, size_t rows, size_t columns)
{
    xml_write_markup(x, "<p class=\"sub\">");
    if (rows < r->map.count) {
        xml_write_print(x,
                        "The table has %zu of %zu variables: those that changed somewhere, then "
                        "those that moved farthest. ",
                        rows, r->map.count);
    }
    if (columns < r->conditions) {
        xml_write_print(x, "It has the %zu of %zu conditions in which something changed. ", columns,
                        r->conditions);
    }
    xml_write_markup(x, "<a href=\"sizes.csv\">sizes.csv</a> has every size, and <a "
                        "href=\"targets.csv\">targets.csv</a> the reasons.</p>\n");
}

static void write_cell(xml_writer *x, const scone_target *target)
{
    xml_write_open(x, "td");
    xml_write_attribute(x, "class", target->target ? "v t" : "v");
    xml_write_decimals(x, target->size, 2);
    if (target->target) xml_write_markup(x, " &#9679;");
    xml_write_close(x);
}

static void write_table(xml_writer *x, const size_table *t, const shown_row *rows, size_t row_count,
                        const size_t *columns, size_t column_count)
{
    const scone_result *r = t->r;
    xml_write_markup(x, "<div class=\"figure\">\n<table class=\"sizes\"><thead><tr>"
                        "<th>variable</th>");
    for (size_t c = 0; c < column_count; c++) {
        xml_write_open(x, "th");
        xml_write_attribute(x, "class", column_count > CONDITIONS_SHOWN ? "v tall" : "v");
        xml_write_element(x, "span", r->condition_names[columns[c]]);
        xml_write_close(x);
    }
    xml_write_markup(x, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < row_count; i++) {
        xml_write_open(x, "tr");
        xml_write_element(x, "th", r->map.names[rows[i].variable]);
        for (size_t c = 0; c < column_count; c++) {
            write_cell(x, cell(t, rows[i].variable, columns[c]));
        }
        xml_write_close(x);
    }
    xml_write_markup(x, "</tbody></table>\n</div>\n");
}

static scone_status write_sizes(xml_writer *x, const scone_result *r)
{
    scone_status status = SCONE_OK;
    size_table t = {.r = r};
    shown_row *rows = NULL;
    size_t *columns = NULL;
    TRY(open_table(&t, r));
    TRY_ALLOC(rows, r->map.count);
    TRY_ALLOC(columns, r->conditions);
    size_t row_count = choose_rows(rows, &t), column_count = choose_columns(columns, r);
    xml_write_markup(x, "<h2>How far each mechanism moved, by condition</h2>\n"
                        "<p>In standard deviations of what the control's mechanism leaves "
                        "unexplained; the variable that moved farthest comes first. <span "
                        "class=\"key\"></span> &#9679; marks a changed mechanism.</p>\n");
    if (column_count > 0) write_table(x, &t, rows, row_count, columns, column_count);
    write_rest(x, r, row_count, column_count);
cleanup:
    mem_free(t.cells);
    mem_free(rows);
    mem_free(columns);
    return status;
}

/* The conditions in which nothing changed, or "" if there are none. */
static void write_unchanged(xml_writer *x, const scone_result *r)
{
    size_t listed = 0;
    for (size_t k = 0; k < r->conditions; k++) {
        if (count_changed(r, k) > 0) continue;
        if (listed == 0) xml_write_open(x, "p");
        xml_write_text(x, listed++ ? ", " : "No mechanism is found to have changed in ");
        xml_write_text(x, r->condition_names[k]);
    }
    if (listed == 0) return;
    xml_write_text(x, ".");
    xml_write_close(x);
}

static void write_change(xml_writer *x, const scone_result *r, size_t condition,
                         const scone_target *target)
{
    xml_write_open(x, "tr");
    xml_write_element(x, "td", r->condition_names[condition]);
    xml_write_element(x, "td", report_name(r, target->variable));
    report_number(x, target->size, 2);
    report_p_value(x, target->p_value);
    report_number(x, target->evidence, 1);
    xml_write_element(x, "td", target->reason);
    xml_write_close(x);
}

/* What changed in each condition, the farthest first. */
static void write_changes(xml_writer *x, const scone_result *r)
{
    size_t all = 0, shown = 0;
    for (size_t k = 0; k < r->conditions; k++) all += count_changed(r, k);
    xml_write_markup(x, "<h2>What changed in each condition, the farthest first</h2>\n");
    if (all > 0) {
        xml_write_markup(x, "<table><thead><tr><th>condition</th><th>variable</th>"
                            "<th class=\"v\">size</th><th class=\"v\">p-value</th>"
                            "<th class=\"v\">evidence</th><th>why</th></tr></thead>\n<tbody>\n");
        for (size_t k = 0; k < r->conditions; k++) {
            for (size_t t = 0; t < r->map.count && shown < CHANGES_SHOWN; t++) {
                const scone_target *target = scone_result_condition_target(r, k, t);
                if (!target->target) continue;
                write_change(x, r, k, target);
                shown++;
            }
        }
        xml_write_markup(x, "</tbody></table>\n");
    }
    if (shown < all) {
        xml_write_print(x,
                        "<p class=\"sub\">And %zu more in <a href=\"targets.csv\">targets.csv</a>."
                        "</p>\n",
                        all - shown);
    }
    write_unchanged(x, r);
}

scone_status report_html_conditions(xml_writer *x, const scone_result *r)
{
    scone_status status = write_sizes(x, r);
    if (status == SCONE_OK) write_changes(x, r);
    return status;
}
