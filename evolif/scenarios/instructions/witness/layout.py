"""Lay out drafts and write them: blocks of sentences of pieces, with every keyword, sign and edge in place.

First comes the skeleton, in numbers only: how many paragraphs, sentences and items. Then keywords, edges and marks are
placed. Later stages (`fit`) change only fillers.

`render` writes a draft in the required format; escaping happens only there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise, zip_longest
from typing import Literal

from evolif.scenarios.instructions.turns import Params
from evolif.scenarios.instructions.witness.requirements import RefusedError, Requirements
from evolif.scenarios.instructions.witness.vocabulary import Vocabulary
from evolif.text import count_words, fold, words

_TABLE_ROWS = 2
_LONG = 24
"""Maximum words of a sentence without another limit."""
_CELLS = frozenset({"json", "csv"})


@dataclass(slots=True)
class Piece:
    """A word, a keyword or a sign, with the marks directly before and after it."""

    text: str
    role: Literal["filler", "keyword", "sign"] = "filler"
    words: int = 1
    before: str = ""
    after: str = ""
    pinned: bool = False
    """Chosen for its letters, so it must not be replaced by another filler."""
    bold: bool = False

    def __str__(self) -> str:
        return f"{self.before}{self.text}{self.after}"


@dataclass(slots=True)
class Sentence:
    """Pieces, and whether a final mark follows."""

    pieces: list[Piece]
    stop: bool = True
    question: bool = False
    """The final mark is a question mark."""
    frozen: bool = False
    """Must not grow, because positions are counted in it."""

    def words(self) -> int:
        return sum(piece.words for piece in self.pieces)

    def insert(self, piece: Piece) -> None:
        """Put a piece right after the first filler, where it moves no edge.

        Raises:
            RefusedError: the sentence has no filler.
        """
        opener = next((i for i, p in enumerate(self.pieces) if p.role == "filler"), None)
        if opener is None:
            raise RefusedError("no-filler", "length", "placement", "punctuation")
        self.pieces.insert(opener + 1, piece)


@dataclass(slots=True)
class DraftBlock:
    """A paragraph, a list whose items are its sentences, or a block without running text."""

    is_list: bool
    sentences: list[Sentence]
    kind: Literal["text", "heading", "table", "keys"] = "text"
    columns: int = 0
    """Cells in a row of the table."""
    level: int = 2
    """Of a heading."""
    breaks: frozenset[int] = frozenset()
    """The sentences that begin another line or, in a list, another item; without any, every sentence of a list does."""


@dataclass(slots=True)
class Draft:
    """A text before it is rendered."""

    blocks: list[DraftBlock] = field(default_factory=list)
    fillers: int = 0
    """How many fillers were used so far; the next one differs."""
    longest: int = 0
    """The limit on the words of a sentence; 0 without a limit."""

    def filler(self, words: Vocabulary) -> Piece:
        self.fillers += 1
        return Piece(words.common(self.fillers))

    def sentences(self) -> list[Sentence]:
        """All sentences in document order."""
        return [s for block in self.blocks for s in block.sentences]

    def pieces(self) -> Iterator[Piece]:
        """All pieces in document order."""
        for sentence in self.sentences():
            yield from sentence.pieces

    def words(self) -> int:
        return sum(piece.words for piece in self.pieces())

    def roomy(self) -> list[Sentence]:
        """The sentences that may grow: those outside lists or, if there are none, the list's items."""
        texts = [block for block in self.blocks if block.kind == "text"]
        outside = [s for block in texts if not block.is_list for s in block.sentences if not s.frozen]
        return outside or [s for block in texts for s in block.sentences if not s.frozen] or self.sentences()

    def place(self, keyword: str, sentence: Sentence, words: Vocabulary) -> None:
        """Put a keyword before the sentence's last piece, between fillers, so that no two keywords touch."""
        pieces, piece = sentence.pieces, keyword_piece(keyword)
        at = len(pieces) - 1
        pieces[at:at] = [piece] if pieces[at - 1].role == "filler" else [self.filler(words), piece]

    def homes(self, group: str, room: int = 1) -> Iterator[Sentence]:
        """The sentences that may grow by `room` words, in an endless cycle.

        Raises:
            RefusedError: no sentence has room; `group` is the group that asks for it.
        """
        homes = self.roomy()
        while homes:
            if self.longest:
                homes = [s for s in homes if s.words() + room <= self.longest]
            yield from homes
        raise RefusedError("sentences-full", "sentences", group)


def items_of(block: DraftBlock) -> list[list[Sentence]]:
    """The sentences of a list, item by item."""
    return [block.sentences[a:b] for a, b in pairwise((*sorted(block.breaks), len(block.sentences)))]


def keyword_piece(keyword: str) -> Piece:
    """A piece that is a keyword."""
    return Piece(keyword, "keyword", count_words(keyword))


def lay_out(requirements: Requirements, words: Vocabulary, *, tight: bool) -> Draft:
    """A draft that lacks only its final size and case.

    Raises:
        RefusedError: there is no room for everything that must have a place.
    """
    paragraphs, outside = _skeleton(requirements, tight)
    draft = Draft()
    size = 2 if tight else 4
    for number in range(paragraphs):
        share = outside // paragraphs + (number < outside % paragraphs)
        draft.blocks.append(DraftBlock(False, [_fillers(draft, words, size) for _ in range(share)]))
    if requirements.items:
        items = [_fillers(draft, words, 2 if tight else 3) for _ in range(requirements.items)]
        draft.blocks.insert(min(1, len(draft.blocks)), DraftBlock(True, items))
    if not draft.blocks:
        raise RefusedError("no-sentence", "length", kind="awkward")  # a heading alone would be a trick
    if requirements.fmt in _CELLS:
        for sentence in draft.sentences():
            sentence.stop = False
    _add_blocks(draft, requirements, words, tight=tight)
    homes = draft.homes("existence", max(map(count_words, requirements.placements), default=0) + 1)
    for keyword in requirements.placements:
        draft.place(keyword, next(homes), words)
    place_everywhere(draft, requirements, words)
    place_edge(draft.sentences()[0], requirements.start, words, "start_with")
    place_position(draft, requirements, words)
    place_edge(draft.sentences()[-1], requirements.end, words, "end_with")
    _place_marks(draft, requirements)
    _finish(draft, requirements, words)
    return draft


def _skeleton(requirements: Requirements, tight: bool) -> tuple[int, int]:
    """How many paragraphs and sentences there are beside the list."""
    paragraphs = _paragraphs(requirements, tight)
    placements = len(requirements.placements)
    least = requirements.least_sentences(paragraphs, tight=tight)
    if requirements.unit == "sentences":
        target = max(requirements.items + 2, -(-placements // 3), requirements.low, least)
        outside = (target if requirements.high is None else min(target, requirements.high)) - requirements.items
        if outside < 0:
            raise RefusedError("items-over-sentences", "bullets", "length")
        return (min(paragraphs, outside) or (1 if outside else 0)), outside
    if not paragraphs:
        return 0, 0
    outside = max(paragraphs, 1 if tight else 2, -(-placements // (6 if tight else 3)), least - requirements.items)
    longest = requirements.longest or _LONG
    if requirements.unit == "words":
        outside = max(outside, requirements.low // min(24, longest - 3))
    elif requirements.unit == "characters":
        outside = max(outside, requirements.low // min(150, 6 * longest - 6))
    if requirements.fmt == "csv":
        outside = max(4, outside + outside % 2)
    return paragraphs, outside


def _paragraphs(requirements: Requirements, tight: bool) -> int:
    if requirements.acrostic:
        return len(requirements.acrostic) - bool(requirements.items)
    if requirements.unit == "paragraphs":
        total = max(requirements.low, 1) if requirements.high is None or requirements.low else min(requirements.high, 2)
        if total < 1:
            raise RefusedError("no-paragraph", "length", kind="impossible")
        return total - 1 if requirements.items else total
    # If the list came first, the text would start with its number.
    least = (
        2 - bool(requirements.items)
        if requirements.every
        else int(requirements.numbered and requirements.start is not None)
    )
    if requirements.items:
        return max(least, 0 if tight else 1)
    return max(least, 1 if tight or requirements.fmt in _CELLS else 2)


def _fillers(draft: Draft, words: Vocabulary, size: int, *, stop: bool = True) -> Sentence:
    return Sentence([draft.filler(words) for _ in range(size)], stop)


def place_edge(sentence: Sentence, params: Params | None, words: Vocabulary, group: str) -> None:
    """What the text starts or ends with, at that end of its outermost sentence."""
    if params is None:
        return
    mode, at_start = params["mode"], group == "start_with"
    outer = sentence.pieces[0 if at_start else -1]
    if mode in ("keyword", "emoji"):
        value = params["value"]
        piece = keyword_piece(value) if mode == "keyword" else Piece(value, "sign", 0)
        sentence.pieces.insert(0 if at_start else len(sentence.pieces), piece)
    elif mode == "quotation":
        outer.before, outer.after = params["left"], params["right"]
    else:
        letter = params["value"].lower()
        word = words.beginning(letter) if at_start else words.ending(letter)
        if word is None:
            raise RefusedError("no-filler-with-letter", group)
        outer.text, outer.pinned = word, True
    if not at_start and mode in ("emoji", "quotation"):
        sentence.stop = False


def _place_marks(draft: Draft, requirements: Requirements) -> None:
    """The mark to include, and one emphasis if the Markdown has no list, each on an inner filler."""
    if requirements.include:
        _inner_filler(draft).after = requirements.include
    if requirements.fmt == "markdown" and not requirements.items and not requirements.bold:
        piece = _inner_filler(draft)
        piece.before = piece.after = "**" if requirements.bold is None else "*"


def _inner_filler(draft: Draft) -> Piece:
    for sentence in draft.sentences():
        for piece in free_fillers(sentence):
            return piece
    raise RefusedError("no-place-for-mark", "punctuation", "format")


def free_fillers(sentence: Sentence) -> list[Piece]:
    """The fillers that may get marks: the last word of a sentence stays plain."""
    return [p for p in sentence.pieces[:-1] if p.role == "filler" and not p.before and not p.after]


def _add_blocks(draft: Draft, requirements: Requirements, words: Vocabulary, *, tight: bool) -> None:
    """A table after the first block, headings before the later ones, the keys of a JSON object first."""
    draft.longest = requirements.longest
    if requirements.columns:
        head = name_cells(requirements.columns)
        cells = [_fillers(draft, words, 1, stop=False) for _ in range(_TABLE_ROWS * len(head))]
        draft.blocks.insert(1, DraftBlock(False, [*head, *cells], "table", len(head)))
    last = len(draft.blocks) - 1
    for number in range(requirements.headings):
        heading = DraftBlock(False, [_fillers(draft, words, 2 if tight else 3, stop=False)], "heading")
        # The headings inserted so far move the other blocks.
        others = [i for i, block in enumerate(draft.blocks) if block.kind != "heading"]
        draft.blocks.insert(others[number % last + 1] if last else 0, heading)
    if requirements.keys:
        draft.blocks.insert(0, DraftBlock(False, name_cells(requirements.keys), "keys"))
    _freeze(draft, requirements)


def name_cells(names: Iterable[str]) -> list[Sentence]:
    """Given names as cells or keys."""
    return [Sentence([keyword_piece(name)], stop=False) for name in names]


def _freeze(draft: Draft, requirements: Requirements) -> None:
    """Freeze sentences in which positions are counted, or whose space an edge needs."""
    sentences = draft.sentences()
    if requirements.placed or (requirements.longest and (requirements.start or {}).get("mode") == "keyword"):
        sentences[0].frozen = True
    if requirements.longest and (requirements.end or {}).get("mode") == "keyword":
        sentences[-1].frozen = True


def place_everywhere(draft: Draft, requirements: Requirements, words: Vocabulary) -> None:
    """The keyword that every paragraph holds, including the list."""
    if not requirements.every:
        return
    for block in draft.blocks:
        if block.kind == "text":
            home = next((s for s in reversed(block.sentences) if not s.frozen), block.sentences[-1])
            draft.place(requirements.every, home, words)


def place_position(draft: Draft, requirements: Requirements, words: Vocabulary) -> None:
    """The keyword at its position, counted in words from the start."""
    position, keyword = requirements.position, requirements.placed
    if not keyword:
        return
    pieces = draft.sentences()[0].pieces
    at = seen = 0
    while at < len(pieces) - 1 and seen + pieces[at].words < position:
        seen += pieces[at].words
        at += 1
    missing = position - 1 - seen
    if missing < 0 or (not missing and at and pieces[at - 1].role == "keyword"):
        raise RefusedError("position-taken", "placement", "start_with")
    between = [draft.filler(words) for _ in range(missing)]
    after = [draft.filler(words)] if pieces[at].role == "keyword" else []
    pieces[at:at] = [*between, keyword_piece(keyword), *after]


def _finish(draft: Draft, requirements: Requirements, vocabulary: Vocabulary) -> None:
    """Acrostic, bold passages, questions and sentence beginnings: none of them changes the number of words."""
    texts = [block for block in draft.blocks if block.kind == "text"]
    sentences = [sentence for block in texts for sentence in block.sentences]
    if requirements.acrostic:
        spell(texts, requirements.acrostic, vocabulary)
    if requirements.bold:
        embolden(sentences, requirements.bold)
    if requirements.questions:
        stopped = [s for s in sentences if s.stop]
        if len(stopped) < requirements.questions:
            raise RefusedError("too-few-sentences", "sentences", "length")
        for sentence in stopped[: requirements.questions]:
            sentence.question = True
    if requirements.distinct:
        begin_differently(sentences, vocabulary)


def spell(texts: list[DraftBlock], word: str, vocabulary: Vocabulary) -> None:
    """Begin the blocks with the letters of an acrostic's word."""
    for number, (block, letter) in enumerate(zip(texts, word, strict=False)):
        opener = block.sentences[0].pieces[0]
        text = vocabulary.beginning(letter, number)
        if text is None or opener.role != "filler":
            raise RefusedError("no-filler-with-letter", "placement")
        opener.text, opener.pinned = text, True


def embolden(sentences: list[Sentence], count: int) -> None:
    """One filler of each sentence, then a second one, and so on."""
    rounds = zip_longest(*map(free_fillers, sentences))
    chosen = [piece for pieces in rounds for piece in pieces if piece is not None][:count]
    if len(chosen) < count:
        raise RefusedError("too-few-fillers", "emphasis", "length")
    for piece in chosen:
        piece.bold = True


def begin_differently(sentences: list[Sentence], vocabulary: Vocabulary) -> None:
    """Begin all sentences with different words."""
    openers = [next(p for p in s.pieces if p.words) for s in sentences]
    taken: set[str] = set()
    free = []
    for opener in openers:
        if opener.role == "filler" and not opener.pinned:
            free.append(opener)
            continue
        first = fold(words(opener.text)[0])
        if first in taken:
            raise RefusedError("same-beginning", "sentences", "start_with", "placement")
        taken.add(first)
    others = (word for word in vocabulary.everyday if word not in taken)
    for opener in free:
        text = next(others, None)
        if text is None:
            raise RefusedError("too-few-beginnings", "sentences", "length")
        opener.text, opener.pinned = text, True


_BOLD = ("**", "**")
UNESCAPED = ("\x02", "\x03")
"""Mark where bold begins and ends until the text is escaped."""


def render(draft: Draft, requirements: Requirements) -> str:
    """Write the draft in the required format."""
    stop = "!" if requirements.exclude == "." else "."
    if requirements.fmt == "json":
        return json_text(draft, stop)
    if requirements.fmt == "csv":
        cells = [csv_cell(sentence_text(s, stop)) for s in draft.sentences()]
        if len(cells) % 2:  # rows have two cells each
            raise RefusedError("cells", "format")
        return "\n".join(f"{left},{right}" for left, right in zip(cells[::2], cells[1::2], strict=True))
    if requirements.fmt in ("html", "xml"):
        return _tags(draft, requirements, stop)
    return "\n\n".join(_markdown(block, requirements, stop) for block in draft.blocks)


def sentence_text(sentence: Sentence, stop: str, bold: tuple[str, str] = _BOLD) -> str:
    """A sentence as written, with its final mark."""
    text = " ".join(f"{bold[0]}{piece}{bold[1]}" if piece.bold else str(piece) for piece in sentence.pieces)
    if not sentence.stop:
        return text
    return f"{text}?" if sentence.question else text + stop


def json_text(draft: Draft, stop: str) -> str:
    """An array of the sentences, or an object with the given keys."""
    keys = [sentence_text(s, stop) for block in draft.blocks if block.kind == "keys" for s in block.sentences]
    texts = [sentence_text(s, stop) for block in draft.blocks if block.kind != "keys" for s in block.sentences]
    if not keys:
        return json.dumps(texts, ensure_ascii=False)
    last = len(keys) - 1
    values: list[str | Sequence[str]] = [*texts[:last], texts[last] if len(texts) == len(keys) else texts[last:]]
    return json.dumps(dict(zip(keys, values, strict=True)), ensure_ascii=False)


def csv_cell(text: str) -> str:
    """A text as a cell, quoted if it must be."""
    if "," in text or '"' in text:
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def _tags(draft: Draft, requirements: Requirements, stop: str) -> str:
    lines = []
    ordered = "ol" if requirements.numbered else "ul"
    for block in draft.blocks:
        texts = [escape(sentence_text(s, stop, UNESCAPED), quote=False) for s in block.sentences]
        if block.is_list:
            lines += [f"<{ordered}>", *(f"<li>{text}</li>" for text in texts), f"</{ordered}>"]
        elif block.kind == "heading":
            lines.append(f"<h2>{texts[0]}</h2>")
        else:
            lines.append(f"<p>{' '.join(texts)}</p>")
    root = "answer" if requirements.fmt == "xml" else "div"
    text = "\n".join([f"<{root}>", *lines, f"</{root}>"])
    return text.replace(UNESCAPED[0], "<b>").replace(UNESCAPED[1], "</b>") if requirements.bold else text


def _markdown(block: DraftBlock, requirements: Requirements, stop: str) -> str:
    texts = [sentence_text(s, stop) for s in block.sentences]
    if block.is_list:
        sign = ")" if requirements.exclude == "." else "."
        marks = [f"{n}{sign}" for n in range(1, len(texts) + 1)] if requirements.numbered else ["-"] * len(texts)
        return "\n".join(f"{mark} {text}" for mark, text in zip(marks, texts, strict=True))
    if block.kind == "heading":
        return f"## {texts[0]}"
    if block.kind == "table":
        rows = [texts[at : at + block.columns] for at in range(0, len(texts), block.columns)]
        rows.insert(1, ["---"] * block.columns)
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return " ".join(texts)
