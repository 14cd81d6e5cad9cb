"""Where the variance of a metric comes from: dialogues, epochs, or the rest; and what would narrow its interval.

Two-way analysis of variance without replication, by moments: dialogues times epochs, one session in each cell. What a
session contributes to a ratio of sums is its linearised value, as in `evolif.metrics.power`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from evolif.errors import UsageError
from evolif.metrics.power import contributions, fewest_dialogues
from evolif.metrics.sessions import counted_sessions, of_one_model
from evolif.metrics.table import MetricTable
from evolif.types import Session

MORE_DIALOGUES = 1 - math.sqrt(0.5)
"""By how much twice the dialogues narrow any interval: 29 %."""

_NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """Variances of what one session contributes to a metric, each at least 0, in the metric's unit squared.

    Attributes:
        dialogues: Those with a counted session in every epoch, on which this is based.
        epochs: Epochs.
        between_dialogues: Some dialogues are harder than others.
        between_epochs: All dialogues went better in some epochs than in others, as when a provider changed the model.
            No interval over dialogues contains it.
        rest: What the same dialogue gives when it is played again.
    """

    dialogues: int
    epochs: int
    between_dialogues: float
    between_epochs: float
    rest: float

    @property
    def shares(self) -> tuple[float, float, float] | None:
        """Of dialogues, epochs and the rest in their sum; None if nothing varies."""
        parts = self.between_dialogues, self.between_epochs, self.rest
        total = sum(parts)
        return None if total < _NOTHING else (parts[0] / total, parts[1] / total, parts[2] / total)

    @property
    def more_epochs(self) -> float | None:
        """By how much twice the epochs narrow an interval over dialogues, from 0 to 0.29; None if it has no width."""
        now = self.between_dialogues + self.rest / self.epochs
        return None if now < _NOTHING else 1 - math.sqrt((now - self.rest / self.epochs / 2) / now)


def variance_components(table: MetricTable, sessions: Sequence[Session], metric: str) -> VarianceComponents:
    """Where the variance of a metric comes from.

    A component that would be negative is 0, and its mean square is pooled with the rest.

    Args:
        table: Of the run.
        sessions: Of one model; finished and censored ones count, and only dialogues that have one in every epoch.
        metric: One of the table's.

    Raises:
        UsageError: fewer than two epochs, or than six dialogues with all of them; an undefined or unknown metric.
    """
    cells = {(session.dialogue, session.epoch): session for session in counted_sessions(of_one_model(sessions))}
    epochs = sorted({epoch for _, epoch in cells})
    if len(epochs) < 2:
        raise UsageError(
            "this needs at least two epochs (--epochs 2): with one, dialogues and chance cannot be told apart"
        )
    dialogues = sorted({d for d, _ in cells if all((d, epoch) in cells for epoch in epochs)})
    if len(dialogues) < fewest_dialogues():
        raise UsageError(f"this needs at least {fewest_dialogues()} dialogues with all epochs, not {len(dialogues)}")
    rows = [table.row(cells[dialogue, epoch]) for dialogue in dialogues for epoch in epochs]
    found = contributions(table, rows, metric)
    if found is None:
        raise UsageError(f"{table.metric(metric).label} is undefined")
    width = len(epochs)
    return _by_moments([found[1][start : start + width] for start in range(0, len(rows), width)])


def _by_moments(values: Sequence[Sequence[float]]) -> VarianceComponents:
    """Dialogues as rows, epochs as columns."""
    height, width = len(values), len(values[0])
    mean = fmean(value for row in values for value in row)
    by_row = [fmean(row) - mean for row in values]
    by_column = [fmean(column) - mean for column in zip(*values, strict=True)]
    squares = math.fsum(
        (value - mean - one - other) ** 2
        for row, one in zip(values, by_row, strict=True)
        for value, other in zip(row, by_column, strict=True)
    )
    freedom = (height - 1) * (width - 1)
    of_dialogues, of_epochs = width * math.fsum(x * x for x in by_row), height * math.fsum(x * x for x in by_column)
    rest = squares / freedom
    if (between_epochs := (of_epochs / (width - 1) - rest) / height) < 0:
        between_epochs = 0.0
        squares, freedom = squares + of_epochs, freedom + width - 1
        rest = squares / freedom
    if (between_dialogues := (of_dialogues / (height - 1) - rest) / width) < 0:
        between_dialogues = 0.0
        rest = (squares + of_dialogues) / (freedom + height - 1)
    return VarianceComponents(height, width, between_dialogues, between_epochs, rest)
