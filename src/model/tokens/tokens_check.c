/* tokens_check.c - are the arrays of some tokens what tokens.h says? A file is not trusted: every
 * number is looked at before it is used as an index. Each check relies on those before it. */
#include "model/tokens/tokens.h"

#include <math.h>

/* [groups + 1] offsets from 0 to total that never fall */
static scone_status check_offsets(const char *name, const uint32_t *offsets, size_t groups,
                                  size_t total)
{
    bool fine = offsets[0] == 0 && offsets[groups] == total;
    for (size_t g = 0; g < groups && fine; g++) fine = offsets[g] <= offsets[g + 1];
    if (fine) return SCONE_OK;
    return RAISE(SCONE_ERR_INPUT, "%s do not rise from 0 to %zu", name, total);
}

static scone_status check_finite(const char *name, const float *values, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(values[k])) {
            return RAISE(SCONE_ERR_INPUT, "value %zu of %s is not finite", k + 1, name);
        }
    }
    return SCONE_OK;
}

static scone_status wrong(const char *what, size_t index)
{
    return RAISE(SCONE_ERR_INPUT, "%s %zu does not fit the rest", what, index + 1);
}

static scone_status check_subsets(const tokens *t)
{
    scone_status status = SCONE_OK;
    TRY(check_offsets("subset_offsets", t->subset_offsets, t->size.subsets, t->size.members));
    for (size_t g = 0; g < t->size.subsets; g++) {
        for (size_t m = t->subset_offsets[g]; m < t->subset_offsets[g + 1]; m++) {
            bool first = m == t->subset_offsets[g];
            bool fine = t->subset_nodes[m] < t->size.nodes &&
                        (first || t->subset_nodes[m - 1] < t->subset_nodes[m]);
            if (!fine) TRY(wrong("member", m));
        }
    }
cleanup:
    return status;
}

/* Also fills the index of pairs. */
static scone_status check_pairs(uint32_t *index, const tokens *t)
{
    size_t n = t->size.nodes;
    for (size_t k = 0; k < n * n; k++) index[k] = UINT32_MAX;
    for (uint32_t e = 0; e < t->size.pairs; e++) {
        size_t i = t->ends[e][0], j = t->ends[e][1];
        if (i >= j || j >= n || index[i * n + j] != UINT32_MAX) return wrong("pair", e);
        index[i * n + j] = index[j * n + i] = e;
    }
    return SCONE_OK;
}

static scone_status check_values(const tokens *t)
{
    scone_status status = SCONE_OK;
    size_t n = t->size.nodes, pairs = t->size.pairs;
    if (pairs) {
        TRY(check_finite("pair_statistics", t->pair_statistics[0][0],
                         pairs * 2 * TOKEN_PAIR_STATISTICS));
    }
    TRY(check_finite("node_statistics", t->node_statistics[0], n * TOKEN_NODE_STATISTICS));
    TRY(check_finite("precision", t->precision, n * n));
    for (size_t i = 0; i < n; i++) {
        if (t->changed[i] > (t->labelled ? 1 : 0)) TRY(wrong("the change of node", i));
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            float a = t->precision[i * n + j], b = t->precision[j * n + i];
            uint8_t label = t->truth[i * n + j];
            bool fine = label <= TOKEN_BACKWARD && t->truth[j * n + i] == token_swapped(label) &&
                        (t->labelled || label == TOKEN_NONE) && !(a < b) && !(b < a) &&
                        (i != j || (label == TOKEN_NONE && !(a < 0.0F) && !(a > 0.0F)));
            if (!fine) TRY(wrong("cell of precision or truth", i * n + j));
        }
    }
    TRY(check_finite("evidence", t->evidence, pairs * t->size.evidence));
    for (size_t k = 0; t->size.evidence && k < n * n; k++) {
        float there = t->prior[k], back = t->prior[k % n * n + k / n];
        bool fine = there >= 0.0F && back >= 0.0F && there + back <= 1.0001F &&
                    (k % n != k / n || !(there > 0.0F));
        if (!fine) TRY(wrong("value of prior", k));
    }
    for (size_t e = 0; e < pairs; e++) {
        bool fine = t->context[e] <= 1 &&
                    t->labels[e] == t->truth[(size_t)t->ends[e][0] * n + t->ends[e][1]];
        if (!fine) TRY(wrong("label or context of pair", e));
    }
cleanup:
    return status;
}

static bool cell_fits(const tokens *t, size_t subset, size_t c)
{
    if (t->cell_subset[c] != subset || t->cell_pair[c] >= t->size.pairs) return false;
    if (c > t->row_offsets[subset] && t->cell_pair[c - 1] >= t->cell_pair[c]) return false;
    for (size_t k = 0; k < 2; k++) {
        uint32_t m = t->cell_members[c][k];
        if (m < t->subset_offsets[subset] || m >= t->subset_offsets[subset + 1]) return false;
        if (t->subset_nodes[m] != t->ends[t->cell_pair[c]][k]) return false;
        if (t->codes[c][k] > TOKEN_UNDIRECTED) return false;
    }
    return true;
}

static scone_status check_cells(const tokens *t)
{
    scone_status status = SCONE_OK;
    TRY(check_offsets("row_offsets", t->row_offsets, t->size.subsets, t->size.cells));
    for (size_t g = 0; g < t->size.subsets; g++) {
        for (size_t c = t->row_offsets[g]; c < t->row_offsets[g + 1]; c++) {
            if (!cell_fits(t, g, c)) TRY(wrong("cell", c));
        }
    }
    /* Increasing cells of the right pair, as many as there are: each of them once. */
    TRY(check_offsets("column_offsets", t->column_offsets, t->size.pairs, t->size.cells));
    for (size_t e = 0; e < t->size.pairs; e++) {
        for (size_t k = t->column_offsets[e]; k < t->column_offsets[e + 1]; k++) {
            uint32_t c = t->column_cells[k];
            bool fine = c < t->size.cells && t->cell_pair[c] == e &&
                        (k == t->column_offsets[e] || t->column_cells[k - 1] < c);
            if (!fine) TRY(wrong("entry of column_cells", k));
        }
    }
    TRY(check_offsets("touch_offsets", t->touch_offsets, t->size.members,
                      2 * (size_t)t->size.cells));
    for (size_t m = 0; m < t->size.members; m++) {
        for (size_t k = t->touch_offsets[m]; k < t->touch_offsets[m + 1]; k++) {
            uint32_t c = t->touch_cells[k];
            bool fine = c < t->size.cells &&
                        (t->cell_members[c][0] == m || t->cell_members[c][1] == m) &&
                        (k == t->touch_offsets[m] || t->touch_cells[k - 1] < c);
            if (!fine) TRY(wrong("entry of touch_cells", k));
        }
    }
cleanup:
    return status;
}

static scone_status check_triples(const tokens *t, const uint32_t *index)
{
    scone_status status = SCONE_OK;
    size_t n = t->size.nodes;
    TRY(check_offsets("triple_offsets", t->triple_offsets, t->size.subsets, t->size.triples));
    for (size_t g = 0; g < t->size.subsets; g++) {
        for (size_t k = t->triple_offsets[g]; k < t->triple_offsets[g + 1]; k++) {
            const uint32_t *cells = t->triple_cells[k];
            uint32_t others[2], centre = t->triple_centres[k];
            bool fine = cells[0] >= t->row_offsets[g] && cells[0] < cells[1] &&
                        cells[1] < t->row_offsets[g + 1];
            for (size_t side = 0; side < 2 && fine; side++) {
                const uint32_t *both = t->cell_members[cells[side]];
                fine = both[0] == centre || both[1] == centre;
                others[side] = t->subset_nodes[both[0] == centre ? both[1] : both[0]];
            }
            fine = fine && index[(size_t)others[0] * n + others[1]] == UINT32_MAX;
            if (!fine) TRY(wrong("triple", k));
        }
    }
cleanup:
    return status;
}

/* From one end of pair e to the other over pairs that join on, and no node twice. */
static bool path_fits(const tokens *t, uint32_t e, size_t path)
{
    size_t first = t->path_step_offsets[path], end = t->path_step_offsets[path + 1], count = 1;
    uint32_t nodes[TOKEN_PATH_PAIRS + 1] = {t->ends[e][0]};
    if (end - first < 2 || end - first > TOKEN_PATH_PAIRS) return false;
    for (size_t k = first; k < end; k++, count++) {
        uint32_t step = t->path_pairs[k];
        uint8_t forward = t->path_forward[k];
        if (step >= t->size.pairs || step == e || forward > 1) return false;
        if (t->ends[step][!forward] != nodes[count - 1]) return false;
        nodes[count] = t->ends[step][forward];
        for (size_t past = 0; past < count; past++) {
            if (nodes[past] == nodes[count]) return false;
        }
    }
    return nodes[count - 1] == t->ends[e][1];
}

static scone_status check_paths(const tokens *t)
{
    scone_status status = SCONE_OK;
    TRY(check_offsets("path_offsets", t->path_offsets, t->size.pairs, t->size.paths));
    TRY(check_offsets("path_step_offsets", t->path_step_offsets, t->size.paths,
                      t->size.path_steps));
    for (uint32_t e = 0; e < t->size.pairs; e++) {
        if (t->path_offsets[e + 1] - t->path_offsets[e] > TOKEN_PATHS) {
            TRY(wrong("number of paths of pair", e));
        }
        for (size_t p = t->path_offsets[e]; p < t->path_offsets[e + 1]; p++) {
            if (!path_fits(t, e, p)) TRY(wrong("path", p));
        }
    }
cleanup:
    return status;
}

static bool instance_fits(const tokens *t, uint32_t cell, size_t instance)
{
    uint32_t e = t->cell_pair[cell], subset = t->cell_subset[cell];
    uint32_t path = t->instance_paths[instance];
    if (path < t->path_offsets[e] || path >= t->path_offsets[e + 1]) return false;
    if (instance > t->instance_offsets[cell] && t->instance_paths[instance - 1] >= path) {
        return false;
    }
    size_t from = t->path_step_offsets[path], first = t->instance_step_offsets[instance];
    size_t count = t->instance_step_offsets[instance + 1] - first;
    if (count != t->path_step_offsets[path + 1] - from) return false;
    for (size_t k = 0; k < count; k++) {
        uint32_t c = t->instance_cells[first + k];
        if (c >= t->size.cells || t->cell_subset[c] != subset) return false;
        if (t->cell_pair[c] != t->path_pairs[from + k]) return false;
    }
    return true;
}

static scone_status check_instances(const tokens *t)
{
    scone_status status = SCONE_OK;
    TRY(check_offsets("instance_offsets", t->instance_offsets, t->size.cells, t->size.instances));
    TRY(check_offsets("instance_step_offsets", t->instance_step_offsets, t->size.instances,
                      t->size.instance_steps));
    for (uint32_t c = 0; c < t->size.cells; c++) {
        for (size_t k = t->instance_offsets[c]; k < t->instance_offsets[c + 1]; k++) {
            if (!instance_fits(t, c, k)) TRY(wrong("instance of a path", k));
        }
    }
cleanup:
    return status;
}

scone_status tokens_check(const tokens *t)
{
    scone_status status = SCONE_OK;
    uint32_t *index = NULL;
    TRY(token_sizes_check(&t->size));
    TRY_ALLOC(index, (size_t)t->size.nodes * t->size.nodes);
    TRY(check_subsets(t));
    TRY(check_pairs(index, t));
    TRY(check_values(t));
    TRY(check_cells(t));
    TRY(check_triples(t, index));
    TRY(check_paths(t));
    TRY(check_instances(t));
cleanup:
    mem_free(index);
    return status;
}
