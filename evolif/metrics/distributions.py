"""Tails and quantiles of distributions, in plain Python: figures are the same with SciPy installed and without it.

Each quantile inverts the tail of the same name, so an interval and its p never contradict each other. Tests compare
all of them with SciPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

_STEPS = 400
_CORRECTIONS = 4
_TINY = 1e-300
_EXACT = 1e-15


def student_tail(t: float, freedom: float) -> float:
    """How likely Student's variable lies farther from 0 than `t`, on either side.

    Args:
        t: Its distance from 0.
        freedom: Degrees of freedom, more than 0; need not be whole.
    """
    if math.isinf(t):
        return 0.0
    return beta_share(freedom / (freedom + t * t), freedom / 2, 0.5)


@lru_cache(maxsize=4096)
def student_quantile(freedom: float, share: float = 0.05) -> float:
    """The distance from 0 beyond which Student's variable lies with this probability, both sides together.

    Args:
        freedom: Degrees of freedom, at least 1; need not be whole.
        share: A fraction, by default what leaves out 95 %.

    Example:
        >>> round(student_quantile(9), 4)
        2.2622
    """
    if freedom < 2:
        return _inverse(lambda t: student_tail(t, freedom), share)
    t = _hill(freedom, share)
    norm = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    for _ in range(_CORRECTIONS):
        density = norm * (1 + t * t / freedom) ** (-(freedom + 1) / 2)
        change = (student_tail(t, freedom) - share) / (2 * density)
        t += change
        if abs(change) < _EXACT * t:
            break
    return t


def _hill(freedom: float, share: float) -> float:
    """The same to about six digits, by the expansion of Hill (CACM algorithm 396, 1970)."""
    n = freedom
    a = 1 / (n - 0.5)
    b = 48 / (a * a)
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * math.sqrt(a * math.pi / 2) * n
    y = (d * share) ** (2 / n)
    if y > 0.05 + a:
        x = NormalDist().inv_cdf(share / 2)
        if n < 5:
            c += 0.3 * (n - 4.5) * (x + 0.6)
        c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b
        y = x * x
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
        return math.sqrt(n * math.expm1(a * y * y))
    first = 1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)
    return math.sqrt(n * ((first * y - 1) * (n + 1) / (n + 2) + 1 / y))


@lru_cache(maxsize=4096)
def poisson_limits(events: float) -> tuple[float, float]:
    """The exact 95 % limits of the mean of a Poisson count (Garwood, 1936), by the gamma distribution.

    Args:
        events: The count, at least 0; need not be whole where it was divided by a dispersion.

    Example:
        >>> [round(end, 2) for end in poisson_limits(0)]
        [0.0, 3.69]
    """
    low = _inverse(lambda mean: 1 - gamma_share(mean, events), 0.975) if events > 0 else 0.0
    return low, _inverse(lambda mean: 1 - gamma_share(mean, events + 1), 0.025)


@lru_cache(maxsize=4096)
def binomial_low(right: int, of: int) -> float:
    """The lower end of the exact 95 % interval of a share (Clopper and Pearson, 1934).

    Args:
        right: How many have it, at least 0.
        of: Of how many.

    Example:
        >>> round(binomial_low(23, 24), 3)
        0.789
    """
    if right == 0:
        return 0.0
    low, high = 0.0, 1.0
    while high - low > _EXACT:
        share = (low + high) / 2
        if share in (low, high):
            break
        low, high = (share, high) if beta_share(share, right, of - right + 1) < 0.025 else (low, share)
    return (low + high) / 2


def beta_share(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, by its continued fraction.

    Args:
        x: From 0 to 1.
        a: More than 0.
        b: More than 0.
    """
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_share(1 - x, b, a)
    front = a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)

    def step(number: int) -> float:
        m, odd = divmod(number, 2)
        if odd:
            return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))

    return math.exp(front) / (a * _fraction(step))


def gamma_share(x: float, shape: float) -> float:
    """The regularised lower incomplete gamma function: by its series below the mean, by a continued fraction above.

    Args:
        x: At least 0.
        shape: More than 0.
    """
    if x <= 0:
        return 0.0
    front = shape * math.log(x) - x - math.lgamma(shape)
    if x < shape + 1:
        term = total = 1 / shape
        divisor = shape
        while term > total * _EXACT:
            divisor += 1
            term *= x / divisor
            total += term
        return total * math.exp(front)
    first = x + 1 - shape
    below, above, value = 1 / first, 1 / _TINY, 1 / first
    for number in range(1, _STEPS + round(10 * math.sqrt(shape))):
        factor, divisor = -number * (number - shape), first + 2 * number
        below = 1 / _away_from_0(factor * below + divisor)
        above = _away_from_0(divisor + factor / above)
        value *= (change := below * above)
        if abs(change - 1) < _EXACT:
            break
    return 1 - math.exp(front) * value


def _fraction(step: Callable[[int], float]) -> float:
    """1 + step(1) / (1 + step(2) / (1 + …)), by the method of Lentz (1976)."""
    value, above, below = 1.0, 1.0, 0.0
    for number in range(1, _STEPS):
        factor = step(number)
        below = 1 / _away_from_0(1 + factor * below)
        above = _away_from_0(1 + factor / above)
        value *= (change := above * below)
        if abs(change - 1) < _EXACT:
            break
    return value


def _away_from_0(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def _inverse(tail: Callable[[float], float], share: float) -> float:
    """Where a tail that falls from 1 at 0 to 0 has come down to a share."""
    low, high = 0.0, 1.0
    while tail(high) > share:
        low, high = high, 2 * high
    while high - low > _EXACT * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if tail(middle) > share else (low, middle)
    return (low + high) / 2
