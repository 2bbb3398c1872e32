/* loss.c - see loss.h. Plain loops in double on one thread: 3 exponentials a row, which is nothing
 * beside the layers below. With p = soft-max(z / t), dp_k/dz_c = p_k ([k = c] - p_c) / t.
 */
#include "model/nn/loss.h"

#include <math.h>

/* p = soft-max(z / temperature); returns log sum exp(z / temperature) */
static double class_probabilities(double p[LOSS_CLASSES], const real *z, double temperature)
{
    double peak = (double)z[0], total = 0.0;
    for (int c = 1; c < LOSS_CLASSES; c++) peak = (double)z[c] > peak ? (double)z[c] : peak;
    for (int c = 0; c < LOSS_CLASSES; c++) {
        p[c] = exp(((double)z[c] - peak) / temperature);
        total += p[c];
    }
    for (int c = 0; c < LOSS_CLASSES; c++) p[c] /= total;
    return peak / temperature + log(total);
}

/* dz += sum over k of slope[k] dp_k/dz */
static void add_chained(real *dz, const double p[LOSS_CLASSES], const double slope[LOSS_CLASSES],
                        double temperature)
{
    double mean = 0.0;
    for (int k = 0; k < LOSS_CLASSES; k++) mean += p[k] * slope[k];
    for (int c = 0; c < LOSS_CLASSES; c++) {
        dz[c] = (real)((double)dz[c] + p[c] * (slope[c] - mean) / temperature);
    }
}

double loss_cross_entropy(real *dlogits, const real *logits, const uint8_t *labels,
                          const double weights[LOSS_CLASSES], double temperature, size_t rows,
                          double scale)
{
    double sum = 0.0;
    for (size_t r = 0; r < rows; r++) {
        if (labels[r] >= LOSS_CLASSES) continue;
        const real *z = logits + r * LOSS_CLASSES;
        double p[LOSS_CLASSES], weight = scale * weights[labels[r]];
        sum +=
            weight * (class_probabilities(p, z, temperature) - (double)z[labels[r]] / temperature);
        if (!dlogits) continue;
        for (int c = 0; c < LOSS_CLASSES; c++) {
            real *dz = dlogits + r * LOSS_CLASSES + c;
            double slope = (p[c] - (c == labels[r] ? 1.0 : 0.0)) / temperature;
            *dz = (real)((double)*dz + weight * slope);
        }
    }
    return sum;
}

double loss_weight(const uint8_t *labels, const double weights[LOSS_CLASSES], size_t rows)
{
    double sum = 0.0;
    for (size_t r = 0; r < rows; r++) {
        if (labels[r] < LOSS_CLASSES) sum += weights[labels[r]];
    }
    return sum;
}

double loss_shd(real *dlogits, const real *logits, const uint8_t *labels, double temperature,
                size_t rows, double scale)
{
    double sum = 0.0;
    for (size_t r = 0; r < rows; r++) {
        if (labels[r] >= LOSS_CLASSES) continue;
        double p[LOSS_CLASSES], slope[LOSS_CLASSES] = {0};
        class_probabilities(p, logits + r * LOSS_CLASSES, temperature);
        for (int c = LOSS_FORWARD; c <= LOSS_BACKWARD; c++) {
            double error = p[c] - (c == labels[r] ? 1.0 : 0.0);
            sum += scale * error * error;
            slope[c] = 2.0 * scale * error;
        }
        if (dlogits) add_chained(dlogits + r * LOSS_CLASSES, p, slope, temperature);
    }
    return sum;
}

double loss_rank(real *dlogits, const real *logits, const loss_pair *pairs, size_t count,
                 double margin, double temperature, double scale)
{
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) {
        const uint32_t place[2] = {pairs[k].positive, pairs[k].negative};
        double p[2][LOSS_CLASSES];
        for (int side = 0; side < 2; side++) {
            size_t row = place[side] / LOSS_CLASSES;
            class_probabilities(p[side], logits + row * LOSS_CLASSES, temperature);
        }
        double slack = margin - p[0][place[0] % LOSS_CLASSES] + p[1][place[1] % LOSS_CLASSES];
        if (slack <= 0.0) continue;
        sum += scale * slack;
        for (int side = 0; dlogits && side < 2; side++) {
            double slope[LOSS_CLASSES] = {0};
            slope[place[side] % LOSS_CLASSES] = side == 0 ? -scale : scale;
            real *dz = dlogits + place[side] / LOSS_CLASSES * LOSS_CLASSES;
            add_chained(dz, p[side], slope, temperature);
        }
    }
    return sum;
}

double loss_gates(real *dgates, const real *gates, size_t rows, size_t heads, double scale)
{
    double sum = 0.0;
    for (size_t h = 0; rows > 0 && h < heads; h++) {
        double total = 0.0;
        for (size_t r = 0; r < rows; r++) total += (double)gates[r * heads + h];
        double closed = 1.0 - total / (double)rows;
        sum += scale * closed * closed / (double)heads;
        double slope = -2.0 * scale * closed / ((double)heads * (double)rows);
        for (size_t r = 0; dgates && r < rows; r++) {
            dgates[r * heads + h] = (real)((double)dgates[r * heads + h] + slope);
        }
    }
    return sum;
}

double loss_targets(real *dgamma, const real *gamma, const uint8_t *changed, const uint32_t *node,
                    size_t rows, double scale)
{
    const double least = 1e-6; /* a sigmoid in float may be 0 or 1 */
    double sum = 0.0;
    for (size_t r = 0; r < rows; r++) {
        uint8_t label = changed[node[r]];
        if (label == LOSS_NO_LABEL) continue;
        double hit = label ? (double)gamma[r] : 1.0 - (double)gamma[r];
        hit = fmax(hit, least);
        sum -= scale * log(hit);
        if (dgamma) dgamma[r] = (real)((double)dgamma[r] + (label ? -scale : scale) / hit);
    }
    return sum;
}
