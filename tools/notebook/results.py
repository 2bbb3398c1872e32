"""Reading results, statistics, and the form of a table."""
import csv
import functools
import glob
import os
import re
import statistics
import textwrap

FOLDER = "bench/results"
USED = set()  # files that definitions have read, relative to FOLDER
TABLES, VALUES, FIGURES = {}, {}, {}
WIDTH = 120

# Results whose files do not name the commit of their program: the commit that brought them (git log --follow).
COMMITTED_WITH = {
    "learners/ges_options.csv": ("ba7b113", "2026-11-16"),
    "learners/sampler_options.csv": ("8c3ead7", "2026-11-16"),
    "search/sachs.csv": ("2770230", "2026-11-18"),
    "correction/presets_best-ood-20-?0_60000.csv": ("bbc6d6f", "2026-11-17"),
    "correction/presets_best-train-20-20_60000.csv": ("b7cb134", "2026-11-17"),
    "speed/check.csv": ("1bbd16b", "2026-11-16"),
    "speed/table.txt": ("1bbd16b", "2026-11-16"),
    "theory/consistency_points.csv": ("23b136d", "2026-11-16"),
    "theory/consistency_coverage.csv": ("23b136d", "2026-11-16"),
    "theory/verify.csv": ("2f10339", "2026-11-16"),
    "theory/verify_rate.csv": ("2f10339", "2026-11-16"),
}


def register(kind, name, function):
    if name in kind:
        raise ValueError(f"two definitions of {name}")
    kind[name] = function
    return function


def table(name):
    """Registers a function without arguments that returns a Table."""
    return functools.partial(register, TABLES, name)


def value(name):
    """Registers a function without arguments that returns the text of a number."""
    return functools.partial(register, VALUES, name)


def figure(path):
    """Registers a function without arguments that returns the text of an SVG file."""
    return functools.partial(register, FIGURES, path)


def fill(text):
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


class Table:
    """Head and rows of cells, and what the caption has to say: columns and statistics, command, seed and files."""

    def __init__(self, head, rows, about, command, seed, files):
        self.head, self.rows = head, rows
        self.about, self.command, self.seed, self.files = about, command, seed, files

    def caption(self):
        parts = [self.about, f"Command: `{self.command}`.", f"Seed: {self.seed}.", commits(self.files)]
        parts.append("Results: " + "; ".join(name_files(self.files)) + ".")
        return fill(" ".join(p for p in parts if p))

    def text(self):
        if any(len(row) != len(self.head) for row in self.rows):
            raise ValueError(f"a row of another length than {self.head}")
        escaped = [[str(cell).replace("|", "\\|") for cell in row] for row in [self.head, *self.rows]]
        cells = ["| " + " | ".join(row) + " |" for row in escaped]
        cells.insert(1, "|" + "---|" * len(self.head))
        return "\n".join(cells) + "\n\n" + self.caption()


def name_files(patterns):
    """Files of one kind in one phrase: FOLDER/accuracy_NAME.csv with their names."""
    kinds = {}
    for pattern in patterns:
        kind = re.match(r"(.*/[a-z]+_)([^*]+)(\.csv)$", pattern)
        kinds.setdefault((kind.group(1), kind.group(3)) if kind else (pattern, ""), []).append(kind and kind.group(2))
    for (start, end), names in kinds.items():
        if len(names) == 1:
            yield f"`{FOLDER}/{start}{names[0] or ''}{end}`"
        else:
            yield f"`{FOLDER}/{start}NAME{end}` for {', '.join(names)}"


def files_of(pattern):
    """The results that a pattern stands for; one that stands for nothing is an error."""
    found = sorted(os.path.relpath(f, FOLDER) for f in glob.glob(os.path.join(FOLDER, pattern)))
    if not found:
        raise FileNotFoundError(f"no result {pattern}")
    return found


@functools.lru_cache(maxsize=None)
def lines(file):
    USED.add(file)
    with open(os.path.join(FOLDER, file), newline="", encoding="utf-8") as stream:
        return tuple(stream.read().splitlines())


def comments(file):
    return [line[1:].strip() for line in lines(file) if line.startswith("#")]


def rows(file):
    """Rows of a CSV as dictionaries; lines that start with # and heads that come again are left out."""
    plain = [line for line in lines(file) if line and not line.startswith("#")]
    return list(csv.DictReader([plain[0]] + [line for line in plain[1:] if line != plain[0]]))


def where(file, **wanted):
    """The only row of a file in which the columns have these values."""
    found = [r for r in rows(file) if all(r[k] == str(v) for k, v in wanted.items())]
    if len(found) != 1:
        raise ValueError(f"{file}: {len(found)} rows have {wanted}")
    return found[0]


def metric(file, name, **wanted):
    return float(where(file, metric=name, **wanted)["value"])


def scores(file, method, column):
    """{graph: number} of a method, from a file of `scone bench`."""
    return {r["graph"]: float(r[column]) for r in rows(file) if r["method"] == method}


def mean(values):
    return statistics.mean(values)


def error(values):
    """The standard error of the mean."""
    values = list(values)
    return statistics.stdev(values) / len(values) ** 0.5


def differences(one, other):
    """Of other minus one on the same graphs; graphs that only one has are an error."""
    if one.keys() != other.keys():
        raise ValueError("not the same graphs")
    return [other[g] - one[g] for g in one]


def with_error(values, digits, sign=False):
    values = list(values)
    return f"{number(mean(values), digits, sign)} ± {error(values):.{digits}f}"


def number(x, digits, sign=False):
    """Rounded; a minus sign for negative numbers, none for a zero."""
    text = f"{x:+,.{digits}f}" if sign else f"{x:,.{digits}f}"
    if not re.search(r"[1-9]", text):
        text = text.lstrip("+-")
    return text.replace("-", "−")


def pair(file, method, errors=False):
    """SHD / F1 of a method: means over graphs, with their standard errors if asked for."""
    cells = []
    for column, digits in (("shd", 2), ("f1", 3)):
        values = scores(file, method, column).values()
        cells.append(with_error(values, digits) if errors else number(mean(values), digits))
    return " / ".join(cells)


def paired(file, one, other, column, digits):
    """The mean of other minus one on the same graphs, with its standard error."""
    return with_error(differences(scores(file, one, column), scores(file, other, column)), digits, sign=True)


def count(file, method):
    return len(scores(file, method, "shd"))


def short(commit):
    return re.sub(r"^([0-9a-f]{7})[0-9a-f]*", r"\1", commit)


def commits_of(file):
    """(commits that the file itself or accuracy.commit names, note)"""
    folder, base = os.path.split(file)
    known = set()
    for comment in comments(file):
        known |= {short(c) for c in re.findall(r"\b(?:commit:? |at )([0-9a-f]{7,40}\b)", comment)}
    plain = [line for line in lines(file) if line and not line.startswith("#")]
    if not known and plain and "commit" in plain[0].split(","):
        known = {short(r["commit"]) for r in rows(file)}
    if not known and folder == "accuracy":
        known = accuracy_commits(base.removeprefix("accuracy_").removesuffix(".csv"))
    return known


def accuracy_commits(name):
    """accuracy.commit has lines `COMMIT NAME...: note`; the first is for files that no other line names."""
    listed = [line.partition(":")[0].split() for line in lines("accuracy/accuracy.commit")]
    return {words[0] for words in listed[1:] if name in words[1:]} or {listed[0][0]}


def commits(patterns):
    """A sentence about the versions that made these results."""
    known, later = set(), set()
    for pattern in patterns:
        for file in files_of(pattern):
            if file.endswith((".svg", ".commit")):
                continue
            found = commits_of(file)
            known |= found
            if not found:
                later |= {with_ for p, with_ in COMMITTED_WITH.items() if file in files_of(p)} or {None}
    if None in later:
        raise ValueError(f"nothing is known of the commit of {patterns}")
    text = []
    if known:
        text.append(("Commit: " if len(known) == 1 else "Commits: ") + ", ".join(sorted(known)) + ".")
    for commit, date in sorted(later):
        text.append(f"Commit: not recorded; the result came with {commit} ({date}).")
    return " ".join(text)
