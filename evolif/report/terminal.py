"""Reports on a terminal.

Metrics are rows and models are columns, a few to a table, so that every figure with its interval fits 80 characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

import evolif.report.conclusions as words
import evolif.report.tables as sections
from evolif.budget import PriceTable, RunStatus
from evolif.budget.status import ModelStatus
from evolif.errors import UsageError
from evolif.metrics import Metric
from evolif.report.analysis import ModelSummary, RunAnalysis
from evolif.report.answer import Answer, answer_of
from evolif.report.comparable import ComparableRuns
from evolif.report.comparison import ModelComparison, comparison_grid
from evolif.report.context_tables import context_grids
from evolif.report.contexts import shows_contexts
from evolif.report.coverage import extents_line, pair_line
from evolif.report.early import early_line
from evolif.report.floor import floor_grids, floor_line, with_corrected
from evolif.report.leaderboard import Leaderboard
from evolif.report.pairing import pairing_line
from evolif.report.seen import seen_grids
from evolif.report.tables import metric_cell, published_grid
from evolif.report.waits import duration, live_lines
from evolif.report.wording import (
    audit_lines,
    ceiling_line,
    context_line,
    dollars,
    integrity_lines,
    notice,
    remarks,
    settings_line,
    spent_lines,
    unfinished_line,
    untold_line,
)
from evolif.runner import Run, TurnRecord
from evolif.scenario import Grid, TableCell
from evolif.text import clip, plain, plural
from evolif.types import Session


class Terminal(Console):
    """A console on standard output that exits with code 0 when the reader of a pipe leaves early."""

    def on_broken_pipe(self) -> None:
        """Leave quietly."""
        try:
            super().on_broken_pipe()
        except SystemExit:
            raise SystemExit(0) from None


_PADDING = 3
"""Characters around each value: a space on both sides, and a border."""

_FOLDED = 19
"""The least width to which long names are folded, with their padding."""

_NARROW = 10
"""A head is folded to its column's width, but not to less than this."""


def draw_grids(grids: Sequence[Grid], console: Console) -> None:
    """Print grids, separated by empty lines; for those without rows only the note."""
    for index, grid in enumerate(grids):
        if index:
            console.print()
        draw_grid(grid, console)


def draw_grid(grid: Grid, console: Console) -> None:
    """Print a grid, a few columns to a table."""
    if grid.title and (grid.rows or grid.note):
        console.print(Text(plain(grid.title), style="bold"))
    if grid.rows:
        most = _room_for_names(grid, console.width)
        for start, end in _parts(grid, console.width, most):
            console.print(_table(grid.part(start, end), most))
    say(grid.note, console)


def say(sentence: str, console: Console, style: str = "") -> None:
    """Print a sentence that may hold foreign text; print nothing if it is empty."""
    if sentence:
        console.print(Text(plain(sentence), style=style))


def _room_for_names(grid: Grid, width: int) -> int:
    """The most that names may take: less than half of the width where more columns then stand in one table."""
    widths = range(min(_FOLDED, width // 2), width // 2 + 1)
    return min(widths, key=lambda most: (sum(1 for _ in _parts(grid, width, most)), -most))


def _parts(grid: Grid, width: int, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of columns that fit into one table beside the names of the rows, at least one column each."""
    names = max(len(plain(grid.said(name, short=True))) for name in (grid.first, *(name for name, _ in grid.rows)))
    room = width - 1 - min(names + _PADDING, most)
    start, used = 0, 0
    for column, head in enumerate(grid.heads):
        widest = max(len(cells[column]) for _, cells in grid.rows)
        needed = max(widest, _least(grid, head)) + _PADDING
        if used and used + needed > room:
            yield start, column
            start, used = column, 0
        used += needed
    yield start, len(grid.heads)


def _least(grid: Grid, head: str) -> int:
    """The fewest characters that the head of a column needs."""
    if head in grid.plain:
        return max(map(len, _two_lines(grid, head).splitlines()))
    return min(len(plain(head)), _NARROW)


def _table(grid: Grid, most: int) -> Table:
    table = Table()
    table.add_column(Text(plain(grid.first)), overflow="fold", max_width=most - _PADDING)
    for head in grid.heads:
        shown = Text(_two_lines(grid, head)) if head in grid.plain else _head(head)
        table.add_column(shown, justify="right", overflow="fold")
    for name, cells in grid.rows:
        table.add_row(_row_name(grid, name, most - _PADDING), *map(_figure, cells))
    return table


def _row_name(grid: Grid, name: str, most: int) -> Text:
    """A name; an abbreviation that does not fit behind its words stands below them, in one piece."""
    said = plain(grid.said(name, short=True))
    if name in grid.plain and len(said) > most:
        said = _two_lines(grid, name)
    return Text(said)


def _two_lines(grid: Grid, name: str) -> str:
    return f"{plain(grid.plain[name].short)}\n({plain(name)})"


def _head(name: str) -> Text:
    provider, slash, rest = plain(name).partition("/")
    return Text(f"{provider}{slash}\n{rest}" if slash else provider)


def _figure(cell: TableCell) -> Text:
    if not cell.aside:
        return Text(cell.value)
    text = Text(cell.value, style="bold")
    text.append(f" {cell.aside}", style="not bold dim")
    return text


_MORE = "More: --full for every breakdown{} and rank stability; --html FILE for a page."
_OF_PATIENCE = ", survival, hazard, patience sweep"


def print_report(
    run: Run, summaries: Sequence[ModelSummary], console: Console, prices: PriceTable | None = None
) -> None:
    """Print the short report of one run, with costs by the packaged prices where `prices` is None."""
    heads = [summary.model for summary in summaries]
    analysis = RunAnalysis(run)
    _say_all(_settings_lines(run), console)
    headline = sections.headline(heads, summaries, run.settings.max_turns)
    draw_grid(_with_legend(with_corrected(headline, list(map(analysis.corrected, summaries)))), console)
    say(extents_line(heads, summaries), console)
    _say_all(remarks(run, summaries, heads), console)
    _say_all(_closing_lines(analysis, prices), console)
    grid = sections.groups(heads, summaries, analysis.scenario.presentation.requirement)
    if grid.rows:
        console.print()
    draw_grid(grid, console)
    _draw_heuristic(heads, summaries, console)
    console.print()
    say(notice([run.settings]), console, "dim")


def print_runs(runs: ComparableRuns, console: Console, prices: PriceTable | None = None, *, full: bool = False) -> None:
    """Print the report of comparable runs: the short one, or with every section."""
    if runs.why_alone:
        say(f"The runs have separate tables: {runs.why_alone}.", console)
    answer = answer_of(runs)
    _say_answer(answer, console)
    for analysis in runs.analyses:
        if len(runs.analyses) > 1:
            say(f"Run {analysis.name}", console, "bold")
        _say_all(_settings_lines(analysis.run), console)
        _say_all(integrity_lines(analysis), console)
    whole, runs = runs, runs.contestants
    headline = sections.headline(runs.heads, runs.summaries, runs.cap)
    draw_grid(_with_legend(with_corrected(headline, [model.csr_corrected for model in runs.models])), console)
    if whole.references:
        console.print()
        draw_grid(_with_legend(answer.references), console)
        console.print()
    say(extents_line(whole.heads, whole.summaries), console)
    for analysis, heads, summaries in runs.by_run():
        _say_all(remarks(analysis.run, summaries, heads), console)
    for analysis in runs.analyses:
        _say_all(_closing_lines(analysis, prices), console)
    console.print()
    _draw_parts(runs, console, full=full)
    _draw_heuristic(runs.heads, runs.summaries, console)
    console.print()
    if full:
        _print_commands(runs.analyses, console)
    else:
        say(_MORE.format(_OF_PATIENCE if runs.has_patience else ""), console, "dim")
    say(notice(analysis.settings for analysis in runs.analyses), console, "dim")


def _say_answer(answer: Answer, console: Console) -> None:
    for sentence in answer.sentences:
        say(sentence, console, "bold")
    if answer.sentences:
        draw_grids(answer.standings, console)
        say(answer.how, console, "dim")
        console.print()


def _draw_parts(runs: ComparableRuns, console: Console, *, full: bool) -> None:
    """What stands below the headline."""
    contexts = list(context_grids(runs))
    if contexts:
        draw_grids(contexts, console)
        console.print()
    if full:
        draw_grids([*floor_grids(runs), *filter(_has_content, sections.full_sections(runs))], console)
        if not shows_contexts(runs):
            console.print()
            say(context_line(runs.heads, runs.models), console)
    else:
        draw_grids([sections.groups_with_intervals(runs), *seen_grids(runs)], console)


def _with_legend(grid: Grid) -> Grid:
    """A table whose note says in plain words what its rows are."""
    told = "; ".join(f"{name.removesuffix(' %').partition(' ≤')[0]}: {means}" for name, means in grid.meanings.items())
    return replace(grid, note=f"{told}.") if told else grid


def _has_content(grid: Grid) -> bool:
    return bool(grid.rows or grid.note)


def _print_commands(analyses: Sequence[RunAnalysis], console: Console) -> None:
    say("To reproduce this:", console, "bold")
    for step in (step for analysis in analyses for step in analysis.commands):
        # Not folded: a line break inside a command would be pasted with it.
        console.print(Text(f"  {plain(step.command)}"), soft_wrap=True)
        if step.note:
            say(f"  # {step.note}", console, "dim")


def print_published(published: Leaderboard, console: Console) -> None:
    """Print the published figures, under their warning and in a separate table."""
    console.print()
    say(published.warning, console, "bold")
    draw_grid(published_grid(published), console)


def _say_all(lines: Iterable[str], console: Console) -> None:
    for line in lines:
        say(line, console)


def _settings_lines(run: Run) -> tuple[str, ...]:
    return settings_line(run), untold_line(run), early_line(run), unfinished_line(run)


def _closing_lines(analysis: RunAnalysis, prices: PriceTable | None) -> Iterator[str]:
    try:
        if analysis.ceiling is not None:
            yield ceiling_line(analysis.ceiling, analysis.scenario)
    except UsageError as fault:
        yield f"A perfect responder's ceiling could not be computed: {fault}"
    yield floor_line(analysis)
    yield from audit_lines(analysis)
    yield from analysis.scenario.presentation.remarks(analysis)
    yield from spent_lines(analysis.run, prices)


def _draw_heuristic(heads: Sequence[str], summaries: Sequence[ModelSummary], console: Console) -> None:
    if any(s.heuristic for s in summaries):
        console.print()
        draw_grid(sections.heuristic(heads, summaries), console)


def print_comparisons(comparisons: Sequence[ModelComparison], console: Console) -> None:
    """Print comparisons with the remarks that a reader needs."""
    for index, comparison in enumerate(comparisons):
        if index:
            console.print()
        _print_comparison(comparison, console)
    say(notice(one.a.of.settings for one in comparisons), console, "dim")


def _print_comparison(one: ModelComparison, console: Console) -> None:
    paired = one.paired
    say(settings_line(one.a.of.run), console)
    say(words.kind_line(one), console)
    if one.also:
        say(f"The two also differ in this: {'; '.join(one.also)}.", console)
    for line in (untold_line, unfinished_line):
        _say_all(dict.fromkeys(map(line, (one.a.of.run, one.b.of.run))), console)
    _say_all(dict.fromkeys(line for side in (one.a, one.b) for line in integrity_lines(side.of)), console)
    draw_grid(comparison_grid(one, narrow=True), console)
    say(pair_line(one.a.summary, one.b.summary), console)
    say(words.paired_line(one), console)
    lines = (
        words.left_out_line,
        words.no_interval_line,
        words.few_early_line,
        words.saturation_line,
        words.few_dialogues_line,
        words.log_rank_line,
    )
    _say_all((line(one) for line in lines), console)
    say(pairing_line(one.tables, paired), console)
    if one.kind == "context":
        console.print()
        draw_grids(list(context_grids(one.side_by_side)), console)
        console.print()
    _say_all(words.judges_lines(one), console)
    say(words.conclusion(one), console, "bold")


def first_failure(run: Run, model: str) -> tuple[Session, TurnRecord] | None:
    """The first answer of a model that missed a requirement."""
    for session, records in run.transcripts(model):
        for record in records:
            if record.prompt.seat == "target" and any(v.satisfied is False for v in record.verdicts):
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


def status_table(status: RunStatus, rate: float | None = None) -> Table:
    """A row per model, and the totals below."""
    table = Table(caption=Text(status_sentence(status, rate)), caption_justify="left")
    for head in ("model", "ended", "alive at turn", plain(status.headline.head), "turns", "tokens", "money", "faults"):
        table.add_column(head, justify="left" if head in ("model", "alive at turn") else "right", overflow="fold")
    for one in status.models:
        table.add_row(Text(plain(one.model)), *(Text(cell) for cell in _status_cells(one, status.headline)))
    return table


def status_lines(status: RunStatus, rate: float | None = None) -> Iterator[str]:
    """The same table as lines of text."""
    for one in status.models:
        ended, alive, figure, _, _, money, _ = _status_cells(one, status.headline)
        counts = plural(one.turns, "turn", spec=","), plural(one.tokens, "token", spec=","), money
        yield (
            f"{plain(one.model)}: {ended} {'session' if one.sessions == 1 else 'sessions'} ended; alive at "
            f"turn {alive or '-'}; "
            f"{plain(status.headline.title)} so far {figure}; {', '.join(counts)}; {plural(one.faults, 'fault')}"
        )
    yield status_sentence(status, rate)
    if status.live is not None:
        yield from live_lines(status.live)


def status_sentence(status: RunStatus, rate: float | None) -> str:
    """Sums, rate and time left; `rate` in turns a second, None if unknown."""
    unpriced = "" if status.priced else " plus calls without a known price"
    if status.unknown_calls:
        calls = plural(status.unknown_calls, "call", spec=",")
        unpriced += f" plus {calls} of unknown usage"
    counts = plural(status.turns, "turn", spec=","), plural(status.tokens, "token", spec=",")
    text = f"{', '.join(counts)}, {dollars(status.usd)}{unpriced}"
    if status.forecast_usd is not None:
        text += f" (forecast: {' to '.join(map(dollars, status.forecast_usd))})"
    if any(one.value is not None and one.interval is None for one in status.models):
        text += "; no interval over fewer than six dialogues"
    if status.early_end is not None:
        first = len(status.early_end.dialogues)
        text += f"; ended early by the stop rule {plain(status.early_end.rule)}, "
        text += f"{plain(status.headline.label)} covers the first {plural(first, 'dialogue')}"
    return f"{text}{_time_left(status, rate)}"


def _time_left(status: RunStatus, rate: float | None) -> str:
    """Rate and time left, as the run's own process tells them, else as they were observed."""
    if status.live is not None and not status.live.is_silent:
        if status.seconds_left is None:
            return "; no turn has ended yet, so the time left is unknown"
        return f"; {_rate(status.live.rate)}about {duration(status.seconds_left)} left"
    if rate is None:
        return ""
    if not rate:
        return "; no turn finished during the observation"
    return f"; {_rate(rate)}about {duration(status.turns_left / rate)} left"


def _rate(turns: float | None) -> str:
    """Of slow models per minute or hour, where “0.0 turns/s” would say nothing."""
    if not turns:
        return ""
    sizes = ((0.1, "s", 1), (1 / 60, "min", 60))
    unit, seconds = next(((unit, seconds) for least, unit, seconds in sizes if turns >= least), ("h", 3600))
    return f"{turns * seconds:.1f} turns/{unit}, "


def _status_cells(one: ModelStatus, headline: Metric) -> tuple[str, ...]:
    suspended = f" ({one.suspended} suspended)" if one.suspended else ""
    cell = metric_cell(headline, one.value, one.interval)
    return (
        f"{one.ended} of {one.sessions}{suspended}",
        " ".join(f"{turn}:{number}" for turn, number in one.survivors),
        f"{cell.value} {cell.aside}".strip(),
        f"{one.turns:,}",
        f"{one.tokens:,}",
        dollars(one.usd),
        str(one.faults),
    )
