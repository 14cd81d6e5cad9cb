"""Numbers and keywords read off constraints, for the compatibility table and for the witness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evolif.domain import Params

Active = Mapping[str, Params]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why constraints do not go together."""

    code: str
    groups: tuple[str, ...]
    reason: str


def required_words(active: Active) -> dict[str, int]:
    """Every keyword that must occur, with how often at least."""
    words: dict[str, int] = dict(active["existence"]["counts"]) if "existence" in active else {}
    for edge in ("start_with", "end_with"):
        params = active.get(edge)
        if params is not None and params["mode"] == "keyword":
            words.setdefault(params["value"], 1)
    placement = active.get("placement", {})
    if "value" in placement:
        words.setdefault(placement["value"], 2 if placement["mode"] == "every_paragraph" else 1)
    return words


def upper_limit(length: Params | None, unit: str) -> int | None:
    """The largest count of `unit` that is allowed; None without a limit."""
    if length is None or length["unit"] != unit or length["relation"] == "more_than":
        return None
    if length["relation"] == "between":
        return int(length["upper"])
    count: int = length["count"]
    return count - 1 if length["relation"] == "less_than" else count


def lower_limit(length: Params | None, unit: str) -> int:
    """The smallest count of `unit` that is allowed."""
    if length is None or length["unit"] != unit or length["relation"] == "less_than":
        return 0
    count: int = length["count"]
    return count + 1 if length["relation"] == "more_than" else count
