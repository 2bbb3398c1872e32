/* test_config.c - the configuration of the model: defaults, presets, ranges, JSON. */
#include "testing.h"

#include "model/setup/config.h"

#include <stdlib.h>

/* The table of defaults, as the specification of the model has it. */
static void test_defaults(void **state)
{
    (void)state;
    model_config c = config_default();
    CHECK_OK(config_check(&c));
    CHECK(c.width == 64 && c.blocks == 4 && c.heads == 8 && c.feed_forward == 256);
    CHECK(c.identities == 1024 && c.subset_size == 8 && c.subsets_min == 16);
    CHECK_SAME(c.cells_per_pair, 4.0);
    CHECK_SAME(c.contrast_per_node, 0.1);
    CHECK_SAME(c.candidates_per_node, 6.0);
    CHECK(c.bootstraps == 20 && c.degree == 3 && c.dpt_paths == 8 && c.dpt_length == 4);
    CHECK_SAME(c.gate_min, 0.1);
    CHECK_SAME(c.gate_temperature, 1.0);
    CHECK_SAME(c.scale_start, 1.0);
    CHECK_SAME(c.cvt_score_min, 0.5);
    CHECK_SAME(c.dpt_score_min, 0.55);
    CHECK_SAME(c.loss_shd, 0.5);
    CHECK_SAME(c.loss_rank, 0.2);
    CHECK_SAME(c.loss_global, 0.5);
    CHECK_SAME(c.loss_gate, 0.01);
    CHECK_SAME(c.rank_margin, 0.3);
    CHECK_SAME(c.learning_rate, 0.001);
    CHECK_SAME(c.beta1, 0.9);
    CHECK_SAME(c.beta2, 0.98);
    CHECK_SAME(c.weight_decay, 0.01);
    CHECK_SAME(c.clip, 1.0);
    CHECK_SAME(c.warm_up, 0.05);
    CHECK_SAME(c.final_rate, 0.02);
    CHECK_SAME(c.average_decay, 0.999);
}

static void test_presets(void **state)
{
    (void)state;
    model_config paper, nb, nc;
    CHECK_OK(config_preset(&paper, "paper"));
    CHECK_OK(config_preset(&nb, "paper-nb"));
    CHECK_OK(config_preset(&nc, "paper-nc"));
    CHECK(paper.bias_heads && paper.contrast && paper.cvt_gate == MODEL_CVT_PRINTED);
    CHECK(!nb.bias_heads && nb.contrast);
    CHECK(nc.bias_heads && !nc.contrast);
    CHECK_SAME(nc.contrast_per_node, 0.0);
    /* nothing else differs */
    for (size_t f = 0; f < config_field_count(); f++) {
        const config_field *field = config_field_get(f);
        double value = config_field_number(&paper, field);
        if (strcmp(field->name, "bias_heads") != 0)
            CHECK_SAME(config_field_number(&nb, field), value);
        if (strncmp(field->name, "contrast", 8) != 0)
            CHECK_SAME(config_field_number(&nc, field), value);
    }
    const char *const *names = config_preset_names();
    size_t count = 0;
    for (; names[count]; count++) CHECK_OK(config_preset(&paper, names[count]));
    CHECK(count == 5);
    CHECK_FAILS(config_preset(&paper, "papers"), SCONE_ERR_INPUT,
                "there is no model preset 'papers'; use paper, paper-nb, paper-nc, best, best-ood");
    CHECK(paper.width == 0);
}

/* The table covers the struct: no byte that is not padding lies outside of its fields. */
static void test_table(void **state)
{
    (void)state;
    static const size_t sizes[] = {sizeof(size_t), sizeof(double), sizeof(bool),
                                   sizeof(model_cvt_gate), sizeof(unsigned)};
    size_t end = 0;
    for (size_t f = 0; f < config_field_count(); f++) {
        const config_field *field = config_field_get(f);
        CHECK(field->offset >= end); /* in the order of the struct */
        CHECK(field->offset - end < sizeof(double));
        end = field->offset + sizes[field->kind];
        CHECK(field->meaning[0] && strlen(field->meaning) < 64);
        for (size_t g = 0; g < f; g++) CHECK(strcmp(config_field_get(g)->name, field->name) != 0);
    }
    CHECK(sizeof(model_config) - end < sizeof(double));
}

typedef struct bad_value {
    const char *json, *message;
} bad_value;

/* Replaces the value of a field in the JSON of the defaults; new memory of malloc. */
static char *with_field(const char *replacement)
{
    model_config c = config_default();
    char *text, name[64];
    CHECK_OK(config_print(&text, &c));
    size_t length = strcspn(replacement, ":") + 1;
    (void)snprintf(name, sizeof name, "%.*s", (int)length, replacement);
    char *at = strstr(text, name);
    CHECK(at != NULL);
    size_t value = strcspn(at, ",}");
    char *out = malloc(strlen(text) + strlen(replacement) + 1);
    (void)sprintf(out, "%.*s%s%s", (int)(at - text), text, replacement, at + value);
    mem_free(text);
    return out;
}

static void test_ranges(void **state)
{
    (void)state;
    static const bad_value cases[] = {
        {"\"width\":0", "width is 0; use a whole number from 2 to 1024"},
        {"\"width\":1025", "width is 1025; use a whole number from 2 to 1024"},
        {"\"width\":63", "width is 63; use an even number"},
        {"\"width\":62", "heads is 8, which does not divide the width 62"},
        {"\"width\":64.5", "\"width\" is not a whole number"},
        {"\"width\":-64", "\"width\" is not a whole number"},
        {"\"width\":1e300", "\"width\" is not a whole number"},
        {"\"width\":1e999", "\"width\" is not a whole number"},
        {"\"width\":\"64\"", "\"width\" is not a whole number"},
        {"\"width\":null", "\"width\" is not a whole number"},
        {"\"blocks\":65", "blocks is 65; use a whole number from 1 to 16"},
        {"\"heads\":0", "heads is 0; use a whole number from 1 to 64"},
        {"\"identities\":1", "identities is 1; use a whole number from 2 to 1024"},
        {"\"identities\":1025", "identities is 1025; use a whole number from 2 to 1024"},
        {"\"candidates_per_node\":0.5", "candidates_per_node is 0.5; use a number from 1 to 1000"},
        {"\"candidates_per_node\":2.5", "candidates_per_node must be a whole number, not 2.5"},
        {"\"degree\":7", "degree is 7; use a whole number from 1 to 6"},
        {"\"subset_size\":1", "subset_size is 1; use a whole number from 2 to 64"},
        {"\"cells_per_pair\":0", "cells_per_pair is 0; use a number above 0 and up to 1000"},
        {"\"contrast_per_node\":-1", "contrast_per_node is -1; use a number from 0 to 1000"},
        {"\"contrast\":false", "contrast_per_node is above 0, but contrast is false"},
        {"\"contrast\":0", "\"contrast\" is not true or false"},
        {"\"bias_heads\":\"true\"", "\"bias_heads\" is not true or false"},
        {"\"cvt_gate\":\"proven\"", "\"cvt_gate\" is neither \"printed\" nor \"proved\""},
        {"\"cvt_gate\":1", "\"cvt_gate\" is neither"},
        {"\"learners\":\"\"", "\"learners\": there is no list of learners ''"},
        {"\"learners\":\"ges+pc\"", "\"learners\": there is no list of learners 'ges+pc'"},
        {"\"learners\":\"ges+ges\"", "use some of polybic, ges, search, each once"},
        {"\"learners\":1", "\"learners\" is not a list of names"},
        {"\"gate_min\":1.5", "gate_min is 1.5; use a number from 0 to 1"},
        {"\"gate_min\":true", "\"gate_min\" is not a number"},
        {"\"gate_temperature\":0", "gate_temperature is 0; use a number from 0.001 to 1000"},
        {"\"ssi_clip\":0", "ssi_clip is 0; use a number above 0 and up to 1000"},
        {"\"dpt_paths\":9", "dpt_paths is 9; use a whole number from 1 to 8"},
        {"\"dpt_length\":5", "dpt_length is 5; use a whole number from 2 to 4"},
        {"\"dpt_length\":1", "dpt_length is 1; use a whole number from 2 to 4"},
        {"\"temperature\":0", "temperature is 0; use a number from 0.001 to 1000"},
        {"\"epsilon\":1e-46", "epsilon is 1e-46; use a number from 1e-30 to 1"},
        {"\"beta2\":1", "beta2 is 1; use a number from 0 to 0.9999999"},
        {"\"learning_rate\":1e999", "learning_rate is inf; use a number above 0 and up to 1"},
        {"\"average_decay\":1.0", "average_decay is 1; use a number from 0 to 0.9999999"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        model_config c = config_default();
        char *text = with_field(cases[i].json);
        CHECK_FAILS(config_parse(&c, text, strlen(text)), SCONE_ERR_INPUT, cases[i].message);
        CHECK(strncmp(scone_error_message(), "configuration of the model: ", 28) == 0);
        CHECK(c.width == 0 && c.heads == 0);
        free(text);
    }
    model_config c = config_default();
    c.warm_up = (double)NAN;
    CHECK_FAILS(config_check(&c), SCONE_ERR_INPUT, "warm_up is nan");
    c = config_default();
    c.width = 130;
    c.heads = 2;
    CHECK_FAILS(config_check(&c), SCONE_ERR_INPUT, "width / heads is 65");
}

/* What is written is what is read, bit by bit, for values that are not defaults. */
static void test_round_trip(void **state)
{
    (void)state;
    model_config c = config_default(), again;
    char *text, *second;
    c.width = 96;
    c.heads = 12;
    c.cvt_gate = MODEL_CVT_PROVED;
    c.class_weights = false;
    c.learners = LEARNER_SEARCH | LEARNER_GES;
    c.learning_rate = 0.1 + 0.2;
    c.weight_decay = 5e-324;
    c.scale_start = -1.0 / 3.0;
    c.loss_gate = 1e-300;
    CHECK_OK(config_print(&text, &c));
    CHECK(strchr(text, '\n') == NULL && strchr(text, ' ') == NULL);
    CHECK(strstr(text, "\"learners\":\"ges,search\"") != NULL);
    CHECK(strstr(text, "\"cvt_gate\":\"proved\"") && strstr(text, "{\"width\":96,"));
    CHECK_OK(config_parse(&again, text, strlen(text)));
    for (size_t f = 0; f < config_field_count(); f++) {
        const config_field *field = config_field_get(f);
        CHECK_SAME(config_field_number(&again, field), config_field_number(&c, field));
    }
    CHECK_OK(config_print(&second, &again));
    CHECK(strcmp(text, second) == 0);
    mem_free(text);
    mem_free(second);
}

/* Every field left out, one after the other; a field too many; a field twice; other text. */
static void test_fields(void **state)
{
    (void)state;
    model_config c = config_default();
    char *text, message[200];
    size_t later = 0;
    CHECK_OK(config_print(&text, &c));
    for (size_t f = 0; f < config_field_count(); f++) {
        char key[64], *copy = malloc(strlen(text) + 1);
        (void)snprintf(key, sizeof key, "\"%s\":", config_field_get(f)->name);
        const char *at = strstr(text, key), *end = at + strcspn(at, ",}");
        /* with the comma behind it, or the one before it if it is the last */
        bool last = *end == '}';
        (void)sprintf(copy, "%.*s%s", (int)(at - text) - (last ? 1 : 0), text,
                      last ? end : end + 1);
        (void)snprintf(message, sizeof message, "the field \"%s\" is missing",
                       config_field_get(f)->name);
        if (isnan(config_field_get(f)->earlier)) {
            CHECK_FAILS(config_parse(&c, copy, strlen(copy)), SCONE_ERR_INPUT, message);
        } else {
            CHECK_OK(config_parse(&c, copy, strlen(copy)));
            CHECK_SAME(config_field_number(&c, config_field_get(f)), config_field_get(f)->earlier);
            later++;
        }
        free(copy);
    }
    CHECK(later == 7);
    char *more = malloc(strlen(text) + 100);
    (void)sprintf(more, "{\"depth\":3,%s", text + 1);
    CHECK_FAILS(config_parse(&c, more, strlen(more)), SCONE_ERR_INPUT, "unknown field \"depth\"");
    (void)sprintf(more, "{\"blocks\":4,%s", text + 1);
    CHECK_FAILS(config_parse(&c, more, strlen(more)), SCONE_ERR_INPUT,
                "the field \"blocks\" occurs twice");
    CHECK_FAILS(config_parse(&c, "[]", 2), SCONE_ERR_INPUT, "not a JSON object");
    CHECK_FAILS(config_parse(&c, "{}", 2), SCONE_ERR_INPUT, "the field \"width\" is missing");
    CHECK_FAILS(config_parse(&c, "", 0), SCONE_ERR_INPUT, "not valid JSON");
    CHECK_FAILS(config_parse(&c, text, strlen(text) - 1), SCONE_ERR_INPUT, "not valid JSON");
    free(more);
    mem_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),   cmocka_unit_test(test_presets),
        cmocka_unit_test(test_table),      cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
