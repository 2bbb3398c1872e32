"""LINC with splines; the table that a row stands in is its context."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy
import pandas
from causalchange import Linc
from common import DIRECTED, first_rows, run

MOST_ROWS = 1000  # of a table


def find(problem):
    contexts = [first_rows(table, MOST_ROWS) for table in (problem.control, problem.changed)]
    table = pandas.DataFrame(numpy.concatenate(contexts), columns=[f"v{v}" for v in range(len(problem.names))])
    table["context"] = numpy.repeat([0, 1], [len(rows) for rows in contexts])
    found = Linc(score_type="spline", context_col="context", seed=0).fit(table).graph_
    return sorted((int(source[1:]), int(target[1:]), DIRECTED) for source, target in found.edges())


run(find)
