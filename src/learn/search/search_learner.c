/* search_learner.c - the location-scale search (search.h) as a local learner (learner.h).
 *
 * The search compares two tables. Of one regime they are the rows with an even and with an odd
 * number: no mechanism changes between them, so that its contrast says nothing and the score is
 * that of one regime. Of both regimes they are the two tables. A[i][j] is the search's P(i -> j),
 * fast effort. A search of 8 columns costs some hundredths of a second, most of it independent of
 * the rows, since fast effort looks at 2,000 of each table at most.
 */
#include "learn/search/search.h"
#include "learn/learner.h"

#include <math.h>
#include <string.h>

/* Fewer rows of a table than this tell the search nothing. */
enum { LEAST_ROWS = 20 };

static scone_status learner_search_prepare(void **state, const scone_pair *pair,
                                           const scone_context *context)
{
    scone_status status = SCONE_OK;
    const scone_pair **kept = NULL;
    (void)context;
    TRY_ALLOC(kept, 1);
    *kept = pair;
    *state = kept;
cleanup:
    return status;
}

static void learner_search_release(void *state)
{
    mem_free(state);
}

static size_t times(const learner_task *task, unsigned regime, size_t row)
{
    return task->weights[regime] ? task->weights[regime][row] : 1;
}

/* The rows as the tables of the search get them. `to` NULL: only counts them. */
static void deal_rows(size_t counts[2], scone_table *const *to, const scone_pair *pair,
                      const learner_task *task)
{
    size_t dealt = 0;
    counts[0] = counts[1] = 0;
    for (unsigned regime = 0; regime < 2; regime++) {
        const table *from = pair->tables[regime];
        if (!(task->regimes >> regime & 1u)) continue;
        for (size_t row = 0; row < from->rows; row++) {
            for (size_t again = times(task, regime, row); again > 0; again--, dealt++) {
                size_t side = task->regimes == 3 ? regime : dealt % 2;
                for (size_t c = 0; to && c < task->count; c++) {
                    table_column(to[side], c)[counts[side]] =
                        table_column(from, task->columns[c])[row];
                }
                counts[side]++;
            }
        }
    }
}

static scone_status make_tables(scone_pair *out, const scone_pair *pair, const learner_task *task,
                                const size_t counts[2])
{
    scone_status status = SCONE_OK;
    size_t again[2];
    for (int side = 0; side < 2; side++) {
        TRY(table_alloc(&out->tables[side], counts[side], task->count, NULL));
    }
    deal_rows(again, out->tables, pair, task);
cleanup:
    return status;
}

static scone_status learner_search_run(double *scores, const void *state, const learner_task *task)
{
    scone_status status = SCONE_OK;
    const scone_pair *pair = *(const scone_pair *const *)state;
    const search_options how = {.edge_cost = -1.0};
    scone_pair own = {{NULL, NULL}};
    search_result found = {0};
    size_t counts[2], k = task->count;
    memset(scores, 0, k * k * sizeof *scores);
    deal_rows(counts, NULL, pair, task);
    if (counts[0] < LEAST_ROWS || counts[1] < LEAST_ROWS) return SCONE_OK;
    TRY(make_tables(&own, pair, task, counts));
    TRY(search_run(&found, &own, &how, NULL));
    for (size_t cell = 0; cell < k * k; cell++) scores[cell] = found.probabilities[cell];
cleanup:
    search_result_free(&found);
    scone_table_free(own.tables[0]);
    scone_table_free(own.tables[1]);
    return status;
}

const learner learner_search = {
    .name = "search",
    .threshold = 0.4, /* an edge of which both directions are as likely is one */
    .weight = 1.0,
    .prepare = learner_search_prepare,
    .release = learner_search_release,
    .run = learner_search_run,
};
