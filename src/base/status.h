/* status.h - how functions report failure.
 *
 * A function that can fail returns scone_status. It raises a failure with FAIL, forwards one with
 * TRY, and leaves through a single label `cleanup` that frees what it owns:
 *
 *     scone_status status = SCONE_OK;
 *     TRY(first_step(...));
 *     if (bad) FAIL(SCONE_ERR_INPUT, "%s: row %zu: ...; do ...", path, row);
 * cleanup:
 *     mem_free(buffer);
 *     return status;
 *
 * The message lives in thread-local storage of fixed size, so raising a failure never allocates.
 */
#ifndef SCONE_BASE_STATUS_H
#define SCONE_BASE_STATUS_H

#include "scone.h"

enum { STATUS_MESSAGE_SIZE = 2048 };

/* Sets this thread's message and location and returns `status`. */
scone_status status_raise(scone_status status, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Puts "prefix: " before this thread's message (e.g. the file a parser was working on). */
void status_prefix(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A failure as a value, to carry it from a worker thread to the caller. */
typedef struct status_record {
    scone_status status;
    char message[STATUS_MESSAGE_SIZE];
    char location[64];
} status_record;

void status_save(status_record *record, scone_status status);
scone_status status_restore(const status_record *record);

/* Raise without a cleanup label. Yields status_ itself and not the function's result, so that the
 * compiler sees that it is a failure. */
#define RAISE(status_, ...)                                                                        \
    ((void)status_raise((status_), __FILE__, __LINE__, __VA_ARGS__), (status_))

/* Raise and go to cleanup; needs `scone_status status` in scope. */
#define FAIL(status_, ...)                                                                         \
    do {                                                                                           \
        status = RAISE((status_), __VA_ARGS__);                                                    \
        goto cleanup;                                                                              \
    } while (0)

/* Forward a failure to cleanup. */
#define TRY(expression_)                                                                           \
    do {                                                                                           \
        status = (expression_);                                                                    \
        if (status != SCONE_OK) goto cleanup;                                                      \
    } while (0)

/* For what cannot happen unless scone itself is wrong. */
#define FAIL_DEFECT(what_) FAIL(SCONE_ERR_DEFECT, "internal error: %s; please report this", (what_))

#endif
