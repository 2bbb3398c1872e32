/* main.c - the scone program: picks the command and returns its exit code.
 *
 * Exit codes: 0 done; 1 the input or the request is wrong; 2 usage; 3 a file cannot be read or
 * written; 4 out of memory; 5 a defect in scone.
 */
#include "commands.h"
#include "launch.h"
#include "scone.h"
#include "session.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

const command_entry all_commands[] = {
    {&command_discover, run_discover, true},
    {&command_explain, run_explain, false},
    {&command_check, run_check, false},
    {&command_simulate, run_simulate, false},
    {&command_eval, run_eval, false},
    {&command_bench, run_bench, true},
    {&command_train, run_train, true},
    {&command_model, run_model, false},
    {&command_verify, run_verify, false},
    {&command_help, run_help, false},
    {NULL, NULL, false},
};

const command_entry *find_command(const char *name)
{
    const char *names[sizeof all_commands / sizeof *all_commands];
    size_t count = 0;
    for (const command_entry *entry = all_commands; entry->about; entry++) {
        if (strcmp(entry->about->name, name) == 0) return entry;
        names[count++] = entry->about->name;
    }
    const char *near = nearest_word(name, names, count);
    if (near) {
        (void)usage_error(NULL, "unknown command '%.100s'; did you mean '%s'?", name, near);
    } else {
        (void)usage_error(NULL, "unknown command '%.100s'", name);
    }
    return NULL;
}

/* A file opened later must never become the standard output or error by accident: a closed one is
 * taken by a descriptor that refuses to be written. */
static bool occupy_standard_files(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
        if (fcntl(file, F_GETFD) != -1) continue;
        if (open("/dev/null", O_RDONLY) != file) return false; /* takes the lowest free number */
    }
    return true;
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stderr);
        return SCONE_ERR_USAGE;
    }
    const char *first = argv[1];
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
        (void)printf("scone %s\n", scone_version());
        return stdout_check(SCONE_OK);
    }
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
        print_overview(stdout);
        return stdout_check(SCONE_OK);
    }
    if (first[0] == '-') {
        return usage_error(NULL,
                           "unknown option '%.100s'; the command comes first, as in scone "
                           "check OBS INT",
                           first);
    }
    const command_entry *entry = find_command(first);
    if (!entry) return SCONE_ERR_USAGE;
    if (!entry->shared && !launch_is_first()) return SCONE_OK;
    return entry->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    if (!occupy_standard_files()) return SCONE_ERR_IO;
    /* A reader that went away is a failed write, reported like any other. */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* so is a file that outgrows the limit of its size */
    int code = launch_begin();
    if (code == SCONE_OK) code = run_command(argc, argv);
    code = launch_end(code);
    session_end_signal();
    return code;
}
