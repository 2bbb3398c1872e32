/* launch.c - joining and leaving the processes of a run (see launch.h). */
#include "launch.h"

#include "scone_lab.h"
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static scone_team *team;
static char complaint[2048];

/* Names come from files: what would move the cursor or turn the direction of writing (C0, C1, the
 * marks U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069) becomes question marks. */
void make_printable(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        bool c1 = c[0] == 0xC2 && c[1] >= 0x80 && c[1] <= 0x9F;
        bool marks = c[0] == 0xE2 && c[1] == 0x80 &&
                     (c[2] == 0x8E || c[2] == 0x8F || (c[2] >= 0xAA && c[2] <= 0xAE));
        bool isolates = c[0] == 0xE2 && c[1] == 0x81 && c[2] >= 0xA6 && c[2] <= 0xA9;
        size_t bytes = c1 ? 2 : marks || isolates ? 3 : (*c < ' ' && *c != '\n') || *c == 127;
        for (size_t b = 0; b < bytes; b++) c[b] = '?';
    }
}

void complain(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)vsnprintf(complaint, sizeof complaint, format, list);
    va_end(list);
    make_printable(complaint);
    (void)fprintf(stderr, "scone: error: %s\n", complaint);
}

scone_team *launch_team(void)
{
    return team;
}

bool launch_is_first(void)
{
    return scone_team_rank(team) == 0;
}

/* The number in the first of these variables that is set, or -1. */
static long number_of(const char *const *variables)
{
    for (; *variables; variables++) {
        const char *text = getenv(*variables);
        if (text && *text) return strtol(text, NULL, 10);
    }
    return -1;
}

/* Joining takes time, so it happens only if a launcher says that there are several processes. What
 * Open MPI, MPICH and Slurm tell the processes they start: */
static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", NULL};

/* Standard output and error of this process lead nowhere from here on. */
static int fall_silent(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool silent = nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0;
    if (silent) silent = dup2(nowhere, STDERR_FILENO) >= 0;
    if (!silent) complain("/dev/null: %s", strerror(errno));
    if (nowhere >= 0) (void)close(nowhere);
    return silent ? SCONE_OK : SCONE_ERR_IO;
}

int launch_begin(void)
{
    long size = number_of(sizes), rank = number_of(ranks);
    if (size == 1 || (size < 0 && rank < 0)) return SCONE_OK;
    /* A stop may come while others still join: whoever it killed then would leave those behind that
     * have already begun, and they could not clear up. */
    session_catch_signals();
    scone_status status = scone_team_open(&team);
    if (status != SCONE_OK) {
        complain("%s", scone_error_message());
        return (int)status;
    }
    if (scone_team_size(team) > 1) return launch_is_first() ? SCONE_OK : fall_silent();
    scone_team_close(team);
    team = NULL;
    if (size < 0) return SCONE_OK;
    /* All of them would do the whole work and write the same files. */
    if (rank <= 0) {
        complain("started as %ld processes that do not see each other: this scone is built "
                 "without MPI, or for another MPI than that of the launcher (see "
                 "docs/manual/several-processes.md)",
                 size);
    }
    return SCONE_ERR_USAGE;
}

int launch_end(int code)
{
    if (!team) return code;
    scone_status agreed =
        scone_team_agree(team, (scone_status)code, complaint[0] ? complaint : NULL);
    if (code == SCONE_OK && agreed != SCONE_OK) {
        complain("%s", scone_error_message());
    }
    (void)fflush(NULL);
    scone_team_close(team);
    team = NULL;
    return (int)agreed;
}
