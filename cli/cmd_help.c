/* cmd_help.c - scone help [COMMAND]; and what is made from the help of all commands: parts of the
 * manual page, completions of shells.
 */
#include "commands.h"
#include "completion.h"
#include "manual.h"
#include "scone.h"
#include "session.h"

#include <string.h>

enum { MOST_COMMANDS = 32 };

static const char *const *command_names(void)
{
    static const char *names[MOST_COMMANDS];
    for (size_t c = 0; all_commands[c].about && c + 1 < MOST_COMMANDS; c++) {
        names[c] = all_commands[c].about->name;
    }
    return names;
}

const command command_help = {
    .name = "help",
    .synopsis = "scone help [COMMAND]\n"
                "scone help --completion SHELL\n"
                "scone help --man",
    .summary = "this overview, or the help of one command",
    .about = "Prints the overview of all commands, or the help of one of them; or what a shell\n"
             "needs to complete commands, options and their values. make install puts that where\n"
             "the shells look for it; without, a line such as source <(scone help --completion\n"
             "bash) in ~/.bashrc does.",
    .examples = "scone help simulate\n"
                "scone help --completion bash >scone.bash",
    .words = command_names,
};

void print_overview(FILE *stream)
{
    (void)fprintf(stream,
                  "scone %s: causal discovery from two tables, before and after an unknown change\n"
                  "Usage: scone COMMAND [arguments] [options]\n"
                  "\n"
                  "Commands:\n",
                  scone_version());
    for (const command_entry *entry = all_commands; entry->about; entry++) {
        (void)fprintf(stream, "  %-10s %s\n", entry->about->name, entry->about->summary);
    }
    (void)fputs(
        "\n"
        "  scone COMMAND --help   what a command takes, with examples (scone --version: the "
        "version)\n"
        "\n"
        "First steps:\n"
        "  scone simulate --nodes 6 --edges 6 --samples 500 -o demo   makes data with a known "
        "graph\n"
        "  scone discover demo/g0 -o result                           finds a graph from the two "
        "tables\n"
        "  scone eval result demo/g0                                  scores it against the truth\n"
        "\n"
        "Several machines: mpirun scone ... Messages go to standard error. Exit codes:\n"
        "0 done, 1 wrong input, 2 usage, 3 file trouble, 4 out of memory, 5 a defect.\n",
        stream);
}

/* ---- everything at once ---- */

static int run_for_help(const command_entry *entry)
{
    char name[32], flag[] = "--help";
    (void)snprintf(name, sizeof name, "%s", entry->about->name);
    char *help[] = {name, flag, NULL};
    return entry->run(2, help);
}

/* The help of every command in another form. */
static int write_all(options_writer writer)
{
    int code = SCONE_OK;
    options_help_as(writer);
    for (const command_entry *entry = all_commands; entry->about && code == SCONE_OK; entry++) {
        code = run_for_help(entry);
    }
    options_help_as(NULL);
    return code;
}

/* tools/man_page.sh looks for these lines in the page. */
static int print_manual(void)
{
    (void)fputs(".\\\" begin synopsis\n", stdout);
    int code = write_all(manual_synopsis);
    (void)fputs(".\\\" end\n.\\\" begin commands\n", stdout);
    if (code == SCONE_OK) code = write_all(manual_command);
    (void)fputs(".\\\" end\n", stdout);
    return stdout_check(code);
}

static int print_completion(completion_shell shell)
{
    const command *commands[MOST_COMMANDS] = {NULL};
    for (size_t c = 0; all_commands[c].about && c + 1 < MOST_COMMANDS; c++) {
        commands[c] = all_commands[c].about;
    }
    completion_head(stdout, shell, commands);
    int code = write_all(completion_writer(shell));
    completion_tail(stdout, shell);
    return stdout_check(code);
}

int run_help(int argc, char **argv)
{
    int shell = 0;
    bool shell_given = false, man = false;
    const option table[] = {
        option_choice("completion", 0, "SHELL", "the completions for bash, zsh or fish",
                      completion_shells, &shell, &shell_given),
        option_flag("man", 0, "the parts of the manual page that follow from the options", &man),
        {.name = NULL},
    };
    arguments parsed;
    if (!options_parse(&parsed, &command_help, table, argc, argv)) return SCONE_ERR_USAGE;
    if (parsed.help) {
        options_help(stdout, &command_help, table);
        return stdout_check(SCONE_OK);
    }
    if (parsed.count > 1) return usage_error(&command_help, "give one command, not several");
    if (parsed.count + man + shell_given > 1) {
        return usage_error(&command_help, "give a command, --completion or --man, not several");
    }
    if (shell_given) return print_completion((completion_shell)shell);
    if (man) return print_manual();
    if (parsed.count == 0) {
        print_overview(stdout);
        return stdout_check(SCONE_OK);
    }
    const command_entry *entry = find_command(parsed.positional[0]);
    return entry ? run_for_help(entry) : SCONE_ERR_USAGE;
}
