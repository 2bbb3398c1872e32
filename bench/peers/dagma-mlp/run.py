"""DAGMA with a neural network for every variable, on the observational table; a tenth of its steps (see README.md)."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import torch
from dagma.nonlinear import DagmaMLP, DagmaNonlinear

from common import rows_of_matrix, run

HIDDEN = 10
STEPS = {"warm_iter": 5000, "max_iter": 8000, "lr": 0.002}


def find(problem):
    torch.manual_seed(0)
    variables = len(problem.names)
    network = DagmaMLP(dims=[variables, HIDDEN, 1], bias=True, dtype=torch.double)
    fitted = DagmaNonlinear(network, dtype=torch.double).fit(problem.control, lambda1=0.02, lambda2=0.005, **STEPS)
    return rows_of_matrix(fitted)


run(find)
