"""Foreign text on a terminal: nothing of it may move the cursor, colour the screen or reverse the reading order."""

from __future__ import annotations

import re

# C0 and C1 controls but for line break and tab; bidirectional overrides and isolates; line and paragraph separators.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff]"
)


def plain(text: str) -> str:
    r"""The text with everything unsafe made visible, as in `\x1b`."""
    return _UNSAFE.sub(lambda match: f"\\x{ord(match.group()):02x}", text)


def clip(text: str, limit: int) -> str:
    """The text made plain and cut at a number of characters, with a word about what is missing."""
    safe = plain(text)
    return safe if len(safe) <= limit else f"{safe[:limit]} … ({len(safe) - limit} more characters)"
