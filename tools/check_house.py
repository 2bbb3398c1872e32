#!/usr/bin/env python3
"""Is the house in order? Run in the root of the project; the list of rooms is read from ARCHITECTURE.md.

 1. An include points to its own room or to one that stands before it in the list; cli includes scone.h
    and files of cli alone; examples include the public headers alone.
 2. No room of src/, cli/, tests/unit/ or bench/ has more than 26 files.
 3. No two sources have the same base name.
 4. A prefix of internal functions belongs to one room and its sub-rooms.
 5. No function is longer than 80 lines, a kernel of learn/fit and model/nn than 120.
 6. What a header of src/ declares is used by another file than the one that defines it.
 7. A test is named after what it tests, and stands in the folder of its room.
"""
import collections
import functools
import os
import re
import subprocess
import sys

MOST_FILES = 26
MOST_LINES, MOST_LINES_OF_A_KERNEL = 80, 120
KERNELS = ("src/learn/fit/", "src/model/nn/")
PUBLIC = ("scone.h", "scone_lab.h")


def list_files():
    """Tracked files and new ones that git does not ignore; without git, every file but those of builds."""
    git = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    if git.returncode == 0:
        return [f for f in git.stdout.split("\n") if f and os.path.exists(f)]
    found = []
    for folder, folders, names in os.walk("."):
        folders[:] = [f for f in folders if not f.startswith(".") and os.path.join(folder, f) not in ("./build", "./out")]
        found += [os.path.relpath(os.path.join(folder, name), ".") for name in names]
    return found


@functools.lru_cache(maxsize=None)
def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


BLANKED = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)


@functools.lru_cache(maxsize=None)
def code(path):
    """The text of a file with comments and literals blanked, so that lines keep their numbers."""
    return BLANKED.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), read(path))


def room_of(path):
    return os.path.dirname(path)[len("src/"):]


def check_includes(sources, rank):
    for f in sources:
        inside = f.startswith("src/")
        if inside and room_of(f) not in rank:
            yield f"{f}: its room is not in ARCHITECTURE.md"
            continue
        if not f.startswith(("src/", "cli/", "examples/")):
            continue
        for number, line in enumerate(read(f).split("\n"), 1):
            m = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not m or m.group(1) in PUBLIC:
                continue
            used = os.path.dirname(m.group(1))
            if f.startswith("cli/"):
                if used:
                    yield f"{f}:{number}: cli includes {m.group(1)}"
            elif f.startswith("examples/"):
                if os.path.dirname(f) == "examples":
                    yield f"{f}:{number}: an example of the library includes {m.group(1)}"
            elif used not in rank:
                yield f"{f}:{number}: {m.group(1)} is written without its room"
            elif rank[used] > rank[room_of(f)]:
                yield f"{f}:{number}: {room_of(f)} includes {m.group(1)}, which stands after it"


def check_sizes(files):
    rooms = collections.Counter(os.path.dirname(f) for f in files
                                if f.startswith(("src/", "cli/", "tests/unit/", "bench/")))
    for room, count in sorted(rooms.items()):
        if count > MOST_FILES:
            yield f"{room}: {count} files, more than {MOST_FILES}"


def check_names(sources):
    names = collections.defaultdict(list)
    for f in sources:
        names[os.path.basename(f)].append(f)
    for same in names.values():
        if len(same) > 1:
            yield "the same name: " + ", ".join(same)


DECLARED = re.compile(r"^(?!typedef|static|#|struct \w+ \{|enum|extern)[a-z_][\w ]*[ *](\w+)\(", re.M)


def declared(sources):
    """(header, function) of every internal function that a header of src/ declares."""
    for f in sources:
        if f.startswith("src/") and f.endswith(".h"):
            for m in DECLARED.finditer(code(f)):
                if not m.group(1).startswith("scone_") and m.group(1).islower():
                    yield f, m.group(1)


def check_prefixes(sources, rank):
    prefixes = collections.defaultdict(set)
    for f, name in declared(sources):
        if "_" in name:
            prefixes[name.split("_")[0]].add(room_of(f))
    for prefix, where in sorted(prefixes.items()):
        if len({w.split("/")[0] for w in where}) > 1:
            yield f"the prefix {prefix}_ is in {', '.join(sorted(where))}"


def check_functions(sources):
    for f in sources:
        if not f.endswith(".c"):
            continue
        most = MOST_LINES_OF_A_KERNEL if f.startswith(KERNELS) else MOST_LINES
        start = None
        lines = code(f).split("\n")
        for number, line in enumerate(lines, 1):
            if line.startswith("{"):
                start = number
            elif line.startswith("}") and start:
                if number - start + 1 > most and lines[start - 2].rstrip().endswith(")"):
                    yield f"{f}:{start}: a function of {number - start + 1} lines, more than {most}"
                start = None


DEFINED = re.compile(r"^(?!static)[a-z][\w ]*[ *](\w+)\(", re.M)


def check_exports(sources):
    users, definers, own = (collections.defaultdict(set) for _ in range(3))
    for f in sources:
        words = collections.Counter(re.findall(r"\b[a-z]\w+\b", code(f)))
        for word, count in words.items():
            users[word].add(f)
            if count > 1:
                own[f].add(word)  # in a header: by a macro or an inline function of its own
        if f.startswith("src/") and f.endswith(".c"):
            for name in DEFINED.findall(code(f)):
                definers[name].add(f)
    for header, name in declared(sources):
        if name not in own[header] and not users[name] - definers[name] - {header}:
            yield f"{header}: {name} is used by no other file; make it static"


def check_tests(sources, rank):
    stems = {os.path.splitext(os.path.basename(f))[0] for f in sources if f.startswith("src/")}
    for f in sources:
        if not f.startswith("tests/unit/"):
            continue
        room = f.split("/")[2]
        if not f.endswith(".c"):
            yield f"{f}: what tests share stands in tests/support"
        elif room not in {r.split("/")[0] for r in rank}:
            yield f"{f}: there is no room {room}"
        else:
            name = os.path.basename(f)[len("test_"):-len(".c")]
            words = name.split("_")
            starts = {"_".join(words[:k]) for k in range(1, len(words) + 1)}
            if not starts & (stems | {r.split("/")[-1] for r in rank}):
                yield f"{f}: no source is called {words[0]}"


def main():
    files = list_files()
    sources = [f for f in files if f.endswith((".c", ".h"))]
    order = re.search(r"^```rooms\n(.*?)^```", read("ARCHITECTURE.md"), re.M | re.S).group(1).split()
    rank = {room: i for i, room in enumerate(order)}
    faults = [f"{room}: ARCHITECTURE.md has it, and there is no such folder" for room in order
              if not os.path.isdir("src/" + room)]
    for faults_of in (check_includes(sources, rank), check_sizes(files), check_names(sources),
                      check_prefixes(sources, rank), check_functions(sources), check_exports(sources),
                      check_tests(sources, rank)):
        faults += faults_of
    print("\n".join(faults + [f"{len(sources)} sources, {len(order)} rooms, {len(faults)} faults"]))
    return bool(faults) or len(sources) < 100


sys.exit(main())
