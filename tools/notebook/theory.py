"""The theory checked by machine and with data: docs/notebook/theory.md."""
from .results import Table, number, rows, table, value, where

SUBSETS = (1, 2, 3, 4, 6, 8, 12, 16, 24)
RULES = [("ssi", "SSI"), ("cvt", "CVT"), ("dpt", "DPT"), ("ssi-any", "SSI any"), ("scr", "SCR"), ("paper", "paper's three"),
         ("ssi-any+scr", "SSI any + SCR")]
DATA = {"linear": "linear", "polynomial+sigmoid+nn_add": "non-linear"}


def shares(r):
    return [number(int(r[k]) / int(r["r"]), 3) if int(r["r"]) else "none" for k, _ in RULES]


@table("theory_families")
def _():
    """Cases, R, and the share of R that each rule finds with closure, for every family of subsets."""
    body = [[r["nodes"], "all" if r["subsets"] == "all" else f"of {r['subsets']}", f"{int(r['cases']):,}", f"{int(r['r']):,}",
             *shares(r)] for r in rows("theory/verify.csv") if r["targets"] == "any"]
    return Table(["nodes", "subsets", "cases", "R", *(name for _, name in RULES)], body,
                 "Shares of R that rules and closure find.", "bench/accuracy/verify.sh build/scone 6", "none: every graph",
                 ["theory/verify.csv"])


@table("theory_exceptions")
def _():
    """Sums of the columns not_* over every number of nodes and family of subsets, and of DPT as printed."""
    every = [r for r in rows("theory/verify.csv") if r["targets"] == "any"]
    checks = [("DirE(H_obs) is within DirE(H_per)", "not_obs-in-per"), ("DirE(H_per) is within DirE(H_ctr)", "not_per-in-ctr"),
              ("DirE(H_ctr) is within DirE(G_test)", "not_ctr-in-test"), ("no direction of SSI contradicts G", "not_sound-ssi"),
              ("nor of CVT", "not_sound-cvt"), ("nor of DPT as used", "not_sound-dpt"),
              ("nor of SSI with any witness", "not_sound-ssi-any"), ("nor of SCR", "not_sound-scr"),
              ("the closure is idempotent, free of order, and what all consistent extensions share", "not_closure"),
              ("DirE(G_test) is within the one by the letter (D19)", "not_test-in-literal"),
              ("SSI with any witness, SCR and closure give G_test", "not_complete"),
              ("G_test is the closure of H_obs with the edges of the boundary", "not_boundary"),
              ("no direction of DPT as printed contradicts G", "not_sound-dpt-printed")]
    body = [[name, f"{sum(int(r[column]) for r in every):,}"] for name, column in checks]
    return Table(["check", "exceptions"], body, "Sums over every number of nodes up to six and every family of subsets.",
                 "bench/accuracy/verify.sh build/scone 6", "none: every graph", ["theory/verify.csv"])


@value("theory_letter")
def _():
    r = where("theory/verify.csv", nodes=4, subsets="all", targets="any")
    return f"{int(r['by_letter_only']):,} of {int(r['r_by_letter']):,}"


def kinds():
    """(mechanisms, nodes) in the order of the file"""
    return list(dict.fromkeys((r["mechanisms"], r["nodes"]) for r in rows("theory/consistency_points.csv")))


@table("theory_consistency")
def _():
    """The columns share and error, and the parts of equal_obs, literals and directions, for all subsets."""
    body = []
    for r in rows("theory/consistency_points.csv"):
        if r["subsets"] != "all":
            continue
        body.append([DATA[r["mechanisms"]], r["nodes"], r["graphs"], f"{int(r['rows']):,}",
                     f"{number(float(r['share']), 3)} ± {float(r['error']):.3f}",
                     number(int(r["equal_obs"]) / int(r["graphs"]), 3),
                     number(int(r["literal_right"]) / int(r["literals"]), 3), r["false_changes"], r["missed_changes"],
                     f"{r['found_right']} of {r['found']}"])
    return Table(["data", "nodes", "graphs", "rows", "`Ĝ = G_test`", "`H_obs` right", "tests right", "false changes",
                  "missed changes", "directions right"], body, "Shares of graphs ± standard error; sums over graphs.",
                 "bench/accuracy/consistency.sh", 11, ["theory/consistency_points.csv"])


@table("theory_subsets")
def _():
    """The share of graphs by the number of sampled subsets, from data and with all answers known (equal_known)."""
    body, file = [], "theory/consistency_points.csv"
    for mechanisms, nodes in kinds():
        points = [where(file, mechanisms=mechanisms, nodes=nodes, rows=16000, subsets=t) for t in SUBSETS]
        body.append([DATA[mechanisms], nodes, "data", *(number(float(p["share"]), 3) for p in points)])
        body.append(["", "", "known", *(number(int(p["equal_known"]) / int(p["graphs"]), 3) for p in points)])
    return Table(["data", "nodes", "", *(f"T = {t}" if t == 1 else str(t) for t in SUBSETS)], body,
                 "Shares of graphs with `Ĝ = G_test`, 16,000 rows.", "bench/accuracy/consistency.sh", 11, [file])


@table("theory_coverage")
def _():
    """The columns measured, independent and bound for one witness (hits 1)."""
    body, file = [], "theory/consistency_coverage.csv"
    for mechanisms, nodes in kinds():
        points = [where(file, mechanisms=mechanisms, nodes=nodes, subsets=t, hits=1) for t in SUBSETS]
        for k, (name, column) in enumerate((("sampler", "measured"), ("independent", "independent"), ("bound", "bound"))):
            body.append([DATA[mechanisms] if k == 0 else "", nodes if k == 0 else "", name,
                         *(number(float(p[column]), 4) for p in points)])
    return Table(["data", "nodes", "", *(f"T = {t}" if t == 1 else str(t) for t in SUBSETS)], body,
                 "Chance of no witness, mean over the directions of G_test that have one.", "bench/accuracy/consistency.sh", 11,
                 [file])


@value("theory_above")
def _():
    """The most directions above the bound, in the file's own numbers."""
    r = max(rows("theory/consistency_coverage.csv"), key=lambda r: int(r["above"]))
    return f"{r['above']} of {r['directions']}"


@table("theory_rate")
def _():
    file = "theory/verify_rate.csv"
    body = [[r["what"], r["nodes"], f"{int(r['per_second_per_core']):,}"] for r in rows(file)]
    return Table(["what", "nodes", "a second on one core"], body, "", "build/bench/bench_verify", "none", [file])
