/* search_wish.c - what a search wants to know and what it may do (see search_parts.h). */
#include "learn/search/search_parts.h"

#include <math.h>

static scone_status wish(search *s, const family_score_wish *item)
{
    if (s->wish_count == s->wish_capacity) {
        size_t capacity = s->wish_capacity ? 2 * s->wish_capacity : 256;
        family_score_wish *more = mem_resize(s->wishes, capacity, sizeof *more);
        if (!more) return SCONE_ERR_MEMORY;
        s->wishes = more;
        s->wish_capacity = capacity;
    }
    s->wishes[s->wish_count++] = *item;
    return SCONE_OK;
}

scone_status search_wish(search *s, const family *f, const family *beside)
{
    if (family_score_known(s->scores, f)) return SCONE_OK;
    return wish(s, &(family_score_wish){.family = *f, .beside = *beside});
}

scone_status search_revise(search *s, const family *f, const family *beside)
{
    return wish(s, &(family_score_wish){.family = *f, .beside = *beside, .revise = true});
}

scone_status search_afresh(search *s, const family *f)
{
    return wish(s, &(family_score_wish){.family = *f, .beside = *f, .afresh = true});
}

scone_status search_fulfil(search *s, const char *stage)
{
    size_t count = s->wish_count;
    s->wish_count = 0;
    return family_score_request(s->scores, s->wishes, count, stage);
}

static bool matrix_has(const bits_word *matrix, size_t words, size_t i, size_t j)
{
    return matrix && bits_has(matrix + i * words, j);
}

bool search_fixed(const search *s, size_t from, size_t to)
{
    return matrix_has(s->options->required, s->words, from, to);
}

bool search_allowed(const search *s, size_t from, size_t to)
{
    return !matrix_has(s->options->forbidden, s->words, from, to);
}

bool search_room(const search *s, const family *f)
{
    return f->count < s->max_parents;
}

double search_gain(const search *s, const family *f, size_t from)
{
    size_t count, low = 0;
    const uint32_t *candidates = family_score_candidates(s->scores, f->node, &count);
    const float *gains = family_score_gains(s->scores, f);
    size_t high = count;
    while (low < high) { /* candidates are increasing */
        size_t middle = (low + high) / 2;
        if (candidates[middle] < from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return gains && low < count && candidates[low] == from ? (double)gains[low] : 0.0;
}

bool search_optimum_matters(const search *s, const family *f, double gain)
{
    const fit_result *fit = family_score_fit(s->scores, f);
    bool sd = fit->model[0] == FIT_SD || fit->model[1] == FIT_SD || fit->model[2] == FIT_SD;
    return sd || (fit->units > 0 && gain < s->luck);
}

size_t search_best(const search *s, const family *f, const bits_word *among, size_t *best,
                   size_t limit)
{
    size_t count, found = 0;
    const uint32_t *candidates = family_score_candidates(s->scores, f->node, &count);
    const float *gains = family_score_gains(s->scores, f);
    double top[16];
    if (limit > 16) limit = 16;
    if (!gains || !search_room(s, f)) return 0;
    for (size_t c = 0; c < count; c++) {
        size_t u = candidates[c], place;
        double gain = (double)gains[c];
        if (gain < s->least_gain || family_has(f, u) || !search_allowed(s, u, f->node)) continue;
        if (among && !bits_has(among, u)) continue;
        if (found == limit && !(gain > top[found - 1])) continue;
        for (place = found < limit ? found++ : limit - 1; place > 0 && gain > top[place - 1];
             place--) {
            top[place] = top[place - 1];
            best[place] = best[place - 1];
        }
        top[place] = gain;
        best[place] = u;
    }
    return found;
}

void search_add(search *s, size_t from, size_t to)
{
    graph_direct(s->dag, from, to);
    closure_add(s->reach, from, to);
    s->families[to] = family_with(&s->families[to], from);
}

void search_delete(search *s, size_t from, size_t to)
{
    graph_remove(s->dag, from, to);
    closure_delete(s->reach, s->dag, from, to);
    s->families[to] = family_without(&s->families[to], from);
}

void search_replace(search *s, const family *families)
{
    for (size_t v = 0; v < s->nodes; v++) {
        while (s->families[v].count > 0) search_delete(s, s->families[v].parents[0], v);
    }
    for (size_t v = 0; v < s->nodes; v++) {
        for (size_t i = 0; i < families[v].count; i++) search_add(s, families[v].parents[i], v);
    }
}
