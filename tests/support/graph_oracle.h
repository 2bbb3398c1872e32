/* graph_oracle.h - the definitions of graph theory, written down plainly for graphs of at most 6
 * nodes, to check src/graph against. Nothing here shares code with it.
 */
#ifndef SCONE_TESTS_GRAPH_ORACLE_H
#define SCONE_TESTS_GRAPH_ORACLE_H

#include "testing.h"

#include "base/rng.h"
#include "graph/graph.h"

enum { SMALL = 6, SPREAD = 150 };

/* edge[i][j] = 1 means i -> j, both ways means i - j, as everywhere in scone. */
typedef struct small {
    size_t n;
    unsigned char edge[SMALL][SMALL];
} small;

static inline bool small_adjacent(const small *s, size_t i, size_t j)
{
    return s->edge[i][j] || s->edge[j][i];
}

static inline bool small_directed(const small *s, size_t i, size_t j)
{
    return s->edge[i][j] && !s->edge[j][i];
}

static inline bool small_undirected(const small *s, size_t i, size_t j)
{
    return s->edge[i][j] && s->edge[j][i];
}

static inline bool small_equal(const small *a, const small *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static inline void small_direct(small *s, size_t from, size_t to)
{
    s->edge[from][to] = 1;
    s->edge[to][from] = 0;
}

/* Where node i of a small graph lies in a graph of g->nodes nodes: itself, or spread over several
 * words and out of order. */
static inline size_t small_place(const graph *g, size_t i)
{
    return g->nodes == SPREAD ? (i * 67 + 61) % SPREAD : i;
}

static inline void small_store(graph *g, const small *s)
{
    bits_clear(g->parents, 3 * g->nodes * g->words);
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < s->n; j++) {
            size_t a = small_place(g, i), b = small_place(g, j);
            if (small_directed(s, i, j)) graph_direct(g, a, b);
            if (i < j && small_undirected(s, i, j)) graph_undirect(g, a, b);
        }
    }
}

/* Reads g back; fails if anything lies outside the places of s or a pair is in two states. */
static inline small small_load(const graph *g, size_t n)
{
    small s = {.n = n};
    size_t edges = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            size_t a = small_place(g, i), b = small_place(g, j);
            CHECK(bits_has(graph_children(g, a), b) == bits_has(graph_parents(g, b), a));
            CHECK(graph_undirected(g, a, b) == graph_undirected(g, b, a));
            CHECK(graph_directed(g, a, b) + graph_directed(g, b, a) + graph_undirected(g, a, b) <=
                  1);
            s.edge[i][j] = graph_directed(g, a, b) || graph_undirected(g, a, b);
            edges += i < j && graph_adjacent(g, a, b);
        }
    }
    CHECK(scone_graph_edges(g) == edges);
    return s;
}

static inline void small_set(bits_word *set, const graph *g, unsigned members)
{
    bits_clear(set, g->words);
    for (size_t i = 0; i < SMALL; i++) {
        if (members >> i & 1u) bits_add(set, small_place(g, i));
    }
}

/* reach[i] = bit set of nodes with a directed path from i, i included (Warshall). */
static inline void small_reach(unsigned reach[SMALL], const small *s)
{
    for (size_t i = 0; i < s->n; i++) {
        reach[i] = 1u << i;
        for (size_t j = 0; j < s->n; j++) {
            if (small_directed(s, i, j)) reach[i] |= 1u << j;
        }
    }
    for (size_t k = 0; k < s->n; k++) {
        for (size_t i = 0; i < s->n; i++) {
            if (reach[i] >> k & 1u) reach[i] |= reach[k];
        }
    }
}

/* Nodes without an effect among those left are taken away until none is left or none is found. */
static inline bool small_acyclic(const small *s)
{
    unsigned effects[SMALL] = {0}, left = (1u << s->n) - 1;
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < s->n; j++) effects[i] |= (unsigned)small_directed(s, i, j) << j;
    }
    for (unsigned before = 0; left != before;) {
        before = left;
        for (size_t i = 0; i < s->n; i++) {
            if (!(effects[i] & left)) left &= ~(1u << i);
        }
    }
    return left == 0;
}

static inline bool small_vstructure(const small *s, size_t a, size_t b, size_t c)
{
    return a != c && small_directed(s, a, b) && small_directed(s, c, b) && !small_adjacent(s, a, c);
}

static inline bool small_same_vstructures(const small *s, const small *t)
{
    for (size_t a = 0; a < s->n; a++) {
        for (size_t b = 0; b < s->n; b++) {
            if (!small_directed(s, a, b) && !small_directed(t, a, b)) continue;
            for (size_t c = a + 1; c < s->n; c++) {
                if (small_vstructure(s, a, b, c) != small_vstructure(t, a, b, c)) return false;
            }
        }
    }
    return true;
}

static inline bool small_same_skeleton(const small *s, const small *t)
{
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (small_adjacent(s, i, j) != small_adjacent(t, i, j)) return false;
        }
    }
    return true;
}

/* Number `code` of the graphs in which every pair is in one of `states` (3: none, ->, <-; 4: also
 * undirected) states; false after the last. */
static inline bool small_from_code(small *s, size_t n, size_t code, size_t states)
{
    *s = (small){.n = n};
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            size_t state = code % states;
            code /= states;
            s->edge[i][j] = state == 1 || state == 3;
            s->edge[j][i] = state == 2 || state == 3;
        }
    }
    return code == 0;
}

/* All DAGs on n <= 4 nodes. */
static inline size_t small_dags(small dags[543], size_t n)
{
    size_t count = 0;
    small s;
    for (size_t code = 0; small_from_code(&s, n, code, 3); code++) {
        if (!small_acyclic(&s)) continue;
        CHECK(count < 543);
        dags[count++] = s;
    }
    return count;
}

static inline small small_random_dag(rng *r, size_t n)
{
    small s = {.n = n};
    size_t order[SMALL];
    double density = rng_uniform(r);
    rng_permutation(r, order, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) s.edge[order[j]][order[i]] = rng_uniform(r) < density;
    }
    return s;
}

/* Any pair in any state, with random weights; cyclic and contradictory ones included. */
static inline small small_random_pdag(rng *r, size_t n)
{
    small s = {.n = n};
    double none = rng_uniform(r), undirected = rng_uniform(r);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (rng_uniform(r) < none) continue;
            s.edge[i][j] = s.edge[j][i] = 1;
            if (rng_uniform(r) >= undirected) s.edge[i][j] = 0;
            if (!s.edge[i][j] && rng_uniform(r) < 0.5) small_direct(&s, i, j);
        }
    }
    return s;
}

/* What exhaustive enumeration says about the consistent extensions of a graph. */
typedef struct small_extensions {
    size_t count;
    small shared; /* the graph with every edge directed on which all extensions agree */
} small_extensions;

/* Is dag one of them? */
static inline bool small_extends(const small *dag, const small *s)
{
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < s->n; j++) {
            if (small_undirected(dag, i, j)) return false;
            if (small_directed(s, i, j) && !small_directed(dag, i, j)) return false;
        }
    }
    return small_same_skeleton(dag, s) && small_same_vstructures(dag, s) && small_acyclic(dag);
}

static inline small_extensions small_enumerate(const small *s)
{
    small_extensions result = {0, *s};
    size_t from[15], to[15], undirected = 0;
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (!small_undirected(s, i, j)) continue;
            from[undirected] = i;
            to[undirected++] = j;
        }
    }
    size_t forward[15] = {0};
    for (size_t code = 0; code >> undirected == 0; code++) {
        small dag = *s;
        for (size_t e = 0; e < undirected; e++) {
            if (code >> e & 1u)
                small_direct(&dag, from[e], to[e]);
            else
                small_direct(&dag, to[e], from[e]);
        }
        /* skeleton and directed edges are kept by construction */
        if (!small_acyclic(&dag) || !small_same_vstructures(&dag, s)) continue;
        result.count++;
        for (size_t e = 0; e < undirected; e++) forward[e] += code >> e & 1u;
    }
    for (size_t e = 0; e < undirected && result.count; e++) {
        if (forward[e] == result.count) small_direct(&result.shared, from[e], to[e]);
        if (forward[e] == 0) small_direct(&result.shared, to[e], from[e]);
    }
    return result;
}

/* Is there a path between the last node of path[0 .. count-1] and y that Z does not block? By the
 * definition: every collider has a descendant in Z, no other inner node is in Z. */
static inline bool small_open_path(const small *s, const unsigned reach[SMALL], size_t *path,
                                   size_t count, size_t y, unsigned z)
{
    size_t last = path[count - 1];
    if (last == y) return true;
    if (count >= SMALL) return false; /* all nodes are on the path */
    for (size_t next = 0; next < s->n; next++) {
        bool used = !small_adjacent(s, last, next);
        for (size_t k = 0; k < count; k++) used = used || path[k] == next;
        if (used) continue;
        if (count > 1) {
            bool collider =
                small_directed(s, path[count - 2], last) && small_directed(s, next, last);
            if (collider ? !(reach[last] & z) : z >> last & 1u) continue;
        }
        path[count] = next;
        if (small_open_path(s, reach, path, count + 1, y, z)) return true;
    }
    return false;
}

static inline bool small_separated(const small *s, size_t x, size_t y, unsigned z)
{
    unsigned reach[SMALL];
    size_t path[SMALL + 1] = {x};
    small_reach(reach, s);
    return !small_open_path(s, reach, path, 1, y, z);
}

#endif
