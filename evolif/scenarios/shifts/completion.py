"""Completion rates of a model as reports show them: by number of rounds, and what is left out of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from evolif.metrics import MetricFigures
from evolif.scenario.views import ContextSizeView, MeanView
from evolif.scenarios.shifts.results import TYPED_REASONS, count_met, final_turn, outcomes_of, reasons_of
from evolif.types import Session

_SHOWN = ("tcr", "tcr_micro")


def completion_object(whole: MetricFigures, by_rounds: Mapping[str, MetricFigures]) -> dict[str, Any]:
    """`tcr` and `tcr_micro` with their intervals, as fractions, over all dialogues and by number of rounds.

    Args:
        whole: Of all counted sessions.
        by_rounds: The number of rounds as text, to the figures of those dialogues.
    """
    classes = sorted(by_rounds, key=lambda rounds: (len(rounds), rounds))
    return {
        name: {**_interval(whole, name), "by_rounds": {one: _interval(by_rounds[one], name) for one in classes}}
        for name in _SHOWN
    }


def size_object(size: ContextSizeView | None) -> dict[str, Any]:
    """`act` and `total_tokens`, tokens a turn with their intervals, over all dialogues and by number of rounds.

    Args:
        size: The context tokens of a model; None if nothing counted them.
    """
    if size is None:
        return {"act": None, "total_tokens": None}
    whole, classes = size.all, size.by_rounds
    return {
        name: {
            **_mean(getattr(whole, field)),
            "by_rounds": {str(rounds): _mean(getattr(one, field)) for rounds, one in classes.items()},
        }
        for name, field in (("act", "context"), ("total_tokens", "total"))
    }


def _mean(mean: MeanView) -> dict[str, float | None]:
    low, high = mean.interval or (None, None)
    return {"value": mean.value, "low": low, "high": high}


def goal_counts(sessions: Iterable[Session]) -> dict[str, Any]:
    """What the completion rate is made of, and what it leaves out.

    Args:
        sessions: Those that count, of one model.

    Returns:
        `goals` and `met`, of those that were judged; `without_goals`, sessions of dialogues without goals;
        `no_final_reply`, sessions that ended before it; `goals_not_judged`; `reasons`, unmet goals by reason.
    """
    own = list(sessions)
    counts = [count_met(session) for session in own]
    missing = [session for session in own if final_turn(session) is None]
    unjudged = (outcome.satisfied is None for session in own for outcome in _outcomes(session))
    reasons = Counter(reason for session in own for reason in reasons_of(session))
    return {
        "goals": sum(total for _, total in counts),
        "met": sum(met for met, _ in counts),
        "without_goals": sum(session.ending == "finished" for session in missing),
        "no_final_reply": sum(session.ending != "finished" for session in missing),
        "goals_not_judged": sum(unjudged),
        "reasons": {reason: reasons[reason] for reason in TYPED_REASONS if reasons[reason]},
    }


_LEFT_OUT: Mapping[str, tuple[str, str]] = {
    "without_goals": ("1 dialogue has no goals, and is", "{} dialogues have no goals, and are"),
    "no_final_reply": (
        "1 session ended before the final request was answered, and is",
        "{} sessions ended before the final request was answered, and are",
    ),
    "goals_not_judged": ("1 goal is not judged, and is", "{} goals are not judged, and are"),
}


def left_out(name: str, sessions: Iterable[Session]) -> list[str]:
    """What the completion rate of a model leaves out, in sentences.

    Args:
        name: The model's.
        sessions: Those that count.
    """
    counts = goal_counts(sessions)
    return [
        f"{name}: {(one if counts[key] == 1 else more).format(counts[key])} left out of TCR."
        for key, (one, more) in _LEFT_OUT.items()
        if counts[key]
    ]


def _outcomes(session: Session) -> list[Any]:
    last = final_turn(session)
    return [] if last is None else outcomes_of(last)


def _interval(figures: MetricFigures, name: str) -> dict[str, float | None]:
    low, high = figures.intervals.get(name) or (None, None)
    return {"value": figures.metrics.value(name), "low": low, "high": high}
