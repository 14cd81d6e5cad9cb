"""Scenarios of the shape before `presentation` and `rows`, when all that they say stood on the scenario itself.

They work for one release, with a DeprecationWarning: the default `presentation` and `rows` take what a scenario still
has, `defaults` may take the benchmark alone beside the methods `partner` and `cut`, and `metrics` is a table for all
options. In the other direction, `super()` and callers still find the members here.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from evolif.scenario.play import Benchmark, Defaults
from evolif.scenario.presentation import Presentation
from evolif.scenario.rows import Rows

if TYPE_CHECKING:
    from evolif.metrics import MetricTable

_PRESENTED = (
    "requirement", "answer_key", "notice", "chapters", "references", "how_to_read", "describe_edit", "command", "facts",
    "folds", "reading_format", "misplaced", "lead", "extra", "remarks", "opening", "parts", "figures", "exhibits",
)  # fmt: skip
_ROWS = ("key_fields", "expected_is_key", "row", "key_row", "keys")
_Part = TypeVar("_Part", Presentation, Rows)


class EarlierShape(Protocol):
    """The members of before, which are added below, so that type checkers know of none."""

    _presentation: ClassVar[type[Presentation]] = Presentation
    """The default presentation."""


def presentation_of(scenario: Any) -> Presentation:
    """The default presentation, with what the scenario has of its own."""
    default: Presentation = scenario._presentation(scenario)
    return _taking(default, scenario, _PRESENTED, "presentation")


def rows_of(scenario: Any) -> Rows:
    """The default rows, with what the scenario has of its own."""
    return _taking(Rows(), scenario, _ROWS, "rows")


def table_of(scenario: Any) -> MetricTable | None:
    """The table `metrics` of a scenario that has one."""
    if not _has(scenario, "metrics"):
        return None
    _warn(_name_of(scenario), "`metrics`", "let `table` return it")
    table: MetricTable | None = scenario.metrics
    return table


def defaults_of(scenario: Any, bench: Benchmark, play: Any) -> Defaults:
    """What `defaults` says, and `partner` and `cut` where a scenario still has them."""
    found = _defaults(scenario, bench, play)
    old = [name for name in ("partner", "cut") if _has(scenario, name)]
    if old:
        _warn(_name_of(scenario), " and ".join(f"`{name}`" for name in old), "let `defaults` say it")
    if "partner" in old:
        found = replace(found, partner=scenario.partner(bench))
    return replace(found, cut=scenario.cut(bench, play)) if "cut" in old else found


def _defaults(scenario: Any, bench: Benchmark, play: Any) -> Defaults:
    try:
        signature(scenario.defaults).bind(bench, play)
    except TypeError:
        _warn(_name_of(scenario), "`defaults` of the benchmark alone", "let it take the options of the run, too")
        found: Defaults = scenario.defaults(bench)
    else:
        found = scenario.defaults(bench, play)
    return found


def _taking(part: _Part, scenario: Any, names: Iterable[str], where: str) -> _Part:
    own = [name for name in names if _has(scenario, name)]
    if own:
        _warn(_name_of(scenario), ", ".join(f"`{name}`" for name in own), f"move that to its `{where}`")
    for name in own:
        setattr(part, name, getattr(scenario, name))
    return part


def _has(scenario: Any, name: str) -> bool:
    """Whether a scenario, or a class of it below `Scenario`, defines a member."""
    places = type(scenario).__mro__
    own = places[: places.index(EarlierShape) - 1]
    found = (vars(place)[name] for place in (scenario, *own) if name in vars(place))
    return any(not isinstance(one, _Moved) for one in found)


def _name_of(scenario: Any) -> str:
    return f"{type(scenario).__module__}.{type(scenario).__qualname__}"


@lru_cache(maxsize=1024)
def _warn(scenario: str, what: str, mend: str) -> None:
    """Once for each class."""
    warnings.warn(f"the scenario {scenario} has {what}; {mend} (docs/upgrade.md)", DeprecationWarning, stacklevel=2)


class _Moved:
    """Finds a member where it is now: in the scenario's own part, or in the default one."""

    def __init__(self, part: str, name: str) -> None:
        self.part = part
        self.name = name

    def __get__(self, scenario: Any, owner: type) -> Any:
        if scenario is None:
            return self
        if _has(scenario, self.part):
            return getattr(getattr(scenario, self.part), self.name)
        return getattr(scenario._presentation(scenario) if self.part == "presentation" else Rows(), self.name)


def _table(scenario: Any) -> MetricTable | None:
    table: MetricTable | None = scenario.table({})
    return table


def _partner(scenario: Any, bench: Benchmark) -> str | None:
    return _defaults(scenario, bench, scenario.play()).partner


def _cut(scenario: Any, bench: Benchmark, play: Any) -> str:
    return _defaults(scenario, bench, play).cut


for _names, _place in ((_PRESENTED, "presentation"), (_ROWS, "rows")):
    for _name in _names:
        setattr(EarlierShape, _name, _Moved(_place, _name))
for _name, _found in (("metrics", property(_table)), ("partner", _partner), ("cut", _cut)):
    setattr(EarlierShape, _name, _found)
