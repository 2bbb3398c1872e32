/* setting_options.c - settings of the generator as words, text and JSON (see setting_options.h). */
#include "setting_options.h"

#include <inttypes.h>
#include <string.h>

const family_name family_names[] = {
    {"linear", SCONE_LINEAR}, {"polynomial", SCONE_POLYNOMIAL}, {"sigmoid", SCONE_SIGMOID},
    {"nn", SCONE_NN},         {"nn_add", SCONE_NN_ADD},         {NULL, 0},
};

const char *const mechanism_names[] = {"linear", "polynomial", "sigmoid", "nn", "nn_add", NULL};
const char *const noise_names[] = {"mixed", "additive", "multiplicative", NULL};
const char *const format_names[] = {"csv", "dcdi", NULL};

/* ---- from the command line ---- */

unsigned parse_mechanisms(const command *about, const char *text)
{
    unsigned set = 0;
    for (const char *start = text;; start++) {
        size_t length = strcspn(start, ",");
        unsigned bit = 0;
        for (size_t f = 0; family_names[f].name; f++) {
            bool same = strlen(family_names[f].name) == length &&
                        strncmp(family_names[f].name, start, length) == 0;
            if (same) bit = family_names[f].bit;
        }
        if (!bit) {
            (void)usage_error(about,
                              "--mechanisms: '%.*s' is not one of linear, polynomial, sigmoid, nn, "
                              "nn_add",
                              length > 100 ? 100 : (int)length, start);
            return 0;
        }
        set |= bit;
        start += length;
        if (!*start) return set;
    }
}

static bool is_path(const char *text)
{
    size_t length = strlen(text);
    return strchr(text, '/') || (length > 5 && strcmp(text + length - 5, ".json") == 0);
}

scone_status setting_base(scone_setting *setting, const char *name)
{
    if (name && is_path(name)) return scone_setting_read(setting, name);
    if (name && strcmp(name, "custom") != 0) return scone_setting_named(setting, name);
    scone_status status = scone_setting_named(setting, "ood-20-20");
    (void)snprintf(setting->name, sizeof setting->name, "custom");
    setting->count = 1;
    return status;
}

/* Several conditions are another distribution than one, and so are other numbers of targets. */
static int change_conditions(scone_setting *setting, bool *changed, const command *about,
                             const setting_options *o)
{
    size_t before = setting->conditions > 1 ? setting->conditions : 1;
    size_t after = o->given.conditions ? o->conditions : before;
    if (after > 1 && o->given.p_target) {
        return usage_error(about, "--p-target goes with one condition; give --condition-targets");
    }
    if (after == 1 && o->given.condition_targets) {
        return usage_error(about, "--condition-targets goes with --conditions 2 or more; the "
                                  "targets of one condition are drawn with --p-target");
    }
    *changed = *changed || after != before || o->given.condition_targets;
    if (o->given.conditions) setting->conditions = after;
    if (after == 1) setting->condition_targets_min = setting->condition_targets_max = 0;
    if (o->given.condition_targets) {
        setting->condition_targets_min = (size_t)o->condition_targets[0];
        setting->condition_targets_max = (size_t)o->condition_targets[1];
        if (o->condition_targets[1] < 1.0) {
            return usage_error(about, "--condition-targets: at least one must be possible");
        }
    }
    if (o->given.control_samples) setting->control_samples = o->control_samples;
    return SCONE_OK;
}

int setting_change(scone_setting *setting, bool *changed, const command *about,
                   const setting_options *o)
{
    *changed =
        o->given.nodes || o->given.edges || o->mechanisms || o->given.noise || o->given.p_target;
    if (setting->wild && (o->mechanisms || o->given.noise)) {
        return usage_error(
            about, "%s has its own mechanisms and noise; leave --mechanisms and --noise out",
            setting->name);
    }
    if (o->given.nodes) {
        setting->nodes_min = (size_t)o->nodes[0];
        setting->nodes_max = (size_t)o->nodes[1];
    }
    if (o->given.edges) {
        setting->edges_min = o->edges[0];
        setting->edges_max = o->edges[1];
        setting->edges_per_node = false;
    }
    if (o->mechanisms) {
        setting->families = parse_mechanisms(about, o->mechanisms);
        if (!setting->families) return SCONE_ERR_USAGE;
    }
    if (o->given.noise) setting->noise = (scone_noise)o->noise;
    if (o->given.p_target) setting->p_target = o->p_target;
    if (o->given.samples) setting->samples = o->samples;
    if (o->given.count) setting->count = o->count;
    if (o->given.seed) setting->seed = o->seed;
    return change_conditions(setting, changed, about, o);
}

/* ---- as text and JSON ---- */

void mechanisms_text(char *out, size_t size, const scone_setting *setting)
{
    size_t used = 0;
    (void)snprintf(out, size, "%s", setting->wild ? "wild" : "");
    for (size_t f = 0; family_names[f].name && !setting->wild && used < size; f++) {
        if (!(setting->families & family_names[f].bit)) continue;
        (void)snprintf(out + used, size - used, "%s%s", used ? ", " : "", family_names[f].name);
        used = strlen(out);
    }
}

void nodes_text(char *out, size_t size, const scone_setting *s)
{
    if (s->nodes_min == s->nodes_max) {
        (void)snprintf(out, size, "%zu", s->nodes_min);
    } else {
        (void)snprintf(out, size, "%zu..%zu", s->nodes_min, s->nodes_max);
    }
}

void edges_text(char *out, size_t size, const scone_setting *s)
{
    const char *unit = s->edges_per_node ? "N" : "";
    if (s->edges_min == s->edges_max) {
        (void)snprintf(out, size, "%.6g%s", s->edges_min, unit);
    } else {
        (void)snprintf(out, size, "%.6g%s..%.6g%s", s->edges_min, unit, s->edges_max, unit);
    }
}

/* "1..3", the targets of each of several conditions. */
static void targets_text(char *out, size_t size, const scone_setting *s)
{
    size_t low = s->condition_targets_min, high = s->condition_targets_max;
    if (high == 0) low = 1, high = 3;
    if (low == high) {
        (void)snprintf(out, size, "%zu", low);
    } else {
        (void)snprintf(out, size, "%zu..%zu", low, high);
    }
}

void rows_text(char *out, size_t size, const scone_setting *s)
{
    char control[64] = "", targets[64];
    if (s->control_samples) {
        (void)snprintf(control, sizeof control, ", control of %zu rows", s->control_samples);
    }
    if (s->conditions < 2) {
        (void)snprintf(out, size, "%zu rows%s", s->samples, control);
        return;
    }
    targets_text(targets, sizeof targets, s);
    (void)snprintf(out, size, "%zu conditions of %zu rows with %s %s each%s", s->conditions,
                   s->samples, targets, strcmp(targets, "1") == 0 ? "target" : "targets", control);
}

/* One condition, and a control of as many rows, need no mention. */
static void json_conditions(json *j, cJSON *object, const scone_setting *s)
{
    if (s->conditions > 1) {
        bool usual = s->condition_targets_max == 0;
        json_number(j, object, "conditions", (double)s->conditions);
        cJSON *targets = json_array(j, object, "condition_targets");
        json_append_number(j, targets, usual ? 1.0 : (double)s->condition_targets_min);
        json_append_number(j, targets, usual ? 3.0 : (double)s->condition_targets_max);
    }
    if (s->control_samples) {
        json_number(j, object, "control_samples", (double)s->control_samples);
    }
}

void json_setting(json *j, cJSON *object, const scone_setting *s)
{
    json_text(j, object, "setting", s->name);
    cJSON *nodes = json_array(j, object, "nodes");
    json_append_number(j, nodes, (double)s->nodes_min);
    json_append_number(j, nodes, (double)s->nodes_max);
    cJSON *edges = json_array(j, object, s->edges_per_node ? "edges_per_node" : "edges");
    json_append_number(j, edges, s->edges_min);
    json_append_number(j, edges, s->edges_max);
    cJSON *mechanisms = json_array(j, object, "mechanisms");
    for (size_t f = 0; family_names[f].name && !s->wild; f++) {
        if (!(s->families & family_names[f].bit)) continue;
        json_append_text(j, mechanisms, family_names[f].name, strlen(family_names[f].name));
    }
    if (!s->wild) json_text(j, object, "noise", noise_names[s->noise]);
    json_flag(j, object, "wild", s->wild);
    json_number(j, object, "p_target", s->p_target);
    json_number(j, object, "samples", (double)s->samples);
    json_conditions(j, object, s);
    json_number(j, object, "count", (double)s->count);
    json_integer(j, object, "seed", s->seed);
}

/* Rows, targets and seed of what was written. */
static void print_rows(const scone_setting *s)
{
    char rows[256];
    if (s->conditions > 1) {
        rows_text(rows, sizeof rows, s);
        (void)printf("  %s, seed %" PRIu64 "\n", rows, s->seed);
        return;
    }
    (void)printf("  %zu samples per regime", s->samples);
    if (s->control_samples) (void)printf(" (%zu of the control)", s->control_samples);
    (void)printf(", target probability %.6g, seed %" PRIu64 "\n", s->p_target, s->seed);
}

int print_written(const scone_setting *setting, const char *folder, scone_problem_format format,
                  bool as_json)
{
    if (as_json) {
        json j;
        json_begin(&j);
        json_text(&j, j.root, "folder", folder);
        json_text(&j, j.root, "format", format_names[format]);
        json_setting(&j, j.root, setting);
        return json_end(&j);
    }
    char nodes[64], edges[64], mechanisms[128];
    nodes_text(nodes, sizeof nodes, setting);
    edges_text(edges, sizeof edges, setting);
    mechanisms_text(mechanisms, sizeof mechanisms, setting);
    (void)printf("Wrote %zu %s of setting %s to %s\n", setting->count,
                 plural(setting->count, "problem", "problems"), setting->name, folder);
    (void)printf("  nodes %s, expected edges %s, mechanisms %s%s%s\n", nodes, edges, mechanisms,
                 setting->wild ? "" : ", noise ", setting->wild ? "" : noise_names[setting->noise]);
    print_rows(setting);
    bool one = setting->count == 1;
    if (format == SCONE_PROBLEM_CSV) {
        char changed[64] = "int.csv";
        if (setting->conditions > 1) {
            (void)snprintf(changed, sizeof changed, "c1.csv to c%zu.csv", setting->conditions);
        }
        (void)printf("%s%s/g0%s has obs.csv, %s, graph.csv and targets.csv.\n",
                     one ? "" : "Each of ", folder, one ? "" : ", g1, ...", changed);
    } else {
        (void)printf("The files are DAG{i}.npy, data{i}.npy, data_interv{i}.npy, regime{i}.csv and "
                     "intervention{i}.csv, i from 1.\n");
    }
    return SCONE_OK;
}

static int list_json(const scone_setting *settings, size_t count)
{
    json j;
    json_begin(&j);
    cJSON *array = json_array(&j, j.root, "settings");
    for (size_t i = 0; i < count; i++) {
        json_setting(&j, json_append_object(&j, array), &settings[i]);
    }
    return json_end(&j);
}

static int list_text(const scone_setting *settings, size_t count)
{
    static const char *const heads[] = {"setting", "nodes", "edges", "graphs", "mechanisms"};
    text_table table;
    table_begin(&table, 5);
    table.left[4] = true;
    table_row(&table);
    for (size_t h = 0; h < 5; h++) table_cell(&table, h, "%s", heads[h]);
    for (size_t i = 0; i < count; i++) {
        char text[128];
        table_row(&table);
        table_cell(&table, 0, "%s", settings[i].name);
        nodes_text(text, sizeof text, &settings[i]);
        table_cell(&table, 1, "%s", text);
        edges_text(text, sizeof text, &settings[i]);
        table_cell(&table, 2, "%s", text);
        table_cell(&table, 3, "%zu", settings[i].count);
        mechanisms_text(text, sizeof text, &settings[i]);
        table_cell(&table, 4, "%s", text);
    }
    return table_end(&table);
}

int print_settings(session *s)
{
    enum { SETTINGS = 64 };
    scone_setting settings[SETTINGS];
    size_t count = 0;
    for (const char *const *name = scone_setting_names(); *name && count < SETTINGS; name++) {
        scone_status status = scone_setting_named(&settings[count++], *name);
        if (status != SCONE_OK) return session_fail(s, status);
    }
    return s->as_json ? list_json(settings, count) : list_text(settings, count);
}
