/* outside_process.c - a command, its last words, its limit (see outside_process.h). */
#include "outside_process.h"

#include "session.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
    LOOK_EVERY = 5,    /* milliseconds between looks at the process */
    GRACE = 2000,      /* milliseconds from asking it to end until it is ended */
    LAST_READS = 1024, /* of 4 KiB: what another process may still write holds nobody up */
};

/* ---- the last line of a stream, in bounded memory ---- */

typedef struct line_tail {
    char line[OUTSIDE_LINE]; /* the one being written, cut */
    size_t length;
    char *last; /* [OUTSIDE_LINE] the last one that was not blank */
} line_tail;

static void end_line(line_tail *tail)
{
    size_t from = 0, to = tail->length;
    while (from < to && isspace((unsigned char)tail->line[from])) from++;
    while (to > from && isspace((unsigned char)tail->line[to - 1])) to--;
    tail->length = 0;
    if (from == to) return;
    memcpy(tail->last, tail->line + from, to - from);
    tail->last[to - from] = '\0';
}

static void take_bytes(line_tail *tail, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\n' || bytes[i] == '\r') {
            end_line(tail);
        } else if (tail->length + 1 < OUTSIDE_LINE) {
            tail->line[tail->length++] = bytes[i] ? bytes[i] : ' ';
        }
    }
}

/* Reads what is there; false at the end of the stream. */
static bool take_ready(line_tail *tail, int stream)
{
    char bytes[4096];
    ssize_t got = read(stream, bytes, sizeof bytes);
    if (got > 0) take_bytes(tail, bytes, (size_t)got);
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

/* ---- the process ---- */

static int set_attributes(posix_spawnattr_t *attributes)
{
    /* What this program ignores or catches is no business of the command. */
    static const int usual[] = {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM};
    sigset_t defaults, none;
    (void)sigemptyset(&defaults);
    (void)sigemptyset(&none);
    for (size_t s = 0; s < sizeof usual / sizeof *usual; s++) (void)sigaddset(&defaults, usual[s]);
    int error = posix_spawnattr_setsigdefault(attributes, &defaults);
    if (!error) error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error) error = posix_spawnattr_setpgroup(attributes, 0);
    if (error) return error;
    return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETPGROUP);
}

static int set_files(posix_spawn_file_actions_t *files, int errors)
{
    int error = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error) {
        error = posix_spawn_file_actions_addopen(files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    }
    return error ? error : posix_spawn_file_actions_adddup2(files, errors, STDERR_FILENO);
}

/* Starts the command, in a group of its own from its first instruction on. */
static int start(pid_t *child, int errors, char *const words[])
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    int error = posix_spawnattr_init(&attributes);
    if (error) return error;
    error = posix_spawn_file_actions_init(&files);
    if (!error) {
        error = set_attributes(&attributes);
        if (!error) error = set_files(&files, errors);
        if (!error) error = posix_spawn(child, "/bin/sh", &files, &attributes, words, environ);
        (void)posix_spawn_file_actions_destroy(&files);
    }
    (void)posix_spawnattr_destroy(&attributes);
    return error;
}

/* Has it ended? It stays known to the system, so that its number is nobody else's. */
static bool has_ended(pid_t child)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

/* Waits for a time or until something is written. */
static void look(line_tail *tail, int stream, bool *open)
{
    struct pollfd wait = {.fd = *open ? stream : -1, .events = POLLIN};
    if (poll(&wait, 1, LOOK_EVERY) > 0) *open = take_ready(tail, stream);
}

/* Asks the group to end, which lets a command end what is not of its group, and ends it. */
static void end_group(pid_t child, line_tail *tail, int stream, bool *open)
{
    double until = session_seconds() + GRACE / 1000.0;
    (void)kill(-child, SIGTERM);
    while (!has_ended(child) && session_seconds() < until) look(tail, stream, open);
}

static void wait_for(outside_process *process, pid_t child, int stream, double limit)
{
    line_tail tail = {.last = process->last_line};
    bool open = true, own_end = true;
    double started = session_seconds();
    int how = 0;
    while (own_end && !has_ended(child)) {
        look(&tail, stream, &open);
        bool late = limit > 0.0 && session_seconds() - started >= limit;
        if (!late && !session_interrupted()) continue;
        own_end = false;
        process->end = session_interrupted() ? OUTSIDE_INTERRUPTED : OUTSIDE_TIMED_OUT;
    }
    process->seconds = session_seconds() - started;
    if (!own_end) end_group(child, &tail, stream, &open);
    (void)kill(-child, SIGKILL); /* also what a command that is over has left behind */
    while (waitpid(child, &how, 0) < 0 && errno == EINTR) {
    }
    for (int reads = 0; open && reads < LAST_READS; reads++) {
        struct pollfd ready = {.fd = stream, .events = POLLIN};
        open = poll(&ready, 1, 0) > 0 && take_ready(&tail, stream);
    }
    end_line(&tail);
    if (!own_end) return;
    process->end = WIFSIGNALED(how) ? OUTSIDE_SIGNALLED : OUTSIDE_EXITED;
    process->code = WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how);
}

int outside_process_run(outside_process *process, const char *script, const char *first,
                        const char *second, double limit)
{
    int errors[2];
    pid_t child;
    char shell[] = "sh", flag[] = "-c";
    union { /* posix_spawn does not write to the texts */
        const char *given;
        char *taken;
    } texts[3] = {{.given = script}, {.given = first}, {.given = second}};
    char *const words[] = {shell,          flag, texts[0].taken, shell, texts[1].taken,
                           texts[2].taken, NULL};
    *process = (outside_process){.end = OUTSIDE_EXITED};
    if (pipe2(errors, O_CLOEXEC) != 0) return errno;
    (void)fcntl(errors[0], F_SETFL, O_NONBLOCK);
    int error = start(&child, errors[1], words);
    (void)close(errors[1]);
    if (!error) wait_for(process, child, errors[0], limit);
    (void)close(errors[0]);
    return error;
}
