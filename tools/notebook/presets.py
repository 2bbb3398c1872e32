"""What the presets with weights reach: docs/notebook/presets.md."""
from statistics import stdev

from .accuracy import calibration
from .results import Table, count, differences, mean, number, pair, paired, rows, scores, short, table, value, with_error

PAPER = {  # SHD / F1 that the paper reports on its data
    "indist-20-20": (14.6, 0.655),
    "ood-20-20": (16.3, 0.571),
    "ood-20-30": (26.7, 0.513),
    "ood-20-40": (39.0, 0.469),
    "ood-50-50": (53.9, 0.424),
    "ood-100-100": (126.7, 0.237),
}
PRESETS = ("paper", "paper-nb", "paper-nc")
SETTINGS = [  # file, setting, what the paper calls it
    ("indist-20-20", "indist-20-20, with `models/paper-indist.safetensors`", "indist-20-20"),
    ("ood-20-20", "ood-20-20", "ood-20-20"),
    ("ood-20-20_80000", "ood-20-20, seed 80000", None),
    ("additive", "ood-20-20, additive noise", None),
    ("ood-20-30", "ood-20-30", "ood-20-30"),
    ("ood-20-40", "ood-20-40", "ood-20-40"),
    ("ood-50-50", "ood-50-50", "ood-50-50"),
    ("ood-100-100", "ood-100-100", "ood-100-100"),
    ("train-20-20", "20/20 of linear, nn, nn_add", None),
]
CORRECTED = [  # file, setting, preset
    ("ood-20-20", "ood-20-20", "best-ood"),
    ("ood-20-30", "ood-20-30", "best-ood"),
    ("ood-20-40", "ood-20-40", "best-ood"),
    ("ood-50-50", "ood-50-50", "best-ood"),
    ("ood-100-100", "ood-100-100", "best-ood"),
    ("ood-rows-1000", "ood-20-20, 1,000 rows", "best-ood"),
    ("wild-20-20", "wild-20-20", "best"),
    ("wild-20-20-1000", "wild-20-20, 1,000 rows", "best"),
    ("default-20-20", "ood-20-20", "best"),
    ("default-20-20-1000", "ood-20-20, 1,000 rows", "best"),
    ("train-20-20", "20/20 of linear, nn, nn_add", "best"),
    ("train-20-40", "20/40 of linear, nn, nn_add", "best"),
    ("columns-50", "50 columns, 500 rows, `--effort fast`", "best"),
    ("columns-100", "100 columns, likewise", "best"),
    ("columns-200", "200 columns, likewise", "best"),
    ("columns-400", "400 columns, likewise", "best"),
]
# Versions between which nothing changed but training: rows of the search are the same in both, to the last digit.
SAME_SEARCH = {"5ccf078", "dcc44c7"}


def paper_says(setting):
    if setting not in PAPER:
        return "not reported"
    shd, f1 = PAPER[setting]
    return f"{shd} / {f1}"


def presets(name):
    return f"paper/presets_{name}.csv"


def corrected(name):
    """The file of a preset beside the search, whose rows must come from versions with the same search."""
    file = f"correction/presets_best-{name}.csv"
    versions = {short(r["commit"]) for r in rows(file)}
    if len(versions) > 1 and not versions <= SAME_SEARCH:
        raise ValueError(f"{file}: rows of versions {versions} cannot be compared")
    return file


def both(file, one, other):
    """Paired differences of SHD and of F1."""
    return [paired(file, one, other, "shd", 2), paired(file, one, other, "f1", 3)]


@table("presets_paper")
def _():
    """Means of shd and f1 by preset, paired differences of f1, and what the paper reports."""
    body = []
    for f, name, theirs in SETTINGS:
        file = presets(f)
        has = [bool(scores(file, p, "shd")) for p in PRESETS]
        cells = [pair(file, p) if h else "not measured" for p, h in zip(PRESETS, has)]
        gaps = [paired(file, p, "paper", "f1", 3) if h else "not measured" for p, h in zip(PRESETS[1:], has[1:])]
        body.append([name, count(file, "paper"), *cells, *gaps, paper_says(theirs)])
    return Table(["setting", "graphs", *(f"`{p}`" for p in PRESETS), "F1, `paper` − `nb`", "F1, `paper` − `nc`",
                  "the paper reports"], body,
                 "SHD / F1, means over graphs with 10,000 rows a table; differences on the same graphs ± standard error.",
                 "bench/training/presets.sh build/scone models 70000 paper", "70000 unless the row names another",
                 [presets(f) for f, _, _ in SETTINGS])


@table("presets_identities")
def _():
    """Means of shd and f1, and their paired differences, between two files on the same graphs."""
    one, many = presets("identities-fast"), presets("ood-20-20")
    gaps = [with_error(differences(scores(one, "paper", c), scores(many, "paper", c)), d, sign=True)
            for c, d in (("shd", 2), ("f1", 3))]
    return Table(["assignments of names to identities", "graphs", "SHD / F1"],
                 [["one (`--effort fast`)", count(one, "paper"), pair(one, "paper")],
                  ["sixteen", count(many, "paper"), pair(many, "paper")],
                  ["sixteen less one", count(many, "paper"), " / ".join(gaps)]],
                 "`paper` on ood-20-20; means over graphs, differences on the same graphs ± standard error.",
                 "bench/training/presets.sh build/scone models 70000 paper", 70000, [one, many])


@table("presets_seeds")
def _():
    """Means over graphs, then mean and standard deviation over three trainings; differences between presets of the same training."""
    body, files = [], []
    for setting in ("ood-20-40", "ood-50-50"):
        trainings = [presets(setting)] + [f"paper/seeds_{setting}_{s}.csv" for s in (2, 3)]
        files += trainings
        means = {p: [[mean(scores(f, p, c).values()) for f in trainings] for c in ("shd", "f1")] for p in PRESETS}
        cells = [f"{number(mean(s), 2)} / {number(mean(f), 3)}, sd {stdev(s):.2f} / {stdev(f):.3f}" for s, f in means.values()]
        gaps = [" / ".join(with_error([a - b for a, b in zip(means["paper"][k], means[p][k])], d, sign=True)
                           for k, d in ((0, 2), (1, 3))) for p in PRESETS[1:]]
        body.append([setting, count(trainings[0], "paper"), *cells, *gaps])
    return Table(["setting", "graphs", *(f"`{p}`" for p in PRESETS), "`paper` − `nb`", "`paper` − `nc`"], body,
                 "SHD / F1 over three trainings, sd between trainings; differences ± standard error between trainings.",
                 "scone bench SETTING --methods paper,paper-nb,paper-nc --model FOLDER/SEED", "70000; of the trainings 1, 2 and 3", files)


@table("presets_corrected")
def _():
    """Means of shd, f1 and auprc of the search and of the preset, and their paired differences."""
    body = []
    for f, name, preset in CORRECTED:
        file = corrected(f)
        cells = [" / ".join(number(mean(scores(file, m, c).values()), d) for c, d in (("shd", 2), ("f1", 3), ("auprc", 3)))
                 for m in ("search", preset)]
        body.append([name, f"`{preset}`", count(file, preset), *cells, *both(file, "search", preset),
                     paired(file, "search", preset, "auprc", 3)])
    return Table(["setting", "preset", "graphs", "search", "preset", "SHD", "F1", "AP"], body,
                 "SHD / F1 / area under the precision-recall curve (AP), means over graphs; differences, preset less "
                 "search, on the same graphs ± standard error.",
                 "bench/training/presets.sh build/scone models 70000 best", 70000, [corrected(f) for f, _, _ in CORRECTED])


@value("presets_same_graphs")
def _():
    """Graphs on which best-ood and the search have the same numbers of errors of each kind."""
    same = every = 0
    for f, _, preset in CORRECTED:
        if preset == "best-ood":
            kinds = [[scores(corrected(f), m, c) for c in ("missing", "extra", "reversed", "undirected")]
                     for m in ("search", preset)]
            graphs = kinds[0][0]
            same += sum(all(a[g] == b[g] for a, b in zip(*kinds)) for g in graphs)
            every += len(graphs)
    return f"{same} of {every}"


SMALL = [("wild", "wild"), ("train", "linear, nn, nn_add"), ("all", "all five families"), ("ood", "polynomial, sigmoid")]


@table("presets_small")
def _():
    """Means of shd and f1 of search and best, and their paired differences."""
    cases = [(f"small/small_{f}_{n}.csv", name, 8, n) for n in (300, 500, 1000) for f, name in SMALL]
    cases += [(f"small/small_{f}20_500.csv", name, 20, 500) for f, name in (SMALL[0], SMALL[3])]
    body = [[name, columns, f"{n:,}", count(file, "best"), pair(file, "search"), pair(file, "best"),
             *both(file, "search", "best")] for file, name, columns, n in cases]
    return Table(["data", "columns", "rows a table", "graphs", "search", "`best`", "SHD", "F1"], body,
                 "SHD / F1, means over graphs; differences, `best` less search, on the same graphs ± standard error.",
                 "bench/accuracy/small.sh", 70000, ["small/small_*.csv"])


@table("presets_before")
def _():
    """Means and paired differences of the files of seed 60000."""
    body = []
    for f, name, preset in (("ood-20-30", "ood-20-30", "best-ood"), ("ood-20-40", "ood-20-40", "best-ood"),
                            ("train-20-20", "20/20 of linear, nn, nn_add", "best")):
        file = f"correction/presets_best-{f}_60000.csv"
        body.append([name, f"`{preset}`", count(file, preset), pair(file, "search"), pair(file, preset),
                     *both(file, "search", preset)])
    return Table(["setting", "preset", "graphs", "search", "preset", "SHD", "F1"], body,
                 "SHD / F1, means over graphs; differences on the same graphs ± standard error.",
                 "bench/training/presets.sh build/scone models 60000 best", 60000, ["correction/presets_best-*_60000.csv"])


@table("presets_calibration")
def _():
    """The rows `total` of the calibration error."""
    cases = [("ood-20-20", "ood-20-20", "10,000", "best-ood"), ("ood-20-20-1000", "ood-20-20", "1,000", "best-ood"),
             ("wild-20-20-1000", "wild-20-20", "1,000", "best")]
    files = [f"correction/calibration_best-{f}.csv" for f, _, _, _ in cases]
    body = [[f"`{p}`", name, n, *calibration(file)] for file, (_, name, n, p) in zip(files, cases)]
    return Table(["preset", "setting", "rows a table", "graphs", "all pairs", "pairs with an edge at 0.05 or more"], body,
                 "Calibration error over ten bins.", "bench/accuracy/calibration.sh 70000 10 'best-*'",
                 70000, files)
