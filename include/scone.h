/* scone.h - the public interface of libscone.
 *
 * SCONE learns a causal graph from two tables over the same variables: one from before something
 * changed (regime 0, "observational") and one from after (regime 1, "interventional"), when nobody
 * knows which mechanisms changed.
 *
 * Conventions
 *   - Every call that can fail returns a scone_status; results go into the caller's objects.
 *   - After a failure scone_error_message() tells, for the calling thread, what went wrong and
 *     what to change.
 *   - X_free(NULL) is allowed for every type. Out parameters are set to NULL on failure.
 *   - The library never exits, aborts, prints or reads the environment.
 *   - Calls on different objects may run at the same time in different threads.
 *   - Adjacency everywhere: [i][j] = 1 means i -> j; [i][j] = [j][i] = 1 means i - j (undirected).
 */
#ifndef SCONE_H
#define SCONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define SCONE_API __attribute__((visibility("default")))
#else
#define SCONE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------
 * Status, messages, version
 * ------------------------------------------------------------------------------------------ */

/* The values are the exit codes of the command line. */
typedef enum scone_status {
    SCONE_OK = 0,
    SCONE_ERR_INPUT = 1,  /* the data or the request is wrong; the message says what to change */
    SCONE_ERR_USAGE = 2,  /* the call or command line is malformed */
    SCONE_ERR_IO = 3,     /* a file cannot be read or written */
    SCONE_ERR_MEMORY = 4, /* out of memory */
    SCONE_ERR_DEFECT = 5  /* a defect in scone */
} scone_status;

/* The message of the last failure in this thread, "" if none; valid until the next failure. */
SCONE_API const char *scone_error_message(void);

/* Where in the sources that failure was raised ("src/data/csv.c:123"), for bug reports. */
SCONE_API const char *scone_error_location(void);

/* "1.2.3" */
SCONE_API const char *scone_version(void);

/* ---------------------------------------------------------------------------------------------
 * Context: what a long call may use and whom it tells. NULL stands for {0}: one thread, silent.
 * ------------------------------------------------------------------------------------------ */

typedef enum scone_level { SCONE_NOTE = 0, SCONE_WARNING = 1 } scone_level;

typedef struct scone_team scone_team; /* the processes of a run, see below */

typedef struct scone_context {
    int threads; /* 0 means 1; results never depend on it */
    /* Called for notes and warnings, never from two threads at once; may be NULL. */
    void (*log)(void *user, scone_level level, const char *message);
    /* Called with a stage name and the share done in [0, 1], never from two threads at once;
     * returning false asks the call to stop (it then fails with SCONE_ERR_INPUT). May be NULL. */
    bool (*progress)(void *user, const char *stage, double done);
    void *user;
    /* The processes that share the work of scone_discover and scone_bench_run, which all of them
     * then call with the same data and options; NULL: this process alone. */
    scone_team *team;
} scone_context;

/* A progress bar for terminals, to be used as context->progress with the bar as user pointer.
 * Draws on `stream` only when told to (the caller decides whether it is a terminal). */
typedef struct scone_bar scone_bar;
SCONE_API scone_status scone_bar_alloc(scone_bar **bar, FILE *stream);
SCONE_API bool scone_bar_update(void *bar, const char *stage, double done);
SCONE_API void scone_bar_free(scone_bar *bar); /* clears the line */

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
 * Tables: named numeric columns
 * ------------------------------------------------------------------------------------------ */

typedef struct scone_table scone_table;

/* What to do with a missing or infinite cell. */
typedef enum scone_na {
    SCONE_NA_ERROR = 0, /* fail, naming file, row and column */
    SCONE_NA_DROP = 1,  /* remove the row; a note tells how many */
    SCONE_NA_KEEP = 2   /* keep NaN or the infinity (for the preflight) */
} scone_na;

typedef struct scone_read_options {
    scone_na na;
    bool allow_empty; /* a table with a header and no rows is not an error */
} scone_read_options;

/* Reads CSV, TSV (both also as .gz) or NPY; docs/reference/formats.md is the contract. options may be NULL.
 */
SCONE_API scone_status scone_table_read(scone_table **table, const char *path,
                                        const scone_read_options *options,
                                        const scone_context *context);
/* Copies a column-major matrix, values[row + rows * column]; names may be NULL (X0, X1, ...). */
SCONE_API scone_status scone_table_from_columns(scone_table **table, const double *values,
                                                size_t rows, size_t columns,
                                                const char *const *names);
/* Writes CSV (shortest digits that read back to the same bits), or NPY if the path ends in .npy. */
SCONE_API scone_status scone_table_write(const scone_table *table, const char *path);
SCONE_API void scone_table_free(scone_table *table);
SCONE_API size_t scone_table_rows(const scone_table *table);
SCONE_API size_t scone_table_columns(const scone_table *table);
SCONE_API const char *scone_table_name(const scone_table *table, size_t column);
/* rows contiguous values */
SCONE_API const double *scone_table_column(const scone_table *table, size_t column);

/* ---------------------------------------------------------------------------------------------
 * Pairs: two tables over the same variables, columns in the order of the first
 * ------------------------------------------------------------------------------------------ */

typedef struct scone_pair scone_pair;

/* Two files; the columns of the second are matched to the first by name. */
SCONE_API scone_status scone_pair_read(scone_pair **pair, const char *observational,
                                       const char *interventional,
                                       const scone_read_options *options,
                                       const scone_context *context);
/* One file with a regime column: "COLUMN" or "COLUMN=control"; rows whose value is the control
 * (default: 0, or else the value of the first row) are regime 0, all others regime 1. */
SCONE_API scone_status scone_pair_read_split(scone_pair **pair, const char *path,
                                             const char *regime, const scone_read_options *options,
                                             const scone_context *context);
/* Problem `index` of a DCDI (or SEA) folder. */
SCONE_API scone_status scone_pair_read_dcdi(scone_pair **pair, const char *folder, size_t index,
                                            const scone_read_options *options,
                                            const scone_context *context);
/* Takes ownership of both tables, also on failure. */
SCONE_API scone_status scone_pair_join(scone_pair **pair, scone_table *observational,
                                       scone_table *interventional);
SCONE_API void scone_pair_free(scone_pair *pair);
/* regime 0 or 1 */
SCONE_API const scone_table *scone_pair_table(const scone_pair *pair, int regime);

/* ---------------------------------------------------------------------------------------------
 * Preflight
 * ------------------------------------------------------------------------------------------ */

typedef enum scone_severity {
    SCONE_SEVERITY_NOTE = 0,    /* good to know */
    SCONE_SEVERITY_WARNING = 1, /* discover runs, but the result may suffer */
    SCONE_SEVERITY_ERROR = 2    /* discover refuses this */
} scone_severity;

typedef struct scone_finding {
    scone_severity severity;
    const char *code;    /* stable identifier, e.g. "constant-column" */
    const char *columns; /* the columns concerned, ", " between them; "" for whole tables */
    const char *message; /* what was found, in words and numbers */
    const char *remedy;  /* what to do about it */
    double value;        /* the number that decided, NaN if there is none */
} scone_finding;

typedef struct scone_check scone_check;

/* Examines a pair read with SCONE_NA_KEEP and allow_empty; findings come worst first. */
SCONE_API scone_status scone_check_run(scone_check **check, const scone_pair *pair,
                                       const scone_context *context);
SCONE_API size_t scone_check_count(const scone_check *check);
SCONE_API const scone_finding *scone_check_get(const scone_check *check, size_t index);
SCONE_API void scone_check_free(scone_check *check);

/* ---------------------------------------------------------------------------------------------
 * Graphs: partially directed, named nodes. A DAG is one without undirected edges.
 * ------------------------------------------------------------------------------------------ */

typedef struct scone_graph scone_graph;

typedef enum scone_graph_format {
    SCONE_GRAPH_AUTO = 0,  /* by the file's name, then by its content (reading) */
    SCONE_GRAPH_EDGES,     /* CSV: source,target[,kind] */
    SCONE_GRAPH_ADJACENCY, /* CSV: N x N with header and row names */
    SCONE_GRAPH_NPY,       /* N x N array */
    SCONE_GRAPH_JSON,
    SCONE_GRAPH_DOT,
    SCONE_GRAPH_GRAPHML
} scone_graph_format;

typedef enum scone_mark {
    SCONE_MARK_NONE = 0,
    SCONE_MARK_FORWARD = 1,  /* i -> j */
    SCONE_MARK_BACKWARD = 2, /* i <- j */
    SCONE_MARK_UNDIRECTED = 3
} scone_mark;

/* names may be NULL (X0, X1, ...) */
SCONE_API scone_status scone_graph_alloc(scone_graph **graph, size_t nodes,
                                         const char *const *names);
SCONE_API scone_status scone_graph_read(scone_graph **graph, const char *path,
                                        scone_graph_format format);
SCONE_API scone_status scone_graph_write(const scone_graph *graph, const char *path,
                                         scone_graph_format format);
SCONE_API void scone_graph_free(scone_graph *graph);
SCONE_API size_t scone_graph_nodes(const scone_graph *graph);
SCONE_API size_t scone_graph_edges(const scone_graph *graph);
SCONE_API const char *scone_graph_name(const scone_graph *graph, size_t node);
SCONE_API scone_mark scone_graph_mark(const scone_graph *graph, size_t i, size_t j);
SCONE_API void scone_graph_set(scone_graph *graph, size_t i, size_t j, scone_mark mark);

/* ---------------------------------------------------------------------------------------------
 * Simulation: the benchmark generator
 * ------------------------------------------------------------------------------------------ */

enum { /* mechanism families, as a bit set */
       SCONE_LINEAR = 1,
       SCONE_POLYNOMIAL = 2,
       SCONE_SIGMOID = 4,
       SCONE_NN = 8,
       SCONE_NN_ADD = 16
};

typedef enum scone_noise {
    SCONE_NOISE_MIXED = 0, /* polynomial and sigmoid: additive or multiplicative, a coin per node */
    SCONE_NOISE_ADDITIVE = 1,
    SCONE_NOISE_MULTIPLICATIVE = 2
} scone_noise;

typedef struct scone_setting {
    char name[32];               /* "ood-20-20", ..., or "custom" */
    size_t nodes_min, nodes_max; /* N, uniform in this range per graph */
    double edges_min, edges_max; /* expected edges E, uniform in this range if not per node */
    bool edges_per_node;         /* E is uniform in [edges_min N, edges_max N] */
    unsigned families;           /* bit set; ignored by the wild benchmark */
    scone_noise noise;
    bool wild;       /* the second benchmark, without the tells */
    double p_target; /* chance that a non-root node is a target */
    size_t samples;  /* rows per regime */
    size_t count;    /* graphs */
    uint64_t seed;
} scone_setting;

typedef struct scone_problem scone_problem; /* one simulated graph with its data and truth */

/* Fails with SCONE_ERR_INPUT for an unknown name; the message lists the known ones. */
SCONE_API scone_status scone_setting_named(scone_setting *setting, const char *name);
/* The names of all settings, NULL-terminated. */
SCONE_API const char *const *scone_setting_names(void);
/* Reads a setting.json written by scone_simulate_write. */
SCONE_API scone_status scone_setting_read(scone_setting *setting, const char *path);

/* Graph `index` of a setting; depends on (setting, index) alone, not on count or threads. */
SCONE_API scone_status scone_simulate(scone_problem **problem, const scone_setting *setting,
                                      size_t index, const scone_context *context);
SCONE_API void scone_problem_free(scone_problem *problem);
SCONE_API const scone_graph *scone_problem_graph(const scone_problem *problem);
SCONE_API const scone_pair *scone_problem_pair(const scone_problem *problem);
/* one flag per node: does its mechanism differ between the regimes? */
SCONE_API const bool *scone_problem_targets(const scone_problem *problem);

typedef enum scone_problem_format {
    SCONE_PROBLEM_CSV = 0,
    SCONE_PROBLEM_DCDI = 1
} scone_problem_format;

/* Simulates all graphs of the setting into a folder that appears complete or not at all. */
SCONE_API scone_status scone_simulate_write(const scone_setting *setting, const char *folder,
                                            scone_problem_format format, bool force,
                                            const scone_context *context);

/* ---------------------------------------------------------------------------------------------
 * Discovery: from two tables to a graph
 * ------------------------------------------------------------------------------------------ */

typedef enum scone_effort {
    SCONE_EFFORT_NORMAL = 0,
    SCONE_EFFORT_FAST = 1,
    SCONE_EFFORT_THOROUGH = 2
} scone_effort;

#define SCONE_BOOTSTRAP_NONE SIZE_MAX

/* {0} asks for the defaults. */
typedef struct scone_discover_options {
    const char *preset; /* one of scone_preset_names(); NULL: best with `model`, or search without
                           one or where it does not apply, with a warning */
    const char *model;  /* the weights file of a learned preset, else NULL */
    scone_effort effort;
    double alpha;          /* false discovery rate of the targets, below 1; 0: 0.05 */
    size_t bootstrap;      /* replicates; 0: the preset's number; SCONE_BOOTSTRAP_NONE: none */
    size_t max_parents;    /* 0: the preset's limit */
    double threshold;      /* of P(edge), from which on an edge is kept; 0: the preset's */
    double margin;         /* by which a direction must be likelier than the other; negative: none
                              at all, 0: the preset's */
    const char *knowledge; /* a knowledge file (docs/manual/discover.md), or NULL */
    const char *rules; /* orientation rules (docs/methods/reasons.md): "all", "none", "paper", or some of
                          "ssi,cvt,dpt,scr"; NULL: the preset's */
    uint64_t seed;
} scone_discover_options;

/* The presets of scone_discover, NULL-terminated, the one without weights first; and the methods of
 * scone_bench_run: the presets and the trivial methods to compare with. */
SCONE_API const char *const *scone_preset_names(void);
SCONE_API const char *const *scone_method_names(void);
/* Does the preset of this name need weights, which `scone train` makes (docs/methods/model.md)? */
SCONE_API bool scone_preset_learned(const char *name);

typedef struct scone_result scone_result;

/* Variables are numbered as the columns of the pair; what is found does not depend on their order.
 * Warnings also go to the context. options may be NULL. */
SCONE_API scone_status scone_discover(scone_result **result, const scone_pair *pair,
                                      const scone_discover_options *options,
                                      const scone_context *context);
SCONE_API void scone_result_free(scone_result *result);
SCONE_API size_t scone_result_variables(const scone_result *result);
SCONE_API const char *scone_result_name(const scone_result *result, size_t variable);
/* Closed under the Meek rules; extends to a DAG. */
SCONE_API const scone_graph *scone_result_graph(const scone_result *result);
/* The threshold of P(edge) that was used. */
SCONE_API double scone_result_threshold(const scone_result *result);
/* P(source -> target) */
SCONE_API double scone_result_probability(const scone_result *result, size_t source, size_t target);

typedef struct scone_edge {
    size_t source, target; /* source -> target, or source - target */
    bool undirected;
    double p_forward, p_backward, p_none; /* of source -> target, target -> source, no edge */
    double worth;    /* nats of penalized log-likelihood that the score loses without the edge, */
    double turned;   /* and turned round; NaN: not known, or (turned) against the other edges */
    const char *why; /* "search", "knowledge line 3", "Meek R1 from A -> B" */
} scone_edge;

/* The edges of the graph, strongest first. */
SCONE_API size_t scone_result_edges(const scone_result *result);
SCONE_API const scone_edge *scone_result_edge(const scone_result *result, size_t index);

typedef struct scone_target {
    size_t variable;
    double score;   /* evidence that the mechanism changed */
    double p_value; /* uniform if it did not */
    bool target;    /* the decision */
} scone_target;

/* One for every variable, strongest first. */
SCONE_API const scone_target *scone_result_target(const scone_result *result, size_t index);

SCONE_API size_t scone_result_warnings(const scone_result *result);
SCONE_API const char *scone_result_warning(const scone_result *result, size_t index);

/* Where an orientation rule and the method, what is known or another rule disagree: a sentence
 * each, the strongest certificate first. */
SCONE_API size_t scone_result_conflicts(const scone_result *result);
SCONE_API const char *scone_result_conflict(const scone_result *result, size_t index);

typedef struct scone_stage {
    const char *name;
    double seconds;
} scone_stage;

SCONE_API size_t scone_result_stages(const scone_result *result);
SCONE_API const scone_stage *scone_result_stage(const scone_result *result, size_t index);

/* What run.json tells about the run besides the result. */
typedef struct scone_run {
    const char *command;       /* the command line, or NULL */
    const char *const *inputs; /* files whose sizes and hashes are noted */
    size_t input_count;
    double started; /* seconds of CLOCK_MONOTONIC, 0: only the stages are timed */
    int threads;    /* of each process */
    int processes;  /* 0 means 1 */
    /* How the tables were read, to read them again: the first two inputs, or one of these. */
    const char *regime; /* the first input has this column, or NULL */
    const char *folder; /* problem `index` of this DCDI folder, or NULL */
    size_t index;
    scone_na na;
} scone_run;

/* Writes edges.csv, probabilities.csv, targets.csv, graph.json, graph.dot, graph.graphml, run.json
 * and report.html; the folder appears complete or not at all. A run.json in an existing folder
 * shows that its files of these names may be replaced; without it only `force` does that. All files
 * but run.json are the same bytes whatever the order of the columns or the threads. run may be
 * NULL. */
SCONE_API scone_status scone_result_write(const scone_result *result, const char *folder,
                                          bool force, const scone_run *run);
/* Would scone_result_write be refused because of what is in the folder? To be asked beforehand. */
SCONE_API scone_status scone_result_check_folder(const char *folder, bool force);

/* ---------------------------------------------------------------------------------------------
 * Explanation: the reasons behind the edges of a finished discovery (docs/methods/reasons.md)
 * ------------------------------------------------------------------------------------------ */

typedef struct scone_explanation scone_explanation;

typedef struct scone_explained {
    const char *source, *target; /* source -> target, or source - target */
    bool undirected;
    double p_forward, p_backward, p_none;
    const char *why;     /* as in edges.csv */
    const char *text;    /* the same in sentences, lines of at most 100 characters or so */
    size_t certificates; /* for this direction */
    size_t confirmed;    /* of these, by scone_explain_check */
} scone_explained;

/* Reads graph.json and run.json of a folder that scone_result_write made. */
SCONE_API scone_status scone_explain_read(scone_explanation **explanation, const char *folder);
SCONE_API void scone_explain_free(scone_explanation *explanation);
/* The edges of the graph, strongest first. */
SCONE_API size_t scone_explain_count(const scone_explanation *explanation);
SCONE_API const scone_explained *scone_explain_get(const scone_explanation *explanation,
                                                   size_t index);
/* The edge between two variables, in whichever direction; SIZE_MAX if there is none. Fails with
 * SCONE_ERR_INPUT if a name is unknown. */
SCONE_API scone_status scone_explain_find(size_t *index, const scone_explanation *explanation,
                                          const char *first, const char *second);
/* Reads the tables of the run again, in the way it did. Where they are now: the first (or only) one
 * or its DCDI folder, and the second; with NULL, where they were, and it fails if they moved or
 * changed. */
SCONE_API scone_status scone_explain_tables(scone_pair **pair, const scone_explanation *explanation,
                                            const char *first, const char *second,
                                            const scone_context *context);
/* Makes the tests of all certificates again and checks that the rules give the same directions and
 * that the closure follows. Fails if these are not the tables of the run. What is not confirmed is
 * no failure but listed: */
SCONE_API scone_status scone_explain_check(scone_explanation *explanation, const scone_pair *pair,
                                           const scone_context *context);
SCONE_API size_t scone_explain_tests(const scone_explanation *explanation); /* made again */
SCONE_API size_t scone_explain_doubts(const scone_explanation *explanation);
SCONE_API const char *scone_explain_doubt(const scone_explanation *explanation, size_t index);

/* ---------------------------------------------------------------------------------------------
 * Evaluation
 * ------------------------------------------------------------------------------------------ */

typedef struct scone_scores {
    double shd;                                  /* one per unordered pair whose mark differs */
    double missing, extra, reversed, undirected; /* its parts; undirected: the skeleton is right,
                                                    exactly one of the two marks is undirected */
    double true_edges, predicted_edges, hits;    /* hits: directed and right */
    double precision, recall, f1;
    double skeleton_precision, skeleton_recall, skeleton_f1;
    double auprc; /* of the directed probabilities; NaN without probabilities */
    double target_precision, target_recall, target_f1; /* NaN without targets */
} scone_scores;

/* Nodes are matched by name. The truth may be any graph. */
SCONE_API scone_status scone_eval_graphs(scone_scores *scores, const scone_graph *predicted,
                                         const scone_graph *truth);

/* One case of `scone eval`: each argument is a graph file or a folder with one problem. */
typedef struct scone_eval_case {
    char name[64];
    scone_scores scores;
} scone_eval_case;

typedef struct scone_eval scone_eval;

/* Compares two files, two folders with one graph each, or two folders with many (matched by
 * name). `probabilities` (a file) may be NULL; it applies to the single-graph forms. */
SCONE_API scone_status scone_eval_run(scone_eval **eval, const char *predicted, const char *truth,
                                      const char *probabilities, const scone_context *context);
SCONE_API size_t scone_eval_count(const scone_eval *eval);
SCONE_API const scone_eval_case *scone_eval_get(const scone_eval *eval, size_t index);
/* Mean and standard deviation over the cases, score by score, skipping NaN. */
SCONE_API void scone_eval_summary(const scone_eval *eval, scone_scores *mean, scone_scores *sd);
SCONE_API void scone_eval_free(scone_eval *eval);

/* ---------------------------------------------------------------------------------------------
 * Benchmarks: simulate, run every method on the same data, score
 * ------------------------------------------------------------------------------------------ */

typedef struct scone_bench_options {
    const scone_setting *settings;
    size_t setting_count;
    const char *const *methods; /* of scone_method_names() */
    size_t method_count;
    /* [method_count]: weights files of the learned methods, NULL for others; NULL: no weights */
    const char *const *models;
    scone_discover_options discover; /* for every method; preset and model are not looked at */
    const char *output;              /* CSV, one row per setting, graph and method; NULL: none */
    bool resume; /* keep the rows that `output` has and run only what is missing */
    bool force;  /* replace an existing file */
} scone_bench_options;

typedef struct scone_bench_row {
    size_t setting; /* index into the settings */
    size_t graph;
    size_t method; /* index into the methods */
    scone_scores scores;
    double seconds; /* of the method alone, wall clock */
} scone_bench_row;

typedef struct scone_bench scone_bench;

/* The file is complete after every graph, so that a stop loses one graph at most. */
SCONE_API scone_status scone_bench_run(scone_bench **bench, const scone_bench_options *options,
                                       const scone_context *context);
/* Rows by setting, graph and method. */
SCONE_API size_t scone_bench_count(const scone_bench *bench);
SCONE_API const scone_bench_row *scone_bench_get(const scone_bench *bench, size_t index);
/* Over the graphs of one setting, score by score, skipping NaN; returns how many graphs. The
 * seconds are in seconds_mean and seconds_sd. */
SCONE_API size_t scone_bench_summary(const scone_bench *bench, size_t setting, size_t method,
                                     scone_scores *mean, scone_scores *sd, double *seconds_mean,
                                     double *seconds_sd);
SCONE_API void scone_bench_free(scone_bench *bench);

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
 * Consistency: how often the graph found from data is the one that can be known (docs/methods/theory.md,
 * "With data")
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
