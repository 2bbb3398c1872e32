/* training_set.c - simulated graphs as tokens, kept in a file (see training_set.h). */
#include "train/training_set.h"

#include "io/file.h"
#include "text/number/number.h"
#include "parallel/producer.h"
#include "base/rng.h"
#include "parallel/team.h"
#include "model/tokens/token_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- a set being made ready ---- */

/* One graph on its way between processes, followed by the bytes of its block. */
typedef struct parcel {
    token_sizes size;
    uint64_t graph, seed, bytes;
    bool labelled;
} parcel;

typedef struct graph_source {
    training_set *set;
    graph_recipe recipe;
    const scone_context *context;
    token_file *file; /* of process 0 */
    char *path;
    size_t there; /* graphs that the file has; the others are made */
    producer *maker;
    int ahead;       /* threads of the maker */
    bool waiting;    /* for graphs, in training_set_need */
    size_t finished; /* graphs made here */
    size_t first;    /* of those at hand */
    parcel parcels[LOADER_BLOCK];
    char *blocks; /* [LOADER_BLOCK, largest]: of the blocks of tokens */
    size_t largest;
} graph_source;

static parcel parcel_of(const tokens *t)
{
    parcel p;
    memset(&p, 0, sizeof p); /* it is sent as bytes */
    p.size = t->size;
    p.graph = t->graph;
    p.seed = t->seed;
    p.bytes = t->bytes;
    p.labelled = t->labelled;
    return p;
}

static scone_status unpack(tokens **out, const parcel *p)
{
    scone_status status = tokens_alloc(out, &p->size);
    if (status != SCONE_OK) return status;
    (*out)->graph = p->graph;
    (*out)->seed = p->seed;
    (*out)->labelled = p->labelled;
    return SCONE_OK;
}

/* What the file's description tells: everything that decides the tokens but the number of the
 * graph. */
static void describe(char text[TOKEN_FILE_DESCRIPTION], const graph_recipe *recipe)
{
    const scone_setting *s = &recipe->setting;
    char tokens_text[TOKEN_OPTIONS_TEXT], edges[2][NUMBER_TEXT_SIZE], target[NUMBER_TEXT_SIZE];
    char fewest[32] = "";
    token_options_text(tokens_text, &recipe->options);
    (void)number_format(edges[0], s->edges_min);
    (void)number_format(edges[1], s->edges_max);
    (void)number_format(target, s->p_target);
    if (recipe->samples_min < s->samples) {
        (void)snprintf(fewest, sizeof fewest, "%zu..", recipe->samples_min);
    }
    (void)snprintf(text, TOKEN_FILE_DESCRIPTION,
                   "simulated: nodes %zu..%zu, edges %s..%s%s, families %u, noise %d, wild %d, "
                   "p_target %s, samples %s%zu, seed %" PRIu64 "; %s",
                   s->nodes_min, s->nodes_max, edges[0], edges[1],
                   s->edges_per_node ? " per node" : "", s->families, (int)s->noise, (int)s->wild,
                   target, fewest, s->samples, s->seed, tokens_text);
}

/* ---- graphs that the file has ---- */

static scone_status read_graph(graph_source *source, size_t g)
{
    scone_status status = SCONE_OK;
    tokens *t = NULL;
    parcel p;
    memset(&p, 0, sizeof p);
    if (source->file) {
        TRY(token_file_read(&t, source->file, g));
        source->set->graphs[g] = t;
        if (t->graph != g || t->seed != source->recipe.setting.seed || !t->labelled) {
            FAIL(SCONE_ERR_INPUT, "%s: graph %zu is not the one of this place; delete the file",
                 source->path, g + 1);
        }
        p = parcel_of(t);
    }
    TRY(team_spread(source->context, &p, sizeof p));
    if (!source->file) {
        TRY(unpack(&t, &p));
        source->set->graphs[g] = t;
    }
    TRY(team_spread(source->context, t->block, t->bytes));
cleanup:
    return status;
}

/* ---- graphs that are made ---- */

static size_t processes(const scone_context *context)
{
    return (size_t)scone_team_size(context ? context->team : NULL);
}

/* Only while somebody waits: beside the steps of a training, these are what progress tells of. */
static scone_status report(graph_source *source)
{
    size_t made = __atomic_add_fetch(&source->finished, 1, __ATOMIC_RELAXED);
    if (!__atomic_load_n(&source->waiting, __ATOMIC_RELAXED)) return SCONE_OK;
    double done = (double)(made * processes(source->context)) / (double)source->set->count;
    return context_progress(source->context, source->recipe.stage, done < 1.0 ? done : 1.0);
}

/* Rows of graph g: log-uniform from samples_min to the setting's. */
static size_t draw_samples(const graph_recipe *recipe, size_t g)
{
    size_t least = recipe->samples_min, most = recipe->setting.samples;
    if (least >= most) return most;
    rng random = rng_stream(recipe->setting.seed, RNG_SETTING, g, 1, 0);
    double low = log((double)least), high = log((double)most + 1.0);
    size_t rows = (size_t)exp(low + (high - low) * rng_uniform(&random));
    return rows < least ? least : rows > most ? most : rows;
}

static scone_status make_graph(void *argument, size_t g)
{
    scone_status status = SCONE_OK;
    graph_source *source = argument;
    const scone_context alone = {.threads = 1};
    token_options options = source->recipe.options;
    scone_setting setting = source->recipe.setting;
    scone_problem *problem = NULL;
    options.seed = setting.seed;
    options.graph = g;
    setting.samples = draw_samples(&source->recipe, g);
    TRY(scone_simulate(&problem, &setting, g, &alone));
    const token_truth truth = {scone_problem_graph(problem), scone_problem_targets(problem)};
    TRY(token_make(&source->set->graphs[g], scone_problem_pair(problem), &truth, &options, &alone));
    TRY(report(source));
cleanup:
    scone_problem_free(problem);
    return status;
}

/* Graphs of a block are made in turns, from its first one that the file does not have. */
static size_t block_first(const graph_source *source, size_t g)
{
    size_t first = g / LOADER_BLOCK * LOADER_BLOCK;
    return first > source->there ? first : source->there;
}

static scone_status start_maker(graph_source *source)
{
    scone_status status = SCONE_OK;
    const scone_context *context = source->context;
    size_t rank = (size_t)scone_team_rank(context ? context->team : NULL), own = 0;
    size_t *items = NULL;
    TRY_ALLOC(items, source->set->count);
    for (size_t g = source->there; g < source->set->count; g++) {
        if ((g - block_first(source, g)) % processes(context) == rank) items[own++] = g;
    }
    TRY(producer_start(&source->maker, items, own, source->ahead, make_graph, source));
cleanup:
    mem_free(items);
    return status;
}

/* ---- graphs that other processes made ---- */

static scone_status copy_parcel(void *argument, size_t item, int worker)
{
    graph_source *source = argument;
    (void)worker;
    source->parcels[item] = parcel_of(source->set->graphs[source->first + item]);
    return SCONE_OK;
}

static scone_status copy_block(void *argument, size_t item, int worker)
{
    graph_source *source = argument;
    const tokens *t = source->set->graphs[source->first + item];
    (void)worker;
    memset(source->blocks + item * source->largest, 0, source->largest);
    memcpy(source->blocks + item * source->largest, t->block, t->bytes);
    return SCONE_OK;
}

/* First sizes, then the blocks. */
static scone_status exchange(graph_source *source, size_t count)
{
    scone_status status = SCONE_OK;
    const scone_context *context = source->context;
    if (!team_reach(context)) return SCONE_OK;
    TRY(team_for(count, context, NULL, copy_parcel, source, source->parcels,
                 sizeof *source->parcels));
    source->largest = 1;
    for (size_t k = 0; k < count; k++) {
        if (source->parcels[k].bytes > source->largest) source->largest = source->parcels[k].bytes;
    }
    mem_free(source->blocks);
    source->blocks = mem_alloc(count, source->largest);
    if (!source->blocks) TRY(SCONE_ERR_MEMORY);
    TRY(team_for(count, context, NULL, copy_block, source, source->blocks, source->largest));
    for (size_t k = 0; k < count; k++) {
        tokens **t = &source->set->graphs[source->first + k];
        if (*t) continue;
        TRY(unpack(t, &source->parcels[k]));
        memcpy((*t)->block, source->blocks + k * source->largest, (*t)->bytes);
    }
cleanup:
    return status;
}

/* ---- the set ---- */

/* Graphs first .. last-1, none of which the file has. */
static scone_status take_made(graph_source *source, size_t first, size_t last)
{
    scone_status status = SCONE_OK;
    int threads = training_set_threads(source->set, source->context);
    __atomic_store_n(&source->waiting, true, __ATOMIC_RELAXED);
    status = producer_wait(source->maker, last, threads);
    __atomic_store_n(&source->waiting, false, __ATOMIC_RELAXED);
    TRY(status);
    source->first = first;
    TRY(exchange(source, last - first));
    for (size_t g = first; source->file && g < last; g++) {
        TRY(token_file_append(source->file, source->set->graphs[g]));
    }
cleanup:
    return status;
}

static void count_in(training_set *set, const tokens *t)
{
    set->hash = XXH64(&t->size, sizeof t->size, set->hash);
    set->hash = XXH64(t->block, t->bytes, set->hash);
    if (t->size.nodes > set->most_nodes) set->most_nodes = t->size.nodes;
    set->ready++;
}

static void source_free(graph_source *source)
{
    if (!source) return;
    producer_stop(source->maker);
    token_file_close(source->file);
    mem_free(source->path);
    mem_free(source->blocks);
    mem_free(source);
}

static scone_status next_block(graph_source *source)
{
    scone_status status = SCONE_OK;
    training_set *set = source->set;
    size_t first = set->ready, last = first + LOADER_BLOCK;
    if (last > set->count) last = set->count;
    size_t made = source->there < first ? first : source->there < last ? source->there : last;
    for (size_t g = first; g < made; g++) TRY(read_graph(source, g));
    if (made < last) TRY(take_made(source, made, last));
    for (size_t g = first; g < last; g++) count_in(set, set->graphs[g]);
cleanup:
    return status;
}

scone_status training_set_need(training_set *set, size_t count)
{
    scone_status status = SCONE_OK;
    if (count > set->count) count = set->count;
    while (set->ready < count) TRY(next_block(set->source));
    if (set->ready == set->count && set->source) {
        if (set->source->file) TRY(token_file_finish(&set->source->file));
        source_free(set->source);
        set->source = NULL;
    }
cleanup:
    return status;
}

int training_set_threads(const training_set *set, const scone_context *context)
{
    int threads = context_threads(context), ahead = 0;
    if (set->source) ahead = producer_busy(set->source->maker);
    return threads > ahead ? threads - ahead : 1;
}

/* A file that has all graphs is only read, so that several trainings can share it. One that cannot
 * be read, or whose last graph is damaged, is left to a writer, which knows what to do or say. */
static token_file *open_complete(const graph_source *source, const char *description)
{
    token_file *file = NULL;
    tokens *last = NULL;
    if (!path_exists(source->path)) return NULL;
    bool good =
        token_file_open(&file, source->path, NULL) == SCONE_OK &&
        token_file_count(file) >= source->set->count && token_file_rest(file) == 0 &&
        strncmp(token_file_description(file), description, TOKEN_FILE_DESCRIPTION - 1) == 0 &&
        token_file_read(&last, file, token_file_count(file) - 1) == SCONE_OK;
    tokens_free(last);
    if (good) return file;
    token_file_close(file);
    return NULL;
}

static scone_status open_file(graph_source *source)
{
    scone_status status = SCONE_OK;
    char description[TOKEN_FILE_DESCRIPTION], name[64];
    uint64_t there = 0;
    describe(description, &source->recipe);
    (void)snprintf(name, sizeof name, "tokens-%016" PRIx64 ".tok",
                   XXH64(description, strlen(description), 0));
    TRY(path_join(&source->path, source->recipe.folder, name));
    if (team_is_first(source->context)) {
        source->file = open_complete(source, description);
        if (!source->file) {
            TRY(token_file_continue(&source->file, source->path, description, source->context));
        }
        there = token_file_count(source->file);
    }
    TRY(team_spread(source->context, &there, sizeof there));
    source->there = there < source->set->count ? there : source->set->count;
    source->finished = source->there / processes(source->context);
cleanup:
    return status;
}

scone_status training_set_open(training_set **out, const graph_recipe *recipe, int ahead,
                               const scone_context *context)
{
    scone_status status = SCONE_OK;
    training_set *set = NULL;
    *out = NULL;
    TRY_ZERO(set, 1);
    set->count = recipe->count;
    TRY_ZERO(set->graphs, set->count);
    TRY_ZERO(set->source, 1);
    set->source->set = set;
    set->source->recipe = *recipe;
    set->source->context = context;
    TRY(open_file(set->source));
    set->source->ahead = set->source->there < set->count ? ahead : 0;
    TRY(start_maker(set->source));
    *out = set;
    set = NULL;
cleanup:
    training_set_free(set);
    return status;
}

scone_status training_set_load(training_set **out, const graph_recipe *recipe,
                               const scone_context *context)
{
    scone_status status = training_set_open(out, recipe, 0, context);
    if (status == SCONE_OK) status = training_set_need(*out, recipe->count);
    if (status != SCONE_OK) {
        training_set_free(*out);
        *out = NULL;
    }
    return status;
}

void training_set_free(training_set *set)
{
    if (!set) return;
    source_free(set->source);
    for (size_t g = 0; set->graphs && g < set->count; g++) tokens_free(set->graphs[g]);
    mem_free(set->graphs);
    mem_free(set);
}

void training_set_class_weights(double factors[3], const training_set *set, bool weighted)
{
    double arrows = 0.0, none = 0.0;
    for (size_t g = 0; g < set->ready; g++) {
        const tokens *t = set->graphs[g];
        for (size_t e = 0; e < t->size.pairs; e++) {
            if (t->labels[e] == TOKEN_NONE)
                none += 1.0;
            else
                arrows += 1.0;
        }
    }
    factors[0] = factors[1] = factors[2] = 1.0;
    if (!weighted || arrows == 0.0 || none == 0.0) return;
    factors[0] = factors[1] = (arrows + none) / (3.0 * arrows / 2.0);
    factors[2] = (arrows + none) / (3.0 * none);
}
