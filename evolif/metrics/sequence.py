"""Confidence sequences: intervals that hold at every number of dialogues at once, however often one looks.

An ordinary 95 % interval holds for a number of dialogues that was fixed beforehand. Whoever looks again and again, and
stops at a look that pleases, needs a sequence of intervals that all cover the truth together with 95 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from evolif.metrics.statistics import Interval
from evolif.metrics.table import MetricTable, Row, intervals
from evolif.types import DEFAULT_RESAMPLES

ALPHA = 0.05
_TUNED_FOR = 100
"""Dialogues at which the sequence is as narrow as it can be; it is within 5 % of that from 30 to 300."""


def deviation(table: MetricTable, rows: Sequence[Row], name: str) -> float | None:
    """The standard deviation of a metric per dialogue, in its unit: divided by √n it is the standard error.

    A metric is a ratio of sums, so each dialogue counts with its share of the ratio's linearisation,
    (numerator - metric · denominator) / mean denominator.

    Args:
        table: What the rows are.
        rows: One per dialogue, its epochs summed.
        name: A metric of the table.

    Returns:
        None if fewer than two dialogues have a denominator.
    """
    top, bottom = table.places(name)
    if sum(1 for row in rows if row[bottom]) < 2:
        return None
    value = math.fsum(row[top] for row in rows) / math.fsum(row[bottom] for row in rows)
    mean = math.fsum(row[bottom] for row in rows) / len(rows)
    squares = math.fsum(((row[top] - value * row[bottom]) / mean) ** 2 for row in rows)
    return math.sqrt(squares / (len(rows) - 1))


def boundary(dialogues: int) -> float:
    """How many standard deviations (`deviation`) the sequence reaches to either side after some dialogues.

    The asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (Time-uniform central limit
    theory and asymptotic confidence sequences, Annals of Statistics 2024) with the boundary of a Gaussian mixture,
    which is tuned for 100 dialogues by their formula.

    Args:
        dialogues: At least 1.
    """
    tuned = -2 * math.log(ALPHA)
    grown = dialogues * (tuned + math.log(tuned) + 1) / _TUNED_FOR
    return math.sqrt(2 * (grown + 1) / (dialogues * grown) * math.log(math.sqrt(grown + 1) / ALPHA))


def sequence_interval(
    table: MetricTable,
    rows: Sequence[Row],
    name: str,
    *,
    cap: int | None = None,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> Interval | None:
    """The 95 % confidence sequence of a metric after these dialogues; never narrower than the ordinary interval.

    It is asymptotic: `boundary` assumes enough dialogues for the deviation to be estimated well. The ordinary interval
    (`intervals`) stands in where all dialogues are equal, and the deviation is 0.

    Args:
        table: What the rows are.
        rows: One per dialogue, its epochs summed.
        name: A metric of the table.
        cap: The most turns that a session can have; None if unknown.
        seed: As for `intervals`.
        resamples: As for `intervals`.

    Returns:
        (low, high), in the metric's unit; None where `intervals` has none.
    """
    spread = deviation(table, rows, name)
    ordinary = one_interval(table, rows, name, cap=cap, seed=seed, resamples=resamples)
    if spread is None or ordinary is None:
        return None
    value = table.value(table.total(rows), name) or 0.0
    half = boundary(len(rows)) * spread
    low, high = _possible(table, rows, name, cap)
    return max(low, min(ordinary[0], value - half)), min(high, max(ordinary[1], value + half))


def one_interval(
    table: MetricTable,
    rows: Sequence[Row],
    name: str,
    *,
    cap: int | None = None,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> Interval | None:
    """The interval of one metric as `intervals` gives it, without the time that the other metrics take."""
    bounded = tuple(dict.fromkeys((*table.bounded[:1], name))) if name in table.bounded else ()
    ratios = {each: table.ratios[each] for each in (*bounded, name)}
    own = replace(table, ratios=ratios, headline=name, bounded=bounded)
    return intervals(own, rows, cap=cap, seed=seed, resamples=resamples)[name]


def grown_interval(
    table: MetricTable,
    rows: Sequence[Row],
    name: str,
    number: int,
    *,
    cap: int | None = None,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> Interval | None:
    """The interval that a metric would have over so many dialogues, if all were like those that there are.

    Where all of them are equal, only the interval itself knows how many were not seen.

    Args:
        table: What the rows are.
        rows: Those that there are, one per dialogue.
        name: A metric of the table.
        number: Of dialogues, at least 1.
        cap: The most turns that a session can have; None if unknown.
        seed: As for `intervals`.
        resamples: As for `intervals`.
    """
    many = [rows[i % len(rows)] for i in range(number)]
    return one_interval(table, many, name, cap=cap, seed=seed, resamples=resamples)


def _possible(table: MetricTable, rows: Sequence[Row], name: str, cap: int | None) -> Interval:
    """Where a metric can lie: a share within 0 and 1, turns within 0 and the cap."""
    top, bottom = table.places(name)
    if any(row[top] < 0 for row in rows):
        return -math.inf, math.inf
    unit = table.metric(name).unit
    if unit == "rate" and all(row[top] <= row[bottom] for row in rows):
        return 0.0, 1.0
    return 0.0, cap if unit == "turns" and cap is not None else math.inf
