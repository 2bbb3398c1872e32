/* warnings.c - see warnings.h. */
#include "discover/warnings.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 2, 0))) static const char *
make_text(arena *memory, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : arena_get(memory, (size_t)length + 1, 1);
    if (text) (void)vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

scone_status warnings_add(warning_list *list, const scone_context *context, const char *format, ...)
{
    scone_status status = SCONE_OK;
    va_list arguments;
    va_start(arguments, format);
    if (!list->memory) TRY(arena_alloc(&list->memory, 0));
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 8;
        const char **grown = mem_resize(list->texts, capacity, sizeof *grown);
        if (!grown) TRY(SCONE_ERR_MEMORY);
        list->texts = grown;
        list->capacity = capacity;
    }
    const char *text = make_text(list->memory, format, arguments);
    if (!text) TRY(SCONE_ERR_MEMORY);
    list->texts[list->count++] = text;
    context_log(context, SCONE_WARNING, "%s", text);
cleanup:
    va_end(arguments);
    return status;
}

void warnings_free(warning_list *list)
{
    arena_free(list->memory);
    mem_free(list->texts);
    *list = (warning_list){0};
}
