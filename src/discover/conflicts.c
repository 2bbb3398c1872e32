/* conflicts.c - conflicts of certificates in words (see conflicts.h). */
#include "discover/conflicts.h"

#include <string.h>

scone_status conflicts_list(conflict_list *out, const reasons *r, const char *voice,
                            const char *const *names)
{
    scone_status status = SCONE_OK;
    char *text = NULL;
    *out = (conflict_list){.count = 0};
    TRY(arena_alloc(&out->memory, 0));
    TRY_ALLOC(out->texts, r->count);
    TRY_ALLOC(out->reasons, r->count);
    for (size_t i = 0; i < r->count; i++) {
        if (!reason_conflicts(&r->list[i])) continue;
        TRY(reasons_conflict(&text, r, i, voice, names));
        const char *kept = arena_text(out->memory, text, strlen(text));
        if (!kept) TRY(SCONE_ERR_MEMORY);
        out->reasons[out->count] = i;
        out->texts[out->count++] = kept;
        mem_free(text);
        text = NULL;
    }
cleanup:
    mem_free(text);
    return status;
}

void conflicts_free(conflict_list *list)
{
    arena_free(list->memory);
    mem_free(list->texts);
    mem_free(list->reasons);
    *list = (conflict_list){.count = 0};
}

scone_status conflicts_warn(const conflict_list *list, warning_list *warnings,
                            const scone_context *context)
{
    if (list->count == 0) return SCONE_OK;
    if (list->count == 1) return warnings_add(warnings, context, "%s", list->texts[0]);
    return warnings_add(warnings, context, "%s; and %zu more such conflicts (graph.json has all)",
                        list->texts[0], list->count - 1);
}
