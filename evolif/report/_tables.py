"""The report on a terminal: figures with intervals, satisfaction per group, what is not in the figures and why."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evolif.protocol import Run
from evolif.report._escape import plain
from evolif.report._summary import ModelSummary

_COLUMNS = ("edr_len", "edr_acc", "edr_succ", "edr_lss", "rec", "rob", "csr", "isr")
_LABELS = ("len", "acc", "succ", "lss", "REC %", "ROB %", "CSR %", "ISR %")

NOT_COMPARABLE = (
    "An independent implementation: the figures are not comparable with the leaderboard of the EvolIF paper "
    "(arXiv 2511.03508)."
)


def print_report(run: Run, summaries: Sequence[ModelSummary], console: Console) -> None:
    """Print everything the report has to say of a run."""
    console.print(_headline(run, summaries))
    for line in _remarks(run, summaries):
        console.print(line, markup=False, highlight=False)
    console.print()
    console.print(_groups(summaries))
    if any(s.heuristic for s in summaries):
        console.print()
        console.print(_heuristic(summaries))
    console.print()
    console.print(NOT_COMPARABLE, style="dim", markup=False, highlight=False)


def _headline(run: Run, summaries: Sequence[ModelSummary]) -> Table:
    settings = run.settings
    title = (
        f"{settings.profile} profile · patience {settings.patience} · cap {settings.max_turns} turns · 95 % intervals"
    )
    table = Table(title=plain(title), title_justify="left", title_style="bold")
    table.add_column("model", no_wrap=True)
    table.add_column("sessions", justify="right")
    for label in _LABELS:
        table.add_column(f"EDR {label}" if label in _LABELS[:4] else label, justify="right")
    for summary in summaries:
        cells = [_figure(summary, name) for name in _COLUMNS]
        table.add_row(Text(plain(summary.model)), str(summary.metrics.dialogues), *cells)
    return table


def _figure(summary: ModelSummary, name: str) -> Text:
    value = summary.metrics.by_name()[name]
    if value is None:
        return Text("-")
    text = Text(_number(name, value), style="bold")
    interval = summary.intervals[name]
    if interval is not None:
        text.append(f"\n{_number(name, interval[0])}–{_number(name, interval[1])}", style="not bold dim")
    return text


def _number(name: str, value: float) -> str:
    return f"{value:.1f}" if name.startswith("edr") else f"{100 * value:.0f}"


def _remarks(run: Run, summaries: Sequence[ModelSummary]) -> list[str]:
    """What a reader must know to read the table right."""
    lines = []
    for summary in summaries:
        counts, name = summary.counts, plain(summary.model)
        if counts.censored:
            lines.append(
                f"{name}: {counts.censored} sessions were cut (cap or context), so their lengths are lower bounds."
            )
        left_out = counts.suspended + counts.withheld + counts.running
        if left_out:
            lines.append(
                f"{name}: {left_out} sessions are not in the table ({counts.suspended + counts.running} suspended, "
                f"{counts.withheld} withheld){_bounds(summary)}"
            )
        if counts.not_judged_constraints:
            lines.append(
                f"{name}: {counts.not_judged_constraints} constraints were not judged (judge: {run.settings.judge})."
            )
        if summary.metrics.rec_left_out:
            lines.append(
                f"{name}: {summary.metrics.rec_left_out} sessions left out of REC (no failed turn to recover from)."
            )
    return lines


def _bounds(summary: ModelSummary) -> str:
    if summary.bounds is None:
        return "; the same command resumes them."
    low, high = summary.bounds.failed.edr_len, summary.bounds.succeeded.edr_len
    return (
        f"; with them EDR len would lie between {low:.1f} and {high:.1f}."
        if low is not None and high is not None
        else "."
    )


def _groups(summaries: Sequence[ModelSummary]) -> Table:
    table = Table(title="Satisfied, per constraint group (% of judged)", title_justify="left", title_style="bold")
    table.add_column("group", no_wrap=True)
    for summary in summaries:
        table.add_column(Text(plain(summary.model)), justify="right")
    for group in sorted({g for s in summaries for g in s.groups}):
        cells = [s.groups.get(group) for s in summaries]
        if any(cell is not None and cell.judged for cell in cells):
            table.add_row(
                plain(group),
                *(
                    f"{100 * c.satisfied / c.judged:.0f} of {c.judged}" if c is not None and c.judged else "-"
                    for c in cells
                ),
            )
    return table


def _heuristic(summaries: Sequence[ModelSummary]) -> Table:
    title = "Subjective groups by the heuristic “lexical” (word lists; not in any figure above)"
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("group", no_wrap=True)
    for summary in summaries:
        table.add_column(Text(plain(summary.model)), justify="right")
    for group in sorted({g for s in summaries for g in s.heuristic}):
        cells = [s.heuristic.get(group) for s in summaries]
        table.add_row(plain(group), *(f"{100 * c.satisfied / c.judged:.0f} of {c.judged}" if c else "-" for c in cells))
    return table
