/* number_rounded.c - few digits for people to read (see number.h). */
#include "text/number/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Digits by number_format, since printf would ask the locale for the decimal point. */
number_text number_rounded(double value, int digits)
{
    number_text out;
    if (!isfinite(value) || value == 0.0) {
        (void)number_format(out.text, value == 0.0 ? 0.0 : value);
        return out;
    }
    int exponent = (int)floor(log10(fabs(value)));
    if (exponent < -15 || exponent > 15) {
        /* In two steps: 10^300 times a number of that size would overflow. */
        double mantissa = value / pow(10.0, exponent / 2) / pow(10.0, exponent - exponent / 2);
        double unit = pow(10.0, digits - 1);
        size_t length = number_format(out.text, nearbyint(mantissa * unit) / unit);
        (void)snprintf(out.text + length, sizeof out.text - length, "e%+d", exponent);
        return out;
    }
    /* Powers of ten up to 10^22 are exact, so the quotient is the double nearest to the decimal
     * and number_format finds its few digits again. */
    int places = digits - 1 - exponent;
    double unit = pow(10.0, abs(places));
    double rounded = places >= 0 ? nearbyint(value * unit) / unit : nearbyint(value / unit) * unit;
    (void)number_format(out.text, rounded);
    return out;
}
