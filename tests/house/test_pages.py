#!/usr/bin/env python3
"""Do the pages say what is there? Run in the root of the project; prints a line for each fault.

 1. A relative link leads to a file, and its #part to a heading.
 2. A path in `code` exists: from the root, from src/ or bench/results/, or by the base name of a source; * and {a,b}
    are as in a shell.
    Words in capitals (NAME, DIR) stand for anything.
 3. `file.c:function` is defined in that file, and in a cell of a table so is every `function` that follows it.
    Another `word_with_underscores` stands somewhere in the sources.
 4. A line has at most 120 characters. Exempt are tables, and what a program prints: a fence without a language. Commands
    and programs (```sh, ```c) are not.
 5. Ids of decisions (D1, D2, ...) stand in docs/methods, docs/notebook and docs/reference/decisions.md alone.
"""
import fnmatch
import glob
import itertools
import os
import re
import subprocess
import sys

MOST_CHARACTERS = 120
WITH_IDS = ("docs/methods/", "docs/notebook/", "docs/reference/decisions.md")
SOURCES = (".c", ".h", ".py", ".sh")
WORDS = SOURCES + (".txt", ".cmake", ".csv", ".json", ".in")  # where an identifier may stand


def list_files():
    git = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    if git.returncode == 0:
        return [f for f in git.stdout.split("\n") if f and os.path.exists(f)]
    found = [os.path.relpath(f, ".") for f in glob.glob("**/*", recursive=True)]
    return [f for f in found if os.path.isfile(f) and not f.startswith(("build/", "out/"))]


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


class Tree:
    def __init__(self):
        self.files = list_files()
        self.paths = set(self.files)
        for f in self.files:
            while f := os.path.dirname(f):
                self.paths.add(f)
        self.top = {p for p in self.paths if "/" not in p}
        self.rooms = {p[len("src/"):] for p in self.paths if p.startswith("src/") and os.path.isdir(p)}
        self.bases = {os.path.basename(f) for f in self.files}
        self.pages = sorted(f for f in self.files if f.endswith(".md"))
        sources = [f for f in self.files if f.endswith(WORDS) and not f.startswith(("models/", "tests/house/"))]
        self.words = set(itertools.chain.from_iterable(re.findall(r"\w+", read(f)) for f in sources))
        for f in sources:
            stem = os.path.splitext(os.path.basename(f))[0]
            self.words |= {stem, f"cli_{stem}"}  # the second is what a test of the command line is called


def expand(pattern):
    """{a,b} as a shell does it."""
    found = re.match(r"(.*?)\{([^{}]*)\}(.*)$", pattern)
    if not found:
        return [pattern]
    before, choices, after = found.groups()
    return [e for choice in choices.split(",") for e in expand(before + choice + after)]


def has_path(tree, path):
    """One path of a page, perhaps with *: the files that it may mean, or None if it names no file of the tree."""
    path = path.rstrip("/")
    first = path.split("/")[0]
    if re.search(r"(?<![A-Za-z])[A-Z]{2,}(?![A-Za-z])", path) or first == ".c":
        return None if path not in tree.paths else [path]
    if "/" in path and first in tree.top:
        wanted = [path, path + ".c"]  # the name of a built program is that of its source
        if path.startswith("bench/"):
            wanted.append("bench/*/" + path[len("bench/"):] + ".c")
    elif "/" in path and (first in tree.rooms or os.path.dirname(path) in tree.rooms):
        wanted = ["src/" + path, "src/" + path + ".[ch]", "bench/results/" + path]
    elif path.endswith((".c", ".h")) and "/" not in path:
        return [f for f in tree.files if fnmatch.fnmatch(os.path.basename(f), path)]
    else:
        return None
    return [f for f in tree.paths for w in wanted if fnmatch.fnmatch(f, w)]


def defines(path, function):
    return re.search(rf"^\w[\w \t*]*\b{function}\(|^typedef .*\b{function}\b|^\}} {function};|^#define {function}\b",
                     read(path), flags=re.M)


def check_span(tree, span):
    """What is wrong with one `code` of a page."""
    named = re.fullmatch(r"([\w./-]+\.[ch]):(\w+)", span)
    if named:
        path, function = named.groups()
        where = has_path(tree, path)
        if not where:
            yield f"there is no {path}"
        elif not any(defines(f, function) for f in where):
            yield f"{path} does not define {function}"
        return
    if re.fullmatch(r"[\w.*{},/-]+", span):
        for path in expand(span):
            if has_path(tree, path) == []:
                yield f"there is no {path}"
    word = re.fullmatch(r"([a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?:\(\))?", span)
    if word and word.group(1) not in tree.words:
        yield f"{word.group(1)} stands in no source"


def check_cell(tree, cell):
    """The functions that follow `file.c:function` in a cell of a table."""
    files = []
    for span in re.findall(r"`([^`]+)`", cell):
        named = re.fullmatch(r"([\w./-]+\.[ch]):(\w+)", span)
        if named:
            files += has_path(tree, named.group(1)) or []
        elif files and re.fullmatch(r"[a-z]\w*", span) and not any(defines(f, span) for f in files):
            yield f"none of {', '.join(files)} defines {span}"


def slug(heading):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def headings(path):
    text = re.sub(r"^```.*?^```", "", read(path), flags=re.M | re.S)
    return {slug(h) for h in re.findall(r"^#+ +(.*)$", text, flags=re.M)}


def check_link(tree, page, target):
    if re.match(r"[a-z]+:", target):
        return
    path, _, part = target.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if path not in tree.paths:
        yield f"the link {target} leads nowhere"
    elif part and path.endswith(".md") and part not in headings(path):
        yield f"{path} has no heading #{part}"


def check_page(tree, page):
    fence = None  # the language of the fence that the line stands in
    for number, line in enumerate(read(page).split("\n"), 1):
        where = f"{page}:{number}"
        mark = line.lstrip().startswith("```")
        if mark:
            fence = line.strip().strip("`") if fence is None else None
        exempt = fence == "" if fence is not None else line.startswith("|")
        if len(line) > MOST_CHARACTERS and not exempt:
            yield f"{where}: {len(line)} characters"
        if mark or fence is not None:
            continue
        plain = re.sub(r"``[^`]+``|`[^`]+`", "", line)
        if not page.startswith(WITH_IDS) and re.search(r"\bD([1-9]|1\d|2\d)\b", plain):
            yield f"{where}: the id of a decision"
        for target in re.findall(r"\]\(([^)\s]+)\)", plain) + re.findall(r"(?:src|href)=\"([^\"]+)\"", plain):
            yield from (f"{where}: {fault}" for fault in check_link(tree, page, target))
        for cell in line.split("|") if line.startswith("|") else []:
            yield from (f"{where}: {fault}" for fault in check_cell(tree, cell))
        for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", line):
            yield from (f"{where}: {fault}" for fault in check_span(tree, span))


def main():
    tree = Tree()
    faults = [fault for page in tree.pages for fault in check_page(tree, page)]
    print("\n".join(faults + [f"{len(tree.pages)} pages, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
