"""Arguments of instruction entries, as the catalogues of IFEval, Multi-IF and MT-Eval name them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from evolif.errors import ArgumentError

Cause = Literal["unsupported", "bad_args", "unknown_metric", "judge"]
"""Kinds of failures that a metric entry itself can have, as records name them."""
Arguments = Mapping[str, Any]
MOST_COUNT = 10**9
"""The largest number that an instruction may ask for."""
LONGEST_TEXT = 20_000
"""Characters of a text that an instruction may ask for, such as a prompt to repeat."""


class Unsupported(ArgumentError):
    """A metric entry cannot be scored here; the message says why.

    Args:
        message: One sentence.
        kind: The kind of failure that the record gets.
    """

    def __init__(self, message: str, *, kind: Cause = "unsupported") -> None:
        super().__init__(message)
        self.kind: Cause = kind


def bad_argument(message: str) -> Unsupported:
    """An argument is missing or does not fit."""
    return Unsupported(message, kind="bad_args")


def text_of(args: Arguments, *keys: str, longest: int = LONGEST_TEXT) -> str:
    """The first of some arguments that is there: a text, without white space around it.

    Raises:
        Unsupported: it is missing, empty, longer than `longest` characters, or no text.
    """
    value = next((args[key] for key in keys if args.get(key) is not None), None)
    if not isinstance(value, str) or not value.strip():
        raise bad_argument(f"inst_args needs “{keys[0]}”, a text")
    if len(value) > longest:
        raise bad_argument(f"inst_args has “{keys[0]}” of {len(value)} characters; give at most {longest}")
    return value.strip()


def number_of(args: Arguments, *keys: str) -> int:
    """The first of some arguments that is there: a whole number, which tables of data may have turned into a float.

    Raises:
        Unsupported: it is missing, out of range, or no whole number.
    """
    value = next((args[key] for key in keys if args.get(key) is not None), None)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_COUNT:
        raise bad_argument(f"inst_args needs “{keys[0]}”, a whole number from 0 to {MOST_COUNT}")
    if value != int(value):
        raise bad_argument(f"inst_args has “{keys[0]}” {value}; give a whole number")
    return int(value)


def texts_of(args: Arguments, key: str, what: str, *, longest: int = 200) -> list[str]:
    """A list of texts, without white space around them.

    Raises:
        Unsupported: it is missing or empty, or a member is empty, too long, or no text.
    """
    values = args.get(key)
    if not isinstance(values, list) or not values or not all(isinstance(one, str) and one.strip() for one in values):
        raise bad_argument(f"inst_args needs “{key}”, a list of {what}")
    if any(len(one) > longest for one in values):
        raise bad_argument(f"inst_args has “{key}” with a text longer than {longest} characters; shorten it")
    return [one.strip() for one in values]


def is_at_least(args: Arguments, key: str = "relation") -> bool:
    """Whether a relation is “at least” rather than “less than”.

    Raises:
        Unsupported: it is neither.
    """
    relation = args.get(key)
    if relation not in ("less than", "at least"):
        raise bad_argument(f"inst_args needs “{key}”, one of “less than” and “at least”")
    return bool(relation == "at least")
