/* labels.c - names cut so that they stay apart (see labels.h). */
#include "labels.h"

#include "launch.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- characters ---- */

typedef struct code_range {
    uint32_t first, last;
} code_range;

/* Characters that take no room of their own, and those that take two columns: the blocks of the
 * scripts that are in use (Unicode TR11), not every code point. */
static const code_range combining[] = {{0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},
                                       {0x610, 0x61A},   {0x64B, 0x65F},   {0x1AB0, 0x1AFF},
                                       {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x20D0, 0x20FF},
                                       {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
static const code_range wide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},  {0xA960, 0xA97F}, {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

static bool is_among(uint32_t code, const code_range *ranges, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        if (code >= ranges[r].first && code <= ranges[r].last) return true;
    }
    return false;
}

static bool continues(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Bytes of the character at `text`, which is not empty; its columns in *columns. */
static size_t next_character(size_t *columns, const char *text)
{
    unsigned char lead = (unsigned char)text[0];
    size_t bytes = 1;
    uint32_t code = lead < 0xC0   ? lead
                    : lead < 0xE0 ? lead & 0x1F
                    : lead < 0xF0 ? lead & 0xF
                                  : lead & 7;
    for (; lead >= 0xC0 && bytes < 4 && continues(text[bytes]); bytes++) {
        code = code << 6 | ((unsigned char)text[bytes] & 0x3F);
    }
    *columns = is_among(code, combining, sizeof combining / sizeof *combining) ? 0
               : is_among(code, wide, sizeof wide / sizeof *wide)              ? 2
                                                                               : 1;
    return bytes;
}

size_t labels_width(const char *text)
{
    size_t width = 0, columns;
    while (*text) {
        text += next_character(&columns, text);
        width += columns;
    }
    return width;
}

/* The bytes of as many characters from `text` on as fit into `room` columns. */
static size_t fitting(const char *text, size_t room)
{
    size_t bytes = 0, columns;
    while (text[bytes]) {
        size_t next = next_character(&columns, text + bytes);
        if (columns > room) break;
        room -= columns;
        bytes += next;
    }
    return bytes;
}

/* The place from which on a text fits into `room` columns. */
static size_t tail_of(const char *text, size_t room)
{
    size_t width = labels_width(text), at = 0, columns;
    while (width > room) {
        at += next_character(&columns, text + at);
        width -= columns;
    }
    return at;
}

/* ---- one label ---- */

enum { DOTS = 3, HEAD = LABEL_WIDTH - DOTS, SHORT_HEAD = 8, CONTEXT = 4 };

/* The beginning, and if a character behind it counts, the part around that: to the end of the name
 * if it fits. `place` is the byte where the name differs from those like it. */
static void cut(char *out, size_t size, const char *name, size_t place)
{
    size_t head = fitting(name, HEAD);
    if (place < head) {
        (void)snprintf(out, size, "%.*s...", (int)head, name);
        return;
    }
    head = fitting(name, SHORT_HEAD);
    size_t from = tail_of(name, LABEL_WIDTH - SHORT_HEAD - DOTS);
    if (from <= place) {
        (void)snprintf(out, size, "%.*s...%s", (int)head, name, name + from);
        return;
    }
    from = place; /* CONTEXT characters before it, for the eye */
    for (int back = 0; back < CONTEXT && from > head; back++) {
        do from--;
        while (from > head && continues(name[from]));
    }
    int shown = (int)fitting(name + from, LABEL_WIDTH - SHORT_HEAD - 2 * DOTS);
    (void)snprintf(out, size, "%.*s...%.*s...", (int)head, name, shown, name + from);
}

/* ---- all of them ---- */

typedef struct labelled {
    const char *text;
    size_t index;
} labelled;

static int compare_texts(const void *a, const void *b)
{
    return strcmp(((const labelled *)a)->text, ((const labelled *)b)->text);
}

/* The first byte of the character where two texts part. */
static size_t part_at(const char *a, const char *b)
{
    size_t at = 0;
    while (a[at] && a[at] == b[at]) at++;
    while (at > 0 && continues(a[at])) at--;
    return at;
}

/* Labels of the names that are too long, each told from its neighbours in the order of names,
 * which have most in common with it. */
static bool cut_long(label_list *list, const labelled *sorted)
{
    for (size_t k = 0; k < list->count; k++) {
        const char *name = sorted[k].text;
        size_t before = k > 0 ? part_at(name, sorted[k - 1].text) : 0;
        size_t after = k + 1 < list->count ? part_at(name, sorted[k + 1].text) : 0;
        size_t size = strlen(name) + 2 * DOTS + 1;
        char *label = malloc(size);
        if (!label) return false;
        if (labels_width(name) > LABEL_WIDTH) {
            cut(label, size, name, before > after ? before : after);
        } else {
            memcpy(label, name, strlen(name) + 1);
        }
        list->texts[sorted[k].index] = label;
    }
    return true;
}

/* Gives names with the same label their whole text; false if there were none. `room` [count] */
static bool widen_equal(label_list *list, const char *const *names, labelled *room)
{
    bool widened = false;
    for (size_t k = 0; k < list->count; k++) room[k] = (labelled){list->texts[k], k};
    qsort(room, list->count, sizeof *room, compare_texts);
    for (size_t first = 0, end; first < list->count; first = end) {
        for (end = first + 1; end < list->count; end++) {
            if (strcmp(room[first].text, room[end].text) != 0) break;
        }
        for (size_t k = first; end - first > 1 && k < end; k++) {
            size_t index = room[k].index;
            if (strcmp(list->texts[index], names[index]) == 0) continue;
            /* a label has at least the room of its name */
            memcpy(list->texts[index], names[index], strlen(names[index]) + 1);
            widened = true;
        }
    }
    return widened;
}

int labels_make(label_list *list, const char *const *names, size_t count)
{
    *list = (label_list){.count = count};
    list->texts = calloc(count + 1, sizeof *list->texts);
    labelled *sorted = calloc(count + 1, sizeof *sorted);
    bool fine = list->texts && sorted;
    if (fine) {
        for (size_t k = 0; k < count; k++) sorted[k] = (labelled){names[k], k};
        qsort(sorted, count, sizeof *sorted, compare_texts);
        fine = cut_long(list, sorted);
    }
    while (fine && widen_equal(list, names, sorted)) continue;
    free(sorted);
    for (size_t k = 0; fine && k < count; k++) make_printable(list->texts[k]);
    if (fine) return SCONE_OK;
    complain("out of memory while printing the result");
    return SCONE_ERR_MEMORY;
}

void labels_free(label_list *list)
{
    for (size_t k = 0; list->texts && k < list->count; k++) free(list->texts[k]);
    free(list->texts);
    *list = (label_list){0};
}
