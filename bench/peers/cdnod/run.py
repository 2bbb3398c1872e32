"""CD-NOD with Fisher's z test; the table that a row stands in is the variable that mechanisms change with."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from causallearn.search.ConstraintBased.CDNOD import cdnod
from common import rows_of_marks, run


def find(problem):
    graph = cdnod(problem.pooled, problem.regime.reshape(-1, 1), show_progress=False).G.graph
    count = len(problem.names)  # the regime comes last
    return rows_of_marks(graph[:count, :count])


run(find)
