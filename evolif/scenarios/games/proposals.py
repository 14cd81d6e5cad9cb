"""Answers that a player proposes before giving one: which board came earlier, in plain words (chess)."""

from __future__ import annotations

from itertools import product
from typing import Literal, TypeAlias

from evolif.scenarios.games.arguments import text_of

Proposal: TypeAlias = Literal["mine", "yours", "both"]
"""Which board a text proposes as the earlier one, as its speaker sees it; `both` if it says either."""

_OWN = ("my board", "mine")
_OTHER = ("your board", "yours")
_EARLIER = ("is earlier", "seems earlier", "came first")
_LATER = ("is later", "seems later", "came last")
_MINE = tuple(" ".join(words) for words in (*product(_OWN, _EARLIER), *product(_OTHER, _LATER)))
_YOURS = tuple(" ".join(words) for words in (*product(_OTHER, _EARLIER), *product(_OWN, _LATER)))


def answer_proposal(text: str) -> Proposal | None:
    """Find which board a text says came earlier.

    Only fixed phrases count, wherever they stand; negations and questions are not understood.

    Args:
        text: Of one turn.

    Returns:
        `mine`, `yours`, `both`, or None if it proposes nothing.
    """
    plain = " ".join(text_of(text).split()).lower()
    mine = any(phrase in plain for phrase in _MINE)
    yours = any(phrase in plain for phrase in _YOURS)
    if mine and yours:
        return "both"
    return "mine" if mine else "yours" if yours else None
