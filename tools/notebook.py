#!/usr/bin/env python3
"""The tables of numbers in the pages, written from the committed results.

    python3 tools/notebook.py           writes every table and every number between markers anew
    python3 tools/notebook.py --check   exits with 1 if a page and a result differ, and names page and table

A table stands between the lines `<!-- table: NAME -->` and `<!-- end -->`, a number in a sentence between
`<!-- value: NAME -->` and `<!-- end -->`. The modules of tools/notebook/ define them: each says which files of
bench/results/ it reads, which columns, and which statistics. Drawings of results are written and checked as a whole.
Checked are also:

 1. every definition stands in some page, and every marker has a definition;
 2. pages of docs/notebook/ have no table with numbers and no decimal number outside markers and code; pages of
    docs/manual/ and README.md have no cell of a table that is a measured number outside of them: nothing but a
    decimal number, a percentage, or a number with ± or a unit of time or memory. What such pages say in sentences,
    and whole numbers, which are mostly limits and options, it cannot tell apart;
 3. every file of bench/results/ is used by a definition or named in KEPT with the reason.
"""
import fnmatch
import glob
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from notebook import (accuracy, conditions, heads, learners, manual, paper, paper_figures, peer_checks, presets, readme,  # noqa: E402, F401
                      results, rules, speed, targets, theory, weights)

PAGES = ("README.md", "bench/README.md", "bench/peers/*/README.md", "docs/*/*.md")
KEPT = {  # files of bench/results/ that no table reads, and why they stay
    "theory/consistency_*.svg": "drawings of consistency_points.csv, which the page shows as pictures",
}
OPTIONAL = {"readme_accuracy": "README.md"}  # may be missing while the page has no markers at all
MARKED = re.compile(r"<!-- (table|value): (\S+) -->((?:(?!<!-- (?:table|value)).)*?)<!-- end -->", re.S)

NUMBER = r"[+−-]?[\d,]*\d(?:\.\d+)?"
MEASURED = re.compile(rf"(?:about |some )?(?:{NUMBER} ?(?:%|ms|s|seconds?|minutes?|hours?|MB|GB)|[+−-]?[\d,]*\d\.\d+|"
                      rf"{NUMBER} ± {NUMBER}%?)(?: / .*)?")


def page_files():
    return sorted(f for pattern in PAGES for f in glob.glob(pattern))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def written(kind, name):
    """What stands between the markers of this definition, or None if there is no such definition."""
    defined = (results.TABLES if kind == "table" else results.VALUES).get(name)
    if defined is None:
        return None
    return f"\n{defined().text()}\n" if kind == "table" else defined()


def renew(path, seen, faults):
    """The text of the page with all that is between markers written anew."""
    def replace(match):
        kind, name, old = match.groups()
        seen.add((kind, name))
        new = written(kind, name)
        if new is None:
            faults.append(f"{path}: no definition of the {kind} {name}")
            return match.group(0)
        if kind == "value" and new.split() == old.split():
            new = old  # a number in a sentence may go over the end of a line
        if new != old:
            faults.append(f"{path}: the {kind} {name} is not what the results say")
        return f"<!-- {kind}: {name} -->{new}<!-- end -->"

    text = read(path)
    new = MARKED.sub(replace, text)
    for mark in re.findall(r"<!-- (?:table|value|end)\b.*", MARKED.sub("", text)):
        faults.append(f"{path}: a marker without its other half: {mark}")
    return text, new


def renew_figures(check):
    """Writes the drawings that differ from what the results say, or tells which these are."""
    for path, draw in results.FIGURES.items():
        new = draw()
        if os.path.exists(path) and read(path) == new:
            continue
        if check:
            yield f"{path}: the drawing is not what the results say"
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(new)
        print(f"written: {path}")


def check_marks(seen):
    """Definitions that stand in no page."""
    for kind, defined in (("table", results.TABLES), ("value", results.VALUES)):
        for name in defined:
            if (kind, name) in seen:
                continue
            page = OPTIONAL.get(name)
            if page is None or "<!-- table:" in read(page):
                yield f"the {kind} {name} stands in no page"


def unmarked(path):
    """The lines of a page without code and what definitions write."""
    text = re.sub(r"^```.*?^```", "", MARKED.sub("", read(path)), flags=re.M | re.S)
    return re.sub(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->", "", text, flags=re.S).split("\n")


def check_measured(path):
    """Cells of a page for users that are measured numbers, and that no definition writes."""
    for line in unmarked(path):
        for cell in line.split("|")[1:-1] if line.startswith("|") else []:
            if MEASURED.fullmatch(cell.strip()):
                yield f"{path}: a measured number in a table outside markers: {cell.strip()}"


def check_unmarked(path):
    """Numbers of a page of the notebook that no definition writes."""
    for line in unmarked(path):
        if line.startswith("|") and re.search(r"\d", line):
            yield f"{path}: a table with numbers outside markers: {line}"
        elif re.search(r"\d\.\d", line):
            yield f"{path}: a decimal number outside markers: {line}"


def check_results():
    """Results that no definition reads, and exceptions that are none."""
    files = {os.path.relpath(f, results.FOLDER) for f in glob.glob(results.FOLDER + "/*/*")}
    for file in sorted(files):
        kept = any(fnmatch.fnmatch(file, pattern) for pattern in KEPT)
        if file not in results.USED and not kept:
            yield f"{results.FOLDER}/{file}: no table uses it, and KEPT does not name it"
    for pattern in KEPT:
        if not fnmatch.filter(files, pattern) or set(fnmatch.filter(files, pattern)) & results.USED:
            yield f"tools/notebook.py: KEPT names {pattern}, which is not there or is used"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    check = sys.argv[1:] == ["--check"]
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    seen, faults = set(), []
    for path in page_files():
        differences = []
        old, new = renew(path, seen, differences)
        if check:
            faults += differences
        else:
            faults += [d for d in differences if "is not what" not in d]
            if new != old:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(new)
                print(f"written: {path}")
        if path.startswith("docs/notebook/"):
            faults += check_unmarked(path)
        if path.startswith(("docs/manual/", "README.md")):
            faults += check_measured(path)
    faults += renew_figures(check)
    for name in set(results.TABLES) - {n for k, n in seen if k == "table"}:
        results.TABLES[name]()  # what it reads counts as used, and it has to work
    faults += [*check_marks(seen), *check_results()]
    print("\n".join([*faults, f"{len(seen)} tables and numbers, {len(faults)} faults"]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
