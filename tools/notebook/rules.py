"""The orientation rules and the invariance test: docs/notebook/rules.md and invariance.md."""
from .results import Table, mean, number, rows, table, value, where, with_error

RUNS = [  # file, setting, found by, rules
    *(("linear", "linear", m, r) for m in ("class", "ges", "search") for r in ("none", "all")),
    ("ood", "ood-20-20", "class", "none"), ("ood", "ood-20-20", "class", "all"),
    *(("ood", "ood-20-20", m, r) for m in ("search", "ges") for r in ("none", "all", "ssi", "cvt", "dpt", "scr", "paper")),
]


def rules_rows(file, setting, method, rule):
    return [r for r in rows(f"rules/rules_{file}.csv") if (r["setting"], r["method"], r["rules"]) == (setting, method, rule)]


@table("rules")
def _():
    """Means of shd, f1 and recall with standard errors, sums of directions, and their precision; rules.csv has the commit."""
    body = []
    for file, setting, method, rule in RUNS:
        found = rules_rows(file, setting, method, rule)
        right, turned, apart = (sum(int(r[f"directions_{k}"]) for r in found) for k in ("right", "turned", "apart"))
        summary = where("rules/rules.csv", setting=setting, method=method, rules=rule)
        if [summary[k] for k in ("graphs", "right", "turned", "apart")] != [str(k) for k in (len(found), right, turned, apart)]:
            raise ValueError(f"rules.csv is not of the same run as rules_{file}.csv")
        certified = right + turned + apart
        body.append([setting, method, rule, len(found), with_error([float(r["shd"]) for r in found], 2),
                     with_error([float(r["f1"]) for r in found], 3), number(mean(float(r["recall"]) for r in found), 3),
                     f"{right} / {turned} / {apart}", number(right / certified, 3) if certified else "none"])
    return Table(["setting", "found by", "rules", "graphs", "SHD", "F1", "directed recall",
                  "directions right / turned / no edge", "precision"], body,
                 "Means over graphs of `rules_linear.csv` and `rules_ood.csv` ± standard error; certified directions count once, "
                 "whatever became of the certificate.", "bench/accuracy/rules.sh 100 60 16",
                 "42 (linear) and 43 (ood-20-20)", ["rules/rules.csv"])


FORMS = [("two", "control and one condition"), ("pairs", "pairs, corrected"), ("uncorrected", "pairs, not corrected"),
         ("pooled", "all conditions pooled")]


@table("rules_pairs")
def _():
    """Means of shd with standard errors, sums of directions and of those in use, and the share that is wrong."""
    file, body = "rules/pairs.csv", []
    found = rows(file)
    for conditions in dict.fromkeys(r["conditions"] for r in found):
        for form, name in FORMS:
            of = [r for r in found if (r["conditions"], r["form"]) == (conditions, form)]
            right, turned, apart = (sum(int(r[k]) for r in of) for k in ("right", "turned", "apart"))
            used = [sum(int(r[f"used_{k}"]) for r in of) for k in ("right", "turned", "apart")]
            body.append([conditions, name, len(of), with_error([float(r["shd"]) for r in of], 2),
                         f"{right} / {turned} / {apart}", number((turned + apart) / (right + turned + apart), 3),
                         " / ".join(str(k) for k in used), round(mean(float(r["tests"]) for r in of))])
    return Table(["conditions", "compared", "graphs", "SHD", "directions right / turned / no edge", "share wrong",
                  "in use", "tests of a graph"], body,
                 "Means over graphs of `pairs.csv` ± standard error; certified directions count once. \"In use\" are those "
                 "that agree with the graph or changed it.",
                 f"bench/targets/pairs.sh {len(set(r['graph'] for r in found))}", "500 (5 conditions) and 501 (10)", [file])


STAGES = [("obs", "observational"), ("per", "per-regime"), ("ctr", "contrastive")]


@table("stages")
def _():
    """Sums over graphs of directed edges, right and all, for each setting and learner; seconds of the processor a graph."""
    file, body = "rules/stages.csv", []
    found = rows(file)
    for setting, learner in dict.fromkeys((r["setting"], r["learners"]) for r in found):
        of = [r for r in found if (r["setting"], r["learners"]) == (setting, learner)]
        cells = []
        for short, _name in STAGES:
            right, turned, apart = (sum(int(r[f"{short}_{k}"]) for r in of) for k in ("right", "turned", "apart"))
            cells.append(f"{right} / {right + turned + apart} ({number(right / (right + turned + apart), 3)})")
        skipped = sum(int(r["per_skipped"]) + int(r["ctr_skipped"]) for r in of)
        seconds = [mean(float(r[k]) for r in of) for k in ("vote_seconds", "rule_seconds")]
        body.append([setting, learner, len(of), *cells, skipped, sum(int(r["certificates"]) for r in of),
                     *(number(s, 2) for s in seconds)])
    return Table(["setting", "learner", "graphs", *(f"{name}: right / directed" for _short, name in STAGES), "skipped",
                  "certificates", "seconds: votes", "rules"], body,
                 "Directed edges of all graphs together, and in brackets their precision; directions that were skipped as "
                 "contradictory, and certificates of sampled subsets. Seconds of the processor for a graph, one thread.",
                 f"bench/accuracy/stages.sh {len(set(r['graph'] for r in found))}", 91000, [file])


@value("rules_seconds")
def _():
    r = where("rules/rules.csv", setting="ood-20-20", method="search", rules="all")
    return f"{r['rule_seconds']} s of {r['seconds']} s"


@table("invariance_level")
def _():
    """The columns p_05, p_01 and within_margin of seed 80, by family and rows."""
    file = "rules/invariance_level.csv"
    families = {}
    for r in rows(file):
        if r["seed"] == "80":
            families.setdefault(r["family"], {})[int(r["rows"])] = r
    body = []
    for family, at in families.items():
        cells = [number(float(at[n][column]), 3) if n in at else "not measured"
                 for column in ("p_05", "p_01", "within_margin") for n in (200, 1000, 5000)]
        body.append([family.replace("_", ", ").replace("nn, add", "nn_add"), *cells])
    sizes = ("1,000", "5,000")
    return Table(["mechanism or noise", "level 0.05: 200 rows", *sizes, "level 0.01: 200", *sizes,
                  "within the margin: 200", *sizes], body,
                 "Share of p-values up to 0.05 and up to 0.01 under no change, with a standard error of 0.005 and 0.002, and "
                 "of tests whose bound of the effect is within the margin.",
                 "build/bench/bench_invariance level ROWS 2000 80", 80, [file])


def level_cells():
    return [float(r["p_05"]) for r in rows("rules/invariance_level.csv") if r["seed"] == "80" and r["rows"] != "5000"]


@value("invariance_inside")
def _():
    cells = level_cells()
    return f"{sum(0.04 <= c <= 0.06 for c in cells)} of the {len(cells)}"


@value("invariance_mean")
def _():
    return number(mean(level_cells()), 3)


@value("invariance_again")
def _():
    found = [float(r["p_05"]) for r in rows("rules/invariance_level.csv") if r["seed"] in ("81", "82", "83")]
    return "{}, {} and {}".format(*(number(p, 4) for p in found))


@table("invariance_power")
def _():
    """The columns of the four methods."""
    file = "rules/invariance_power.csv"
    methods = ("invariance", "ks", "chow", "rcit")
    body = [[r["change"], f"{int(r['rows']):,}", *(number(float(r[m]), 2) for m in methods)] for r in rows(file)]
    return Table(["change", "rows", *methods], body, "Share of changes found at equal level 0.05; 500 queries a cell, standard "
                 "error at most 0.022.", "build/bench/bench_invariance_power 500", "that of the program", [file])


@table("invariance_time")
def _():
    """The columns first_ms / again_ms by rows and size of Z."""
    file = "rules/invariance_time.csv"
    body = []
    for n in (1000, 2500, 10000):
        cells = [where(file, rows=n, given=k) for k in range(5)]
        body.append([f"{n:,}", number(float(cells[0]["create_ms"]), 0),
                     *(" / ".join(number(float(r[c]), 1) for c in ("first_ms", "again_ms")) for r in cells)])
    return Table(["rows a regime", "create", *(f"Z of {k}" for k in range(5))], body,
                 "Milliseconds on one thread at N = 100: the first test with a Z, and another v with the same Z.",
                 "build/bench/bench_invariance time", "that of the program", [file])
