/* team_hand_out.c - large items for whichever process is free (see team.h).
 *
 * Process 0 keeps the list. Its main thread, the only one that may use the link, waits for messages
 * and takes results while a second thread works on items of its own; the main threads of all other
 * processes ask, work and send what they found. A message to process 0 has a fixed length: a head,
 * and the result of an item or the failure it ended with.
 */
#include "parallel/team.h"

#include "base/memory.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static const uint64_t no_item = UINT64_MAX;

typedef struct hand_head {
    uint64_t item;   /* no_item in the first message of a process */
    uint64_t status; /* scone_status of the item */
} hand_head;

typedef enum worker_state { WORKER_IDLE, WORKER_BUSY, WORKER_DONE, WORKER_ENDED } worker_state;

typedef struct hand_out {
    const scone_context *context;
    const team_link *link;
    team_item body;
    team_taker take;
    void *argument;
    size_t count, next; /* items; the next one to hand out */
    size_t payload;     /* bytes of a message after its head */
    char *message;      /* head and payload */
    int waiting;        /* other processes that have not been sent home */
    bool failed;
    status_record failure;
    bool lost; /* that was the link */

    /* the second thread of process 0 */
    pthread_t thread;
    bool threaded;
    pthread_mutex_t lock; /* guards what follows, but for the payload while the worker is busy */
    pthread_cond_t changed;
    worker_state state;
    hand_head own;
    char *own_payload;
} hand_out;

/* ---- one item ---- */

static void work(const hand_out *h, hand_head *head, char *payload)
{
    scone_status status = h->body(h->argument, (size_t)head->item, payload);
    head->status = (uint64_t)status;
    if (status != SCONE_OK) {
        status_record record;
        memset(&record, 0, sizeof record);
        status_save(&record, status);
        memcpy(payload, &record, sizeof record);
    }
}

static void note_failure(hand_out *h, scone_status status)
{
    if (!h->failed) status_save(&h->failure, status);
    h->failed = true;
}

static void take_result(hand_out *h, const hand_head *head, const char *payload)
{
    if (head->status != SCONE_OK) {
        status_record record;
        memcpy(&record, payload, sizeof record);
        note_failure(h, status_restore(&record));
        return;
    }
    scone_status status = h->take(h->argument, (size_t)head->item, payload);
    if (status != SCONE_OK) note_failure(h, status);
}

static uint64_t next_item(hand_out *h)
{
    return h->failed || h->next == h->count ? no_item : h->next++;
}

/* ---- the other processes ---- */

static scone_status work_for_others(hand_out *h)
{
    scone_status status = SCONE_OK;
    hand_head head = {no_item, SCONE_OK};
    for (;;) {
        uint64_t item;
        int from = 0;
        bool arrived;
        memcpy(h->message, &head, sizeof head);
        TRY(h->link->send(h->link->state, h->message, sizeof head + h->payload, 0));
        TRY(h->link->receive(h->link->state, &item, sizeof item, &from, true, &arrived));
        if (item == no_item) break;
        head.item = item;
        work(h, &head, h->message + sizeof head);
    }
cleanup:
    return status;
}

/* ---- process 0 ---- */

static void *work_in_thread(void *argument)
{
    hand_out *h = argument;
    pthread_mutex_lock(&h->lock);
    for (;;) {
        while (h->state == WORKER_IDLE || h->state == WORKER_DONE) {
            pthread_cond_wait(&h->changed, &h->lock);
        }
        if (h->state == WORKER_ENDED) break;
        pthread_mutex_unlock(&h->lock);
        work(h, &h->own, h->own_payload);
        pthread_mutex_lock(&h->lock);
        h->state = WORKER_DONE;
        pthread_cond_broadcast(&h->changed);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

/* Takes what the second thread has done and gives it more; true while it is at work. Waits up to a
 * millisecond for it, which is also how long a message may lie. */
static bool serve_thread(hand_out *h)
{
    if (!h->threaded) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        return false;
    }
    pthread_mutex_lock(&h->lock);
    if (h->state == WORKER_BUSY) {
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&h->changed, &h->lock, &until);
    }
    worker_state state = h->state;
    pthread_mutex_unlock(&h->lock);
    if (state == WORKER_BUSY) return true;
    if (state == WORKER_DONE) take_result(h, &h->own, h->own_payload);
    h->own.item = next_item(h);
    bool more = h->own.item != no_item;
    pthread_mutex_lock(&h->lock);
    h->state = more ? WORKER_BUSY : WORKER_IDLE;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
    if (!more) (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return more;
}

/* Takes the messages that are there and answers them. */
static scone_status serve_processes(hand_out *h)
{
    scone_status status = SCONE_OK;
    for (bool arrived = true; h->waiting > 0 && arrived;) {
        hand_head head;
        int from = -1;
        TRY(h->link->receive(h->link->state, h->message, sizeof head + h->payload, &from, false,
                             &arrived));
        if (!arrived) break;
        memcpy(&head, h->message, sizeof head);
        if (head.item != no_item) take_result(h, &head, h->message + sizeof head);
        uint64_t item = next_item(h);
        TRY(h->link->send(h->link->state, &item, sizeof item, from));
        if (item == no_item) h->waiting--;
    }
cleanup:
    return status;
}

/* Until every item is taken and every process sent home. */
static scone_status serve(hand_out *h)
{
    bool working = true;
    for (unsigned turn = 0; working || h->waiting > 0; turn++) {
        scone_status status = serve_processes(h);
        if (status != SCONE_OK) {
            /* Nobody can be reached: what the own thread is at is still taken. */
            note_failure(h, status);
            h->waiting = 0;
            h->lost = true;
        }
        working = serve_thread(h);
        /* A request to stop is heard also while this process has nothing to do itself. */
        if (turn % 100 == 0 && !h->failed && !working && h->context->progress) {
            bool go_on = context_progress(h->context, "waiting", 0.0) == SCONE_OK;
            if (!go_on) note_failure(h, SCONE_ERR_INPUT);
        }
    }
    return h->failed ? status_restore(&h->failure) : SCONE_OK;
}

static void end_thread(hand_out *h)
{
    if (!h->threaded) return;
    pthread_mutex_lock(&h->lock);
    h->state = WORKER_ENDED;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
    (void)pthread_join(h->thread, NULL);
}

/* ---- the call ---- */

static scone_status alone(size_t count, team_item body, team_taker take, void *argument,
                          size_t result_size)
{
    scone_status status = SCONE_OK;
    char *result = NULL;
    TRY_ZERO(result, result_size);
    for (size_t item = 0; item < count; item++) {
        TRY(body(argument, item, result));
        TRY(take(argument, item, result));
    }
cleanup:
    mem_free(result);
    return status;
}

static scone_status prepare(hand_out *h, size_t result_size)
{
    scone_status status = SCONE_OK;
    size_t size;
    h->payload = result_size > sizeof(status_record) ? result_size : sizeof(status_record);
    if (!size_add(&size, h->payload, sizeof(hand_head))) FAIL(SCONE_ERR_MEMORY, "out of memory");
    TRY_ZERO(h->message, size);
    TRY_ZERO(h->own_payload, h->payload);
cleanup:
    return status;
}

scone_status team_hand_out(size_t count, const scone_context *context, team_item body,
                           team_taker take, void *argument, size_t result_size)
{
    const team_link *link = team_reach(context);
    if (!link) return alone(count, body, take, argument, result_size);
    hand_out *h = mem_zero(1, sizeof *h);
    scone_status status = h ? SCONE_OK : SCONE_ERR_MEMORY;
    if (h) {
        *h = (hand_out){.context = context,
                        .link = link,
                        .body = body,
                        .take = take,
                        .argument = argument,
                        .count = count,
                        .waiting = link->size - 1};
        pthread_mutex_init(&h->lock, NULL);
        pthread_cond_init(&h->changed, NULL);
        status = prepare(h, result_size);
    }
    TRY(team_meet(context->team, status, TEAM_HAND_OUT, count, result_size, SIZE_MAX));
    if (link->rank != 0) {
        status = work_for_others(h);
        if (status != SCONE_OK) (void)team_lose(context->team, status);
    } else {
        /* Without a second thread the other processes do everything. */
        h->threaded = pthread_create(&h->thread, NULL, work_in_thread, h) == 0;
        status = serve(h);
        end_thread(h);
        if (h->lost) (void)team_lose(context->team, status);
    }
    status = team_meet(context->team, status, TEAM_AGREE, count, 0, SIZE_MAX);
cleanup:
    if (h) {
        pthread_cond_destroy(&h->changed);
        pthread_mutex_destroy(&h->lock);
        mem_free(h->message);
        mem_free(h->own_payload);
    }
    mem_free(h);
    return status;
}
