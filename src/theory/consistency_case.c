/* consistency_case.c - one simulated graph: its data, what can be known, and what is found
 * (consistency.h). */
#include "theory/consistency.h"

#include "graph/bits.h"
#include "scm/scm.h"

#include <math.h>
#include <string.h>

/* ---- data ---- */

/* As scm_sample, with normal roots of the same spread, so that everything is jointly normal. */
static void sample_normal(const scone_pair *pair, const model *m, const mechanism *mechanisms)
{
    _Alignas(64) double scratch[MECHANISM_SCRATCH * MODEL_BLOCK];
    size_t rows = pair->tables[0]->rows;
    for (int regime = 0; regime < 2; regime++) {
        scone_table *t = pair->tables[regime];
        for (size_t start = 0; start < rows; start += MODEL_BLOCK) {
            size_t n = rows - start < MODEL_BLOCK ? rows - start : MODEL_BLOCK;
            for (size_t i = 0; i < t->columns; i++) {
                size_t v = m->order[i];
                double *out = table_column(t, v) + start;
                rng r = scm_sample_stream(m, v, start / MODEL_BLOCK, (size_t)regime);
                rng_fill_normal(&r, out, n);
                if (mechanisms[v].parents) {
                    mechanism_apply(out, &mechanisms[v], regime, t->values + start, rows, scratch,
                                    n);
                } else {
                    mechanism_stretch(out, n, 0.0, 2.0 / sqrt(3.0));
                }
            }
        }
    }
}

/* Tables of `rows` rows; those of fewer rows are the first rows of those of more. */
static scone_status sample(scone_pair **pair, const model *m, const mechanism *mechanisms,
                           size_t rows, bool linear)
{
    scone_status status = SCONE_OK;
    scone_pair *p = NULL;
    TRY_ZERO(p, 1);
    for (int regime = 0; regime < 2; regime++) {
        TRY(table_alloc(&p->tables[regime], rows, m->truth->nodes, NULL));
    }
    if (linear) {
        sample_normal(p, m, mechanisms);
    } else {
        const scone_context alone = {.threads = 1};
        TRY(scm_sample(p->tables, m, mechanisms, &alone));
    }
    *pair = p;
    p = NULL;
cleanup:
    scone_pair_free(p);
    return status;
}

/* ---- truth ---- */

typedef struct truth {
    local_graph dag;
    uint32_t targets;
    local_graph g_test; /* with the adjacencies of H_obs */
    directions directions;
    consistency_answers known;
} truth;

static void read_model(truth *t, const model *m)
{
    int count = (int)m->truth->nodes;
    for (int a = 0; a < count; a++) {
        if (scm_targets(m, 1)[a]) t->targets |= MASK_BIT(a);
        for (int b = 0; b < count; b++) {
            if (bits_has(graph_children(m->truth, (size_t)a), (size_t)b)) {
                pdag_direct(&t->dag, a, b);
            }
        }
    }
}

static scone_status find_truth(truth *t, const model *m, study *s)
{
    scone_status status = SCONE_OK;
    estimands e;
    size_t member = 0, end;
    read_model(t, m);
    oracle_cpdag(&t->g_test, &t->dag, s->count);
    TRY(study_class(s, classes_encode(&t->g_test, s->count)));
    while (member < s->member_count && !pdag_equal(&s->members[member], &t->dag, s->count)) {
        member++;
    }
    if (member == s->member_count) FAIL_DEFECT("a DAG outside of its own class");
    study_group(&e, &end, s, s->group[member << s->count | t->targets]);
    t->directions = e.g_test;
    for (int a = 0; a < s->count; a++) {
        MASK_FOR(b, e.g_test.to[a]) pdag_direct(&t->g_test, a, b);
    }
    consistency_know(&t->known, &t->dag, s->count, t->targets, (size_t)s->subset_size);
cleanup:
    return status;
}

/* ---- points ---- */

static void judge_literals(scone_consistency_point *p, const consistency_answers *said,
                           const consistency_answers *known, subset_family family)
{
    for (int v = 0; v < known->count; v++) {
        for (uint32_t z = 0; z < 1u << known->count; z++) {
            if (mask_has(z, v) || !consistency_tested(family, v, z)) continue;
            uint8_t answer = said->literals[v][z], right = known->literals[v][z];
            p->literals++;
            p->literal_right += answer == right;
            p->false_changes += answer == LITERAL_CHANGED && right == LITERAL_INVARIANT;
            p->missed_changes += answer == LITERAL_INVARIANT && right == LITERAL_CHANGED;
        }
    }
}

static void judge(scone_consistency_point *p, const truth *t, const consistency_answers *said,
                  subset_family family)
{
    local_graph h_obs, found, cpdag;
    int count = t->known.count;
    consistency_graph(&cpdag, &found, &t->known, family);
    p->equal_known += pdag_equal(&found, &t->g_test, count);
    consistency_graph(&h_obs, &found, said, family);
    directions d = directions_of(&found, count), right = directions_common(&d, &t->directions);
    p->graphs++;
    p->equal += pdag_equal(&found, &t->g_test, count);
    p->equal_obs += pdag_equal(&h_obs, &cpdag, count);
    p->directions += (size_t)directions_count(&t->directions);
    p->found += (size_t)directions_count(&d);
    p->found_right += (size_t)directions_count(&right);
    judge_literals(p, said, &t->known, family);
}

static scone_status judge_sampled(consistency_case *result, const truth *t,
                                  const consistency_answers *said, const scone_pair *pair,
                                  const scone_consistency_options *o, size_t index)
{
    scone_status status = SCONE_OK;
    subset_family families[SCONE_CONSISTENCY_MOST_POINTS];
    subset_witnesses witnesses;
    TRY(consistency_sample(families, pair, o, index));
    for (size_t i = 0; i < o->subset_count; i++) {
        judge(&result->point[o->row_count + i], t, said, families[i]);
    }
    consistency_witnesses(&witnesses, &t->known,
                          consistency_all_subsets((int)o->nodes, o->subset_size));
    TRY(consistency_cover(result, pair, o, index, &t->directions, &witnesses));
cleanup:
    return status;
}

scone_status consistency_case_run(consistency_case *result, const scone_consistency_options *o,
                                  size_t index, study *s)
{
    scone_status status = SCONE_OK;
    const scone_setting setting = {.nodes_min = o->nodes,
                                   .nodes_max = o->nodes,
                                   .edges_min = (double)o->nodes,
                                   .edges_max = (double)o->nodes,
                                   .families = o->families,
                                   .noise = SCONE_NOISE_ADDITIVE,
                                   .p_target = 0.4,
                                   .samples = o->rows[0],
                                   .count = o->count,
                                   .seed = o->seed};
    model m = {0};
    mechanism *mechanisms;
    truth *t = NULL;
    consistency_answers *said = NULL;
    scone_pair *pair = NULL;
    bool linear = o->families == SCONE_LINEAR;
    TRY_ZERO(t, 1);
    TRY_ALLOC(said, 1);
    TRY(scm_draw(&m, &setting, index));
    TRY(scm_mechanisms(&mechanisms, &m, &setting));
    TRY(find_truth(t, &m, s));
    for (size_t r = 0; r < o->row_count; r++) {
        scone_pair_free(pair);
        pair = NULL;
        TRY(sample(&pair, &m, mechanisms, o->rows[r], linear));
        TRY(consistency_ask(said, pair, o->subset_size, linear));
        judge(&result->point[r], t, said, consistency_all_subsets(s->count, o->subset_size));
    }
    TRY(judge_sampled(result, t, said, pair, o, index));
cleanup:
    scone_pair_free(pair);
    scm_free(&m);
    mem_free(said);
    mem_free(t);
    return status;
}
