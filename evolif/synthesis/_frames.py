"""Frames: the conversational sentences around a clause, per register and move; the project's own and the user's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from string import Formatter
from typing import Any

from evolif._catalogues import data_path, load_yaml
from evolif._errors import InputError

_TALK = frozenset({"clause", "Clause"})
_NEEDED: Mapping[tuple[str, ...], tuple[frozenset[str], ...]] = {
    ("first",): (frozenset({"task"}), _TALK),
    ("new",): (frozenset({"task"}), _TALK),
    ("continue", "add"): (_TALK,),
    ("continue", "modify"): (frozenset({"old", "Old"}), _TALK),
    ("continue", "remove"): (frozenset({"drop", "Drop"}),),
    ("backtrack", "add"): (frozenset({"topic", "Topic"}), _TALK),
    ("backtrack", "modify"): (frozenset({"topic", "Topic"}), frozenset({"old", "Old"}), _TALK),
    ("backtrack", "remove"): (frozenset({"topic", "Topic"}), frozenset({"drop", "Drop"})),
}
"""Where a register needs frames, and what each of them has to hold: one slot out of every set, and no other."""

MOST_FRAMES = 200
"""Frames of one kind in one register."""


@dataclass(frozen=True, slots=True)
class Frames:
    """Frames by register; `neutral` is always there."""

    by_register: Mapping[str, Mapping[str, Any]]

    @property
    def registers(self) -> tuple[str, ...]:
        """The registers that there are frames for."""
        return tuple(self.by_register)

    def of(self, register: str, *path: str) -> list[str]:
        """The frames of a register for a move and operation; those of `neutral` where the register is unknown."""
        node: Any = self.by_register.get(register) or self.by_register["neutral"]
        for key in path:
            node = node[key]
        return list(node)


@lru_cache(maxsize=1)
def own_frames() -> Frames:
    """The project's own."""
    return Frames(_read(data_path("seeds", "frames.yaml")))


def registers() -> tuple[str, ...]:
    """The registers of the project's own frames."""
    return own_frames().registers


def load_frames(path: Path) -> Frames:
    """The project's own frames and those of a YAML file like `seeds/frames.yaml`, whose registers come first.

    Raises:
        InputError: a register without frames of some kind, or a frame with a slot missing or unknown.
    """
    return Frames({**own_frames().by_register, **_read(path)})


def _read(path: Path) -> Mapping[str, Mapping[str, Any]]:
    data = load_yaml(path)
    registers = data.get("registers") if isinstance(data, dict) else None
    if not isinstance(registers, dict) or not registers:
        raise InputError("needs “registers”, a mapping of register names to frames", path=path)
    for register, moves in registers.items():
        for fault in _faults(register, moves):
            raise InputError(fault, path=path)
    return registers


def _faults(register: object, moves: object) -> Iterator[str]:
    if not isinstance(register, str) or not register.isidentifier():
        yield f"“{register}” is no name for a register; use letters"
    for where, needed in _NEEDED.items():
        node: Any = moves
        for key in where:
            node = node.get(key) if isinstance(node, dict) else None
        name = f"{register}.{'.'.join(where)}"
        if not isinstance(node, list) or not 1 <= len(node) <= MOST_FRAMES:
            yield f"needs 1 to {MOST_FRAMES} frames under {name}"
            continue
        for text in node:
            yield from _faults_of(name, text, needed)


def _faults_of(name: str, text: object, needed: tuple[frozenset[str], ...]) -> Iterator[str]:
    """A frame is filled by `str.format`: a slot may be a bare name out of the list and nothing that reaches further."""
    try:
        slots = [slot for slot in Formatter().parse(text) if slot[1] is not None] if isinstance(text, str) else None
    except ValueError:
        slots = None
    if slots is None:
        yield f"{name}: “{text}” is no text with slots such as {{clause}}"
        return
    allowed = frozenset().union(*needed)
    for _, field, spec, conversion in slots:
        if field not in allowed or spec or conversion:
            yield f"{name}: “{text}” has the slot {{{field}}}; use {', '.join(sorted(allowed))}"
    names = [field for _, field, _, _ in slots]
    for some in needed:
        if sum(names.count(one) for one in some) != 1:
            yield f"{name}: “{text}” needs {' or '.join(f'{{{one}}}' for one in sorted(some))} once"
