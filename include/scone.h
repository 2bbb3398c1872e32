/* scone.h - the public interface of libscone.
 *
 * SCONE learns a causal graph from two tables over the same variables: one from before something
 * changed (regime 0, "observational") and one from after (regime 1, "interventional"), when nobody
 * knows which mechanisms changed. A whole program, examples/discover_edges.c:
 *
 *     #include <scone.h>
 *
 *     int main(int argc, char **argv)
 *     {
 *         scone_pair *pair = NULL;
 *         scone_result *found = NULL;
 *         if (argc != 3) {
 *             fprintf(stderr, "usage: discover_edges CONTROL TREATED\n");
 *             return SCONE_ERR_USAGE;
 *         }
 *         scone_status status = scone_pair_read(&pair, argv[1], argv[2], NULL, NULL);
 *         if (status == SCONE_OK) status = scone_discover(&found, pair, NULL, NULL);
 *         if (status != SCONE_OK) fprintf(stderr, "%s\n", scone_error_message());
 *         for (size_t e = 0; status == SCONE_OK && e < scone_result_edges(found); e++) {
 *             const scone_edge *edge = scone_result_edge(found, e);
 *             printf("%s %s %s, probability %.2f\n", scone_result_name(found, edge->source),
 *                    edge->undirected ? "--" : "->", scone_result_name(found, edge->target),
 *                    1.0 - edge->p_none);
 *         }
 *         scone_result_free(found);
 *         scone_pair_free(pair);
 *         return (int)status;
 *     }
 *
 * More programs are in examples/. What trains, measures and verifies is in scone_lab.h.
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

/* Of this header; scone_version() has that of the library. The build reads them here. */
#define SCONE_VERSION_MAJOR 0
#define SCONE_VERSION_MINOR 1
#define SCONE_VERSION_PATCH 0

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

/* "1.2.3", of the library; the macros at the top have that of this header. */
SCONE_API const char *scone_version(void);

/* ---------------------------------------------------------------------------------------------
 * Context: what a long call may use and whom it tells. NULL stands for {0}: one thread, silent.
 * ------------------------------------------------------------------------------------------ */

typedef enum scone_level { SCONE_NOTE = 0, SCONE_WARNING = 1 } scone_level;

typedef struct scone_team scone_team; /* the processes of a run: scone_lab.h */

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

/* The bytes that all calls of this process may hold at a time; 0, as at first: no limit of scone's
 * own. What would need more fails with SCONE_ERR_MEMORY before it takes them. */
SCONE_API void scone_memory_limit(size_t bytes);

/* A progress bar for terminals, to be used as context->progress with the bar as user pointer.
 * Draws on `stream` only when told to (the caller decides whether it is a terminal). */
typedef struct scone_bar scone_bar;
SCONE_API scone_status scone_bar_alloc(scone_bar **bar, FILE *stream);
SCONE_API bool scone_bar_update(void *bar, const char *stage, double done);
SCONE_API void scone_bar_free(scone_bar *bar); /* clears the line */

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

/* Reads CSV, TSV (both also as .gz) or NPY; docs/reference/formats.md is the contract.
 * options may be NULL. */
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
/* Problem `index` of a DCDI (or SEA) folder; several regimes other than 0 are pooled. */
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
 * Conditions: a control and one or more other conditions, columns in the order of the control
 * ------------------------------------------------------------------------------------------ */

typedef struct scone_conditions scone_conditions;

/* `count` files, the control first; columns are matched by name. names[k] names a table; NULL, or
 * names NULL: the file's name without folder and ending. No two may have the same name. */
SCONE_API scone_status scone_conditions_read(scone_conditions **conditions,
                                             const char *const *paths, const char *const *names,
                                             size_t count, const scone_read_options *options,
                                             const scone_context *context);
/* One file with a column of conditions: "COLUMN", "COLUMN=CONTROL" or "COLUMN=CONTROL,NAME,...".
 * Rows with the value CONTROL (default: 0, or else the value of the first row) are the control's;
 * every other value is a condition, only the named ones if any are named. */
SCONE_API scone_status scone_conditions_read_long(scone_conditions **conditions, const char *path,
                                                  const char *request,
                                                  const scone_read_options *options,
                                                  const scone_context *context);
/* Problem `index` of a DCDI (or SEA) folder: regime 0 is the control "0", as scone_pair_read_dcdi
 * has it, and every other regime a condition that its number names: "1", "2", .... */
SCONE_API scone_status scone_conditions_read_dcdi(scone_conditions **conditions, const char *folder,
                                                  size_t index, const scone_read_options *options,
                                                  const scone_context *context);
/* How many regimes other than 0 the problem tells apart; 1 without a file of regimes. */
SCONE_API scone_status scone_dcdi_regimes(size_t *count, const char *folder, size_t index);
SCONE_API void scone_conditions_free(scone_conditions *conditions);
/* How many there are besides the control. Condition 0 is the control; the others follow in the
 * natural order of their names. */
SCONE_API size_t scone_conditions_count(const scone_conditions *conditions);
SCONE_API const char *scone_conditions_name(const scone_conditions *conditions, size_t condition);
SCONE_API const scone_table *scone_conditions_table(const scone_conditions *conditions,
                                                    size_t condition);
/* A pair of the control and of all other conditions together, in a copy. */
SCONE_API scone_status scone_conditions_pool(scone_pair **pair, const scone_conditions *conditions);

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
    const char *const *conditions; /* of scone_check_conditions: the tables concerned, by name; */
    size_t condition_count;        /* 0: all of them together */
} scone_finding;

typedef struct scone_check scone_check;

/* Examines a pair read with SCONE_NA_KEEP and allow_empty; findings come worst first. */
SCONE_API scone_status scone_check_run(scone_check **check, const scone_pair *pair,
                                       const scone_context *context);
/* The same with a control and conditions: what holds of one column in several tables is one
 * finding, whose message has the first of their names. One condition is a pair. */
SCONE_API scone_status scone_check_conditions(scone_check **check,
                                              const scone_conditions *conditions,
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
    double p_target; /* chance that a non-root node is a target; of one condition alone */
    size_t samples;  /* rows of each table */
    size_t count;    /* graphs */
    uint64_t seed;
    size_t conditions; /* changed tables beside the control, at most 1000; 0: one */
    /* With several each has few targets, uniformly so many, but not more than there are nodes with
     * parents. Maximum 0: 1 to 3. */
    size_t condition_targets_min, condition_targets_max;
    size_t control_samples; /* rows of the control; 0: as many as the others have */
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
/* The control and all that is changed: with several conditions a copy of these together, which the
 * simulation makes. */
SCONE_API const scone_pair *scone_problem_pair(const scone_problem *problem);
/* one flag per node: does its mechanism differ from the control's in any condition? */
SCONE_API const bool *scone_problem_targets(const scone_problem *problem);
/* The control and its conditions, also if there is one. They are called obs, c1, c2, ..., or obs and
 * int if there is one, which are the tables of the pair. */
SCONE_API const scone_conditions *scone_problem_conditions(const scone_problem *problem);
/* The same flags for one condition, numbered as the conditions are: the control, 0, has none. */
SCONE_API const bool *scone_problem_condition_targets(const scone_problem *problem,
                                                      size_t condition);

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
    const char *preset; /* one of scone_preset_names(); NULL: best, or search where best has no
                           weights (with a note) or is not made for so many columns (a warning) */
    const char *model;  /* weights of a learned preset: the file, the folder that holds
                           NAME.safetensors, or NULL: where scone_model_find looks */
    scone_effort effort;
    double alpha;          /* false discovery rate of the targets, below 1; 0: 0.05 */
    size_t bootstrap;      /* replicates; 0: the preset's number; SCONE_BOOTSTRAP_NONE: none */
    size_t max_parents;    /* 0: the preset's limit */
    double threshold;      /* of P(edge), from which on an edge is kept; 0: the preset's */
    double margin;         /* by which a direction must be likelier than the other; negative: none
                              at all, 0: the preset's */
    const char *knowledge; /* a knowledge file (docs/manual/knowledge.md), or NULL; `target A @ x`
                              is about the condition x, with two tables about the changed one */
    const char *rules;    /* orientation rules (docs/methods/reasons.md): "all", "none", "paper", or
                             some of "ssi,cvt,dpt,scr"; NULL: the preset's */
    const char *learners; /* local learners that vote in the presets paper, paper-nb and paper-nc:
                             some of "polybic,ges,search"; NULL: those of the weights */
    uint64_t seed;
    const char *condition; /* the name of the changed table; NULL: changed */
} scone_discover_options;

/* The presets of scone_discover, NULL-terminated, the one without weights first; and the methods of
 * scone_bench_run: the presets and the trivial methods to compare with. */
SCONE_API const char *const *scone_preset_names(void);
SCONE_API const char *const *scone_method_names(void);
/* Does the preset of this name need weights, which `scone train` makes (docs/methods/model.md)? */
SCONE_API bool scone_preset_learned(const char *name);
/* Do local learners vote in the preset of this name, so that `learners` means something to it? */
SCONE_API bool scone_preset_votes(const char *name);
/* The weights file that scone_discover takes for a learned preset, in new memory (free). `model` as
 * in its options; NULL: PRESET.safetensors in the first of these folders that has it. Beside the
 * shared library, then beside the program: ../share/scone/models, models, ../models, ../../models,
 * ../../../models; then share/scone/models of the prefix that the build was made for. Fails with
 * SCONE_ERR_IO if none has it, and the message lists them. */
SCONE_API scone_status scone_model_find(char **path, const char *preset, const char *model);

typedef struct scone_result scone_result;

/* Variables are numbered as the columns of the pair; what is found does not depend on their order.
 * Warnings also go to the context. options may be NULL. */
SCONE_API scone_status scone_discover(scone_result **result, const scone_pair *pair,
                                      const scone_discover_options *options,
                                      const scone_context *context);
/* The same with a control and conditions: the search and the targets see each by itself, the rules
 * the control with each. Without a preset the search is taken; learned presets know two tables and
 * are refused. One condition is a pair. */
SCONE_API scone_status scone_discover_conditions(scone_result **result,
                                                 const scone_conditions *conditions,
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
    bool target;        /* is its mechanism called changed? */
    double size;        /* how far it moved, in standard deviations of what the mechanism of the
                           control leaves unexplained */
    double p_value;     /* uniform if it did not change */
    double evidence;    /* that it changed, in decimal digits */
    const char *reason; /* why it is or is not called changed */
} scone_target;

/* The name of the changed table. */
SCONE_API const char *scone_result_changed_name(const scone_result *result);

/* One for every variable, those that moved farthest first. */
SCONE_API const scone_target *scone_result_target(const scone_result *result, size_t index);

/* How many conditions were told apart: 0 after a discovery from two tables. Their names, and the
 * targets of each, farthest first; scone_result_target then has the strongest of each variable. */
SCONE_API size_t scone_result_conditions(const scone_result *result);
SCONE_API const char *scone_result_condition(const scone_result *result, size_t condition);
SCONE_API const scone_target *scone_result_condition_target(const scone_result *result,
                                                            size_t condition, size_t index);

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
    const char *const *inputs; /* files; of those the library read sizes and hashes are noted */
    size_t input_count;
    double started; /* seconds of CLOCK_MONOTONIC, 0: only the stages are timed */
    int threads;    /* of each process */
    int processes;  /* 0 means 1 */
    /* How the tables were read, to read them again: the first two inputs, or one of these. */
    const char *regime; /* the first input has this column, or NULL */
    const char *folder; /* problem `index` of this DCDI folder, or NULL */
    size_t index;
    const char *conditions; /* the first input has this column of conditions, or NULL */
    scone_na na;
} scone_run;

/* Writes edges.csv, probabilities.csv, targets.csv, graph.json, graph.dot, graph.graphml, run.json
 * and report.html; the folder appears complete or not at all. A run.json of scone in an existing
 * folder shows that its files of these names may be replaced; without it only `force` does that.
 * All files but run.json are the same bytes whatever the order of the columns or the threads. If
 * the folder cannot be written, the result goes to one beside it or in the current folder, and the
 * failure, SCONE_ERR_IO, names it. run may be NULL. */
SCONE_API scone_status scone_result_write(const scone_result *result, const char *folder,
                                          bool force, const scone_run *run);
/* A place for a result, taken before the work: what is in the way is told now, and no other run
 * gets the same place. What a killed run left there is put in order and told to the context. */
typedef struct scone_claim scone_claim;
SCONE_API scone_status scone_result_claim(scone_claim **claim, const char *folder, bool force,
                                          const scone_context *context);
/* As scone_result_write; frees the claim, also on failure, and sets *claim to NULL. */
SCONE_API scone_status scone_result_write_claimed(const scone_result *result, scone_claim **claim,
                                                  const scone_run *run);
SCONE_API void scone_claim_free(scone_claim *claim); /* gives the place free; NULL is fine */
/* Would scone_result_write be refused because of what is in the folder? To be asked beforehand. */
SCONE_API scone_status scone_result_check_folder(const char *folder, bool force);
/* Is the result in the folder, if there is one, of these tables? Fails with SCONE_ERR_INPUT and the
 * names of its own tables if it is not. scone_result_write does not ask. */
SCONE_API scone_status scone_result_check_tables(const char *folder, const scone_pair *pair);

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

/* One of several conditions, as targets.csv has it of a variable. */
typedef struct scone_explained_change {
    const char *condition;
    bool target;
    double size, p_value, evidence;
    const char *reason;
} scone_explained_change;

/* One variable: did its mechanism change, and what are its causes and effects? */
typedef struct scone_explained_variable {
    const char *name;
    bool target;                           /* the decision, with */
    double size, p_value, evidence;        /* as in targets.csv, */
    const char *reason;                    /* and in words */
    const char *text;                      /* the same in sentences, with the causes and effects */
    const scone_explained_change *changes; /* [change_count] of several conditions: each of them in
                                              their order; above is then the strongest */
    size_t change_count;
} scone_explained_variable;

/* Two variables, for which the graph may have an edge or not. */
typedef struct scone_explained_pair {
    const char *first, *second;
    double p_forward, p_backward, p_none; /* of first -> second, second -> first, no edge */
    double threshold;                     /* of P(edge), from which on an edge is kept */
    const char *text;
} scone_explained_pair;

/* Both fail with SCONE_ERR_INPUT if a name is unknown. What they give lives as long as the
 * explanation. The second reads probabilities.csv of the folder. */
SCONE_API scone_status scone_explain_variable(scone_explained_variable *variable,
                                              scone_explanation *explanation, const char *name);
SCONE_API scone_status scone_explain_pair(scone_explained_pair *pair,
                                          scone_explanation *explanation, const char *first,
                                          const char *second);

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

/* The scores by number, in the order of the struct: 0 is "shd". NULL, and NaN for the value, from
 * the number of scores on. */
SCONE_API const char *scone_scores_name(size_t number);
SCONE_API double scone_scores_get(const scone_scores *scores, size_t number);

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

#ifdef __cplusplus
}
#endif

#endif
