/* loader.c - simulated graphs as tokens, kept in a file (see loader.h). */
#include "train/loader.h"

#include "base/file.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/team.h"
#include "token/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { LOADER_BLOCK = 32 }; /* graphs between two writes: what a stop loses at most */

token_options loader_token_options(const model_config *config)
{
    token_options options = token_defaults;
    options.subset_size = config->subset_size;
    options.pair_visits = config->cells_per_pair;
    options.least_subsets = config->subsets_min;
    options.contrast_per_node = config->contrast_per_node;
    options.cap_per_node = (size_t)config->candidates_per_node;
    options.replicates = config->bootstraps;
    options.degree = config->degree;
    options.context_share = config->context_share;
    options.contrast = config->contrast;
    options.evidence = config->evidence;
    return options;
}

/* ---- a set being loaded ---- */

/* One graph on its way between processes, followed by the bytes of its block. */
typedef struct parcel {
    token_sizes size;
    uint64_t graph, seed, bytes;
    bool labelled;
} parcel;

typedef struct load_job {
    graph_set *set;
    scone_setting setting;
    size_t samples_min;
    token_options options;
    const char *stage;
    const scone_context *context;
    size_t first;    /* of the block */
    size_t finished; /* graphs made here */
    parcel parcels[LOADER_BLOCK];
    char *blocks; /* [LOADER_BLOCK, largest]: of the blocks of tokens */
    size_t largest;
} load_job;

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
static void describe(char text[TOKEN_FILE_DESCRIPTION], const load_job *job)
{
    const scone_setting *s = &job->setting;
    char tokens_text[TOKEN_OPTIONS_TEXT], edges[2][NUMBER_TEXT_SIZE], target[NUMBER_TEXT_SIZE];
    char fewest[32] = "";
    token_options_text(tokens_text, &job->options);
    (void)number_format(edges[0], s->edges_min);
    (void)number_format(edges[1], s->edges_max);
    (void)number_format(target, s->p_target);
    if (job->samples_min < s->samples) {
        (void)snprintf(fewest, sizeof fewest, "%zu..", job->samples_min);
    }
    (void)snprintf(text, TOKEN_FILE_DESCRIPTION,
                   "simulated: nodes %zu..%zu, edges %s..%s%s, families %u, noise %d, wild %d, "
                   "p_target %s, samples %s%zu, seed %" PRIu64 "; %s",
                   s->nodes_min, s->nodes_max, edges[0], edges[1],
                   s->edges_per_node ? " per node" : "", s->families, (int)s->noise, (int)s->wild,
                   target, fewest, s->samples, s->seed, tokens_text);
}

/* ---- graphs that the file has ---- */

static scone_status read_graph(load_job *job, const token_file *file, size_t g, const char *path)
{
    scone_status status = SCONE_OK;
    tokens *t = NULL;
    parcel p;
    memset(&p, 0, sizeof p);
    if (file) {
        TRY(token_file_read(&t, file, g));
        job->set->graphs[g] = t;
        if (t->graph != g || t->seed != job->setting.seed || !t->labelled) {
            FAIL(SCONE_ERR_INPUT, "%s: graph %zu is not the one of this place; delete the file",
                 path, g + 1);
        }
        p = parcel_of(t);
    }
    TRY(team_spread(job->context, &p, sizeof p));
    if (!file) {
        TRY(unpack(&t, &p));
        job->set->graphs[g] = t;
    }
    TRY(team_spread(job->context, t->block, t->bytes));
cleanup:
    return status;
}

/* ---- graphs that are made ---- */

static scone_status report(load_job *job)
{
    const scone_team *team = job->context ? job->context->team : NULL;
    size_t made = __atomic_add_fetch(&job->finished, 1, __ATOMIC_RELAXED);
    double done = (double)(made * (size_t)scone_team_size(team)) / (double)job->set->count;
    return context_progress(job->context, job->stage, done < 1.0 ? done : 1.0);
}

/* Rows of graph g: log-uniform from samples_min to the setting's. */
static size_t draw_samples(const load_job *job, size_t g)
{
    size_t least = job->samples_min, most = job->setting.samples;
    if (least >= most) return most;
    rng random = rng_stream(job->setting.seed, RNG_SETTING, g, 1, 0);
    double low = log((double)least), high = log((double)most + 1.0);
    size_t rows = (size_t)exp(low + (high - low) * rng_uniform(&random));
    return rows < least ? least : rows > most ? most : rows;
}

static scone_status make_graph(void *argument, size_t item, int worker)
{
    scone_status status = SCONE_OK;
    load_job *job = argument;
    const scone_context alone = {.threads = 1};
    size_t g = job->first + item;
    token_options options = job->options;
    scone_problem *problem = NULL;
    (void)worker;
    options.seed = job->setting.seed;
    options.graph = g;
    scone_setting setting = job->setting;
    setting.samples = draw_samples(job, g);
    TRY(scone_simulate(&problem, &setting, g, &alone));
    TRY(token_make(&job->set->graphs[g], scone_problem_pair(problem), scone_problem_graph(problem),
                   &options, &alone));
    job->parcels[item] = parcel_of(job->set->graphs[g]);
    TRY(report(job));
cleanup:
    scone_problem_free(problem);
    return status;
}

static scone_status copy_block(void *argument, size_t item, int worker)
{
    load_job *job = argument;
    const tokens *t = job->set->graphs[job->first + item];
    (void)worker;
    memset(job->blocks + item * job->largest, 0, job->largest);
    memcpy(job->blocks + item * job->largest, t->block, t->bytes);
    return SCONE_OK;
}

/* Graphs that other processes made: their sizes are known, now come the blocks. */
static scone_status exchange_blocks(load_job *job, size_t count)
{
    scone_status status = SCONE_OK;
    job->largest = 1;
    for (size_t k = 0; k < count; k++) {
        if (job->parcels[k].bytes > job->largest) job->largest = job->parcels[k].bytes;
    }
    mem_free(job->blocks);
    job->blocks = mem_alloc(count, job->largest);
    if (!job->blocks) TRY(SCONE_ERR_MEMORY);
    TRY(team_for(count, job->context, NULL, copy_block, job, job->blocks, job->largest));
    for (size_t k = 0; k < count; k++) {
        tokens **t = &job->set->graphs[job->first + k];
        if (*t) continue;
        TRY(unpack(t, &job->parcels[k]));
        memcpy((*t)->block, job->blocks + k * job->largest, (*t)->bytes);
    }
cleanup:
    return status;
}

static scone_status make_block(load_job *job, token_file *file, size_t count)
{
    scone_status status = SCONE_OK;
    TRY(team_for(count, job->context, NULL, make_graph, job, job->parcels, sizeof *job->parcels));
    if (team_reach(job->context)) TRY(exchange_blocks(job, count));
    for (size_t k = 0; file && k < count; k++) {
        TRY(token_file_append(file, job->set->graphs[job->first + k]));
    }
cleanup:
    return status;
}

/* ---- the set ---- */

static scone_status load_all(load_job *job, token_file *file, const char *path)
{
    scone_status status = SCONE_OK;
    uint64_t there = file ? token_file_count(file) : 0;
    TRY(team_spread(job->context, &there, sizeof there));
    if (there > job->set->count) there = job->set->count;
    job->finished = there / (size_t)scone_team_size(job->context ? job->context->team : NULL);
    for (size_t g = 0; g < there; g++) TRY(read_graph(job, file, g, path));
    for (size_t g = there; g < job->set->count; g += LOADER_BLOCK) {
        size_t left = job->set->count - g;
        job->first = g;
        TRY(make_block(job, file, left < LOADER_BLOCK ? left : LOADER_BLOCK));
    }
cleanup:
    return status;
}

static void summarize(graph_set *set)
{
    uint64_t hash = 0;
    for (size_t g = 0; g < set->count; g++) {
        const tokens *t = set->graphs[g];
        hash = XXH64(&t->size, sizeof t->size, hash);
        hash = XXH64(t->block, t->bytes, hash);
        if (t->size.nodes > set->most_nodes) set->most_nodes = t->size.nodes;
    }
    set->hash = hash;
}

scone_status graph_set_load(graph_set **out, const scone_setting *setting, size_t samples_min,
                            const token_options *options, size_t count, const char *folder,
                            const char *stage, const scone_context *context)
{
    scone_status status = SCONE_OK;
    char description[TOKEN_FILE_DESCRIPTION], name[64];
    char *path = NULL;
    token_file *file = NULL;
    graph_set *set = NULL;
    load_job *job = NULL;
    *out = NULL;
    TRY_ZERO(job, 1);
    TRY_ZERO(set, 1);
    TRY_ZERO(set->graphs, count);
    set->count = count;
    *job = (load_job){.set = set,
                      .setting = *setting,
                      .samples_min = samples_min,
                      .options = *options,
                      .stage = stage,
                      .context = context};
    describe(description, job);
    (void)snprintf(name, sizeof name, "tokens-%016" PRIx64 ".tok",
                   XXH64(description, strlen(description), 0));
    TRY(path_join(&path, folder, name));
    if (team_is_first(context)) TRY(token_file_continue(&file, path, description, context));
    TRY(load_all(job, file, path));
    if (file) TRY(token_file_finish(&file));
    summarize(set);
    *out = set;
    set = NULL;
cleanup:
    token_file_close(file);
    graph_set_free(set);
    if (job) mem_free(job->blocks);
    mem_free(job);
    mem_free(path);
    return status;
}

void graph_set_free(graph_set *set)
{
    if (!set) return;
    for (size_t g = 0; set->graphs && g < set->count; g++) tokens_free(set->graphs[g]);
    mem_free(set->graphs);
    mem_free(set);
}

void graph_set_class_weights(double factors[3], const graph_set *set, bool weighted)
{
    double arrows = 0.0, none = 0.0;
    for (size_t g = 0; g < set->count; g++) {
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

/* ---- the order ---- */

static void shuffle_epoch(shuffle *s, uint64_t epoch)
{
    rng random = rng_stream(s->seed, RNG_TRAIN, epoch, 0, 0);
    rng_permutation(&random, s->order, s->count);
    s->epoch = epoch;
}

scone_status shuffle_alloc(shuffle **out, size_t count, uint64_t seed)
{
    scone_status status = SCONE_OK;
    shuffle *s = NULL;
    *out = NULL;
    TRY_ZERO(s, 1);
    s->seed = seed;
    s->count = count;
    TRY_ALLOC(s->order, count);
    shuffle_epoch(s, 0);
    *out = s;
    s = NULL;
cleanup:
    shuffle_free(s);
    return status;
}

void shuffle_free(shuffle *s)
{
    if (!s) return;
    mem_free(s->order);
    mem_free(s);
}

size_t shuffle_graph(shuffle *s, uint64_t position, uint64_t *epoch)
{
    *epoch = position / s->count;
    if (*epoch != s->epoch) shuffle_epoch(s, *epoch);
    return s->order[position % s->count];
}

bool shuffle_reversed(const shuffle *s, uint64_t epoch, size_t graph)
{
    rng random = rng_stream(s->seed, RNG_TRAIN, epoch, graph, 1);
    return rng_sign(&random) < 0.0;
}
