"""What functions that others call refuse: arguments of the wrong kind, or out of range."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evolif.errors import ArgumentError


def whole(name: str, value: Any, least: int) -> int:
    """A whole number of at least `least`.

    Args:
        name: What the error calls it.
        value: As passed.
        least: The smallest that is accepted.

    Raises:
        ArgumentError: it is none; a truth value is none either.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ArgumentError(f"{name} is {value!r}; give a whole number of at least {least}")
    return value


def even(turns: Any) -> int:
    """The turns of a dialogue, which both players share equally.

    Raises:
        ArgumentError: they are no even number of at least 2.
    """
    if whole("turns", turns, 2) % 2:
        raise ArgumentError(f"turns is {turns}; give an even number, so that both players have as many")
    return int(turns)


def text_of(value: Any) -> str:
    """A text.

    Raises:
        ArgumentError: it is none.
    """
    if not isinstance(value, str):
        raise ArgumentError(f"{type(value).__name__} is no text; give a string")
    return value


def texts_of(values: Iterable[Any]) -> list[str]:
    """The texts of a dialogue, one a turn.

    Raises:
        ArgumentError: a single text, or something else that is no list of texts.
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ArgumentError("give a list of texts, one a turn")
    return [text_of(value) for value in values]


def items_of(values: Iterable[Any], what: str) -> Iterable[Any]:
    """The items of a list, unchanged.

    Args:
        values: As passed.
        what: What the error calls the items, in the plural.

    Raises:
        ArgumentError: a text, a mapping, or something else that is no list.
    """
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise ArgumentError(f"{type(values).__name__} is no list; give a list of {what}")
    return values
