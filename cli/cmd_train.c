/* cmd_train.c - scone train: weights of the learned model, from seeds alone. */
#include "commands.h"
#include "model_option.h"
#include "printing.h"
#include "scone_lab.h"
#include "session.h"
#include "setting_options.h"

#include <math.h>

const command command_train = {
    .name = "train",
    .synopsis = "scone train -o FILE [--preset NAME] [--resume] [options]",
    .summary = "trains the learned model on simulated graphs",
    .about = "Simulates graphs, makes their tokens, trains, and writes the weights to FILE\n"
             "(.safetensors; scone model explains it). Everything follows from the options: the\n"
             "bytes do not depend on threads, processes or stops. FILE.run gets the tokens,\n"
             "the last three checkpoints, curves.csv and curves.svg. After a stop --resume goes\n"
             "on from the newest checkpoint. Under mpirun the processes share every step.",
    .examples = "scone train --graphs 2 --nodes 5 --samples 200 --steps 2 -o tiny.safetensors\n"
                "scone model tiny.safetensors",
};

typedef struct train_options {
    scone_train_options train;
    setting_options setting;
    const char *base;   /* setting */
    double per_node[2]; /* edges */
    bool per_node_given;
} train_options;

static int print_text(const train_options *o, const scone_train_report *r)
{
    (void)printf("Wrote %s: %zu parameters, the best of %zu %s, after step %zu%s\n",
                 o->train.output, r->parameters, r->steps, plural(r->steps, "step", "steps"),
                 r->best_step, r->stopped ? "; stopped early" : "");
    (void)printf("  validation: loss %.4f, SHD %.2f, F1 %.3f at the threshold %.2f, calibration "
                 "error %.3f\n  at the temperature %.3f\n",
                 r->loss, r->shd, r->f1, r->threshold, r->calibration, r->temperature);
    return SCONE_OK;
}

static int print_json(const train_options *o, const scone_train_report *r)
{
    json j;
    json_begin(&j);
    json_text(&j, j.root, "file", o->train.output);
    json_number(&j, j.root, "parameters", (double)r->parameters);
    json_number(&j, j.root, "steps", (double)r->steps);
    json_number(&j, j.root, "best_step", (double)r->best_step);
    json_flag(&j, j.root, "stopped", r->stopped);
    json_number(&j, j.root, "loss", r->loss);
    json_number(&j, j.root, "shd", r->shd);
    json_number(&j, j.root, "f1", r->f1);
    json_number(&j, j.root, "threshold", r->threshold);
    json_number(&j, j.root, "calibration", r->calibration);
    json_number(&j, j.root, "temperature", r->temperature);
    return json_end(&j);
}

static int make_setting(session *s, train_options *o)
{
    bool changed;
    scone_setting *setting = &o->train.setting;
    scone_status status = setting_base(setting, o->base ? o->base : "train-ood");
    if (status != SCONE_OK) return session_fail(s, status);
    setting->seed = 1;
    int code = setting_change(setting, &changed, &command_train, &o->setting);
    if (code != SCONE_OK) s->failed = true;
    if (o->per_node_given) {
        setting->edges_min = o->per_node[0];
        setting->edges_max = o->per_node[1];
        setting->edges_per_node = true;
    }
    return code;
}

static int train(session *s, train_options *o)
{
    scone_train_report report;
    int code = make_setting(s, o);
    if (code != SCONE_OK) return code;
    session_catch_signals();
    s->kept = "checkpoints, where there were any, are kept; go on with --resume -o";
    s->kept_in = o->train.output;
    scone_status status = scone_train_run(&report, &o->train, &s->context);
    if (status != SCONE_OK) return session_fail(s, status);
    session_hide_bar(s);
    return s->as_json ? print_json(o, &report) : print_text(o, &report);
}

static int check_usage(const arguments *parsed, const train_options *o)
{
    const command *about = &command_train;
    if (parsed->count > 0) {
        return usage_error(about, "'%.100s' is not expected; it takes options alone",
                           parsed->positional[0]);
    }
    if (!o->train.output) return usage_error(about, "give the file for the weights with -o FILE");
    const char *preset = o->train.preset ? o->train.preset : "paper";
    if (o->train.learners && !scone_preset_votes(preset)) {
        return usage_error(about, "--learners goes with --preset paper, paper-nb or paper-nc");
    }
    if (o->train.steps && o->train.epochs) {
        return usage_error(about, "give --steps or --epochs, not both");
    }
    if (o->setting.given.edges && o->per_node_given) {
        return usage_error(about, "give --edges or --edges-per-node, not both");
    }
    if (o->train.resume && o->train.force) {
        return usage_error(about, "give --resume or --force, not both");
    }
    return SCONE_OK;
}

static int run_parsed(session *s, const option *table, train_options *o, int argc, char **argv)
{
    arguments parsed;
    if (!options_parse(&parsed, &command_train, table, argc, argv)) return SCONE_ERR_USAGE;
    if (parsed.help) {
        options_help(stdout, &command_train, table);
        return stdout_check(SCONE_OK);
    }
    int code = check_usage(&parsed, o);
    if (code == SCONE_OK) code = session_open(s);
    if (code != SCONE_OK) return code;
    return session_close(s, train(s, o));
}

/* A number of things, from 1 on. */
static option count_option(const char *name, const char *help, size_t *value)
{
    return option_number(OPTION_COUNT, name, 0, "N", help, 1, 1e9, value, NULL);
}

int run_train(int argc, char **argv)
{
    session s = session_start();
    train_options o = {.train.seed = 1};
    const option table[] = {
        option_text("output", 'o', "FILE", "the weights file to write", &o.train.output),
        option_words("preset", 'p', "NAME", "paper (default), paper-nb, paper-nc, best or best-ood",
                     model_presets(), &o.train.preset),
        option_text("config", 0, "LIST",
                    "fields of the configuration that differ, as\n"
                    "width=32,blocks=2 (names: scone model --preset paper)",
                    &o.train.changes),
        option_learners(&o.train.learners),
        option_flag("stream", 0, "begin with the first graphs while others are being made",
                    &o.train.stream),
        option_flag("resume", 0, "go on from the newest checkpoint, if there is one",
                    &o.train.resume),
        option_flag("force", 0, "replace FILE and begin anew", &o.train.force),
        count_option("graphs", "training graphs (default 2000)", &o.train.graphs),
        count_option("validation", "validation graphs (default: a tenth, 8 to 200)",
                     &o.train.validation),
        count_option("epochs", "how often to see every graph (default 20)", &o.train.epochs),
        count_option("steps", "updates, instead of --epochs", &o.train.steps),
        count_option("batch", "graphs of a step (default 8)", &o.train.batch),
        count_option("every",
                     "steps between validations and checkpoints\n"
                     "(default: a fiftieth of all)",
                     &o.train.every),
        count_option("patience",
                     "stop after so many validations without a better one\n"
                     "(default: never)",
                     &o.train.patience),
        option_number(OPTION_NUMBER, "threshold", 0, "P",
                      "probability of an edge from which the graph has it,\n"
                      "0.05, 0.10, ... (default: the best on the validation\n"
                      "graphs)",
                      0.05, 0.95, &o.train.threshold, NULL),
        option_number(OPTION_SEED, "seed", 0, "S",
                      "of initial weights, order and identities (default 1)", 0, 0, &o.train.seed,
                      NULL),
        option_words("setting", 0, "NAME",
                     "of the graphs: a named one or a setting.json\n(default train-ood)",
                     scone_setting_names(), &o.base),
        option_number(OPTION_SEED, "data-seed", 0, "S",
                      "of the graphs (default 1); validation graphs have 500 more", 0, 0,
                      &o.setting.seed, &o.setting.given.seed),
        option_samples(&o.setting),
        option_number(OPTION_COUNT, "samples-min", 0, "ROWS",
                      "draw the rows of each graph between these and --samples", 1, 1e9,
                      &o.train.samples_min, NULL),
        option_nodes(&o.setting),
        option_edges(&o.setting),
        option_number(OPTION_RANGE, "edges-per-node", 0, "E",
                      "the same over the number of variables", 0, 1e6, o.per_node,
                      &o.per_node_given),
        option_words("mechanisms", 'm', "LIST",
                     "of linear, polynomial, sigmoid, nn, nn_add, with commas\n"
                     "(default: the setting's)",
                     mechanism_names, &o.setting.mechanisms),
        option_noise(&o.setting),
        option_p_target(&o.setting),
        option_text("work", 0, "DIR", "folder of checkpoints and curves (default FILE.run)",
                    &o.train.work),
        option_text("tokens", 0, "DIR", "folder of token files (default: that of --work)",
                    &o.train.tokens),
        option_threads(&s),
        option_memory(&s),
        option_json(&s),
        option_quiet(&s),
        {.name = NULL},
    };
    return run_parsed(&s, table, &o, argc, argv);
}
