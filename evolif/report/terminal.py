"""The report on a terminal: figures with intervals, satisfaction per group, what is not in the figures and why.

Metrics are rows and models are columns, a few to a table, so that every figure with its interval fits 80 characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

import evolif.report.comparison as words
import evolif.report.tables as sections
from evolif.budget import ModelStatus, PriceTable, RunStatus
from evolif.errors import UsageError
from evolif.metrics import Difference
from evolif.report.analysis import ModelAnalysis, ModelSummary, RunAnalysis
from evolif.report.comparable import ComparableRuns
from evolif.report.comparison import ModelComparison
from evolif.report.json import agreement_object, finite, interval
from evolif.report.tables import LABELS, Grid, TableCell, figure
from evolif.report.wording import (
    NOT_COMPARABLE,
    Published,
    audit_lines,
    ceiling_line,
    dollars,
    early_line,
    remarks,
    settings_line,
    spent_lines,
    unfinished_line,
)
from evolif.runner import Run, TurnRecord
from evolif.text import clip, plain
from evolif.types import Session

# Grids on a terminal: every figure with its interval fits, whatever the width and the number of columns.

_PADDING = 3
"""Characters around each figure: a space on both sides, and a border."""

_NARROW = 10
"""A head is folded to its column's width, and is not folded to less than this."""


def draw_grids(grids: Sequence[Grid], console: Console) -> None:
    """Print grids, an empty line before each but the first; those without rows only with their note."""
    for place, grid in enumerate(grids):
        if place:
            console.print()
        draw_grid(grid, console)


def draw_grid(grid: Grid, console: Console) -> None:
    """Print a grid, a few columns to a table."""
    if grid.title and (grid.rows or grid.note):
        console.print(Text(plain(grid.title), style="bold"))
    if grid.rows:
        for start, end in _parts(grid, console.width):
            console.print(_table(grid.part(start, end), most=console.width // 2))
    if grid.note:
        say(grid.note, console)


def say(sentence: str, console: Console, style: str = "") -> None:
    """Print a sentence that may hold foreign text."""
    console.print(Text(plain(sentence), style=style))


def _parts(grid: Grid, width: int) -> Iterator[tuple[int, int]]:
    """As many columns to a table as fit beside the names of the rows, at least one."""
    names = max(len(plain(name)) for name in (grid.first, *(name for name, _ in grid.rows)))
    room = width - 1 - min(names + _PADDING, width // 2)
    start, taken = 0, 0
    for place, head in enumerate(grid.heads):
        widest = max(len(cells[place]) for _, cells in grid.rows)
        wanted = max(widest, min(len(plain(head)), _NARROW)) + _PADDING
        if taken and taken + wanted > room:
            yield start, place
            start, taken = place, 0
        taken += wanted
    yield start, len(grid.heads)


def _table(grid: Grid, most: int) -> Table:
    table = Table()
    table.add_column(Text(plain(grid.first)), overflow="fold", max_width=most)
    for head in grid.heads:
        table.add_column(_head(head), justify="right", overflow="fold")
    for name, cells in grid.rows:
        table.add_row(Text(plain(name)), *map(_figure, cells))
    return table


def _head(name: str) -> Text:
    provider, slash, rest = plain(name).partition("/")
    return Text(f"{provider}{slash}\n{rest}" if slash else provider)


def _figure(cell: TableCell) -> Text:
    if not cell.aside:
        return Text(cell.value)
    text = Text(cell.value, style="bold")
    text.append(f" {cell.aside}", style="not bold dim")
    return text


_MORE = "More: --full for every breakdown, survival, hazard, patience sweep and rank stability; --html FILE for a page."


def print_report(
    run: Run, summaries: Sequence[ModelSummary], console: Console, prices: PriceTable | None = None
) -> None:
    """Print the short report of one run; what it cost by the packaged prices where None are given."""
    heads = [summary.model for summary in summaries]
    _beginning(run, console)
    _figures([run], heads, summaries, console)
    _ending([RunAnalysis(run)], console, prices)
    console.print()
    draw_grid(sections.groups(heads, summaries), console)
    _heuristic(heads, summaries, console)
    console.print()
    say(NOT_COMPARABLE, console, "dim")


def print_board(
    board: ComparableRuns, console: Console, prices: PriceTable | None = None, *, full: bool = False
) -> None:
    """Print the report of runs that stand side by side: the short one, or with every section."""
    runs, summaries = [analysis.run for analysis in board.runs], [model.summary for model in board.models]
    if board.why_alone:
        say(f"The runs stand in tables of their own: {board.why_alone}.", console)
    for analysis in board.runs:
        if len(runs) > 1:
            say(f"Run {analysis.name}", console, "bold")
        _beginning(analysis.run, console)
    _figures(runs, board.heads, summaries, console)
    _ending(board.runs, console, prices)
    console.print()
    if full:
        draw_grids([grid for grid in sections.full_sections(board) if grid.rows or grid.note], console)
    else:
        draw_grid(sections.groups_with_intervals(board), console)
    _heuristic(board.heads, summaries, console)
    console.print()
    if full:
        print_commands(board.runs, console)
    else:
        say(_MORE, console, "dim")
    say(NOT_COMPARABLE, console, "dim")


def print_commands(runs: Sequence[RunAnalysis], console: Console) -> None:
    """Print what makes the runs again."""
    say("To make this again:", console, "bold")
    for step in (step for analysis in runs for step in analysis.commands):
        # Not folded: a line break in the middle of a command would be pasted along.
        console.print(Text(f"  {plain(step.command)}"), soft_wrap=True)
        if step.note:
            say(f"  # {step.note}", console, "dim")


def print_published(published: Published, console: Console) -> None:
    """Print the published figures, under their warning and in a table of their own."""
    console.print()
    say(published.warning, console, "bold")
    draw_grid(published_grid(published), console)


def published_grid(published: Published) -> Grid:
    """The published figures as they were printed; whoever shows them says their warning first.

    Models are rows, for they are no columns of ours.
    """
    columns = list(next(iter(published.models.values())))
    rows = tuple(
        (
            name,
            tuple(
                TableCell(f"{value if metric.startswith('edr') else 100 * value:.2f}") for metric, value in own.items()
            ),
        )
        for name, own in published.models.items()
    )
    heads = tuple(LABELS[metric] for metric in columns)
    return Grid("published", f"As published: {published.source}", "model", heads, rows)


def _beginning(run: Run, console: Console) -> None:
    for line in (settings_line(run), early_line(run), unfinished_line(run)):
        if line:
            say(line, console)


def _figures(runs: Sequence[Run], heads: Sequence[str], summaries: Sequence[ModelSummary], console: Console) -> None:
    draw_grid(sections.headline(heads, summaries, max(run.settings.max_turns for run in runs)), console)
    start = 0
    for run in runs:
        end = start + len(run.models)
        for line in remarks(run, summaries[start:end], heads[start:end]):
            say(line, console)
        start = end


def _ending(runs: Sequence[RunAnalysis], console: Console, prices: PriceTable | None) -> None:
    for analysis in runs:
        try:
            say(ceiling_line(analysis.ceiling), console)
        except UsageError as fault:
            say(f"A perfect responder's ceiling could not be replayed: {fault}", console)
        for line in (*audit_lines(analysis), *spent_lines(analysis.run, prices)):
            say(line, console)


def _heuristic(heads: Sequence[str], summaries: Sequence[ModelSummary], console: Console) -> None:
    if any(s.heuristic for s in summaries):
        console.print()
        draw_grid(sections.heuristic(heads, summaries), console)


# The terminal as every report writes to it.


class Terminal(Console):
    """A console on standard output; a reader that leaves a pipe early is no finding, so it ends with exit code 0."""

    def on_broken_pipe(self) -> None:
        """Leave quietly."""
        try:
            super().on_broken_pipe()
        except SystemExit:
            raise SystemExit(0) from None


# One failed answer with its reason, for a reader who wants to see what the figures stand on.


def first_failure(run: Run, model: str) -> tuple[Session, TurnRecord] | None:
    """The first answer of a model that missed a constraint."""
    for session, records in run.transcripts(model):
        for record in records:
            if any(v.satisfied is False for v in record.verdicts):
                return session, record
    return None


def print_failure(session: Session, record: TurnRecord, console: Console) -> None:
    """Show query, answer and verdicts of a turn."""
    text = Text()
    text.append("user\n", style="bold")
    text.append(f"{clip(record.query, 700)}\n\n")
    text.append("answer (cut at the token limit)\n" if record.truncated else "answer\n", style="bold")
    text.append(f"{clip(record.answer, 700) or '(empty)'}\n")
    for verdict in record.verdicts:
        mark, style = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "dim")}[verdict.satisfied]
        text.append(f"\n{mark} {verdict.group}: ", style=style)
        text.append(f"expected {plain(verdict.expected)}; found {plain(verdict.found)}")
    title = f"A failed answer: {session.model}, dialogue {session.dialogue}, turn {record.turn}"
    console.print(Panel(text, title=Text(plain(title)), title_align="left"))


# A running evaluation on a terminal or in plain lines.


def status_table(status: RunStatus, rate: float | None = None) -> Table:
    """A row per model, and what is so of all below."""
    table = Table(caption=Text(status_sentence(status, rate)), caption_justify="left")
    for head in ("model", "ended", "alive at turn", "ROB %", "turns", "tokens", "money", "faults"):
        table.add_column(head, justify="left" if head in ("model", "alive at turn") else "right", overflow="fold")
    for one in status.models:
        table.add_row(Text(plain(one.model)), *(Text(cell) for cell in _cells(one)))
    return table


def status_lines(status: RunStatus, rate: float | None = None) -> Iterator[str]:
    """The same in lines."""
    for one in status.models:
        ended, alive, rob, turns, tokens, money, faults = _cells(one)
        yield (
            f"{plain(one.model)}: {ended} sessions ended; alive at turn {alive or '-'}; ROB so far {rob}; "
            f"{turns} turns, {tokens} tokens, {money}; {faults} faults"
        )
    yield status_sentence(status, rate)


def status_sentence(status: RunStatus, rate: float | None) -> str:
    """Sums, rate and time left; `rate` in turns a second, None where it is not known."""
    unpriced = "" if status.priced else " and what has no known price"
    told = f"{status.turns:,} turns, {status.tokens:,} tokens, {dollars(status.usd)}{unpriced}"
    if status.early_end is not None:
        first = len(status.early_end.dialogues)
        told += f"; ended early by the rule {plain(status.early_end.rule)}, ROB is of the first {first} dialogues"
    if rate is None:
        return told
    if not rate:
        return f"{told}; no turn came in while we looked"
    return f"{told}; {rate:.1f} turns/s, about {_time(status.turns_left / rate)} left"


def _cells(one: ModelStatus) -> tuple[str, ...]:
    suspended = f" ({one.suspended} suspended)" if one.suspended else ""
    rob = "-" if one.rob is None else f"{100 * one.rob:.0f}"
    if one.interval is not None:
        rob += f" [{100 * one.interval[0]:.0f}–{100 * one.interval[1]:.0f}]"
    return (
        f"{one.ended} of {one.sessions}{suspended}",
        " ".join(f"{turn}:{number}" for turn, number in one.survivors),
        rob,
        f"{one.turns:,}",
        f"{one.tokens:,}",
        dollars(one.usd),
        str(one.faults),
    )


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


# A comparison on a terminal and for machines.


def comparison_grid(comparison: ModelComparison) -> Grid:
    """The eight metrics of both, and what is between them."""
    rows = tuple(
        (label, _comparison_cells(name, comparison.paired.differences[name])) for name, label in LABELS.items()
    )
    first, second = comparison.labels
    note = (
        "A − B in turns and in points of per cent, with 95 % intervals; p of a paired permutation test, in brackets "
        "after Holm's correction over the metrics; d: the mean difference in standard deviations (d_z); needed: paired "
        "dialogues that would tell a difference like this (80 % power)."
    )
    return Grid(
        "comparison", f"A: {first} · B: {second}", "metric", ("A", "B", "A − B", "p (Holm)", "d", "needed"), rows, note
    )


def print_comparisons(comparisons: Sequence[ModelComparison], console: Console) -> None:
    """Print comparisons with all that a reader must know of them."""
    for place, one in enumerate(comparisons):
        if place:
            console.print()
        _print(one, console)
    if len(comparisons) > 1:
        console.print()
        say(
            f"{len(comparisons)} comparisons: Holm's correction is over the metrics of each, and not over all of them.",
            console,
        )
    say(NOT_COMPARABLE, console, "dim")


def comparisons_object(comparisons: Sequence[ModelComparison]) -> dict[str, Any]:
    """One object for all comparisons; rates are fractions, absent figures are null."""
    return {
        "comparisons": [_object(one) for one in comparisons],
        "seed": comparisons[0].a.of.seed if comparisons else None,
        "resamples": comparisons[0].a.of.resamples if comparisons else None,
        "note": NOT_COMPARABLE,
    }


def _print(one: ModelComparison, console: Console) -> None:
    paired = one.paired
    say(settings_line(one.a.of.run), console)
    also = f"The two differ besides: {'; '.join(one.also)}." if one.also else ""
    for line in (words.kind_line(one), also, *dict.fromkeys(map(unfinished_line, (one.a.of.run, one.b.of.run)))):
        if line:
            say(line, console)
    draw_grid(comparison_grid(one), console)
    how = f"all {paired.permutations}" if paired.exact else f"{paired.permutations} seeded"
    say(f"Paired over {paired.dialogues} dialogues; {how} swaps.", console)
    lines = (
        words.left_out_line(one),
        words.few_dialogues_line(one),
        words.log_rank_line(one),
        *words.judges_lines(one),
    )
    for line in lines:
        if line:
            say(line, console)
    say(words.conclusion(one), console, "bold")


def _comparison_cells(name: str, one: Difference) -> tuple[TableCell, ...]:
    between = TableCell()
    if one.value is not None:
        ends = one.interval and f"[{', '.join(words.amount(name, end, signed=False) for end in one.interval)}]"
        between = TableCell(words.amount(name, one.value), ends or "")
    return (
        figure(name, one.a, None),
        figure(name, one.b, None),
        between,
        TableCell(words.p_value(one.p), "" if one.p_holm is None else f"({words.p_value(one.p_holm)})"),
        TableCell("-" if one.effect is None else f"{one.effect:+.2f}"),
        TableCell("-" if one.dialogues_needed is None else str(one.dialogues_needed)),
    )


def _object(one: ModelComparison) -> dict[str, Any]:
    paired, sensitivity = one.paired, one.sensitivity
    return {
        "kind": one.kind,
        "a": _side(one.a, one.labels[0]),
        "b": _side(one.b, one.labels[1]),
        "also_differ": list(one.also),
        "dialogues": paired.dialogues,
        "left_out": dict(paired.left_out),
        "exact": paired.exact,
        "permutations": paired.permutations,
        "metrics": {name: _difference(found) for name, found in paired.differences.items()},
        "log_rank": {"statistic": finite(one.log_rank.statistic), "p": finite(one.log_rank.p)},
        "told_apart": sorted(one.told_apart, key=list(LABELS).index),
        "judges": None
        if sensitivity is None
        else {
            "overall": agreement_object(sensitivity.overall),
            "groups": {group: agreement_object(found) for group, found in sensitivity.groups.items()},
            "one_sided": dict(sensitivity.one_sided),
            "same_answers": one.same_answers[0],
            "shared_turns": one.same_answers[1],
        },
        "conclusion": words.conclusion(one),
    }


def _side(model: ModelAnalysis, label: str) -> dict[str, Any]:
    run = model.of.run
    return {"label": label, "model": model.name, "run": str(run.path), "settings": run.settings.model_dump(mode="json")}


def _difference(found: Difference) -> dict[str, Any]:
    return {
        "a": finite(found.a),
        "b": finite(found.b),
        "difference": interval(found.value, found.interval),
        "p": finite(found.p),
        "p_holm": finite(found.p_holm),
        "effect": finite(found.effect),
        "dialogues_needed": found.dialogues_needed,
    }
