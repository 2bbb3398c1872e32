/* sampler.c - the greedy sampler (see sampler.h).
 *
 * Only rows of nodes in the last subset change in a^t, so their sums are added up anew: the same
 * order of work as forming the subset, and no rounding is left behind however small a^t becomes
 * (subtracting what a visit takes away could leave a negative sum).
 */
#include "sample/sampler.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

sampler_options sampler_defaults(void)
{
    return (sampler_options){.size = 8,
                             .count = 0,
                             .pair_visits = 4.0,
                             .least_count = 16,
                             .seed_sensitivity = 0.5,
                             .association = 0.75,
                             .coverage = 1.0,
                             .association_base = 1.5,
                             .contrast_base = 1.5,
                             .use_contrast = true};
}

/* ---- construction ---- */

static bool within(double value, double low, double high)
{
    return value >= low && value <= high;
}

static scone_status check_options(const sampler_options *o)
{
    if (o->size == 0) {
        return RAISE(SCONE_ERR_INPUT, "subsets of 0 nodes hold nothing; give a size of 2 or more");
    }
    if (!within(o->seed_sensitivity, 0.0, 1.0) || !within(o->association, 0.0, 1.0)) {
        return RAISE(SCONE_ERR_INPUT,
                     "rho is %g and lambda %g; both are shares and lie between 0 and 1",
                     o->seed_sensitivity, o->association);
    }
    if (!within(o->coverage, 0.0, 64.0)) {
        return RAISE(SCONE_ERR_INPUT, "beta_cov is %g; give a value between 0 and 64", o->coverage);
    }
    if (!within(o->association_base, 1.0, 1e6) || !within(o->contrast_base, 1.0, 1e6)) {
        return RAISE(SCONE_ERR_INPUT, "q is %g and r %g; give values between 1 and 1e6",
                     o->association_base, o->contrast_base);
    }
    if (o->count >= UINT32_MAX || o->least_count >= UINT32_MAX ||
        !within(o->pair_visits, 0.0, 1e6)) {
        return RAISE(SCONE_ERR_INPUT,
                     "%zu subsets or %g visits of a pair are too many; give fewer than 2^32 "
                     "subsets and at most 1e6 visits",
                     o->count > o->least_count ? o->count : o->least_count, o->pair_visits);
    }
    return SCONE_OK;
}

/* So that no sum overflows; the scores of sample/sensitivity.h lie in [0, 1]. */
static const double largest_score = 1e100;

static bool score_valid(double value)
{
    return within(value, 0.0, largest_score);
}

/* Both triangles of `to` from the lower one of `from`, diagonal 0; false at an invalid score. */
static bool copy_matrix(double *to, const double *from, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        to[j + n * j] = 0.0;
        for (size_t i = j + 1; i < n; i++) {
            double value = from[i + n * j];
            if (!score_valid(value)) return false;
            to[i + n * j] = to[j + n * i] = value;
        }
    }
    return true;
}

static double row_sum(const sampler *s, size_t i)
{
    const double *row = s->association + s->nodes * i;
    double sum = 0.0;
    for (size_t j = 0; j < s->nodes; j++) sum += row[j];
    return sum;
}

static scone_status copy_scores(sampler *s, const sampler_scores *scores)
{
    size_t n = s->nodes;
    bool valid = copy_matrix(s->association, scores->association, n);
    if (s->options.use_contrast) {
        valid = valid && copy_matrix(s->contrast, scores->contrast, n);
        for (size_t i = 0; i < n; i++) {
            s->sensitivity[i] = scores->sensitivity[i];
            valid = valid && score_valid(s->sensitivity[i]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        s->row_sums[i] = row_sum(s, i);
        s->discounts[i] = 1.0;
    }
    if (!valid) {
        return RAISE(SCONE_ERR_INPUT, "a selection score is negative, larger than 1e100 or not a "
                                      "number; give scores between 0 and 1");
    }
    return SCONE_OK;
}

scone_status sampler_alloc(sampler **out, const sampler_scores *scores,
                           const sampler_options *options)
{
    scone_status status = SCONE_OK;
    sampler *s = NULL;
    size_t n = scores->nodes, cells;
    *out = NULL;
    TRY_ZERO(s, 1);
    s->options = options ? *options : sampler_defaults();
    TRY(check_options(&s->options));
    if (n == 0) FAIL(SCONE_ERR_INPUT, "there are no nodes to sample from");
    if (!size_multiply(&cells, n, n)) FAIL(SCONE_ERR_MEMORY, "%zu nodes are too many", n);
    s->nodes = n;
    s->size = s->options.size < n ? s->options.size : n;
    TRY_ZERO(s->visits, n);
    TRY_ZERO(s->pair_visits, cells);
    TRY_ALLOC(s->association, cells);
    if (s->options.use_contrast) TRY_ALLOC(s->contrast, cells);
    TRY_ZERO(s->sensitivity, n);
    TRY_ALLOC(s->row_sums, n);
    TRY_ALLOC(s->discounts, n);
    TRY_ALLOC(s->order, s->size);
    TRY_ZERO(s->association_sums, n);
    TRY_ZERO(s->contrast_sums, n);
    TRY_ALLOC(s->weights, n);
    TRY_ZERO(s->taken, n);
    TRY(copy_scores(s, scores));
    *out = s;
    s = NULL;
cleanup:
    sampler_free(s);
    return status;
}

void sampler_free(sampler *s)
{
    if (!s) return;
    mem_free(s->members);
    mem_free(s->visits);
    mem_free(s->pair_visits);
    mem_free(s->association);
    mem_free(s->contrast);
    mem_free(s->sensitivity);
    mem_free(s->row_sums);
    mem_free(s->discounts);
    mem_free(s->order);
    mem_free(s->association_sums);
    mem_free(s->contrast_sums);
    mem_free(s->weights);
    mem_free(s->taken);
    mem_free(s);
}

/* ---- weights ---- */

void sampler_seed_weights(double *weights, const sampler *s)
{
    double rho = s->options.seed_sensitivity;
    for (size_t i = 0; i < s->nodes; i++) {
        double weight = (1.0 - rho) * s->row_sums[i] + rho * s->sensitivity[i];
        weights[i] = weight / s->discounts[i];
    }
}

void sampler_growth_weights(double *weights, const sampler *s)
{
    double lambda = s->options.association, chosen = s->chosen ? (double)s->chosen : 1.0;
    for (size_t j = 0; j < s->nodes; j++) {
        double contrast = s->sensitivity[j] + s->contrast_sums[j] / chosen;
        double weight = lambda * s->association_sums[j] + (1.0 - lambda) * contrast;
        weights[j] = s->taken[j] ? 0.0 : weight / s->discounts[j];
    }
}

/* ---- one subset ---- */

scone_status sampler_start(sampler *s)
{
    if (s->count >= UINT32_MAX) {
        return RAISE(SCONE_ERR_INPUT, "%zu subsets are too many", s->count);
    }
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 64, cells;
        if (!size_multiply(&cells, capacity, s->size)) {
            return RAISE(SCONE_ERR_MEMORY, "%zu subsets do not fit into memory", capacity);
        }
        size_t *members = mem_resize(s->members, cells, sizeof *members);
        if (!members) return SCONE_ERR_MEMORY;
        s->members = members;
        s->capacity = capacity;
    }
    s->chosen = 0;
    memset(s->taken, 0, s->nodes * sizeof *s->taken);
    memset(s->association_sums, 0, s->nodes * sizeof *s->association_sums);
    memset(s->contrast_sums, 0, s->nodes * sizeof *s->contrast_sums);
    return SCONE_OK;
}

static void add_row(double *sums, const double *row, size_t n)
{
    for (size_t j = 0; j < n; j++) sums[j] += row[j];
}

void sampler_add(sampler *s, size_t node)
{
    s->taken[node] = true;
    s->order[s->chosen++] = node;
    add_row(s->association_sums, s->association + s->nodes * node, s->nodes);
    if (s->contrast) add_row(s->contrast_sums, s->contrast + s->nodes * node, s->nodes);
}

/* Counts the visit of a pair and takes its share off its scores. */
static void visit_pair(sampler *s, size_t i, size_t j)
{
    size_t ij = i + s->nodes * j, ji = j + s->nodes * i;
    s->pair_visits[ij]++;
    s->pair_visits[ji]++;
    s->association[ij] /= s->options.association_base;
    s->association[ji] = s->association[ij];
    if (s->contrast) {
        s->contrast[ij] /= s->options.contrast_base;
        s->contrast[ji] = s->contrast[ij];
    }
}

void sampler_finish(sampler *s)
{
    size_t *members = s->members + s->count * s->size, k = 0;
    for (size_t i = 0; i < s->nodes; i++) {
        if (s->taken[i]) members[k++] = i;
    }
    for (size_t b = 0; b < k; b++) {
        for (size_t a = 0; a < b; a++) visit_pair(s, members[a], members[b]);
    }
    for (size_t a = 0; a < k; a++) {
        size_t i = members[a];
        s->visits[i]++;
        s->discounts[i] = pow(1.0 + (double)s->visits[i], s->options.coverage);
        s->row_sums[i] = row_sum(s, i);
    }
    s->count++;
}

/* A node in proportion to s->weights; if all are 0, any that is not in the subset. */
static size_t draw_node(const sampler *s, rng *stream)
{
    for (size_t i = 0; i < s->nodes; i++) {
        if (s->weights[i] > 0.0) return rng_categorical(stream, s->weights, s->nodes);
    }
    size_t skip = (size_t)rng_below(stream, s->nodes - s->chosen);
    for (size_t i = 0; i < s->nodes; i++) {
        if (!s->taken[i] && skip-- == 0) return i;
    }
    return s->nodes - 1; /* not reached: skip is below the number of nodes left */
}

scone_status sampler_draw(sampler *s)
{
    scone_status status = SCONE_OK;
    TRY(sampler_start(s));
    rng stream = rng_stream(s->options.seed, RNG_SUBSET, s->options.graph, s->count, 0);
    sampler_seed_weights(s->weights, s);
    sampler_add(s, draw_node(s, &stream));
    while (s->chosen < s->size) {
        sampler_growth_weights(s->weights, s);
        sampler_add(s, draw_node(s, &stream));
    }
    sampler_finish(s);
cleanup:
    return status;
}

/* ---- as many as it takes ---- */

/* pairs [2 nodes]: the pairs that candidates will mostly come from, each once. */
static size_t likely_pairs(node_pair *pairs, const sampler *s)
{
    size_t n = s->nodes, count = pairs_top(pairs, n, s->association, n);
    if (!s->contrast) return count;
    size_t more = pairs_top(pairs + count, n, s->contrast, n), kept = count;
    for (size_t k = count; k < count + more; k++) {
        node_pair pair = pairs[k];
        bool known = false;
        for (size_t e = 0; e < count && !known; e++) {
            known = pairs[e].first == pair.first && pairs[e].second == pair.second;
        }
        if (!known) pairs[kept++] = pair;
    }
    return kept;
}

static double mean_visits(const sampler *s, const node_pair *pairs, size_t count)
{
    double sum = 0.0;
    for (size_t e = 0; e < count; e++) {
        sum += (double)s->pair_visits[pairs[e].first + s->nodes * pairs[e].second];
    }
    return count ? sum / (double)count : (double)INFINITY;
}

scone_status sampler_run(sampler *s)
{
    scone_status status = SCONE_OK;
    node_pair *pairs = NULL;
    const sampler_options *o = &s->options;
    for (size_t t = 0; t < o->count; t++) TRY(sampler_draw(s));
    if (o->count > 0) goto cleanup;

    TRY_ALLOC(pairs, 2 * s->nodes);
    size_t likely = likely_pairs(pairs, s);
    /* Every subset holds k (k - 1) / 2 pairs, so this many visit every pair that often on average;
     * no need for more if the likely pairs are slow to come up. */
    double per_subset = (double)pairs_count(s->size), all = (double)pairs_count(s->nodes);
    double enough = per_subset > 0.0 ? o->pair_visits * all / per_subset : 0.0;
    for (size_t drawn = 0;
         drawn < o->least_count ||
         ((double)drawn < enough && mean_visits(s, pairs, likely) < o->pair_visits);
         drawn++) {
        TRY(sampler_draw(s));
    }
cleanup:
    mem_free(pairs);
    return status;
}
