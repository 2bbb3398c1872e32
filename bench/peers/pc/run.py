"""PC with Fisher's z test on the rows of both tables."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from causallearn.search.ConstraintBased.PC import pc
from common import rows_of_marks, run


def find(problem):
    return rows_of_marks(pc(problem.pooled, show_progress=False).G.graph)


run(find)
