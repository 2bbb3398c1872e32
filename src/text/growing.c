/* growing.c - text that grows as it is printed to (see growing.h). */
#include "text/growing.h"

#include <stdarg.h>
#include <stdio.h>

void growing_print(growing *g, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = g->failed ? -1 : vsnprintf(NULL, 0, format, again);
    va_end(again);
    g->failed |= length < 0;
    if (!g->failed && g->length + (size_t)length + 1 > g->size) {
        size_t size = 2 * g->size + (size_t)length + 64;
        char *text = mem_resize(g->text, size, 1);
        g->failed = !text;
        if (text) {
            g->text = text;
            g->size = size;
        }
    }
    if (!g->failed) {
        (void)vsnprintf(g->text + g->length, g->size - g->length, format, arguments);
        g->length += (size_t)length;
    }
    va_end(arguments);
}

scone_status growing_finish(char **text, growing *g)
{
    growing_print(g, "%s", "");
    *text = g->failed ? NULL : g->text;
    bool failed = g->failed;
    if (failed) mem_free(g->text);
    *g = (growing){0};
    return failed ? SCONE_ERR_MEMORY : SCONE_OK;
}
