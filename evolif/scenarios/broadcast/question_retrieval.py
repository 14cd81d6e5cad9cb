"""Questions about what happened: at a moment so much later than another one, or while a friend was away."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import product
from typing import Any

from evolif.scenarios.broadcast.clock import HOCKEY, SECOND
from evolif.scenarios.broadcast.events import Faceoff, Scored, events_at, events_between, faceoffs_at, faceoffs_between
from evolif.scenarios.broadcast.question import Question
from evolif.scenarios.broadcast.question_evidence import Evidence, Instant
from evolif.util.rng import Stream

NEAREST, FARTHEST = 60, 900
"""Seconds of broadcast time from an anchor to its target."""
_TENTH = SECOND // 10
_TRIES = 40
"""How many spans are drawn for one that was not asked about yet."""


def anchored_question(
    evidence: Evidence,
    period: int,
    asked_after: int,
    stream: Stream,
    taken: Collection[Question],
    *,
    since: int = 1,
    rows_before: int = 0,
    any_anchor: bool = False,
) -> tuple[Question, int] | None:
    """A question for everything that happened a while after an anchor.

    The anchor is all that happens at its moment. No question of a dialogue has the target of another one, and
    none its anchor as long as there are others.

    Args:
        evidence: Of the match.
        period: Of the target.
        asked_after: The period before the break.
        stream: Where draws come from.
        taken: The questions that the dialogue has already.
        since: The earliest period of the anchor.
        rows_before: How many rows there must be from that period on, those of the target included.
        any_anchor: Whether an anchor may be one of a question before, so that the draws depend on targets alone.

    Returns:
        The question, and where its target stands among the instants; None if the period has no such target.
    """
    first = evidence.of_period(since).start
    known = [question.evidence_moment for question in taken]
    targets = [
        target
        for target in evidence.of_period(period)
        if evidence.through[target + 1] - evidence.through[first] >= rows_before
        and evidence.instants[target].shown not in known
    ]
    order = stream.sample(targets, len(targets))
    for known_anchors, target in product((any_anchor, True), order):
        anchors = [one for one in _anchors(evidence, target, first) if known_anchors or not _is_told(one.shown, taken)]
        if anchors:
            return _anchored(evidence, stream.choice(anchors), evidence.instants[target], asked_after), target
    return None


def _anchors(evidence: Evidence, target: int, first: int) -> Sequence[Instant]:
    """The instants from which a target can be told."""
    end = evidence.instants[target].on_air
    earliest, latest = end - FARTHEST * SECOND, end - NEAREST * SECOND
    return [
        instant
        for instant in evidence.instants[first:target]
        if earliest <= instant.on_air <= latest and len(instant.rows) == 1
    ]


def _anchored(evidence: Evidence, anchor: Instant, target: Instant, asked_after: int) -> Question:
    tenths = (target.on_air - anchor.on_air) // _TENTH
    delta = tenths / 10 if tenths % 10 else tenths // 10
    question = {**_people(anchor.rows[0]), "anchor": anchor.shown, "delta": delta}
    start, period = anchor.moment.period, target.moment.period
    sources = evidence.sources_of(period, period)
    key: list[list[Any]]
    if evidence.sport is HOCKEY:
        key = faceoffs_at(sources, start, anchor.clock, delta)
    else:
        key = events_at(sources, evidence.sport.name, start, anchor.clock, delta)
    return Question("A", question, key, asked_after - period, period, target.shown)


def _people(row: Scored | Faceoff) -> dict[str, str]:
    """Whom an anchor names."""
    if isinstance(row, Faceoff):
        return {"player": row.winner, "opponent": row.loser}
    return {"player": row.player}


def interval_question(
    evidence: Evidence, period: int, asked_after: int, stream: Stream, taken: Collection[Question], *, since: int = 1
) -> Question | None:
    """A question for everything that happened from one moment to another.

    Args:
        evidence: Of the match.
        period: In which the span ends.
        asked_after: The period before the break.
        stream: Where draws come from.
        taken: The questions that the dialogue has already; no span is asked about twice, and none starts with what the
            friend has just told.
        since: The earliest period in which the span may begin.

    Returns:
        The question; None if no span fits.
    """
    for _ in range(_TRIES):
        span = evidence.span(period, since, stream)
        if span and not is_taken(span.start, span.end, taken) and not _is_told(span.start, taken):
            return _interval(evidence, span.start, span.end, asked_after)
    return None


def interval_until(evidence: Evidence, target: int, asked_after: int, stream: Stream, *, since: int = 1) -> Question:
    """A question for everything that happened from one moment to a target that `anchored_question` found.

    Args:
        evidence: Of the match.
        target: Where the target stands among the instants; there must be 5 rows up to it.
        asked_after: The period before the break.
        stream: Where draws come from.
        since: The earliest period in which the span may begin.
    """
    instant = evidence.instants[target]
    span = evidence.span_until(target, instant.moment, evidence.of_period(since).start, stream)
    return _interval(evidence, span.start, instant.shown, asked_after)


def is_taken(start: Sequence[Any], end: Sequence[Any], taken: Collection[Question]) -> bool:
    """Whether a question about this span is among those of the dialogue.

    Args:
        start: `[period, clock]`.
        end: `[period, clock]`.
        taken: Its questions.
    """
    return any(one.question.get("start") == start and one.question.get("end") == end for one in taken)


def _is_told(moment: Sequence[Any], taken: Collection[Question]) -> bool:
    """Whether a question starts from a moment, `[period, clock]`: the friend who tells it was not away then."""
    return any(one.question.get("anchor") == moment for one in taken)


def _interval(evidence: Evidence, start: list[Any], end: list[Any], asked_after: int) -> Question:
    sources = evidence.sources_of(start[0], end[0])
    key: list[list[Any]]
    if evidence.sport is HOCKEY:
        key = faceoffs_between(sources, start, end)
    else:
        key = events_between(sources, evidence.sport.name, start, end)
    return Question("I", {"start": start, "end": end}, key, asked_after - end[0], end[0], end)
