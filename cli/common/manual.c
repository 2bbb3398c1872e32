/* manual.c - commands and options as mdoc (see manual.h). */
#include "manual.h"

#include <ctype.h>
#include <string.h>

/* ---- text ---- */

/* A flag at `text`, as in "(--regime": its length, else 0. */
static size_t flag_length(const char *start, const char *text)
{
    bool begins = text == start || strchr(" ([/\n", text[-1]);
    size_t dashes = strspn(text, "-"), letters;
    if (!begins || dashes < 1 || dashes > 2) return 0;
    letters = strspn(text + dashes, "abcdefghijklmnopqrstuvwxyz-");
    return letters ? dashes + letters : 0;
}

/* In roff a bare dash is a hyphen, which nobody can paste; it may stay one within a word. */
static void put_character(FILE *stream, const char *start, const char *c)
{
    bool within = c > start && isalpha((unsigned char)c[-1]) && isalpha((unsigned char)c[1]);
    if (*c == '\\') {
        (void)fputs("\\e", stream);
    } else if (*c == '-' && !within) {
        (void)fputs("\\-", stream);
    } else {
        (void)fputc(*c, stream);
    }
}

/* A sentence starts a line, so that roff puts its space before it. */
static bool ends_sentence(const char *start, const char *c)
{
    return *c == ' ' && c > start && c[-1] == '.' && isupper((unsigned char)c[1]);
}

/* Flags in bold. A line that starts like a request is guarded; an empty one is a new paragraph. */
static void put_text(FILE *stream, const char *text)
{
    for (const char *c = text; *c;) {
        bool starts = c == text || c[-1] == '\n';
        size_t flag = flag_length(text, c);
        if (starts && *c == '\n') {
            (void)fputs(".Pp\n", stream);
            c++;
            continue;
        }
        if (starts && (*c == '.' || *c == '\'')) (void)fputs("\\&", stream);
        if (flag) (void)fputs("\\fB", stream);
        for (size_t k = 0; k < flag; k++) {
            if (c[k] == '-') (void)fputc('\\', stream);
            (void)fputc(c[k], stream);
        }
        if (flag) (void)fputs("\\fP", stream);
        if (ends_sentence(text, c)) {
            (void)fputc('\n', stream);
        } else if (!flag) {
            put_character(stream, text, c);
        }
        c += flag ? flag : 1;
    }
    (void)fputc('\n', stream);
}

/* ---- the parts ---- */

void manual_synopsis(FILE *stream, const command *about, const option *table)
{
    (void)table;
    for (const char *line = about->synopsis; *line;) {
        size_t length = strcspn(line, "\n"), before = strlen("scone ") + strlen(about->name);
        char rest[256];
        (void)snprintf(rest, sizeof rest, "%.*s", (int)(length - before), line + before);
        (void)fprintf(stream, ".Nm\n.Cm %s\n", about->name);
        if (*rest) put_text(stream, rest + 1);
        line += length + (line[length] != '\0');
    }
}

static void put_option(FILE *stream, const option *o)
{
    (void)fputs(".It ", stream);
    if (o->letter) (void)fprintf(stream, "Fl %c , ", o->letter);
    (void)fprintf(stream, "Fl Fl %s", o->name);
    if (o->placeholder) (void)fprintf(stream, " Ar %s", o->placeholder);
    (void)fputc('\n', stream);
    put_text(stream, o->help);
}

void manual_command(FILE *stream, const command *about, const option *table)
{
    (void)fprintf(stream, ".Ss scone %s\n", about->name);
    put_text(stream, about->about);
    (void)fputs(".Bl -tag -width Ds\n", stream);
    for (const option *o = table; o->name; o++) put_option(stream, o);
    (void)fputs(".It Fl h , Fl Fl help\nprint the help of the command, with examples\n.El\n",
                stream);
}
