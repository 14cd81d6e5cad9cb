"""Figures of runs in which the person reacts to answers: what comes of being told, beside the other figures.

They read the scores of `evolif.judging.with_feedback`: `told/REQUIREMENT` and `repair/NUMBER`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from evolif.metrics.table import MetricFigures, MetricTable, PlainName, clustered, figures_with_intervals
from evolif.types import DEFAULT_RESAMPLES, REPAIR, TOLD, JudgedTurn, Score, Session

UNREADABLE = "(no readable answer)"
"""The group of repairs that name no requirement, because there was nothing to read."""
_NOTED = 2
"""Repairs with a share of their own: the first and the second."""


def repair_of(turn: JudgedTurn) -> int:
    """Which repair of a failed turn a turn asked for, from 1; 0 if it asked for none."""
    return max((number for score in turn.scores if (number := _number(score))), default=0)


def named_in(turn: JudgedTurn) -> str | None:
    """The requirement that the person said was missed; None if they named none that was still in force."""
    return next((score.name.partition("/")[2] for score in turn.scores if _is_told(score)), None)


def scripted(turns: Iterable[JudgedTurn]) -> list[tuple[int, JudgedTurn]]:
    """The turns that are no repairs, each with its number among those that were planned.

    Without a repair these are the numbers of the turns.
    """
    found, repairs = [], 0
    for turn in turns:
        if repair_of(turn):
            repairs += 1
        else:
            found.append((turn.turn - repairs, turn))
    return found


def _number(score: Score) -> int:
    name, _, number = score.name.partition("/")
    return int(number) if name == REPAIR and number.isdecimal() and len(number) < 10 else 0


def _is_told(score: Score) -> bool:
    return score.name.startswith(f"{TOLD}/")


def _terms(session: Session) -> tuple[float, ...]:
    told: list[float] = []
    repairs: list[tuple[int, float]] = []
    for turn in session.turns:
        for score in turn.scores:
            if score.value is None:
                continue
            if _is_told(score):
                told.append(score.value)
            elif number := _number(score):
                repairs.append((number, score.value))
    shares = [[value for number, value in repairs if number == wanted] for wanted in range(1, _NOTED + 1)]
    mended = [number for number, value in repairs if value > 0]
    terms = [sum(told), len(told), *(term for own in shares for term in (sum(own), len(own))), sum(mended), len(mended)]
    return tuple(map(float, terms))


FEEDBACK_TABLE = MetricTable(
    terms=("held", "told", "mended_first", "first", "mended_second", "second", "repairs", "mended"),
    of=_terms,
    ratios={
        "told": ("held", "told"),
        "mended_first": ("mended_first", "first"),
        "mended_second": ("mended_second", "second"),
        "turns_to_mend": ("repairs", "mended"),
    },
    labels={
        "told": "Told",
        "mended_first": "Mended 1st",
        "mended_second": "Mended 2nd",
        "turns_to_mend": "Turns to mend",
    },
    plain={
        "told": PlainName("requirements satisfied after being told", "after being told"),
        "mended_first": PlainName("bad turns mended when asked again", "mended at once"),
        "mended_second": PlainName("bad turns mended when asked twice", "mended later"),
    },
    units={"turns_to_mend": "count"},
    meanings={
        "told": "requirements that hold after the person said that they were missed",
        "mended_first": "failed turns in which everything holds once the person asks again",
        "mended_second": "of those that the first repair left, the same after the second",
        "turns_to_mend": "repairs until everything holds, of the failed turns that were mended",
    },
    beside=frozenset({"told", "mended_first", "mended_second", "turns_to_mend"}),
    lower=frozenset({"turns_to_mend"}),
    optional=frozenset({"mended_first", "mended_second", "turns_to_mend"}),
    kept="feedback/1",
    is_checked=True,
)
"""Success after being told, pooled over turns, and what repairs mend; a run without repairs has the first alone."""


def feedback_by_group(
    sessions: Iterable[Session], *, cluster: str = "", seed: int = 0, resamples: int = DEFAULT_RESAMPLES
) -> Mapping[str, MetricFigures]:
    """The figures per requirement that the person named, in alphabetical order; `UNREADABLE` comes last.

    Args:
        sessions: Of one model, those that count, as `counted_sessions` gives them.
        cluster: The label of turns that says which dialogues are resampled together, see `MetricTable.cluster`.
        seed: Of the draws; at least 0.
        resamples: How many; at least 1.
    """
    given = tuple(sessions)
    parts = [[(_group(turn), turn) for turn in session.turns] for session in given]
    groups = {group for own in parts for group, _ in own if group}
    tables = (clustered(FEEDBACK_TABLE, cluster),)
    found: dict[str, MetricFigures] = {}
    for group in sorted(groups, key=lambda name: (name == UNREADABLE, name)):
        own = [_only(session, turns, group) for session, turns in zip(given, parts, strict=True)]
        found[group] = figures_with_intervals(tables, own, seed=seed, resamples=resamples)
    return found


def _only(session: Session, turns: Sequence[tuple[str, JudgedTurn]], group: str) -> Session:
    return replace(session, turns=tuple(turn for own, turn in turns if own == group))


def _group(turn: JudgedTurn) -> str:
    """The group of a turn; empty for one that follows no word of the person's."""
    return named_in(turn) or (UNREADABLE if repair_of(turn) else "")
