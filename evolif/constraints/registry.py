"""Which groups there are: the paper's twelve, those of the profile `extended`, the user's own and entry points'."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from pydantic import ValidationError

from evolif.constraints.base import Group
from evolif.constraints.case import Case
from evolif.constraints.edges import EndWith, StartWith
from evolif.constraints.format import Format
from evolif.constraints.keywords import Existence, Forbidden
from evolif.constraints.language import Language
from evolif.constraints.length import Length
from evolif.constraints.markup import Bullets, Digits, Emphasis, Headings
from evolif.constraints.placement import Placement
from evolif.constraints.punctuation import Punctuation
from evolif.constraints.sentences import Sentences
from evolif.constraints.subjective import Audience, Emotion, Style
from evolif.errors import InputError, InternalError, UsageError
from evolif.resources import complaint
from evolif.text import Reading
from evolif.types import Constraint, Verdict

# Constraint groups of the user's own, out of the modules that `--constraints` or `EVOLIF_CONSTRAINTS` names.
#
# Only the user names them: a benchmark, a run or a profile never has a module loaded.

VARIABLE = "EVOLIF_CONSTRAINTS"
"""Modules or files, apart by commas; child processes and workers inherit it."""


def named_groups(taken: frozenset[str]) -> Mapping[str, Group]:
    """The groups of the named modules, by name, in their order.

    Each module has `GROUPS`, a sequence of `Group` objects or classes.

    Args:
        taken: Names of groups that are there already.

    Raises:
        UsageError: a module that cannot be loaded, or that offers no groups, one twice or one whose name is taken.
    """
    return _loaded(os.environ.get(VARIABLE, ""), taken)


@lru_cache(maxsize=8)
def _loaded(named: str, taken: frozenset[str]) -> Mapping[str, Group]:
    groups: dict[str, Group] = {}
    for name in filter(None, map(str.strip, named.split(","))):
        for group in _groups_of(_module(name), name):
            if group.name in groups or group.name in taken:
                raise UsageError(f"--constraints {name}: there is a group “{group.name}” already; name it otherwise")
            groups[group.name] = group
    return MappingProxyType(groups)


def _module(name: str) -> ModuleType:
    try:
        return _from_file(Path(name)) if name.endswith(".py") else import_module(name)
    except Exception as fault:
        told = f"{type(fault).__name__}: {fault}"
        raise UsageError(f"--constraints {name} cannot be loaded ({told}); name a module or a .py file") from fault


def _from_file(path: Path) -> ModuleType:
    # A name of its own per file: two users' `groups.py` are two modules.
    digest = sha256(str(path.resolve()).encode()).hexdigest()[:8]
    spec = spec_from_file_location(f"evolif_own_{path.stem}_{digest}", path.resolve(strict=True))
    if spec is None or spec.loader is None:
        raise ImportError("not a Python file")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _groups_of(module: ModuleType, name: str) -> list[Group]:
    offered = getattr(module, "GROUPS", None)
    groups = [one() if isinstance(one, type) else one for one in offered] if isinstance(offered, (list, tuple)) else []
    if not groups or not all(isinstance(group, Group) for group in groups):
        raise UsageError(f"--constraints {name}: the module needs GROUPS, a list of evolif.constraints.Group")
    return groups


GROUPS: Mapping[str, Group] = MappingProxyType(
    {
        group.name: group
        for group in (
            StartWith(), EndWith(), Format(), Bullets(), Length(), Existence(),
            Forbidden(), Case(), Punctuation(), Emotion(), Audience(), Style(),
        )
    }
)  # fmt: skip


EXTENDED_GROUPS: Mapping[str, Group] = MappingProxyType(
    {
        group.name: group
        for group in (Language(), Placement(), Sentences(), Headings(), Emphasis(), Digits())
    }
)  # fmt: skip
"""Groups that the paper does not have; only the profile `extended` draws them."""


def own_groups() -> Mapping[str, Group]:
    """Groups out of the modules that `--constraints` or `EVOLIF_CONSTRAINTS` names, by name.

    Raises:
        UsageError: a module that cannot be loaded or offers no groups, or a name that is taken.
    """
    return named_groups(frozenset((*GROUPS, *EXTENDED_GROUPS)))


def get_group(name: str) -> Group:
    """The group of that name.

    Raises:
        UsageError: neither built in nor offered by a module of the user's or an installed plugin.
    """
    group = GROUPS.get(name) or EXTENDED_GROUPS.get(name) or own_groups().get(name) or _plugin(name)
    if group is None:
        raise UsageError(
            f"unknown constraint group “{name}”; there are {', '.join([*GROUPS, *EXTENDED_GROUPS])}; name the module "
            "of a group of your own by --constraints"
        )
    return group


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


# Constraints in, verdicts out.


def parse_constraint(data: object) -> Constraint:
    """Validate one constraint as stored: `{"group": …, "params": {…}}`; other keys are ignored.

    Raises:
        InputError: with what is wrong and what is expected.
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
    return Constraint(group.name, model.model_dump())


def parse_constraints(data: Iterable[object]) -> tuple[Constraint, ...]:
    """Validate constraints; at most one format, since it decides how the answer is read."""
    constraints = tuple(c if isinstance(c, Constraint) else parse_constraint(c) for c in data)
    if len({c.params["mode"] for c in constraints if c.group == "format"}) > 1:
        raise InputError("an answer has one format; give only one format constraint")
    return constraints


def format_of(constraints: Iterable[Constraint]) -> str | None:
    """The format that the constraints ask for; a table is Markdown."""
    mode = next((str(c.params["mode"]) for c in constraints if c.group == "format"), None)
    return "markdown" if mode == "table" else mode


def describe(constraint: Constraint, fmt: str | None = None) -> str:
    """One precise sentence for a constraint, under the active format."""
    return get_group(constraint.group).describe(constraint.params, fmt)


def check_reading(constraints: Sequence[Constraint], reading: Reading) -> list[Verdict]:
    """A verdict for each constraint, in order; subjective ones are not judged here."""
    return [_one(constraint, reading) for constraint in constraints]


def _one(constraint: Constraint, reading: Reading) -> Verdict:
    group = get_group(constraint.group)
    if reading.unreadable:
        return Verdict(group.name, False, group.describe(constraint.params, reading.fmt), reading.unreadable)
    if group.subjective:
        return Verdict(group.name, None, group.describe(constraint.params, reading.fmt), "not judged by rules")
    try:
        return group.check(constraint.params, reading)
    except UsageError:
        raise  # a package to be installed
    except Exception as fault:
        # A broken checker is our fault and is reported as such; it never counts against a model.
        raise InternalError(f"the checker of {group.name} failed: {type(fault).__name__}: {fault}") from fault


def check(constraints: Iterable[Constraint | Mapping[str, Any]], response: str) -> list[Verdict]:
    """Check a response against constraints.

    Args:
        constraints: Constraints, or objects as stored in a benchmark line.
        response: The answer as received; a leading `<think>…</think>` is not judged.

    Returns:
        One verdict per constraint, in the order given. `satisfied` is None where only a judge can tell.

    Raises:
        InputError: a constraint that cannot be read.
    """
    parsed = parse_constraints(constraints)
    return check_reading(parsed, Reading(response, format_of(parsed)))
