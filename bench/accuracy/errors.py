"""Splits the errors of the search, from the output of bench_errors.

    python3 bench/accuracy/errors.py SETTING=FILE...

Nodes whose parents are wrong are put together where a turned edge joins them. If what was found scores higher than the truth over such a
group, the score is wrong about it, else the search missed it. Prints CSV: setting, cause, model of the true parents (that of both tables
together), whether the node is a target, and how many nodes, missing, extra and turned parents there are, with the median size of the
difference in nats.
"""
import csv
import statistics
import sys
from collections import defaultdict


def groups_of(nodes):
    """Lists of nodes joined by turned edges."""
    group = {v: {v} for v in nodes}
    for v, row in nodes.items():
        for u in row["found"] - row["true"]:
            if u in nodes and v in nodes[u]["true"]:
                group[u] |= group[v]
                for w in group[u]:
                    group[w] = group[u]
    return {id(g): sorted(g) for g in group.values()}.values()


def read(path):
    """{graph: {node: row}}"""
    graphs = defaultdict(dict)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["kind"] != "node":
                continue
            graphs[row["graph"]][row["node"]] = {
                "model": row["pooled"],
                "target": row["target"],
                "difference": float(row["found minus true"]),
                "true": set(row["true parents"].split()),
                "found": set(row["found parents"].split()),
            }
    return graphs


def main():
    print("setting,cause,model,target,nodes,missing,extra,turned,median_nats")
    for argument in sys.argv[1:]:
        setting, path = argument.split("=", 1)
        table = defaultdict(lambda: [0, 0, 0, 0, []])
        for nodes in read(path).values():
            for group in groups_of(nodes):
                total = sum(nodes[v]["difference"] for v in group)
                for v in group:
                    row = nodes[v]
                    turned = {u for u in row["found"] - row["true"] if u in nodes and v in nodes[u]["true"]}
                    back = {u for u in row["true"] - row["found"] if u in nodes and v in nodes[u]["found"]}
                    entry = table["score" if total > 0 else "search", row["model"], row["target"]]
                    entry[0] += 1
                    entry[1] += len(row["true"] - row["found"] - back)
                    entry[2] += len(row["found"] - row["true"] - turned)
                    entry[3] += len(turned)
                    entry[4].append(abs(total))
        for (cause, model, target), (count, missing, extra, turned, nats) in sorted(table.items()):
            print(f"{setting},{cause},{model},{target},{count},{missing},{extra},{turned},{statistics.median(nats):.0f}")


if __name__ == "__main__":
    main()
