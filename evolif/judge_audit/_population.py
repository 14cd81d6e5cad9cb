"""Every subjective constraint of a run that a judge came to a verdict on: what an audit draws from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from evolif.constraints import get_group
from evolif.domain import Verdict
from evolif.judging import JudgeRecord
from evolif.protocol import Run, TurnRecord

Asked = Mapping[tuple[int, int], tuple[tuple[int, str], ...]]
"""Per (dialogue, turn) the positions and groups of its subjective constraints."""


class Place(NamedTuple):
    """Where a verdict stands: names neither the model nor what was decided."""

    session: int
    """The run's own number of the session."""
    turn: int
    constraint: int
    """Position in the turn's instruction, from 0."""


class Judged(NamedTuple):
    """One verdict of the judge."""

    place: Place
    model: str
    group: str
    accepted: bool


def judged_answers(run: Run) -> Iterator[Judged]:
    """The verdicts in the run's order.

    Answers that failed without the judge being asked (empty, too long) are none of its verdicts; where the heuristic
    `lexical` judged, its own verdicts are taken.
    """
    asked = subjective_of(run)
    for model in run.models:
        for number, session in run.store.sessions(model):
            for record in run.store.turns(number):
                for position, group, accepted in _verdicts(record, asked.get((session.dialogue, record.turn), ())):
                    yield Judged(Place(number, record.turn, position), model, group, accepted)


def subjective_of(run: Run) -> Asked:
    """The positions and groups of the subjective constraints of every asked turn."""
    found = {}
    for facts in run.facts():
        subjective = tuple((i, c.group) for i, c in enumerate(facts.constraints) if get_group(c.group).subjective)
        found[facts.dialogue, facts.turn] = subjective
    return found


def verdict_at(record: TurnRecord, subjective: tuple[tuple[int, str], ...], position: int) -> bool | None:
    """What the judge said of the constraint at a position; None where it has no verdict."""
    return next((accepted for at, _, accepted in _verdicts(record, subjective) if at == position), None)


def _verdicts(record: TurnRecord, subjective: tuple[tuple[int, str], ...]) -> Iterator[tuple[int, str, bool]]:
    told: tuple[JudgeRecord | Verdict, ...] = record.records or record.heuristic
    if [one.group for one in told] != [group for _, group in subjective]:
        return  # not judged, or by a judge of another evolif
    for (position, group), one in zip(subjective, told, strict=True):
        if one.satisfied is not None and _was_asked(one):
            yield position, group, one.satisfied


def _was_asked(one: JudgeRecord | Verdict) -> bool:
    # The heuristic has no record; its word on an answer that it could not read holds no score.
    return bool(one.scores) if isinstance(one, JudgeRecord) else " of 10" in one.found
