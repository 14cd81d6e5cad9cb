"""Bring a draft to the required size, then to the required case.

Words are counted; characters are measured by rendering the draft once. Case comes last, since it changes no length.
"""

from __future__ import annotations

from collections.abc import Callable

from evolif.text import count_graphemes
from evolif.types import Params
from evolif.witness.layout import Draft, Piece, Sentence
from evolif.witness.render import render
from evolif.witness.requirements import RefusedError, Requirements
from evolif.witness.vocabulary import Vocabulary

_STEP = 8  # a filler of seven letters and its space
_LAST = 12  # the most that one filler of 4 to 11 letters takes, with its space
_TOLERANCE = 3  # percentage points, as in the specification


def fit(draft: Draft, requirements: Requirements, words: Vocabulary) -> None:
    """Add words or characters until the lower limit is met.

    Raises:
        RefusedError: the draft is already larger than allowed, or cannot grow.
    """
    if requirements.unit == "words":
        _fit_words(draft, requirements, words)
    elif requirements.unit == "characters":
        _fit_characters(draft, requirements, words)


def _fit_words(draft: Draft, requirements: Requirements, words: Vocabulary) -> None:
    count = draft.words()
    if requirements.high is not None and count > requirements.high:
        raise RefusedError("too-many-words", "length")
    missing = requirements.low - count
    if not draft.longest:
        _spread(missing, draft, words.run)
        return
    homes = draft.homes("length")
    for _ in range(missing):
        next(homes).insert(draft.filler(words))


def _spread(number: int, draft: Draft, run: Callable[[int, int], str | None]) -> None:
    """Distribute that many words evenly over the sentences that may grow, as one piece per sentence."""
    homes = draft.roomy()
    for index, home in enumerate(homes):
        share = number // len(homes) + (index < number % len(homes))
        if share > 0:
            text = run(draft.fillers + 1, share)
            if text is None:
                raise RefusedError("no-filler-of-length", "length")
            draft.fillers += share
            home.insert(Piece(text, words=share))


def _fit_characters(draft: Draft, requirements: Requirements, words: Vocabulary) -> None:
    missing = requirements.low - count_graphemes(render(draft, requirements))
    if requirements.high is not None and requirements.low - missing > requirements.high:
        raise RefusedError("too-many-characters", "length")
    homes = draft.homes("length")
    if missing > _LAST and not draft.longest:
        steps = -(-(missing - _LAST) // _STEP)
        _spread(steps, draft, lambda number, count: words.of_length(_STEP - 1, number, count))
        missing -= steps * _STEP
    while missing > _LAST:
        missing -= _grow(next(homes), _STEP - 1, draft, words)
    if missing <= 0:
        return
    if missing >= 5:
        _grow(next(homes), missing - 1, draft, words)
    elif requirements.low != requirements.high:
        _grow(next(homes), 4, draft, words)
    else:
        _stretch(draft, missing, words)


def _grow(sentence: Sentence, letters: int, draft: Draft, words: Vocabulary) -> int:
    """Insert a filler with that many letters; returns the number of added characters."""
    draft.fillers += 1
    word = words.of_length(letters, draft.fillers)
    if word is None:
        raise RefusedError("no-filler-of-length", "length")
    sentence.insert(Piece(word))
    return letters + 1


def _stretch(draft: Draft, letters: int, words: Vocabulary) -> None:
    """Replace one filler with another that is longer by 1 to 4 letters."""
    for piece in draft.pieces():
        if piece.role == "filler" and not piece.pinned:
            longer = words.of_length(len(piece.text) + letters, draft.fillers)
            if longer is not None:
                piece.text = longer
                return
    raise RefusedError("no-filler-of-length", "length")


def set_case(draft: Draft, case: Params | None) -> None:
    """Write every piece in the required case; without one, sentences begin with a capital."""
    if case is None:
        for sentence in draft.sentences():
            first = sentence.pieces[0]
            if first.role == "filler":
                first.text = first.text[0].upper() + first.text[1:]
    elif case["mode"] == "all_upper":
        for piece in draft.pieces():
            piece.text = _upper(piece.text)
    else:
        for piece in draft.pieces():
            piece.text = piece.text.lower()
        if case["mode"] == "share":
            _set_share([p for p in draft.pieces() if _lower_letters(p)], case["percent"])


def _upper(text: str) -> str:
    """Upper case, except for characters whose capital would be several characters."""
    if text.isascii():
        return text.upper()
    return "".join(c.upper() if len(c.upper()) == 1 else {"ß": "ẞ"}.get(c, c) for c in text)


def _lower_letters(piece: Piece) -> int:
    """How many letters `_upper` would change."""
    if piece.text.isascii():
        return sum(map(str.islower, piece.text))
    return sum(1 for c in piece.text if c.islower() and len(c.upper()) == 1)


def _set_share(pieces: list[Piece], percent: int) -> None:
    """Capitalise whole words by error diffusion, then single letters until the share is right."""
    total = sum(map(_lower_letters, pieces))
    target = (percent * total + 50) // 100
    if abs(100 * target - percent * total) > _TOLERANCE * total:
        raise RefusedError("too-few-letters", "case")
    seen = upper = 0
    for piece in pieces:
        letters = _lower_letters(piece)
        seen += letters
        if 2 * (percent * seen - 100 * upper) >= 100 * letters:
            piece.text = _upper(piece.text)
            upper += letters
    for piece in reversed(pieces):
        if upper == target:
            return
        piece.text, upper = _nudge(piece.text, upper, target)


def _nudge(text: str, upper: int, target: int) -> tuple[str, int]:
    """Change letters of one word until the target is met or the word has no more."""
    chars = list(text)
    for i, char in enumerate(chars):
        if upper < target and char.islower() and len(char.upper()) == 1:
            chars[i], upper = char.upper(), upper + 1
        elif upper > target and char.isupper() and len(char.lower()) == 1:
            chars[i], upper = char.lower(), upper - 1
    return "".join(chars), upper
