#!/usr/bin/env python3
"""Time of the PolyBIC ensemble beside NumPy with design matrices, to bench/results/speed/polybic.csv.

Usage: polybic.py [BUILD_FOLDER]
One graph of ood-20-20: 190 pairs, two regimes of 10,000 rows, 50 replicates each. Processor seconds
on one thread, so that other work on the machine counts little: the least of all rounds of scone, one
round of each NumPy version. The NumPy scripts first check that both compute the same scores.
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build")
SETTING, REPLICATES, SEED = "ood-20-20", "50", "1"
ONE_THREAD = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, env=ONE_THREAD)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout.split()


def main():
    program = str(BUILD / "bench" / "bench_polybic")
    reference = str(ROOT / "bench" / "peers" / "polybic_reference.py")
    rows = []
    commit = run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"])[0]

    def record(command, metric, value):
        rows.append((command, SEED, commit, metric, value))
        print(f"{metric:40} {value}")

    with tempfile.TemporaryDirectory() as folder:
        arguments = [SETTING, "1", REPLICATES, "20", SEED]
        ours = min(float(text) for text in run([program, *arguments, folder]))
        record(" ".join(["bench_polybic", *arguments]), "scone_seconds", f"{ours:.6f}")
        for name, extra in (("design_per_pair", []), ("shared_designs", ["shared"])):
            arguments = [REPLICATES, SEED, *extra]
            theirs = float(run([sys.executable, reference, folder, *arguments])[0])
            command = " ".join(["bench/peers/polybic_reference.py", "FOLDER", *arguments])
            record(command, f"numpy_{name}_seconds", f"{theirs:.6f}")
            record("bench/speed/polybic.py", f"times_faster_than_{name}", f"{theirs / ours:.1f}")
    path = ROOT / "bench" / "results" / "speed" / "polybic.csv"
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["command", "seed", "commit", "metric", "value"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
