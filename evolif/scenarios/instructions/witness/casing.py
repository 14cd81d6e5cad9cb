"""Write a draft in the required case; that changes no length, so it comes last."""

from __future__ import annotations

from evolif.scenarios.instructions.turns import Params
from evolif.scenarios.instructions.witness.layout import Draft, Piece
from evolif.scenarios.instructions.witness.requirements import RefusedError

_TOLERANCE = 3  # percentage points, as in the specification


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
