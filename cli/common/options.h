/* options.h - a table-driven parser of command line options.
 *
 * Accepts `--name value`, `--name=value`, `-x value`, `-xvalue`, flags, positional arguments in any
 * order, and `--` after which everything is positional. The same table prints the help.
 */
#ifndef SCONE_CLI_OPTIONS_H
#define SCONE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum option_kind {
    OPTION_FLAG,       /* bool */
    OPTION_TEXT,       /* const char *, not empty */
    OPTION_CHOICE,     /* int: index into choices */
    OPTION_COUNT,      /* size_t in [low, high] */
    OPTION_SEED,       /* uint64_t */
    OPTION_NUMBER,     /* double in [low, high] */
    OPTION_RANGE,      /* double[2]: "A" or "A..B", both in [low, high] */
    OPTION_WHOLE_RANGE /* the same with whole numbers */
} option_kind;

typedef struct option {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* short form, 0 if none */
    option_kind kind;
    double low, high;           /* limits of a number */
    const char *const *choices; /* NULL-terminated, for OPTION_CHOICE */
    const char *placeholder;    /* of the value in the help, NULL for a flag */
    const char *help;           /* what it does; lines after the first are indented by the help */
    void *value;                /* where the result goes, typed by kind */
    bool *given;                /* set to true if the option occurs; may be NULL */
} option;

/* Rows of a table; `given` may be NULL. */
static inline option option_flag(const char *name, char letter, const char *help, bool *value)
{
    return (option){
        .name = name, .letter = letter, .kind = OPTION_FLAG, .help = help, .value = value};
}

static inline option option_text(const char *name, char letter, const char *placeholder,
                                 const char *help, const char **value)
{
    return (option){.name = name,
                    .letter = letter,
                    .kind = OPTION_TEXT,
                    .placeholder = placeholder,
                    .help = help,
                    .value = value};
}

static inline option option_choice(const char *name, char letter, const char *placeholder,
                                   const char *help, const char *const *choices, int *value,
                                   bool *given)
{
    return (option){.name = name,
                    .letter = letter,
                    .kind = OPTION_CHOICE,
                    .placeholder = placeholder,
                    .help = help,
                    .choices = choices,
                    .value = value,
                    .given = given};
}

/* Numbers: value points to what `kind` asks for. */
static inline option option_number(option_kind kind, const char *name, char letter,
                                   const char *placeholder, const char *help, double low,
                                   double high, void *value, bool *given)
{
    return (option){.name = name,
                    .letter = letter,
                    .kind = kind,
                    .placeholder = placeholder,
                    .help = help,
                    .low = low,
                    .high = high,
                    .value = value,
                    .given = given};
}

/* One command of the program. */
typedef struct command {
    const char *name;     /* "simulate" */
    const char *synopsis; /* the arguments: "SETTING -o DIR [options]", one line per form */
    const char *summary;  /* one line for the list of commands */
    const char *about;    /* paragraphs of the help */
    const char *examples; /* lines that work when pasted */
} command;

enum { OPTIONS_POSITIONAL = 16 }; /* positional arguments kept; more are a usage error */

typedef struct arguments {
    const char *positional[OPTIONS_POSITIONAL];
    int count;
    bool help; /* --help or -h was seen; everything else is then unchecked */
} arguments;

/* Reads argv[1 ..]. On a usage error prints one line and returns false. */
bool options_parse(arguments *parsed, const command *about, const option *table, int argc,
                   char **argv);
/* The help of a command: synopsis, paragraphs, options, examples. */
void options_help(FILE *stream, const command *about, const option *table);

/* Prints "scone: error: COMMAND: ... (see scone COMMAND --help)". Returns SCONE_ERR_USAGE. */
int usage_error(const command *about, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The candidate nearest to a mistyped word, or NULL if none is near. */
const char *nearest_word(const char *word, const char *const *candidates, size_t count);

#endif
