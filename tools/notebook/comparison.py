"""Methods on the same graphs as the paper has them: the plan, the results, and what is left out (docs/notebook/paper.md).

bench/tables/plan.csv says which methods run in which setting, bench/tables/methods.csv what they are, and
bench/tables/reported.csv what the paper reports. Results are files of `scone bench` in tables/ of the results."""
import csv
import functools
import os
import re
import statistics

from . import results

PLAN, METHODS, REPORTED = (f"bench/tables/{name}.csv" for name in ("plan", "methods", "reported"))
PEERS = "bench/peers"
METRICS = ("shd", "f1", "precision", "recall")


@functools.lru_cache(maxsize=None)
def read(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return tuple(csv.DictReader(stream))


def has(file):
    return os.path.exists(os.path.join(results.FOLDER, file))


@functools.lru_cache(maxsize=None)
def about(method):
    """The row of methods.csv; a method of a folder of bench/peers needs none."""
    for row in read(METHODS):
        if row["method"] == method:
            return row
    return {"method": method, "group": "peer", "reported": "", "told": ""}


def own_methods():
    return [row["method"] for row in read(METHODS) if row["group"] != "peer"]


def folder_of(method):
    return os.path.join(PEERS, method.removeprefix("peer-"))


def method_of(folder):
    """What a peer is called in results: as its folder, but for peer-NAME if the program has a method NAME."""
    return f"peer-{folder}" if folder in own_methods() else folder


def peers():
    """The peers of the tables; `empty` is there to show how it is done."""
    return [method_of(name) for name in sorted(os.listdir(PEERS))
            if name != "empty" and os.path.exists(os.path.join(PEERS, name, "README.md"))]


def can_run(method):
    return about(method)["group"] != "peer" or os.path.exists(os.path.join(folder_of(method), "run.py"))


def told(method):
    """What a method is told: of methods.csv, or of the line "Told: ..." in the page of the peer."""
    page = os.path.join(folder_of(method), "README.md")
    if about(method)["told"] or not os.path.exists(page):
        return about(method)["told"]
    with open(page, encoding="utf-8") as file:
        found = re.search(r"^Told: (.*?)\.?$", file.read(), re.MULTILINE)
    return found.group(1) if found else "see its page"


def is_told_targets(method):
    """Only with its targets told has a problem a file of them."""
    return bool(re.search(r"\btrue targets\b", told(method)))


def file_of(setting):
    return f"tables/{setting}.csv"


@functools.lru_cache(maxsize=None)
def runs(file):
    """{method: {graph: row}}; older files have no column `status`."""
    found = {}
    for row in results.rows(file) if has(file) else ():
        row.setdefault("status", "ok")
        found.setdefault(row["method"], {})[row["graph"]] = row
    return found


def planned(setting):
    """The methods of a setting in the order of the tables; those with results that the plan does not name come last."""
    names = []
    for step in read(PLAN):
        if step["setting"] == setting:
            names += [m for word in step["methods"].split() for m in (peers() if word == "peers" else [word])]
    order = [m for m in own_methods() if m in names] + [m for m in names if m not in own_methods()]
    return order + [m for m in runs(file_of(setting)) if m not in order]


def values(rows, metric):
    """{graph: number} of the graphs that were scored."""
    return {g: float(r[metric]) for g, r in rows.items() if r["status"] == "ok" and r[metric] != ""}


def spread(numbers, digits):
    """15.30 (3.70): mean and standard deviation."""
    numbers = list(numbers)
    if not numbers:
        return ""
    sd = f" ({statistics.stdev(numbers):.{digits}f})" if len(numbers) > 1 else ""
    return results.number(results.mean(numbers), digits) + sd


def gap(one, other, metric, digits):
    """Other less one on the graphs that both were scored on, with its standard error."""
    a, b = values(one, metric), values(other, metric)
    gaps = [b[g] - a[g] for g in a if g in b]
    if len(gaps) > 1:
        return results.with_error(gaps, digits, sign=True)
    return results.number(gaps[0], digits, sign=True) if gaps else ""


def state(rows):
    """30, or 7 of 10: 2 failed, 1 timeout."""
    counts = {s: sum(r["status"] == s for r in rows.values()) for s in ("ok", "failed", "timeout")}
    bad = [f"{counts[s]} {words}" for s, words in (("failed", "failed"), ("timeout", "over time")) if counts[s]]
    return f"{counts['ok']} of {len(rows)}: {', '.join(bad)}" if bad else str(len(rows))


def left_out(setting, method):
    """Why there is no row."""
    if not can_run(method):
        return "cannot be run, see its page"
    if has("tables/left_out.csv"):
        for row in results.rows("tables/left_out.csv"):
            if row["method"] == method and row["setting"] == setting:
                return row["reason"]
    return "not measured"


def reported(table, setting, model):
    """{metric: (mean, sd)} as the paper prints them; the sd may be empty."""
    return {r["metric"]: (r["mean"], r["sd"]) for r in read(REPORTED)
            if (r["table"], r["setting"], r["model"]) == (table, setting, model)}


def reported_models(table, setting):
    return list(dict.fromkeys(r["model"] for r in read(REPORTED) if (r["table"], r["setting"]) == (table, setting)))
