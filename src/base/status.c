/* status.c - thread-local failure messages (see status.h). */
#include "base/status.h"

#include <stdarg.h>
#include <string.h>

static _Thread_local status_record last;

static void copy_text(char *to, size_t size, const char *from)
{
    size_t length = strlen(from);
    if (length >= size) length = size - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

scone_status status_raise(scone_status status, const char *file, int line, const char *format, ...)
{
    /* The arguments may point into the old message, so the new one is built beside it. */
    char text[STATUS_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    const char *source = strstr(file, "src/");
    last.status = status;
    copy_text(last.message, sizeof last.message, text);
    (void)snprintf(last.location, sizeof last.location, "%.48s:%d", source ? source : file, line);
    return status;
}

void status_prefix(const char *format, ...)
{
    char text[STATUS_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text - 2) return;
    memcpy(text + length, ": ", 3);
    copy_text(text + length + 2, sizeof text - (size_t)length - 2, last.message);
    copy_text(last.message, sizeof last.message, text);
}

void status_save(status_record *record, scone_status status)
{
    *record = last;
    record->status = status;
}

scone_status status_restore(const status_record *record)
{
    last = *record;
    return record->status;
}

const char *scone_error_message(void)
{
    return last.message;
}

const char *scone_error_location(void)
{
    return last.location;
}

/* 1.2.3 as a literal; the second step lets the macros expand. */
#define VERSION_TEXT(major_, minor_, patch_) #major_ "." #minor_ "." #patch_
#define VERSION(major_, minor_, patch_)      VERSION_TEXT(major_, minor_, patch_)

const char *scone_version(void)
{
    return VERSION(SCONE_VERSION_MAJOR, SCONE_VERSION_MINOR, SCONE_VERSION_PATCH);
}
