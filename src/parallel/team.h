/* team.h - the processes of a run and the loops they share (scone_team in scone_lab.h).
 *
 * All processes run the same program on the same data. Whatever is cheap or must be known
 * everywhere each of them does for itself; the expensive loops go through team_for, after which all
 * hold the results of all items, byte for byte those that one process would have computed. Since
 * the owner of an item sends its bytes to the others, decisions that follow are the same
 * everywhere.
 *
 * Every exchange begins with a meeting, in which each process says what it is about to do and
 * whether it has failed. A process that fails leaves by way of its cleanup and comes to the meeting
 * of scone_team_agree; the others learn of it at the meeting they come to next, whichever that is,
 * and fail with the same message. So nobody waits for a process that gave up. From then on the team
 * exchanges nothing. Processes that do different work, because their data or options differ, find
 * out in the same way.
 *
 * All of this must be called from the main thread, outside of loops over threads or items; inside
 * of an item of team_for, team_for is parallel_for. A NULL context, a context without a team and a
 * team of one process are fine everywhere and cost nothing.
 */
#ifndef SCONE_PARALLEL_TEAM_H
#define SCONE_PARALLEL_TEAM_H

#include "parallel/parallel.h"
#include "scone_lab.h"

/* Runs body for items 0 .. count-1, item i in process i mod size and there on the threads of
 * context. The body of item i writes its result, plain bytes without pointers, to
 * results + i * result_size; on return every process has all of them. With result_size 0 nothing is
 * sent. A failing item fails the call in all processes: among those that ran, the lowest. If stage
 * is not NULL, progress is reported on the items of this process. */
scone_status team_for(size_t count, const scone_context *context, const char *stage,
                      parallel_body body, void *argument, void *results, size_t result_size);

/* counts[i] = the sum of counts[i] over the processes; exact, so in any order. */
scone_status team_sum(const scone_context *context, uint32_t *counts, size_t count);

/* Copies bytes of process 0 to all others. */
scone_status team_spread(const scone_context *context, void *bytes, size_t size);

/* Fails with SCONE_ERR_INPUT unless all processes hold the same bytes; `what` is plural, as in "the
 * tables", for the message. */
scone_status team_same(const scone_context *context, const void *bytes, size_t size,
                       const char *what);

/* scone_team_agree for a call's end: the same status everywhere. */
scone_status team_agree(const scone_context *context, scone_status status);

/* Is this process the one that keeps files? */
bool team_is_first(const scone_context *context);

/* ---- large items of very different lengths ---- */

/* Computes the result of an item; on process 0 in a thread of its own. Must not use the team. */
typedef scone_status (*team_item)(void *argument, size_t item, void *result);
/* Takes the result of an item; only on process 0, in its main thread, in the order in which items
 * are finished. */
typedef scone_status (*team_taker)(void *argument, size_t item, const void *result);

/* Hands out items 0 .. count-1 to whichever process is free. After a failure no further item is
 * begun, and those at work are still taken. */
scone_status team_hand_out(size_t count, const scone_context *context, team_item body,
                           team_taker take, void *argument, size_t result_size);

/* ---- how the processes reach each other ---- */

/* Everything that a team needs from MPI; the tests have another one, over threads. */
typedef struct team_link {
    void *state;
    int rank, size, processors;
    /* all [size, bytes] = what each process has in mine [bytes]; at most TEAM_PIECE bytes in all,
     * or one byte of each. Waits without using the processor. */
    scone_status (*gather)(void *state, void *all, const void *mine, size_t bytes);
    /* bytes of process `from` to all */
    scone_status (*spread)(void *state, void *bytes, size_t size, int from);
    scone_status (*send)(void *state, const void *bytes, size_t size, int to);
    /* From any process if *from is -1, which becomes the sender. *arrived is false if nothing is
     * there and wait is false. */
    scone_status (*receive)(void *state, void *bytes, size_t size, int *from, bool wait,
                            bool *arrived);
    /* in_order: all processes come here. */
    void (*close)(void *state, bool in_order);
} team_link;

enum { TEAM_PIECE = 16 << 20 };

/* team_mpi.c or team_alone.c: joins the processes of the launcher. */
scone_status team_link_open(team_link *link);
/* Takes the link over, also on failure. `piece`: as TEAM_PIECE. */
scone_status team_alloc(scone_team **team, const team_link *link, size_t piece);

/* ---- for team_hand_out.c ---- */

/* The link of a team with other processes that is not in use, else NULL. */
const team_link *team_reach(const scone_context *context);
/* The meeting: process `status` is about to do `work` on so many things. */
typedef enum team_work {
    TEAM_AGREE = 1,
    TEAM_FOR,
    TEAM_SUM,
    TEAM_SPREAD,
    TEAM_SAME,
    TEAM_HAND_OUT
} team_work;
scone_status team_meet(scone_team *team, scone_status status, team_work work, uint64_t first,
                       uint64_t second, size_t failed);
/* The link failed: no process can be reached any more. Returns status. */
scone_status team_lose(scone_team *team, scone_status status);

#endif
