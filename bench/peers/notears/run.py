"""NOTEARS of the package gcastle with its settings, on the observational table."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from castle.algorithms import Notears

from common import rows_of_matrix, run


def find(problem):
    model = Notears()
    model.learn(problem.control)
    return rows_of_matrix(model.causal_matrix)


run(find)
