/* text.c - text of the graph formats (see text.h). Cost: linear in the text. */
#include "text/text.h"

#include <string.h>

uint32_t text_next(const char **text, const char *end)
{
    const unsigned char *at = (const unsigned char *)*text;
    size_t left = (size_t)(end - *text);
    if (left == 0) return UINT32_MAX;
    size_t length = at[0] < 0x80 ? 1 : at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
    if (length == 0 || length > left || at[0] > 0xF4) return UINT32_MAX;
    static const unsigned char lead_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t character = at[0] & lead_mask[length];
    for (size_t k = 1; k < length; k++) {
        if ((at[k] & 0xC0) != 0x80) return UINT32_MAX;
        character = character << 6 | (at[k] & 0x3F);
    }
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (character < smallest[length] || character > 0x10FFFF) return UINT32_MAX;
    if (character >= 0xD800 && character <= 0xDFFF) return UINT32_MAX;
    *text += length;
    return character;
}

bool text_is_utf8(const char *text, size_t length)
{
    const char *end = text + length;
    while (text < end) {
        if (text_next(&text, end) == UINT32_MAX) return false;
    }
    return true;
}

size_t text_put(char out[4], uint32_t character)
{
    if (character < 0x80) {
        out[0] = (char)character;
        return 1;
    }
    size_t length = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t k = length - 1; k > 0; k--) {
        out[k] = (char)(0x80 | (character & 0x3F));
        character >>= 6;
    }
    out[0] = (char)(lead[length] | character);
    return length;
}

text_shown text_show(const char *text, size_t length)
{
    text_shown shown;
    const char *end = text + length;
    size_t used = 0, taken = 0;
    while (text < end && taken < 60) {
        const char *from = text;
        uint32_t character = text_next(&text, end);
        if (character == UINT32_MAX) text++;
        bool plain = character != UINT32_MAX && character >= 0x20 && character != 0x7F &&
                     !(character >= 0x80 && character < 0xA0);
        for (; from < text; from++, taken++) {
            if (plain) {
                shown.text[used++] = *from;
            } else {
                used += (size_t)snprintf(shown.text + used, 5, "\\x%02X",
                                         (unsigned)(unsigned char)*from);
            }
        }
    }
    memcpy(shown.text + used, text < end ? "..." : "", text < end ? 4 : 1);
    return shown;
}

static unsigned char lower(char letter)
{
    return (unsigned char)(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
}

bool text_is(const char *text, size_t length, const char *word)
{
    if (strlen(word) != length) return false;
    for (size_t i = 0; i < length; i++) {
        if (lower(text[i]) != lower(word[i])) return false;
    }
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Compares two runs of digits as numbers and moves both pointers past them. */
static int compare_digits(const char **a, const char **b)
{
    while (**a == '0') (*a)++;
    while (**b == '0') (*b)++;
    size_t length_a = 0, length_b = 0;
    while (is_digit((*a)[length_a])) length_a++;
    while (is_digit((*b)[length_b])) length_b++;
    int order = length_a != length_b ? (length_a < length_b ? -1 : 1) : memcmp(*a, *b, length_a);
    *a += length_a;
    *b += length_b;
    return order;
}

int text_compare_names(const char *a, const char *b)
{
    const char *x = a, *y = b;
    while (*x && *y) {
        if (is_digit(*x) && is_digit(*y)) {
            int order = compare_digits(&x, &y);
            if (order != 0) return order;
        } else {
            if (*x != *y) break;
            x++;
            y++;
        }
    }
    if (*x != *y) return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
    return strcmp(a, b);
}

scone_status text_write_field(output_file *stream, const char *text, char delimiter)
{
    scone_status status = SCONE_OK;
    size_t length = strlen(text);
    /* Every possible delimiter is quoted, since a reader finds the delimiter by counting. */
    bool quote = length == 0 || strpbrk(text, ",;\t\"\r\n") || strchr(text, delimiter) ||
                 text[0] == ' ' || text[length - 1] == ' ';
    if (!quote) return output_write(stream, text, length);
    TRY(output_write(stream, "\"", 1));
    for (const char *mark; (mark = strchr(text, '"')) != NULL; text = mark + 1) {
        TRY(output_write(stream, text, (size_t)(mark + 1 - text)));
        TRY(output_write(stream, "\"", 1));
    }
    TRY(output_write(stream, text, strlen(text)));
    TRY(output_write(stream, "\"", 1));
cleanup:
    return status;
}

scone_status text_write_json(output_file *stream, const char *text)
{
    scone_status status = SCONE_OK;
    TRY(output_write(stream, "\"", 1));
    while (*text) {
        size_t plain = 0;
        while ((unsigned char)text[plain] >= 0x20 && text[plain] != '"' && text[plain] != '\\') {
            plain++;
        }
        TRY(output_write(stream, text, plain));
        text += plain;
        if (*text == '"' || *text == '\\') {
            TRY(output_print(stream, "\\%c", *text++));
        } else if (*text == '\n') {
            TRY(output_write(stream, "\\n", 2));
            text++;
        } else if (*text) {
            TRY(output_print(stream, "\\u%04x", (unsigned)(unsigned char)*text++));
        }
    }
    TRY(output_write(stream, "\"", 1));
cleanup:
    return status;
}

scone_status text_write_xml(output_file *stream, const char *text)
{
    scone_status status = SCONE_OK;
    while (*text) {
        size_t plain = strcspn(text, "<>&\"\t\r\n");
        TRY(output_write(stream, text, plain));
        text += plain;
        switch (*text) {
        case '\0':
            continue;
        case '<':
            TRY(output_write(stream, "&lt;", 4));
            break;
        case '>':
            TRY(output_write(stream, "&gt;", 4));
            break;
        case '&':
            TRY(output_write(stream, "&amp;", 5));
            break;
        case '"':
            TRY(output_write(stream, "&quot;", 6));
            break;
        /* Left alone, an XML reader would turn these into spaces or line feeds. */
        default:
            TRY(output_print(stream, "&#%d;", (int)*text));
            break;
        }
        text++;
    }
cleanup:
    return status;
}
