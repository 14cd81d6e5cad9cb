"""Foreign text made fit for a screen: nothing in it is a command, everything invisible in it is shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evolif.text import spell_out

Style = Literal["added", "removed", "kept", "finding", "escape", "strong", "faint"]
"""What a range of text is; how it looks is the application's matter, and never colour alone."""

StyledSpan = tuple[int, int, Style]


@dataclass(frozen=True, slots=True)
class Marked:
    """Text that may go to a screen as it stands, and which of its ranges `[start, end)` look how."""

    text: str = ""
    marks: tuple[StyledSpan, ...] = ()

    def __add__(self, other: Marked) -> Marked:
        shift = len(self.text)
        return Marked(self.text + other.text, self.marks + tuple((a + shift, b + shift, k) for a, b, k in other.marks))


def visible(text: str, spans: Sequence[tuple[int, int]] = (), look: Style = "finding") -> Marked:
    r"""Foreign text with control characters, reversals and invisible signs shown as in `\x1b`; tabs become spaces.

    Args:
        text: Anything.
        spans: Half-open ranges of `text` to be marked; what lies outside of it is cut.
        look: How they look.
    """
    if text.isascii() and text.isprintable() and not spans:
        return Marked(text)  # most labels, by the thousand
    pieces, offsets, length = [], [0], 0
    escapes: list[tuple[int, int]] = []
    for character in text:
        piece = spell_out(character)
        if len(piece) > 1 and character != "\t":
            # A run of them is one range: thousands of small ones would keep the screen busy for seconds.
            start = escapes.pop()[0] if escapes and escapes[-1][1] == length else length
            escapes.append((start, length + len(piece)))
        pieces.append(piece)
        length += len(piece)
        offsets.append(length)
    clamped = ((max(0, start), min(end, len(text))) for start, end in spans)
    marks = [(offsets[start], offsets[end], look) for start, end in clamped if start < end]
    return Marked("".join(pieces), (*marks, *((start, end, "escape") for start, end in escapes)))


def hidden(text: str) -> list[tuple[int, int]]:
    """Where a text holds signs that `visible` has to spell out."""
    return [(at, at + 1) for at, sign in enumerate(text) if sign != "\t" and len(spell_out(sign)) > 1]


def one_line(text: str, limit: int = 0) -> str:
    """Foreign text on one line, cut at `limit` characters where one is given."""
    flat = visible(" ".join(text.split())).text
    return flat if not limit or len(flat) <= limit else f"{flat[: max(limit - 1, 0)]}…"


def cut(line: str, width: int) -> str:
    """A safe line cut at so many cells of a terminal, where wide signs take two."""
    cells = 0
    for at, sign in enumerate(line):
        cells += 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        if cells > width:
            return f"{_within(line[:at], width - 1)}…"
    return line


def _within(line: str, width: int) -> str:
    while sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in line) > width:
        line = line[:-1]
    return line


def said(text: str, look: Style | None = None) -> Marked:
    """Own words, all of them in one look; foreign text goes through `visible`."""
    return Marked(text, ((0, len(text), look),) if look and text else ())


def joined(parts: Sequence[Marked], between: str = "\n") -> Marked:
    """Pieces with something of our own between them."""
    whole = Marked()
    for number, part in enumerate(parts):
        whole = whole + said(between) + part if number else part
    return whole


def typed(text: str) -> str:
    """What a person typed or pasted, as it may be stored: line breaks made one kind, unsafe signs spelled out."""
    return visible(text.replace("\r\n", "\n").replace("\r", "\n")).text
