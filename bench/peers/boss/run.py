"""BOSS with the BIC score on the rows of both tables."""
import random
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy
from causallearn.search.PermutationBased.BOSS import boss
from common import rows_of_marks, run


def find(problem):
    random.seed(0)
    numpy.random.seed(0)
    return rows_of_marks(boss(problem.pooled, verbose=False).graph)


run(find)
