/* search_describe.c - what a search returns: the graph, and how sure each pair is.
 *
 * P of the three states of a pair comes from the score of each, all else as it is: a soft-max with
 * a temperature. States that were not worth a fit count with what a scan says of them.
 */
#include "learn/search_parts.h"

#include <math.h>

/* Score differences are worth this many nats per unit of log-odds. */
static const double search_temperature = 8.0;

/* An edge that the search left out is worth at most this much against none: so that both directions
 * together stay below one half. */
static const double least_doubt = -6.0;

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

static void pair_probabilities(const search *s, double *p, size_t i, size_t j)
{
    double value[3] = {0.0, value_of(s, i, j), value_of(s, j, i)};
    double top = fmax(value[0], fmax(value[1], value[2])), weight[3], sum = 0.0;
    for (int k = 0; k < 3; k++) sum += weight[k] = exp((value[k] - top) / search_temperature);
    p[i * s->nodes + j] = weight[1] / sum;
    p[j * s->nodes + i] = weight[2] / sum;
}

scone_status search_describe(search_result *out, search *s)
{
    scone_status status = SCONE_OK;
    size_t n = s->nodes;
    TRY(look_closer(s));
    TRY_ZERO(out->probabilities, n * n);
    TRY_ZERO(out->margins, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) pair_probabilities(s, out->probabilities, i, j);
        const fit_result *fit = local_score_fit(s->scores, &s->families[i]);
        out->margins[i] = fit->separate - fit->shared;
        out->score += local_score_get(s->scores, &s->families[i]);
    }
    out->evaluations = local_score_count(s->scores);
    out->graph = s->dag;
    s->dag = NULL;
cleanup:
    return status;
}
