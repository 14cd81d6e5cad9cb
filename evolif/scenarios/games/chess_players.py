"""Simulated players of chess: a scripted one that tells and compares keys, and one that answers at once."""

from __future__ import annotations

import re
from typing import Final

from evolif.scenarios.games.boards import Key, order_key
from evolif.scenarios.games.player_view import View
from evolif.scenarios.games.speech import Speech

_TOLD: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(\d{1,2})[ -](?:chess )?pieces?(?!\w)",
        r"(?<!\d)(\d{1,2})[ -]pawns?(?!\w)",
        r"(?<!\w)sum(?: is|:| =)? (\d{1,3})(?!\d)",
    )
)
_SHORT: Final = re.compile(r"(?<!\d)(\d{1,2})/(\d{1,2})/(\d{1,3})(?!\d)")
_TYPICAL_ADVANCE: Final = 14
"""Ranks advanced: boards with no more are the earlier ones somewhat more often than not."""


def floor(view: View) -> str:
    """Answer at once: the board is the earlier one if its pawns have not come far."""
    return "_MINE_" if order_key(view.private["board"])[2] <= _TYPICAL_ADVANCE else "_YOURS_"


def scripted(view: View) -> str:
    """Answer where the partner's counts decide; else tell the own ones, in the same words."""
    own = order_key(view.private["board"])
    heard = view.said[1 - view.player :: 2]
    earlier = _compare(own, heard)
    if earlier is not None:
        return "_MINE_" if earlier else "_YOURS_"
    if view.is_final:
        return floor(view)
    return _tell(view, own, is_lost=bool(heard))


def _compare(own: Key, heard: tuple[str, ...]) -> bool | None:
    """Whether the own board is the earlier one; None if what the partner told last does not decide."""
    told: list[int | None] = [None, None, None]
    for text in heard:
        told = [new if new is not None else old for new, old in zip(_read(text), told, strict=True)]
    for mine, number, sign in zip(own, told, (-1, -1, 1), strict=True):
        if number is None:
            return None
        if mine != sign * number:
            return mine < sign * number
    return None


def _read(text: str) -> list[int | None]:
    """Pieces, pawns and ranks advanced, as far as a text tells them."""
    short = _SHORT.search(text)
    if short:
        return [int(number) for number in short.groups()]
    found = [pattern.search(text) for pattern in _TOLD]
    return [int(match[1]) if match else None for match in found]


def _tell(view: View, own: Key, *, is_lost: bool) -> str:
    pieces, pawns, advanced = -own[0], -own[1], own[2]
    speech = Speech(view)
    counts = f"{pieces} pieces, {pawns} pawns, sum {advanced}"
    if not speech.fits(counts):
        return f"{pieces}/{pawns}/{advanced}"
    forms = [f"{counts}. The sum counts the ranks that all pawns together have advanced. What are yours?", counts]
    if is_lost:
        forms = [f"I did not understand. {form}" for form in forms] + forms
    return next(form for form in forms if speech.fits(form))
