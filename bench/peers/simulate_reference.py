#!/usr/bin/env python3
"""The distribution of docs/methods/generator.md (first benchmark) in plain vectorized NumPy.

Usage: simulate_reference.py NODES EDGES FAMILIES SAMPLES ROUNDS SEED
Prints one line per round: seconds and processor seconds for one graph with both regimes in memory.
Eight graphs before them are not timed. Columns are contiguous (order="F"), operations work in place
where that is natural.
"""
import sys
import time

import numpy as np

WARM_UP = 8
HIDDEN = {"nn": 20, "nn_add": 10}


def draw_graph(generator, nodes, edges):
    """adjacency[i, j] for i -> j, and a topological order"""
    order = generator.permutation(nodes)
    p = min(1.0, 2 * edges / (nodes * (nodes - 1)))
    upper = np.triu(generator.random((nodes, nodes)) < p, 1)
    adjacency = np.zeros((nodes, nodes), bool)
    adjacency[np.ix_(order, order)] = upper
    position = np.empty(nodes, int)
    position[order] = np.arange(nodes)
    reached = np.zeros(nodes, bool)
    for start in range(nodes):  # components by their smallest node, each joined to the first
        if reached[start]:
            continue
        component = np.zeros(nodes, bool)
        component[start] = True
        front = component
        while front.any():
            front = (adjacency[front].any(0) | adjacency[:, front].any(1)) & ~component
            component |= front
        if reached.any():
            a = generator.choice(np.flatnonzero(reached))
            b = generator.choice(np.flatnonzero(component))
            if position[a] > position[b]:
                a, b = b, a
            adjacency[a, b] = True
        reached |= component
    return adjacency, order


def draw_targets(generator, adjacency, p):
    inner = adjacency.any(0)
    while True:
        targets = inner & (generator.random(len(inner)) < p)
        if targets.any():
            return targets


def signed(generator, low, high, size):
    return generator.uniform(low, high, size) * generator.choice([-1.0, 1.0], size)


def draw_weights(generator, family, parents):
    if family == "linear":
        return signed(generator, 0.25, 1, parents)
    if family == "polynomial":
        return generator.random((parents, 3))
    if family == "sigmoid":
        return np.stack([1 + generator.exponential(0.25, parents), signed(generator, 0.5, 2, parents),
                         generator.uniform(-2, 2, parents)], 1)
    inputs = parents + (family == "nn")
    return [generator.standard_normal((inputs, HIDDEN[family])),
            generator.standard_normal(HIDDEN[family])]


def shift_weights(generator, family, weights):
    if family == "linear":
        return signed(generator, 1, 2, len(weights))
    if family == "polynomial":
        return generator.uniform(1, 2, weights.shape)
    if family == "sigmoid":
        count = len(weights)
        return np.stack([weights[:, 0], signed(generator, 2, 4, count),
                         generator.uniform(-2, 2, count)], 1)
    return [weights[0], weights[1] + generator.standard_normal(weights[1].shape)]


def evaluate(generator, data, parents, family, multiplicative, sd, weights):
    noise = generator.standard_normal(len(data))
    noise *= sd
    if family == "linear":
        noise += data[:, parents] @ weights
        return noise
    if family == "nn":
        inputs = np.column_stack([data[:, parents], noise])
        return np.tanh(inputs @ weights[0]) @ weights[1]
    if family == "nn_add":
        noise += np.tanh(data[:, parents] @ weights[0]) @ weights[1]
        return noise
    total = np.zeros(len(data))
    for parent, (first, second, third) in zip(parents, weights):
        x = data[:, parent]
        if family == "polynomial":
            value = third * x
            value += second
            value *= x
            value += first
            np.clip(value, -1, 1, out=value)
        else:
            value = x + third
            value *= second
            scale = np.abs(value)
            scale += 1
            value /= scale
            value *= first
        total += value
    if multiplicative:
        total *= noise
    else:
        total += noise
    return total


def simulate(generator, nodes, edges, families, samples, p_target=0.4):
    adjacency, order = draw_graph(generator, nodes, edges)
    targets = draw_targets(generator, adjacency, p_target)
    mechanisms = []
    for node in range(nodes):
        parents = np.flatnonzero(adjacency[:, node])
        if len(parents) == 0:
            mechanisms.append(None)
            continue
        family = families[generator.integers(len(families))]
        multiplicative = family in ("polynomial", "sigmoid") and generator.random() < 0.5
        sd = 0.4 * np.sqrt(generator.uniform(1, 2))
        weights = draw_weights(generator, family, len(parents))
        shifted = shift_weights(generator, family, weights) if targets[node] else weights
        mechanisms.append((parents, family, multiplicative, sd, (weights, shifted)))
    regimes = []
    for regime in range(2):
        data = np.empty((samples, nodes), order="F")
        for node in order:
            if mechanisms[node] is None:
                column = generator.random(samples)
                column *= 4
                column -= 2
            else:
                parents, family, multiplicative, sd, weights = mechanisms[node]
                column = evaluate(generator, data, parents, family, multiplicative, sd,
                                  weights[regime])
            data[:, node] = column
        regimes.append(data)
    return adjacency, targets, regimes


def main():
    nodes, edges, samples, rounds, seed = (int(sys.argv[i]) for i in (1, 2, 4, 5, 6))
    families = sys.argv[3].split(",")
    generator = np.random.default_rng(seed)
    for i in range(WARM_UP + rounds):
        start, used = time.perf_counter(), time.process_time()
        simulate(generator, nodes, edges, families, samples)
        seconds, used = time.perf_counter() - start, time.process_time() - used
        if i >= WARM_UP:
            print(f"{seconds:.9f} {used:.9f}")


if __name__ == "__main__":
    main()
