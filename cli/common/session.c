/* session.c - one run of a command: threads, messages, progress, signals and the closing line (see
 * session.h).
 */
#include "session.h"

#include "launch.h"
#include "memory_limit.h"
#include "scone_lab.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t caught_signal;
static bool stopped; /* a signal ended the work */

bool session_interrupted(void)
{
    return caught_signal != 0;
}

static void on_signal(int number)
{
    caught_signal = number;
}

void session_catch_signals(void)
{
    struct sigaction action = {0};
    action.sa_handler = on_signal;
    action.sa_flags = (int)SA_RESETHAND; /* a second one ends the program at once */
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

static void print_message(void *user, scone_level level, const char *message)
{
    const session *s = user;
    if (s->quiet && level == SCONE_NOTE) return;
    /* The message takes the place of the bar, which draws itself again below. */
    if (s->bar) (void)fprintf(stderr, "\r%76s\r", "");
    char text[2048];
    (void)snprintf(text, sizeof text, "%s", message);
    make_printable(text);
    (void)fprintf(stderr, "scone: %s: %s\n", level == SCONE_NOTE ? "note" : "warning", text);
}

static bool show_progress(void *user, const char *stage, double done)
{
    const session *s = user;
    if (s->bar) (void)scone_bar_update(s->bar, stage, done);
    return !session_interrupted();
}

static double clock_seconds(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0.0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double session_seconds(void)
{
    return clock_seconds(CLOCK_MONOTONIC);
}

session session_start(void)
{
    return (session){.started = session_seconds()};
}

static size_t processors_available(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (size_t)count : 1;
}

int session_open(session *s)
{
    scone_team *team = launch_team();
    size_t memory = memory_limit_default();
    if (s->memory && !memory_limit_parse(&memory, s->memory)) {
        return usage_error(NULL, "--memory: '%.100s' is no size from 1M on, such as 800M or 4G",
                           s->memory);
    }
    scone_memory_limit(memory);
    if (s->threads == 0) {
        s->threads = team ? (size_t)scone_team_processors(team) : processors_available();
    }
    int fitting = (int)s->threads;
    scone_status status = scone_reserve(&fitting);
    if (status != SCONE_OK) return session_fail(s, status);
    if ((size_t)fitting < s->threads && !s->quiet) {
        (void)fprintf(stderr,
                      "scone: note: the limits of this process have room for %d of %zu threads\n",
                      fitting, s->threads);
    }
    s->threads = (size_t)fitting;
    s->context = (scone_context){.threads = (int)s->threads,
                                 .log = print_message,
                                 .progress = show_progress,
                                 .user = s,
                                 .team = team};
    if (!s->quiet && isatty(STDERR_FILENO)) {
        status = scone_bar_alloc(&s->bar, stderr);
        if (status != SCONE_OK) return session_fail(s, status);
    }
    return SCONE_OK;
}

void session_hide_bar(session *s)
{
    scone_bar_free(s->bar);
    s->bar = NULL;
}

static void print_kept(const session *s)
{
    (void)fprintf(stderr, "%s%s%s\n", s->kept ? s->kept : "nothing was written",
                  s->kept_in ? " " : "", s->kept_in ? s->kept_in : "");
}

int session_fail(session *s, scone_status status)
{
    session_hide_bar(s);
    s->failed = true;
    if (caught_signal) {
        stopped = true;
        (void)fprintf(stderr, "scone: stopped; ");
        print_kept(s);
        return (int)status;
    }
    complain("%s", scone_error_message());
    if (status == SCONE_ERR_DEFECT) {
        (void)fprintf(stderr, "scone: version %s, raised at %s\n", scone_version(),
                      scone_error_location());
    }
    return (int)status;
}

void session_end_signal(void)
{
    if (!stopped) return;
    (void)signal(caught_signal, SIG_DFL);
    (void)raise(caught_signal);
}

int stdout_check(int code)
{
    errno = 0;
    bool lost = fflush(stdout) != 0;
    if (!lost && !ferror(stdout)) return code;
    complain("cannot write to standard output%s%s", errno ? ": " : "",
             errno ? strerror(errno) : "");
    return SCONE_ERR_IO;
}

int session_close(session *s, int code)
{
    session_hide_bar(s);
    int final_code = stdout_check(code);
    if (final_code != code && s->kept) {
        (void)fprintf(stderr, "scone: note: ");
        print_kept(s);
    }
    if (s->quiet || s->failed || final_code != code) return final_code;
    struct rusage usage;
    double peak = getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024.0 : 0.0;
    (void)fprintf(stderr, "scone %s: %.3f s real, %.3f s CPU, %.1f MB peak memory\n",
                  scone_version(), session_seconds() - s->started,
                  clock_seconds(CLOCK_PROCESS_CPUTIME_ID), peak);
    return final_code;
}
