#!/usr/bin/env python3
"""Runs the command in the head of an example, and compares what it prints with examples/expected/NAME.txt.

    tests/examples/run_example.py EXAMPLE.c BUILD [--write]      in the root of the project

Words and whole numbers must be the same. Numbers with a point or an exponent may differ in their last digits,
since fits and networks may round differently on another kind of machine. An example that takes arguments must
refuse to run without them. examples/README.md must have its command and the calls that it introduces. --write makes
the expectation anew.
"""
import os
import re
import subprocess
import sys

MOST_LINES = 60
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+(?:e[-+]?\d+)?|e[-+]?\d+)(?![\w.]*\d)")


def slack(text):
    """What a number may differ by: two units of its last digit, or a tenth of it."""
    mantissa = text.split("e")[0]
    digits = len(mantissa.partition(".")[2])
    exponent = int(text.partition("e")[2] or 0)
    return max(2.001 * 10.0 ** (exponent - digits), 0.1 * abs(float(text)))


def differ(got, wanted):
    """None, or why the two lines are not the same."""
    if NUMBER.sub("#", got) != NUMBER.sub("#", wanted):
        return "other words"
    for a, b in zip(NUMBER.findall(got), NUMBER.findall(wanted)):
        if not abs(float(a) - float(b)) <= slack(b):
            return f"{a} is not {b}"
    return None


def compare(got, wanted):
    got, wanted = got.split("\n"), wanted.split("\n")
    for number, (a, b) in enumerate(zip(got, wanted), 1):
        why = differ(a, b)
        if why:
            return f"line {number}: {why}\n  got       {a}\n  expected  {b}"
    if len(got) != len(wanted):
        return f"{len(got)} lines, expected {len(wanted)}"
    return None


def run(command):
    return subprocess.run(command, shell=True, capture_output=True, text=True)


def check_page(name, head, command):
    with open("examples/README.md", encoding="utf-8") as file:
        row = next((line for line in file if line.startswith(f"| [`{name}`]")), "")
    calls = re.sub(r"\s*\n \*\s*", " ", re.search(r"^ \* New: (.*?)\.$", head, re.M | re.S).group(1))
    for text in [command] + calls.split(", "):
        if f"`{text}`" not in row:
            sys.exit(f"{name}: examples/README.md does not have `{text}` in its row")


def main():
    source, build = sys.argv[1:3]
    name = os.path.splitext(os.path.basename(source))[0]
    expectation = f"examples/expected/{name}.txt"
    with open(source, encoding="utf-8") as file:
        text = file.read()
    lines = text.count("\n")
    if lines > MOST_LINES:
        sys.exit(f"{name}: {lines} lines, more than {MOST_LINES}")
    found = re.search(r"^ \*   make examples && (?:\\\n \*   )?(build/examples/(\w+)(.*))$", text.split("*/")[0], re.M)
    if not found or found.group(2) != name:
        sys.exit(f"{name}: its head has no line 'make examples && build/examples/{name} ...'")
    check_page(name, text.split("*/")[0], found.group(1))
    command = found.group(1).replace("build/examples", f"{build}/examples")
    done = run(command)
    printed = done.stdout.replace(f"{build}/examples", "build/examples")
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{name}: exit {done.returncode}\n{done.stderr}")
    if found.group(3):
        bare = run(f"{build}/examples/{name}")
        if bare.returncode != 2 or bare.stdout or not bare.stderr.startswith(f"usage: {name} "):
            sys.exit(f"{name}: without arguments: exit {bare.returncode}\n{bare.stdout}{bare.stderr}")
    if "--write" in sys.argv:
        with open(expectation, "w", encoding="utf-8") as file:
            file.write(printed)
        return
    with open(expectation, encoding="utf-8") as file:
        why = compare(printed, file.read())
    if why:
        sys.exit(f"{name}: {why}")


main()
