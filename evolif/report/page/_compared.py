"""Two models side by side, as a table and in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from evolif._errors import UsageError
from evolif.metrics import Difference
from evolif.report._board import Board
from evolif.report._comparison import Comparison, compare_models
from evolif.report._grid import LABELS, Cell, Grid, figure

MOST_PAIRS = 6
"""Of so many pairs of models at most each is compared; of more, the best with every other."""


def default_comparisons(board: Board) -> list[Comparison]:
    """What a page compares unasked: each pair of a few models, else the one of the highest ROB with every other."""
    models = board.models
    pairs = list(combinations(models, 2))
    if len(pairs) > MOST_PAIRS:
        rates = [model.summary.metrics.rob for model in models]
        best = max(range(len(models)), key=lambda i: -1.0 if (rate := rates[i]) is None else rate)
        pairs = [(models[best], other) for i, other in enumerate(models) if i != best]
    try:
        return compare_models(pairs)
    except UsageError:
        return []  # the board's runs differ in the prompt alone, say: the tables stand, and nothing is compared


def comparison_grid(pair: Comparison) -> Grid:
    """Per metric both figures, the difference with its interval, p, effect size and dialogues needed."""
    first, second = pair.labels
    rows = tuple((LABELS[name], tuple(_cells(name, found))) for name, found in pair.paired.differences.items())
    heads = (first, second, "difference", "p", "effect d", "dialogues needed")
    title = f"{first} minus {second}, over {pair.paired.dialogues} dialogues"
    return Grid("comparison", title, "metric", heads, rows)


def _cells(name: str, found: Difference) -> Iterator[Cell]:
    yield figure(name, found.a, None)
    yield figure(name, found.b, None)
    yield figure(name, found.value, found.interval)
    yield Cell("-" if found.p_holm is None else "<0.001" if found.p_holm < 0.001 else f"{found.p_holm:.3f}")
    yield Cell("-" if found.effect is None else f"{found.effect:.2f}")
    yield Cell("-" if found.dialogues_needed is None else f"{found.dialogues_needed:,}")


def comparison_sentences(pair: Comparison) -> Iterator[str]:
    """The log-rank test, what was left out, and what differs beside the models."""
    first, second = pair.labels
    name = f"{first} and {second}"
    found = pair.log_rank
    if found.p is not None:
        told = "p < 0.001" if found.p < 0.001 else f"p = {found.p:.3f}"
        yield f"{name}: survival curves, log-rank test {told}."
    left_out = ", ".join(f"{number} {reason}" for reason, number in pair.paired.left_out.items())
    if left_out:
        yield f"{name}: dialogues left out of the comparison: {left_out}."
    for clause in pair.also:
        yield f"{name}: {clause}."


def of_board(board: Board, comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons asked for whose first model stands on the board; where none was asked for at all, the usual."""
    if comparisons:
        return [pair for pair in comparisons if pair.a.of in board.runs]
    return default_comparisons(board)
