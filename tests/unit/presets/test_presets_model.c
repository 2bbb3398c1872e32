/* test_presets_model.c - the presets of the trained model: probabilities against passes of the
 * model made one by one, small and large tables, and weights that must be refused. */
#include "discovery.h"
#include "learned_data.h"

#include "io/file.h"
#include "discover/result.h"
#include "model/model.h"
#include "train/training_set.h"

#include <math.h>

enum { NODES = 7 };

static char file[64];

static scone_discover_options with_weights(const char *name, const char *path)
{
    return (scone_discover_options){.preset = name, .model = path, .rules = "none", .seed = 9};
}

/* ---- the mean over assignments and readings ---- */

/* Logits to probabilities of one pass, added up with plain arithmetic. */
static void add_pass(double *sum, const model_run *run, const batch *b, size_t n)
{
    double *p = calloc(n * n, sizeof *p);
    CHECK(p != NULL);
    model_probabilities(p, run, b, 0, 1.0, 1.0);
    for (size_t k = 0; k < n * n; k++) sum[k] += p[k];
    free(p);
}

/* All passes of the preset with the names in the order of the nodes. */
static void predict_plainly(double *out, const learned_model *m, const tokens *t,
                            const char *const *names, size_t assignments, uint64_t seed)
{
    size_t n = t->size.nodes;
    double *sum = calloc(n * n, sizeof *sum);
    uint32_t identity[64];
    batch *b;
    model_run *run;
    CHECK(sum != NULL && m->layout->config.temperature == 1.0);
    CHECK_OK(batch_alloc(&b));
    CHECK_OK(model_run_alloc(&run, m->layout, NULL));
    for (size_t a = 0; a < assignments; a++) {
        CHECK_OK(batch_named_identity(identity, names, n, m->layout->config.identities,
                                      seed * UINT64_C(0x9e3779b97f4a7c15) + a));
        for (int reading = 0; reading < 2; reading++) {
            const batch_item one = {t, identity, reading == 1};
            CHECK_OK(batch_make(b, &one, 1, &m->layout->config));
            CHECK_OK(model_forward(run, m->values, b));
            add_pass(sum, run, b, n);
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double count = 2.0 * (double)assignments, heat = 1.0 / m->temperature;
            double go = sum[i * n + j] / count, back = sum[j * n + i] / count;
            double a = pow(go, heat), c = pow(back, heat), none = pow(1.0 - go - back, heat);
            out[i * n + j] = i == j ? 0.0 : a / (a + c + none);
        }
    }
    model_run_free(run);
    batch_free(b);
    free(sum);
}

/* The directions of a search stay: P(i -> j) is P(edge) times their share, tokens
 * hold as floats. */
static void keep_plainly(double *p, const tokens *t)
{
    size_t n = t->size.nodes;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            double there = (double)t->prior[i * n + j], back = (double)t->prior[j * n + i];
            double edge = p[i * n + j] + p[j * n + i];
            p[i * n + j] = edge * there / (there + back);
            p[j * n + i] = edge * back / (there + back);
        }
    }
}

/* The odds of an edge are those of a search times 1/20 to 20. Returns how many met a bound. */
static size_t bound_plainly(double *p, const tokens *t)
{
    size_t n = t->size.nodes, bounded = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            double found = (double)t->prior[i * n + j] + (double)t->prior[j * n + i];
            double edge = p[i * n + j] + p[j * n + i];
            double odds = edge / (1.0 - edge), least = found / (1.0 - found) / 20.0;
            bounded += odds < least || odds > 400.0 * least;
            odds = fmin(fmax(odds, least), 400.0 * least);
            p[i * n + j] *= odds / (1.0 + odds) / edge;
            p[j * n + i] *= odds / (1.0 + odds) / edge;
        }
    }
    return bounded;
}

/* Where there is no candidate, the odds of an edge times the share of the pairs without one that
 * the global head saw: three for each edge, at least one a node. Returns the share. */
static double weigh_plainly(double *p, const tokens *t)
{
    size_t n = t->size.nodes, others = n * (n - 1) / 2 - t->size.pairs;
    double edges = 0.0;
    CHECK(others > 0);
    for (size_t e = 0; e < t->size.pairs; e++) {
        edges += p[t->ends[e][0] * n + t->ends[e][1]] + p[t->ends[e][1] * n + t->ends[e][0]];
    }
    double seen = 3.0 * edges > (double)n ? 3.0 * edges : (double)n;
    double share = seen / ((double)(n * (n - 1) / 2) - edges);
    share = share < 1.0 ? share : 1.0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            bool candidate = false;
            for (size_t e = 0; e < t->size.pairs; e++) {
                candidate = candidate || (t->ends[e][0] == j && t->ends[e][1] == i);
            }
            double edge = p[i * n + j] + p[j * n + i], odds = share * edge / (1.0 - edge);
            p[i * n + j] *= candidate ? 1.0 : odds / (1.0 + odds) / edge;
            p[j * n + i] *= candidate ? 1.0 : odds / (1.0 + odds) / edge;
        }
    }
    return share;
}

static void test_probabilities(void **state)
{
    (void)state;
    enum { COUNT = 14 };
    static const struct {
        scone_effort effort;
        size_t assignments;
    } efforts[] = {{SCONE_EFFORT_FAST, 1}, {SCONE_EFFORT_NORMAL, 16}};
    scone_problem *problem = draw_problem(COUNT, 200, 51);
    const scone_pair *pair = scone_problem_pair(problem);
    double expected[COUNT * COUNT];
    for (const char *const *name = scone_preset_names(); *name; name++) {
        learned_model *m;
        tokens *t;
        if (!scone_preset_learned(*name)) continue;
        CHECK_OK(learned_open(&m, learned_file(*name), *name));
        CHECK(m->temperature == 1.25 && m->threshold == 0.35 && strlen(m->id) == 16);
        token_options how = config_token_options(&m->layout->config);
        CHECK(how.contrast == (strcmp(*name, "paper-nc") != 0) && how.replicates == 3);
        how.seed = 9;
        CHECK_OK(token_make(&t, pair, NULL, &how, NULL));
        for (size_t e = 0; e < sizeof efforts / sizeof *efforts; e++) {
            scone_result *r;
            scone_discover_options options = with_weights(*name, learned_file(*name));
            if (how.evidence && efforts[e].effort != SCONE_EFFORT_NORMAL)
                continue; /* of the tokens */
            options.effort = efforts[e].effort;
            size_t assignments = how.evidence ? 4 : efforts[e].assignments;
            predict_plainly(expected, m, t, (const char *const *)pair->tables[0]->names,
                            assignments, options.seed);
            if (strcmp(*name, "best-ood") == 0) keep_plainly(expected, t);
            if (strcmp(*name, "best") == 0) CHECK(bound_plainly(expected, t) > 5);
            if (!how.evidence) CHECK(weigh_plainly(expected, t) < 0.9);
            CHECK_OK(scone_discover(&r, pair, &options, NULL));
            check_result(r);
            CHECK(scone_result_threshold(r) == 0.35);
            CHECK(r->request.options.margin == (how.evidence ? 0.2 : 0.0));
            double least = 1.0, most = 0.0;
            for (size_t i = 0; i < COUNT; i++) {
                for (size_t j = 0; j < COUNT; j++) {
                    double p = scone_result_probability(r, i, j);
                    /* tiny ones have a floor; tokens hold the search's as floats */
                    CHECK_NEAR(p, expected[i * COUNT + j], how.evidence ? 1e-6 : 1e-9);
                    least = i != j && p < least ? p : least;
                    most = p > most ? p : most;
                }
            }
            CHECK(most - least > 0.05); /* the model has an opinion */
            scone_result_free(r);
        }
        tokens_free(t);
        learned_free(m);
    }
    scone_problem_free(problem);
}

/* The paper's three rules unless others are asked for (D23). */
static void test_rules(void **state)
{
    (void)state;
    scone_problem *problem = draw_problem(4, 200, 52);
    scone_discover_options options = with_weights("paper", learned_file("paper"));
    scone_result *r;
    options.rules = NULL;
    CHECK_OK(scone_discover(&r, scone_problem_pair(problem), &options, NULL));
    assert_string_equal(r->request.options.rules, "paper");
    scone_result_free(r);
    options.rules = "all";
    options.threshold = 0.6;
    options.margin = 0.3;
    CHECK_OK(scone_discover(&r, scone_problem_pair(problem), &options, NULL));
    assert_string_equal(r->request.options.rules, "all");
    CHECK(scone_result_threshold(r) == 0.6 && r->request.options.margin == 0.3);
    scone_result_free(r);
    scone_problem_free(problem);
}

/* Another seed has other tokens and identities. */
static void test_seed(void **state)
{
    (void)state;
    scone_problem *problem = draw_problem(NODES, 200, 53);
    scone_discover_options options = with_weights("paper", learned_file("paper"));
    scone_result *first, *other;
    CHECK_OK(scone_discover(&first, scone_problem_pair(problem), &options, NULL));
    options.seed = 10;
    CHECK_OK(scone_discover(&other, scone_problem_pair(problem), &options, NULL));
    CHECK(scone_result_probability(first, 0, 1) != scone_result_probability(other, 0, 1));
    scone_result_free(first);
    scone_result_free(other);
    scone_problem_free(problem);
}

/* ---- sizes ---- */

static scone_pair *draw_noise(size_t columns, size_t rows)
{
    scone_table *tables[2];
    scone_pair *pair;
    rng r = rng_stream(54, RNG_TEST, columns, 0, 0);
    double *cells = malloc(rows * columns * sizeof *cells);
    CHECK(cells != NULL);
    for (int regime = 0; regime < 2; regime++) {
        for (size_t c = 0; c < rows * columns; c++) cells[c] = rng_normal(&r);
        CHECK_OK(scone_table_from_columns(&tables[regime], cells, rows, columns, NULL));
    }
    free(cells);
    CHECK_OK(scone_pair_join(&pair, tables[0], tables[1]));
    return pair;
}

/* One column, two, three; no candidate pair at all. */
static void test_small(void **state)
{
    (void)state;
    for (const char *const *name = scone_preset_names(); *name; name++) {
        if (!scone_preset_learned(*name)) continue;
        for (size_t columns = 1; columns <= 3; columns++) {
            for (size_t rows = 2; rows <= 300; rows += 298) {
                scone_pair *pair = draw_noise(columns, rows);
                scone_discover_options options = with_weights(*name, learned_file(*name));
                options.rules = NULL;
                scone_result *r;
                CHECK_OK(scone_discover(&r, pair, &options, NULL));
                check_result(r);
                scone_result_free(r);
                scone_pair_free(pair);
            }
        }
    }
    /* without contrast pairs, and votes alike for all: no candidates */
    scone_pair *pair = draw_noise(5, 400);
    learned_model *m;
    tokens *t;
    CHECK_OK(learned_open(&m, learned_file("paper-nc"), "paper-nc"));
    token_options how = config_token_options(&m->layout->config);
    CHECK_OK(token_make(&t, pair, NULL, &how, NULL));
    CHECK(t->size.pairs == 0);
    double p[25];
    CHECK_OK(learned_predict(p, m, t, (const char *const *)pair->tables[0]->names, 2, 0, NULL));
    for (size_t i = 0; i < 5; i++) {
        for (size_t j = 0; j < 5; j++) {
            CHECK(i == j ? p[i * 5 + j] == 0.0 : p[i * 5 + j] > 0.0 && p[i * 5 + j] < 1.0);
        }
    }
    tokens_free(t);
    learned_free(m);
    scone_pair_free(pair);
}

/* As many columns as there are identities work, one more does not. */
static void test_limit(void **state)
{
    (void)state;
    model_config config = learned_config("paper");
    config.identities = 12;
    learned_write(file, &config, "paper", LEARNED_VALIDATION, 3);
    for (size_t columns = 12; columns <= 13; columns++) {
        scone_pair *pair = draw_noise(columns, 20);
        scone_discover_options options = with_weights("paper", file);
        scone_result *r;
        if (columns == 12) {
            CHECK_OK(scone_discover(&r, pair, &options, NULL));
            check_result(r);
        } else {
            CHECK_FAILS(scone_discover(&r, pair, &options, NULL), SCONE_ERR_INPUT,
                        "13 columns vary, but the model tells at most 12 apart");
        }
        scone_result_free(r);
        scone_pair_free(pair);
    }
    scone_pair *pair = draw_noise(1025, 2);
    scone_discover_options options = with_weights("paper", learned_file("paper"));
    scone_result *r;
    CHECK_FAILS(scone_discover(&r, pair, &options, NULL), SCONE_ERR_INPUT,
                "1025 columns vary, but the model tells at most 1024 apart; leave some out");
    scone_pair_free(pair);
}

/* Passes one after the other on all threads, where there are many columns. */
static void test_many(void **state)
{
    (void)state;
    scone_pair *pair = draw_noise(129, 6);
    model_config config = learned_config("paper-nb");
    config.width = 64; /* sizes that attention has a kernel for */
    config.heads = 8;
    config.blocks = 1;
    config.candidates_per_node = 1.0;
    learned_write(file, &config, "paper-nb", LEARNED_VALIDATION, 3);
    learned_model *m;
    tokens *t;
    CHECK_OK(learned_open(&m, file, "paper-nb"));
    token_options how = config_token_options(&config);
    CHECK_OK(token_make(&t, pair, NULL, &how, NULL));
    size_t n = t->size.nodes;
    double *one = malloc(2 * n * n * sizeof *one), *two = one + n * n;
    CHECK(one != NULL);
    const char *const *names = (const char *const *)pair->tables[0]->names;
    const scone_context context = {.threads = 2};
    CHECK_OK(learned_predict(one, m, t, names, 1, 4, NULL));
    CHECK_OK(learned_predict(two, m, t, names, 1, 4, &context));
    CHECK(memcmp(one, two, n * n * sizeof *one) == 0);
    free(one);
    tokens_free(t);
    learned_free(m);
    scone_pair_free(pair);
}

/* ---- weights that are refused ---- */

static void check_refused(const char *name, scone_status status, const char *message)
{
    scone_problem *problem = draw_problem(4, 60, 55);
    scone_discover_options options = with_weights(name, file);
    scone_result *r;
    CHECK_FAILS(scone_discover(&r, scone_problem_pair(problem), &options, NULL), status, message);
    CHECK(r == NULL && strncmp(scone_error_message(), file, strlen(file)) == 0);
    scone_problem_free(problem);
}

static void test_wrong_preset(void **state)
{
    (void)state;
    model_config config = learned_config("paper");
    learned_write(file, &config, "paper", LEARNED_VALIDATION, 3);
    check_refused("paper-nb", SCONE_ERR_INPUT,
                  "weights of the preset 'paper', not of 'paper-nb'; use --preset paper");
    config.contrast = false;
    config.contrast_per_node = 0.0;
    learned_write(file, &config, "paper", LEARNED_VALIDATION, 3);
    check_refused("paper", SCONE_ERR_INPUT,
                  "contrast off, bias_heads on and evidence off, which is");
    config = learned_config("paper");
    config.bias_heads = false;
    learned_write(file, &config, "paper", LEARNED_VALIDATION, 3);
    check_refused("paper", SCONE_ERR_INPUT,
                  "contrast on, bias_heads off and evidence off, which is");
}

static void test_wrong_validation(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}",
                                        "[]",
                                        "{\"temperature\":1}",
                                        "{\"threshold\":0.5}",
                                        "{\"temperature\":0,\"threshold\":0.5}",
                                        "{\"temperature\":-1,\"threshold\":0.5}",
                                        "{\"temperature\":\"1\",\"threshold\":0.5}",
                                        "{\"temperature\":1e300,\"threshold\":0.5}",
                                        "{\"temperature\":1,\"threshold\":0}",
                                        "{\"temperature\":1,\"threshold\":1.5}"};
    model_config config = learned_config("paper");
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        learned_write(file, &config, "paper", texts[k], 3);
        check_refused("paper", SCONE_ERR_INPUT, "\"validation\" has no usable \"t");
    }
    learned_write(file, &config, "paper", "{", 3);
    check_refused("paper", SCONE_ERR_INPUT, "JSON");
}

/* The tensors of another configuration: the note tells of one block, the file has two. */
static void test_wrong_tensors(void **state)
{
    (void)state;
    model_config config = learned_config("paper");
    weights *w;
    learned_write(file, &config, "paper", LEARNED_VALIDATION, 3);
    CHECK_OK(weights_open(&w, file, WEIGHTS_FORMAT_MODEL));
    char *text;
    config.blocks = 1;
    CHECK_OK(config_print(&text, &config));
    size_t count = weights_count(w);
    weights_tensor *tensors = malloc(count * sizeof *tensors);
    CHECK(tensors != NULL);
    for (size_t k = 0; k < count; k++) tensors[k] = *weights_get(w, k);
    const weights_note notes[] = {{WEIGHTS_CONFIG, text},
                                  {WEIGHTS_PRESET, "paper"},
                                  {WEIGHTS_VALIDATION, LEARNED_VALIDATION}};
    char other[80];
    (void)snprintf(other, sizeof other, "%s.other", file);
    CHECK_OK(weights_write(other, WEIGHTS_FORMAT_MODEL, tensors, count, notes, 3));
    CHECK(rename(other, file) == 0);
    check_refused("paper", SCONE_ERR_INPUT, "' is unknown; the weights belong to another model");
    CHECK_OK(weights_write(file, WEIGHTS_FORMAT_MODEL, tensors, count, notes, 2));
    check_refused("paper", SCONE_ERR_INPUT, "metadata: \"validation\" is missing");
    CHECK_OK(weights_write(file, WEIGHTS_FORMAT_CHECKPOINT, tensors, count, notes, 3));
    check_refused("paper", SCONE_ERR_INPUT, "checkpoint");
    weights_free(w);
    free(tensors);
    mem_free(text);
}

static void write_bytes(const char *bytes, size_t size)
{
    FILE *stream = fopen(file, "wb");
    CHECK(stream != NULL && fwrite(bytes, 1, size, stream) == size && fclose(stream) == 0);
}

/* Cut off and with single bits turned; tests of the format itself are in test_weights_refused.c. */
static void test_damaged(void **state)
{
    (void)state;
    char *bytes;
    size_t size;
    model_config config = learned_config("paper");
    learned_write(file, &config, "paper", LEARNED_VALIDATION, 3);
    CHECK_OK(file_read_all(&bytes, &size, file, 1 << 24));
    rng r = rng_stream(56, RNG_TEST, 0, 0, 0);
    for (int k = 0; k < 40; k++) {
        learned_model *m;
        write_bytes(bytes, (size_t)rng_below(&r, size));
        CHECK(learned_open(&m, file, "paper") == SCONE_ERR_INPUT && m == NULL);
        size_t at = (size_t)rng_below(&r, size);
        bytes[at] = (char)(bytes[at] ^ 1 << (k % 8));
        write_bytes(bytes, size);
        CHECK(learned_open(&m, file, "paper") == SCONE_ERR_INPUT && m == NULL);
        bytes[at] = (char)(bytes[at] ^ 1 << (k % 8));
    }
    mem_free(bytes);
    CHECK(unlink(file) == 0);
    check_refused("paper", SCONE_ERR_IO, "No such file");
}

static int prepare_file(void **state)
{
    (void)state;
    (void)snprintf(file, sizeof file, "preset_model_%ld.safetensors", (long)getpid());
    return 0;
}

static int clean(void **state)
{
    (void)unlink(file);
    return learned_clean(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probabilities), cmocka_unit_test(test_rules),
        cmocka_unit_test(test_seed),          cmocka_unit_test(test_small),
        cmocka_unit_test(test_limit),         cmocka_unit_test(test_many),
        cmocka_unit_test(test_wrong_preset),  cmocka_unit_test(test_wrong_validation),
        cmocka_unit_test(test_wrong_tensors), cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, prepare_file, clean);
}
