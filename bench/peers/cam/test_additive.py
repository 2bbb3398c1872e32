"""Tests of CAM's regressions and search: against direct solutions, and on data whose answer is known."""
import numpy as np
from additive import Moments, smooth_basis
from order_search import find_graph, possible_parents

GENERATOR = np.random.default_rng(5)


def check(holds, what):
    if not holds:
        raise SystemExit(f"test_additive: {what}")


def test_basis():
    functions, rough = smooth_basis(GENERATOR.standard_normal(500))
    check(functions.shape[1] == len(rough) == 9, f"{functions.shape[1]} functions")
    check(np.abs(functions.T @ functions / 500 - np.eye(9)).max() < 1e-9, "functions are not orthonormal")
    check(np.abs(functions.mean(axis=0)).max() < 1e-9, "functions are not centred")
    check((rough == 0).sum() == 1, "not just the straight line is free")


def test_fit():
    """The penalized least squares problem at the smoothing found, solved by rows."""
    x = GENERATOR.standard_normal((400, 3))
    x[:, 2] = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.3 * GENERATOR.standard_normal(400)
    fit = Moments(x).fit(2, [0, 1])
    standard = (x - x.mean(0)) / x.std(0)
    bases = [smooth_basis(standard[:, j]) for j in (0, 1)]
    design = np.hstack([functions for functions, _ in bases])
    penalty = np.concatenate([s * rough for s, (_, rough) in zip(fit.smoothing, bases)])
    augmented = np.vstack([design / np.sqrt(400), np.diag(np.sqrt(penalty))])
    response = np.concatenate([standard[:, 2] / np.sqrt(400), np.zeros(18)])
    solved = np.linalg.lstsq(augmented, response, rcond=None)[0]
    variance = ((standard[:, 2] - design @ solved) ** 2).mean()
    check(abs(fit.variance - variance) <= 0.01 * variance, f"variance {fit.variance}, directly {variance}")
    noise = 0.09 / x[:, 2].var()
    check(0.8 * noise < fit.variance < 1.1 * noise, f"variance {fit.variance}, of the noise {noise}")


def test_p_values():
    """Terms that are zero are rejected as often as the level says; others are always found."""
    rejected, total = 0, 300
    for _ in range(total):
        x = GENERATOR.standard_normal((200, 3))
        x[:, 2] += np.cos(2 * x[:, 0])
        strong, none = Moments(x).p_values(2, [0, 1])
        check(strong < 1e-3, f"a term that is there has p-value {strong}")
        rejected += none < 0.05
    check(0.01 * total < rejected < 0.12 * total, f"{rejected} of {total} rejected at level 0.05")


def test_graph():
    rows = 1000
    x = np.zeros((rows, 4))
    x[:, 2] = GENERATOR.uniform(-2, 2, rows)
    x[:, 0] = np.sin(2 * x[:, 2]) + 0.3 * GENERATOR.standard_normal(rows)
    x[:, 3] = x[:, 0] ** 2 + 0.3 * GENERATOR.standard_normal(rows)
    x[:, 1] = GENERATOR.standard_normal(rows)
    true = np.zeros((4, 4), bool)
    true[2, 0] = true[0, 3] = True
    allowed = possible_parents(Moments(x))
    check(allowed[2, 0] and not allowed.diagonal().any(), "the neighbourhood of a child lacks its parent")
    found = find_graph(x)
    check((found == true).all(), f"found {np.argwhere(found).tolist()}")


test_basis()
test_fit()
test_p_values()
test_graph()
