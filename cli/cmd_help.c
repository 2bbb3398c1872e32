/* cmd_help.c - scone help [COMMAND]. */
#include "commands.h"
#include "scone.h"
#include "session.h"

#include <string.h>

const command command_help = {
    .name = "help",
    .synopsis = "scone help [COMMAND]",
    .summary = "this overview, or the help of one command",
    .about = "Prints the overview of all commands, or the help of one of them.",
    .examples = "scone help simulate",
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
        "Several machines: mpirun scone ... (docs/manual/several-processes.md). Messages go to standard error. Exit "
        "codes:\n"
        "0 done, 1 wrong input, 2 usage, 3 file trouble, 4 out of memory, 5 a defect.\n",
        stream);
}

int run_help(int argc, char **argv)
{
    static const option no_options[] = {{.name = NULL}};
    arguments parsed;
    if (!options_parse(&parsed, &command_help, no_options, argc, argv)) return SCONE_ERR_USAGE;
    if (parsed.help) {
        options_help(stdout, &command_help, no_options);
        return stdout_check(SCONE_OK);
    }
    if (parsed.count > 1) return usage_error(&command_help, "give one command, not several");
    if (parsed.count == 0) {
        print_overview(stdout);
        return stdout_check(SCONE_OK);
    }
    const command_entry *entry = find_command(parsed.positional[0]);
    if (!entry) return SCONE_ERR_USAGE;
    char name[32], flag[] = "--help";
    (void)snprintf(name, sizeof name, "%s", entry->about->name);
    char *help[] = {name, flag, NULL};
    return entry->run(2, help);
}
