"""What the search reaches: docs/notebook/search.md."""
from .results import (Table, comments, count, mean, number, pair, paired, rows, scores, table, value, where, with_error)

SETTINGS = [  # file, setting
    ("ood-20-20", "ood-20-20"),
    ("indist-20-20", "indist-20-20"),
    ("additive", "ood-20-20, additive noise"),
    ("ood-20-30", "ood-20-30"),
    ("ood-20-40", "ood-20-40"),
    ("ood-50-50", "ood-50-50"),
    ("ood-100-100", "ood-100-100"),
    ("train-20-20", "20/20 of linear, nn, nn_add"),
    ("train-20-40", "20/40 of linear, nn, nn_add"),
    ("linear", "20/20, linear alone"),
    ("wild-20-20", "wild-20-20"),
    ("wild-20-40", "wild-20-40"),
    ("wild-50-50", "wild-50-50"),
]
VARIATIONS = [  # file, variation, method
    ("rows-500", "500 rows a table", "search"),
    ("rows-1000", "1,000", "search"),
    ("rows-2000", "2,000", "search"),
    ("rows-5000", "5,000", "search"),
    ("rows-50000", "50,000", "search"),
    ("targets-none", "no targets", "search"),
    ("targets-all", "every non-root a target", "search"),
    ("fast", "`--effort fast`", "search"),
    ("thorough", "`--effort thorough`", "search"),
    ("ges", "preset `ges`", "ges"),
    ("polybic", "preset `polybic`", "polybic"),
]
CALIBRATIONS = [  # file, setting, rows
    ("ood-20-20", "ood-20-20", "10,000"),
    ("ood-20-20-1000", "ood-20-20", "1,000"),
    ("wild-20-20-1000", "wild-20-20", "1,000"),
    ("train-20-20-1000", "20/20 of linear, nn, nn_add", "1,000"),
]


def accuracy(name):
    return f"accuracy/accuracy_{name}.csv"


def targets(file, method):
    return number(mean(scores(file, method, "target_f1").values()), 3)


@table("search_accuracy")
def _():
    """Means of the columns shd, f1 and target_f1 by method, with standard errors for the search."""
    body = [[name, count(accuracy(f), "search"), pair(accuracy(f), "search", errors=True), pair(accuracy(f), "kurtosis"),
             pair(accuracy(f), "empty"), targets(accuracy(f), "search")] for f, name in SETTINGS]
    return Table(["setting", "graphs", "search", "order by kurtosis", "empty graph", "F1 of targets"], body,
                 "SHD / F1, means over graphs with 10,000 rows a table, ± standard error.",
                 "bench/accuracy/accuracy.sh", 60000, [accuracy(f) for f, _ in SETTINGS])


@table("search_orders")
def _():
    """Mean paired difference of SHD between a simple method and the search."""
    body = [[name, *(paired(accuracy(f), "search", m, "shd", 2) for m in ("kurtosis", "variance", "r2", "empty"))]
            for f, name in SETTINGS]
    return Table(["setting", "kurtosis", "variance", "R²", "empty graph"], body,
                 "SHD of a graph along a simple order less that of the search: mean over the same graphs ± standard error.",
                 "bench/accuracy/accuracy.sh", 60000, [accuracy(f) for f, _ in SETTINGS])


@table("search_variations")
def _():
    """As search_accuracy; the order by kurtosis where it was run."""
    body = []
    for f, name, method in VARIATIONS:
        order = pair(accuracy(f), "kurtosis") if scores(accuracy(f), "kurtosis", "shd") else "not measured"
        body.append([name, count(accuracy(f), method), pair(accuracy(f), method, errors=True), order,
                     targets(accuracy(f), method)])
    return Table(["variation of ood-20-20", "graphs", "SCONE", "order by kurtosis", "F1 of targets"], body,
                 "SHD / F1, means over graphs ± standard error.", "bench/accuracy/accuracy.sh", 60000,
                 [accuracy(f) for f, _, _ in VARIATIONS])


@table("search_sachs")
def _():
    """The columns SHD, F1 and skeleton F1 of each condition, and their means over the conditions."""
    file = "search/sachs.csv"
    methods = ("best", "search", "ges")
    body, every = [], {m: [] for m in methods}
    for condition in dict.fromkeys(r["condition"] for r in rows(file)):
        cells = []
        for m in methods:
            r = where(file, condition=condition, method=m)
            every[m].append((float(r["SHD"]), float(r["F1"]), float(r["skeleton F1"])))
            cells.append(f"{r['SHD']} / {r['F1']} / {r['skeleton F1']}")
        body.append([condition, *cells, len(where(file, condition=condition, method="best")["targets"].split())])
    body.append(["mean", *(" / ".join(number(mean(v), d) for v, d in zip(zip(*every[m]), (1, 3, 3))) for m in methods), ""])
    return Table(["condition", "`best`", "`search`", "`ges`", "targets of 11"], body,
                 "SHD / F1 / F1 of the skeleton against the reference graph; what `best` calls a target.",
                 "bench/accuracy/sachs.sh FOLDER", "none", [file])


def errors_by(*columns):
    """{values of the columns: [nodes, missing, extra, turned]}"""
    total = {}
    for r in rows("search/errors.csv"):
        cell = total.setdefault(tuple(r[c] for c in columns), [0] * 4)
        for k, c in enumerate(("nodes", "missing", "extra", "turned")):
            cell[k] += int(r[c])
    return total


def errors_table(column, head, names):
    split = errors_by(column, "cause")
    body = [[name, *("{}: {} / {} / {}".format(*split[key, cause]) if (key, cause) in split else "none"
                     for cause in ("score", "search"))] for key, name in names]
    return Table([head, "score", "search"], body, "Nodes: their parents that are missing / extra / turned.",
                 "bench/accuracy/errors.sh 501 6", "501, for tuning; 6 graphs a setting", ["search/errors.csv"])


@table("search_errors")
def _():
    """Sums of the columns nodes, missing, extra and turned by setting and cause."""
    return errors_table("setting", "setting", [
        ("ood-20-20", "ood-20-20"), ("indist-20-20", "indist-20-20"), ("ood-20-20-additive", "ood-20-20, additive noise"),
        ("ood-20-40", "ood-20-40"), ("wild-20-20", "wild-20-20"), ("train-20-20", "20/20 of linear, nn, nn_add")])


@table("search_errors_model")
def _():
    """The same by the model of the true parents."""
    return errors_table("model", "model of the true parents", [
        ("constant", "constant spread"), ("sd", "sd link"), ("log", "log link"), ("modelled", "modelled spread")])


@table("search_discrete")
def _():
    """Means of shd, f1 and skeleton_f1 over graphs."""
    file = "search/discrete.csv"
    body = []
    for preset in ("search", "ges"):
        cells = [[float(r[c]) for r in rows(file) if r["preset"] == preset and r["graph"] != "mean"]
                 for c in ("shd", "f1", "skeleton_f1")]
        body.append([f"`{preset}`", len(cells[0]), *(with_error(v, d) for v, d in zip(cells, (2, 3, 3)))])
    return Table(["preset", "graphs", "SHD", "F1", "F1 of the skeleton"], body, "Means over graphs ± standard error.",
                 "bench/accuracy/discrete.py build/scone 20 60000 search,ges", 60000, [file])


@table("search_confidence")
def _():
    """The columns cases, right, intercept and slope of every fit."""
    file = "search/confidence.csv"
    body = []
    for r in rows(file):
        kind = {"plain": "plain", "complicated": "refined or shaped", "": "any"}[r["model"]]
        fit = "none fitted"
        if r["slope"]:
            fit = f"{number(float(r['intercept']), 2)} + {number(float(r['slope']), 2)} log(1 + nats)"
        body.append([r["what"].replace("-", "−").replace("inf nats", "∞ nats"), kind, f"{int(r['cases']):,}",
                     f"{int(r['right']):,}", fit])
    return Table(["what", "model of the effect", "cases", "right", "log-odds"], body,
                 "A prior around 1 holds the slope, since errors are few.", "bench/accuracy/confidence.sh 301 16",
                 "301, for tuning; 16 graphs a setting", [file])


@value("search_absent_true")
def _():
    absent = [r for r in rows("search/confidence.csv") if r["what"].startswith("no edge")]
    return f"{sum(int(r['cases']) - int(r['right']) for r in absent)} in {sum(int(r['cases']) for r in absent):,}"


def calibration(file):
    """Graphs, which the first line of the file names, and the errors of both groups of pairs."""
    errors = [where(file, pairs=group, bin="total")["error"] for group in ("all", "with an edge")]
    return [comments(file)[0].split()[2], *(number(float(e), 3) for e in errors)]


@table("search_calibration")
def _():
    """The rows `total` of the calibration error."""
    body = [[name, n, *calibration(f"search/calibration_{f}.csv")] for f, name, n in CALIBRATIONS]
    return Table(["setting", "rows a table", "graphs", "all pairs", "pairs with an edge at 0.05 or more"], body,
                 "Calibration error of the search over ten bins.", "bench/accuracy/calibration.sh 60000 GRAPHS", 60000,
                 [f"search/calibration_{f}.csv" for f, _, _ in CALIBRATIONS])
