/* commands.h - the commands of the program. Each takes argv from its own name on and returns the
 * exit code.
 */
#ifndef SCONE_CLI_COMMANDS_H
#define SCONE_CLI_COMMANDS_H

#include "options.h"

typedef struct command_entry {
    const command *about;
    int (*run)(int argc, char **argv);
    bool shared; /* all processes of a run take part; other commands run in the first alone */
} command_entry;

extern const command command_discover, command_check, command_simulate, command_eval, command_bench,
    command_explain, command_train, command_model, command_verify, command_help;

int run_discover(int argc, char **argv);
int run_simulate(int argc, char **argv);
int run_check(int argc, char **argv);
int run_eval(int argc, char **argv);
int run_bench(int argc, char **argv);
int run_explain(int argc, char **argv);
int run_train(int argc, char **argv);
int run_model(int argc, char **argv);
int run_verify(int argc, char **argv);
int run_help(int argc, char **argv);

/* All commands in the order of the help; the last has about == NULL. */
extern const command_entry all_commands[];

/* The command of this name, or NULL after reporting the usage error. */
const command_entry *find_command(const char *name);
/* One screen: what scone is, its commands, where to go on. */
void print_overview(FILE *stream);

#endif
