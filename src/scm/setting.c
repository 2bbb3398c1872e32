/* setting.c - the named settings of the benchmark and what makes a setting valid. */
#include "data/conditions/conditions.h"
#include "scm/scm.h"

#include <math.h>
#include <stdio.h>

enum {
    SETTING_NODE_LIMIT = 10000,
    SETTING_EDGE_LIMIT = 2000000,
    SETTING_COUNT_LIMIT = 1000000,
    SETTING_CELL_LIMIT = 1000000000 /* of the control, and of all conditions together: 8 GB */
};

static const char *const names[] = {"indist-20-20", "ood-20-20",   "ood-20-30",    "ood-20-40",
                                    "ood-50-50",    "ood-100-100", "wild-20-20",   "wild-20-40",
                                    "wild-50-50",   "train-ood",   "train-indist", NULL};

/* In the order of the names: nodes, edges, families, graphs. */
static const struct {
    size_t nodes, edges, count;
    unsigned families;
    bool wild;
} sizes[] = {
    {20, 20, 10, SCONE_POLYNOMIAL, false},
    {20, 20, 10, SCONE_POLYNOMIAL | SCONE_SIGMOID, false},
    {20, 30, 10, SCONE_POLYNOMIAL | SCONE_SIGMOID, false},
    {20, 40, 10, SCONE_POLYNOMIAL | SCONE_SIGMOID, false},
    {50, 50, 20, SCONE_POLYNOMIAL | SCONE_SIGMOID, false},
    {100, 100, 20, SCONE_POLYNOMIAL | SCONE_SIGMOID, false},
    {20, 20, 10, 0, true},
    {20, 40, 10, 0, true},
    {50, 50, 20, 0, true},
    {0, 0, 512, SCONE_LINEAR | SCONE_NN | SCONE_NN_ADD, false}, /* N in 10..100, E in N..2N */
    {20, 20, 512, SCONE_POLYNOMIAL, false},
};

_Static_assert(sizeof names / sizeof *names == sizeof sizes / sizeof *sizes + 1,
               "a name for every setting");

const char *const *scone_setting_names(void)
{
    return names;
}

static scone_status raise_unknown(const char *name)
{
    char list[512];
    size_t used = 0;
    for (size_t i = 0; names[i]; i++) {
        int length = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
        if (length > 0) used += (size_t)length;
    }
    return RAISE(SCONE_ERR_INPUT, "there is no setting '%.100s'; use one of %s", name, list);
}

scone_status scone_setting_named(scone_setting *setting, const char *name)
{
    *setting = (scone_setting){0};
    size_t i = 0;
    while (names[i] && strcmp(names[i], name) != 0) i++;
    if (!names[i]) return raise_unknown(name);
    (void)snprintf(setting->name, sizeof setting->name, "%s", names[i]);
    setting->nodes_min = setting->nodes_max = sizes[i].nodes;
    setting->edges_min = setting->edges_max = (double)sizes[i].edges;
    if (sizes[i].nodes == 0) {
        setting->nodes_min = 10;
        setting->nodes_max = 100;
        setting->edges_min = 1.0;
        setting->edges_max = 2.0;
        setting->edges_per_node = true;
    }
    setting->families = sizes[i].families;
    setting->wild = sizes[i].wild;
    setting->count = sizes[i].count;
    setting->noise = SCONE_NOISE_MIXED;
    setting->p_target = 0.4;
    setting->samples = 10000;
    return SCONE_OK;
}

static scone_status check_size(const scone_setting *s)
{
    scone_status status = SCONE_OK;
    size_t cells;
    if (s->nodes_min < 1 || s->nodes_max > SETTING_NODE_LIMIT) {
        FAIL(SCONE_ERR_INPUT, "--nodes must be between 1 and %d, not %zu", SETTING_NODE_LIMIT,
             s->nodes_min < 1 ? s->nodes_min : s->nodes_max);
    }
    if (s->nodes_min > s->nodes_max) {
        FAIL(SCONE_ERR_INPUT,
             "--nodes: the range %zu to %zu is empty; give the smaller number first", s->nodes_min,
             s->nodes_max);
    }
    if (!(s->edges_min >= 0.0) || !isfinite(s->edges_max)) {
        FAIL(SCONE_ERR_INPUT, "--edges must be a number from 0 on, not %g",
             s->edges_min >= 0.0 ? s->edges_max : s->edges_min);
    }
    if (!(s->edges_min <= s->edges_max)) {
        FAIL(SCONE_ERR_INPUT, "--edges: the range %g to %g is empty; give the smaller number first",
             s->edges_min, s->edges_max);
    }
    double n = (double)s->nodes_max, edges = s->edges_per_node ? n * s->edges_max : s->edges_max;
    if (fmin(edges, 0.5 * n * (n - 1.0)) > SETTING_EDGE_LIMIT) {
        FAIL(SCONE_ERR_INPUT,
             "--edges %g with --nodes %zu is above the limit of %d edges; use fewer", edges,
             s->nodes_max, SETTING_EDGE_LIMIT);
    }
    if (s->samples < 1) FAIL(SCONE_ERR_INPUT, "--samples must be at least 1");
    if (!size_multiply(&cells, s->samples, s->nodes_max) || cells > SETTING_CELL_LIMIT) {
        FAIL(SCONE_ERR_INPUT,
             "--samples %zu with --nodes %zu makes tables of more than %d cells; use fewer",
             s->samples, s->nodes_max, SETTING_CELL_LIMIT);
    }
    if (cells * scm_conditions(s) > SETTING_CELL_LIMIT) { /* both are limited */
        FAIL(SCONE_ERR_INPUT,
             "--samples %zu with --nodes %zu and --conditions %zu makes more than %d cells; use "
             "fewer",
             s->samples, s->nodes_max, s->conditions, SETTING_CELL_LIMIT);
    }
    if (!size_multiply(&cells, scm_rows(s, 0), s->nodes_max) || cells > SETTING_CELL_LIMIT) {
        FAIL(
            SCONE_ERR_INPUT,
            "--control-samples %zu with --nodes %zu makes a table of more than %d cells; use fewer",
            s->control_samples, s->nodes_max, SETTING_CELL_LIMIT);
    }
cleanup:
    return status;
}

static scone_status check_conditions(const scone_setting *s)
{
    scone_status status = SCONE_OK;
    size_t low = s->condition_targets_min, high = s->condition_targets_max;
    if (s->conditions > CONDITIONS_MOST) {
        FAIL(SCONE_ERR_INPUT, "--conditions must be between 1 and %d, not %zu", CONDITIONS_MOST,
             s->conditions);
    }
    if (low > high) {
        FAIL(SCONE_ERR_INPUT,
             "--condition-targets: the range %zu to %zu is empty; give the smaller number first",
             low, high);
    }
    if (high > SETTING_NODE_LIMIT) {
        FAIL(SCONE_ERR_INPUT, "--condition-targets must be at most %d, not %zu", SETTING_NODE_LIMIT,
             high);
    }
    if (high > 0 && scm_conditions(s) == 1) {
        FAIL(SCONE_ERR_INPUT,
             "--condition-targets goes with --conditions 2 or more; the targets of "
             "one condition are drawn with --p-target");
    }
cleanup:
    return status;
}

scone_status setting_check(const scone_setting *s)
{
    scone_status status = SCONE_OK;
    const unsigned all = SCONE_LINEAR | SCONE_POLYNOMIAL | SCONE_SIGMOID | SCONE_NN | SCONE_NN_ADD;
    if (!memchr(s->name, '\0', sizeof s->name)) {
        FAIL(SCONE_ERR_INPUT, "the name of the setting is longer than %zu characters",
             sizeof s->name - 1);
    }
    TRY(check_conditions(s));
    TRY(check_size(s));
    if (!s->wild && (s->families == 0 || (s->families & ~all) != 0)) {
        FAIL(SCONE_ERR_INPUT,
             "--mechanisms needs at least one of linear, polynomial, sigmoid, nn, nn_add");
    }
    if ((int)s->noise < SCONE_NOISE_MIXED || (int)s->noise > SCONE_NOISE_MULTIPLICATIVE) {
        FAIL(SCONE_ERR_INPUT, "--noise must be mixed, additive or multiplicative");
    }
    if (!(s->p_target >= 0.0 && s->p_target <= 1.0)) {
        FAIL(SCONE_ERR_INPUT, "--p-target must be between 0 and 1, not %g", s->p_target);
    }
    if (s->count < 1 || s->count > SETTING_COUNT_LIMIT) {
        FAIL(SCONE_ERR_INPUT, "--count must be between 1 and %d, not %zu", SETTING_COUNT_LIMIT,
             s->count);
    }
cleanup:
    return status;
}
