"""Parts of an analysis as plain objects for JSON: fractions, turns and counts; null, never NaN, where nothing is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from evolif._errors import UsageError
from evolif.metrics import (
    Agreement,
    Ceiling,
    Hazard,
    Interval,
    Key,
    Metrics,
    RankAgreement,
    RankStability,
    Slice,
    Survival,
    SweepPoint,
)


def interval(value: float | None, ends: Interval | None) -> dict[str, float | None]:
    """A figure with its 95 % interval."""
    low, high = ends if ends is not None else (None, None)
    return {"value": finite(value), "low": finite(low), "high": finite(high)}


def finite(value: float | None) -> float | None:
    """The value; None for what JSON does not have."""
    return value if value is not None and math.isfinite(value) else None


def metrics_object(metrics: Metrics, intervals: Mapping[str, Interval | None]) -> dict[str, Any]:
    """The eight metrics with their intervals."""
    return {name: interval(value, intervals.get(name)) for name, value in metrics.by_name().items()}


def slices(found: Mapping[Key, Slice]) -> list[dict[str, Any]]:
    """A breakdown, an object per key; a list, for keys may be numbers and their order matters."""
    return [
        {
            "key": key,
            "satisfied": one.satisfied,
            "judged": one.judged,
            "not_judged": one.not_judged,
            "turns": one.turns,
            "ok": one.ok,
            "dialogues": one.dialogues,
            "csr": interval(one.csr, one.csr_interval),
            "isr": interval(one.isr, one.isr_interval),
        }
        for key, one in found.items()
    ]


def hazards(found: tuple[Hazard, ...]) -> list[dict[str, Any]]:
    """The hazard per turn."""
    return [
        {
            "turn": one.turn,
            "at_risk": one.at_risk,
            "exhausted": one.exhausted,
            "censored": one.censored,
            "hazard": interval(one.hazard, one.interval),
        }
        for one in found
    ]


def survival_object(curve: Survival) -> dict[str, Any]:
    """A survival curve."""
    low, high = curve.median_interval or (None, None)
    return {
        "sessions": curve.sessions,
        "cap": curve.cap,
        "median": {"value": curve.median, "low": low, "high": high},
        "restricted_mean": interval(curve.restricted_mean, curve.restricted_mean_interval),
        "points": [
            {
                "turn": point.turn,
                "probability": interval(
                    point.probability, None if point.low is None or point.high is None else (point.low, point.high)
                ),
                "at_risk": point.at_risk,
                "exhausted": point.exhausted,
                "censored": point.censored,
            }
            for point in curve.points
        ],
    }


def sweep_object(points: tuple[SweepPoint, ...]) -> list[dict[str, Any]]:
    """The figures per patience."""
    return [
        {
            "patience": point.patience,
            "sessions": point.metrics.dialogues,
            "finished": point.finished,
            "censored": point.censored,
            "left_out": point.left_out,
            **metrics_object(point.metrics, point.intervals),
        }
        for point in points
    ]


def ceiling_object(found: Ceiling) -> dict[str, Any]:
    """What a perfect responder would reach."""
    return {
        "turns": found.turns,
        "without_witness": found.without_witness,
        "failing": found.failing,
        "misses": [{"dialogue": m.dialogue, "turn": m.turn, "groups": list(m.groups)} for m in found.misses],
        **{name: finite(value) for name, value in found.metrics.by_name().items()},
    }


def stability_object(found: tuple[RankStability, ...]) -> list[dict[str, Any]]:
    """Rank stability per size of subsample."""
    return [{key: finite(value) for key, value in asdict(one).items()} for one in found]


def rank_agreement_object(found: Mapping[str, RankAgreement]) -> dict[str, Any]:
    """Rank agreement per kind of dialogue."""
    return {
        kind: {
            "dialogues": one.dialogues,
            "models": one.models,
            "values": {model: finite(value) for model, value in one.values.items()},
            "pearson": finite(one.pearson),
            "spearman": finite(one.spearman),
        }
        for kind, one in found.items()
    }


def agreement_object(found: Agreement) -> dict[str, Any]:
    """Two judges, or a person and a judge, on the same answers."""
    return {
        "n": found.n,
        "both": found.both,
        "first_only": found.first_only,
        "second_only": found.second_only,
        "neither": found.neither,
        "dialogues": found.dialogues,
        "agreed": interval(found.agreed, found.agreed_interval),
        "kappa": interval(found.kappa, found.kappa_interval),
    }


def or_why(part: Callable[[], Any]) -> Any:
    """The part; `{"unavailable": sentence}` where a package that it wants is not installed."""
    try:
        return part()
    except UsageError as fault:
        return {"unavailable": str(fault)}
