"""Stage 2 and 3: the skeleton in whole numbers, then keywords, signs and edges in their places."""

from __future__ import annotations

from evolif.domain import Params
from evolif.text import count_words
from evolif.witness._draft import Draft, DraftBlock, Piece, Sentence
from evolif.witness._extended import add_blocks, finish, place_everywhere, place_position
from evolif.witness._needs import Needs, RefusedError
from evolif.witness._vocabulary import Vocabulary

_LONG = 24
"""Words of a sentence that is as long as the builder makes them without being told."""

_CELLS = frozenset({"json", "csv"})


def lay_out(needs: Needs, words: Vocabulary, *, tight: bool) -> Draft:
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


def _skeleton(needs: Needs, tight: bool) -> tuple[int, int]:
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


def _least_sentences(needs: Needs, paragraphs: int, tight: bool) -> int:
    return needs.more.sentences(paragraphs, needs.items, len(needs.placements), tight=tight)


def _paragraphs(needs: Needs, tight: bool) -> int:
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


def _sentence_target(needs: Needs, least: int) -> int:
    wanted = max(needs.items + 2, -(-len(needs.placements) // 3), needs.low, least)
    return wanted if needs.high is None else min(wanted, needs.high)


def _sentence(draft: Draft, words: Vocabulary, size: int) -> Sentence:
    return Sentence([draft.filler(words) for _ in range(size)])


def _keyword(text: str) -> Piece:
    return Piece(text, "keyword", count_words(text))


def _place_keywords(draft: Draft, needs: Needs, words: Vocabulary) -> None:
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


def _place_marks(draft: Draft, needs: Needs) -> None:
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
