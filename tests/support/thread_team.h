/* thread_team.h - a team whose processes are threads of the test: everything that is above MPI can
 * be tested, with any number of processes, without a launcher.
 *
 * thread_team_run(size, piece, body, shared) calls body(rank, context, shared) in `size` threads,
 * each with a context whose team joins them. Bodies record; checks are made afterwards, since a
 * failed check may not leave another thread than the main one.
 */
#ifndef SCONE_TESTS_THREAD_TEAM_H
#define SCONE_TESTS_THREAD_TEAM_H

#include "base/memory.h"
#include "parallel/team.h"
#include "testing.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREAD_TEAM_LIMIT = 8, THREAD_TEAM_MESSAGES = 64 };

typedef struct thread_message {
    int from, to;
    size_t size;
    char *bytes; /* NULL: free */
} thread_message;

typedef struct thread_world {
    int size;
    pthread_barrier_t barrier;
    const void *shown[THREAD_TEAM_LIMIT]; /* what each process has for the others */
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    thread_message mail[THREAD_TEAM_MESSAGES];
    int closed, in_order; /* calls of close */
    int broken_after;     /* meetings after which gather fails; 0: never */
} thread_world;

typedef struct thread_process {
    thread_world *world;
    int rank, meetings;
} thread_process;

static inline scone_status thread_gather(void *state, void *all, const void *mine, size_t bytes)
{
    thread_process *p = state;
    thread_world *w = p->world;
    if (w->broken_after && p->meetings++ >= w->broken_after) {
        return RAISE(SCONE_ERR_IO, "the wire is cut");
    }
    w->shown[p->rank] = mine;
    pthread_barrier_wait(&w->barrier);
    for (int q = 0; q < w->size; q++) memcpy((char *)all + (size_t)q * bytes, w->shown[q], bytes);
    pthread_barrier_wait(&w->barrier);
    return SCONE_OK;
}

static inline scone_status thread_spread(void *state, void *bytes, size_t size, int from)
{
    thread_process *p = state;
    thread_world *w = p->world;
    if (p->rank == from) w->shown[from] = bytes;
    pthread_barrier_wait(&w->barrier);
    if (p->rank != from) memcpy(bytes, w->shown[from], size);
    pthread_barrier_wait(&w->barrier);
    return SCONE_OK;
}

static inline scone_status thread_send(void *state, const void *bytes, size_t size, int to)
{
    thread_process *p = state;
    thread_world *w = p->world;
    scone_status status = RAISE(SCONE_ERR_DEFECT, "the mailbox is full");
    pthread_mutex_lock(&w->lock);
    for (int m = 0; m < THREAD_TEAM_MESSAGES && status != SCONE_OK; m++) {
        if (w->mail[m].bytes) continue;
        w->mail[m] = (thread_message){p->rank, to, size, malloc(size)};
        memcpy(w->mail[m].bytes, bytes, size);
        status = SCONE_OK;
    }
    pthread_cond_broadcast(&w->arrived);
    pthread_mutex_unlock(&w->lock);
    return status;
}

static inline scone_status thread_receive(void *state, void *bytes, size_t size, int *from,
                                          bool wait, bool *arrived)
{
    thread_process *p = state;
    thread_world *w = p->world;
    *arrived = false;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        for (int m = 0; m < THREAD_TEAM_MESSAGES && !*arrived; m++) {
            thread_message *mail = &w->mail[m];
            if (!mail->bytes || mail->to != p->rank || (*from >= 0 && mail->from != *from))
                continue;
            memcpy(bytes, mail->bytes, size < mail->size ? size : mail->size);
            *from = mail->from;
            *arrived = true;
            free(mail->bytes);
            mail->bytes = NULL;
        }
        if (*arrived || !wait) break;
        pthread_cond_wait(&w->arrived, &w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return SCONE_OK;
}

static inline void thread_close(void *state, bool in_order)
{
    thread_process *p = state;
    pthread_mutex_lock(&p->world->lock);
    p->world->closed++;
    p->world->in_order += in_order;
    pthread_mutex_unlock(&p->world->lock);
}

typedef void (*thread_body)(int rank, const scone_context *context, void *shared);

typedef struct thread_start {
    thread_process process;
    size_t piece;
    int threads;
    thread_body body;
    void *shared;
    bool failed;
} thread_start;

static inline void *thread_main(void *argument)
{
    thread_start *start = argument;
    const team_link link = {.state = &start->process,
                            .rank = start->process.rank,
                            .size = start->process.world->size,
                            .processors = 1,
                            .gather = thread_gather,
                            .spread = thread_spread,
                            .send = thread_send,
                            .receive = thread_receive,
                            .close = thread_close};
    scone_context context = {.threads = start->threads};
    start->failed = team_alloc(&context.team, &link, start->piece) != SCONE_OK;
    if (start->failed) return NULL;
    start->body(start->process.rank, &context, start->shared);
    scone_team_close(context.team);
    return NULL;
}

/* Returns how many processes closed the team in order. */
static inline int thread_team_run(int size, size_t piece, int threads, int broken_after,
                                  thread_body body, void *shared)
{
    thread_world world = {.size = size, .broken_after = broken_after};
    thread_start starts[THREAD_TEAM_LIMIT];
    pthread_t ids[THREAD_TEAM_LIMIT];
    CHECK(size <= THREAD_TEAM_LIMIT);
    pthread_barrier_init(&world.barrier, NULL, (unsigned)size);
    pthread_mutex_init(&world.lock, NULL);
    pthread_cond_init(&world.arrived, NULL);
    for (int r = 0; r < size; r++) {
        starts[r] = (thread_start){{&world, r, 0}, piece, threads, body, shared, false};
        CHECK(pthread_create(&ids[r], NULL, thread_main, &starts[r]) == 0);
    }
    for (int r = 0; r < size; r++) CHECK(pthread_join(ids[r], NULL) == 0);
    for (int r = 0; r < size; r++) CHECK(!starts[r].failed);
    for (int m = 0; m < THREAD_TEAM_MESSAGES; m++) CHECK(world.mail[m].bytes == NULL);
    CHECK(world.closed == size);
    pthread_cond_destroy(&world.arrived);
    pthread_mutex_destroy(&world.lock);
    pthread_barrier_destroy(&world.barrier);
    return world.in_order;
}

#endif
