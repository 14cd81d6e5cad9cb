"""A topic as a text that a person can edit, and back."""

from __future__ import annotations

import re
from typing import Any

from evolif._errors import UsageError
from evolif.review._topic_file import Line

_LABEL = re.compile(r"(title|domain|prompt|keywords):[ ]?(.*)")


def to_words(line: Line) -> str:
    """The editable fields, labelled; keywords one a line."""
    keywords = line.get("keywords")
    listed = keywords if isinstance(keywords, list) else []
    return "\n".join(
        [
            f"title: {line.get('title') or ''}",
            f"domain: {line.get('domain') or ''}",
            f"prompt: {line.get('prompt') or ''}",
            "keywords:",
            *(f"- {keyword}" for keyword in listed),
        ]
    )


def from_words(text: str) -> dict[str, Any]:
    """The fields of an edited text.

    Raises:
        UsageError: it is not in the form of `to_words`; says what is expected.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError("the topic holds half of a surrogate pair, which cannot be stored; write it anew") from None
    fields: dict[str, list[str]] = {}
    label = ""
    for line in text.strip().split("\n"):
        match = _LABEL.fullmatch(line)
        if match and match[1] not in fields:
            label = match[1]
            fields[label] = [match[2]] if match[2].strip() else []
        elif label:
            fields[label].append(line)
        elif line.strip():
            raise UsageError(f"the line “{line[:40]}” belongs to no field; begin with title:, domain: or prompt:")
    prompt = "\n".join(fields.get("prompt", [])).strip()
    if not prompt:
        raise UsageError("the topic has no prompt; write one after “prompt:”, or reject the topic")
    return {
        "title": " ".join(fields.get("title", [])).strip(),
        "domain": " ".join(fields.get("domain", [])).strip(),
        "prompt": prompt,
        "keywords": [word for line in fields.get("keywords", []) if (word := line.removeprefix("- ").strip("- \t"))],
    }


def merged(line: Line, fields: dict[str, Any]) -> Line:
    """The line with the fields in their places; empty ones that the line never had stay away."""
    return {**line, **{name: value for name, value in fields.items() if value or name in line}}
