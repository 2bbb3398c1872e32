/* batch.h - several graphs of tokens as one ragged batch, read under an assignment of identities.
 *
 * docs/methods/model.md, "Sizes and layout". A batch is made again and again in the same memory,
 * which grows to the largest one. Indices of nodes, members, pairs, cells and grid cells run over
 * the whole batch.
 */
#ifndef SCONE_MODEL_SETUP_BATCH_H
#define SCONE_MODEL_SETUP_BATCH_H

#include "model/setup/parameters.h"
#include "model/nn/groups.h"
#include "model/tokens/tokens.h"

/* Which numbers of a direction's evidence (model/tokens/token_evidence.h) the model reads. */
extern const uint8_t batch_evidence[MODEL_SIDE];

/* One graph of a batch. */
typedef struct batch_item {
    const tokens *t;
    const uint32_t *identity; /* [nodes]: different rows of the identity table */
    bool reversed;            /* read every pair from its other end */
} batch_item;

typedef struct batch {
    size_t graphs, nodes, members, pairs, cells, grid, subsets, triples, instances, steps;
    size_t places; /* above every cell_subset_place and pair_place */
    uint32_t *graph_node, *graph_pair, *graph_cell, *graph_grid; /* [graphs + 1]: first of each */
    /* per cell */
    size_t feature_count;        /* model_features */
    real *features;              /* [cells][2][feature_count]: endpoints, statistics, evidence */
    uint32_t *cell_pair;         /* [cells] */
    uint32_t *cell_subset_place; /* [cells]: t within the graph, for PE_T */
    uint32_t (*cell_ends)[2];    /* [cells]: identity rows of i and j as read */
    uint32_t (*cell_members)[2]; /* [cells]: members of i and j as read */
    uint32_t *cell_grid;         /* [cells]: grid cell (i, j) */
    /* per pair */
    uint32_t *pair_place; /* [pairs]: k within the graph, for PE_K */
    uint32_t *pair_grid;  /* [pairs]: grid cell (i, j) as read */
    uint8_t *labels;      /* [pairs]: loss.h's classes as read, LOSS_NO_LABEL if unknown */
    /* per node, member, grid cell */
    uint32_t *node_identity;  /* [nodes] */
    real *node_statistics;    /* [nodes][TOKEN_NODE_STATISTICS] */
    uint8_t *node_changed;    /* [nodes]: 0 or 1, LOSS_NO_LABEL if unknown */
    uint32_t *member_node;    /* [members] */
    real *precision;          /* [grid] */
    uint32_t (*grid_ends)[2]; /* [grid]: identity rows of i and j */
    uint32_t *grid_mirror;    /* [grid]: grid cell (j, i) */
    real (*prior)[3];     /* [grid] with evidence, else NULL: log of P(i -> j), P(j -> i), none */
    uint8_t *grid_labels; /* [grid]: classes of (i, j), LOSS_NO_LABEL on the diagonal */
    /* groups */
    nn_groups rows, columns;           /* of tokens: subsets; (pair, channel) */
    nn_groups pair_cells;              /* cells of each pair */
    nn_groups grid_rows, grid_columns; /* of grid cells */
    nn_groups touch;                   /* cells of each member */
    nn_groups context;                 /* those of them whose pair is context */
    nn_groups subset_members;          /* members of each subset, contiguous */
    nn_groups node_cells;     /* 2 cell + end of each node: the cells that it is this end of */
    nn_groups identity_nodes; /* nodes of each row of the identity table */
    /* motifs */
    uint32_t (*triple_cells)[2]; /* [triples] */
    uint32_t *triple_centre;     /* [triples]: member */
    uint8_t (
        *triple_second)[2]; /* [triples]: 1 if the centre is the second end of that cell as read */
    uint32_t (*triple_ends)[2]; /* [triples]: members of the ends i and k */
    nn_groups instance_steps;   /* cells of each instance, in the order of its path */
    int8_t *step_sense;       /* [steps]: +1 if the path, read from the owner's first end as read to
                                 its second, goes through the cell's pair as read; else -1 */
    uint32_t *instance_owner; /* [instances]: cell */
    void *memory;             /* of batch.c */
} batch;

scone_status batch_alloc(batch **out);
void batch_free(batch *b);
/* The configuration says whether motifs are wanted (bias_heads), and of the paths how many and how
 * long. Tokens were checked. Fails for want of memory, or with SCONE_ERR_INPUT if 32 bits cannot
 * count the batch. Cost: the size of the tokens. */
scone_status batch_make(batch *b, const batch_item *items, size_t count,
                        const model_config *config);
/* identity [nodes]: a random choice of different rows, keyed by (seed, draw); nodes <= rows. Cost:
 * nodes squared. */
void batch_random_identity(uint32_t *identity, size_t nodes, size_t rows, uint64_t seed,
                           uint64_t draw);
/* The same from names, so that it does not depend on the order of columns: rows by the hash of
 * (draw, name), conflicts resolved by the order of the names. names [nodes] are different. Fails
 * with SCONE_ERR_INPUT if there are more nodes than rows. */
scone_status batch_named_identity(uint32_t *identity, const char *const *names, size_t nodes,
                                  size_t rows, uint64_t draw);

#endif
