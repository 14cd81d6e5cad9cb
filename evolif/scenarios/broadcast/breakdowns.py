"""Accuracy by what is asked, by sport, period, distance and turn, as tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from evolif.metrics import Cluster
from evolif.metrics.intervals import DRAWS
from evolif.metrics.shares import Share, share_of
from evolif.scenario import LineChart, LinePoint, PlotLine
from evolif.scenario.presentation import Grid
from evolif.scenarios.broadcast.accuracy import match_accuracy, match_share
from evolif.scenarios.broadcast.cells import Shares, share_rows, shares_object
from evolif.scenarios.broadcast.sessions import PROBLEM, BroadcastColumn, PlayedMatch, TurnScore, heads_of, task_order

SUBTASKS, SPORTS, PERIODS, DISTANCES, TURNS = "subtasks", "sports", "periods", "distances", "turns"
"""Names of the tables."""
DISTANCE_FIGURE, TURN_FIGURE = "accuracy-by-distance", "accuracy-by-turn"
"""Names of the figures."""
_AT_ONCE = "L"
"""The kind of turn that always asks about the period that has just ended."""
_MOST_SPANS = 6
"""Spans of turns into which dialogues are divided at most."""
_SHORTEST_SPAN = 8
"""Turns in a span, about a period; in longer dialogues twice as many, and so on."""

_Key: TypeAlias = tuple[Any, ...]
"""What is sorted by; its last part is the name."""
_KeyOf: TypeAlias = Callable[[PlayedMatch, TurnScore], _Key | None]


def turn_shares(matches: Sequence[PlayedMatch], key_of: _KeyOf) -> dict[str, Share]:
    """The mean score of the judged turns of each key, over all turns; intervals are over matches.

    Args:
        matches: Of one model.
        key_of: From a turn to its key, whose last part is its name; None leaves the turn out.
    """
    found: dict[_Key, list[tuple[Cluster, float, float]]] = {}
    for match in matches:
        for turn in match.turns:
            key = key_of(match, turn)
            if key is not None:
                found.setdefault(key, []).append((match.match, turn.score, 1.0))
    return {key[-1]: share_of(found[key]) for key in sorted(found)}


def by_subtask(matches: Sequence[PlayedMatch]) -> dict[str, Share]:
    """By what is asked, category by category; problems last."""
    return turn_shares(matches, _subtask)


def _subtask(match: PlayedMatch, turn: TurnScore) -> _Key:
    name = f"{match.task}, {turn.subtask}"
    return (True, name) if turn.kind == PROBLEM else (False, task_order(match.task), name)


def by_period(matches: Sequence[PlayedMatch]) -> dict[str, Share]:
    """By the period in which a turn is, or which has just ended; without problems."""
    return turn_shares(matches, lambda _, turn: None if _is_beside(turn) else (turn.period or 0, _period(turn)))


def _period(turn: TurnScore) -> str:
    return "unknown" if turn.period is None else str(turn.period)


def _is_beside(turn: TurnScore) -> bool:
    return turn.kind == PROBLEM


def by_distance(matches: Sequence[PlayedMatch]) -> dict[str, Share]:
    """By periods between the evidence and the question; apart from others the changes of the lead, which have none."""
    return turn_shares(matches, _distance)


def _distance(match: PlayedMatch, turn: TurnScore) -> _Key | None:
    if turn.distance is None:
        return None
    if turn.kind == _AT_ONCE:
        return (-1, "0, changes of the lead")
    return (turn.distance, str(turn.distance))


def by_turn(matches: Sequence[PlayedMatch], span: int) -> dict[str, Share]:
    """By task and span of turns; without problems.

    Args:
        matches: Of one model.
        span: Turns in a span, as `span_of` has it.
    """

    def key(match: PlayedMatch, turn: TurnScore) -> _Key | None:
        if _is_beside(turn):
            return None
        number = (turn.turn - 1) // span
        return (*task_order(match.task), number, f"{match.task}, {number * span + 1}–{(number + 1) * span}")

    return turn_shares(matches, key)


def span_of(columns: Sequence[BroadcastColumn]) -> int:
    """Turns in a span: as few as make no more than six of the longest dialogue."""
    longest = max((turn.turn for one in columns for match in one.matches for turn in match.turns), default=1)
    span = _SHORTEST_SPAN
    while span * _MOST_SPANS < longest:
        span *= 2
    return span


def by_sport(matches: Sequence[PlayedMatch], draws: tuple[int, int] = DRAWS) -> dict[str, Share]:
    """The mean accuracy of the dialogues of each sport.

    Args:
        matches: Of one model.
        draws: As for `match_share`.
    """
    found: dict[str, list[tuple[PlayedMatch, float]]] = {}
    for match in matches:
        found.setdefault(match.sport or "unknown", []).append((match, match_accuracy(match)["accuracy"]))
    return {sport: match_share(found[sport], draws) for sport in sorted(found)}


def breakdown_grids(columns: Sequence[BroadcastColumn]) -> Iterator[Grid]:
    """A table for each breakdown; those that say nothing are left out."""
    span = span_of(columns)
    tables: tuple[tuple[str, str, str, Callable[[BroadcastColumn], Shares], str], ...] = (
        (SUBTASKS, "Accuracy by what is asked (%), and how many turns", "asked", lambda one: by_subtask(one.matches),
         _INTERVALS),
        (DISTANCES, "Accuracy by distance (%), and how many turns", "periods between",
         lambda one: by_distance(one.matches), _DISTANCE_NOTE),
        (TURNS, "Accuracy by turn (%), and how many turns", "turns", lambda one: by_turn(one.matches, span), ""),
        (PERIODS, "Accuracy by period (%), and how many turns", "period", lambda one: by_period(one.matches), ""),
        (SPORTS, "Accuracy by sport (%), and how many matches", "sport",
         lambda one: by_sport(one.matches, one.draws), ""),
    )  # fmt: skip
    for name, title, first, shares, note in tables:
        found = [shares(one) for one in columns]
        rows = share_rows(found)
        if len(rows) > 1 or (rows and name == SUBTASKS):
            yield Grid(name, title, first, heads_of(columns), rows, note)


_INTERVALS = "In brackets: 95 % intervals over matches; those over few are missing."
_DISTANCE_NOTE = (
    "Distance: periods between the evidence and the question. Changes of the lead are always asked about the period "
    "that has just ended, so they stand apart."
)


def distance_chart(columns: Sequence[BroadcastColumn]) -> LineChart | None:
    """Accuracy against distance, in the lines of `_lines`; None where only one distance occurs."""
    parts, words = _lines(columns)
    found = [(name, own) for name, matches in parts.items() if (own := _at_distances(matches))]
    distances = sorted({distance for _, own in found for distance in own})
    if len(distances) < 2:
        return None
    lines = tuple(PlotLine(name, tuple(_point(own.get(distance)) for distance in distances)) for name, own in found)
    caption = (
        f"Mean score of questions by how many periods lie between their evidence and the question, {words}, with 95 % "
        "intervals over matches; without changes of the lead, which are always asked at once."
    )
    return LineChart(
        DISTANCE_FIGURE, "Accuracy against distance", caption, "periods between evidence and question", "accuracy (%)",
        tuple(map(float, distances)), lines,
    )  # fmt: skip


def _lines(columns: Sequence[BroadcastColumn]) -> tuple[Mapping[str, Sequence[PlayedMatch]], str]:
    """The lines of a chart, and what they are: each task of one model, or each of several models."""
    if len(columns) == 1:
        return columns[0].tasks, "by task"
    return {one.name: one.matches for one in columns}, "over all tasks, which are not asked alike everywhere"


def _at_distances(matches: Sequence[PlayedMatch]) -> dict[int, Share]:
    return {int(name): share for name, share in by_distance(matches).items() if name.isdigit()}


def turn_chart(columns: Sequence[BroadcastColumn]) -> LineChart | None:
    """Accuracy against turns, in the lines of `_lines`; None for one span."""
    span = span_of(columns)
    parts, words = _lines(columns)
    found = {name: _at_spans(own, span) for name, own in parts.items()}
    ends = sorted({end for own in found.values() for end in own})
    if len(ends) < 2:
        return None
    lines = tuple(PlotLine(name, tuple(_point(own.get(end)) for end in ends)) for name, own in found.items())
    caption = (
        f"Mean score of the judged turns in spans of {span} turns, {words}, without problems, with 95 % intervals over "
        "matches. A point stands at the last turn of its span."
    )
    return LineChart(
        TURN_FIGURE, "Accuracy against turns", caption, "up to turn", "accuracy (%)", tuple(map(float, ends)), lines
    )


def _at_spans(matches: Sequence[PlayedMatch], span: int) -> dict[int, Share]:
    def key(match: PlayedMatch, turn: TurnScore) -> _Key | None:
        end = ((turn.turn - 1) // span + 1) * span
        return None if _is_beside(turn) else (end, str(end))

    return {int(name): share for name, share in turn_shares(matches, key).items()}


def _point(share: Share | None) -> LinePoint:
    if share is None or share.value is None:
        return LinePoint()
    low, high = share.interval or (None, None)
    return LinePoint(share.value, low, high, round(share.of))


def breakdowns_object(column: BroadcastColumn) -> dict[str, Any]:
    """The same of one model for machines."""
    own = column.matches
    return {
        "subtask": shares_object(by_subtask(own)),
        "sport": shares_object(by_sport(own, column.draws)),
        "period": shares_object(by_period(own)),
        "distance": shares_object(by_distance(own)),
        "turn": shares_object(by_turn(own, span_of([column]))),
    }
