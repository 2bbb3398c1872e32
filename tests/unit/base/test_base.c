/* test_base.c - status, memory, arena, parallel loop. */
#include "testing.h"

#include "base/arena.h"
#include "parallel/parallel.h"

static scone_status fails_with(int row)
{
    scone_status status = SCONE_OK;
    if (row > 0) FAIL(SCONE_ERR_INPUT, "row %d is wrong", row);
cleanup:
    return status;
}

static void test_status(void **state)
{
    (void)state;
    CHECK_OK(fails_with(0));
    CHECK_FAILS(fails_with(7), SCONE_ERR_INPUT, "row 7 is wrong");
    status_prefix("file %s", "a.csv");
    assert_string_equal(scone_error_message(), "file a.csv: row 7 is wrong");
    assert_non_null(strstr(scone_error_location(), "test_base.c:"));
    /* The old message may be an argument of the new one. */
    (void)RAISE(SCONE_ERR_IO, "again: %s", scone_error_message());
    assert_string_equal(scone_error_message(), "again: file a.csv: row 7 is wrong");
}

static void test_sizes(void **state)
{
    (void)state;
    size_t result = 5;
    CHECK(!size_multiply(&result, SIZE_MAX, 2));
    CHECK(!size_add(&result, SIZE_MAX, 1));
    CHECK(result == 5);
    CHECK(size_multiply(&result, 6, 7) && result == 42);
    CHECK(mem_alloc(SIZE_MAX, 16) == NULL);
    CHECK(mem_aligned(SIZE_MAX - 8, 1) == NULL);
    CHECK(strstr(scone_error_message(), "out of memory") != NULL);
    void *block = mem_aligned(0, 8);
    CHECK(block != NULL && (uintptr_t)block % 64 == 0);
    mem_free(block);
}

static void test_arena(void **state)
{
    (void)state;
    arena *a;
    CHECK_OK(arena_alloc(&a, 256));
    for (int round = 0; round < 2; round++) {
        unsigned char *blocks[40];
        for (size_t i = 0; i < 40; i++) {
            blocks[i] = arena_get(a, 17 * i, 1);
            CHECK(blocks[i] != NULL && (uintptr_t)blocks[i] % 64 == 0);
            memset(blocks[i], (int)i, 17 * i);
        }
        for (size_t i = 0; i < 40; i++) {
            for (size_t k = 0; k < 17 * i; k++) CHECK(blocks[i][k] == i);
        }
        CHECK(strcmp(arena_text(a, "abcdef", 3), "abc") == 0);
        if (round == 0) arena_clear(a);
    }
    size_t held = arena_bytes(a);
    arena_clear(a);
    CHECK(arena_bytes(a) == held); /* clearing keeps the blocks */
    CHECK(arena_get(a, SIZE_MAX / 2, 4) == NULL);
    arena_free(a);
    arena_free(NULL);
}

typedef struct squares {
    double *out;
    size_t bad; /* items from here on, multiples of 10, fail */
} squares;

static scone_status square(void *argument, size_t item, int worker)
{
    squares *job = argument;
    CHECK(worker >= 0 && worker < 4);
    if (item >= job->bad && item % 10 == 0) return RAISE(SCONE_ERR_INPUT, "item %zu", item);
    job->out[item] = (double)(item * item);
    return SCONE_OK;
}

static bool count_progress(void *user, const char *stage, double done)
{
    (void)stage;
    int *calls = user;
    *calls += 1;
    CHECK(done > 0.0 && done <= 1.0);
    return true;
}

static void test_parallel(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        double out[1000] = {0};
        int calls = 0;
        squares job = {out, 5000};
        scone_context context = {.threads = threads, .progress = count_progress, .user = &calls};
        CHECK_OK(parallel_for(1000, &context, "squares", square, &job));
        CHECK(calls == 1000);
        for (size_t i = 0; i < 1000; i++) CHECK_SAME(out[i], (double)(i * i));
        /* The message of a worker thread arrives here. */
        job.bad = 500;
        CHECK_FAILS(parallel_for(1000, &context, NULL, square, &job), SCONE_ERR_INPUT, "item ");
        if (threads == 1) assert_string_equal(scone_error_message(), "item 500");
    }
}

static void square_plainly(void *argument, size_t item, int worker)
{
    squares *job = argument;
    CHECK(worker >= 0 && worker < 4);
    job->out[item] += (double)(item * item);
}

static void test_parallel_plain(void **state)
{
    (void)state;
    for (int threads = 0; threads <= 4; threads++) {
        for (size_t count = 0; count <= 1000; count = 3 * count + 1) {
            double out[1000] = {0};
            squares job = {out, 0};
            parallel_plain(count, threads, square_plainly, &job);
            for (size_t i = 0; i < 1000; i++) CHECK_SAME(out[i], i < count ? (double)(i * i) : 0.0);
        }
    }
}

static bool refuse(void *user, const char *stage, double done)
{
    (void)user;
    (void)stage;
    (void)done;
    return false;
}

static void test_stop(void **state)
{
    (void)state;
    double out[10];
    squares job = {out, 100};
    scone_context context = {.threads = 2, .progress = refuse};
    CHECK_FAILS(parallel_for(10, &context, "squares", square, &job), SCONE_ERR_INPUT, "stopped");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status),         cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_arena),          cmocka_unit_test(test_parallel),
        cmocka_unit_test(test_parallel_plain), cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
