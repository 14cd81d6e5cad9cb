"""The tables and figures of the paper, made from any run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from textwrap import fill
from typing import TYPE_CHECKING, TypeAlias

from evolif.errors import UsageError
from evolif.metrics import Figures, Interval, Metrics
from evolif.report.analysis import ModelAnalysis, RunAnalysis
from evolif.report.comparable import ComparableRuns
from evolif.report.comparison import ModelComparison, compare_models
from evolif.report.conclusions import no_interval_line
from evolif.report.figures import draw
from evolif.report.figures.data import group_matrix
from evolif.report.figures.style import ONE_COLUMN, TEXT, blank, label, labels, markdown, style
from evolif.report.figures.svg import png_bytes, svg_text
from evolif.report.wording import few_line
from evolif.runner import Run
from evolif.scenario import DEFAULT_SCENARIO, get_scenario
from evolif.text import plural

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Value: TypeAlias = str | int | float | None
"""None if a value is undefined."""

RunSubject: TypeAlias = Run | RunAnalysis
"""Several tables of one run are cheaper from one `RunAnalysis`, which computes each part once."""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One table.

    Attributes:
        number: The number of the paper's table.
        title: What it shows.
        headers: Heads of the columns.
        rows: As many values each; lengths in turns, rates in per cent, correlations from -1 to 1; not rounded.
        intervals: The 95 % interval of each value, in the same unit, or None; empty without any intervals.
        note: A remark for the reader, in addition to the comparability warning.
    """

    number: int
    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    intervals: tuple[tuple[Interval | None, ...], ...] = ()
    note: str = ""

    def markdown(self) -> str:
        """The table in Markdown, figures with two digits, intervals in brackets; names escaped."""
        lines = [
            f"**{markdown(self.title)}** (like the paper's Table {self.number})",
            "",
            _line([markdown(head) for head in labels(self.headers)]),
            _line(["---" if number == 0 else "---:" for number in range(len(self.headers))]),
        ]
        for number, row in enumerate(self.rows):
            ends = self.intervals[number] if self.intervals else (None,) * len(row)
            lines.append(_line([_shown(value, end) for value, end in zip(row, ends, strict=True)]))
        if not self.rows:
            lines.append(_line(["no results yet", *[""] * (len(self.headers) - 1)]))
        note = [markdown(self.note), ""] if self.note else []
        return "\n".join([*lines, "", *note, get_scenario(DEFAULT_SCENARIO).presentation.notice, ""])

    def _repr_markdown_(self) -> str:
        """As a notebook shows it."""
        return self.markdown()


def _analysis(run: RunSubject) -> RunAnalysis:
    return run if isinstance(run, RunAnalysis) else RunAnalysis(run)


def _by_rob(run: RunSubject) -> RunAnalysis:
    """An analysis that ranks models as the paper does."""
    return replace(_analysis(run), ranked_by="rob")


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _percent_interval(interval: Interval | None) -> Interval | None:
    return None if interval is None else (100 * interval[0], 100 * interval[1])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _shown(value: Value, interval: Interval | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return markdown(value)
    text = str(value) if isinstance(value, int) else f"{value:.2f}"
    return text if interval is None else f"{text} [{interval[0]:.2f}, {interval[1]:.2f}]"


HEADS: Mapping[str, str] = {
    "edr_len": "EDR_len", "edr_acc": "EDR_acc", "edr_succ": "EDR_succ", "edr_lss": "EDR_lss",
    "csr": "CSR", "isr": "ISR", "rec": "REC", "rob": "ROB",
}  # fmt: skip
"""The metrics in the paper's order."""


def table_2(run: RunSubject) -> PaperTable:
    """The eight metrics of each model, with intervals (§5.1)."""
    analysis = _analysis(run)
    return PaperTable(
        2,
        "Headline metrics (EDR in turns, rates in %)",
        ("model", "sessions", *HEADS.values()),
        tuple((m.name, m.summary.metrics.dialogues, *_values(m.summary.metrics)) for m in analysis.models),
        tuple((None, None, *_intervals(model.summary.intervals)) for model in analysis.models),
        f"Patience {analysis.settings.patience}, cap {analysis.settings.cap}, judge "
        f"{analysis.settings.judge}; in brackets 95 % intervals over dialogues. Sessions cut by the cap "
        f"count with the turns they have.{_left_out(analysis)}{_few(analysis)}",
    )


def _few(analysis: RunAnalysis) -> str:
    line = few_line(model.summary for model in analysis.models)
    return f" {line}" if line else ""


def _left_out(analysis: RunAnalysis) -> str:
    listed = ", ".join(
        f"{label(model.name)} {number}"
        for model in analysis.models
        if (number := model.summary.metrics.left_out.get("rec"))
    )
    return f" Sessions without a failed turn to recover from, left out of REC: {listed}." if listed else ""


def _values(metrics: Figures | Metrics) -> tuple[float | None, ...]:
    """The eight metrics in the paper's order and units."""
    return tuple(_in_units(name, metrics.value(name)) for name in HEADS)


def _intervals(intervals: Mapping[str, Interval | None]) -> tuple[Interval | None, ...]:
    return tuple(
        intervals.get(name) if name.startswith("edr") else _percent_interval(intervals.get(name)) for name in HEADS
    )


def _in_units(metric: str, value: float | None) -> float | None:
    return value if metric.startswith("edr") else _percent(value)


def table_3(run: RunSubject) -> PaperTable:
    """The metrics at every patience from 1 to the run's own, by replay (§5.4)."""
    analysis = _analysis(run)
    points = [(model.name, point) for model in analysis.models for point in model.patience_sweep]
    return PaperTable(
        3,
        "Metrics by patience (EDR in turns, rates in %)",
        ("model", "patience", "sessions", *HEADS.values()),
        tuple((name, p.patience, p.metrics.dialogues, *_values(p.metrics)) for name, p in points),
        tuple((None, None, None, *_intervals(p.intervals)) for _, p in points),
        "The same answers, each session cut at its first streak of that many failed turns: exact, without model calls.",
    )


def table_4(run: RunSubject) -> PaperTable:
    """How stable the ranking by ROB is over subsample sizes (§5.5); no row with fewer than three models."""
    analysis = _by_rob(run)
    points = ComparableRuns((analysis,)).rank_stability
    return PaperTable(
        4,
        "Correlation of ROB on random subsamples of dialogues with ROB on all",
        ("dialogues", "subsamples", "Pearson", "Pearson sd", "Spearman", "Spearman sd"),
        tuple((p.size, p.draws, p.pearson, p.pearson_sd, p.spearman, p.spearman_sd) for p in points),
        note=f"Correlations are over the run's {plural(len(analysis.models), 'model')}; fewer than three have none.",
    )


def table_6(run: RunSubject) -> PaperTable:
    """Constraints satisfied per group (§5.3, App. D)."""
    runs = ComparableRuns((_analysis(run),))
    matrix = group_matrix(runs)
    cells = [[matrix.cell(name, group) for group in matrix.columns] for name in runs.heads]
    return PaperTable(
        6,
        "Constraints satisfied per group (% of those judged)",
        ("model", *matrix.columns),
        tuple((name, *(_percent(cell.value) for cell in row)) for name, row in zip(runs.heads, cells, strict=True)),
        tuple(
            (None, *(None if c.low is None or c.high is None else (100 * c.low, 100 * c.high) for c in row))
            for row in cells
        ),
        "Groups that were never judged are left out.",
    )


def table_8(run: RunSubject) -> PaperTable:
    """ROB by synthesizer, and how each subset ranks the models compared with the whole (App. F)."""
    analysis = _by_rob(run)
    found = analysis.rank_agreement("synthesizer")
    names = [model.name for model in analysis.models]
    rows: list[tuple[Value, ...]] = [
        (kind, one.dialogues, *(_percent(one.values.get(name)) for name in names), one.pearson, one.spearman)
        for kind, one in found.items()
    ]
    ends: list[tuple[Interval | None, ...]] = [
        (None, None, *(_kind_interval(model, kind) for model in analysis.models), None, None) for kind in found
    ]
    if rows:
        dialogues = len({session.dialogue for model in analysis.models for session in model.sessions})
        summaries = [model.summary for model in analysis.models]
        rows.append(("all", dialogues, *(_percent(one.metrics.value("rob")) for one in summaries), None, None))
        ends.append((None, None, *(_percent_interval(one.intervals.get("rob")) for one in summaries), None, None))
    return PaperTable(
        8,
        "ROB (%) by synthesizer, and its correlation with ROB on all dialogues",
        ("synthesizer", "dialogues", *names, "Pearson", "Spearman"),
        tuple(rows),
        tuple(ends),
        "A dialogue counts for the synthesizer of most of its turns; correlations are over models, and fewer "
        "than three have none.",
    )


def _kind_interval(model: ModelAnalysis, kind: str) -> Interval | None:
    figures = model.figures_by("synthesizer").get(kind)
    return None if figures is None else _percent_interval(figures.intervals.get("rob"))


def table_7(run: RunSubject, other: RunSubject) -> PaperTable:
    """The system-prompt ablation, per model that both runs have (App. E).

    Args:
        run: A run with the system prompt, or without.
        other: The same benchmark, patience, cap and judge, the other way round.

    Raises:
        UsageError: the runs differ in more than the system prompt, not in it, or have no model in common; NumPy (extra
            `report`) is not installed.
    """
    first, second = _analysis(run), _analysis(other)
    if second.settings.system_prompt:
        first, second = second, first
    shared = [model for model in first.models if model.name in second.run.models]
    if not shared:
        raise UsageError(
            "the two runs have no model in common; evaluate the same model with and without a system prompt"
        )
    pairs = compare_models([(second.model(model.name), model) for model in shared], ablation="system-prompt")
    rows = [row for pair in pairs for row in _ablation_rows(pair)]
    few = " ".join(("", *dict.fromkeys(filter(None, map(no_interval_line, pairs)))))
    return PaperTable(
        7,
        "System-prompt ablation (EDR in turns, rates in %)",
        ("model", "system prompt", "dialogues", *HEADS.values()),
        tuple(values for values, _ in rows),
        tuple(ends for _, ends in rows),
        "Over the dialogues that both runs have; the difference is “without” minus “with”, with its 95 % paired "
        f"interval in brackets.{few}",
    )


def _ablation_rows(pair: ModelComparison) -> list[tuple[tuple[Value, ...], tuple[Interval | None, ...]]]:
    """With, without, and the difference; `pair` is without minus with."""
    paired = pair.paired
    found = {name: paired.differences[name] for name in HEADS}
    none: tuple[Interval | None, ...] = (None,) * (3 + len(HEADS))
    count = paired.dialogues
    with_it = (pair.a.name, "with", count, *(_in_units(name, one.b) for name, one in found.items()))
    without = (pair.a.name, "without", count, *(_in_units(name, one.a) for name, one in found.items()))
    difference = (pair.a.name, "difference", count, *(_in_units(name, one.value) for name, one in found.items()))
    ends = _intervals({name: one.interval for name, one in found.items()})
    return [(with_it, none), (without, none), (difference, (None, None, None, *ends))]


def figure_3(run: RunSubject) -> Figure:
    """Survival curves of the sessions, with the sessions at risk (§5.2).

    Raises:
        UsageError: matplotlib (extra `report`) is not installed.
    """
    return _figure("survival", run)


def figure_4(run: RunSubject) -> Figure:
    """Satisfaction per constraint group as a radar (§5.3); raises as `figure_3`."""
    return _figure("radar", run)


def figure_6(run: RunSubject) -> Figure:
    """ROB by synthesizer (App. F); raises as `figure_3`."""
    return _figure("synthesizers", _by_rob(run))


def figure_7(run: RunSubject) -> Figure:
    """Satisfaction after formal and informal queries (App. G); raises as `figure_3`."""
    return _figure("formality", run)


def _figure(name: str, run: RunSubject) -> Figure:
    """The figure, or a small one that says why there is none."""
    picture = draw(name, _analysis(run))
    figure = picture.figure or _message(picture.caption)
    # matplotlib figures display in a notebook only with pyplot; these do not need it.
    setattr(figure, "_repr_svg_", lambda: svg_text(figure, name, inline=False))  # noqa: B010
    setattr(figure, "_repr_png_", lambda: png_bytes(figure))  # noqa: B010
    return figure


def _message(text: str) -> Figure:
    with style():
        figure = blank(ONE_COLUMN, 0.8)
        figure.text(0.5, 0.5, fill(text, 56), ha="center", va="center", fontsize=TEXT, wrap=False)
    return figure
