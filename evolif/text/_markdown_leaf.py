"""What the Markdown builder has open: a leaf block, a list item."""

from __future__ import annotations

from evolif.text._blocks import BlockKind
from evolif.text._normalise import clean


class Item:
    """A list item: whether it is a bullet, where it starts, whether it has content."""

    __slots__ = ("bullet", "filled", "start")

    def __init__(self, bullet: bool, start: int) -> None:
        self.bullet = bullet
        self.start = start
        self.filled = False


class Leaf:
    """The leaf block being read."""

    __slots__ = ("at", "bold", "breaks", "kind", "parts", "pieces", "plain", "start")

    def __init__(self, kind: BlockKind, start: int) -> None:
        self.kind: BlockKind = kind
        self.start = start
        self.parts: list[str] = []
        self.pieces: list[tuple[int, int, int]] = []
        self.at = 0
        self.breaks = 0
        self.plain = False
        self.bold = False

    def text(self) -> str:
        """What has been read; a character reference may have written what rule 1 removes."""
        joined = "".join(self.parts)
        text = clean(joined)
        if len(text) != len(joined):
            self.pieces = []  # places in the body are no longer known
        return text.rstrip("\n")

    def final_kind(self) -> BlockKind:
        """Text over a --- line is read as running text; a wholly bold line is a heading."""
        if self.kind == "heading" and self.breaks:
            return "paragraph"
        if self.kind == "paragraph" and self.bold and not self.plain and not self.breaks:
            return "heading"
        return self.kind
