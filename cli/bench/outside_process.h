/* outside_process.h - runs a command as a group of processes that can be ended together. */
#ifndef SCONE_CLI_OUTSIDE_PROCESS_H
#define SCONE_CLI_OUTSIDE_PROCESS_H

#include <stdbool.h>

enum { OUTSIDE_LINE = 256 };

typedef enum outside_end {
    OUTSIDE_EXITED,     /* with `code` */
    OUTSIDE_SIGNALLED,  /* by the signal `code` */
    OUTSIDE_TIMED_OUT,  /* ended here, when the time was over */
    OUTSIDE_INTERRUPTED /* ended here, since a signal asked the program to stop */
} outside_end;

typedef struct outside_process {
    outside_end end;
    int code;
    double seconds;               /* wall clock */
    char last_line[OUTSIDE_LINE]; /* of standard error, without white space around; "": none */
} outside_process;

/* Runs /bin/sh with `script` and its arguments $1 and $2. Standard input and output lead nowhere.
 * What the command started ends with it. limit: seconds; 0: none. Returns 0, or the errno of what
 * kept the command from being started. */
int outside_process_run(outside_process *process, const char *script, const char *first,
                        const char *second, double limit);

#endif
