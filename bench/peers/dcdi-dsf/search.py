"""DCDI's search: maximum likelihood under a constraint on cycles, by the augmented Lagrangian (Brouillard et al. 2020).

Settings are those of the authors' program: minibatches of 64, RMSprop at 0.001, penalty 0.1 on the mean probability of
an edge, a fifth of the rows kept for validation, the constraint's weight doubled whenever a stationary point has not
brought cycles down by a tenth.
"""
import dataclasses
import math
import sys
import time

import numpy as np
import torch

from density import Model


@dataclasses.dataclass
class Settings:
    perfect: bool = False
    penalty: float = 0.1
    target_penalty: float = 1e-8
    batch: int = 64
    rate: float = 1e-3
    most_steps: int = 1_000_000
    window: int = 100
    flat: float = 1e-4  # a change of the validated Lagrangian a step that counts as none
    progress: float = 0.9
    growth: float = 2.0
    first_weight: float = 1e-8
    cycles_allowed: float = 1e-8
    patience: int = 5
    patience_window: int = 1000
    seed: int = 0
    told_every: int = 0  # steps between lines on standard error; 0 is none


def has_cycle(graph):
    reach = graph.astype(int)
    for _ in range(len(graph)):
        if np.trace(reach):
            return True
        reach = ((reach @ graph) > 0).astype(int)
    return False


def best_graph(probabilities):
    """Edges above one half; should they close a cycle, those of the highest threshold that closes none."""
    for threshold in [0.5] + sorted(probabilities[probabilities > 0.5]):
        graph = probabilities > threshold
        if not has_cycle(graph):
            return graph
    raise AssertionError("the empty graph has no cycle")


class Search:
    def __init__(self, values, regime, changed, density, settings):
        torch.manual_seed(settings.seed)
        self.settings = settings
        regime = torch.as_tensor(regime)
        changed = None if changed is None else torch.as_tensor(changed)
        values = torch.as_tensor((values - values.mean(0)) / values.std(0), dtype=torch.get_default_dtype())
        order = torch.randperm(len(values))
        cut = int(0.8 * len(values))
        self.rows, self.rows_regime = values[order[:cut]], regime[order[:cut]]
        self.held, self.held_regime = values[order[cut:]], regime[order[cut:]]
        self.model = Model(values.shape[1], int(regime.max()) + 1, changed, settings.perfect, density)
        self.optimizer = self.new_optimizer()
        self.multiplier, self.weight = 0.0, settings.first_weight
        self.validated = []  # Lagrangian on the rows kept, every window steps
        self.last_stationary = None  # cycles at the last stationary point
        self.best, self.left = math.inf, settings.patience

    def new_optimizer(self):
        return torch.optim.RMSprop(self.model.parameters(), lr=self.settings.rate)

    def penalties(self):
        size = self.model.variables
        total = self.settings.penalty * self.model.edge_probabilities().sum() / size**2
        if self.model.changed is None:
            total = total + self.settings.target_penalty * torch.sigmoid(-self.model.kept).sum()
        return total

    def bound(self, cycles):
        return self.multiplier * cycles + 0.5 * self.weight * cycles**2

    def step(self):
        """One minibatch; returns cycles, and what the Lagrangian has beside the likelihood."""
        chosen = torch.randint(len(self.rows), (self.settings.batch,))
        loss = -self.model.log_likelihood(self.rows[chosen], self.rows_regime[chosen])
        cycles = self.model.cycles()
        beside = self.penalties() + self.bound(cycles)
        self.optimizer.zero_grad()
        (loss + beside).backward()
        self.optimizer.step()
        return cycles.item(), beside.item()

    @torch.no_grad()
    def held_loss(self):
        return -self.model.log_likelihood(self.held, self.held_regime).item()

    def is_stationary(self):
        """Whether the validated Lagrangian, going one way over two windows, has stopped to fall."""
        if len(self.validated) < 3:
            return False
        first, middle, last = self.validated[-3:]
        if not min(first, last) < middle < max(first, last):
            return False
        change = (last - first) / self.settings.window
        return abs(change) < self.settings.flat or change > 0

    def tighten(self, cycles):
        """At a stationary point that has cycles: a step of the multiplier, perhaps a heavier weight."""
        before = self.bound(cycles)
        self.multiplier += self.weight * cycles
        if self.last_stationary is not None and cycles > self.last_stationary * self.settings.progress:
            self.weight *= self.settings.growth
        self.last_stationary = cycles
        self.validated[-1] += self.bound(cycles) - before
        self.optimizer = self.new_optimizer()

    def is_acyclic(self):
        return not has_cycle(self.probabilities() > 0.5)

    def probabilities(self):
        return self.model.edge_probabilities().detach().numpy()

    def is_patient(self, beside):
        """Once there are no cycles: whether the validated Lagrangian still improves from time to time."""
        value = self.held_loss() + beside
        if value < self.best:
            self.best, self.left = value, self.settings.patience
        else:
            self.left -= 1
        return self.left > 0

    def tell(self, step, cycles, started):
        print(f"{step} steps, {time.process_time() - started:.0f} s: cycles {cycles:.2e}, weight {self.weight:.1e}, "
              f"multiplier {self.multiplier:.1e}, edges {(self.probabilities() > 0.5).sum()}, "
              f"Lagrangian {self.validated[-1]:.4f}", file=sys.stderr, flush=True)

    def run(self):
        """Returns the probabilities of edges and how many steps were taken."""
        settings, started, acyclic = self.settings, time.process_time(), False
        for step in range(settings.most_steps):
            cycles, beside = self.step()
            if step % settings.window == 0:
                self.validated.append(self.held_loss() + beside)
                acyclic = self.is_acyclic()
            if settings.told_every and step % settings.told_every == 0:
                self.tell(step, cycles, started)
            if cycles > settings.cycles_allowed or not acyclic:
                if step % (2 * settings.window) == 0 and self.is_stationary():
                    self.tighten(cycles)
            elif step % settings.patience_window == 0 and not self.is_patient(beside):
                break
        return self.probabilities(), step + 1
