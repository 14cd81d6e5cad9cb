"""Answers of chat models: the interface that the agent calls, and how queries are read from answers.

An answer is hostile input. It is cut to a length, scanned a bounded number of times and read by the standard JSON
reader only, so that no answer costs more time than its length; nothing is evaluated.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from evolif.scenarios.instructions.synthesis.prompts import synthesis_settings
from evolif.scenarios.instructions.turns import Finding
from evolif.types import Message, Usage

_MOST_OBJECTS = 16
"""Maximum number of opening braces tried as the start of an object."""
_FENCE = re.compile(r"```[a-zA-Z]{0,16}+[ \t]*+\n?+(.*?)```", re.DOTALL)

FORM = "form"
"""The checker's name in findings about the form of words rather than their meaning."""

_LABEL = re.compile(
    r"(?:\*\*)?(?:(?:the |my |your )?(?:rewritten |neutral |new |plain |user'?s? )?"
    r"(?:query|message|user|person|rewrite)"
    r"|(?:(?:sure|certainly|of course|okay|ok)[,.!] )?here(?:'s| is)[^:\n]{0,40}"
    r"\b(?:query|message|version|rewrite)[^:\n]{0,20})"
    r":(?:\*\*)?\s*",
    re.IGNORECASE,
)
_PAIRS = {'"': '"', "“": "”", "«": "»", "'": "'", "‘": "’", "`": "`", "„": "“"}
_ALLOWED = frozenset("\n\u200c\u200d")
"""Line breaks, and the joiners that emoji and some scripts need."""
_REFUSED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_TELLING = 40
"""Minimum length at which a witness in a query is no coincidence."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer."""

    text: str
    usage: Usage = field(default_factory=Usage)
    truncated: bool = False
    """Cut at the token limit."""


class CompletionModel(Protocol):
    """A chat model that answers in text or JSON; `StructuredModel` of `structured.py` implements it."""

    @property
    def name(self) -> str:
        """`provider/name`, without secrets; the `source` of its turns."""
        ...

    @property
    def structured(self) -> bool:
        """Whether it answers better in JSON than in bare words."""
        ...

    async def ask(self, messages: tuple[Message, ...], schema: Mapping[str, Any] | None) -> Completion:
        """Answer; in the form of the schema, where there is one and the provider supports it.

        Raises:
            WithheldError: the provider's content filter refused.
            ModelError: the endpoint failed and retrying did not help.
        """
        ...


def object_schema(**properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """The JSON schema of an object with these properties and no others."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def read_object(text: str, field: str) -> Mapping[str, Any] | None:
    """The first JSON object in an answer that has a field; None if there is none.

    Fences, surrounding prose, line breaks inside strings and trailing commas are tolerated.
    """
    text = text[: synthesis_settings().longest_answer]
    for source in (text, without_trailing_commas(text)):
        found = _first_object(source, field)
        if found is not None:
            return found
    return None


def read_text(text: str, field: str) -> str | None:
    """The text of a field, or the whole answer if it is plain text; None if it is broken JSON or empty.

    Half an object does not count as plain text: the important half may be missing.
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
    """A yes or no; None if the answer holds neither."""
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
    """Index in `kept` of a comma followed only by white space so far."""
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


def clean_query(text: str) -> str:
    """The words without a label before them and quotation marks around them."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ").strip()
    for _ in range(2):
        label = _LABEL.match(text)
        if label and label.end() < len(text):
            text = text[label.end() :]
        text = _unquoted(text)
    return text


def form_findings(query: str, witness: str | None) -> tuple[Finding, ...]:
    """Findings about the form of words: none, too many, control characters, the witness."""
    longest = synthesis_settings().longest_query
    if not query.strip():
        return (Finding(FORM, "there are no words"),)
    found = []
    if len(query) > longest:
        found.append(Finding(FORM, f"the message has {len(query)} characters; at most {longest} are a message"))
    spans = tuple((i, i + 1) for i, char in enumerate(query[:longest]) if refused(char))
    if spans:
        found.append(Finding(FORM, "the message holds control characters", spans))
    if witness is not None and len(witness) >= _TELLING and witness.strip() in query:
        found.append(Finding(FORM, "the message holds the answer to itself"))
    return tuple(found)


def storable(query: str) -> str:
    """Make any words storable in a benchmark line: never empty, bounded, no control characters."""
    longest = synthesis_settings().longest_query
    kept = "".join("\ufffd" if refused(char) else char for char in query[:longest]).strip()
    return kept or "(no words)"


def refused(char: str) -> bool:
    """Whether a character must not occur in a query: it controls a terminal or a renderer, or is unassigned."""
    return not char.isprintable() and char not in _ALLOWED and unicodedata.category(char) in _REFUSED


def _unquoted(text: str) -> str:
    """The text without quotation marks around the whole of it; two separate quotations stay."""
    closing = _PAIRS.get(text[:1])
    if closing is None or len(text) < 3 or not text.endswith(closing):
        return text
    inside = text[1:-1]
    first = inside.find(closing)
    if first < 0:
        return inside.strip()
    opening = text[0]
    if opening != closing:  # the mark must not close before the end
        depth = 0
        for char in inside:
            depth += (char == opening) - (char == closing)
            if depth < 0:
                return text
        return inside.strip()
    # If one mark serves both sides, the next one opens an inner quotation if a space precedes it.
    opens = first > 0 and inside[first - 1].isspace() and not inside[first + 1 : first + 2].isspace()
    return inside.strip() if opens and inside.count(closing) % 2 == 0 else text
