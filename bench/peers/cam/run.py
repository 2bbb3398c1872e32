"""CAM on the observational table."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from order_search import find_graph

from common import rows_of_matrix, run


def find(problem):
    return rows_of_matrix(find_graph(problem.control))


run(find)
