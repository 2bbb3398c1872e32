/* number_print.c - numbers in the files of a report, whatever the locale (see report.h). */
#include "report/report.h"

#include "text/number/number.h"

#include <math.h>

scone_status number_print(output_file *stream, double value)
{
    char text[NUMBER_TEXT_SIZE];
    if (!isfinite(value)) return output_print(stream, "null");
    size_t length = number_format(text, value);
    return output_write(stream, text, length);
}

scone_status number_print_decimals(output_file *stream, double value, int decimals)
{
    unsigned long unit = 1;
    for (int d = 0; d < decimals; d++) unit *= 10;
    if (!(fabs(value) < 1e12)) return number_print(stream, value);
    unsigned long scaled = (unsigned long)(fabs(value) * (double)unit + 0.5);
    const char *sign = value < 0.0 && scaled > 0 ? "-" : "";
    if (decimals == 0) return output_print(stream, "%s%lu", sign, scaled);
    return output_print(stream, "%s%lu.%0*lu", sign, scaled / unit, decimals, scaled % unit);
}

scone_status number_print_p_value(output_file *stream, double value)
{
    if (value >= 0.0001) return number_print_decimals(stream, value, 4);
    if (value < 1e-300) return output_print(stream, "&lt; 1e-300");
    int exponent = (int)floor(log10(value));
    double digits = value / pow(10.0, exponent);
    if (digits >= 9.95) {
        digits = 1.0;
        exponent++;
    }
    scone_status status = number_print_decimals(stream, digits, 1);
    return status == SCONE_OK ? output_print(stream, "e%d", exponent) : status;
}

const char *report_effort(scone_effort effort)
{
    switch (effort) {
    case SCONE_EFFORT_FAST:
        return "fast";
    case SCONE_EFFORT_THOROUGH:
        return "thorough";
    case SCONE_EFFORT_NORMAL:
        break;
    }
    return "normal";
}
