/* bench_pairs.c - how often certificates are right with one control and several conditions
 * (docs/methods/reasons.md).
 *
 *     bench_pairs SETTING COUNT SEED CONDITIONS ROWS FOUND FORM[,FORM...]
 *
 * SETTING is a named one or `linear`: linear with normal noise. All have 20 nodes and 30 edges. The
 * control and each condition have ROWS rows, and each condition 1 to 3 targets of its own. FOUND
 * gives the rules a graph: `class`, the class of the true one, or `search`, what the search finds
 * in all conditions. For every graph and form one CSV row: two          the control and the first
 * condition pairs        the control with each condition, p-values for all of them uncorrected  the
 * same with every p-value for itself pooled       the control and all conditions together
 * Directions are told once, by their strongest certificate: right, turned round, or between
 * variables without an edge in the truth; `used` are those that agree with the graph or changed it.
 */
#include "data/conditions/conditions.h"
#include "graph/graph_cpdag.h"
#include "discover/result.h"
#include "scm/scm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 20, EDGES = 30, MOST = 3, CONDITIONS = 100 };

static void must(scone_status status)
{
    if (status == SCONE_OK) return;
    (void)fprintf(stderr, "bench_pairs: %s\n", scone_error_message());
    exit((int)status);
}

/* ---- data ---- */

typedef struct study {
    model m;
    scone_pair *pooled;
    size_t rows[CONDITIONS], all[CONDITIONS], conditions;
    char texts[CONDITIONS][8];
    const char *names[CONDITIONS];
} study;

/* 1 to 3 variables that have causes. */
static void draw_targets(model *m, rng *r)
{
    size_t count = 1 + rng_below(r, MOST), order[NODES];
    rng_permutation(r, order, NODES);
    memset(m->targets, 0, NODES * sizeof *m->targets);
    for (size_t i = 0; i < NODES && count > 0; i++) {
        if (m->parent_counts[order[i]] == 0) continue;
        m->targets[order[i]] = true;
        count--;
    }
}

static void draw_study(study *s, const scone_setting *setting, size_t graph_number,
                       size_t conditions)
{
    size_t rows = setting->samples;
    *s = (study){.conditions = conditions};
    must(scm_draw(&s->m, setting, graph_number));
    s->pooled = mem_zero(1, sizeof *s->pooled);
    if (!s->pooled) exit(4);
    must(table_alloc(&s->pooled->tables[0], rows, NODES, NULL));
    must(table_alloc(&s->pooled->tables[1], conditions * rows, NODES, NULL));
    for (size_t k = 0; k < conditions; k++) {
        scone_table *tables[2];
        mechanism *mechanisms;
        rng r = rng_stream(setting->seed, RNG_TEST, graph_number, k, 0);
        draw_targets(&s->m, &r);
        s->m.seed = setting->seed; /* weights are those of the graph, rows are new */
        must(scm_mechanisms(&mechanisms, &s->m, setting));
        s->m.seed = setting->seed + 1000 * (k + 1);
        for (int c = 0; c < 2; c++) must(table_alloc(&tables[c], rows, NODES, NULL));
        must(scm_sample(tables, &s->m, mechanisms, NULL));
        for (size_t j = 0; j < NODES; j++) {
            if (k == 0) {
                memcpy(table_column(s->pooled->tables[0], j), table_column(tables[0], j),
                       rows * sizeof(double));
            }
            memcpy(table_column(s->pooled->tables[1], j) + k * rows, table_column(tables[1], j),
                   rows * sizeof(double));
        }
        for (int c = 0; c < 2; c++) scone_table_free(tables[c]);
        s->rows[k] = rows;
        s->all[k] = k;
        (void)snprintf(s->texts[k], sizeof s->texts[k], "c%zu", k);
        s->names[k] = s->texts[k];
    }
    s->m.seed = setting->seed;
}

/* ---- the graph that the rules start from ---- */

static void start_from(double *p, const study *s, const char *found)
{
    size_t n = NODES;
    memset(p, 0, n * n * sizeof *p);
    if (strcmp(found, "class") == 0) {
        graph *class;
        graph_work *work;
        must(graph_alloc(&class, n));
        must(graph_work_alloc(&work, n));
        if (!graph_cpdag(class, s->m.truth, work)) exit(5);
        for (size_t i = 0; i < n * n; i++) {
            p[i] = graph_directed(class, i / n, i % n)     ? 1.0
                   : graph_undirected(class, i / n, i % n) ? 0.5
                                                           : 0.0;
        }
        graph_work_free(work);
        scone_graph_free(class);
        return;
    }
    const preset *one;
    const uint64_t hashes[2] = {0, 0};
    preset_searched own = {0};
    preset_answer answer = {.probabilities = p,
                            .margins = calloc(n, sizeof(double)),
                            .values = calloc(n * n, sizeof(double))};
    const preset_request request = {.pair = s->pooled,
                                    .hashes = hashes,
                                    .searched = &own,
                                    .conditions = s->conditions,
                                    .condition_rows = s->rows};
    must(preset_find(&one, found));
    must(one->run(&answer, &request, NULL));
    preset_searched_clear(&own);
    mem_free(answer.condition_margins);
    free(answer.margins);
    free(answer.values);
}

/* ---- what the rules make of it ---- */

enum { RIGHT, TURNED, APART, KINDS };

static void judge(const reasons *found, const graph *truth)
{
    size_t all[KINDS] = {0}, used[KINDS] = {0};
    for (size_t i = 0; i < found->count; i++) {
        const reason *r = &found->list[i];
        bool first = true;
        for (size_t b = 0; b < i; b++) {
            first &= found->list[b].from != r->from || found->list[b].to != r->to;
        }
        int verdict = graph_directed(truth, r->from, r->to)   ? RIGHT
                      : graph_directed(truth, r->to, r->from) ? TURNED
                                                              : APART;
        all[verdict] += first;
        used[verdict] += first && r->outcome <= REASON_TURNS;
    }
    for (int k = 0; k < KINDS; k++) (void)printf(",%zu", all[k]);
    for (int k = 0; k < KINDS; k++) (void)printf(",%zu", used[k]);
    (void)printf("\n");
}

static void run_form(const study *s, const double *p, const char *form)
{
    const decode_options how = {0.5, 0.2};
    bool two = strcmp(form, "two") == 0, pooled = strcmp(form, "pooled") == 0;
    bool plain = strcmp(form, "uncorrected") == 0;
    scone_table *first = NULL;
    decoding d;
    reasoned with;
    scone_scores scores;
    const literal_conditions pairs = {
        .pair = s->pooled, .rows = s->rows, .chosen = s->all, .count = s->conditions};
    reasons_options options = {.rows = DATA_SOURCE_ROWS,
                               .conditions = two || pooled ? NULL : &pairs,
                               .condition_count = plain ? 1 : s->conditions,
                               .names = s->names};
    must(reasons_parse_rules(&options.rules, "all"));
    must(table_part(&first, s->pooled->tables[1], 0, s->rows[0]));
    const scone_pair view = {{s->pooled->tables[0], two ? first : s->pooled->tables[1]}};
    must(decode(&d, p, NODES, NULL, &how));
    must(reasons_give(&with, &view, &d, p, NULL, &how, &options, NULL));
    must(scone_eval_graphs(&scores, with.decoded.graph, s->m.truth));
    (void)printf(",%s,%g,%g,%zu", form, scores.shd, scores.f1, with.reasons.tested);
    judge(&with.reasons, s->m.truth);
    reasoned_free(&with);
    decoding_free(&d);
    scone_table_free(first);
}

int main(int argc, char **argv)
{
    scone_setting setting;
    study s;
    double p[NODES * NODES];
    if (argc != 8) {
        (void)fprintf(stderr, "bench_pairs SETTING COUNT SEED CONDITIONS ROWS FOUND FORMS\n");
        return 2;
    }
    bool linear = strcmp(argv[1], "linear") == 0;
    must(scone_setting_named(&setting, linear ? "ood-20-20" : argv[1]));
    setting.nodes_min = setting.nodes_max = NODES;
    setting.edges_min = setting.edges_max = EDGES;
    setting.edges_per_node = false;
    if (linear) setting.families = SCONE_LINEAR;
    size_t count = strtoul(argv[2], NULL, 10), conditions = strtoul(argv[4], NULL, 10);
    setting.seed = strtoull(argv[3], NULL, 10);
    setting.samples = strtoul(argv[5], NULL, 10);
    if (conditions == 0 || conditions > CONDITIONS) return 2;
    (void)printf("setting,seed,graph,conditions,rows,found,form,shd,f1,tests,right,turned,apart,"
                 "used_right,used_turned,used_apart\n");
    for (size_t g = 0; g < count; g++) {
        draw_study(&s, &setting, g, conditions);
        start_from(p, &s, argv[6]);
        for (const char *f = argv[7]; *f; f += strcspn(f, ","), f += *f == ',') {
            char form[32];
            (void)snprintf(form, sizeof form, "%.*s", (int)strcspn(f, ","), f);
            (void)printf("%s,%s,%zu,%zu,%zu,%s", argv[1], argv[3], g, conditions, setting.samples,
                         argv[6]);
            run_form(&s, p, form);
            (void)fflush(stdout);
        }
        scm_free(&s.m);
        scone_pair_free(s.pooled);
    }
    return 0;
}
