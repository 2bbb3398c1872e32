"""Means of the presets over seeds of their training, the spread between the seeds, and the lead of the first preset over the
others (bench/training/seeds.sh).

    python3 bench/training/seeds.py NAME FILE... (one of scone bench per seed of the training, on the same graphs)
"""

import csv
import sys
from statistics import mean, stdev

MEASURES = ("shd", "f1")


def read(file: str) -> dict[str, dict[str, tuple[float, ...]]]:
    """Scores by method and graph."""
    scores: dict[str, dict[str, tuple[float, ...]]] = {}
    with open(file, newline="") as stream:
        for row in csv.DictReader(stream):
            scores.setdefault(row["method"], {})[row["graph"]] = tuple(float(row[m]) for m in MEASURES)
    return scores


def main() -> None:
    name, files = sys.argv[1], sys.argv[2:]
    seeds = [read(file) for file in files]
    methods = list(seeds[0])
    graphs = seeds[0][methods[0]].keys()
    for file, scores in zip(files, seeds):
        if list(scores) != methods or any(scores[m].keys() != graphs for m in methods):
            sys.exit(f"{file}: other methods or graphs than {files[0]}")
    means = {m: [[mean(g[k] for g in scores[m].values()) for scores in seeds] for k in range(2)] for m in methods}
    for m, (shd, f1) in means.items():
        each = ", ".join(f"{a:.2f} / {b:.3f}" for a, b in zip(shd, f1))
        print(f"{name} {m}: {mean(shd):.2f} / {mean(f1):.3f}, sd {stdev(shd):.2f} / {stdev(f1):.3f} ({each})")
    first = methods[0]
    for m in methods[1:]:
        gaps = [[a - b for a, b in zip(means[first][k], means[m][k])] for k in range(2)]
        each = ", ".join(f"{a:+.2f} / {b:+.3f}" for a, b in zip(*gaps))
        error = [stdev(g) / len(g) ** 0.5 for g in gaps]
        print(
            f"{name} {first} - {m}: {mean(gaps[0]):+.2f} ± {error[0]:.2f} / {mean(gaps[1]):+.3f} ± {error[1]:.3f} "
            f"(standard error between seeds; {each})"
        )


main()
