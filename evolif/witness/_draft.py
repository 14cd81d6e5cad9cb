"""A draft: blocks of sentences of pieces. Later stages touch fillers only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal


@dataclass(slots=True)
class Piece:
    """A word, a keyword or a sign, with what is glued before and after it."""

    text: str
    role: Literal["filler", "keyword", "sign"] = "filler"
    words: int = 1
    before: str = ""
    after: str = ""
    pinned: bool = False
    """Chosen for its letters: not to be swapped for another filler."""

    def __str__(self) -> str:
        return f"{self.before}{self.text}{self.after}"


@dataclass(slots=True)
class Sentence:
    """Pieces, and whether a final mark follows them."""

    pieces: list[Piece]
    stop: bool = True

    def insert(self, piece: Piece) -> None:
        """Put a filler right after the first one, where it parts no edge from its place."""
        opener = next(i for i, p in enumerate(self.pieces) if p.role == "filler")
        self.pieces.insert(opener + 1, piece)


@dataclass(slots=True)
class DraftBlock:
    """A paragraph, or a list whose items are its sentences."""

    is_list: bool
    sentences: list[Sentence]


@dataclass(slots=True)
class Draft:
    """The text before it is written."""

    blocks: list[DraftBlock] = field(default_factory=list)
    fillers: int = 0
    """How many fillers were taken so far: the next one differs."""

    def sentences(self) -> list[Sentence]:
        """All sentences in document order."""
        return [s for block in self.blocks for s in block.sentences]

    def pieces(self) -> Iterator[Piece]:
        """All pieces in document order."""
        for block in self.blocks:
            for sentence in block.sentences:
                yield from sentence.pieces

    def words(self) -> int:
        """How many words the draft has."""
        return sum(piece.words for piece in self.pieces())

    def roomy(self) -> list[Sentence]:
        """Sentences that may grow: those outside lists, or the items where there is nothing else."""
        outside = [s for block in self.blocks if not block.is_list for s in block.sentences]
        return outside or self.sentences()
