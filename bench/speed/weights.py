#!/usr/bin/env python3
"""Weight files against the reference implementation of their format, the safetensors package.

Lets bench_weights write a file, reads it with the package, and compares every name, type, shape and
value with what they must be; then takes the processor seconds of opening it, with all checks and
checksums here and with none in the package. Writes bench/results/speed/weights.csv; exits with 1 if
anything differs. Needs numpy and safetensors in the Python that runs it, and
build/bench/bench_weights:

    cmake --preset release && cmake --build --preset release --target bench_weights
    python3 bench/speed/weights.py
"""

import csv
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import safetensors
from safetensors.numpy import load_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
TENSORS, FLOATS, WORDS = 64, 16384, 257


def expected():
    index = numpy.arange(FLOATS)
    for t in range(TENSORS):
        values = (index * 7919 + t * 104729) % 65536 / 4096.0 - 8.0
        yield "block.%d.weight" % t, values.astype(numpy.float32).reshape(FLOATS // 64, 64)
    for t, name in enumerate(("position", "random")):
        words = [((i + 1) * 0x9E3779B97F4A7C15 + t) % 2**64 for i in range(WORDS)]
        yield name, numpy.array(words, dtype=numpy.uint64)


def differences(path):
    found = load_file(path)
    wanted = dict(expected())
    if set(found) != set(wanted):
        yield "names"
    for name, values in wanted.items():
        read = found.get(name)
        if read is None or read.dtype != values.dtype or read.shape != values.shape:
            yield name + ": type or shape"
        elif not numpy.array_equal(read, values):
            yield name + ": values"
    with safetensors.safe_open(path, framework="np") as file:
        metadata = file.metadata()
    if metadata.get("command") != 'bench_weights "quoted" \\ \u00e4':
        yield "metadata"
    if path.stat().st_size <= 4 * TENSORS * FLOATS + 16 * WORDS:
        yield "size"


def main():
    rounds = 21
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "sample.safetensors"
        printed = subprocess.run([ROOT / "build/bench/bench_weights", path, str(rounds)], check=True,
                                 capture_output=True, text=True).stdout.split()
        ours = [float(printed[i + 1]) for i in range(0, len(printed), 2) if printed[i] == "open"]
        wrong = list(differences(path))
        theirs = []
        for _ in range(rounds):
            start = time.process_time()
            load_file(path)
            theirs.append(time.process_time() - start)
        size = path.stat().st_size
    rows = {"tensors that differ": len(wrong), "bytes": size,
            "scone seconds to open and check, median": statistics.median(ours),
            "safetensors seconds to load, median": statistics.median(theirs)}
    versions = "safetensors %s, numpy %s, %s" % (safetensors.__version__, numpy.__version__,
                                                 platform.machine())
    with open(ROOT / "bench/results/speed/weights.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["command", "commit", "versions", "metric", "value"])
        for metric, value in rows.items():
            writer.writerow(["python3 bench/speed/weights.py", commit, versions, metric, "%.7g" % value])
            print("%s: %.7g" % (metric, value))
    for line in wrong:
        print("differs: " + line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
