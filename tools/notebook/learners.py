"""GES, the sampler of subsets, graph algorithms and tokens: docs/notebook/ges.md, sampler.md, graph.md and tokens.md."""
import re
from math import log

from .results import Table, comments, lines, number, rows, table, where

GES = [(20, "phases", 1), (20, "eager", 1), (100, "phases", 1), (100, "eager", 1), (100, "phases", 2), (100, "eager", 2),
       (300, "phases", 1), (300, "phases", 2), (300, "eager", 2), (1000, "phases", 1), (1000, "phases", 2), (1000, "eager", 2)]


@table("ges_growth")
def _():
    """Means over 5 graphs: seconds, the exponent from the size before, edges found, shd_cpdag and score_minus_truth."""
    file = "speed/ges_growth.csv"
    body = []
    for n, search, penalty in GES:
        r = where(file, nodes=n, search=search, penalty=penalty)
        body.append([f"{n:,}", search, penalty, number(float(r["seconds"]), 3), r["exponent"] or "none",
                     f"{number(float(r['found_edges']), 0)} ({int(r['true_edges']):,})", number(float(r["shd_cpdag"]), 1),
                     number(float(r["score_minus_truth"]), 1)])
    return Table(["N", "search", "penalty", "seconds", "growth", "edges found (true)", "SHD of the CPDAG",
                  "score less that of the truth"], body,
                 "Random DAGs with 2N edges, linear Gaussian data of 5,000 rows, means over 5 graphs; processor seconds of one "
                 "thread on a busy machine; growth is the exponent of time from the size before.", "build/bench/bench_ges 1", 1,
                 [file])


@table("ges_hard")
def _():
    """The last comments of the same file: columns on which the search is slow."""
    file = "speed/ges_growth.csv"
    found = [re.match(r"(.*), (phases|eager): ([\d.]+) seconds, (\d+) edges", c) for c in comments(file)]
    return Table(["columns", "search", "seconds", "edges"], [list(m.groups()) for m in found if m], "",
                 "build/bench/bench_ges 1", 1, [file])


@table("ges_options")
def _():
    """The columns shd / f1 by search and penalty, a column for each setting."""
    file = "learners/ges_options.csv"
    settings = list(dict.fromkeys(r["setting"] for r in rows(file)))
    body = []
    for penalty in (1, 2, 4):
        for search in ("phases", "eager"):
            found = [where(file, setting=s, search=search, penalty=penalty) for s in settings]
            body.append([search, penalty, *(f"{number(float(r['shd']), 1)} / {number(float(r['f1']), 3)}" for r in found)])
    return Table(["search", "penalty", *settings], body, "SHD / F1 against the true DAG, means over 20 graphs of 20 nodes with "
                 "10,000 rows a regime, without bootstrap.", "build/bench/bench_ges_options 100", 100, [file])


@table("sampler_options")
def _():
    """All columns that judge a choice, for N = 50, one option changed at a time."""
    file = "learners/sampler_options.csv"
    columns = ["edges_covered", "families", "pairs_covered", "target_visits", "edge_visits", "other_visits"]
    body = []
    for r in rows(file):
        if r["nodes"] == "50":
            name = {"default": "defaults", "no_contrast": "without contrast"}.get(r["option"], f"{r['option']} = {r['value']}")
            body.append([name, *(number(float(r[c]), 3 if c[-1] == "d" or c == "families" else 2) for c in columns)])
    return Table(["option", "edges covered", "nodes with all parents in one subset", "pairs covered",
                  "visits of targets over others", "subsets of an edge", "of another pair"], body,
                 "N = 50, 64 subsets, 12 graphs with E = N of linear, nn and nn_add, 2,000 rows a regime, 4 seeds of the sampler.",
                 "build/bench/bench_sampler_options 1", 1, [file])


@table("sampler_growth")
def _():
    file = "speed/sampler_growth.csv"
    body = []
    for r in rows(file):
        ms = [f"{number(float(r[c]), 1)} ms" for c in ("moments", "sensitivity", "sampler", "direct")]
        body.append([f"{int(r['nodes']):,}", *ms, r["direct_over_sampler"],
                     f"{number(float(r['cover']), 1)} ms, {r['covering_subsets']} subsets"])
    return Table(["N", "moments, 5,000 rows a regime", "scores", "sampler", "direct", "ratio", "covering 6 N pairs"], body,
                 "500 subsets of 8 nodes, processor time on one thread of a busy machine; both versions draw the same subsets.",
                 "build/bench/bench_sampler 1", 1, [file])


GRAPH = [("order", "topological order"), ("cpdag", "CPDAG of a DAG"), ("meek_closure", "Meek closure of a pattern"),
         ("extension", "consistent extension"), ("equivalence", "Markov equivalence"),
         ("d_separation", "d-separation, one source to all"), ("closure_build", "transitive closure, whole"),
         ("closure_edit", "transitive closure, one edit"), ("matrix_pass", "one pass over the matrices")]


@table("graph_growth")
def _():
    """Microseconds at three sizes, passes over the matrices at the largest, and the exponent from N = 125 to N = 2,000."""
    file = "speed/graph_growth.csv"
    body = []
    for key, name in GRAPH:
        time = {n: float(where(file, algorithm=key, nodes=n)["microseconds"]) for n in (125, 500, 2000)}
        passes = float(where(file, algorithm=key, nodes=2000)["matrix_passes"])
        body.append([name, *(f"{number(t, 1 if t < 10 else 0)} µs" for t in time.values()), number(passes, 1 if passes < 10 else 0),
                     number(log(time[2000] / time[125]) / log(2000 / 125), 1)])
    return Table(["algorithm", "N = 125", "N = 500", "N = 2,000", "passes at 2,000", "exponent"], body,
                 "Random DAGs with 2N edges, 7 graphs a size, median processor time of one call on a shared machine.",
                 "build/bench/bench_graph 1", 1, [file])


def token_runs(file):
    """[(command, rows)] of a file that joins the outputs of several runs of bench_token."""
    runs = []
    for line in lines(file):
        if line.startswith("# command: "):
            runs.append((line[len("# command: "):], []))
        elif not line.startswith(("#", "nodes,")):
            runs[-1][1].append(line.split(","))
    return runs


def span(found, column, digits=0, scale=1.0):
    values = sorted(float(r[column]) * scale for r in found)
    ends = list(dict.fromkeys(number(v, digits) for v in (values[0], values[-1])))
    return " to ".join(ends)


def token_table(file, about):
    head = next(line for line in lines(file) if line.startswith("nodes,")).split(",")
    body = []
    for command, found in token_runs(file):
        found = [dict(zip(head, r)) for r in found]
        body.append([found[0]["nodes"], command.split()[2], span(found, "processor"), span(found, "whole"), span(found, "subsets"),
                     span(found, "pairs"), span(found, "cells"), span(found, "bytes", 0, 1e-3), span(found, "found", 2)])
    loads = sorted({c.split()[-1] for c in comments(file) if c.startswith("load average")})
    return Table(["N", "threads", "processor ms", "wall ms", "subsets", "pairs", "cells", "KB", "true edges among the candidates"],
                 body, about + f" Least and most of three graphs; load average of the machine: {', '.join(loads)}.",
                 "build/bench/bench_token ood-N-N THREADS 10000 1", 1, [file])


@table("tokens_cost")
def _():
    return token_table("paper/tokens.csv", "K_env = N.")


@table("tokens_contrast")
def _():
    return token_table("paper/tokens_few_contrast.csv", "K_env = N/10, as shipped.")


@table("tokens_now")
def _():
    return token_table("speed/token.csv", "K_env = N, on a machine with little else to do.")
