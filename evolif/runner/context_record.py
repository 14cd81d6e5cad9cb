"""How a context strategy built the context of a turn, as a run stores it beside the turn's notes.

Notes are what the strategy wants to know again; this is what readers of a run want to know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from typing import Any, cast

from evolif.contexts import OwnCost, Shown
from evolif.contexts.base import NO_COST


@dataclass(frozen=True, slots=True)
class ContextRecord:
    """How the context of a turn was built."""

    shown: Mapping[int, Shown]
    """Round to how it was shown; the others were not. Rounds are the seat's own, from 1."""
    decision: Mapping[str, Any] | None = None
    """`{"topic": {…}, "branch": {…} or None}` as `Forest.move` takes it; None if the strategy decides nothing."""
    cost: OwnCost = NO_COST
    """The strategy's own calls, tokens, texts embedded, seconds and fallbacks at this turn."""

    def dump(self) -> dict[str, Any]:
        """As JSON values. Runs of numbers are stored by their ends, so that long sessions stay small."""
        rounds: dict[str, list[int]] = {}
        for number in sorted(self.shown):
            rounds.setdefault(self.shown[number], []).append(number)
        data: dict[str, Any] = {how: _ranges(numbers) for how, numbers in rounds.items()}
        if self.decision is not None:
            data["decision"] = self.decision
        cost = astuple(self.cost)
        if any(cost):
            data["cost"] = cost
        return data

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> ContextRecord:
        """What `dump` wrote."""
        pairs = ((number, how) for how in ("full", "summary") for number in _numbers(data.get(how, "")))
        shown = cast("dict[int, Shown]", dict(sorted(pairs)))
        return cls(shown, data.get("decision"), OwnCost(*data["cost"]) if "cost" in data else NO_COST)


_MOST_ROUNDS = 100_000
"""Of a range that is read: an edited file must not fill the memory."""


def _ranges(numbers: Iterable[int]) -> str:
    """Ascending numbers as text: `1-3,7`."""
    ends: list[list[int]] = []
    for number in numbers:
        if ends and ends[-1][1] == number - 1:
            ends[-1][1] = number
        else:
            ends.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ends)


def _numbers(ranges: str) -> Iterator[int]:
    for part in filter(None, ranges.split(",")):
        first, _, last = part.partition("-")
        yield from range(int(first), min(int(last or first), int(first) + _MOST_ROUNDS) + 1)
