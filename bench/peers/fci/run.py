"""FCI with Fisher's z test on the rows of both tables."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from causallearn.search.ConstraintBased.FCI import fci
from common import rows_of_marks, run


def find(problem):
    graph, _edges = fci(problem.pooled, show_progress=False)
    return rows_of_marks(graph.graph)


run(find)
