"""A draft: blocks of sentences of pieces. Later stages touch fillers only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal

from evolif.text import count_words, fold, words
from evolif.types import Params
from evolif.witness.requirements import RefusedError, Requirements
from evolif.witness.vocabulary import Vocabulary


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


# Stages 2 and 3 for what only the profile `extended` draws: more blocks, fixed places, marks on sentences.

_TABLE_ROWS = 2


def add_blocks(draft: Draft, needs: Requirements, vocabulary: Vocabulary, *, tight: bool) -> None:
    """A table after the first block, headings before the later ones, the keys of a JSON object first."""
    more = needs.more
    draft.longest = more.longest
    if more.columns:
        head = [_fixed(name) for name in more.columns]
        cells = [_fillers(draft, vocabulary, 1) for _ in range(_TABLE_ROWS * len(head))]
        draft.blocks.insert(1, DraftBlock(False, [*head, *cells], "table", len(head)))
    last = len(draft.blocks) - 1
    for number in range(more.headings):
        heading = DraftBlock(False, [_fillers(draft, vocabulary, 2 if tight else 3)], "heading")
        if last:
            # The blocks move: each heading before this one stands before a block in front, or before the same.
            before = number % last + 1
            draft.blocks.insert(_index(draft, before), heading)
        else:
            draft.blocks.insert(0, heading)
    if more.keys:
        draft.blocks.insert(0, DraftBlock(False, [_fixed(name) for name in more.keys], "keys"))
    _freeze(draft, needs)


def _index(draft: Draft, number: int) -> int:
    """Where the block stands that is the `number`-th, from 0, without headings."""
    return [i for i, block in enumerate(draft.blocks) if block.kind != "heading"][number]


def _fixed(name: str) -> Sentence:
    return Sentence([Piece(name, "keyword", count_words(name))], stop=False)


def _fillers(draft: Draft, vocabulary: Vocabulary, size: int) -> Sentence:
    return Sentence([draft.filler(vocabulary) for _ in range(size)], stop=False)


def _freeze(draft: Draft, needs: Requirements) -> None:
    """Keep later words out of sentences in which places are counted, or whose room an edge takes."""
    more, sentences = needs.more, draft.sentences()
    if more.placed or (more.longest and (needs.start or {}).get("mode") == "keyword"):
        sentences[0].frozen = True
    if more.longest and (needs.end or {}).get("mode") == "keyword":
        sentences[-1].frozen = True


def place_everywhere(draft: Draft, needs: Requirements, vocabulary: Vocabulary) -> None:
    """The keyword that every paragraph holds, the list among them."""
    if not needs.more.every:
        return
    for block in draft.blocks:
        if block.kind == "text":
            home = next((s for s in reversed(block.sentences) if not s.frozen), block.sentences[-1])
            draft.place(needs.more.every, home, vocabulary)


def place_position(draft: Draft, needs: Requirements, vocabulary: Vocabulary) -> None:
    """The keyword at its position, counted in words from the start."""
    position, keyword = needs.more.position, needs.more.placed
    if not keyword:
        return
    pieces = draft.sentences()[0].pieces
    at = seen = 0
    while at < len(pieces) - 1 and seen + pieces[at].words < position:
        seen += pieces[at].words
        at += 1
    missing = position - 1 - seen
    if missing < 0 or (not missing and at and pieces[at - 1].role == "keyword"):
        raise RefusedError("cramped", "position-taken", "placement", "start_with")
    between = [draft.filler(vocabulary) for _ in range(missing)]
    after = [draft.filler(vocabulary)] if pieces[at].role == "keyword" else []
    pieces[at:at] = [*between, Piece(keyword, "keyword", count_words(keyword)), *after]


def finish(draft: Draft, needs: Requirements, vocabulary: Vocabulary) -> None:
    """Acrostic, bold passages, questions and sentence beginnings: nothing of it changes how many words there are."""
    more = needs.more
    texts = [block for block in draft.blocks if block.kind == "text"]
    sentences = [sentence for block in texts for sentence in block.sentences]
    if more.acrostic:
        _spell(texts, more.acrostic, vocabulary)
    if more.bold:
        _embolden(sentences, more.bold)
    if more.questions:
        open_ones = [s for s in sentences if s.stop]
        if len(open_ones) < more.questions:
            raise RefusedError("cramped", "too-few-sentences", "sentences", "length")
        for sentence in open_ones[: more.questions]:
            sentence.question = True
    if more.distinct:
        _begin_differently(sentences, vocabulary)


def _spell(texts: list[DraftBlock], word: str, vocabulary: Vocabulary) -> None:
    for number, (block, letter) in enumerate(zip(texts, word, strict=False)):
        opener = block.sentences[0].pieces[0]
        text = vocabulary.beginning(letter, number)
        if text is None or opener.role != "filler":
            raise RefusedError("cramped", "no-filler-with-letter", "placement")
        opener.text, opener.pinned = text, True


def _embolden(sentences: list[Sentence], count: int) -> None:
    """One filler of each sentence, then a second one, and so on; the last word stays plain."""
    inner = [[p for p in s.pieces[:-1] if p.role == "filler" and not p.before and not p.after] for s in sentences]
    longest = max(map(len, inner), default=0)
    chosen = list(chain.from_iterable((row[n] for row in inner if n < len(row)) for n in range(longest)))[:count]
    if len(chosen) < count:
        raise RefusedError("cramped", "too-few-fillers", "emphasis", "length")
    for piece in chosen:
        piece.bold = True


def _begin_differently(sentences: list[Sentence], vocabulary: Vocabulary) -> None:
    openers = [next(p for p in s.pieces if p.words) for s in sentences]
    taken: set[str] = set()
    free = []
    for opener in openers:
        if opener.role == "filler" and not opener.pinned:
            free.append(opener)
            continue
        first = fold(words(opener.text)[0])
        if first in taken:
            raise RefusedError("cramped", "same-beginning", "sentences", "start_with", "placement")
        taken.add(first)
    others = (word for word in vocabulary.everyday if word not in taken)
    for opener in free:
        text = next(others, None)
        if text is None:
            raise RefusedError("cramped", "too-few-beginnings", "sentences", "length")
        opener.text, opener.pinned = text, True


# Stage 2 and 3: the skeleton in whole numbers, then keywords, signs and edges in their places.

_LONG = 24
"""Words of a sentence that is as long as the builder makes them without being told."""

_CELLS = frozenset({"json", "csv"})


def lay_out(needs: Requirements, words: Vocabulary, *, tight: bool) -> Draft:
    """A draft with everything but its final size and case."""
    paragraphs, outside = _skeleton(needs, tight)
    draft = Draft()
    size = 2 if tight else 4
    for number in range(paragraphs):
        share = outside // paragraphs + (number < outside % paragraphs)
        draft.blocks.append(DraftBlock(False, [_sentence(draft, words, size) for _ in range(share)]))
    if needs.items:
        items = DraftBlock(True, [_sentence(draft, words, 2 if tight else 3) for _ in range(needs.items)])
        draft.blocks.insert(min(1, len(draft.blocks)), items)
    if not draft.blocks:
        raise RefusedError("awkward", "no-sentence", "length")  # a heading alone would be a trick
    if needs.fmt in _CELLS:
        for sentence in draft.sentences():
            sentence.stop = False
    add_blocks(draft, needs, words, tight=tight)
    _place_keywords(draft, needs, words)
    place_everywhere(draft, needs, words)
    _place_start(draft.sentences()[0], needs.start, words)
    place_position(draft, needs, words)
    _place_end(draft.sentences()[-1], needs.end, words)
    _place_marks(draft, needs)
    finish(draft, needs, words)
    return draft


def _skeleton(needs: Requirements, tight: bool) -> tuple[int, int]:
    """Paragraphs and sentences beside the list."""
    paragraphs = _paragraphs(needs, tight)
    if needs.unit == "sentences":
        total = _sentence_target(needs, _least_sentences(needs, paragraphs, tight))
        outside = total - needs.items
        if outside < 0:
            raise RefusedError("cramped", "items-over-sentences", "bullets", "length")
        return (min(paragraphs, outside) or (1 if outside else 0)), outside
    if not paragraphs:
        return 0, 0
    outside = max(paragraphs, 1 if tight else 2, -(-len(needs.placements) // (6 if tight else 3)))
    outside = max(outside, _least_sentences(needs, paragraphs, tight) - needs.items)
    longest = needs.more.longest or _LONG
    if needs.unit == "words":
        outside = max(outside, needs.low // min(24, longest - 3))
    elif needs.unit == "characters":
        outside = max(outside, needs.low // min(150, 6 * longest - 6))
    if needs.fmt == "csv":
        outside = max(4, outside + outside % 2)
    return paragraphs, outside


def _least_sentences(needs: Requirements, paragraphs: int, tight: bool) -> int:
    return needs.more.sentences(paragraphs, needs.items, len(needs.placements), tight=tight)


def _paragraphs(needs: Requirements, tight: bool) -> int:
    more = needs.more
    if more.acrostic:
        return len(more.acrostic) - bool(needs.items)
    if needs.unit == "paragraphs":
        total = max(needs.low, 1) if needs.high is None or needs.low else min(needs.high, 2)
        if total < 1:
            raise RefusedError("impossible", "no-paragraph", "length")
        return total - 1 if needs.items else total
    # A list that stands first begins with its number.
    least = 2 - bool(needs.items) if more.every else int(more.numbered and needs.start is not None)
    if needs.items:
        return max(least, 0 if tight else 1)
    return max(least, 1 if tight or needs.fmt in _CELLS else 2)


def _sentence_target(needs: Requirements, least: int) -> int:
    wanted = max(needs.items + 2, -(-len(needs.placements) // 3), needs.low, least)
    return wanted if needs.high is None else min(wanted, needs.high)


def _sentence(draft: Draft, words: Vocabulary, size: int) -> Sentence:
    return Sentence([draft.filler(words) for _ in range(size)])


def _keyword(text: str) -> Piece:
    return Piece(text, "keyword", count_words(text))


def _place_keywords(draft: Draft, needs: Requirements, words: Vocabulary) -> None:
    """Round robin, each with a filler on both sides, so that no two run together."""
    homes = draft.homes(max(map(count_words, needs.placements), default=0) + 1)
    for text in needs.placements:
        home = next(homes, None)
        if home is None:
            raise RefusedError("cramped", "sentences-full", "sentences", "existence")
        draft.place(text, home, words)


def _place_start(sentence: Sentence, start: Params | None, words: Vocabulary) -> None:
    if start is None:
        return
    opener = sentence.pieces[0]
    mode = start["mode"]
    if mode == "keyword":
        sentence.pieces.insert(0, _keyword(start["value"]))
    elif mode == "emoji":
        sentence.pieces.insert(0, Piece(start["value"], "sign", 0))
    elif mode == "quotation":
        opener.before, opener.after = start["left"], start["right"]
    else:
        word = words.first(start["value"].lower())
        if word is None:
            raise RefusedError("cramped", "no-filler-with-letter", "start_with")
        opener.text, opener.pinned = word, True


def _place_end(sentence: Sentence, end: Params | None, words: Vocabulary) -> None:
    if end is None:
        return
    closer = sentence.pieces[-1]
    mode = end["mode"]
    if mode == "keyword":
        sentence.pieces.append(_keyword(end["value"]))
    elif mode == "emoji":
        sentence.pieces.append(Piece(end["value"], "sign", 0))
        sentence.stop = False
    elif mode == "quotation":
        closer.before, closer.after = end["left"], end["right"]
        sentence.stop = False
    else:
        word = words.last(end["value"].lower())
        if word is None:
            raise RefusedError("cramped", "no-filler-with-letter", "end_with")
        closer.text, closer.pinned = word, True


def _place_marks(draft: Draft, needs: Requirements) -> None:
    """The mark to include, and one emphasis where Markdown has no list to show, each on an inner filler."""
    if needs.include:
        piece = _inner_filler(draft)
        piece.after = needs.include
    if needs.fmt == "markdown" and not needs.items and not needs.more.bold:
        piece = _inner_filler(draft)
        piece.before = piece.after = "**" if needs.more.bold is None else "*"


def _inner_filler(draft: Draft) -> Piece:
    for sentence in draft.sentences():
        for piece in sentence.pieces[:-1]:
            if piece.role == "filler" and not piece.before and not piece.after:
                return piece
    raise RefusedError("cramped", "no-place-for-mark", "punctuation", "format")
