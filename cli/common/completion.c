/* completion.c - completions of shells from the tables of options (see completion.h). */
#include "completion.h"

#include <string.h>

const char *const completion_shells[] = {"bash", "zsh", "fish", NULL};

/* ---- what an option takes ---- */

typedef enum value_kind {
    VALUE_NONE,   /* a flag */
    VALUE_WORDS,  /* one of the choices; of a text also a file */
    VALUE_LIST,   /* some of the choices with commas */
    VALUE_FILE,   /* any file */
    VALUE_FOLDER, /* a folder */
    VALUE_OTHER   /* a number or a word that nobody can guess */
} value_kind;

static value_kind kind_of(const option *o)
{
    if (o->kind == OPTION_FLAG) return VALUE_NONE;
    if (o->choices) return strcmp(o->placeholder, "LIST") == 0 ? VALUE_LIST : VALUE_WORDS;
    if (o->kind != OPTION_TEXT) return VALUE_OTHER;
    if (strcmp(o->placeholder, "DIR") == 0) return VALUE_FOLDER;
    bool file = strcmp(o->placeholder, "FILE") == 0 || strcmp(o->placeholder, "PATH") == 0;
    return file ? VALUE_FILE : VALUE_OTHER;
}

/* The words with a space before each but the first. */
static void put_words(FILE *stream, const char *const *words)
{
    for (size_t w = 0; words && words[w]; w++) {
        (void)fprintf(stream, "%s%s", w ? " " : "", words[w]);
    }
}

/* For single quotes, and for zsh without the brackets that mean something there;
 * lines become one. */
static void put_quoted(FILE *stream, const char *text, size_t length, bool zsh)
{
    for (const char *c = text; c < text + length; c++) {
        if (*c == '\'') {
            (void)fputs(zsh ? "'\\''" : "\\'", stream);
        } else if (zsh && (*c == '[' || *c == ']')) {
            (void)fputc(*c == '[' ? '(' : ')', stream);
        } else {
            (void)fputc(*c == '\n' ? ' ' : *c, stream);
        }
    }
}

/* The help up to its first explanation, since there is room for one line; all of it where it begins
 * with one of the choices, as "csv (default) or dcdi". */
static void put_help(FILE *stream, const option *o, bool zsh)
{
    static const char *const ends[] = {": ", "; ", ";\n", " (default", "\n(default"};
    size_t length = strlen(o->help), word = strcspn(o->help, ", ");
    bool listed = false;
    for (size_t w = 0; o->choices && o->choices[w]; w++) {
        listed |= strlen(o->choices[w]) == word && strncmp(o->choices[w], o->help, word) == 0;
    }
    for (size_t e = 0; !listed && e < sizeof ends / sizeof *ends; e++) {
        const char *end = strstr(o->help, ends[e]);
        if (end && (size_t)(end - o->help) < length) length = (size_t)(end - o->help);
    }
    put_quoted(stream, o->help, length, zsh);
}

/* ---- bash ---- */

static void bash_head(FILE *stream, const command *const *commands)
{
    (void)fputs("# Completion of scone for bash, made by: scone help --completion bash\n"
                "_scone() {\n"
                "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                "    local options= arguments= kind= words= done=\n"
                "    COMPREPLY=()\n"
                "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                "        mapfile -t COMPREPLY < <(compgen -W \"",
                stream);
    for (size_t c = 0; commands[c]; c++) (void)fprintf(stream, "%s ", commands[c]->name);
    (void)fputs("--help --version\" -- \"$word\")\n"
                "        return\n"
                "    fi\n"
                "    # --option=value comes as three words\n"
                "    if [ \"$word\" = = ]; then\n"
                "        word=\n"
                "    elif [ \"$before\" = = ]; then\n"
                "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
                "    fi\n"
                "    case ${COMP_WORDS[1]} in\n",
                stream);
}

static void bash_value(FILE *stream, const option *o)
{
    static const char *const kinds[] = {"", "words", "list", "file", "folder", "other"};
    value_kind kind = kind_of(o);
    if (kind == VALUE_NONE) return;
    const char *word = o->kind == OPTION_CHOICE ? "choice" : kinds[kind];
    (void)fprintf(stream, "        --%s", o->name);
    if (o->letter) (void)fprintf(stream, " | -%c", o->letter);
    (void)fprintf(stream, ") kind=%s", word);
    if (o->choices) {
        (void)fputs(" words=\"", stream);
        put_words(stream, o->choices);
        (void)fputc('"', stream);
    }
    (void)fputs(" ;;\n", stream);
}

static void bash_command(FILE *stream, const command *about, const option *table)
{
    (void)fprintf(stream, "    %s)\n        options=\"", about->name);
    for (const option *o = table; o->name; o++) (void)fprintf(stream, "--%s ", o->name);
    (void)fputs("--help\"\n", stream);
    if (about->words) {
        (void)fputs("        arguments=\"", stream);
        put_words(stream, about->words());
        (void)fputs("\"\n", stream);
    }
    (void)fputs("        case $before in\n", stream);
    for (const option *o = table; o->name; o++) bash_value(stream, o);
    (void)fputs("        esac ;;\n", stream);
}

static void bash_tail(FILE *stream)
{
    (void)fputs("    esac\n"
                "    if [ -z \"$kind\" ] && [[ $word == -* ]]; then\n"
                "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
                "        return\n"
                "    fi\n"
                "    case ${kind:-words} in\n"
                "    words) mapfile -t COMPREPLY < <(compgen -W \"${words:-$arguments}\" -- "
                "\"$word\") ;;\n"
                "    choice)\n"
                "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
                "        return ;;\n"
                "    list)\n"
                "        done=${word%\"${word##*,}\"}\n"
                "        mapfile -t COMPREPLY < <(compgen -P \"$done\" -W \"$words\" -- "
                "\"${word##*,}\")\n"
                "        return ;;\n"
                "    other) return ;;\n"
                "    esac\n"
                "    if [ \"${#COMPREPLY[@]}\" -eq 0 ]; then\n"
                "        compopt -o filenames 2>/dev/null\n"
                "        if [ \"$kind\" = folder ]; then\n"
                "            mapfile -t COMPREPLY < <(compgen -d -- \"$word\")\n"
                "        else\n"
                "            mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
                "        fi\n"
                "    fi\n"
                "}\n"
                "complete -F _scone scone\n",
                stream);
}

/* ---- zsh ---- */

static void zsh_head(FILE *stream, const command *const *commands)
{
    (void)fputs("#compdef scone\n"
                "# Completion of scone for zsh, made by: scone help --completion zsh\n"
                "_scone() {\n"
                "    local curcontext=$curcontext command\n"
                "    local -a commands\n"
                "    commands=(\n",
                stream);
    for (size_t c = 0; commands[c]; c++) {
        (void)fprintf(stream, "        '%s:", commands[c]->name);
        put_quoted(stream, commands[c]->summary, strlen(commands[c]->summary), true);
        (void)fputs("'\n", stream);
    }
    (void)fputs("    )\n"
                "    if (( CURRENT == 2 )); then\n"
                "        _describe -t commands command commands\n"
                "        return\n"
                "    fi\n"
                "    command=$words[2]\n"
                "    shift words\n"
                "    (( CURRENT-- ))\n"
                "    case $command in\n",
                stream);
}

static void zsh_value(FILE *stream, const option *o)
{
    value_kind kind = kind_of(o);
    if (kind == VALUE_NONE) return;
    (void)fputc(':', stream);
    put_quoted(stream, o->placeholder, strlen(o->placeholder), true);
    (void)fputc(':', stream);
    if (kind == VALUE_WORDS && o->kind == OPTION_TEXT) {
        (void)fputs("{compadd ", stream);
        put_words(stream, o->choices);
        (void)fputs("; _files}", stream);
    } else if (kind == VALUE_WORDS) {
        (void)fputc('(', stream);
        put_words(stream, o->choices);
        (void)fputc(')', stream);
    } else if (kind == VALUE_LIST) {
        (void)fprintf(stream, "_values -s , %s ", o->name);
        put_words(stream, o->choices);
    } else {
        (void)fputs(kind == VALUE_FILE     ? "_files"
                    : kind == VALUE_FOLDER ? "_files -/"
                                           : " ",
                    stream);
    }
}

static void zsh_option(FILE *stream, const option *o)
{
    bool takes = o->kind != OPTION_FLAG;
    if (o->letter) {
        (void)fprintf(stream, "            '(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name,
                      o->letter, takes ? "+" : "", o->name, takes ? "=" : "");
    } else {
        (void)fprintf(stream, "            '--%s%s[", o->name, takes ? "=" : "");
    }
    put_help(stream, o, true);
    (void)fputc(']', stream);
    zsh_value(stream, o);
    (void)fputs("' \\\n", stream);
}

static void zsh_command(FILE *stream, const command *about, const option *table)
{
    (void)fprintf(stream, "    %s)\n        _arguments \\\n", about->name);
    for (const option *o = table; o->name; o++) zsh_option(stream, o);
    (void)fputs(
        "            '(-h --help)'{-h,--help}'[print the help]' \\\n            '*:argument:",
        stream);
    if (about->words) {
        (void)fputs("{compadd ", stream);
        put_words(stream, about->words());
        (void)fputs("; _files}' ;;\n", stream);
    } else {
        (void)fputs("_files' ;;\n", stream);
    }
}

static void zsh_tail(FILE *stream)
{
    (void)fputs("    esac\n}\n_scone \"$@\"\n", stream);
}

/* ---- fish ---- */

static void fish_head(FILE *stream, const command *const *commands)
{
    (void)fputs("# Completion of scone for fish, made by: scone help --completion fish\n", stream);
    for (size_t c = 0; commands[c]; c++) {
        (void)fprintf(stream, "complete -c scone -n __fish_use_subcommand -f -a %s -d '",
                      commands[c]->name);
        put_quoted(stream, commands[c]->summary, strlen(commands[c]->summary), false);
        (void)fputs("'\n", stream);
    }
    (void)fputs("complete -c scone -n __fish_use_subcommand -f -s h -l help -d 'print the help'\n"
                "complete -c scone -n __fish_use_subcommand -f -s V -l version -d 'print the "
                "version'\n",
                stream);
}

static void fish_value(FILE *stream, const option *o)
{
    value_kind kind = kind_of(o);
    if (kind == VALUE_FILE) (void)fputs(" -r -F", stream);
    if (kind == VALUE_OTHER) (void)fputs(" -x", stream);
    if (kind == VALUE_FOLDER) (void)fputs(" -x -a '(__fish_complete_directories)'", stream);
    if (kind == VALUE_WORDS) {
        (void)fputs(o->kind == OPTION_TEXT ? " -r -a '" : " -x -a '", stream);
        put_words(stream, o->choices);
        (void)fputc('\'', stream);
    }
    if (kind == VALUE_LIST) {
        (void)fputs(" -x -a '(__fish_complete_list , \"printf %s\\\\\\\\n ", stream);
        put_words(stream, o->choices);
        (void)fputs("\")'", stream);
    }
}

static void fish_command(FILE *stream, const command *about, const option *table)
{
    static const char start[] = "complete -c scone -n '__fish_seen_subcommand_from";
    for (const option *o = table; o->name; o++) {
        (void)fprintf(stream, "%s %s' -l %s", start, about->name, o->name);
        if (o->letter) (void)fprintf(stream, " -s %c", o->letter);
        fish_value(stream, o);
        (void)fputs(" -d '", stream);
        put_help(stream, o, false);
        (void)fputs("'\n", stream);
    }
    (void)fprintf(stream, "%s %s' -s h -l help -d 'print the help'\n", start, about->name);
    if (!about->words) return;
    (void)fprintf(stream, "%s %s' -a '", start, about->name);
    put_words(stream, about->words());
    (void)fputs("'\n", stream);
}

/* ---- any of them ---- */

void completion_head(FILE *stream, completion_shell shell, const command *const *commands)
{
    switch (shell) {
    case COMPLETION_BASH:
        bash_head(stream, commands);
        break;
    case COMPLETION_ZSH:
        zsh_head(stream, commands);
        break;
    case COMPLETION_FISH:
        fish_head(stream, commands);
        break;
    }
}

options_writer completion_writer(completion_shell shell)
{
    static const options_writer writers[] = {bash_command, zsh_command, fish_command};
    return writers[shell];
}

void completion_tail(FILE *stream, completion_shell shell)
{
    if (shell == COMPLETION_BASH) bash_tail(stream);
    if (shell == COMPLETION_ZSH) zsh_tail(stream);
}
