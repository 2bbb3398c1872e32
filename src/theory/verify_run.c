/* verify_run.c - runs the verification on all classes, joins the counts, and writes them. */
#include "theory/verify.h"

#include "io/file.h"
#include "base/memory.h"
#include "parallel/parallel.h"
#include "text/write/delimited_write.h"

#include <string.h>

/* ---- examples in words ---- */

/* Longest: 21 edges of 8 characters each, the targets and a direction. */
enum { EXAMPLE_SIZE = 512 };

/* "A -> B, C -> B; targets B; at A -> B", nodes by letters. */
static void example_text(char *text, const verify_case *example, int count)
{
    local_graph dag;
    size_t used = 0;
    const char *between = "";
    classes_decode(&dag, count, example->dag);
    for (int a = 0; a < count; a++) {
        MASK_FOR(b, dag.children[a]) {
            used += (size_t)snprintf(text + used, EXAMPLE_SIZE - used, "%s%c -> %c", between,
                                     'A' + a, 'A' + b);
            between = ", ";
        }
    }
    between = "; targets ";
    MASK_FOR(t, example->targets) {
        used += (size_t)snprintf(text + used, EXAMPLE_SIZE - used, "%s%c", between, 'A' + t);
        between = ", ";
    }
    if (example->from >= 0) {
        (void)snprintf(text + used, EXAMPLE_SIZE - used, "; at %c -> %c", 'A' + example->from,
                       'A' + example->to);
    }
}

static scone_status make_texts(scone_verify *v)
{
    for (int check = 0; check < SCONE_VERIFY_CHECKS; check++) {
        char text[EXAMPLE_SIZE];
        if (v->example[check].edges < 0) continue;
        example_text(text, &v->example[check], (int)v->options.nodes);
        v->text[check] = mem_copy_text(text, strlen(text));
        if (!v->text[check]) return SCONE_ERR_MEMORY;
    }
    return SCONE_OK;
}

/* ---- workers ---- */

static void no_examples(verify_case *examples)
{
    for (int check = 0; check < SCONE_VERIFY_CHECKS; check++) examples[check].edges = -1;
}

static scone_status workers_alloc(verify_worker **out, int threads,
                                  const scone_verify_options *options)
{
    scone_status status = SCONE_OK;
    verify_worker *workers = NULL;
    TRY_ZERO(workers, (size_t)threads);
    *out = workers; /* the caller frees, also what is half made */
    for (int t = 0; t < threads; t++) {
        TRY(study_alloc(&workers[t].study, (int)options->nodes, (int)options->subset_size));
        TRY_ALLOC(workers[t].literal, CLASSES_MOST_MEMBERS);
        no_examples(workers[t].example);
    }
cleanup:
    return status;
}

static void workers_free(verify_worker *workers, int threads)
{
    for (int t = 0; workers && t < threads; t++) {
        study_free(workers[t].study);
        mem_free(workers[t].literal);
    }
    mem_free(workers);
}

static void add_row(scone_verify_row *sum, const scone_verify_row *row)
{
    sum->cases += row->cases;
    sum->cases_with_r += row->cases_with_r;
    sum->r += row->r;
    sum->literal_r += row->literal_r;
    sum->literal_only += row->literal_only;
    sum->dpt_printed += row->dpt_printed;
    sum->dpt_printed_wrong += row->dpt_printed_wrong;
    for (int set = 0; set < SCONE_VERIFY_SETS; set++) sum->recovered[set] += row->recovered[set];
    for (int check = 0; check < SCONE_VERIFY_CHECKS; check++) {
        sum->exceptions[check] += row->exceptions[check];
    }
}

static void join_workers(scone_verify *v, const verify_worker *workers, int threads)
{
    for (int t = 0; t < threads; t++) {
        for (size_t r = 0; r < v->rows; r++) add_row(&v->row[r], &workers[t].row[r]);
        for (int check = 0; check < SCONE_VERIFY_CHECKS; check++) {
            verify_keep_smaller(&v->example[check], &workers[t].example[check]);
        }
    }
}

/* ---- public ---- */

static scone_status check_options(const scone_verify_options *options)
{
    if (options->nodes < 1 || options->nodes > SCONE_VERIFY_MOST_NODES) {
        return RAISE(SCONE_ERR_INPUT,
                     "graphs of %zu nodes cannot all be looked at; ask for 1 to %d nodes",
                     options->nodes, SCONE_VERIFY_MOST_NODES);
    }
    if (options->subset_size == 1 || options->subset_size > options->nodes) {
        return RAISE(SCONE_ERR_INPUT,
                     "subsets of %zu among %zu nodes say nothing about an edge; ask for 2 to the "
                     "number of nodes, or for all subsets",
                     options->subset_size, options->nodes);
    }
    return SCONE_OK;
}

scone_status scone_verify_run(scone_verify **verify, const scone_verify_options *options,
                              const scone_context *context)
{
    scone_status status = SCONE_OK;
    scone_verify *v = NULL;
    markov_class *classes = NULL;
    verify_worker *workers = NULL;
    size_t class_count = 0;
    int threads = context_threads(context);
    *verify = NULL;
    TRY(check_options(options));
    TRY_ZERO(v, 1);
    v->options = *options;
    v->rows = options->nodes + 1;
    for (size_t r = 0; r < v->rows; r++) v->row[r].targets = r;
    no_examples(v->example);
    TRY(classes_list(&classes, &class_count, (int)options->nodes));
    TRY(workers_alloc(&workers, threads, options));
    verification argument = {classes, workers};
    TRY(parallel_for(class_count, context, "verify", verify_class, &argument));
    join_workers(v, workers, threads);
    TRY(make_texts(v));
    *verify = v;
    v = NULL;
cleanup:
    workers_free(workers, threads);
    mem_free(classes);
    scone_verify_free(v);
    return status;
}

void scone_verify_free(scone_verify *verify)
{
    if (!verify) return;
    for (int check = 0; check < SCONE_VERIFY_CHECKS; check++) mem_free(verify->text[check]);
    mem_free(verify);
}

size_t scone_verify_count(const scone_verify *verify)
{
    return verify->rows;
}

const scone_verify_row *scone_verify_get(const scone_verify *verify, size_t index)
{
    return &verify->row[index];
}

const char *scone_verify_example(const scone_verify *verify, scone_verify_check check)
{
    return verify->text[check];
}

static void write_row(delimited_writer *w, const scone_verify *v, const scone_verify_row *row)
{
    const uint64_t found[] = {row->cases, row->cases_with_r, row->r};
    const uint64_t rules[] = {row->literal_r, row->literal_only, row->dpt_printed,
                              row->dpt_printed_wrong};
    delimited_write_count(w, v->options.nodes);
    delimited_write_count_or(w, v->options.subset_size, "all");
    delimited_write_count_or(w, row->targets, "any");
    delimited_write_counts(w, found, sizeof found / sizeof *found);
    delimited_write_counts(w, row->recovered, SCONE_VERIFY_SETS);
    delimited_write_counts(w, rules, sizeof rules / sizeof *rules);
    delimited_write_counts(w, row->exceptions, SCONE_VERIFY_CHECKS);
    delimited_write_end(w);
}

scone_status scone_verify_write(const scone_verify *verify, const char *path)
{
    scone_status status = SCONE_OK;
    output_file *file = NULL;
    TRY(output_open(&file, path));
    delimited_writer w = delimited_write_start(file, ',');
    delimited_write_words(&w, "nodes,subsets,targets,cases,cases_with_r,r");
    for (int set = 0; set < SCONE_VERIFY_SETS; set++) {
        delimited_write_words(&w, scone_verify_set_name((scone_verify_set)set));
    }
    delimited_write_words(&w, "r_by_letter,by_letter_only,dpt_printed,dpt_printed_wrong");
    for (int check = 0; check < SCONE_VERIFY_CHECKS; check++) {
        char name[64];
        (void)snprintf(name, sizeof name, "not_%s",
                       scone_verify_check_name((scone_verify_check)check));
        delimited_write_words(&w, name);
    }
    delimited_write_end(&w);
    for (size_t r = 0; r < verify->rows; r++) write_row(&w, verify, &verify->row[r]);
    TRY(w.out.status);
    TRY(output_commit(&file));
cleanup:
    output_discard(file);
    return status;
}
