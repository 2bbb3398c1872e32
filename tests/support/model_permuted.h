/* model_permuted.h - tokens with their nodes numbered in another order; include testing.h first. */
#ifndef SCONE_TESTS_MODEL_PERMUTED_H
#define SCONE_TESTS_MODEL_PERMUTED_H

#include "model/tokens/tokens.h"

typedef struct permuted {
    const tokens *from;
    tokens *to;
    const uint32_t *number; /* [nodes]: the new number of a node */
    uint32_t *member;       /* [members]: the new place of a member */
    bool *turned;           /* [pairs]: the ends have changed places */
} permuted;

static inline void permute_subsets(permuted *x)
{
    const tokens *a = x->from;
    for (size_t g = 0; g < a->size.subsets; g++) {
        for (size_t m = a->subset_offsets[g]; m < a->subset_offsets[g + 1]; m++) {
            uint32_t below = a->subset_offsets[g], own = x->number[a->subset_nodes[m]];
            for (size_t k = a->subset_offsets[g]; k < a->subset_offsets[g + 1]; k++) {
                below += x->number[a->subset_nodes[k]] < own;
            }
            x->member[m] = below;
            x->to->subset_nodes[below] = own;
        }
    }
}

static inline void permute_pairs(permuted *x)
{
    const tokens *a = x->from;
    tokens *b = x->to;
    for (size_t e = 0; e < a->size.pairs; e++) {
        uint32_t i = x->number[a->ends[e][0]], j = x->number[a->ends[e][1]];
        bool turned = x->turned[e] = i > j;
        b->ends[e][0] = turned ? j : i;
        b->ends[e][1] = turned ? i : j;
        if (turned) b->labels[e] = token_swapped(a->labels[e]);
        for (size_t regime = 0; turned && regime < 2; regime++) {
            const float *s = a->pair_statistics[e][regime];
            b->pair_statistics[e][regime][TOKEN_SLOPE_FORWARD] = s[TOKEN_SLOPE_BACKWARD];
            b->pair_statistics[e][regime][TOKEN_SLOPE_BACKWARD] = s[TOKEN_SLOPE_FORWARD];
        }
    }
    for (size_t c = 0; c < a->size.cells; c++) {
        bool turned = x->turned[a->cell_pair[c]];
        for (size_t k = 0; k < 2; k++) {
            b->cell_members[c][k] = x->member[a->cell_members[c][turned ? 1 - k : k]];
            if (turned) b->codes[c][k] = token_swapped(a->codes[c][k]);
        }
    }
}

static inline void permute_nodes(permuted *x)
{
    const tokens *a = x->from;
    tokens *b = x->to;
    size_t n = a->size.nodes, place = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(b->node_statistics[x->number[i]], a->node_statistics[i], sizeof *a->node_statistics);
        b->changed[x->number[i]] = a->changed[i];
        for (size_t j = 0; j < n; j++) {
            size_t at = x->number[i] * n + x->number[j];
            b->precision[at] = a->precision[i * n + j];
            b->truth[at] = a->truth[i * n + j];
        }
    }
    for (size_t m = 0; m < a->size.members; m++) { /* touch lists in the new order of members */
        size_t old = 0;
        while (x->member[old] != m) old++;
        b->touch_offsets[m] = (uint32_t)place;
        for (size_t k = a->touch_offsets[old]; k < a->touch_offsets[old + 1]; k++) {
            b->touch_cells[place++] = a->touch_cells[k];
        }
    }
}

/* A path runs from the first end of its pair to the second: of a turned pair it is walked back. */
static inline void permute_paths(permuted *x)
{
    const tokens *a = x->from;
    tokens *b = x->to;
    for (size_t e = 0; e < a->size.pairs; e++) {
        for (size_t p = a->path_offsets[e]; p < a->path_offsets[e + 1]; p++) {
            size_t first = a->path_step_offsets[p], end = a->path_step_offsets[p + 1];
            for (size_t s = first; s < end; s++) {
                size_t from = x->turned[e] ? end - 1 - (s - first) : s;
                b->path_pairs[s] = a->path_pairs[from];
                b->path_forward[s] =
                    a->path_forward[from] ^ x->turned[e] ^ x->turned[a->path_pairs[from]];
            }
        }
    }
    for (size_t c = 0; c < a->size.cells; c++) {
        for (size_t k = a->instance_offsets[c]; k < a->instance_offsets[c + 1]; k++) {
            size_t first = a->instance_step_offsets[k], end = a->instance_step_offsets[k + 1];
            for (size_t s = first; s < end; s++) {
                bool turned = x->turned[a->cell_pair[c]];
                b->instance_cells[s] = a->instance_cells[turned ? end - 1 - (s - first) : s];
            }
        }
    }
    for (size_t k = 0; k < a->size.triples; k++) {
        b->triple_centres[k] = x->member[a->triple_centres[k]];
    }
}

static inline tokens *tokens_permuted(const tokens *from, const uint32_t *number)
{
    permuted x = {.from = from, .number = number};
    CHECK_OK(tokens_copy(&x.to, from));
    x.member = mem_zero(from->size.members, sizeof *x.member);
    x.turned = mem_zero(from->size.pairs, sizeof *x.turned);
    assert_true(x.member && x.turned);
    permute_subsets(&x);
    permute_pairs(&x);
    permute_nodes(&x);
    permute_paths(&x);
    mem_free(x.member);
    mem_free(x.turned);
    return x.to;
}

#endif
