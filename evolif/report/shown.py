"""Figures of models in notebooks: on one line, and as small tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from evolif.metrics import Figures, Interval, MetricTable, described
from evolif.metrics.shown import figure_text
from evolif.scenario import Grid
from evolif.text import plural
from evolif.text.notebook import html_table

MOST_COMPUTED = 300
"""The most sessions of a model whose figures are computed only to be shown; more may take longer than a second."""
_FIRST = 3
"""Metrics on one line."""


class _Summary(Protocol):
    """The figures of a model (`ModelSummary`)."""

    @property
    def model(self) -> str: ...

    @property
    def tables(self) -> tuple[MetricTable, ...]: ...

    @property
    def metrics(self) -> Figures: ...

    @property
    def intervals(self) -> Mapping[str, Interval | None]: ...


def summary_line(summary: _Summary) -> str:
    """The model, its sessions and its first figures."""
    figures = _figures(summary)
    told = [plural(summary.metrics.dialogues, "session", spec=",")]
    told += [f"{head} {text}" for head, text in list(figures.items())[:_FIRST]]
    more = f", and {len(figures) - _FIRST} more" if len(figures) > _FIRST else ""
    return f"ModelSummary {summary.model}: {', '.join(told)}{more}"


def summary_table(summary: _Summary) -> str:
    """A row per metric."""
    note = f"{plural(summary.metrics.dialogues, 'session', spec=',')}; in brackets 95 % intervals."
    return html_table(summary.model, ("metric", "value"), _figures(summary).items(), [note])


def figures_table(summaries: Sequence[_Summary]) -> str:
    """A row per metric and a column per model; empty without a model."""
    if not summaries:
        return ""
    columns = [_figures(summary) for summary in summaries]
    heads = dict.fromkeys(head for column in columns for head in column)
    rows = [[head, *(column.get(head, "–") for column in columns)] for head in heads]
    return html_table("Figures", ("metric", *(summary.model for summary in summaries)), rows)


def grid_table(grid: Grid) -> str:
    """A table of a report."""
    rows = [[name, *(f"{cell.value} {cell.aside}".strip() for cell in cells)] for name, cells in grid.rows]
    return html_table(grid.title, (grid.first, *grid.heads), rows, [grid.note])


def _figures(summary: _Summary) -> dict[str, str]:
    """Heads of metrics, and their values with intervals."""
    return {
        metric.head: figure_text(metric, summary.metrics, summary.intervals)
        for metric in described(summary.tables).values()
    }
