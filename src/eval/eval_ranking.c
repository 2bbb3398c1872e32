/* eval_ranking.c - the area under the precision-recall curve of directed probabilities.
 *
 * Of the N (N - 1) ordered pairs the positive ones are the directed edges of the truth. Going
 * down the distinct probabilities t_1 > t_2 > ..., with TP_k of the P positive pairs and n_k pairs
 * in all at or above t_k, the area is the average precision
 *
 *     AP = sum over k of (TP_k - TP_{k-1}) / P * TP_k / n_k,
 *
 * so pairs with equal probabilities enter together and their order cannot matter. Without a
 * positive pair it is not defined (NaN). O(N^2 log N).
 */
#include "text/delimited_cells.h"
#include "eval/eval.h"

#include "io/npy.h"
#include "text/number/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void eval_probabilities_free(probability_matrix *matrix)
{
    if (matrix->names) {
        for (size_t i = 0; i < matrix->nodes; i++) mem_free(matrix->names[i]);
    }
    mem_free(matrix->names);
    mem_free(matrix->values);
    *matrix = (probability_matrix){0};
}

static bool is_probability(double value)
{
    return value >= 0.0 && value <= 1.0; /* false for NaN */
}

/* From a NumPy array: no names. */
static scone_status read_array(probability_matrix *matrix, const char *path)
{
    scone_status status = SCONE_OK;
    npy_array array = {0};
    TRY(npy_read(&array, path, NULL));
    if (array.rows != array.columns) {
        FAIL(SCONE_ERR_INPUT,
             "%s: the array has %zu rows and %zu columns; probabilities are a "
             "square, row i column j = P(i -> j)",
             path, array.rows, array.columns);
    }
    TRY_ALLOC(matrix->values, array.rows * array.columns); /* as many as were just read */
    matrix->nodes = array.rows;
    for (size_t i = 0; i < array.rows; i++) {
        for (size_t j = 0; j < array.rows; j++) {
            double value = array.values[i + array.rows * j];
            if (i != j && !is_probability(value)) {
                FAIL(SCONE_ERR_INPUT,
                     "%s: row %zu, column %zu: %g is not a probability between 0 and 1", path,
                     i + 1, j + 1, value);
            }
            matrix->values[i * array.rows + j] = value;
        }
    }
cleanup:
    mem_free(array.values);
    return status;
}

/* The column (from 0, without the corner) whose header is the name of this row. */
static size_t find_column(const cell_table *cells, size_t row)
{
    const delimited_field *name = delimited_cells_get(cells, row, 0);
    if (row < cells->columns && delimited_cells_get(cells, 0, row)->length == name->length &&
        memcmp(delimited_cells_get(cells, 0, row)->text, name->text, name->length) == 0) {
        return row - 1; /* rows in the order of the header */
    }
    for (size_t column = 1; column < cells->columns; column++) {
        const delimited_field *header = delimited_cells_get(cells, 0, column);
        if (header->length == name->length && memcmp(header->text, name->text, name->length) == 0) {
            return column - 1;
        }
    }
    return SIZE_MAX;
}

/* Row i of the matrix from a row of cells. */
static scone_status fill_row(probability_matrix *matrix, size_t i, const cell_table *cells,
                             size_t row)
{
    for (size_t j = 0; j < matrix->nodes; j++) {
        const delimited_field *field = delimited_cells_get(cells, row, j + 1);
        double value = (double)NAN;
        bool number = number_parse(&value, field->text, field->text + field->length) == NUMBER_OK;
        if (i != j && (!number || !is_probability(value))) {
            int shown = field->length > 40 ? 40 : (int)field->length;
            return RAISE(SCONE_ERR_INPUT,
                         "row %zu, column '%s': '%.*s' is not a probability between 0 and 1",
                         cells->lines[row], matrix->names[j], shown, field->text);
        }
        matrix->values[i * matrix->nodes + j] = value;
    }
    return SCONE_OK;
}

scone_status eval_probabilities_parse(probability_matrix *matrix, const cell_table *cells)
{
    scone_status status = SCONE_OK;
    bool *seen = NULL;
    *matrix = (probability_matrix){0};
    size_t nodes = cells->columns - 1, values;
    if (cells->rows - 1 != nodes) {
        FAIL(SCONE_ERR_INPUT,
             "%zu rows under %zu names; probabilities are a square with row names "
             "in the first column, row i column j = P(i -> j)",
             cells->rows - 1, nodes);
    }
    if (!size_multiply(&values, nodes, nodes)) FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY_ALLOC(matrix->values, values);
    TRY_ZERO(matrix->names, nodes);
    TRY_ZERO(seen, nodes);
    matrix->nodes = nodes;
    for (size_t j = 0; j < nodes; j++) {
        matrix->names[j] = delimited_cells_copy(cells, 0, j + 1);
        if (!matrix->names[j]) TRY(SCONE_ERR_MEMORY);
    }
    for (size_t row = 1; row < cells->rows; row++) {
        const delimited_field *name = delimited_cells_get(cells, row, 0);
        int shown = name->length > 40 ? 40 : (int)name->length;
        size_t i = find_column(cells, row);
        if (i == SIZE_MAX) {
            FAIL(SCONE_ERR_INPUT,
                 "row %zu: '%.*s' is not in the header; rows and columns need the "
                 "same names",
                 cells->lines[row], shown, name->text);
        }
        if (seen[i]) {
            FAIL(SCONE_ERR_INPUT, "row %zu: '%.*s' has a row already; give each node one row",
                 cells->lines[row], shown, name->text);
        }
        seen[i] = true;
        TRY(fill_row(matrix, i, cells, row));
    }
cleanup:
    mem_free(seen);
    if (status != SCONE_OK) eval_probabilities_free(matrix);
    return status;
}

scone_status eval_probabilities_read(probability_matrix *matrix, const char *path)
{
    scone_status status = SCONE_OK;
    cell_table cells = {0};
    *matrix = (probability_matrix){0};
    size_t length = strlen(path);
    if (length >= 4 && strcmp(path + length - 4, ".npy") == 0) {
        TRY(read_array(matrix, path));
    } else {
        TRY(delimited_cells_read(&cells, path));
        status = eval_probabilities_parse(matrix, &cells);
        if (status != SCONE_OK) status_prefix("%s", path);
    }
cleanup:
    delimited_cells_free(&cells);
    if (status != SCONE_OK) eval_probabilities_free(matrix);
    return status;
}

static int compare_descending(const void *a, const void *b)
{
    double x = ((const ranked_pair *)a)->probability, y = ((const ranked_pair *)b)->probability;
    return (x < y) - (x > y);
}

double eval_average_precision(ranked_pair *pairs, size_t count)
{
    if (count) qsort(pairs, count, sizeof *pairs, compare_descending);
    size_t positives = 0, found = 0;
    for (size_t k = 0; k < count; k++) positives += pairs[k].positive;
    if (positives == 0) return (double)NAN;
    double area = 0.0;
    for (size_t k = 0; k < count;) {
        size_t before = found;
        double level = pairs[k].probability;
        for (; k < count && pairs[k].probability == level; k++) found += pairs[k].positive;
        area += (double)(found - before) / (double)positives * ((double)found / (double)k);
    }
    return area;
}

scone_status eval_ranking_auprc(double *auprc, const probability_matrix *matrix, const graph *truth,
                                const node_match *match)
{
    scone_status status = SCONE_OK;
    ranked_pair *pairs = NULL;
    size_t capacity, count = 0;
    if (!size_multiply(&capacity, match->count, match->count)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: the pairs of %zu nodes", match->count);
    }
    TRY_ALLOC(pairs, capacity);
    for (size_t a = 0; a < match->count; a++) {
        for (size_t b = 0; b < match->count; b++) {
            if (a == b) continue;
            size_t i = match->first[a], j = match->first[b];
            size_t u = match->second[a], v = match->second[b];
            bool known = i != SIZE_MAX && j != SIZE_MAX;
            pairs[count].probability = known ? matrix->values[i * matrix->nodes + j] : 0.0;
            pairs[count].positive = u != SIZE_MAX && v != SIZE_MAX && graph_directed(truth, u, v);
            count++;
        }
    }
    *auprc = eval_average_precision(pairs, count);
cleanup:
    mem_free(pairs);
    return status;
}
