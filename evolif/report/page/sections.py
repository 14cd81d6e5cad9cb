"""The sections of the page, in the order of reading, before they become HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

import evolif.report.tables as tables
from evolif._version import __version__
from evolif.budget import PriceTable, load_prices, quotes_of
from evolif.errors import UsageError
from evolif.metrics import TOO_FEW, Difference, Metric
from evolif.report.analysis import RunAnalysis
from evolif.report.answer import Answer, answer_of
from evolif.report.commands import Step
from evolif.report.comparable import ComparableRuns, told_of_feedback
from evolif.report.comparison import ModelComparison, amount, compared_rows, p_cell
from evolif.report.conclusions import few_early_line, no_interval_line, paired_line, saturation_line
from evolif.report.context_tables import context_grids
from evolif.report.contexts import CLASSES, EFFECTS, FIGURE, TABLE, differ_in_context, is_about_contexts
from evolif.report.coverage import extents_line, pair_line, unit_name, unit_words
from evolif.report.early import early_line
from evolif.report.figures import FIGURE_NAMES, OWN_FAULT, Picture, draw_all
from evolif.report.figures.style import for_page
from evolif.report.floor import floor_grids, floor_line, with_corrected
from evolif.report.leaderboard import Leaderboard
from evolif.report.pairing import needed_cell, pairing_line
from evolif.report.tables import metric_cell, published_grid, why_empty
from evolif.report.wording import (
    audit_lines,
    ceiling_line,
    dollars,
    forecast_line,
    integrity_lines,
    prices_line,
    relevance_counted,
    remarks,
    settings_line,
    unfinished_line,
    unknown_usage,
    untold_line,
)
from evolif.runner import RunSettings
from evolif.scenario import DEFAULT_SCENARIO, Chapter, Grid, Scenario, TableCell, get_scenario

MOST_ROWS = 16
"""Longer tables are folded."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its caption; `svg` is our own markup, the rest plain text."""

    name: str
    title: str
    caption: str
    svg: Markup
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A section; empty parts are not shown, and neither is a section without content.

    Attributes:
        id: Its fragment in the address, unique in the page.
        title: Its heading.
        lead: A sentence below it.
        warnings: Shown prominently.
        facts: Names and values.
        figures: Figures.
        grids: Tables.
        sentences: Remarks.
        commands: Commands to reproduce the run.
        answer: What the page begins with, in large letters.
        is_open: Whether it is the opening: not folded, its tables in full and beside its figure.
    """

    id: str
    title: str
    lead: str = ""
    warnings: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    figures: tuple[Figure, ...] = ()
    grids: tuple[Grid, ...] = ()
    sentences: tuple[str, ...] = ()
    commands: tuple[Step, ...] = ()
    answer: tuple[str, ...] = ()
    is_open: bool = False

    @property
    def has_content(self) -> bool:
        """Whether there is anything to show besides the heading."""
        parts = self.answer, self.warnings, self.facts, self.figures, self.grids, self.sentences, self.commands
        return any(parts)

    @property
    def widest(self) -> int:
        """The columns of its widest table, besides the names of rows."""
        return max((len(grid.heads) for grid in self.grids), default=0)

    @property
    def short_grids(self) -> tuple[Grid, ...]:
        """Tables that are shown in full."""
        return tuple(grid for grid in self.grids if self.is_open or len(grid.rows) <= MOST_ROWS)

    @property
    def long_grids(self) -> tuple[Grid, ...]:
        """Tables that are folded."""
        return tuple(grid for grid in self.grids if grid not in self.short_grids)


def comparison_page_grid(pair: ModelComparison) -> Grid:
    """The metrics of two models, and their differences."""
    first, second = pair.labels
    rows = tuple((metric.head, tuple(_difference_cells(pair, metric, found)))
                 for _, metric, found in compared_rows(pair))  # fmt: skip
    heads = (first, second, "difference", "p", "effect d", f"{unit_name(pair.tables[0].cluster)} needed")
    units = unit_words(pair.tables[0].cluster, pair.paired.clusters, pair.paired.dialogues)
    spoken = tables.plain_names(metric for _, metric, _ in compared_rows(pair))
    return Grid("comparison", f"{first} minus {second}, over {units}", "metric", heads, rows, plain=spoken)


def _difference_cells(pair: ModelComparison, metric: Metric, found: Difference) -> Iterator[TableCell]:
    yield metric_cell(metric, found.a, None)
    yield metric_cell(metric, found.b, None)
    yield _amount_cell(metric, found)
    yield p_cell(pair) if metric.name == pair.lead.name else TableCell("")
    yield TableCell() if found.effect is None else TableCell(f"{found.effect:.2f}")
    yield needed_cell(found.plan.needed)


def _amount_cell(metric: Metric, found: Difference) -> TableCell:
    """A difference with its interval, whose ends may be below zero: so a comma stands between them."""
    if found.value is None:
        return TableCell()
    ends = found.interval and ", ".join(amount(metric, end, signed=False) for end in found.interval)
    return TableCell(amount(metric, found.value), f"[{ends}]" if ends else "")


def comparison_sentences(pair: ModelComparison) -> Iterator[str]:
    """What a reader of the differences has to know."""
    first, second = pair.labels
    name = f"{first} and {second}"
    found = pair.log_rank
    if found is not None and found.p is not None:
        result = "p < 0.001" if found.p < 0.001 else f"p = {found.p:.3f}"
        yield f"{name}: survival curves, log-rank test paired by dialogue, without correction: {result}."
    told = paired_line(pair), no_interval_line(pair), few_early_line(pair), saturation_line(pair)
    for line in filter(None, (*told, pairing_line(pair.tables, pair.paired))):
        yield f"{name}: {line}"
    if line := pair_line(pair.a.summary, pair.b.summary):
        yield f"{name}: {line}"
    left_out = ", ".join(f"{number} {reason}" for reason, number in pair.paired.left_out.items())
    if left_out:
        yield f"{name}: dialogues left out of the comparison: {left_out}."
    for clause in pair.also:
        yield f"{name}: {clause}."


_CONTEXTS = Chapter(
    "contexts",
    "What the model is shown",
    "A context strategy chooses what of the conversation each call shows. Its own calls are counted beside it.",
    (FIGURE, "tree"),
    (TABLE, EFFECTS, CLASSES),
)


def _chapters(scenario: Scenario) -> tuple[Chapter, ...]:
    """The sections that have only figures and tables."""
    if is_about_contexts(scenario):
        return scenario.presentation.chapters
    return (_CONTEXTS, *_usual_chapters(scenario))


def _usual_chapters(scenario: Scenario) -> tuple[Chapter, ...]:
    if scenario.presentation.chapters:
        return scenario.presentation.chapters
    word = scenario.presentation.requirement
    return (
        Chapter("survival", "How long sessions last", "", ("survival", "hazard"), ("survival", "hazard", "exhaustion")),
        Chapter("groups", f"{word.capitalize()} groups", "", ("groups",), ("group", "heuristic")),
        Chapter(
            "load", "Load", f"Load is the number of {word}s that are active at once.", *[("difficulty", "load")] * 2
        ),
        Chapter(
            "patience",
            "Patience sweep",
            "Each session is cut at its first streak of that many failed turns: exact, and without model calls.",
            ("patience",),
            ("patience",),
        ),
        Chapter("ranks", "Ranks", "", ("stability",), ("ranks", "pairs", "stability")),
        Chapter("variance", "More dialogues or more epochs", "", (), ("variance",)),
    )


_VIEW_BOX = re.compile(r'viewBox="[\d.-]+ [\d.-]+ ([\d.]+) ')
_WIDE = 300.0
"""Width in points from which a figure takes a whole row."""
_PIXELS = 1.7
"""Per point of a figure: letters of 7 points are then as large as small print."""


def run_sections(
    runs: ComparableRuns, comparisons: Sequence[ModelComparison], *, drawn: bool = True, suffix: str = ""
) -> Iterator[Section]:
    """The sections of comparable runs; the caller drops empty ones.

    Args:
        runs: Models side by side.
        comparisons: Those between models of these runs.
        drawn: Whether comparisons have figures besides their tables.
        suffix: Of ids, where the page has several groups of comparable runs.
    """
    board = runs.contestants
    with for_page():
        # The heat map of groups says what the radar does, with figures; the radar stays for papers.
        pictures = draw_all(board, comparisons if drawn else (), without=frozenset({"radar"}))
    drawings = {picture.name: figure_of(picture) for picture in pictures if picture.figure is not None}
    grids = [grid for grid in (*context_grids(board), *tables.full_sections(board)) if grid.rows or grid.note]
    if any(summary.heuristic for summary in board.summaries):
        grids.append(tables.heuristic(board.heads, board.summaries))
    placed: dict[str, Grid] = {}
    for grid in grids:
        placed.setdefault(grid.name, grid)
    answer = answer_of(runs, comparisons)
    shown = [placed.pop(name) for name in answer.tables if name in placed and placed[name].rows]
    first_figure = next((drawings.pop(name) for name in answer.figures if name in drawings), None)
    yield _opening(runs, answer, shown, first_figure, suffix)
    yield _metrics(board, answer, drawings.get("headline"), suffix)

    def told(chapters: Iterable[Chapter]) -> Iterator[Section]:
        for chapter in chapters:
            figures = tuple(drawings[figure] for figure in chapter.figures if figure in drawings)
            own = [placed.pop(grid) for grid in chapter.tables if grid in placed]
            yield _chapter(f"{chapter.name}{suffix}", chapter.title, own, chapter.lead, figures)

    chapters = _chapters(runs.scenario)
    # What runs that differ in their strategies are about.
    first = [chapter for chapter in chapters if TABLE in chapter.tables and differ_in_context(runs)]
    yield from told(first)
    yield _left_out(board, suffix)
    floors = tuple(floor_grids(runs))
    yield Section(f"ceiling{suffix}", "Floor and ceiling", grids=floors, sentences=tuple(_ceilings(runs)))
    yield from told(chapter for chapter in chapters if chapter not in first)
    left = [grid for grid in grids if grid not in shown]
    yield _rest(board, left, [p for p in pictures if first_figure is None or p.name != first_figure.name], suffix)
    pairs = tuple(figure_of(p) for p in pictures if p.name == "comparison" and p.figure is not None)
    yield _comparisons(comparisons, pairs, suffix)
    yield Section(f"audit{suffix}", "Judge audit", sentences=tuple(_audits(runs)))


def _rest(runs: ComparableRuns, grids: Sequence[Grid], pictures: Sequence[Picture], suffix: str) -> Section:
    """What no chapter names: tables, and the scenario's own figures, or why there are none."""
    chapters = _chapters(runs.scenario)
    named = {name for chapter in chapters for name in chapter.tables}
    drawn = {*FIGURE_NAMES, *(name for chapter in chapters for name in chapter.figures)}
    figures = tuple(figure_of(p) for p in pictures if p.name not in drawn and p.figure is not None)
    section = _chapter(f"more{suffix}", "More tables", [grid for grid in grids if grid.name not in named], "", figures)
    why = tuple(p.caption for p in pictures if p.name == OWN_FAULT)
    return replace(section, sentences=section.sentences + why, title="More" if figures else section.title)


def _chapter(id: str, title: str, grids: Sequence[Grid], lead: str = "", figures: tuple[Figure, ...] = ()) -> Section:
    """Figures and tables, and for a table without rows the reason."""
    shown = tuple(grid for grid in grids if grid.rows)
    return Section(id, title, lead, figures=figures, grids=shown, sentences=tuple(filter(None, map(why_empty, grids))))


def _opening(runs: ComparableRuns, answer: Answer, own: Sequence[Grid], figure: Figure | None, suffix: str) -> Section:
    """The answer, its metrics, and one figure."""
    title = "Result" if not suffix else f"Result of {', '.join(analysis.name for analysis in runs.analyses)}"
    strategies = dict.fromkeys(analysis.settings.context for analysis in runs.analyses)
    alone = f"The runs are shown separately: {runs.why_alone}." if runs.why_alone else ""
    context = f"{len(strategies)} context strategies" if len(strategies) > 1 else None
    told = list(filter(None, (alone, extents_line(runs.heads, runs.summaries))))
    for analysis in runs.analyses:
        edits = integrity_lines(analysis) if analysis.integrity.edited else ()
        told += filter(None, (unfinished_line(analysis.run), *edits))
    metrics = answer.grid
    grids = (*answer.standings, *own, metrics, answer.references)
    return Section(
        f"headline{suffix}",
        title,
        settings_line(runs.analyses[0].run, context=context, feedback=told_of_feedback(runs)),
        warnings=tuple(told),
        answer=answer.sentences,
        grids=tuple(grid for grid in grids if grid.rows),
        figures=() if figure is None else (replace(figure, wide=False),),
        sentences=tuple(filter(None, (answer.how,))),
        is_open=True,
    )


def _metrics(board: ComparableRuns, answer: Answer, figure: Figure | None, suffix: str) -> Section:
    """All metrics as a figure, and those that the opening leaves out as a table."""
    grid = tables.headline(board.heads, board.summaries, board.cap)
    grid = with_corrected(grid, [model.csr_corrected for model in board.models])
    known = {name for name, _ in answer.grid.rows}
    grids = () if all(name in known for name, _ in grid.rows) else (replace(grid, name="metrics", note=""),)
    return Section(f"metrics{suffix}", "All metrics", grids=grids, figures=() if figure is None else (figure,))


def _left_out(runs: ComparableRuns, suffix: str) -> Section:
    lines: list[str] = []
    for analysis, heads, summaries in runs.by_run():
        told = (untold_line(analysis.run), early_line(analysis.run), unfinished_line(analysis.run))
        lines += [line for line in told if line]
        lines += integrity_lines(analysis)
        lines += remarks(analysis.run, summaries, heads)
    return Section(f"left-out{suffix}", "What is left out, and why", sentences=tuple(lines))


def _ceilings(runs: ComparableRuns) -> Iterator[str]:
    for analysis in runs.analyses:
        name = f"{analysis.name}: " if len(runs.analyses) > 1 else ""
        try:
            if analysis.ceiling is not None and (line := ceiling_line(analysis.ceiling, runs.scenario)):
                yield name + line
        except UsageError as fault:
            yield f"{name}the ceiling could not be computed: {fault}"
        if line := floor_line(analysis):
            yield name + line


def _audits(runs: ComparableRuns) -> Iterator[str]:
    for analysis in runs.analyses:
        yield from audit_lines(analysis)


def _comparisons(comparisons: Sequence[ModelComparison], figures: tuple[Figure, ...], suffix: str) -> Section:
    grids: list[Grid] = []
    lines: list[str] = []
    for pair in comparisons:
        grids.append(comparison_page_grid(pair))
        lines += comparison_sentences(pair)
    lead = ""
    if grids:
        pair = comparisons[0]
        corrected = "" if pair.pairs == 1 else f", in brackets after Holm’s correction over {pair.pairs} pairs"
        lead = f"Paired. p is that of {pair.lead.label}{corrected}; the other intervals are without correction."
    return Section(
        f"comparisons{suffix}", "Comparisons", lead, figures=figures, grids=tuple(grids), sentences=tuple(lines)
    )


def figure_of(picture: Picture) -> Figure:
    """A picture as it stands in the page."""
    # Our own figures write the SVG and escape names, and the page's policy lets nothing in it run.
    svg = picture.svg(inline=True)
    box = _VIEW_BOX.search(svg)
    points = float(box[1]) if box else _WIDE
    # A bit wider than on paper; the style sheet keeps it within its place.
    svg = svg.replace('width="100%"', f'width="{_PIXELS * points:.0f}"', 1)
    return Figure(picture.name, picture.title, picture.caption, Markup(svg), points >= _WIDE)


def _how_to_read(analyses: Sequence[RunAnalysis]) -> Iterator[str]:
    scenarios = [get_scenario(name) for name in dict.fromkeys(run.settings.scenario for run in analyses)]
    words = {scenario.presentation.requirement for scenario in scenarios}
    word = words.pop() if len(words) == 1 else "requirement"
    for scenario in scenarios:
        yield from scenario.presentation.how_to_read or (f"A turn is good if every judged {word} is satisfied.",)
    patient = any(run.settings.patience is not None for run in analyses)
    if patient:
        yield ("The user has patience P: a good turn restores it, any other turn costs one, and the session ends at 0.")
        yield (
            "EDR len, acc, succ and lss are in turns per session: the number of turns, the sum of their satisfied "
            "shares, the number of good turns, and the longest run of good turns."
        )
        yield (
            "REC is the share of bad turns that are followed by a good one, ROB the share of good turns in a session, "
            f"CSR the share of {word}s satisfied and ISR the share of good turns over all turns."
        )
        yield (
            "EXH, the exhaustion rate, is the number of sessions that ran out of patience per 100 judged turns, with "
            "an exact Poisson interval; REC all is REC over all turns instead of the mean over sessions, as ISR is ROB."
        )
    elif any("csr" in table.ratios for run in analyses for table in run.tables):
        yield f"CSR is the share of {word}s satisfied and ISR the share of good turns, over all turns."
    yield "Brackets are 95 % intervals over dialogues, never over turns. A dash marks an undefined value."
    yield TOO_FEW
    survival = "; survival curves have them as still going" if patient else ""
    yield f"Sessions still going at the cap count with the turns they have{survival}."


def closing_sections(
    analyses: Sequence[RunAnalysis], prices: PriceTable | None, published: Leaderboard | None
) -> Iterator[Section]:
    """The sections below the figures."""
    table = prices or load_prices()
    yield Section(
        "costs",
        "Costs",
        grids=tuple(grid for run in analyses if (grid := _costs(run, table)).rows),
        sentences=tuple(
            f"{run.name}: {line}" if len(analyses) > 1 else line for run in analyses for line in _cost_notes(run, table)
        ),
    )
    for number, analysis in enumerate(analyses, start=1):
        several = len(analyses) > 1
        yield Section(
            f"settings-{number}" if several else "settings",
            f"Settings of {analysis.name}" if several else "Settings",
            facts=tuple(_settings(analysis.settings)),
        )
    yield Section(
        "reproduce",
        "To reproduce this",
        f"With evolif {__version__}:",
        commands=tuple(step for analysis in analyses for step in analysis.commands),
    )
    if published is not None:
        yield Section(
            "published", "Published results", warnings=(published.warning,), grids=(published_grid(published),)
        )
    yield Section("how-to-read", "How to read this", sentences=tuple(_how_to_read(analyses)))


def _costs(analysis: RunAnalysis, prices: PriceTable) -> Grid:
    quotes = quotes_of(analysis.settings, prices)
    rows = []
    told = [part for part in _TOKEN_PARTS if any(getattr(one.usage, f"{part}_tokens") for one in analysis.costs)]
    for one in analysis.costs:
        usage = one.usage
        if not usage.tokens and not one.unknown:
            continue
        cost = dollars(quotes.cost(one.role, one.model, usage)) if usage.tokens else ""
        cost += " plus " * bool(cost and one.unknown) + (unknown_usage(one, quotes) if one.unknown else "")
        parts = [f"{getattr(usage, f'{part}_tokens'):,}" for part in told]
        values = (f"{one.calls:,}", f"{usage.prompt_tokens:,}", f"{usage.completion_tokens:,}", *parts, cost)
        rows.append((f"{one.model} ({one.role})", tuple(map(TableCell, values))))
    heads = ("calls", "prompt tokens", "completion tokens", *(_TOKEN_PARTS[part] for part in told), "cost")
    return Grid("costs", f"Calls and tokens of {analysis.name}", "model (role)", heads, tuple(rows))


_TOKEN_PARTS = {"cached": "cached prompt tokens", "image": "image tokens", "reasoning": "reasoning tokens"}
"""What tokens may be, and the head of their column, where an endpoint tells it."""


def _cost_notes(analysis: RunAnalysis, prices: PriceTable) -> Iterator[str]:
    """The forecast beside the truth, and when and where the prices were read."""
    quotes = quotes_of(analysis.settings, prices)
    yield from filter(None, (forecast_line(analysis.run, quotes), prices_line(analysis.costs, quotes)))


def _settings(settings: RunSettings) -> Iterator[tuple[str, str]]:
    if settings.scenario != DEFAULT_SCENARIO:
        yield "Scenario", settings.scenario
    yield "Benchmark", settings.benchmark + (f" (profile {settings.profile})" if settings.profile else "")
    yield "Models", ", ".join(settings.models)
    elsewhere = [f"{model} at an address of its own" for model in settings.models if settings.endpoint(model)]
    if elsewhere:
        yield "Endpoints", "; ".join(elsewhere)
    if settings.partner:
        yield "Partner", settings.partner
    yield "Judge", settings.judge
    if settings.relevance:
        yield "Relevance gate", settings.relevance + relevance_counted(settings)
    if settings.own_code:
        yield "Own constraint groups", "; ".join(f"{group}: {code}" for group, code in settings.own_code.items())
    yield "Dialogues", f"{len(settings.dialogues)}, each played {settings.epochs} time{'s' * (settings.epochs > 1)}"
    if settings.patience is not None:
        yield "Patience", str(settings.patience)
    yield "Cap", settings.cap
    yield "System prompt", "on" if settings.system_prompt else "off"
    yield "Context", settings.context + (f" ({settings.context_model})" if settings.context_model else "")
    if settings.feedback != "none":
        yield "Feedback", settings.feedback
    if settings.options:
        yield "Options", ", ".join(f"{key}={value}" for key, value in settings.options.items())
    yield "Temperature", _or_own(settings.temperature)
    yield "Longest answer", _or_own(settings.max_tokens, " tokens")
    yield "Seed", str(settings.seed)
    yield "Reading rules", f"edition {settings.reading_rules}"


def _or_own(value: float | int | None, unit: str = "") -> str:
    return "the provider's own" if value is None else f"{value:g}{unit}"
