"""The phrase grammars: frames per register and move, clauses per group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from zlib import crc32

from evolif._catalogues import data_path, load_yaml
from evolif._errors import InputError
from evolif._stream import Stream
from evolif.constraints import Saying, get_group
from evolif.domain import Params

_PURPOSE = 3
"""Separates the wording's stream from those of script and persona."""


@lru_cache(maxsize=1)
def _frames() -> Mapping[str, Any]:
    path = data_path("seeds", "frames.yaml")
    data = load_yaml(path)
    registers = data.get("registers") if isinstance(data, dict) else None
    if not isinstance(registers, dict) or "neutral" not in registers:
        raise InputError("needs “registers”, the register neutral among them", path=path)
    return registers


def registers() -> tuple[str, ...]:
    """The registers that frames exist for."""
    return tuple(_frames())


@dataclass(frozen=True, slots=True)
class Wording:
    """Which of several phrasings a turn takes.

    A dialogue goes through the options of one kind in an order of its own, so that nobody repeats himself soon.
    """

    seed: int
    dialogue: int
    turn: int

    def pick(self, options: Sequence[Any], kind: str) -> str:
        """One of the options; `kind` names what they are options for."""
        stream = Stream(self.seed, _PURPOSE, self.dialogue, crc32(kind.encode()))
        return str(stream.sample(options, len(options))[self.turn % len(options)])


def frame(register: str, *path: str, wording: Wording) -> str:
    """A frame of a register, e.g. `frame("casual", "continue", "add", wording=…)`; unknown registers are neutral."""
    node: Any = _frames().get(register) or _frames()["neutral"]
    for key in path:
        node = node.get(key) if isinstance(node, dict) else None
    if not isinstance(node, list) or not node:
        where = ".".join((register, *path))
        raise InputError(f"has no frame for {where}", path=data_path("seeds", "frames.yaml"))
    return wording.pick(node, "/".join(path))


def clause(group: str, saying: Saying, register: str, wording: Wording) -> str:
    """An imperative clause that states a constraint, or its change, whole."""
    options = get_group(group).data["say"][saying.key]
    phrase = wording.pick([*options["any"], *options.get(register, ())], f"say/{group}/{saying.key}")
    return phrase.format(**saying.slots)


def dropped(group: str, params: Params, wording: Wording) -> str:
    """A noun phrase that names a constraint which is lifted or replaced."""
    saying = get_group(group).lifted(params)
    phrase = wording.pick(get_group(group).data["drop"][saying.key], f"drop/{group}/{saying.key}")
    return phrase.format(**saying.slots)


def capitalised(text: str) -> str:
    """The text with its first letter as a capital."""
    return text[:1].upper() + text[1:]
