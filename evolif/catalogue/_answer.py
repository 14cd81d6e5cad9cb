"""From a model's answer to the fields that were asked for; it is hostile input, and nothing is evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evolif.synthesis.agent._answers import read_object
from evolif.text import clean

_WRAPPERS = ("topic", "topics", "persona", "personas", "task", "tasks", "result", "answer", "output", "data")
_PLAIN = str.maketrans({"’": "'", "‘": "'"})


def fields_of(answer: str, *names: str) -> Mapping[str, Any] | None:
    """The object of an answer that has all these fields, also one layer down; None where there is none."""
    candidates: list[object] = [read_object(answer, names[0])]
    for wrapper in _WRAPPERS:
        inner = (read_object(answer, wrapper) or {}).get(wrapper)
        candidates.append(inner[0] if isinstance(inner, list) and inner else inner)
    objects = (found for found in candidates if isinstance(found, dict))
    return next((found for found in objects if found.keys() >= set(names)), None)


def line_of(value: object) -> str:
    """A text as one clean line; empty where it is no text."""
    if not isinstance(value, str):
        return ""
    return " ".join(clean(value).translate(_PLAIN).split()).strip(' "“”')
