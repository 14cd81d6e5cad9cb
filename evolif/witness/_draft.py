"""A draft: blocks of sentences of pieces. Later stages touch fillers only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from evolif.text import count_words
from evolif.witness._vocabulary import Vocabulary


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
    bold: bool = False

    def __str__(self) -> str:
        return f"{self.before}{self.text}{self.after}"


@dataclass(slots=True)
class Sentence:
    """Pieces, and whether a final mark follows them."""

    pieces: list[Piece]
    stop: bool = True
    question: bool = False
    """The final mark is a question mark."""
    frozen: bool = False
    """Does not grow: places are counted in it."""

    def words(self) -> int:
        """How many words the sentence has."""
        return sum(piece.words for piece in self.pieces)

    def insert(self, piece: Piece) -> None:
        """Put a filler right after the first one, where it parts no edge from its place."""
        opener = next(i for i, p in enumerate(self.pieces) if p.role == "filler")
        self.pieces.insert(opener + 1, piece)


@dataclass(slots=True)
class DraftBlock:
    """A paragraph, or a list whose items are its sentences; also what holds no running text."""

    is_list: bool
    sentences: list[Sentence]
    kind: Literal["text", "heading", "table", "keys"] = "text"
    columns: int = 0
    """How many cells a row of the table has."""


@dataclass(slots=True)
class Draft:
    """The text before it is written."""

    blocks: list[DraftBlock] = field(default_factory=list)
    fillers: int = 0
    """How many fillers were taken so far: the next one differs."""
    longest: int = 0
    """The most words of a sentence; 0 without a limit."""

    def filler(self, words: Vocabulary) -> Piece:
        """The next filler."""
        self.fillers += 1
        return Piece(words.common(self.fillers))

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
        texts = [block for block in self.blocks if block.kind == "text"]
        outside = [s for block in texts if not block.is_list for s in block.sentences if not s.frozen]
        return outside or [s for block in texts for s in block.sentences if not s.frozen] or self.sentences()

    def place(self, keyword: str, sentence: Sentence, words: Vocabulary) -> None:
        """Put a keyword before a sentence's last piece, with a filler on both sides, so that no two run together."""
        pieces = sentence.pieces
        at = len(pieces) - 1
        piece = Piece(keyword, "keyword", count_words(keyword))
        pieces[at:at] = [piece] if pieces[at - 1].role == "filler" else [self.filler(words), piece]

    def homes(self, room: int = 1) -> Iterator[Sentence]:
        """The sentences that may grow, round and round; it ends only where none has room for so many words."""
        homes = self.roomy()
        while homes:
            if self.longest:
                homes = [s for s in homes if s.words() + room <= self.longest]
            yield from homes
