#!/usr/bin/env python3
"""PolyBIC with bootstrap in NumPy, with a design matrix for every regression.

Usage: polybic_reference.py FOLDER REPLICATES SEED [shared]
FOLDER comes from bench_polybic: the two regimes and scone's scores on their rows as they are, which
are compared first (they must agree to 1e-6). Then prints the processor seconds of all replicates of
both regimes over all pairs of columns. With "shared", one design matrix per predictor serves all
responses at once, which is as far as NumPy goes without power sums.
"""
import pathlib
import sys
import time

import numpy as np

DEGREE = 3
RIDGE = 1.0


def standardize(data):
    return (data - data.mean(axis=0)) / data.std(axis=0)


def fit(design, response):
    """residual sums of squares of ridge regressions, the intercept (first column) unpenalized"""
    penalty = RIDGE * np.eye(DEGREE + 1)
    penalty[0, 0] = 0.0
    beta = np.linalg.solve(design.T @ design + penalty, design.T @ response)
    residual = response - design @ beta
    return (residual**2).sum(axis=0)


def bic_by_pair(data):
    """bic[i, j] = BIC(X_j | X_i)"""
    rows, columns = data.shape
    bic = np.zeros((columns, columns))
    for i in range(columns):
        for j in range(columns):
            if i != j:
                design = np.vander(data[:, i], DEGREE + 1, increasing=True)
                rss = fit(design, data[:, j])
                bic[i, j] = rows * np.log(rss / rows) + (DEGREE + 1) * np.log(rows)
    return bic


def bic_shared(data):
    rows, columns = data.shape
    bic = np.zeros((columns, columns))
    for i in range(columns):
        design = np.vander(data[:, i], DEGREE + 1, increasing=True)
        bic[i] = rows * np.log(fit(design, data) / rows) + (DEGREE + 1) * np.log(rows)
    return bic


def scores(data, bic_of):
    rows, columns = data.shape
    bic = bic_of(standardize(data))
    difference = bic.T - bic  # [i, j]: BIC(X_i | X_j) - BIC(X_j | X_i)
    upper = np.triu_indices(columns, 1)
    scale = np.abs(difference[upper]).mean()
    with np.errstate(over="ignore"):
        a = 1.0 / (1.0 + np.exp(-difference / scale))
    constant = np.log(rows)  # n log 1 + log n: a standardized column has variance 1
    a[np.minimum(bic, bic.T) >= constant] = 0.0
    np.fill_diagonal(a, 0.0)
    return a


def main():
    folder, replicates, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    bic_of = bic_shared if sys.argv[4:] == ["shared"] else bic_by_pair
    regimes = [np.load(folder / f"regime{c}.npy") for c in range(2)]
    for c, data in enumerate(regimes):
        # scone's table of scores is column-major over [i][j] with j fastest: its transpose
        worst = np.abs(scores(data, bic_of) - np.load(folder / f"scores{c}.npy").T).max()
        if not worst <= 1e-6:
            sys.exit(f"regime {c}: scores differ by {worst}")
    generator = np.random.default_rng(seed)
    start = time.process_time()
    votes = 0.0
    for data in regimes:
        for _ in range(replicates):
            drawn = data[generator.integers(0, len(data), len(data))]
            votes = votes + scores(drawn, bic_of)
    print(f"{time.process_time() - start:.6f}")


if __name__ == "__main__":
    main()
