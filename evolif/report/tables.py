"""A table before it is drawn: terminal and LaTeX both draw this."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evolif.errors import UsageError
from evolif.metrics import Interval, Key, RankAgreement, Satisfaction, Slice, Survival
from evolif.report.analysis import KINDS, ModelSummary
from evolif.report.comparable import ComparableRuns

LABELS: Mapping[str, str] = {
    "edr_len": "EDR len", "edr_acc": "EDR acc", "edr_succ": "EDR succ", "edr_lss": "EDR lss",
    "rec": "REC %", "rob": "ROB %", "csr": "CSR %", "isr": "ISR %",
}  # fmt: skip
"""The eight metrics as tables name them: turns for EDR, per cent for the others."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """A figure, and in small what qualifies it. Plain text, not made safe."""

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
        note: What a reader must know; empty for nothing.
    """

    name: str
    title: str
    first: str
    heads: tuple[str, ...]
    rows: tuple[TableRow, ...]
    note: str = ""

    def part(self, start: int, end: int) -> Grid:
        """The same with some of the columns."""
        rows = tuple((name, cells[start:end]) for name, cells in self.rows)
        return Grid(self.name, self.title, self.first, self.heads[start:end], rows, self.note)


def number(metric: str, value: float) -> str:
    """A metric's figure as tables print it."""
    return f"{value:.1f}" if metric.startswith("edr") else f"{100 * value:.0f}"


def figure(metric: str, value: float | None, interval: Interval | None) -> TableCell:
    """A metric with its interval."""
    if value is None:
        return TableCell()
    return TableCell(number(metric, value), _between(interval, lambda end: number(metric, end)))


def rate(value: float | None, interval: Interval | None, of: int | None = None) -> TableCell:
    """A share in per cent with its interval and what it is of."""
    if value is None:
        return TableCell()
    aside = _between(interval, lambda end: f"{100 * end:.0f}")
    base = "" if of is None else f"of {of}"
    return TableCell(f"{100 * value:.0f}", f"{aside} {base}".strip())


def _between(interval: Interval | None, show: Callable[[float], str]) -> str:
    return "" if interval is None else f"[{show(interval[0])}–{show(interval[1])}]"


# The tables of a report, out of a board's analyses; drawn elsewhere.

_BREAKDOWNS: Mapping[str, tuple[str, str]] = {
    "mode": ("mode", "Satisfied % per group and mode, of those judged"),
    "depth": ("depth", "CSR % per depth (turns that the topic has had), of so many turns"),
    "load": ("load", "CSR % per number of active constraints, of so many turns"),
    "move": ("move", "CSR % per move, of so many turns"),
    "operation": ("operation", "CSR % per operation of the turn, of so many turns"),
    "synthesizer": ("worded by", "CSR % per synthesizer, of so many turns"),
    "register": ("register", "CSR % per register of the persona, of so many turns"),
    "formality": ("query", "CSR % of formal and informal queries, of so many turns"),
}
_MILESTONES = (1, 2, 3, 4, 5, 10, 15, 20, 30, 40, 50)
"""Turns at which the survival table reads the curve."""

_SWEPT = ("edr_len", "edr_acc", "rob")


def headline(heads: Sequence[str], summaries: Sequence[ModelSummary], cap: int) -> Grid:
    """The eight metrics; a length that the cap may have cut is labelled with it."""
    labels = dict(LABELS)
    if any(s.counts.censored for s in summaries):
        labels["edr_len"] += f" ≤{cap}"
    rows: list[TableRow] = [("sessions", tuple(TableCell(str(s.metrics.dialogues)) for s in summaries))]
    for name, label in labels.items():
        cells = (figure(name, s.metrics.by_name()[name], s.intervals[name]) for s in summaries)
        rows.append((label, tuple(cells)))
    return Grid("headline", "", "metric", tuple(heads), tuple(rows))


def groups(heads: Sequence[str], summaries: Sequence[ModelSummary]) -> Grid:
    """Satisfaction per group, without intervals: what can be told without the sessions."""
    title = "Satisfied per constraint group, of those judged"
    return _pooled("groups", title, heads, [s.groups for s in summaries])


def heuristic(heads: Sequence[str], summaries: Sequence[ModelSummary]) -> Grid:
    """What word lists say of the subjective groups."""
    title = "Subjective groups by the heuristic “lexical” (word lists; in no figure above)"
    return _pooled("heuristic", title, heads, [s.heuristic for s in summaries])


def groups_with_intervals(board: ComparableRuns) -> Grid:
    """Satisfaction per group with intervals."""
    return _broken_down(board, "group", "group", "Satisfied % per constraint group, of those judged")


def breakdowns(board: ComparableRuns) -> Iterator[Grid]:
    """One table per breakdown but that by group; a breakdown that has one key everywhere is left out."""
    for by, (first, title) in _BREAKDOWNS.items():
        grid = _broken_down(board, by, first, title)
        if len(grid.rows) > 1:
            yield grid


def hazard(board: ComparableRuns) -> Grid:
    """Per turn the share of the sessions still running that ends there."""
    columns = [{h.turn: h for h in model.hazard} for model in board.models]
    rows = tuple(
        (
            str(turn),
            tuple(
                rate(found.hazard, found.interval, found.at_risk) if (found := column.get(turn)) else TableCell()
                for column in columns
            ),
        )
        for turn in sorted({turn for column in columns for turn in column})
    )
    title = "Hazard %: of the sessions still running, those whose patience is exhausted at the turn"
    return Grid("hazard", title, "turn", board.heads, rows)


def survival(board: ComparableRuns) -> Grid:
    """Median, restricted mean, and the share of sessions that last longer than some turns (Kaplan-Meier)."""
    title = "Survival (Kaplan-Meier; cut sessions count as censored)"
    try:
        curves = [model.survival for model in board.models]
    except UsageError as fault:
        return Grid("survival", title, "turn", (), (), str(fault))
    cap = max((curve.cap for curve in curves), default=0)
    rows: list[TableRow] = [
        ("median", tuple(_median(curve) for curve in curves)),
        (f"mean ≤{cap}", tuple(figure("edr", c.restricted_mean, c.restricted_mean_interval) for c in curves)),
    ]
    for turn in (turn for turn in _MILESTONES if turn <= cap):
        rows.append((f"% after {turn}", tuple(_alive(curve, turn) for curve in curves)))
    return Grid("survival", title, "turns", board.heads, tuple(rows))


def sweep(board: ComparableRuns) -> Grid:
    """What less patience would have given, by replay."""
    rows: list[TableRow] = []
    sweeps = [{point.patience: point for point in model.patience_sweep} for model in board.models]
    for name in _SWEPT:
        for patience in sorted({p for points in sweeps for p in points}):
            cells = tuple(
                figure(name, point.metrics.value(name), point.intervals.get(name))
                if (point := points.get(patience))
                else TableCell()
                for points in sweeps
            )
            rows.append((f"{LABELS[name]}, P {patience}", cells))
    return Grid(
        "patience", "Patience sweep: the same sessions at smaller patience P", "metric", board.heads, tuple(rows)
    )


def rank_stability(board: ComparableRuns) -> Grid:
    """How a ranking by ROB over fewer dialogues goes with that over all; without rows below three models."""
    rows = tuple(
        (
            str(found.size),
            (_correlation(found.pearson, found.pearson_sd), _correlation(found.spearman, found.spearman_sd)),
        )
        for found in board.rank_stability
    )
    title = "Rank stability: ROB on random subsamples of dialogues beside ROB on all, mean ± sd over draws"
    return Grid("stability", title, "dialogues", ("Pearson", "Spearman"), rows)


def rank_agreement(board: ComparableRuns) -> Iterator[Grid]:
    """How the models' ROB per kind of dialogue goes with that on all; kinds of one sort only are left out."""
    for run in board.runs:
        if len(run.models) < 3:
            continue
        for kind in KINDS:
            found = run.rank_agreement(kind)
            if len(found) > 1:
                title = f"Rank agreement: models' ROB on dialogues of one {kind} beside ROB on all"
                rows = tuple(_agreement_row(name, one) for name, one in found.items())
                yield Grid(f"by-{kind}", title, kind, ("dialogues", "Pearson", "Spearman"), rows)


def full_sections(board: ComparableRuns) -> Iterator[Grid]:
    """Everything beyond the headline, in the order of reading."""
    yield groups_with_intervals(board)
    yield from breakdowns(board)
    yield survival(board)
    yield hazard(board)
    yield sweep(board)
    yield rank_stability(board)
    yield from rank_agreement(board)


def _broken_down(board: ComparableRuns, by: str, first: str, title: str) -> Grid:
    columns = [model.by(by) for model in board.models]
    rows = tuple(
        (str(key), tuple(_slice(column.get(key)) for column in columns))
        for key in _ordered(columns)
        if any(column[key].turns for column in columns if key in column)
    )
    return Grid(by, title, first, board.heads, rows)


def _ordered(columns: Sequence[Mapping[Key, Slice]]) -> list[Key]:
    keys = {key for column in columns for key in column}
    return sorted(keys, key=lambda key: (isinstance(key, str), key if isinstance(key, int) else 0, str(key)))


def _slice(found: Slice | None) -> TableCell:
    return TableCell() if found is None else rate(found.csr, found.csr_interval, found.turns)


def _pooled(name: str, title: str, heads: Sequence[str], columns: Sequence[Mapping[str, Satisfaction]]) -> Grid:
    keys = sorted({key for column in columns for key, seen in column.items() if seen.judged})
    rows = tuple((key, tuple(_share(column.get(key)) for column in columns)) for key in keys)
    return Grid(name, title, "group", tuple(heads), rows)


def _share(seen: Satisfaction | None) -> TableCell:
    if seen is None or not seen.judged:
        return TableCell()
    return TableCell(f"{100 * seen.satisfied / seen.judged:.0f} % of {seen.judged}")


def _median(curve: Survival) -> TableCell:
    if curve.median is None:
        return TableCell(f">{curve.points[-1].turn}" if curve.sessions and curve.points else "-")
    low, high = curve.median_interval or (None, None)
    aside = "" if low is None and high is None else f"[{_end(low)}–{_end(high)}]"
    return TableCell(str(curve.median), aside)


def _end(turn: int | None) -> str:
    return "?" if turn is None else str(turn)


def _alive(curve: Survival, turn: int) -> TableCell:
    if turn >= len(curve.points):
        return TableCell()
    point = curve.points[turn]
    both = None if point.low is None or point.high is None else (point.low, point.high)
    return rate(point.probability, both)


def _correlation(value: float | None, spread: float | None) -> TableCell:
    if value is None:
        return TableCell()
    return TableCell(f"{value:.3f}", "" if spread is None else f"± {spread:.3f}")


def _agreement_row(name: str, found: RankAgreement) -> TableRow:
    return name, (
        TableCell(str(found.dialogues)),
        _correlation(found.pearson, None),
        _correlation(found.spearman, None),
    )
