"""The list of constraint groups, and the checks of a response against constraints.

A new built-in group is added to `GROUPS` or `EXTENDED_GROUPS` below; `base.py` lists all steps. Other groups come from
modules that the user names and from installed plug-ins (entry points `evolif.constraints`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from pydantic import ValidationError

from evolif.errors import InputError, InternalError, UsageError
from evolif.scenarios.instructions.constraints.base import Group
from evolif.scenarios.instructions.constraints.characters import Case, Punctuation
from evolif.scenarios.instructions.constraints.choice import ChoiceGroup
from evolif.scenarios.instructions.constraints.edges import EndWith, StartWith
from evolif.scenarios.instructions.constraints.emoji import Emoji
from evolif.scenarios.instructions.constraints.format import Format
from evolif.scenarios.instructions.constraints.hashtags import Hashtags
from evolif.scenarios.instructions.constraints.keywords import Existence, Forbidden
from evolif.scenarios.instructions.constraints.labels import Labels
from evolif.scenarios.instructions.constraints.language import Language
from evolif.scenarios.instructions.constraints.length import Length, Sentences
from evolif.scenarios.instructions.constraints.lettering import Lettering
from evolif.scenarios.instructions.constraints.lists import Bullets
from evolif.scenarios.instructions.constraints.manner import Manner
from evolif.scenarios.instructions.constraints.markup import Digits, Emphasis, Headings
from evolif.scenarios.instructions.constraints.part_length import PartLength
from evolif.scenarios.instructions.constraints.person import Person
from evolif.scenarios.instructions.constraints.placement import Placement
from evolif.scenarios.instructions.constraints.subjective import Audience, Emotion, Genre, PersonaVoice, Style, Tone
from evolif.scenarios.instructions.constraints.wrap import Wrap
from evolif.scenarios.instructions.turns import Constraint
from evolif.text import EDITIONS, READING_RULES_VERSION, Reading
from evolif.types import Verdict
from evolif.util.resources import complaint
from evolif.util.suggestions import did_you_mean

GROUPS: Mapping[str, Group] = MappingProxyType(
    {
        group.name: group
        for group in (
            StartWith(), EndWith(), Format(), Bullets(), Length(), Existence(),
            Forbidden(), Case(), Punctuation(), Emotion(), Audience(), Style(),
        )
    }
)  # fmt: skip
"""The paper's twelve groups."""

EXTENDED_GROUPS: Mapping[str, Group] = MappingProxyType(
    {
        group.name: group
        for group in (Language(), Placement(), Sentences(), Headings(), Emphasis(), Digits())
    }
)  # fmt: skip
"""Groups that are not in the paper; only the profile `extended` draws them."""

EVERYDAY_GROUPS: Mapping[str, Group] = MappingProxyType(
    {
        group.name: group
        for group in (
            Labels(), ChoiceGroup(), PartLength(), Emoji(), Wrap(), Hashtags(), Lettering(), Person(), Manner(),
        )
    }
)  # fmt: skip
"""Groups of what people ask for every day; the profile `everyday` draws them."""

JUDGED_GROUPS: Mapping[str, Group] = MappingProxyType({g.name: g for g in (PersonaVoice(), Tone(), Genre())})
"""Groups of what people ask for that only a judge can check, by questions; drawn with `generate --judged`."""

_OURS: Mapping[str, Group] = MappingProxyType({**GROUPS, **EXTENDED_GROUPS, **EVERYDAY_GROUPS, **JUDGED_GROUPS})

MODULES_VARIABLE = "EVOLIF_CONSTRAINTS"
"""Lists modules or files, separated by commas; child processes and workers inherit it."""


def get_group(name: str) -> Group:
    """The group of that name.

    Raises:
        UsageError: neither built in nor provided by the user's modules or an installed plug-in.
    """
    group = _OURS.get(name) or own_groups().get(name) or _plugin(name)
    if group is None:
        known = tuple(_OURS)
        raise UsageError(
            f"unknown constraint group “{name}”{did_you_mean(name, known)}; known groups are {', '.join(known)}; use "
            "--constraints to load your own"
        )
    return group


@dataclass(frozen=True, slots=True)
class OwnModule:
    """A module of the user's own with constraint groups, as it was loaded."""

    name: str
    """The file's name without its folder, or the module's name."""
    digest: str
    """The start of the SHA-256 of its text (16 hex digits); empty if it has none, such as a compiled module."""
    groups: Mapping[str, Group]

    def __str__(self) -> str:
        return f"{self.name} (SHA-256 {self.digest or 'unknown'})"


def own_groups() -> Mapping[str, Group]:
    """The groups of the user's modules, by name and in their order.

    Only the user names modules, by `--constraints` or `EVOLIF_CONSTRAINTS`: a benchmark, a run, a profile or a
    configuration file never loads one. Each module has `GROUPS`, a list of `Group` objects or classes.

    Raises:
        UsageError: a module that cannot be loaded or has no groups, or a name that is taken.
    """
    return {name: group for module in own_modules() for name, group in module.groups.items()}


def own_modules() -> tuple[OwnModule, ...]:
    """The user's modules with constraint groups, loaded on first use; errors as for `own_groups`."""
    return _load_modules(os.environ.get(MODULES_VARIABLE, ""))


def code_of(groups: Iterable[str]) -> dict[str, str]:
    """Which code of the user's own decides on constraints: per group its module and the module's digest."""
    wanted = set(groups)
    return {name: str(module) for module in own_modules() for name in module.groups if name in wanted}


@lru_cache(maxsize=8)
def _load_modules(names: str) -> tuple[OwnModule, ...]:
    modules: list[OwnModule] = []
    taken = set(_OURS)
    for name in filter(None, map(str.strip, names.split(","))):
        module, text = _load_module(name)
        groups: dict[str, Group] = {}
        for group in _groups_of(module, name):
            if group.name in taken:
                raise UsageError(f"--constraints {name}: the group “{group.name}” already exists; choose another name")
            taken.add(group.name)
            groups[group.name] = group
        digest = sha256(text).hexdigest()[:16] if text else ""
        modules.append(OwnModule(Path(name).name if name.endswith(".py") else name, digest, MappingProxyType(groups)))
        for listener in _listeners:
            listener(modules[-1])
    return tuple(modules)


_listeners: set[Callable[[OwnModule], None]] = set()


def on_own_module(listener: Callable[[OwnModule], None]) -> None:
    """Have a function called with every module of the user's own as it is loaded."""
    _listeners.add(listener)


def _load_module(name: str) -> tuple[ModuleType, bytes]:
    """The module, and its text."""
    try:
        if name.endswith(".py"):
            return _load_file(Path(name))
        module = import_module(name)
        file = Path(module.__file__ or "")
        return module, file.read_bytes() if file.suffix == ".py" else b""
    except Exception as fault:
        reason = f"{type(fault).__name__}: {fault}"
        raise UsageError(f"--constraints {name} cannot be loaded ({reason}); name a module or a .py file") from fault


def _load_file(path: Path) -> tuple[ModuleType, bytes]:
    # The module name is unique per file, so that two files named `groups.py` are two modules.
    place = path.resolve(strict=True)
    spec = spec_from_file_location(f"evolif_own_{path.stem}_{sha256(str(place).encode()).hexdigest()[:8]}", place)
    if spec is None:
        raise ImportError("not a Python file")
    module, text = module_from_spec(spec), place.read_bytes()
    # Not by the spec's loader, which may run a compiled file that lies beside it: the digest is of what runs.
    exec(compile(text, str(place), "exec", dont_inherit=True), module.__dict__)
    return module, text


def _groups_of(module: ModuleType, name: str) -> list[Group]:
    listed = getattr(module, "GROUPS", None)
    groups = (
        [item() if isinstance(item, type) else item for item in listed] if isinstance(listed, (list, tuple)) else []
    )
    if not groups or not all(isinstance(group, Group) for group in groups):
        raise UsageError(
            f"--constraints {name}: the module needs GROUPS, a list of evolif.scenarios.instructions.constraints.Group"
        )
    return groups


@lru_cache(maxsize=64)
def _plugin(name: str) -> Group | None:
    if os.environ.get("EVOLIF_PLUGINS") == "0":
        return None
    from importlib.metadata import entry_points

    for entry in entry_points(group="evolif.constraints", name=name):
        loaded = entry.load()
        group = loaded() if isinstance(loaded, type) else loaded
        if not isinstance(group, Group) or group.name != name:
            raise UsageError(f"the plugin “{entry.value}” does not provide the constraint group “{name}”")
        return group
    return None


def parse_constraint(data: object, *, stored: bool = False) -> Constraint:
    """Validate one constraint: `{"group": …, "params": {…}}`; other keys are ignored.

    Args:
        data: The constraint.
        stored: It is part of an existing set or run, and not refused if no answer can satisfy it.

    Raises:
        InputError: says what is wrong and what is expected.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("group"), str):
        raise InputError('a constraint is an object {"group": …, "params": {…}}')
    group = get_group(data["group"])
    params = data.get("params")
    if not isinstance(params, Mapping):
        raise InputError(f"the constraint {group.name} needs “params”, an object")
    try:
        model = group.adapter.validate_python(dict(params))
    except ValidationError as fault:
        raise InputError(f"{group.name}: {complaint(fault, 'params')}") from None
    if stored:
        return Constraint(group.name, model.model_dump())
    try:
        return Constraint(group.name, group.accept(model.model_dump()))
    except ValueError as fault:
        raise InputError(f"{group.name}: {fault}") from None


def parse_constraints(data: Iterable[object], *, stored: bool = False) -> tuple[Constraint, ...]:
    """Validate constraints as `parse_constraint` does.

    They may have only one format, since it decides how the answer is read.
    """
    constraints = tuple(c if isinstance(c, Constraint) else parse_constraint(c, stored=stored) for c in data)
    if len({c.params["mode"] for c in constraints if c.group == "format"}) > 1:
        raise InputError("an answer has one format; give only one format constraint")
    return constraints


_READ_AS: Mapping[str, str | None] = {"table": "markdown", "plain": None, "comma_list": None}


def format_of(constraints: Iterable[Constraint]) -> str | None:
    """The format as which the answer is read; a table is Markdown, and a list with commas is text like any other."""
    mode = next((str(c.params["mode"]) for c in constraints if c.group == "format"), None)
    return _READ_AS.get(mode, mode) if mode else None


def describe(constraint: Constraint, fmt: str | None = None) -> str:
    """One precise sentence for a constraint, under the active format."""
    return get_group(constraint.group).describe(constraint.params, fmt)


def rule_checked(constraints: Iterable[Constraint]) -> list[Constraint]:
    """The constraints that rules can check, without those that need a judge."""
    return [constraint for constraint in constraints if not get_group(constraint.group).subjective]


def check_reading(constraints: Sequence[Constraint], reading: Reading) -> list[Verdict]:
    """A verdict for each constraint, in order; subjective ones are not judged here."""
    return [_check_one(constraint, reading) for constraint in constraints]


def _check_one(constraint: Constraint, reading: Reading) -> Verdict:
    group = get_group(constraint.group)
    if reading.unreadable:
        return Verdict(group.name, False, group.describe(constraint.params, reading.fmt), reading.unreadable)
    if group.subjective:
        return Verdict(group.name, None, group.describe(constraint.params, reading.fmt), "not judged by rules")
    try:
        return group.check(constraint.params, reading)
    except UsageError:
        raise  # a missing package
    except Exception as fault:
        # A broken checker is a bug of this program; it never counts against a model.
        raise InternalError(f"the checker of {group.name} failed: {type(fault).__name__}: {fault}") from fault


def check(
    constraints: Iterable[Constraint | Mapping[str, Any]], response: str, rules: int = READING_RULES_VERSION
) -> list[Verdict]:
    """Check a response against constraints.

    Args:
        constraints: Constraints, or objects as stored in a benchmark line.
        response: The answer as received; a leading `<think>…</think>` is ignored.
        rules: The edition of the reading rules: 1 or 2, the latest.

    Returns:
        One verdict per constraint, in the given order. `satisfied` is None if only a judge can decide.

    Raises:
        InputError: a constraint that cannot be read or that no answer can satisfy, or no such edition.

    Example:
        >>> check([{"group": "length", "params": {"unit": "sentences", "relation": "exactly", "count": 1}}], "Hi.")
    """
    if rules not in EDITIONS:
        raise InputError(f"rules must be {' or '.join(map(str, EDITIONS))}, not {rules}")
    parsed = parse_constraints(constraints)
    return check_reading(parsed, Reading(response, format_of(parsed), rules=rules))
