/* curves.c - line charts as SVG (see curves.h). The first curve of a panel is solid, the others
 * dashed and dotted, so that they can be told apart without colours. */
#include "draw/curves.h"

#include "draw/svg.h"

#include <math.h>

static const double plot_width = 250.0, plot_height = 170.0, left = 48.0, top = 34.0, gap = 40.0,
                    below = 88.0;
enum { STEPS = 4 /* of an even axis */ };

static const char style[] =
    "text{font:11px sans-serif;fill:#222}.t{font-weight:bold}"
    ".m{text-anchor:middle}.e{text-anchor:end}.s{text-anchor:start}"
    "path{fill:none}path,line{stroke-width:1.6}.g{stroke:#ccc;stroke-width:1}"
    ".c0{stroke:#0b5cad}.c1{stroke:#b3541e;stroke-dasharray:6 3}"
    ".c2{stroke:#3f7d3f;stroke-dasharray:2 3}"
    "circle{fill:#fff}circle.c1,circle.c2{stroke-dasharray:none}";

/* A panel and how its values become places. */
typedef struct frame {
    const panel *panel;
    double origin;    /* the left end of the plot */
    double low, last; /* of x, or of log x */
    double high;      /* of y */
} frame;

static double scaled(const panel *p, double x)
{
    return p->measured ? log(x) : x;
}

static bool has_value(const curve *c, size_t i)
{
    return isfinite(c->x[i * c->stride]) && isfinite(c->y[i * c->stride]);
}

static frame frame_of(const panel *p, size_t place)
{
    frame f = {p, left + (left + plot_width + gap) * (double)place, 0.0, 0.0, p->high};
    if (p->measured) {
        f.low = (double)INFINITY;
        f.last = -(double)INFINITY;
    }
    for (size_t k = 0; k < p->count; k++) {
        const curve *c = &p->curves[k];
        for (size_t i = 0; i < c->count; i++) {
            if (!has_value(c, i)) continue;
            f.low = fmin(f.low, scaled(p, c->x[i * c->stride]));
            f.last = fmax(f.last, scaled(p, c->x[i * c->stride]));
            if (!(p->high > 0.0)) f.high = fmax(f.high, c->y[i * c->stride]);
        }
    }
    if (!(f.last - f.low >= 1e-9)) { /* one point stands in the middle */
        f.low = p->measured ? f.low - 1.0 : 0.0;
        f.last = p->measured ? f.last + 1.0 : 1.0;
    }
    f.high = fmax(f.high, 1e-9);
    return f;
}

static double place_x(const frame *f, double x)
{
    double share = (scaled(f->panel, x) - f->low) / (f->last - f->low);
    return f->origin + plot_width * (f->panel->measured ? 0.04 + 0.92 * share : share);
}

static double place_y(const frame *f, double y)
{
    return top + plot_height * (1.0 - fmin(fmax(y / f->high, 0.0), 1.0));
}

static void draw_line(xml_writer *x, const char *class, double x1, double y1, double x2, double y2)
{
    xml_write_open(x, "line");
    xml_write_attribute(x, "class", class);
    xml_write_length(x, "x1", x1);
    xml_write_length(x, "y1", y1);
    xml_write_length(x, "x2", x2);
    xml_write_length(x, "y2", y2);
    xml_write_close(x);
}

/* A <text>, to be filled and closed. */
static void open_text(xml_writer *x, const char *class, double at_x, double at_y)
{
    xml_write_open(x, "text");
    xml_write_attribute(x, "class", class);
    xml_write_length(x, "x", at_x);
    xml_write_length(x, "y", at_y);
}

static void draw_text(xml_writer *x, const char *class, double at_x, double at_y, const char *text)
{
    open_text(x, class, at_x, at_y);
    xml_write_text(x, text);
    xml_write_close(x);
}

static void draw_number(xml_writer *x, const char *class, double at_x, double at_y, double value,
                        int decimals)
{
    open_text(x, class, at_x, at_y);
    xml_write_decimals(x, value, decimals);
    xml_write_close(x);
}

static void draw_tick(xml_writer *x, const frame *f, double value)
{
    double at = place_x(f, value), bottom = top + plot_height;
    int decimals = value == floor(value) ? 0 : 2.0 * value == floor(2.0 * value) ? 1 : 2;
    draw_line(x, "g", at, bottom, at, bottom + 4.0);
    draw_number(x, "m", at, bottom + 17.0, value, decimals);
}

static void draw_axes(xml_writer *x, const frame *f)
{
    const panel *p = f->panel;
    const curve *first = &p->curves[0];
    double middle = f->origin + 0.5 * plot_width;
    draw_text(x, "m t", middle, top - 14.0, p->title);
    for (int step = 0; step <= STEPS; step++) {
        double value = f->high * step / STEPS, y = place_y(f, value);
        draw_line(x, "g", f->origin, y, f->origin + plot_width, y);
        draw_number(x, "e", f->origin - 6.0, y + 4.0, value, 2);
    }
    for (size_t i = 0; p->measured && p->count > 0 && i < first->count; i++) {
        if (has_value(first, i)) draw_tick(x, f, first->x[i * first->stride]);
    }
    for (int step = 0; !p->measured && step <= STEPS; step++) {
        draw_tick(x, f, f->last * step / STEPS);
    }
    draw_text(x, "m", middle, top + plot_height + 32.0, p->axis);
}

static void draw_points(xml_writer *x, const frame *f, const curve *c, const char *class)
{
    for (size_t i = 0; i < c->count; i++) {
        if (!has_value(c, i)) continue;
        double at = place_x(f, c->x[i * c->stride]), y = c->y[i * c->stride];
        double error = c->error ? c->error[i * c->stride] : 0.0;
        if (f->panel->measured) {
            xml_write_open(x, "circle");
            xml_write_attribute(x, "class", class);
            xml_write_attribute(x, "r", "2.6");
            xml_write_length(x, "cx", at);
            xml_write_length(x, "cy", place_y(f, y));
            xml_write_close(x);
        }
        if (error > 0.0) {
            draw_line(x, class, at, place_y(f, y - error), at, place_y(f, y + error));
        }
    }
}

static void draw_curve(xml_writer *x, const frame *f, size_t number)
{
    const curve *c = &f->panel->curves[number];
    const char class[] = {'c', (char)('0' + number), '\0'};
    double legend = top + plot_height + 48.0 + 14.0 * (double)number;
    const char *letter = "M";
    xml_write_open(x, "path");
    xml_write_attribute(x, "class", class);
    xml_write_value(x, "d");
    for (size_t i = 0; i < c->count; i++) {
        if (has_value(c, i)) {
            svg_point(x, letter, place_x(f, c->x[i * c->stride]), place_y(f, c->y[i * c->stride]));
        }
        letter = has_value(c, i) ? " L" : " M";
    }
    xml_write_value_end(x);
    xml_write_close(x);
    draw_points(x, f, c, class);
    draw_line(x, class, f->origin, legend - 4.0, f->origin + 26.0, legend - 4.0);
    draw_text(x, "s", f->origin + 32.0, legend, c->name);
}

scone_status curves_write(output_file *stream, const panel *panels, size_t count)
{
    xml_writer x = xml_write_start(stream, 0);
    xml_write_block(&x, "svg");
    xml_write_attribute(&x, "xmlns", "http://www.w3.org/2000/svg");
    xml_write_attribute(&x, "role", "img");
    svg_size(&x, (left + plot_width + gap) * (double)count, top + plot_height + below);
    xml_write_element(&x, "style", style);
    xml_write_open(&x, "rect");
    xml_write_attribute(&x, "width", "100%");
    xml_write_attribute(&x, "height", "100%");
    xml_write_attribute(&x, "fill", "#fff");
    xml_write_close(&x);
    for (size_t p = 0; p < count; p++) {
        frame f = frame_of(&panels[p], p);
        draw_axes(&x, &f);
        for (size_t c = panels[p].count; c > 0; c--)
            draw_curve(&x, &f, c - 1); /* the first on top */
    }
    xml_write_close(&x);
    return xml_write_end(&x);
}
