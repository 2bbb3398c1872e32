/* consistency_coverage.c - how often the sampler meets the subsets that witness a direction, beside
 * the bound of the coverage lemma (consistency.h).
 *
 * The lemma is about independent draws from one distribution Q. The sampler is not like that: what
 * it has visited counts less. Q is taken to be the distribution of its first subset, which is
 * computed exactly from its weights; the measured chance is that of the sampler as it is.
 *
 * The bound follows from Markov's inequality with a negative exponent, and so for hits/T <= pi
 * only; beyond it the chance that it bounds is near 1 while exp(-T KL) is small again.
 */
#include "theory/consistency.h"

#include "sample/sensitivity.h"
#include "sample/sampler.h"

#include <math.h>

double consistency_bound(size_t subsets, size_t hits, double mass)
{
    double t = (double)subsets, a = (double)hits / t, b = mass;
    if (b <= 0.0) return 1.0;
    if (b >= 1.0) return hits < subsets ? 0.0 : 1.0; /* KL of a < 1 to certainty is infinite */
    double divergence = a > 0.0 ? a * log(a / b) : 0.0;
    if (a < 1.0) divergence += (1.0 - a) * log((1.0 - a) / (1.0 - b));
    return exp(-t * divergence);
}

double consistency_tail(size_t subsets, size_t hits, double mass)
{
    double sum = 0.0, ways = 1.0;
    for (size_t l = 0; l < hits && l <= subsets; l++) {
        sum += ways * pow(mass, (double)l) * pow(1.0 - mass, (double)(subsets - l));
        ways *= (double)(subsets - l) / (double)(l + 1);
    }
    return sum < 1.0 ? sum : 1.0;
}

/* ---- the sampler ---- */

static scone_status scores_of(sensitivity **scores, const scone_pair *pair)
{
    scone_status status = SCONE_OK;
    moments *m = NULL;
    TRY(moments_alloc(&m, pair, NULL));
    TRY(sensitivity_alloc(scores, pair, m, NULL, NULL));
cleanup:
    moments_free(m);
    return status;
}

static scone_status sampler_of(sampler **out, const sensitivity *scores,
                               const scone_consistency_options *o, size_t index, size_t restart)
{
    sampler_options options = sampler_defaults();
    const sampler_scores given = {scores->columns, scores->association, scores->contrast,
                                  scores->score};
    options.size = o->subset_size;
    options.count = o->subsets[o->subset_count - 1];
    options.seed = o->seed;
    options.graph = (uint64_t)restart << 32 | index;
    return sampler_alloc(out, &given, &options);
}

static uint32_t subset_mask(const sampler *s, size_t t)
{
    uint32_t mask = 0;
    for (size_t i = 0; i < s->size; i++) mask |= MASK_BIT(sampler_subset(s, t)[i]);
    return mask;
}

scone_status consistency_sample(subset_family *families, const scone_pair *pair,
                                const scone_consistency_options *o, size_t index)
{
    scone_status status = SCONE_OK;
    sensitivity *scores = NULL;
    sampler *s = NULL;
    TRY(scores_of(&scores, pair));
    TRY(sampler_of(&s, scores, o, index, 0));
    TRY(sampler_run(s));
    for (size_t t = 0; t < o->subset_count; t++) {
        families[t] = 0;
        for (size_t i = 0; i < o->subsets[t]; i++) families[t] |= UINT64_C(1) << subset_mask(s, i);
    }
cleanup:
    sampler_free(s);
    sensitivity_free(scores);
    return status;
}

/* Adds `chance` times the distribution of the first subset that starts with the nodes
 * chosen[0 .. depth-1]. At most p! / (p - k)! steps of order p. */
static scone_status first_subset(double *mass, sampler *s, size_t *chosen, size_t depth,
                                 double chance)
{
    scone_status status = SCONE_OK;
    double weights[SCONE_CONSISTENCY_MOST_NODES], total = 0.0;
    uint32_t taken = 0;
    for (size_t i = 0; i < depth; i++) taken |= MASK_BIT(chosen[i]);
    if (depth == s->size || depth == SCONE_CONSISTENCY_MOST_NODES) {
        mass[taken] += chance;
        return SCONE_OK;
    }
    TRY(sampler_start(s));
    for (size_t i = 0; i < depth; i++) sampler_add(s, chosen[i]);
    if (depth == 0) {
        sampler_seed_weights(weights, s);
    } else {
        sampler_growth_weights(weights, s);
    }
    for (size_t v = 0; v < s->nodes; v++) total += mask_has(taken, (int)v) ? 0.0 : weights[v];
    for (size_t v = 0; v < s->nodes; v++) {
        if (mask_has(taken, (int)v)) continue;
        double share = total > 0.0 ? weights[v] / total : 1.0 / (double)(s->nodes - depth);
        if (!(share > 0.0)) continue;
        chosen[depth] = v;
        TRY(first_subset(mass, s, chosen, depth + 1, chance * share));
    }
cleanup:
    return status;
}

/* ---- directions ---- */

typedef struct covered_direction {
    subset_family witnesses;
    double mass;                                                      /* pi */
    size_t few[SCONE_CONSISTENCY_MOST_POINTS][CONSISTENCY_MOST_HITS]; /* runs with too few hits */
} covered_direction;

enum { MOST_DIRECTIONS = SCONE_CONSISTENCY_MOST_NODES * (SCONE_CONSISTENCY_MOST_NODES - 1) / 2 };

static void count_hits(covered_direction *d, const sampler *s, const scone_consistency_options *o)
{
    size_t hits = 0, drawn = 0;
    for (size_t t = 0; t < o->subset_count; t++) {
        for (; drawn < o->subsets[t]; drawn++) {
            if (d->witnesses >> subset_mask(s, drawn) & 1) hits++;
        }
        for (size_t r = hits; r < CONSISTENCY_MOST_HITS; r++) d->few[t][r]++;
    }
}

static void add_direction(consistency_case *result, const covered_direction *d,
                          const scone_consistency_options *o)
{
    double runs = (double)o->restarts;
    for (size_t t = 0; t < o->subset_count; t++) {
        for (size_t r = 1; r <= CONSISTENCY_MOST_HITS && r <= o->subsets[t]; r++) {
            coverage_sum *sum = &result->coverage[t][r - 1];
            bool inside = (double)r <= d->mass * (double)o->subsets[t];
            double printed = consistency_bound(o->subsets[t], r, d->mass);
            double bound = inside ? printed : 1.0, measured = (double)d->few[t][r - 1] / runs;
            double exact = consistency_tail(o->subsets[t], r, d->mass);
            sum->directions++;
            sum->measured += measured;
            sum->squares += measured * measured;
            sum->independent += exact;
            sum->bound += bound;
            sum->above += measured > bound + 3.0 * sqrt(bound * (1.0 - bound) / runs);
            sum->outside += !inside && exact > printed * (1.0 + 1e-9);
        }
    }
}

scone_status consistency_cover(consistency_case *result, const scone_pair *pair,
                               const scone_consistency_options *o, size_t index,
                               const directions *g_test, const subset_witnesses *witnesses)
{
    scone_status status = SCONE_OK;
    sensitivity *scores = NULL;
    sampler *s = NULL;
    covered_direction all[MOST_DIRECTIONS] = {{0}};
    double mass[CONSISTENCY_SETS] = {0};
    size_t count = 0, chosen[SCONE_CONSISTENCY_MOST_NODES];
    TRY(scores_of(&scores, pair));
    TRY(sampler_of(&s, scores, o, index, 0));
    TRY(first_subset(mass, s, chosen, 0, 1.0));
    for (int a = 0; a < (int)o->nodes; a++) {
        MASK_FOR(b, g_test->to[a]) {
            covered_direction *d = &all[count];
            d->witnesses = witnesses->of[a][b];
            for (size_t w = 0; w < CONSISTENCY_SETS; w++) {
                if (d->witnesses >> w & 1) d->mass += mass[w];
            }
            if (d->witnesses) {
                count++;
            } else {
                result->unwitnessed++;
            }
        }
    }
    for (size_t run = 0; run < o->restarts && count; run++) {
        sampler_free(s);
        s = NULL;
        TRY(sampler_of(&s, scores, o, index, run));
        TRY(sampler_run(s));
        for (size_t d = 0; d < count; d++) count_hits(&all[d], s, o);
    }
    for (size_t d = 0; d < count; d++) add_direction(result, &all[d], o);
cleanup:
    sampler_free(s);
    sensitivity_free(scores);
    return status;
}
