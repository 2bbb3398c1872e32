/* eval_match_check.c - names that should be known and are not (see eval.h): they are refused with a
 * message that shows some of them and the name that may be meant.
 */
#include "eval/eval.h"

#include "text/growing.h"
#include "text/names.h"
#include "text/text.h"

#include <string.h>

/* ---- nodes of one side only ---- */

enum { SHOWN_STRANGERS = 3 };

/* The names of one side that the other lacks, in byte order. */
typedef struct stranger_list {
    named_place *list; /* [room for all] */
    size_t count;
} stranger_list;

static scone_status list_strangers(stranger_list *out, const node_match *match,
                                   const variables *side, const size_t *here, const size_t *there)
{
    scone_status status = SCONE_OK;
    TRY_ALLOC(out->list, side->count);
    for (size_t u = 0; u < match->count; u++) {
        if (there[u] != SIZE_MAX) continue;
        out->list[out->count++] = (named_place){side->names[here[u]], here[u]};
    }
cleanup:
    return status;
}

/* "'A', 'B', 'C' and 4 more" */
static void print_strangers(growing *out, const stranger_list *strangers)
{
    for (size_t k = 0; k < strangers->count && k < SHOWN_STRANGERS; k++) {
        const char *name = strangers->list[k].name;
        growing_print(out, "%s'%s'", k ? ", " : "", SHOW(name, strlen(name)));
    }
    if (strangers->count > SHOWN_STRANGERS) {
        growing_print(out, " and %zu more", strangers->count - SHOWN_STRANGERS);
    }
}

/* For the first name that has one. Only names that have no partner themselves can be meant. */
static void print_nearest(growing *out, const stranger_list *mine, const stranger_list *theirs)
{
    for (size_t k = 0; k < mine->count; k++) {
        const char *name = mine->list[k].name;
        const char *near = names_nearest(theirs->list, theirs->count, name);
        if (!near) continue;
        growing_print(out, "; did you mean '%s' instead of '%s'?", SHOW(near, strlen(near)),
                      SHOW(name, strlen(name)));
        return;
    }
    growing_print(out, ";");
}

/* complete: the other side is. */
static scone_status refuse_strangers(const variables *side, const variables *other, bool complete,
                                     const stranger_list *mine, const stranger_list *theirs)
{
    growing out = {0};
    char *text;
    growing_print(&out, "%s has ", side->label);
    print_strangers(&out, mine);
    growing_print(&out, ", which %s lacks", other->label);
    if (!complete) {
        growing_print(&out, ", and lacks ");
        print_strangers(&out, theirs);
    }
    print_nearest(&out, mine, theirs);
    growing_print(
        &out, " compare graphs over the same variables, with the same spelling%s",
        complete ? ""
                 : ", and list nodes without edges, too (in an edge list with an empty target)");
    scone_status status = growing_finish(&text, &out);
    if (status != SCONE_OK) return status;
    status = RAISE(SCONE_ERR_INPUT, "%s", text);
    mem_free(text);
    return status;
}

scone_status eval_match_check(size_t *alone, const node_match *match, const variables *first,
                              const variables *second, const bool complete[2])
{
    scone_status status = SCONE_OK;
    stranger_list a = {0}, b = {0};
    *alone = 0;
    for (size_t u = 0; u < match->count; u++) {
        *alone += match->first[u] == SIZE_MAX || match->second[u] == SIZE_MAX;
    }
    if (*alone == 0 || !first->names || !second->names) return SCONE_OK;
    TRY(list_strangers(&a, match, first, match->first, match->second));
    TRY(list_strangers(&b, match, second, match->second, match->first));
    if (a.count > 0 && complete[1]) {
        TRY(refuse_strangers(first, second, true, &a, &b));
    } else if (b.count > 0 && complete[0]) {
        TRY(refuse_strangers(second, first, true, &b, &a));
    } else if (a.count > 0 && b.count > 0) {
        TRY(refuse_strangers(first, second, false, &a, &b));
    }
cleanup:
    mem_free(a.list);
    mem_free(b.list);
    return status;
}

/* ---- conditions ---- */

static scone_status refuse_conditions(const variables *side, const variables *other,
                                      const stranger_list *mine, const stranger_list *theirs)
{
    growing out = {0};
    char *text;
    growing_print(&out, "%s has the %s ", side->label,
                  mine->count == 1 ? "condition" : "conditions");
    print_strangers(&out, mine);
    growing_print(&out, ", which %s lacks", other->label);
    print_nearest(&out, mine, theirs);
    growing_print(&out, " compare targets of the same conditions, under the same names");
    scone_status status = growing_finish(&text, &out);
    if (status != SCONE_OK) return status;
    status = RAISE(SCONE_ERR_INPUT, "%s", text);
    mem_free(text);
    return status;
}

scone_status eval_match_conditions(const variables *first, const variables *second)
{
    scone_status status = SCONE_OK;
    node_match match = {0};
    stranger_list a = {0}, b = {0};
    TRY(eval_match_names(&match, first, second));
    TRY(list_strangers(&a, &match, first, match.first, match.second));
    TRY(list_strangers(&b, &match, second, match.second, match.first));
    if (a.count > 0) {
        TRY(refuse_conditions(first, second, &a, &b));
    } else if (b.count > 0) {
        TRY(refuse_conditions(second, first, &b, &a));
    }
cleanup:
    mem_free(a.list);
    mem_free(b.list);
    eval_match_free(&match);
    return status;
}

/* ---- names of a list that is no graph ---- */

/* Drops all but the first of equal names; returns how many stay. */
static size_t drop_repeated(named_place *sorted, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept && strcmp(sorted[kept - 1].name, sorted[i].name) == 0) continue;
        sorted[kept++] = sorted[i];
    }
    return kept;
}

static scone_status refuse_unknown(const variables *list, const variables *known, bool settled,
                                   const stranger_list *mine, const stranger_list *theirs)
{
    growing out = {0};
    char *text;
    growing_print(&out, "%s has ", list->label);
    print_strangers(&out, mine);
    growing_print(&out, settled ? ", which %s lacks" : ", which is no node of %s", known->label);
    print_nearest(&out, mine, theirs);
    growing_print(&out, " name variables as the graphs name their nodes%s",
                  settled ? ""
                          : ", and list nodes without edges there, too (in an edge list with an "
                            "empty target)");
    scone_status status = growing_finish(&text, &out);
    if (status != SCONE_OK) return status;
    status = RAISE(SCONE_ERR_INPUT, "%s", text);
    mem_free(text);
    return status;
}

scone_status eval_match_known(const variables *list, const variables *known, bool settled)
{
    scone_status status = SCONE_OK;
    stranger_list mine = {0}, theirs = {0};
    named_place *own = NULL, *all = NULL;
    TRY_ALLOC(own, list->count);
    TRY_ALLOC(all, known->count);
    TRY_ALLOC(mine.list, list->count);
    TRY_ALLOC(theirs.list, known->count);
    names_sort(own, list->names, list->count);
    names_sort(all, known->names, known->count);
    size_t different = drop_repeated(all, known->count);
    for (size_t i = 0; i < list->count; i++) {
        if (names_find(all, different, own[i].name) == SIZE_MAX) mine.list[mine.count++] = own[i];
    }
    if (mine.count == 0) goto cleanup;
    for (size_t i = 0; i < different; i++) {
        if (names_find(own, list->count, all[i].name) != SIZE_MAX) continue;
        theirs.list[theirs.count++] = all[i];
    }
    TRY(refuse_unknown(list, known, settled, &mine, &theirs));
cleanup:
    mem_free(own);
    mem_free(all);
    mem_free(mine.list);
    mem_free(theirs.list);
    return status;
}
