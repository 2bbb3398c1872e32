"""Multi-group CAM-UV with its published defaults; each table is a group."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import first_rows, rows_of_effects, run
from lingam import MultiGroupCAMUV

MOST_ROWS = 500  # of a table


def find(problem):
    model = MultiGroupCAMUV()
    model.fit([first_rows(table, MOST_ROWS) for table in (problem.control, problem.changed)])
    return rows_of_effects(model.adjacency_matrix_)


run(find)
