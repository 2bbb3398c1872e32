"""DirectLiNGAM with its published defaults on the rows of both tables."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import rows_of_effects, run
from lingam import DirectLiNGAM


def find(problem):
    model = DirectLiNGAM(random_state=0)
    model.fit(problem.pooled)
    return rows_of_effects(model.adjacency_matrix_)


run(find)
