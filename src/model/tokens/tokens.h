/* tokens.h - what the model sees of one pair of tables: the ragged tokens of one graph.
 *
 * Nodes are the columns in the order of their names. There are T subsets of nodes, K candidate
 * pairs, and one cell (t, e) wherever both ends of pair e are in subset t (D6); nothing else is
 * stored (D7). A token is a cell in one of two regimes. docs/methods/tokens.md says which equation
 * or decision each array follows.
 *
 * Groups are offsets [groups + 1] into the array beside them. A member is a place in subset_nodes,
 * so it stands for (t, v). All arrays lie in one block that the tokens own, 64-byte aligned each;
 * padding is 0, so equal tokens are equal bytes.
 */
#ifndef SCONE_MODEL_TOKENS_TOKENS_H
#define SCONE_MODEL_TOKENS_TOKENS_H

#include "base/memory.h"

enum {
    TOKEN_MOST_NODES = 1024,      /* as many as there are node identities (D8) */
    TOKEN_MOST_SUBSETS = 1 << 20, /* sizes beyond these are refused, also in files, */
    TOKEN_MOST_MEMBERS = 1 << 24, /* so that 32 bits hold every count */
    TOKEN_MOST_CELLS = 1 << 26,   /* also of triples */
    TOKEN_PATHS = 8,              /* B: paths of a candidate pair */
    TOKEN_PATH_PAIRS = 4,         /* L: pairs of a path */
    TOKEN_PAIR_STATISTICS = 4,
    TOKEN_NODE_STATISTICS = 5,
    TOKEN_ENDPOINTS = 6,
    TOKEN_SIDE = 13, /* evidence of a search for one direction of a pair (token_evidence.h), */
    TOKEN_BOTH = 2,  /* and for both */
    TOKEN_EVIDENCE = 2 * TOKEN_SIDE + TOKEN_BOTH
};

/* Endpoint codes of a cell in a regime, with i = ends[e][0] and j = ends[e][1]. The values are
 * those of scone_mark. Labels use the first three. */
enum { TOKEN_NONE = 0, TOKEN_FORWARD = 1, TOKEN_BACKWARD = 2, TOKEN_UNDIRECTED = 3 };

/* Columns of pair_statistics and node_statistics. */
enum {
    TOKEN_CORRELATION = 0,
    TOKEN_PARTIAL = 1,       /* -Omega_ij: the partial correlation given all others */
    TOKEN_SLOPE_FORWARD = 2, /* tanh of the coefficient of j regressed on i */
    TOKEN_SLOPE_BACKWARD = 3 /* tanh of the coefficient of i regressed on j */
};
enum {
    TOKEN_SENSITIVITY = 0,    /* s_v */
    TOKEN_SHIFT = 1,          /* of the mean, in standard deviations */
    TOKEN_VARIANCE_RATIO = 2, /* logarithm */
    TOKEN_DISTANCE = 3,       /* Kolmogorov-Smirnov */
    TOKEN_EXCESS = 4          /* log(1 + K), K the distance in units of its error without a change:
                                 times sqrt(n0 n1 / (n0 + n1)), its law being Kolmogorov's */
};

typedef struct token_sizes {
    uint32_t nodes;   /* N */
    uint32_t subsets; /* T */
    uint32_t members; /* nodes of all subsets */
    uint32_t pairs;   /* K */
    uint32_t cells;
    uint32_t triples;
    uint32_t paths;
    uint32_t path_steps; /* pairs of all paths */
    uint32_t instances;
    uint32_t instance_steps; /* cells of all instances */
    uint32_t evidence;       /* numbers of a search for each pair: TOKEN_EVIDENCE, or 0 */
} token_sizes;

typedef uint32_t token_two[2];
typedef uint8_t token_codes[2];
typedef float token_pair_values[2][TOKEN_PAIR_STATISTICS];
typedef float token_node_values[TOKEN_NODE_STATISTICS];

typedef struct tokens {
    token_sizes size;
    uint64_t graph, seed; /* which one it is, for reference */
    bool labelled;        /* is the truth known? If not, labels, truth and changed are 0. */

    /* subsets; nodes increase within one */
    uint32_t *subset_offsets; /* [subsets + 1] */
    uint32_t *subset_nodes;   /* [members] */
    /* candidate pairs, the strongest first (learn/candidates.h) */
    token_two *ends;                    /* [pairs][2]: ends[e][0] < ends[e][1] */
    token_pair_values *pair_statistics; /* [pairs][regime][4] */
    uint8_t *context; /* [pairs]: 1 if an edge in at least a share rho of its subsets */
    uint8_t *labels;  /* [pairs]: TOKEN_NONE, FORWARD or BACKWARD */
    /* nodes */
    token_node_values *node_statistics; /* [nodes] */
    uint8_t *changed;                   /* [nodes]: 1 if its mechanism changed; a label */
    float *precision; /* [nodes][nodes]: Omega, normalized, symmetric, diagonal 0 */
    uint8_t *truth;   /* [nodes][nodes]: label of (i, j); that of (j, i) mirrors it */
    /* cells, by (t, e) and by (e, t) */
    uint32_t *row_offsets;    /* [subsets + 1]: cells of subset t */
    uint32_t *cell_subset;    /* [cells] */
    uint32_t *cell_pair;      /* [cells] */
    token_two *cell_members;  /* [cells][2]: members that are ends[e][0] and ends[e][1] */
    token_codes *codes;       /* [cells][regime]: endpoint codes */
    uint32_t *column_offsets; /* [pairs + 1] into column_cells */
    uint32_t *column_cells;   /* [cells]: a permutation */
    /* SSI: the cells that touch a member, increasing */
    uint32_t *touch_offsets; /* [members + 1] */
    uint32_t *touch_cells;   /* [2 cells] */
    /* CVT: unshielded triples i - j - k of a subset; {i, k} is not a candidate pair */
    uint32_t *triple_offsets; /* [subsets + 1] */
    token_two *triple_cells;  /* [triples][2]: cells of {i, j} and {k, j}, the lower first */
    uint32_t *triple_centres; /* [triples]: the member that is j */
    /* DPT: paths of a pair from ends[e][0] to ends[e][1], not through the pair itself ... */
    uint32_t *path_offsets;      /* [pairs + 1]: paths of pair e */
    uint32_t *path_step_offsets; /* [paths + 1] */
    uint32_t *path_pairs;        /* [path_steps]: its pairs in the order of the path */
    uint8_t *path_forward; /* [path_steps]: 1 if the path goes from ends[.][0] to ends[.][1] */
    /* ... and where they lie within a subset: an instance belongs to the cell of its pair there */
    uint32_t *instance_offsets;      /* [cells + 1]: instances of a cell */
    uint32_t *instance_paths;        /* [instances] */
    uint32_t *instance_step_offsets; /* [instances + 1] */
    uint32_t *instance_cells;        /* [instance_steps]: cells of the path's pairs, in its order */

    /* of a search (token_evidence.h), if size.evidence is not 0 */
    float *evidence; /* [pairs][evidence]: i -> j, j -> i, both */
    float *prior;    /* [nodes][nodes]: its P(i -> j) */

    void *block;
    size_t bytes; /* of the block */
} tokens;

/* Every array and its length in elements, s being the token_sizes: the order of the block, which is
 * also that of token files. */
#define TOKEN_ARRAYS(X_)                                                                           \
    X_(subset_offsets, (size_t)s->subsets + 1)                                                     \
    X_(subset_nodes, s->members)                                                                   \
    X_(ends, s->pairs)                                                                             \
    X_(pair_statistics, s->pairs)                                                                  \
    X_(context, s->pairs)                                                                          \
    X_(labels, s->pairs)                                                                           \
    X_(node_statistics, s->nodes)                                                                  \
    X_(changed, s->nodes)                                                                          \
    X_(precision, (size_t)s->nodes * s->nodes)                                                     \
    X_(truth, (size_t)s->nodes * s->nodes)                                                         \
    X_(row_offsets, (size_t)s->subsets + 1)                                                        \
    X_(cell_subset, s->cells)                                                                      \
    X_(cell_pair, s->cells)                                                                        \
    X_(cell_members, s->cells)                                                                     \
    X_(codes, s->cells)                                                                            \
    X_(column_offsets, (size_t)s->pairs + 1)                                                       \
    X_(column_cells, s->cells)                                                                     \
    X_(touch_offsets, (size_t)s->members + 1)                                                      \
    X_(touch_cells, 2 * (size_t)s->cells)                                                          \
    X_(triple_offsets, (size_t)s->subsets + 1)                                                     \
    X_(triple_cells, s->triples)                                                                   \
    X_(triple_centres, s->triples)                                                                 \
    X_(path_offsets, (size_t)s->pairs + 1)                                                         \
    X_(path_step_offsets, (size_t)s->paths + 1)                                                    \
    X_(path_pairs, s->path_steps)                                                                  \
    X_(path_forward, s->path_steps)                                                                \
    X_(instance_offsets, (size_t)s->cells + 1)                                                     \
    X_(instance_paths, s->instances)                                                               \
    X_(instance_step_offsets, (size_t)s->instances + 1)                                            \
    X_(instance_cells, s->instance_steps)                                                          \
    X_(evidence, (size_t)s->pairs * s->evidence)                                                   \
    X_(prior, s->evidence ? (size_t)s->nodes * s->nodes : 0)

/* Fails with SCONE_ERR_INPUT if a size is beyond its limit or cannot be with the others. */
scone_status token_sizes_check(const token_sizes *sizes);
/* Bytes of the block for these sizes, which are within the limits. */
size_t token_sizes_bytes(const token_sizes *sizes);

/* Zeroed arrays of checked sizes. */
scone_status tokens_alloc(tokens **out, const token_sizes *sizes);
/* A copy of tokens whose arrays may lie anywhere. */
scone_status tokens_copy(tokens **out, const tokens *from);
void tokens_free(tokens *t);

/* Is every offset, index, order and value of the arrays as described above? Whatever passes can be
 * used without further checks. Fails with SCONE_ERR_INPUT, naming the array and the place. Scratch
 * of 4 N^2 bytes; order of the block's size. */
scone_status tokens_check(const tokens *t);

/* The paper's endpoint encoding of a code: for i and then for j one of none, tail, arrowhead. */
void token_endpoints(float out[TOKEN_ENDPOINTS], uint8_t code);
/* The code or label with the ends swapped. */
static inline uint8_t token_swapped(uint8_t code)
{
    return code == TOKEN_FORWARD ? TOKEN_BACKWARD : code == TOKEN_BACKWARD ? TOKEN_FORWARD : code;
}

/* index [nodes, nodes] = the pair of two nodes in either order, UINT32_MAX if it is none. */
void token_pair_index(uint32_t *index, const tokens *t);

#endif
