/* test_knowledge.c - knowledge files: what is accepted, what is refused and with which words, and
 * the matrices against a direct reading of the statements. */
#include "testing.h"

#include "io/file.h"
#include "base/rng.h"
#include "decode/knowledge.h"

#include <stdlib.h>

static const char *const names[] = {"A",    "B",      "C",  "D",    "two words",
                                    "tier", "target", "#1", "a\"b", "x->y"};
enum { NAMES = sizeof names / sizeof *names };

static const char *const doses[] = {"low", "high", "2 mg", "a@b", "@c"};
enum { DOSES = sizeof doses / sizeof *doses };

static const knowledge_names changed = {names, NAMES, (const char *const[]){"low"}, 1, NULL};
static const knowledge_names dosed = {names, NAMES, doses, DOSES, "none"};

static knowledge *compile_about(const char *text, const knowledge_names *about)
{
    knowledge_file file;
    knowledge *k;
    CHECK_OK(knowledge_parse(&file, text, strlen(text)));
    CHECK_OK(knowledge_compile(&k, &file, about));
    knowledge_file_free(&file);
    return k;
}

static knowledge *compile(const char *text)
{
    return compile_about(text, &changed);
}

static scone_status attempt_about(const char *text, size_t size, const knowledge_names *about)
{
    knowledge_file file;
    knowledge *k = NULL;
    scone_status status = knowledge_parse(&file, text, size);
    if (status == SCONE_OK) status = knowledge_compile(&k, &file, about);
    CHECK(status == SCONE_OK || !k);
    knowledge_free(k);
    knowledge_file_free(&file);
    return status;
}

static scone_status attempt(const char *text, size_t size)
{
    return attempt_about(text, size, &changed);
}

static size_t count(const knowledge *k, const bits_word *matrix)
{
    return bits_count(matrix, k->nodes * k->words);
}

/* ---- accepted ---- */

static void test_every_kind(void **state)
{
    (void)state;
    knowledge *k = compile("# what is known\n"
                           "A -> B\n"
                           "\n"
                           "  B !-> C   # a comment\n"
                           "tier 1: C \"two words\"\n"
                           "tier 7: D\n"
                           "target A\n"
                           "not-target \"two words\"\n");
    CHECK(knowledge_requires(k, 0, 1));
    CHECK(count(k, k->required) == 1);
    CHECK(knowledge_forbids(k, 1, 2));
    CHECK(knowledge_forbids(k, 3, 2) && knowledge_forbids(k, 3, 4)); /* later to earlier */
    CHECK(!knowledge_forbids(k, 2, 3) && !knowledge_forbids(k, 2, 4));
    CHECK(count(k, k->forbidden) == 3);
    for (size_t i = 0; i < NAMES; i++) CHECK(k->targets[i] == (i == 0 ? 1 : i == 4 ? -1 : 0));
    char place[KNOWLEDGE_PLACE_SIZE];
    knowledge_place(place, k, 0, 1);
    assert_string_equal(place, "line 2");
    knowledge_place(place, k, 1, 2);
    assert_string_equal(place, "line 4");
    knowledge_place(place, k, 3, 4);
    assert_string_equal(place, "lines 5 and 6");
    knowledge_free(k);
}

static void test_spelling(void **state)
{
    (void)state;
    /* no spaces, tabs, a byte order mark, all three line breaks, no final one */
    knowledge *k = compile("\xEF\xBB\xBF"
                           "A->B\r\nB!->C\r\tC\t->\tD\n\"A\"->\"C\"");
    CHECK(knowledge_requires(k, 0, 1) && knowledge_requires(k, 2, 3) &&
          knowledge_requires(k, 0, 2));
    CHECK(count(k, k->required) == 3);
    CHECK(knowledge_forbids(k, 1, 2) && count(k, k->forbidden) == 1);
    knowledge_free(k);
    /* words of the language as names; names that need quotes */
    k = compile("tier -> target\ntarget target\nnot-target tier\n\"#1\" -> A\n\"a\"\"b\" -> A\n"
                "\"x->y\" -> A # no arrow inside the quotes\ntier 3 : A\ntier 3:B\n");
    CHECK(knowledge_requires(k, 5, 6) && k->targets[6] == 1 && k->targets[5] == -1);
    CHECK(knowledge_requires(k, 7, 0) && knowledge_requires(k, 8, 0) &&
          knowledge_requires(k, 9, 0));
    CHECK(k->tiers[0] == 3 && k->tiers[1] == 3 && count(k, k->forbidden) == 0);
    knowledge_free(k);
    /* said twice: the first line counts */
    k = compile("A -> B\nA -> B\nA !-> C\nA !-> C\ntarget D\ntarget D\ntier 1: A\ntier 1: A\n");
    CHECK(k->requirement_count == 1 && k->requirements[0].line == 1);
    CHECK(k->prohibition_count == 1 && k->prohibitions[0].line == 3);
    CHECK(k->target_lines[3] == 5 && k->tier_lines[0] == 7);
    knowledge_free(k);
    k = compile("");
    CHECK(count(k, k->required) == 0 && count(k, k->forbidden) == 0);
    knowledge_free(k);
}

/* ---- refused ---- */

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"A -> B\nA <- B\n", "line 2: cannot understand A <- B"},
        {"A B\n", "line 1: cannot understand A B"},
        {"A\n", "line 1: cannot understand A"},
        {"A ->\n", "line 1: cannot understand"},
        {"-> A\n", "line 1: cannot understand"},
        {"A -> B -> C\n", "line 1: cannot understand"},
        {"A -> -> B\n", "line 1: cannot understand"},
        {"target\n", "line 1: cannot understand"},
        {"target A B\n", "line 1: cannot understand"},
        {"tier 1: A -> B\n", "line 1: cannot understand"},
        {"\n\ntier: A\n", "line 3: cannot understand tier: A"},
        {"tier 1 A\n", "line 1: a tier is written as"},
        {"tier x: A\n", "line 1: a tier is written as"},
        {"tier 1:\n", "line 1: the tier names no column"},
        {"tier 99999999999999999999999: A\n", "at most 1000000"},
        {"\"A -> B\n", "line 1: the quote before A -> B is not closed"},
        {"\"A\"B -> C\n", "line 1: text follows the closing quote of \"A\""},
        {"\"\" -> C\n", "line 1: a name is empty"},
        {"two word -> A\n", "line 1: cannot understand"},
        {"\"two word\" -> A\n", "there is no column 'two word'; did you mean 'two words'?"},
        {"A -> B\n\n# x\nA -> Bxqqqqqqqqq\n",
         "line 4: there is no column 'Bxqqqqqqqqq'; use the names"},
        {"tier 1: A, B\n", "line 1: there is no column 'A,'; did you mean 'A'?"},
        {"not-target E\n", "line 1: there is no column 'E'"},
        {"A -> A\n", "line 1: A is on both sides"},
        {"A !-> A\n", "line 1: A is on both sides"},
        {"A -> B\nC -> D\nA !-> B\n",
         "lines 1 and 3 contradict each other: A -> B is required and forbidden"},
        {"tier 2: A\nA -> B\ntier 1: B\n",
         "lines 1, 2 and 3 contradict each other: A -> B is required, but A is in tier 2 and B in "
         "the earlier tier 1"},
        {"tier 2: A\ntier 1: B\ntier 3: A\n",
         "lines 1 and 3 contradict each other: A is in tier 2 and in tier 3"},
        {"target A\nnot-target B\nnot-target A\n",
         "lines 1 and 3 contradict each other: A is a target and is none"},
        {"A -> B\nB -> A\n", "lines 1 and 2 require a cycle of causes, A -> B -> A"},
        {"B -> C\nD -> B\nA -> D\nC -> D\n",
         "lines 1, 2 and 4 require a cycle of causes, B -> C -> D -> B"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        CHECK_FAILS(attempt(cases[c].text, strlen(cases[c].text)), SCONE_ERR_INPUT,
                    cases[c].message);
    }
    CHECK_FAILS(attempt("A -> B\0", 7), SCONE_ERR_INPUT, "NUL");
    CHECK_FAILS(attempt("\xFF\xFE"
                        "A\0",
                        4),
                SCONE_ERR_INPUT, "UTF-16");
}

/* ---- conditions ---- */

/* What is known of a column in each condition, as "+-0...". */
static void check_targets(const knowledge *k, size_t node, const char *known)
{
    CHECK(k->conditions == strlen(known));
    for (size_t c = 0; c < k->conditions; c++) {
        const knowledge here = knowledge_in(k, c);
        CHECK(here.targets[node] == (known[c] == '+' ? 1 : known[c] == '-' ? -1 : 0));
    }
}

static void test_conditions(void **state)
{
    (void)state;
    knowledge *k = compile_about(
        "target A\nnot-target B @ low\ntarget B@ @ high\n"
        "target \"two words\" @ \"2 mg\" # a comment\n"
        "target C @a@b\nnot-target C @ @c\nnot-target C @\"@c\"\n"
        "target A @ high\nnot-target D @ low\nnot-target D\n",
        &(const knowledge_names){(const char *const[]){"A", "B@", "C", "D", "two words", "B"}, 6,
                                 doses, DOSES, NULL});
    check_targets(k, 0, "+++++");
    check_targets(k, 1, "0+000"); /* a name of its own */
    check_targets(k, 2, "000+-");
    check_targets(k, 3, "-----");
    check_targets(k, 4, "00+00");
    check_targets(k, 5, "-0000");
    knowledge *part;
    const size_t kept[] = {5, 2};
    CHECK_OK(knowledge_restrict(&part, k, kept, 2));
    check_targets(part, 0, "-0000");
    check_targets(part, 1, "000+-");
    CHECK(part->targets[0] == 0 && part->targets[1] == 0);
    knowledge_free(part);
    knowledge_free(k);
    /* nothing about single conditions: no table of them */
    k = compile_about("target A\nnot-target B\n", &dosed);
    CHECK(k->condition_targets == NULL);
    check_targets(k, 0, "+++++");
    check_targets(k, 1, "-----");
    knowledge_free(k);
    /* two tables: the condition is the changed table */
    k = compile("target A @ low\nnot-target B @ \"low\"\ntarget A\n");
    CHECK(k->targets[0] == 1 && k->targets[1] == -1 && k->condition_targets == NULL);
    check_targets(k, 0, "+");
    knowledge_free(k);
    k = compile_about(
        "target @v\nnot-target \"a @ b\" @ low\n",
        &(const knowledge_names){(const char *const[]){"@v", "a @ b"}, 2, doses, DOSES, NULL});
    check_targets(k, 0, "+++++");
    check_targets(k, 1, "-0000");
    knowledge_free(k);
}

static void test_conditions_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"target A @\n", "line 1: cannot understand target A @; a line is one of"},
        {"target A low\n", "line 1: cannot understand target A low"},
        {"target A @ low high\n", "line 1: cannot understand"},
        {"target A @ low @ high\n", "line 1: cannot understand"},
        {"target @ low\n", "line 1: cannot understand"},
        {"target A @ -> low\n", "line 1: cannot understand"},
        {"A -> B @ low\n", "line 1: cannot understand"},
        {"target A @ \"\"\n", "line 1: a name is empty; write the name of a condition"},
        {"target A @ \"low\n", "line 1: the quote before low is not closed"},
        {"A -> B\ntarget A @ hihg\n",
         "line 2: there is no condition 'hihg'; did you mean 'high'? Name one of 'low', 'high', '2 "
         "mg', 'a@b', '@c'"},
        {"target A @ quadruple\n", "line 1: there is no condition 'quadruple'; name one of 'low'"},
        {"target A @ none\n", "line 1: 'none' is the control, against which changes are told"},
        {"target E @ low\n", "line 1: there is no column 'E'"},
        {"target A\n\nnot-target A @ high\n",
         "lines 1 and 3 contradict each other: A is a target and is none in the condition 'high'"},
        {"not-target A @ high\ntarget B\ntarget A\n",
         "lines 1 and 3 contradict each other: A is a target and is none in the condition 'high'"},
        {"target A @ low\ntarget A @ high\nnot-target A @ low\n",
         "lines 1 and 3 contradict each other: A is a target and is none in the condition 'low'"},
        {"target A\nnot-target A\n",
         "lines 1 and 2 contradict each other: A is a target and is none; remove one"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        CHECK_FAILS(attempt_about(cases[c].text, strlen(cases[c].text), &dosed), SCONE_ERR_INPUT,
                    cases[c].message);
    }
    const char *wrong = "target A @ high\n", *both = "target A\nnot-target A @ low\n";
    CHECK_FAILS(attempt(wrong, strlen(wrong)), SCONE_ERR_INPUT,
                "line 1: there is no condition 'high'; name the only one, 'low'");
    CHECK_FAILS(attempt(both, strlen(both)), SCONE_ERR_INPUT, "lines 1 and 2 contradict");
}

static void test_file(void **state)
{
    (void)state;
    knowledge_file file;
    CHECK_FAILS(knowledge_read(&file, "no/such/file", NULL), SCONE_ERR_IO, "no/such/file");
    knowledge_file_free(&file);
    FILE *stream = fopen("test_knowledge.txt", "wb");
    CHECK(stream != NULL);
    CHECK(fputs("A -> B\nA => B\n", stream) >= 0);
    CHECK(fclose(stream) == 0);
    CHECK_FAILS(knowledge_read(&file, "test_knowledge.txt", NULL), SCONE_ERR_INPUT,
                "test_knowledge.txt: line 2: cannot understand A => B");
    knowledge_file_free(&file);
    CHECK(remove("test_knowledge.txt") == 0);
}

/* Every prefix of a valid file is a file or an error, and nothing is read
 * beyond it (sanitizers). */
static void test_prefixes(void **state)
{
    (void)state;
    const char *text = "A -> \"two words\"\r\ntier 12: A \"a\"\"b\"\nnot-target \"#1\" # x\nB!->C\n"
                       "target B @ \"low\" # y\ntarget C @low";
    for (size_t size = 0; size <= strlen(text); size++) {
        char *copy = malloc(size + 1);
        CHECK(copy != NULL);
        memcpy(copy, text, size);
        scone_status status = attempt(copy, size);
        CHECK(status == SCONE_OK || status == SCONE_ERR_INPUT);
        free(copy);
    }
}

/* ---- random statements against a direct reading ---- */

static void test_random(void **state)
{
    (void)state;
    size_t accepted = 0;
    for (uint64_t round = 0; round < 2000; round++) {
        rng r = rng_stream(11, RNG_TEST, round, 0, 0);
        char text[512] = "";
        size_t used = 0, lines = rng_below(&r, 7);
        bool required[4][4] = {{false}}, forbidden[4][4] = {{false}}, bad = false;
        int tier[4] = {-1, -1, -1, -1};
        for (size_t l = 0; l < lines; l++) {
            size_t i = rng_below(&r, 4), j = (i + 1 + rng_below(&r, 3)) % 4, t = rng_below(&r, 3);
            switch (rng_below(&r, 3)) {
            case 0:
                used += (size_t)sprintf(text + used, "%s -> %s\n", names[i], names[j]);
                required[i][j] = true;
                break;
            case 1:
                used += (size_t)sprintf(text + used, "%s !-> %s\n", names[i], names[j]);
                forbidden[i][j] = true;
                break;
            default:
                used += (size_t)sprintf(text + used, "tier %zu: %s\n", t, names[i]);
                if (tier[i] != -1 && tier[i] != (int)t) bad = true;
                tier[i] = (int)t;
            }
        }
        bool path[4][4];
        memcpy(path, required, sizeof path);
        for (size_t m = 0; m < 4; m++) { /* Warshall */
            for (size_t i = 0; i < 4; i++) {
                for (size_t j = 0; j < 4; j++) path[i][j] |= path[i][m] && path[m][j];
            }
        }
        for (size_t i = 0; i < 4; i++) {
            bad |= path[i][i];
            for (size_t j = 0; j < 4; j++) {
                if (tier[i] >= 0 && tier[j] >= 0 && tier[i] > tier[j]) forbidden[i][j] = true;
                bad |= required[i][j] && forbidden[i][j];
            }
        }
        if (bad) {
            CHECK_FAILS(attempt(text, used), SCONE_ERR_INPUT, "line");
            continue;
        }
        accepted++;
        knowledge *k = compile(text);
        for (size_t i = 0; i < 4; i++) {
            for (size_t j = 0; j < 4; j++) {
                CHECK(knowledge_requires(k, i, j) == required[i][j]);
                CHECK(knowledge_forbids(k, i, j) == forbidden[i][j]);
            }
        }
        /* the part about C, A and D, in this order */
        const size_t part[] = {2, 0, 3};
        knowledge *less;
        CHECK_OK(knowledge_restrict(&less, k, part, 3));
        for (size_t i = 0; i < 3; i++) {
            for (size_t j = 0; j < 3; j++) {
                CHECK(knowledge_requires(less, i, j) == required[part[i]][part[j]]);
                CHECK(knowledge_forbids(less, i, j) == forbidden[part[i]][part[j]]);
            }
        }
        knowledge_free(less);
        knowledge_free(k);
    }
    CHECK(accepted > 300 && accepted < 1900);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind), cmocka_unit_test(test_spelling),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_file),
        cmocka_unit_test(test_prefixes),   cmocka_unit_test(test_random),
        cmocka_unit_test(test_conditions), cmocka_unit_test(test_conditions_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
