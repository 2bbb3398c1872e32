/* knowledge.c - statements about names become bit matrices over columns, or a refusal that names
 * the lines (see knowledge.h).
 */
#include "decode/knowledge.h"

#include "decode/knowledge_targets.h"
#include "graph/graph_order.h"
#include "text/names.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- lines in messages ---- */

/* "2, 5 and 9": numbers in rising order without repetitions, cut after a dozen. */
typedef struct line_list {
    size_t lines[12], count;
} line_list;

static void list_line(line_list *list, size_t line)
{
    size_t at = 0;
    while (at < list->count && list->lines[at] < line) at++;
    if (at < list->count && list->lines[at] == line) return;
    if (list->count == sizeof list->lines / sizeof *list->lines) return;
    memmove(list->lines + at + 1, list->lines + at, (list->count - at) * sizeof *list->lines);
    list->lines[at] = line;
    list->count++;
}

static void print_lines(char *out, size_t size, const line_list *list)
{
    int used = snprintf(out, size, "%s ", list->count == 1 ? "line" : "lines");
    for (size_t i = 0; i < list->count && used >= 0 && (size_t)used < size; i++) {
        const char *between = i == 0 ? "" : i + 1 == list->count ? " and " : ", ";
        used += snprintf(out + used, size - (size_t)used, "%s%zu", between, list->lines[i]);
    }
}

static const knowledge_edge *find_edge(const knowledge_edge *edges, size_t count, size_t from,
                                       size_t to)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const knowledge_edge *e = &edges[middle];
        if (e->from < from || (e->from == from && e->to < to)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < count && edges[low].from == from && edges[low].to == to;
    return found ? &edges[low] : NULL;
}

void knowledge_place(char out[KNOWLEDGE_PLACE_SIZE], const knowledge *k, size_t from, size_t to)
{
    line_list list = {.count = 0};
    const knowledge_edge *edge = find_edge(k->requirements, k->requirement_count, from, to);
    if (!edge) edge = find_edge(k->prohibitions, k->prohibition_count, from, to);
    if (edge) {
        list_line(&list, edge->line);
    } else {
        list_line(&list, k->tier_lines[from]);
        list_line(&list, k->tier_lines[to]);
    }
    print_lines(out, KNOWLEDGE_PLACE_SIZE, &list);
}

/* ---- contradictions ---- */

static scone_status check_against_forbidden(const knowledge *k, const char *const *names)
{
    for (size_t r = 0; r < k->requirement_count; r++) {
        const knowledge_edge *edge = &k->requirements[r];
        if (!knowledge_forbids(k, edge->from, edge->to)) continue;
        const knowledge_edge *ban =
            find_edge(k->prohibitions, k->prohibition_count, edge->from, edge->to);
        text_shown from = text_show(names[edge->from], strlen(names[edge->from]));
        text_shown to = text_show(names[edge->to], strlen(names[edge->to]));
        char lines[256];
        line_list list = {.count = 0};
        list_line(&list, edge->line);
        list_line(&list, ban ? ban->line : k->tier_lines[edge->from]);
        list_line(&list, ban ? ban->line : k->tier_lines[edge->to]);
        print_lines(lines, sizeof lines, &list);
        if (ban) {
            return RAISE(SCONE_ERR_INPUT,
                         "%s contradict each other: %s -> %s is required and forbidden; remove one",
                         lines, from.text, to.text);
        }
        return RAISE(SCONE_ERR_INPUT,
                     "%s contradict each other: %s -> %s is required, but %s is in tier %zu and %s "
                     "in the earlier tier %zu; change one",
                     lines, from.text, to.text, from.text, k->tiers[edge->from], to.text,
                     k->tiers[edge->to]);
    }
    return SCONE_OK;
}

static scone_status raise_cycle(const knowledge *k, const char *const *names, const size_t *cycle,
                                size_t length)
{
    char lines[256], path[1024];
    line_list list = {.count = 0};
    size_t used = 0;
    for (size_t i = 0; i <= length; i++) {
        size_t node = cycle[i % length];
        const knowledge_edge *edge =
            find_edge(k->requirements, k->requirement_count, node, cycle[(i + 1) % length]);
        if (edge) list_line(&list, edge->line);
        if (used >= sizeof path - 300) continue;
        int printed = snprintf(path + used, sizeof path - used, "%s%s", i ? " -> " : "",
                               SHOW(names[node], strlen(names[node])));
        if (printed > 0) used += (size_t)printed;
    }
    print_lines(lines, sizeof lines, &list);
    return RAISE(SCONE_ERR_INPUT, "%s require a cycle of causes, %s; remove one of them", lines,
                 path);
}

static scone_status check_cycles(const knowledge *k, const char *const *names)
{
    scone_status status = SCONE_OK;
    graph *required = NULL;
    graph_work *work = NULL;
    size_t *cycle = NULL;
    TRY(graph_alloc(&required, k->nodes));
    TRY(graph_work_alloc(&work, k->nodes));
    TRY_ALLOC(cycle, k->nodes);
    for (size_t r = 0; r < k->requirement_count; r++) {
        const knowledge_edge *edge = &k->requirements[r];
        if (knowledge_requires(k, edge->to, edge->from)) { /* a pair of the graph has one mark */
            cycle[0] = edge->from;
            cycle[1] = edge->to;
            TRY(raise_cycle(k, names, cycle, 2));
        }
        graph_direct(required, edge->from, edge->to);
    }
    size_t length = graph_find_cycle(cycle, required, work);
    if (length > 0) TRY(raise_cycle(k, names, cycle, length));
cleanup:
    mem_free(cycle);
    graph_work_free(work);
    scone_graph_free(required);
    return status;
}

/* ---- compiling ---- */

void knowledge_free(knowledge *k)
{
    if (!k) return;
    mem_free(k->required);
    mem_free(k->forbidden);
    mem_free(k->requirements);
    mem_free(k->prohibitions);
    mem_free(k->tiers);
    mem_free(k->tier_lines);
    mem_free(k->targets);
    mem_free(k->target_lines);
    mem_free(k->condition_targets);
    mem_free(k);
}

static scone_status alloc_knowledge(knowledge **out, size_t nodes, size_t statements)
{
    scone_status status = SCONE_OK;
    knowledge *k = NULL;
    size_t words;
    *out = NULL;
    TRY_ZERO(k, 1);
    k->nodes = nodes;
    k->words = bits_words(nodes);
    if (!size_multiply(&words, nodes, k->words)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory: knowledge about %zu columns", nodes);
    }
    TRY_ZERO(k->required, words);
    TRY_ZERO(k->forbidden, words);
    TRY_ZERO(k->requirements, statements);
    TRY_ZERO(k->prohibitions, statements);
    TRY_ZERO(k->tiers, nodes);
    TRY_ZERO(k->tier_lines, nodes);
    TRY_ZERO(k->targets, nodes);
    TRY_ZERO(k->target_lines, nodes);
    for (size_t i = 0; i < nodes; i++) k->tiers[i] = SIZE_MAX;
    *out = k;
    return SCONE_OK;
cleanup:
    knowledge_free(k);
    return status;
}

static scone_status take_tier(knowledge *k, size_t node, const knowledge_statement *s)
{
    if (k->tiers[node] == SIZE_MAX) {
        k->tiers[node] = s->tier;
        k->tier_lines[node] = s->line;
    } else if (k->tiers[node] != s->tier) {
        return RAISE(SCONE_ERR_INPUT,
                     "lines %zu and %zu contradict each other: %s is in tier %zu and in tier %zu; "
                     "keep one",
                     k->tier_lines[node], s->line, SHOW(s->first, strlen(s->first)), k->tiers[node],
                     s->tier);
    }
    return SCONE_OK;
}

/* The column of this name; fails with the nearest name there is. */
static scone_status find_name(size_t *node, const char *name, size_t line,
                              const named_place *sorted, size_t count)
{
    *node = names_find(sorted, count, name);
    if (*node != SIZE_MAX) return SCONE_OK;
    text_shown shown = text_show(name, strlen(name));
    const char *near = names_nearest(sorted, count, name);
    if (near) {
        return RAISE(SCONE_ERR_INPUT, "line %zu: there is no column '%s'; did you mean '%s'?", line,
                     shown.text, SHOW(near, strlen(near)));
    }
    return RAISE(SCONE_ERR_INPUT,
                 "line %zu: there is no column '%s'; use the names in the header of the tables",
                 line, shown.text);
}

static scone_status take_edge(knowledge *k, const knowledge_statement *s, size_t first,
                              const named_place *sorted)
{
    scone_status status = SCONE_OK;
    size_t second;
    TRY(find_name(&second, s->second, s->line, sorted, k->nodes));
    if (first == second) {
        FAIL(SCONE_ERR_INPUT, "line %zu: %s is on both sides of the arrow; name two columns",
             s->line, SHOW(s->first, strlen(s->first)));
    }
    if (s->kind == KNOWLEDGE_REQUIRED) {
        k->requirements[k->requirement_count++] = (knowledge_edge){first, second, s->line};
        bits_add(k->required + first * k->words, second);
    } else {
        k->prohibitions[k->prohibition_count++] = (knowledge_edge){first, second, s->line};
        bits_add(k->forbidden + first * k->words, second);
    }
cleanup:
    return status;
}

/* Edges and tiers; targets are taken by knowledge_targets_compile. */
static scone_status take_statement(knowledge *k, const knowledge_statement *s,
                                   const named_place *sorted)
{
    size_t first;
    scone_status status = find_name(&first, s->first, s->line, sorted, k->nodes);
    if (status != SCONE_OK) return status;
    switch (s->kind) {
    case KNOWLEDGE_TARGET:
    case KNOWLEDGE_NOT_TARGET:
        return SCONE_OK;
    case KNOWLEDGE_TIER:
        return take_tier(k, first, s);
    case KNOWLEDGE_REQUIRED:
    case KNOWLEDGE_FORBIDDEN:
        break;
    }
    return take_edge(k, s, first, sorted);
}

static int compare_edges(const void *a, const void *b)
{
    const knowledge_edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Sorted, each edge once with its first line; returns how many are left. */
static size_t sort_edges(knowledge_edge *edges, size_t count)
{
    size_t kept = 0;
    if (count) qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count; i++) {
        bool again =
            kept > 0 && edges[kept - 1].from == edges[i].from && edges[kept - 1].to == edges[i].to;
        if (!again) edges[kept++] = edges[i];
    }
    return kept;
}

/* Nothing of a later tier causes anything of an earlier one. */
static void forbid_by_tiers(knowledge *k)
{
    for (size_t i = 0; i < k->nodes; i++) {
        for (size_t j = 0; j < k->nodes && k->tiers[i] != SIZE_MAX; j++) {
            if (k->tiers[j] != SIZE_MAX && k->tiers[i] > k->tiers[j]) {
                bits_add(k->forbidden + i * k->words, j);
            }
        }
    }
}

scone_status knowledge_compile(knowledge **out, const knowledge_file *file,
                               const knowledge_names *names)
{
    scone_status status = SCONE_OK;
    knowledge *k = NULL;
    named_place *sorted = NULL;
    *out = NULL;
    TRY(alloc_knowledge(&k, names->count, file->count));
    TRY_ALLOC(sorted, names->count);
    names_sort(sorted, names->variables, names->count);
    for (size_t s = 0; s < file->count; s++) TRY(take_statement(k, &file->statements[s], sorted));
    TRY(knowledge_targets_compile(k, file, names, sorted));
    k->requirement_count = sort_edges(k->requirements, k->requirement_count);
    k->prohibition_count = sort_edges(k->prohibitions, k->prohibition_count);
    forbid_by_tiers(k);
    TRY(check_against_forbidden(k, names->variables));
    TRY(check_cycles(k, names->variables));
    *out = k;
    k = NULL;
cleanup:
    mem_free(sorted);
    knowledge_free(k);
    return status;
}

/* The edges between kept nodes under their new numbers; place[old] = new, SIZE_MAX: not kept. */
static size_t restrict_edges(knowledge_edge *out, bits_word *matrix, size_t words,
                             const knowledge_edge *edges, size_t count, const size_t *place)
{
    size_t kept = 0;
    for (size_t e = 0; e < count; e++) {
        size_t from = place[edges[e].from], to = place[edges[e].to];
        if (from == SIZE_MAX || to == SIZE_MAX) continue;
        bits_add(matrix + from * words, to);
        out[kept++] = (knowledge_edge){from, to, edges[e].line};
    }
    return sort_edges(out, kept);
}

scone_status knowledge_restrict(knowledge **out, const knowledge *k, const size_t *columns,
                                size_t count)
{
    scone_status status = SCONE_OK;
    knowledge *part = NULL;
    size_t *place = NULL;
    size_t most =
        k->requirement_count > k->prohibition_count ? k->requirement_count : k->prohibition_count;
    *out = NULL;
    TRY(alloc_knowledge(&part, count, most));
    TRY(knowledge_targets_restrict(part, k, columns));
    TRY_ALLOC(place, k->nodes);
    for (size_t i = 0; i < k->nodes; i++) place[i] = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t old = columns[i];
        place[old] = i;
        part->tiers[i] = k->tiers[old];
        part->tier_lines[i] = k->tier_lines[old];
    }
    part->requirement_count = restrict_edges(part->requirements, part->required, part->words,
                                             k->requirements, k->requirement_count, place);
    part->prohibition_count = restrict_edges(part->prohibitions, part->forbidden, part->words,
                                             k->prohibitions, k->prohibition_count, place);
    forbid_by_tiers(part);
    *out = part;
    part = NULL;
cleanup:
    mem_free(place);
    knowledge_free(part);
    return status;
}
