"""The phrase grammars: frames per register and move, clauses per group."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from evolif._catalogues import data_path, load_yaml
from evolif._errors import InputError
from evolif._stream import Stream
from evolif.constraints import Saying, get_group
from evolif.domain import Params


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


def frame(register: str, *path: str, stream: Stream) -> str:
    """A frame of a register, e.g. `frame("casual", "continue", "add", stream=…)`; unknown registers are neutral."""
    node: Any = _frames().get(register) or _frames()["neutral"]
    for key in path:
        node = node.get(key) if isinstance(node, dict) else None
    if not isinstance(node, list) or not node:
        where = ".".join((register, *path))
        raise InputError(f"has no frame for {where}", path=data_path("seeds", "frames.yaml"))
    return str(stream.choice(node))


def clause(group: str, saying: Saying, register: str, stream: Stream) -> str:
    """An imperative clause that states a constraint, or its change, whole."""
    options = get_group(group).data["say"][saying.key]
    return str(stream.choice([*options["any"], *options.get(register, ())])).format(**saying.slots)


def dropped(group: str, params: Params, stream: Stream) -> str:
    """A noun phrase that names a constraint which is lifted or replaced."""
    saying = get_group(group).lifted(params)
    return str(stream.choice(get_group(group).data["drop"][saying.key])).format(**saying.slots)


def capitalised(text: str) -> str:
    """The text with its first letter as a capital."""
    return text[:1].upper() + text[1:]
