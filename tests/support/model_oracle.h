/* model_oracle.h - the model without bias heads as the paper writes it: dense [T, K, 2, d] arrays
 * with a mask, one graph at a time, plain loops in double, straight from the tokens. Shares nothing
 * with src/model/nn and src/model but the places of the parameters. Include testing.h first. */
#ifndef SCONE_TESTS_MODEL_ORACLE_H
#define SCONE_TESTS_MODEL_ORACLE_H

#include "base/memory.h"
#include "model/setup/batch.h"

typedef struct dense_model {
    const parameter_layout *layout;
    const real *values;
    const batch_item *item;
    size_t T, K, N, d, heads, ff;
    bool *valid;       /* [T, K] */
    double *h;         /* [T, K, 2, d] */
    double *g;         /* [N, N, d] */
    size_t (*ends)[2]; /* [K]: nodes as read */
    double *logits;    /* [K, 3] */
    double *global;    /* [N, N, 3] */
} dense_model;

/* One axis of a masked array: groups of entries with the same `other` coordinates. */
typedef struct dense_axis {
    size_t count, members;
    size_t (*entry)(const dense_model *m, size_t group, size_t member);
    bool (*shown)(const dense_model *m, size_t entry);
} dense_axis;

static inline double *dense_zeros(size_t count)
{
    double *x = mem_zero(count, sizeof *x);
    assert_non_null(x);
    return x;
}

static inline double dense_gelu(double x)
{
    return 0.5 * x * (1.0 + tanh(sqrt(2.0 / acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

/* out = W x + b */
static inline void dense_linear(double *out, const dense_model *m, const double *x, size_t in,
                                size_t rows, size_t weight, size_t bias)
{
    for (size_t r = 0; r < rows; r++) {
        out[r] = (double)m->values[bias + r];
        for (size_t k = 0; k < in; k++) out[r] += (double)m->values[weight + r * in + k] * x[k];
    }
}

static inline void dense_norm(double *out, const dense_model *m, const double *x,
                              const place_norm *place)
{
    double mean = 0.0, variance = 0.0;
    for (size_t k = 0; k < m->d; k++) mean += x[k] / (double)m->d;
    for (size_t k = 0; k < m->d; k++) variance += (x[k] - mean) * (x[k] - mean) / (double)m->d;
    for (size_t k = 0; k < m->d; k++) {
        double z = (x[k] - mean) / sqrt(variance + 1e-5);
        out[k] = z * (double)m->values[place->gain + k] + (double)m->values[place->shift + k];
    }
}

/* ---- attention with a mask ---- */

/* Weight of each member for one query and head: soft-max of scores, 0 where masked. */
static inline void dense_weights(double *p, const dense_model *m, const dense_axis *axis,
                                 const double *qkv, size_t group, size_t query, size_t head)
{
    size_t d = m->d, size = d / m->heads, asked = axis->entry(m, group, query);
    double total = 0.0, peak = -1e300;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < axis->members; k++) {
            size_t other = axis->entry(m, group, k);
            double score = 0.0;
            for (size_t c = 0; c < size; c++) { /* heads are interleaved */
                size_t at = c * m->heads + head;
                score += qkv[3 * asked * d + at] * qkv[(3 * other + 1) * d + at];
            }
            score /= sqrt((double)size);
            if (pass == 0 && axis->shown(m, other)) peak = fmax(peak, score);
            if (pass == 1) p[k] = axis->shown(m, other) ? exp(score - peak) : 0.0;
            if (pass == 1) total += p[k];
        }
    }
    for (size_t k = 0; k < axis->members; k++) p[k] /= total;
}

static inline void dense_attention(double *x, const dense_model *m, const dense_axis *axis,
                                   const place_attention *place)
{
    size_t entries = axis->count * axis->members, d = m->d;
    double *qkv = dense_zeros(3 * entries * d), *p = dense_zeros(axis->members);
    double *row = dense_zeros(d), *y = dense_zeros(entries * d);
    for (size_t e = 0; e < entries; e++) {
        dense_norm(row, m, x + e * d, &place->norm);
        dense_linear(qkv + 3 * e * d, m, row, d, 3 * d, place->qkv.weight, place->qkv.bias);
    }
    for (size_t group = 0; group < axis->count; group++) {
        for (size_t query = 0; query < axis->members; query++) {
            size_t e = axis->entry(m, group, query);
            if (!axis->shown(m, e)) continue;
            for (size_t head = 0; head < m->heads; head++) {
                dense_weights(p, m, axis, qkv, group, query, head);
                for (size_t c = head; c < d; c += m->heads) {
                    for (size_t k = 0; k < axis->members; k++) {
                        y[e * d + c] += p[k] * qkv[(3 * axis->entry(m, group, k) + 2) * d + c];
                    }
                }
            }
        }
    }
    for (size_t e = 0; e < entries; e++) {
        if (!axis->shown(m, e)) continue;
        dense_linear(row, m, y + e * d, d, d, place->out.weight, place->out.bias);
        for (size_t c = 0; c < d; c++) x[e * d + c] += row[c];
    }
    mem_free(qkv);
    mem_free(p);
    mem_free(row);
    mem_free(y);
}

static inline void dense_feed(double *x, const dense_model *m, size_t entries,
                              const place_feed_forward *place)
{
    double *row = dense_zeros(m->d), *inner = dense_zeros(m->ff);
    for (size_t e = 0; e < entries; e++, x += m->d) {
        dense_norm(row, m, x, &place->norm);
        dense_linear(inner, m, row, m->d, m->ff, place->in.weight, place->in.bias);
        for (size_t k = 0; k < m->ff; k++) inner[k] = dense_gelu(inner[k]);
        dense_linear(row, m, inner, m->ff, m->d, place->out.weight, place->out.bias);
        for (size_t c = 0; c < m->d; c++) x[c] += row[c];
    }
    mem_free(row);
    mem_free(inner);
}

static inline size_t dense_along_k(const dense_model *m, size_t t, size_t member)
{
    return 2 * m->K * t + member; /* pair and channel */
}

static inline size_t dense_along_t(const dense_model *m, size_t group, size_t t)
{
    return 2 * m->K * t + group;
}

static inline bool dense_is_cell(const dense_model *m, size_t entry)
{
    return m->valid[entry / 2];
}

static inline size_t dense_source(const dense_model *m, size_t i, size_t j)
{
    return i * m->N + j;
}

static inline size_t dense_target(const dense_model *m, size_t j, size_t i)
{
    return i * m->N + j;
}

static inline bool dense_always(const dense_model *m, size_t entry)
{
    (void)m;
    (void)entry;
    return true;
}

static inline void dense_axial(double *x, const dense_model *m, bool global,
                               const place_axial *place)
{
    const dense_axis marginal[2] = {{m->T, 2 * m->K, dense_along_k, dense_is_cell},
                                    {2 * m->K, m->T, dense_along_t, dense_is_cell}};
    const dense_axis grid[2] = {{m->N, m->N, dense_source, dense_always},
                                {m->N, m->N, dense_target, dense_always}};
    dense_attention(x, m, global ? &grid[0] : &marginal[0], &place->row);
    dense_attention(x, m, global ? &grid[1] : &marginal[1], &place->column);
    dense_feed(x, m, global ? m->N * m->N : 2 * m->T * m->K, &place->feed);
}

/* ---- embedding ---- */

static inline double dense_position(size_t place, size_t k, size_t d)
{
    double angle = (double)place / pow(10000.0, (double)(k / 2 * 2) / (double)d);
    return k % 2 == 0 ? sin(angle) : cos(angle);
}

static inline void dense_features(double *x, const dense_model *m, size_t cell, size_t regime)
{
    const tokens *t = m->item->t;
    size_t pair = t->cell_pair[cell], d = m->d;
    bool as_stored = m->ends[pair][0] == t->ends[pair][0];
    uint8_t code = t->codes[cell][regime];
    bool edge = code != TOKEN_NONE;
    for (size_t side = 0; side < 2; side++) {
        bool first = (side == 0) == as_stored; /* of the stored ends */
        bool head = code == (first ? TOKEN_BACKWARD : TOKEN_FORWARD);
        x[3 * side] = edge ? 0.0 : 1.0;
        x[3 * side + 1] = edge && !head ? 1.0 : 0.0;
        x[3 * side + 2] = head ? 1.0 : 0.0;
    }
    const float *s = t->pair_statistics[pair][regime];
    for (size_t k = 0; k < 4; k++) x[6 + k] = (double)s[k < 2 || as_stored ? k : 5 - k];
    for (size_t side = 0; side < 2; side++) {
        size_t row = m->item->identity[m->ends[pair][side]];
        for (size_t k = 0; k < d; k++) {
            x[10 + side * d + k] = (double)m->values[m->layout->identity + row * d + k];
        }
    }
}

static inline void dense_embed(dense_model *m)
{
    const parameter_layout *layout = m->layout;
    const tokens *t = m->item->t;
    size_t d = m->d, width = 10 + 2 * d;
    double *x = dense_zeros(width), *inner = dense_zeros(d);
    for (size_t cell = 0; cell < t->size.cells; cell++) {
        size_t place = t->cell_subset[cell], pair = t->cell_pair[cell];
        double *h = m->h + (place * m->K + pair) * 2 * d;
        m->valid[place * m->K + pair] = true;
        for (size_t regime = 0; regime < 2; regime++) {
            dense_features(x, m, cell, regime);
            dense_linear(inner, m, x, width, d, layout->embed_in.weight, layout->embed_in.bias);
            for (size_t k = 0; k < d; k++) inner[k] = dense_gelu(inner[k]);
            dense_linear(h + regime * d, m, inner, d, d, layout->embed_out.weight,
                         layout->embed_out.bias);
            for (size_t k = 0; k < d; k++) {
                h[regime * d + k] += dense_position(place, k, d) + dense_position(pair, k, d);
            }
        }
        for (size_t k = 0; layout->config.contrast && k < d; k++) {
            double zero = h[k], one = h[d + k];
            h[k] = 0.5 * (zero + one);
            h[d + k] = one - zero;
        }
    }
    for (size_t e = 0; e < m->N * m->N; e++) {
        size_t i = m->item->identity[e / m->N], j = m->item->identity[e % m->N];
        for (size_t k = 0; k < d; k++) {
            m->g[e * d + k] = (double)m->values[layout->precision + k] * (double)t->precision[e] +
                              (double)m->values[layout->node + i * d + k] +
                              (double)m->values[layout->node + j * d + k];
        }
    }
    mem_free(x);
    mem_free(inner);
}

/* ---- pooling and output ---- */

/* out [2, width] = sum over t of the weights of (pair, channel) times a function of its tokens */
static inline void dense_pool(double *out, const dense_model *m, size_t pair, size_t pool,
                              bool logits)
{
    size_t d = m->d, width = logits ? MODEL_CLASSES : d;
    const place_linear *classes = &m->layout->classes;
    double value[MODEL_CLASSES];
    for (size_t channel = 0; channel < 2; channel++) {
        double total = 0.0;
        for (size_t k = 0; k < width; k++) out[channel * width + k] = 0.0;
        for (size_t t = 0; t < m->T; t++) {
            if (!m->valid[t * m->K + pair]) continue;
            const double *h = m->h + ((t * m->K + pair) * 2 + channel) * d;
            double score = 0.0;
            for (size_t k = 0; k < d; k++) score += (double)m->values[pool + k] * h[k];
            if (logits) {
                dense_linear(value, m, h, d, MODEL_CLASSES, classes->weight, classes->bias);
            }
            for (size_t k = 0; k < width; k++) {
                out[channel * width + k] += exp(score) * (logits ? value[k] : h[k]);
            }
            total += exp(score);
        }
        for (size_t k = 0; k < width; k++) out[channel * width + k] /= total;
    }
}

static inline void dense_block(dense_model *m, size_t block)
{
    const place_block *place = &m->layout->blocks[block];
    size_t d = m->d;
    double *pooled = dense_zeros(2 * d);
    dense_axial(m->h, m, false, &place->marginal);
    for (size_t e = 0; e < m->K; e++) {
        double *g = m->g + (m->ends[e][0] * m->N + m->ends[e][1]) * d;
        dense_pool(pooled, m, e, place->pool, false);
        for (size_t k = 0; k < d; k++) g[k] += 0.5 * (pooled[k] + pooled[d + k]);
    }
    dense_axial(m->g, m, true, &place->global);
    for (size_t entry = 0; entry < 2 * m->T * m->K; entry++) {
        size_t e = entry / 2 % m->K;
        const double *g = m->g + (m->ends[e][0] * m->N + m->ends[e][1]) * d;
        for (size_t k = 0; k < d; k++) m->h[entry * d + k] += g[k];
    }
    mem_free(pooled);
}

static inline void dense_output(dense_model *m)
{
    const parameter_layout *layout = m->layout;
    const size_t swapped[3] = {1, 0, 2};
    size_t last = layout->blocks[layout->config.blocks - 1].pool, N = m->N;
    double *raw = dense_zeros(3 * N * N);
    for (size_t e = 0; e < m->K; e++) {
        double both[2 * MODEL_CLASSES];
        dense_pool(both, m, e, last, true);
        for (size_t k = 0; k < 3; k++) m->logits[3 * e + k] = 0.5 * (both[k] + both[3 + k]);
    }
    for (size_t e = 0; e < N * N; e++) {
        dense_linear(raw + 3 * e, m, m->g + e * m->d, m->d, 3, layout->global_classes.weight,
                     layout->global_classes.bias);
    }
    for (size_t e = 0; e < N * N; e++) {
        const double *mirror = raw + 3 * (e % N * N + e / N);
        for (size_t k = 0; k < 3; k++) {
            m->global[3 * e + k] = 0.5 * (raw[3 * e + k] + mirror[swapped[k]]);
        }
    }
    mem_free(raw);
}

static inline dense_model *dense_run(const parameter_layout *layout, const real *values,
                                     const batch_item *item)
{
    const tokens *t = item->t;
    const model_config *config = &layout->config;
    dense_model *m = mem_zero(1, sizeof *m);
    assert_non_null(m);
    *m = (dense_model){layout,
                       values,
                       item,
                       t->size.subsets,
                       t->size.pairs,
                       t->size.nodes,
                       config->width,
                       config->heads,
                       config->feed_forward,
                       NULL,
                       NULL,
                       NULL,
                       NULL,
                       NULL,
                       NULL};
    m->valid = mem_zero(m->T * m->K, sizeof *m->valid);
    m->ends = mem_zero(m->K, sizeof *m->ends);
    assert_true(m->valid && m->ends);
    m->h = dense_zeros(m->T * m->K * 2 * m->d);
    m->g = dense_zeros(m->N * m->N * m->d);
    m->logits = dense_zeros(3 * m->K);
    m->global = dense_zeros(3 * m->N * m->N);
    for (size_t e = 0; e < m->K; e++) {
        size_t a = t->ends[e][0], b = t->ends[e][1];
        bool turned = (item->identity[a] < item->identity[b]) == item->reversed;
        m->ends[e][0] = turned ? b : a;
        m->ends[e][1] = turned ? a : b;
    }
    dense_embed(m);
    for (size_t k = 0; k < config->blocks; k++) dense_block(m, k);
    dense_output(m);
    return m;
}

static inline void dense_free(dense_model *m)
{
    mem_free(m->valid);
    mem_free(m->ends);
    mem_free(m->h);
    mem_free(m->g);
    mem_free(m->logits);
    mem_free(m->global);
    mem_free(m);
}

#endif
