"""Rule 2: the body is the text, or what is inside the one fence that encloses all of it."""

from __future__ import annotations

import re

_OPEN = re.compile(r"(`{3,}|~{3,})([^\n]*)(?:\n|\Z)")

_UNWRAPS = {
    None: frozenset({"", "text", "plain", "md", "markdown"}),
    "markdown": frozenset({"md", "markdown"}),
}


def unwrap(text: str, fmt: str | None) -> str:
    """The body of a normalised text, when `fmt` (json, xml, html, csv, markdown or None) is asked for."""
    opening = _OPEN.match(text)
    if opening is None:
        return text
    fence, info = opening.group(1), opening.group(2).strip()
    if fence[0] == "`" and "`" in info:
        return text
    language = info.split(None, 1)[0].lower() if info else ""
    if language not in _UNWRAPS.get(fmt, {"", fmt}):
        return text
    closing = re.compile(rf"^ {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$", re.MULTILINE).search(
        text, opening.end()
    )
    if closing is None:
        # CommonMark lets the end of the document close a fence; Markdown asked for wants every fence closed.
        return text if fmt == "markdown" else text[opening.end() :].strip()
    if text[closing.end() :].strip():
        return text
    return text[opening.end() : closing.start()].strip()
