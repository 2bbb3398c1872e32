/* rule_dpt.c - Contrastive discriminating path (paper, Def. candidate discriminating path to Prop.
 * DPT).
 *
 * The paper. A candidate path for (j, k) is <v0, ..., v_{m-1}, j, k> in the common skeleton, v0 not
 * adjacent to k, j - k undirected in both local graphs. The status of an inner node v_l is
 * (collider on the path?, parent of k?). Standard logic (Zhang 2008, R4) marks (j, k) when every
 * inner node has status (1, 1); without latent variables the mark is then j -> k, because the
 * collider v_{m-1} has j -> v_{m-1} -> k. Replay nodes are the inner nodes whose status the local
 * graphs leave open. The proposition: if Chg(j | Z) = 1 and Inv(v | Z) = 1 for every replay node v,
 * for one Z in the W of all of them, then the mark holds, provided that for every other assignment
 * of statuses, with r the replay node nearest to j that disagrees, (a) the segment r .. j is in the
 * common skeleton, (b) it is unblocked given Z, (c) it has a tail at j, (d) it meets the path from
 * C to j in j alone.
 *
 * What is wrong with it. Under (b) and (c) the change that reached j goes on to r, against
 * Inv(r | Z): that refutes the other assignments. But the assignment (1, 1) at v_{m-1} also puts a
 * tail at j, and is refuted as well. So (c) cannot be had in every graph of the class while the
 * premises hold, and taken for granted it makes the rule wrong: rule_dpt_literal, kept to be
 * measured. docs/methods/theory.md has the smallest counterexample.
 *
 * The rule as used keeps the paths, statuses, replay nodes and literals, and asks of every DAG
 * extension whether the literals refute it, instead of assuming (b) to (d). (d) is not needed:
 * walks may be joined where paths may not, and a connecting walk contains a connecting path. When
 * u = v_{m-1} is a replay node, the refuted extensions are exactly those with j -> u that SSI
 * excludes, so what is left are the extensions with u -> j, and they agree on (j, k) if and only if
 * the closure of the local graph with u -> j directs it (Meek 1995). This is the paper's "full
 * orientation, possibly together with closure rules".
 */
#include "rules/rule_premise.h"

/* ---- status of an inner node ---- */

/* What the local graphs say of a yes-or-no question. */
typedef enum known { KNOWN_NO, KNOWN_YES, KNOWN_OPEN } known;

/* Is b a collider between a and c in g? A closed graph has decided it for unshielded triples. */
static known collider_status(const local_graph *g, int a, int b, int c)
{
    if (pdag_directed(g, a, b) && pdag_directed(g, c, b)) return KNOWN_YES;
    if (pdag_directed(g, b, a) || pdag_directed(g, b, c)) return KNOWN_NO;
    return mask_has(pdag_adjacent(g, a), c) ? KNOWN_OPEN : KNOWN_NO;
}

static known parent_status(const local_graph *g, int v, int k)
{
    if (pdag_directed(g, v, k)) return KNOWN_YES;
    return pdag_undirected(g, v, k) ? KNOWN_OPEN : KNOWN_NO;
}

static known both_regimes(known first, known second)
{
    return first == second ? first : KNOWN_OPEN;
}

typedef struct path_status {
    uint16_t open;         /* inner nodes whose status is not known */
    uint16_t not_one_one;  /* inner nodes not known to have status (1, 1) */
    bool may_discriminate; /* each may have status (1, 1) */
} path_status;

static path_status status_of(const rule_view *view, const uint8_t *path, int length)
{
    path_status s = {.may_discriminate = true};
    int k = path[length - 1];
    for (int l = 1; l < length - 2; l++) {
        int v = path[l];
        known collider =
            both_regimes(collider_status(&view->local[0], path[l - 1], v, path[l + 1]),
                         collider_status(&view->local[1], path[l - 1], v, path[l + 1]));
        known parent = both_regimes(parent_status(&view->local[0], v, k),
                                    parent_status(&view->local[1], v, k));
        if (collider == KNOWN_OPEN || parent == KNOWN_OPEN) s.open |= MASK_BIT(v);
        if (collider != KNOWN_YES || parent != KNOWN_YES) s.not_one_one |= MASK_BIT(v);
        if (collider == KNOWN_NO || parent == KNOWN_NO) s.may_discriminate = false;
    }
    return s;
}

/* ---- candidate paths ---- */

/* Are these distinct nodes joined in the common skeleton, v0 and k apart, j - k undirected? */
static bool is_candidate(const rule_view *view, const uint8_t *path, int length)
{
    uint16_t seen = 0;
    if (length < 4 || length > DPT_MOST_PATH) return false;
    for (int p = 0; p < length; p++) {
        if (mask_has(seen, path[p])) return false;
        seen |= MASK_BIT(path[p]);
        if (p && !mask_has(premise_adjacent(view, path[p - 1]), path[p])) return false;
    }
    int first = path[0], j = path[length - 2], k = path[length - 1];
    if (mask_has(pdag_adjacent(&view->local[0], first) | pdag_adjacent(&view->local[1], first),
                 k)) {
        return false;
    }
    return premise_both_undirected(view, j, k);
}

/* The direction of (j, k) that all extensions of both local graphs with u -> j share. */
static bool shared_mark(int *source, int *target, const rule_view *view, int u, int j, int k)
{
    bool forward = true, backward = true;
    for (int regime = 0; regime < 2; regime++) {
        local_graph g = view->local[regime];
        if (!pdag_require(&g, view->count, u, j)) return false;
        forward &= pdag_directed(&g, j, k);
        backward &= pdag_directed(&g, k, j);
    }
    *source = forward ? j : k;
    *target = forward ? k : j;
    return forward || backward;
}

/* What a path says before any literal is looked at: the mark and the replay nodes. */
typedef bool (*path_rule)(certificate *, const rule_view *, const uint8_t *, int);

static void note_path(certificate *c, const uint8_t *path, int length, uint16_t replay)
{
    c->replay = replay;
    c->path_count = (uint8_t)length;
    for (int p = 0; p < length; p++) c->path[p] = path[p];
}

static bool path_as_used(certificate *c, const rule_view *view, const uint8_t *path, int length)
{
    int source, target;
    if (!is_candidate(view, path, length)) return false;
    int k = path[length - 1], j = path[length - 2], u = path[length - 3];
    path_status s = status_of(view, path, length);
    if (!mask_has(s.open, u) || !shared_mark(&source, &target, view, u, j, k)) return false;
    *c = certificate_of(RULE_DPT, source, target, 0);
    note_path(c, path, length, s.open);
    return true;
}

/* (b) to (d) are taken for granted. */
static bool path_literal(certificate *c, const rule_view *view, const uint8_t *path, int length)
{
    if (!is_candidate(view, path, length)) return false;
    path_status s = status_of(view, path, length);
    if (!s.may_discriminate || !s.not_one_one) return false;
    *c = certificate_of(RULE_DPT, path[length - 2], path[length - 1], 0);
    note_path(c, path, length, s.not_one_one);
    return true;
}

/* The literals of the proposition, for one witness set. */
static bool literals_hold(certificate *c, const rule_view *view, uint32_t z)
{
    int j = c->path[c->path_count - 2];
    if (z & ((uint32_t)MASK_BIT(j) | c->replay) || z & ~(uint32_t)mask_all(view->count)) {
        return false;
    }
    if (!view_is_witness(view, j, z)) return false;
    MASK_FOR(v, c->replay) {
        if (!view_is_witness(view, v, z)) return false;
    }
    c->witness = (uint16_t)z;
    c->literal_count = 0;
    if (!premise_literal(c, view, j, z, LITERAL_CHANGED)) return false;
    MASK_FOR(v, c->replay) {
        if (!premise_literal(c, view, v, z, LITERAL_INVARIANT)) return false;
    }
    return true;
}

bool rule_dpt_at(certificate *c, const rule_view *view, const uint8_t *path, int length, uint32_t z)
{
    return path_as_used(c, view, path, length) && literals_hold(c, view, z);
}

/* ---- search ---- */

typedef struct path_search {
    const rule_view *view;
    path_rule rule;
    rule_emit emit;
    void *context;
    int k;
    uint8_t reversed[DPT_MOST_PATH]; /* k, j, v_{m-1}, ..., v0 */
    bool stopped;
} path_search;

/* All witness sets for the path found. */
static void try_path(path_search *s, int length)
{
    uint8_t path[DPT_MOST_PATH];
    for (int p = 0; p < length; p++) path[p] = s->reversed[length - 1 - p];
    int j = path[length - 2];
    certificate c;
    if (!s->rule(&c, s->view, path, length)) return;
    uint32_t allowed =
        mask_all(s->view->count) & ~((uint32_t)MASK_BIT(j) | c.replay | s->view->descendants[j]);
    for (uint32_t z = 0;; z = (z - allowed) & allowed) {
        if (literals_hold(&c, s->view, z) && !s->emit(s->context, &c)) {
            s->stopped = true;
            return;
        }
        if (z == allowed) return;
    }
}

/* Goes on from the last node of the path. A path that ends at the first node apart from k (beyond
 * the neighbour of j) asks for the fewest literals; a longer one through the same nodes says
 * nothing more. */
static void walk_back(path_search *s, int length, uint16_t used)
{
    MASK_FOR(v, (uint32_t)(premise_adjacent(s->view, s->reversed[length - 1]) & ~used)) {
        s->reversed[length] = (uint8_t)v;
        uint16_t near =
            pdag_adjacent(&s->view->local[0], s->k) | pdag_adjacent(&s->view->local[1], s->k);
        if (length >= 3 && !mask_has(near, v)) {
            try_path(s, length + 1);
        } else if (length + 1 < DPT_MOST_PATH) {
            walk_back(s, length + 1, (uint16_t)(used | MASK_BIT(v)));
        }
        if (s->stopped) return;
    }
}

static void search_paths(const rule_view *view, path_rule rule, rule_emit emit, void *context)
{
    path_search s = {.view = view, .rule = rule, .emit = emit, .context = context};
    for (int k = 0; k < view->count; k++) {
        MASK_FOR(j, premise_adjacent(view, k)) {
            if (!premise_both_undirected(view, j, k)) continue;
            s.k = k;
            s.reversed[0] = (uint8_t)k;
            s.reversed[1] = (uint8_t)j;
            walk_back(&s, 2, (uint16_t)(MASK_BIT(k) | MASK_BIT(j)));
            if (s.stopped) return;
        }
    }
}

void rule_dpt(const rule_view *view, rule_emit emit, void *context)
{
    search_paths(view, path_as_used, emit, context);
}

void rule_dpt_literal(const rule_view *view, rule_emit emit, void *context)
{
    search_paths(view, path_literal, emit, context);
}
