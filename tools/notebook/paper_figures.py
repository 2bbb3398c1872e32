"""The paper's two figures of results as SVG: a line for each method, a point for each graph, and the mean."""
from html import escape

from . import comparison as c
from .results import figure, mean

LABELS, LINE, TOP, GAP = 132, 19, 62, 26  # width of the names, height of a line; over and between panels
WIDTHS = {2: 288, 6: 168}  # of a panel, by their number
COLOURS = {  # class: property, in light and in dark surroundings
    "page": ("fill", "#ffffff", "#12171d"),
    "ink": ("fill", "#1c2530", "#e6ebf0"),
    "soft": ("fill", "#5f6d7a", "#9aa8b5"),
    "grid": ("stroke", "#dfe4e9", "#2c3742"),
    "base": ("stroke", "#5f6d7a", "#9aa8b5"),
    "own": ("fill", "#1463b8", "#6db3ff"),
    "peer": ("fill", "#a8480a", "#ffa05c"),
    "own-mean": ("stroke", "#1463b8", "#6db3ff"),
    "peer-mean": ("stroke", "#a8480a", "#ffa05c"),
    "theirs": ("stroke", "#1c2530", "#e6ebf0"),
}
STYLE = ("text{font:12px system-ui,sans-serif}.soft{font-size:11px}.mid{text-anchor:middle}.end{text-anchor:end}"
         ".head{font-weight:600}.base{stroke-dasharray:4 3}.own,.peer{fill-opacity:.4}.own-mean,.peer-mean{stroke-width:3}"
         ".theirs{fill:none;stroke-width:1.5}")


def style():
    """Every colour twice; the dark ones where the page around is dark."""
    light, dark = ("".join(f".{name}{{{c[0]}:{c[k]}}}" for name, c in COLOURS.items()) for k in (1, 2))
    return f"<style>{STYLE}{light}@media(prefers-color-scheme:dark){{{dark}}}</style>"


STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


class Axis:
    """F1 from 0 to 1; SHD by its square root, which has room for zero and for the largest."""

    def __init__(self, metric, largest, width):
        self.root, self.width = metric == "shd", width
        self.largest = max(largest, 1.0) if self.root else 1.0

    def at(self, x):
        share = (x / self.largest) ** 0.5 if self.root else x / self.largest
        return share * self.width

    def ticks(self):
        if not self.root:
            return [0, 0.2, 0.4, 0.6, 0.8, 1]
        kept = [0]
        for step in STEPS:
            if step <= self.largest and self.at(step) - self.at(kept[-1]) >= 30:
                kept.append(step)
        return kept


class Panel:
    """One score in one setting: points, means, and what the paper reports, for lines (method or None, its model)."""

    def __init__(self, table, setting, metric, lines, width):
        runs = c.runs(c.file_of(setting))
        self.metric, self.setting, self.width = metric, setting, width
        self.points = [list(c.values(runs.get(m, {}), metric).values()) for m, _ in lines]
        self.why = ["the paper's alone" if not m else "none scored" if m in runs else c.left_out(setting, m)
                    for m, _ in lines]
        said = [c.reported(table, setting, model).get(metric) for _, model in lines]
        self.theirs = [float(s[0]) if s else None for s in said]
        known = [x for line in self.points for x in line] + [x for x in self.theirs if x is not None]
        self.axis = Axis(metric, max(known, default=1.0), width)

    def frame(self, left, bottom, number, count):
        name = f"{self.setting}, {'SHD' if self.metric == 'shd' else 'F1'}"
        yield f'<text class="ink mid head" x="{left + self.width / 2:.1f}" y="{TOP - 14}">{name}</text>'
        for tick in self.axis.ticks():
            x = left + self.axis.at(tick)
            yield f'<path class="grid" d="M{x:.1f},{TOP} V{bottom}"/>'
            yield f'<text class="soft mid" x="{x:.1f}" y="{bottom + 15}">{tick:g}</text>'
        if number is not None and self.points[number]:
            x = left + self.axis.at(mean(self.points[number]))
            yield f'<path class="base" d="M{x:.1f},{TOP} V{TOP + count * LINE}"/>'

    def line(self, left, y, index, kind):
        points = self.points[index]
        for i, x in enumerate(points):  # graphs side by side where they have the same score
            yield (f'<circle class="{kind}" cx="{left + self.axis.at(x):.1f}" cy="{y - 4.5 + 9 * (i % 4) / 3:.1f}" '
                   'r="2.2"/>')
        if points:
            x = left + self.axis.at(mean(points))
            yield f'<path class="{kind}-mean" d="M{x:.1f},{y - 7} v14"/>'
        elif self.metric == "f1":
            x, side = (left + 4, "") if (self.theirs[index] or 0) > 0.5 else (left + self.width - 4, " end")
            yield f'<text class="soft{side}" x="{x}" y="{y + 4}">{escape(self.why[index])}</text>'
        if self.theirs[index] is not None:
            x = left + self.axis.at(self.theirs[index])
            yield f'<path class="theirs" d="M{x - 4:.1f},{y} l4,-5 l4,5 l-4,5 z"/>'


def legend():
    """What the marks mean, in one line over the panels."""
    x = 12
    for shape, text in (('<circle class="own" cx="{x}" cy="16" r="2.2"/>', "a graph"),
                        ('<path class="own-mean" d="M{x},9 v14"/>', "mean of a method of SCONE"),
                        ('<path class="peer-mean" d="M{x},9 v14"/>', "of a competitor"),
                        ('<path class="theirs" d="M{x},11 l4,5 l-4,5 l-4,-5 z"/>', "mean that the paper reports")):
        yield shape.format(x=x) + f'<text class="soft" x="{x + 9}" y="20">{text}</text>'
        x += 30 + 6.2 * len(text)
    yield f'<text class="soft" x="{x}" y="20">dashed: mean of polybic</text>'


def lines_of(pairs):
    """(method, the paper's model) of every line: methods of SCONE, then others, then those that the paper alone has."""
    methods = list(dict.fromkeys(m for _, setting in pairs for m in c.planned(setting)))
    methods.sort(key=lambda m: c.about(m)["group"] == "peer")
    lines = [(m, c.about(m)["reported"]) for m in methods]
    models = dict.fromkeys(m for table, setting in pairs for m in c.reported_models(table, setting))
    return lines + [(None, model) for model in models if model not in {shown for _, shown in lines}]


def draw(pairs, title):
    """The SVG with two panels for each (table of the paper, setting), and a line for each method of any of them."""
    lines, width = lines_of(pairs), WIDTHS[2 * len(pairs)]
    panels = [Panel(t, s, metric, lines, width) for t, s in pairs for metric in ("f1", "shd")]
    bottom, across = TOP + len(lines) * LINE, LABELS + len(panels) * (width + GAP)
    height = bottom + 26
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{across}" height="{height}" '
           f'viewBox="0 0 {across} {height}">', f"<title>{escape(title)}</title>", style(),
           f'<rect width="{across}" height="{height}" class="page"/>', *legend()]
    number = next((k for k, line in enumerate(lines) if line[0] == "polybic"), None)
    for k, panel in enumerate(panels):
        out += panel.frame(LABELS + k * (width + GAP), bottom, number, len(lines))
    for i, (method, model) in enumerate(lines):
        y = TOP + (i + 0.5) * LINE
        kind = "own" if method and c.about(method)["group"] != "peer" else "peer"
        out.append(f'<text class="ink end" x="{LABELS - 12}" y="{y + 4}">{escape(method or model)}</text>')
        for k, panel in enumerate(panels):
            out += panel.line(LABELS + k * (width + GAP), y, i, kind)
    return "\n".join([*out, "</svg>", ""])


@figure("docs/notebook/paper_indist.svg")
def _():
    return draw([("in-distribution", "indist-20-20")], "F1 and SHD of every method in distribution")


@figure("docs/notebook/paper_ood.svg")
def _():
    return draw([("out-of-distribution", s) for s in ("ood-20-20", "ood-20-30", "ood-50-50")],
                "Out of distribution: F1 and SHD of every method on three kinds of graphs")
