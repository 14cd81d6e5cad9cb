"""A plan as commands: the same that one would type, in their order."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from evolif.errors import InputError, UsageError
from evolif.plan.file import Entry, Plan
from evolif.plan.flags import Flags, Value, arguments, key_of
from evolif.plan.lines import line_of
from evolif.scenario import DEFAULT_SCENARIO
from evolif.util.suggestions import did_you_mean

Verb: TypeAlias = Literal["generate", "evaluate", "board", "gate"]


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a plan.

    Attributes:
        verb: What it does.
        entry: The scenario that it is about; None for all of them.
        command: Its arguments, the verb first.
    """

    verb: Verb
    entry: Entry | None
    command: tuple[str, ...]

    def __str__(self) -> str:
        return shlex.join(("evolif", *self.command))


def steps_of(plan: Plan, flags: Mapping[Verb, Flags], only: Sequence[str] = ()) -> list[Step]:
    """The commands of a plan.

    Args:
        plan: What is to be played.
        flags: Those of each verb.
        only: The labels of its scenarios that are played; all if empty.

    Raises:
        InputError: a key that the verb does not have, or a value that does not fit it.
        UsageError: the plan has no such scenario.
    """
    entries = _chosen(plan, only)
    steps: list[Step] = []
    for entry in entries:
        number = plan.entries.index(entry)
        if entry.bench is None:
            steps.append(Step("generate", entry, _generate(plan, entry, flags["generate"], number)))
        elif entry.generate:
            key = next(iter(entry.generate))
            raise _at(plan, ["scenarios", number, key], f"{key}: the benchmark {entry.bench.name} is there already")
        steps.append(Step("evaluate", entry, _evaluate(plan, entry, flags["evaluate"], number)))
    if plan.board is not None:
        runs = [_shown(plan.run(entry)) for entry in plan.entries]
        own = _arguments(plan, plan.board, flags["board"], ["board"])
        out = [] if any(key_of(key) == "out" for key in plan.board) else ["--out", _shown(plan.out / "board")]
        steps.append(Step("board", None, ("board", *runs, *out, *own)))
    for entry in entries:
        if entry.gate is not None:
            steps.append(Step("gate", entry, _gate(plan, entry, flags["gate"])))
    return steps


def _chosen(plan: Plan, only: Sequence[str]) -> list[Entry]:
    labels = [entry.label for entry in plan.entries]
    for name in only:
        if name not in labels:
            raise UsageError(f"--only {name}{did_you_mean(name, labels)}: the plan has {', '.join(labels)}")
    return [entry for entry in plan.entries if not only or entry.label in only]


def _generate(plan: Plan, entry: Entry, flags: Flags, number: int) -> tuple[str, ...]:
    own = _arguments(plan, entry.generate, flags, ["scenarios", number])
    kind = [] if entry.scenario == DEFAULT_SCENARIO else ["--scenario", entry.scenario]
    return ("generate", _shown(plan.benchmark(entry)), *kind, *own)


def _evaluate(plan: Plan, entry: Entry, flags: Flags, number: int) -> tuple[str, ...]:
    for key in ("budget_usd", "budget_tokens"):
        if key in map(key_of, entry.settings):
            raise InputError(f"settings: {key}: budget: {{usd: …}} limits all runs", path=plan.path)
    own = _arguments(plan, entry.settings, flags, _place_of_settings(plan, entry, number))
    models = [f"--model={model}" for model in entry.models]
    return ("evaluate", _shown(plan.benchmark(entry)), *models, "--out", _shown(plan.run(entry)), *own)


def _place_of_settings(plan: Plan, entry: Entry, number: int) -> list[str | int]:
    """Where its settings stand, or those of all scenarios."""
    own = line_of(plan.path, ["scenarios", number, "settings"]) != line_of(plan.path, ["scenarios", number])
    return ["scenarios", number, "settings"] if own and entry.settings else ["settings"]


def _gate(plan: Plan, entry: Entry, flags: Flags) -> tuple[str, ...]:
    assert entry.gate is not None
    values = {key_of(key): value for key, value in entry.gate.items()}
    baseline = values.pop("no_worse_than", None)
    found = _arguments(plan, values, flags, ["gate"])
    if baseline is not None:
        found += ["--no-worse-than", _shown(_baseline(plan, entry, str(baseline)))]
    return ("gate", _shown(plan.run(entry)), *found)


def _baseline(plan: Plan, entry: Entry, named: str) -> Path:
    """The run that is meant: the folder itself, or the scenario's own below the folder of another plan."""
    folder = plan.folder / Path(named).expanduser()
    below = [one for one in (folder / entry.label, folder / "runs" / entry.label) if one.is_dir()]
    return below[0] if below else folder


def _arguments(plan: Plan, values: Mapping[str, Value], flags: Flags, place: Sequence[str | int]) -> list[str]:
    where = ".".join(str(part + 1) if isinstance(part, int) else part for part in place)
    for key, value in values.items():
        try:
            arguments({key: value}, flags, where, plan.folder)
        except UsageError as fault:
            raise _at(plan, [*place, key], str(fault)) from None
    return arguments(values, flags, where, plan.folder)


def _at(plan: Plan, place: Sequence[str | int], message: str) -> InputError:
    return InputError(message, path=plan.path, line=line_of(plan.path, place))


def _shown(path: Path) -> str:
    """A path as one types it here."""
    return str(path) if path.is_absolute() else os.path.relpath(path)
