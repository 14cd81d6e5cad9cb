"""Which tasks are grave, and which words make light of things: the two never stand side by side (`seeds/tone.yaml`)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from evolif.errors import InputError
from evolif.scenarios.instructions.turns import Topic
from evolif.util.resources import data_path, load_data


@dataclass(frozen=True, slots=True)
class Tone:
    """What is grave and what is flippant."""

    domains: frozenset[str]
    """Domains whose tasks are all grave."""
    grave: re.Pattern[str]
    """Words of a grave task."""
    flippant: re.Pattern[str]
    """Words of a flippant text."""
    lines: frozenset[str]
    """Small talk that is flippant as a whole."""


@lru_cache(maxsize=1)
def load_tone() -> Tone:
    """What the packaged file says.

    Raises:
        InputError: the file is broken.
    """
    path = data_path("seeds", "tone.yaml")
    data = load_data(path)
    try:
        grave, flippant = data["grave"], data["flippant"]
        return Tone(
            frozenset(map(str, grave["domains"])),
            _any_of(grave["words"].split(",")),
            _any_of(flippant["words"].split(",")),
            frozenset(map(str, flippant["lines"])),
        )
    except (LookupError, TypeError, AttributeError):
        raise InputError(
            "needs “grave” with domains and words, and “flippant” with words and lines", path=path
        ) from None


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    known = sorted({word.strip().casefold() for word in words if word.strip()}, key=lambda word: (-len(word), word))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, known))})\b")


def is_grave(topic: Topic) -> bool:
    """Whether a task is about illness, death, danger, law or want, so that nobody would joke beside it."""
    return topic.domain in load_tone().domains or _sounds_grave(topic.prompt)


@lru_cache(maxsize=4096)
def _sounds_grave(prompt: str) -> bool:
    return load_tone().grave.search(prompt.casefold()) is not None


@lru_cache(maxsize=16384)
def is_flippant(text: str) -> bool:
    """Whether a text makes light of things."""
    tone = load_tone()
    return text in tone.lines or tone.flippant.search(text.casefold().replace("’", "'")) is not None
