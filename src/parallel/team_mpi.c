/* team_mpi.c - processes that reach each other through MPI (see team.h). The only file that knows
 * MPI; team_alone.c takes its place in builds without.
 *
 * Only the main thread calls MPI (MPI_THREAD_FUNNELED). Errors come back as values where MPI can do
 * that; when a process dies, the launcher ends the others.
 */
#include "parallel/team.h"

#include "base/memory.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <time.h>

enum { TEAM_TAG = 1 };

typedef struct mpi_state {
    MPI_Comm all;
    bool owner; /* MPI was started here and ends with the team */
} mpi_state;

static scone_status check(int code, const char *what)
{
    if (code == MPI_SUCCESS) return SCONE_OK;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) text[0] = '\0';
    return RAISE(SCONE_ERR_IO, "the processes of the run cannot %s: %s", what, text);
}

static scone_status check_thread(void)
{
    int main_thread = 0;
    scone_status status = check(MPI_Is_thread_main(&main_thread), "be reached");
    if (status != SCONE_OK || main_thread) return status;
    return RAISE(SCONE_ERR_USAGE, "a team may only be used by the thread that opened it");
}

/* Waits politely: the first moments at full attention, since most waits are short, then asleep most
 * of the time, since a process that waits for a long item should not slow it down. */
static scone_status wait_for(MPI_Request *request)
{
    enum { ATTENTIVE = 2000, LONGEST = 1000000 /* nanoseconds */ };
    long pause = 1000;
    for (int tries = 0;; tries++) {
        int done = 0;
        scone_status status = check(MPI_Test(request, &done, MPI_STATUS_IGNORE), "exchange data");
        if (status != SCONE_OK || done) return status;
        if (tries < ATTENTIVE) {
            (void)sched_yield();
            continue;
        }
        (void)nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        pause = pause < LONGEST / 2 ? 2 * pause : LONGEST;
    }
}

static scone_status gather(void *state, void *all, const void *mine, size_t bytes)
{
    scone_status status = SCONE_OK;
    const mpi_state *mpi = state;
    MPI_Request request;
    TRY(check_thread());
    TRY(check(
        MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, mpi->all, &request),
        "exchange data"));
    TRY(wait_for(&request));
cleanup:
    return status;
}

static scone_status spread(void *state, void *bytes, size_t size, int from)
{
    const mpi_state *mpi = state;
    char *next = bytes;
    while (size > 0) {
        size_t part = size < TEAM_PIECE ? size : TEAM_PIECE;
        int code = MPI_Bcast(next, (int)part, MPI_BYTE, from, mpi->all);
        if (code != MPI_SUCCESS) return check(code, "exchange data");
        next += part;
        size -= part;
    }
    return SCONE_OK;
}

static scone_status send(void *state, const void *bytes, size_t size, int to)
{
    const mpi_state *mpi = state;
    if (size > INT_MAX) return RAISE(SCONE_ERR_MEMORY, "a message of %zu bytes is too long", size);
    return check(MPI_Send(bytes, (int)size, MPI_BYTE, to, TEAM_TAG, mpi->all), "exchange data");
}

static scone_status receive(void *state, void *bytes, size_t size, int *from, bool wait,
                            bool *arrived)
{
    scone_status status = SCONE_OK;
    const mpi_state *mpi = state;
    MPI_Status about;
    MPI_Request request;
    int source = *from < 0 ? MPI_ANY_SOURCE : *from, there = 0;
    *arrived = false;
    if (size > INT_MAX) FAIL(SCONE_ERR_MEMORY, "a message of %zu bytes is too long", size);
    if (!wait) {
        TRY(check(MPI_Iprobe(source, TEAM_TAG, mpi->all, &there, &about), "exchange data"));
        if (!there) return SCONE_OK;
        source = *from = about.MPI_SOURCE;
    }
    TRY(check(MPI_Irecv(bytes, (int)size, MPI_BYTE, source, TEAM_TAG, mpi->all, &request),
              "exchange data"));
    TRY(wait_for(&request));
    *arrived = true;
cleanup:
    return status;
}

static void close_link(void *state, bool in_order)
{
    mpi_state *mpi = state;
    MPI_Request request;
    /* Nobody may end before the first process has written its last byte: some launchers end all
     * processes when one of them returns a failure. */
    if (in_order && MPI_Ibarrier(mpi->all, &request) == MPI_SUCCESS) (void)wait_for(&request);
    if (in_order) (void)MPI_Comm_free(&mpi->all);
    /* Out of order this would wait for ever; the launcher ends the others. */
    if (in_order && mpi->owner) (void)MPI_Finalize();
    mem_free(mpi);
}

/* Each processor that this process may run on, divided by the processes of this machine that may
 * run on it. */
static scone_status count_processors(int *processors, MPI_Comm all)
{
    scone_status status = SCONE_OK;
    MPI_Comm machine = MPI_COMM_NULL;
    cpu_set_t mine, *sets = NULL;
    int size = 1;
    double share = 0.0;
    CPU_ZERO(&mine);
    (void)sched_getaffinity(0, sizeof mine, &mine);
    TRY(check(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine), "meet"));
    TRY(check(MPI_Comm_size(machine, &size), "meet"));
    TRY_ALLOC(sets, (size_t)size);
    TRY(check(
        MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, sets, (int)sizeof mine, MPI_BYTE, machine),
        "meet"));
    for (size_t c = 0; c < CPU_SETSIZE; c++) {
        int users = 0;
        for (int p = 0; p < size; p++) users += CPU_ISSET(c, &sets[p]) != 0;
        if (CPU_ISSET(c, &mine)) share += 1.0 / (double)users;
    }
    *processors = share > 1.0 ? (int)(share + 1e-9) : 1;
cleanup:
    if (machine != MPI_COMM_NULL) (void)MPI_Comm_free(&machine);
    mem_free(sets);
    return status;
}

/* Starts MPI unless the program did. */
static scone_status start(mpi_state *mpi)
{
    scone_status status = SCONE_OK;
    int running = 0, ended = 0, level = MPI_THREAD_SINGLE;
    TRY(check(MPI_Finalized(&ended), "start"));
    if (ended) FAIL(SCONE_ERR_USAGE, "MPI has ended in this process and cannot start again");
    TRY(check(MPI_Initialized(&running), "start"));
    if (running) {
        TRY(check(MPI_Query_thread(&level), "start"));
    } else {
        TRY(check(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level), "start"));
        mpi->owner = true;
    }
    if (level < MPI_THREAD_FUNNELED) {
        FAIL(SCONE_ERR_USAGE, "MPI is started without threads; ask for MPI_THREAD_FUNNELED");
    }
    TRY(check(MPI_Comm_dup(MPI_COMM_WORLD, &mpi->all), "meet"));
    TRY(check(MPI_Comm_set_errhandler(mpi->all, MPI_ERRORS_RETURN), "meet"));
cleanup:
    return status;
}

scone_status team_link_open(team_link *link)
{
    scone_status status = SCONE_OK;
    mpi_state *mpi = NULL;
    *link = (team_link){.size = 1, .processors = 1};
    TRY_ZERO(mpi, 1);
    TRY(start(mpi));
    TRY(check(MPI_Comm_rank(mpi->all, &link->rank), "meet"));
    TRY(check(MPI_Comm_size(mpi->all, &link->size), "meet"));
    TRY(count_processors(&link->processors, mpi->all));
    link->state = mpi;
    link->gather = gather;
    link->spread = spread;
    link->send = send;
    link->receive = receive;
    link->close = close_link;
    return SCONE_OK;
cleanup:
    mem_free(mpi);
    return status;
}
