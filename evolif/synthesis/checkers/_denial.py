"""Whether a value is named in order to deny it: `not in an angry tone`, `anything but JSON`."""

from __future__ import annotations

from evolif.synthesis.checkers._cues import cues
from evolif.synthesis.checkers._shadow import Query

_REACH = 60
"""Characters between the denial and the value, at most."""


def is_denied(query: Query, start: int, end: int) -> bool:
    """Whether the words before the value at `[start, end)`, or those behind it, deny it."""
    close = cues().framed("denial", "cues", right="( <denial_fill>){0,6}( )?[\"'“‘]?$")
    far = cues().framed("denial", "far", right=r"( (?!<contrast>\b)[\w'-]{1,40}){0,6}( )?[\"'“‘]?$")
    if close.search(query.shadow, max(0, start - _REACH), start):
        return True
    if far.search(query.shadow, max(query.segment(start)[0], start - _REACH), start):
        return True
    return cues().after("denial", "after").match(query.shadow, end) is not None
