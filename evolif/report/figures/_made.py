"""What a maker of figures returns, and the clauses that captions share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from evolif.report._board import Board
from evolif.report.figures import _gather as gather
from evolif.report.figures._curves import MOST_BANDS
from evolif.report.figures._inputs import Curve
from evolif.report.figures._names import label
from evolif.report.figures._style import FEW

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Made:
    """A figure and what stands below it."""

    figure: Figure
    caption: str


Outcome: TypeAlias = "Made | str"
"""What a maker returns: the figure, or the sentence that says why there is none."""

NO_TURN = "No session with a judged turn has ended yet."
INTERVALS = "95 % bootstrap intervals over dialogues"
HOLLOW = f"Hollow points stand on fewer than {FEW} turns; below {gather.FEWEST} none is drawn."


def bands(curves: Sequence[Curve]) -> str:
    """That a plot has bands, where it has."""
    return f", with {INTERVALS}" if len(curves) <= MOST_BANDS else ""


def anything(curves: Iterable[Curve]) -> bool:
    """Whether any point can be drawn."""
    return any(mark.value is not None for curve in curves for mark in curve.marks)


def sessions(board: Board) -> str:
    """How many counted sessions each model has."""
    counted = [model.summary.metrics.dialogues for model in board.models]
    if len(set(counted)) == 1:
        return (
            f"n = {counted[0]} session{'' if counted[0] == 1 else 's'}{' of each model' if len(counted) > 1 else ''}."
        )
    told = (f"{label(name)} {number}" for name, number in zip(board.heads, counted, strict=True))
    return f"n = sessions: {', '.join(told)}."
