/* curves.c - line charts as SVG (see curves.h). The first curve of a panel is solid, the others
 * dashed and dotted, so that they can be told apart without colours. */
#include "draw/curves.h"

#include "report/report.h"

#include <math.h>

static const double plot_width = 250.0, plot_height = 170.0, left = 48.0, top = 34.0, gap = 40.0,
                    below = 88.0;

typedef struct range {
    double low, high; /* of log x */
} range;

static range range_of(const panel *p)
{
    range r = {(double)INFINITY, -(double)INFINITY};
    for (size_t c = 0; c < p->count; c++) {
        for (size_t i = 0; i < p->curves[c].count; i++) {
            r.low = fmin(r.low, log(p->curves[c].x[i]));
            r.high = fmax(r.high, log(p->curves[c].x[i]));
        }
    }
    if (r.high - r.low < 1e-9) { /* one point stands in the middle */
        r.low -= 1.0;
        r.high += 1.0;
    }
    return r;
}

static double place_x(range r, double x, double origin)
{
    return origin + plot_width * (0.04 + 0.92 * (log(x) - r.low) / (r.high - r.low));
}

static double place_y(double y)
{
    return top + plot_height * (1.0 - fmin(fmax(y, 0.0), 1.0));
}

/* <what x1=".." y1=".." x2=".." y2=".."/> */
static scone_status write_line(output_file *stream, const char *class, double x1, double y1,
                               double x2, double y2)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, "<line class=\"%s\" x1=\"", class));
    TRY(number_print_decimals(stream, x1, 1));
    TRY(output_print(stream, "\" y1=\""));
    TRY(number_print_decimals(stream, y1, 1));
    TRY(output_print(stream, "\" x2=\""));
    TRY(number_print_decimals(stream, x2, 1));
    TRY(output_print(stream, "\" y2=\""));
    TRY(number_print_decimals(stream, y2, 1));
    TRY(output_print(stream, "\"/>\n"));
cleanup:
    return status;
}

/* <text class=".." x=".." y="..">, to be followed by the text and </text> */
static scone_status begin_text(output_file *stream, const char *class, double x, double y)
{
    scone_status status = SCONE_OK;
    TRY(output_print(stream, "<text class=\"%s\" x=\"", class));
    TRY(number_print_decimals(stream, x, 1));
    TRY(output_print(stream, "\" y=\""));
    TRY(number_print_decimals(stream, y, 1));
    TRY(output_print(stream, "\">"));
cleanup:
    return status;
}

static scone_status write_text(output_file *stream, const char *class, double x, double y,
                               const char *text)
{
    scone_status status = SCONE_OK;
    TRY(begin_text(stream, class, x, y));
    TRY(output_print(stream, "%s</text>\n", text));
cleanup:
    return status;
}

/* Lines at 0, 0.25, ... 1, and a mark at each x of the first curve. */
static scone_status draw_axes(output_file *stream, const panel *p, range r, double origin)
{
    scone_status status = SCONE_OK;
    TRY(write_text(stream, "m t", origin + 0.5 * plot_width, top - 14.0, p->title));
    for (int step = 0; step <= 4; step++) {
        double y = place_y(0.25 * step);
        TRY(write_line(stream, "g", origin, y, origin + plot_width, y));
        TRY(begin_text(stream, "e", origin - 6.0, y + 4.0));
        TRY(number_print_decimals(stream, 0.25 * step, 2));
        TRY(output_print(stream, "</text>\n"));
    }
    for (size_t i = 0; p->count && i < p->curves[0].count; i++) {
        double x = place_x(r, p->curves[0].x[i], origin);
        TRY(write_line(stream, "g", x, top + plot_height, x, top + plot_height + 4.0));
        TRY(begin_text(stream, "m", x, top + plot_height + 17.0));
        TRY(number_print_decimals(stream, p->curves[0].x[i], 0));
        TRY(output_print(stream, "</text>\n"));
    }
    TRY(write_text(stream, "m", origin + 0.5 * plot_width, top + plot_height + 32.0, p->axis));
cleanup:
    return status;
}

static scone_status draw_curve(output_file *stream, const curve *c, size_t number, range r,
                               double origin)
{
    scone_status status = SCONE_OK;
    double legend = top + plot_height + 48.0 + 14.0 * (double)number;
    char class[] = {'c', (char)('0' + number), '\0'};
    TRY(output_print(stream, "<path class=\"%s\" d=\"", class));
    for (size_t i = 0; i < c->count; i++) {
        TRY(output_print(stream, i ? " L" : "M"));
        TRY(number_print_decimals(stream, place_x(r, c->x[i], origin), 1));
        TRY(output_print(stream, ","));
        TRY(number_print_decimals(stream, place_y(c->y[i]), 1));
    }
    TRY(output_print(stream, "\"/>\n"));
    for (size_t i = 0; i < c->count; i++) {
        double x = place_x(r, c->x[i], origin);
        TRY(output_print(stream, "<circle class=\"%s\" r=\"2.6\" cx=\"", class));
        TRY(number_print_decimals(stream, x, 1));
        TRY(output_print(stream, "\" cy=\""));
        TRY(number_print_decimals(stream, place_y(c->y[i]), 1));
        TRY(output_print(stream, "\"/>\n"));
        if (!(c->error[i] > 0.0)) continue;
        TRY(write_line(stream, class, x, place_y(c->y[i] - c->error[i]), x,
                       place_y(c->y[i] + c->error[i])));
    }
    TRY(write_line(stream, class, origin, legend - 4.0, origin + 26.0, legend - 4.0));
    TRY(write_text(stream, "s", origin + 32.0, legend, c->name));
cleanup:
    return status;
}

scone_status curves_write(output_file *stream, const panel *panels, size_t count)
{
    scone_status status = SCONE_OK;
    double width = (left + plot_width + gap) * (double)count, height = top + plot_height + below;
    TRY(output_print(stream, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\""));
    TRY(number_print_decimals(stream, width, 0));
    TRY(output_print(stream, "\" height=\""));
    TRY(number_print_decimals(stream, height, 0));
    TRY(output_print(stream, "\" viewBox=\"0 0 "));
    TRY(number_print_decimals(stream, width, 0));
    TRY(output_print(stream, " "));
    TRY(number_print_decimals(stream, height, 0));
    TRY(output_print(stream,
                     "\">\n<style>text{font:11px sans-serif;fill:#222}.t{font-weight:bold}"
                     ".m{text-anchor:middle}.e{text-anchor:end}.s{text-anchor:start}"
                     "path{fill:none}path,line{stroke-width:1.6}.g{stroke:#ccc;stroke-width:1}"
                     ".c0{stroke:#0b5cad}.c1{stroke:#b3541e;stroke-dasharray:6 3}"
                     ".c2{stroke:#3f7d3f;stroke-dasharray:2 3}"
                     "circle{fill:#fff}circle.c1,circle.c2{stroke-dasharray:none}</style>\n"
                     "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"));
    for (size_t p = 0; p < count; p++) {
        double origin = left + (left + plot_width + gap) * (double)p;
        range r = range_of(&panels[p]);
        TRY(draw_axes(stream, &panels[p], r, origin));
        for (size_t c = panels[p].count; c > 0; c--) { /* the first on top */
            TRY(draw_curve(stream, &panels[p].curves[c - 1], c - 1, r, origin));
        }
    }
    TRY(output_print(stream, "</svg>\n"));
cleanup:
    return status;
}
