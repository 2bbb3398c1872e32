/* heads_plain.h - the formulas of the bias heads as docs/methods/model.md states them, in double: a
 * loop over cells, triples and paths each, nothing shared. Include testing.h first.
 *
 * It also notes how close a comparison with a threshold came: results are only compared where every
 * mask is beyond doubt.
 */
#ifndef SCONE_TESTS_HEADS_PLAIN_H
#define SCONE_TESTS_HEADS_PLAIN_H

#include "heads_data.h"

enum { PLAIN_WIDTH = 64, PLAIN_MEMBERS = 16 };

typedef struct plain_heads {
    double *gamma;             /* [members] */
    double *gates;             /* [cells][3] */
    double *bias[3];           /* [cells][2 regimes][3 classes] */
    double *h;                 /* [cells][2][d] */
    double margin;             /* least distance from a threshold */
    size_t active[3], idle[3]; /* cells, triples, instances that a head speaks of or not */
} plain_heads;

static inline double plain_gelu(double x)
{
    return 0.5 * x * (1.0 + tanh(sqrt(2.0 / acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

static inline double plain_sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

static inline bool plain_at_least(plain_heads *p, double value, double threshold)
{
    p->margin = fmin(p->margin, fabs(value - threshold));
    return value >= threshold;
}

/* y[out] += W[out][in] x[in] */
static inline void plain_multiply(double *y, const real *w, const double *x, size_t out, size_t in)
{
    for (size_t i = 0; i < out; i++) {
        for (size_t j = 0; j < in; j++) y[i] += (double)w[i * in + j] * x[j];
    }
}

/* z of a regime (0, 1) or Delta (2) of a cell */
static inline void plain_embedding(double *z, const heads_case *x, size_t cell, size_t which)
{
    size_t d = x->layout->config.width;
    const real *first = x->h + 2 * cell * d, *second = first + d;
    for (size_t j = 0; j < d; j++) {
        double a = (double)first[j], b = (double)second[j];
        double of_contrast[] = {a - b / 2, a + b / 2, b}, of_regimes[] = {a, b, b - a};
        z[j] = x->layout->config.contrast ? of_contrast[which] : of_regimes[which];
    }
}

static inline bool plain_has(const batch *b, size_t cell, size_t member)
{
    return b->cell_members[cell][0] == member || b->cell_members[cell][1] == member;
}

static inline double plain_pass(plain_heads *p, const heads_case *x, double value, double threshold)
{
    const model_config *config = &x->layout->config;
    if (!config->soft_thresholds) return plain_at_least(p, value, threshold) ? 1.0 : 0.0;
    return plain_sigmoid((value - threshold) / config->threshold_width);
}

/* a place + what cells say + u m + b, before the sigmoid */
static inline double plain_gamma_rest(const heads_case *x, size_t m, double *size, size_t *count)
{
    const batch *b = &x->b;
    const place_heads *at = &x->layout->blocks[CASE_BLOCK].heads;
    size_t d = x->layout->config.width;
    double z[PLAIN_WIDTH], rest = 0.0;
    *size = 0.0;
    *count = 0;
    for (size_t cell = 0; cell < b->cells; cell++) {
        double square = 0.0;
        size_t side = b->cell_members[cell][1] == m;
        if (!plain_has(b, cell, m)) continue;
        plain_embedding(z, x, cell, 1);
        plain_multiply(&rest, x->values + at->gamma_z + side * d, z, 1, d);
        plain_embedding(z, x, cell, 2);
        plain_multiply(&rest, x->values + at->gamma_change + side * d, z, 1, d);
        for (size_t j = 0; j < d; j++) square += z[j] * z[j];
        *size += sqrt(square);
        ++*count;
    }
    if (*count > 0) {
        rest /= (double)*count;
        *size /= (double)*count;
    }
    for (size_t k = 0; k < TOKEN_NODE_STATISTICS; k++) {
        rest += (double)x->values[at->gamma_m.weight + k] *
                (double)b->node_statistics[TOKEN_NODE_STATISTICS * b->member_node[m] + k];
    }
    return rest + (double)x->values[at->gamma_m.bias];
}

static inline void plain_gamma(plain_heads *p, const heads_case *x)
{
    const batch *b = &x->b;
    double scale = (double)x->values[x->layout->blocks[CASE_BLOCK].heads.gamma_scale];
    for (size_t t = 0; t < b->subsets; t++) {
        size_t first = b->subset_members.offsets[t], last = b->subset_members.offsets[t + 1];
        double size[PLAIN_MEMBERS], mean = 0.0, variance = 0.0, touched = 0.0;
        size_t count[PLAIN_MEMBERS];
        assert_true(last - first <= PLAIN_MEMBERS);
        for (size_t m = first; m < last; m++) {
            size_t k = m - first;
            p->gamma[m] = plain_gamma_rest(x, m, &size[k], &count[k]);
            if (count[k] == 0) continue;
            mean += size[k];
            variance += size[k] * size[k];
            touched += 1.0;
        }
        mean /= touched;
        variance = variance / touched - mean * mean;
        for (size_t m = first; m < last; m++) {
            size_t k = m - first;
            if (count[k] > 0) p->gamma[m] += scale * (size[k] - mean) / sqrt(variance + 1e-8);
            p->gamma[m] = plain_sigmoid(p->gamma[m]);
        }
    }
}

static inline void plain_gates(plain_heads *p, const heads_case *x)
{
    const model_config *config = &x->layout->config;
    const place_heads *at = &x->layout->blocks[CASE_BLOCK].heads;
    for (size_t cell = 0; cell < x->b.cells; cell++) {
        for (size_t head = 0; head < 3; head++) {
            double sum = (double)x->values[at->gate.bias + head];
            for (size_t end = 0; end < 2; end++) {
                sum += (double)x->values[at->gate.weight + 2 * head + end] *
                       p->gamma[x->b.cell_members[cell][end]];
            }
            p->gates[3 * cell + head] =
                config->gate_min +
                (1.0 - config->gate_min) * plain_sigmoid(sum / config->gate_temperature);
        }
    }
}

/* bias to -> and its negative to <- */
static inline void plain_say(plain_heads *p, size_t head, size_t cell, size_t regime, double bias)
{
    p->bias[head][(2 * cell + regime) * 3] += bias;
    p->bias[head][(2 * cell + regime) * 3 + 1] -= bias;
}

/* phi(c, v) of a cell at its end, [d / 2] */
static inline void plain_ssi_phi(double *phi, const heads_case *x, size_t cell, size_t end,
                                 size_t c)
{
    const batch *b = &x->b;
    const place_heads *at = &x->layout->blocks[CASE_BLOCK].heads;
    size_t d = x->layout->config.width, member = b->cell_members[cell][end], count = 0;
    double z[PLAIN_WIDTH], p[PLAIN_WIDTH] = {0}, m[TOKEN_NODE_STATISTICS], inner[PLAIN_WIDTH],
                           other[PLAIN_WIDTH];
    plain_embedding(z, x, cell, c);
    for (size_t e = 0; e < b->cells; e++) {
        if (!plain_has(b, e, member) || !x->pair_context[b->cell_pair[e]]) continue;
        plain_embedding(other, x, e, c);
        for (size_t j = 0; j < d; j++) p[j] += other[j];
        count++;
    }
    for (size_t j = 0; count > 0 && j < d; j++) p[j] /= (double)count;
    for (size_t k = 0; k < TOKEN_NODE_STATISTICS; k++) {
        m[k] = (double)c *
               (double)b->node_statistics[TOKEN_NODE_STATISTICS * b->member_node[member] + k];
    }
    for (size_t j = 0; j < d; j++) inner[j] = (double)x->values[at->ssi_bias + j];
    plain_multiply(inner, x->values + at->ssi_z, z, d, d);
    plain_multiply(inner, x->values + at->ssi_p, p, d, d);
    plain_multiply(inner, x->values + at->ssi_m, m, d, TOKEN_NODE_STATISTICS);
    for (size_t j = 0; j < d; j++) inner[j] = plain_gelu(inner[j]);
    for (size_t j = 0; j < d / 2; j++) phi[j] = 0.0;
    plain_multiply(phi, x->values + at->ssi_out, inner, d / 2, d);
}

/* s(from -> to), ends of a cell */
static inline double plain_ssi_score(plain_heads *p, const heads_case *x, size_t cell, size_t from,
                                     const double delta[2])
{
    const model_config *config = &x->layout->config;
    const uint32_t *members = x->b.cell_members[cell];
    double cause = p->gamma[members[from]], effect = p->gamma[members[1 - from]];
    double changed = plain_pass(p, x, effect, cause + config->ssi_margin);
    double still = plain_pass(p, x, config->ssi_change_max, cause);
    double push = delta[1 - from] - delta[from], open = changed * still;
    if (!(open > 0.0)) return 0.0;
    p->margin = fmin(p->margin, fabs(push));
    return open * fmax(plain_at_least(p, push, config->ssi_clip) ? config->ssi_clip : push, 0.0);
}

static inline void plain_ssi(plain_heads *p, const heads_case *x)
{
    const place_heads *at = &x->layout->blocks[CASE_BLOCK].heads;
    size_t half = x->layout->config.width / 2;
    for (size_t cell = 0; cell < x->b.cells; cell++) {
        double delta[2], phi[2][PLAIN_WIDTH];
        for (size_t end = 0; end < 2; end++) {
            double square = 0.0;
            for (size_t c = 0; c < 2; c++) plain_ssi_phi(phi[c], x, cell, end, c);
            for (size_t j = 0; j < half; j++) {
                square += (phi[1][j] - phi[0][j]) * (phi[1][j] - phi[0][j]);
            }
            delta[end] = sqrt(square);
        }
        double forward = plain_ssi_score(p, x, cell, 0, delta);
        double backward = plain_ssi_score(p, x, cell, 1, delta);
        *(forward != backward ? &p->active[HEAD_SSI] : &p->idle[HEAD_SSI]) += 1;
        for (size_t c = 0; c < 2; c++) {
            plain_say(p, HEAD_SSI, cell, c,
                      (double)x->values[at->ssi_scale] * (forward - backward));
        }
    }
}

/* g_j of a triple, 0 where the gate is shut */
static inline double plain_cvt_gate(plain_heads *p, const heads_case *x, size_t q)
{
    const model_config *config = &x->layout->config;
    double threshold = config->cvt_change_max, centre = p->gamma[x->b.triple_centre[q]];
    if (config->cvt_gate == MODEL_CVT_PRINTED) {
        return (1.0 - centre) * plain_pass(p, x, threshold, centre);
    }
    double product = centre * plain_pass(p, x, centre, threshold);
    for (size_t end = 0; end < 2; end++) {
        product *= plain_pass(p, x, threshold, p->gamma[x->b.triple_ends[q][end]]);
    }
    return product;
}

static inline void plain_cvt(plain_heads *p, const heads_case *x)
{
    const batch *b = &x->b;
    const place_heads *at = &x->layout->blocks[CASE_BLOCK].heads;
    double z[PLAIN_WIDTH];
    for (size_t q = 0; q < b->triples; q++) {
        double sum = (double)x->values[at->cvt_bias];
        for (size_t side = 0; side < 2; side++) {
            plain_embedding(z, x, b->triple_cells[q][side], 1);
            plain_multiply(&sum, x->values + at->cvt_z, z, 1, x->layout->config.width);
            plain_embedding(z, x, b->triple_cells[q][side], 2);
            plain_multiply(&sum, x->values + at->cvt_change, z, 1, x->layout->config.width);
        }
        double score = plain_sigmoid(sum), gate = plain_cvt_gate(p, x, q);
        double loud = plain_pass(p, x, score, x->layout->config.cvt_score_min);
        *(loud * gate > 0.0 ? &p->active[HEAD_CVT] : &p->idle[HEAD_CVT]) += 1;
        for (size_t side = 0; side < 2; side++) {
            size_t cell = b->triple_cells[q][side];
            bool second = b->cell_members[cell][1] == b->triple_centre[q];
            plain_say(p, HEAD_CVT, cell, 0,
                      (second ? 1.0 : -1.0) * (double)x->values[at->cvt_scale] * gate * loud *
                          score);
        }
    }
}

/* Score of an instance in a regime, read forward (way 1) or backward (way -1). */
static inline double plain_dpt_logit(const heads_case *x, size_t instance, size_t c, int way)
{
    const batch *b = &x->b;
    const place_heads *at = &x->layout->blocks[CASE_BLOCK].heads;
    size_t d = x->layout->config.width, half = d / 2;
    double sum[PLAIN_WIDTH] = {0}, z[PLAIN_WIDTH], inner[PLAIN_WIDTH];
    double out = 0.0;
    for (size_t e = b->instance_steps.offsets[instance];
         e < b->instance_steps.offsets[instance + 1]; e++) {
        size_t cell = b->instance_steps.index[e];
        for (size_t j = 0; j < d; j++) {
            inner[j] = (double)x->values[at->dpt_bias + j] +
                       (double)(way * b->step_sense[e]) * (double)x->values[at->dpt_sense + j];
        }
        plain_embedding(z, x, cell, c);
        plain_multiply(inner, x->values + at->dpt_z, z, d, d);
        for (size_t j = 0; j < d; j++) z[j] *= (double)(way * b->step_sense[e]);
        plain_multiply(inner, x->values + at->dpt_turn, z, d, d);
        plain_embedding(z, x, cell, 2);
        plain_multiply(inner, x->values + at->dpt_change, z, d, d);
        for (size_t j = 0; j < d; j++) sum[j] += plain_gelu(inner[j]);
    }
    for (size_t j = 0; j < half; j++) inner[j] = (double)x->values[at->dpt_in.bias + j];
    plain_multiply(inner, x->values + at->dpt_in.weight, sum, half, d);
    for (size_t j = 0; j < half; j++) inner[j] = plain_gelu(inner[j]);
    plain_multiply(&out, x->values + at->dpt_out, inner, 1, half);
    return out;
}

static inline void plain_dpt(plain_heads *p, const heads_case *x)
{
    const place_heads *at = &x->layout->blocks[CASE_BLOCK].heads;
    for (size_t k = 0; k < x->b.instances; k++) {
        double score[2], best[2];
        for (size_t c = 0; c < 2; c++) {
            score[c] = plain_sigmoid(plain_dpt_logit(x, k, c, 1) - plain_dpt_logit(x, k, c, -1));
            best[c] = fmax(score[c], 1.0 - score[c]);
        }
        size_t c = plain_at_least(p, best[1], best[0] + 1e-4) ? 1 : 0;
        double lean =
            plain_pass(p, x, best[c], x->layout->config.dpt_score_min) * (2.0 * score[c] - 1.0);
        *(lean != 0.0 ? &p->active[HEAD_DPT] : &p->idle[HEAD_DPT]) += 1;
        plain_say(p, HEAD_DPT, x->b.instance_owner[k], 1 - c,
                  (double)x->values[at->dpt_scale] * lean);
    }
}

/* h = channels + sum over heads of gate W_proj bias */
static inline void plain_stream(plain_heads *p, const heads_case *x)
{
    const real *project = x->values + x->layout->blocks[CASE_BLOCK].heads.project;
    size_t d = x->layout->config.width;
    for (size_t i = 0; i < 2 * x->b.cells * d; i++) p->h[i] = (double)x->h[i];
    for (size_t cell = 0; cell < x->b.cells; cell++) {
        for (size_t head = 0; head < 3; head++) {
            const double *bias = p->bias[head] + 6 * cell;
            double channels[2] = {bias[0], bias[3]}, gate = p->gates[3 * cell + head];
            if (x->layout->config.contrast) {
                channels[0] = 0.5 * (bias[0] + bias[3]);
                channels[1] = bias[3] - bias[0];
            }
            for (size_t k = 0; k < 2; k++) {
                for (size_t j = 0; j < d; j++) {
                    p->h[(2 * cell + k) * d + j] +=
                        gate * (double)project[3 * j + head] * channels[k];
                }
            }
        }
    }
}

static inline plain_heads plain_make(const heads_case *x)
{
    size_t cells = x->b.cells;
    plain_heads p = {.margin = 1.0};
    p.gamma = zeros(x->b.members);
    p.gates = zeros(3 * cells);
    for (size_t head = 0; head < 3; head++) p.bias[head] = zeros(6 * cells);
    p.h = zeros(2 * cells * x->layout->config.width);
    plain_gamma(&p, x);
    plain_gates(&p, x);
    plain_ssi(&p, x);
    plain_cvt(&p, x);
    plain_dpt(&p, x);
    plain_stream(&p, x);
    return p;
}

static inline void plain_free(plain_heads *p)
{
    mem_free(p->gamma);
    mem_free(p->gates);
    for (size_t head = 0; head < 3; head++) mem_free(p->bias[head]);
    mem_free(p->h);
}

/* The first case from `seed` on whose comparisons are all farther than `margin` from a tie, and in
 * which each head speaks. */
static inline heads_case *case_clear(uint64_t seed, case_sizes sizes, model_config config,
                                     double margin, plain_heads *plain)
{
    for (uint64_t s = seed; s < seed + 400; s++) {
        heads_case *x = case_make(s, sizes, config);
        *plain = plain_make(x);
        bool good = plain->margin > margin;
        for (size_t head = 0; head < 3; head++) good = good && plain->active[head] > 1;
        if (good) return x;
        plain_free(plain);
        case_free(x);
    }
    fail_msg("no case with a margin of %g from seed %d on", margin, (int)seed);
    return NULL;
}

#endif
