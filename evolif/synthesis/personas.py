"""Reads persona files, and chooses the persona of a dialogue."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from evolif.errors import InputError
from evolif.resources import data_path, read_catalogue
from evolif.rng import Purpose, Stream
from evolif.synthesis.template import Frames, own_frames
from evolif.types import Persona

_Text = Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S")]


class PersonaModel(BaseModel):
    """A persona as stored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: _Text
    sentence: _Text
    phrases: Annotated[tuple[_Text, ...], Field(min_length=1)]
    register_: Annotated[str, Field(alias="register")] = "neutral"

    def to_persona(self) -> Persona:
        """The persona."""
        return Persona(self.id, self.sentence, self.phrases, self.register_)


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
