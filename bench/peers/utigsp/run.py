"""UT-IGSP with Gaussian tests: independence within the observational table, invariance between the two."""
import random
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy
from common import DIRECTED, run
from conditional_independence import (MemoizedCI_Tester, MemoizedInvarianceTester, gauss_invariance_suffstat,
                                      gauss_invariance_test, partial_correlation_suffstat, partial_correlation_test)
from graphical_model_learning import unknown_target_igsp

LEVEL = 1e-3


def find(problem):
    random.seed(0)
    numpy.random.seed(0)
    nodes = set(range(len(problem.names)))
    independence = MemoizedCI_Tester(partial_correlation_test, partial_correlation_suffstat(problem.control),
                                     alpha=LEVEL)
    invariance = MemoizedInvarianceTester(gauss_invariance_test,
                                          gauss_invariance_suffstat(problem.control, [problem.changed]), alpha=LEVEL)
    dag, _targets = unknown_target_igsp([{"known_interventions": []}], nodes, independence, invariance)
    return [(source, target, DIRECTED) for source, target in sorted(dag.arcs)]


run(find)
