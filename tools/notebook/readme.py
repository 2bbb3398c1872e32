"""How right it is, in four rows: README.md."""
from .presets import PAPER, corrected, paper_says
from .results import Table, count, mean, number, pair, scores, table

ROWS = [  # setting, {preset: file}, what the paper calls it
    ("`ood-20-20`: 20 columns, {} edges", {"best": "default-20-20", "best-ood": "ood-20-20"}, "ood-20-20"),
    ("the same with 1,000 rows", {"best": "default-20-20-1000", "best-ood": "ood-rows-1000"}, None),
    ("`ood-20-40`: 20 columns, {} edges", {"best-ood": "ood-20-40"}, "ood-20-40"),
    ("`wild-20-20`: the second benchmark, {} edges", {"best": "wild-20-20"}, None),
]


@table("readme_accuracy")
def _():
    """Means of shd and f1 with standard errors; the search is the one of the same file as the preset."""
    body, files = [], []
    for name, having, theirs in ROWS:
        paths = {preset: corrected(file) for preset, file in having.items()}
        files += paths.values()
        cells = [pair(paths[p], p, errors=True) if p in paths else "not measured" for p in ("best", "best-ood")]
        searches = {pair(path, "search") for path in paths.values()}
        graphs = {count(path, "search") for path in paths.values()}
        if len(searches) > 1 or len(graphs) > 1:
            raise ValueError(f"{name}: the files of the presets have other graphs")
        edges = number(mean(scores(next(iter(paths.values())), "search", "true_edges").values()), 0)
        body.append([name.format(edges), *graphs, *cells, *searches, paper_says(theirs) if theirs in PAPER else "not reported"])
    return Table(["data, 10,000 rows a table", "graphs", "`best` (default)", "`best-ood`", "search alone", "the paper, on its data"],
                 body, "Wrong edges (SHD) / F1, means over graphs ± standard error. `best-ood` was trained without the functions of "
                 "`ood-*`, `best` without those of `wild-*`.", "bench/training/presets.sh build/scone models 70000 best", 70000, files)
