"""The questions of a break: which kinds, about which periods, with keys computed from the match's events.

Questions are drawn from a stream that the caller names. Its key must not change when variants of a dialogue do: then
all of them have the same questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from evolif.errors import ArgumentError
from evolif.scenarios.broadcast.arguments import one_of
from evolif.scenarios.broadcast.clock import BASKETBALL, period_of, sport_of
from evolif.scenarios.broadcast.leads import lead_changes
from evolif.scenarios.broadcast.match_statistics import best_of
from evolif.scenarios.broadcast.question import Question
from evolif.scenarios.broadcast.question_evidence import Evidence, evidence_of
from evolif.scenarios.broadcast.question_impact import impact_question, wants_free_throw
from evolif.scenarios.broadcast.question_retrieval import anchored_question, interval_question, interval_until
from evolif.util.rng import Stream

TASKS: Final = ("IF", "CR", "IR", "TS")
PAIRS: Final = ("", "anchored", "interval")
_IMPACT = ("T", "H")
_PAIRED = 3
"""Questions of a break that is asked about in two ways."""
_PAIRED_ROWS = 5
"""What an interval must hold at least."""


class _Break(NamedTuple):
    """A break, and what is asked about."""

    match: Mapping[str, Any]
    evidence: Evidence
    after: int
    about: int | None
    stream: Stream

    @property
    def since(self) -> int:
        """The earliest period that is asked about."""
        return self.about or 1

    @property
    def until(self) -> int:
        """The latest one."""
        return self.about or self.after

    def periods(self) -> list[int]:
        """The periods that may hold the evidence, in random order."""
        possible = range(self.since, self.until + 1)
        return self.stream.sample(possible, len(possible))


def break_questions(
    match: Mapping[str, Any],
    period: int,
    task: str,
    stream: Stream,
    *,
    kinds: Sequence[str] | None = None,
    about: int | None = None,
    pair: str = "",
    taken: Sequence[Question] = (),
) -> list[Question]:
    """The questions of the break after a period, in order.

    The period of the evidence is drawn evenly from those played. Where it has nothing that fits, another is drawn.

    Args:
        match: As `simulate` returns it.
        period: The one before the break, from 1.
        task: `CR` (two anchored events and an interval), `IR` or `TS` (changes of the lead if the period has any, top
            player, one named player, or two if it has none), `IF` (statistics: three times in basketball, twice in
            hockey).
        stream: Where draws come from.
        kinds: The kinds to ask in the task's place.
        about: The only period that is asked about, whose changes of the lead are not asked for; None for all. The
            questions do not depend on the break then, if the stream does not.
        pair: `anchored` or `interval`: three questions of this kind. Both have the same evidence: the interval ends
            with the target.
        taken: The questions of the breaks before; none is asked again.

    Raises:
        ArgumentError: there is no such task, period, kind or pair, or the match has too little to ask about (no
            simulated one has).
    """
    one_of("task", task, TASKS)
    period_of(period, sport_of(match["sport"]))
    one_of("pair", pair, PAIRS)
    if about is not None and not 1 <= about <= period:
        raise ArgumentError(f"about is {about}; give a period from 1 to {period}")
    one = _Break(match, evidence_of(match), period, about, stream)
    found: list[Question] = []
    for kind in ("A",) * _PAIRED if pair else kinds or _kinds(one, task):
        earlier = [*taken, *found]
        found.append(_paired(one, pair, earlier) if pair else _asked(one, kind, earlier))
    return found


def _kinds(one: _Break, task: str) -> Sequence[str]:
    """What a task asks in a break."""
    if task == "CR":
        return ("A", "A", "I")
    if task == "IF":
        return ("Q", "Q", "Q") if one.match["sport"] == BASKETBALL.name else ("Q", "Q")
    return ("L", "T", "H") if one.about is None and _changes(one) else ("T", "H", "H")


def _changes(one: _Break) -> list[list[str]]:
    """The changes of the lead in the period before the break."""
    scored = [event for event in one.match["events"] if event["pts"]]
    return lead_changes(scored, one.match["teams"], one.after)


def _asked(one: _Break, kind: str, taken: Sequence[Question]) -> Question:
    """A question of a kind."""
    if kind == "Q":
        return _statistics(one, taken)
    question = _lead(one) if kind == "L" else _drawn(one, kind, taken)
    if question is None:
        raise ArgumentError(f"the match has nothing for a question of kind {kind}; give one with more events")
    return question


def _drawn(one: _Break, kind: str, taken: Sequence[Question]) -> Question | None:
    """A question whose evidence lies in a period drawn from those that are possible, or None if nothing fits."""
    one_of("kind", kind, ("A", "I", *_IMPACT))
    with_free_throw = kind in _IMPACT and wants_free_throw(kind, one.evidence, one.stream, taken)
    periods = one.periods()
    # Half of the players made a free throw; should there be no such player in any period, the other half has one.
    # Should all who fit have been named before, one of them is named again.
    for fresh, thrown in product((True, False), (with_free_throw, not with_free_throw)):
        for period in periods:
            if found := _about(one, kind, period, taken, with_free_throw=thrown, fresh=fresh):
                return found
    return None


def _about(
    one: _Break, kind: str, period: int, taken: Sequence[Question], *, with_free_throw: bool, fresh: bool
) -> Question | None:
    """A question whose evidence lies in a period, or None if nothing fits."""
    match, evidence, after, _, stream = one
    if kind == "A":
        found = anchored_question(evidence, period, after, stream, taken, since=one.since)
        return found and found[0]
    if kind == "I":
        return interval_question(evidence, period, after, stream, taken, since=one.since)
    return impact_question(
        kind,
        match,
        evidence,
        period,
        after,
        stream,
        taken,
        with_free_throw=with_free_throw,
        fresh=fresh,
        since=one.since,
        until=one.until,
    )


def _paired(one: _Break, pair: str, taken: Sequence[Question]) -> Question:
    """An anchored event, or the interval that ends with it; the same draws for both."""
    for period in one.periods():
        found = anchored_question(
            one.evidence,
            period,
            one.after,
            one.stream,
            taken,
            since=one.since,
            rows_before=_PAIRED_ROWS,
            any_anchor=True,
        )
        if found:
            anchored, target = found
            interval = interval_until(one.evidence, target, one.after, one.stream, since=one.since)
            return anchored if pair == "anchored" else interval
    raise ArgumentError("the match has nothing for paired questions; give one with more events")


def _lead(one: _Break) -> Question | None:
    """A question about the changes of the lead in the period before the break, or None if there was none."""
    if not (changes := _changes(one)):
        return None
    return Question("L", {"period": one.after}, changes, 0, one.after, [one.after, changes[-1][0]])


def _statistics(one: _Break, taken: Sequence[Question]) -> Question:
    """A question about the best of the period: of both teams first, then of each."""
    asked = [question.question["team"] for question in taken if question.question.get("period") == one.after]
    teams = [team for team in one.match["teams"] if team not in asked]
    team = one.stream.choice(teams) if None in asked and teams else None
    best = best_of(one.match, one.after, team)
    question = {"period": one.after, "team": team, "players": [line["player"] for line in best]}
    return Question("Q", question, list(best), None, None, None)
