"""The sections of a runs: what its models' figures are, in the order of reading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from markupsafe import Markup

import evolif.report.tables as sections
from evolif._version import __version__
from evolif.budget import PriceTable, load_prices, quotes_of
from evolif.errors import UsageError
from evolif.metrics import Difference
from evolif.report.analysis import RunAnalysis, Step
from evolif.report.comparable import ComparableRuns
from evolif.report.comparison import ModelComparison, compare_models
from evolif.report.figures import Picture, draw_all
from evolif.report.tables import LABELS, Grid, TableCell, metric_cell, published_grid
from evolif.report.wording import (
    Published,
    audit_lines,
    ceiling_line,
    dollars,
    early_line,
    remarks,
    settings_line,
    unfinished_line,
)
from evolif.runner import RunSettings

# A section of the page before it is HTML.

MOST_ROWS = 16
"""A table with more rows is shown on request."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its caption; `svg` is ours, all else plain text."""

    name: str
    title: str
    caption: str
    svg: Markup
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A section: whatever is empty is not shown, and a section that holds nothing is none.

    Attributes:
        id: Its place in the address, unique in the page.
        title: Its heading.
        lead: A sentence below it.
        warnings: What no reader may miss.
        facts: Names and values.
        plates: Figures.
        grids: Tables.
        sentences: Remarks.
        commands: What a reader may run.
        tables_first: Whether the tables stand above the figures.
    """

    id: str
    title: str
    lead: str = ""
    warnings: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    plates: tuple[Figure, ...] = ()
    grids: tuple[Grid, ...] = ()
    sentences: tuple[str, ...] = ()
    commands: tuple[Step, ...] = ()
    tables_first: bool = False

    @property
    def holds_something(self) -> bool:
        """Whether there is anything to show but the heading."""
        return any((self.warnings, self.facts, self.plates, self.grids, self.sentences, self.commands))

    @property
    def short_grids(self) -> tuple[Grid, ...]:
        """Tables that are shown at once."""
        return tuple(grid for grid in self.grids if len(grid.rows) <= MOST_ROWS)

    @property
    def long_grids(self) -> tuple[Grid, ...]:
        """Tables that are shown on request."""
        return tuple(grid for grid in self.grids if len(grid.rows) > MOST_ROWS)


# Two models side by side, as a table and in words.

MOST_PAIRS = 6
"""Of so many pairs of models at most each is compared; of more, the best with every other."""


def default_comparisons(runs: ComparableRuns) -> list[ModelComparison]:
    """What a page compares unasked: each pair of a few models, else the one of the highest ROB with every other."""
    models = runs.models
    pairs = list(combinations(models, 2))
    if len(pairs) > MOST_PAIRS:
        rates = [model.summary.metrics.rob for model in models]
        best = max(range(len(models)), key=lambda i: -1.0 if (rate := rates[i]) is None else rate)
        pairs = [(models[best], other) for i, other in enumerate(models) if i != best]
    try:
        return compare_models(pairs)
    except UsageError:
        return []  # the runs's runs differ in the prompt alone, say: the tables stand, and nothing is compared


def comparison_grid(pair: ModelComparison) -> Grid:
    """Per metric both figures, the difference with its interval, p, effect size and dialogues needed."""
    first, second = pair.labels
    rows = tuple((LABELS[name], tuple(_cells(name, found))) for name, found in pair.paired.differences.items())
    heads = (first, second, "difference", "p", "effect d", "dialogues needed")
    title = f"{first} minus {second}, over {pair.paired.dialogues} dialogues"
    return Grid("comparison", title, "metric", heads, rows)


def _cells(name: str, found: Difference) -> Iterator[TableCell]:
    yield metric_cell(name, found.a, None)
    yield metric_cell(name, found.b, None)
    yield metric_cell(name, found.value, found.interval)
    yield TableCell("-" if found.p_holm is None else "<0.001" if found.p_holm < 0.001 else f"{found.p_holm:.3f}")
    yield TableCell("-" if found.effect is None else f"{found.effect:.2f}")
    yield TableCell("-" if found.dialogues_needed is None else f"{found.dialogues_needed:,}")


def comparison_sentences(pair: ModelComparison) -> Iterator[str]:
    """The log-rank test, what was left out, and what differs beside the models."""
    first, second = pair.labels
    name = f"{first} and {second}"
    found = pair.log_rank
    if found.p is not None:
        told = "p < 0.001" if found.p < 0.001 else f"p = {found.p:.3f}"
        yield f"{name}: survival curves, log-rank test {told}."
    left_out = ", ".join(f"{number} {reason}" for reason, number in pair.paired.left_out.items())
    if left_out:
        yield f"{name}: dialogues left out of the comparison: {left_out}."
    for clause in pair.also:
        yield f"{name}: {clause}."


def selected_comparisons(runs: ComparableRuns, comparisons: Sequence[ModelComparison]) -> list[ModelComparison]:
    """The comparisons asked for whose first model stands on the runs; where none was asked for at all, the usual."""
    if comparisons:
        return [pair for pair in comparisons if pair.a.of in runs.analyses]
    return default_comparisons(runs)


_LAYOUT: Sequence[tuple[str, str, str, tuple[str, ...], tuple[str, ...]]] = (
    ("survival", "How long sessions last", "", ("survival", "hazard"), ("survival", "hazard")),
    ("groups", "Constraint groups", "", ("groups", "radar", "modes"), ("group", "mode", "heuristic")),
    (
        "load",
        "Depth and load",
        "Depth counts the turns that a topic has had; load, the constraints that are active at once.",
        ("depth", "load"),
        ("depth", "load"),
    ),
    (
        "moves",
        "Moves and operations",
        "A turn opens a topic, continues one or goes back to one, and adds, modifies or removes one constraint.",
        ("moves",),
        ("move", "operation"),
    ),
    (
        "patience",
        "Patience sweep",
        "Each session cut at its first streak of so many failed turns: exact, and without a call.",
        ("patience",),
        ("patience",),
    ),
    (
        "queries",
        "Who worded the queries, and how",
        "",
        ("synthesizers", "registers", "formality"),
        ("synthesizer", "register", "formality", "by-synthesizer", "by-register", "by-formality"),
    ),
    ("ranks", "Rank stability", "", ("stability",), ("stability",)),
)
"""Id, title, lead, figures and tables of the sections that hold nothing else."""


_VIEW_BOX = re.compile(r'viewBox="[\d.-]+ [\d.-]+ ([\d.]+) ')
_WIDE = 300.0
"""Points from which on a figure has a row of its own."""
_PIXELS = 1.6
"""Per point of a figure: letters of 7 points are then as large as small print."""


def run_parts(
    runs: ComparableRuns, comparisons: Sequence[ModelComparison], *, drawn: bool = True, suffix: str = ""
) -> Iterator[Part]:
    """The sections of a runs; empty ones are left out by the caller.

    Args:
        runs: Models side by side.
        comparisons: Those between models of this runs.
        drawn: Whether comparisons have figures; their tables tell the same.
        suffix: Of ids, where the page has several boards.
    """
    pictures = draw_all(runs, comparisons if drawn else ())
    plates = {picture.name: picture for picture in pictures if picture.figure is not None}
    grids = {grid.name: grid for grid in sections.full_sections(runs) if grid.rows}
    summaries = [model.summary for model in runs.models]
    if any(summary.heuristic for summary in summaries):
        grids["heuristic"] = sections.heuristic(runs.heads, summaries)
    yield _headline(runs, plates, suffix)
    yield _left_out(runs, suffix)
    yield Part(f"ceiling{suffix}", "A perfect responder’s ceiling", sentences=tuple(_ceilings(runs)))
    for name, title, lead, figures, tables in _LAYOUT:
        yield Part(
            f"{name}{suffix}",
            title,
            lead,
            plates=tuple(_plate(plates[figure]) for figure in figures if figure in plates),
            grids=tuple(grids[table] for table in tables if table in grids),
        )
    yield _comparisons(comparisons, [p for p in pictures if p.name == "comparison"], suffix)
    yield Part(f"audit{suffix}", "The judge, audited", sentences=tuple(_audits(runs)))


def _headline(runs: ComparableRuns, plates: Mapping[str, Picture], suffix: str) -> Part:
    cap = max(analysis.settings.max_turns for analysis in runs.analyses)
    grid = sections.headline(runs.heads, [model.summary for model in runs.models], cap)
    title = "Headline" if not suffix else f"Headline of {', '.join(analysis.name for analysis in runs.analyses)}"
    alone = f"The runs stand apart: {runs.why_alone}." if runs.why_alone else ""
    return Part(
        f"headline{suffix}",
        title,
        settings_line(runs.analyses[0].run),
        warnings=(alone,) if alone else (),
        grids=(grid,),
        tables_first=True,
        plates=(_plate(plates["headline"]),) if "headline" in plates else (),
    )


def _left_out(runs: ComparableRuns, suffix: str) -> Part:
    lines: list[str] = []
    start = 0
    for analysis in runs.analyses:
        end = start + len(analysis.models)
        summaries = [model.summary for model in analysis.models]
        lines += [line for line in (early_line(analysis.run), unfinished_line(analysis.run)) if line]
        lines += remarks(analysis.run, summaries, runs.heads[start:end])
        start = end
    return Part(f"left-out{suffix}", "What is left out, and why", sentences=tuple(lines))


def _ceilings(runs: ComparableRuns) -> Iterator[str]:
    for analysis in runs.analyses:
        name = f"{analysis.name}: " if len(runs.analyses) > 1 else ""
        try:
            yield name + ceiling_line(analysis.ceiling)
        except UsageError as fault:
            yield f"{name}the ceiling could not be replayed: {fault}"


def _audits(runs: ComparableRuns) -> Iterator[str]:
    for analysis in runs.analyses:
        yield from audit_lines(analysis)


def _comparisons(comparisons: Sequence[ModelComparison], pictures: Sequence[Picture], suffix: str) -> Part:
    grids: list[Grid] = []
    lines: list[str] = []
    for pair in comparisons:
        grids.append(comparison_grid(pair))
        lines += comparison_sentences(pair)
    lead = "Paired by dialogue; p of a permutation test after Holm’s correction over the metrics." if grids else ""
    plates = tuple(_plate(picture) for picture in pictures if picture.figure is not None)
    return Part(f"comparisons{suffix}", "Comparisons", lead, plates=plates, grids=tuple(grids), sentences=tuple(lines))


def _plate(picture: Picture) -> Figure:
    # The SVG is written by our own figures, which escape names; the page's policy lets nothing in it run.
    svg = picture.svg(inline=True)
    box = _VIEW_BOX.search(svg)
    points = float(box[1]) if box else _WIDE
    # As wide as it was drawn for paper, and a bit; the style sheet keeps it within its place.
    svg = svg.replace('width="100%"', f'width="{_PIXELS * points:.0f}"', 1)
    return Figure(picture.name, picture.title, picture.caption, Markup(svg), points >= _WIDE)


# What stands at the page's end: costs, settings, how to make it again, how to read it.

HOW_TO_READ = (
    "A model converses with a simulated user whose constraints on the answers change by one every turn. A turn is good "
    "where every judged constraint is satisfied.",
    "The user has patience P: a good turn restores it, any other costs one, and at 0 the session ends.",
    "EDR len, acc, succ and lss are turns per session: how many there were, their satisfied share summed up, the good "
    "ones, and the longest run of good ones.",
    "REC is the share of bad turns that a good one follows, ROB the share of good turns of a session, CSR the share of "
    "constraints satisfied and ISR the share of good turns over all turns.",
    "Brackets are 95 % intervals by a bootstrap over dialogues, never over turns. A dash is a figure that is "
    "not defined.",
    "Sessions cut by the cap count with the turns they have; survival curves take them as censored.",
)


def closing_parts(
    analyses: Sequence[RunAnalysis], prices: PriceTable | None, published: Published | None
) -> Iterator[Part]:
    """The sections below the figures."""
    table = prices or load_prices()
    yield Part("costs", "Costs", grids=tuple(grid for run in analyses if (grid := _costs(run, table)).rows))
    for number, analysis in enumerate(analyses, start=1):
        several = len(analyses) > 1
        yield Part(
            f"settings-{number}" if several else "settings",
            f"Settings of {analysis.name}" if several else "Settings",
            facts=tuple(_settings(analysis.settings)),
        )
    yield Part(
        "reproduce",
        "To make this again",
        f"With evolif {__version__}:",
        commands=tuple(step for analysis in analyses for step in analysis.commands),
    )
    if published is not None:
        yield Part("published", "Published figures", warnings=(published.warning,), grids=(published_grid(published),))
    yield Part("how-to-read", "How to read this", sentences=HOW_TO_READ)


def _costs(analysis: RunAnalysis, prices: PriceTable) -> Grid:
    quotes = quotes_of(analysis.settings, prices)
    rows = []
    for one in analysis.costs:
        usage = one.usage
        if not usage.prompt_tokens and not usage.completion_tokens:
            continue
        cost = dollars(quotes.cost(one.role, one.model, usage))
        told = (f"{one.calls:,}", f"{usage.prompt_tokens:,}", f"{usage.completion_tokens:,}", cost)
        rows.append((f"{one.model} ({one.role})", tuple(map(TableCell, told))))
    heads = ("calls", "prompt tokens", "completion tokens", "cost")
    return Grid("costs", f"Calls and tokens of {analysis.name}", "model (role)", heads, tuple(rows))


def _settings(settings: RunSettings) -> Iterator[tuple[str, str]]:
    yield "Benchmark", f"{settings.benchmark} (profile {settings.profile})"
    yield "Models", ", ".join(settings.models)
    elsewhere = [f"{model} at {url}" for model in settings.models if (url := settings.endpoint(model))]
    if elsewhere:
        yield "Endpoints", "; ".join(elsewhere)
    yield "Judge", settings.judge
    yield "Dialogues", f"{len(settings.dialogues)}, each played {settings.epochs} time{'s' * (settings.epochs > 1)}"
    yield "Patience", str(settings.patience)
    yield "Cap", f"{settings.max_turns} turns"
    yield "System prompt", "on" if settings.system_prompt else "off"
    yield "Context", settings.context
    yield "Temperature", _or_own(settings.temperature)
    yield "Longest answer", _or_own(settings.max_tokens, " tokens")
    yield "Seed", str(settings.seed)
    yield "Reading rules", f"edition {settings.reading_rules}"


def _or_own(value: float | int | None, unit: str = "") -> str:
    return "the provider's own" if value is None else f"{value:g}{unit}"
