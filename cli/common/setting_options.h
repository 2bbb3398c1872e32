/* setting_options.h - settings of the generator as words, text and JSON. */
#ifndef SCONE_CLI_SETTING_OPTIONS_H
#define SCONE_CLI_SETTING_OPTIONS_H

#include "printing.h"
#include "scone.h"
#include "session.h"

typedef struct family_name {
    const char *name;
    unsigned bit;
} family_name;

extern const family_name family_names[];    /* mechanism families; the last has name == NULL */
extern const char *const noise_names[];     /* by scone_noise, NULL-terminated */
extern const char *const mechanism_names[]; /* of the families, NULL-terminated */
extern const char *const format_names[];    /* by scone_problem_format, NULL-terminated */

/* "linear,nn" as a bit set; 0 after a usage error. */
unsigned parse_mechanisms(const command *about, const char *text);

/* Options that change a setting. */
typedef struct setting_options {
    const char *mechanisms;
    double nodes[2], edges[2], p_target, condition_targets[2];
    size_t samples, control_samples, conditions, count;
    uint64_t seed;
    int noise;
    struct {
        bool nodes, edges, noise, p_target, samples, count, seed;
        bool conditions, condition_targets, control_samples;
    } given;
} setting_options;

static inline option option_nodes(setting_options *o)
{
    return option_number(OPTION_WHOLE_RANGE, "nodes", 'n', "N",
                         "variables, or a range A..B drawn per graph", 2, 100000, o->nodes,
                         &o->given.nodes);
}

static inline option option_edges(setting_options *o)
{
    return option_number(OPTION_RANGE, "edges", 'e', "E",
                         "expected edges, or a range A..B drawn per graph", 0, 1e9, o->edges,
                         &o->given.edges);
}

static inline option option_mechanisms(setting_options *o)
{
    return option_words("mechanisms", 'm', "LIST",
                        "of linear, polynomial, sigmoid, nn, nn_add, with\n"
                        "commas (default of custom: polynomial,sigmoid)",
                        mechanism_names, &o->mechanisms);
}

static inline option option_noise(setting_options *o)
{
    return option_choice("noise", 0, "KIND",
                         "mixed (default), additive or multiplicative, for\n"
                         "polynomial and sigmoid",
                         noise_names, &o->noise, &o->given.noise);
}

static inline option option_samples(setting_options *o)
{
    return option_number(OPTION_COUNT, "samples", 's', "ROWS", "rows per regime (default 10000)", 1,
                         1e9, &o->samples, &o->given.samples);
}

static inline option option_control_samples(setting_options *o)
{
    return option_number(OPTION_COUNT, "control-samples", 0, "ROWS",
                         "rows of the control (default: as --samples)", 1, 1e9, &o->control_samples,
                         &o->given.control_samples);
}

/* Named many_conditions since discover has --conditions of its own. */
static inline option option_many_conditions(setting_options *o)
{
    return option_number(OPTION_COUNT, "conditions", 0, "K",
                         "changed tables beside the control, 1 (default) to 1000,\n"
                         "of --samples rows each; from 2 on with few targets each\n"
                         "in the place of --p-target",
                         1, 1000, &o->conditions, &o->given.conditions);
}

static inline option option_condition_targets(setting_options *o)
{
    return option_number(OPTION_WHOLE_RANGE, "condition-targets", 0, "T",
                         "targets of each of several conditions, or a range\n"
                         "LOW..HIGH (default 1..3)",
                         0, 10000, o->condition_targets, &o->given.condition_targets);
}

static inline option option_p_target(setting_options *o)
{
    return option_number(OPTION_NUMBER, "p-target", 0, "P",
                         "chance that a node with parents is a target\n(default 0.4)", 0, 1,
                         &o->p_target, &o->given.p_target);
}

static inline option option_graphs(setting_options *o)
{
    return option_number(OPTION_COUNT, "count", 'c', "GRAPHS",
                         "how many problems (default: the setting's; custom: 1)", 1, 1e9, &o->count,
                         &o->given.count);
}

static inline option option_setting_seed(setting_options *o)
{
    return option_number(OPTION_SEED, "seed", 0, "S",
                         "another seed, other data (default: the setting's)", 0, 0, &o->seed,
                         &o->given.seed);
}

/* The setting of a name, 'custom' (or NULL), or the path of a setting.json. */
scone_status setting_base(scone_setting *setting, const char *name);
/* Applies the options, reporting a usage error of the command; *changed tells whether it is another
 * distribution now. Returns an exit code. */
int setting_change(scone_setting *setting, bool *changed, const command *about,
                   const setting_options *o);

/* Its parts as people write them: "20", "10..100"; "1N..2N"; "polynomial, sigmoid". */
void nodes_text(char *out, size_t size, const scone_setting *s);
void edges_text(char *out, size_t size, const scone_setting *s);
void mechanisms_text(char *out, size_t size, const scone_setting *setting);
void json_setting(json *j, cJSON *object, const scone_setting *s);
/* "5 conditions of 1000 rows with 1..3 targets each, control of 5000 rows"; "200 rows" for one. */
void rows_text(char *out, size_t size, const scone_setting *s);

/* What simulate prints at the end, and all named settings; both return an exit code. */
int print_written(const scone_setting *setting, const char *folder, scone_problem_format format,
                  bool as_json);
int print_settings(session *s);

#endif
