/* svg.h - what drawings as SVG share. */
#ifndef SCONE_DRAW_SVG_H
#define SCONE_DRAW_SVG_H

#include "text/write/xml_write.h"

/* The attributes of an <svg> that is so large unless its reader scales it. */
void svg_size(xml_writer *x, double width, double height);
/* A point of a path after its letter: "M12.5,30.0". */
void svg_point(xml_writer *x, const char *letter, double at_x, double at_y);

#endif
