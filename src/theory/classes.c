/* classes.c - Markov equivalence classes up to the names of the nodes (classes.h). */
#include "theory/classes.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- codes ---- */

uint64_t classes_encode(const local_graph *g, int count)
{
    uint64_t code = 0;
    int shift = 0;
    for (int b = 1; b < count; b++) {
        for (int a = 0; a < b; a++, shift += 2) {
            uint64_t mark = (uint64_t)(pdag_undirected(g, a, b) ? 3
                                       : pdag_directed(g, a, b) ? 1
                                       : pdag_directed(g, b, a) ? 2
                                                                : 0);
            code |= mark << shift;
        }
    }
    return code;
}

void classes_decode(local_graph *g, int count, uint64_t code)
{
    memset(g, 0, sizeof *g);
    for (int b = 1; b < count; b++) {
        for (int a = 0; a < b; a++, code >>= 2) {
            switch (code & 3) {
            case 1:
                pdag_direct(g, a, b);
                break;
            case 2:
                pdag_direct(g, b, a);
                break;
            case 3:
                pdag_undirect(g, a, b);
                break;
            default:
                break;
            }
        }
    }
}

static uint64_t encode_permuted(const local_graph *g, const int *node, int count)
{
    uint64_t code = 0;
    int shift = 0;
    for (int b = 1; b < count; b++) {
        int y = node[b];
        for (int a = 0; a < b; a++, shift += 2) {
            int x = node[a];
            uint64_t forward = (uint64_t)(mask_has(g->children[x] | g->neighbours[x], y));
            uint64_t backward = (uint64_t)(mask_has(g->parents[x] | g->neighbours[x], y));
            code |= (forward | backward << 1) << shift;
        }
    }
    return code;
}

/* ---- canonical numbering ---- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ (x >> 27)) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ (x >> 33);
}

/* Colours that depend on the shape around a node alone. */
static void colour_nodes(uint64_t *colour, const local_graph *g, int count)
{
    for (int v = 0; v < count; v++) colour[v] = 1;
    for (int round = 0; round < 3; round++) {
        uint64_t next[RULE_MOST_NODES];
        for (int v = 0; v < count; v++) {
            uint64_t up = 0, down = 0, flat = 0;
            MASK_FOR(u, g->parents[v]) up += mix(colour[u]);
            MASK_FOR(u, g->children[v]) down += mix(colour[u]);
            MASK_FOR(u, g->neighbours[v]) flat += mix(colour[u]);
            next[v] = mix(colour[v] + mix(up + 1) + mix(down + 2) * 3 + mix(flat + 3) * 5);
        }
        memcpy(colour, next, (size_t)count * sizeof *colour);
    }
}

typedef struct numbering {
    const local_graph *graph;
    int count;
    int node[RULE_MOST_NODES];
    uint64_t colour[RULE_MOST_NODES]; /* of node[place] */
    uint64_t best, automorphisms;
} numbering;

/* All orders from `place` on that keep the colours in order. */
static void try_numberings(numbering *n, int place)
{
    if (place == n->count) {
        uint64_t code = encode_permuted(n->graph, n->node, n->count);
        if (code < n->best) {
            n->best = code;
            n->automorphisms = 0;
        }
        n->automorphisms += code == n->best;
        return;
    }
    for (int other = place; other < n->count && n->colour[other] == n->colour[place]; other++) {
        int kept = n->node[place];
        n->node[place] = n->node[other];
        n->node[other] = kept;
        try_numberings(n, place + 1);
        n->node[other] = n->node[place];
        n->node[place] = kept;
    }
}

uint64_t classes_canonical(const local_graph *g, int count, uint64_t *automorphisms)
{
    numbering n = {.graph = g, .count = count, .best = UINT64_MAX};
    uint64_t colour[RULE_MOST_NODES];
    colour_nodes(colour, g, count);
    for (int v = 0; v < count; v++) { /* insertion by colour */
        int place = v;
        while (place > 0 && n.colour[place - 1] > colour[v]) {
            n.colour[place] = n.colour[place - 1];
            n.node[place] = n.node[place - 1];
            place--;
        }
        n.colour[place] = colour[v];
        n.node[place] = v;
    }
    try_numberings(&n, 0);
    *automorphisms = n.automorphisms;
    return n.best;
}

/* ---- the list ---- */

static int compare_codes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t sort_unique(uint64_t *codes, size_t count)
{
    size_t kept = 0;
    qsort(codes, count, sizeof *codes, compare_codes);
    for (size_t i = 0; i < count; i++) {
        if (!i || codes[i] != codes[kept - 1]) codes[kept++] = codes[i];
    }
    return kept;
}

/* The DAG whose edges, all from lower to higher numbers, are the bits of `edges`. */
static void dag_of_edges(local_graph *dag, int count, uint32_t edges)
{
    memset(dag, 0, sizeof *dag);
    for (int b = 1; b < count; b++) {
        for (int a = 0; a < b; a++, edges >>= 1) {
            if (edges & 1) pdag_direct(dag, a, b);
        }
    }
}

scone_status classes_list(markov_class **classes, size_t *class_count, int count)
{
    scone_status status = SCONE_OK;
    uint64_t *codes = NULL, permutations = 1;
    size_t found = (size_t)1 << (count * (count - 1) / 2);
    *classes = NULL;
    TRY_ALLOC(codes, found);
    for (size_t d = 0; d < found; d++) {
        local_graph dag, cpdag;
        dag_of_edges(&dag, count, (uint32_t)d);
        oracle_cpdag(&cpdag, &dag, count);
        codes[d] = classes_encode(&cpdag, count);
    }
    found = sort_unique(codes, found);
    for (size_t c = 0; c < found; c++) {
        local_graph cpdag;
        uint64_t automorphisms;
        classes_decode(&cpdag, count, codes[c]);
        codes[c] = classes_canonical(&cpdag, count, &automorphisms);
    }
    found = sort_unique(codes, found);
    TRY_ALLOC(*classes, found);
    for (int p = 2; p <= count; p++) permutations *= (uint64_t)p;
    for (size_t c = 0; c < found; c++) {
        local_graph cpdag;
        uint64_t automorphisms;
        classes_decode(&cpdag, count, codes[c]);
        (void)classes_canonical(&cpdag, count, &automorphisms);
        (*classes)[c] = (markov_class){codes[c], permutations / automorphisms};
    }
    *class_count = found;
cleanup:
    mem_free(codes);
    return status;
}

/* ---- members ---- */

typedef struct member_search {
    const local_graph *cpdag;
    int count;
    local_graph dag;
    local_graph *members;
    size_t found;
} member_search;

/* Directs the undirected edges from pair (a, b) on. */
static void direct_rest(member_search *s, int a, int b)
{
    while (b < s->count && !pdag_undirected(s->cpdag, a, b)) {
        if (++a == b) {
            a = 0;
            b++;
        }
    }
    if (b == s->count) {
        if (!pdag_same_colliders(&s->dag, s->cpdag, s->count)) return;
        s->members[s->found++] = s->dag;
        return;
    }
    int next_a = a + 1 == b ? 0 : a + 1, next_b = a + 1 == b ? b + 1 : b;
    for (int way = 0; way < 2; way++) {
        int from = way ? b : a, to = way ? a : b;
        if (mask_has(pdag_reach(&s->dag, to), from)) continue;
        local_graph kept = s->dag;
        pdag_direct(&s->dag, from, to);
        direct_rest(s, next_a, next_b);
        s->dag = kept;
    }
}

size_t class_members(local_graph *members, const local_graph *cpdag, int count)
{
    member_search s = {.cpdag = cpdag, .count = count, .dag = *cpdag, .members = members};
    direct_rest(&s, 0, 1);
    return s.found;
}
