/* meek_conflict.c - conflicts of the Meek closure: what they are and which required directions they
 * follow from (see meek_conflict.h).
 */
#include "graph/meek_conflict.h"

#include "graph/graph_order.h"

#include <stdarg.h>
#include <stdio.h>

static void note(meek *m, meek_conflict_kind kind, size_t count)
{
    m->conflict = (meek_conflict){.kind = kind, .nodes = m->cycle, .count = count};
}

void meek_conflict_collider(meek *m, size_t left, size_t middle, size_t right)
{
    m->cycle[0] = left < right ? left : right;
    m->cycle[1] = middle;
    m->cycle[2] = left < right ? right : left;
    note(m, MEEK_COLLIDER, 3);
}

void meek_conflict_cycle(meek *m, const graph *g)
{
    note(m, MEEK_CYCLE, graph_find_cycle(m->cycle, g, m->work));
}

void meek_conflict_request(meek *m, meek_conflict_kind kind, size_t from, size_t to)
{
    m->cycle[0] = from;
    m->cycle[1] = to;
    note(m, kind, 2);
}

/* Marks the directions that the conflict consists of. */
static void mark_conflict(const meek *m, bits_word *needed, size_t words)
{
    const size_t *nodes = m->conflict.nodes;
    size_t count = m->conflict.count;
    switch (m->conflict.kind) {
    case MEEK_CYCLE:
        for (size_t i = 0; i < count; i++) {
            bits_add(needed + nodes[i] * words, nodes[(i + 1) % count]);
        }
        break;
    case MEEK_COLLIDER:
        bits_add(needed + nodes[0] * words, nodes[1]);
        bits_add(needed + nodes[2] * words, nodes[1]);
        break;
    case MEEK_OPPOSED:
        bits_add(needed + nodes[1] * words, nodes[0]);
        break;
    case MEEK_ABSENT:
    case MEEK_NO_CONFLICT:
        break;
    }
}

/* Marks the directions that a reason rests on. */
static void mark_premises(const meek_reason *r, bits_word *needed, size_t words)
{
    switch (r->rule) {
    case MEEK_R1:
        bits_add(needed + r->first * words, r->from);
        break;
    case MEEK_R2:
        bits_add(needed + r->from * words, r->first);
        bits_add(needed + r->first * words, r->to);
        break;
    case MEEK_R3:
        bits_add(needed + r->first * words, r->to);
        bits_add(needed + r->second * words, r->to);
        break;
    case MEEK_R4:
        bits_add(needed + r->second * words, r->first);
        bits_add(needed + r->first * words, r->to);
        break;
    case MEEK_REQUIRED:
        break;
    }
}

/* Goes through the reasons from the last to the first and keeps those the conflict rests on: a
 * reason only rests on earlier ones. Row v of `needed`: u with v -> u needed. */
static void find_required(meek *m, const graph *g)
{
    bits_word *needed = m->work->matrix;
    size_t count = 0;
    bits_clear(needed, g->nodes * g->words);
    mark_conflict(m, needed, g->words);
    for (size_t i = m->count; i-- > 0;) {
        const meek_reason *r = &m->reasons[i];
        if (!bits_has(needed + r->from * g->words, r->to)) continue;
        mark_premises(r, needed, g->words);
        if (r->rule == MEEK_REQUIRED) m->edges[count++] = (meek_edge){r->from, r->to};
    }
    for (size_t i = 0; i < count / 2; i++) { /* first required first */
        meek_edge swap = m->edges[i];
        m->edges[i] = m->edges[count - 1 - i];
        m->edges[count - 1 - i] = swap;
    }
    if (m->conflict.kind == MEEK_OPPOSED || m->conflict.kind == MEEK_ABSENT) {
        m->edges[count++] =
            (meek_edge){(uint32_t)m->conflict.nodes[0], (uint32_t)m->conflict.nodes[1]};
    }
    m->conflict.required = m->edges;
    m->conflict.required_count = count;
}

typedef struct text {
    char characters[1536];
    size_t length;
} text;

__attribute__((format(printf, 2, 3))) static void append(text *t, const char *format, ...)
{
    size_t room = sizeof t->characters - t->length;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(t->characters + t->length, room, format, arguments);
    va_end(arguments);
    if (length > 0) t->length += (size_t)length < room ? (size_t)length : room - 1;
}

static void append_node(text *t, const graph *g, size_t v)
{
    char buffer[24];
    append(t, "%.80s", g->names ? g->names[v] : graph_default_name(buffer, v));
}

static void append_edge(text *t, const graph *g, size_t from, size_t to)
{
    append_node(t, g, from);
    append(t, " -> ");
    append_node(t, g, to);
}

enum { LISTED = 8 }; /* of a long list, this many are named */

static void append_conflict(text *t, const graph *g, const meek_conflict *conflict)
{
    const size_t *nodes = conflict->nodes;
    switch (conflict->kind) {
    case MEEK_CYCLE:
        append(t, "the directions ");
        for (size_t i = 0; i < conflict->count && i < LISTED; i++) {
            append_node(t, g, nodes[i]);
            append(t, " -> ");
        }
        if (conflict->count > LISTED) append(t, "... -> ");
        append_node(t, g, nodes[0]);
        append(t, " form a cycle");
        break;
    case MEEK_COLLIDER:
        append(t, "the directions ");
        append_edge(t, g, nodes[0], nodes[1]);
        append(t, " and ");
        append_edge(t, g, nodes[2], nodes[1]);
        append(t, " make a v-structure that the graph does not have");
        break;
    case MEEK_OPPOSED:
    case MEEK_ABSENT:
    case MEEK_NO_CONFLICT:
        append_edge(t, g, nodes[0], nodes[1]);
        append(t, conflict->kind == MEEK_OPPOSED ? " is required, but the graph has "
                                                 : " is required, but there is no edge between ");
        append_node(t, g, nodes[1]);
        append(t, conflict->kind == MEEK_OPPOSED ? " -> " : " and ");
        append_node(t, g, nodes[0]);
        break;
    }
}

scone_status meek_conflict_raise(meek *m, const graph *g)
{
    text t = {.length = 0};
    find_required(m, g);
    append_conflict(&t, g, &m->conflict);
    size_t count = m->conflict.required_count;
    if (count == 0) {
        append(&t, "; no DAG has all edges of this graph: change one of them");
    } else {
        append(&t, "; this follows from the required directions ");
        for (size_t i = 0; i < count && i < LISTED; i++) {
            append(&t, i ? ", " : "");
            append_edge(&t, g, m->conflict.required[i].from, m->conflict.required[i].to);
        }
        if (count > LISTED) append(&t, " and %zu more", count - LISTED);
        append(&t, count > 1 ? ": drop one of them" : ": drop it");
    }
    return RAISE(SCONE_ERR_INPUT, "%s", t.characters);
}
