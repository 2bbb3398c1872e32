/* number.h - decimal text to double and back, exactly and without the locale.
 *
 * Reading is correctly rounded; writing gives the shortest digits that read back to the same bits.
 */
#ifndef SCONE_TEXT_NUMBER_NUMBER_H
#define SCONE_TEXT_NUMBER_NUMBER_H

#include "base/status.h"

typedef enum number_kind {
    NUMBER_OK = 0,   /* a finite number */
    NUMBER_OVERFLOW, /* a decimal number too large for a double, such as 1e400 */
    NUMBER_BAD       /* anything else: text, hex, "1,5", "1e", "inf", "nan", empty */
} number_kind;

/* Parses all of [text, end): optional sign, digits with an optional point, optional exponent.
 * Underflow gives 0 or a subnormal and is NUMBER_OK. No white space, hex, inf or nan. */
number_kind number_parse(double *value, const char *text, const char *end);

/* Parses the longest such prefix and returns the first character after it, or `text` if there is
 * none; *kind tells about that prefix. The hot path of the CSV reader. */
const char *number_scan(double *value, number_kind *kind, const char *text, const char *end);

enum { NUMBER_TEXT_SIZE = 32 };
/* Writes the shortest round-trip form ("0.1", "1e+300", "-0", "nan", "inf", "-inf") with a final
 * NUL; returns its length (< NUMBER_TEXT_SIZE). */
size_t number_format(char *out, double value);

/* Rounded to so many significant digits, for people to read: "0.1234", "12.5", "3.2e-17". */
typedef struct number_text {
    char text[NUMBER_TEXT_SIZE + 8];
} number_text;
number_text number_rounded(double value, int digits);

#endif
