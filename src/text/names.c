/* names.c - looking up columns by their names (see names.h). */
#include "text/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int compare_named(const void *a, const void *b)
{
    return strcmp(((const named_node *)a)->name, ((const named_node *)b)->name);
}

void names_sort(named_node *sorted, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) sorted[i] = (named_node){names[i], i};
    if (count) qsort(sorted, count, sizeof *sorted, compare_named);
}

size_t names_find(const named_node *sorted, size_t count, const char *name)
{
    const named_node key = {name, 0};
    const named_node *found =
        count ? bsearch(&key, sorted, count, sizeof *sorted, compare_named) : NULL;
    return found ? found->node : SIZE_MAX;
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

const char *names_nearest(const named_node *sorted, size_t count, const char *word)
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
