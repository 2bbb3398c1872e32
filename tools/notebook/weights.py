"""How the shipped weights were trained and chosen: docs/notebook/weights.md."""
import json
import re

from .results import Table, differences, fill, mean, number, rows, short, table, where, with_error

NAMES = ("paper", "paper-nb", "paper-nc", "paper-indist", "best", "best-ood")


def metadata(name):
    """What the header of a weights file says about its training (a length of 8 bytes, then JSON)."""
    with open(f"models/{name}.safetensors", "rb") as file:
        return json.loads(file.read(int.from_bytes(file.read(8), "little")))["__metadata__"]


class WeightsTable(Table):
    """A table from the headers of weights files, each of which names its own command and commit."""

    def caption(self):
        return fill("Validation of the weights that are shipped, from the headers of `models/NAME.safetensors`, which "
                    "`scone model FILE` prints. Command: the first line of `models/NAME.log`. Seed: 1.")


@table("weights_validation")
def _():
    """The members step, loss, shd, f1, threshold, shd_half and calibration of the validation in the file."""
    body = []
    for name in NAMES:
        about = metadata(name)
        v = json.loads(about["validation"])
        body.append([f"`{name}`", short(about["commit"]), v["step"], number(v["loss"], 4),
                     f"{number(v['shd'], 2)} / {number(v['f1'], 3)} at {v['threshold']:.2f}",
                     f"{number(v['shd_half'], 2)} / {number(v['f1_half'], 3)}", number(v["calibration"], 3)])
    return WeightsTable(["weights", "commit", "step", "loss", "SHD / F1 at its threshold", "at 0.50", "calibration error"],
                        body, "", "", "", [])


LENGTHS = {"1600x8": "1,600 graphs, 8 epochs", "6400x4": "6,400 graphs, 4 epochs"}


@table("weights_lengths")
def _():
    """The columns shd and f1 by weights."""
    ids = {(r["length"], r["name"]): r["model"] for r in rows("training/lengths.csv")}
    settings = ("ood-20-20", "ood-20-40", "ood-50-50")
    body = []
    for setting in settings:
        every = rows(f"training/lengths_{setting}.csv")
        for length, words in LENGTHS.items():
            mine, other = ([r for r in every if r["model"] == ids[length, name]] for name in ("paper", "paper-nc"))
            cells = [f"{number(mean(float(r['shd']) for r in part), 2)} / {number(mean(float(r['f1']) for r in part), 3)}"
                     for part in (mine, other)]
            f1 = [{r["graph"]: float(r["f1"]) for r in part} for part in (other, mine)]
            body.append([f"`{setting}`", words, len(mine), *cells, with_error(differences(*f1), 3, sign=True)])
    return Table(["data", "trained on", "graphs", "`paper`: SHD / F1", "`paper-nc`", "F1, `paper` less `paper-nc`"], body,
                 "Means over graphs; differences on the same graphs ± standard error.", "bench/training/lengths.sh FOLDER",
                 "700, for tuning; of the trainings 1",
                 [f"training/lengths_{s}.csv" for s in settings])


KINDS = [  # setting, rows, data
    ("ood-20-20", 10000, "ood-20-20, 10,000 rows"),
    ("ood-20-20", 1000, "ood-20-20, 1,000 rows"),
    ("ood-8-8", 400, "polynomial, sigmoid, 8 columns, 400 rows"),
    ("wild-20-20", 1000, "wild-20-20, 1,000 rows"),
    ("wild-20-20", 500, "wild-20-20, 500 rows"),
    ("train-8-8", 400, "linear, nn, nn_add, 8 columns, 400 rows"),
]


def gap(text):
    x = float(text)
    return f"{x:+.2f}".replace("-", "−") if abs(x) >= 0.005 else "0.00"


@table("weights_epochs")
def _():
    """The columns difference and error at the threshold 0.5, of the trainings with seeds 1 and 2."""
    file = "correction/epochs.csv"
    body = []
    for setting, n, name in KINDS:
        search = where(file, setting=setting, rows=n, weights="search")
        cells = []
        for epochs in (5, 8, 15, 40):
            both = [where(file, setting=setting, rows=n, weights=f"epochs{epochs}-seed{s}.safetensors") for s in (1, 2)]
            cells.append(", ".join(f"{gap(r['difference'])} ± {float(r['error']):.2f}" for r in both))
        body.append([name, search["graphs"], f"{float(search['shd_at_0.5']):.2f}", *cells])
    return Table(["data", "graphs", "search", "5 epochs", "8", "15", "40"], body,
                 "SHD of the search, and SHD of `best` less that on the same graphs ± standard error, at the threshold 0.5, of "
                 "two trainings.", "bench/training/epochs.sh FOLDER", "500, 520 and 630, for tuning; of the trainings 1 and 2",
                 [file])


@table("weights_thresholds")
def _():
    """The column shd by threshold, case by case."""
    file = "correction/thresholds.csv"
    cases = list(dict.fromkeys(r["case"] for r in rows(file)))
    head = [re.sub(r"^(\S+) (\S+) .*", r"`\1`, \2", c) for c in cases]
    body = [[t, *(f"{float(where(file, case=c, threshold=t)['shd']):.2f}" for c in cases)]
            for t in ("0.05", "0.10", "0.15", "0.20", "0.25", "0.30", "0.40", "0.50", "0.60", "0.70", "0.80")]
    return Table(["threshold", *head], body, "Wrong pairs a graph, 40 graphs with 1,000 rows a table.",
                 "bench/training/thresholds.sh 40 1000", "500, for tuning", [file])
