/* csv_cell.c - what a cell means, and how it is shown in a message (see csv_parts.h). */
#include "text/number/number.h"
#include "data/csv_parts.h"

#include <math.h>
#include <string.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Equal to a word in lower case, whatever the case of the text. */
static bool is_word(const char *text, size_t length, const char *word)
{
    if (strlen(word) != length) return false;
    for (size_t i = 0; i < length; i++) {
        if (lower(text[i]) != word[i]) return false;
    }
    return true;
}

static bool is_one_of(const char *text, size_t length, const char *const *words)
{
    for (; *words; words++) {
        if (is_word(text, length, *words)) return true;
    }
    return false;
}

bool csv_label_missing(const char *text, size_t length)
{
    static const char *const words[] = {"",    "na",   "n/a",  "#n/a", "<na>",
                                        "nan", "-nan", "+nan", "null", NULL};
    return is_one_of(text, length, words);
}

static bool is_missing(const char *text, size_t length)
{
    static const char *const words[] = {"none", ".", "?", NULL};
    return csv_label_missing(text, length) || is_one_of(text, length, words);
}

static bool is_infinite(const char *text, size_t length)
{
    static const char *const words[] = {"inf", "infinity", NULL};
    if (length && (*text == '-' || *text == '+')) {
        text++;
        length--;
    }
    return is_one_of(text, length, words);
}

csv_cell csv_cell_parse(double *value, const char *text, size_t length)
{
    while (length && (*text == ' ' || *text == '\t')) { /* inside quotes; outside they are gone */
        text++;
        length--;
    }
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t')) length--;
    number_kind kind = number_parse(value, text, text + length);
    if (kind == NUMBER_OK) return CSV_NUMBER;
    if (kind == NUMBER_OVERFLOW) return CSV_INFINITE;
    if (is_missing(text, length)) {
        *value = (double)NAN;
        return CSV_MISSING;
    }
    if (is_infinite(text, length)) {
        *value = *text == '-' ? -(double)INFINITY : (double)INFINITY;
        return CSV_INFINITE;
    }
    return CSV_TEXT;
}

/* A number once its only comma is read as a point. */
static bool has_decimal_comma(const char *text, size_t length)
{
    char copy[CSV_SHOW_SIZE];
    const char *comma = length < sizeof copy ? memchr(text, ',', length) : NULL;
    if (!comma) return false;
    memcpy(copy, text, length);
    copy[comma - text] = '.';
    double value;
    return number_parse(&value, copy, copy + length) != NUMBER_BAD;
}

const char *csv_cell_complaint(const char *text, size_t length)
{
    static const char *const truths[] = {"true", "false", "yes", "no", NULL};
    if (has_decimal_comma(text, length)) {
        return "has a decimal comma; write numbers with a decimal point, such as 1.5";
    }
    size_t sign = length && (*text == '-' || *text == '+') ? 1 : 0;
    if (length > sign + 1 && text[sign] == '0' && lower(text[sign + 1]) == 'x') {
        return "is hexadecimal; write decimal numbers";
    }
    if (is_one_of(text, length, truths)) return "is not a number; write 1 and 0 instead";
    return "is not a number; remove the column, or code its values as numbers";
}

size_t csv_utf8_length(const char *text, const char *end)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t left = (size_t)(end - text), length;
    unsigned low = 0x80, high = 0xBF; /* bounds of the second byte */
    if (left == 0) return 0;
    if (c[0] < 0x80) return 1;
    if (c[0] >= 0xC2 && c[0] <= 0xDF) {
        length = 2;
    } else if (c[0] >= 0xE0 && c[0] <= 0xEF) {
        length = 3;
        if (c[0] == 0xE0) low = 0xA0;  /* not in more bytes than needed */
        if (c[0] == 0xED) high = 0x9F; /* no surrogates */
    } else if (c[0] >= 0xF0 && c[0] <= 0xF4) {
        length = 4;
        if (c[0] == 0xF0) low = 0x90;
        if (c[0] == 0xF4) high = 0x8F; /* nothing above U+10FFFF */
    } else {
        return 0;
    }
    if (left < length || c[1] < low || c[1] > high) return 0;
    for (size_t i = 2; i < length; i++) {
        if (c[i] < 0x80 || c[i] > 0xBF) return 0;
    }
    return length;
}

const char *csv_show(char out[CSV_SHOW_SIZE], const char *text, size_t length)
{
    enum { SHOWN = 40 };
    const char *end = text + length;
    size_t used = 0;
    while (text < end && used < SHOWN) {
        size_t size = csv_utf8_length(text, end);
        bool plain = size > 1 || (size == 1 && (unsigned char)*text >= 0x20 && *text != 0x7f);
        if (plain) {
            memcpy(out + used, text, size);
            used += size;
        } else {
            out[used++] = '?';
        }
        text += size ? size : 1;
    }
    memcpy(out + used, text < end ? "..." : "", text < end ? 4 : 1);
    return out;
}
