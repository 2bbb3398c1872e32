/* test_heads_start.c - heads that act: at the first step of a training every number of every head
 * has a gradient and scores lie on both sides of their thresholds; in shipped weights no head is
 * silent in a whole block.
 */
#include "testing.h"
#include "model_data.h"

#include "model/model_parts.h"
#include "model/heads/heads_parts.h"
#include "presets/learned.h"

static const double WEIGHTS[3] = {1.2, 1.2, 0.9};
static const char *const parts[] = {".heads.", ".gamma.", ".ssi.", ".cvt.", ".dpt."};

static bool of_heads(const parameter *p)
{
    bool found = false;
    for (size_t k = 0; k < 5; k++) found = found || strstr(p->name, parts[k]);
    return found;
}

/* Graphs as in a training, with the values that a training starts from. */
static model_case *start_case(model_cvt_gate gate)
{
    static const size_t nodes[] = {30, 24, 28, 26};
    model_config config = config_default();
    config.cvt_gate = gate;
    model_case *x = model_make(config, nodes, 4, 8, 31);
    parameters_start(x->values, x->layout, 1);
    return x;
}

static void test_first_gradient(void **state)
{
    (void)state;
    for (int gate = MODEL_CVT_PRINTED; gate <= MODEL_CVT_PROVED; gate++) {
        model_case *x = start_case((model_cvt_gate)gate);
        model_run *run = model_runs(x, 2);
        real *gradients = constant_reals(x->layout->count, 0.0);
        loss_terms terms;
        size_t tensors = 0;
        CHECK_OK(model_forward(run, x->values, x->b));
        model_loss(&terms, run, x->b, WEIGHTS, 1, 0);
        model_backward(run, gradients, x->values, x->b);
        for (size_t k = 0; k < x->layout->list_count; k++) {
            const parameter *p = &x->layout->list[k];
            if (!of_heads(p)) continue;
            tensors++;
            size_t count = p->rows * p->columns, without = 0;
            for (size_t i = 0; i < count; i++) without += gradients[p->offset + i] == 0;
            /* the regimes hardly differ yet: in float what SSI makes of both may cancel */
            if (without > count / 4)
                fail_msg("%s: %zu of %zu have no gradient", p->name, without, count);
        }
        CHECK(tensors == 4 * 27);
        mem_free(gradients);
        model_run_free(run);
        model_case_free(x);
    }
}

static void count_sides(size_t sides[2], const real *scores, size_t count)
{
    for (size_t k = 0; k < count; k++) sides[scores[k] >= (real)0.5]++;
}

static void test_both_sides(void **state)
{
    (void)state;
    model_case *x = start_case(MODEL_CVT_PRINTED);
    model_run *run = model_runs(x, 2);
    CHECK_OK(model_forward(run, x->values, x->b));
    for (size_t block = 0; block < x->config.blocks; block++) {
        const heads *of = run->blocks[block].heads;
        size_t gamma[2] = {0, 0}, cvt[2] = {0, 0}, dpt[2] = {0, 0};
        count_sides(gamma, of->scores.gamma, x->b->members);
        count_sides(cvt, of->cvt.score, x->b->triples);
        for (size_t k = 0; k < 2 * x->b->instances; k++) {
            double score = 1 / (1 + exp(-fabs((double)of->dpt.push[k])));
            dpt[score >= x->config.dpt_score_min]++;
        }
        CHECK(gamma[0] > 0 && gamma[1] > 0);
        CHECK(cvt[0] > 0 && cvt[1] > 0);
        CHECK(dpt[0] > 0 && dpt[1] > 0);
    }
    model_run_free(run);
    model_case_free(x);
}

/* Cells of a block that a head says something of. */
static size_t count_spoken(const model_run *run, const batch *b, size_t block, size_t head)
{
    const real *bias = model_bias(run, block, head);
    size_t spoken = 0;
    for (size_t k = 0; k < b->cells; k++) spoken += bias[2 * k] != 0 || bias[2 * k + 1] != 0;
    return spoken;
}

static void check_shipped(const char *path, const char *preset)
{
    static const size_t nodes[] = {20, 20};
    learned_model *model;
    model_run *run;
    CHECK_OK(learned_open(&model, path, preset));
    model_case *x = model_make(model->layout->config, nodes, 2, 8, 77);
    CHECK_OK(model_run_alloc(&run, model->layout, NULL));
    CHECK_OK(model_forward(run, model->values, x->b));
    for (size_t block = 0; block < x->config.blocks; block++) {
        for (size_t head = 0; head < MODEL_HEADS; head++) {
            if (count_spoken(run, x->b, block, head) == 0) {
                fail_msg("%s: head %zu says nothing in block %zu", path, head, block);
            }
        }
    }
    model_run_free(run);
    model_case_free(x);
    learned_free(model);
}

static void test_shipped(void **state)
{
    (void)state;
    check_shipped(MODELS "/paper.safetensors", "paper");
    check_shipped(MODELS "/paper-nc.safetensors", "paper-nc");
    check_shipped(MODELS "/paper-indist.safetensors", "paper");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_gradient),
        cmocka_unit_test(test_both_sides),
        cmocka_unit_test(test_shipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
