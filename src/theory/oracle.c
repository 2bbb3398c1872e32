/* oracle.c - d-separation, local graphs and outcomes in the population (oracle.h). */
#include "theory/oracle.h"

#include <string.h>

/* ---- d-separation: a ball that rolls along all edges at once (Shachter 1998) ---- */

static uint16_t with_ancestors(const local_graph *dag, uint32_t z)
{
    uint32_t all = z, fresh = z;
    while (fresh) {
        uint32_t next = 0;
        MASK_FOR(v, fresh) next |= dag->parents[v];
        fresh = next & ~all;
        all |= next;
    }
    return (uint16_t)all;
}

/* Starts with the ball at `up` having come from children, at `down` from parents. */
static uint16_t roll(const local_graph *dag, uint32_t up, uint32_t down, uint32_t z)
{
    uint32_t colliders = with_ancestors(dag, z);
    uint32_t was_up = 0, was_down = 0;
    while ((up & ~was_up) | (down & ~was_down)) {
        uint32_t new_up = up & ~was_up & ~z, new_down = down & ~was_down;
        was_up = up;
        was_down = down;
        MASK_FOR(v, new_up) {
            up |= dag->parents[v];
            down |= dag->children[v];
        }
        MASK_FOR(v, new_down & ~z) down |= dag->children[v];
        MASK_FOR(v, new_down & colliders) up |= dag->parents[v];
    }
    return (uint16_t)((up | down) & ~z);
}

uint16_t oracle_connected(const local_graph *dag, int count, int x, uint32_t z)
{
    (void)count;
    return (uint16_t)(roll(dag, MASK_BIT(x), 0, z) & ~MASK_BIT(x));
}

uint16_t oracle_changed(const local_graph *dag, int count, uint32_t targets, uint32_t z)
{
    (void)count;
    return roll(dag, 0, targets, z); /* C -> t: the ball comes from a parent */
}

void oracle_target_outcomes(oracle_outcomes *o, const local_graph *dag, int count, int target,
                            int most_given)
{
    memset(o, 0, sizeof *o);
    for (uint32_t z = 0; z < 1u << count; z++) {
        if (mask_count(z) > most_given) continue;
        uint16_t changed = oracle_changed(dag, count, MASK_BIT(target), z);
        MASK_FOR(v, changed) {
            uint32_t bit = (uint32_t)v << count | z;
            o->words[bit >> 6] |= UINT64_C(1) << (bit & 63);
        }
    }
}

/* ---- local graphs ---- */

/* Arrowheads of the unshielded triples: head[b] has a if a *-> b. Numbered as all nodes. */
static void find_heads(uint16_t *head, uint16_t *adjacent, uint32_t s, separator separate,
                       const void *context)
{
    uint32_t sets[RULE_MOST_NODES][RULE_MOST_NODES];
    MASK_FOR(a, s) {
        MASK_FOR(b, s & ~((2u << a) - 1u)) {
            if (separate(&sets[a][b], context, a, b, s)) {
                sets[b][a] = sets[a][b];
            } else {
                adjacent[a] |= MASK_BIT(b);
                adjacent[b] |= MASK_BIT(a);
            }
        }
    }
    MASK_FOR(c, s) {
        MASK_FOR(a, adjacent[c]) {
            MASK_FOR(b, adjacent[c] & ~(uint32_t)(adjacent[a] | MASK_BIT(a))) {
                if (!mask_has(sets[a][b], c)) head[c] |= MASK_BIT(a);
            }
        }
    }
}

void oracle_local_graph_with(local_graph *local, uint32_t s, separator separate,
                             const void *context)
{
    uint16_t head[RULE_MOST_NODES] = {0}, adjacent[RULE_MOST_NODES] = {0};
    uint16_t frozen[RULE_MOST_NODES] = {0};
    int place[RULE_MOST_NODES], size = 0;
    find_heads(head, adjacent, s, separate, context);
    MASK_FOR(v, s) place[v] = size++;
    memset(local, 0, sizeof *local);
    MASK_FOR(a, s) {
        MASK_FOR(b, adjacent[a]) {
            /* not "into_b == into_a": gcc 12.2 at -O2 compiles wrongly what follows from that */
            bool into_b = mask_has(head[b], a), into_a = mask_has(head[a], b);
            if (into_b && !into_a) {
                pdag_direct(local, place[a], place[b]);
            } else if (into_b) {
                pdag_undirect(local, place[a], place[b]);
                frozen[place[a]] |= MASK_BIT(place[b]);
            } else if (!into_a) {
                pdag_undirect(local, place[a], place[b]);
            }
        }
    }
    (void)pdag_close_except(local, size, frozen);
}

/* The smallest set inside S, by number, that separates a and b in the DAG. */
static bool separate_in_dag(uint32_t *set, const void *context, int a, int b, uint32_t s)
{
    const local_graph *dag = context;
    uint32_t allowed = s & ~(uint32_t)(MASK_BIT(a) | MASK_BIT(b));
    for (uint32_t z = 0;; z = (z - allowed) & allowed) {
        if (!mask_has(oracle_connected(dag, 0, a, z), b)) {
            *set = z;
            return true;
        }
        if (z == allowed) return false;
    }
}

void oracle_local_graph(local_graph *local, const local_graph *dag, int count, uint32_t s)
{
    (void)count;
    oracle_local_graph_with(local, s, separate_in_dag, dag);
}

void oracle_cpdag(local_graph *cpdag, const local_graph *dag, int count)
{
    *cpdag = *dag;
    for (int c = 0; c < count; c++) {
        MASK_FOR(a, dag->parents[c]) {
            uint16_t apart = (uint16_t) ~(pdag_adjacent(dag, a) | MASK_BIT(a));
            if (!(dag->parents[c] & apart)) pdag_undirect(cpdag, a, c);
        }
    }
    (void)pdag_close(cpdag, count);
}

/* ---- views ---- */

static literal look_up(void *context, int v, uint32_t z)
{
    const oracle_view *o = context;
    if (mask_count(z) > o->most_given) return LITERAL_UNKNOWN;
    bool changed = oracle_outcome(o->outcomes, o->all_count, o->node[v], o->spread[z]);
    return changed ? LITERAL_CHANGED : LITERAL_INVARIANT;
}

void oracle_view_make(oracle_view *o, const local_graph *dag, int count, uint32_t s, int most_given)
{
    int size = 0;
    memset(o, 0, sizeof *o);
    MASK_FOR(v, s) o->node[size++] = (uint8_t)v;
    o->all_count = count;
    o->most_given = most_given;
    o->view.count = size;
    o->view.look = look_up;
    o->view.context = o;
    for (uint32_t z = 1; z < 1u << size; z++) {
        o->spread[z] = (uint16_t)(o->spread[z & (z - 1)] | MASK_BIT(o->node[mask_lowest(z)]));
    }
    for (int a = 0; a < size; a++) {
        for (int b = 0; b < size; b++) {
            if (mask_has(pdag_adjacent(dag, o->node[a]), o->node[b])) {
                o->view.skeleton[a] |= MASK_BIT(b);
            }
        }
    }
    oracle_local_graph(&o->view.local[0], dag, count, s);
    o->view.local[1] = o->view.local[0];
    view_find_descendants(&o->view);
}
