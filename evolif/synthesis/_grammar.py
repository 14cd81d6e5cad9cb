"""The phrase grammars: frames per register and move, clauses per group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from evolif._stream import Stream
from evolif.constraints import Saying, get_group
from evolif.domain import Params
from evolif.synthesis._frames import Frames

_PURPOSE = 3
"""Separates the wording's stream from those of script and persona."""


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


def frame(frames: Frames, register: str, *path: str, wording: Wording) -> str:
    """A frame of a register, e.g. `frame(frames, "casual", "continue", "add", wording=…)`."""
    return wording.pick(frames.of(register, *path), "/".join(path))


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
