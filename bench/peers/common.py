"""What the peers share: reading a problem, timing the method, writing its answer (see README.md).

A peer's run.py has one function that takes a Problem and returns the rows of its graph, and ends with run(find).
Nothing here but Problem.table needs a package.
"""
import csv
import json
import os
import sys
import time

DIRECTED, UNDIRECTED = "directed", "undirected"


class Problem:
    """The folder of one problem; tables are read when they are asked for."""

    def __init__(self, folder):
        self.folder = folder
        self._tables = {}
        with open(os.path.join(folder, "obs.csv"), newline="", encoding="utf-8") as file:
            self.names = next(csv.reader(file))

    def _table(self, name):
        import numpy
        if name not in self._tables:
            path = os.path.join(self.folder, name)
            self._tables[name] = numpy.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
        return self._tables[name]

    @property
    def control(self):
        """[rows, variables]: the observational table"""
        return self._table("obs.csv")

    @property
    def changed(self):
        """[rows, variables]: the interventional table"""
        return self._table("int.csv")

    @property
    def pooled(self):
        """[rows of both, variables]: the two tables, the observational one first"""
        import numpy
        return numpy.concatenate([self.control, self.changed])

    @property
    def regime(self):
        """[rows of both]: 0 for a row of the observational table, 1 for one of the other"""
        import numpy
        return numpy.repeat([0, 1], [len(self.control), len(self.changed)])

    @property
    def targets(self):
        """The numbers of the variables that were intervened on, for a method that is told them."""
        with open(os.path.join(self.folder, "targets.csv"), newline="", encoding="utf-8") as file:
            rows = [row[0] for row in csv.reader(file) if row]
        return sorted(self.names.index(name) for name in rows[1:])


def first_rows(table, most):
    """For methods whose work grows with the square of the rows; rows are independent draws."""
    return table[:most]


def rows_of_matrix(matrix):
    """matrix[i][j] != 0 is i -> j, and both ways i - j: what a CPDAG as an adjacency matrix means."""
    rows = []
    for i in range(len(matrix)):
        for j in range(i + 1, len(matrix)):
            forward, backward = matrix[i][j] != 0, matrix[j][i] != 0
            if forward and backward:
                rows.append((i, j, UNDIRECTED))
            elif forward or backward:
                rows.append((i, j, DIRECTED) if forward else (j, i, DIRECTED))
    return rows


def rows_of_effects(effects):
    """effects[i][j] is the effect of j on i, as in lingam; NaN for a pair with a hidden common cause, which becomes
    an undirected edge."""
    import numpy
    effects = numpy.nan_to_num(numpy.asarray(effects), nan=1.0)
    return rows_of_matrix(effects.T)


ARROW = 1


def rows_of_marks(marks):
    """marks[i][j] is the mark at i of the edge between i and j, as in causal-learn: a tail, an arrowhead, another
    number for a circle, 0 for no edge. An arrowhead at one end alone is a direction, also if a circle stands at the
    other end, which is no more than a direction where no common cause is hidden. All other edges are undirected."""
    rows = []
    for i in range(len(marks)):
        for j in range(i + 1, len(marks)):
            at_i, at_j = marks[i][j], marks[j][i]
            if at_i == 0 and at_j == 0:
                continue
            if (at_i == ARROW) == (at_j == ARROW):
                rows.append((i, j, UNDIRECTED))
            else:
                rows.append((i, j, DIRECTED) if at_j == ARROW else (j, i, DIRECTED))
    return rows


def run(find, reads=True):
    """find(problem) returns (source, target, kind) by number; what it takes is the method's time.

    reads=False is for a method that looks at no table."""
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} PROBLEM OUT")
    problem, out = Problem(sys.argv[1]), sys.argv[2]
    if reads:
        problem.pooled  # reading is not the method's time
    started = time.perf_counter()
    rows = list(find(problem))
    seconds = time.perf_counter() - started
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "edges.csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["source", "target", "kind"])
        writer.writerows((problem.names[i], problem.names[j], kind) for i, j, kind in rows)
    with open(os.path.join(out, "run.json"), "w", encoding="utf-8") as file:
        json.dump({"seconds": seconds}, file)
