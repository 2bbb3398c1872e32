/* explain_stages.c - the member `stages` of graph.json, read back and checked, and at which stage
 * an edge got its direction (see explain.h; report_stages_json.c writes it). */
#include "explain/explain.h"

#include "graph/format/format.h"
#include "text/json_read.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static int compare_links(const void *left, const void *right)
{
    const explained_link *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return (a->high > b->high) - (a->high < b->high);
}

/* A list that begins [A, mark, B]. */
static scone_status read_link(explained_link *link, const scone_explanation *x, const cJSON *item,
                              size_t length)
{
    scone_status status = SCONE_OK;
    size_t ends[2];
    if (!cJSON_IsArray(item) || json_length(item) != length) {
        FAIL(SCONE_ERR_INPUT, "an edge that is not a list of %zu", length);
    }
    const cJSON *mark = item->child->next;
    TRY(explain_find_node(&ends[0], x, item->child));
    TRY(explain_find_node(&ends[1], x, mark->next));
    bool directed = cJSON_IsString(mark) && strcmp(mark->valuestring, "->") == 0;
    bool undirected = cJSON_IsString(mark) && strcmp(mark->valuestring, "-") == 0;
    if (ends[0] == ends[1] || directed == undirected) {
        FAIL(SCONE_ERR_INPUT, "an edge that is neither -> nor - between two variables");
    }
    bool swapped = ends[0] > ends[1];
    link->low = (uint32_t)ends[swapped];
    link->high = (uint32_t)ends[!swapped];
    link->mark = undirected ? SCONE_MARK_UNDIRECTED
                 : swapped  ? SCONE_MARK_BACKWARD
                            : SCONE_MARK_FORWARD;
cleanup:
    return status;
}

static scone_status read_links(explained_stage *stage, const scone_explanation *x,
                               const cJSON *object)
{
    scone_status status = SCONE_OK;
    const cJSON *list;
    size_t directed, undirected, open = 0;
    TRY(json_list(&list, object, "edges"));
    TRY_ZERO(stage->links, json_length(list));
    for (const cJSON *item = list->child; item; item = item->next, stage->count++) {
        TRY(read_link(&stage->links[stage->count], x, item, 3));
        open += stage->links[stage->count].mark == SCONE_MARK_UNDIRECTED;
    }
    if (stage->count) qsort(stage->links, stage->count, sizeof *stage->links, compare_links);
    for (size_t l = 1; l < stage->count; l++) {
        if (compare_links(&stage->links[l - 1], &stage->links[l]) != 0) continue;
        FAIL(SCONE_ERR_INPUT, "two edges between the same variables");
    }
    TRY(json_whole(&directed, object, "directed", 0, SIZE_MAX));
    TRY(json_whole(&undirected, object, "undirected", 0, SIZE_MAX));
    if (undirected != open || directed != stage->count - open) {
        FAIL(SCONE_ERR_INPUT, "its numbers of edges are not those of its list");
    }
cleanup:
    return status;
}

static scone_status read_source(stage_source *source, const cJSON *item, size_t stage)
{
    for (int s = STAGE_REGIME_0; s <= STAGE_CLOSURE && cJSON_IsString(item); s++) {
        if (strcmp(item->valuestring, stages_source((stage_source)s)) != 0) continue;
        bool of_rules = stage == STAGES_CONTRASTIVE;
        if (s != STAGE_CLOSURE && (s == STAGE_RULE) != of_rules) break;
        *source = (stage_source)s;
        return SCONE_OK;
    }
    return RAISE(SCONE_ERR_INPUT, "what directed an edge is not known");
}

/* Every edge that is directed here and open before is in the list once, with what directed it. */
static scone_status read_added(explained_stage *stage, const explained_stage *before, size_t index,
                               const scone_explanation *x, const cJSON *object)
{
    scone_status status = SCONE_OK;
    const cJSON *list;
    size_t added = 0;
    TRY(json_list(&list, object, "added"));
    for (const cJSON *item = list->child; item; item = item->next, added++) {
        explained_link link;
        stage_source source;
        TRY(read_link(&link, x, item, 4));
        TRY(read_source(&source, item->child->next->next->next, index));
        explained_link *found =
            stage->count ? bsearch(&link, stage->links, stage->count, sizeof link, compare_links)
                         : NULL;
        bool fresh = found && found->mark == link.mark && !found->source &&
                     link.mark != SCONE_MARK_UNDIRECTED &&
                     before->links[found - stage->links].mark == SCONE_MARK_UNDIRECTED;
        if (!fresh) FAIL(SCONE_ERR_INPUT, "\"added\" has an edge that this stage did not direct");
        found->source = source;
    }
    for (size_t l = 0; l < stage->count; l++) {
        added -= before->links[l].mark != stage->links[l].mark;
    }
    if (added != 0) FAIL(SCONE_ERR_INPUT, "\"added\" does not hold all that this stage directed");
cleanup:
    return status;
}

/* The same edges, and no direction taken back. */
static scone_status check_order(const explained_stage *stage, const explained_stage *before)
{
    bool fits = stage->count == before->count;
    for (size_t l = 0; fits && l < stage->count; l++) {
        scone_mark earlier = before->links[l].mark;
        fits = compare_links(&stage->links[l], &before->links[l]) == 0 &&
               (earlier == SCONE_MARK_UNDIRECTED || earlier == stage->links[l].mark);
    }
    if (fits) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT, "it does not keep what the stage before it directed");
}

static scone_status read_stage(scone_explanation *x, const cJSON *object, size_t index)
{
    scone_status status = SCONE_OK;
    explained_stage *stage = &x->stages[index], *before = stage - (index > 0);
    size_t skipped;
    TRY(read_links(stage, x, object));
    if (index > 0) {
        TRY(json_whole(&skipped, object, "skipped", 0, SIZE_MAX));
        TRY(check_order(stage, before));
        TRY(read_added(stage, before, index, x, object));
    }
    x->stage_count++;
cleanup:
    if (status == SCONE_ERR_INPUT) status_prefix("stage %s", stages_name(index));
    return status;
}

scone_status explain_read_stages(scone_explanation *x, const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *stages, *object;
    if (!json_optional(root, "stages")) return SCONE_OK; /* most presets have none */
    TRY(json_object_of(&stages, root, "stages"));
    for (size_t s = 0; s < STAGES_MOST; s++) {
        if (s == STAGES_CONTRASTIVE && !json_optional(stages, stages_name(s))) break;
        TRY(json_object_of(&object, stages, stages_name(s)));
        TRY(read_stage(x, object, s));
    }
cleanup:
    return status;
}

/* ---- telling ---- */

static const explained_link *find_link(const explained_stage *stage, size_t from, size_t to)
{
    const explained_link key = {.low = (uint32_t)(from < to ? from : to),
                                .high = (uint32_t)(from < to ? to : from)};
    if (stage->count == 0) return NULL;
    return bsearch(&key, stage->links, stage->count, sizeof key, compare_links);
}

static const char *words_of(stage_source source, size_t stage)
{
    switch (source) {
    case STAGE_REGIME_0:
        return "the local graphs of regime 0 have this direction, which the observational graph "
               "leaves open";
    case STAGE_REGIME_1:
        return "the local graphs of regime 1 have this direction, which the observational graph "
               "leaves open";
    case STAGE_BOTH:
        return "the local graphs of both regimes have this direction, which the observational "
               "graph leaves open";
    case STAGE_RULE:
        return "the contrast between the regimes gives this direction, which the local graphs "
               "leave open";
    case STAGE_CLOSURE:
        break;
    }
    return stage == STAGES_PER_REGIME
               ? "this direction follows from those of the local graphs by closure"
               : "this direction follows from the contrast between the regimes by closure";
}

const char *explain_stage(const scone_explanation *x, size_t from, size_t to, bool alone)
{
    scone_mark wanted = from < to ? SCONE_MARK_FORWARD : SCONE_MARK_BACKWARD;
    const explained_link *last = NULL;
    for (size_t s = 0; s < x->stage_count; s++) {
        const explained_link *link = find_link(&x->stages[s], from, to);
        last = link;
        if (!link || link->mark != wanted) continue;
        return s == STAGES_OBSERVATIONAL ? "the observational graph has this direction"
                                         : words_of(link->source, s);
    }
    if (x->stage_count == 0) return NULL;
    if (last && last->mark != SCONE_MARK_UNDIRECTED) {
        return "the aggregates have the opposite direction";
    }
    if (last) {
        return alone ? "the aggregates leave the direction open, so that it is the model's alone"
                     : "the aggregates leave the direction open";
    }
    return alone ? "the observational graph has no such edge, so that it is the model's alone"
                 : "the observational graph has no such edge";
}
