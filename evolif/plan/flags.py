"""Keys of a plan as flags of a verb: the plan says `max_turns: 20` where the command line says `--max-turns 20`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from evolif.errors import UsageError
from evolif.util.suggestions import did_you_mean

Scalar: TypeAlias = str | int | float | bool
Value: TypeAlias = Scalar | Sequence[Scalar] | Mapping[str, Scalar | Sequence[Scalar]] | None


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag of a verb.

    Attributes:
        name: As on the command line, such as `--max-turns`.
        off: What switches it off, such as `--no-system-prompt`; empty if nothing does.
        switch: Whether it takes no value.
        repeats: Whether it may be given more than once.
        path: Whether its value is a path.
        kind: The type of its value in JSON Schema.
        help: What it does.
        refused: Why no plan sets it; empty if plans may.
    """

    name: str
    off: str = ""
    switch: bool = False
    repeats: bool = False
    path: bool = False
    kind: str = "string"
    help: str = ""
    refused: str = ""


Flags: TypeAlias = Mapping[str, Flag]
"""The flags of a verb by key, with underscores: `max_turns`."""


def key_of(name: str) -> str:
    """The key of a flag, however it is spelled: `--max-turns`, `max-turns` and `max_turns` are one."""
    return name.strip().removeprefix("--").replace("-", "_")


def arguments(values: Mapping[str, Value], flags: Flags, where: str, folder: Path) -> list[str]:
    """The arguments of a command line.

    Args:
        values: By key; None and empty lists say nothing.
        flags: Of the verb.
        where: The part of the plan that the values stand in, for messages.
        folder: That of the plan, which paths are relative to.

    Raises:
        UsageError: an unknown key, one that no plan sets, or a value of the wrong kind.

    Example:
        >>> flags = {"set": Flag("--set", repeats=True), "voices": Flag("--voices", switch=True)}
        >>> arguments({"set": {"game": "chess"}, "voices": True}, flags, "scenarios.0", Path())
        ['--set=game=chess', '--voices']
    """
    found: list[str] = []
    for name, value in values.items():
        flag = flags.get(key_of(name))
        if flag is None:
            raise UsageError(
                f"{where}: there is no key “{name}”{did_you_mean(key_of(name), flags)}; keys are named like flags"
            )
        if flag.refused:
            raise UsageError(f"{where}: {name}: {flag.refused}")
        found += _of_flag(flag, value, f"{where}: {name}", folder)
    return found


def _of_flag(flag: Flag, value: Value, where: str, folder: Path) -> Iterator[str]:
    if flag.switch:
        if not isinstance(value, bool | None):
            raise UsageError(f"{where} is true or false, not {value}")
        word = flag.name if value else flag.off if value is False else ""
        yield from [word] * bool(word)
        return
    values = texts_of(value, where)
    if len(values) > 1 and not flag.repeats:
        raise UsageError(f"{where} takes one value, not {len(values)}")
    for text in values:
        # One word: a value that begins with a dash is no flag.
        yield f"{flag.name}={_relative(text, folder) if flag.path else text}"


def texts_of(value: Value, where: str) -> list[str]:
    """A value as texts: one for each item of a list, `KEY=VALUE` for each of a mapping."""
    if value is None:
        return []
    if isinstance(value, Mapping):
        return [f"{key}={','.join(texts_of(one, where))}" for key, one in value.items()]
    if isinstance(value, str | int | float):
        return [_text(value, where)]
    return [_text(one, where) for one in value]


def _text(value: object, where: str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise UsageError(f"{where} takes a text or a number, not {type(value).__name__}")
    return str(value)


def _relative(text: str, folder: Path) -> str:
    """A path of the plan as it is written from here."""
    path = folder / Path(text).expanduser()
    return os.path.relpath(path) if not Path(text).expanduser().is_absolute() else str(path)
