"""GES with the Gaussian BIC score on the rows of both tables."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import ges
from common import rows_of_matrix, run


def find(problem):
    estimate, _score = ges.fit_bic(problem.pooled)
    return rows_of_matrix(estimate)


run(find)
