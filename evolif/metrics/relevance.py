"""The share of answers that are about their task, in runs with a relevance gate: a figure beside the others."""

from __future__ import annotations

from collections.abc import Iterable

from evolif.metrics.table import MetricTable, PlainName
from evolif.metrics.terms import targets_of
from evolif.types import RELEVANCE, JudgedTurn, Session


def relevance_of(turn: JudgedTurn) -> bool | None:
    """The gate's verdict on a turn of the model under test; None if it has none."""
    if turn.seat != "target":
        return None
    found = next((score.value for score in turn.scores if score.name == RELEVANCE), None)
    return None if found is None else found > 0


def _terms(session: Session) -> tuple[float, float]:
    judged = [verdict for turn in session.turns if (verdict := relevance_of(turn)) is not None]
    return float(sum(judged)), float(len(judged))


RELEVANCE_TABLE = MetricTable(
    terms=("relevant", "judged"),
    of=_terms,
    ratios={RELEVANCE: ("relevant", "judged")},
    labels={RELEVANCE: "Relevance"},
    plain={RELEVANCE: PlainName("answers about their task", "about their task")},
    meanings={RELEVANCE: "answers that are about their task"},
    beside=frozenset({RELEVANCE}),
    kept="relevance/1",
    is_checked=True,
)
"""Answers about their task, of those that the gate judged, pooled over turns."""


def relevance_not_judged(sessions: Iterable[Session]) -> int:
    """Turns of the model under test that the gate did not judge.

    Args:
        sessions: Those that count, as `counted_sessions` gives them.
    """
    return sum(targets_of(session) - round(RELEVANCE_TABLE.row(session)[1]) for session in sessions)
