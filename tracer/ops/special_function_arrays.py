"""Gamma-related and Bessel functions of arrays, which NumPy does not have; special_math.py defines
the ops.
"""

from __future__ import annotations

import math
from typing import Any

from ..core.arrays import np
from .erf import erf

# The series in 1/x are used for x >= _SERIES_START; recurrences map smaller arguments there.
_SERIES_START = 8
# the Bernoulli numbers B2, B4 and so on B16.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def lgamma(x: Any) -> Any:
    """ln |gamma(x)|: Stirling's series for x >= 8, the recurrence for smaller x, the reflection
    formula for x < 0.5.

    x [*] -> [*]
    """
    negative = x < 0.5
    z = np.where(negative, 1 - x, x)
    up = np.where(z < _SERIES_START, z + _SERIES_START, z)
    series = sum(b / (2 * k * (2 * k - 1)) * up ** (1 - 2 * k) for k, b in enumerate(_BERNOULLI, 1))
    found = (up - 0.5) * np.log(up) - up + 0.5 * math.log(2 * math.pi) + series
    product = math.prod(np.where(z < _SERIES_START, z + k, 1.0) for k in range(_SERIES_START))
    found = np.where(np.isinf(z), np.inf, found - np.log(product))
    mirrored = np.log(np.pi / np.abs(np.sin(np.pi * (x - np.rint(x))))) - found
    return np.where(negative, np.where(x == np.floor(x), np.inf, mirrored), found)


def digamma(x: Any) -> Any:
    """The derivative of ln gamma(x), computed like lgamma; NaN at the poles. x [*] -> [*]"""
    negative = x < 0.5
    z = np.where(negative, 1 - x, x)
    up = np.where(z < _SERIES_START, z + _SERIES_START, z)
    found = (
        np.log(up)
        - 0.5 / up
        - sum(b / (2 * k) * up ** (-2 * k) for k, b in enumerate(_BERNOULLI, 1))
    )
    found = found - sum(np.where(z < _SERIES_START, 1 / (z + k), 0.0) for k in range(_SERIES_START))
    mirrored = found - np.pi / np.tan(np.pi * (x - np.rint(x)))
    return np.where(negative, np.where(x == np.floor(x), np.nan, mirrored), found)


def zeta(s: float, x: Any) -> Any:
    """The Hurwitz zeta function: the sum of (x + k) ** -s for k = 0, 1, ..., by the Euler-Maclaurin
    formula. s > 1, x > 0.

    x [*] -> [*]
    """
    first = 10
    found = sum((x + k) ** -s for k in range(first))
    up = x + first
    found = found + up ** (1 - s) / (s - 1) + 0.5 * up**-s
    term = s * up ** (-s - 1)
    for k, b in enumerate(_BERNOULLI, 1):
        found = found + b / math.factorial(2 * k) * term
        term = term * (s + 2 * k - 1) * (s + 2 * k) / (up * up)
    return found


def polygamma(n: int, x: Any) -> Any:
    """The n-th derivative of digamma(x); NaN for x < 0 and n > 1. x [*] -> [*]"""
    if n == 0:
        return digamma(x)
    if n == 1:  # reflection
        mirrored = (np.pi / np.sin(np.pi * (x - np.rint(x)))) ** 2 - zeta(
            2.0, np.where(x < 0, 1 - x, 1.0)
        )
        return np.where(x < 0, mirrored, zeta(2.0, np.abs(x)))
    found = (-1) ** (n + 1) * math.factorial(n) * zeta(n + 1.0, np.abs(x))
    return np.where(x < 0, np.nan, found)


def bessel_i_scaled(n: int, x: Any) -> Any:
    """e ** -|x| * I_n(x), where I_n is the modified Bessel function of order n = 0 or 1. x [*] ->
    [*]

    |x| < 30: the mean of e ** (|x| (cos t - 1)) cos(n t) over a circle, which converges faster than
    any power of the number of points. Otherwise the series in 1 / x (Abramowitz and Stegun 9.6.19,
    9.7.1).
    """
    size = np.abs(x)
    small, large = np.minimum(size, 30.0), np.maximum(size, 30.0)
    points = 48
    angles = [math.pi * k / points for k in range(points + 1)]
    weights = [(0.5 if k in (0, points) else 1.0) / points for k in range(points + 1)]
    near = sum(
        w * np.exp(small * (math.cos(t) - 1)) * math.cos(n * t)
        for w, t in zip(weights, angles, strict=True)
    )
    term = far = np.ones_like(large)
    for k in range(1, 20):
        term = term * ((2 * k - 1) ** 2 - 4 * n * n) / (8 * k * large)
        far = far + term
    found = np.where(size < 30, near, far / np.sqrt(2 * np.pi * large))
    return np.where(x < 0, -found, found) if n == 1 else found


def bessel_i(n: int, x: Any) -> Any:
    """The modified Bessel function I_n of order n = 0 or 1. x [*] -> [*]"""
    return bessel_i_scaled(n, x) * np.exp(np.abs(x))


def erfinv(y: Any) -> Any:
    """The inverse of erf: Winitzki's approximation, then Halley iterations.

    y [*] -> [*], infinite at -1 and 1, NaN beyond
    """
    inside = np.abs(y) < 1
    z = np.where(inside, y, 0.0)
    a, log = 0.147, np.log1p(-z * z)
    half = 2 / (np.pi * a) + log / 2
    x = np.copysign(np.sqrt(np.sqrt(half * half - log / a) - half), z)
    for _ in range(3):
        step = (erf(x) - z) * math.sqrt(math.pi) / 2 * np.exp(x * x)
        x = x - step / (1 + x * step)
    return np.where(inside, x, np.where(np.abs(y) == 1, np.copysign(np.inf, y), np.nan))
