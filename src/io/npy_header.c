/* npy_header.c - a strict parser of the NPY header dictionary (see npy_header.h). */
#include "io/npy_header.h"

#include <string.h>

typedef struct header_cursor {
    const char *at, *end;
} header_cursor;

static void skip_space(header_cursor *cursor)
{
    while (cursor->at < cursor->end &&
           (*cursor->at == ' ' || *cursor->at == '\n' || *cursor->at == '\t')) {
        cursor->at++;
    }
}

/* Skips white space and takes `symbol` if it comes next. */
static bool take(header_cursor *cursor, char symbol)
{
    skip_space(cursor);
    if (cursor->at == cursor->end || *cursor->at != symbol) return false;
    cursor->at++;
    return true;
}

/* The next few characters for a message, with what cannot be printed as '?'. */
static const char *excerpt(char out[24], const char *at, const char *end)
{
    size_t length = 0;
    for (; at < end && length < 20; at++) out[length++] = *at >= ' ' && *at <= '~' ? *at : '?';
    out[length] = '\0';
    return out;
}

static scone_status raise_expected(const header_cursor *cursor, const char *expected)
{
    char text[24];
    if (cursor->at == cursor->end) {
        return RAISE(SCONE_ERR_INPUT,
                     "damaged NPY header: %s expected where the header ends; save the array again",
                     expected);
    }
    return RAISE(SCONE_ERR_INPUT, "damaged NPY header: %s expected at '%s'; save the array again",
                 expected, excerpt(text, cursor->at, cursor->end));
}

/* A Python string without escapes; *text points into the header. */
static scone_status parse_text(header_cursor *cursor, const char **text, size_t *length)
{
    skip_space(cursor);
    if (cursor->at == cursor->end || (*cursor->at != '\'' && *cursor->at != '"')) {
        return raise_expected(cursor, "a quoted name");
    }
    char quote = *cursor->at++;
    *text = cursor->at;
    while (cursor->at < cursor->end && *cursor->at != quote && *cursor->at != '\\') cursor->at++;
    if (cursor->at == cursor->end || *cursor->at != quote) {
        return raise_expected(cursor, "a closing quote");
    }
    *length = (size_t)(cursor->at++ - *text);
    return SCONE_OK;
}

/* Why a type of this kind cannot be read, and what to do about it. */
static scone_status raise_type(const char *type, char kind)
{
    const char *what = "is not supported";
    switch (kind) {
    case 'O':
        what = "holds Python objects, which are never loaded";
        break;
    case 'U':
    case 'S':
    case 'a':
        what = "is text";
        break;
    case 'c':
        what = "is complex";
        break;
    case 'M':
    case 'm':
        what = "holds dates or durations";
        break;
    case 'V':
        what = "is structured or raw bytes";
        break;
    case 'f':
        what = "is a float of another size than 2, 4 or 8 bytes";
        break;
    default:
        break;
    }
    return RAISE(SCONE_ERR_INPUT,
                 "the array's type '%s' %s; save numbers, for example with array.astype('float64')",
                 type, what);
}

static bool size_fits(char kind, size_t bytes)
{
    switch (kind) {
    case 'b':
        return bytes == 1;
    case 'i':
    case 'u':
        return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    case 'f':
        return bytes == 2 || bytes == 4 || bytes == 8;
    default:
        return false;
    }
}

static scone_status parse_type(header_cursor *cursor, npy_layout *layout)
{
    skip_space(cursor);
    if (cursor->at < cursor->end && *cursor->at == '[') {
        return RAISE(SCONE_ERR_INPUT,
                     "the array's type is structured (a record with fields); save one plain array "
                     "of numbers, for example with numpy.column_stack");
    }
    const char *text;
    size_t length;
    scone_status status = parse_text(cursor, &text, &length);
    if (status != SCONE_OK) return status;
    size_t shown = 0; /* a printable copy for this and later messages */
    for (; shown < length && shown + 1 < sizeof layout->type; shown++) {
        layout->type[shown] = text[shown] >= ' ' && text[shown] <= '~' ? text[shown] : '?';
    }
    layout->type[shown] = '\0';

    char order = length >= 1 ? text[0] : '\0';
    char kind = length >= 2 ? text[1] : '\0';
    bool plain = length == 3 && text[2] >= '0' && text[2] <= '9';
    size_t bytes = plain ? (size_t)(text[2] - '0') : 0;
    if (order != '<' && order != '>' && order != '=' && order != '|') {
        return raise_type(layout->type, '\0');
    }
    if (!size_fits(kind, bytes)) return raise_type(layout->type, kind);
    layout->kind = kind;
    layout->bytes = bytes;
    /* '=' is this machine's order; '|' says that order does not matter, which NumPy
     * reads as '='. */
    const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    layout->swap = (order == '>' && little) || (order == '<' && !little);
    return SCONE_OK;
}

static scone_status parse_order(header_cursor *cursor, npy_layout *layout)
{
    skip_space(cursor);
    size_t left = (size_t)(cursor->end - cursor->at);
    if (left >= 4 && memcmp(cursor->at, "True", 4) == 0) {
        layout->fortran = true;
        cursor->at += 4;
    } else if (left >= 5 && memcmp(cursor->at, "False", 5) == 0) {
        layout->fortran = false;
        cursor->at += 5;
    } else {
        return raise_expected(cursor, "True or False");
    }
    return SCONE_OK;
}

static scone_status parse_size(header_cursor *cursor, size_t *size)
{
    skip_space(cursor);
    if (cursor->at < cursor->end && *cursor->at == '-') {
        return RAISE(SCONE_ERR_INPUT, "the NPY header gives a negative size; save the array again");
    }
    if (cursor->at == cursor->end || *cursor->at < '0' || *cursor->at > '9') {
        return raise_expected(cursor, "a size");
    }
    *size = 0;
    for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9'; cursor->at++) {
        if (!size_multiply(size, *size, 10) ||
            !size_add(size, *size, (size_t)(*cursor->at - '0'))) {
            return RAISE(SCONE_ERR_INPUT, "the NPY header gives a size that no computer can hold; "
                                          "save the array again");
        }
    }
    /* Python 2 wrote long integers as 5L. */
    if (cursor->at < cursor->end && *cursor->at == 'L') cursor->at++;
    return SCONE_OK;
}

/* A tuple: "()", "(3,)", "(3, 4)" or "(3, 4,)". "(3)" is a number in Python, not a shape. */
static scone_status parse_shape(header_cursor *cursor, npy_layout *layout)
{
    if (!take(cursor, '(')) return raise_expected(cursor, "a shape in parentheses");
    size_t sizes[2] = {1, 1};
    layout->dimensions = 0;
    bool comma = true;
    while (!take(cursor, ')')) {
        if (!comma) return raise_expected(cursor, "a comma in the shape");
        size_t size = 0;
        scone_status status = parse_size(cursor, &size);
        if (status != SCONE_OK) return status;
        if (layout->dimensions < 2) sizes[layout->dimensions] = size;
        layout->dimensions++;
        comma = take(cursor, ',');
    }
    if (layout->dimensions == 1 && !comma) return raise_expected(cursor, "a comma after one size");
    layout->rows = sizes[0];
    layout->columns = sizes[1];
    return SCONE_OK;
}

static scone_status check_shape(npy_layout *layout)
{
    if (layout->dimensions < 1 || layout->dimensions > 2) {
        return RAISE(SCONE_ERR_INPUT,
                     "the array has %zu dimensions; a table needs 1 or 2 (rows, columns)",
                     layout->dimensions);
    }
    if (layout->columns == 0) {
        return RAISE(SCONE_ERR_INPUT,
                     "the array has no columns (shape %zu x 0); rows are samples and columns "
                     "variables",
                     layout->rows);
    }
    size_t memory; /* the values as doubles must be addressable too */
    if (!size_multiply(&layout->values, layout->rows, layout->columns) ||
        !size_multiply(&layout->data_bytes, layout->values, layout->bytes) ||
        !size_multiply(&memory, layout->values, sizeof(double))) {
        return RAISE(
            SCONE_ERR_INPUT,
            "the NPY header gives %zu rows of %zu values, more than any computer can hold; "
            "save the array again",
            layout->rows, layout->columns);
    }
    return SCONE_OK;
}

enum { KEY_TYPE, KEY_ORDER, KEY_SHAPE, KEY_COUNT };

static const char *const key_names[KEY_COUNT] = {"descr", "fortran_order", "shape"};

/* One "key: value"; every key may come once. */
static scone_status parse_entry(header_cursor *cursor, npy_layout *layout, bool seen[KEY_COUNT])
{
    const char *text;
    size_t length;
    scone_status status = parse_text(cursor, &text, &length);
    if (status != SCONE_OK) return status;
    int key = 0;
    while (key < KEY_COUNT &&
           (strlen(key_names[key]) != length || memcmp(key_names[key], text, length) != 0)) {
        key++;
    }
    if (key == KEY_COUNT) {
        char shown[24];
        return RAISE(SCONE_ERR_INPUT, "damaged NPY header: unknown key '%s'; save the array again",
                     excerpt(shown, text, text + length));
    }
    if (seen[key]) {
        return RAISE(SCONE_ERR_INPUT, "damaged NPY header: key '%s' twice; save the array again",
                     key_names[key]);
    }
    seen[key] = true;
    if (!take(cursor, ':')) return raise_expected(cursor, "a colon");
    switch (key) {
    case KEY_TYPE:
        return parse_type(cursor, layout);
    case KEY_ORDER:
        return parse_order(cursor, layout);
    default:
        return parse_shape(cursor, layout);
    }
}

scone_status npy_header_parse(npy_layout *layout, const char *text, size_t length)
{
    header_cursor cursor = {text, text + length};
    bool seen[KEY_COUNT] = {false};
    *layout = (npy_layout){.columns = 1};
    if (!take(&cursor, '{')) return raise_expected(&cursor, "'{'");
    bool comma = true;
    while (!take(&cursor, '}')) {
        if (!comma) return raise_expected(&cursor, "a comma or '}'");
        scone_status status = parse_entry(&cursor, layout, seen);
        if (status != SCONE_OK) return status;
        comma = take(&cursor, ',');
    }
    skip_space(&cursor);
    if (cursor.at != cursor.end) return raise_expected(&cursor, "nothing after '}'");
    for (int key = 0; key < KEY_COUNT; key++) {
        if (!seen[key]) {
            return RAISE(SCONE_ERR_INPUT,
                         "damaged NPY header: key '%s' is missing; save the array again",
                         key_names[key]);
        }
    }
    return check_shape(layout);
}
