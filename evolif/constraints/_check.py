"""Constraints in, verdicts out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from evolif._errors import InputError, InternalError, UsageError
from evolif._json_lines import complaint
from evolif.constraints._registry import get_group
from evolif.domain import Constraint, Verdict
from evolif.text import Reading


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
