"""Stages 2 and 3 for what only the profile `extended` draws: more blocks, fixed places, marks on sentences."""

from __future__ import annotations

from itertools import chain

from evolif.text import count_words, fold, words
from evolif.witness._draft import Draft, DraftBlock, Piece, Sentence
from evolif.witness._needs import Needs, RefusedError
from evolif.witness._vocabulary import Vocabulary

_TABLE_ROWS = 2


def add_blocks(draft: Draft, needs: Needs, vocabulary: Vocabulary, *, tight: bool) -> None:
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


def _freeze(draft: Draft, needs: Needs) -> None:
    """Keep later words out of sentences in which places are counted, or whose room an edge takes."""
    more, sentences = needs.more, draft.sentences()
    if more.placed or (more.longest and (needs.start or {}).get("mode") == "keyword"):
        sentences[0].frozen = True
    if more.longest and (needs.end or {}).get("mode") == "keyword":
        sentences[-1].frozen = True


def place_everywhere(draft: Draft, needs: Needs, vocabulary: Vocabulary) -> None:
    """The keyword that every paragraph holds, the list among them."""
    if not needs.more.every:
        return
    for block in draft.blocks:
        if block.kind == "text":
            home = next((s for s in reversed(block.sentences) if not s.frozen), block.sentences[-1])
            draft.place(needs.more.every, home, vocabulary)


def place_position(draft: Draft, needs: Needs, vocabulary: Vocabulary) -> None:
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


def finish(draft: Draft, needs: Needs, vocabulary: Vocabulary) -> None:
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
