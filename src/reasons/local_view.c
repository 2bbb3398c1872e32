/* local_view.c - the local graphs of a small set of variables (see local_view.h). */
#include "reasons/local_view.h"

#include "graph/dsep.h"
#include "graph/graph_order.h"
#include "rules/witness.h"

#include <string.h>

struct local_work {
    const graph *dag, *firm;
    graph_work *work;
    bits_word *z, *ancestors; /* [words] */
};

scone_status local_work_alloc(local_work **out, const graph *dag, const graph *firm)
{
    scone_status status = SCONE_OK;
    local_work *w = NULL;
    *out = NULL;
    TRY_ZERO(w, 1);
    w->dag = dag;
    w->firm = firm;
    TRY(graph_work_alloc(&w->work, dag->nodes));
    TRY_ZERO(w->z, dag->words);
    TRY_ZERO(w->ancestors, dag->words);
    *out = w;
    return SCONE_OK;
cleanup:
    local_work_free(w);
    return status;
}

void local_work_free(local_work *w)
{
    if (!w) return;
    graph_work_free(w->work);
    mem_free(w->z);
    mem_free(w->ancestors);
    mem_free(w);
}

/* The ancestors of a and b within S, which separate the two if anything in S does. */
static uint16_t separating_set(local_work *w, const local_subset *s, int a, int b)
{
    uint16_t inside = 0;
    bits_clear(w->ancestors, w->dag->words);
    bits_add(w->ancestors, s->nodes[a]);
    bits_add(w->ancestors, s->nodes[b]);
    graph_ancestors(w->ancestors, w->dag, w->ancestors, w->work);
    for (int k = 0; k < s->count; k++) {
        if (k != a && k != b && bits_has(w->ancestors, s->nodes[k])) inside |= MASK_BIT(k);
    }
    return inside;
}

static bool separated(local_work *w, const local_subset *s, int a, int b, uint16_t by)
{
    bits_clear(w->z, w->dag->words);
    MASK_FOR(k, by) bits_add(w->z, s->nodes[k]);
    return dsep_pair(w->dag, s->nodes[a], s->nodes[b], w->z, w->work);
}

/* heads[k] = the ends of edges into k that colliders ask for. */
static void find_heads(uint16_t heads[RULE_MOST_NODES], local_subset *s, local_work *w)
{
    uint16_t separators[RULE_MOST_NODES][RULE_MOST_NODES];
    for (int a = 0; a < s->count; a++) {
        for (int b = a + 1; b < s->count; b++) {
            separators[a][b] = separating_set(w, s, a, b);
            if (!separated(w, s, a, b, separators[a][b])) pdag_undirect(&s->local[0], a, b);
        }
    }
    for (int a = 0; a < s->count; a++) {
        for (int b = a + 1; b < s->count; b++) {
            if (pdag_undirected(&s->local[0], a, b)) continue;
            uint16_t between = s->local[0].neighbours[a] & s->local[0].neighbours[b];
            MASK_FOR(k, (uint32_t)(between & ~separators[a][b])) {
                heads[k] |= (uint16_t)(MASK_BIT(a) | MASK_BIT(b));
            }
        }
    }
}

void local_subset_skeleton(local_subset *s, const graph *firm)
{
    memset(s->skeleton, 0, sizeof s->skeleton);
    for (int a = 0; a < s->count; a++) {
        for (int b = 0; b < s->count; b++) {
            bool near = a != b && graph_adjacent(firm, s->nodes[a], s->nodes[b]);
            if (near) s->skeleton[a] |= MASK_BIT(b);
        }
    }
}

void local_subset_fill(local_subset *s, local_work *w)
{
    uint16_t heads[RULE_MOST_NODES] = {0};
    memset(s->local, 0, sizeof s->local);
    find_heads(heads, s, w);
    for (int k = 0; k < s->count; k++) {
        MASK_FOR(a, heads[k]) {
            /* Two heads on one edge: something outside of S causes both ends. Such an edge has no
             * direction among these variables. */
            if (!(heads[a] >> k & 1)) pdag_direct(&s->local[0], a, k);
        }
    }
    (void)pdag_close(&s->local[0], s->count);
    s->local[1] = s->local[0];
    local_subset_skeleton(s, w->firm);
    rule_view view = local_subset_view(s);
    view_find_descendants(&view);
    memcpy(s->descendants, view.descendants, sizeof s->descendants);
}

rule_view local_subset_view(const local_subset *s)
{
    rule_view view = {.count = s->count, .local = {s->local[0], s->local[1]}};
    memcpy(view.skeleton, s->skeleton, sizeof view.skeleton);
    memcpy(view.descendants, s->descendants, sizeof view.descendants);
    return view;
}
