/* options.c - a table-driven parser of command line options (see options.h). */
#include "options.h"

#include "launch.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int usage_error(const command *about, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (about) {
        complain("%s: %s (see scone %s --help)", about->name, text, about->name);
    } else {
        complain("%s (see scone help)", text);
    }
    return SCONE_ERR_USAGE;
}

/* ---- the nearest word ---- */

enum { WORD_LIMIT = 32 };

/* Levenshtein distance of two words of less than WORD_LIMIT characters. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b), row[WORD_LIMIT + 1];
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n];
}

const char *nearest_word(const char *word, const char *const *candidates, size_t count)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX, length = strlen(word);
    if (length == 0 || length >= WORD_LIMIT) return NULL;
    for (size_t c = 0; c < count; c++) {
        size_t other = strlen(candidates[c]);
        if (other >= WORD_LIMIT) continue;
        size_t distance = edit_distance(word, candidates[c]);
        if (length >= 2 && strncmp(word, candidates[c], length) == 0) distance = 1; /* shortened */
        if (distance < best_distance) {
            best_distance = distance;
            best = candidates[c];
        }
    }
    return best_distance <= 1 + length / 3 ? best : NULL;
}

/* ---- values ---- */

/* A decimal number and nothing else: no white space, hex, infinity or NaN. */
static bool parse_number(double *value, const char *text, size_t length)
{
    char copy[64];
    if (length == 0 || length >= sizeof copy) return false;
    if (strspn(text, "0123456789+-.eE") < length) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *end;
    *value = strtod(copy, &end);
    return end == copy + length && isfinite(*value);
}

static bool parse_seed(uint64_t *value, const char *text)
{
    if (!*text || strspn(text, "0123456789") != strlen(text)) return false;
    errno = 0;
    *value = strtoull(text, NULL, 10);
    return errno == 0;
}

static bool parse_range(double value[2], const option *o, const char *text)
{
    const char *dots = strstr(text, "..");
    size_t first = dots ? (size_t)(dots - text) : strlen(text);
    const char *second = dots ? dots + 2 : text;
    if (!parse_number(&value[0], text, first)) return false;
    if (!parse_number(&value[1], second, strlen(second))) return false;
    if (o->kind == OPTION_WHOLE_RANGE &&
        (value[0] != floor(value[0]) || value[1] != floor(value[1])))
        return false;
    return value[0] >= o->low && value[1] <= o->high && value[0] <= value[1];
}

static bool bad_number(const command *about, const option *o, const char *text, const char *kind)
{
    (void)usage_error(about, "--%s: '%s' is not %s from %.15g to %.15g", o->name, text, kind,
                      o->low, o->high);
    return false;
}

static bool set_count(const command *about, const option *o, const char *text)
{
    uint64_t count;
    if (!parse_seed(&count, text) || (double)count < o->low || (double)count > o->high) {
        return bad_number(about, o, text, "a whole number");
    }
    *(size_t *)o->value = (size_t)count;
    return true;
}

static bool set_choice(const command *about, const option *o, const char *text)
{
    size_t count = 0;
    char list[256] = "";
    for (; o->choices[count]; count++) {
        if (strcmp(text, o->choices[count]) == 0) {
            *(int *)o->value = (int)count;
            return true;
        }
        size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", count ? ", " : "",
                       o->choices[count]);
    }
    (void)usage_error(about, "--%s: '%s' is not one of %s", o->name, text, list);
    return false;
}

static bool add_text(const command *about, const option *o, const char *text)
{
    text_list *list = o->value;
    if (list->count == OPTIONS_TEXTS) {
        (void)usage_error(about, "--%s: given more than %d times", o->name, OPTIONS_TEXTS);
        return false;
    }
    list->items[list->count++] = text;
    return true;
}

static bool set_value(const command *about, const option *o, const char *text)
{
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)o->value = true;
        return true;
    case OPTION_CHOICE:
        return set_choice(about, o, text);
    case OPTION_COUNT:
        return set_count(about, o, text);
    case OPTION_TEXT:
        if (!*text) {
            (void)usage_error(about, "--%s: the value is empty", o->name);
            return false;
        }
        *(const char **)o->value = text;
        return true;
    case OPTION_TEXTS:
        return add_text(about, o, text);
    case OPTION_SEED:
        if (parse_seed(o->value, text)) return true;
        (void)usage_error(about, "--%s: '%s' is not a whole number from 0 to %llu", o->name, text,
                          (unsigned long long)UINT64_MAX);
        return false;
    case OPTION_NUMBER: {
        double value;
        if (!parse_number(&value, text, strlen(text)) || value < o->low || value > o->high) {
            return bad_number(about, o, text, "a number");
        }
        *(double *)o->value = value;
        return true;
    }
    case OPTION_RANGE:
        if (parse_range(o->value, o, text)) return true;
        return bad_number(about, o, text, "a number or a range A..B");
    case OPTION_WHOLE_RANGE:
        if (parse_range(o->value, o, text)) return true;
        return bad_number(about, o, text, "a whole number or a range A..B");
    }
    return false;
}

/* ---- the walk over argv ---- */

static const option *find_option(const option *table, const char *name, size_t length)
{
    for (const option *o = table; o->name; o++) {
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0) return o;
    }
    return NULL;
}

static bool unknown_option(const command *about, const option *table, const char *name,
                           size_t length)
{
    const char *names[64] = {"help"};
    size_t count = 1;
    char word[WORD_LIMIT] = "";
    for (const option *o = table; o->name && count < 64; o++) names[count++] = o->name;
    if (length < sizeof word) memcpy(word, name, length);
    const char *near = nearest_word(word, names, count);
    int shown = length > 100 ? 100 : (int)length;
    if (near) {
        (void)usage_error(about, "unknown option '--%.*s'; did you mean '--%s'?", shown, name,
                          near);
    } else {
        (void)usage_error(about, "unknown option '--%.*s'", shown, name);
    }
    return false;
}

/* Sets an option whose value is `attached` (may be NULL) or the next argument. */
static bool take_value(const command *about, const option *o, const char *attached, int argc,
                       char **argv, int *position)
{
    const char *text = attached;
    if (o->kind == OPTION_FLAG && attached) {
        (void)usage_error(about, "--%s takes no value", o->name);
        return false;
    }
    if (o->kind != OPTION_FLAG && !attached) {
        if (*position + 1 >= argc) {
            (void)usage_error(about, "--%s needs a value (%s)", o->name, o->placeholder);
            return false;
        }
        text = argv[++*position];
    }
    if (o->given) *o->given = true;
    return set_value(about, o, text);
}

static bool take_long(const command *about, const option *table, int argc, char **argv,
                      int *position)
{
    const char *name = argv[*position] + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const option *o = find_option(table, name, length);
    if (!o) return unknown_option(about, table, name, length);
    return take_value(about, o, equals ? equals + 1 : NULL, argc, argv, position);
}

static bool take_short(const command *about, const option *table, int argc, char **argv,
                       int *position)
{
    const char *text = argv[*position];
    for (const option *o = table; o->name; o++) {
        if (o->letter != text[1]) continue;
        return take_value(about, o, text[2] ? text + 2 : NULL, argc, argv, position);
    }
    (void)usage_error(about, "unknown option '%.100s'", text);
    return false;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    }
    return false;
}

bool options_parse(arguments *parsed, const command *about, const option *table, int argc,
                   char **argv)
{
    *parsed = (arguments){.help = asks_for_help(argc, argv)};
    bool ended = false; /* by "--" */
    for (int i = 1; i < argc && !parsed->help; i++) {
        const char *text = argv[i];
        if (!ended && strcmp(text, "--") == 0) {
            ended = true;
        } else if (!ended && text[0] == '-' && text[1] == '-') {
            if (!take_long(about, table, argc, argv, &i)) return false;
        } else if (!ended && text[0] == '-' && text[1]) {
            if (!take_short(about, table, argc, argv, &i)) return false;
        } else if (parsed->count == OPTIONS_POSITIONAL) {
            (void)usage_error(about, "too many arguments, from '%.100s' on", text);
            return false;
        } else if (!*text) {
            (void)usage_error(about, "argument %d is empty", parsed->count + 1);
            return false;
        } else {
            parsed->positional[parsed->count++] = text;
        }
    }
    return true;
}

/* ---- help ---- */

enum { HELP_COLUMN = 26 };

static void print_option(FILE *stream, const option *o)
{
    char left[64];
    if (o->letter) {
        (void)snprintf(left, sizeof left, "-%c, --%s%s%s", o->letter, o->name,
                       o->placeholder ? " " : "", o->placeholder ? o->placeholder : "");
    } else {
        (void)snprintf(left, sizeof left, "    --%s%s%s", o->name, o->placeholder ? " " : "",
                       o->placeholder ? o->placeholder : "");
    }
    (void)fprintf(stream, "  %-*s", HELP_COLUMN - 2, left);
    if (strlen(left) > HELP_COLUMN - 3) (void)fprintf(stream, "\n%*s", HELP_COLUMN, "");
    for (const char *c = o->help; *c; c++) {
        (void)fputc(*c, stream);
        if (*c == '\n') (void)fprintf(stream, "%*s", HELP_COLUMN, "");
    }
    (void)fputc('\n', stream);
}

/* Each line of `text` after `first`, continuation lines after as many spaces. */
static void print_lines(FILE *stream, const char *first, const char *text)
{
    (void)fputs(first, stream);
    for (const char *c = text; *c; c++) {
        (void)fputc(*c, stream);
        if (*c == '\n') (void)fprintf(stream, "%*s", (int)strlen(first), "");
    }
    (void)fputc('\n', stream);
}

static options_writer help_writer;

void options_help_as(options_writer writer)
{
    help_writer = writer;
}

void options_help(FILE *stream, const command *about, const option *table)
{
    if (help_writer) {
        help_writer(stream, about, table);
        return;
    }
    print_lines(stream, "Usage: ", about->synopsis);
    (void)fprintf(stream, "\n%s\n\nOptions:\n", about->about);
    for (const option *o = table; o->name; o++) print_option(stream, o);
    (void)fprintf(stream, "  %-*sthis help\n\n", HELP_COLUMN - 2, "-h, --help");
    (void)fputs("Examples:\n", stream);
    print_lines(stream, "  ", about->examples);
}
