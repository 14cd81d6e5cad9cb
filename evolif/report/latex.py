"""The tables for a paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from unicodedata import normalize

import evolif.report.tables as sections
from evolif.report.comparable import ComparableRuns
from evolif.report.comparison import ModelComparison
from evolif.report.tables import Grid
from evolif.report.wording import NOT_COMPARABLE, Published
from evolif.text import plain

# Text and tables in LaTeX: whatever a name holds, it comes out as text and compiles with every engine.
#
# The tables want the package booktabs and nothing else.

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\char34{}", "'": "'", "`": r"\char96{}", "[": "{[}", "]": "{]}",
    "–": "--", "—": "---", "“": "``", "”": "''", "’": "'", "…": r"\ldots{}", "±": r"$\pm$", "×": r"$\times$",
    "≤": r"$\leq$", "≥": r"$\geq$", "−": "$-$", "·": r"$\cdot$", "κ": r"$\kappa$", "\n": " ", "\t": " ",
    "-": "{-}", "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "ø": r"\o{}", "Ø": r"\O{}", "ł": r"\l{}", "Ł": r"\L{}",
}  # fmt: skip
r"""Brackets stand in braces, for after a line break `\\[` begins a length; hyphens, so that `--` is no dash."""


_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c", "\u0328": "k",
}  # fmt: skip


def tex(text: str) -> str:
    """Any text as LaTeX that shows it; characters that not every engine knows are written as U+XXXX."""
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


@dataclass(frozen=True, slots=True)
class TexTable:
    """A table of text; cells come ready as LaTeX, head, caption and note as plain text."""

    label: str
    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def __str__(self) -> str:
        columns = "l" + "r" * (len(self.head) - 1)
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{tex(self.caption)}}}",
            rf"\label{{tab:{self.label}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _row([tex(cell) for cell in self.head]),
            r"\midrule",
            *(_row(row) for row in self.rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
        if self.note:
            lines.append(rf"\par\smallskip\footnotesize {tex(self.note)}")
        return "\n".join([*lines, r"\end{table}", ""])


def small(text: str) -> str:
    """Plain text in the size of an interval."""
    return rf"{{\scriptsize {tex(text)}}}" if text else ""


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


_HEADER = "% Tables made by evolif; they want \\usepackage{booktabs}.\n"

_WIDEST = 5
"""Models beside each other in a table; more stand in further ones."""


def latex_report(boards: Sequence[ComparableRuns], published: Published | None = None) -> str:
    """Headline, groups and patience sweep of every board; the published leaderboard where given, under its warning."""
    parts = [_HEADER, f"% {NOT_COMPARABLE}\n"]
    for number, board in enumerate(boards, start=1):
        prefix = f"board{number}-" if len(boards) > 1 else ""
        parts += [str(table) for grid in _grids(board) for table in tables(grid, prefix)]
    if published is not None:
        from evolif.report.terminal import published_grid

        grid = published_grid(published)
        grid = replace(grid, title=f"{published.warning} {grid.title}")
        parts += map(str, tables(grid, "", widest=len(grid.heads)))
    return "\n".join(parts)


def latex_comparisons(comparisons: Sequence[ModelComparison]) -> str:
    """A table per comparison, its conclusion below."""
    from evolif.report.comparison import conclusion
    from evolif.report.terminal import comparison_grid

    parts = [_HEADER, f"% {NOT_COMPARABLE}\n"]
    for number, one in enumerate(comparisons, start=1):
        grid = comparison_grid(one)
        grid = replace(grid, note=f"{grid.note} {conclusion(one)}")
        prefix = f"{number}-" if len(comparisons) > 1 else ""
        parts += map(str, tables(grid, prefix, widest=len(grid.heads)))
    return "\n".join(parts)


def tables(grid: Grid, prefix: str, widest: int = _WIDEST) -> Iterator[TexTable]:
    """A grid as tables of at most so many columns; none where it has no rows."""
    if not grid.rows:
        return
    starts = range(0, len(grid.heads), widest)
    for number, start in enumerate(starts, start=1):
        part = grid.part(start, start + widest)
        yield TexTable(
            label=f"{prefix}{grid.name}{f'-{number}' if len(starts) > 1 else ''}",
            caption=grid.title or "The eight metrics with 95 % bootstrap intervals over dialogues",
            head=(part.first, *part.heads),
            rows=[
                (tex(name), *(f"{tex(cell.value)} {small(cell.aside)}".strip() for cell in cells))
                for name, cells in part.rows
            ],
            note=part.note,
        )


def _grids(board: ComparableRuns) -> Iterator[Grid]:
    cap = max(run.settings.max_turns for run in board.runs)
    yield sections.headline(board.heads, [model.summary for model in board.models], cap)
    yield sections.groups_with_intervals(board)
    yield sections.survival(board)
    yield sections.sweep(board)
    yield sections.rank_stability(board)
