#!/usr/bin/env python3
"""How many pairs are wrong, by the threshold of P(edge) from which a graph has an edge.

    build/bench/bench_calibration wild-20-20 40 500 1 1000 best models/best.safetensors | bench/training/thresholds.py >> bench/results/correction/thresholds.csv

Reads the pairs of bench_calibration (tuning seeds) and prints a row per threshold: the mean per graph of missing, extra and turned
edges and of their sum. The likelier direction counts; rules, margin and cycles, which change a pair or two, are left out.
The name of the case, the first column, is the first argument. Standard library only."""
import csv
import sys

TRUTH = {"0": 0, "1": 1, "2": -1}  # none, forward, backward


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "case"
    pairs, graphs = [], set()
    for row in csv.DictReader(sys.stdin):
        forward, backward = float(row["forward"]), float(row["backward"])
        pairs.append((forward + backward, 1 if forward >= backward else -1, TRUTH[row["truth"]]))
        graphs.add(row["graph"])
    for step in range(1, 19):
        threshold = step / 20
        missing = extra = turned = 0
        for edge, way, truth in pairs:
            found = way if edge >= threshold else 0
            missing += found == 0 and truth != 0
            extra += found != 0 and truth == 0
            turned += found != 0 and truth not in (0, found)
        counts = [missing, extra, turned, missing + extra + turned]
        print(",".join([name, str(len(graphs)), f"{threshold:.2f}"] + [f"{c / len(graphs):.3f}" for c in counts]))


main()
