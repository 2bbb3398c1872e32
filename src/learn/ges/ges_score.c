/* ges_score.c - local scores for the Greedy Equivalence Search (see ges_parts.h).
 *
 * The residual variance of y given its parents is the last pivot of the Cholesky factor of their
 * correlation matrix, y last. The ridge keeps every pivot at or above about GES_RIDGE, so that
 * there is no singular case; the least pivot only guards against matrices that are no covariances.
 * Scores are kept by a 128-bit hash of (node, parents) in a table of fixed size: a lookup costs one
 * probe, and nothing depends on what is still in the table, since a score is a pure function.
 */
#include "learn/ges/ges_parts.h"

#include <float.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static const double least_pivot = 0.01 * GES_RIDGE;

static scone_status set_correlations(double *out, const double *covariance, size_t n)
{
    for (size_t i = 0; i < n * n; i++) {
        if (!(fabs(covariance[i]) <= DBL_MAX)) {
            return RAISE(SCONE_ERR_INPUT,
                         "the covariance of columns %zu and %zu is not a finite number; remove "
                         "missing and infinite values, or rescale the columns",
                         i % n + 1, i / n + 1);
        }
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            double a = covariance[i + n * i], b = covariance[j + n * j];
            double r = a > 0.0 && b > 0.0 ? covariance[i + n * j] / sqrt(a) / sqrt(b) : 0.0;
            if (!(r <= 1.0)) r = 1.0; /* also where the quotient is 0 / 0 by underflow */
            if (r < -1.0) r = -1.0;
            out[i + n * j] = i == j ? 1.0 : r / (1.0 + GES_RIDGE);
        }
    }
    return SCONE_OK;
}

scone_status ges_score_alloc(ges_score **out, const double *covariance, size_t nodes, double rows,
                             double penalty)
{
    scone_status status = SCONE_OK;
    ges_score *s = NULL;
    size_t cells, packed;
    *out = NULL;
    if (!size_multiply(&cells, nodes, nodes) || !size_add(&packed, cells, 3 * nodes + 2)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: a correlation matrix of %zu columns", nodes);
    }
    TRY_ZERO(s, 1);
    s->nodes = nodes;
    s->rows = rows;
    s->penalty = rows > 1.0 ? 0.5 * penalty * log(rows) : 0.0;
    TRY_ALLOC(s->correlation, cells);
    TRY(set_correlations(s->correlation, covariance, nodes));
    for (s->slots = 256; s->slots < 64 * nodes && s->slots < (size_t)1 << 17;) s->slots *= 2;
    TRY_ZERO(s->entries, s->slots);
    TRY_ALLOC(s->factor, packed / 2 + 1);
    TRY_ALLOC(s->members, nodes + 1);
    *out = s;
    return SCONE_OK;
cleanup:
    ges_score_free(s);
    return status;
}

void ges_score_free(ges_score *s)
{
    if (!s) return;
    mem_free(s->correlation);
    mem_free(s->entries);
    mem_free(s->factor);
    mem_free(s->members);
    mem_free(s);
}

/* Of members[0] given members[1 .. count], which come first in the factor. */
static double residual_variance(const ges_score *s, size_t count)
{
    const uint32_t *members = s->members;
    double pivot = 1.0;
    for (size_t i = 0; i <= count; i++) {
        const double *column =
            s->correlation + s->nodes * (i < count ? members[i + 1] : members[0]);
        double *row = s->factor + i * (i + 1) / 2;
        pivot = 1.0;
        for (size_t j = 0; j < i; j++) {
            const double *above = s->factor + j * (j + 1) / 2;
            double sum = column[members[j + 1]];
            for (size_t k = 0; k < j; k++) sum -= row[k] * above[k];
            row[j] = sum / above[j];
            pivot -= row[j] * row[j];
        }
        if (!(pivot >= least_pivot)) pivot = least_pivot;
        row[i] = sqrt(pivot);
    }
    return pivot;
}

double ges_local(ges_score *s, size_t y, const bits_word *parents, size_t extra, size_t without)
{
    size_t count = 0;
    s->members[0] = (uint32_t)y;
    /* In increasing order, so that a set has one list, one hash and one rounding. */
    for (size_t w = 0; w < bits_words(s->nodes); w++) {
        bits_word rest = parents[w];
        if (extra / 64 == w) rest |= (bits_word)1 << (extra % 64);
        if (without / 64 == w) rest &= ~((bits_word)1 << (without % 64));
        for (; rest; rest &= rest - 1) {
            s->members[++count] = (uint32_t)(w * 64 + (size_t)__builtin_ctzll(rest));
        }
    }
    XXH128_hash_t hash = XXH3_128bits(s->members, (count + 1) * sizeof *s->members);
    ges_entry *entry = s->entries + (hash.low64 & (s->slots - 1));
    if (entry->low != hash.low64 || entry->high != hash.high64) {
        double variance = residual_variance(s, count);
        entry->low = hash.low64;
        entry->high = hash.high64;
        if (variance < GES_FLOOR) variance = GES_FLOOR;
        entry->score = -0.5 * s->rows * log(variance) - s->penalty * (double)count;
    }
    return entry->score;
}

double ges_gain(const ges_score *s, double explained)
{
    double left = 1.0 - explained;
    if (!(left >= GES_FLOOR)) left = GES_FLOOR;
    return -0.5 * s->rows * log(left) - s->penalty;
}
