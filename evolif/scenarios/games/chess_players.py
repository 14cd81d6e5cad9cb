"""Simulated players of chess: a scripted one that tells and compares counts in plain English, and one that answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from evolif.scenarios.games.boards import Key, order_key
from evolif.scenarios.games.places import number_of
from evolif.scenarios.games.player_view import View
from evolif.scenarios.games.speech import Speech
from evolif.scenarios.games.telling import ask_back, is_meta

_MOST_CHARACTERS: Final = 4_000
"""Of a text that are read."""
_MOST_WORDS: Final = 80
"""Of a sentence."""
_SENTENCE: Final = re.compile(r"[^.!?;\n]+[.!?;\n]?")
_SINGLE: Final = re.compile(r"\b(?:[a-h][1-8]|(?:king|queen|rook|bishop|knight)s?)\b")
"""A square, or pieces of one kind: a sentence about these counts nothing that is compared."""
_WORD: Final = re.compile(r"[a-z]+(?:-[a-z]+)?|[0-9]{1,3}")
_FULL: Final[Mapping[tuple[str, str], int]] = {
    ("", "pieces"): 32,
    ("", "pawns"): 16,
    ("white", "pieces"): 16,
    ("black", "pieces"): 16,
    ("white", "pawns"): 8,
    ("black", "pawns"): 8,
}
"""What there is of each kind when a game begins."""
_PIECES: Final = frozenset({"piece", "pieces", "man", "men", "chessmen"})
_PAWNS: Final = frozenset({"pawn", "pawns"})
_LOST: Final = frozenset({"captured", "taken", "gone", "missing", "lost", "fewer", "off"})
_MOVED: Final = frozenset({"squares", "square", "ranks", "rank", "steps"})
_FORWARD: Final = frozenset({"moved", "advanced", "forward", "pushed", "moves", "advance", "sum"})
_ASKING: Final = frozenset({"how", "what", "your", "is", "do", "which", "are"})
_NONE: Final = frozenset({"no", "none", "nothing"})
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
    return floor(view) if view.is_final else _tell(view, own)


def _compare(own: Key, heard: tuple[str, ...]) -> bool | None:
    """Whether the own board is the earlier one; None if what the partner told last does not decide."""
    told: dict[str, int] = {}
    for text in heard:
        told |= counts_in(text)
    for at, (name, sign) in enumerate((("pieces", -1), ("pawns", -1), ("advanced", 1))):
        if name not in told:
            return None
        if own[at] != sign * told[name]:
            return own[at] < sign * told[name]
    return None


def counts_in(text: str) -> dict[str, int]:
    """The counts that a text tells: `pieces`, `pawns`, those of one side (`white pawns`), how far pawns `advanced`.

    Args:
        text: What a partner said; hostile.
    """
    told: dict[str, int] = {}
    for match in _SENTENCE.finditer(text[:_MOST_CHARACTERS].lower()):
        is_asked = match[0].endswith("?") and "how" in match[0]
        if not is_asked and not _SINGLE.search(match[0]):
            told |= _Counts(_WORD.findall(match[0])[:_MOST_WORDS]).told
    return _with_sums(told)


def asks_in(text: str) -> bool:
    """Whether a text asks for a count."""
    return any(
        match[0].endswith("?") and not _ASKING.isdisjoint(_WORD.findall(match[0]))
        for match in _SENTENCE.finditer(text[:_MOST_CHARACTERS].lower())
    )


def _with_sums(told: dict[str, int]) -> dict[str, int]:
    """What both sides have together, where it was told of each."""
    sums = dict(told)
    for name in ("pieces", "pawns"):
        sides = [told.get(f"{side} {name}") for side in ("white", "black")]
        if None not in sides and name not in told:
            sums[name] = sum(number for number in sides if number is not None)
    return sums


class _Counts:
    """The counts of one sentence."""

    _open: int | None
    """A number of which it is not yet known what it counts."""

    def __init__(self, words: list[str]) -> None:
        self.told: dict[str, int] = {}
        self._words = words
        self._is_lost = not _LOST.isdisjoint(words)
        self._is_moved = not _MOVED.isdisjoint(words) and not _FORWARD.isdisjoint(words)
        self._kind = self._side = ""
        self._open = None
        for at, word in enumerate(words):
            self._read(at, word)
        self._close()

    def _read(self, at: int, word: str) -> None:
        number = 0 if word in _NONE else number_of(word)
        if number is not None and "sum" in self._words[max(0, at - 2) : at]:
            self.told["advanced"] = number
        elif number is not None and (word != "one" or self._counts_one(at)):
            self._number(number)
        elif word in ("white", "black", "white's", "black's"):
            self._side_said(word[:5])
        elif word in _PIECES or word in _PAWNS:
            self._kind_said("pieces" if word in _PIECES else "pawns")
        elif word in _MOVED and self._is_moved and self._open is not None:
            self.told["advanced"], self._open = self._open, None

    def _counts_one(self, at: int) -> bool:
        """Whether `one` counts, and does not stand for a noun."""
        return bool((_PIECES | _PAWNS | {"white", "black"}).intersection(self._words[at + 1 : at + 3]))

    def _number(self, number: int) -> None:
        if self._open is not None:
            self._end()
        self._open = number

    def _side_said(self, side: str) -> None:
        """The number before it, if it has no kind yet, was of this side: `twelve white and eleven black pieces`."""
        if self._open is not None and not self._side_is_first():
            self._side = side
            return
        if self._open is not None:
            self._end()
        self._side = side

    def _side_is_first(self) -> bool:
        """Whether the sentence names sides before their numbers: `White has 12 pieces`."""
        sides = [at for at, word in enumerate(self._words) if word in ("white", "black")]
        numbers = [at for at, word in enumerate(self._words) if number_of(word) is not None]
        return bool(sides and numbers) and sides[0] < numbers[0]

    def _kind_said(self, kind: str) -> None:
        if self._open is not None and self._kind and self._kind_is_first():
            self._end()
        self._kind = kind
        if self._open is not None:
            self._end()

    def _kind_is_first(self) -> bool:
        """Whether the sentence names kinds before their numbers: `pieces: 25, pawns: 12`."""
        kinds = [at for at, word in enumerate(self._words) if word in _PIECES or word in _PAWNS]
        numbers = [at for at, word in enumerate(self._words) if number_of(word) is not None]
        return bool(kinds and numbers) and kinds[0] < numbers[0]

    def _close(self) -> None:
        """Note the number that is still open."""
        if self._open is not None:
            self._end()

    def _end(self) -> None:
        """Note the open number as a count of what was named."""
        kind = self._kind or "pieces"
        name = f"{self._side} {kind}".strip()
        full = _FULL[self._side, kind]
        number, self._open = self._open or 0, None
        if number <= full:
            self.told[name] = full - number if self._is_lost else number
        if not self._side_is_first():
            self._side = ""


def _tell(view: View, own: Key) -> str:
    """The own counts, as much of them as fits; asked back once where nothing was understood."""
    pieces, pawns, advanced = -own[0], -own[1], own[2]
    speech = Speech(view)
    heard = view.said[-1] if view.said else ""
    if heard and not counts_in(heard) and not asks_in(heard) and not is_meta(heard):
        ask_back(speech, view.said[view.player :: 2])
    counts = f"I have {pieces} pieces, {pawns} of them pawns."
    moves = f"In all, the pawns have moved {advanced} squares forward."
    told = counts_in(" ".join(view.said[view.player :: 2]))
    rest = [moves, f"The pawns have moved {advanced} squares."]
    forms = [f"{counts} {moves} How is it on your board?", f"{counts} {moves}"]
    if {"pieces", "pawns"} <= told.keys() and "advanced" not in told:
        forms = rest
    forms += [f"{pieces} pieces, {pawns} pawns, moved {advanced} squares.", f"{pieces} pieces, {pawns} pawns."]
    if not any(speech.add(form) for form in (*forms, f"{pieces} pieces.")):
        speech.text = str(pieces)
    return speech.text
