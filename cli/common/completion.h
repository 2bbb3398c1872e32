/* completion.h - what a shell completes after "scone": commands, options, and the values of options
 * that have fixed ones, as a script for bash, zsh or fish.
 */
#ifndef SCONE_CLI_COMPLETION_H
#define SCONE_CLI_COMPLETION_H

#include "options.h"

typedef enum completion_shell { COMPLETION_BASH, COMPLETION_ZSH, COMPLETION_FISH } completion_shell;
extern const char *const completion_shells[]; /* by completion_shell, NULL-terminated */

/* The head of a script; then comes the part of each command, by the writer with options_help_as;
 * then the tail. commands: NULL-terminated. */
void completion_head(FILE *stream, completion_shell shell, const command *const *commands);
options_writer completion_writer(completion_shell shell);
void completion_tail(FILE *stream, completion_shell shell);

#endif
