"""Tests of DCDI: densities integrate to one, derivatives are right, and who enters which likelihood."""
import numpy as np
import torch
from density import Model, NormalDensity, SigmoidalFlow, TraceExponential
from search import Search, Settings, best_graph, has_cycle

torch.set_default_dtype(torch.double)
torch.manual_seed(3)


def check(holds, what):
    if not holds:
        raise SystemExit(f"test_density: {what}")


def test_densities():
    grid = torch.linspace(-400, 400, 100_001)
    for kind in (SigmoidalFlow, NormalDensity):
        given = torch.randn(3, 1, kind.outputs).expand(3, len(grid), kind.outputs)
        mass = torch.trapezoid(kind(3).log_density(grid.expand(3, -1), given).exp(), grid)
        check((mass - 1).abs().max() < 2e-3, f"{kind.__name__} has mass {mass.tolist()}")


def test_cycles():
    weights = torch.rand(4, 4, requires_grad=True)
    check(torch.autograd.gradcheck(TraceExponential.apply, (weights,)), "the derivative of the trace is wrong")
    check(TraceExponential.apply(torch.triu(torch.ones(4, 4), 1)).abs() < 1e-12, "a DAG has cycles")


def unit_gradients(changed, perfect, regime):
    """[units]: the size of the gradient of each unit's last bias"""
    model = Model(3, 2, changed, perfect, SigmoidalFlow)
    model.log_likelihood(torch.randn(8, 3), torch.full((8,), regime)).backward()
    return model.biases[-1].grad.abs().sum((1, 2)), model


def test_shares():
    changed = torch.tensor([[False] * 3, [False, True, False]])
    for regime, expected in ((0, [1, 1, 1, 0]), (1, [1, 0, 1, 1])):
        sizes, _ = unit_gradients(changed, False, regime)
        check(((sizes > 0).int() == torch.tensor(expected)).all(), f"imperfect, regime {regime}: {sizes.tolist()}")
    sizes, _ = unit_gradients(changed, True, 1)
    check(((sizes > 0).int() == torch.tensor([1, 0, 1])).all(), f"perfect: {sizes.tolist()}")
    sizes, model = unit_gradients(None, False, 0)
    check((sizes[3:] == 0).all() and (sizes[:3] > 0).all(), f"unknown, regime 0: {sizes.tolist()}")
    _, model = unit_gradients(None, False, 1)
    check((model.kept.grad != 0).all(), "unknown: the coins of targets have no gradient")


def test_masks():
    """A network reads nothing where no edge is likely, and never its own variable."""
    model = Model(3, 1, torch.zeros(1, 3, dtype=torch.bool), True, NormalDensity)
    with torch.no_grad():
        model.edges.fill_(-50.0)
        model.edges[0, 1] = 50.0
        model.edges.fill_diagonal_(50.0)
    x = torch.randn(5, 3, requires_grad=True)
    detached = Model.log_likelihood(model, x, torch.zeros(5, dtype=torch.long))
    model.edges.requires_grad_(False)
    base = torch.autograd.grad(detached, x)[0]
    # of variables 0 and 2 the density is that of the bias alone: standard normal at the start
    check((base[:, 2] + x[:, 2].detach() / 15).abs().max() < 1e-9, "variable 2 reads something")
    check((base[:, 0] + x[:, 0].detach() / 15).abs().max() > 1e-6, "variable 1 does not read variable 0")


def test_graphs():
    chances = np.array([[0, 0.9, 0], [0.6, 0, 0.8], [0, 0.3, 0]])
    check(has_cycle(chances > 0.5), "a cycle of two is not seen")
    found = best_graph(chances)
    check(not has_cycle(found) and found[0, 1] and found[1, 2] and not found[1, 0], f"{found.tolist()}")


def test_search():
    """Stationary points, and one variable that drives another under perfect interventions on either."""
    generator = np.random.default_rng(0)
    cause = generator.uniform(-2, 2, 600)
    table = np.stack([cause, 2 * np.tanh(2 * cause) + 0.3 * generator.standard_normal(600)], axis=1)
    table[:300, 1], regime = generator.normal(2, 1, 300), np.repeat([1, 0], 300)
    changed = np.array([[False, False], [False, True]])
    search = Search(table, regime, changed, NormalDensity, Settings(perfect=True, most_steps=1))
    for validated, stationary in (([3, 2, 1], False), ([1, 2, 3], True), ([2, 1, 2], False),
                                  ([1.002, 1.001, 1], True), ([1, 1], False)):
        search.validated = validated
        check(search.is_stationary() == stationary, f"{validated} counted as stationary: {not stationary}")
    settings = Settings(perfect=True, rate=0.01, first_weight=1e-2, window=20, patience_window=200, most_steps=2500)
    probabilities, _ = Search(table, regime, changed, NormalDensity, settings).run()
    check(probabilities[0, 1] > 0.5 > probabilities[1, 0], f"probabilities {probabilities.tolist()}")


torch.set_num_threads(1)
test_densities()
test_cycles()
test_shares()
test_masks()
test_graphs()
test_search()
