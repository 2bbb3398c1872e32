/* blas_reserve.c - threads and buffers are taken before the work, where a lack of them can be told.
 *
 * OpenBLAS takes a buffer of 128 MB of address space for every call that runs at the same time as
 * others, keeps it, and tries for ever if it gets none; libgomp ends the program if a thread cannot
 * be started. Neither can be asked to fail, so both are made to take what they need while nothing
 * depends on it: as many threads are started as there are, and as many buffers as fit.
 */
#include "scone_lab.h"

#include "linalg/blas.h"

#include <omp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* With some room for the work itself. */
enum { BUFFER_BYTES = 128 << 20, SPARE_BYTES = 4 << 20, RESERVE_MOST = 1024 };

/* Functions of OpenBLAS; another BLAS has none, and needs none. */
void *blas_memory_alloc(int position) __attribute__((weak));
void blas_memory_free(void *buffer) __attribute__((weak));

/* ---- threads ---- */

typedef struct gathering {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool over;
} gathering;

static void *wait_for_end(void *argument)
{
    gathering *g = argument;
    (void)pthread_mutex_lock(&g->lock);
    while (!g->over) (void)pthread_cond_wait(&g->changed, &g->lock);
    (void)pthread_mutex_unlock(&g->lock);
    return NULL;
}

/* How many of `wanted` threads, this one included, can be there at the same time? */
static int count_threads(int wanted)
{
    pthread_t threads[RESERVE_MOST];
    gathering g = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    int started = 0;
    while (started < wanted - 1) {
        if (pthread_create(&threads[started], NULL, wait_for_end, &g) != 0) break;
        started++;
    }
    (void)pthread_mutex_lock(&g.lock);
    g.over = true;
    (void)pthread_cond_broadcast(&g.changed);
    (void)pthread_mutex_unlock(&g.lock);
    for (int t = 0; t < started; t++) (void)pthread_join(threads[t], NULL);
    return started + 1;
}

/* libgomp keeps the threads of a loop for the next. */
static void start_threads(int count)
{
    int sum = 0;
    if (count < 2) return;
#pragma omp parallel num_threads(count) reduction(+ : sum)
    sum += omp_get_thread_num();
    (void)sum;
}

/* ---- buffers ---- */

static bool is_limited(void)
{
    static const __rlimit_resource_t kinds[] = {RLIMIT_AS, RLIMIT_DATA};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct rlimit found;
        if (getrlimit(kinds[k], &found) == 0 && found.rlim_cur != RLIM_INFINITY) return true;
    }
    return false;
}

static bool has_room(size_t bytes)
{
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return false;
    (void)munmap(room, bytes);
    return true;
}

/* Makes OpenBLAS take up to `wanted` buffers; returns how many it has. */
static int take_buffers(int wanted)
{
    void *buffers[RESERVE_MOST];
    int taken = 0;
    while (taken < wanted && has_room((size_t)BUFFER_BYTES + SPARE_BYTES)) {
        buffers[taken++] = blas_memory_alloc(0);
    }
    for (int b = 0; b < taken; b++) blas_memory_free(buffers[b]);
    return taken;
}

scone_status scone_reserve(int *threads)
{
    int wanted = *threads > 1 ? *threads : 1;
    if (wanted > RESERVE_MOST) wanted = RESERVE_MOST;
    if (wanted > 1) wanted = count_threads(wanted);
    blas_prepare();
    if (is_limited() && blas_memory_alloc && blas_memory_free) {
        int buffers = take_buffers(wanted);
        if (buffers == 0) {
            return RAISE(SCONE_ERR_MEMORY,
                         "out of memory: the address space of this process is limited (ulimit -v), "
                         "and the linear algebra alone needs %d MB more; raise the limit",
                         (BUFFER_BYTES + SPARE_BYTES) >> 20);
        }
        wanted = buffers;
        /* The buffers may have taken the room for stacks. */
        if (wanted > 1) wanted = count_threads(wanted);
    }
    start_threads(wanted);
    *threads = wanted;
    return SCONE_OK;
}
