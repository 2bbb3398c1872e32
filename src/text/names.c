/* names.c - looking up columns by their names (see names.h). */
#include "text/names.h"

#include "text/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_place(const named_place *a, const named_place *b)
{
    return (a->place > b->place) - (a->place < b->place);
}

static int compare_bytes(const void *left, const void *right)
{
    const named_place *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order ? order : by_place(a, b);
}

static int compare_natural(const void *left, const void *right)
{
    const named_place *a = left, *b = right;
    int order = text_compare_names(a->name, b->name);
    return order ? order : by_place(a, b);
}

static void sort(named_place *sorted, const char *const *names, size_t count,
                 int (*compare)(const void *, const void *))
{
    for (size_t i = 0; i < count; i++) sorted[i] = (named_place){names[i], i};
    if (count) qsort(sorted, count, sizeof *sorted, compare);
}

void names_sort(named_place *sorted, const char *const *names, size_t count)
{
    sort(sorted, names, count, compare_bytes);
}

void names_sort_natural(named_place *sorted, const char *const *names, size_t count)
{
    sort(sorted, names, count, compare_natural);
}

size_t names_repeated(const named_place *sorted, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (strcmp(sorted[i - 1].name, sorted[i].name) == 0) return i;
    }
    return count;
}

scone_status names_order(size_t *order, const char *const *names, size_t count)
{
    scone_status status = SCONE_OK;
    named_place *sorted = NULL;
    TRY_ALLOC(sorted, count);
    names_sort_natural(sorted, names, count);
    size_t again = names_repeated(sorted, count);
    if (again < count) {
        const char *name = sorted[again].name;
        FAIL(SCONE_ERR_INPUT, "two columns are named '%s'; rename one", SHOW(name, strlen(name)));
    }
    for (size_t i = 0; i < count; i++) order[i] = sorted[i].place;
cleanup:
    mem_free(sorted);
    return status;
}

static int compare_key(const void *key, const void *entry)
{
    return strcmp(key, ((const named_place *)entry)->name);
}

size_t names_find(const named_place *sorted, size_t count, const char *name)
{
    const named_place *found =
        count ? bsearch(name, sorted, count, sizeof *sorted, compare_key) : NULL;
    return found ? found->place : SIZE_MAX;
}

enum { NEAR_LIMIT = 64 }; /* bytes of a name that is compared for nearness */

/* Levenshtein distance of two texts of at most NEAR_LIMIT bytes. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b), row[NEAR_LIMIT + 1];
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n];
}

const char *names_nearest(const named_place *sorted, size_t count, const char *word)
{
    size_t length = strlen(word), best_distance = 2 + length / 3;
    const char *best = NULL;
    if (length > NEAR_LIMIT) return NULL;
    for (size_t i = 0; i < count; i++) {
        if (strlen(sorted[i].name) > NEAR_LIMIT) continue;
        size_t distance = edit_distance(word, sorted[i].name);
        if (distance < best_distance) {
            best_distance = distance;
            best = sorted[i].name;
        }
    }
    return best;
}

/* ---- lists in messages ---- */

enum { NAMES_TOLD_END = 40 }; /* bytes that " and N more" may take */

void names_tell(names_told *list, const char *name)
{
    char piece[TEXT_SHOWN_SIZE + 4];
    int length = snprintf(piece, sizeof piece, "%s%s%s%s", list->count ? ", " : "", list->quote,
                          SHOW(name, strlen(name)), list->quote);
    size_t room = sizeof list->text - NAMES_TOLD_END - list->used;
    bool fits = list->told == list->count && list->told < NAMES_TOLD_MOST && length > 0 &&
                (size_t)length < room;
    list->count++;
    if (!fits) return;
    memcpy(list->text + list->used, piece, (size_t)length + 1);
    list->used += (size_t)length;
    list->told++;
}

const char *names_tell_end(names_told *list)
{
    if (list->told < list->count) {
        (void)snprintf(list->text + list->used, sizeof list->text - list->used, "%s%zu more",
                       list->told ? " and " : "", list->count - list->told);
    }
    return list->text;
}
