"""Make foreign text safe for terminals, HTML and spreadsheets: nothing is obeyed, and what is hidden is shown."""

from __future__ import annotations

import re
import unicodedata

# C0 and C1 controls except line break and tab; bidirectional overrides and isolates; line and paragraph separators.
_TERMINAL_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff]"
)

# The same, and what a browser shows as nothing: soft hyphens, zero-width characters (except the joiners that scripts
# and emoji need), invisible operators, fillers, and tag characters, which smuggle text.
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HTML_HIDDEN = re.compile(f"[{_HIDDEN}]")
_HTML_UNSAFE = re.compile(f"[&<>\"'{_HIDDEN}]")

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"
"""Invisible, but emoji and several scripts need them, and no terminal obeys them."""


def plain(text: str) -> str:
    r"""The text for a terminal, unsafe characters spelled out as in `\x1b`."""
    return _TERMINAL_UNSAFE.sub(_escape, text)


def clip(text: str, limit: int) -> str:
    """The text made plain and cut at a number of characters, with a note on how many are missing."""
    safe = plain(text)
    return safe if len(safe) <= limit else f"{safe[:limit]} … ({len(safe) - limit} more characters)"


def spell_out(character: str) -> str:
    r"""A character for a text field: invisible ones as `\u200b`, a tab as spaces, line breaks and joiners kept."""
    if character == "\t":
        return "    "
    if character == "\n" or character in _JOINERS or unicodedata.category(character) not in _INVISIBLE:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a cell begins with that a spreadsheet takes for a formula."""
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?")


def csv_cell(text: str) -> str:
    """A text as a cell of a CSV file: an apostrophe before what a spreadsheet would run as a formula.

    A plain number, such as -0.5, stays as it is.
    """
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def visible_html(text: str) -> str:
    """The text as HTML: markup escaped, each hidden character replaced by a small mark with its number."""
    if _HTML_UNSAFE.search(text) is None:
        return text
    # Escape before marking, so that no mark can be mistaken for text. The ampersand comes first.
    text = text.replace("\r\n", "\n").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _HTML_HIDDEN.sub(_mark, text.replace('"', "&#34;").replace("'", "&#39;"))


def unhidden(text: str) -> str:
    r"""The text with hidden characters spelled out as in `\x1b`, where HTML allows no marks; not escaped."""
    return _HTML_HIDDEN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\x{ord(match[0]):02x}"


def _mark(match: re.Match[str]) -> str:
    name = unicodedata.name(match[0], "control character").lower()
    return f'<span class="hid" title="{name}">U+{ord(match[0]):04X}</span>'


def plural(count: int, noun: str, many: str = "", *, spec: str = "") -> str:
    """`1 word`, `2 words`.

    Args:
        count: How many.
        noun: What, if there is one.
        many: What, if there are more; `noun` with an s if empty.
        spec: How the number is written: `,` for `2,000 words`.
    """
    return f"{count:{spec}} {noun if count == 1 else many or noun + 's'}"
