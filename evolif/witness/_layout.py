"""Stage 2 and 3: the skeleton in whole numbers, then keywords, signs and edges in their places."""

from __future__ import annotations

from evolif.domain import Params
from evolif.text import count_words
from evolif.witness._draft import Draft, DraftBlock, Piece, Sentence
from evolif.witness._needs import Needs, RefusedError
from evolif.witness._vocabulary import Vocabulary

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
    _place_keywords(draft, needs, words)
    _place_start(draft.sentences()[0], needs.start, words)
    _place_end(draft.sentences()[-1], needs.end, words)
    _place_marks(draft, needs)
    return draft


def _skeleton(needs: Needs, tight: bool) -> tuple[int, int]:
    """Paragraphs and sentences beside the list."""
    paragraphs = _paragraphs(needs, tight)
    if needs.unit == "sentences":
        total = _sentence_target(needs)
        outside = total - needs.items
        if outside < 0:
            raise RefusedError("cramped", "items-over-sentences", "bullets", "length")
        return (min(paragraphs, outside) or (1 if outside else 0)), outside
    if not paragraphs:
        return 0, 0
    outside = max(paragraphs, 1 if tight else 2, -(-len(needs.placements) // (6 if tight else 3)))
    if needs.unit == "words":
        outside = max(outside, needs.low // 14)
    elif needs.unit == "characters":
        outside = max(outside, needs.low // 90)
    if needs.fmt == "csv":
        outside = max(4, outside + outside % 2)
    return paragraphs, outside


def _paragraphs(needs: Needs, tight: bool) -> int:
    if needs.unit == "paragraphs":
        total = max(needs.low, 1) if needs.high is None or needs.low else min(needs.high, 2)
        if total < 1:
            raise RefusedError("impossible", "no-paragraph", "length")
        return total - 1 if needs.items else total
    if needs.items:
        return 0 if tight else 1
    return 1 if tight or needs.fmt in _CELLS else 2


def _sentence_target(needs: Needs) -> int:
    wanted = max(needs.items + 2, -(-len(needs.placements) // 3), needs.low)
    return wanted if needs.high is None else min(wanted, needs.high)


def _filler(draft: Draft, words: Vocabulary) -> Piece:
    draft.fillers += 1
    return Piece(words.common(draft.fillers))


def _sentence(draft: Draft, words: Vocabulary, size: int) -> Sentence:
    return Sentence([_filler(draft, words) for _ in range(size)])


def _keyword(text: str) -> Piece:
    return Piece(text, "keyword", count_words(text))


def _place_keywords(draft: Draft, needs: Needs, words: Vocabulary) -> None:
    """Round robin, each with a filler on both sides, so that no two run together."""
    homes = draft.roomy()
    for number, text in enumerate(needs.placements):
        pieces = homes[number % len(homes)].pieces
        at = len(pieces) - 1
        pieces[at:at] = [_keyword(text)] if pieces[at - 1].role == "filler" else [_filler(draft, words), _keyword(text)]


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
    if needs.fmt == "markdown" and not needs.items:
        piece = _inner_filler(draft)
        piece.before = piece.after = "**"


def _inner_filler(draft: Draft) -> Piece:
    for sentence in draft.sentences():
        for piece in sentence.pieces[:-1]:
            if piece.role == "filler" and not piece.before and not piece.after:
                return piece
    raise RefusedError("cramped", "no-place-for-mark", "punctuation", "format")
