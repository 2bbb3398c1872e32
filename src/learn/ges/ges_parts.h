/* ges_parts.h - the parts of the Greedy Equivalence Search (see ges.h).
 *
 *   ges_score.c    local scores of (node, parents), cached
 *   ges_keys.c     the best gain of every ordered pair, and the best of all
 *   ges_clique.c   cliques among the neighbours of a node, candidates of a pair,
 *                  semi-directed paths
 *   ges_insert.c, ges_delete.c, ges_turn.c
 *                  the operators of the three phases
 *   ges_step.c     one phase: the best valid operator, again and again
 *   ges.c          the phases, knowledge, setting up
 *   ges_data.c     covariances of tables; the learner
 *
 * An operator belongs to an ordered pair (x, y), makes or breaks x -> y, and is told apart from the
 * other operators of the pair by a clique C of neighbours (siblings) of y:
 *   Insert   x, y not adjacent; C = NA + T     with NA = neighbours of y that are adjacent to x
 *   Delete   x -> y or x - y;   C = NA - H
 *   Turn     y -> x or x - y;   C
 * In the DAG that the operator changes, C and the parents of y in the CPDAG are the parents of y.
 */
#ifndef SCONE_LEARN_GES_GES_PARTS_H
#define SCONE_LEARN_GES_GES_PARTS_H

#include "graph/meek.h"
#include "learn/ges/ges.h"

#include <math.h>

#define GES_NO_GAIN (-(double)INFINITY)

/* ---- local scores ---- */

typedef struct ges_entry {
    uint64_t low, high; /* hash of (node, parents); both 0: empty */
    double score;
} ges_entry;

typedef struct ges_score {
    size_t nodes;
    double rows;
    double penalty;      /* of one parent */
    double *correlation; /* [nodes, nodes] with the ridge */
    ges_entry *entries;  /* [slots]: one place per hash, newer entries replace older ones */
    size_t slots;        /* a power of 2 */
    double *factor;      /* packed rows of a Cholesky factor */
    uint32_t *members;   /* [nodes + 1]: node, then parents */
} ges_score;

scone_status ges_score_alloc(ges_score **out, const double *covariance, size_t nodes, double rows,
                             double penalty);
void ges_score_free(ges_score *s);
/* s(y, parents + extra - without); SIZE_MAX for no extra or without. O(k^3) for k parents, O(words)
 * if cached. */
double ges_local(ges_score *s, size_t y, const bits_word *parents, size_t extra, size_t without);
/* -n/2 log(1 - e) - penalty: the gain of a parent that explains the share e of what was left */
double ges_gain(const ges_score *s, double explained);

/* ---- keys ---- */

typedef struct ges_pair {
    uint32_t x, y;
} ges_pair;

typedef struct ges_waiting {
    ges_pair *pairs;
    size_t count, capacity;
} ges_waiting;

typedef struct ges_keys {
    size_t nodes;
    double *gains;        /* [nodes, nodes]: gains[y * nodes + x]; GES_NO_GAIN: no operator */
    double *bounds;       /* [nodes, nodes]: the same before pairs were examined */
    size_t *best;         /* [nodes]: x with the best gain of row y, the first of equals */
    bool *stale;          /* [nodes]: best[y] is to be found again */
    ges_waiting *waiting; /* [nodes]: pairs whose gains may rise again when the node changes */
} ges_keys;

scone_status ges_keys_alloc(ges_keys *keys, size_t nodes);
void ges_keys_free(ges_keys *keys);
double *ges_keys_row(ges_keys *keys, size_t y);   /* to be written: marks the row stale */
void ges_keys_keep_row(ges_keys *keys, size_t y); /* what was written becomes the bounds */
void ges_keys_set(ges_keys *keys, size_t x, size_t y, double gain); /* the key and its bound */
void ges_keys_lower(ges_keys *keys, size_t x, size_t y, double gain);
void ges_keys_restore(ges_keys *keys, size_t x, size_t y); /* to its bound */
scone_status ges_keys_wait(ges_keys *keys, size_t x, size_t y, size_t v);
void ges_keys_wake(ges_keys *keys, size_t v); /* restores all that wait for v */
/* The best pair, the first of equals by (y, x); GES_NO_GAIN if there is none. O(N), and O(N) for
 * each stale row. */
double ges_keys_best(ges_keys *keys, size_t *x, size_t *y);

/* ---- states that were visited ---- */

typedef struct ges_visited {
    uint64_t *hashes; /* [slots], 0: free */
    size_t count, slots;
} ges_visited;

/* *again: was it there before? O(N words). */
scone_status ges_visit(bool *again, ges_visited *visited, const graph *state);

/* ---- the search ---- */

/* Operators of one pair. */
typedef struct ges_candidates {
    size_t count, capacity;
    double *gains;   /* [capacity] */
    bits_word *sets; /* [capacity, words]: C */
} ges_candidates;

enum { GES_DEPTH = 20 }; /* largest clique: 2^20 subsets */

typedef struct ges_search {
    size_t nodes, words;
    ges_options options; /* with defaults filled in */
    double least;        /* gain from which on an operator counts as an improvement */
    graph *state;        /* the CPDAG */
    graph *next;         /* the CPDAG after the operator that was applied last */
    graph *edited, *dag; /* on the way there */
    graph_work *work;
    bits_word *adjacent; /* [nodes, words]: skeleton of the state */
    ges_score *score;
    ges_keys keys[3]; /* by the number of the phase */
    ges_visited visited;
    bool circling; /* a state came up twice, which rounding alone can do */
    ges_candidates candidates;
    bits_word *clique;  /* [words]: the clique that is visited */
    bits_word *open;    /* [GES_DEPTH + 2, words]: nodes that may join it */
    bits_word *path;    /* [words]: nodes on paths that made candidates invalid */
    size_t *before;     /* [nodes]: of a path, and the queue of its search */
    bits_word *sets[6]; /* [words] each: sets[0..1] of ges_clique.c, the others of the operators */
    double *sweep;      /* rows of `nodes` doubles: see ges_insert.c */
    meek *closure;      /* with knowledge alone, like the next two */
    graph *admitted;    /* the class that was checked last, with known directions */
    meek_edge *known;
    size_t known_capacity;
    ges_statistics statistics;
} ges_search;

/* A search in the graph without edges, or in that of the required edges. */
scone_status ges_search_alloc(ges_search **out, const double *covariance, size_t nodes, double rows,
                              const ges_options *options);
void ges_search_free(ges_search *s);
/* Makes a CPDAG the state. */
void ges_search_move(ges_search *s, const graph *cpdag);
/* Is there a member of the class s->next that honours the knowledge? */
scone_status ges_admissible(bool *answer, ges_search *s);

static inline bits_word *ges_adjacent(const ges_search *s, size_t v)
{
    return s->adjacent + v * s->words;
}

static inline bool ges_known(const ges_search *s, const bits_word *knowledge, size_t from,
                             size_t to)
{
    return knowledge && bits_has(knowledge + from * s->words, to);
}

/* ---- cliques ---- */

/* Gets base + a clique of the pool with `depth` members, `added` being the last of them (SIZE_MAX
 * at depth 0). Depth first: the call before with depth - 1 had all but the last. */
typedef void (*clique_visit)(void *user, const bits_word *clique, size_t depth, size_t added);

/* The size up to which the cliques of the pool are no more than the limit; 0 if already its members
 * are too many. *all: are there no larger ones? O(limit words) */
size_t ges_clique_size(bool *all, ges_search *s, const bits_word *pool);
/* Visits base + K for every clique K of the pool with at most `size` members; all members of the
 * pool should be adjacent to all of the base. */
void ges_cliques(ges_search *s, const bits_word *base, const bits_word *pool, size_t size,
                 clique_visit visit, void *user);
bool ges_is_clique(const ges_search *s, const bits_word *set);
/* The same for the sets C of a pair that contain NA, the neighbours of y that are adjacent to x: C
 * is within the size of cliques of the neighbours of y, or NA itself, and leaves room for x among
 * the parents of y. Uses s->sets[2] and [3]. */
void ges_pair_cliques(ges_search *s, size_t x, size_t y, clique_visit visit, void *user);
/* Adds to s->candidates; ignored if the capacity is used up, which the limit
 * on cliques prevents. */
void ges_candidate_add(ges_search *s, const bits_word *set, double gain);
/* Is there a semi-directed path from start to goal (edges undirected or along their direction) that
 * avoids the set? With `longer`, a path of one edge does not count. Adds the nodes of a shortest
 * one to s->path. O(words) per node reached. */
bool ges_path(ges_search *s, size_t start, size_t goal, const bits_word *avoid, bool longer);

/* ---- phases ---- */

typedef struct ges_phase {
    int number; /* 0, 1, 2 */
    /* Upper bounds for the gains of all valid operators (x, y), into row y of the keys. */
    void (*row)(ges_search *s, size_t y);
    /* All operators of the pair that are valid but for paths, into s->candidates. */
    void (*candidates)(ges_search *s, size_t x, size_t y);
    /* Does one of these candidates pass the rest of the conditions? */
    bool (*valid)(ges_search *s, size_t x, size_t y, const bits_word *set);
    /* Applies a valid operator to s->state, into s->next. false is a defect. */
    bool (*apply)(ges_search *s, size_t x, size_t y, const bits_word *set);
    /* Computes the keys that may have changed with the step of any phase to s->state by (x, y) but
     * are not in `rows`, which are computed as a whole: those of the nodes whose edges changed
     * (`changed`) and of those that have both x and y as neighbours. */
    void (*cells)(ges_search *s, const bits_word *rows, const bits_word *changed, size_t x,
                  size_t y);
} ges_phase;

extern const ges_phase ges_insert, ges_delete, ges_turn;

/* The key of one pair from its candidates, set together with its bound. */
void ges_cell_from_candidates(ges_search *s, const ges_phase *phase, size_t x, size_t y);
/* Delete and Turn: keys of row y from the candidates of each x in a set. */
void ges_row_from_candidates(ges_search *s, const ges_phase *phase, size_t y, const bits_word *x);
/* The cells (y, w) for neighbours w of x and (x, w) for those of y: NA of these pairs has changed,
 * and nothing else in the rows of such w. */
void ges_cells_shared(ges_search *s, const ges_phase *phase, const bits_word *rows, size_t x,
                      size_t y);

/* The best operator of the pair that is valid and admissible: its gain, and its set in
 * s->candidates; GES_NO_GAIN and NULL if there is none. Why better ones failed: s->path has the
 * nodes of paths, *doubtful tells that knowledge stood against one. s->next is unspecified. */
scone_status ges_pair_best(double *gain, const bits_word **set, bool *doubtful, ges_search *s,
                           const ges_phase *phase, size_t x, size_t y);
/* Steps until none improves; *improved if there was one. Each takes the best operator of the first
 * phase in the list that has one. */
scone_status ges_steps(bool *improved, ges_search *s, const ges_phase *const *phases, size_t count,
                       const scone_context *context);

#endif
