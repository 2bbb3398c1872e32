"""What a user can expect: the numbers of docs/manual/choose.md, and one of README.md."""
from .presets import corrected
from .results import Table, count, mean, number, rows, scores, table, value

ROWS = (30, 50, 100, 200, 300, 1000)


def choose(name):
    return f"small/choose_{name}.csv"


def of(file, method, column, digits):
    return number(mean(scores(file, method, column).values()), digits)


def percent(file, method, column):
    return number(100 * mean(scores(file, method, column).values()), 0) + "%"


@table("choose_rows")
def _():
    """Means of shd, precision and recall of best, of shd and predicted_edges of ges."""
    files = [choose(n) for n in ROWS]
    body = [[f"{n:,}", of(f, "best", "shd", 1), percent(f, "best", "precision"), percent(f, "best", "recall"),
             of(f, "ges", "shd", 1), of(f, "ges", "predicted_edges", 1)] for n, f in zip(ROWS, files)]
    return Table(["rows in each table", "`best`: wrong edges", "of the arrows drawn, right", "of the true arrows, found",
                  "`ges`: wrong edges", "edges drawn"], body,
                 f"Means over {count(files[0], 'best')} graphs with {of(files[0], 'best', 'true_edges', 1)} true edges.",
                 "bench/accuracy/choose.sh", 70000, files)


def wide(method):
    file = choose("wide")
    return f"{of(file, method, 'predicted_edges', 0)} edges, of which {of(file, method, 'hits', 0)}"


value("choose_wide_true")(lambda: of(choose("wide"), "search", "true_edges", 0))
value("choose_wide_graphs")(lambda: str(count(choose("wide"), "search")))
value("choose_wide_search")(lambda: wide("search"))
value("choose_wide_ges")(lambda: wide("ges"))
value("choose_20_edges")(lambda: of(corrected("default-20-20"), "best", "true_edges", 0))
value("choose_20_wrong")(lambda: of(corrected("default-20-20"), "best", "shd", 1))
value("choose_20_wrong_1000")(lambda: of(corrected("default-20-20-1000"), "best", "shd", 1))


def speed(column, digits, **wanted):
    """The mean over the runs of a case."""
    found = [float(r[column]) for r in rows("speed/speed.csv") if all(r[k] == v for k, v in wanted.items())]
    return number(mean(found), digits)


for nodes in ("20", "50", "100"):
    value(f"choose_seconds_{nodes}")(lambda nodes=nodes: speed("seconds", 0, setting=f"ood-{nodes}-{nodes}",
                                                               effort="normal", threads="2", rows="10000"))
for column, name in (("seconds", "choose_seconds_1000"), ("peak_mb", "choose_memory_1000")):
    value(name)(lambda column=column: speed(column, 0, setting="ood-1000-1000", effort="fast", threads="2", rows="5000"))


@value("readme_sachs")
def _():
    """Least and most SHD of best over the conditions."""
    found = [int(r["SHD"]) for r in rows("search/sachs.csv") if r["method"] == "best"]
    return f"{min(found)} to {max(found)}"
