"""What players say, as figures over the level of interactivity, which is the number of turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evolif.metrics.intervals import ratio_interval
from evolif.scenario import LineChart
from evolif.scenario.presentation import LinePoint, PlotLine
from evolif.scenarios.games.cells import game_of
from evolif.scenarios.games.figures import proposals_in
from evolif.scenarios.games.sessions import GameColumn
from evolif.scenarios.games.stored import Played
from evolif.scenarios.games.talk import talk_of

DENSITY_FIGURE, PROPOSALS_FIGURE = "density-by-turns", "proposals-by-turns"
INTERACTIVITY = "turns of a dialogue (level of interactivity)"
"""The label of the axis of all figures over turns."""
_Parts = tuple[float, float]
"""What a dialogue adds to the numerator and to the denominator of a figure."""


def density_chart(columns: Sequence[GameColumn]) -> LineChart | None:
    """Lexical density against turns, without dialogues of two; None where there are no others, or of one length only.

    Args:
        columns: Of one game, without references.
    """
    caption = (
        "Lexical density by the printed formula, a mean over dialogues with its 95 % interval; dialogues of two turns "
        "are left out. Values of the paper’s plots are about half of what its formula gives."
    )
    return _chart(columns, DENSITY_FIGURE, "Lexical density against turns", caption, "lexical density", _density, 3)


def proposals_chart(columns: Sequence[GameColumn]) -> LineChart | None:
    """In chess, how often answers are proposed, against turns; None in other games, or for one number of turns.

    Args:
        columns: Of one game, without references.
    """
    chess = [one for one in columns if game_of(one) == "chess"]
    caption = (
        "Turns that propose an answer, of those before the last that do not answer, in %, with 95 % intervals over "
        "dialogues. What becomes of proposals is in the table."
    )
    return _chart(chess, PROPOSALS_FIGURE, "Proposals against turns", caption, "turns that propose (%)", _proposed, 1)


def _density(one: Played) -> _Parts:
    return talk_of(one, coherent=False).density / 100, 1


def _proposed(one: Played) -> _Parts:
    made, turns = proposals_in(one)
    return made, turns


def _chart(
    columns: Sequence[GameColumn],
    name: str,
    title: str,
    caption: str,
    label: str,
    parts: Callable[[Played], _Parts],
    fewest: int,
) -> LineChart | None:
    budgets = sorted({turns for one in columns for turns in one.budgets if turns >= fewest})
    if len(budgets) < 2:
        return None
    lines = tuple(
        PlotLine(one.name, tuple(_point([parts(own) for own in one.budgets.get(turns, ())]) for turns in budgets))
        for one in columns
    )
    return LineChart(name, title, caption, INTERACTIVITY, label, tuple(map(float, budgets)), lines)


def _point(parts: Sequence[_Parts]) -> LinePoint:
    tops, bottoms = [top for top, _ in parts], [bottom for _, bottom in parts]
    if not sum(bottoms):
        return LinePoint()
    low, high = ratio_interval(tops, bottoms, rate=True) or (None, None)
    return LinePoint(sum(tops) / sum(bottoms), low, high, len(parts))
