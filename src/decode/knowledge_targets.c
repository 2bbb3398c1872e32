/* knowledge_targets.c - which variables are known to be targets, in all conditions or in one (see
 * knowledge_targets.h).
 *
 * A statement without a condition is about all of them, one with a condition about that one, and
 * with two tables, whose one condition is the changed table, both say the same. What two statements
 * say of one variable in one condition must agree; the message of a contradiction names the first
 * line that said the opposite.
 */
#include "decode/knowledge_targets.h"

#include "text/text.h"

#include <string.h>

/* What is known of each condition while statements are read. */
typedef struct told_targets {
    size_t nodes, conditions;
    signed char *values; /* [conditions, nodes]; NULL: no statement is about a single condition */
    size_t *lines;       /* [conditions, nodes] */
} told_targets;

static bool is_target(const knowledge_statement *s)
{
    return s->kind == KNOWLEDGE_TARGET || s->kind == KNOWLEDGE_NOT_TARGET;
}

/* ---- the condition of a statement ---- */

static scone_status raise_condition(const knowledge_statement *s, const knowledge_names *names,
                                    const named_place *sorted)
{
    text_shown shown = text_show(s->condition, strlen(s->condition));
    names_told told = {.quote = "'"};
    char hint[512] = "; name";
    if (names->control && strcmp(names->control, s->condition) == 0) {
        return RAISE(SCONE_ERR_INPUT,
                     "line %zu: '%s' is the control, against which changes are told; name a "
                     "condition, or leave @ out for all of them",
                     s->line, shown.text);
    }
    for (size_t k = 0; k < names->condition_count; k++) names_tell(&told, names->conditions[k]);
    const char *near = names_nearest(sorted, names->condition_count, s->condition);
    if (near) {
        (void)snprintf(hint, sizeof hint, "; did you mean '%s'? Name", SHOW(near, strlen(near)));
    }
    return RAISE(SCONE_ERR_INPUT, "line %zu: there is no condition '%s'%s %s%s", s->line,
                 shown.text, hint, names->condition_count == 1 ? "the only one, " : "one of ",
                 names_tell_end(&told));
}

static scone_status find_condition(size_t *condition, const knowledge_statement *s,
                                   const knowledge_names *names, const named_place *sorted)
{
    *condition = names_find(sorted, names->condition_count, s->condition);
    return *condition == SIZE_MAX ? raise_condition(s, names, sorted) : SCONE_OK;
}

/* ---- statements ---- */

static scone_status raise_contradiction(size_t first, const knowledge_statement *s,
                                        const char *condition)
{
    text_shown name = text_show(s->first, strlen(s->first));
    if (!condition) {
        return RAISE(SCONE_ERR_INPUT,
                     "lines %zu and %zu contradict each other: %s is a target and is none; remove "
                     "one",
                     first, s->line, name.text);
    }
    return RAISE(SCONE_ERR_INPUT,
                 "lines %zu and %zu contradict each other: %s is a target and is none in the "
                 "condition '%s'; remove one",
                 first, s->line, name.text, SHOW(condition, strlen(condition)));
}

/* Says it once; *line is that of the first statement. */
static bool agree(signed char *known, size_t *line, const knowledge_statement *s)
{
    signed char value = s->kind == KNOWLEDGE_TARGET ? 1 : -1;
    if (*known == 0) {
        *known = value;
        *line = s->line;
    }
    return *known == value;
}

static scone_status take_everywhere(knowledge *k, told_targets *told, const knowledge_statement *s,
                                    size_t node, const knowledge_names *names)
{
    if (!agree(&k->targets[node], &k->target_lines[node], s)) {
        return raise_contradiction(k->target_lines[node], s, NULL);
    }
    for (size_t c = 0; told->values && c < told->conditions; c++) {
        size_t at = c * told->nodes + node;
        if (agree(&told->values[at], &told->lines[at], s)) continue;
        return raise_contradiction(told->lines[at], s, names->conditions[c]);
    }
    return SCONE_OK;
}

static scone_status take_target(knowledge *k, told_targets *told, const knowledge_statement *s,
                                const knowledge_names *names, const named_place *variables,
                                const named_place *conditions)
{
    size_t condition, node = names_find(variables, k->nodes, s->first);
    if (!s->condition) return take_everywhere(k, told, s, node, names);
    scone_status status = find_condition(&condition, s, names, conditions);
    if (status != SCONE_OK) return status;
    if (told->conditions == 1) return take_everywhere(k, told, s, node, names);
    size_t at = condition * told->nodes + node;
    if (agree(&told->values[at], &told->lines[at], s)) return SCONE_OK;
    return raise_contradiction(told->lines[at], s, s->condition);
}

scone_status knowledge_targets_compile(knowledge *k, const knowledge_file *file,
                                       const knowledge_names *names, const named_place *sorted)
{
    scone_status status = SCONE_OK;
    told_targets told = {.nodes = names->count, .conditions = names->condition_count};
    named_place *conditions = NULL;
    bool single = false;
    size_t cells;
    k->conditions = names->condition_count;
    for (size_t s = 0; s < file->count; s++) single |= file->statements[s].condition != NULL;
    TRY_ALLOC(conditions, names->condition_count);
    names_sort(conditions, names->conditions, names->condition_count);
    if (single && told.conditions > 1) {
        if (!size_multiply(&cells, told.conditions, told.nodes)) {
            FAIL(SCONE_ERR_MEMORY, "out of memory: knowledge about %zu columns", told.nodes);
        }
        TRY_ZERO(told.values, cells);
        TRY_ZERO(told.lines, cells);
    }
    for (size_t s = 0; s < file->count; s++) {
        const knowledge_statement *statement = &file->statements[s];
        if (!is_target(statement)) continue;
        TRY(take_target(k, &told, statement, names, sorted, conditions));
    }
    k->condition_targets = told.values;
    told.values = NULL;
cleanup:
    mem_free(told.values);
    mem_free(told.lines);
    mem_free(conditions);
    return status;
}

scone_status knowledge_targets_restrict(knowledge *part, const knowledge *k, const size_t *columns)
{
    scone_status status = SCONE_OK;
    size_t cells;
    part->conditions = k->conditions;
    for (size_t i = 0; i < part->nodes; i++) {
        part->targets[i] = k->targets[columns[i]];
        part->target_lines[i] = k->target_lines[columns[i]];
    }
    if (!k->condition_targets) return SCONE_OK;
    if (!size_multiply(&cells, k->conditions, part->nodes)) {
        FAIL(SCONE_ERR_MEMORY, "out of memory");
    }
    TRY_ALLOC(part->condition_targets, cells);
    for (size_t c = 0; c < k->conditions; c++) {
        const signed char *from = k->condition_targets + c * k->nodes;
        signed char *to = part->condition_targets + c * part->nodes;
        for (size_t i = 0; i < part->nodes; i++) to[i] = from[columns[i]];
    }
cleanup:
    return status;
}
