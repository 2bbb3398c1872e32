"""DAGMA for linear models with its settings, on the observational table."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from dagma.linear import DagmaLinear

from common import rows_of_matrix, run


def find(problem):
    return rows_of_matrix(DagmaLinear(loss_type="l2").fit(problem.control))


run(find)
