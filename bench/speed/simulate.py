#!/usr/bin/env python3
"""Time of the benchmark generator beside the same distribution in NumPy, to bench/results/speed/simulate.csv.

Usage: simulate.py [BUILD_FOLDER]
One graph of ood-100-100 (100 nodes, 10,000 rows in each of two regimes) in memory: NumPy on one
thread, scone on one and on two. The three take turns, so that a busy moment of the machine hits all
of them; of each graph the least time over all turns counts, and the mean over the graphs is reported.
Run it while nothing else runs: how many processors other programs kept busy meanwhile is reported too,
and processor time, which suffers less from company.
"""
import csv
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build")
SEED = 1
TURNS = 12
GRAPHS = 15
SETTING = "ood-100-100"
ONE_THREAD = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")


def busy_seconds():
    """processor seconds all processes of the machine have used, and those of our children"""
    fields = [int(text) for text in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
    ticks = os.sysconf("SC_CLK_TCK")
    ours = os.times()
    everything = (sum(fields[:8]) - fields[3] - fields[4]) / ticks
    return everything, ours.user + ours.system + ours.children_user + ours.children_system


def run(command, environment=None):
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout.split()


def main():
    reference = ["bench/peers/simulate_reference.py", "100", "100", "polynomial,sigmoid", "10000",
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
    started, before = time.perf_counter(), busy_seconds()
    measured = {name: [] for name in cases}  # [turn][graph] = seconds, processor seconds
    for _ in range(TURNS):
        for name, (command, _, environment) in cases.items():
            numbers = [float(text) for text in run(command, environment)]
            measured[name].append(list(zip(numbers[::2], numbers[1::2])))
    words = run([str(BUILD / "bench" / "bench_rng")])
    elapsed, after = time.perf_counter() - started, busy_seconds()
    others = (after[0] - before[0] - (after[1] - before[1])) / elapsed
    commit = run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"])[0]
    rows = []
    best = {}
    for name, turns in measured.items():
        for column, unit in enumerate(("seconds", "processor_seconds")):
            if unit == "processor_seconds" and name == "scone_2_threads":
                continue  # the clock of a process lags behind for its other threads
            least = [min(turn[graph][column] for turn in turns) for graph in range(GRAPHS)]
            best[name, unit] = sum(least) / GRAPHS
            rows.append((cases[name][1], SEED, commit, f"{name}_{unit}", f"{best[name, unit]:.6f}"))
    for unit in ("seconds", "processor_seconds"):
        ratio = best["numpy_1_thread", unit] / best["scone_1_thread", unit]
        rows.append(("bench/speed/simulate.py", SEED, commit, f"times_faster_than_numpy_{unit}",
                     f"{ratio:.2f}"))
    speedup = best["scone_1_thread", "seconds"] / best["scone_2_threads", "seconds"]
    rows.append(("bench/speed/simulate.py", SEED, commit, "speedup_of_2_threads", f"{speedup:.2f}"))
    rows.append(("bench/speed/simulate.py", SEED, commit, "processors_busy_with_other_work",
                 f"{max(others, 0.0):.2f}"))
    for kind, value in zip(words[::2], words[1::2]):
        rows.append(("bench_rng", SEED, commit, f"nanoseconds_per_{kind}", value))
    path = ROOT / "bench" / "results" / "speed" / "simulate.csv"
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["command", "seed", "commit", "metric", "value"])
        writer.writerows(rows)
    for row in rows:
        print(f"{row[3]:42} {row[4]}")


if __name__ == "__main__":
    main()
