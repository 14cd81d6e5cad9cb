"""Foreign text in HTML: escaped, and nothing in it that acts without being seen."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from markupsafe import Markup

# What `plain` marks on a terminal, and what a page shows as nothing: soft hyphens, zero-width characters (but for the
# joiners that scripts and emoji need), invisible operators, fillers, and tag characters, which smuggle text.
_HIDING = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HIDDEN = re.compile(f"[{_HIDING}]")
_NOT_PLAIN = re.compile(f"[&<>\"'{_HIDING}]")


def visible(text: str) -> Markup:
    """The text as HTML: markup escaped, and each character that hides or acts shown as a small mark with its number."""
    return Markup(visible_html(text))


def visible_html(text: str) -> str:
    """Like `visible`, as a string to be joined with others that are HTML already."""
    if _NOT_PLAIN.search(text) is None:
        return text
    # Escaped before anything is marked: no mark can be mistaken for text. The ampersand comes first.
    text = text.replace("\r\n", "\n").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _HIDDEN.sub(_mark, text.replace('"', "&#34;").replace("'", "&#39;"))


@lru_cache(maxsize=8192)
def label(text: str) -> Markup:
    """`visible` for what is said again and again: names of groups, what was expected, what was found."""
    return visible(text)


def unseen(text: str) -> str:
    r"""The text with what hides or acts told as in `\x1b`, for places that hold no mark; not escaped."""
    return _HIDDEN.sub(lambda match: f"\\x{ord(match.group()):02x}", text)


def one_line(text: str, limit: int = 0) -> str:
    """The text as `unseen` has it, on one line, and cut where a limit is given."""
    safe = unseen(" ".join(text.split()))
    return safe if not limit or len(safe) <= limit else f"{safe[: limit - 1]}…"


def _mark(match: re.Match[str]) -> str:
    number = ord(match.group())
    name = unicodedata.name(match.group(), "control character").lower()
    return f'<span class="hid" title="{name}">U+{number:04X}</span>'
