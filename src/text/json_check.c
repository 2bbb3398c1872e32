/* json_check.c - a strict check of JSON text (see json_check.h).
 *
 * cJSON is lenient (control characters, 007, text after the end), silently cuts a string at an
 * escaped NUL, and reports bad text and lack of memory in the same way. Checking first gives
 * messages with lines and lets a later failure mean memory alone.
 * Cost: one pass, no memory; recursion is bounded by TEXT_NESTING_LIMIT.
 */
#include "text/json_check.h"

#include "text/limits.h"
#include "text/text.h"

#include <string.h>

typedef struct json_scan {
    const char *at, *end;
    size_t line, values, depth;
} json_scan;

static scone_status raise_json(const json_scan *s, const char *what)
{
    if (s->at >= s->end) {
        return RAISE(SCONE_ERR_INPUT,
                     "line %zu: not valid JSON: %s, but the file ends here; it "
                     "may be cut off",
                     s->line, what);
    }
    size_t left = (size_t)(s->end - s->at);
    return RAISE(SCONE_ERR_INPUT, "line %zu: not valid JSON: %s, not \"%s\"", s->line, what,
                 SHOW(s->at, left < 12 ? left : 12));
}

static void skip_space(json_scan *s)
{
    for (; s->at < s->end; s->at++) {
        if (*s->at == '\n') {
            s->line++;
        } else if (*s->at != ' ' && *s->at != '\t' && *s->at != '\r') {
            return;
        }
    }
}

static bool take(json_scan *s, char c)
{
    if (s->at >= s->end || *s->at != c) return false;
    s->at++;
    return true;
}

/* The value of four hex digits after "\u", or -1. */
static long hex_value(const char *digits, const char *end)
{
    if (end - digits < 4) return -1;
    long value = 0;
    for (int k = 0; k < 4; k++) {
        char c = digits[k];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* After a backslash. */
static scone_status check_escape(json_scan *s)
{
    if (s->at < s->end && *s->at && strchr("\"\\/bfnrt", *s->at)) {
        s->at++;
        return SCONE_OK;
    }
    if (s->at >= s->end || *s->at != 'u') return raise_json(s, "expected an escape such as \\n");
    long first = hex_value(s->at + 1, s->end);
    if (first < 0) return raise_json(s, "expected four hex digits after \\u");
    if (first == 0) return raise_json(s, "expected text without the NUL character");
    if (first >= 0xDC00 && first <= 0xDFFF)
        return raise_json(s, "expected both halves of a surrogate pair");
    if (first >= 0xD800 && first <= 0xDBFF) {
        bool second = s->end - s->at >= 11 && s->at[5] == '\\' && s->at[6] == 'u';
        long low = second ? hex_value(s->at + 7, s->end) : -1;
        if (low < 0xDC00 || low > 0xDFFF)
            return raise_json(s, "expected both halves of a surrogate pair");
        s->at += 6;
    }
    s->at += 5;
    return SCONE_OK;
}

static scone_status check_string(json_scan *s)
{
    scone_status status = SCONE_OK;
    if (!take(s, '"')) return raise_json(s, "expected a string in double quotes");
    while (!take(s, '"')) {
        if (s->at >= s->end) return raise_json(s, "expected the closing quote of a string");
        if ((unsigned char)*s->at < 0x20) {
            return raise_json(s, "expected no control character or line break in a string");
        }
        if (take(s, '\\')) {
            TRY(check_escape(s));
        } else if (text_next(&s->at, s->end) == UINT32_MAX) {
            return raise_json(s, "expected UTF-8 text");
        }
    }
cleanup:
    return status;
}

static size_t skip_digits(json_scan *s)
{
    const char *from = s->at;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9') s->at++;
    return (size_t)(s->at - from);
}

static scone_status check_number(json_scan *s)
{
    const char *from = s->at;
    (void)take(s, '-');
    if (!take(s, '0') && skip_digits(s) == 0) return raise_json(s, "expected a value");
    if (take(s, '.') && skip_digits(s) == 0)
        return raise_json(s, "expected digits after the point");
    if (take(s, 'e') || take(s, 'E')) {
        if (!take(s, '+')) (void)take(s, '-');
        if (skip_digits(s) == 0) return raise_json(s, "expected the digits of an exponent");
    }
    /* cJSON copies a number into 64 bytes. */
    if (s->at - from > 60) {
        return RAISE(SCONE_ERR_INPUT, "line %zu: a number of more than 60 characters; shorten it",
                     s->line);
    }
    return SCONE_OK;
}

static scone_status check_value(json_scan *s);

/* The members of an object or the elements of an array, after the opening bracket. */
static scone_status check_members(json_scan *s, char close)
{
    scone_status status = SCONE_OK;
    skip_space(s);
    if (take(s, close)) return SCONE_OK;
    for (;;) {
        if (close == '}') {
            skip_space(s);
            TRY(check_string(s));
            skip_space(s);
            if (!take(s, ':')) return raise_json(s, "expected \":\"");
        }
        TRY(check_value(s));
        skip_space(s);
        if (take(s, close)) break;
        if (!take(s, ','))
            return raise_json(s,
                              close == '}' ? "expected \",\" or \"}\"" : "expected \",\" or \"]\"");
    }
cleanup:
    return status;
}

static bool take_word(json_scan *s, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0) return false;
    s->at += length;
    return true;
}

static scone_status check_value(json_scan *s)
{
    scone_status status = SCONE_OK;
    skip_space(s);
    if (++s->values > TEXT_JSON_VALUE_LIMIT) {
        FAIL(SCONE_ERR_INPUT,
             "line %zu: more than %d values; write a graph as large as this as an "
             "edge list",
             s->line, TEXT_JSON_VALUE_LIMIT);
    }
    if (s->at < s->end && (*s->at == '{' || *s->at == '[')) {
        if (++s->depth > TEXT_NESTING_LIMIT) {
            FAIL(SCONE_ERR_INPUT, "line %zu: values nested more than %d deep", s->line,
                 TEXT_NESTING_LIMIT);
        }
        TRY(check_members(s, *s->at++ == '{' ? '}' : ']'));
        s->depth--;
    } else if (s->at < s->end && *s->at == '"') {
        TRY(check_string(s));
    } else if (!take_word(s, "true") && !take_word(s, "false") && !take_word(s, "null")) {
        TRY(check_number(s));
    }
cleanup:
    return status;
}

scone_status json_check(const char *text, size_t size)
{
    scone_status status = SCONE_OK;
    json_scan s = {.at = text, .end = text + size, .line = 1};
    TRY(check_value(&s));
    skip_space(&s);
    if (s.at < s.end) return raise_json(&s, "expected the end of the file");
cleanup:
    return status;
}
