/* format_dot.h - the words of a DOT file, and what the attributes of an edge mean. */
#ifndef SCONE_GRAPH_FORMAT_FORMAT_DOT_H
#define SCONE_GRAPH_FORMAT_FORMAT_DOT_H

#include "base/memory.h"

typedef enum dot_kind {
    DOT_END = 0,
    DOT_ID,       /* bare word, number or quoted string */
    DOT_HTML,     /* <...>, text without the outer brackets */
    DOT_FORWARD,  /* -> */
    DOT_BACKWARD, /* <- (DAGitty) */
    DOT_BOTH,     /* <-> (DAGitty) */
    DOT_LINE,     /* -- */
    DOT_MARK      /* one of { } [ ] ; , = : + */
} dot_kind;

typedef struct dot_token {
    dot_kind kind;
    char mark;        /* of DOT_MARK */
    bool quoted;      /* of DOT_ID: never a keyword */
    const char *text; /* of DOT_ID, in the file or a buffer; not NUL-terminated */
    size_t length, line;
} dot_token;

typedef struct dot_scanner {
    const char *start, *at, *end;
    size_t line;
    char *buffers[2]; /* strings whose escapes were undone, used in turn */
    size_t capacities[2];
    int turn;
    dot_token token; /* the current one */
} dot_scanner;

/* Moves to the next token; quoted strings joined by + are one. The text of a token stays valid
 * over one more call. */
scone_status dot_advance(dot_scanner *s);
void dot_close(dot_scanner *s);

static inline bool dot_at_mark(const dot_scanner *s, char mark)
{
    return s->token.kind == DOT_MARK && s->token.mark == mark;
}

/* The attributes of an edge that carry meaning; all 0 is what Graphviz assumes. */
typedef enum dot_direction { DIR_UNSET, DIR_FORWARD, DIR_BACK, DIR_BOTH, DIR_NONE } dot_direction;
typedef enum dot_arrow { ARROW_UNSET, ARROW_PRESENT, ARROW_NONE, ARROW_CIRCLE } dot_arrow;
typedef struct edge_style {
    dot_direction direction;
    dot_arrow head, tail;
} edge_style;

typedef enum edge_attribute { STYLE_OTHER, STYLE_DIRECTION, STYLE_HEAD, STYLE_TAIL } edge_attribute;

/* Which attribute a name is, and its value (the current token) into the style. */
edge_attribute style_attribute(const dot_token *name);
scone_status style_set(edge_style *style, edge_attribute attribute, const dot_scanner *s);
/* What an operator and its attributes mean: an arrow at the right end, at the left end, or none;
 * refused are arrows at both ends and circles. */
scone_status style_arrows(bool *right, bool *left, edge_style style, dot_kind operation,
                          size_t line);

/* The text that a label shows, in new memory; NULL with the failure raised. */
char *style_label(const dot_token *value);

/* "line 3: expected WHAT, not TOKEN" */
scone_status dot_raise(const dot_scanner *s, const char *what);

#endif
