"""How a figure is written: lengths with one decimal, rates in per cent, small ones with two digits."""

from __future__ import annotations

from collections.abc import Mapping

from evolif.metrics.statistics import Interval
from evolif.metrics.table import Figures, Metric


def metric_text(metric: Metric, value: float) -> str:
    """A metric's value without its unit."""
    if metric.unit != "rate":
        return f"{value:.1f}"
    shown = 100 * value
    return f"{shown:.{decimals(shown) if metric.small else 0}f}"


def decimals(shown: float) -> int:
    """How many a small rate has, in per cent: enough for two digits, at most two."""
    size = abs(shown)
    return 0 if size == 0 or size >= 9.95 else 1 if size >= 0.995 else 2


def interval_text(metric: Metric, interval: Interval | None) -> str:
    """Its interval in brackets; empty without one."""
    return "" if interval is None else f"[{metric_text(metric, interval[0])}–{metric_text(metric, interval[1])}]"


def figure_text(metric: Metric, metrics: Figures, intervals: Mapping[str, Interval | None]) -> str:
    """A metric of some figures with its interval; a dash where it is undefined."""
    value = metrics.value(metric.name)
    if value is None:
        return "–"
    return f"{metric_text(metric, value)} {interval_text(metric, intervals.get(metric.name))}".strip()
