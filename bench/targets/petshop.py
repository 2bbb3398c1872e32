"""Is the injected fault on top of targets.csv? bench/results/accuracy/petshop.csv.

    python3 bench/targets/petshop.py FOLDER [SCONE] [PRESET]

FOLDER has cases.csv and the folders of the cases with obs.csv and int.csv, made from the data of PetShop (Hardt et al.,
"The PetShop dataset: finding causes of performance issues across microservices", CLeaR 2024), which are not part of the
project; without it nothing is measured. For every case: the place of the injected root cause in the order of
targets.csv, the places in the orders of evidence and of the plain shift of the mean in standard deviations of the
control (ties count half), the variables, and how many are called changed.
"""
import csv
import os
import statistics
import subprocess
import sys
import tempfile

FIELDS = ["case", "preset", "variables", "called", "place", "place_evidence", "place_shift", "seed", "version"]


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def place_of(values, name):
    """The place of a name among names with values, largest first; half the ties stand before it."""
    higher = sum(v > values[name] for v in values.values())
    return 1 + higher + (sum(v == values[name] for v in values.values()) - 1) / 2


def plain_shifts(folder):
    tables = [read(os.path.join(folder, name)) for name in ("obs.csv", "int.csv")]
    shifts = {}
    for name in tables[0][0]:
        control, changed = ([float(row[name]) for row in table if row[name] not in ("", "nan", "NaN")]
                            for table in tables)
        spread = statistics.stdev(control) if min(control) < max(control) else 0.0
        shift = abs(statistics.fmean(changed) - statistics.fmean(control)) if changed else 0.0
        shifts[name] = shift / spread if spread > 0 else 0.0
    return shifts


def measure(scone, preset, folder, case, version):
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out")
        command = [scone, "discover", f"{folder}/{case['case']}/obs.csv", f"{folder}/{case['case']}/int.csv",
                   "--na", "drop", "--seed", "0", "--quiet", "-o", out]
        subprocess.run(command + (["--preset", preset] if preset else []), check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        targets = read(os.path.join(out, "targets.csv"))
    root = case["root_cause"]
    names = [row["variable"] for row in targets]
    return {"case": case["case"], "preset": preset or "default", "variables": len(names),
            "called": sum(row["target"] == "1" for row in targets), "place": names.index(root) + 1,
            "place_evidence": place_of({row["variable"]: float(row["evidence"]) for row in targets}, root),
            "place_shift": place_of(plain_shifts(f"{folder}/{case['case']}"), root), "seed": 0, "version": version}


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else ""
    scone = sys.argv[2] if len(sys.argv) > 2 else "build/scone"
    preset = sys.argv[3] if len(sys.argv) > 3 else ""
    if not os.path.exists(os.path.join(folder, "cases.csv")):
        sys.stderr.write(f"{folder or 'no folder'}: there is no cases.csv, so nothing is measured\n")
        return
    version = subprocess.run([scone, "--version"], check=True, capture_output=True, text=True).stdout.split("\n")[0]
    writer = csv.DictWriter(sys.stdout, FIELDS, lineterminator="\n")
    writer.writeheader()
    for case in read(os.path.join(folder, "cases.csv")):
        writer.writerow(measure(scone, preset, folder, case, version))
        sys.stdout.flush()


main()
