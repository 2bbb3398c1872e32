"""Means of the presets over seeds of their training, and the spread between the seeds (bench/seeds.sh).

    python3 bench/seeds.py NAME FILE... (one of scone bench per seed of the training)
"""

import csv
import sys
from statistics import mean, stdev


def main() -> None:
    name, files = sys.argv[1], sys.argv[2:]
    means: dict[str, list[tuple[float, float]]] = {}
    for file in files:
        by_method: dict[str, list[tuple[float, float]]] = {}
        with open(file, newline="") as stream:
            rows = list(csv.DictReader(stream))
        for row in rows:
            by_method.setdefault(row["method"], []).append((float(row["shd"]), float(row["f1"])))
        for method, scores in by_method.items():
            means.setdefault(method, []).append((mean(s[0] for s in scores), mean(s[1] for s in scores)))
    for method, seeds in means.items():
        shd, f1 = [s[0] for s in seeds], [s[1] for s in seeds]
        each = ", ".join(f"{a:.2f} / {b:.3f}" for a, b in seeds)
        print(f"{name} {method}: {mean(shd):.2f} / {mean(f1):.3f}, sd {stdev(shd):.2f} / {stdev(f1):.3f} ({each})")


main()
