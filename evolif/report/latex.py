"""Reports as LaTeX tables; any name compiles with every engine and is printed as text.

The tables need the package booktabs and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from unicodedata import normalize

import evolif.report.tables as sections
from evolif.report.comparable import ComparableRuns
from evolif.report.comparison import ModelComparison, comparison_grid
from evolif.report.conclusions import conclusion, few_early_line, no_interval_line, paired_line
from evolif.report.context_tables import context_grids
from evolif.report.coverage import extents_line, pair_line, unit_name
from evolif.report.early import early_note
from evolif.report.floor import floor_grids, with_corrected
from evolif.report.leaderboard import Leaderboard
from evolif.report.pairing import pairing_line
from evolif.report.ranks import rank_grids
from evolif.report.tables import own_parts, published_grid, why_empty
from evolif.report.wording import few_line, notice
from evolif.runner import RunSettings
from evolif.scenario import Grid, TableCell
from evolif.text import plain

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\char34{}", "'": "'", "`": r"\char96{}", "[": "{[}", "]": "{]}",
    "–": "--", "—": "---", "“": "``", "”": "''", "’": "'", "…": r"\ldots{}", "±": r"$\pm$", "×": r"$\times$",
    "÷": r"$\div$", "≤": r"$\leq$", "≥": r"$\geq$", "−": "$-$", "·": r"$\cdot$", "κ": r"$\kappa$", "\n": " ", "\t": " ",
    "-": "{-}", "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "ø": r"\o{}", "Ø": r"\O{}", "ł": r"\l{}", "Ł": r"\L{}",
}  # fmt: skip
r"""Brackets and hyphens stand in braces: `\\[` would begin a length after a line break, and `--` is a dash."""


_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c", "\u0328": "k",
}  # fmt: skip


def tex(text: str) -> str:
    """Any text as LaTeX; characters that some engine lacks become U+XXXX."""
    return "".join(_character(character) for character in plain(text))


def _character(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character.isascii():
        return character
    parts = normalize("NFD", character)
    if len(parts) == 2 and parts[1] in _ACCENTS and parts[0].isascii() and parts[0].isalpha():
        return rf"\{_ACCENTS[parts[1]]}{{{parts[0]}}}"
    return f"U+{ord(character):04X}"


_HEADER = "% Tables made by evolif; they need \\usepackage{booktabs}.\n"


_WIDEST = 5
"""Models side by side in one table; the others follow in further tables."""


def _head(settings: Iterable[RunSettings]) -> list[str]:
    told = notice(settings)
    return [_HEADER, *([f"% {told}\n"] if told else [])]


def latex_report(groups: Sequence[ComparableRuns], published: Leaderboard | None = None) -> str:
    """Headline, groups, survival and patience sweep of all runs, and the published leaderboard under its warning."""
    parts = _head(analysis.settings for runs in groups for analysis in runs.analyses)
    for number, runs in enumerate(groups, start=1):
        prefix = f"board{number}-" if len(groups) > 1 else ""
        parts += [table for grid in _grids(runs) for table in _tables(grid, prefix)]
    if published is not None:
        grid = published_grid(published)
        grid = replace(grid, title=f"{published.warning} {grid.title}")
        parts += _tables(grid, "", widest=len(grid.heads))
    return "\n".join(parts)


def latex_comparisons(comparisons: Sequence[ModelComparison]) -> str:
    """A table per comparison, its conclusion below."""
    parts = _head(model.of.settings for one in comparisons for model in (one.a, one.b))
    for number, one in enumerate(comparisons, start=1):
        grid = comparison_grid(one)
        played = pair_line(one.a.summary, one.b.summary)
        lines = paired_line(one), no_interval_line(one), few_early_line(one)
        notes = grid.note, played, *lines, pairing_line(one.tables, one.paired), conclusion(one)
        grid = replace(grid, note=" ".join(filter(None, notes)))
        prefix = f"{number}-" if len(comparisons) > 1 else ""
        parts += _tables(grid, prefix, widest=len(grid.heads))
        own = context_grids(one.side_by_side) if one.kind == "context" else ()
        parts += [table for grid in own for table in _tables(grid, prefix)]
    return "\n".join(parts)


def _tables(grid: Grid, prefix: str, widest: int = _WIDEST) -> Iterator[str]:
    """A grid as tables with a maximum number of columns; without rows only its note."""
    if why := why_empty(grid):
        yield rf"\par\noindent {tex(why)}\par" + "\n"
    starts = range(0, len(grid.heads), widest) if grid.rows else range(0)
    for number, start in enumerate(starts, start=1):
        suffix = f"-{number}" if len(starts) > 1 else ""
        yield _table(grid.part(start, start + widest), f"{prefix}{grid.name}{suffix}")


def _table(grid: Grid, name: str) -> str:
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{tex(grid.title)}}}",
        rf"\label{{tab:{name}}}",
        rf"\begin{{tabular}}{{l{'r' * len(grid.heads)}}}",
        r"\toprule",
        _row(map(tex, (grid.first, *grid.heads))),
        r"\midrule",
        *(_row((tex(name), *map(_cell, cells))) for name, cells in grid.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if grid.note:
        lines.append(rf"\par\smallskip\footnotesize {tex(grid.note)}")
    return "\n".join([*lines, r"\end{table}", ""])


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(cell: TableCell) -> str:
    aside = rf" {{\scriptsize {tex(cell.aside)}}}" if cell.aside else ""
    return tex(cell.value) + aside


def _grids(runs: ComparableRuns) -> Iterator[Grid]:
    headline = sections.headline(runs.heads, runs.summaries, runs.cap)
    notes = (
        headline.note,
        extents_line(runs.heads, runs.summaries),
        few_line(runs.summaries),
        early_note(one.early_end for one in runs.analyses),
    )
    note = " ".join(filter(None, notes))
    title = f"{runs.title_of_metrics} with 95 % intervals over {unit_name(runs.analyses[0].cluster)}"
    headline = with_corrected(headline, [model.csr_corrected for model in runs.models])
    yield replace(headline, title=title, note=note)
    yield from floor_grids(runs)
    yield from context_grids(runs)
    yield sections.groups_with_intervals(runs)
    if runs.has_patience:
        yield sections.survival(runs)
        yield sections.exhaustion(runs)
        yield sections.sweep(runs)
    yield from rank_grids(runs)
    yield from own_parts(runs)
