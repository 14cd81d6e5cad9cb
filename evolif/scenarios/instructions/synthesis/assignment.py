"""Assign a synthesizer and a persona to each dialogue by the seed (paper §3.2.2).

Synthesizers are mixed over dialogues in fixed proportion, so that no model family is favoured. Dialogues fall into
blocks as long as the sum of the weights; within a block every synthesizer has its weight, in a seeded order. So the
synthesizer of a dialogue depends only on the seed and the dialogue's number, not on the number of dialogues and turns
nor on the order in which they are made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from evolif.errors import InputError, UsageError
from evolif.scenarios.instructions.synthesis.template import Frames, own_frames
from evolif.scenarios.instructions.turns import Persona
from evolif.util.resources import data_path, read_catalogue
from evolif.util.rng import Purpose, Stream

TEMPLATE = "template"
_HEAVIEST = 1000
_WEIGHTED = re.compile(r"(?P<name>.*)=(?P<weight>\d{1,9})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SynthesizerShare:
    """A synthesizer and its weight."""

    name: str
    weight: int = 1

    def __str__(self) -> str:
        plain = self.weight == 1 and not _WEIGHTED.fullmatch(self.name)
        return self.name if plain else f"{self.name}={self.weight}"


def parse_share(spec: str) -> SynthesizerShare:
    """Read `NAME` or `NAME=WEIGHT`; write `=1` after a name that itself ends in `=` and digits.

    Raises:
        UsageError: no name, or a weight out of range.
    """
    weighted = _WEIGHTED.fullmatch(spec.strip())
    share = SynthesizerShare(weighted["name"], int(weighted["weight"])) if weighted else SynthesizerShare(spec.strip())
    if not share.name:
        raise UsageError("a synthesizer needs a name: template, or a model such as openai/NAME")
    if not 1 <= share.weight <= _HEAVIEST:
        raise UsageError(f"a synthesizer's weight is from 1 to {_HEAVIEST}: NAME=2 writes twice as many dialogues")
    return share


def author_of(shares: Sequence[SynthesizerShare], seed: int, dialogue: int) -> str:
    """The name of a dialogue's synthesizer.

    Args:
        shares: The synthesizers in the order they were named.
        seed: The benchmark's.
        dialogue: Counted from 1.
    """
    if len(shares) == 1:
        return shares[0].name
    pool = [share.name for share in shares for _ in range(share.weight)]
    block, place = divmod(dialogue - 1, len(pool))
    return Stream(seed, Purpose.SYNTHESIZER_MIX, block).sample(pool, len(pool))[place]


_Text = Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S")]


class PersonaModel(BaseModel):
    """A persona as stored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: _Text
    sentence: _Text
    phrases: Annotated[tuple[_Text, ...], Field(min_length=1)]
    register_: Annotated[str, Field(alias="register")] = "neutral"
    facts: Annotated[tuple[_Text, ...], Field(max_length=100)] = ()
    cannot: Annotated[tuple[_Text, ...], Field(max_length=100)] = ()

    def to_persona(self) -> Persona:
        """The persona."""
        facts, cannot = frozenset(self.facts), frozenset(self.cannot)
        return Persona(self.id, self.sentence, self.phrases, self.register_, facts, cannot)


def load_personas(path: Path | None = None, frames: Frames | None = None) -> tuple[Persona, ...]:
    """The personas of a file, or the project's own; their registers are those of `frames`, or the project's own.

    Raises:
        InputError: a line that is not a persona, an id used twice, or an unknown register.
    """
    source = path or data_path("personas", "personas.jsonl")
    known = (frames or own_frames()).registers
    return read_catalogue(source, lambda data: _parse(data, known), "persona")


def _parse(data: object, known: tuple[str, ...]) -> Persona:
    persona = PersonaModel.model_validate(data).to_persona()
    if persona.register not in known:
        raise InputError(f"unknown register “{persona.register}”; use {', '.join(known)}")
    return persona


def persona_for(personas: tuple[Persona, ...], seed: int, dialogue: int) -> Persona:
    """The persona of a dialogue."""
    return Stream(seed, Purpose.PERSONA, dialogue).choice(personas)
