/* standardize.c - a column in units of its own spread (see standardize.h). */
#include "stats/standardize.h"

#include <math.h>

static double column_largest(const scone_pair *pair, size_t column)
{
    double largest = 0.0;
    for (int r = 0; r < 2; r++) {
        const double *x = table_column(pair->tables[r], column);
        for (size_t i = 0; i < pair->tables[r]->rows; i++) {
            double size = fabs(x[i]);
            largest = size > largest ? size : largest;
        }
    }
    return largest;
}

/* Takes the mean away and returns what is left of it; *squares is the sum of squares. */
static double centre(double *const z[2], double *squares, const scone_pair *pair, double mean)
{
    double sum = 0.0;
    *squares = 0.0;
    for (int r = 0; r < 2; r++) {
        for (size_t i = 0; i < pair->tables[r]->rows; i++) {
            z[r][i] -= mean;
            sum += z[r][i];
            *squares += z[r][i] * z[r][i];
        }
    }
    return sum;
}

void standardize_column(double *const z[2], const scone_pair *pair, size_t column)
{
    double total = (double)pair->tables[0]->rows + (double)pair->tables[1]->rows, squares;
    int exponent;
    (void)frexp(column_largest(pair, column), &exponent);
    /* two powers of two, since one may be out of range */
    double half = ldexp(1.0, -(exponent / 2)), other = ldexp(1.0, exponent / 2 - exponent);
    for (int r = 0; r < 2; r++) {
        const double *x = table_column(pair->tables[r], column);
        for (size_t i = 0; i < pair->tables[r]->rows; i++) z[r][i] = x[i] * half * other;
    }
    double sum = centre(z, &squares, pair, 0.0);
    sum = centre(z, &squares, pair, sum / total);
    (void)centre(z, &squares, pair, sum / total);
    double deviation = sqrt(squares / total);
    double scale = deviation > 1e-15 ? 1.0 / deviation : 0.0; /* below: rounding of the mean */
    for (int r = 0; r < 2; r++) {
        for (size_t i = 0; i < pair->tables[r]->rows; i++) z[r][i] *= scale;
    }
}
