#!/usr/bin/env python3
"""DCDI of this folder on data like those that its published figures are from; run it in the environment of the peer.

Usage: check.py [GRAPHS [KINDS]] > check_dcdi-dsf.csv, KINDS of linear,additive with a comma
Random graphs of 10 variables with 10 expected edges, 10,000 rows in ten regimes, each of which has another variable as
its only target. The intervention is perfect: the target becomes normal with mean 2 and variance 1. Roots are
Uniform(-2, 2), noise is 0.4 times a normal variable with variance Uniform(1, 2), linear weights are
± Uniform(0.25, 1), and additive mechanisms are tanh networks with 10 hidden units and standard normal weights.
Brouillard et al. (2020) report the SHD of DCDI-DSF in this setting over 10 graphs in the appendix.
"""
import sys
import time

import numpy as np
import torch
from density import SigmoidalFlow
from search import Search, Settings, best_graph

VARIABLES, ROWS, EDGES = 10, 10_000, 10
REPORTED = {"linear": (0.9, 1.3), "additive": (4.2, 5.6)}  # mean and deviation


def draw_graph(generator):
    """[i, j] is i -> j"""
    share = 2 * EDGES / (VARIABLES * (VARIABLES - 1))
    order = generator.permutation(VARIABLES)
    graph = np.zeros((VARIABLES, VARIABLES), bool)
    graph[np.ix_(order, order)] = np.triu(generator.random((VARIABLES, VARIABLES)) < share, 1)
    return graph, order


def draw_mechanism(generator, kind, parents):
    """A function of [rows, parents]"""
    if kind == "linear":
        weights = generator.uniform(0.25, 1, parents) * generator.choice([-1, 1], parents)
        return lambda x: x @ weights
    inner, outer = generator.standard_normal((parents, 10)), generator.standard_normal(10)
    return lambda x: np.tanh(x @ inner) @ outer


def simulate(generator, kind, graph, order):
    """Tables of the ten regimes one below the other, and the regime of each row, from 1 on"""
    mechanisms = [draw_mechanism(generator, kind, graph[:, j].sum()) for j in range(VARIABLES)]
    deviations = 0.4 * np.sqrt(generator.uniform(1, 2, VARIABLES))
    rows = ROWS // VARIABLES
    tables = []
    for target in range(VARIABLES):
        table = np.zeros((rows, VARIABLES))
        for j in order:
            parents = np.flatnonzero(graph[:, j])
            if j == target:
                table[:, j] = generator.normal(2, 1, rows)
            elif len(parents) == 0:
                table[:, j] = generator.uniform(-2, 2, rows)
            else:
                table[:, j] = mechanisms[j](table[:, parents]) + deviations[j] * generator.standard_normal(rows)
        tables.append(table)
    return np.concatenate(tables), np.repeat(np.arange(1, VARIABLES + 1), rows)


def main():
    graphs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    kinds = sys.argv[2].split(",") if len(sys.argv) > 2 else list(REPORTED)
    torch.set_num_threads(1)
    changed = np.concatenate([np.zeros((1, VARIABLES), bool), np.eye(VARIABLES, dtype=bool)])
    print("mechanisms,graph,edges,found,shd,steps,seconds,reported_mean,reported_deviation", flush=True)
    for g in range(graphs):
        for kind in kinds:
            generator = np.random.default_rng([g, kind == "linear"])
            graph, order = draw_graph(generator)
            table, regime = simulate(generator, kind, graph, order)
            started = time.process_time()
            search = Search(table, regime, changed, SigmoidalFlow, Settings(perfect=True, told_every=5000))
            probabilities, steps = search.run()
            found = best_graph(probabilities)
            distance = int(np.triu((found != graph) | (found.T != graph.T), 1).sum())
            print(f"{kind},{g},{graph.sum()},{found.sum()},{distance},{steps},{time.process_time() - started:.0f},"
                  f"{REPORTED[kind][0]},{REPORTED[kind][1]}", flush=True)


if __name__ == "__main__":
    main()
