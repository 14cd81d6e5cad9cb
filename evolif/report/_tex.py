"""Text and tables in LaTeX: whatever a name holds, it comes out as text and compiles with every engine.

The tables want the package booktabs and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import normalize

from evolif.report._escape import plain

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
