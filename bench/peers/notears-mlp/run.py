"""NOTEARS-MLP of the package gcastle with its settings, on the observational table."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import torch
from castle.algorithms import NotearsNonlinear

from common import rows_of_matrix, run


def find(problem):
    torch.manual_seed(0)
    model = NotearsNonlinear()
    model.learn(problem.control)
    return rows_of_matrix(model.causal_matrix)


run(find)
