/* bench_model_export.c - a batch, weights, and what the model makes of them, in one file, so that
 * another implementation can be compared with it.
 *
 *     bench_model_export CASE FILE
 *
 * CASE as in model_cases.h. FILE is safetensors, its metadata have the configuration and the names
 * of the parameters with weight decay. Tensors: weight.NAME and gradient.NAME for every parameter;
 * batch.* the arrays of model/setup/batch.h, lists as offsets and index; loss.* the samples that
 * the terms were computed with, and the five terms; result.* the logits. The gradients are those of
 * the sum of the terms.
 */
#include "model_cases.h"

#include "model/model_parts.h"

enum { MOST_TENSORS = 1024, NAME_BYTES = 80, NAMES_TEXT = 1 << 16 };

typedef struct export_list {
    weights_tensor tensors[MOST_TENSORS];
    char names[MOST_TENSORS][NAME_BYTES];
    uint64_t *words[MOST_TENSORS]; /* to be freed */
    size_t count;
} export_list;

static void add_tensor(export_list *list, const char *group, const char *name, weights_type type,
                       const void *data, size_t rows, size_t columns)
{
    require(list->count < MOST_TENSORS);
    size_t at = list->count++;
    (void)snprintf(list->names[at], NAME_BYTES, "%s.%s", group, name);
    list->tensors[at] = (weights_tensor){.name = list->names[at],
                                         .type = type,
                                         .rank = columns > 1 ? 2 : 1,
                                         .shape = {rows, columns > 1 ? columns : 0},
                                         .data = data};
}

static void add_floats(export_list *list, const char *group, const char *name, const real *x,
                       size_t rows, size_t columns)
{
    add_tensor(list, group, name, WEIGHTS_F32, x, rows, columns);
}

/* A copy of integers of 1 or 4 bytes. */
static void add_words(export_list *list, const char *group, const char *name, const void *x,
                      size_t bytes, size_t rows, size_t columns)
{
    uint64_t *words = mem_aligned(rows * columns + 1, sizeof *words);
    require(words != NULL);
    for (size_t k = 0; k < rows * columns; k++) {
        words[k] = bytes == 1 ? ((const uint8_t *)x)[k] : ((const uint32_t *)x)[k];
    }
    add_tensor(list, group, name, WEIGHTS_U64, words, rows, columns);
    list->words[list->count - 1] = words;
}

static void add_group(export_list *list, const char *name, const nn_groups *groups)
{
    char text[NAME_BYTES / 2];
    (void)snprintf(text, sizeof text, "%s.offsets", name);
    add_words(list, "batch", text, groups->offsets, sizeof *groups->offsets, groups->count + 1, 1);
    if (!groups->index) return;
    (void)snprintf(text, sizeof text, "%s.index", name);
    add_words(list, "batch", text, groups->index, sizeof *groups->index,
              groups->offsets[groups->count], 1);
}

#define ADD_WORDS(name_, rows_, columns_)                                                          \
    add_words(list, "batch", #name_, b->name_, sizeof *b->name_ / (columns_), rows_, columns_)
#define ADD_FLOATS(name_, rows_, columns_)                                                         \
    add_floats(list, "batch", #name_, b->name_, rows_, columns_)

static void add_batch(export_list *list, const batch *b)
{
    ADD_WORDS(graph_node, b->graphs + 1, 1);
    ADD_WORDS(graph_pair, b->graphs + 1, 1);
    ADD_WORDS(graph_cell, b->graphs + 1, 1);
    ADD_FLOATS(features, 2 * b->cells, b->feature_count);
    ADD_WORDS(cell_pair, b->cells, 1);
    ADD_WORDS(cell_subset_place, b->cells, 1);
    ADD_WORDS(cell_ends, b->cells, 2);
    ADD_WORDS(cell_members, b->cells, 2);
    ADD_WORDS(pair_place, b->pairs, 1);
    ADD_WORDS(pair_grid, b->pairs, 1);
    ADD_WORDS(labels, b->pairs, 1);
    ADD_WORDS(node_identity, b->nodes, 1);
    ADD_FLOATS(node_statistics, b->nodes, TOKEN_NODE_STATISTICS);
    ADD_WORDS(member_node, b->members, 1);
    ADD_FLOATS(precision, b->grid, 1);
    ADD_WORDS(triple_cells, b->triples, 2);
    ADD_WORDS(triple_centre, b->triples, 1);
    ADD_WORDS(triple_second, b->triples, 2);
    ADD_WORDS(instance_owner, b->instances, 1);
    add_group(list, "rows", &b->rows);
    add_group(list, "context", &b->context);
    add_group(list, "subset_members", &b->subset_members);
    add_group(list, "instance_steps", &b->instance_steps);
    uint8_t *with = mem_aligned(b->steps + 1, 1);
    require(with != NULL);
    for (size_t k = 0; k < b->steps; k++) with[k] = b->step_sense[k] > 0;
    add_words(list, "batch", "step_with", with, 1, b->steps, 1);
    mem_free(with);
}

static void add_results(export_list *list, const model_run *run, const batch *b,
                        const loss_terms *terms, float values[6])
{
    size_t ranked = 0;
    for (size_t e = 0; e < b->pairs; e++) ranked += b->labels[e] < LOSS_NONE ? RANK_NEGATIVES : 0;
    add_words(list, "loss", "ranked", run->ranked, sizeof(uint32_t), ranked, 2);
    add_words(list, "loss", "sampled", run->sampled, 1, b->grid, 1);
    const double all[6] = {terms->cross_entropy, terms->shd,  terms->rank,
                           terms->global,        terms->gate, terms->total};
    for (size_t k = 0; k < 6; k++) values[k] = (float)all[k];
    add_floats(list, "loss", "terms", values, 6, 1);
    add_floats(list, "result", "logits", run->logits, b->pairs, MODEL_CLASSES);
    add_floats(list, "result", "global_logits", run->global_logits, b->grid, MODEL_CLASSES);
}

static void add_parameters(export_list *list, const char *group, const parameter_layout *layout,
                           const float *values)
{
    for (size_t k = 0; k < layout->list_count; k++) {
        const parameter *p = &layout->list[k];
        add_tensor(list, group, p->name, WEIGHTS_F32, values + p->offset, p->rows, p->columns);
    }
}

static void write_file(const char *path, export_list *list, const parameter_layout *layout)
{
    static char decayed[NAMES_TEXT];
    char *config;
    size_t used = 0;
    for (size_t k = 0; k < layout->list_count; k++) {
        const parameter *p = &layout->list[k];
        if (!p->decay) continue;
        int length = snprintf(decayed + used, sizeof decayed - used, "%s ", p->name);
        used += (size_t)length;
        require(used < sizeof decayed);
    }
    require(config_print(&config, &layout->config) == SCONE_OK);
    const weights_note notes[] = {{"config", config}, {"decayed", decayed}};
    require(weights_write(path, "scone-bench", list->tensors, list->count, notes, 2) == SCONE_OK);
    mem_free(config);
}

int main(int count, char **arguments)
{
    static const double equal[3] = {1.0, 1.0, 1.0};
    static export_list list;
    static case_batch made;
    const scone_context context = {.threads = 1};
    const model_config config = config_default(); /* paper: the only preset with every part */
    parameter_layout *layout;
    model_run *run;
    loss_terms terms;
    float term_values[6];
    if (count != 3) return 2;
    require(parameters_layout_make(&layout, &config) == SCONE_OK);
    require(model_run_alloc(&run, layout, &context) == SCONE_OK);
    case_make(&made, case_named(arguments[1]), &config);
    float *values = mem_aligned(layout->count, sizeof *values);
    float *gradients = mem_aligned(layout->count, sizeof *gradients);
    require(values && gradients);
    case_weights(values, layout);
    memset(gradients, 0, layout->count * sizeof *gradients);
    require(model_forward(run, values, made.b) == SCONE_OK);
    model_loss(&terms, run, made.b, equal, CASE_SEED, 0);
    model_backward(run, gradients, values, made.b);
    add_batch(&list, made.b);
    add_results(&list, run, made.b, &terms, term_values);
    add_parameters(&list, "weight", layout, values);
    add_parameters(&list, "gradient", layout, gradients);
    write_file(arguments[2], &list, layout);
    for (size_t k = 0; k < list.count; k++) mem_free(list.words[k]);
    mem_free(values);
    mem_free(gradients);
    case_free(&made);
    model_run_free(run);
    parameters_layout_free(layout);
    return 0;
}
