#!/usr/bin/env python3
"""CAM of this folder on data like those that its published figures are from; run it in the environment of the peer.

Usage: check.py [GRAPHS] > check_cam.csv
Random graphs of 10 variables with 10 or 40 expected edges and 1,000 rows. A function is drawn from a Gaussian process
with a squared exponential kernel of bandwidth one, of all parents together (joint) or one for each parent (additive).
Noise is normal with variance Uniform(0.4, 0.8), roots have variance Uniform(1, 2). This is the setting in which
Lachapelle et al. (2020, table 1) report the SHD of CAM on 10 graphs each.
"""
import sys
import time

import numpy as np
from order_search import find_graph

VARIABLES, ROWS = 10, 1000
REPORTED = {("joint", 10): (1.1, 1.1), ("joint", 40): (12.2, 2.7)}  # mean and deviation


def draw_graph(generator, edges):
    """[i, j] is i -> j"""
    share = min(1.0, 2 * edges / (VARIABLES * (VARIABLES - 1)))
    order = generator.permutation(VARIABLES)
    graph = np.zeros((VARIABLES, VARIABLES), bool)
    graph[np.ix_(order, order)] = np.triu(generator.random((VARIABLES, VARIABLES)) < share, 1)
    return graph, order


def draw_function(generator, inputs):
    """Values at these inputs of a function from the process."""
    distance = ((inputs[:, None, :] - inputs[None, :, :]) ** 2).sum(-1)
    covariance = np.exp(-distance / 2) + 1e-6 * np.eye(len(inputs))
    return np.linalg.cholesky(covariance) @ generator.standard_normal(len(inputs))


def simulate(generator, graph, order, functions):
    table = np.zeros((ROWS, VARIABLES))
    for j in order:
        parents = np.flatnonzero(graph[:, j])
        variance = generator.uniform(0.4, 0.8) if len(parents) else generator.uniform(1, 2)
        table[:, j] = np.sqrt(variance) * generator.standard_normal(ROWS)
        groups = [parents] if functions == "joint" else [[p] for p in parents]
        for group in groups:
            if len(group):
                table[:, j] += draw_function(generator, table[:, group])
    return table


def structural_distance(found, true):
    """Pairs whose edge is missing, extra or reversed."""
    differs = (found != true) | (found.T != true.T)
    return int(np.triu(differs, 1).sum())


def main():
    graphs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print("functions,expected_edges,graph,edges,found,shd,seconds,reported_mean,reported_deviation")
    for functions in ("joint", "additive"):
        for edges in (10, 40):
            for g in range(graphs):
                generator = np.random.default_rng([edges, g, functions == "joint"])
                graph, order = draw_graph(generator, edges)
                table = simulate(generator, graph, order, functions)
                started = time.process_time()
                found = find_graph(table)
                seconds = time.process_time() - started
                mean, deviation = REPORTED.get((functions, edges), ("", ""))
                print(f"{functions},{edges},{g},{graph.sum()},{found.sum()},{structural_distance(found, graph)},"
                      f"{seconds:.2f},{mean},{deviation}", flush=True)


if __name__ == "__main__":
    main()
