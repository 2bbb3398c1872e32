/* search_describe.c - what a search returns: the graph, and how sure each pair is.
 *
 * Values of both directions against no edge, all else as it is, are differences of scores. The
 * better one says how likely there is an edge, the difference of the two how likely each direction
 * is. States that were not worth a fit count with what a scan says of them.
 */
#include "learn/search_parts.h"

#include <math.h>

/* Nats per unit of log-odds: of an edge that is there and of its direction; of one that is not. */
static const double search_temperature = 8.0, absence_temperature = 3.0;
static const double most_odds = 3.5;

/* An edge that the search left out is worth at most this much against none. */
static const double least_doubt = -1.0;

static double gain_with(const search *s, size_t from, size_t to)
{
    const family *f = &s->families[to];
    family more = family_with(f, from);
    if (local_score_known(s->scores, &more)) {
        return local_score_get(s->scores, &more) - local_score_get(s->scores, f);
    }
    return search_gain(s, f, from) - s->price;
}

static double gain_without(const search *s, size_t from, size_t to)
{
    family less = family_without(&s->families[to], from);
    return local_score_get(s->scores, &less) - local_score_get(s->scores, &s->families[to]);
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
    return closure_would_cycle(s->reach, i, j) ? -HUGE_VAL : fmin(gain_with(s, i, j), least_doubt);
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

/* Nats to log-odds: linear at first, and never more than `most_odds`, since a score that is sure by
 * thousands of nats is sure of its model, which may be wrong. */
static double odds(double nats)
{
    double x = fabs(nats) / search_temperature;
    x = isinf(x) ? most_odds : most_odds * x / (most_odds + x);
    return nats < 0.0 ? -x : x;
}

static double logistic(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

static void pair_probabilities(const search *s, double *p, double *v, size_t i, size_t j)
{
    double forward = value_of(s, i, j), backward = value_of(s, j, i), top = fmax(forward, backward);
    v[i * s->nodes + j] = forward;
    v[j * s->nodes + i] = backward;
    double edge = top < 0.0 ? logistic(top / absence_temperature) : logistic(odds(top));
    double ahead = forward == backward ? 0.5 : logistic(odds(forward - backward));
    p[i * s->nodes + j] = edge * ahead;
    p[j * s->nodes + i] = edge * (1.0 - ahead);
}

scone_status search_describe(search_result *out, search *s)
{
    scone_status status = SCONE_OK;
    size_t n = s->nodes;
    TRY(look_closer(s));
    TRY_ZERO(out->probabilities, n * n);
    TRY_ZERO(out->values, n * n);
    TRY_ZERO(out->fits, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++)
            pair_probabilities(s, out->probabilities, out->values, i, j);
        const fit_result *fit = local_score_fit(s->scores, &s->families[i]);
        out->fits[i] = *fit;
        out->score += local_score_get(s->scores, &s->families[i]);
    }
    out->evaluations = local_score_count(s->scores);
    out->graph = s->dag;
    s->dag = NULL;
cleanup:
    return status;
}
