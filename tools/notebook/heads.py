"""What the bias heads do: docs/notebook/heads.md."""
from .results import Table, differences, mean, number, rows, table, with_error

SETTINGS = {"ood-20-20": 30, "ood-20-40": 30, "ood-50-50": 20}  # graphs of bench/training/heads.sh
HEADS = ("ssi", "cvt", "dpt")
NORMS = ("sum/largest", "mean/largest", "rank", "standardized")
COMMAND, SEED = "bench/training/heads.sh FOLDER", "90000"


def file_of(setting):
    return f"paper/heads_{setting}.csv"


def value(setting, measure, block, of):
    found = [r["value"] for r in rows(file_of(setting))
             if (r["measure"], r["block"], r["of"]) == (measure, str(block), of)]
    if len(found) != 1:
        raise ValueError(f"{file_of(setting)}: {len(found)} rows of {measure} {block} {of}")
    return float(found[0])


def blocks(setting):
    return sorted({int(r["block"]) for r in rows(file_of(setting)) if r["block"]})


def files():
    return [file_of(s) for s in SETTINGS]


@table("heads_gamma")
def _():
    """The areas under the curve of gamma and of norms without anything learned, by block."""
    body = [[s, b + 1, number(value(s, "auc", b, "gamma"), 3), *(number(value(s, "auc", b, n), 3) for n in NORMS)]
            for s in SETTINGS for b in blocks(s)]
    head = ["setting", "block", "γ, learned", "sum over the largest", "mean over the largest", "rank of the mean",
            "mean, standardized"]
    return Table(head, body, "Area under the curve of γ for \"the mechanism of the node changed\", over all members of "
                 "subsets, beside norms of ‖Δ‖ at the node in the same weights.", COMMAND, SEED, files())


@table("heads_spoken")
def _():
    """Cells that a head speaks of, and how loudly, by block."""
    body = []
    for s in SETTINGS:
        for b in blocks(s):
            cells = [f"{100 * value(s, 'share', b, h):.0f}%, {number(value(s, 'size', b, h), 3)}" for h in HEADS]
            body.append([s, b + 1, *cells])
    return Table(["setting", "block", "SSI", "CVT", "DPT"], body, "Cells with a bias that is not 0, and the root mean "
                 "square of what the head adds to the stream over that of the stream.", COMMAND, SEED, files())


@table("heads_silenced")
def _():
    """F1 with all heads, and the paired differences when one or all of them are silenced."""
    body = []
    for s, graphs in SETTINGS.items():
        cells = []
        for without in (*HEADS, "any"):
            gap, error = (value(s, m, "", without) for m in ("difference", "error"))
            cells.append(f"{number(gap, 3, sign=True)} ± {error:.3f}")
        body.append([s, graphs, f"{number(value(s, 'shd', '', ''), 2)} / {number(value(s, 'f1', '', ''), 3)}", *cells])
    return Table(["setting", "graphs", "SHD / F1, all heads", "without SSI", "without CVT", "without DPT", "without any"],
                 body, "`paper` with heads silenced when it is used: differences of F1 on the same graphs ± standard error. "
                 "Graphs without rules, four assignments of identities.", COMMAND, SEED, files())


@table("heads_left_out")
def _():
    """F1 of the shipped weights, and of `paper` trained without a head less that, on the same graphs."""
    ids = {r["name"]: r["model"] for r in rows("training/leftout.csv")}
    body = []
    for s in SETTINGS:
        every = rows(f"training/leftout_{s}.csv")
        f1 = {name: {r["graph"]: float(r["f1"]) for r in every if r["model"] == ids[name]} for name in ids}
        cells = [with_error(differences(f1["paper"], f1[f"no-{h}"]), 3, sign=True) if f"no-{h}" in f1 else "not measured"
                 for h in HEADS]
        body.append([s, len(f1["paper"]), number(mean(f1["paper"].values()), 3), *cells])
    return Table(["setting", "graphs", "F1, all heads", "without SSI", "without CVT", "without DPT"], body,
                 "`paper` trained without a head: differences of F1 to the shipped weights on the same graphs ± standard "
                 "error over graphs, of one training each.", "bench/training/left_out.sh FOLDER", "92000; of the trainings 1",
                 [f"training/leftout_{s}.csv" for s in SETTINGS])
