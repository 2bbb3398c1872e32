"""CAM: causal additive models by greedy search over edges (Bühlmann, Peters and Ernest 2014).

1. Preliminary neighbourhoods: a variable's possible parents are those that boosting of an additive model picks in
   more than AT_LEAST of its steps, at most MOST_NEIGHBOURS of them.
2. Search: edges are added one at a time, always the one that raises the log likelihood of the additive Gaussian model
   most and closes no cycle, until none is left. The result is an order of the variables with all possible edges.
3. Pruning: of a variable's parents those stay whose term in its additive regression has a p-value below LEVEL.
"""
import numpy as np

from additive import Moments

STEPS, RATE = 100, 0.1
AT_LEAST, MOST_NEIGHBOURS = 0.02, 10
LEVEL = 0.001


def possible_parents(moments):
    """[i, j]: i may become a parent of j"""
    allowed = np.zeros((moments.columns, moments.columns), bool)
    for j in range(moments.columns):
        counts = moments.boost(j, [i for i in range(moments.columns) if i != j], STEPS, RATE)
        chosen = sorted((i for i, n in counts.items() if n > AT_LEAST * STEPS), key=lambda i: (-counts[i], i))
        allowed[chosen[:MOST_NEIGHBOURS], j] = True
    return allowed


class Search:
    """The graph of greedy search; gains[i, j] is what i -> j would add to the log likelihood of a row."""

    def __init__(self, moments, allowed):
        self.moments, self.allowed = moments, allowed.copy()
        size = moments.columns
        self.reaches = np.eye(size, dtype=bool)
        self.parents = [[] for _ in range(size)]
        self.fits = [moments.fit(j, []) for j in range(size)]
        self.gains = np.full((size, size), -np.inf)
        self.most_parents = min(size - 1, round(moments.rows / 20))
        for j in range(size):
            self.update(j)

    def update(self, j):
        """What each allowed parent would add to those that j has."""
        self.gains[:, j] = -np.inf
        if len(self.parents[j]) >= self.most_parents:
            self.allowed[:, j] = False
        before = self.fits[j]
        for i in np.flatnonzero(self.allowed[:, j]):
            after = self.moments.fit(j, self.parents[j] + [i], before.smoothing + [1e-2])
            self.gains[i, j] = 0.5 * np.log(before.variance / after.variance)

    def add(self, i, j):
        self.fits[j] = self.moments.fit(j, self.parents[j] + [i], self.fits[j].smoothing + [1e-2])
        self.parents[j].append(i)
        self.allowed[i, j] = False
        self.reaches |= np.outer(self.reaches[:, i], self.reaches[j])
        self.allowed &= ~self.reaches.T
        self.gains[~self.allowed] = -np.inf
        self.update(j)

    def run(self):
        while self.allowed.any():
            i, j = np.unravel_index(np.argmax(self.gains), self.gains.shape)
            self.add(int(i), int(j))
        return self.parents


def find_graph(table):
    """[i, j] is i -> j"""
    moments = Moments(table)
    parents = Search(moments, possible_parents(moments)).run()
    graph = np.zeros((moments.columns, moments.columns), bool)
    for j, chosen in enumerate(parents):
        if chosen:
            kept = [i for i, p in zip(chosen, moments.p_values(j, chosen)) if p < LEVEL]
            graph[kept, j] = True
    return graph
