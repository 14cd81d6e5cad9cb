"""How errors pile up: the share of wrong turns after a wrong one, and after a right one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from evolif.broadcast.cells import percent_cell, points_cell, share_object
from evolif.broadcast.plays import SCORE, BroadcastColumn, PlayedMatch, TurnScore, heads_of
from evolif.grid import Grid, TableRow
from evolif.metrics import FEWEST, Interval
from evolif.metrics.shares import Share, share_of
from evolif.metrics.statistics import middle, resampled_sums

PILE_UP = "pile-up"
"""The name of the table."""
_FEWEST_PAIRS = 10
"""Turns after a wrong one, and after a right one, without which nothing is said in words."""
_Row: TypeAlias = tuple[float, float, float, float]
"""Of one dialogue: wrong turns after a wrong one, all turns after a wrong one, and the same after a right one."""


@dataclass(frozen=True, slots=True)
class PileUp:
    """What follows wrong turns and right ones.

    Attributes:
        after_wrong: P(wrong | wrong before); its `of` is how many turns follow a wrong one.
        after_right: P(wrong | right before).
        difference: The first minus the second; None where one of them is undefined.
        interval: 95 % bootstrap interval of the difference over dialogues; None if fewer than six contribute to either.
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


def pile_up(
    matches: Iterable[PlayedMatch], counts: Callable[[TurnScore], bool] = any_turn, *, seed: int, resamples: int
) -> PileUp:
    """Successive judged turns of the same match; problems are as if they were not there.

    Args:
        matches: Of one model.
        counts: Which turns are looked at; the others are left out, too.
        seed: Of the draws; at least 0.
        resamples: How many; at least 1.
    """
    rows = [(match.dialogue, *_pairs([turn for turn in match.asked if counts(turn)])) for match in matches]
    after_wrong = share_of((dialogue, wrong, all_) for dialogue, wrong, all_, _, _ in rows)
    after_right = share_of((dialogue, wrong, all_) for dialogue, _, _, wrong, all_ in rows)
    if after_wrong.value is None or after_right.value is None:
        return PileUp(after_wrong, after_right, None, None)
    value = after_wrong.value - after_right.value
    known = after_wrong.interval is not None and after_right.interval is not None
    return PileUp(
        after_wrong, after_right, value, _interval(_by_dialogue(rows), value, seed, resamples) if known else None
    )


def _pairs(turns: Sequence[TurnScore]) -> _Row:
    after: dict[bool, list[bool]] = {True: [], False: []}
    for before, now in pairwise(turns):
        after[before.is_right].append(not now.is_right)
    return sum(after[False]), len(after[False]), sum(after[True]), len(after[True])


def _by_dialogue(rows: Iterable[tuple[float, ...]]) -> list[list[float]]:
    """The columns of rows, of which those of one dialogue are added up."""
    found: dict[float, list[float]] = {}
    for dialogue, *counts in rows:
        own = found.setdefault(dialogue, [0.0] * len(counts))
        for place, count in enumerate(counts):
            own[place] += count
    return [list(column) for column in zip(*sorted(found.values()), strict=True)]


def _interval(columns: Sequence[Sequence[float]], value: float, seed: int, resamples: int) -> Interval | None:
    if len(columns[0]) < FEWEST:
        return None
    drawn = zip(
        *(map(float, column) for column in resampled_sums(columns, seed=seed, resamples=resamples)), strict=True
    )
    values = [wrong / of - right / others for wrong, of, right, others in drawn if of and others]
    ends = middle(values, value)
    # Dialogues that are all alike say nothing about how far others are off.
    return None if ends is None or ends[0] == ends[1] else ends


def pile_up_grid(columns: Sequence[BroadcastColumn]) -> Grid | None:
    """What follows wrong turns and right ones; None where nothing follows anything."""
    rows: list[TableRow] = []
    for words, counts in (("all turns", any_turn), ("scores", only_scores)):
        found = [pile_up(one.matches, counts, seed=one.seed, resamples=one.resamples) for one in columns]
        if any(one.difference is not None for one in found):
            rows += _rows(words, found)
    if not rows:
        return None
    note = (
        "Judged turns of the same match, without problems. Where all turns count, hard ones follow hard ones, and that "
        "makes errors follow errors, too. Scores alone ask the same again and again."
    )
    return Grid(PILE_UP, "Wrong turns (%), and how many", "turns", heads_of(columns), tuple(rows), note)


def _rows(words: str, found: Sequence[PileUp]) -> Iterator[TableRow]:
    yield f"{words}, after a wrong one", tuple(percent_cell(one.after_wrong, True) for one in found)
    yield f"{words}, after a right one", tuple(percent_cell(one.after_right, True) for one in found)
    yield f"{words}, difference in points", tuple(points_cell(one.difference, one.interval) for one in found)


def pile_up_remarks(name: str, column: BroadcastColumn) -> Iterator[str]:
    """How errors pile up, in a sentence; nothing where too few turns say so."""
    found = pile_up(column.matches, seed=column.seed, resamples=column.resamples)
    if found.difference is not None and min(found.after_wrong.of, found.after_right.of) >= _FEWEST_PAIRS:
        yield (
            f"{name}: after a wrong turn {percent_cell(found.after_wrong).value} % of the next ones are wrong, after a "
            f"right one {percent_cell(found.after_right).value} %."
        )


def pile_up_object(column: BroadcastColumn) -> dict[str, Any]:
    """The same for machines."""
    return {
        name: _object(pile_up(column.matches, counts, seed=column.seed, resamples=column.resamples))
        for name, counts in (("all", any_turn), ("scores", only_scores))
    }


def _object(found: PileUp) -> dict[str, Any]:
    low, high = found.interval or (None, None)
    return {
        "wrong_after_wrong": share_object(found.after_wrong),
        "wrong_after_right": share_object(found.after_right),
        "difference": {"value": found.difference, "low": low, "high": high},
    }
