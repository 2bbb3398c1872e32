/* search_describe.c - what a search returns: the graph, and how sure each pair is.
 *
 * Values of both directions against no edge, all else as it is, are differences of scores. The
 * better one says how likely there is an edge, the difference of the two how likely each direction
 * is. States that were not worth a fit count with what a scan says of them.
 */
#include "learn/search/search_parts.h"

#include <math.h>

/* From nats to log-odds: intercept + slope log(1 + nats), at least `least`. Fitted by logistic
 * regression to graphs of the families linear, nn, nn_add and wild (bench/accuracy/confidence.sh).
 * A score that is sure by thousands of nats is sure of its model, which may be wrong, hence the
 * logarithm; models with refined functions or a shape of the noise are wrong more often. */
typedef struct odds_line {
    double intercept, slope, least;
} odds_line;

static const odds_line edge_odds[2] = {{-3.55, 1.27, 0.2}, {-4.03, 1.07, 0.2}};
static const odds_line direction_odds[2] = {{-2.09, 1.57, 0.1}, {-2.84, 0.99, 0.1}};
static const double most_odds = 5.5;
static const double odds_of_order =
    3.5; /* of a direction that the other edges leave no choice of */

/* An edge that the search left out: rarely a true one, however little its score was too low. */
static const double absent_odds = -5.0, absent_slope = 0.1, absent_floor = -15.0;

static double gain_with(const search *s, size_t from, size_t to)
{
    const family *f = &s->families[to];
    family more = family_with(f, from);
    if (family_score_known(s->scores, &more)) {
        return family_score_get(s->scores, &more) - family_score_get(s->scores, f);
    }
    return search_gain(s, f, from) - s->price;
}

static double gain_without(const search *s, size_t from, size_t to)
{
    family less = family_without(&s->families[to], from);
    return family_score_get(s->scores, &less) - family_score_get(s->scores, &s->families[to]);
}

static bool could_add(const search *s, size_t from, size_t to)
{
    return search_allowed(s, from, to) && search_room(s, &s->families[to]);
}

/* Value of i -> j against no edge. The search did not want an edge that is not there, whatever a
 * scan or a fit made since says of it. */
static double value_of(const search *s, size_t i, size_t j)
{
    if (family_has(&s->families[j], i)) return -gain_without(s, i, j);
    if (!could_add(s, i, j)) return -HUGE_VAL;
    if (family_has(&s->families[i], j)) { /* would replace j -> i */
        return closure_has_detour(s->reach, s->dag, j, i) ? -HUGE_VAL : gain_with(s, i, j);
    }
    return closure_would_cycle(s->reach, i, j) ? -HUGE_VAL : fmin(gain_with(s, i, j), 0.0);
}

/* The same whatever the order says: what i adds, or would add, to the parents of j. */
static double gain_of(const search *s, size_t i, size_t j)
{
    if (family_has(&s->families[j], i)) return -gain_without(s, i, j);
    return could_add(s, i, j) ? gain_with(s, i, j) : 0.0;
}

/* Fits what a scan thinks close to worth while and the search did not look at. */
static scone_status look_closer(search *s)
{
    scone_status status = SCONE_OK;
    for (size_t v = 0; v < s->nodes; v++) {
        const family *f = &s->families[v];
        for (size_t u = 0; u < s->nodes && search_room(s, f); u++) {
            if (u == v || family_has(f, u) || !search_allowed(s, u, v)) continue;
            family more = family_with(f, u);
            if (search_gain(s, f, u) > s->price) TRY(search_wish(s, &more, f));
        }
    }
    TRY(search_fulfil(s, NULL));
cleanup:
    return status;
}

static double log_odds(const odds_line *line, double nats)
{
    return fmin(fmax(line->intercept + line->slope * log1p(nats), line->least), most_odds);
}

static double logistic(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

/* Is the model of this node one of those that are wrong more often? */
static bool complicated(const search *s, size_t node)
{
    const fit_result *fit = family_score_fit(s->scores, &s->families[node]);
    return fit->refined[FIT_POOLED] || fit->shape[FIT_POOLED] > 0.0f;
}

static void pair_probabilities(const search *s, double *p, double *v, size_t i, size_t j)
{
    double forward = value_of(s, i, j), backward = value_of(s, j, i), top = fmax(forward, backward);
    double gap = fabs(forward - backward), direction = 0.0;
    bool ahead = family_has(&s->families[j], i), behind = family_has(&s->families[i], j);
    bool kind = complicated(s, ahead || (!behind && forward > backward) ? j : i);
    double edge = ahead || behind ? log_odds(&edge_odds[kind], fmax(top, 0.0))
                                  : absent_odds + absent_slope * fmax(top, absent_floor);
    if (forward != backward) {
        direction = isinf(gap) ? odds_of_order : log_odds(&direction_odds[kind], gap);
    }
    /* the found direction is the likelier one; else the better */
    if (ahead || behind ? behind : forward < backward) direction = -direction;
    v[i * s->nodes + j] = forward;
    v[j * s->nodes + i] = backward;
    p[i * s->nodes + j] = logistic(edge) * logistic(direction);
    p[j * s->nodes + i] = logistic(edge) * logistic(-direction);
}

scone_status search_describe(search_result *out, search *s)
{
    scone_status status = SCONE_OK;
    size_t n = s->nodes;
    TRY(look_closer(s));
    TRY_ZERO(out->probabilities, n * n);
    TRY_ZERO(out->values, n * n);
    TRY_ZERO(out->gains, n * n);
    TRY_ZERO(out->fits, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++)
            pair_probabilities(s, out->probabilities, out->values, i, j);
        for (size_t j = 0; j < n; j++) {
            if (j != i) out->gains[i * n + j] = gain_of(s, i, j);
        }
        const fit_result *fit = family_score_fit(s->scores, &s->families[i]);
        out->fits[i] = *fit;
        out->score += family_score_get(s->scores, &s->families[i]);
    }
    if (s->parts > 2) {
        size_t conditions = s->parts - 1;
        TRY_ALLOC(out->margins, n * conditions);
        for (size_t i = 0; i < n; i++) {
            const float *margins = family_score_margins(s->scores, &s->families[i]);
            for (size_t k = 0; k < conditions; k++) {
                out->margins[i * conditions + k] = (double)margins[k];
            }
        }
    }
    out->evaluations = family_score_count(s->scores);
    out->graph = s->dag;
    s->dag = NULL;
cleanup:
    return status;
}
