"""Make foreign text safe for a screen: control and invisible characters are escaped."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evolif.text.display import spell_out

TextStyle = Literal["added", "removed", "kept", "finding", "escape", "strong", "faint"]
"""The meaning of a range of text; the application chooses its look, which is never colour alone."""

StyledSpan = tuple[int, int, TextStyle]


@dataclass(frozen=True, slots=True)
class Marked:
    """Text that is safe for a screen, and the styles of its ranges `[start, end)`."""

    text: str = ""
    marks: tuple[StyledSpan, ...] = ()

    def __add__(self, other: Marked) -> Marked:
        shift = len(self.text)
        return Marked(self.text + other.text, self.marks + tuple((a + shift, b + shift, k) for a, b, k in other.marks))


def visible(text: str, spans: Sequence[tuple[int, int]] = (), look: TextStyle = "finding") -> Marked:
    r"""Foreign text with control characters, reversals and invisible signs as in `\x1b`; tabs become spaces.

    Args:
        text: Anything.
        spans: Half-open ranges of `text` to mark; they are clamped to it.
        look: Their style.
    """
    if text.isascii() and text.isprintable() and not spans:
        return Marked(text)  # fast path: most labels
    pieces, offsets, length = [], [0], 0
    escapes: list[tuple[int, int]] = []
    for character in text:
        piece = spell_out(character)
        if len(piece) > 1 and character != "\t":
            # A run of escapes is one range: drawing thousands of small ranges takes seconds.
            start = escapes.pop()[0] if escapes and escapes[-1][1] == length else length
            escapes.append((start, length + len(piece)))
        pieces.append(piece)
        length += len(piece)
        offsets.append(length)
    clamped = ((max(0, start), min(end, len(text))) for start, end in spans)
    marks = [(offsets[start], offsets[end], look) for start, end in clamped if start < end]
    return Marked("".join(pieces), (*marks, *((start, end, "escape") for start, end in escapes)))


def hidden(text: str) -> list[tuple[int, int]]:
    """The ranges of signs that `visible` spells out."""
    return [(at, at + 1) for at, sign in enumerate(text) if sign != "\t" and len(spell_out(sign)) > 1]


def one_line(text: str, limit: int = 0) -> str:
    """Foreign text on one line, cut at `limit` characters unless 0."""
    flat = visible(" ".join(text.split())).text
    return flat if not limit or len(flat) <= limit else f"{flat[: max(limit - 1, 0)]}…"


def cut(line: str, width: int) -> str:
    """A safe line cut at a number of terminal cells; wide signs take two."""
    cells = end = 0
    for at, sign in enumerate(line):
        if cells < width:
            end = at
        cells += 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        if cells > width:
            return f"{line[:end]}…"
    return line


def styled(text: str, look: TextStyle | None = None) -> Marked:
    """The program's own words in one style; foreign text needs `visible`."""
    return Marked(text, ((0, len(text), look),) if look and text else ())


def joined(parts: Sequence[Marked], between: str = "\n") -> Marked:
    """The parts with a separator between them."""
    whole = Marked()
    for number, part in enumerate(parts):
        whole = whole + Marked(between) + part if number else part
    return whole


def clean_input(text: str) -> str:
    """Typed or pasted text made storable: one kind of line break, unsafe characters escaped."""
    return visible(text.replace("\r\n", "\n").replace("\r", "\n")).text
