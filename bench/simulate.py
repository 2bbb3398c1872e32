#!/usr/bin/env python3
"""Time of the benchmark generator beside the same distribution in NumPy, to bench/results/simulate.csv.

Usage: simulate.py [BUILD_FOLDER]
One graph of ood-100-100 (100 nodes, 10,000 rows in each of two regimes) in memory: NumPy on one
thread, scone on one and on two. The three take turns, so that a busy moment of the machine hits all
of them; of each graph the least time over all turns counts, and the mean over the graphs is reported.
Run it while nothing else runs.
"""
import csv
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build")
SEED = 1
TURNS = 12
GRAPHS = 15
SETTING = "ood-100-100"
ONE_THREAD = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")


def run(command, environment=None):
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout.split()


def main():
    reference = ["bench/simulate_reference.py", "100", "100", "polynomial,sigmoid", "10000",
                 str(GRAPHS), str(SEED)]
    program = str(BUILD / "bench" / "bench_simulate")
    cases = {
        "numpy_1_thread": ([sys.executable, str(ROOT / reference[0]), *reference[1:]],
                           "python " + " ".join(reference), ONE_THREAD),
    }
    for threads in ("1", "2"):
        arguments = [SETTING, threads, str(GRAPHS), str(SEED)]
        cases[f"scone_{threads}_thread" + "s" * (threads != "1")] = (
            [program, *arguments], " ".join(["bench_simulate", *arguments]), None)
    seconds = {name: [] for name in cases}
    for _ in range(TURNS):
        for name, (command, _, environment) in cases.items():
            times = [float(text) for text in run(command, environment)]
            seconds[name].append(times)
    commit = run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"])[0]
    best = {name: sum(map(min, zip(*turns))) / GRAPHS for name, turns in seconds.items()}
    rows = [(cases[name][1], SEED, commit, f"{name}_seconds", f"{value:.6f}")
            for name, value in best.items()]
    ratio = best["numpy_1_thread"] / best["scone_1_thread"]
    speedup = best["scone_1_thread"] / best["scone_2_threads"]
    rows.append(("bench/simulate.py", SEED, commit, "times_faster_than_numpy", f"{ratio:.2f}"))
    rows.append(("bench/simulate.py", SEED, commit, "speedup_of_2_threads", f"{speedup:.2f}"))
    words = run([str(BUILD / "bench" / "bench_rng")])
    for kind, value in zip(words[::2], words[1::2]):
        rows.append(("bench_rng", SEED, commit, f"nanoseconds_per_{kind}", value))
    path = ROOT / "bench" / "results" / "simulate.csv"
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["command", "seed", "commit", "metric", "value"])
        writer.writerows(rows)
    for row in rows:
        print(f"{row[3]:32} {row[4]}")


if __name__ == "__main__":
    main()
