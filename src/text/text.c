/* text.c - text of the graph formats (see text.h). Cost: linear in the text. */
#include "text/text.h"

#include <stdio.h>
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
