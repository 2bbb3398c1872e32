"""The paper's tables, with this program and its competitors on the same graphs: docs/notebook/paper.md."""
from . import comparison as c
from .results import Table, commits, fill, mean, name_files, number, rows, table, with_error

HEAD = ["method", "told", "graphs", "SHD", "F1", "precision / recall", "SHD less `paper`", "F1 less `paper`", "seconds",
        "the paper: SHD", "F1", "precision / recall"]
ABLATIONS = ("paper-nb", "paper-nc")
WITHOUT = (*ABLATIONS, "no-ssi", "no-cvt", "no-dpt")
TRAINED = ("ood-20-20", "ood-20-40", "ood-50-50", "ood-100-100")


class Comparison(Table):
    """A table whose results may be missing; seed, rows a table and commits are those of the results that are there."""

    def caption(self):
        found = [f for f in self.files if c.has(f)]
        if not found:
            return fill(f"{self.about} Nothing of it is measured: `{self.command}` does it.")
        every = [r for f in found for r in rows(f)]
        seeds = ", ".join(sorted({r["seed"] for r in every}))
        samples = ", ".join(f"{int(n):,}" for n in sorted({r["samples"] for r in every}, key=int))
        return fill(f"{self.about} Rows a table: {samples}. Command: `{self.command}`. Seed: {seeds}. {commits(found)} "
                    f"Results: {'; '.join(name_files(found))}.")


def said(table_name, setting, model):
    """Three cells with what the paper reports."""
    theirs = c.reported(table_name, setting, model)
    if not theirs:
        return ["", "", ""]
    cells = [m + (f" ({sd})" if sd else "") for m, sd in (theirs["shd"], theirs["f1"])]
    return [*cells, f"{theirs['precision'][0]} / {theirs['recall'][0]}"]


def measured(found, one):
    """The cells of a method from the number of graphs on; differences are to the rows `one`."""
    same = one is found
    cells = [c.state(found), c.spread(c.values(found, "shd").values(), 2), c.spread(c.values(found, "f1").values(), 3)]
    ratios = [list(c.values(found, m).values()) for m in ("precision", "recall")]
    cells.append(" / ".join(number(mean(r), 3) for r in ratios) if all(ratios) else "")
    cells += ["", ""] if same else [c.gap(one, found, "shd", 2), c.gap(one, found, "f1", 3)]
    seconds = [float(r["seconds"]) for r in found.values() if r["status"] == "ok" and r["seconds"]]
    return [*cells, number(mean(seconds), 2) if seconds else ""]


def compare(table_name, setting, methods):
    """A row for each method, and one for each model that the paper alone has."""
    all_runs = c.runs(c.file_of(setting))
    one = all_runs.get("paper", {})
    body, shown = [], set()
    for method in methods:
        model = c.about(method)["reported"]
        shown.add(model)
        found = all_runs.get(method)
        cells = measured(found, one) if found else [c.left_out(setting, method), *[""] * 6]
        body.append([f"`{method}`", c.told(method), *cells, *said(table_name, setting, model)])
    for model in c.reported_models(table_name, setting):
        if model not in shown:
            body.append([model, "", "the paper's alone", *[""] * 6, *said(table_name, setting, model)])
    return body


ABOUT = ("Means over the graphs that were scored, in brackets the standard deviation; differences on the same graphs ± "
         "standard error; seconds of one thread. The last three columns are what the paper reports on its own graphs.")


def setting_table(name, table_name, setting):
    @table(name)
    def _():
        return Comparison(HEAD, compare(table_name, setting, c.planned(setting)), ABOUT, "make tables", "",
                          [c.file_of(setting)])


setting_table("paper_indist", "in-distribution", "indist-20-20")
setting_table("paper_ood_20_20", "out-of-distribution", "ood-20-20")
setting_table("paper_ood_20_30", "out-of-distribution", "ood-20-30")
setting_table("paper_ood_50_50", "out-of-distribution", "ood-50-50")
setting_table("paper_scale", "scale", "ood-100-100")


def ablation_table(name, table_name, method):
    @table(name)
    def _():
        body = []
        settings = ("ood-20-40", "ood-50-50")
        for setting in settings:
            for row in compare(table_name, setting, ["paper", method]):
                body.append([setting, row[0], *row[2:]])
        return Comparison(["setting", *HEAD[:1], *HEAD[2:]], body, ABOUT, "make tables", "",
                          [c.file_of(s) for s in settings])


ablation_table("paper_ablation_nb", "ablation-nb", "paper-nb")
ablation_table("paper_ablation_nc", "ablation-nc", "paper-nc")


@table("paper_failures")
def _():
    """How many graphs a method has no answer for, and the reason that most of them give."""
    body, files = [], []
    for setting in dict.fromkeys(step["setting"] for step in c.read(c.PLAN)):
        files.append(c.file_of(setting))
        for method in c.planned(setting):
            found = c.runs(c.file_of(setting)).get(method, {})
            reasons = [r["reason"] for r in found.values() if r["status"] != "ok"]
            if reasons:
                often = max(dict.fromkeys(reasons), key=reasons.count)
                body.append([setting, f"`{method}`", c.state(found), often[:160]])
    return Comparison(["setting", "method", "graphs", "the reason that most of them give"], body or [["none", "", "", ""]],
                      "Methods that have no answer for some graphs.", "make tables", "", files)


# ---- several trainings ----

def trained_file(setting):
    return f"tables/trained_{setting}.csv"


def trained_runs(setting):
    """{name: {training: {graph: row}}} of the weights that tables/trainings.csv lists."""
    found = {}
    if not c.has(trained_file(setting)):
        return found
    every = rows(trained_file(setting))
    for training in rows("tables/trainings.csv"):
        graphs = {r["graph"]: dict(r, status=r.get("status", "ok")) for r in every if r["model"] == training["model"]}
        if graphs:
            found.setdefault(training["name"], {})[training["seed"]] = graphs
    return found


def averaged(trainings, metric):
    """{graph: mean over the trainings} of the graphs that all have."""
    each = [c.values(graphs, metric) for graphs in trainings.values()]
    return {g: mean(v[g] for v in each) for g in each[0] if all(g in v for v in each)}


def trained_gap(one, other, metric, digits):
    """One less other, of the same trainings: ± the standard error over graphs, and that between trainings."""
    seeds = [s for s in one if s in other]
    if len(seeds) < 2:
        return ""
    a, b = (averaged({s: x[s] for s in seeds}, metric) for x in (one, other))
    graphs = [g for g in a if g in b]
    means = []
    for s in seeds:
        x, y = c.values(one[s], metric), c.values(other[s], metric)
        means.append(mean(x[g] - y[g] for g in graphs))
    over = with_error([a[g] - b[g] for g in graphs], digits, sign=True) if len(graphs) > 1 else ""
    return f"{over} ({with_error(means, digits).rpartition('± ')[2]})"


@table("paper_trained")
def _():
    """Means over graphs and trainings, their spread between trainings, and differences of the same trainings."""
    body, files = [], []
    for setting in TRAINED:
        found = trained_runs(setting)
        files.append(trained_file(setting))
        for name in ("paper", *WITHOUT):
            trainings = found.get(name)
            if not trainings:
                body.append([setting, f"`{name}`", "not measured", *[""] * 5])
                continue
            cells = [c.spread([mean(c.values(g, m).values()) for g in trainings.values()], d)
                     for m, d in (("shd", 2), ("f1", 3))]
            gaps = ["", ""] if name == "paper" or "paper" not in found else \
                [trained_gap(found["paper"], trainings, m, d) for m, d in (("shd", 2), ("f1", 3))]
            body.append([setting, f"`{name}`", len(trainings), max(len(g) for g in trainings.values()), *cells, *gaps])
    return Comparison(["setting", "weights", "trainings", "graphs", "SHD", "F1", "SHD, `paper` less it",
                       "F1, `paper` less it"], body,
                      "Means over graphs and trainings, in brackets the standard deviation between the means of the "
                      "trainings; differences between weights of the same training ± standard error over graphs, in "
                      "brackets the standard error between trainings. `no-ssi`, `no-cvt` and `no-dpt` are `paper` trained "
                      "without this head.", "make tables TRAINED=FOLDER", "", files)
