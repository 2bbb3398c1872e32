/* context.h - notes, warnings, progress and threads of a call (see scone_context in scone.h).
 *
 * Every helper accepts a NULL context. Log and progress callbacks are serialized: callbacks of
 * one process never run at the same time.
 */
#ifndef SCONE_BASE_CONTEXT_H
#define SCONE_BASE_CONTEXT_H

#include "base/status.h"

int context_threads(const scone_context *context); /* at least 1 */
void context_log(const scone_context *context, scone_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports progress; fails with SCONE_ERR_INPUT if the caller asks to stop. */
scone_status context_progress(const scone_context *context, const char *stage, double done);
/* Asks whether to go on without telling anything new: for the inside of long steps, so that a
 * request to stop is heard within a second. From any thread; costs a lock. */
scone_status context_check(const scone_context *context);

#endif
