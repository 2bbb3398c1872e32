/* parallel.c - the parallel loop (see parallel.h). */
#include "base/parallel.h"

#include "base/memory.h"

#include <omp.h>

typedef struct loop_state {
    const scone_context *context;
    const char *stage;
    parallel_body body;
    void *argument;
    size_t count;
    size_t finished;    /* guarded by the critical section, like what follows */
    size_t failed_item; /* count if none */
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

static void run_item(loop_state *loop, size_t item, int worker)
{
    if (__atomic_load_n(&loop->stop, __ATOMIC_RELAXED)) return;
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

scone_status parallel_for(size_t count, const scone_context *context, const char *stage,
                          parallel_body body, void *argument)
{
    if (count == 0) return SCONE_OK;
    status_record *failure = mem_alloc(1, sizeof *failure);
    if (!failure) return SCONE_ERR_MEMORY;
    loop_state loop = {.context = context,
                       .stage = stage,
                       .body = body,
                       .argument = argument,
                       .count = count,
                       .failed_item = count,
                       .failure = failure};
    int threads = context_threads(context);
    if ((size_t)threads > count) threads = (int)count;
    if (threads == 1) {
        for (size_t item = 0; item < count && !loop.stop; item++) run_item(&loop, item, 0);
    } else {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
        for (size_t item = 0; item < count; item++) run_item(&loop, item, omp_get_thread_num());
    }
    scone_status status = loop.failed_item < count ? status_restore(failure) : SCONE_OK;
    mem_free(failure);
    return status;
}
