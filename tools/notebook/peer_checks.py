"""Methods written after their publications, beside published figures: the pages of bench/peers/."""
import statistics

from .results import Table, number, rows, table


def spread(values):
    return f"{number(statistics.mean(values), 1)} ± {number(statistics.stdev(values), 1)}"


@table("check_cam")
def _():
    """The column shd by functions and expected edges, and the figures that the file names beside it."""
    file = "peers/check_cam.csv"
    groups = {}
    for r in rows(file):
        groups.setdefault((r["functions"], r["expected_edges"]), []).append(r)
    body = []
    for (functions, edges), found in groups.items():
        reported = [number(float(found[0][c]), 1) for c in ("reported_mean", "reported_deviation") if found[0][c]]
        body.append([functions, edges, len(found), spread([int(r["edges"]) for r in found]),
                     spread([int(r["found"]) for r in found]), spread([int(r["shd"]) for r in found]),
                     " ± ".join(reported) or "none"])
    return Table(["functions", "expected edges", "graphs", "true edges", "edges found", "SHD", "SHD reported"], body,
                 "Means and standard deviations over graphs.", "bench/peers/cam/check.py 10",
                 "the number of the graph", [file])
