/* test_linalg_symmetric.c - Cholesky with its updates, singular systems, eigenproblems and partial
 * correlations, against Gaussian elimination and Jacobi rotations in long double. */
#include "testing.h"
#include "sample.h"

#include "parallel/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/matrix.h"
#include "linalg/symmetric.h"

#include <float.h>

enum { MOST = 40 };

static void random_normals(sample_stream *s, double *out, size_t count)
{
    sample_normals(s, out, count);
}

/* a [n, n] = x'x of random x with `rank` rows; regular for rank >= n */
static void random_gram(sample_stream *s, double *a, size_t n, size_t rank)
{
    double x[3 * MOST * MOST];
    random_normals(s, x, rank * n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            long double sum = 0.0L;
            for (size_t r = 0; r < rank; r++) {
                sum += (long double)x[r + rank * i] * (long double)x[r + rank * j];
            }
            a[i + n * j] = (double)sum;
        }
    }
}

/* x [n, count] = a^-1 b by elimination with row exchanges; the oracle for regular systems */
static void naive_solve(long double *x, const double *a, const double *b, size_t n, size_t count)
{
    long double m[MOST * MOST];
    for (size_t i = 0; i < n * n; i++) m[i] = (long double)a[i];
    for (size_t i = 0; i < n * count; i++) x[i] = (long double)b[i];
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k; i < n; i++) {
            if (fabsl(m[i + n * k]) > fabsl(m[pivot + n * k])) pivot = i;
        }
        for (size_t j = 0; j < n; j++) {
            long double swap = m[k + n * j];
            m[k + n * j] = m[pivot + n * j];
            m[pivot + n * j] = swap;
        }
        for (size_t c = 0; c < count; c++) {
            long double swap = x[k + n * c];
            x[k + n * c] = x[pivot + n * c];
            x[pivot + n * c] = swap;
        }
        for (size_t i = 0; i < n; i++) {
            if (i == k) continue;
            long double f = m[i + n * k] / m[k + n * k];
            for (size_t j = k; j < n; j++) m[i + n * j] -= f * m[k + n * j];
            for (size_t c = 0; c < count; c++) x[i + n * c] -= f * x[k + n * c];
        }
    }
    for (size_t c = 0; c < count; c++) {
        for (size_t i = 0; i < n; i++) x[i + n * c] /= m[i + n * i];
    }
}

static void naive_inverse(long double *inverse, const double *a, size_t n)
{
    double identity[MOST * MOST] = {0};
    for (size_t i = 0; i < n; i++) identity[i + n * i] = 1.0;
    naive_solve(inverse, a, identity, n, n);
}

/* Cyclic Jacobi: eigenvalues on the diagonal of m, unsorted; vectors in v. */
static void naive_eigen(long double *m, long double *v, size_t n)
{
    for (size_t i = 0; i < n * n; i++) v[i] = i % (n + 1) == 0 ? 1.0L : 0.0L;
    for (int sweep = 0; sweep < 40; sweep++) {
        for (size_t p = 0; p < n; p++) {
            for (size_t q = p + 1; q < n; q++) {
                if (m[p + n * q] == 0.0L) continue;
                long double theta = (m[q + n * q] - m[p + n * p]) / (2.0L * m[p + n * q]);
                long double t =
                    (theta < 0.0L ? -1.0L : 1.0L) / (fabsl(theta) + sqrtl(theta * theta + 1.0L));
                long double c = 1.0L / sqrtl(t * t + 1.0L), s = t * c;
                for (size_t k = 0; k < n; k++) {
                    long double kp = m[k + n * p], kq = m[k + n * q];
                    m[k + n * p] = c * kp - s * kq;
                    m[k + n * q] = s * kp + c * kq;
                }
                for (size_t k = 0; k < n; k++) {
                    long double pk = m[p + n * k], qk = m[q + n * k];
                    m[p + n * k] = c * pk - s * qk;
                    m[q + n * k] = s * pk + c * qk;
                    long double vp = v[k + n * p], vq = v[k + n * q];
                    v[k + n * p] = c * vp - s * vq;
                    v[k + n * q] = s * vp + c * vq;
                }
            }
        }
    }
}

/* ---- Cholesky ---- */

/* L L' = a, to a tolerance in units of the diagonal */
static void check_factor(const cholesky *c, const double *a, size_t n, double tolerance)
{
    assert_int_equal(c->size, n);
    for (size_t i = 0; i < n; i++) {
        CHECK(c->factor[i + c->capacity * i] > 0.0);
        for (size_t j = 0; j <= i; j++) {
            long double sum = 0.0L;
            for (size_t k = 0; k <= j; k++) {
                sum += (long double)c->factor[i + c->capacity * k] *
                       (long double)c->factor[j + c->capacity * k];
            }
            double scale = sqrt(a[i + n * i] * a[j + n * j]);
            CHECK_NEAR((double)sum / scale, a[i + n * j] / scale, tolerance);
        }
    }
}

static void test_cholesky(void **state)
{
    (void)state;
    sample_stream s = {51};
    double a[MOST * MOST], b[MOST * 3], inverse[MOST * MOST];
    long double x[MOST * 3], reference[MOST * MOST];
    cholesky *c;
    CHECK_OK(cholesky_alloc(&c, MOST));
    for (size_t n = 1; n <= MOST; n += 13) {
        random_gram(&s, a, n, 2 * n);
        random_normals(&s, b, 3 * n);
        naive_solve(x, a, b, n, 3);
        naive_inverse(reference, a, n);
        CHECK(cholesky_factor(c, a, n));
        check_factor(c, a, n, 1e-14);
        cholesky_inverse(c, inverse);
        for (size_t i = 0; i < n * n; i++) CHECK_NEAR(inverse[i], (double)reference[i], 1e-11);
        double single[MOST], half[MOST];
        memcpy(single, b, n * sizeof *b);
        memcpy(half, b, n * sizeof *b);
        cholesky_solve(c, single, 1);
        cholesky_solve_lower(c, half);
        long double form = 0.0L, squares = 0.0L;
        for (size_t i = 0; i < n; i++) {
            CHECK_NEAR(single[i], (double)x[i], 1e-11);
            form += (long double)b[i] * x[i];
            squares += (long double)half[i] * (long double)half[i];
        }
        CHECK_NEAR((double)(squares / form), 1.0, 1e-11);
        cholesky_solve(c, b, 3);
        for (size_t i = 0; i < 3 * n; i++) CHECK_NEAR(b[i], (double)x[i], 1e-11);
    }
    /* indefinite, singular, NaN, too large: false and empty */
    double indefinite[4] = {1, 2, 2, 1}, singular[4] = {1, 1, 1, 1},
           nan[4] = {1, MISSING, MISSING, 1};
    CHECK(!cholesky_factor(c, indefinite, 2) && c->size == 0);
    CHECK(!cholesky_factor(c, singular, 2) && c->size == 0);
    CHECK(!cholesky_factor(c, nan, 2) && c->size == 0);
    CHECK(!cholesky_factor(c, a, MOST + 1));
    cholesky_free(c);
    cholesky_free(NULL);
}

static void copy_without(double *to, const double *a, size_t n, size_t index)
{
    size_t next = 0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            if (i != index && j != index) to[next++] = a[i + n * j];
        }
    }
}

/* A long random sequence of edits, the matrix itself carried along beside the factor. */
static void test_cholesky_edits(void **state)
{
    (void)state;
    sample_stream s = {52};
    double full[MOST * MOST], a[MOST * MOST], next[MOST * MOST], x[MOST];
    size_t counts[3] = {0};
    cholesky *c, *before;
    CHECK_OK(cholesky_alloc(&c, MOST));
    CHECK_OK(cholesky_alloc(&before, MOST));
    random_gram(&s, full, MOST, 2 * MOST);
    size_t n = 0;
    for (int step = 0; step < 600; step++) {
        size_t kind = (size_t)(sample_uniform(&s) * 2.0);
        random_normals(&s, x, MOST);
        if (kind == 0 && n < MOST) { /* a new variable, correlated with the others */
            double column[MOST];
            for (size_t i = 0; i < n; i++) column[i] = 0.3 * x[i];
            column[n] = 2.0 * MOST + 10.0 * sample_uniform(&s);
            for (size_t j = 0; j < n; j++) {
                memcpy(next + (n + 1) * j, a + n * j, n * sizeof *a);
                next[n + (n + 1) * j] = next[j + (n + 1) * n] = column[j];
            }
            next[n + (n + 1) * n] = column[n];
            bool possible = cholesky_factor(before, next, n + 1);
            CHECK(cholesky_append(c, column) == possible);
            if (possible) memcpy(a, next, (n + 1) * (n + 1) * sizeof *a);
            n += possible;
        } else if (kind == 1 && n > 1) {
            size_t index = (size_t)(sample_uniform(&s) * (double)n);
            copy_without(next, a, n, index);
            cholesky_remove(c, index);
            n--;
            memcpy(a, next, n * n * sizeof *a);
        } else {
            kind = 2;
        }
        counts[kind]++;
        check_factor(c, a, n, 1e-12);
    }
    for (size_t kind = 0; kind < 2; kind++) CHECK(counts[kind] > 50);
    cholesky_free(c);
    cholesky_free(before);
}

static void test_cholesky_refusals(void **state)
{
    (void)state;
    sample_stream s = {53};
    double a[25], copy[25], column[6];
    cholesky *c;
    CHECK_OK(cholesky_alloc(&c, 6));
    random_gram(&s, a, 5, 12);
    CHECK(cholesky_factor(c, a, 5));
    for (size_t j = 0; j < 5; j++) memcpy(copy + 5 * j, c->factor + 6 * j, 5 * sizeof *copy);
    /* A new variable that equals the second one, or a combination of two. */
    for (size_t i = 0; i < 5; i++) column[i] = a[i + 5];
    column[5] = a[1 + 5];
    CHECK(!cholesky_append(c, column));
    for (size_t i = 0; i < 5; i++) column[i] = 2.0 * a[i + 5] - 3.0 * a[i + 15];
    column[5] = 2.0 * column[1] - 3.0 * column[3];
    CHECK(!cholesky_append(c, column));
    assert_int_equal(c->size, 5);
    for (size_t j = 0; j < 5; j++) {
        for (size_t i = j; i < 5; i++) CHECK_SAME(c->factor[i + 6 * j], copy[i + 5 * j]);
    }
    /* The same variable with a little of its own is fine; then the capacity is used up. */
    column[5] *= 1.0 + 1e-6;
    CHECK(cholesky_append(c, column) && c->size == 6);
    CHECK(!cholesky_append(c, column));
    while (c->size) cholesky_remove(c, 0);
    cholesky_free(c);
}

/* ---- solving ---- */

static void test_solve(void **state)
{
    (void)state;
    sample_stream s = {54};
    double a[MOST * MOST], b[MOST * 2], x[MOST * 2], inverse[MOST * MOST];
    long double reference[MOST * 2], reference_inverse[MOST * MOST];
    symmetric_work *work;
    CHECK_OK(symmetric_work_alloc(&work, MOST));
    for (size_t n = 1; n <= MOST; n += 13) {
        size_t rank;
        random_gram(&s, a, n, 3 * n);
        for (size_t i = 0; i < n; i++) { /* units from 1e-9 to 1e9 */
            double unit = pow(10.0, 18.0 * sample_uniform(&s) - 9.0);
            for (size_t j = 0; j < n; j++) {
                a[i + n * j] *= unit;
                a[j + n * i] *= unit;
            }
        }
        random_normals(&s, b, 2 * n);
        naive_solve(reference, a, b, n, 2);
        naive_inverse(reference_inverse, a, n);
        CHECK_OK(symmetric_solve(x, &rank, a, b, n, 2, work));
        CHECK(rank == n);
        for (size_t i = 0; i < 2 * n; i++) {
            double unit = sqrt((double)reference_inverse[i % n + n * (i % n)]);
            double size = 0.0; /* |S^-1 x|, the scale of the errors */
            for (size_t j = 0; j < n; j++) {
                size = fmax(size, fabs((double)reference[j + n * (i / n)]) /
                                      sqrt((double)reference_inverse[j + n * j]));
            }
            CHECK_NEAR(x[i] / unit, (double)reference[i] / unit, 1e-11 * size);
        }
        CHECK_OK(symmetric_inverse(inverse, &rank, a, n, work));
        CHECK(rank == n);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                double unit = (double)sqrtl(reference_inverse[i + n * i]) *
                              (double)sqrtl(reference_inverse[j + n * j]);
                CHECK_NEAR(inverse[i + n * j] / unit, (double)reference_inverse[i + n * j] / unit,
                           1e-11);
            }
        }
    }
    a[0] = INFINITE;
    CHECK_FAILS(symmetric_solve(x, NULL, a, b, MOST, 1, work), SCONE_ERR_INPUT, "not finite");
    CHECK_FAILS(symmetric_solve(x, NULL, a, b, MOST + 1, 1, work), SCONE_ERR_DEFECT, "workspace");
    CHECK_OK(symmetric_solve(NULL, NULL, NULL, NULL, 0, 0, work));
    symmetric_work_free(work);
    symmetric_work_free(NULL);
}

/* Eigenvalues and vectors of the unit-diagonal version of a, by Jacobi. */
static void scaled_eigen(long double *m, long double *v, long double *scale, const double *a,
                         size_t n)
{
    for (size_t i = 0; i < n; i++) {
        scale[i] = a[i + n * i] > 0.0 ? 1.0L / sqrtl((long double)a[i + n * i]) : 0.0L;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            m[i + n * j] = (long double)a[i + n * j] * scale[i] * scale[j];
    }
    naive_eigen(m, v, n);
}

/* The minimum-norm solution in standardized units, by Jacobi in long double. */
static size_t naive_minimum_norm(long double *x, const double *a, const double *b, size_t n)
{
    long double m[MOST * MOST], v[MOST * MOST], scale[MOST];
    scaled_eigen(m, v, scale, a, n);
    size_t rank = 0;
    for (size_t i = 0; i < n; i++) x[i] = 0.0L;
    for (size_t k = 0; k < n; k++) {
        if (m[k + n * k] < 1e-11L) continue;
        rank++;
        long double along = 0.0L;
        for (size_t i = 0; i < n; i++) along += v[i + n * k] * scale[i] * (long double)b[i];
        for (size_t i = 0; i < n; i++) x[i] += scale[i] * v[i + n * k] * along / m[k + n * k];
    }
    return rank;
}

static void test_solve_singular(void **state)
{
    (void)state;
    sample_stream s = {55};
    double a[MOST * MOST], b[MOST], x[MOST], inverse[MOST * MOST];
    long double reference[MOST];
    symmetric_work *work;
    CHECK_OK(symmetric_work_alloc(&work, MOST));
    size_t shapes[][2] = {{2, 1}, {6, 3}, {20, 19}, {33, 10}};
    for (size_t t = 0; t < 4; t++) {
        size_t n = shapes[t][0], expected = shapes[t][1], rank;
        random_gram(&s, a, n, expected);
        if (t >= 1) { /* a variable without variance */
            for (size_t j = 0; j < n; j++) a[1 + n * j] = a[j + n * 1] = 0.0;
        }
        random_normals(&s, b, n); /* not in the range: least squares, then least norm */
        size_t naive_rank = naive_minimum_norm(reference, a, b, n);
        CHECK(naive_rank == expected);
        CHECK_OK(symmetric_solve(x, &rank, a, b, n, 1, work));
        assert_int_equal(rank, expected);
        double size = 0.0;
        for (size_t i = 0; i < n; i++) size = fmax(size, fabs((double)reference[i]));
        for (size_t i = 0; i < n; i++) CHECK_NEAR(x[i], (double)reference[i], 1e-9 * size);
        if (t >= 1) CHECK_NEAR(x[1], 0.0, 0.0);
        /* in place, and the pseudo-inverse times b is the same solution */
        double same[MOST];
        memcpy(same, b, n * sizeof *b);
        CHECK_OK(symmetric_solve(same, NULL, a, same, n, 1, work));
        for (size_t i = 0; i < n; i++) CHECK_SAME(same[i], x[i]);
        CHECK_OK(symmetric_inverse(inverse, &rank, a, n, work));
        CHECK(rank == expected);
        CHECK_OK(matrix_vector(same, inverse, b, n, n, false));
        for (size_t i = 0; i < n; i++) CHECK_NEAR(same[i], x[i], 1e-9 * size);
    }
    double zero[4] = {0}, two[2] = {1, 2};
    size_t rank;
    CHECK_OK(symmetric_solve(two, &rank, zero, two, 2, 1, work));
    CHECK(rank == 0 && two[0] == 0.0 && two[1] == 0.0);
    symmetric_work_free(work);
}

static void test_ridge(void **state)
{
    (void)state;
    enum { N = 9, ROWS = 5 }; /* fewer rows than predictors */
    sample_stream s = {56};
    double x[ROWS * N], y[ROWS * 2], gram[N * N], cross[N * 2], penalties[N], beta[N * 2];
    random_normals(&s, x, ROWS * N);
    random_normals(&s, y, ROWS * 2);
    for (size_t i = 0; i < N; i++) penalties[i] = 0.1 + sample_uniform(&s);
    CHECK_OK(matrix_multiply(gram, x, x, N, N, ROWS, true, false));
    CHECK_OK(matrix_multiply(cross, x, y, N, 2, ROWS, true, false));
    symmetric_work *work;
    CHECK_OK(symmetric_work_alloc(&work, N));
    CHECK_OK(ridge_solve(beta, gram, cross, penalties, N, 2, work));
    double full[N * N];
    memcpy(full, gram, sizeof full);
    for (size_t i = 0; i < N; i++) full[i + N * i] += penalties[i];
    long double reference[N * 2];
    naive_solve(reference, full, cross, N, 2);
    for (size_t i = 0; i < 2 * N; i++) CHECK_NEAR(beta[i], (double)reference[i], 1e-12);

    long double squares = 0.0L, residual = 0.0L;
    for (size_t r = 0; r < ROWS; r++) {
        long double left = (long double)y[r + ROWS];
        for (size_t j = 0; j < N; j++)
            left -= (long double)x[r + ROWS * j] * (long double)beta[N + j];
        squares += (long double)y[r + ROWS] * (long double)y[r + ROWS];
        residual += left * left;
    }
    CHECK_NEAR(ridge_residual(beta + N, gram, cross + N, (double)squares, N), (double)residual,
               1e-12);
    /* Without penalties five rows are fitted exactly, and the residual never turns negative. */
    CHECK_OK(ridge_solve(beta, gram, cross, NULL, N, 2, work));
    double fit = ridge_residual(beta + N, gram, cross + N, (double)squares, N);
    CHECK(fit >= 0.0 && fit < 1e-10);
    symmetric_work_free(work);
}

/* ---- eigenproblems ---- */

static void test_eigen(void **state)
{
    (void)state;
    sample_stream s = {57};
    double a[MOST * MOST], vectors[MOST * MOST], values[MOST];
    long double m[MOST * MOST], v[MOST * MOST];
    symmetric_work *work;
    CHECK_OK(symmetric_work_alloc(&work, MOST));
    for (size_t n = 1; n <= MOST; n += 13) {
        random_normals(&s, a, n * n);
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < j; i++) a[i + n * j] = a[j + n * i];
        }
        memcpy(vectors, a, n * n * sizeof *a);
        for (size_t i = 1; i < n; i++)
            vectors[0 + n * i] = MISSING; /* the upper half is not read */
        CHECK_OK(symmetric_eigen(values, vectors, n, work));
        for (size_t i = 0; i < n * n; i++) m[i] = (long double)a[i];
        naive_eigen(m, v, n);
        for (size_t k = 0; k < n; k++) {
            size_t smaller = 0;
            for (size_t i = 0; i < n; i++) smaller += m[i + n * i] < m[k + n * k];
            CHECK_NEAR(values[smaller], (double)m[k + n * k], 1e-12);
        }
        for (size_t k = 0; k < n; k++) {
            double largest = 0.0;
            for (size_t i = 0; i < n; i++) {
                long double sum = 0.0L;
                for (size_t j = 0; j < n; j++) {
                    sum += (long double)a[i + n * j] * (long double)vectors[j + n * k];
                }
                CHECK_NEAR((double)sum, values[k] * vectors[i + n * k], 1e-12);
                if (fabs(vectors[i + n * k]) > fabs(largest)) largest = vectors[i + n * k];
            }
            CHECK(largest > 0.0);
        }
    }
    a[0] = MISSING;
    CHECK_FAILS(symmetric_eigen(values, a, 3, work), SCONE_ERR_INPUT, "not finite");
    symmetric_work_free(work);
}

/* ---- partial correlations ---- */

static void test_partial_correlations(void **state)
{
    (void)state;
    sample_stream s = {59};
    double a[MOST * MOST], partial[MOST * MOST];
    long double inverse[MOST * MOST];
    symmetric_work *work;
    CHECK_OK(symmetric_work_alloc(&work, MOST));
    size_t n = 14;
    random_gram(&s, a, n, 30);
    naive_inverse(inverse, a, n);
    CHECK_OK(partial_correlations(partial, a, n, work));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            long double r =
                i == j ? 1.0L
                       : -inverse[i + n * j] / sqrtl(inverse[i + n * i] * inverse[j + n * j]);
            CHECK_NEAR(partial[i + n * j], (double)r, 1e-12);
        }
    }
    symmetric_work_free(work);
}

/* The documented limit, approached from outside: a little noise on every variable, in long
 * double. Columns: 0..3 free, 4 = 0 + 1, 5 = -2 times 2, 6 constant. */
static void test_partial_correlations_singular(void **state)
{
    (void)state;
    enum { N = 7 };
    sample_stream s = {60};
    double base[16], mix[4 * N] = {0}, a[N * N], noisy[N * N], partial[N * N];
    random_gram(&s, base, 4, 12);
    for (size_t i = 0; i < 4; i++) mix[i + 4 * i] = 1.0;
    mix[0 + 4 * 4] = mix[1 + 4 * 4] = 1.0;
    mix[2 + 4 * 5] = -2.0;
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            a[i + N * j] = 0.0;
            for (size_t k = 0; k < 16; k++) {
                a[i + N * j] += mix[k % 4 + 4 * i] * base[k] * mix[k / 4 + 4 * j];
            }
        }
    }
    symmetric_work *work;
    CHECK_OK(symmetric_work_alloc(&work, N));
    CHECK_OK(partial_correlations(partial, a, N, work));
    memcpy(noisy, a, sizeof a);
    for (size_t i = 0; i < N; i++) noisy[i + N * i] *= 1.0 + 1e-9;
    noisy[N * N - 1] = 1.0;
    long double inverse[N * N];
    naive_inverse(inverse, noisy, N);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            double r = i == j ? 1.0
                              : (double)(-inverse[i + N * j] /
                                         sqrtl(inverse[i + N * i] * inverse[j + N * j]));
            CHECK_NEAR(partial[i + N * j], r, 2e-4);
        }
    }
    CHECK_NEAR(fabs(partial[0 + N * 1]), 1.0, 1e-9);
    CHECK_NEAR(partial[2 + N * 5], -1.0, 1e-9);
    CHECK_SAME(partial[3 + N * 0], 0.0);
    CHECK_SAME(partial[6 + N * 0], 0.0);
    CHECK_SAME(partial[6 + N * 6], 1.0);
    symmetric_work_free(work);
}

/* ---- threads ---- */

typedef struct repeat_job {
    const double *a, *b;
    double *out; /* [items, cells] */
    size_t n, cells;
} repeat_job;

static scone_status repeat_item(void *argument, size_t item, int worker)
{
    (void)worker;
    scone_status status = SCONE_OK;
    const repeat_job *job = argument;
    size_t n = job->n;
    double *out = job->out + item * job->cells;
    symmetric_work *work = NULL;
    TRY(symmetric_work_alloc(&work, n));
    TRY(symmetric_inverse(out, NULL, job->a, n, work));
    TRY(symmetric_inverse(out + n * n, NULL, job->b, n, work));
    TRY(partial_correlations(out + 2 * n * n, job->b, n, work));
cleanup:
    symmetric_work_free(work);
    return status;
}

static void test_threads(void **state)
{
    (void)state;
    enum { ITEMS = 24 };
    sample_stream s = {61};
    double a[MOST * MOST], b[MOST * MOST];
    random_gram(&s, a, MOST, 3 * MOST);
    random_gram(&s, b, MOST, MOST / 2);
    size_t cells = 3 * MOST * MOST;
    double *out = mem_zero(cells * ITEMS, sizeof *out);
    repeat_job job = {a, b, out, MOST, cells};
    CHECK_OK(repeat_item(&job, 0, 0));
    scone_context context = {.threads = 4};
    CHECK_OK(parallel_for(ITEMS, &context, NULL, repeat_item, &job));
    for (size_t i = 1; i < ITEMS; i++) {
        assert_memory_equal(out + i * cells, out, cells * sizeof *out);
    }
    mem_free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cholesky),
        cmocka_unit_test(test_cholesky_edits),
        cmocka_unit_test(test_cholesky_refusals),
        cmocka_unit_test(test_solve),
        cmocka_unit_test(test_solve_singular),
        cmocka_unit_test(test_ridge),
        cmocka_unit_test(test_eigen),
        cmocka_unit_test(test_partial_correlations),
        cmocka_unit_test(test_partial_correlations_singular),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
