/* context.c - callbacks of a call, and the progress bar (see context.h). */
#include "base/context.h"

#include "base/clock.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdarg.h>
#include <string.h>

static pthread_mutex_t callback_lock = PTHREAD_MUTEX_INITIALIZER;

int context_threads(const scone_context *context)
{
    return context && context->threads > 1 ? context->threads : 1;
}

void context_log(const scone_context *context, scone_level level, const char *format, ...)
{
    if (!context || !context->log) return;
    char text[STATUS_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&callback_lock);
    context->log(context->user, level, text);
    pthread_mutex_unlock(&callback_lock);
}

/* What was told last, under the lock; context_check tells it again. */
static struct {
    char stage[64];
    double done;
} told;

scone_status context_progress(const scone_context *context, const char *stage, double done)
{
    if (!context || !context->progress) return SCONE_OK;
    pthread_mutex_lock(&callback_lock);
    if (strncmp(told.stage, stage, sizeof told.stage - 1) != 0) {
        (void)snprintf(told.stage, sizeof told.stage, "%s", stage);
    }
    told.done = done;
    bool go_on = context->progress(context->user, stage, done);
    pthread_mutex_unlock(&callback_lock);
    return go_on ? SCONE_OK : RAISE(SCONE_ERR_INPUT, "stopped on request during '%s'", stage);
}

scone_status context_check(const scone_context *context)
{
    char stage[sizeof told.stage];
    if (!context || !context->progress) return SCONE_OK;
    pthread_mutex_lock(&callback_lock);
    memcpy(stage, told.stage, sizeof stage);
    bool go_on = context->progress(context->user, stage, told.done);
    pthread_mutex_unlock(&callback_lock);
    return go_on ? SCONE_OK : RAISE(SCONE_ERR_INPUT, "stopped on request during '%s'", stage);
}

/* ---- the bar: "simulate  [#####     ]  52%  0:12 left", drawn ten times a second at most ---- */

enum { BAR_WIDTH = 30 };

struct scone_bar {
    FILE *stream;
    char stage[64];
    double started, drawn; /* seconds */
    bool visible;
};

scone_status scone_bar_alloc(scone_bar **bar, FILE *stream)
{
    *bar = mem_zero(1, sizeof **bar);
    if (!*bar) return SCONE_ERR_MEMORY;
    (*bar)->stream = stream;
    return SCONE_OK;
}

bool scone_bar_update(void *user, const char *stage, double done)
{
    scone_bar *bar = user;
    double now = clock_seconds();
    if (strncmp(bar->stage, stage, sizeof bar->stage - 1) != 0) {
        (void)snprintf(bar->stage, sizeof bar->stage, "%s", stage);
        bar->started = now;
        bar->drawn = 0.0;
    }
    if (now - bar->drawn < 0.1 && done < 1.0) return true;
    bar->drawn = now;
    if (!(done >= 0.0)) done = 0.0;
    if (done > 1.0) done = 1.0;

    char cells[BAR_WIDTH + 1];
    int filled = (int)(done * BAR_WIDTH);
    for (int i = 0; i < BAR_WIDTH; i++) cells[i] = i < filled ? '#' : ' ';
    cells[BAR_WIDTH] = '\0';
    (void)fprintf(bar->stream, "\r%-24.24s [%s] %3.0f%%", bar->stage, cells, 100.0 * done);
    double elapsed = now - bar->started;
    if (done > 0.0 && elapsed > 1.0) {
        long left = (long)(elapsed * (1.0 - done) / done + 0.5);
        (void)fprintf(bar->stream, "  %ld:%02ld left ", left / 60, left % 60);
    } else {
        (void)fprintf(bar->stream, "            ");
    }
    (void)fflush(bar->stream);
    bar->visible = true;
    return true;
}

void scone_bar_free(scone_bar *bar)
{
    if (!bar) return;
    if (bar->visible) {
        (void)fprintf(bar->stream, "\r%76s\r", "");
        (void)fflush(bar->stream);
    }
    mem_free(bar);
}
