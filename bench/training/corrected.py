#!/usr/bin/env python3
"""What the model of best and best-ood changes about the search, on the same graphs.

    bench/training/corrected.py [SEED] > bench/results/correction/corrected.csv

From the files of bench/training/presets.sh with that seed (70000): means of both, and the mean differences of SHD, F1 and area under the precision-recall curve with their standard errors. Standard library only."""
import csv
import os
import statistics
import sys

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")
MEASURES = ("shd", "f1", "auprc")
CASES = [  # file of presets.sh, method
    ("best-ood-20-20", "best-ood"),
    ("best-ood-20-30", "best-ood"),
    ("best-ood-20-40", "best-ood"),
    ("best-ood-50-50", "best-ood"),
    ("best-ood-100-100", "best-ood"),
    ("best-ood-rows-1000", "best-ood"),
    ("best-wild-20-20", "best"),
    ("best-wild-20-20-1000", "best"),
    ("best-default-20-20", "best"),
    ("best-default-20-20-1000", "best"),
    ("best-train-20-20", "best"),
    ("best-train-20-40", "best"),
    *((f"best-columns-{n}", "best") for n in (50, 100, 200, 400)),
]
# Versions between which nothing changed but training: rows of the search are the same in both, to the last digit (seen on 120 graphs).
SAME_SEARCH = {"5ccf078dd1ff", "dcc44c7a7637"}


def read(name, method):
    with open(os.path.join(RESULTS, name + ".csv"), newline="") as file:
        return {row["graph"]: row for row in csv.DictReader(file) if row["method"] == method}


def main():
    seed = sys.argv[1] if len(sys.argv) > 1 else "70000"
    end = "" if seed == "70000" else "_" + seed
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["setting", "method", "graphs"] + [f"{who}_{m}" for m in MEASURES for who in ("search", "method", "difference", "error")])
    for name, method in CASES:
        path = "presets_" + name + end
        if not os.path.exists(os.path.join(RESULTS, path + ".csv")):
            continue
        ours, search = read(path, method), read(path, "search")
        graphs = sorted(set(ours) & set(search), key=int)
        if len(graphs) < 2:
            continue
        for g in graphs:
            commits = {search[g].get("commit"), ours[g].get("commit")}
            if not all(commits) or (len(commits) > 1 and not commits <= SAME_SEARCH):
                sys.exit(f"{path}.csv, graph {g}: rows of two versions of scone, or of ones that are not told, cannot be compared")
        cells = []
        for m in MEASURES:
            a, b = [float(search[g][m]) for g in graphs], [float(ours[g][m]) for g in graphs]
            gaps = [y - x for x, y in zip(a, b)]
            error = statistics.stdev(gaps) / len(gaps) ** 0.5
            cells += [f"{v:.4f}" for v in (statistics.mean(a), statistics.mean(b), statistics.mean(gaps), error)]
        out.writerow([name.removeprefix("best-"), method, len(graphs), *cells])


main()
