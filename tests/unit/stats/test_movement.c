/* test_movement.c - how far a mechanism moved: shifts and spreads of known size, moves that the
 * causes explain, beyond their range too, the control's own variation, and what has no spread. */
#include "testing.h"

#include "base/rng.h"
#include "stats/movement.h"

#include <stdlib.h>
#include <string.h>

enum { CONTROL = 600, CHANGED = 400 };

/* x ~ N(shift_x, 1), y = 2 x + shift_y + spread_y N(0, 1) in regime 1, zeros and 1 in regime 0;
 * walk: every row adds to y a slow sine of this height */
typedef struct scenario {
    double shift_x, shift_y, spread_y, walk;
    size_t changed;
} scenario;

static scone_pair *draw_pair(const scenario *s)
{
    scone_table *tables[2];
    for (int regime = 0; regime < 2; regime++) {
        size_t n = regime ? s->changed : CONTROL;
        double *x = malloc(2 * n * sizeof *x);
        CHECK(x != NULL);
        rng r = rng_stream(23, RNG_TEST, (uint64_t)regime, 0, 0);
        for (size_t i = 0; i < n; i++) {
            double noise = rng_normal(&r), cause = rng_normal(&r);
            x[i] = cause + (regime ? s->shift_x : 0.0);
            x[i + n] = 2.0 * x[i] + (regime ? s->shift_y + s->spread_y * noise : noise) +
                       s->walk * sin((double)i * 6.283185307 / (CONTROL / 2.0));
        }
        CHECK_OK(scone_table_from_columns(&tables[regime], x, n, 2, NULL));
        free(x);
    }
    scone_pair *pair;
    CHECK_OK(scone_pair_join(&pair, tables[0], tables[1]));
    return pair;
}

static movement find(scone_pair *pair, size_t y, size_t parents)
{
    static const size_t list[] = {0};
    movement_work *work;
    movement m;
    CHECK_OK(movement_work_alloc(&work, pair));
    CHECK_OK(movement_find(&m, y, list, parents, work));
    movement_work_free(work);
    scone_pair_free(pair);
    return m;
}

static void test_known_sizes(void **state)
{
    (void)state;
    scenario s = {.shift_y = 3.0, .spread_y = 1.0, .changed = CHANGED};
    movement m = find(draw_pair(&s), 1, 1);
    CHECK_NEAR(m.size, 3.0, 0.2);
    CHECK_NEAR(m.alone, 3.0 / sqrt(5.0), 0.2);
    CHECK(m.natural < 0.5 && m.natural > 0.02);
    CHECK_NEAR(m.dependence, 1.0, 0.7);
    s = (scenario){.spread_y = 3.0, .changed = CHANGED}; /* |3 - 1| */
    CHECK_NEAR(find(draw_pair(&s), 1, 1).size, 2.0, 0.25);
    s.spread_y = 1.0;
    m = find(draw_pair(&s), 1, 1);
    CHECK(m.size < m.natural);
}

/* The cause moves, within its range and beyond it. */
static void test_explained(void **state)
{
    (void)state;
    for (int far = 0; far < 2; far++) {
        scenario s = {.shift_x = far ? 6.0 : 1.5, .spread_y = 1.0, .changed = CHANGED};
        movement m = find(draw_pair(&s), 1, 1);
        CHECK(m.size < 1.0);
        CHECK(m.alone > 1.0 && m.alone > 2.0 * m.size);
    }
}

/* Rows that drift make the yardstick longer, and are noticed. */
static void test_dependent_rows(void **state)
{
    (void)state;
    scenario still = {.spread_y = 1.0, .changed = 20}, drifts = still;
    drifts.walk = 4.0;
    movement a = find(draw_pair(&still), 1, 1), b = find(draw_pair(&drifts), 1, 1);
    CHECK(b.natural > 1.5 * a.natural);
    CHECK(b.dependence > 3.0 && a.dependence < 2.0);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Mean d^2 between blocks of y and all of it, by as many small steps as both divide. */
static double blocks_by_steps(const double *y, const double *sorted, size_t rows, size_t step)
{
    size_t starts = CONTROL - (rows - 1) * step, count = step > 1 ? step : CONTROL / rows;
    double *block = malloc(rows * sizeof *block), sum = 0.0;
    CHECK(block != NULL);
    if (count > MOVEMENT_BLOCKS) count = MOVEMENT_BLOCKS;
    for (size_t b = 0; b < count; b++) {
        for (size_t i = 0; i < rows; i++) block[i] = y[b * (starts - 1) / (count - 1) + i * step];
        qsort(block, rows, sizeof *block, by_value);
        for (size_t s = 0; s < CONTROL * rows; s++) {
            double apart = sorted[s / rows] - block[s / CONTROL];
            sum += apart * apart / (double)(CONTROL * rows);
        }
    }
    free(block);
    return sum / (double)count;
}

/* The yardstick as the head of movement.h has it, of a variable without parents. */
static void test_natural_by_definition(void **state)
{
    (void)state;
    for (size_t changed = 7; changed < 200; changed += 30) {
        scenario s = {.spread_y = 1.0, .walk = 2.0, .changed = changed};
        scone_pair *pair = draw_pair(&s);
        double y[CONTROL], sorted[CONTROL], mean = 0.0, variance = 0.0;
        memcpy(y, scone_table_column(scone_pair_table(pair, 0), 1), sizeof y);
        for (size_t i = 0; i < CONTROL; i++) mean += y[i] / CONTROL;
        for (size_t i = 0; i < CONTROL; i++) variance += (y[i] - mean) * (y[i] - mean) / CONTROL;
        memcpy(sorted, y, sizeof y);
        qsort(sorted, CONTROL, sizeof *sorted, by_value);
        size_t rows = changed < CONTROL / 4 ? changed : CONTROL / 4;
        double n1 = (double)changed, b = (double)rows;
        double near = blocks_by_steps(y, sorted, rows, 1);
        double spread = blocks_by_steps(y, sorted, rows, CONTROL / rows);
        double noise = spread * (1.0 / n1 + 1.0 / CONTROL) / (1.0 / b - 1.0 / CONTROL);
        double natural = 2.0 * sqrt((fmax(0.0, near - spread) + noise) / variance);
        double root = blocks_by_steps(y, sorted, 24, 1) / blocks_by_steps(y, sorted, 24, 25);
        movement m = find(pair, 1, 0);
        CHECK_NEAR(m.natural, natural, 1e-9);
        CHECK_NEAR(m.dependence, root, 1e-9 * root);
    }
}

/* y in regime 0 all 7, and 7, 7, 9 in regime 1. */
static void test_without_spread(void **state)
{
    (void)state;
    double control[2 * 20], changed[2 * 3] = {1.0, 2.0, 4.0, 7.0, 7.0, 9.0};
    scone_table *tables[2];
    for (int i = 0; i < 20; i++) control[i] = i % 3;
    for (int i = 20; i < 40; i++) control[i] = 7.0;
    CHECK_OK(scone_table_from_columns(&tables[0], control, 20, 2, NULL));
    CHECK_OK(scone_table_from_columns(&tables[1], changed, 3, 2, NULL));
    scone_pair *pair;
    CHECK_OK(scone_pair_join(&pair, tables[0], tables[1]));
    movement m = find(pair, 1, 1);
    CHECK_SAME(m.size, movement_of_constant(20));
    CHECK_SAME(m.size, sqrt(21.0));
    CHECK(m.onset == 2);
    CHECK_SAME(m.natural, 0.0);
}

/* Huge and tiny values, and too few rows for blocks. */
static void test_finite(void **state)
{
    (void)state;
    double control[] = {1e-300, 2e-300, 3e-300, 1e-300}, changed[] = {1e300, -1e300};
    scone_table *tables[2];
    CHECK_OK(scone_table_from_columns(&tables[0], control, 4, 1, NULL));
    CHECK_OK(scone_table_from_columns(&tables[1], changed, 2, 1, NULL));
    scone_pair *pair;
    CHECK_OK(scone_pair_join(&pair, tables[0], tables[1]));
    movement m = find(pair, 0, 0);
    CHECK(isfinite(m.size) && m.size <= movement_of_constant(4));
    CHECK(m.size > 2.0 && isnan(m.natural));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_sizes),           cmocka_unit_test(test_explained),
        cmocka_unit_test(test_natural_by_definition), cmocka_unit_test(test_dependent_rows),
        cmocka_unit_test(test_without_spread),        cmocka_unit_test(test_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
