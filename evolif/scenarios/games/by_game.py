"""Benchmarks of several games: the grid of games and turns, and every table and figure game by game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from evolif.scenario import HeatCell, LineChart
from evolif.scenario.presentation import Grid, HeatMap
from evolif.scenarios.games.cells import accuracy_cell, counted, without_references
from evolif.scenarios.games.figures import AccuracyRow, Dialogue, accuracy_table
from evolif.scenarios.games.sessions import GameColumn

GAMES = "games"
"""The name of the table of games and turns."""
GAMES_FIGURE = "accuracy-by-game"
"""The name of its figure."""


def games_of(columns: Iterable[GameColumn]) -> list[str]:
    """The games that were played, in the order of their names."""
    return sorted({str(one["instance"]["game"]) for column in columns for one in column.played})


def columns_in(columns: Iterable[GameColumn], game: str) -> list[GameColumn]:
    """What was played of one game; a judge's findings are not told apart by game, so they are left out."""
    own = [(column, tuple(one for one in column.played if one["instance"]["game"] == game)) for column in columns]
    return [replace(column, played=played, sycophancy={}) for column, played in own if played]


def told_by_game(name: str, dialogues: Sequence[Dialogue]) -> Iterator[tuple[str, list[Dialogue]]]:
    """The dialogues of a model, game by game; where there are several games, its name says which."""
    games = sorted({str(one["instance"]["game"]) for one in dialogues})
    for game in games:
        own = [one for one in dialogues if one["instance"]["game"] == game]
        yield (f"{name} in {game}" if len(games) > 1 else name), own


def in_game(part: Grid, game: str) -> Grid:
    """A table under a name of its own."""
    return replace(part, name=f"{part.name}-{game}", title=f"{part.title} ({game})")


def drawn_in_game(part: HeatMap | LineChart, game: str) -> HeatMap | LineChart:
    """A figure under a name of its own."""
    return replace(part, name=f"{part.name}-{game}", title=f"{part.title} ({game})")


def games_grid(columns: Sequence[GameColumn]) -> Grid:
    """Accuracy by game and number of turns."""
    budgets, rows = _accuracies(columns)
    told = tuple((name, tuple(accuracy_cell(own.get(turns)) for turns in budgets)) for name, own in rows)
    note = (
        "In brackets: 95 % intervals over instances, and how many dialogues. "
        f"{counted(without_references(columns) or columns)}"
    )
    heads = tuple(f"{turns} turns" for turns in budgets)
    return Grid(GAMES, "Accuracy by game and number of turns, in %", "game", heads, told, note)


def games_map(columns: Sequence[GameColumn]) -> HeatMap:
    """The same as colours."""
    budgets, rows = _accuracies(columns)
    cells = tuple((name, tuple(_cell(own.get(turns)) for turns in budgets)) for name, own in rows)
    caption = (
        "Accuracy in % by game, down, and by turns of a dialogue, across; all with the same tokens. Along a row it "
        "should never fall. Games differ in chance and floor, so rows do not compare with each other."
    )
    return HeatMap(GAMES_FIGURE, "Accuracy by game and turns", caption, tuple(map(str, budgets)), cells, "dialogues")


def _cell(row: AccuracyRow | None) -> HeatCell:
    return HeatCell() if row is None else HeatCell(row["accuracy"], row["n"])


def _accuracies(columns: Sequence[GameColumn]) -> tuple[list[int], list[tuple[str, dict[int, AccuracyRow]]]]:
    """The numbers of turns, and accuracy by them for each game and model."""
    shown = without_references(columns) or list(columns)
    rows = [
        (game if len(shown) == 1 else f"{game}, {column.name}",
         {row["turn_budget"]: row for row in accuracy_table(column.played)})
        for game in games_of(shown)
        for column in columns_in(shown, game)
    ]  # fmt: skip
    return sorted({turns for column in shown for turns in column.budgets}), rows
