"""Additive regressions on cubic splines, from second moments alone.

Every column gets FUNCTIONS cubic B-splines with knots at its quantiles, centred, and turned so that their second
moments are the identity and the penalty (the integral of the squared second derivative) is diagonal. What a regression
of one column on others needs are then blocks of one matrix of moments, which is made once: a fit costs
O((FUNCTIONS k)^3) with k predictors, whatever the number of rows.

Smoothing parameters: restricted maximum likelihood by the generalized Fellner-Schall update (Wood and Fasiolo 2017).
Significance of a term: the Wald test of Wood (2013), whose rank is the effective degrees of freedom.
"""
import numpy as np
from scipy.interpolate import BSpline
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.stats import f as f_distribution

FUNCTIONS = 10  # a term, as in the publication's program
DEGREE = 3
UPDATES, SETTLED = 50, 1e-3  # of smoothing parameters; of their logarithm
SMALLEST, LARGEST = 1e-7, 1e7  # smoothing parameters
BOOST_FREEDOM = 4.0  # degrees of freedom of a step, the constant among them


def knots_of(column):
    """Cubic B-splines on the quantiles of a column; fewer if it has few values."""
    inner = np.unique(np.quantile(column, np.linspace(0, 1, FUNCTIONS - DEGREE + 1)))
    if len(inner) < 2:
        raise ValueError("a column does not vary")
    return np.concatenate([np.repeat(inner[0], DEGREE), inner, np.repeat(inner[-1], DEGREE)])


def roughness(knots):
    """[functions, functions]: integrals of products of second derivatives, exact by Gauss's rule with two points"""
    count = len(knots) - DEGREE - 1
    starts, ends = np.unique(knots)[:-1], np.unique(knots)[1:]
    half = (ends - starts) / 2
    points = ((starts + ends) / 2)[:, None] + half[:, None] * np.array([-1, 1]) / np.sqrt(3)
    second = BSpline(knots, np.eye(count), DEGREE).derivative(2)(points.ravel())
    return second.T @ (np.repeat(half, 2)[:, None] * second)


def smooth_basis(column):
    """([rows, k], [k]): centred functions with Z'Z / rows = I, and their roughness; the roughest first"""
    knots = knots_of(column)
    design = BSpline.design_matrix(column, knots, DEGREE).toarray()
    design -= design.mean(axis=0)
    values, vectors = eigh(design.T @ design / len(column))
    kept = values > 1e-10 * values[-1]  # the constant is gone, and what no row tells apart
    whiten = vectors[:, kept] / np.sqrt(values[kept])
    rough, turn = eigh(whiten.T @ roughness(knots) @ whiten)
    turn = whiten @ turn[:, ::-1]
    rough = rough[::-1].clip(min=0)
    rough[rough < 1e-9 * rough[0]] = 0  # the straight line is free
    return design @ turn, rough


class Fit:
    """One regression: residual variance, coefficients by term, and what the tests need."""

    def __init__(self, variance, terms, smoothing, freedom):
        self.variance, self.terms, self.smoothing, self.freedom = variance, terms, smoothing, freedom


class Moments:
    """Second moments of all basis functions and columns of a table."""

    def __init__(self, table):
        self.rows, self.columns = table.shape
        standard = (table - table.mean(axis=0)) / table.std(axis=0)
        parts = [smooth_basis(column) for column in standard.T]
        ends = np.cumsum([0] + [len(rough) for _, rough in parts])
        self.blocks = [np.arange(a, b) for a, b in zip(ends[:-1], ends[1:])]
        self.rough = np.concatenate([rough for _, rough in parts])
        functions = np.hstack([functions for functions, _ in parts])
        self.gram = functions.T @ functions / self.rows
        self.cross = functions.T @ standard / self.rows  # [functions, columns]
        self._boost_penalty = [self._penalty_for(rough, BOOST_FREEDOM - 1) for _, rough in parts]

    @staticmethod
    def _penalty_for(rough, freedom):
        """The smoothing parameter at which sum 1 / (1 + s rough) is freedom; 0 if there are not as many functions."""
        if len(rough) <= freedom:
            return 0.0
        low, high = -40.0, 40.0
        for _ in range(100):
            middle = (low + high) / 2
            if (1 / (1 + np.exp(middle) * rough)).sum() > freedom:
                low = middle
            else:
                high = middle
        return np.exp(middle)

    def fit(self, response, predictors, smoothing=None):
        """Regresses a column on others; smoothing: a value for each predictor to start from."""
        if not predictors:
            return Fit(1.0, [], [], 1.0)
        where = np.concatenate([self.blocks[p] for p in predictors])
        lengths = [len(self.blocks[p]) for p in predictors]
        gram, cross, rough = self.gram[np.ix_(where, where)], self.cross[where, response], self.rough[where]
        ends = np.cumsum([0] + lengths)
        pieces = [slice(a, b) for a, b in zip(ends[:-1], ends[1:])]
        current = np.array(smoothing if smoothing is not None else [1e-2] * len(predictors))
        for _ in range(UPDATES):
            penalty = np.repeat(current, lengths) * rough
            factor = cho_factor(gram + np.diag(penalty + 1e-10), lower=True)
            coefficients = cho_solve(factor, cross)
            inverse = cho_solve(factor, np.eye(len(where)))
            explained = 2 * coefficients @ cross - coefficients @ gram @ coefficients
            freedom = 1 + len(where) - inverse.diagonal() @ penalty
            scale = max(1 - explained, 1e-12) / max(self.rows - freedom, 1)  # sigma^2 / rows
            changed = np.empty_like(current)
            for t, piece in enumerate(pieces):
                ranked = (rough[piece] > 0).sum()
                wanted = ranked - current[t] * (inverse.diagonal()[piece] @ rough[piece])
                size = current[t] * (coefficients[piece] ** 2 @ rough[piece])
                changed[t] = current[t] * max(wanted, 1e-12) * scale / max(size, 1e-300)
            changed = changed.clip(SMALLEST, LARGEST)
            moved = np.abs(np.log(changed / current)).max()
            current = changed
            if not moved > SETTLED:
                break
        hat = inverse @ gram
        terms = [(coefficients[piece], scale * inverse[piece, piece],
                  2 * np.trace(hat[piece, piece]) - np.trace((hat @ hat)[piece, piece])) for piece in pieces]
        return Fit(max(1 - explained, 1e-12), terms, list(current), freedom)

    def p_values(self, response, predictors):
        """The p-value of every term of a regression (Wood 2013)."""
        fit = self.fit(response, predictors)
        return [wald_p_value(*term, self.rows - fit.freedom) for term in fit.terms]

    def boost(self, response, candidates, steps, rate):
        """How often each candidate is chosen in componentwise boosting of the squared error."""
        counts = dict.fromkeys(candidates, 0)
        residual = self.cross[:, response].copy()  # functions times residual
        for _ in range(steps):
            best, best_gain, best_step = None, -np.inf, None
            for c in candidates:
                block = self.blocks[c]
                step = residual[block] / (1 + self._boost_penalty[c] * self.rough[block])
                gain = 2 * step @ residual[block] - step @ step
                if gain > best_gain:
                    best, best_gain, best_step = c, gain, step
            counts[best] += 1
            residual -= rate * self.gram[:, self.blocks[best]] @ best_step
        return counts


def wald_p_value(coefficients, covariance, rank, residual_freedom):
    """The test of a term that is zero. Z'Z is the identity, so the coefficients stand for the values of the function.

    The inverse of the covariance has the term's effective degrees of freedom as its rank; what is left of the rank
    after the whole eigenvectors is shared by the next two, in the two ways that Wood (2013) averages over."""
    values, vectors = eigh(covariance)
    values, vectors = values[::-1], vectors[:, ::-1]
    usable = int((values > values[0] * 1e-12).sum())
    rank = min(max(rank, 1.0), usable)
    whole, part = int(rank), rank - int(rank)
    along = (vectors.T @ coefficients)[:usable] / np.sqrt(values[:usable])
    if part < 1e-8 or whole + 1 > usable:
        statistics = [along[:whole] @ along[:whole]]
    else:
        shared = np.sqrt(max(0.5 * part * (1 - part), 0))
        middle = along[whole - 1: whole + 1]
        statistics = [along[:whole - 1] @ along[:whole - 1] + middle @ np.array([[1, s], [s, part]]) @ middle
                      for s in (shared, -shared)]
    tails = [f_distribution.sf(statistic / rank, rank, residual_freedom) for statistic in statistics]
    return float(np.mean(tails))
