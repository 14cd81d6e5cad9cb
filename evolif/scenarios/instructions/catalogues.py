"""The catalogues that a benchmark's folder holds: its topics, personas and registers, as bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from evolif.scenarios.instructions.tracker import Profile
from evolif.scenarios.instructions.tracker.profile import packaged_topics
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
