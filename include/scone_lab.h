/* scone_lab.h - the workshop of libscone: weights and their training, benchmarks, work shared
 * between processes, and the theory checked on small graphs.
 *
 * scone.h, which this header includes with its conventions, is what a program that looks for graphs
 * needs and changes rarely. What is here serves those who work on the methods themselves and
 * promises less: any version may change it without a period of grace, and CHANGELOG.md tells how.
 */
#ifndef SCONE_LAB_H
#define SCONE_LAB_H

#include "scone.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes what the threads of a call will need while a lack of it can still be told: where address
 * space or threads are limited (ulimit, control groups), the libraries below would later end the
 * program or wait for ever. *threads, of the contexts to come, is lowered to what there is room
 * for; SCONE_ERR_MEMORY if that is not even one. To be called by a program once, at first. */
SCONE_API scone_status scone_reserve(int *threads);

/* ---------------------------------------------------------------------------------------------
 * Models: what is in a weights file (docs/reference/formats.md)
 * ------------------------------------------------------------------------------------------ */

typedef struct scone_model scone_model;

typedef struct scone_model_about {
    const char *preset;  /* "paper", ... */
    const char *command; /* that trained it; this and the next two are NULL without weights */
    const char *commit;  /* of the sources that trained it */
    const char *data;    /* hash of the training data, 16 hex digits */
    const char *config;  /* the whole configuration as a JSON object on one line */
    size_t fields;       /* of the configuration */
    size_t scores;       /* of the validation */
    size_t tensors;
    size_t parameters; /* numbers in the tensors */
    size_t bytes;      /* of the file */
} scone_model_about;

typedef struct scone_model_field {
    const char *name, *value; /* "width", "64" */
    const char *meaning;
} scone_model_field;

typedef struct scone_model_score {
    const char *name; /* as the training called it */
    double value;
} scone_model_score;

enum { SCONE_MODEL_MOST_DIMENSIONS = 8 };

typedef struct scone_model_tensor {
    const char *name;
    size_t dimensions;
    size_t shape[SCONE_MODEL_MOST_DIMENSIONS];
    double mean, sd, smallest, largest; /* sd: of all values, divided by their number */
} scone_model_tensor;

/* Reads a weights file and checks every byte of it. */
SCONE_API scone_status scone_model_open(scone_model **model, const char *path);
/* The configuration of a preset, without weights. Fails with SCONE_ERR_INPUT for an unknown name;
 * the message lists the known ones. */
SCONE_API scone_status scone_model_named(scone_model **model, const char *preset);
SCONE_API void scone_model_free(scone_model *model);
/* What follows lives as long as the model. */
SCONE_API const scone_model_about *scone_model_describe(const scone_model *model);
SCONE_API const scone_model_field *scone_model_field_get(const scone_model *model, size_t index);
SCONE_API const scone_model_score *scone_model_score_get(const scone_model *model, size_t index);
SCONE_API const scone_model_tensor *scone_model_tensor_get(const scone_model *model, size_t index);

/* ---------------------------------------------------------------------------------------------
 * Training: weights of the learned model, from seeds alone (docs/manual/train.md)
 * ------------------------------------------------------------------------------------------ */

/* Graph g is problem g of the setting; validation graphs are those of the setting with
 * SCONE_TRAIN_VALIDATION_SEED added to its seed. */
enum { SCONE_TRAIN_VALIDATION_SEED = 500 };

/* 0 or NULL asks for the default, but in the setting, whose count is not looked at. */
typedef struct scone_train_options {
    const char *preset;    /* configuration: "paper", "paper-nb", "paper-nc"; NULL: "paper" */
    const char *changes;   /* fields of it that differ: "width=16,blocks=2"; NULL: none */
    const char *learners;  /* local learners that vote, of "polybic,ges,search"; NULL: PolyBIC,
                              or what `changes` say */
    scone_setting setting; /* of the graphs */
    size_t samples_min; /* rows of a graph: from here to those of the setting, log-uniform; 0: all
                           have the setting's */
    size_t graphs;      /* 2000 */
    size_t validation;  /* graphs: a tenth as many, but 8 to 200 */
    size_t steps;       /* as many as the epochs take */
    size_t epochs;      /* 20; not together with steps */
    size_t batch;       /* graphs of a step; 8 */
    size_t every;       /* steps between validations and checkpoints: a fiftieth of all */
    size_t patience;    /* validations without a better one after which to stop; 0: never */
    double threshold;   /* of P(edge), 0.05, 0.10, ... 0.95; 0: the best on the validation graphs */
    uint64_t seed;      /* of the initial weights, the order and the identities */
    const char *output; /* the weights file */
    const char *work;   /* folder of checkpoints and curves; NULL: output + ".run" */
    const char *tokens; /* folder of token files; NULL: that of the checkpoints */
    bool stream; /* begin with the first graphs while others are being made, in their order */
    bool resume; /* go on from the newest checkpoint, if there is one */
    bool force;  /* replace the weights file and begin anew */
} scone_train_options;

typedef struct scone_train_report {
    size_t steps, best_step; /* made in all; after which the best weights were found */
    bool stopped;            /* before the last step, for want of progress */
    size_t parameters;
    double loss, shd, f1, calibration, temperature, threshold; /* validation of the best */
} scone_train_report;

/* Trains and writes the weights. They are the same bytes for any number of threads and processes,
 * and after any number of stops that --resume took up. report may be NULL. */
SCONE_API scone_status scone_train_run(scone_train_report *report,
                                       const scone_train_options *options,
                                       const scone_context *context);

/* ---------------------------------------------------------------------------------------------
 * Benchmarks: simulate, run every method on the same data, score
 * ------------------------------------------------------------------------------------------ */

/* How a method fared on a graph. Own methods succeed, or the whole call fails. */
typedef enum scone_bench_status {
    SCONE_BENCH_OK = 0,
    SCONE_BENCH_FAILED,
    SCONE_BENCH_TIMEOUT
} scone_bench_status;

enum { SCONE_BENCH_REASON = 200, SCONE_BENCH_MOST_OUTSIDE = 32 };

/* A method that the caller runs (docs/manual/compare.md). */
typedef struct scone_bench_outside {
    const char *name;    /* letters, digits, dots, dashes and underscores; no name of another one */
    const char *command; /* what is run: with another text it is another method */
    bool told_targets;   /* the true targets are given to it, so it is another method, too */
} scone_bench_outside;

typedef struct scone_bench_answer {
    scone_bench_status status;
    char reason[SCONE_BENCH_REASON]; /* why not; "" for SCONE_BENCH_OK */
    double seconds;
    scone_graph
        *graph; /* over names of the problem's variables; taken over; NULL if there is none */
} scone_bench_answer;

/* Runs a method of the caller on a problem. Anything but SCONE_OK ends the benchmark with
 * `answer->reason` as its message. May be called from another thread, but never twice at a time. */
typedef scone_status (*scone_bench_runner)(void *user, const scone_bench_outside *outside,
                                           const scone_problem *problem,
                                           scone_bench_answer *answer);

typedef struct scone_bench_options {
    const scone_setting *settings;
    size_t setting_count;
    const char *const *methods; /* of scone_method_names() */
    size_t method_count;
    /* [method_count]: weights of the learned methods as in scone_discover_options, NULL for others;
     * NULL: where scone_model_find looks */
    const char *const *models;
    scone_discover_options discover;    /* for every method; preset and model are not looked at */
    const scone_bench_outside *outside; /* methods of the caller, numbered after `methods` */
    size_t outside_count;               /* at most SCONE_BENCH_MOST_OUTSIDE */
    scone_bench_runner run_outside;
    void *user;         /* of run_outside */
    const char *output; /* CSV, one row per setting, graph and method; NULL: none */
    bool resume;        /* keep the rows that `output` has and run only what is missing */
    bool retry;         /* with resume: run again what failed or took too long */
    bool force;         /* replace an existing file */
} scone_bench_options;

typedef struct scone_bench_row {
    size_t setting; /* index into the settings */
    size_t graph;
    size_t method; /* index into the methods, then into those of the caller */
    scone_scores scores;
    double seconds; /* of the method alone, wall clock */
    scone_bench_status status;
    char reason[SCONE_BENCH_REASON]; /* "" for SCONE_BENCH_OK */
} scone_bench_row;

typedef struct scone_bench scone_bench;

/* The file is complete after every graph, so that a stop loses one graph at most. */
SCONE_API scone_status scone_bench_run(scone_bench **bench, const scone_bench_options *options,
                                       const scone_context *context);
/* Rows by setting, graph and method. */
SCONE_API size_t scone_bench_count(const scone_bench *bench);
SCONE_API const scone_bench_row *scone_bench_get(const scone_bench *bench, size_t index);
/* Over the graphs of one setting whose row is SCONE_BENCH_OK, score by score, skipping NaN; returns
 * how many graphs. The seconds are in seconds_mean and seconds_sd. */
SCONE_API size_t scone_bench_summary(const scone_bench *bench, size_t setting, size_t method,
                                     scone_scores *mean, scone_scores *sd, double *seconds_mean,
                                     double *seconds_sd);
SCONE_API void scone_bench_free(scone_bench *bench);

/* ---------------------------------------------------------------------------------------------
 * Teams: several processes, started by mpirun, that do one job (docs/manual/several-processes.md)
 *
 * Every process makes the same calls with the same arguments. Results, and the failure if there is
 * one, are then the same in all of them. Only the main thread may pass a team to a call.
 * ------------------------------------------------------------------------------------------ */

/* Joins the processes that the launcher started, by starting MPI unless the program has done so. In
 * a build without MPI, or without a launcher, the team is this process alone. */
SCONE_API scone_status scone_team_open(scone_team **team);
/* This process, from 0 on, and how many there are; 0 and 1 for NULL. */
SCONE_API int scone_team_rank(const scone_team *team);
SCONE_API int scone_team_size(const scone_team *team);
/* The processors that fall to this process if those of one machine share what they may run on; at
 * least 1: a good number of threads. */
SCONE_API int scone_team_processors(const scone_team *team);
/* Tells the others how this process fared. If any failed, all of them return the failure of one of
 * these, with its message; a call of any process that waits for this one returns it, too, and the
 * team does no further work. `message` goes with a failure; NULL: scone_error_message(). */
SCONE_API scone_status scone_team_agree(scone_team *team, scone_status status, const char *message);
/* Waits for the others to get here, and frees. */
SCONE_API void scone_team_close(scone_team *team);

/* ---------------------------------------------------------------------------------------------
 * Verification: the claims of the theory, checked on every small graph (docs/methods/theory.md)
 * ------------------------------------------------------------------------------------------ */

enum { SCONE_VERIFY_MOST_NODES = 7 };

/* Orientation rules, alone and together. */
typedef enum scone_verify_set {
    SCONE_VERIFY_SSI = 0,
    SCONE_VERIFY_CVT,
    SCONE_VERIFY_DPT,
    SCONE_VERIFY_SSI_ANY,
    SCONE_VERIFY_SCR,
    SCONE_VERIFY_SSI_CVT,
    SCONE_VERIFY_PAPER, /* ssi, cvt, dpt */
    SCONE_VERIFY_SSI_ANY_SCR,
    SCONE_VERIFY_ALL,
    SCONE_VERIFY_SETS
} scone_verify_set;

/* Claims that may have exceptions. */
typedef enum scone_verify_check {
    SCONE_VERIFY_OBS_IN_PER = 0,
    SCONE_VERIFY_PER_IN_CTR,
    SCONE_VERIFY_CTR_IN_TEST,
    SCONE_VERIFY_SOUND_SSI,
    SCONE_VERIFY_SOUND_CVT,
    SCONE_VERIFY_SOUND_DPT,
    SCONE_VERIFY_SOUND_SSI_ANY,
    SCONE_VERIFY_SOUND_SCR,
    SCONE_VERIFY_CLOSURE,
    SCONE_VERIFY_TEST_IN_LITERAL,
    SCONE_VERIFY_COMPLETE,
    SCONE_VERIFY_BOUNDARY,
    SCONE_VERIFY_SOUND_DPT_LITERAL, /* fails from 4 nodes on; nothing uses it */
    SCONE_VERIFY_CHECKS
} scone_verify_check;

/* "ssi", ..., "all" */
SCONE_API const char *scone_verify_set_name(scone_verify_set set);
/* "obs-in-per", ..., and the claim as a sentence */
SCONE_API const char *scone_verify_check_name(scone_verify_check check);
SCONE_API const char *scone_verify_check_claim(scone_verify_check check);

typedef struct scone_verify_options {
    size_t nodes;       /* 1 to SCONE_VERIFY_MOST_NODES */
    size_t subset_size; /* of the admissible subsets, at least 2; 0: all subsets */
} scone_verify_options;

/* Counts over all DAGs and the target sets of one size. */
typedef struct scone_verify_row {
    size_t targets; /* 0: of any size */
    uint64_t cases; /* DAGs with a non-empty target set */
    uint64_t cases_with_r;
    uint64_t r;                            /* directions in R, summed over the cases */
    uint64_t recovered[SCONE_VERIFY_SETS]; /* of these, by rules and closure */
    uint64_t literal_r;                    /* R by the letter of the definition of G_test */
    uint64_t literal_only; /* of these, not in G_test: the outcome allows both directions */
    uint64_t dpt_printed, dpt_printed_wrong;  /* directions of DPT as printed */
    uint64_t exceptions[SCONE_VERIFY_CHECKS]; /* cases that contradict the claim */
} scone_verify_row;

typedef struct scone_verify scone_verify;

SCONE_API scone_status scone_verify_run(scone_verify **verify, const scone_verify_options *options,
                                        const scone_context *context);
/* nodes + 1 rows: row 0 sums over the sizes 1, 2, ... of the rows that follow. */
SCONE_API size_t scone_verify_count(const scone_verify *verify);
SCONE_API const scone_verify_row *scone_verify_get(const scone_verify *verify, size_t index);
/* An exception with the fewest edges, then targets, in words; NULL if the claim has none. */
SCONE_API const char *scone_verify_example(const scone_verify *verify, scone_verify_check check);
/* The rows as CSV. */
SCONE_API scone_status scone_verify_write(const scone_verify *verify, const char *path);
SCONE_API void scone_verify_free(scone_verify *verify);

/* ---------------------------------------------------------------------------------------------
 * Consistency: how often the graph found from data is the one that can be known
 * (docs/methods/theory.md, "With data")
 * ------------------------------------------------------------------------------------------ */

enum { SCONE_CONSISTENCY_MOST_NODES = 6, SCONE_CONSISTENCY_MOST_POINTS = 16 };

/* {0} asks for the defaults. */
typedef struct scone_consistency_options {
    size_t nodes;       /* 3 to SCONE_CONSISTENCY_MOST_NODES; 0: 4 */
    size_t subset_size; /* of the admissible subsets, 2 to nodes; 0: 3 */
    /* rows of each regime, rising, at least 50; none: 250, 1000, 4000 */
    size_t rows[SCONE_CONSISTENCY_MOST_POINTS], row_count;
    /* numbers T of sampled subsets, rising; none: 1, 2, 4, 8, 16 */
    size_t subsets[SCONE_CONSISTENCY_MOST_POINTS], subset_count;
    size_t count;      /* graphs; 0: 30 */
    size_t restarts;   /* of the sampler, to measure its coverage; 0: 200 */
    unsigned families; /* bit set; 0: linear, with normal roots and noise */
    uint64_t seed;
} scone_consistency_options;

/* A point of a curve: graphs with so many rows, from all subsets or from T sampled ones. */
typedef struct scone_consistency_point {
    size_t rows, subsets; /* subsets 0: all */
    double alpha;         /* level of every test */
    size_t graphs;
    size_t equal;         /* graphs found that are G_test */
    size_t equal_known;   /* the same if H_obs and the outcomes of the tested were known */
    size_t equal_obs;     /* H_obs was found */
    double share, error;  /* equal / graphs and its binomial standard error */
    size_t literals;      /* tested (v, Z) */
    size_t literal_right; /* of these, called what they are */
    size_t false_changes, missed_changes;
    size_t directions;         /* in the G_test of the graphs */
    size_t found, found_right; /* directions found, and of these in G_test */
} scone_consistency_point;

/* Coverage: the chance that fewer than `hits` of T sampled subsets are witnesses of a direction of
 * G_test, as means over the directions that have a witness. */
typedef struct scone_consistency_coverage {
    size_t subsets, hits;
    size_t directions;
    double measured, error; /* of the sampler itself, and the standard error of the mean */
    double independent;     /* exactly, if every subset were drawn as the first one is */
    double bound;           /* exp(-T KL(hits/T || pi)), 1 if hits/T > pi */
    size_t above;           /* directions whose measured chance is above the bound, by more than
                               three standard errors */
    size_t outside;         /* directions with hits/T > pi whose exact chance is above
                               exp(-T KL(hits/T || pi)) */
} scone_consistency_coverage;

typedef struct scone_consistency scone_consistency;

SCONE_API scone_status scone_consistency_run(scone_consistency **result,
                                             const scone_consistency_options *options,
                                             const scone_context *context);
/* The options with the defaults filled in. */
SCONE_API const scone_consistency_options *scone_consistency_used(const scone_consistency *result);
/* By rows with all subsets, then by T with the most rows. */
SCONE_API size_t scone_consistency_points(const scone_consistency *result);
SCONE_API const scone_consistency_point *
scone_consistency_point_get(const scone_consistency *result, size_t index);
SCONE_API size_t scone_consistency_coverages(const scone_consistency *result);
SCONE_API const scone_consistency_coverage *
scone_consistency_coverage_get(const scone_consistency *result, size_t index);
/* Directions of G_test that no single subset witnesses. */
SCONE_API size_t scone_consistency_unwitnessed(const scone_consistency *result);
/* consistency.csv, coverage.csv and consistency.svg; other files of the folder stay. */
SCONE_API scone_status scone_consistency_write(const scone_consistency *result, const char *folder,
                                               bool force);
/* Fails as scone_consistency_write would for what the folder holds now. */
SCONE_API scone_status scone_consistency_check_folder(const char *folder, bool force);
SCONE_API void scone_consistency_free(scone_consistency *result);

#ifdef __cplusplus
}
#endif

#endif
