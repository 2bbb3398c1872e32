/* knowledge_parse.c - from the bytes of a knowledge file to statements (see knowledge.h). Cost:
 * linear in the text.
 */
#include "decode/knowledge.h"

#include "text/delimited.h"
#include "io/file.h"
#include "text/text.h"

#include <string.h>

typedef enum token_kind { TOKEN_END = 0, TOKEN_NAME, TOKEN_ARROW, TOKEN_NOT_ARROW } token_kind;

enum { CONDITION_MARK = '@' };

typedef struct token {
    token_kind kind;
    bool quoted;
    const char *text; /* in the arena if quotes had to be undone */
    size_t length;
} token;

/* One line. */
typedef struct line_scanner {
    knowledge_file *file;
    const char *start, *at, *end;
    size_t number;
} line_scanner;

void knowledge_file_free(knowledge_file *file)
{
    mem_free(file->statements);
    arena_free(file->memory);
    *file = (knowledge_file){0};
}

/* ---- tokens ---- */

static void skip_blanks(line_scanner *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t')) s->at++;
}

/* The length of an arrow that starts here, 0 if none does. */
static size_t arrow_length(const char *at, const char *end)
{
    if (end - at >= 2 && memcmp(at, "->", 2) == 0) return 2;
    if (end - at >= 3 && memcmp(at, "!->", 3) == 0) return 3;
    return 0;
}

/* "a ""b""": the text without the outer quotes, doubled ones undone. */
static scone_status scan_quoted(token *t, line_scanner *s)
{
    const char *from = ++s->at;
    while (s->at < s->end && (*s->at != '"' || (s->at + 1 < s->end && s->at[1] == '"'))) {
        s->at += *s->at == '"' ? 2 : 1;
    }
    if (s->at == s->end) {
        return RAISE(SCONE_ERR_INPUT, "the quote before %s is not closed; add the missing \"",
                     SHOW(from, (size_t)(s->end - from)));
    }
    char *text = arena_get(s->file->memory, (size_t)(s->at - from) + 1, 1);
    if (!text) return SCONE_ERR_MEMORY;
    size_t length = 0;
    for (const char *c = from; c < s->at; c++) {
        text[length++] = *c;
        if (*c == '"') c++; /* the second of two */
    }
    s->at++;
    bool ended = s->at == s->end || *s->at == ' ' || *s->at == '\t';
    if (!ended && !arrow_length(s->at, s->end)) {
        return RAISE(SCONE_ERR_INPUT, "text follows the closing quote of \"%s\"; put a space there",
                     SHOW(text, length));
    }
    *t = (token){.kind = TOKEN_NAME, .quoted = true, .text = text, .length = length};
    return SCONE_OK;
}

static scone_status scan_token(token *t, line_scanner *s)
{
    *t = (token){.kind = TOKEN_END};
    skip_blanks(s);
    if (s->at == s->end || *s->at == '#') return SCONE_OK;
    if (*s->at == '"') return scan_quoted(t, s);
    size_t arrow = arrow_length(s->at, s->end);
    t->text = s->at;
    if (arrow) {
        t->kind = arrow == 2 ? TOKEN_ARROW : TOKEN_NOT_ARROW;
        s->at += arrow;
    } else {
        t->kind = TOKEN_NAME;
        while (s->at < s->end && *s->at != ' ' && *s->at != '\t' && !arrow_length(s->at, s->end)) {
            s->at++;
        }
    }
    t->length = (size_t)(s->at - t->text);
    return SCONE_OK;
}

static bool is_word(const token *t, const char *word)
{
    return t->kind == TOKEN_NAME && !t->quoted && t->length == strlen(word) &&
           memcmp(t->text, word, t->length) == 0;
}

/* ---- statements ---- */

static scone_status raise_line(const line_scanner *s)
{
    return RAISE(SCONE_ERR_INPUT,
                 "cannot understand %s; a line is one of: A -> B, A !-> B, tier 1: A B C, target "
                 "A, not-target A, target A @ CONDITION, not-target A @ CONDITION (names with "
                 "spaces in double quotes)",
                 SHOW(s->start, (size_t)(s->end - s->start)));
}

/* A name as a text of its own. */
static scone_status keep_name(const char **name, line_scanner *s, const token *t, const char *of)
{
    if (t->length == 0) {
        return RAISE(SCONE_ERR_INPUT, "a name is empty; write the name of a %s", of);
    }
    *name = arena_text(s->file->memory, t->text, t->length);
    return *name ? SCONE_OK : SCONE_ERR_MEMORY;
}

/* second: the effect of an edge, the condition of a target, or NULL. */
static scone_status add_statement(line_scanner *s, knowledge_kind kind, size_t tier,
                                  const token *first, const token *second)
{
    scone_status status = SCONE_OK;
    knowledge_file *file = s->file;
    knowledge_statement statement = {.kind = kind, .line = s->number, .tier = tier};
    if (file->count == file->capacity) {
        size_t capacity = 2 * file->capacity + 16;
        knowledge_statement *grown = mem_resize(file->statements, capacity, sizeof *grown);
        if (!grown) TRY(SCONE_ERR_MEMORY);
        file->statements = grown;
        file->capacity = capacity;
    }
    bool target = kind == KNOWLEDGE_TARGET || kind == KNOWLEDGE_NOT_TARGET;
    TRY(keep_name(&statement.first, s, first, "column"));
    if (second && target) TRY(keep_name(&statement.condition, s, second, "condition"));
    if (second && !target) TRY(keep_name(&statement.second, s, second, "column"));
    file->statements[file->count++] = statement;
cleanup:
    return status;
}

/* The "1:" after the word tier. */
static scone_status scan_tier(size_t *tier, line_scanner *s)
{
    skip_blanks(s);
    const char *digits = s->at;
    for (*tier = 0; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
        *tier = 10 * *tier + (size_t)(*s->at - '0');
        if (*tier > KNOWLEDGE_TIER_LIMIT) {
            return RAISE(SCONE_ERR_INPUT, "the number of a tier is at most %d",
                         KNOWLEDGE_TIER_LIMIT);
        }
    }
    bool numbered = s->at > digits;
    skip_blanks(s);
    if (!numbered || s->at == s->end || *s->at != ':') {
        return RAISE(SCONE_ERR_INPUT, "a tier is written as 'tier 1: A B C'");
    }
    s->at++;
    return SCONE_OK;
}

static scone_status parse_tier(line_scanner *s)
{
    scone_status status = SCONE_OK;
    size_t tier, names = 0;
    token t;
    TRY(scan_tier(&tier, s));
    for (;; names++) {
        TRY(scan_token(&t, s));
        if (t.kind == TOKEN_END) break;
        if (t.kind != TOKEN_NAME) TRY(raise_line(s));
        TRY(add_statement(s, KNOWLEDGE_TIER, tier, &t, NULL));
    }
    if (names == 0) FAIL(SCONE_ERR_INPUT, "the tier names no column; list them after the colon");
cleanup:
    return status;
}

/* "@ name" or "@name" at the end of a line; *found: is it there? */
static scone_status scan_condition(token *t, bool *found, line_scanner *s)
{
    skip_blanks(s);
    *found = s->at < s->end && *s->at == CONDITION_MARK;
    if (!*found) return scan_token(t, s);
    s->at++;
    return scan_token(t, s);
}

static scone_status parse_target(line_scanner *s, knowledge_kind kind, const token *variable)
{
    scone_status status = SCONE_OK;
    token condition, rest;
    bool found;
    TRY(scan_condition(&condition, &found, s));
    if (condition.kind != (found ? TOKEN_NAME : TOKEN_END)) TRY(raise_line(s));
    TRY(scan_token(&rest, s));
    if (rest.kind != TOKEN_END) TRY(raise_line(s));
    TRY(add_statement(s, kind, 0, variable, found ? &condition : NULL));
cleanup:
    return status;
}

static scone_status parse_line(line_scanner *s)
{
    scone_status status = SCONE_OK;
    token first, second, third, rest;
    TRY(scan_token(&first, s));
    if (first.kind == TOKEN_END) return SCONE_OK;
    if (first.kind != TOKEN_NAME) TRY(raise_line(s));
    const char *after_first = s->at;
    bool target = is_word(&first, "target"), not_target = is_word(&first, "not-target");
    TRY(scan_token(&second, s));
    bool edge = second.kind == TOKEN_ARROW || second.kind == TOKEN_NOT_ARROW;
    if (!edge && is_word(&first, "tier")) {
        s->at = after_first;
        return parse_tier(s);
    }
    if (!edge && second.kind == TOKEN_NAME && (target || not_target)) {
        return parse_target(s, target ? KNOWLEDGE_TARGET : KNOWLEDGE_NOT_TARGET, &second);
    }
    if (!edge) TRY(raise_line(s));
    TRY(scan_token(&third, s));
    if (third.kind != TOKEN_NAME) TRY(raise_line(s));
    TRY(scan_token(&rest, s));
    if (rest.kind != TOKEN_END) TRY(raise_line(s));
    bool required = second.kind == TOKEN_ARROW;
    TRY(add_statement(s, required ? KNOWLEDGE_REQUIRED : KNOWLEDGE_FORBIDDEN, 0, &first, &third));
cleanup:
    return status;
}

scone_status knowledge_parse(knowledge_file *file, const char *text, size_t size)
{
    scone_status status = SCONE_OK;
    const char *end = text + size;
    *file = (knowledge_file){0};
    TRY(arena_alloc(&file->memory, 4096));
    TRY(delimited_skip_mark(&text, end));
    for (size_t number = 1; text < end; number++) {
        const char *stop = text;
        while (stop < end && *stop != '\n' && *stop != '\r') stop++;
        line_scanner s = {.file = file, .start = text, .at = text, .end = stop, .number = number};
        if (memchr(text, '\0', (size_t)(stop - text))) {
            FAIL(SCONE_ERR_INPUT, "line %zu holds a NUL byte; knowledge is a text file", number);
        }
        status = parse_line(&s);
        if (status != SCONE_OK) {
            if (status == SCONE_ERR_INPUT) status_prefix("line %zu", number);
            goto cleanup;
        }
        if (end - stop >= 2 && stop[0] == '\r' && stop[1] == '\n') stop++;
        text = stop < end ? stop + 1 : end;
    }
cleanup:
    return status;
}

scone_status knowledge_read(knowledge_file *file, const char *path, input_list *inputs)
{
    char *bytes = NULL;
    size_t size;
    *file = (knowledge_file){0};
    scone_status status = file_read_noted(&bytes, &size, path, KNOWLEDGE_FILE_LIMIT, inputs);
    if (status != SCONE_OK) return status;
    status = knowledge_parse(file, bytes, size);
    if (status == SCONE_ERR_INPUT) status_prefix("%s", path);
    mem_free(bytes);
    return status;
}
