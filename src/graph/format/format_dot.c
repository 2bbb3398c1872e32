/* format_dot.c - graphs in Graphviz's DOT language, and in DAGitty's dialect of it.
 *
 *     digraph {
 *         "A";
 *         "A" -> "B";
 *         "B" -> "C" [dir=none];
 *     }
 *
 * What an edge means is what Graphviz would draw: its operator, dir, arrowhead and arrowtail (also
 * from `edge [...]` defaults) give an arrow at one end, at none (undirected) or at both, which is
 * refused. `a -> b` and `b -> a` together are an undirected edge, as in an adjacency table.
 * The identifier is the name, unless all identifiers are whole numbers and all nodes have labels:
 * then the labels are the names. Ports, drawing attributes and clusters are ignored; a subgraph
 * may stand for its nodes in an edge. Cost: linear in the text and the edges it means.
 */
#include "text/limits.h"
#include "graph/format/format_dot.h"

#include "graph/format/format_builder.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

/* A part of the stack of members. */
typedef struct member_range {
    size_t from, to;
} member_range;

/* One end of a chain of edges, with the operator before it. */
typedef struct chain_link {
    member_range range;
    dot_kind operation;
    size_t line;
} chain_link;

typedef struct dot_parser {
    dot_scanner scan;
    graph_builder build;
    bool undirected_graph; /* graph { } rather than digraph { } */
    size_t depth;
    uint16_t *members; /* nodes of the open subgraphs and the current statement, a stack */
    size_t member_count, member_capacity;
    chain_link *links; /* of the open statements, a stack */
    size_t link_count, link_capacity;
    char **labels; /* [label_capacity], NULL where none */
    size_t label_capacity;
} dot_parser;

static scone_status read_statements(dot_parser *p, edge_style style);

static bool token_is(const dot_token *token, const char *word)
{
    return token->kind == DOT_ID && !token->quoted && text_is(token->text, token->length, word);
}

/* ---- attributes ---- */

static scone_status set_label(dot_parser *p, size_t node, const dot_token *value)
{
    if (node >= p->label_capacity) {
        size_t capacity = p->build.name_capacity;
        char **grown = mem_resize(p->labels, capacity, sizeof *grown);
        if (!grown) return SCONE_ERR_MEMORY;
        for (size_t i = p->label_capacity; i < capacity; i++) grown[i] = NULL;
        p->labels = grown;
        p->label_capacity = capacity;
    }
    mem_free(p->labels[node]);
    p->labels[node] = NULL;
    if (value->kind != DOT_ID || memchr(value->text, '\0', value->length)) return SCONE_OK;
    p->labels[node] = style_label(value);
    return p->labels[node] ? SCONE_OK : SCONE_ERR_MEMORY;
}

/* One `name` or `name = value`; the current token is the name. */
static scone_status read_attribute(dot_parser *p, edge_style *style, size_t node)
{
    scone_status status = SCONE_OK;
    dot_token name = p->scan.token;
    if (name.kind != DOT_ID) return dot_raise(&p->scan, "the name of an attribute or \"]\"");
    edge_attribute attribute = style_attribute(&name);
    bool label = text_is(name.text, name.length, "label");
    TRY(dot_advance(&p->scan));
    if (!dot_at_mark(&p->scan, '=')) goto cleanup; /* DAGitty's [exposure] */
    TRY(dot_advance(&p->scan));
    const dot_token *value = &p->scan.token;
    if (value->kind != DOT_ID && value->kind != DOT_HTML) {
        status = dot_raise(&p->scan, "the value of an attribute");
        goto cleanup;
    }
    if (style) TRY(style_set(style, attribute, &p->scan));
    if (node != SIZE_MAX && label) TRY(set_label(p, node, value));
    TRY(dot_advance(&p->scan));
cleanup:
    return status;
}

/* Any number of lists in brackets; `style` takes what edges need, `node` gets the label. */
static scone_status read_attributes(dot_parser *p, edge_style *style, size_t node)
{
    scone_status status = SCONE_OK;
    while (dot_at_mark(&p->scan, '[')) {
        TRY(dot_advance(&p->scan));
        while (!dot_at_mark(&p->scan, ']')) {
            TRY(read_attribute(p, style, node));
            if (dot_at_mark(&p->scan, ',') || dot_at_mark(&p->scan, ';')) {
                TRY(dot_advance(&p->scan));
            }
        }
        TRY(dot_advance(&p->scan));
    }
cleanup:
    return status;
}

/* ---- edges ---- */

static scone_status add_member(dot_parser *p, size_t node)
{
    if (p->member_count == p->member_capacity) {
        size_t capacity = p->member_capacity ? 2 * p->member_capacity : 64;
        uint16_t *grown = mem_resize(p->members, capacity, sizeof *grown);
        if (!grown) return SCONE_ERR_MEMORY;
        p->members = grown;
        p->member_capacity = capacity;
    }
    p->members[p->member_count++] = (uint16_t)node;
    return SCONE_OK;
}

static scone_status add_link(dot_parser *p, chain_link link)
{
    if (p->link_count == p->link_capacity) {
        size_t capacity = p->link_capacity ? 2 * p->link_capacity : 16;
        chain_link *grown = mem_resize(p->links, capacity, sizeof *grown);
        if (!grown) return SCONE_ERR_MEMORY;
        p->links = grown;
        p->link_capacity = capacity;
    }
    p->links[p->link_count++] = link;
    return SCONE_OK;
}

/* Edges between every node of one end and every node of the next. */
static scone_status join_ranges(dot_parser *p, member_range from, chain_link link, edge_style style)
{
    scone_status status = SCONE_OK;
    bool right, left;
    if (link.operation != DOT_LINE && p->undirected_graph) {
        FAIL(SCONE_ERR_INPUT,
             "line %zu: an arrow in an undirected graph; start the file with "
             "digraph instead of graph",
             link.line);
    }
    TRY(style_arrows(&right, &left, style, link.operation, link.line));
    for (size_t i = from.from; i < from.to; i++) {
        for (size_t j = link.range.from; j < link.range.to; j++) {
            size_t source = p->members[left ? j : i], target = p->members[left ? i : j];
            TRY(builder_edge(&p->build, source, target, !right && !left, link.line));
        }
    }
cleanup:
    return status;
}

/* ---- statements ---- */

static int compare_members(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* The nodes of a subgraph are a set: {a a a} stands for one node in an edge. */
static void unite_members(dot_parser *p, size_t from)
{
    if (p->member_count - from < 2) return;
    uint16_t *members = p->members;
    qsort(members + from, p->member_count - from, sizeof *members, compare_members);
    size_t kept = from + 1;
    for (size_t k = from + 1; k < p->member_count; k++) {
        if (members[k] != members[kept - 1]) members[kept++] = members[k];
    }
    p->member_count = kept;
}

static scone_status read_subgraph(dot_parser *p, edge_style style)
{
    scone_status status = SCONE_OK;
    if (token_is(&p->scan.token, "subgraph")) {
        TRY(dot_advance(&p->scan));
        if (p->scan.token.kind == DOT_ID) TRY(dot_advance(&p->scan));
    }
    if (!dot_at_mark(&p->scan, '{')) return dot_raise(&p->scan, "the \"{\" of a subgraph");
    if (++p->depth > TEXT_NESTING_LIMIT) {
        FAIL(SCONE_ERR_INPUT, "line %zu: subgraphs nested more than %d deep", p->scan.token.line,
             TEXT_NESTING_LIMIT);
    }
    TRY(dot_advance(&p->scan));
    size_t from = p->member_count;
    TRY(read_statements(p, style));
    unite_members(p, from);
    TRY(dot_advance(&p->scan)); /* the closing brace */
    p->depth--;
cleanup:
    return status;
}

/* After a node's identifier: its port and compass point, which only matter for drawing. */
static scone_status skip_port(dot_parser *p)
{
    scone_status status = SCONE_OK;
    for (int part = 0; part < 2 && dot_at_mark(&p->scan, ':'); part++) {
        TRY(dot_advance(&p->scan));
        if (p->scan.token.kind != DOT_ID) {
            status = dot_raise(&p->scan, "the name of a port");
            goto cleanup;
        }
        TRY(dot_advance(&p->scan));
    }
cleanup:
    return status;
}

static scone_status add_node(dot_parser *p, const dot_token *id)
{
    scone_status status = SCONE_OK;
    size_t node;
    TRY(builder_node(&p->build, &node, NULL, id->text, id->length, id->line));
    TRY(add_member(p, node));
    TRY(skip_port(p));
cleanup:
    return status;
}

/* A node or a subgraph at an end of an edge. */
static scone_status read_endpoint(dot_parser *p, member_range *range, edge_style style)
{
    scone_status status = SCONE_OK;
    range->from = p->member_count;
    dot_token token = p->scan.token;
    if (dot_at_mark(&p->scan, '{') || token_is(&token, "subgraph")) {
        TRY(read_subgraph(p, style));
    } else if (token.kind == DOT_ID) {
        TRY(dot_advance(&p->scan));
        TRY(add_node(p, &token));
    } else {
        status = dot_raise(&p->scan, "a node");
    }
    range->to = p->member_count;
cleanup:
    return status;
}

static bool at_operator(const dot_parser *p)
{
    dot_kind kind = p->scan.token.kind;
    return kind == DOT_FORWARD || kind == DOT_BACKWARD || kind == DOT_BOTH || kind == DOT_LINE;
}

/* The rest of a node or edge statement, whose first end is `left`. */
static scone_status read_chain(dot_parser *p, member_range left, edge_style style)
{
    scone_status status = SCONE_OK;
    if (!at_operator(p)) {
        size_t node = left.to == left.from + 1 ? p->members[left.from] : SIZE_MAX;
        return read_attributes(p, NULL, node);
    }
    /* The attributes that tell what the edges mean come last, so the ends are kept until then. */
    size_t first = p->link_count;
    TRY(add_link(p, (chain_link){left, DOT_END, 0}));
    while (at_operator(p)) {
        chain_link link = {.operation = p->scan.token.kind, .line = p->scan.token.line};
        TRY(dot_advance(&p->scan));
        TRY(read_endpoint(p, &link.range, style));
        TRY(add_link(p, link));
    }
    TRY(read_attributes(p, &style, SIZE_MAX));
    for (size_t k = first + 1; k < p->link_count; k++) {
        TRY(join_ranges(p, p->links[k - 1].range, p->links[k], style));
    }
    p->link_count = first;
cleanup:
    return status;
}

static scone_status read_statement(dot_parser *p, edge_style *style)
{
    scone_status status = SCONE_OK;
    dot_token token = p->scan.token;
    member_range left;
    if (token_is(&token, "graph") || token_is(&token, "node") || token_is(&token, "edge")) {
        TRY(dot_advance(&p->scan));
        if (!dot_at_mark(&p->scan, '[')) {
            FAIL(SCONE_ERR_INPUT,
                 "line %zu: \"%s\" is a word of the language; put it in double "
                 "quotes to use it as a name",
                 token.line, SHOW(token.text, token.length));
        }
        return read_attributes(p, token_is(&token, "edge") ? style : NULL, SIZE_MAX);
    }
    if (token.kind == DOT_ID && !token_is(&token, "subgraph")) {
        TRY(dot_advance(&p->scan));
        if (dot_at_mark(&p->scan, '=')) { /* an attribute of the graph */
            TRY(dot_advance(&p->scan));
            if (p->scan.token.kind != DOT_ID && p->scan.token.kind != DOT_HTML) {
                return dot_raise(&p->scan, "the value of an attribute");
            }
            return dot_advance(&p->scan);
        }
        left.from = p->member_count;
        TRY(add_node(p, &token));
        left.to = p->member_count;
    } else {
        TRY(read_endpoint(p, &left, *style));
    }
    TRY(read_chain(p, left, *style));
cleanup:
    return status;
}

/* Up to a closing brace, which stays the current token. */
static scone_status read_statements(dot_parser *p, edge_style style)
{
    scone_status status = SCONE_OK;
    while (!dot_at_mark(&p->scan, '}')) {
        if (dot_at_mark(&p->scan, ';') || dot_at_mark(&p->scan, ',')) {
            TRY(dot_advance(&p->scan));
            continue;
        }
        if (p->scan.token.kind == DOT_END) return dot_raise(&p->scan, "a statement or \"}\"");
        TRY(read_statement(p, &style));
        if (p->depth == 0) p->member_count = 0; /* nobody asks for these nodes again */
    }
cleanup:
    return status;
}

/* strict? (graph | digraph | dag | pdag) name? { */
static scone_status read_opening(dot_parser *p)
{
    scone_status status = SCONE_OK;
    TRY(dot_advance(&p->scan));
    if (token_is(&p->scan.token, "strict")) TRY(dot_advance(&p->scan));
    p->undirected_graph = token_is(&p->scan.token, "graph");
    if (!p->undirected_graph && !token_is(&p->scan.token, "digraph") &&
        !token_is(&p->scan.token, "dag") && !token_is(&p->scan.token, "pdag")) {
        return dot_raise(&p->scan, "digraph or graph (DAGitty: dag or pdag)");
    }
    TRY(dot_advance(&p->scan));
    if (p->scan.token.kind == DOT_ID) TRY(dot_advance(&p->scan));
    if (!dot_at_mark(&p->scan, '{')) return dot_raise(&p->scan, "the \"{\" of the graph");
    TRY(dot_advance(&p->scan));
cleanup:
    return status;
}

/* Do the labels name the nodes: all identifiers whole numbers, every node with a label? */
static bool labels_are_names(const dot_parser *p)
{
    for (size_t i = 0; i < p->build.nodes; i++) {
        const char *name = p->build.names[i];
        if (name[strspn(name, "0123456789")] != '\0') return false;
        if (i >= p->label_capacity || !p->labels[i]) return false;
    }
    return p->build.nodes > 0;
}

scone_status graph_parse_dot(graph **out, const char *text, size_t size)
{
    scone_status status = SCONE_OK;
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        size -= 3;
    }
    dot_parser p = {.scan = {.start = text, .at = text, .end = text + size, .line = 1}};
    *out = NULL;
    TRY(builder_open(&p.build, "line"));
    TRY(read_opening(&p));
    TRY(read_statements(&p, (edge_style){0}));
    TRY(dot_advance(&p.scan));
    if (p.scan.token.kind != DOT_END) {
        status = dot_raise(&p.scan, "the end of the file after the graph");
        goto cleanup;
    }
    if (labels_are_names(&p)) TRY(builder_rename(&p.build, (const char *const *)p.labels));
    TRY(builder_finish(&p.build, out, true));
cleanup:
    dot_close(&p.scan);
    builder_close(&p.build);
    mem_free(p.members);
    mem_free(p.links);
    for (size_t i = 0; i < p.label_capacity; i++) mem_free(p.labels[i]);
    mem_free(p.labels);
    return status;
}
