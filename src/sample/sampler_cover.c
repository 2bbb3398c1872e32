/* sampler_cover.c - covering candidate pairs, coverage report (see sampler_cover.h).
 *
 * The uncovered pairs are a graph of bit rows. Choosing the k nodes that hold most of its edges is
 * the densest k-subgraph problem, which is NP-hard; the greedy choice counts, for every node, its
 * edges into the subset so far and updates these counts from one row per chosen node.
 */
#include "sample/sampler_cover.h"

#include "graph/bits.h"

#include <math.h>

typedef struct uncovered {
    size_t words, left;
    bits_word *rows; /* [nodes, words] */
    size_t *degrees; /* [nodes]: uncovered pairs of a node */
    size_t *links;   /* [nodes]: those with nodes of the subset being formed */
} uncovered;

static void uncovered_free(uncovered *u)
{
    mem_free(u->rows);
    mem_free(u->degrees);
    mem_free(u->links);
}

static scone_status check_pair(const sampler *s, node_pair pair)
{
    if (pair.first >= s->nodes || pair.second >= s->nodes || pair.first == pair.second) {
        return RAISE(SCONE_ERR_INPUT, "nodes %zu and %zu are not a pair out of %zu nodes",
                     pair.first + 1, pair.second + 1, s->nodes);
    }
    return SCONE_OK;
}

static scone_status uncovered_collect(uncovered *u, const sampler *s, const node_pair *pairs,
                                      size_t count)
{
    scone_status status = SCONE_OK;
    size_t cells;
    u->words = bits_words(s->nodes);
    if (!size_multiply(&cells, s->nodes, u->words)) {
        FAIL(SCONE_ERR_MEMORY, "%zu nodes are too many", s->nodes);
    }
    TRY_ZERO(u->rows, cells);
    TRY_ZERO(u->degrees, s->nodes);
    TRY_ZERO(u->links, s->nodes);
    for (size_t e = 0; e < count; e++) {
        size_t a = pairs[e].first, b = pairs[e].second;
        TRY(check_pair(s, pairs[e]));
        if (s->pair_visits[a + s->nodes * b] > 0 || bits_has(u->rows + a * u->words, b)) continue;
        bits_add(u->rows + a * u->words, b);
        bits_add(u->rows + b * u->words, a);
        u->degrees[a]++;
        u->degrees[b]++;
        u->left++;
    }
cleanup:
    return status;
}

/* The node to take next, or s->nodes if none of the free places can cover anything. */
static size_t best_node(const sampler *s, const uncovered *u)
{
    size_t best = s->nodes;
    for (size_t j = 0; j < s->nodes; j++) {
        if (s->taken[j] || u->degrees[j] == 0) continue;
        bool better = best == s->nodes || u->links[j] > u->links[best] ||
                      (u->links[j] == u->links[best] && u->degrees[j] > u->degrees[best]);
        if (better) best = j;
    }
    /* A node without links needs a second place for its partner. */
    if (best < s->nodes && u->links[best] == 0 && s->chosen + 2 > s->size) return s->nodes;
    return best;
}

static size_t fill_node(sampler *s)
{
    size_t best = s->nodes;
    sampler_growth_weights(s->weights, s);
    for (size_t j = 0; j < s->nodes; j++) {
        if (s->taken[j]) continue;
        if (best == s->nodes || s->weights[j] > s->weights[best]) best = j;
    }
    return best;
}

static void cover_pair(uncovered *u, size_t a, size_t b)
{
    bits_remove(u->rows + a * u->words, b);
    bits_remove(u->rows + b * u->words, a);
    u->degrees[a]--;
    u->degrees[b]--;
    u->left--;
}

/* Forms one subset and takes its pairs off the uncovered ones. */
static scone_status cover_once(sampler *s, uncovered *u)
{
    scone_status status = sampler_start(s);
    if (status != SCONE_OK) return status;
    memset(u->links, 0, s->nodes * sizeof *u->links);
    while (s->chosen < s->size) {
        size_t node = best_node(s, u);
        if (node == s->nodes) node = fill_node(s);
        sampler_add(s, node);
        const bits_word *row = u->rows + node * u->words;
        BITS_EACH(j, row, u->words) u->links[j]++;
    }
    sampler_finish(s);
    for (size_t b = 0; b < s->size; b++) {
        for (size_t a = 0; a < b; a++) {
            if (bits_has(u->rows + s->order[a] * u->words, s->order[b])) {
                cover_pair(u, s->order[a], s->order[b]);
            }
        }
    }
    return SCONE_OK;
}

scone_status sampler_cover(sampler *s, const node_pair *pairs, size_t count, size_t *added)
{
    scone_status status = SCONE_OK;
    uncovered u = {0};
    size_t before = s->count;
    if (added) *added = 0;
    TRY(uncovered_collect(&u, s, pairs, count));
    if (u.left > 0 && s->size < 2) {
        FAIL(SCONE_ERR_INPUT, "subsets of one node cannot hold a pair; give a size of 2 or more");
    }
    while (u.left > 0) TRY(cover_once(s, &u));
    if (added) *added = s->count - before;
cleanup:
    uncovered_free(&u);
    return status;
}

/* ---- report ---- */

typedef struct tally {
    size_t count, covered, least;
    double total;
} tally;

static void tally_add(tally *t, size_t visits)
{
    if (t->count == 0 || visits < t->least) t->least = visits;
    t->count++;
    t->covered += visits > 0;
    t->total += (double)visits;
}

coverage_report sampler_coverage(const sampler *s, const node_pair *pairs, size_t count)
{
    tally nodes = {0}, all = {0};
    for (size_t i = 0; i < s->nodes; i++) tally_add(&nodes, s->visits[i]);
    for (size_t e = 0; pairs && e < count; e++) {
        tally_add(&all, s->pair_visits[pairs[e].first + s->nodes * pairs[e].second]);
    }
    for (size_t j = 1; !pairs && j < s->nodes; j++) {
        for (size_t i = 0; i < j; i++) tally_add(&all, s->pair_visits[i + s->nodes * j]);
    }
    double of_all = all.count ? (double)all.count : 1.0;
    return (coverage_report){.subsets = s->count,
                             .pairs = all.count,
                             .share = all.count ? (double)all.covered / of_all : 1.0,
                             .least_pair_visits = all.least,
                             .mean_pair_visits = all.total / of_all,
                             .least_node_visits = nodes.least,
                             .mean_node_visits = nodes.total / (double)nodes.count};
}
