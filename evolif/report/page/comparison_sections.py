"""The sections of a page about two models: the answer, dialogue by dialogue, and where the two differ."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

import evolif.report.conclusions as words
from evolif.metrics import Breakdown
from evolif.report.analysis import ModelAnalysis, RunAnalysis
from evolif.report.commands import Step
from evolif.report.comparable import ComparableRuns
from evolif.report.comparison import ModelComparison, p_value
from evolif.report.context_tables import context_grids
from evolif.report.coverage import pair_line, unit_name
from evolif.report.early import early_line
from evolif.report.figures import Picture, draw
from evolif.report.figures.paired import paired_picture
from evolif.report.figures.style import for_page
from evolif.report.page.sections import Figure, Section, closing_sections, comparison_page_grid, figure_of
from evolif.report.tables import share_cell
from evolif.report.wording import integrity_lines, remarks, settings_line, unfinished_line, untold_line
from evolif.scenario import Grid, TableCell
from evolif.text import plural

_FEWEST = 20
"""Judged requirements of both, below which a difference between groups is left out: it would be mostly chance."""

_LARGEST = 12
"""Rows of a table of such differences."""

_HOW = (
    "Brackets: 95 % intervals over {units}; p is that of the first row, the other intervals are without correction. "
    "Effect d: the mean difference in standard deviations. Needed: {units} that both play, to see a difference of this "
    "size four times out of five (p ≤ .05)."
)


def comparison_title(pairs: Sequence[ModelComparison]) -> str:
    """The title of the page."""
    return f"evolif compare: {'; '.join(' and '.join(pair.labels) for pair in pairs)}"


def comparison_lead(pairs: Sequence[ModelComparison]) -> str:
    """The sentence below it: what was compared, over what."""
    told = "Two models" if len(pairs) == 1 else f"{len(pairs)} pairs"
    numbers = sorted({pair.paired.dialogues for pair in pairs})
    over = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    dialogues = "dialogue" if numbers == [1] else "dialogues"
    return f"{told} over {over} {dialogues} that both played, with the transcripts of these alone."


def pair_sections(pair: ModelComparison, suffix: str = "") -> Iterator[Section]:
    """The sections of one comparison; the caller drops empty ones.

    Args:
        pair: Two models.
        suffix: Of ids, where the page has several pairs.
    """
    runs = pair.side_by_side
    with for_page():
        pictures = {picture.name: figure_of(picture) for picture in _pictures(pair) if picture.figure is not None}
    yield _opening(pair, pictures.get("survival"), suffix)
    yield Section(f"dialogue-by-dialogue{suffix}", "Dialogue by dialogue", figures=_of(pictures, "dialogues-paired"))
    yield Section(f"differences{suffix}", "All differences", figures=_of(pictures, "comparison"))
    yield Section(
        f"where{suffix}",
        "Where the two differ",
        "Differences between parts of the dialogues are without a test: they say where to look.",
        figures=_of(pictures, "groups", "depth", "load"),
        grids=(*_part_grids(pair, runs), *(context_grids(runs) if pair.kind == "context" else ())),
    )
    yield Section(f"left-out{suffix}", "What is left out, and why", sentences=tuple(_left_out(pair, runs)))


def _of(pictures: dict[str, Figure], *names: str) -> tuple[Figure, ...]:
    return tuple(pictures[name] for name in names if name in pictures)


def _pictures(pair: ModelComparison) -> Iterator[Picture]:
    yield draw("comparison", pair)
    yield paired_picture(pair)
    for name in ("survival", "groups", "depth", "load"):
        yield draw(name, pair.side_by_side)


def _opening(pair: ModelComparison, figure: Figure | None, suffix: str) -> Section:
    warnings = [line for side in _sides(pair) if (line := unfinished_line(side.of.run))]
    warnings += [line for side in _sides(pair) if side.of.integrity.edited for line in integrity_lines(side.of)]
    title = "Result" if not suffix else f"Result of {' and '.join(pair.labels)}"
    return Section(
        f"headline{suffix}",
        title,
        settings_line(pair.a.of.run),
        warnings=tuple(dict.fromkeys(warnings)),
        answer=tuple(answer_of_pair(pair)),
        grids=(comparison_page_grid(pair),) if pair.paired.dialogues else (),
        figures=() if figure is None else (replace(figure, wide=False),),
        sentences=(_HOW.format(units=unit_name(pair.tables[0].cluster)), *filter(None, _on_certainty(pair))),
        is_open=True,
    )


def _on_certainty(pair: ModelComparison) -> Iterator[str]:
    yield words.no_interval_line(pair)
    yield words.few_early_line(pair)
    yield words.few_dialogues_line(pair)
    found = pair.log_rank
    if found is not None and found.p is not None:
        result = "p < .001" if found.p < 0.001 else f"p = {p_value(found.p)}"
        yield f"Survival curves, log-rank test paired by dialogue, without correction: {result}."
    for clause in pair.also:
        yield f"The two also differ in this: {clause}."


def answer_of_pair(pair: ModelComparison) -> Iterator[str]:
    """Who is better, by how much and how sure; and how many dialogues such a difference takes."""
    if not pair.paired.dialogues:
        yield words.conclusion(pair)
        return
    yield from filter(None, (words.verdict_sentence(pair), words.shared_sentence(pair)))
    needed, units = pair.leading.plan.needed, unit_name(pair.tables[0].cluster)
    if needed is not None:
        ends = f"{needed.low} or more" if needed.high is None else f"{needed.low} to {needed.high}"
        yield (
            f"A difference of this size shows four times out of five over {needed.dialogues} {units} "
            f"(95 % interval: {ends}); these are {pair.paired.clusters}."
        )


def _sides(pair: ModelComparison) -> tuple[ModelAnalysis, ModelAnalysis]:
    return pair.a, pair.b


def _part_grids(pair: ModelComparison, runs: ComparableRuns) -> Iterator[Grid]:
    for by in pair.a.of.breakdowns.values():
        if by.name in ("group", "mode"):
            grid = _part_grid(pair, runs, by)
            if grid.rows:
                yield grid


def _part_grid(pair: ModelComparison, runs: ComparableRuns, by: Breakdown) -> Grid:
    """The parts of a breakdown in which both have enough, the largest difference first."""
    first, second = (side.by(by.name) for side in _sides(pair))
    found = []
    for key in first:
        if key in second and min(first[key].judged, second[key].judged) >= _FEWEST:
            a, b = first[key].csr, second[key].csr
            if a is not None and b is not None:
                cells = [share_cell(one.csr, one.csr_interval, one.turns) for one in (first[key], second[key])]
                found.append((a - b, str(key), (*cells, TableCell(f"{100 * (a - b):+.0f}"))))
    found.sort(key=lambda one: (-abs(one[0]), one[1]))
    rows = tuple((name, cells) for _, name, cells in found[:_LARGEST])
    note = (
        f"The largest differences, up to {_LARGEST}, where both have at least {plural(_FEWEST, 'judged requirement')}."
    )
    return Grid(by.name, by.title, by.first, (*runs.heads, "points"), rows, note if rows else "")


def _left_out(pair: ModelComparison, runs: ComparableRuns) -> Iterator[str]:
    told = [words.left_out_line(pair), pair_line(pair.a.summary, pair.b.summary)]
    for analysis, heads, summaries in runs.by_run():
        told += [untold_line(analysis.run), early_line(analysis.run)]
        told += remarks(analysis.run, summaries, heads)
    yield from dict.fromkeys(filter(None, told))


def comparison_closing(pairs: Sequence[ModelComparison], analyses: Sequence[RunAnalysis]) -> Iterator[Section]:
    """The settings of the runs, how to get the page again, and how to read it.

    Args:
        pairs: All of the page.
        analyses: Their runs, each once.
    """
    names = ", ".join(dict.fromkeys(side.name for pair in pairs for side in _sides(pair)))
    for section in closing_sections(analyses, None, None):
        if section.id.startswith("settings"):
            facts = tuple((head, names if head == "Models" else value) for head, value in section.facts)
            yield replace(section, facts=facts)
    made = [step for analysis in analyses for step in analysis.commands[:-1]]
    yield Section("reproduce", "To reproduce this", "", commands=(*dict.fromkeys(made), *map(_command, pairs)))
    yield from (section for section in closing_sections(analyses, None, None) if section.id == "how-to-read")


def _command(pair: ModelComparison) -> Step:
    runs = dict.fromkeys((pair.a.of.name, pair.b.of.name))
    models = (word for side in _sides(pair) for word in ("--model", side.name))
    across = () if pair.kind in ("models", "system-prompt") else ("--across", pair.kind)
    return Step(shlex.join(["evolif", "compare", *runs, *models, *across]))
