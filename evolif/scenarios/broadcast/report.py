"""The report on broadcasts: its tables, its figures, its sentences, and how the page arranges them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evolif.metrics import LOAD, Breakdown
from evolif.scenario import LineChart
from evolif.scenario.presentation import Chapter, Grid
from evolif.scenarios.broadcast.ablations import ABLATION, ERRORS, ablation_grids, ablation_object, ablation_remarks
from evolif.scenarios.broadcast.breakdowns import (
    DISTANCE_FIGURE,
    DISTANCES,
    PERIODS,
    SPORTS,
    SUBTASKS,
    TURN_FIGURE,
    TURNS,
    breakdown_grids,
    breakdowns_object,
    distance_chart,
    turn_chart,
)
from evolif.scenarios.broadcast.categories import CATEGORY_TABLE, categories_object, category_grid, category_remarks
from evolif.scenarios.broadcast.error_streaks import PILE_UP, pile_up_grid, pile_up_object, pile_up_remarks
from evolif.scenarios.broadcast.sessions import BroadcastColumn

CHAPTERS = (
    Chapter(
        "categories",
        "What is asked",
        "Every score comes from a whole match, also from what was asked after patience was gone.",
        (),
        (CATEGORY_TABLE, SUBTASKS, SPORTS),
    ),
    Chapter("ablation", "The same matches with another setting", "", (), (ABLATION, ERRORS)),
    Chapter(
        "distance",
        "How far back, and how late",
        "",
        (DISTANCE_FIGURE, TURN_FIGURE),
        (DISTANCES, TURNS, PERIODS, PILE_UP),
    ),
    Chapter(
        "survival",
        "How long patience lasts",
        "Messages do not depend on replies, so each match is played to its end, and cut where patience is gone.",
        ("survival", "hazard"),
        ("survival", "hazard", "exhaustion"),
    ),
    Chapter("groups", "What replies must hold", "", ("groups",), ("group", "heuristic", "difficulty")),
    Chapter(
        "patience",
        "Patience sweep",
        "Each match is cut at its first streak of that many wrong turns: exact, and without model calls.",
        ("patience",),
        ("patience",),
    ),
    Chapter("ranks", "Ranks", "", ("stability",), ("ranks", "pairs", "stability")),
    Chapter("variance", "More dialogues or more epochs", "", (), ("variance",)),
)
"""How the page arranges them."""

BREAKDOWNS = (
    Breakdown("task", "task", "", kind=True),
    Breakdown("sport", "sport", "", kind=True),
    # How many items a reply is checked for says little: reports have it for machines only.
    replace(LOAD, title=""),
)
"""Of whole dialogues; our own tables have those of turns, from whole matches."""

HOW_TO_READ = (
    "A friend follows a simulated match with the model: each message brings new rows of the ticker and a question, and "
    "what it asks about may lie many turns back. A reply is checked item by item; items have weights, and some faults "
    "bring the whole turn to nothing. Accuracy is the mean score of the turns of a match, then of the matches.",
    "IF: instruction following, CR: context retrieval, IR: information reasoning, TS: task switching. Figures are not "
    "comparable with those of MARS-Bench, whose idea this follows.",
)
"""What a reader of the page has to know about it."""


def broadcast_grids(columns: Sequence[BroadcastColumn]) -> Iterator[Grid]:
    """The tables of models side by side.

    Args:
        columns: With a match each; nothing comes of none.
    """
    if not columns:
        return
    yield category_grid(columns)
    yield from breakdown_grids(columns)
    found = pile_up_grid(columns)
    if found is not None:
        yield found
    yield from ablation_grids(columns)


def broadcast_figures(columns: Sequence[BroadcastColumn]) -> Iterator[LineChart]:
    """Accuracy against distance, and against turns."""
    if columns:
        yield from filter(None, (distance_chart(columns), turn_chart(columns)))


def broadcast_remarks(name: str, column: BroadcastColumn) -> Iterator[str]:
    """What a model reaches, how errors pile up, and what a setting changes, in sentences.

    Args:
        name: Of the model.
        column: What it played; also nothing.
    """
    # What a setting changes is what such a benchmark was made for.
    yield from ablation_remarks(name, column)
    yield from category_remarks(name, column)
    yield from pile_up_remarks(name, column)


STOPPED = "The matches stopped where patience was gone (stop_at_patience), so there are no category scores."
"""Of a run whose matches are not whole."""


def broadcast_object(column: BroadcastColumn) -> Mapping[str, Any]:
    """What of one model is beyond the table of metrics, for machines; fractions, each with its interval."""
    if not column.matches:
        return {}
    return {
        **categories_object(column),
        "matches": len({match.match for match in column.matches}),
        "matches_broken_off": column.broken,
        "accuracy_by": breakdowns_object(column),
        "pile_up": pile_up_object(column),
        "ablation": ablation_object(column),
    }
