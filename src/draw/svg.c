/* svg.c - what drawings as SVG share (see svg.h). */
#include "draw/svg.h"

void svg_size(xml_writer *x, double width, double height)
{
    const double sizes[2] = {width, height};
    for (int s = 0; s < 2; s++) {
        xml_write_value(x, s ? "height" : "width");
        xml_write_decimals(x, sizes[s], 0);
        xml_write_value_end(x);
    }
    xml_write_value(x, "viewBox");
    xml_write_markup(x, "0 0 ");
    xml_write_decimals(x, width, 0);
    xml_write_markup(x, " ");
    xml_write_decimals(x, height, 0);
    xml_write_value_end(x);
}

void svg_point(xml_writer *x, const char *letter, double at_x, double at_y)
{
    xml_write_markup(x, letter);
    xml_write_decimals(x, at_x, 1);
    xml_write_markup(x, ",");
    xml_write_decimals(x, at_y, 1);
}
