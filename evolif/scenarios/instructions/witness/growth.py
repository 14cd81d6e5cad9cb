"""Bring an everyday draft to size: every part to its least length, then the whole text to the length to reach.

Only fillers are added, where no limit on a sentence or a part is in the way.
"""

from __future__ import annotations

from collections.abc import Sequence

from evolif.scenarios.instructions.witness.demands import TextDemands
from evolif.scenarios.instructions.witness.layout import Draft, Piece, Sentence, sentence_text
from evolif.scenarios.instructions.witness.prose import units_of
from evolif.scenarios.instructions.witness.requirements import RefusedError
from evolif.scenarios.instructions.witness.vocabulary import Vocabulary
from evolif.scenarios.instructions.witness.writing import render_everyday
from evolif.text import count_graphemes, count_words

_ENDLESS = 10**9
_STEP = 7
"""The letters of most fillers that are added to reach a number of characters."""
_LEAST, _MOST = 3, 11
"""The letters of the shortest and the longest of the others."""


class _Limits:
    """How much each sentence may still grow."""

    def __init__(self, draft: Draft, demands: TextDemands) -> None:
        part = demands.part
        self.units = units_of(draft, part.unit, demands) if part and part.measure != "sentences" else []
        self._unit = {id(sentence): unit for unit in self.units for sentence in unit}
        self._longest, self._demands, self._draft = draft.longest, demands, draft

    def size(self, unit: Sequence[Sentence]) -> int:
        """The length of a unit, as its limit measures it."""
        if self._demands.part and self._demands.part.measure == "words":
            return sum(sentence.words() for sentence in unit)
        return sum(count_graphemes(sentence_text(s, self._demands.stop)) + 1 for s in unit) - 1

    def words(self, sentence: Sentence) -> int:
        """How many more words the sentence may hold."""
        room = self._longest - sentence.words() if self._longest else _ENDLESS
        if self._limit(sentence, "words") is not None:
            room = min(room, self._left(sentence))
        elif self._limit(sentence, "characters") is not None:
            room = min(room, self._left(sentence) // (_STEP + 2))
        return max(0, room)

    def characters(self, sentence: Sentence) -> int:
        """How many more characters the sentence may hold."""
        if self._longest and sentence.words() >= self._longest:
            return 0
        if self._limit(sentence, "characters") is not None:
            return self._left(sentence)
        return _ENDLESS if self._limit(sentence, "words") is None or self._left(sentence) > 0 else 0

    def _limit(self, sentence: Sentence, measure: str) -> int | None:
        part = self._demands.part
        return part.high if part and part.measure == measure and id(sentence) in self._unit else None

    def _left(self, sentence: Sentence) -> int:
        part = self._demands.part
        return ((part.high if part else None) or 0) - self.size(self._unit[id(sentence)])


def grow(draft: Draft, demands: TextDemands, words: Vocabulary) -> None:
    """Add fillers until every lower limit is met.

    Raises:
        RefusedError: the draft is already larger than allowed, or cannot grow.
    """
    limits, part = _Limits(draft, demands), demands.part
    for unit in limits.units if part else ():
        _grow_unit(unit, draft, demands, words, limits)
    if demands.base.unit == "words":
        _grow_words(draft, demands, words, limits)
    elif demands.base.unit == "characters":
        _grow_characters(draft, demands, words, limits)


def _growable(sentences: Sequence[Sentence]) -> list[Sentence]:
    return [s for s in sentences if not s.frozen and any(piece.role == "filler" for piece in s.pieces)]


def _grow_unit(
    unit: Sequence[Sentence], draft: Draft, demands: TextDemands, words: Vocabulary, limits: _Limits
) -> None:
    part, homes = demands.part, _growable(unit)
    assert part is not None  # there are units only with a part
    size = limits.size(unit)
    if part.high is not None and size > part.high:
        raise RefusedError("unit-too-long", "part_length")
    missing = part.low - size
    if missing > 0 and not homes:
        raise RefusedError("no-filler", "part_length")
    number = 0
    while missing > 0:
        home, number = homes[number % len(homes)], number + 1
        if part.measure == "words":
            home.insert(draft.filler(words))
            missing -= 1
        elif part.high is not None and part.high == part.low:
            missing -= _lengthen(home, missing, draft, words)
        else:
            home.insert(Piece(_of_length(words, min(_STEP, max(_LEAST, missing)), draft)))
            missing = part.low - limits.size(unit)


def _homes(draft: Draft, demands: TextDemands) -> list[list[Sentence]]:
    """The sentences that may grow, those outside lists first."""
    outside = [s for b in draft.blocks if b.kind == "text" and not b.is_list for s in b.sentences]
    items = [s for b in draft.blocks if b.is_list for s in b.sentences]
    cells = [s for b in draft.blocks if b.kind == "table" for s in b.sentences] if demands.table_only else []
    return [homes for homes in map(_growable, (outside, items, cells)) if homes]


def _grow_words(draft: Draft, demands: TextDemands, words: Vocabulary, limits: _Limits) -> None:
    count, high = draft.words() + sum(map(_apart, demands.wrap)), demands.base.high
    if high is not None and count > high:
        raise RefusedError("too-many-words", "length")
    missing = demands.aim - count
    for homes in _homes(draft, demands):
        missing = _spread(missing, homes, draft, words, limits)
    if missing > demands.aim - demands.base.low:
        raise RefusedError("sentences-full", "length", "part_length", "sentences")


def _apart(mark: str) -> int:
    """The words of a mark round the text that do not stand at the text's own words."""
    return max(0, count_words(mark) - 1) if " " in mark else 0


def _spread(missing: int, homes: Sequence[Sentence], draft: Draft, words: Vocabulary, limits: _Limits) -> int:
    """Distribute words evenly, as one piece per sentence and round; returns how many are left."""
    while missing > 0:
        roomy = [home for home in homes if limits.words(home) > 0]
        if not roomy:
            return missing
        share, more = divmod(missing, len(roomy))
        for number, home in enumerate(roomy):
            count = min(share + (number < more), limits.words(home))
            if count > 0:
                home.insert(Piece(words.run(draft.fillers + 1, count), words=count))
                draft.fillers += count
                missing -= count
    return missing


def _grow_characters(draft: Draft, demands: TextDemands, words: Vocabulary, limits: _Limits) -> None:
    base = demands.base
    size = count_graphemes(render_everyday(draft, demands))
    if base.high is not None and size > base.high:
        raise RefusedError("too-many-characters", "length")
    missing = demands.aim - size
    for homes in _homes(draft, demands):
        is_open = True
        while missing > _MOST + 1 and is_open:
            is_open = False
            for home in homes:
                if missing > _MOST + 1 and limits.characters(home) > _STEP:
                    missing -= _insert(home, _STEP, draft, words)
                    is_open = True
        if 0 < missing <= _MOST + 1:
            home = next((home for home in homes if limits.characters(home) >= missing), homes[0])
            if missing <= demands.aim - base.low:
                return
            missing -= _lengthen(home, missing, draft, words)
    if missing > demands.aim - base.low:
        raise RefusedError("sentences-full", "length", "part_length", "sentences")


def _insert(sentence: Sentence, letters: int, draft: Draft, words: Vocabulary) -> int:
    """Insert a filler of that many letters or fewer; returns the number of added characters."""
    text = _of_length(words, letters, draft)
    sentence.insert(Piece(text))
    return len(text) + 1


def _of_length(words: Vocabulary, letters: int, draft: Draft) -> str:
    draft.fillers += 1
    for length in (letters, *range(letters - 1, 1, -1)):
        text = words.of_length(length, draft.fillers)
        if text is not None:
            return text
    raise RefusedError("no-filler-of-length", "length", "lettering")


def _lengthen(sentence: Sentence, missing: int, draft: Draft, words: Vocabulary) -> int:
    """Make a sentence longer by exactly that many characters, or by as many as one filler takes."""
    if missing > _MOST + 5:
        return _insert(sentence, _STEP, draft, words)
    draft.fillers += 1
    text = words.of_length(missing - 1, draft.fillers) if missing > _LEAST else None
    if text is not None:
        sentence.insert(Piece(text))
        return missing
    for piece in sentence.pieces:
        longer = words.of_length(len(piece.text) + missing, draft.fillers)
        if piece.role == "filler" and not piece.pinned and piece.words == 1 and longer is not None:
            piece.text = longer
            return missing
    if missing > 2 * _LEAST + 4:
        return _insert(sentence, _LEAST + 1, draft, words)
    raise RefusedError("no-filler-of-length", "length", "lettering")
