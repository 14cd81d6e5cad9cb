"""From what a model said to the fields that were asked for: JSON, or else a bare text; nothing is evaluated.

A model's answer is hostile input. It is cut to a length, scanned a bounded number of times, and read by the standard
JSON reader only, so that no answer costs more time than its length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from evolif.synthesis.agent._settings import synthesis_settings

_MOST_OBJECTS = 16
"""Opening braces at which an object is looked for."""
_FENCE = re.compile(r"```[a-zA-Z]{0,16}[ \t]*\n?(.*?)```", re.DOTALL)


def read_object(text: str, field: str) -> Mapping[str, Any] | None:
    """The first JSON object in an answer that has a field; None where there is none.

    Fences, prose around it, line breaks inside strings and trailing commas are forgiven.
    """
    text = text[: synthesis_settings().longest_answer]
    for source in (text, without_trailing_commas(text)):
        found = _first_object(source, field)
        if found is not None:
            return found
    return None


def read_text(text: str, field: str) -> str | None:
    """The text of a field, or the whole answer where it is a bare text; None where it is broken JSON or nothing.

    Half an object is not taken for a bare text: it may have lost the half that matters.
    """
    found = read_object(text, field)
    if found is not None:
        value = found[field]
        return value if isinstance(value, str) and value.strip() else None
    bare = text[: synthesis_settings().longest_answer].strip()
    fenced = _FENCE.fullmatch(bare)
    if fenced:
        bare = fenced[1].strip()
    broken = bare.startswith(("{", "[", "```")) or f'"{field}"' in bare
    return None if broken or not bare else bare


def read_flag(text: str, field: str) -> bool | None:
    """A yes or no; None where the answer holds neither."""
    found = read_object(text, field)
    value = found[field] if found is not None else None
    if isinstance(value, bool):
        return value
    words = {"true": True, "yes": True, "false": False, "no": False}
    return words.get(value.strip().lower()) if isinstance(value, str) else None


def without_trailing_commas(text: str) -> str:
    """The text without commas that stand before a closing brace or bracket, outside strings."""
    kept: list[str] = []
    inside = escaped = False
    comma: int | None = None
    """Where in `kept` a comma stands that only white space has followed so far."""
    for char in text:
        if inside:
            escaped, inside = char == "\\" and not escaped, char != '"' or escaped
        elif char == '"':
            inside, comma = True, None
        elif char in "}]" and comma is not None:
            kept[comma] = ""
            comma = None
        elif char == ",":
            comma = len(kept)
        elif not char.isspace():
            comma = None
        kept.append(char)
    return "".join(kept)


def _first_object(text: str, field: str) -> Mapping[str, Any] | None:
    decoder = json.JSONDecoder(strict=False)
    at = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if at < 0:
            return None
        end = at + 1
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict) and field in found:
            return found
        at = text.find("{", end)
    return None
