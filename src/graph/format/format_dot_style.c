/* format_dot_style.c - what the attributes of a DOT edge say about its direction, and labels.
 *
 * dir tells at which ends Graphviz draws an arrow, arrowhead and arrowtail what it looks like.
 * Programs for causal graphs write undirected edges as dir=none or as arrowhead=none, and the
 * circles of a PAG as odot.
 */
#include "graph/format/format_dot.h"

#include "text/text.h"

edge_attribute style_attribute(const dot_token *name)
{
    if (text_is(name->text, name->length, "dir")) return STYLE_DIRECTION;
    if (text_is(name->text, name->length, "arrowhead")) return STYLE_HEAD;
    if (text_is(name->text, name->length, "arrowtail")) return STYLE_TAIL;
    return STYLE_OTHER;
}

static scone_status set_direction(dot_direction *direction, const dot_scanner *s)
{
    static const char *const words[] = {"forward", "back", "both", "none"};
    for (int k = 0; k < 4; k++) {
        if (text_is(s->token.text, s->token.length, words[k])) {
            *direction = (dot_direction)(DIR_FORWARD + k);
            return SCONE_OK;
        }
    }
    return dot_raise(s, "dir to be forward, back, both or none");
}

static dot_arrow arrow_of(const dot_token *value)
{
    if (text_is(value->text, value->length, "none")) return ARROW_NONE;
    return text_is(value->text, value->length, "odot") ? ARROW_CIRCLE : ARROW_PRESENT;
}

scone_status style_set(edge_style *style, edge_attribute attribute, const dot_scanner *s)
{
    switch (attribute) {
    case STYLE_DIRECTION:
        return set_direction(&style->direction, s);
    case STYLE_HEAD:
        style->head = arrow_of(&s->token);
        break;
    case STYLE_TAIL:
        style->tail = arrow_of(&s->token);
        break;
    case STYLE_OTHER:
        break;
    }
    return SCONE_OK;
}

scone_status style_arrows(bool *right, bool *left, edge_style style, dot_kind operation,
                          size_t line)
{
    scone_status status = SCONE_OK;
    dot_direction direction = style.direction;
    if (operation == DOT_BOTH && direction == DIR_UNSET) direction = DIR_BOTH;
    if (operation == DOT_LINE && direction == DIR_UNSET) direction = DIR_NONE;
    bool head = direction != DIR_BACK && direction != DIR_NONE;
    bool tail = direction == DIR_BACK || direction == DIR_BOTH;
    if ((head && style.head == ARROW_CIRCLE) || (tail && style.tail == ARROW_CIRCLE)) {
        FAIL(SCONE_ERR_INPUT,
             "line %zu: an edge that ends in a circle (odot), as in a PAG; only directed and "
             "undirected edges are read",
             line);
    }
    head = head && style.head != ARROW_NONE;
    tail = tail && style.tail != ARROW_NONE;
    if (head && tail) {
        FAIL(SCONE_ERR_INPUT,
             "line %zu: an edge with arrows at both ends stands for a hidden common cause, which "
             "these graphs do not have; remove it, or use dir=none for an undirected edge",
             line);
    }
    bool turned = operation == DOT_BACKWARD; /* a <- b is b -> a */
    *right = turned ? tail : head;
    *left = turned ? head : tail;
cleanup:
    return status;
}

char *style_label(const dot_token *value)
{
    char *label = mem_copy_text(value->text, value->length);
    if (!label) return NULL;
    /* \n, \l and \r end a line; any other backslash only protects what follows it. */
    size_t length = 0;
    for (size_t i = 0; i < value->length; i++) {
        char c = value->text[i];
        if (c == '\\' && i + 1 < value->length) {
            c = value->text[++i];
            if (c == 'n' || c == 'l' || c == 'r') c = '\n';
        }
        label[length++] = c;
    }
    label[length] = '\0';
    return label;
}
