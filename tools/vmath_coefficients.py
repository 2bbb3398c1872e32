#!/usr/bin/env python3
"""Prints the polynomial coefficients of src/base/vmath.h, src/base/rng.c and src/model/nn/vector.h.

Each is the polynomial that agrees with the function at Chebyshev points of the interval, computed
in 60 digits and rounded to double; such an interpolant is within a small factor of the minimax
polynomial. The largest error over a fine grid, also in 60 digits, is printed beside it.
"""
import struct
from decimal import Decimal as D, getcontext

getcontext().prec = 60


def arctan_inverse(n):
    """arctan(1/n) by its series"""
    power, total, k = D(1) / n, D(0), 0
    while abs(power) > D(10) ** -65:
        total += power / (2 * k + 1) * (-1) ** k
        power /= n * n
        k += 1
    return total


PI = 4 * (4 * arctan_inverse(5) - arctan_inverse(239))
LN2 = D(2).ln()


def cosine(x):
    term, total, k = D(1), D(0), 0
    while abs(term) > D(10) ** -70:
        total += term
        k += 2
        term *= -x * x / (k * (k - 1))
    return total


def horner(coefficients, x):
    value = D(0)
    for c in reversed(coefficients):
        value = value * x + c
    return value


def series(f, terms):
    """sum of f(k) x^k, for functions whose quotient form loses digits near 0"""
    coefficients = [f(k) for k in range(terms)]
    return lambda x: horner(coefficients, x)


def factorial(n):
    result = D(1)
    for k in range(2, n + 1):
        result *= k
    return result


def interpolate(f, low, high, degree):
    nodes = []
    for k in range(degree + 1):
        angle = PI * (2 * k + 1) / (2 * (degree + 1))
        nodes.append((low + high) / 2 + (high - low) / 2 * cosine(angle))
    table = [f(x) for x in nodes]
    for level in range(1, degree + 1):
        for k in range(degree, level - 1, -1):
            table[k] = (table[k] - table[k - 1]) / (nodes[k] - nodes[k - level])
    coefficients = [table[degree]]
    for k in range(degree - 1, -1, -1):  # Newton's form to powers: table[k] + (x - node) * rest
        shifted = [D(0)] + coefficients
        scaled = [nodes[k] * c for c in coefficients] + [D(0)]
        coefficients = [a - b for a, b in zip(shifted, scaled)]
        coefficients[0] += table[k]
    return coefficients


def show(name, f, low, high, degree):
    coefficients = [float(c) for c in interpolate(f, D(low), D(high), degree)]
    worst = D(0)
    for k in range(401):
        x = D(low) + (D(high) - D(low)) * k / 400
        value = horner([D(c) for c in coefficients], x)
        worst = max(worst, abs(value - f(x)))
    print(f"{name}: degree {degree} on [{float(low):.6g}, {float(high):.6g}], error {float(worst):.2e}")
    for c in coefficients:
        print(f"    {c!r} {c.hex()}")


TURN = 2 * PI
# sin(2 pi v) / v and (cos(2 pi v) - 1) / v^2 as functions of w = v^2, |v| <= 1/8
EIGHTH = D(1) / 64
SINE = series(lambda k: (-1) ** k * TURN ** (2 * k + 1) / factorial(2 * k + 1), 30)
COSINE = series(lambda k: (-1) ** (k + 1) * TURN ** (2 * k + 2) / factorial(2 * k + 2), 30)
show("sine", SINE, D(0), EIGHTH, 6)
show("cosine", COSINE, D(0), EIGHTH, 6)
# log(1 + f) = 2 atanh(s) = s (2 + t P(t)), s = f / (2 + f), t = s^2; |s| <= 3 - sqrt(8) for
# 1 + f in [sqrt(1/2), sqrt(2)]
LIMIT = (3 - D(8).sqrt()) ** 2
LOG = series(lambda k: D(2) / (2 * k + 3), 60)
show("log", LOG, D(0), LIMIT, 6)
# the short ones of rng_fill_normal
show("sine, short", SINE, D(0), EIGHTH, 4)
show("cosine, short", COSINE, D(0), EIGHTH, 3)
show("log, short", LOG, D(0), LIMIT, 3)
# (exp(r) - 1 - r) / r^2, |r| <= ln(2) / 2
show("exp", series(lambda k: 1 / factorial(k + 2), 40), -LN2 / 2, LN2 / 2, 10)
# those of src/model/nn/vector.h, for floats: (2^r - 1) / r for |r| <= 1/2, and the logarithm
HALF = D(1) / 2
show("exp2, float", series(lambda k: LN2 ** (k + 1) / factorial(k + 1), 40), -HALF, HALF, 5)
show("log, float", LOG, D(0), LIMIT, 2)
# the high part of ln 2 ends in 32 zero bits, so that k * high is exact
high = float(LN2)
bits = struct.unpack("<Q", struct.pack("<d", high))[0] & ~((1 << 32) - 1)
high = struct.unpack("<d", struct.pack("<Q", bits))[0]
print("ln2 high", high.hex(), "low", float(LN2 - D(high)).hex(), "log2(e)", float(1 / LN2).hex())
