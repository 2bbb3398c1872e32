/* examine.c - findings of the preflight as warnings of a run (see examine.h). */
#include "discover/examine.h"

#include "preflight/check_conditions.h"

#include <string.h>

/* Findings that the run tells by itself; of single conditions it tells none. */
static bool told_elsewhere(const scone_finding *finding)
{
    return finding->condition_count == 0 && (strcmp(finding->code, "constant-column") == 0 ||
                                             strcmp(finding->code, "same-table") == 0);
}

/* The end of the findings with the code of the one at `first`; findings are sorted. */
static size_t same_code(const scone_check *check, size_t first)
{
    const scone_finding *like = scone_check_get(check, first);
    size_t last = first + 1;
    for (; last < scone_check_count(check); last++) {
        const scone_finding *next = scone_check_get(check, last);
        if (next->severity != like->severity || strcmp(next->code, like->code) != 0) break;
    }
    return last;
}

/* Findings [first, last) of one code: the first of them is the worst. */
static scone_status warn(warning_list *warnings, const scone_check *check, size_t first,
                         size_t last, const scone_context *context)
{
    const scone_finding *worst = scone_check_get(check, first);
    const char *then = *worst->remedy ? "; " : "";
    if (last == first + 1) {
        return warnings_add(warnings, context, "%s%s%s", worst->message, then, worst->remedy);
    }
    return warnings_add(warnings, context, "%s%s%s (and %zu more like this: scone check has all)",
                        worst->message, then, worst->remedy, last - first - 1);
}

scone_status examine_tables(warning_list *warnings, const scone_pair *given,
                            const scone_conditions *conditions, const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_check *check = NULL;
    TRY(conditions ? check_conditions(&check, conditions, given, context)
                   : scone_check_run(&check, given, context));
    for (size_t f = 0, end; f < scone_check_count(check); f = end) {
        const scone_finding *finding = scone_check_get(check, f);
        end = same_code(check, f);
        if (finding->severity < SCONE_SEVERITY_WARNING || told_elsewhere(finding)) continue;
        TRY(warn(warnings, check, f, end, context));
    }
cleanup:
    scone_check_free(check);
    return status;
}
