"""One control and many conditions: docs/notebook/conditions.md."""
from .results import Table, count, mean, number, scores, table, with_error

CASES = [("linear5", "5 conditions of 1,000 rows, linear"), ("linear10", "10 conditions of 300 rows, linear"),
         ("smooth8", "8 conditions of 500 rows, polynomial and sigmoid")]


@table("conditions")
def _():
    """SHD, F1 and the F1 of targets."""
    body = []
    for name, words in CASES:
        file = f"conditions/{name}.csv"
        cells = [f"{with_error(scores(file, 'search', 'shd').values(), 2)} / "
                 f"{with_error(scores(file, 'search', 'f1').values(), 3)}",
                 with_error(scores(file, "search", "target_f1").values(), 3)]
        seconds = number(mean(scores(file, "search", "seconds").values()), 1)
        body.append([words, count(file, "search"), *cells, seconds])
    return Table(["data", "graphs", "SHD / F1", "F1 of the targets", "seconds"], body,
                 "20 nodes and 30 edges, 1 to 3 targets in each condition, and as many rows of the control as of a "
                 "condition: `search`, means over graphs ± standard error. Targets are pairs of a condition and a "
                 "variable. The other core was busy.", "bench/targets/conditions.sh build/scone 110000 8",
                 "110000", [f"conditions/{name}.csv" for name, _ in CASES])
