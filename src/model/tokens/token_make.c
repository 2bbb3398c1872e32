/* token_make.c - from two tables to tokens (see token_make.h). */
#include "model/tokens/token_make.h"

#include "text/names.h"
#include "graph/graph.h"
#include "learn/candidates.h"
#include "sample/sampler_cover.h"
#include "model/tokens/token_evidence.h"
#include "model/tokens/token_layout.h"
#include "model/tokens/token_statistics.h"
#include "model/tokens/token_votes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const token_options token_defaults = {.subset_size = 8,
                                      .pair_visits = 4.0,
                                      .least_subsets = 16,
                                      .contrast_per_node = 0.1,
                                      .cap_per_node = 6,
                                      .replicates = 20,
                                      .degree = 3,
                                      .learners = LEARNER_POLYBIC,
                                      .context_share = 0.5,
                                      .contrast = true};

/* Changes when the same options give other tokens. */
enum { RECIPE = 2, EVIDENCE_RECIPE = 1 };

void token_options_text(char text[TOKEN_OPTIONS_TEXT], const token_options *o)
{
    if (o->evidence) {
        (void)snprintf(text, TOKEN_OPTIONS_TEXT,
                       "evidence of the search, recipe %d, cap %zu N, context %g",
                       (int)EVIDENCE_RECIPE, o->cap_per_node, o->context_share);
        return;
    }
    char learners[LEARNER_TEXT];
    learner_text(learners, o->learners, '+');
    bool alone = o->learners == LEARNER_POLYBIC; /* as in files from before there were others */
    (void)snprintf(text, TOKEN_OPTIONS_TEXT,
                   "recipe %d, subsets of %zu, %g visits, at least %zu, %g N contrast pairs, "
                   "cap %zu N, %zu replicates, degree %zu, context %g, %s%s%s",
                   (int)RECIPE, o->subset_size, o->pair_visits, o->least_subsets,
                   o->contrast ? o->contrast_per_node : 0.0, o->cap_per_node, o->replicates,
                   o->degree, o->context_share, o->contrast ? "contrast" : "no contrast",
                   alone ? "" : ", learners ", alone ? "" : learners);
}

/* Everything on the way; freed together. */
typedef struct token_work {
    token_options options;
    const scone_context *context;
    const scone_pair *pair; /* columns in the order of their names */
    scone_pair *ordered;    /* the same if it is a copy */
    size_t *columns;        /* [nodes]: where they were */
    moments *moments;
    sensitivity *scores;
    sampler *subsets;
    token_votes *votes;
    ensemble_result *elected;
    candidates *candidates;
    double *contrast;           /* [nodes, nodes] */
    size_t *offsets;            /* [subsets + 1] of the sampler's members */
    node_pair *uncovered;       /* [candidates] */
    search_result searched;     /* evidence: freed here, */
    const search_result *found; /* used */
    arena *memory;
    tokens draft;
} token_work;

static void work_free(token_work *w)
{
    scone_pair_free(w->ordered);
    mem_free(w->columns);
    moments_free(w->moments);
    sensitivity_free(w->scores);
    sampler_free(w->subsets);
    token_votes_free(w->votes);
    ensemble_result_free(w->elected);
    candidates_free(w->candidates);
    mem_free(w->contrast);
    mem_free(w->offsets);
    mem_free(w->uncovered);
    search_result_free(&w->searched);
    arena_free(w->memory);
}

/* ---- the request ---- */

static scone_status check_request(const scone_pair *pair, const scone_graph *truth,
                                  const token_options *o)
{
    size_t columns = pair->tables[0]->columns;
    if (columns == 0) return RAISE(SCONE_ERR_INPUT, "the tables have no columns");
    if (columns > TOKEN_MOST_NODES) {
        return RAISE(SCONE_ERR_INPUT,
                     "%zu columns; the model tells at most %d variables apart: leave some out, or "
                     "use the preset search",
                     columns, (int)TOKEN_MOST_NODES);
    }
    if (truth && truth->nodes != columns) {
        return RAISE(SCONE_ERR_INPUT, "a true graph of %zu nodes for %zu columns", truth->nodes,
                     columns);
    }
    if (truth && graph_count_undirected(truth) > 0) {
        return RAISE(SCONE_ERR_INPUT,
                     "the true graph has an undirected edge; labels need a direction for each");
    }
    if (o->subset_size < 2) {
        return RAISE(SCONE_ERR_INPUT, "subsets of %zu nodes hold no pair; give a size of 2 or more",
                     o->subset_size);
    }
    if (!(o->contrast_per_node >= 0.0 && o->contrast_per_node <= TOKEN_MOST_NODES) ||
        o->cap_per_node > TOKEN_MOST_NODES) {
        return RAISE(SCONE_ERR_INPUT, "candidate pairs are counted per node; give at most %d",
                     (int)TOKEN_MOST_NODES);
    }
    if (o->learners < 1 || o->learners > LEARNER_ALL) {
        return RAISE(SCONE_ERR_INPUT, "no local learner votes; use some of polybic, ges, search");
    }
    if (!(o->context_share >= 0.0 && o->context_share <= 1.0)) {
        return RAISE(SCONE_ERR_INPUT, "a context share of %g; give one between 0 and 1",
                     o->context_share);
    }
    return SCONE_OK;
}

/* ---- columns by name ---- */

scone_status token_order(size_t *columns, const scone_pair *pair)
{
    const table *t = pair->tables[0];
    return names_order(columns, (const char *const *)t->names, t->columns);
}

/* The pair itself if its columns are in order, else a copy. */
static scone_status order_columns(token_work *w, const scone_pair *pair)
{
    scone_status status = SCONE_OK;
    scone_table *tables[2] = {NULL, NULL};
    const char **names = NULL;
    size_t columns = pair->tables[0]->columns;
    bool in_order = true;
    TRY_ALLOC(w->columns, columns);
    TRY(token_order(w->columns, pair));
    for (size_t v = 0; v < columns; v++) in_order = in_order && w->columns[v] == v;
    w->pair = pair;
    if (in_order) goto cleanup;
    TRY_ALLOC(names, columns);
    for (size_t v = 0; v < columns; v++) names[v] = pair->tables[0]->names[w->columns[v]];
    for (int c = 0; c < 2; c++) {
        const table *from = pair->tables[c];
        TRY(table_alloc(&tables[c], from->rows, columns, names));
        for (size_t v = 0; v < columns && from->rows; v++) {
            memcpy(table_column(tables[c], v), table_column(from, w->columns[v]),
                   from->rows * sizeof(double));
        }
    }
    status = scone_pair_join(&w->ordered, tables[0], tables[1]);
    tables[0] = tables[1] = NULL; /* taken over, also on failure */
    w->pair = w->ordered;
cleanup:
    mem_free(names);
    scone_table_free(tables[0]);
    scone_table_free(tables[1]);
    return status;
}

/* ---- subsets and votes ---- */

static scone_status measure(token_work *w)
{
    scone_status status = SCONE_OK;
    TRY(moments_alloc(&w->moments, w->pair, w->context));
    TRY(sensitivity_alloc(&w->scores, w->pair, w->moments, NULL, w->context));
cleanup:
    return status;
}

static scone_status draw_subsets(token_work *w)
{
    scone_status status = SCONE_OK;
    const token_options *o = &w->options;
    sampler_options how = sampler_defaults();
    how.size = o->subset_size;
    how.pair_visits = o->pair_visits;
    how.least_count = o->least_subsets;
    how.use_contrast = o->contrast;
    how.seed = o->seed;
    how.graph = o->graph;
    const sampler_scores input = {w->scores->columns, w->scores->association, w->scores->contrast,
                                  w->scores->score};
    TRY(sampler_alloc(&w->subsets, &input, &how));
    TRY(sampler_run(w->subsets));
cleanup:
    return status;
}

/* w->elected for all subsets so far */
static scone_status elect(token_work *w)
{
    scone_status status = SCONE_OK;
    const sampler *s = w->subsets;
    if (s->count > TOKEN_MOST_SUBSETS || s->count * s->size > TOKEN_MOST_MEMBERS) {
        FAIL(SCONE_ERR_INPUT, "%zu subsets of %zu nodes are too many; ask for fewer visits",
             s->count, s->size);
    }
    mem_free(w->offsets);
    ensemble_result_free(w->elected);
    w->offsets = NULL;
    w->elected = NULL;
    TRY_ALLOC(w->offsets, s->count + 1);
    for (size_t t = 0; t <= s->count; t++) w->offsets[t] = t * s->size;
    const ensemble_subsets subsets = {s->count, w->offsets, s->members};
    TRY(token_votes_elect(&w->elected, w->votes, &subsets));
cleanup:
    return status;
}

static scone_status choose_candidates(token_work *w)
{
    scone_status status = SCONE_OK;
    size_t n = w->moments->columns;
    const token_options *o = &w->options;
    double contrast_pairs = ceil(o->contrast_per_node * (double)n - 1e-9);
    const candidates_options how = {.contrast_pairs = (size_t)fmax(contrast_pairs, 0.0),
                                    .cap = o->cap_per_node * n};
    TRY_ALLOC(w->contrast, n * n);
    for (size_t k = 0; k < n * n; k++) {
        w->contrast[k] = fabs(w->moments->correlations[1][k] - w->moments->correlations[0][k]);
    }
    /* A contrast of 0 makes no candidates and breaks no ties between them. */
    if (!o->contrast) memset(w->contrast, 0, n * n * sizeof *w->contrast);
    TRY(candidates_build(&w->candidates, w->elected, w->contrast, n, &how));
    TRY_ALLOC(w->uncovered, w->candidates->count);
    for (size_t e = 0; e < w->candidates->count; e++) {
        const candidate *c = &w->candidates->items[e];
        w->uncovered[e] = (node_pair){c->first, c->second};
    }
cleanup:
    return status;
}

static scone_status vote(token_work *w)
{
    scone_status status = SCONE_OK;
    size_t added;
    TRY(token_votes_alloc(&w->votes, w->pair, &w->options, w->context));
    TRY(elect(w));
    TRY(choose_candidates(w));
    TRY(sampler_cover(w->subsets, w->uncovered, w->candidates->count, &added));
    if (added > 0) TRY(elect(w));
cleanup:
    return status;
}

/* ---- the draft ---- */

static scone_status draft_subsets(token_work *w)
{
    scone_status status = SCONE_OK;
    const sampler *s = w->subsets;
    tokens *d = &w->draft;
    d->size.nodes = (uint32_t)s->nodes;
    d->size.subsets = (uint32_t)s->count;
    d->size.members = (uint32_t)(s->count * s->size);
    d->size.pairs = (uint32_t)w->candidates->count;
    TRY_ARENA(d->subset_offsets, w->memory, s->count + 1);
    TRY_ARENA(d->subset_nodes, w->memory, d->size.members);
    TRY_ARENA(d->ends, w->memory, d->size.pairs);
    for (size_t t = 0; t <= s->count; t++) d->subset_offsets[t] = (uint32_t)(t * s->size);
    for (size_t m = 0; m < d->size.members; m++) d->subset_nodes[m] = (uint32_t)s->members[m];
    for (size_t e = 0; e < d->size.pairs; e++) {
        d->ends[e][0] = (uint32_t)w->candidates->items[e].first;
        d->ends[e][1] = (uint32_t)w->candidates->items[e].second;
    }
cleanup:
    return status;
}

/* Endpoint codes of the cells: what was elected for the pair in the subset. */
static void draft_codes(token_work *w)
{
    tokens *d = &w->draft;
    const ensemble_result *elected = w->elected;
    size_t size = w->subsets->size;
    for (size_t c = 0; c < d->size.cells; c++) {
        size_t t = d->cell_subset[c], first = d->subset_offsets[t];
        size_t a = d->cell_members[c][0] - first, b = d->cell_members[c][1] - first;
        size_t place = elected->offsets[t] + a * (2 * size - a - 1) / 2 + (b - a - 1);
        for (size_t regime = 0; regime < 2; regime++) {
            d->codes[c][regime] = elected->winners[regime * elected->cells + place];
        }
    }
}

static void draft_labels(token_work *w, const token_truth *truth)
{
    tokens *d = &w->draft;
    size_t n = d->size.nodes;
    d->labelled = truth != NULL;
    memset(d->truth, 0, n * n);
    memset(d->changed, 0, n);
    for (size_t i = 0; i < n && truth; i++) {
        d->changed[i] = truth->targets[w->columns[i]];
        for (size_t j = 0; j < n; j++) {
            if (i == j || !graph_directed(truth->graph, w->columns[i], w->columns[j])) continue;
            d->truth[i * n + j] = TOKEN_FORWARD;
            d->truth[j * n + i] = TOKEN_BACKWARD;
        }
    }
    for (size_t e = 0; e < d->size.pairs; e++) {
        d->labels[e] = d->truth[d->ends[e][0] * n + d->ends[e][1]];
    }
}

/* Instead of subsets, votes and candidates */
static scone_status draft_search(token_work *w)
{
    scone_status status = SCONE_OK;
    const search_options how = {.effort = 1, .edge_cost = -1.0, .seed = w->options.seed};
    w->found = w->options.found;
    if (!w->found) {
        TRY(search_run(&w->searched, w->pair, &how, w->context));
        w->found = &w->searched;
    }
    TRY(token_evidence_draft(&w->draft, w->found, w->options.cap_per_node, w->memory));
cleanup:
    return status;
}

static scone_status draft_values(token_work *w, const token_truth *truth)
{
    scone_status status = SCONE_OK;
    tokens *d = &w->draft;
    size_t n = d->size.nodes;
    TRY_ARENA(d->pair_statistics, w->memory, d->size.pairs);
    TRY_ARENA(d->context, w->memory, d->size.pairs);
    TRY_ARENA(d->labels, w->memory, d->size.pairs);
    TRY_ARENA(d->node_statistics, w->memory, n);
    TRY_ARENA(d->changed, w->memory, n);
    TRY_ARENA(d->precision, w->memory, n * n);
    TRY_ARENA(d->truth, w->memory, n * n);
    if (w->found) {
        double rows = (double)(w->pair->tables[0]->rows + w->pair->tables[1]->rows);
        TRY(token_evidence_fill(d, w->found, rows, w->memory));
    } else {
        draft_codes(w);
    }
    token_layout_contexts(d, w->options.context_share);
    draft_labels(w, truth);
    if (w->options.contrast) {
        TRY(token_statistics_pairs(d, w->pair, w->moments, w->context));
        token_statistics_nodes(d, w->scores, w->pair);
    } else {
        TRY(token_statistics_pooled(d, w->pair, w->context));
        memset(d->node_statistics, 0, n * sizeof *d->node_statistics);
    }
    TRY(token_statistics_precision(d, w->moments));
cleanup:
    return status;
}

/* Hands over what was elected, and the subsets; nothing of a search. */
static scone_status take_locals(ensemble_locals **out, token_work *w)
{
    scone_status status = SCONE_OK;
    ensemble_locals *locals = NULL;
    if (!w->subsets) return SCONE_OK;
    size_t members = w->subsets->count * w->subsets->size;
    TRY_ZERO(locals, 1);
    locals->columns = w->subsets->nodes;
    locals->count = w->subsets->count;
    TRY_ALLOC(locals->members, members);
    for (size_t m = 0; m < members; m++) locals->members[m] = w->subsets->members[m];
    locals->offsets = w->offsets;
    locals->elected = w->elected;
    w->offsets = NULL;
    w->elected = NULL;
    *out = locals;
    locals = NULL;
cleanup:
    ensemble_locals_free(locals);
    return status;
}

scone_status token_make(tokens **out, const scone_pair *pair, const token_truth *truth,
                        const token_options *options, const scone_context *context)
{
    return token_make_locals(out, NULL, pair, truth, options, context);
}

scone_status token_make_locals(tokens **out, ensemble_locals **locals, const scone_pair *pair,
                               const token_truth *truth, const token_options *options,
                               const scone_context *context)
{
    scone_status status = SCONE_OK;
    token_work w = {.options = options ? *options : token_defaults, .context = context};
    *out = NULL;
    if (locals) *locals = NULL;
    TRY(check_request(pair, truth ? truth->graph : NULL, &w.options));
    TRY(arena_alloc(&w.memory, 0));
    TRY(order_columns(&w, pair));
    TRY(measure(&w));
    if (w.options.evidence) {
        TRY(draft_search(&w));
    } else {
        TRY(draw_subsets(&w));
        TRY(vote(&w));
        TRY(draft_subsets(&w));
    }
    TRY(token_layout_fill(&w.draft, w.memory));
    TRY(draft_values(&w, truth));
    w.draft.seed = w.options.seed;
    w.draft.graph = w.options.graph;
    TRY(tokens_copy(out, &w.draft));
    if (locals) status = take_locals(locals, &w);
    if (status != SCONE_OK) {
        tokens_free(*out);
        *out = NULL;
    }
cleanup:
    work_free(&w);
    return status;
}
