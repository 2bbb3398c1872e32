#!/usr/bin/env python3
"""Does the command in examples/README.md make control.csv and treated.csv?

    tests/examples/simulated_tables.py SCONE
"""
import csv
import os
import re
import subprocess
import sys
import tempfile


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    return names, [float(cell) for row in rows for cell in row]


with open("examples/README.md", encoding="utf-8") as page:
    command = re.search(r"^scone (simulate .*)$", page.read(), re.M).group(1).split()
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([os.path.realpath(sys.argv[1])] + command + ["--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    for kept, made in ("control", "obs"), ("treated", "int"):
        names, values = read(f"examples/{kept}.csv")
        other_names, others = read(f"{folder}/six/g0/{made}.csv")
        if names != other_names or len(values) != len(others):
            sys.exit(f"{kept}.csv: other columns or rows than the command makes")
        if not all(abs(a - b) <= 1e-9 * (1.0 + abs(a)) for a, b in zip(values, others)):
            sys.exit(f"{kept}.csv: other values than the command makes")
