/* parallel.c - the parallel loop (see parallel.h). */
#include "parallel/parallel.h"

#include "base/memory.h"

#include <omp.h>

typedef struct loop_state {
    const scone_context *context;
    const char *stage;
    parallel_body body;
    void *argument;
    size_t first, step, count; /* item k of the loop is item first + k step of the caller */
    size_t finished;           /* guarded by the critical section, like what follows */
    size_t failed_item;        /* SIZE_MAX if none */
    status_record *failure;
    bool stop;
} loop_state;

static void note_failure(loop_state *loop, size_t item, scone_status status)
{
    if (item < loop->failed_item) {
        loop->failed_item = item;
        status_save(loop->failure, status);
    }
    __atomic_store_n(&loop->stop, true, __ATOMIC_RELAXED);
}

static void run_item(loop_state *loop, size_t index, int worker)
{
    if (__atomic_load_n(&loop->stop, __ATOMIC_RELAXED)) return;
    size_t item = loop->first + index * loop->step;
    scone_status status = loop->body(loop->argument, item, worker);
#pragma omp critical(scone_parallel_for)
    {
        if (status == SCONE_OK && loop->stage) {
            loop->finished++;
            status = context_progress(loop->context, loop->stage,
                                      (double)loop->finished / (double)loop->count);
        }
        if (status != SCONE_OK) note_failure(loop, item, status);
    }
}

scone_status parallel_share(size_t *failed, size_t first, size_t step, size_t count,
                            const scone_context *context, const char *stage, parallel_body body,
                            void *argument)
{
    *failed = SIZE_MAX;
    if (first >= count) return SCONE_OK;
    status_record *failure = mem_alloc(1, sizeof *failure);
    if (!failure) return SCONE_ERR_MEMORY;
    size_t own = (count - first - 1) / step + 1;
    loop_state loop = {.context = context,
                       .stage = stage,
                       .body = body,
                       .argument = argument,
                       .first = first,
                       .step = step,
                       .count = own,
                       .failed_item = SIZE_MAX,
                       .failure = failure};
    int threads = context_threads(context);
    if ((size_t)threads > own) threads = (int)own;
    if (threads == 1) {
        for (size_t index = 0; index < own && !loop.stop; index++) run_item(&loop, index, 0);
    } else {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
        for (size_t index = 0; index < own; index++) run_item(&loop, index, omp_get_thread_num());
    }
    *failed = loop.failed_item;
    scone_status status = loop.failed_item == SIZE_MAX ? SCONE_OK : status_restore(failure);
    mem_free(failure);
    return status;
}

scone_status parallel_for(size_t count, const scone_context *context, const char *stage,
                          parallel_body body, void *argument)
{
    size_t failed;
    return parallel_share(&failed, 0, 1, count, context, stage, body, argument);
}

void parallel_plain(size_t count, int threads, parallel_plain_body body, void *argument)
{
    if (count < (size_t)threads) threads = (int)count;
    if (threads <= 1) {
        for (size_t item = 0; item < count; item++) body(argument, item, 0);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t item = 0; item < count; item++) body(argument, item, omp_get_thread_num());
}
