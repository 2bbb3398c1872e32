#!/usr/bin/env python3
"""Time and memory of the table reader against pandas.read_csv with its default engine.

Writes 20,000 x 100 numbers in several styles, reads each file with both, alternating, on one
processor (this process and its children are bound to one, so that neither uses more threads), and
writes the best and median processor seconds (so that other work on the machine counts little),
their ratio and the growth of the reader's peak memory to bench/results/speed/csv_read.csv. Needs numpy
and pandas in the Python that runs it, and build/bench/bench_csv:

    cmake --preset release && cmake --build --preset release --target bench_csv
    python3 bench/speed/csv_read.py
"""

import argparse
import csv
import gc
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
STYLES = {
    "17 digits": "%.17g",
    "6 digits": "%.6g",
    "integers": "%d",
    "scientific": "%.18e",  # what numpy.savetxt writes
}


def write_table(path, style, rows, columns, seed):
    import numpy

    generator = numpy.random.default_rng(seed)
    if style == "%d":
        values = generator.integers(-100000, 100000, (rows, columns))
    else:
        values = generator.standard_normal((rows, columns))
    names = ",".join("X%d" % j for j in range(columns))
    numpy.savetxt(path, values, delimiter=",", header=names, comments="", fmt=style)


def time_ours(program, path, repeats):
    lines = subprocess.run([program, str(path), str(repeats)], check=True, capture_output=True,
                           text=True).stdout.split("\n")
    fields = [line.split() for line in lines if line]
    seconds = [float(value) for name, value in fields if name == "seconds"]
    others = {name: float(value) for name, value in fields if name != "seconds"}
    return seconds, others


def time_pandas(path, repeats):
    import pandas

    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        frame = pandas.read_csv(path)
        seconds.append(time.process_time() - start)
        total = float(frame.to_numpy().sum())
        del frame
        gc.collect()
    return seconds, total


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=str(ROOT / "build" / "bench" / "bench_csv"))
    parser.add_argument("--output", default=str(ROOT / "bench" / "results" / "speed" / "csv_read.csv"))
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    import numpy
    import pandas

    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[-1]})
    commit = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"],
                            capture_output=True, text=True).stdout.strip()
    command = "python3 bench/speed/csv_read.py --rows %d --columns %d --rounds %d --seed %d" % (
        options.rows, options.columns, options.rounds, options.seed)
    table = []
    with tempfile.TemporaryDirectory() as folder:
        for style, form in STYLES.items():
            path = pathlib.Path(folder) / "table.csv"
            write_table(path, form, options.rows, options.columns, options.seed)
            ours, theirs, peaks = [], [], []
            for _ in range(options.rounds):
                seconds, others = time_ours(options.program, path, 3)
                ours += seconds
                peaks.append(others["peak_bytes"])
                seconds, total = time_pandas(path, 3)
                theirs += seconds
                if not abs(total - others["sum"]) <= 1e-6 * (1.0 + abs(total)):
                    sys.exit("%s: sums differ: %r and %r" % (style, others["sum"], total))
            bytes_in_table = 8 * options.rows * options.columns
            table += [
                (style, "scone seconds, best", min(ours)),
                (style, "scone seconds, median", statistics.median(ours)),
                (style, "pandas seconds, best", min(theirs)),
                (style, "pandas seconds, median", statistics.median(theirs)),
                (style, "times faster, best", min(theirs) / min(ours)),
                (style, "times faster, median",
                 statistics.median(theirs) / statistics.median(ours)),
                (style, "scone MB per second, best", path.stat().st_size / 1e6 / min(ours)),
                (style, "scone peak memory over table", max(peaks) / bytes_in_table),
            ]
            for row in table[-8:]:
                print("%-12s %-30s %.4g" % row)
    versions = "pandas %s, numpy %s, %s" % (pandas.__version__, numpy.__version__,
                                            platform.processor() or platform.machine())
    pathlib.Path(options.output).parent.mkdir(parents=True, exist_ok=True)
    with open(options.output, "w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["command", "seed", "commit", "versions", "style", "metric", "value"])
        for style, metric, value in table:
            writer.writerow([command, options.seed, commit, versions, style, metric,
                             "%.6g" % value])


if __name__ == "__main__":
    main()
