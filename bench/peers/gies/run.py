"""GIES with the Gaussian interventional BIC score; the targets are those of the problem."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import gies
from common import rows_of_matrix, run


def find(problem):
    if not problem.targets:  # an empty second list would be the same environment twice
        estimate, _score = gies.fit_bic([problem.pooled], [[]])
    else:
        estimate, _score = gies.fit_bic([problem.control, problem.changed], [[], problem.targets])
    return rows_of_matrix(estimate)


run(find)
