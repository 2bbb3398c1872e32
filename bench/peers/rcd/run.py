"""RCD with its published defaults on rows of both tables."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy
from common import first_rows, rows_of_effects, run
from lingam import RCD

MOST_ROWS = 500  # of a table


def find(problem):
    model = RCD()
    model.fit(numpy.concatenate([first_rows(table, MOST_ROWS) for table in (problem.control, problem.changed)]))
    return rows_of_effects(model.adjacency_matrix_)


run(find)
