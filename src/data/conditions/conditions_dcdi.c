/* conditions_dcdi.c - a problem of a DCDI or SEA folder, each regime other than 0 a condition (see
 * conditions.h and data/dcdi.h). O(cells).
 */
#include "data/conditions/conditions.h"

#include "base/context.h"
#include "data/dcdi.h"

#include <inttypes.h>
#include <string.h>

enum { NUMBER = 24 }; /* bytes of a regime's number as text */

/* Table k + 1 gets the rows of regime k; table 0 those of regime 0, unless it is there already. */
static scone_status divide(table **tables, const dcdi_rows *rows, const dcdi_regimes *regimes)
{
    scone_status status = SCONE_OK;
    size_t *to = NULL;
    bool given = tables[0] != NULL;
    TRY_ALLOC(to, regimes->rows);
    for (size_t r = 0; r < regimes->rows; r++) {
        bool control = regimes->of_row[r] == SIZE_MAX;
        to[r] = control ? (given ? SIZE_MAX : 0) : regimes->of_row[r] + 1;
    }
    TRY(conditions_copy_rows(tables, regimes->count + 1, rows->rows, to));
    TRY(input_list_join(&tables[0]->inputs, &rows->rows->inputs));
cleanup:
    mem_free(to);
    return status;
}

/* Names the tables and hands them over. */
static scone_status adopt(scone_conditions **out, table **tables, const dcdi_regimes *regimes)
{
    scone_status status = SCONE_OK;
    const char **names = NULL;
    char(*texts)[NUMBER] = NULL;
    TRY_ALLOC(names, regimes->count + 1);
    TRY_ALLOC(texts, regimes->count + 1);
    (void)snprintf(texts[0], NUMBER, "0");
    for (size_t k = 0; k < regimes->count; k++) {
        (void)snprintf(texts[k + 1], NUMBER, "%" PRIu64, regimes->numbers[k]);
    }
    for (size_t k = 0; k <= regimes->count; k++) names[k] = texts[k];
    TRY(conditions_adopt(out, tables, names, regimes->count + 1));
cleanup:
    mem_free(names);
    mem_free(texts);
    return status;
}

scone_status scone_conditions_read_dcdi(scone_conditions **out, const char *folder, size_t index,
                                        const scone_read_options *options,
                                        const scone_context *context)
{
    scone_status status = SCONE_OK;
    dcdi_rows rows = {0};
    dcdi_regimes regimes = {0};
    table **tables = NULL;
    *out = NULL;
    TRY(dcdi_read_rows(&rows, folder, index, options, context));
    TRY(dcdi_regimes_number(&regimes, rows.regimes, rows.rows->rows));
    if (regimes.count > CONDITIONS_MOST) {
        FAIL(SCONE_ERR_INPUT,
             "%s tells %zu regimes apart, more than the limit of %d conditions; give those that "
             "belong together one number",
             rows.regime_path, regimes.count, CONDITIONS_MOST);
    }
    if (regimes.count < rows.several) {
        context_log(context, SCONE_NOTE,
                    "%s: %zu of %zu regimes are left out, since all of their rows were dropped",
                    rows.path, rows.several - regimes.count, rows.several);
    }
    TRY_ZERO(tables, regimes.count + 1);
    TRY(dcdi_read_observational(&tables[0], &rows, folder, index, options, context));
    TRY(divide(tables, &rows, &regimes));
    size_t others = 0;
    for (size_t k = 1; k <= regimes.count; k++) others += tables[k]->rows;
    TRY(dcdi_check_rows(tables[0]->rows, others, rows.path, options));
    if (regimes.count == 0) TRY(dcdi_check_rows(1, 0, rows.path, NULL));
    TRY(adopt(out, tables, &regimes));
cleanup:
    for (size_t k = 0; tables && k <= regimes.count; k++) scone_table_free(tables[k]);
    mem_free(tables);
    dcdi_regimes_free(&regimes);
    dcdi_rows_free(&rows);
    return status;
}
