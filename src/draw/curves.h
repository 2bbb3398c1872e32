/* curves.h - small line charts as SVG: panels side by side, shares from 0 to 1 against a
 * logarithmic axis, with error bars. */
#ifndef SCONE_DRAW_CURVES_H
#define SCONE_DRAW_CURVES_H

#include "io/file.h"

enum { CURVE_MOST_POINTS = 16, PANEL_MOST_CURVES = 3 };

typedef struct curve {
    const char *name;
    size_t count;
    double x[CURVE_MOST_POINTS], y[CURVE_MOST_POINTS];
    double error[CURVE_MOST_POINTS]; /* half the length of the bar; 0: none */
} curve;

typedef struct panel {
    const char *title, *axis; /* plain text without <, > and & */
    curve curves[PANEL_MOST_CURVES];
    size_t count;
} panel;

/* A whole file. x > 0 and rising within a curve. */
scone_status curves_write(output_file *stream, const panel *panels, size_t count);

#endif
