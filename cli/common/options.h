/* options.h - a table-driven parser of command line options.
 *
 * Accepts `--name value`, `--name=value`, `-x value`, `-xvalue`, flags, positional arguments in any
 * order, and `--` after which everything is positional. The same table prints the help, the manual
 * page (manual.h) and the completions of shells (completion.h).
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
    OPTION_TEXTS,      /* text_list: one more with every occurrence */
    OPTION_CHOICE,     /* int: index into choices */
    OPTION_COUNT,      /* size_t in [low, high] */
    OPTION_SEED,       /* uint64_t */
    OPTION_NUMBER,     /* double in [low, high] */
    OPTION_RANGE,      /* double[2]: "A" or "A..B", both in [low, high] */
    OPTION_WHOLE_RANGE /* the same with whole numbers */
} option_kind;

enum { OPTIONS_TEXTS = 32 };

typedef struct text_list {
    const char *items[OPTIONS_TEXTS];
    size_t count;
} text_list;

typedef struct option {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* short form, 0 if none */
    option_kind kind;
    double low, high;           /* limits of a number */
    const char *const *choices; /* NULL-terminated, for OPTION_CHOICE; of an OPTION_TEXT what a
                                   shell may complete, or NULL */
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

static inline option option_texts(const char *name, const char *placeholder, const char *help,
                                  text_list *value)
{
    return (option){.name = name,
                    .kind = OPTION_TEXTS,
                    .placeholder = placeholder,
                    .help = help,
                    .value = value};
}

/* A text that is one of `words` as a rule, or some of them with commas if the
 * placeholder is LIST. */
static inline option option_words(const char *name, char letter, const char *placeholder,
                                  const char *help, const char *const *words, const char **value)
{
    option o = option_text(name, letter, placeholder, help, value);
    o.choices = words;
    return o;
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
    const char *const *(*words)(void); /* what its arguments may be besides files; may be NULL */
} command;

enum { OPTIONS_POSITIONAL = 1024 }; /* positional arguments kept; more are a usage error */

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
/* Another form for every options_help that follows; NULL: the usual one. */
typedef void (*options_writer)(FILE *stream, const command *about, const option *table);
void options_help_as(options_writer writer);

/* Prints "scone: error: COMMAND: ... (see scone COMMAND --help)". Returns SCONE_ERR_USAGE. */
int usage_error(const command *about, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The candidate nearest to a mistyped word, or NULL if none is near. */
const char *nearest_word(const char *word, const char *const *candidates, size_t count);

#endif
