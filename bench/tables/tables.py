#!/usr/bin/env python3
"""Runs what the tables of the paper need and is not there yet, one thing at a time, and writes them (see README.md).

`make tables` calls it with the variables of its command line. A result is complete after every graph, so a run that was
stopped goes on where it was. Standard library only."""
import argparse
import csv
import fcntl
import io
import os
import shlex
import signal
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tools"))
from notebook import comparison, paper, paper_figures, results  # noqa: E402, F401

GIVE_UP = 3  # graphs without an answer, after which a peer is not tried on the others
TINY = {"indist-20-20", "ood-20-20", "ood-20-40"}
# The quick tables are for looking whether all works: other graphs than those that are reported.
MODES = {"full": {"seed": 92000, "limit": 600, "out": "bench/results"},
         "quick": {"seed": 900, "rows": 1000, "limit": 10, "out": "out/tables"},
         "tiny": {"seed": 900, "rows": 150, "limit": 10, "out": "out/tables-tiny"}}
SECTIONS = {
    "paper_indist": "In distribution: 20 nodes, 20 edges",
    "paper_ood_20_20": "Out of distribution: 20 nodes, 20 edges",
    "paper_ood_20_30": "20 nodes, 30 edges",
    "paper_ood_50_50": "50 nodes, 50 edges",
    "paper_scale": "100 nodes, 100 edges",
    "paper_ablation_nb": "Without bias heads",
    "paper_ablation_nc": "Without features of contrast",
    "paper_failures": "Without a graph",
    "paper_trained": "Several trainings",
}


def parse():
    parser = argparse.ArgumentParser(description="runs what the tables of the paper need and writes them")
    parser.add_argument("--mode", choices=MODES, default="full", help="quick: minutes, tiny: seconds, for tests")
    parser.add_argument("--settings", metavar="LIST", help="with commas (default: all of the plan)")
    parser.add_argument("--peers", metavar="LIST", help="names with commas, all, installed or none (default: all; "
                        "installed, if the mode is not full)")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="of a peer on a graph")
    parser.add_argument("--retry", action="store_true", help="graphs on which a peer failed or was too slow are run again")
    parser.add_argument("--models", default="models", metavar="FOLDER", help="with the weights NAME.safetensors")
    parser.add_argument("--trained", metavar="FOLDER", help="measure the weights FOLDER/SEED/NAME.safetensors instead")
    parser.add_argument("--scone", default="build/scone", metavar="FILE")
    parser.add_argument("--out", metavar="FOLDER", help="for results, page and drawings of the modes quick and tiny")
    options = parser.parse_args()
    mode = MODES[options.mode]
    options.seed, options.rows = mode["seed"], mode.get("rows")
    options.limit = options.limit or mode["limit"]
    if options.mode == "full" and options.out:
        parser.error("--out goes with --mode quick or tiny")
    options.out = os.path.abspath(options.out or os.path.join(ROOT, mode["out"]))
    for name in ("models", "trained", "scone"):
        if getattr(options, name):
            setattr(options, name, os.path.abspath(getattr(options, name)))
    options.peers = options.peers or ("all" if options.mode == "full" else "installed")
    known = list(dict.fromkeys(step["setting"] for step in comparison.read(comparison.PLAN)))
    wanted = options.settings.split(",") if options.settings else known
    for name in wanted:
        if name not in known:
            parser.error(f"--settings: there is no {name} in the plan; it has {', '.join(known)}")
    options.settings = [s for s in wanted if options.mode != "tiny" or s in TINY]
    return options


# ---- running ----

def run(command):
    """The exit code. The child ends what it has started: it gets Ctrl-C from the terminal, and SIGTERM from here."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    before = {signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: None),
              signal.SIGTERM: signal.signal(signal.SIGTERM, lambda number, _: child.send_signal(number))}
    code = child.wait()
    for number, handler in before.items():
        signal.signal(number, handler)
    return code


def tell(setting, what, graphs):
    print(f"{setting}: {what} on {graphs} graph{'' if graphs == 1 else 's'}", flush=True)


def bench(options, file, setting, graphs, arguments):
    """One call of `scone bench`, which adds what the file lacks."""
    command = [options.scone, "bench", setting, "--count", str(graphs), "--seed", str(options.seed), "-o", file, "--resume",
               "--quiet", "--threads", "1", *arguments]
    if options.rows:
        command += ["-s", str(options.rows)]
    code = run(command)
    if code != 0:
        sys.exit(f"tables.py: {shlex.join(command)} ended with {code}; the rows that are there are kept")


def lines_of(file):
    """(line, row) of a result, the header first."""
    if not os.path.exists(file):
        return []
    with open(file, newline="", encoding="utf-8") as stream:
        text = stream.read().splitlines(keepends=True)
    header = next(csv.reader(text[:1]), [])
    return [(line, dict(zip(header, next(csv.reader([line]))))) for line in text]


def write(file, text):
    """As a whole or not at all."""
    with open(file + ".new", "w", encoding="utf-8", newline="") as stream:
        stream.write(text)
    os.replace(file + ".new", file)


def rows_of(file, method):
    return [row for _, row in lines_of(file)[1:] if row["method"] == method]


def tidy(file, method):
    """Drops rows of other weights, or of another command, whose method is no more: those just run stand last. Reasons of
    failures tell no path of this machine."""
    lines = lines_of(file)
    last = [row["model"] for _, row in lines[1:] if row["method"] == method][-1]
    kept = [line for k, (line, row) in enumerate(lines) if k == 0 or row["method"] != method or row["model"] == last]
    text = "".join(kept).replace(ROOT + os.sep, "")
    if text != "".join(line for line, _ in lines):
        write(file, text)


# ---- the methods of the program ----

def weights_of(options, step):
    """The arguments for the methods of a step that have their weights, and the names of those that have not."""
    names = step["methods"].split()
    learned = [m for m in names if comparison.about(m)["group"] == "preset"]
    file = {m: os.path.join(options.models, (step["weights"] or m) + ".safetensors") for m in learned}
    without = [m for m in learned if not os.path.exists(file[m])]
    kept = [m for m in names if m not in without]
    arguments = ["--methods", ",".join(kept)]
    if step["weights"] and kept:
        arguments += ["--model", file[kept[0]]]
    elif set(kept) & set(learned):
        arguments += ["--model", options.models]
    return kept, arguments, without


def run_own(options, step, left):
    setting, file = step["setting"], os.path.join(options.results, "tables", f"{step['setting']}.csv")
    names, arguments, without = weights_of(options, step)
    left += [(setting, m, "no weights") for m in without]
    if names:
        tell(setting, ", ".join(names), graphs_of(options, step))
        bench(options, file, setting, graphs_of(options, step), arguments)
        for name in names:
            tidy(file, name)


def graphs_of(options, step):
    return {"full": int(step["graphs"]), "quick": int(step["quick"]), "tiny": min(1, int(step["quick"]))}[options.mode]


# ---- peers ----

def states():
    """{folder: state} as peer.py has them."""
    listed = subprocess.run([sys.executable, "bench/peers/peer.py", "--list"], check=True, capture_output=True, text=True)
    return dict(line.split("\t")[:2] for line in listed.stdout.splitlines())


def choose_peers(options):
    """{method: why it is not run, or ""} for the peers that were asked for; makes their environments."""
    known, chosen = states(), {}
    folders = [os.path.basename(comparison.folder_of(m)) for m in comparison.peers()]
    if options.peers not in ("all", "installed"):
        folders = [] if options.peers == "none" else options.peers.split(",")
    for folder in folders:
        if folder not in known:
            sys.exit(f"tables.py: there is no peer {folder}; the peers are {', '.join(known)}")
        why = "" if known[folder] == "ready" else known[folder]
        if why == "not installed" and options.peers != "installed":
            made = run([sys.executable, "bench/peers/peer.py", "--install", folder])
            why = "" if made == 0 else "its packages cannot be installed"
        chosen[comparison.method_of(folder)] = why
    return chosen


def run_peer(options, step, name):
    setting, file = step["setting"], os.path.join(options.results, "tables", f"{step['setting']}.csv")
    folder = os.path.basename(comparison.folder_of(name))
    arguments = ["--method", f"{name}=bench/peers/peer.py {folder}", "--time-limit", f"{options.limit:g}"]
    if comparison.is_told_targets(name):
        arguments += ["--tell-targets", name]
    if options.retry:
        arguments += ["--retry"]
    graphs = graphs_of(options, step)
    tell(setting, f"{name}, {options.limit:g} seconds at most,", graphs)
    for count in (min(graphs, GIVE_UP), graphs):
        bench(options, file, setting, count, arguments)
        tidy(file, name)
        if all(row["status"] != "ok" for row in rows_of(file, name)):
            break


def run_plan(options):
    left = []
    os.makedirs(os.path.join(options.results, "tables"), exist_ok=True)
    steps = [s for s in comparison.read(comparison.PLAN) if s["setting"] in options.settings and graphs_of(options, s) > 0]
    for step in steps:
        if step["methods"] != "peers":
            run_own(options, step, left)
    chosen = choose_peers(options)
    for step in steps:
        for name, why in chosen.items() if step["methods"] == "peers" else ():
            if why:
                left.append((step["setting"], name, why))
            else:
                run_peer(options, step, name)
    keep_left_out(options, left)


def keep_left_out(options, left):
    """Which methods have no row, and why; what this run did not look at stays."""
    file = os.path.join(options.results, "tables", "left_out.csv")
    before = [tuple(row.values()) for _, row in lines_of(file)[1:]]
    ran = {(s, m) for s in options.settings for m in [r["method"] for _, r in
           lines_of(os.path.join(options.results, "tables", f"{s}.csv"))[1:]]}
    known = {row[:2]: row for row in [*before, *left]}
    kept = [row for key, row in known.items() if key not in ran]
    if not kept:
        if os.path.exists(file):
            os.remove(file)
        return
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("setting", "method", "reason"), *kept])
    write(file, text.getvalue())


# ---- several trainings ----

def trained_weights(folder):
    """(seed, name, file) of every training that is there."""
    found = []
    for seed in sorted((s for s in os.listdir(folder) if s.isdigit()), key=int):
        for name in ("paper", *paper.WITHOUT):
            file = os.path.join(folder, seed, f"{name}.safetensors")
            if os.path.exists(file):
                found.append((seed, name, file))
    return found


def run_trained(options):
    """The weights of a row are known by the id that `scone bench` gives them; trainings.csv says whose it is."""
    os.makedirs(os.path.join(options.results, "tables"), exist_ok=True)
    listed = os.path.join(options.results, "tables", "trainings.csv")
    ids = {(r["seed"], r["name"]): r["model"] for _, r in lines_of(listed)[1:]}
    weights = trained_weights(options.trained)
    if not weights:
        sys.exit(f"tables.py: {options.trained} has no SEED/NAME.safetensors; bench/training/trainings.sh makes them")
    for setting in [s for s in paper.TRAINED if s in options.settings]:
        step = next(s for s in comparison.read(comparison.PLAN)
                    if s["setting"] == setting and "paper" in s["methods"].split())
        file = os.path.join(options.results, "tables", f"trained_{setting}.csv")
        for seed, name, weights_file in weights:
            preset = name if name in paper.ABLATIONS else "paper"
            tell(setting, f"{name} of training {seed}", graphs_of(options, step))
            bench(options, file, setting, graphs_of(options, step), ["--methods", preset, "--model", weights_file])
            ids[seed, name] = rows_of(file, preset)[-1]["model"]
            text = "".join(f"{s},{n},{i}\n" for (s, n), i in sorted(ids.items()))
            write(listed, "seed,name,model\n" + text)
        rows = lines_of(file)
        write(file, "".join(line for k, (line, row) in enumerate(rows) if k == 0 or row["model"] in ids.values()))


# ---- writing ----

def write_page(options):
    """The tables and drawings of the modes quick and tiny, by the same definitions as those of the notebook."""
    results.FOLDER = os.path.relpath(options.results)
    text = [f"# The tables of the paper, {options.mode}", "",
            "These are few graphs with few rows, to see whether all works. `docs/notebook/paper.md` has the tables.", ""]
    for path, draw in results.FIGURES.items():
        base = os.path.basename(path)
        write(os.path.join(options.out, base), draw())
        text += [f"![{base}]({base})", ""]
    for name, title in SECTIONS.items():
        made = results.TABLES[name]()
        made.command = "make tables QUICK=1"
        if any(comparison.has(f) for f in made.files):
            text += [f"## {title}", "", made.text(), ""]
    write(os.path.join(options.out, "paper.md"), "\n".join(text))
    print(f"written: {os.path.join(options.out, 'paper.md')} and its drawings")


def main():
    os.chdir(ROOT)
    options = parse()
    options.results = options.out if options.mode == "full" else os.path.join(options.out, "results")
    os.makedirs("out", exist_ok=True)
    os.makedirs(options.out, exist_ok=True)
    timed = "out" if options.mode != "tiny" else options.out
    with open(os.path.join(timed, "tables.lock"), "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("tables.py: other tables are being made; two at once would falsify the times")
        if options.trained:
            run_trained(options)
        else:
            run_plan(options)
    if options.mode == "full":
        return subprocess.run([sys.executable, "tools/notebook.py"], check=False).returncode
    write_page(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
