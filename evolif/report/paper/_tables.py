"""Tables 2, 3, 4, 6 and 8 of the paper, of one run."""

from __future__ import annotations

from collections.abc import Mapping

from evolif.metrics import Interval, Metrics
from evolif.report._analysis import ModelAnalysis, RunAnalysis
from evolif.report._board import Board
from evolif.report.figures._gather import group_matrix
from evolif.report.figures._names import label
from evolif.report.paper._table import PaperTable, Subject, Value, analysis_of, percent, percent_interval

HEADS: Mapping[str, str] = {
    "edr_len": "EDR_len", "edr_acc": "EDR_acc", "edr_succ": "EDR_succ", "edr_lss": "EDR_lss",
    "csr": "CSR", "isr": "ISR", "rec": "REC", "rob": "ROB",
}  # fmt: skip
"""The metrics in the paper's order."""


def table_2(run: Subject) -> PaperTable:
    """The eight metrics of each model, with intervals (§5.1)."""
    analysis = analysis_of(run)
    return PaperTable(
        2,
        "Headline metrics (EDR in turns, rates in %)",
        ("model", "sessions", *HEADS.values()),
        tuple((model.name, *_row(model)) for model in analysis.models),
        tuple((None, None, *metric_intervals(model.summary.intervals)) for model in analysis.models),
        f"Patience {analysis.settings.patience}, cap {analysis.settings.max_turns} turns, judge "
        f"{analysis.settings.judge}; in brackets 95 % bootstrap intervals over dialogues. Sessions cut by the cap "
        f"count with the turns they have.{_left_out(analysis)}",
    )


def _left_out(analysis: RunAnalysis) -> str:
    told = [
        f"{label(model.name)} {number}" for model in analysis.models if (number := model.summary.metrics.rec_left_out)
    ]
    return f" Sessions without a failed turn to recover from, left out of REC: {', '.join(told)}." if told else ""


def _row(model: ModelAnalysis) -> tuple[Value, ...]:
    return (model.summary.metrics.dialogues, *metric_values(model.summary.metrics))


def metric_values(metrics: Metrics) -> tuple[float | None, ...]:
    """The eight in the paper's order and units."""
    return tuple(in_units(name, metrics.value(name)) for name in HEADS)


def metric_intervals(intervals: Mapping[str, Interval | None]) -> tuple[Interval | None, ...]:
    """Their intervals, likewise."""
    return tuple(
        intervals.get(name) if name.startswith("edr") else percent_interval(intervals.get(name)) for name in HEADS
    )


def in_units(metric: str, value: float | None) -> float | None:
    """Turns for EDR, per cent for the rates."""
    return value if metric.startswith("edr") else percent(value)


def table_3(run: Subject) -> PaperTable:
    """The metrics at every patience from 1 to the run's own, by replay (§5.4)."""
    analysis = analysis_of(run)
    points = [(model.name, point) for model in analysis.models for point in model.patience_sweep]
    return PaperTable(
        3,
        "Metrics by patience (EDR in turns, rates in %)",
        ("model", "patience", "sessions", *HEADS.values()),
        tuple((name, p.patience, p.metrics.dialogues, *metric_values(p.metrics)) for name, p in points),
        tuple((None, None, None, *metric_intervals(p.intervals)) for _, p in points),
        "The same answers, each session cut at its first streak of so many failed turns: exact, and no call was made.",
    )


def table_4(run: Subject) -> PaperTable:
    """How stable the ranking by ROB is over subsample sizes (§5.5); no row with fewer than three models."""
    analysis = analysis_of(run)
    points = analysis.rank_stability("rob")
    return PaperTable(
        4,
        "Correlation of ROB on random subsamples of dialogues with ROB on all",
        ("dialogues", "subsamples", "Pearson", "Pearson sd", "Spearman", "Spearman sd"),
        tuple((p.size, p.draws, p.pearson, p.pearson_sd, p.spearman, p.spearman_sd) for p in points),
        note=f"Correlations are over the run's {len(analysis.models)} models; of fewer than three there is none.",
    )


def table_6(run: Subject) -> PaperTable:
    """Constraints satisfied per group (§5.3, App. D)."""
    board = Board((analysis_of(run),))
    matrix = group_matrix(board)
    cells = [[matrix.cell(name, group) for group in matrix.columns] for name in board.heads]
    return PaperTable(
        6,
        "Constraints satisfied per group (% of those judged)",
        ("model", *matrix.columns),
        tuple((name, *(percent(cell.value) for cell in row)) for name, row in zip(board.heads, cells, strict=True)),
        tuple(
            (None, *(None if c.low is None or c.high is None else (100 * c.low, 100 * c.high) for c in row))
            for row in cells
        ),
        "Groups that were never judged are left out.",
    )


def table_8(run: Subject) -> PaperTable:
    """ROB by synthesizer, and how each subset ranks the models beside the whole (App. F)."""
    analysis = analysis_of(run)
    found = analysis.rank_agreement("synthesizer", "rob")
    names = [model.name for model in analysis.models]
    rows: list[tuple[Value, ...]] = [
        (kind, one.dialogues, *(percent(one.values.get(name)) for name in names), one.pearson, one.spearman)
        for kind, one in found.items()
    ]
    ends: list[tuple[Interval | None, ...]] = [
        (None, None, *(_kind_interval(model, kind) for model in analysis.models), None, None) for kind in found
    ]
    if rows:
        dialogues = len({session.dialogue for model in analysis.models for session in model.sessions})
        summaries = [model.summary for model in analysis.models]
        rows.append(("all", dialogues, *(percent(one.metrics.rob) for one in summaries), None, None))
        ends.append((None, None, *(percent_interval(one.intervals["rob"]) for one in summaries), None, None))
    return PaperTable(
        8,
        "ROB (%) by synthesizer, and its correlation with the whole",
        ("synthesizer", "dialogues", *names, "Pearson", "Spearman"),
        tuple(rows),
        tuple(ends),
        "A dialogue counts for the synthesizer of most of its turns; correlations are over models, of fewer than three "
        "there is none.",
    )


def _kind_interval(model: ModelAnalysis, kind: str) -> Interval | None:
    figures = model.figures_by("synthesizer").get(kind)
    return None if figures is None else percent_interval(figures.intervals["rob"])
