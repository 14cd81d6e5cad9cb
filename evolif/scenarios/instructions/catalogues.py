"""The catalogues that a benchmark's folder holds: its topics, personas and registers, as bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from evolif.errors import UsageError
from evolif.scenarios.instructions.partition import Side, side_of
from evolif.scenarios.instructions.tracker import Profile
from evolif.scenarios.instructions.tracker.profile import packaged_topics
from evolif.text import plural
from evolif.util.opened import read_file
from evolif.util.resources import data_path

TOPICS, PERSONAS, REGISTERS = "topics.jsonl", "personas.jsonl", "registers.yaml"
Catalogues = Mapping[str, bytes]
"""By the name of the file."""
_PERSONAL = frozenset({"asker", "apart", "wordings", "short", "facts", "cannot"})
"""What packaged topics and personas say that sets without persons have no use for."""


def packaged_catalogues(profile: Profile) -> Catalogues:
    """The packaged topics and personas as a set of this profile holds them.

    Sets without persons hold them as they were before there were any, byte for byte.
    """
    files = {TOPICS: packaged_topics(profile), PERSONAS: (data_path("personas", "personas.jsonl"),)}
    whole = {name: joined(paths) for name, paths in files.items()}
    told = profile.persons or profile.voices
    return whole if told else {name: _neutral(content) for name, content in whole.items()}


def joined(sources: Sequence[Path]) -> bytes:
    """Files one behind another.

    Raises:
        InputError: one cannot be read.
    """
    return b"".join(map(read_file, sources))


def _neutral(catalogue: bytes) -> bytes:
    entries = map(json.loads, catalogue.decode().splitlines())
    kept = ({name: value for name, value in entry.items() if name not in _PERSONAL} for entry in entries)
    return "".join(f"{json.dumps(entry, ensure_ascii=False)}\n" for entry in kept).encode()


def of_side(files: Catalogues, side: Side) -> Catalogues:
    """The catalogues with the topics and personas of one side alone; registers are as they are.

    Raises:
        UsageError: the side has none of either.
    """
    return {name: _entries_of(name, content, side) if name != REGISTERS else content for name, content in files.items()}


def _entries_of(name: str, catalogue: bytes, side: Side) -> bytes:
    thing: Literal["topic", "persona"] = "topic" if name == TOPICS else "persona"
    lines = [line for line in catalogue.splitlines() if line.strip()]
    kept = [line for line in lines if side_of(thing, str(json.loads(line)["id"])) == side]
    if not kept:
        number = plural(len(lines), thing)
        raise UsageError(f"{number} cannot be split: all are on the other side than {side}; give more, or no --split")
    return b"".join(line + b"\n" for line in kept)
