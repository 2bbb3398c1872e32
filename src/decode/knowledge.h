/* knowledge.h - what the user knows beforehand: edges that must or must not be there, tiers, and
 * which variables were or were not changed.
 *
 * A knowledge file has one statement a line, in any order:
 *     A -> B                required: A is a direct cause of B
 *     A !-> B               forbidden: A is no direct cause of B
 *     tier 1: A B C         no variable of a later tier is a direct cause of one of an earlier tier
 *     target A              the mechanism of A changed between the tables: in every condition
 *     not-target A          it did not
 *     target A @ low        it changed in the condition `low`
 *     not-target A @ low    it did not change there
 * Blank lines and everything after a # that starts a word are skipped. A name with spaces, quotes
 * (doubled inside), arrows, or a leading # or @ stands in double quotes. Repetitions are fine.
 *
 * Parsing knows no variables; compiling turns the statements into bit matrices over the columns, or
 * refuses them with the lines that contradict each other: knowledge is honoured or refused, never
 * dropped.
 */
#ifndef SCONE_DECODE_KNOWLEDGE_H
#define SCONE_DECODE_KNOWLEDGE_H

#include "base/arena.h"
#include "graph/bits.h"
#include "io/input_list.h"

enum {
    KNOWLEDGE_FILE_LIMIT = 4194304, /* bytes */
    KNOWLEDGE_TIER_LIMIT = 1000000
};

typedef enum knowledge_kind {
    KNOWLEDGE_REQUIRED = 0,
    KNOWLEDGE_FORBIDDEN,
    KNOWLEDGE_TIER,
    KNOWLEDGE_TARGET,
    KNOWLEDGE_NOT_TARGET
} knowledge_kind;

/* One name of a tier is one statement. */
typedef struct knowledge_statement {
    knowledge_kind kind;
    size_t line;           /* from 1 */
    size_t tier;           /* of KNOWLEDGE_TIER */
    const char *first;     /* in the file's memory */
    const char *second;    /* the effect, of the two kinds of edges; else NULL */
    const char *condition; /* of the two kinds of targets; NULL: all of them */
} knowledge_statement;

typedef struct knowledge_file {
    knowledge_statement *statements; /* in the order of the lines */
    size_t count, capacity;
    arena *memory;
} knowledge_file;

/* Messages name the line but not the file; knowledge_read adds its name. The caller frees also
 * after a failure. */
scone_status knowledge_parse(knowledge_file *file, const char *text, size_t size);
/* The file is noted in `inputs` unless that is NULL. */
scone_status knowledge_read(knowledge_file *file, const char *path, input_list *inputs);
void knowledge_file_free(knowledge_file *file);

/* from -> to, and the first line that says so. */
typedef struct knowledge_edge {
    size_t from, to, line;
} knowledge_edge;

typedef struct knowledge {
    size_t nodes, words;
    bits_word *required, *forbidden; /* [nodes, words] each; row i holds the j of i -> j */
    knowledge_edge *requirements;    /* required edges by (from, to), each once */
    knowledge_edge *prohibitions;    /* edges that are forbidden by name, in the same order */
    size_t requirement_count, prohibition_count;
    size_t *tiers;      /* [nodes], SIZE_MAX: in no tier */
    size_t *tier_lines; /* [nodes] */
    size_t conditions;
    signed char *targets; /* [nodes] in all conditions: 1 target, -1 not a target, 0 unknown */
    size_t *target_lines; /* [nodes] */
    signed char *condition_targets; /* [conditions, nodes] the same of each, with what holds in all;
                                       NULL: nothing else is known */
} knowledge;

/* What statements are about: variables, and the conditions other than the control. */
typedef struct knowledge_names {
    const char *const *variables;
    size_t count;
    const char *const *conditions; /* of two tables: the name of the changed one */
    size_t condition_count;
    const char *control; /* NULL: it has no name */
} knowledge_names;

/* The same knowledge with the targets of one condition, as of two tables: a view. */
static inline knowledge knowledge_in(const knowledge *k, size_t condition)
{
    knowledge view = *k;
    if (k->condition_targets) view.targets = k->condition_targets + condition * k->nodes;
    return view;
}

static inline bool knowledge_requires(const knowledge *k, size_t from, size_t to)
{
    return k && bits_has(k->required + from * k->words, to);
}

static inline bool knowledge_forbids(const knowledge *k, size_t from, size_t to)
{
    return k && bits_has(k->forbidden + from * k->words, to);
}

/* Fails with SCONE_ERR_INPUT on an unknown name of a variable or condition (with the nearest known
 * one), an edge from a variable to itself, and contradictions: an edge required and forbidden, a
 * cycle of required edges, a required edge against the order of tiers, a variable in two tiers, a
 * target that is none. O(statements log count + count^2 / 64), and O(conditions count) if
 * statements are about single conditions. */
scone_status knowledge_compile(knowledge **out, const knowledge_file *file,
                               const knowledge_names *names);
void knowledge_free(knowledge *k);

/* The part about some of the nodes, for a learner that sees only these: node i of the result is
 * columns[i]. Lines stay those of the file. */
scone_status knowledge_restrict(knowledge **out, const knowledge *k, const size_t *columns,
                                size_t count);

/* "line 3" or "lines 2 and 5": where from -> to is required, or else where it is forbidden. */
enum { KNOWLEDGE_PLACE_SIZE = 64 };
void knowledge_place(char out[KNOWLEDGE_PLACE_SIZE], const knowledge *k, size_t from, size_t to);

#endif
