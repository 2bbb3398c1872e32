"""Accuracy on tables that mix continuous, binary and ordinal columns: bench/results/search/discrete.csv.

    python3 bench/accuracy/discrete.py [SCONE] [GRAPHS] [SEED] [PRESET,PRESET...]

Random graphs of 12 nodes and 14 edges, 2,000 rows a table. A node sums its parents' values, or a tanh of them, with random weights; half of the
nodes add normal noise, a quarter are binary (logistic) and a quarter have four ordered values (adjacent categories). With probability 0.4 a
node's weights are drawn anew in the second table. The generator is independent of the program's own. Undirected edges count as half right in
no score: SHD counts pairs that differ, F1 directed edges.
"""
import csv
import math
import os
import random
import subprocess
import sys
import tempfile

NODES, EDGES, ROWS, CHANGED = 12, 14, 2000, 0.4


def draw_problem(stream):
    order = list(range(NODES))
    stream.shuffle(order)
    kinds = [stream.choice(["continuous", "continuous", "binary", "ordinal"]) for _ in range(NODES)]
    pairs = [(order[i], order[j]) for i in range(NODES) for j in range(i + 1, NODES)]
    parents = {v: [] for v in range(NODES)}
    for u, v in stream.sample(pairs, EDGES):
        parents[v].append(u)

    def weight():
        return stream.choice([-1, 1]) * stream.uniform(0.8, 1.8)

    weights = {}
    for v in range(NODES):
        first = {u: (weight(), stream.random() < 0.3) for u in parents[v]}
        changed = stream.random() < CHANGED
        second = {u: (weight(), bend) for u, (_, bend) in first.items()} if changed else first
        weights[v] = (first, second)
    return order, kinds, parents, weights


def draw_value(stream, kind, s):
    if kind == "continuous":
        return s + stream.gauss(0, 1)
    if kind == "binary":
        return int(stream.random() < 1 / (1 + math.exp(-s)))
    shares = [math.exp(0.7 * level * s - 0.35 * level * level + 0.5 * level) for level in range(4)]
    return stream.choices(range(4), shares)[0]


def write_tables(stream, folder, problem):
    order, kinds, _, weights = problem
    for regime, name in enumerate(("obs", "int")):
        with open(f"{folder}/{name}.csv", "w") as file:
            file.write(",".join(f"X{v}" for v in range(NODES)) + "\n")
            for _ in range(ROWS):
                x = [0.0] * NODES
                for v in order:
                    terms = weights[v][regime].items()
                    s = sum(w * (math.tanh(1.5 * x[u]) if bend else x[u]) for u, (w, bend) in terms)
                    x[v] = draw_value(stream, kinds[v], s)
                file.write(",".join(map(str, x)) + "\n")


def scores(path, parents):
    truth = {(f"X{u}", f"X{v}") for v in parents for u in parents[v]}
    with open(path, newline="") as file:
        found = {(r["source"], r["target"]): r["kind"] for r in csv.DictReader(file)}
    directed = {e for e, kind in found.items() if kind == "directed"}
    pairs, true_pairs = {frozenset(e) for e in found}, {frozenset(e) for e in truth}
    shd = len(pairs ^ true_pairs) + sum(frozenset(e) in pairs and e not in directed for e in truth)
    f1 = 2 * len(directed & truth) / (len(found) + len(truth))
    skeleton = 2 * len(pairs & true_pairs) / max(1, len(pairs) + len(true_pairs))
    return shd, f1, skeleton


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/scone"
    graphs = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 60000
    presets = (sys.argv[4] if len(sys.argv) > 4 else "search,ges").split(",")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    print(f"# bench/accuracy/discrete.py PROGRAM {graphs} {seed} {','.join(presets)}; commit {commit}")
    print("graph,preset,shd,f1,skeleton_f1")
    total = {p: [0.0, 0.0, 0.0] for p in presets}
    for g in range(graphs):
        stream = random.Random(f"{seed} {g}")
        problem = draw_problem(stream)
        with tempfile.TemporaryDirectory() as folder:
            write_tables(stream, folder, problem)
            for preset in presets:
                out = f"{folder}/{preset}"
                command = [program, "discover", f"{folder}/obs.csv", f"{folder}/int.csv", "-o", out, "-q", "--preset", preset]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                result = scores(os.path.join(out, "edges.csv"), problem[2])
                total[preset] = [a + b for a, b in zip(total[preset], result)]
                print(f"{g},{preset},{result[0]},{result[1]:.4f},{result[2]:.4f}", flush=True)
    for preset in presets:
        shd, f1, skeleton = (x / graphs for x in total[preset])
        print(f"mean,{preset},{shd:.2f},{f1:.3f},{skeleton:.3f}")


if __name__ == "__main__":
    main()
