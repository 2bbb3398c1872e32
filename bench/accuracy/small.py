#!/usr/bin/env python3
"""A line of the table of bench/accuracy/small.sh: SHD / F1 of search and best, and best minus search with its standard error.

    bench/accuracy/small.py FILE
"""
import csv
import os
import statistics
import sys

scores = {}
with open(sys.argv[1], newline="") as file:
    for row in csv.DictReader(file):
        scores.setdefault(row["method"], {})[row["graph"]] = (float(row["shd"]), float(row["f1"]))
graphs = sorted(scores["search"])
if sorted(scores["best"]) != graphs or len(graphs) < 2:
    sys.exit(f"{sys.argv[1]}: not the same graphs, or fewer than two")


def mean(method, k):
    return statistics.mean(scores[method][g][k] for g in graphs)


def difference(k, digits):
    values = [scores["best"][g][k] - scores["search"][g][k] for g in graphs]
    error = statistics.stdev(values) / len(values) ** 0.5
    return f"{statistics.mean(values):+.{digits}f} ± {error:.{digits}f}"


name = os.path.basename(sys.argv[1])[len("small_") : -len(".csv")]
print(
    f"| {name} | {len(graphs)} | {mean('search', 0):.2f} / {mean('search', 1):.3f} | "
    f"{mean('best', 0):.2f} / {mean('best', 1):.3f} | {difference(0, 2)} | {difference(1, 3)} |",
    flush=True,
)
