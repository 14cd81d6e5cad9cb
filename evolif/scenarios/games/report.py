"""The report on games: its tables, its figures, and how the page arranges them.

Models stand in columns where a table is about accuracy; elsewhere each row is one model at one number of turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evolif.scenario import LineChart
from evolif.scenario.presentation import Chapter, Grid, HeatMap
from evolif.scenarios.games.accuracy_tables import (
    ACCURACY_FIGURE,
    GAIN,
    NORMALISED,
    TURNS,
    gain_grid,
    normalised_grid,
    turns_chart,
    turns_grid,
)
from evolif.scenarios.games.by_game import (
    GAMES,
    GAMES_FIGURE,
    columns_in,
    drawn_in_game,
    games_grid,
    games_map,
    games_of,
    in_game,
)
from evolif.scenarios.games.cells import without_references
from evolif.scenarios.games.instance import game_names
from evolif.scenarios.games.play_charts import DENSITY_FIGURE, PROPOSALS_FIGURE, density_chart, proposals_chart
from evolif.scenarios.games.play_tables import (
    EARLY,
    ENDINGS,
    INFORMATION,
    INFORMATION_FIGURE,
    LANGUAGE,
    PROPOSALS,
    SYCOPHANCY,
    USAGE,
    early_grid,
    endings_grid,
    information_grid,
    information_map,
    language_grid,
    proposals_grid,
    sycophancy_grid,
    usage_grid,
)
from evolif.scenarios.games.sessions import GameColumn


def _each(*names: str) -> tuple[str, ...]:
    """These names, and those of the same in each of several games."""
    return (*names, *(f"{name}-{game}" for game in game_names() for name in names))


CHAPTERS = (
    Chapter("games", "Games and turns", "", (GAMES_FIGURE,), (GAMES,)),
    Chapter(
        "turns",
        "Accuracy against turns",
        "The same instances with the same tokens, cut into few turns or many. Whoever can play with few can play with "
        "many, so accuracy should never fall.",
        _each(ACCURACY_FIGURE),
        _each(TURNS, GAIN, NORMALISED),
    ),
    Chapter("endings", "How games end", "", (), _each(ENDINGS, EARLY, USAGE)),
    Chapter(
        "talk",
        "What players say",
        "",
        _each(INFORMATION_FIGURE, DENSITY_FIGURE, PROPOSALS_FIGURE),
        _each(INFORMATION, PROPOSALS, LANGUAGE, SYCOPHANCY),
    ),
    Chapter("ranks", "Ranks", "", ("stability",), ("ranks", "pairs", "stability")),
    Chapter("variance", "More dialogues or more epochs", "", (), ("variance",)),
)
"""How the page arranges them."""


def game_grids(columns: Sequence[GameColumn], parser: str | None = None) -> Iterator[Grid]:
    """The tables of models side by side; those that do not fit the game are left out.

    Args:
        columns: With at least one; of several games, each has tables of its own.
        parser: The name of what finds noun phrases; None if nothing is installed.
    """
    games = games_of(columns)
    if len(games) == 1:
        yield from _grids_of_game(columns, parser)
        return
    yield games_grid(columns)
    for game in games:
        yield from (in_game(grid, game) for grid in _grids_of_game(columns_in(columns, game), parser))
    yield from _given(sycophancy_grid(without_references(columns)))


def _grids_of_game(columns: Sequence[GameColumn], parser: str | None) -> Iterator[Grid]:
    games = without_references(columns)
    yield turns_grid(columns)
    yield normalised_grid(columns)
    yield from _given(gain_grid(columns))
    if games:
        yield usage_grid(games)
        yield endings_grid(games)
        yield from _given(early_grid(games))
        yield from _given(
            information_grid(games), language_grid(games, parser), proposals_grid(games), sycophancy_grid(games)
        )


def game_figures(columns: Sequence[GameColumn]) -> Iterator[HeatMap | LineChart]:
    """Accuracy against turns; in names also the information that each turn tells. Of several games each has its own."""
    games = games_of(columns)
    if len(games) == 1:
        yield from _figures_of_game(columns)
        return
    yield games_map(columns)
    for game in games:
        yield from (drawn_in_game(one, game) for one in _figures_of_game(columns_in(columns, game)))


def _figures_of_game(columns: Sequence[GameColumn]) -> Iterator[HeatMap | LineChart]:
    yield turns_chart(columns)
    games = without_references(columns)
    if games:
        found = (information_map(games), density_chart(games), proposals_chart(games))
        yield from (figure for figure in found if figure is not None)


def _given(*grids: Grid | None) -> Iterator[Grid]:
    return (grid for grid in grids if grid is not None)
