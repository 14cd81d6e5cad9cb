"""A run as data frames of pandas: its turns, its sessions, and the figures of its report.

`evolif.turns_frame`, `evolif.sessions_frame` and `evolif.metrics_frame`. Nothing is computed twice: sessions and
metrics are those of `evolif.report`, turns the rows of an export. Turns go from the store's rows into columns of Arrow,
a batch at a time; no object is made for each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import nan
from typing import TYPE_CHECKING, Any

from evolif.errors import UsageError
from evolif.exchange.turn_frame import turn_frame
from evolif.metrics import Figures, MetricTable, Row, counted_sessions
from evolif.report import ModelAnalysis, RunAnalysis
from evolif.runner import Run
from evolif.types import DEFAULT_RESAMPLES, Session

if TYPE_CHECKING:
    from pandas import DataFrame

Key = tuple[int, int]
"""Dialogue and epoch of a session."""
_SESSION = (
    "model", "dialogue", "epoch", "ending", "cause", "reason", "patience", "counted", "turns", "judged_turns",
    "ok_turns",
)  # fmt: skip
_METRIC = ("model", "metric", "label", "unit", "value", "low", "high", "sessions")
_TYPES = {
    "dialogue": "int64", "epoch": "int64", "patience": "Int64", "turn": "int64", "turns": "int64",
    "judged": "int64", "satisfied": "int64", "judged_turns": "int64", "ok_turns": "int64", "sessions": "int64",
    "ok": "boolean", "counted": "bool", "value": "float64", "low": "float64", "high": "float64",
}  # fmt: skip
"""Column to its type, the same for all runs; the others have what pandas makes of their values."""


def turns_frame(run: Run) -> DataFrame:
    """The answered turns, by model and session: the columns of an exported run, and `counted`.

    Answers are complete, even those that are answer keys; the keys themselves are not there. Texts that repeat, such as
    `model` and the labels of prompts, are categories. `verdicts`, `scores` and `judge_scores` are lists of structs in
    Arrow, each value of which is a list of dictionaries; other nested columns hold lists and dictionaries, which the
    turns of a prompt share.

    Args:
        run: The run.

    Returns:
        One row per answered turn. `counted` is whether it enters the figures: turns after exhausted patience and those
        of suspended sessions do not.

    Raises:
        UsageError: pandas or pyarrow is not installed, or the scenario is not.
    """
    frame = turn_frame(run)
    return frame.astype(_types(frame.columns))


def sessions_frame(run: Run, *, terms: bool = False) -> DataFrame:
    """The sessions that began, by model, with what each adds to the figures.

    Args:
        run: The run.
        terms: Add `NAME_sum` and `NAME_of` for each metric: its figure in the report is the sum of the one over the
            sum of the other, over the sessions that count.

    Returns:
        One row per session. `counted` is whether it enters the figures; `turns` are those of the model under test that
        do, or would. A metric has a column with the session's own value, missing where it is undefined; one whose name
        is taken is named after the scenario.

    Raises:
        UsageError: pandas is not installed, or the scenario is not.
    """
    analysis = RunAnalysis(run)
    rows = []
    for model in analysis.models:
        counted = {_key(session): session for session in model.counted}
        sums = [(table, dict(zip(counted, table.rows(model.counted), strict=True))) for table in analysis.tables]
        for session in run.sessions(model.name):
            key = _key(session)
            own = [(table, of.get(key)) for table, of in sums]
            rows.append(_session_row(analysis, session, counted.get(key), own, terms))
    return _frame(rows, _SESSION)


def metrics_frame(run: Run, *, seed: int = 0, resamples: int = DEFAULT_RESAMPLES) -> DataFrame:
    """The figures of the run's report.

    Args:
        run: The run.
        seed: Of the draws behind intervals that need some, as in `evolif report --seed`.
        resamples: How many draws.

    Returns:
        One row per model and metric: its value and 95 % interval, as a fraction if `unit` is `rate`, missing where
        undefined, and the number of sessions that it is made of.

    Raises:
        UsageError: pandas is not installed, or the scenario is not.
    """
    rows = [row for model in RunAnalysis(run, seed, resamples).models for row in _metric_rows(model)]
    return _frame(rows, _METRIC)


def _metric_rows(model: ModelAnalysis) -> Iterable[dict[str, Any]]:
    summary = model.summary
    for table in summary.tables:
        for name in table.ratios:
            metric = table.metric(name)
            low, high = summary.intervals.get(name) or (None, None)
            figures = (summary.metrics.value(name), low, high, _sessions(summary.metrics, name))
            yield dict(zip(_METRIC, (model.name, name, metric.label, metric.unit, *figures), strict=True))


def _sessions(metrics: Figures, name: str) -> int:
    return metrics.dialogues - metrics.left_out.get(name, 0)


def _session_row(
    analysis: RunAnalysis,
    session: Session,
    counted: Session | None,
    sums: Iterable[tuple[MetricTable, Row | None]],
    terms: bool,
) -> dict[str, Any]:
    shown = counted or next(iter(counted_sessions([session])), session)
    targets = [turn for turn in shown.turns if turn.seat == "target"]
    judged = [turn.judged for turn in targets if turn.judged]
    row: dict[str, Any] = {
        **{name: getattr(session, name) for name in _SESSION[:7]},
        "counted": counted is not None,
        "turns": len(targets),
        "judged_turns": len(judged),
        "ok_turns": sum(map(all, judged)),
    }
    for table, own in sums:
        for name, figures in _own_figures(table, own, terms).items():
            row[f"{analysis.scenario.name}_{name}" if name in _SESSION else name] = figures
    return row


def _own_figures(table: MetricTable, sums: Row | None, terms: bool) -> dict[str, float]:
    """What a session adds to each metric of a table; NaN where that is undefined, or the session does not count."""
    found = {}
    for name in table.ratios:
        value = None if sums is None else table.value(sums, name)
        found[name] = nan if value is None else value
        if terms:
            top, bottom = table.places(name)
            found[f"{name}_sum"], found[f"{name}_of"] = (nan, nan) if sums is None else (sums[top], sums[bottom])
    return found


def _key(session: Session) -> Key:
    return session.dialogue, session.epoch


def _frame(rows: list[dict[str, Any]], columns: Sequence[str]) -> DataFrame:
    """A frame of the rows, which has these columns even without any.

    Raises:
        UsageError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise UsageError("data frames need pandas; install evolif[frames]") from None
    frame = pandas.DataFrame(rows, columns=None if rows else list(columns))
    return frame.astype(_types(frame.columns))


def _types(columns: Iterable[str]) -> dict[str, str]:
    return {name: _TYPES[name] for name in columns if name in _TYPES}
