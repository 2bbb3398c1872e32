"""GnIES with its published defaults: targets are found greedily."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import gnies
from common import rows_of_matrix, run


def find(problem):
    _score, estimate, _targets = gnies.fit([problem.control, problem.changed])
    return rows_of_matrix(estimate)


run(find)
