"""How errors pile up: the share of wrong turns after a wrong one, and after a right one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from evolif.metrics import Cluster, Interval, MetricTable, pair_test
from evolif.metrics.shares import Share, share_of
from evolif.scenario.presentation import Grid, TableRow
from evolif.scenarios.broadcast.cells import percent_cell, points_cell, share_object
from evolif.scenarios.broadcast.means import added_ends, mostly_at_a_bound
from evolif.scenarios.broadcast.sessions import SCORE, BroadcastColumn, PlayedMatch, TurnScore, heads_of

PILE_UP = "pile-up"
"""The name of the table."""
_FEWEST_PAIRS = 10
"""Turns after a wrong one, and after a right one, without which nothing is said in words."""
_Row: TypeAlias = tuple[float, float, float, float]
"""Of one match: wrong turns after a wrong one, all turns after a wrong one, and the same after a right one."""
_TABLE = MetricTable(("wrong", "turns"), lambda session: (0.0, 0.0), {"wrong": ("wrong", "turns")})
"""Rows are made of matches here; nothing asks it for sessions."""


@dataclass(frozen=True, slots=True)
class PileUp:
    """What follows wrong turns and right ones.

    Attributes:
        after_wrong: P(wrong | wrong before); its `of` is how many turns follow a wrong one.
        after_right: P(wrong | right before).
        difference: The first minus the second; None where one of them is undefined.
        interval: 95 % interval of the difference, over matches: that of `pair_test`, or where errors are so rare that
            most matches are at 0 or 1 of either, that of `added_ends`; None if fewer than six contribute to either.
    """

    after_wrong: Share
    after_right: Share
    difference: float | None
    interval: Interval | None


def any_turn(turn: TurnScore) -> bool:
    """All judged turns about the match count."""
    return True


def only_scores(turn: TurnScore) -> bool:
    """Only the score so far counts: the same question again and again."""
    return turn.kind == SCORE


def pile_up(matches: Iterable[PlayedMatch], counts: Callable[[TurnScore], bool] = any_turn) -> PileUp:
    """Successive judged turns of the same match; problems are as if they were not there.

    Args:
        matches: Of one model.
        counts: Which turns are looked at; the others are left out, too.
    """
    return pile_up_of(_by_match(matches, counts).values())


def pile_up_of(rows: Iterable[_Row]) -> PileUp:
    """What follows wrong turns and right ones.

    Args:
        rows: Of each match its wrong turns after a wrong one, all turns after a wrong one, and the same after a right
            one.
    """
    own = sorted(rows)  # so that the order of the matches does not matter
    after_wrong = share_of((match, row[0], row[1]) for match, row in enumerate(own))
    after_right = share_of((match, row[2], row[3]) for match, row in enumerate(own))
    if after_wrong.value is None or after_right.value is None:
        return PileUp(after_wrong, after_right, None, None)
    value = after_wrong.value - after_right.value
    return PileUp(after_wrong, after_right, value, _interval(own, after_wrong, after_right))


def _interval(rows: Sequence[_Row], after_wrong: Share, after_right: Share) -> Interval | None:
    if after_wrong.interval is None or after_right.interval is None:
        return None
    sides = [row[:2] for row in rows], [row[2:] for row in rows]
    if any(map(mostly_at_a_bound, sides)):
        shares = after_wrong.value or 0.0, after_right.value or 0.0
        return added_ends(shares, after_wrong.interval, after_right.interval)
    return pair_test(_TABLE, *sides, "wrong").interval


def _by_match(matches: Iterable[PlayedMatch], counts: Callable[[TurnScore], bool]) -> dict[Cluster, _Row]:
    """What follows what in each match; its variants and epochs are added up."""
    found: dict[Cluster, _Row] = {}
    for match in matches:
        before = found.get(match.match, (0.0, 0.0, 0.0, 0.0))
        more = _pairs([turn for turn in match.asked if counts(turn)])
        found[match.match] = (before[0] + more[0], before[1] + more[1], before[2] + more[2], before[3] + more[3])
    return found


def _pairs(turns: Sequence[TurnScore]) -> _Row:
    after: dict[bool, list[bool]] = {True: [], False: []}
    for before, now in pairwise(turns):
        after[before.is_right].append(not now.is_right)
    return sum(after[False]), len(after[False]), sum(after[True]), len(after[True])


def pile_up_grid(columns: Sequence[BroadcastColumn]) -> Grid | None:
    """What follows wrong turns and right ones; None where nothing follows anything."""
    rows: list[TableRow] = []
    for words, counts in (("all turns", any_turn), ("scores", only_scores)):
        found = [pile_up(one.matches, counts) for one in columns]
        if any(one.difference is not None for one in found):
            rows += _rows(words, found)
    if not rows:
        return None
    note = (
        "Judged turns of the same match, without problems. Where all turns count, hard ones follow hard ones, and that "
        "makes errors follow errors, too. Scores alone ask the same again and again. In brackets: 95 % intervals over "
        "matches."
    )
    return Grid(PILE_UP, "Wrong turns (%), and how many", "turns", heads_of(columns), tuple(rows), note)


def _rows(words: str, found: Sequence[PileUp]) -> Iterator[TableRow]:
    yield f"{words}, after a wrong one", tuple(percent_cell(one.after_wrong, True) for one in found)
    yield f"{words}, after a right one", tuple(percent_cell(one.after_right, True) for one in found)
    yield f"{words}, difference in points", tuple(points_cell(one.difference, one.interval) for one in found)


def pile_up_remarks(name: str, column: BroadcastColumn) -> Iterator[str]:
    """How errors pile up, in a sentence; nothing where too few turns say so."""
    found = pile_up(column.matches)
    if found.difference is not None and min(found.after_wrong.of, found.after_right.of) >= _FEWEST_PAIRS:
        yield (
            f"{name}: after a wrong turn {percent_cell(found.after_wrong).value} % of the next ones are wrong, after a "
            f"right one {percent_cell(found.after_right).value} %."
        )


def pile_up_object(column: BroadcastColumn) -> dict[str, Any]:
    """The same for machines."""
    return {
        name: _object(pile_up(column.matches, counts)) for name, counts in (("all", any_turn), ("scores", only_scores))
    }


def _object(found: PileUp) -> dict[str, Any]:
    low, high = found.interval or (None, None)
    return {
        "wrong_after_wrong": share_object(found.after_wrong),
        "wrong_after_right": share_object(found.after_right),
        "difference": {"value": found.difference, "low": low, "high": high},
    }
