"""How fast the program is, against what: docs/notebook/speed.md."""
from .results import Table, lines, metric, number, rows, table, where

PACKED, DENSE = "times_faster_than_torch_packed", "times_faster_than_torch_dense"


@table("speed_ratios")
def _():
    """Ratios to a named alternative, each from the run that has both."""
    csv_file, simulate, polybic = "speed/csv_read.csv", "speed/simulate.csv", "speed/polybic.csv"
    of = lambda name: number(metric(csv_file, name, style="17 digits"), 2)  # noqa: E731
    body = [
        ["reading a CSV of 20,000 × 100 numbers with 17 digits, one thread", "`pandas.read_csv`, default engine",
         f"{of('times faster, best')} times as fast (best), {of('times faster, median')} (median)"],
        ["its peak memory", "the table itself", of("scone peak memory over table")],
        ["one ood-100-100 problem in memory, one thread", "NumPy (`bench/peers/simulate_reference.py`)",
         number(metric(simulate, "times_faster_than_numpy_seconds"), 1) + " times as fast"],
        ["the same, two threads", "one thread", number(metric(simulate, "speedup_of_2_threads"), 2) + " times as fast"],
        ["PolyBIC, 50 bootstraps × 190 pairs × 2 regimes × 10,000 rows", "NumPy with a design matrix per regression",
         number(metric(polybic, "times_faster_than_design_per_pair"), 0) + " times as fast"],
        ["the same", "NumPy with one design per predictor for all responses",
         number(metric(polybic, "times_faster_than_shared_designs"), 0) + " times as fast"],
        ["sampling 500 subsets at N = 1,000", "the direct T k N² version",
         where("speed/sampler_growth.csv", nodes=1000)["direct_over_sampler"] + " times as fast"],
        ["opening a weights file with all checks", "the safetensors package, without any",
         number(metric("speed/weights.csv", "safetensors seconds to load, median")
                / metric("speed/weights.csv", "scone seconds to open and check, median"), 1) + " times as fast"],
    ]
    return Table(["what", "against", "ratio"], body, "Processor seconds, best of several alternating rounds.", "tools/bench.sh",
                 "1; that of bench_sampler is 1, too", [csv_file, simulate, polybic, "speed/sampler_growth.csv", "speed/weights.csv"])


@table("speed_csv")
def _():
    """Ratios, speed and memory by the form of the numbers."""
    file = "speed/csv_read.csv"
    body = [[s, *(number(metric(file, m, style=s), d) for m, d in (
        ("times faster, best", 2), ("times faster, median", 2), ("scone MB per second, best", 0),
        ("scone peak memory over table", 2)))] for s in dict.fromkeys(r["style"] for r in rows(file))]
    return Table(["numbers", "times as fast as pandas, best", "median", "MB a second", "peak memory over the table"], body,
                 "20,000 rows and 100 columns, one thread bound to one processor.",
                 "bench/speed/csv_read.py --rows 20000 --columns 100 --rounds 9 --seed 1", 1, [file])


@table("speed_discover")
def _():
    """All rows of speed.csv: seconds, their ratio to a product of two 1,024 × 1,024 matrices, memory and F1."""
    file = "speed/speed.csv"
    body = [[r["setting"], r["effort"], r["threads"], f"{int(r['rows']):,}", r["graphs"], number(float(r["seconds"]), 2),
             number(float(r["ratio"]), 1), r["peak_mb"], number(float(r["f1"]), 3), r["commit"]] for r in rows(file)]
    return Table(["setting", "effort", "threads", "rows", "graphs", "seconds", "products", "peak MB", "F1", "commit"], body,
                 "Seconds of `discover` a graph; products of two 1,024 × 1,024 matrices of doubles on as many threads that take as "
                 "long; rows with the same case are runs of different times.", "bench/speed/speed.sh", 71, [file])


@table("speed_training")
def _():
    """Milliseconds of a step, its share of peak, and the ratios to PyTorch, by case and threads."""
    file = "speed/model_torch.csv"
    body = []
    for case in dict.fromkeys(r["case"] for r in rows(file) if r["case"]):
        for threads in (1, 2):
            get = {r["metric"]: r["value"] for r in rows(file) if (r["case"], r["threads"]) == (case, str(threads))}
            if "scone_milliseconds" in get:
                ratio = lambda m, d: number(float(get[m]), d) if m in get else "not measured"  # noqa: E731
                body.append([f"`{case}`", threads, ratio("scone_milliseconds", 0), ratio("scone_share_of_peak", 2),
                             ratio(DENSE, 1), ratio(PACKED, 1)])
    return Table(["case", "threads", "ms a step", "share of peak", "PyTorch, dense and masked", "PyTorch, packed"], body,
                 "How many times as fast a training step of `paper` is as the same model in PyTorch; peak is a product of two "
                 "512 × 512 matrices of floats.", "bench/speed/model.sh", 1, [file])


PARTS = [("feed-forward layers", ("feed-forward",)), ("projections of the attentions", ("projection in", "projections between")),
         ("bias heads", ("bias heads",)), ("row attention", ("row attention",)), ("column attention", ("column attention",)),
         ("embedding, pooling, output, loss", ("embedding", "pooling and messages", "output", "loss")), ("update", ("update",)),
         ("the whole step", ("step",))]


@table("speed_operations")
def _():
    """Sums of milliseconds and megaflops over passes and streams; the share of the peak that the first row of the run has."""
    file = "speed/model.csv"
    run = [r for r in rows(file) if (r["case"], r["threads"]) == ("train-20-8", "2")]
    peak = float(next(r for r in run if r["part"].startswith("sgemm"))["gigaflops_per_second"])
    body = []
    for name, parts in PARTS:
        ms = sum(float(r["milliseconds"]) for r in run if r["part"] in parts)
        mega = sum(float(r["megaflops"]) for r in run if r["part"] in parts)
        body.append([name, number(ms, 1), number(mega / 1000, 2), number(mega / ms / peak, 2) if mega else "no products"])
    return Table(["operation", "forward and backward, ms", "Gflop", "share of peak"], body,
                 "A training step of `train-20-8` on two threads.", "bench/speed/model.sh", 1, [file])


@table("speed_inference")
def _():
    file = "speed/inference.csv"
    names = ("`--effort fast`", "`--effort normal`")
    body = [[n, number(float(r["stage_learn_seconds"]), 2), number(int(r["peak_memory_bytes"]) / 1e6, 0)]
            for n, r in zip(names, rows(file), strict=True)]
    return Table(["`--preset paper`, 100 variables", "seconds", "peak MB"], body,
                 "Stage `learn` with tokens, 10,000 rows a table, two threads.", "scone discover sim/g0 -p paper --rules none -t 2",
                 77, [file])


@table("speed_tables")
def _():
    """Least and most of the repeats of every step."""
    file = "speed/table.txt"
    seen = {}
    for line in lines(file):
        words = line.split()
        seen.setdefault(" ".join(words[:2]), []).append([float(w) for w in (words[2:5:2] if len(words) > 3 else words[2:3])])
    body = []
    for name in ("write_csv", "write_npy", "read_npy"):
        found = seen[f"{name} seconds"]
        body.append([name.replace("_", " ").replace("npy", "NPY").replace("csv", "CSV"),
                     f"{min(s for s, _ in found):.2f} to {max(s for s, _ in found):.2f}",
                     f"{min(m for _, m in found):.0f} to {max(m for _, m in found):.0f}"])
    check = rows("speed/check.csv")[0]
    body.append([f"`check` of {int(check['rows']):,} × {int(check['columns']):,} cells", number(float(check["seconds"]), 2),
                 "not measured"])
    return Table(["what", "seconds", "MB a second"], body, "One thread; least and most of three repeats.",
                 "build/bench/bench_table FOLDER; build/bench/bench_check", "none", [file, "speed/check.csv"])


@table("speed_processes")
def _():
    file = "speed/mpi.csv"
    names = {"start_seconds": "seconds to start two processes", "one_process_seconds": "seconds of one process and thread",
             "times_faster_2_threads": "times as fast with two threads",
             "times_faster_2_processes": "times as fast with two processes",
             "shared_loop_median_microseconds": "microseconds of a shared loop, median"}
    body = [[f"`{r['command']}`", names[r["metric"]], number(float(r["value"]), 2)] for r in rows(file)]
    return Table(["command", "what", "value"], body, "Least of three turns.", "bench/speed/mpi.sh", 1, [file])
