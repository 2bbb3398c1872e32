#!/usr/bin/env python3
"""Is the program in the head of include/scone.h the example that it names, which the tests compile and run?"""
import re
import sys

with open("include/scone.h", encoding="utf-8") as file:
    head = file.read().split("*/")[0]
name = re.search(r"examples/\w+\.c", head).group(0)
lines = [line[len(" *     "):] for line in head.split("\n")]
first = lines.index("#include <scone.h>")
shown = lines[first:lines.index("}", first) + 1]
with open(name, encoding="utf-8") as file:
    program = file.read().split("*/\n", 1)[1].rstrip("\n").split("\n")
for number, (a, b) in enumerate(zip(program, shown), 1):
    if a != b:
        sys.exit(f"line {number} of the program in {name}:\n  {a}\nand in include/scone.h:\n  {b}")
if len(program) != len(shown):
    sys.exit(f"{name} has {len(program)} lines, include/scone.h shows {len(shown)}")
