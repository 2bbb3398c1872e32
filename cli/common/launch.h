/* launch.h - how the program was started: alone, or by mpirun as one of several processes that
 * share the work (docs/manual/several-processes.md). Only the first of them prints and writes
 * files; all of them end with the same exit code.
 */
#ifndef SCONE_CLI_LAUNCH_H
#define SCONE_CLI_LAUNCH_H

#include "scone.h"

/* Joins the other processes, if there are any, and silences all but the first; returns an exit
 * code. */
int launch_begin(void);
/* Waits for the other processes; `code` is this one's exit code so far, the result that of all. */
int launch_end(int code);

/* NULL: this process is alone. */
scone_team *launch_team(void);
bool launch_is_first(void);

/* Prints "scone: error: ..." and keeps the text for the other processes. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Replaces the characters of a text that would change what a terminal shows around it. */
void make_printable(char *text);

#endif
