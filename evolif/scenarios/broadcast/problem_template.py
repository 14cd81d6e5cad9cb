"""A template of problems: a text with places for numbers, a solution, and what typical mistakes would give."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final, NamedTuple

from evolif.text import plural

Show = Callable[[int], str]
"""Writes a result as an option does: 435 cents as `$4.35`."""
_PLACE: Final = re.compile(r"\{(\w+)(?::(\w+))?\}")
_DAY: Final = 24 * 60
_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
PEOPLE: Final = (
    *("Maya", "Tom", "Nina", "Oscar", "Ruth", "Ben", "Clara", "Leo", "Iris", "Hugo", "Alma", "Felix", "Nora", "Paul"),
    *("Greta", "Sam", "Julia", "Adam", "Lena", "Mark", "Emma", "Peter", "Lucy", "Simon"),
)
"""Who problems are about; nobody of the leagues is called so."""
SHOPPING: Final = (
    *("notebooks", "candles", "mugs", "jars of honey", "bars of soap", "packs of tea", "bags of rice"),
    *("greeting cards", "light bulbs", "tea towels", "boxes of cereal", "bottles of juice", "pairs of socks"),
    "bags of coffee",
)
"""Small things that shops sell."""
_SINGULARS: Final = {"boxes": "box", "people": "person"}


class Solution(NamedTuple):
    """What a problem comes to."""

    answer: int
    mistakes: Mapping[str, int]
    """What each typical mistake gives, the likeliest first. Those that give no sensible result are passed over."""
    shown: Mapping[str, int] = {}
    """Numbers that the text states and that follow from the parameters."""


@dataclass(frozen=True, slots=True)
class Template:
    """One kind of problem."""

    name: str
    text: str
    """With places: `{price:money}` is the parameter `price` as an amount of money, `{who}` a word or a plain number."""
    show: Show
    slip: int
    """How far a result is off that was misread or miscounted at the end: fills up where mistakes coincide."""
    solve: Callable[..., Solution]
    parameters: Mapping[str, Sequence[int] | Sequence[str]]
    """All values of each; numbers are passed to `solve`, words only stand in the text."""
    size: int = field(init=False)
    """How many different problems there are: all combinations."""

    def __post_init__(self) -> None:
        """Count the combinations."""
        object.__setattr__(self, "size", prod(len(values) for values in self.parameters.values()))

    def values(self, index: int) -> dict[str, int | str]:
        """The combination of an index from 0 to `size` - 1: its digits, each to the base of one parameter."""
        chosen: dict[str, int | str] = {}
        for name, values in self.parameters.items():
            index, at = divmod(index, len(values))
            chosen[name] = values[at]
        return chosen

    def fill(self, index: int) -> tuple[str, str, dict[str, str]]:
        """One problem.

        Args:
            index: From 0 to `size` - 1; no two give the same text.

        Returns:
            Text, answer, and four wrong results by the mistake that gives each, all five different.
        """
        chosen = self.values(index)
        solution = self.solve(**{name: value for name, value in chosen.items() if isinstance(value, int)})
        text = _filled(self.text, {**chosen, **solution.shown})
        right = self.show(solution.answer)
        return text, right, self._wrong(right, solution)

    def _wrong(self, right: str, solution: Solution) -> dict[str, str]:
        found: dict[str, str] = {}
        slips = {f"{sign * step:+d} × {self.slip}": solution.answer + sign * step * self.slip
                 for step in (1, 2, 3, 4, 5) for sign in (1, -1)}  # fmt: skip
        for name, value in {**solution.mistakes, **slips}.items():
            if value > 0 and (option := self.show(value)) != right and option not in found.values():
                found[name] = option
            if len(found) == 4:
                break
        return found


def template(
    into: list[Template], text: str, show: Show, *, slip: int = 1, **parameters: Sequence[int] | Sequence[str]
) -> Callable[[Callable[..., Solution]], Callable[..., Solution]]:
    """Make a template of a function that solves its problems, and append it to a list.

    Args:
        into: The list.
        text: With a place for each parameter.
        show: Writes results.
        slip: As in `Template`.
        **parameters: All values of each.
    """

    def decorate(solve: Callable[..., Solution]) -> Callable[..., Solution]:
        into.append(Template(solve.__name__, text, show, slip, solve, parameters))
        return solve

    return decorate


def money(cents: int) -> str:
    """An amount: `$4.35`."""
    return f"${cents // 100:,}.{cents % 100:02d}"


def dollars(amount: int) -> str:
    """An amount without cents: `$1,435`."""
    return f"${amount:,}"


def plain(value: int) -> str:
    """A number: `1,435`."""
    return f"{value:,}"


def clock(minutes: int) -> str:
    """A time of day, from minutes since midnight: `4:05 p.m.`."""
    hour, minute = divmod(minutes % _DAY, 60)
    return f"{hour % 12 or 12}:{minute:02d} {'a.m.' if hour < 12 else 'p.m.'}"


def duration(minutes: int) -> str:
    """How long something takes: `2 hours 5 minutes`."""
    hours, rest = divmod(minutes, 60)
    parts = [plural(hours, "hour")] * bool(hours) + [plural(rest, "minute")] * bool(rest)
    return " ".join(parts)


def weekday(day: int) -> str:
    """A day of the week; 0 is a Monday."""
    return _WEEKDAYS[day % 7]


def ordinal(number: int) -> str:
    """Which in a row: `12th`."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number // 10 % 10 != 1 else "th"
    return f"{number}{ending}"


def measured(unit: str) -> Show:
    """A number with a unit, given in the plural: `35 minutes`."""
    one = _SINGULARS.get(unit, unit.removesuffix("s"))
    return lambda value: f"{value:,} {one if value == 1 else unit}"


_SHOWN: Final[Mapping[str | None, Show]] = {
    None: plain,
    "money": money,
    "dollars": dollars,
    "clock": clock,
    "duration": duration,
    "weekday": weekday,
    "ordinal": ordinal,
}
"""By the word behind a place's colon."""


def _filled(text: str, values: Mapping[str, int | str]) -> str:
    def shown(place: re.Match[str]) -> str:
        value = values[place[1]]
        return value if isinstance(value, str) else _SHOWN[place[2]](value)

    return _PLACE.sub(shown, text)
