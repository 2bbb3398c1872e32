#!/usr/bin/env python3
"""Makes the picture of the README: runs the demo and takes the drawing out of its report.

    tools/demo_picture.py build/scone docs/demo.svg

The report styles its drawing for the page around it; a file of its own needs the style and the name space inside.
"""
import os
import re
import subprocess
import sys
import tempfile

STYLE = (
    ".page{fill:#ffffff;stroke:none}"
    "text{font:13px system-ui,sans-serif;text-anchor:middle;fill:#1c2530}"
    "rect{fill:#f4f6f8;stroke:#8794a1}.t rect{fill:#ffd9b8;stroke:#c35a00}"
    "path{fill:none;stroke:#42566b}.d{marker-end:url(#a)}"
    ".u{stroke-dasharray:5 4;stroke:#7c8b99}.head{fill:#42566b;stroke:none}"
)


def drawing(page):
    found = re.search(r"<svg .*?</svg>", page, flags=re.S)
    if not found:
        sys.exit("the report has no drawing")
    start, rest = found.group(0).split(">", 1)
    start = start.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return f'{start}>\n<style>{STYLE}</style>\n<rect class="page" width="100%" height="100%"/>{rest}\n'


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: tools/demo_picture.py SCONE PICTURE.svg")
    program, picture = sys.argv[1:]
    tools = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([f"{tools}/demo.sh", program, folder], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        with open(f"{folder}/result/report.html", encoding="utf-8") as page:
            text = drawing(page.read())
    with open(picture, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
