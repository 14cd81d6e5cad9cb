"""The sections of a board: what its models' figures are, in the order of reading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from evolif._errors import UsageError
from evolif.report import _sections as sections
from evolif.report._board import Board
from evolif.report._comparison import Comparison
from evolif.report._grid import Grid
from evolif.report._sentences import audit_lines, ceiling_line, early_line, remarks, settings_line, unfinished_line
from evolif.report.figures import Picture, draw_all
from evolif.report.page._compared import comparison_grid, comparison_sentences
from evolif.report.page._part import Part, Plate

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


def board_parts(
    board: Board, comparisons: Sequence[Comparison], *, drawn: bool = True, suffix: str = ""
) -> Iterator[Part]:
    """The sections of a board; empty ones are left out by the caller.

    Args:
        board: Models side by side.
        comparisons: Those between models of this board.
        drawn: Whether comparisons have figures; their tables tell the same.
        suffix: Of ids, where the page has several boards.
    """
    pictures = draw_all(board, comparisons if drawn else ())
    plates = {picture.name: picture for picture in pictures if picture.figure is not None}
    grids = {grid.name: grid for grid in sections.full_sections(board) if grid.rows}
    summaries = [model.summary for model in board.models]
    if any(summary.heuristic for summary in summaries):
        grids["heuristic"] = sections.heuristic(board.heads, summaries)
    yield _headline(board, plates, suffix)
    yield _left_out(board, suffix)
    yield Part(f"ceiling{suffix}", "A perfect responder’s ceiling", sentences=tuple(_ceilings(board)))
    for name, title, lead, figures, tables in _LAYOUT:
        yield Part(
            f"{name}{suffix}",
            title,
            lead,
            plates=tuple(_plate(plates[figure]) for figure in figures if figure in plates),
            grids=tuple(grids[table] for table in tables if table in grids),
        )
    yield _comparisons(comparisons, [p for p in pictures if p.name == "comparison"], suffix)
    yield Part(f"audit{suffix}", "The judge, audited", sentences=tuple(_audits(board)))


def _headline(board: Board, plates: Mapping[str, Picture], suffix: str) -> Part:
    cap = max(analysis.settings.max_turns for analysis in board.runs)
    grid = sections.headline(board.heads, [model.summary for model in board.models], cap)
    title = "Headline" if not suffix else f"Headline of {', '.join(analysis.name for analysis in board.runs)}"
    alone = f"The runs stand apart: {board.why_alone}." if board.why_alone else ""
    return Part(
        f"headline{suffix}",
        title,
        settings_line(board.runs[0].run),
        warnings=(alone,) if alone else (),
        grids=(grid,),
        tables_first=True,
        plates=(_plate(plates["headline"]),) if "headline" in plates else (),
    )


def _left_out(board: Board, suffix: str) -> Part:
    lines: list[str] = []
    start = 0
    for analysis in board.runs:
        end = start + len(analysis.models)
        summaries = [model.summary for model in analysis.models]
        lines += [line for line in (early_line(analysis.run), unfinished_line(analysis.run)) if line]
        lines += remarks(analysis.run, summaries, board.heads[start:end])
        start = end
    return Part(f"left-out{suffix}", "What is left out, and why", sentences=tuple(lines))


def _ceilings(board: Board) -> Iterator[str]:
    for analysis in board.runs:
        name = f"{analysis.name}: " if len(board.runs) > 1 else ""
        try:
            yield name + ceiling_line(analysis.ceiling)
        except UsageError as fault:
            yield f"{name}the ceiling could not be replayed: {fault}"


def _audits(board: Board) -> Iterator[str]:
    for analysis in board.runs:
        yield from audit_lines(analysis)


def _comparisons(comparisons: Sequence[Comparison], pictures: Sequence[Picture], suffix: str) -> Part:
    grids: list[Grid] = []
    lines: list[str] = []
    for pair in comparisons:
        grids.append(comparison_grid(pair))
        lines += comparison_sentences(pair)
    lead = "Paired by dialogue; p of a permutation test after Holm’s correction over the metrics." if grids else ""
    plates = tuple(_plate(picture) for picture in pictures if picture.figure is not None)
    return Part(f"comparisons{suffix}", "Comparisons", lead, plates=plates, grids=tuple(grids), sentences=tuple(lines))


def _plate(picture: Picture) -> Plate:
    # The SVG is written by our own figures, which escape names; the page's policy lets nothing in it run.
    svg = picture.svg(inline=True)
    box = _VIEW_BOX.search(svg)
    points = float(box[1]) if box else _WIDE
    # As wide as it was drawn for paper, and a bit; the style sheet keeps it within its place.
    svg = svg.replace('width="100%"', f'width="{_PIXELS * points:.0f}"', 1)
    return Plate(picture.name, picture.title, picture.caption, Markup(svg), points >= _WIDE)
