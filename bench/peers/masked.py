"""What the methods of the package sdcd have in common: rows with a mask of what was intervened on, and their graph."""
import contextlib
import tempfile

import torch

from common import rows_of_matrix


def masked_rows(problem):
    """A TensorDataset of (values, mask, regime): the mask is 0 where the row's variable is a target, else 1."""
    values = torch.tensor(problem.pooled, dtype=torch.float32)
    regime = torch.tensor(problem.regime, dtype=torch.int64)
    mask = torch.ones(values.shape, dtype=torch.int64)
    mask[len(problem.control):, problem.targets] = 0
    return torch.utils.data.TensorDataset(values, mask, regime * len(problem.targets))


def train_and_read(model, problem):
    """The rows of the graph that a model finds. Trainers leave checkpoints where they run, so this is elsewhere."""
    rows = masked_rows(problem)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        model.train(rows)
    return rows_of_matrix(model.get_adjacency_matrix(threshold=True))
