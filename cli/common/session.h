/* session.h - one run of a command: its common options, the context that library calls get,
 * messages, signals, and the closing line.
 */
#ifndef SCONE_CLI_SESSION_H
#define SCONE_CLI_SESSION_H

#include "options.h"
#include "scone.h"

typedef struct session {
    bool quiet, as_json; /* --quiet, --json */
    size_t threads;      /* --threads; 0: the processors available */
    const char *memory;  /* --memory; NULL: what the machine allows */
    scone_context context;
    scone_bar *bar; /* NULL: no bar */
    double started; /* seconds of the monotonic clock */
    bool failed;    /* a failure was reported */
    /* What is on the disk by now, for the messages when a signal or a full output ends the run:
     * "the rows so far are in" and where; NULL: nothing was written. */
    const char *kept, *kept_in;
} session;

/* The options that commands share. */
static inline option option_threads(session *s)
{
    return option_number(OPTION_COUNT, "threads", 't', "N",
                         "threads to use (default: the processors available, under\n"
                         "mpirun those that fall to each process);\n"
                         "the result does not depend on it",
                         1, 1024, &s->threads, NULL);
}

static inline option option_memory(session *s)
{
    return option_text("memory", 0, "LIMIT",
                       "bytes that the work may take, such as 800M or 4G (default:\n"
                       "nine tenths of what the machine and the limits of the\n"
                       "process allow); more ends the run with exit code 4",
                       &s->memory);
}

static inline option option_json(session *s)
{
    return option_flag("json", 0, "print the result as one JSON object", &s->as_json);
}

static inline option option_quiet(session *s)
{
    return option_flag("quiet", 'q', "no notes, progress bar or closing line", &s->quiet);
}

/* An empty session that starts now. */
session session_start(void);
/* Fills the context; call when the options are read. Returns an exit code. */
int session_open(session *s);
/* SIGINT and SIGTERM make the library stop at its next progress report and clean up. */
void session_catch_signals(void);
/* Was there one of them? */
bool session_interrupted(void);
/* Of a clock that only goes forward. */
double session_seconds(void);
/* If a signal stopped the work, ends the program as that signal would have; call when everything is
 * cleaned up. */
void session_end_signal(void);
/* Takes the bar off the screen; call before printing the result. */
void session_hide_bar(session *s);
/* Prints the library's last failure; returns the exit code for it. */
int session_fail(session *s, scone_status status);
/* Frees, checks that stdout took everything, and prints the closing line unless quiet or failed.
 * `code` is the exit code so far; returns the final one. */
int session_close(session *s, int code);

/* Flushes stdout; SCONE_ERR_IO with a message if a byte was lost, else `code`. */
int stdout_check(int code);

#endif
