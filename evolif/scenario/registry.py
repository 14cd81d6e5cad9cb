"""How scenarios are found by name: those of this package, and plug-ins."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from evolif.errors import EvolifError, UsageError
from evolif.scenario.contract import Scenario
from evolif.scenario.earlier import defaults_of
from evolif.scenario.presentation import Presentation
from evolif.scenario.rows import Rows
from evolif.util.suggestions import did_you_mean

if TYPE_CHECKING:
    from evolif.models import ChatModel


DEFAULT_SCENARIO = "instructions"
"""The scenario of benchmarks and runs that name none."""
ENTRY_POINTS = "evolif.scenarios"
_OWN: Mapping[str, str] = {
    DEFAULT_SCENARIO: "evolif.scenarios.instructions.scenario:InstructionFollowing",
    "recorded": "evolif.scenarios.recorded.scenario:Recorded",
    "shifts": "evolif.scenarios.shifts.scenario:Shifts",
    "games": "evolif.scenarios.games.scenario:Games",
    "broadcast": "evolif.scenarios.broadcast.scenario:Broadcast",
}
"""The scenarios of this package: where each class is."""


def scenario_names() -> tuple[str, ...]:
    """The scenarios that are installed, those of this package first."""
    return tuple(dict.fromkeys((*_OWN, *sorted(_plugins()))))


def get_scenario(name: str) -> Scenario:
    """The scenario of a name, imported on first use.

    Raises:
        UsageError: there is none, or it cannot be loaded.
    """
    if name in _OWN:
        return _construct(_OWN[name])
    place = _plugins().get(name)
    if place is None:
        known = scenario_names()
        raise UsageError(
            f"the scenario “{name}” is not installed here{did_you_mean(name, known)}; there are {', '.join(known)}"
        )
    try:
        scenario = _construct(place)
        called, title = scenario.name, scenario.title
    except Exception as fault:
        raise UsageError(
            f"the scenario {name}: the plug-in {place} cannot be loaded ({type(fault).__name__}: {fault}); fix or "
            "remove it"
        ) from fault
    if called != name:
        raise UsageError(f"the plug-in {place} calls its scenario “{called}”, but is installed as “{name}”")
    if not isinstance(title, str):
        raise UsageError(f"the plug-in {place} has no title that is a text; fix or remove it")
    return cast(Scenario, _Foreign(scenario, scenario))


class _Foreign:
    """A scenario of a plug-in, or a part of it, whose methods report their errors as `blaming` does."""

    def __init__(self, scenario: Scenario, part: Scenario | Presentation | Rows) -> None:
        self._scenario = scenario
        self._part = part

    def __getattr__(self, name: str) -> Any:
        if name in ("presentation", "rows"):
            with blaming(self._scenario):
                return _Foreign(self._scenario, getattr(self._part, name))
        found = getattr(self._part, name)
        if isinstance(found, type) or not callable(found):
            return found
        if name == "defaults":
            found = partial(defaults_of, self._scenario)

        def call(*given: Any, **named: Any) -> Any:
            with blaming(self._scenario):
                return found(*given, **named)

        return call


def is_own(name: str) -> bool:
    """Whether a scenario is one of this package, not a plug-in's.

    Example:
        >>> is_own("games")
        True
    """
    return name in _OWN


def answer_keys(scenario: Scenario) -> str:
    """What a scenario calls its answer keys, in the plural; empty if it has none."""
    if not scenario.rows.has_keys:
        return ""
    key = scenario.presentation.answer_key
    return f"{key}{'es' if key.endswith('s') else 's'}"


@contextmanager
def blaming(scenario: Scenario) -> Iterator[None]:
    """Report an unexpected error of a plug-in in the block as one sentence that names it.

    Raises:
        UsageError: instead of the error; this package's own errors, and those of its own scenarios, pass.
    """
    try:
        yield
    except EvolifError:
        raise
    except Exception as fault:
        if is_own(scenario.name):
            raise
        raise UsageError(
            f"the plug-in of the scenario {scenario.name} failed ({type(fault).__name__}: {fault}); fix or remove it"
        ) from fault


def _construct(place: str) -> Scenario:
    module, _, attribute = place.partition(":")
    return cast(Scenario, getattr(import_module(module), attribute)())


def _plugins() -> dict[str, str]:
    if os.environ.get("EVOLIF_PLUGINS") == "0":
        return {}
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}


def player_names() -> frozenset[str]:
    """The simulated models of the scenarios of this package, without the provider."""
    return frozenset(player for own in _OWN for player in get_scenario(own).players)


def open_player(name: Any, settings: Any) -> ChatModel:
    """A simulated model, by its parsed name, outside a run, where no benchmark says which scenario it belongs to.

    Raises:
        UsageError: no scenario of this package has it.
    """
    faults = []
    for own in _OWN:
        try:
            return get_scenario(own).player(name.name, settings.seed)
        except UsageError as fault:
            faults.append(fault)
    raise faults[0]
