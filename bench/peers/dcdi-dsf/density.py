"""The model of DCDI (Brouillard et al. 2020): a random mask of edges, and a density of every variable given the rest.

A *unit* is one conditional density: every variable has one, and another for each regime in which it is a target, if
interventions are imperfect. A network with two hidden layers reads the masked values of the other variables and puts
out the parameters of the unit's density: of a deep sigmoidal flow (Huang et al. 2018), or of a normal density.
All units are evaluated at once: x is [rows, variables], masks are [rows, parents, children], results [rows, units].
"""
import math

import torch
from torch import nn
from torch.nn import functional

HIDDEN_LAYERS, HIDDEN = 2, 16  # of the networks
FLOW_LAYERS, FLOW_HIDDEN = 2, 16
EDGE_START, KEPT_START = 5.0, 3.0  # log odds of an edge, and of a mechanism that an unknown intervention left alone
MARGIN = 1e-6  # keeps logits finite
HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)


def hard_sigmoid_sample(log_odds, rows):
    """[rows, ...]: coins with these log odds, with the gradient of their relaxation (straight through)"""
    noise = torch.rand(rows, *log_odds.shape, dtype=log_odds.dtype).logit_()
    soft = torch.sigmoid(log_odds + noise)
    return ((soft > 0.5).to(soft.dtype) - soft).detach() + soft


class TraceExponential(torch.autograd.Function):
    """tr e^W - d, whose derivative is the transpose of e^W."""

    @staticmethod
    def forward(context, weights):
        exponential = torch.linalg.matrix_exp(weights)
        context.save_for_backward(exponential)
        return exponential.trace() - len(weights)

    @staticmethod
    def backward(context, gradient):
        exponential, = context.saved_tensors
        return exponential.T * gradient


class NormalDensity:
    """Mean given by the network; one deviation for each unit, whatever the parents."""

    outputs = 1

    def __init__(self, units):
        self.log_deviation = nn.Parameter(torch.zeros(units))

    def own_parameters(self):
        return [self.log_deviation]

    def log_density(self, x, given):
        """x: [units, rows], given: [units, rows, outputs]"""
        scaled = (x - given[..., 0]) / torch.exp(self.log_deviation)[:, None]
        return -0.5 * scaled**2 - self.log_deviation[:, None] - HALF_LOG_TAU


class SigmoidalFlow:
    """x becomes a standard normal variable by layers logit(sum w sigmoid(a x + b)), a > 0, sum w = 1."""

    outputs = 3 * FLOW_HIDDEN * FLOW_LAYERS

    def __init__(self, _units):
        pass

    def own_parameters(self):
        return []

    def log_density(self, x, given):
        log_slope = torch.zeros_like(x)
        for layer in given.split(3 * FLOW_HIDDEN, dim=-1):
            raw_a, b, raw_w = layer.split(FLOW_HIDDEN, dim=-1)
            a = functional.softplus(raw_a) + MARGIN
            inner = a * x[..., None] + b
            log_w = functional.log_softmax(raw_w, dim=-1)
            log_sigmoid = functional.logsigmoid(inner)
            mixed = torch.exp(log_w + log_sigmoid).sum(-1) * (1 - MARGIN) + 0.5 * MARGIN
            log_mixed, log_rest = torch.log(mixed), torch.log1p(-mixed)
            terms = log_w + 2 * log_sigmoid - inner + torch.log(a)  # a w s(1 - s), as 1 - s = s e^-inner
            log_slope = log_slope + torch.logsumexp(terms, dim=-1) + math.log1p(-MARGIN) - log_mixed - log_rest
            x = log_mixed - log_rest
        return log_slope - 0.5 * x**2 - HALF_LOG_TAU


class Model(nn.Module):
    """changed[k, j]: whether variable j is a target in regime k; None if the targets are to be learned.

    perfect: a target loses its parents, and its term is left out of the likelihood (of known targets), or its network
    reads nothing (of unknown ones). Otherwise it keeps them, with a unit of its own. Regime 0 has no targets.
    """

    def __init__(self, variables, regimes, changed, perfect, density):
        super().__init__()
        self.variables, self.changed, self.perfect = variables, changed, perfect
        own = list(range(variables))
        units = [(j, -1) for j in own]
        for k in range(1, regimes):
            units += [(j, k) for j in own if changed is None or (changed[k, j] and not perfect)]
        self.unit_variable = torch.tensor([j for j, _ in units])
        self.unit_regime = torch.tensor([k for _, k in units])
        self.edges = nn.Parameter(torch.full((variables, variables), EDGE_START))
        self.no_loops = 1 - torch.eye(variables)
        if changed is None:
            self.kept = nn.Parameter(torch.full((regimes - 1, variables), KEPT_START))
        self.density = density(len(units))
        widths = [variables] + [HIDDEN] * HIDDEN_LAYERS + [self.density.outputs]
        self.weights = nn.ParameterList(nn.Parameter(self._start(len(units), a, b))
                                        for a, b in zip(widths[:-1], widths[1:]))
        self.biases = nn.ParameterList(nn.Parameter(torch.zeros(len(units), 1, b)) for b in widths[1:])
        self.own = nn.ParameterList(self.density.own_parameters())
        with torch.no_grad():
            self.largest_cycles = TraceExponential.apply(self.no_loops)

    @staticmethod
    def _start(units, fan_in, fan_out):
        """Glorot's uniform start, with the gain of the leaky rectifier."""
        bound = nn.init.calculate_gain("leaky_relu") * math.sqrt(6 / (fan_in + fan_out))
        return torch.empty(units, fan_in, fan_out).uniform_(-bound, bound)

    def edge_probabilities(self):
        return torch.sigmoid(self.edges) * self.no_loops

    def cycles(self):
        """tr e^P - d, divided by what it is with all edges"""
        return TraceExponential.apply(self.edge_probabilities()) / self.largest_cycles

    def shares(self, regime):
        """[rows, units]: 1 where the row's likelihood has the unit in it. Coins if targets are unknown."""
        own_regime = regime[:, None] == self.unit_regime
        if self.changed is not None:
            changed = self.changed.to(torch.get_default_dtype())[regime]  # [rows, variables]
            base, extra = 1 - changed, changed[:, self.unit_variable]
        else:
            base = torch.ones(len(regime), self.variables)
            later = regime > 0
            coins = hard_sigmoid_sample(self.kept, len(regime))
            base[later] = coins[later, regime[later] - 1]
            extra = (1 - base)[:, self.unit_variable]
        share = extra * own_regime
        share[:, :self.variables] = base
        return share

    def log_likelihood(self, x, regime):
        """[rows, variables] summed over units: the mean over rows and variables of log densities"""
        share = self.shares(regime)
        mask = (hard_sigmoid_sample(self.edges, len(x)) * self.no_loops).permute(2, 0, 1)  # [children, rows, parents]
        values = (mask * x)[self.unit_variable]
        if self.changed is None and self.perfect:
            values = values * (self.unit_regime < 0)[:, None, None]
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases)):
            values = torch.baddbmm(bias, values, weight)
            if layer < HIDDEN_LAYERS:
                values = functional.leaky_relu(values)
        logs = self.density.log_density(x.T[self.unit_variable], values)
        return (logs.T * share).sum() / (len(x) * self.variables)
