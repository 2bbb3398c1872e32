/* history.c - the curves of a training (see history.h). */
#include "train/history.h"

#include "io/file.h"
#include "text/number/number.h"

#include <math.h>
#include <string.h>

static const char *const names[HISTORY_COLUMNS] = {
    "step",       "rate",        "loss",        "cross_entropy", "shd_term",
    "rank_term",  "global_term", "gate_term",   "right",         "gradient_norm",
    "validation", "temperature", "calibration", "threshold",     "error",
    "shd",        "f1",          "shd_half",    "f1_half"};

scone_status history_add(history *h, const history_row row)
{
    if (h->count == h->capacity) {
        size_t capacity = h->capacity ? 2 * h->capacity : 64;
        history_row *rows = mem_resize(h->rows, capacity, sizeof *rows);
        if (!rows) return SCONE_ERR_MEMORY;
        h->rows = rows;
        h->capacity = capacity;
    }
    memcpy(h->rows[h->count++], row, sizeof *h->rows);
    return SCONE_OK;
}

void history_clear(history *h)
{
    mem_free(h->rows);
    *h = (history){0};
}

scone_status history_write_csv(const history *h, const char *path)
{
    scone_status status = SCONE_OK;
    output_file *stream = NULL;
    char text[NUMBER_TEXT_SIZE];
    TRY(output_open(&stream, path));
    for (size_t c = 0; c < HISTORY_COLUMNS; c++) {
        TRY(output_print(stream, "%s%s", c ? "," : "", names[c]));
    }
    for (size_t r = 0; r < h->count; r++) {
        for (size_t c = 0; c < HISTORY_COLUMNS; c++) {
            (void)number_format(text, h->rows[r][c]);
            TRY(output_print(stream, "%s%s", c ? "," : "\n", text));
        }
    }
    TRY(output_print(stream, "\n"));
    TRY(output_commit(&stream));
cleanup:
    output_discard(stream);
    return status;
}

/* ---- the drawing ---- */

static const double plot_width = 340.0, plot_height = 200.0, left = 56.0, top = 40.0, gap = 70.0;
enum { PANEL_CURVES = 2, TICKS = 4 };

typedef struct panel {
    const char *title;
    history_column curves[PANEL_CURVES];
    const char *labels[PANEL_CURVES];
    double low, high; /* of the values */
} panel;

/* With so many digits after the point, without the locale. */
static scone_status print_fixed(output_file *stream, double value, int digits)
{
    unsigned long unit = 1;
    for (int d = 0; d < digits; d++) unit *= 10;
    unsigned long scaled = (unsigned long)(fabs(value) * (double)unit + 0.5);
    const char *sign = value < 0.0 && scaled > 0 ? "-" : "";
    if (digits == 0) return output_print(stream, "%s%lu", sign, scaled);
    return output_print(stream, "%s%lu.%0*lu", sign, scaled / unit, digits, scaled % unit);
}

static void find_range(panel *p, const history *h)
{
    p->low = 0.0;
    p->high = 1e-9;
    for (size_t r = 0; r < h->count; r++) {
        for (int k = 0; k < PANEL_CURVES; k++) p->high = fmax(p->high, h->rows[r][p->curves[k]]);
    }
}

static double place_x(const history *h, double step, double origin)
{
    return origin + plot_width * step / fmax(h->rows[h->count - 1][HISTORY_STEP], 1.0);
}

static double place_y(const panel *p, double value)
{
    double share = (value - p->low) / (p->high - p->low);
    return top + plot_height * (1.0 - fmin(fmax(share, 0.0), 1.0));
}

static scone_status draw_label(output_file *stream, const char *class, double x, double y)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, "<text class=\"%s\" x=\"", class));
    TRY(print_fixed(stream, x, 1));
    TRY(output_print(stream, "\" y=\""));
    TRY(print_fixed(stream, y, 1));
    TRY(output_print(stream, "\">"));
cleanup:
    return status;
}

static scone_status draw_axes(output_file *stream, const panel *p, const history *h, double origin)
{
    scone_status status = SCONE_OK;
    double last = h->rows[h->count - 1][HISTORY_STEP];
    TRY(draw_label(stream, "title", origin, top - 14.0));
    TRY(output_print(stream, "%s</text>\n", p->title));
    for (int k = 0; k <= TICKS; k++) {
        double share = k / (double)TICKS, y = top + plot_height * (1.0 - share);
        TRY(output_print(stream, "<path class=\"grid\" d=\"M"));
        TRY(print_fixed(stream, origin, 1));
        TRY(output_print(stream, " "));
        TRY(print_fixed(stream, y, 1));
        TRY(output_print(stream, "h%d\"/>\n", (int)plot_width));
        TRY(draw_label(stream, "value", origin - 6.0, y + 4.0));
        TRY(print_fixed(stream, p->low + share * (p->high - p->low), 2));
        TRY(output_print(stream, "</text>\n"));
        TRY(draw_label(stream, "step", origin + plot_width * share, top + plot_height + 18.0));
        TRY(print_fixed(stream, last * share, 0));
        TRY(output_print(stream, "</text>\n"));
    }
cleanup:
    return status;
}

static scone_status draw_curve(output_file *stream, const panel *p, const history *h, double origin,
                               int k)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, "<polyline class=\"curve%d\" points=\"", k));
    for (size_t r = 0; r < h->count; r++) {
        TRY(output_print(stream, "%s", r ? " " : ""));
        TRY(print_fixed(stream, place_x(h, h->rows[r][HISTORY_STEP], origin), 1));
        TRY(output_print(stream, ","));
        TRY(print_fixed(stream, place_y(p, h->rows[r][p->curves[k]]), 1));
    }
    TRY(output_print(stream, "\"/>\n"));
    TRY(draw_label(stream, k ? "name1" : "name0", origin + 110.0 * k, top + plot_height + 38.0));
    TRY(output_print(stream, "%s %s</text>\n", k ? "- - -" : "___", p->labels[k]));
cleanup:
    return status;
}

scone_status history_write_svg(const history *h, const char *path)
{
    scone_status status = SCONE_OK;
    output_file *stream = NULL;
    panel panels[2] = {
        {"loss", {HISTORY_LOSS, HISTORY_VALIDATION_LOSS}, {"training", "validation"}, 0.0, 0.0},
        {"validation graphs", {HISTORY_ERROR, HISTORY_F1}, {"SHD / edges", "F1"}, 0.0, 0.0}};
    TRY(output_open(&stream, path));
    TRY(output_print(
        stream,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n"
        "<style>.grid{stroke:#ccc;fill:none}.curve0,.curve1{fill:none;stroke:#1a5fb4;"
        "stroke-width:1.6}.curve1{stroke:#c64600;stroke-dasharray:5 3}.name0{fill:#1a5fb4}"
        ".name1{fill:#c64600}.value{text-anchor:end}.step{text-anchor:middle}"
        ".title{font-weight:bold}</style>\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
        (int)(2.0 * (left + plot_width) + gap), (int)(top + plot_height + 52.0)));
    for (int k = 0; k < 2 && h->count > 0; k++) {
        double origin = left + k * (plot_width + gap);
        find_range(&panels[k], h);
        TRY(draw_axes(stream, &panels[k], h, origin));
        for (int c = 0; c < PANEL_CURVES; c++) TRY(draw_curve(stream, &panels[k], h, origin, c));
    }
    TRY(output_print(stream, "</svg>\n"));
    TRY(output_commit(&stream));
cleanup:
    output_discard(stream);
    return status;
}
