/* test_producer.c - items made ahead: every one once, none beyond the threads given, failures, and
 * an end in the middle. */
#include "testing.h"

#include "parallel/producer.h"

#include <time.h>

enum { ITEMS = 60 };

typedef struct bench {
    int made[3 * ITEMS]; /* how often, by item */
    int at_work, most;
    size_t failing; /* item; SIZE_MAX: none */
    bool slow;
} bench;

static scone_status make(void *argument, size_t item)
{
    bench *b = argument;
    int at_work = __atomic_add_fetch(&b->at_work, 1, __ATOMIC_SEQ_CST);
    int most = __atomic_load_n(&b->most, __ATOMIC_SEQ_CST);
    while (most < at_work && !__atomic_compare_exchange_n(&b->most, &most, at_work, false,
                                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    const struct timespec nap = {.tv_nsec = b->slow ? 3000000 : (long)(item % 5) * 100000};
    (void)nanosleep(&nap, NULL);
    __atomic_add_fetch(&b->at_work, -1, __ATOMIC_SEQ_CST);
    if (item == b->failing) return RAISE(SCONE_ERR_INPUT, "item %zu is bad", item);
    __atomic_add_fetch(&b->made[item], 1, __ATOMIC_SEQ_CST);
    return SCONE_OK;
}

/* Items 1, 4, 7, ... */
static void list_items(size_t items[ITEMS])
{
    for (size_t k = 0; k < ITEMS; k++) items[k] = 1 + 3 * k;
}

static void test_all(void **state)
{
    (void)state;
    const struct {
        int ahead, threads;
    } cases[] = {{0, 1}, {0, 3}, {1, 1}, {2, 2}, {3, 1}};
    size_t items[ITEMS];
    list_items(items);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bench b = {.failing = SIZE_MAX};
        producer *p;
        CHECK_OK(producer_start(&p, items, ITEMS, cases[c].ahead, make, &b));
        for (size_t limit = 0; limit <= 3 * ITEMS; limit += 20) {
            CHECK_OK(producer_wait(p, limit, cases[c].threads));
            for (size_t item = 0; item < limit; item++) {
                CHECK(__atomic_load_n(&b.made[item], __ATOMIC_SEQ_CST) == (item % 3 == 1));
            }
        }
        producer_stop(p);
        for (size_t item = 0; item < 3 * ITEMS; item++) CHECK(b.made[item] == (item % 3 == 1));
        CHECK(b.most <= cases[c].ahead + cases[c].threads);
    }
}

/* Without threads of its own nothing is made before somebody waits, and little more than asked. */
static void test_on_demand(void **state)
{
    (void)state;
    bench b = {.failing = SIZE_MAX};
    size_t items[ITEMS], made = 0;
    producer *p;
    list_items(items);
    CHECK_OK(producer_start(&p, items, ITEMS, 0, make, &b));
    CHECK(b.most == 0);
    CHECK_OK(producer_wait(p, 30, 1));
    for (size_t item = 0; item < 3 * ITEMS; item++) made += (size_t)b.made[item];
    CHECK(made == 10);
    producer_stop(p);
}

/* The background goes on by itself. */
static void test_ahead(void **state)
{
    (void)state;
    bench b = {.failing = SIZE_MAX};
    size_t items[ITEMS];
    const struct timespec nap = {.tv_nsec = 1000000};
    producer *p;
    list_items(items);
    CHECK_OK(producer_start(&p, items, ITEMS, 1, make, &b));
    while (!__atomic_load_n(&b.made[items[ITEMS - 1]], __ATOMIC_SEQ_CST)) {
        (void)nanosleep(&nap, NULL); /* the limit of the whole test ends it */
    }
    CHECK_OK(producer_wait(p, SIZE_MAX, 1));
    CHECK(b.most == 1);
    while (producer_busy(p) > 0) (void)nanosleep(&nap, NULL);
    producer_stop(p);
}

static void test_failure(void **state)
{
    (void)state;
    size_t items[ITEMS];
    list_items(items);
    for (int ahead = 0; ahead <= 2; ahead++) {
        bench b = {.failing = items[20]};
        producer *p;
        CHECK_OK(producer_start(&p, items, ITEMS, ahead, make, &b));
        CHECK_FAILS(producer_wait(p, SIZE_MAX, 2), SCONE_ERR_INPUT, "item 61 is bad");
        CHECK_FAILS(producer_wait(p, 61, 1), SCONE_ERR_INPUT, "item 61 is bad"); /* for good */
        producer_stop(p);
        for (size_t k = 0; k < 20; k++) CHECK(b.made[items[k]] == 1);
        CHECK(b.made[items[ITEMS - 1]] == 0);
    }
}

/* The end comes after the items at hand. */
static void test_stop(void **state)
{
    (void)state;
    bench b = {.failing = SIZE_MAX, .slow = true};
    size_t items[ITEMS], made = 0;
    producer *p;
    list_items(items);
    CHECK_OK(producer_start(&p, items, ITEMS, 2, make, &b));
    CHECK(producer_busy(p) == 2);
    CHECK_OK(producer_wait(p, 10, 1));
    producer_stop(p);
    CHECK(b.at_work == 0);
    for (size_t item = 0; item < 3 * ITEMS; item++) made += (size_t)b.made[item];
    CHECK(made >= 3 && made < ITEMS);
    CHECK_OK(producer_start(&p, NULL, 0, 2, make, &b)); /* nothing to make */
    CHECK_OK(producer_wait(p, 10, 2));
    producer_stop(p);
    producer_stop(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),   cmocka_unit_test(test_on_demand),
        cmocka_unit_test(test_ahead), cmocka_unit_test(test_failure),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
