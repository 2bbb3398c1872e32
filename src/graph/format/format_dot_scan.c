/* format_dot_scan.c - splits a DOT file into words (see format_dot.h).
 *
 * The lexical rules of Graphviz (doc/info/lang): identifiers are words of letters, digits, _ and
 * bytes from 128 up that do not start with a digit, numerals, quoted strings in which only \" and
 * a backslash at the end of a line mean something, and HTML strings. Comments are those of C and
 * lines that start with #. Cost: linear in the text.
 */
#include "graph/format/format_dot.h"

#include "text/text.h"

#include <string.h>

scone_status dot_raise(const dot_scanner *s, const char *what)
{
    const dot_token *t = &s->token;
    static const char *const shown[] = {
        "the end of the file", "", "an HTML string", "\"->\"", "\"<-\"", "\"<->\"", "\"--\"", ""};
    if (t->kind == DOT_ID) {
        return RAISE(SCONE_ERR_INPUT, "line %zu: expected %s, not \"%s\"", t->line, what,
                     SHOW(t->text, t->length));
    }
    if (t->kind == DOT_MARK) {
        return RAISE(SCONE_ERR_INPUT, "line %zu: expected %s, not \"%c\"", t->line, what, t->mark);
    }
    return RAISE(SCONE_ERR_INPUT, "line %zu: expected %s, not %s", t->line, what, shown[t->kind]);
}

/* Moves past the next line break. */
static void skip_line(dot_scanner *s)
{
    const char *line_end = memchr(s->at, '\n', (size_t)(s->end - s->at));
    s->at = line_end ? line_end : s->end;
}

static scone_status skip_comment(dot_scanner *s)
{
    size_t opened = s->line;
    for (s->at += 2; s->end - s->at >= 2; s->at++) {
        if (s->at[0] == '*' && s->at[1] == '/') {
            s->at += 2;
            return SCONE_OK;
        }
        if (*s->at == '\n') s->line++;
    }
    return RAISE(SCONE_ERR_INPUT, "line %zu: a comment is opened and never closed; add */", opened);
}

static scone_status skip_space(dot_scanner *s)
{
    scone_status status = SCONE_OK;
    while (s->at < s->end) {
        bool line_start = s->at == s->start || s->at[-1] == '\n';
        bool two = s->end - s->at >= 2;
        if (*s->at == '\n') {
            s->line++;
            s->at++;
        } else if (*s->at == ' ' || *s->at == '\t' || *s->at == '\r') {
            s->at++;
        } else if ((*s->at == '#' && line_start) || (two && memcmp(s->at, "//", 2) == 0)) {
            skip_line(s);
        } else if (two && memcmp(s->at, "/*", 2) == 0) {
            TRY(skip_comment(s));
        } else {
            break;
        }
    }
cleanup:
    return status;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* A word or a numeral; a dot and a leading minus belong to numerals only. */
static scone_status scan_word(dot_scanner *s)
{
    const char *from = s->at;
    bool numeral = (*from >= '0' && *from <= '9') || *from == '.' || *from == '-';
    if (*s->at == '-') s->at++;
    while (s->at < s->end && (is_word(*s->at) || (numeral && *s->at == '.'))) s->at++;
    s->token.kind = DOT_ID;
    s->token.text = from;
    s->token.length = (size_t)(s->at - from);
    if (!numeral) return SCONE_OK;
    size_t digits = 0, points = 0, others = 0;
    for (const char *c = from + (*from == '-'); c < s->at; c++) {
        if (*c == '.') {
            points++;
        } else if (*c >= '0' && *c <= '9') {
            digits++;
        } else {
            others++;
        }
    }
    if (digits > 0 && points <= 1 && others == 0) return SCONE_OK;
    return RAISE(
        SCONE_ERR_INPUT,
        "line %zu: \"%s\" is neither a name nor a number; put names that start with a digit, "
        "a minus or a point in double quotes",
        s->line, SHOW(from, s->token.length));
}

/* A quoted string as it stands; *escapes tells whether it holds a backslash. */
static scone_status scan_quoted(dot_scanner *s, bool *escapes)
{
    const char *from = ++s->at;
    size_t opened = s->line;
    while (s->at < s->end && *s->at != '"') {
        if (*s->at == '\\' && s->end - s->at >= 2) {
            *escapes = true;
            s->at++;
        }
        if (*s->at == '\n') s->line++;
        s->at++;
    }
    if (s->at >= s->end) {
        return RAISE(SCONE_ERR_INPUT, "line %zu: a quote is opened and never closed", opened);
    }
    s->token.kind = DOT_ID;
    s->token.quoted = true;
    s->token.text = from;
    s->token.length = (size_t)(s->at - from);
    s->at++;
    return SCONE_OK;
}

/* Appends text to the buffer in turn, whose first `*used` bytes are taken, undoing \" and a
 * backslash before a line break; other backslashes stay, two as two. */
static scone_status append_text(dot_scanner *s, size_t *used, const char *text, size_t length)
{
    size_t needed;
    if (!size_add(&needed, *used, length) || !size_add(&needed, needed, 16)) {
        return RAISE(SCONE_ERR_MEMORY, "out of memory");
    } /* never 0, so that there is a buffer even for "" */
    if (needed > s->capacities[s->turn]) {
        if (!size_multiply(&needed, needed, 2)) return RAISE(SCONE_ERR_MEMORY, "out of memory");
        char *grown = mem_resize(s->buffers[s->turn], needed, 1);
        if (!grown) return SCONE_ERR_MEMORY;
        s->buffers[s->turn] = grown;
        s->capacities[s->turn] = needed;
    }
    char *out = s->buffers[s->turn] + *used;
    for (size_t i = 0; i < length; i++) {
        size_t after = length - i - 1;
        if (text[i] != '\\' || after == 0) {
            *out++ = text[i];
        } else if (text[i + 1] == '"') {
            *out++ = text[++i];
        } else if (text[i + 1] == '\n') {
            i++;
        } else if (text[i + 1] == '\r' && after >= 2 && text[i + 2] == '\n') {
            i += 2;
        } else {
            *out++ = text[i];
            *out++ = text[++i];
        }
    }
    *used = (size_t)(out - s->buffers[s->turn]);
    return SCONE_OK;
}

static scone_status scan_html(dot_scanner *s)
{
    size_t opened = s->line, depth = 0;
    s->token.kind = DOT_HTML;
    for (; s->at < s->end; s->at++) {
        if (*s->at == '\n') s->line++;
        if (*s->at == '<') depth++;
        if (*s->at == '>' && --depth == 0) {
            s->at++;
            return SCONE_OK;
        }
    }
    return RAISE(SCONE_ERR_INPUT, "line %zu: an HTML string is opened and never closed; add >",
                 opened);
}

static bool take_operator(dot_scanner *s, const char *text, dot_kind kind)
{
    size_t length = strlen(text);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, text, length) != 0) return false;
    s->at += length;
    s->token.kind = kind;
    return true;
}

static scone_status scan_token(dot_scanner *s, bool *escapes)
{
    scone_status status = SCONE_OK;
    TRY(skip_space(s));
    s->token = (dot_token){.kind = DOT_END, .line = s->line};
    if (s->at >= s->end) return SCONE_OK;
    char c = *s->at;
    if (take_operator(s, "->", DOT_FORWARD) || take_operator(s, "--", DOT_LINE) ||
        take_operator(s, "<->", DOT_BOTH) || take_operator(s, "<-", DOT_BACKWARD)) {
        return SCONE_OK;
    }
    if (c == '"') return scan_quoted(s, escapes);
    if (c == '<') return scan_html(s);
    if (is_word(c) || c == '.' || c == '-') return scan_word(s);
    if (c == '\0' || !strchr("{}[];,=:+", c)) {
        FAIL(SCONE_ERR_INPUT,
             "line %zu: \"%s\" has no meaning in DOT here; put names in double "
             "quotes",
             s->line, SHOW(s->at, 1));
    }
    s->at++;
    s->token.kind = DOT_MARK;
    s->token.mark = c;
cleanup:
    return status;
}

/* The quoted strings that follow a "+", appended to the current token. */
static scone_status join_strings(dot_scanner *s, bool escapes)
{
    scone_status status = SCONE_OK;
    dot_token joined = s->token;
    size_t used = 0;
    TRY(skip_space(s));
    bool plus = s->at < s->end && *s->at == '+';
    if (!plus && !escapes) return SCONE_OK;
    s->turn = 1 - s->turn;
    TRY(append_text(s, &used, joined.text, joined.length));
    while (s->at < s->end && *s->at == '+') {
        s->at++;
        TRY(scan_token(s, &escapes));
        if (s->token.kind != DOT_ID || !s->token.quoted) {
            status = dot_raise(s, "a quoted string after \"+\"");
            goto cleanup;
        }
        TRY(append_text(s, &used, s->token.text, s->token.length));
        TRY(skip_space(s));
    }
    joined.text = s->buffers[s->turn];
    joined.length = used;
    s->token = joined;
cleanup:
    return status;
}

scone_status dot_advance(dot_scanner *s)
{
    bool escapes = false;
    scone_status status = scan_token(s, &escapes);
    if (status == SCONE_OK && s->token.kind == DOT_ID && s->token.quoted) {
        status = join_strings(s, escapes);
    }
    return status;
}

void dot_close(dot_scanner *s)
{
    mem_free(s->buffers[0]);
    mem_free(s->buffers[1]);
    *s = (dot_scanner){0};
}
