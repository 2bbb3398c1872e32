/* curves.h - small line charts as SVG: panels side by side, each with a few curves over one axis.
 */
#ifndef SCONE_DRAW_CURVES_H
#define SCONE_DRAW_CURVES_H

#include "io/file.h"

enum { PANEL_MOST_CURVES = 3 };

typedef struct curve {
    const char *name;
    const double *x, *y;
    const double *error; /* half the length of a bar, 0: none; NULL: no bars */
    size_t count;
    size_t stride; /* from a point to the next one, in x, y and error */
} curve;

typedef struct panel {
    const char *title, *axis;
    curve curves[PANEL_MOST_CURVES];
    size_t count;
    /* Measured at few chosen x > 0: a logarithmic axis with a tick at each x of the first curve,
     * and circles; else the axis is even, starts at 0, and has five ticks. */
    bool measured;
    double high; /* where the axis of values, which starts at 0, ends; 0: at the largest value */
} panel;

/* A whole file. x rises within a curve. Where a value is not finite, its curve has a gap. */
scone_status curves_write(output_file *stream, const panel *panels, size_t count);

#endif
