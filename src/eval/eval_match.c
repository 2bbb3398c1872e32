/* eval_match.c - which node of one side is which node of the other (see eval.h).
 *
 * Both name lists are sorted and merged, so a match costs O(N log N). Nothing is guessed in
 * silence: sides that share no name, repeated names, and arrays without names whose sizes differ
 * are errors.
 */
#include "eval/eval.h"

#include "text/names.h"

#include <string.h>

/* A side's names in sorted order; `made` holds the texts of a side without names. */
typedef struct sorted_names {
    named_place *entries;
    default_name *made;
} sorted_names;

static void sorted_free(sorted_names *sorted)
{
    mem_free(sorted->entries);
    mem_free(sorted->made);
}

static scone_status sorted_fill(sorted_names *sorted, const variables *side)
{
    scone_status status = SCONE_OK;
    const char **own = NULL;
    TRY_ALLOC(sorted->entries, side->count);
    if (!side->names) {
        TRY_ALLOC(sorted->made, side->count);
        TRY_ALLOC(own, side->count);
        for (size_t i = 0; i < side->count; i++) {
            own[i] = graph_default_name(sorted->made[i], i);
        }
    }
    names_sort(sorted->entries, side->names ? side->names : own, side->count);
    size_t again = names_repeated(sorted->entries, side->count);
    if (again < side->count) {
        FAIL(SCONE_ERR_INPUT, "%s: two nodes are called '%s'; give each node its own name",
             side->label, sorted->entries[again].name);
    }
cleanup:
    mem_free(own);
    return status;
}

static scone_status match_alloc(node_match *match, size_t capacity)
{
    scone_status status = SCONE_OK;
    TRY_ALLOC(match->first, capacity);
    TRY_ALLOC(match->second, capacity);
cleanup:
    return status;
}

void eval_match_free(node_match *match)
{
    mem_free(match->first);
    mem_free(match->second);
    *match = (node_match){0};
}

static void match_add(node_match *match, size_t first, size_t second)
{
    match->first[match->count] = first;
    match->second[match->count] = second;
    match->count++;
}

static scone_status match_by_position(node_match *match, size_t count)
{
    scone_status status = match_alloc(match, count);
    if (status != SCONE_OK) return status;
    for (size_t i = 0; i < count; i++) match_add(match, i, i);
    return SCONE_OK;
}

/* The union of two sorted lists; *common counts the names on both. */
static void merge(node_match *match, size_t *common, const named_place *a, size_t a_count,
                  const named_place *b, size_t b_count)
{
    size_t i = 0, j = 0;
    *common = 0;
    while (i < a_count || j < b_count) {
        int order = i == a_count ? 1 : j == b_count ? -1 : strcmp(a[i].name, b[j].name);
        match_add(match, order <= 0 ? a[i].place : SIZE_MAX, order >= 0 ? b[j].place : SIZE_MAX);
        if (order == 0) ++*common;
        if (order <= 0) i++;
        if (order >= 0) j++;
    }
}

static scone_status match_by_name(node_match *match, size_t *common, const variables *first,
                                  const variables *second)
{
    scone_status status = SCONE_OK;
    sorted_names a = {0}, b = {0};
    size_t capacity;
    TRY(sorted_fill(&a, first));
    TRY(sorted_fill(&b, second));
    if (!size_add(&capacity, first->count, second->count)) FAIL_DEFECT("too many nodes to match");
    TRY(match_alloc(match, capacity));
    merge(match, common, a.entries, first->count, b.entries, second->count);
cleanup:
    sorted_free(&a);
    sorted_free(&b);
    return status;
}

/* One side has no names: by name if the other speaks of X0, X1, ..., else by position. */
static scone_status match_unnamed(node_match *match, const variables *first,
                                  const variables *second)
{
    scone_status status = SCONE_OK;
    const variables *named = first->names ? first : second;
    const variables *unnamed = first->names ? second : first;
    size_t common;
    TRY(match_by_name(match, &common, first, second));
    if (common == named->count) return SCONE_OK;
    if (named->count != unnamed->count) {
        FAIL(SCONE_ERR_INPUT,
             "%s has %zu nodes without names and %s has %zu nodes with names that are not X0 to "
             "X%zu, so they cannot be matched; use a file with names for both",
             unnamed->label, unnamed->count, named->label, named->count, unnamed->count - 1);
    }
    eval_match_free(match);
    TRY(match_by_position(match, named->count));
    match->by_position = true;
cleanup:
    return status;
}

scone_status eval_match_names(node_match *match, const variables *first, const variables *second)
{
    size_t common;
    *match = (node_match){0};
    scone_status status = match_by_name(match, &common, first, second);
    if (status != SCONE_OK) eval_match_free(match);
    return status;
}

scone_status eval_match_nodes(node_match *match, const variables *first, const variables *second)
{
    scone_status status = SCONE_OK;
    size_t common;
    *match = (node_match){0};
    bool empty = first->count == 0 || second->count == 0;
    if (empty || (first->names && second->names)) {
        /* An edge list without edges knows no node at all: it agrees with any other side. */
        TRY(match_by_name(match, &common, first, second));
        if (!empty && common == 0) {
            FAIL(SCONE_ERR_INPUT,
                 "%s and %s have no node name in common (for example '%s' and '%s'); compare "
                 "graphs over the same variables, with the same spelling of their names",
                 first->label, second->label, first->names[0], second->names[0]);
        }
    } else if (first->names || second->names) {
        TRY(match_unnamed(match, first, second));
    } else if (first->count != second->count) {
        FAIL(SCONE_ERR_INPUT,
             "%s has %zu nodes and %s has %zu, and neither has names to match them by; compare "
             "graphs over the same variables",
             first->label, first->count, second->label, second->count);
    } else {
        TRY(match_by_position(match, first->count));
    }
cleanup:
    if (status != SCONE_OK) eval_match_free(match);
    return status;
}
