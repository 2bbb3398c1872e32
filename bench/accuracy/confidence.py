"""The map from score differences to probabilities, from the output of bench_calibration.

    python3 bench/accuracy/confidence.py [--prune] FILE...

For pairs with an edge in the found graph: logistic regressions on log(1 + nats) of whether there is an edge (nats: the better
direction against no edge) and, if so, of whether its direction is right (nats: the difference of both directions), apart for
effects with plain and with complicated models; and how often directions are right that the other edges leave no choice of, and
pairs wrong that have no edge. With --prune, found pairs at complicated nodes that are worth less than 1.5 sqrt(n)
nats are left out, as a search leaves them out (files from before it did; named ...-ROWS.csv). Prints CSV; the numbers
stand in src/learn/search/search_describe.c and docs/notebook/search.md.
"""
import csv
import math
import sys


def logistic(items):
    """a, b of log-odds a + b x, by Newton's method; b has a normal prior of mean 1 and deviation 1/2, since errors are few."""
    a = b = 0.0
    for _ in range(60):
        ga, gb, haa, hab, hbb = -0.01 * a, 4.0 * (1.0 - b), 0.01, 0.0, 4.0
        for x, true in items:
            p = 1.0 / (1.0 + math.exp(-(a + b * x)))
            w = p * (1.0 - p)
            ga += true - p
            gb += (true - p) * x
            haa += w
            hab += w * x
            hbb += w * x * x
        det = haa * hbb - hab * hab
        a += max(-1.0, min(1.0, (hbb * ga - hab * gb) / det))
        b += max(-1.0, min(1.0, (haa * gb - hab * ga) / det))
    return a, b


def read(paths, prune):
    for path in paths:
        least = 1.5 * math.sqrt(2.0 * int(path.rsplit("-", 1)[1].split(".")[0])) if prune else 0.0
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                values = float(row["value_forward"]), float(row["value_backward"])
                if int(row["found"]) and int(row["complicated"]) and max(values) < least:
                    continue
                yield int(row["truth"]), int(row["found"]), values, int(row["complicated"])


def main():
    prune = sys.argv[1:2] == ["--prune"]
    rows = list(read(sys.argv[2:] if prune else sys.argv[1:], prune))
    print("what,model,cases,right,intercept,slope")
    for kind, name in enumerate(("plain", "complicated")):
        found = [r for r in rows if r[1] and r[3] == kind]
        edge = [(math.log1p(max(0.0, max(v))), float(t != 0)) for t, _, v, _ in found]
        free = [(t, f, v) for t, f, v, _ in found if t and not math.isinf(v[0] - v[1])]
        way = [(math.log1p(abs(v[0] - v[1])), float(t == f)) for t, f, v in free]
        for what, items in (("edge", edge), ("direction", way)):
            if not items:
                continue
            a, b = logistic(items)
            print(f"{what},{name},{len(items)},{sum(t for _, t in items):.0f},{a:.3f},{b:.3f}")
        bound = [t == f for t, f, v, _ in found if t and math.isinf(v[0] - v[1])]
        print(f"direction without choice,{name},{len(bound)},{sum(bound)},,")
    absent = [(max(-15.0, max(v)), t) for t, f, v, _ in rows if not f]
    for low, high in ((-15.0, -10.0), (-10.0, -5.0), (-5.0, math.inf)):
        part = [t == 0 for v, t in absent if low <= v < high]
        print(f"no edge; better direction {low:g} to {high:g} nats,,{len(part)},{sum(part)},,")


if __name__ == "__main__":
    main()
