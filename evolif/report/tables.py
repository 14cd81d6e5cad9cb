"""The tables of a report as data; terminal, LaTeX and the page draw them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from evolif.errors import UsageError
from evolif.metrics import Interval, Satisfaction, Survival
from evolif.report.analysis import KINDS, ModelSummary
from evolif.report.comparable import FEWEST_MODELS, ComparableRuns
from evolif.report.wording import Published

LABELS: Mapping[str, str] = {
    "edr_len": "EDR len", "edr_acc": "EDR acc", "edr_succ": "EDR succ", "edr_lss": "EDR lss",
    "rec": "REC %", "rob": "ROB %", "csr": "CSR %", "isr": "ISR %",
}  # fmt: skip
"""The eight metrics as tables name them: turns for EDR, per cent for the others."""

TableColumn = TypeVar("TableColumn")
RowKey = TypeVar("RowKey")


@dataclass(frozen=True, slots=True)
class TableCell:
    """A figure, and a qualification in small print. Plain text, not made safe."""

    value: str = "-"
    aside: str = ""

    def __len__(self) -> int:
        return len(self.value) + bool(self.aside) + len(self.aside)


TableRow = tuple[str, tuple[TableCell, ...]]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table.

    Attributes:
        name: One word, for labels.
        title: What it shows; empty for none.
        first: Head of the column of row names.
        heads: Heads of the other columns.
        rows: Name and cells, one per head.
        note: A remark for the reader; empty for none.
    """

    name: str
    title: str
    first: str
    heads: tuple[str, ...]
    rows: tuple[TableRow, ...]
    note: str = ""

    def part(self, start: int, end: int) -> Grid:
        """The table with some of its columns."""
        rows = tuple((name, cells[start:end]) for name, cells in self.rows)
        return Grid(self.name, self.title, self.first, self.heads[start:end], rows, self.note)


def short_label(metric: str) -> str:
    """The metric's name without its unit."""
    return LABELS[metric].removesuffix(" %")


def metric_text(metric: str, value: float) -> str:
    """A metric's value as tables print it."""
    return f"{value:.1f}" if metric.startswith("edr") else f"{100 * value:.0f}"


def metric_cell(metric: str, value: float | None, interval: Interval | None) -> TableCell:
    """A metric with its interval."""
    if value is None:
        return TableCell()
    return TableCell(metric_text(metric, value), _between(interval, lambda end: metric_text(metric, end)))


def share_cell(value: float | None, interval: Interval | None, of: int | None = None) -> TableCell:
    """A share in per cent with its interval and the number of observations."""
    if value is None:
        return TableCell()
    aside = _between(interval, lambda end: f"{100 * end:.0f}")
    base = "" if of is None else f"of {of}"
    return TableCell(f"{100 * value:.0f}", f"{aside} {base}".strip())


def _between(interval: Interval | None, show: Callable[[float], str]) -> str:
    return "" if interval is None else f"[{show(interval[0])}–{show(interval[1])}]"


_BREAKDOWNS: Mapping[str, tuple[str, str]] = {
    "mode": ("mode", "Satisfied % per group and mode, of those judged"),
    "depth": ("depth", "CSR % per depth (turns on the topic so far), of the given number of turns"),
    "load": ("load", "CSR % per number of active constraints, of the given number of turns"),
    "move": ("move", "CSR % per move, of the given number of turns"),
    "operation": ("operation", "CSR % per operation of the turn, of the given number of turns"),
    "synthesizer": ("worded by", "CSR % per synthesizer, of the given number of turns"),
    "register": ("register", "CSR % per register of the persona, of the given number of turns"),
    "formality": ("query", "CSR % of formal and informal queries, of the given number of turns"),
}
_MILESTONES = (1, 2, 3, 4, 5, 10, 15, 20, 30, 40, 50)
"""Turns at which the survival table reads the curve."""

_SWEPT = ("edr_len", "edr_acc", "rob")


def headline(heads: Sequence[str], summaries: Sequence[ModelSummary], cap: int) -> Grid:
    """The eight metrics; the label of a length that the cap may have cut names the cap."""
    labels = dict(LABELS)
    if any(s.counts.censored for s in summaries):
        labels["edr_len"] += f" ≤{cap}"
    rows: list[TableRow] = [("sessions", tuple(TableCell(str(s.metrics.dialogues)) for s in summaries))]
    for name, label in labels.items():
        cells = (metric_cell(name, s.metrics.value(name), s.intervals[name]) for s in summaries)
        rows.append((label, tuple(cells)))
    return Grid("headline", "", "metric", tuple(heads), tuple(rows))


def groups(heads: Sequence[str], summaries: Sequence[ModelSummary]) -> Grid:
    """Satisfaction per group, without intervals: all that the summaries alone can show."""
    title = "Satisfied per constraint group, of those judged"
    return _satisfaction("groups", title, heads, [s.groups for s in summaries])


def heuristic(heads: Sequence[str], summaries: Sequence[ModelSummary]) -> Grid:
    """The verdicts of word lists on the subjective groups."""
    title = "Subjective groups by the heuristic “lexical” (word lists; not in the metrics above)"
    return _satisfaction("heuristic", title, heads, [s.heuristic for s in summaries])


def groups_with_intervals(runs: ComparableRuns) -> Grid:
    """Satisfaction per group with intervals."""
    return _breakdown(runs, "group", "group", "Satisfied % per constraint group, of those judged")


def breakdowns(runs: ComparableRuns) -> Iterator[Grid]:
    """One table per breakdown except that by group; a breakdown with a single key is left out."""
    for by, (first, title) in _BREAKDOWNS.items():
        grid = _breakdown(runs, by, first, title)
        if len(grid.rows) > 1:
            yield grid


def hazard(runs: ComparableRuns) -> Grid:
    """Per turn the share of the sessions still running that end there."""
    columns = [{one.turn: one for one in model.hazard} for model in runs.models]
    rows = _rows(columns, lambda one: share_cell(one.hazard, one.interval, one.at_risk))
    title = "Hazard %: of the sessions still running, the share whose patience is exhausted at the turn"
    return Grid("hazard", title, "turn", runs.heads, rows)


def survival(runs: ComparableRuns) -> Grid:
    """Median, restricted mean, and the share of sessions that last longer than some turns (Kaplan-Meier)."""
    title = "Survival (Kaplan-Meier; cut sessions count as censored)"
    try:
        curves = [model.survival for model in runs.models]
    except UsageError as fault:
        return Grid("survival", title, "turn", (), (), str(fault))
    cap = max((curve.cap for curve in curves), default=0)
    rows: list[TableRow] = [
        ("median", tuple(_median(curve) for curve in curves)),
        (f"mean ≤{cap}", tuple(metric_cell("edr", c.restricted_mean, c.restricted_mean_interval) for c in curves)),
    ]
    for turn in (turn for turn in _MILESTONES if turn <= cap):
        rows.append((f"% after {turn}", tuple(_alive(curve, turn) for curve in curves)))
    return Grid("survival", title, "turns", runs.heads, tuple(rows))


def sweep(runs: ComparableRuns) -> Grid:
    """The figures at smaller patience, by replay."""
    columns = [
        {
            (number, point.patience): metric_cell(name, point.metrics.value(name), point.intervals.get(name))
            for point in model.patience_sweep
            for number, name in enumerate(_SWEPT)
        }
        for model in runs.models
    ]
    rows = _rows(columns, lambda cell: cell, lambda key: f"{LABELS[_SWEPT[key[0]]]}, P {key[1]}")
    return Grid("patience", "Patience sweep: the same sessions at smaller patience P", "metric", runs.heads, rows)


def rank_stability(runs: ComparableRuns) -> Grid:
    """How a ranking by ROB over fewer dialogues agrees with that over all; no rows below three models."""
    rows = tuple(
        (
            str(found.size),
            (_correlation(found.pearson, found.pearson_sd), _correlation(found.spearman, found.spearman_sd)),
        )
        for found in runs.rank_stability
    )
    title = "Rank stability: ROB on random subsamples of dialogues and on all, mean ± sd over draws"
    return Grid("stability", title, "dialogues", ("Pearson", "Spearman"), rows)


def rank_agreement(runs: ComparableRuns) -> Iterator[Grid]:
    """How the models' ROB per kind of dialogue agrees with that on all; a kind with a single value is left out."""
    for analysis in runs.analyses:
        if len(analysis.models) < FEWEST_MODELS:
            continue
        for kind in KINDS:
            found = analysis.rank_agreement(kind)
            if len(found) > 1:
                title = f"Rank agreement: models' ROB on dialogues of one {kind} and on all"
                rows = tuple(
                    (name, (TableCell(str(one.dialogues)), _correlation(one.pearson), _correlation(one.spearman)))
                    for name, one in found.items()
                )
                yield Grid(f"by-{kind}", title, kind, ("dialogues", "Pearson", "Spearman"), rows)


def full_sections(runs: ComparableRuns) -> Iterator[Grid]:
    """Everything beyond the headline, in the order of reading."""
    yield groups_with_intervals(runs)
    yield from breakdowns(runs)
    yield survival(runs)
    yield hazard(runs)
    yield sweep(runs)
    yield rank_stability(runs)
    yield from rank_agreement(runs)


def published_grid(published: Published) -> Grid:
    """The published figures as printed, models as rows; show them only under their warning."""
    metrics = list(next(iter(published.models.values())))
    rows = tuple(
        (name, tuple(TableCell(f"{v if m.startswith('edr') else 100 * v:.2f}") for m, v in figures.items()))
        for name, figures in published.models.items()
    )
    title = f"As published: {published.source}"
    return Grid("published", title, "model", tuple(LABELS[metric] for metric in metrics), rows)


def _rows(
    columns: Sequence[Mapping[RowKey, TableColumn]],
    cell: Callable[[TableColumn], TableCell],
    name: Callable[[RowKey], str] = str,
) -> tuple[TableRow, ...]:
    """A row per key that any column has, numbers before words; columns without the key have an empty cell."""
    keys = sorted({key for column in columns for key in column}, key=lambda key: (isinstance(key, str), key))
    return tuple(
        (name(key), tuple(cell(column[key]) if key in column else TableCell() for column in columns)) for key in keys
    )


def _breakdown(runs: ComparableRuns, by: str, first: str, title: str) -> Grid:
    columns = [{key: one for key, one in model.by(by).items() if one.turns} for model in runs.models]
    rows = _rows(columns, lambda one: share_cell(one.csr, one.csr_interval, one.turns))
    return Grid(by, title, first, runs.heads, rows)


def _satisfaction(name: str, title: str, heads: Sequence[str], models: Sequence[Mapping[str, Satisfaction]]) -> Grid:
    columns = [{group: one for group, one in model.items() if one.judged} for model in models]
    rows = _rows(columns, lambda one: TableCell(f"{100 * one.satisfied / one.judged:.0f} % of {one.judged}"))
    return Grid(name, title, "group", tuple(heads), rows)


def _median(curve: Survival) -> TableCell:
    if curve.median is None:
        return TableCell(f">{curve.points[-1].turn}" if curve.sessions and curve.points else "-")
    ends = curve.median_interval or (None, None)
    low, high = ("?" if turn is None else str(turn) for turn in ends)
    return TableCell(str(curve.median), "" if ends == (None, None) else f"[{low}–{high}]")


def _alive(curve: Survival, turn: int) -> TableCell:
    if turn >= len(curve.points):
        return TableCell()
    return share_cell(curve.points[turn].probability, curve.points[turn].interval)


def _correlation(value: float | None, spread: float | None = None) -> TableCell:
    if value is None:
        return TableCell()
    return TableCell(f"{value:.3f}", "" if spread is None else f"± {spread:.3f}")
