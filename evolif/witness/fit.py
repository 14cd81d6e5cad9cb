"""Stage 4: words by arithmetic, characters by writing once and filling what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from evolif.text import count_graphemes
from evolif.types import Params
from evolif.witness.layout import Draft, Piece, Sentence
from evolif.witness.render import render
from evolif.witness.requirements import RefusedError, Requirements
from evolif.witness.vocabulary import Vocabulary

_STEP = 8  # a filler of seven letters and its space
_LAST = 12  # the longest rest that one filler of 4 to 11 letters takes, with its space


def fit(draft: Draft, needs: Requirements, words: Vocabulary) -> None:
    """Bring words or characters into their bounds.

    Raises:
        RefusedError: the draft is larger than allowed.
    """
    if needs.unit == "words":
        _fit_words(draft, needs, words)
    elif needs.unit == "characters":
        _fit_characters(draft, needs, words)


def _fit_words(draft: Draft, needs: Requirements, words: Vocabulary) -> None:
    count = draft.words()
    if needs.high is not None and count > needs.high:
        raise RefusedError("cramped", "too-many-words", "length")
    missing = needs.low - count
    if not draft.longest:
        _spread(missing, draft, words.run)
        return
    homes = draft.homes()
    for _ in range(missing):
        _next(homes).insert(draft.filler(words))


def _spread(number: int, draft: Draft, run: Callable[[int, int], str | None]) -> None:
    """Part that many words evenly among the sentences that may grow, as one piece each: they can be many."""
    homes = draft.roomy()
    if number > 0 and not homes:
        raise RefusedError("cramped", "sentences-full", "sentences", "length")
    for index, home in enumerate(homes):
        share = number // len(homes) + (index < number % len(homes))
        if share > 0:
            text = run(draft.fillers + 1, share)
            if text is None:
                raise RefusedError("cramped", "no-filler-of-length", "length")
            draft.fillers += share
            home.insert(Piece(text, words=share))


def _fit_characters(draft: Draft, needs: Requirements, words: Vocabulary) -> None:
    missing = needs.low - count_graphemes(render(draft, needs))
    if needs.high is not None and needs.low - missing > needs.high:
        raise RefusedError("cramped", "too-many-characters", "length")
    homes = draft.homes()
    if missing > _LAST and not draft.longest:
        steps = -(-(missing - _LAST) // _STEP)
        _spread(steps, draft, lambda number, count: words.run_of_length(_STEP - 1, number, count))
        missing -= steps * _STEP
    while missing > _LAST:
        missing -= _grow(_next(homes), _STEP - 1, draft, words)
    if missing <= 0:
        return
    if missing >= 5:
        _grow(_next(homes), missing - 1, draft, words)
    elif not needs.exact:
        _grow(_next(homes), 4, draft, words)
    else:
        _stretch(draft, missing, words)


def _next(homes: Iterator[Sentence]) -> Sentence:
    home = next(homes, None)
    if home is None:
        raise RefusedError("cramped", "sentences-full", "sentences", "length")
    return home


def _grow(sentence: Sentence, letters: int, draft: Draft, words: Vocabulary) -> int:
    """Insert a filler of that many letters; returns the characters gained."""
    draft.fillers += 1
    word = words.of_length(letters, draft.fillers)
    if word is None:
        raise RefusedError("cramped", "no-filler-of-length", "length")
    sentence.insert(Piece(word))
    return letters + 1


def _stretch(draft: Draft, letters: int, words: Vocabulary) -> None:
    """Swap one filler for another that is longer by 1 to 4 letters."""
    for piece in draft.pieces():
        if piece.role == "filler" and not piece.pinned:
            longer = words.of_length(len(piece.text) + letters, draft.fillers)
            if longer is not None:
                piece.text = longer
                return
    raise RefusedError("cramped", "no-filler-of-length", "length")


# Stage 5: upper and lower case, length-neutral, so it comes after the size.

_TOLERANCE = 3  # percentage points, as the specification has it


def set_case(draft: Draft, case: Params | None) -> None:
    """Write every piece in the case asked for; without one, sentences begin with a capital."""
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
            _set_share([p for p in draft.pieces() if _letters(p)], case["percent"])


def _upper(text: str) -> str:
    """Upper case, character by character, where that is one character too."""
    if text.isascii():
        return text.upper()
    return "".join(c.upper() if len(c.upper()) == 1 else {"ß": "ẞ"}.get(c, c) for c in text)


def _letters(piece: Piece) -> int:
    if piece.text.isascii():
        return sum(map(str.islower, piece.text))
    return sum(1 for c in piece.text if c.islower() and len(c.upper()) == 1)


def _set_share(pieces: list[Piece], percent: int) -> None:
    """Error diffusion over words, then single letters until the share is right."""
    total = sum(map(_letters, pieces))
    target = (percent * total + 50) // 100
    if abs(100 * target - percent * total) > _TOLERANCE * total:
        raise RefusedError("cramped", "too-few-letters", "case")
    seen = upper = 0
    for piece in pieces:
        letters = _letters(piece)
        seen += letters
        if 2 * (percent * seen - 100 * upper) >= 100 * letters:
            piece.text = _upper(piece.text)
            upper += letters
    for piece in reversed(pieces):
        if upper == target:
            return
        text, upper = _nudge(piece.text, upper, target)
        piece.text = text


def _nudge(text: str, upper: int, target: int) -> tuple[str, int]:
    """Change letters of one word until the target is met or the word is used up."""
    chars = list(text)
    for i, char in enumerate(chars):
        if upper < target and char.islower() and len(char.upper()) == 1:
            chars[i], upper = char.upper(), upper + 1
        elif upper > target and char.isupper() and len(char.lower()) == 1:
            chars[i], upper = char.lower(), upper - 1
    return "".join(chars), upper
