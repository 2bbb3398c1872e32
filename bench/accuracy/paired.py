#!/usr/bin/env python3
"""Paired differences between methods on the same graphs, from files of `scone bench`, for
experiments; tools/notebook.py has those of the committed results.

    bench/accuracy/paired.py FILE...

For each file and each method but the first: the mean over graphs of (method - first) in SHD and in F1, with the standard
error of that mean, and the number of graphs. Standard library only."""
import csv
import math
import os
import sys


def difference(pairs):
    gaps = [b - a for a, b in pairs]
    mean = sum(gaps) / len(gaps)
    if len(gaps) < 2:
        return mean, float("nan")
    variance = sum((g - mean) ** 2 for g in gaps) / (len(gaps) - 1)
    return mean, math.sqrt(variance / len(gaps))


def main(paths):
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow("file,method,against,graphs,shd,shd_error,f1,f1_error".split(","))
    for path in paths:
        scores, methods = {}, []
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                if row["method"] not in methods:
                    methods.append(row["method"])
                scores[row["method"], row["graph"]] = float(row["shd"]), float(row["f1"])
        name = os.path.basename(path).removeprefix("accuracy_").removesuffix(".csv")
        first = methods[0]
        for method in methods[1:]:
            graphs = sorted(g for m, g in scores if m == method and (first, g) in scores)
            if not graphs:
                continue
            cells = []
            for part in range(2):
                pairs = [(scores[first, g][part], scores[method, g][part]) for g in graphs]
                cells += ["%.4f" % x for x in difference(pairs)]
            out.writerow([name, method, first, len(graphs), *cells])


main(sys.argv[1:])
