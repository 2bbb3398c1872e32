/* test_team.c - loops shared by several processes: every item once, the same results and the same
 * failure everywhere, nobody left waiting. The processes are threads here (thread_team.h);
 * cli/test_mpi.sh has real ones. */
#include "thread_team.h"

#include <time.h>

enum { ITEMS = 120, RANKS = 5, LONGEST = 257 };

/* What the bodies of all processes share and record. */
typedef struct trial {
    size_t count, size; /* items, bytes of a result */
    size_t bad[2];      /* items that fail; SIZE_MAX: none */
    int runs[ITEMS];    /* atomic: how often each item ran */
    char results[RANKS][ITEMS * LONGEST];
    scone_status status[RANKS], later[RANKS], agreed[RANKS];
    char message[RANKS][256];
    int odd;                 /* a process that behaves otherwise; -1: none */
    int taken[ITEMS], order; /* of team_hand_out */
    size_t refused;          /* the item whose result is refused */
    bool begun;              /* atomic: another process than 0 is at an item */
} trial;

typedef struct trial_process {
    trial *t;
    int rank;
    const scone_context *context;
} trial_process;

static trial *trial_new(size_t count, size_t size)
{
    trial *t = calloc(1, sizeof *t);
    t->count = count;
    t->size = size;
    t->bad[0] = t->bad[1] = t->refused = SIZE_MAX;
    t->odd = -1;
    return t;
}

static char byte_of(size_t item, size_t at)
{
    return (char)(item * 31 + at * 7 + 3);
}

static void record(trial *t, int rank, scone_status status)
{
    t->status[rank] = status;
    (void)snprintf(t->message[rank], sizeof t->message[rank], "%s",
                   status == SCONE_OK ? "" : scone_error_message());
}

static scone_status fill(void *argument, size_t item, int worker)
{
    const trial_process *p = argument;
    trial *t = p->t;
    (void)worker;
    (void)__atomic_fetch_add(&t->runs[item], 1, __ATOMIC_RELAXED);
    if (item == t->bad[0] || item == t->bad[1]) {
        return RAISE(SCONE_ERR_MEMORY, "item %zu failed", item);
    }
    for (size_t b = 0; b < t->size; b++) {
        t->results[p->rank][item * t->size + b] = byte_of(item, b);
    }
    return SCONE_OK;
}

static void loop_body(int rank, const scone_context *context, void *shared)
{
    trial *t = shared;
    trial_process p = {t, rank, context};
    record(t, rank, team_for(t->count, context, NULL, fill, &p, t->results[rank], t->size));
    /* the team goes on after a success and stays where it is after a failure */
    t->later[rank] = team_for(1, context, NULL, fill, &p, t->results[rank], t->size);
    t->agreed[rank] = scone_team_agree(context->team, SCONE_OK, NULL);
}

static void check_results(const trial *t, int ranks)
{
    for (int r = 0; r < ranks; r++) {
        if (t->status[r] != SCONE_OK) fail_msg("process %d: %s", r, t->message[r]);
        for (size_t i = 0; i < t->count; i++) {
            for (size_t b = 0; b < t->size; b++) {
                if (t->results[r][i * t->size + b] != byte_of(i, b)) {
                    fail_msg("%d processes, %zu items of %zu: process %d has a wrong item %zu",
                             ranks, t->count, t->size, r, i);
                }
            }
        }
    }
}

static void test_shared_loop(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 3, 7, 40, ITEMS}, sizes[] = {0, 1, 8, 13, LONGEST};
    static const size_t pieces[] = {1, 50, TEAM_PIECE};
    for (int ranks = 1; ranks <= RANKS; ranks++) {
        for (size_t c = 0; c < 7; c++) {
            for (size_t s = 0; s < 5; s++) {
                size_t piece = pieces[(c + s + (size_t)ranks) % 3];
                trial *t = trial_new(counts[c], sizes[s]);
                CHECK(thread_team_run(ranks, piece, 1 + ranks % 2, 0, loop_body, t) == ranks);
                check_results(t, ranks);
                for (size_t i = 1; i < t->count; i++) CHECK(t->runs[i] == 1);
                for (int r = 0; r < ranks; r++) {
                    CHECK(t->later[r] == SCONE_OK && t->agreed[r] == SCONE_OK);
                }
                free(t);
            }
        }
    }
}

static void test_alone(void **state)
{
    (void)state;
    trial *t = trial_new(20, 8);
    trial_process p = {t, 0, NULL};
    uint32_t counts[2] = {3, 4};
    CHECK_OK(team_for(20, NULL, NULL, fill, &p, t->results[0], 8));
    check_results(t, 1);
    t->bad[0] = 5;
    CHECK_FAILS(team_for(20, NULL, NULL, fill, &p, t->results[0], 8), SCONE_ERR_MEMORY,
                "item 5 failed");
    CHECK_OK(team_sum(NULL, counts, 2));
    CHECK(counts[0] == 3 && counts[1] == 4);
    CHECK_OK(team_spread(NULL, counts, sizeof counts));
    CHECK_OK(team_same(NULL, counts, sizeof counts, "the counts"));
    CHECK(team_is_first(NULL));
    CHECK(scone_team_rank(NULL) == 0 && scone_team_size(NULL) == 1);
    CHECK(scone_team_processors(NULL) == 1);
    CHECK_OK(scone_team_agree(NULL, SCONE_OK, "fine"));
    CHECK_FAILS(scone_team_agree(NULL, SCONE_ERR_IO, "no disk"), SCONE_ERR_IO, "no disk");
    scone_team_close(NULL);
    free(t);
}

/* ---- failures ---- */

static void check_failure(const trial *t, int ranks, scone_status status, const char *message)
{
    for (int r = 0; r < ranks; r++) {
        CHECK(t->status[r] == status);
        if (!strstr(t->message[r], message)) {
            fail_msg("process %d: '%s' lacks '%s'", r, t->message[r], message);
        }
        assert_string_equal(t->message[r], t->message[0]);
        CHECK(t->later[r] == status && t->agreed[r] == status);
    }
}

static void test_failing_item(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= RANKS; ranks++) {
        trial *t = trial_new(100, 8);
        t->bad[0] = 37;
        t->bad[1] = 12;
        CHECK(thread_team_run(ranks, 64, 1, 0, loop_body, t) == ranks);
        check_failure(t, ranks, SCONE_ERR_MEMORY, "item 12 failed");
        bool known = 12 % ranks == 0 || 37 % ranks == 0; /* to process 0 */
        CHECK((strstr(t->message[0], "(in process") == NULL) == known);
        free(t);
    }
}

/* One process gives up by itself while the others are at, or on their way to, a shared loop. */
static void leaving_body(int rank, const scone_context *context, void *shared)
{
    trial *t = shared;
    trial_process p = {t, rank, context};
    if (rank == t->odd) {
        record(t, rank, scone_team_agree(context->team, SCONE_ERR_IO, "no such file"));
        t->later[rank] = t->status[rank];
        t->agreed[rank] = scone_team_agree(context->team, SCONE_OK, NULL);
        return;
    }
    loop_body(p.rank, context, shared);
}

static void test_leaving(void **state)
{
    (void)state;
    for (int odd = 0; odd < 3; odd++) {
        trial *t = trial_new(10, 8);
        t->odd = odd;
        CHECK(thread_team_run(3, TEAM_PIECE, 1, 0, leaving_body, t) == 3);
        check_failure(t, 3, SCONE_ERR_IO, "no such file");
        char place[32];
        (void)snprintf(place, sizeof place, "(in process %d of 3)", odd);
        CHECK((strstr(t->message[0], place) != NULL) == (odd != 0));
        free(t);
    }
}

static void differing_body(int rank, const scone_context *context, void *shared)
{
    trial *t = shared;
    trial_process p = {t, rank, context};
    size_t count = rank == t->odd ? t->count + 1 : t->count;
    record(t, rank, team_for(count, context, NULL, fill, &p, t->results[rank], t->size));
    t->later[rank] = team_same(context, "", 0, "the nothings");
    t->agreed[rank] = scone_team_agree(context->team, SCONE_OK, NULL);
}

static void same_body(int rank, const scone_context *context, void *shared)
{
    trial *t = shared;
    scone_status before = team_same(context, "equal", 5, "the words");
    const char *word = rank == t->odd ? "mine" : "ours";
    record(t, rank, team_same(context, word, 4, "the tables"));
    if (before != SCONE_OK) t->status[rank] = before;
    t->later[rank] = team_spread(context, t->results[rank], 8);
    t->agreed[rank] = scone_team_agree(context->team, SCONE_OK, NULL);
}

static void test_differing(void **state)
{
    (void)state;
    trial *t = trial_new(6, 8);
    t->odd = 2;
    CHECK(thread_team_run(4, TEAM_PIECE, 1, 0, differing_body, t) == 4);
    check_failure(t, 4, SCONE_ERR_INPUT, "processes 0 and 2 do different work");
    CHECK(thread_team_run(4, TEAM_PIECE, 1, 0, same_body, t) == 4);
    check_failure(t, 4, SCONE_ERR_INPUT, "the tables of processes 0 and 2 differ");
    t->odd = -1;
    CHECK(thread_team_run(4, TEAM_PIECE, 1, 0, same_body, t) == 4);
    for (int r = 0; r < 4; r++) CHECK(t->status[r] == SCONE_OK && t->agreed[r] == SCONE_OK);
    free(t);
}

/* A link that fails ends the work of every process, and the team is not closed in order, which
 * would wait for others. */
static void test_broken_link(void **state)
{
    (void)state;
    for (int meetings = 1; meetings <= 4; meetings++) {
        trial *t = trial_new(40, 8);
        CHECK(thread_team_run(3, 64, 1, meetings, loop_body, t) == 0);
        for (int r = 0; r < 3; r++) {
            CHECK(t->agreed[r] == SCONE_ERR_IO);
            CHECK(t->status[r] == SCONE_ERR_IO && t->later[r] == SCONE_ERR_IO);
        }
        free(t);
    }
}

/* ---- inside of an item the team is not there ---- */

static scone_status nested(void *argument, size_t item, int worker)
{
    trial_process *p = argument;
    trial own = {.count = 3, .size = 0, .bad = {SIZE_MAX, SIZE_MAX}};
    trial_process inner = {&own, 0, p->context};
    (void)worker;
    scone_status status = team_for(3, p->context, NULL, fill, &inner, NULL, 0);
    for (int i = 0; i < 3; i++) p->t->results[p->rank][item * 8 + (size_t)i] = (char)own.runs[i];
    return status;
}

static void nested_body(int rank, const scone_context *context, void *shared)
{
    trial *t = shared;
    trial_process p = {t, rank, context};
    record(t, rank, team_for(t->count, context, NULL, nested, &p, t->results[rank], 8));
}

static void test_nested(void **state)
{
    (void)state;
    trial *t = trial_new(10, 8);
    CHECK(thread_team_run(3, TEAM_PIECE, 1, 0, nested_body, t) == 3);
    for (int r = 0; r < 3; r++) {
        CHECK(t->status[r] == SCONE_OK);
        for (size_t i = 0; i < 10; i++) assert_memory_equal(&t->results[r][i * 8], "\1\1\1", 3);
    }
    free(t);
}

/* ---- sums and copies ---- */

static void sum_body(int rank, const scone_context *context, void *shared)
{
    trial *t = shared;
    uint32_t *counts = (uint32_t *)(void *)t->results[rank];
    for (size_t i = 0; i < t->count; i++) counts[i] = (uint32_t)(i * 10) + (uint32_t)rank;
    record(t, rank, team_sum(context, counts, t->count));
    char *word = t->results[rank] + 4096;
    (void)snprintf(word, 16, "from %d", rank);
    if (t->status[rank] == SCONE_OK) record(t, rank, team_spread(context, word, 16));
}

static void test_sum_and_spread(void **state)
{
    (void)state;
    static const size_t pieces[] = {1, 60, TEAM_PIECE};
    for (size_t p = 0; p < 3; p++) {
        trial *t = trial_new(100, 0);
        CHECK(thread_team_run(4, pieces[p], 1, 0, sum_body, t) == 4);
        for (int r = 0; r < 4; r++) {
            const uint32_t *counts = (const uint32_t *)(const void *)t->results[r];
            CHECK(t->status[r] == SCONE_OK);
            for (size_t i = 0; i < 100; i++) CHECK(counts[i] == 40 * i + 6);
            assert_string_equal(t->results[r] + 4096, "from 0");
        }
        free(t);
    }
}

/* ---- large items ---- */

static void pause_briefly(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static scone_status compute(void *argument, size_t item, void *result)
{
    trial_process *p = argument;
    trial *t = p->t;
    (void)__atomic_fetch_add(&t->runs[item], 1, __ATOMIC_RELAXED);
    if (item == t->bad[0]) return RAISE(SCONE_ERR_INPUT, "item %zu is bad", item);
    if (t->odd == 0) { /* process 0 is done long before another one */
        if (p->rank > 0) __atomic_store_n(&t->begun, true, __ATOMIC_RELEASE);
        for (int ms = 0; p->rank > 0 && ms < 400; ms++) pause_briefly();
        while (!__atomic_load_n(&t->begun, __ATOMIC_ACQUIRE)) pause_briefly();
    }
    for (size_t b = 0; b < t->size; b++) ((char *)result)[b] = byte_of(item, b);
    return SCONE_OK;
}

static scone_status take(void *argument, size_t item, const void *result)
{
    trial_process *p = argument;
    trial *t = p->t;
    if (item == t->refused) return RAISE(SCONE_ERR_IO, "no room for item %zu", item);
    if (p->rank != 0) return RAISE(SCONE_ERR_DEFECT, "process %d takes results", p->rank);
    memcpy(t->results[0] + item * t->size, result, t->size);
    t->taken[item] = ++t->order;
    return SCONE_OK;
}

static bool go_on(void *user, const char *stage, double done)
{
    const int *stop = user;
    (void)stage;
    (void)done;
    return !*stop;
}

static void hand_out_body(int rank, const scone_context *context, void *shared)
{
    trial *t = shared;
    trial_process p = {t, rank, context};
    int stop = rank == 0 && t->odd == 0;
    scone_context telling = *context;
    telling.progress = go_on;
    telling.user = &stop;
    record(t, rank, team_hand_out(t->count, &telling, compute, take, &p, t->size));
    t->later[rank] = t->agreed[rank] = scone_team_agree(context->team, SCONE_OK, NULL);
}

static void test_hand_out(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 3, 50};
    for (int ranks = 1; ranks <= RANKS; ranks++) {
        for (size_t c = 0; c < 4; c++) {
            trial *t = trial_new(counts[c], LONGEST);
            CHECK(thread_team_run(ranks, TEAM_PIECE, 1, 0, hand_out_body, t) == ranks);
            for (int r = 0; r < ranks; r++) {
                CHECK(t->status[r] == SCONE_OK && t->agreed[r] == SCONE_OK);
            }
            check_results(t, 1);
            for (size_t i = 0; i < counts[c]; i++) CHECK(t->runs[i] == 1 && t->taken[i] > 0);
            free(t);
        }
    }
}

static void test_hand_out_fails(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= 4; ranks++) {
        trial *t = trial_new(30, 16);
        t->bad[0] = 9;
        CHECK(thread_team_run(ranks, TEAM_PIECE, 1, 0, hand_out_body, t) == ranks);
        check_failure(t, ranks, SCONE_ERR_INPUT, "item 9 is bad");
        int begun = 0, taken = 0;
        for (int i = 0; i < 30; i++) {
            begun += t->runs[i];
            taken += t->taken[i] > 0;
        }
        CHECK(taken == begun - 1); /* what others were at is kept */
        free(t);
        t = trial_new(30, 16);
        t->refused = 4;
        CHECK(thread_team_run(ranks, TEAM_PIECE, 1, 0, hand_out_body, t) == ranks);
        check_failure(t, ranks, SCONE_ERR_IO, "no room for item 4");
        free(t);
    }
}

/* A process that only waits for the others hears the request to stop. */
static void test_hand_out_stops(void **state)
{
    (void)state;
    trial *t = trial_new(2, 16);
    t->odd = 0;
    CHECK(thread_team_run(2, TEAM_PIECE, 1, 0, hand_out_body, t) == 2);
    check_failure(t, 2, SCONE_ERR_INPUT, "stopped on request");
    CHECK(t->taken[0] > 0 && t->taken[1] > 0);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),          cmocka_unit_test(test_shared_loop),
        cmocka_unit_test(test_failing_item),   cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_differing),      cmocka_unit_test(test_broken_link),
        cmocka_unit_test(test_nested),         cmocka_unit_test(test_sum_and_spread),
        cmocka_unit_test(test_hand_out),       cmocka_unit_test(test_hand_out_fails),
        cmocka_unit_test(test_hand_out_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
