"""Names of models, groups and metrics as a figure prints them: one line, short, and nothing that a renderer reads."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

NAME_LIMIT = 28
"""Characters of a name in a legend or beside an axis; longer ones lose their middle."""

_GONE = {"Cc", "Cf", "Cs", "Co", "Cn"}
_SPACES = {"Zs", "Zl", "Zp"}
_MARKS = re.compile(r"(\w?)([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{3,})")


def clean(text: str) -> str:
    """The text on one line, without control and direction characters and without towers of combining marks."""
    kept = []
    for sign in text:
        kind = unicodedata.category(sign)
        if kind in _SPACES or sign in "\t\n\r\v\f":
            kept.append(" ")
        elif kind not in _GONE:
            kept.append(sign)
    return _MARKS.sub(lambda tower: tower[1] + tower[2][:2], " ".join("".join(kept).split()))


def label(name: str, limit: int = NAME_LIMIT) -> str:
    """The name cleaned and, where too long, clipped in the middle; what tells models apart stands at either end."""
    text = clean(name) or "(no name)"
    if len(text) <= limit:
        return text
    head = (limit - 1) // 2
    return f"{text[:head]}…{text[len(text) - (limit - 1 - head) :]}"


def labels(names: Sequence[str], limit: int = NAME_LIMIT) -> tuple[str, ...]:
    """A label per name, no two alike: names that clipping made equal are numbered."""
    seen: dict[str, int] = {}
    told = []
    for name in names:
        text = label(name, limit)
        seen[text] = seen.get(text, 0) + 1
        told.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return tuple(told)


def markdown(text: str) -> str:
    """The text within a line of Markdown: nothing in it is markup or a link."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$&^]|:(?=//))", r"\\\1", clean(text))
