"""Expected calibration error of the probabilities of pairs, from the output of bench_calibration.

    python3 bench/accuracy/calibration.py FILE...

Prints CSV: one line for each bin (said, true, entries), and one with the error for each of the two groups of pairs.

For each state of each pair the probability is compared with how often it is true, in ten bins of equal
width; the error is the mean distance weighted by the number of entries. Since most pairs have no edge
and say so, the error is also given for pairs with an edge at 0.05 or more.
"""
import csv
import sys


def bins_of(rows):
    """[(count, mean probability, share that is true)] of ten bins"""
    bins = [[0, 0.0, 0] for _ in range(10)]
    for p, true in rows:
        b = bins[min(9, int(p * 10))]
        b[0] += 1
        b[1] += p
        b[2] += true
    return [(n, s / n, t / n) for n, s, t in bins if n]


def error(table):
    total = sum(n for n, _, _ in table)
    return sum(n * abs(p - t) for n, p, t in table) / total if total else 0.0


def main():
    everything, edges = [], []
    for path in sys.argv[1:]:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                p = [float(row[k]) for k in ("none", "forward", "backward")]
                truth = int(row["truth"])
                pairs = [(p[s], int(truth == s)) for s in range(3)]
                everything += pairs
                if p[0] <= 0.95:
                    edges += pairs
    print("pairs,bin,said,true,entries,error")
    for name, rows in (("all", everything), ("with an edge", edges)):
        table = bins_of(rows)
        for i, (n, p, t) in enumerate(table):
            print(f"{name},{i},{p:.4f},{t:.4f},{n},")
        print(f"{name},total,,,{len(rows)},{error(table):.4f}")


if __name__ == "__main__":
    main()
