"""Questions about what a player changed in a span: the top player, or one who is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from evolif.scenarios.broadcast.clock import HOCKEY, SECOND, Moment
from evolif.scenarios.broadcast.events import Faceoff, Scored, span_of
from evolif.scenarios.broadcast.impact import impact_faceoffs, impact_points
from evolif.scenarios.broadcast.question import Question
from evolif.scenarios.broadcast.question_evidence import DrawnSpan, Evidence
from evolif.scenarios.broadcast.question_retrieval import is_taken
from evolif.util.rng import Stream

_TRIES = 100
"""How many spans of a period are drawn for one that fits."""
_LATER = 10
"""Seconds at least from the end of a span to the moment whose score is asked for, if the period has as many left."""


def impact_question(
    kind: str,
    match: Mapping[str, Any],
    evidence: Evidence,
    period: int,
    asked_after: int,
    stream: Stream,
    taken: Collection[Question],
    *,
    with_free_throw: bool,
    fresh: bool = True,
    since: int = 1,
    until: int,
) -> Question | None:
    """A question about what a player's points or faceoffs in a span changed.

    Basketball: the player made a free throw in the span, or none, as wanted. Top players made another basket, too, and
    so did named ones without a free throw; so the two cases of the answer differ in at least half of the questions.
    What the answer is does not matter: level results come as often as they come. Hockey: a named player lost a faceoff
    in the span.

    Args:
        kind: `T` for the top player, `H` for a named one.
        match: As `simulate` returns it.
        evidence: Of the match.
        period: In which the span ends.
        asked_after: The period before the break.
        stream: Where draws come from.
        taken: The questions that the dialogue has already; no span is asked about twice.
        with_free_throw: Whether the player made a free throw in the span; of no importance in hockey.
        fresh: Whether to name nobody who was named before; of no importance for top players.
        since: The earliest period in which the span may begin.
        until: The latest period of the moment whose score is asked for.

    Returns:
        The question; None if nothing fits.
    """
    known = {one.question["player"] for one in taken if one.kind == kind == "H"} if fresh else set()
    for _ in range(_TRIES):
        span = evidence.span(period, since, stream)
        if span is None or is_taken(span.start, span.end, taken) or _is_late(evidence, span):
            continue
        if players := [name for name in _players(kind, span.rows, with_free_throw) if name not in known]:
            asked: dict[str, Any] = {"start": span.start, "end": span.end}
            if kind == "H":
                asked = {"player": stream.choice(players), **asked}
            if evidence.sport is not HOCKEY:
                asked["at"] = _moment_of_score(evidence, span, until, stream)
            key = _key(match, evidence, asked)
            return Question(kind, asked, key, asked_after - period, period, span.end)
    return None


def wants_free_throw(kind: str, evidence: Evidence, stream: Stream, taken: Collection[Question]) -> bool:
    """Whether the next player of a kind of question should have made a free throw, so that half of them did.

    Args:
        kind: `T` or `H`.
        evidence: Of the match.
        stream: Where draws come from; a dialogue with as many of the one as of the other leaves it to chance.
        taken: The questions that the dialogue has already.
    """
    by_chance = bool(stream.below(2))
    earlier = [_made_free_throw(evidence, one) for one in taken if one.kind == kind]
    return by_chance if 2 * sum(earlier) == len(earlier) else 2 * sum(earlier) < len(earlier)


def _made_free_throw(evidence: Evidence, asked: Question) -> bool:
    """Whether the player of a question made a free throw in its span."""
    span = span_of(asked.question["start"], asked.question["end"], evidence.sport)
    rows = [row for instant in evidence.instants if span.holds(instant.moment) for row in instant.rows]
    return any(isinstance(row, Scored) and row.points == 1 and row.player == asked.key["player"] for row in rows)


def _players(kind: str, rows: Sequence[Scored | Faceoff], with_free_throw: bool) -> list[str]:
    """The players whom a question about these rows may be about."""
    lost = [row.loser for row in rows if isinstance(row, Faceoff)]
    if lost:
        return list(dict.fromkeys(lost))
    points: Counter[str] = Counter()
    thrown: set[str] = set()
    other: set[str] = set()
    for row in rows:
        if isinstance(row, Scored):
            points[row.player] += row.points
            (thrown if row.points == 1 else other).add(row.player)
    asked = list(points) if kind == "H" else [min(points, key=lambda name: (-points[name], name))]
    fitting = [name for name in asked if (name in thrown) == with_free_throw]
    return fitting if kind == "H" else [name for name in fitting if name in other]


def _is_late(evidence: Evidence, span: DrawnSpan) -> bool:
    """Whether nothing of the period is left for a score to be asked for."""
    return evidence.sport is not HOCKEY and span.close.time >= evidence.sport.length * SECOND


def _moment_of_score(evidence: Evidence, span: DrawnSpan, latest: int, stream: Stream) -> list[Any]:
    """The moment whose score is asked for: a whole second a while after a span, at the latest the end of a period."""
    period = stream.between(span.close.period, latest)
    first = -(-span.close.time // SECOND) if period == span.close.period else 0
    length = evidence.sport.length
    return evidence.shown(Moment(period, stream.between(min(first + _LATER, length), length) * SECOND))


def _key(match: Mapping[str, Any], evidence: Evidence, asked: Mapping[str, Any]) -> dict[str, Any]:
    start, end, player = asked["start"], asked["end"], asked.get("player")
    if evidence.sport is HOCKEY:
        faceoffs = evidence.sources_of(start[0], end[0])
        return dict(impact_faceoffs(faceoffs, match["player_team"], start, end, player))
    events = evidence.sources_of(1, asked["at"][0])
    return dict(impact_points(events, match["teams"], start, end, player, asked["at"]))
