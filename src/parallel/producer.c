/* producer.c - items made ahead of their use (see producer.h). */
#include "parallel/producer.h"

#include "base/memory.h"
#include "parallel/parallel.h"

#include <pthread.h>

struct producer {
    producer_body body;
    void *argument;
    size_t *items; /* [count] */
    size_t count;
    pthread_t *threads; /* [started] */
    int started;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool *made;    /* [count] */
    size_t next;   /* place of the item to begin next */
    size_t first;  /* place of the first item that is not made */
    size_t failed; /* lowest item that failed, SIZE_MAX: none */
    int busy;      /* background threads that have not ended */
    bool stop;     /* no item is begun any more */
    status_record failure;
};

/* ---- one item ---- */

/* Begins and ends the next item; the lock is held before and after, not meanwhile. */
static void make_next(producer *p)
{
    size_t place = p->next++, item = p->items[place];
    pthread_mutex_unlock(&p->lock);
    scone_status status = p->body(p->argument, item);
    pthread_mutex_lock(&p->lock);
    if (status == SCONE_OK) {
        p->made[place] = true;
        while (p->first < p->count && p->made[p->first]) p->first++;
    } else {
        p->stop = true;
        if (item < p->failed) {
            p->failed = item;
            status_save(&p->failure, status);
        }
    }
    pthread_cond_broadcast(&p->changed);
}

static void *work_ahead(void *argument)
{
    producer *p = argument;
    pthread_mutex_lock(&p->lock);
    while (!p->stop && p->next < p->count) make_next(p);
    p->busy--;
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- the one who waits ---- */

typedef struct wait_state {
    producer *p;
    size_t limit;
} wait_state;

static bool all_made(const wait_state *w)
{
    return w->p->first == w->p->count || w->p->items[w->p->first] >= w->limit;
}

static scone_status help(void *argument, size_t item, int worker)
{
    const wait_state *w = argument;
    producer *p = w->p;
    (void)item, (void)worker;
    pthread_mutex_lock(&p->lock);
    while (!p->stop && !all_made(w)) {
        if (p->next < p->count)
            make_next(p);
        else
            pthread_cond_wait(&p->changed, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return SCONE_OK;
}

scone_status producer_wait(producer *p, size_t limit, int threads)
{
    wait_state w = {p, limit};
    const scone_context context = {.threads = threads};
    scone_status status = parallel_for(threads > 1 ? (size_t)threads : 1, &context, NULL, help, &w);
    if (status != SCONE_OK) return status;
    pthread_mutex_lock(&p->lock);
    /* A failed item is not made: a background thread may be at one that nobody waits for yet. */
    if (p->stop && p->failed != SIZE_MAX) status = status_restore(&p->failure);
    pthread_mutex_unlock(&p->lock);
    return status;
}

/* ---- beginning and end ---- */

scone_status producer_start(producer **out, const size_t *items, size_t count, int ahead,
                            producer_body body, void *argument)
{
    scone_status status = SCONE_OK;
    producer *p = NULL;
    *out = NULL;
    TRY_ZERO(p, 1);
    p->body = body;
    p->argument = argument;
    p->count = count;
    p->failed = SIZE_MAX;
    (void)pthread_mutex_init(&p->lock, NULL); /* cannot fail without attributes */
    (void)pthread_cond_init(&p->changed, NULL);
    TRY_ALLOC(p->items, count);
    TRY_ZERO(p->made, count);
    for (size_t k = 0; k < count; k++) p->items[k] = items[k];
    TRY_ZERO(p->threads, ahead > 0 ? (size_t)ahead : 1);
    pthread_mutex_lock(&p->lock);
    while (p->started < ahead &&
           pthread_create(&p->threads[p->started], NULL, work_ahead, p) == 0) {
        p->started++;
    }
    p->busy = p->started;
    pthread_mutex_unlock(&p->lock);
    *out = p;
    p = NULL;
cleanup:
    producer_stop(p);
    return status;
}

int producer_busy(producer *p)
{
    pthread_mutex_lock(&p->lock);
    int busy = p->busy;
    pthread_mutex_unlock(&p->lock);
    return busy;
}

void producer_stop(producer *p)
{
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_mutex_unlock(&p->lock);
    for (int k = 0; k < p->started; k++) (void)pthread_join(p->threads[k], NULL);
    (void)pthread_cond_destroy(&p->changed);
    (void)pthread_mutex_destroy(&p->lock);
    mem_free(p->threads);
    mem_free(p->made);
    mem_free(p->items);
    mem_free(p);
}
