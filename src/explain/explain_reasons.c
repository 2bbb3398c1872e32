/* explain_reasons.c - the tests and certificates of graph.json, read back and checked (see
 * explain.h; report_reasons_json.c writes them). */
#include "explain/explain.h"

#include "text/json_read.h"
#include "report/report.h"
#include "rules/witness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A list of at most `most` names, each once. */
static scone_status read_set(uint32_t *nodes, size_t *count, const scone_explanation *x,
                             const cJSON *object, const char *name, size_t most)
{
    scone_status status = SCONE_OK;
    const cJSON *list;
    *count = 0;
    TRY(json_list(&list, object, name));
    for (const cJSON *item = list->child; item; item = item->next) {
        size_t node;
        if (*count == most) FAIL(SCONE_ERR_INPUT, "more than %zu variables in \"%s\"", most, name);
        TRY(explain_find_node(&node, x, item));
        for (size_t n = 0; n < *count; n++) {
            if (nodes[n] == node) FAIL(SCONE_ERR_INPUT, "a variable occurs twice in \"%s\"", name);
        }
        nodes[(*count)++] = (uint32_t)node;
    }
cleanup:
    return status;
}

/* ---- levels and tests ---- */

static scone_status read_levels(scone_explanation *x, const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *rules;
    const char *seed;
    TRY(json_object_of(&rules, root, "rules"));
    TRY(json_whole(&x->reasons.tested, rules, "tests", 0, SIZE_MAX));
    TRY(json_whole(&x->reasons.rows, rules, "rows", 0, SIZE_MAX));
    TRY(json_double(&x->reasons.levels.changed, rules, "changed_level"));
    TRY(json_double(&x->reasons.levels.invariant, rules, "invariant_level"));
    TRY(json_double(&x->reasons.levels.margin, rules, "margin"));
    TRY(json_string(&seed, rules, "seed"));
    errno = 0;
    x->seed = strtoull(seed, NULL, 10);
    if (!*seed || strspn(seed, "0123456789") != strlen(seed) || errno != 0) {
        FAIL(SCONE_ERR_INPUT, "the seed is not a whole number");
    }
cleanup:
    return status;
}

static scone_status read_verdict(literal *value, const cJSON *object)
{
    const char *verdict;
    scone_status status = json_string(&verdict, object, "verdict");
    if (status != SCONE_OK) return status;
    for (int v = LITERAL_UNKNOWN; v <= LITERAL_CHANGED; v++) {
        if (strcmp(verdict, report_literal((literal)v)) != 0) continue;
        *value = (literal)v;
        return SCONE_OK;
    }
    return RAISE(SCONE_ERR_INPUT, "a verdict is none of changed, invariant and unknown");
}

static scone_status read_test(scone_explanation *x, const cJSON *object, size_t place)
{
    scone_status status = SCONE_OK;
    tested_literal *test = &x->reasons.tests[place];
    size_t v, count, pair;
    TRY(explain_read_pair(&pair, x, object));
    test->pair = (uint32_t)pair;
    TRY(explain_find_node(&v, x, json_optional(object, "variable")));
    TRY(read_set(test->given, &count, x, object, "given", INVARIANCE_MOST_GIVEN));
    test->v = (uint32_t)v;
    test->count = (uint32_t)count;
    for (size_t g = 0; g < count; g++) {
        if (test->given[g] == v) FAIL(SCONE_ERR_INPUT, "a variable is tested given itself");
    }
    TRY(read_verdict(&test->value, object));
    test->result.possible = true;
    TRY(json_double(&test->result.statistic, object, "statistic"));
    TRY(json_double(&test->result.degrees, object, "degrees"));
    TRY(json_double(&test->result.rest, object, "rest"));
    TRY(json_double(&test->result.p_value, object, "p_value"));
    TRY(json_double(&x->reasons.corrected[place], object, "p_corrected"));
    TRY(json_double(&test->result.effect, object, "effect"));
    TRY(json_double(&test->result.effect_high, object, "effect_high"));
cleanup:
    if (status == SCONE_ERR_INPUT) status_prefix("test %zu", place + 1);
    return status;
}

/* ---- certificates ---- */

/* The place of a node in the subset, or -1. */
static int place_in(const local_subset *s, size_t node)
{
    for (int k = 0; k < s->count; k++) {
        if (s->nodes[k] == node) return k;
    }
    return -1;
}

static scone_status read_mask(uint32_t *mask, const scone_explanation *x, const local_subset *s,
                              const cJSON *object, const char *name)
{
    uint32_t nodes[RULE_MOST_NODES];
    size_t count;
    scone_status status = read_set(nodes, &count, x, object, name, RULE_MOST_NODES);
    *mask = 0;
    for (size_t n = 0; status == SCONE_OK && n < count; n++) {
        int place = place_in(s, nodes[n]);
        if (place < 0) return RAISE(SCONE_ERR_INPUT, "\"%s\" is not within the subset", name);
        *mask |= MASK_BIT(place);
    }
    return status;
}

/* Two different places from a list that begins with one name and ends with another. */
static scone_status read_ends(int ends[2], const scone_explanation *x, const local_subset *s,
                              const cJSON *list, size_t length)
{
    scone_status status = SCONE_OK;
    size_t nodes[2];
    if (!cJSON_IsArray(list) || json_length(list) != length) {
        FAIL(SCONE_ERR_INPUT, "an adjacency that is not one of two variables");
    }
    const cJSON *last = list->child;
    while (last->next) last = last->next;
    TRY(explain_find_node(&nodes[0], x, list->child));
    TRY(explain_find_node(&nodes[1], x, last));
    for (int n = 0; n < 2; n++) ends[n] = place_in(s, nodes[n]);
    if (ends[0] < 0 || ends[1] < 0 || ends[0] == ends[1]) {
        FAIL(SCONE_ERR_INPUT, "an adjacency that is not one of two variables of the subset");
    }
cleanup:
    return status;
}

static scone_status read_local(local_graph *g, const scone_explanation *x, const local_subset *s,
                               const cJSON *list)
{
    scone_status status = SCONE_OK;
    if (!cJSON_IsArray(list)) FAIL(SCONE_ERR_INPUT, "a local graph is not a list");
    for (const cJSON *item = list->child; item; item = item->next) {
        int ends[2];
        TRY(read_ends(ends, x, s, item, 3));
        const cJSON *mark = item->child->next;
        bool directed = cJSON_IsString(mark) && strcmp(mark->valuestring, "->") == 0;
        bool undirected = cJSON_IsString(mark) && strcmp(mark->valuestring, "-") == 0;
        if (!directed && !undirected) FAIL(SCONE_ERR_INPUT, "a local edge is neither -> nor -");
        if (directed) pdag_direct(g, ends[0], ends[1]);
        if (undirected) pdag_undirect(g, ends[0], ends[1]);
    }
cleanup:
    return status;
}

static scone_status read_subset(reason *one, const scone_explanation *x, const cJSON *object)
{
    scone_status status = SCONE_OK;
    local_subset *s = &one->subset;
    const cJSON *list;
    size_t count;
    TRY(read_set(s->nodes, &count, x, object, "subset", RULE_MOST_NODES));
    s->count = (int)count;
    TRY(json_list(&list, object, "local"));
    if (json_length(list) != 2) FAIL(SCONE_ERR_INPUT, "not two local graphs");
    TRY(read_local(&s->local[0], x, s, list->child));
    TRY(read_local(&s->local[1], x, s, list->child->next));
    TRY(json_list(&list, object, "skeleton"));
    for (const cJSON *item = list->child; item; item = item->next) {
        int ends[2];
        TRY(read_ends(ends, x, s, item, 2));
        s->skeleton[ends[0]] |= MASK_BIT(ends[1]);
        s->skeleton[ends[1]] |= MASK_BIT(ends[0]);
    }
    rule_view view = local_subset_view(s);
    view_find_descendants(&view);
    memcpy(s->descendants, view.descendants, sizeof s->descendants);
cleanup:
    return status;
}

static scone_status read_kind(reason *one, const cJSON *object)
{
    scone_status status = SCONE_OK;
    const char *rule, *outcome;
    int kind = 0, word = REASON_AGREES;
    TRY(json_string(&rule, object, "rule"));
    TRY(json_string(&outcome, object, "outcome"));
    while (kind < RULE_KINDS && strcmp(rule, rule_name((rule_kind)kind)) != 0) kind++;
    while (word <= REASON_CYCLE && strcmp(outcome, report_outcome((reason_outcome)word)) != 0) {
        word++;
    }
    if (kind == RULE_KINDS || word > REASON_CYCLE) {
        FAIL(SCONE_ERR_INPUT, "a rule or an outcome that is not known");
    }
    one->certificate.rule = (rule_kind)kind;
    one->outcome = (reason_outcome)word;
    TRY(json_double(&one->weight, object, "log_odds"));
    TRY(json_double(&one->learner, object, "learner_log_odds"));
cleanup:
    return status;
}

/* The literals from the tests, which must be about the subset. */
static scone_status read_literals(reason *one, const scone_explanation *x, const cJSON *object)
{
    scone_status status = SCONE_OK;
    certificate *c = &one->certificate;
    const cJSON *list;
    TRY(json_list(&list, object, "literals"));
    for (const cJSON *item = list->child; item; item = item->next) {
        size_t number;
        if (c->literal_count > RULE_MOST_NODES) FAIL(SCONE_ERR_INPUT, "too many literals");
        TRY(json_element(&number, item, 1, x->reasons.test_count));
        const tested_literal *test = &x->reasons.tests[number - 1];
        if (test->pair != one->pair) FAIL(SCONE_ERR_INPUT, "a test of it is on other tables");
        int v = place_in(&one->subset, test->v);
        uint32_t z = 0;
        for (size_t g = 0; v >= 0 && g < test->count; g++) {
            int place = place_in(&one->subset, test->given[g]);
            if (place < 0) v = -1;
            if (place >= 0) z |= MASK_BIT(place);
        }
        if (v < 0) FAIL(SCONE_ERR_INPUT, "a test of it is not about its subset");
        one->tests[c->literal_count] = (uint32_t)(number - 1);
        c->literals[c->literal_count++] = (rule_literal){(uint8_t)v, (uint16_t)z, test->value};
    }
cleanup:
    return status;
}

/* What the words of a rule speak of must be there. */
static bool is_whole(const certificate *c)
{
    int changed = 0;
    for (int l = 0; l < c->literal_count; l++) changed += c->literals[l].value == LITERAL_CHANGED;
    if (c->rule == RULE_CVT && c->path_count != 3) return false;
    if (c->rule == RULE_DPT && c->path_count < 3) return false;
    if (c->rule == RULE_SCR && !(c->witness >> c->source & 1)) return false;
    return c->literal_count >= 2 && changed >= 1 && changed < c->literal_count;
}

static scone_status read_certificate(scone_explanation *x, const cJSON *object, size_t place)
{
    scone_status status = SCONE_OK;
    reason *one = &x->reasons.list[place];
    certificate *c = &one->certificate;
    uint32_t mask, path[RULE_MOST_NODES];
    size_t count;
    TRY(read_kind(one, object));
    TRY(explain_read_pair(&one->pair, x, object));
    TRY(read_subset(one, x, object));
    TRY(explain_find_node(&one->from, x, json_optional(object, "source")));
    TRY(explain_find_node(&one->to, x, json_optional(object, "target")));
    int source = place_in(&one->subset, one->from), target = place_in(&one->subset, one->to);
    if (source < 0 || target < 0 || source == target) {
        FAIL(SCONE_ERR_INPUT, "its ends are not two variables of its subset");
    }
    c->source = (uint8_t)source;
    c->target = (uint8_t)target;
    TRY(read_mask(&mask, x, &one->subset, object, "witness"));
    c->witness = (uint16_t)mask;
    TRY(read_literals(one, x, object));
    if (json_optional(object, "path")) {
        TRY(read_set(path, &count, x, object, "path", RULE_MOST_NODES));
        for (size_t k = 0; k < count; k++) {
            int at = place_in(&one->subset, path[k]);
            if (at < 0) FAIL(SCONE_ERR_INPUT, "its path leaves its subset");
            c->path[c->path_count++] = (uint8_t)at;
        }
        TRY(read_mask(&mask, x, &one->subset, object, "replay"));
        c->replay = (uint16_t)mask;
    }
    if (!is_whole(c)) FAIL(SCONE_ERR_INPUT, "it lacks what its rule needs");
cleanup:
    if (status == SCONE_ERR_INPUT) status_prefix("certificate %zu", place + 1);
    return status;
}

scone_status explain_read_reasons(scone_explanation *x, const cJSON *root)
{
    scone_status status = SCONE_OK;
    const cJSON *tests, *certificates;
    reasons *r = &x->reasons;
    TRY(read_levels(x, root));
    TRY(json_list(&tests, root, "tests"));
    TRY_ZERO(r->tests, json_length(tests));
    TRY_ZERO(r->corrected, json_length(tests));
    for (const cJSON *item = tests->child; item; item = item->next, r->test_count++) {
        TRY(read_test(x, item, r->test_count));
    }
    TRY(json_list(&certificates, root, "certificates"));
    TRY_ZERO(r->list, json_length(certificates));
    for (const cJSON *item = certificates->child; item; item = item->next, r->count++) {
        TRY(read_certificate(x, item, r->count));
    }
cleanup:
    return status;
}
