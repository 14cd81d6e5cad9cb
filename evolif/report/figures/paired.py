"""Dialogue by dialogue: by how much one of two models is ahead in each dialogue that both have played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evolif.metrics import MetricTable, counted_sessions
from evolif.metrics.table import cluster_rows, clustered
from evolif.report.comparison import ModelComparison
from evolif.report.figures.catalogue import Picture
from evolif.report.figures.style import blank, label, legend_above, look, style, two_columns
from evolif.text import plural
from evolif.types import Session

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "dialogues-paired"


def dialogue_differences(pair: ModelComparison) -> dict[int, float]:
    """Dialogue to A minus B in the main metric, where both have a value; per cent for a rate."""
    table = clustered(pair.tables[0], "")
    first, second = (_values(table, sessions) for sessions in pair.sessions)
    scale = 100 if pair.lead.unit == "rate" else 1
    return {one: scale * (first[one] - second[one]) for one in first if one in second}


def _values(table: MetricTable, sessions: Sequence[Session]) -> Mapping[int, float]:
    rows = cluster_rows(table, counted_sessions(sessions))
    values = {key: table.value(row, table.main) for key, row in rows.items()}
    return {key: value for key, value in values.items() if value is not None and isinstance(key, int)}


def paired_picture(pair: ModelComparison) -> Picture:
    """A bar for each dialogue, from the one in which A is most ahead to the one in which B is."""
    found = sorted(dialogue_differences(pair).values(), reverse=True)
    first, second = pair.labels
    title = "Dialogue by dialogue"
    if not found:
        return Picture(NAME, title, "No dialogue has a figure of both.", None)
    better, worse = sum(value > 0 for value in found), sum(value < 0 for value in found)
    caption = (
        f"{label(first)} minus {label(second)} in {pair.lead.title}, one bar for each dialogue, in order of size: the "
        f"first is above in {better} of {plural(len(found), 'dialogue')}, the second in {worse}, and they are alike in "
        f"{len(found) - better - worse}."
    )
    with style():
        return Picture(NAME, title, caption, _bars(found, (label(first), label(second)), pair.lead.unit == "rate"))


def _bars(values: Sequence[float], names: tuple[str, str], is_rate: bool) -> Figure:
    figure = blank(two_columns(), 2.3)
    axes = figure.subplots()
    handles = []
    for number, sign in enumerate((1, -1)):
        own = [(place, value) for place, value in enumerate(values, start=1) if value * sign > 0]
        colour = look(number).colour
        axes.bar([place for place, _ in own], [value for _, value in own], width=0.8, color=colour)
        handles += axes.plot([], [], "s", color=colour)
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set_xlim(0.3, len(values) + 0.7)
    axes.set_xlabel("dialogues, in order of the difference")
    axes.set_ylabel("points" if is_rate else "difference")
    legend_above(figure, handles, [f"{name} is above" for name in names])
    return figure
