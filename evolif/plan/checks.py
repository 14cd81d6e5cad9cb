"""What can be found wrong in a plan before anything is played or paid for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evolif.benchmark import open_benchmark
from evolif.errors import InputError, UsageError
from evolif.gate.required import parse_required
from evolif.metrics import tables_of
from evolif.models import parse_model_name
from evolif.plan.file import Entry, Plan
from evolif.plan.flags import Value, texts_of
from evolif.plan.lines import line_of
from evolif.scenario import DEFAULT_SCENARIO, Scenario, get_scenario, options_of, pairs_of


def check_plan(plan: Plan, only: Sequence[str] = ()) -> None:
    """Check scenarios, their options, models and gates by name.

    Args:
        plan: Any.
        only: The labels of the scenarios that are played; all if empty.

    Raises:
        InputError: something in it does not exist; the message names the line.
    """
    for number, entry in enumerate(plan.entries):
        if only and entry.label not in only:
            continue
        try:
            _check(entry)
        except UsageError as fault:
            line = line_of(plan.path, ["scenarios", number])
            raise InputError(f"{entry.label}: {fault}", path=plan.path, line=line) from None


def _check(entry: Entry) -> None:
    if entry.bench is not None and not entry.bench.is_dir():
        raise UsageError(f"the benchmark {entry.bench} does not exist; without bench: a new one is made")
    scenario = get_scenario(entry.scenario if entry.bench is None else open_benchmark(entry.bench).scenario)
    if entry.scenario != DEFAULT_SCENARIO and entry.bench is None:
        options_of(scenario.spec, pairs_of(texts_of(entry.generate.get("set"), "set"), scenario.spec), scenario.name)
    played = pairs_of(texts_of(entry.settings.get("set"), "settings.set"), scenario.play)
    options_of(scenario.play, played, scenario.name)
    for model in entry.models:
        provider, _, name = model.partition("/")
        if provider == "sim":
            scenario.player(name, 0)
        else:
            parse_model_name(model)
    _check_gate(entry.gate or {}, scenario, played, patient="patience" in entry.settings)


def _check_gate(
    gate: Mapping[str, Value], scenario: Scenario, played: Mapping[str, Any], *, patient: bool
) -> None:  # fmt: skip
    own = scenario.table(played)
    # Any patience will do: it decides which metrics there are, whatever it is. Scenarios with figures of their own have
    # none by default.
    patience = 1 if own is None or patient else None
    tables = tables_of(own, patience, has_gate=True, has_feedback=True)
    for key, at_most in (("min", False), ("max", True)):
        for text in texts_of(gate.get(key), f"gate.{key}"):
            parse_required(text, tables, at_most=at_most)
