"""A provider's text made fit for an error, a log and a report: no key, no control characters, one short line."""

from __future__ import annotations

import re
from urllib.parse import quote

PLACEHOLDER_KEY = "none"
"""What a server without keys is sent, because the SDKs insist on one."""
TEXT_LIMIT = 300
"""Characters of a provider's text that an error repeats."""

_LOOKED_AT = 4000
"""Characters that are looked at at all; what stands later would be cut in any case."""
_SECRETS = re.compile(
    r"(?i)(authorization['\"]?\s*[:=]\s*['\"]?\S+(\s+\S+)?|\b(bearer|basic)\s+\S+|\b(sk|pk|rk)-[\w*.-]{4,}|\bAIza[\w-]{8,}"
    r"|\b(api[-_ ]?key( provided)?|token|secret|password)['\"]?\s*[:=]\s*['\"]?\S+|\S{0,80}\*{3}\S{0,80})"
)


def redact(text: str, key: str) -> str:
    """Make a provider's text fit for a message: one line, no control characters, no key, at most 300 characters.

    Order matters: characters are removed first, since a key cut by them would appear whole afterwards, and the cut to
    300 comes last, since of half a key only the beginning is known.
    """
    text = text[:_LOOKED_AT]
    text = " ".join("".join(c if c.isprintable() else " " if c.isspace() else "" for c in text).split())
    if key and key != PLACEHOLDER_KEY:
        for shape in {key, quote(key, safe="")}:
            text = text.replace(shape, "[key]")
            if len(key) > 12:  # providers like to show the beginning
                text = re.sub(re.escape(shape[:8]) + r"\S*", "[key]", text)
    text = _SECRETS.sub("[key]", text)
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"
