"""What functions that others call refuse: arguments of the wrong kind, or out of range."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from evolif.errors import ArgumentError

_MOST_SHOWN = 60
"""Characters of a value in an error."""
_LARGEST = 1e300
"""So that no sum of numbers overflows."""


def shown(value: Any) -> str:
    """A value as an error shows it: cut if it is long."""
    try:
        found = repr(value[:_MOST_SHOWN] if isinstance(value, str) else value)
    except (ValueError, RecursionError):  # a number of thousands of digits; lists in lists in lists
        found = f"a long {type(value).__name__}"
    return found if len(found) <= _MOST_SHOWN + 2 else f"{found[:_MOST_SHOWN]}…"


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number from `least` to `most`.

    Args:
        name: What the error calls it.
        value: As passed.
        least: The smallest that is accepted.
        most: The largest; None for no limit.

    Raises:
        ArgumentError: it is none; a truth value is none either.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        wanted = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ArgumentError(f"{name} is {shown(value)}; give a whole number {wanted}")
    return value


def number(name: str, value: Any) -> float:
    """A finite number.

    Args:
        name: What the error calls it.
        value: As passed.

    Raises:
        ArgumentError: it is none; neither are truth values, infinity and what is no number.
    """
    if not isinstance(value, bool) and isinstance(value, int | float):
        with suppress(OverflowError):  # a whole number that no float holds
            if abs(float(value)) <= _LARGEST:
                return float(value)
    raise ArgumentError(f"{name} is {shown(value)}; give a finite number")


def text(name: str, value: Any) -> str:
    """A text.

    Args:
        name: What the error calls it.
        value: As passed.

    Raises:
        ArgumentError: it is none.
    """
    if not isinstance(value, str):
        raise ArgumentError(f"{name} is of type {type(value).__name__}; give a string")
    return value


def items(name: str, values: Any) -> Iterable[Any]:
    """The items of a list, unchanged.

    Args:
        name: What the error calls the list.
        values: As passed.

    Raises:
        ArgumentError: it is a text, a mapping, or nothing that has items.
    """
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ArgumentError(f"{name} is of type {type(values).__name__}; give a list")
    return values


def names(name: str, values: Any) -> list[str]:
    """A list of texts.

    Args:
        name: What the error calls the list.
        values: As passed.

    Raises:
        ArgumentError: it is no list, or holds something else than texts.
    """
    return [text(f"an item of {name}", value) for value in items(name, values)]


def mapping(name: str, value: Any) -> Mapping[Any, Any]:
    """A mapping, unchanged.

    Args:
        name: What the error calls it.
        value: As passed.

    Raises:
        ArgumentError: it is none.
    """
    if not isinstance(value, Mapping):
        raise ArgumentError(f"{name} is of type {type(value).__name__}; give a mapping")
    return value


def two_teams(teams: Any) -> tuple[str, str]:
    """The two teams of a match.

    Args:
        teams: As passed.

    Raises:
        ArgumentError: there are not two of them, or both have the same name.
    """
    found = names("teams", teams)
    if len(found) != 2 or found[0] == found[1]:
        raise ArgumentError(f"teams is {shown(found)}; give the two different names of a match")
    return found[0], found[1]


def one_of(name: str, value: Any, allowed: Sequence[str]) -> str:
    """One of a few texts.

    Args:
        name: What the error calls it.
        value: As passed.
        allowed: What is accepted.

    Raises:
        ArgumentError: it is none of them.
    """
    if not isinstance(value, str) or value not in allowed:
        raise ArgumentError(f"{name} is {shown(value)}; give {' or '.join(map(repr, allowed))}")
    return value


def required(what: str, value: Mapping[Any, Any], key: str) -> Any:
    """What a mapping holds under a key.

    Args:
        what: What the error calls the mapping, such as `an event`.
        value: The mapping.
        key: Where to look.

    Raises:
        ArgumentError: there is nothing of that key.
    """
    if key not in value:
        raise ArgumentError(f"{what} has no {key!r}; give it one")
    return value[key]
