"""Objects as models write them: JSON with trailing commas, comments, other quotation marks or none, and Python dicts.

Such text is hostile input. It is read by one loop without recursion, no deeper than `MAX_DEPTH`, and nothing in it is
evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from evolif.scenarios.shifts.reading import MAX_DEPTH, JsonNumber

_ATTEMPTS = 2
"""So many times its own length of a text is read in search of objects."""
# A comment within a line is bounded: of many that nobody closes, each would be looked for to the end.
_BLANK = re.compile(r"\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/)){0,500}\*/|#[^\n]*+")
_CLOSERS = {'"': '"', "'": "'", "“": '”“"', "„": '“”"', "”": '”"', "‘": "’‘'", "’": "’'", "`": "`"}
_ENDS = re.compile(r"[ \t]{0,20}(?:[,:}\])\n]|//|/\*|#|\Z)")
"""What follows a quotation mark that closes a string; others belong to it."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": " ", "f": " "}
_BARE = re.compile(r"[^\n,{}\[\]\"“”„]++")
_BARE_KEY = re.compile(r"[^\n,{}\[\]\"“”„:]{1,80}+")
_GROUPED = re.compile(r"-?[0-9]{1,3}(?:,[0-9]{3}){1,9}(?=\s{0,9}(?:[}\n]|,\s))")
_PLAIN_NUMBER = re.compile(r"-?[0-9]++(?:_[0-9]++)*(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")
_REMARK = re.compile(r"\s(?://|#|/\*)")
_PAIR = re.compile(r":\s")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "none": None, "undefined": None, "~": None}
_NO_NUMBERS = frozenset({"NaN", "Infinity", "-Infinity"})
_COUPLES = {"{": "}", "[": "]", "(": ")"}
_OPENERS = {closer: opener for opener, closer in _COUPLES.items()}


class _BrokenError(Exception):
    """What is read is no literal."""


def objects_in(text: str, *, closed: bool = True) -> Iterator[dict[str, Any]]:
    """The outermost objects of a text, in order; what only looks like the beginning of one is passed over.

    Args:
        text: Normalised.
        closed: Whether an object must be closed; otherwise the end of the text closes it.

    Example:
        `objects_in("plan = {'city': 'Ghent', 'nights': 3,}  # done")` gives one object.
    """
    left = _ATTEMPTS * (len(text) + 1)
    at = text.find("{")
    while at >= 0 and left > 0:
        reader = _Reader(text, at)
        found = reader.read(closed)
        left -= reader.at - at + 1
        if found is not None:
            yield found
        at = text.find("{", max(at + 1, reader.at) if found is not None else at + 1)


def scalar(text: str) -> Any:
    """What a value without brackets means: a number, true, false, null, or its text without quotation marks."""
    text = text.strip()
    if len(text) > 1 and text[0] in _CLOSERS and text[-1] in _CLOSERS[text[0]] and text[0] not in text[1:-1]:
        return unescaped(text[1:-1])
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    return JsonNumber(text.replace("_", "")) if _PLAIN_NUMBER.fullmatch(text) else text


def flow(text: str) -> Any:
    """A value on one line of YAML: a list or an object in brackets, else as `scalar`."""
    if text[:1] in ("[", "{"):
        reader = _Reader(text, 0)
        found = reader.read(closed=True)
        if found is not None and not text[reader.at :].strip():
            return found
    return scalar(text)


def unescaped(text: str) -> str:
    """A string without its backslashes."""
    if "\\" not in text:
        return text
    # Two escapes make one character beyond the 16 bits of each.
    return _ESCAPE.sub(_unescape, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescape(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return _ESCAPED.get(match[2], match[2])


class _Reader:
    """Reads one bracketed literal.

    Attributes:
        at: Where it stands in the text.
    """

    def __init__(self, text: str, start: int) -> None:
        self.at = start
        self._text = text
        self._open: list[tuple[Any, str | None]] = []
        """The containers that are open, each with the key that waits for its value."""

    def read(self, closed: bool) -> Any:
        """It; None if there is none."""
        try:
            while True:
                found = self._step()
                if found is not None:
                    return found
        except _BrokenError:
            return None
        except EOFError:
            return self._rest() if not closed else None

    def _rest(self) -> Any:
        """What there is of a literal whose end is missing, if it is more than its beginning."""
        while len(self._open) > 1:
            whole, _ = self._open.pop()
            self._add(whole)
        return self._open[0][0] if self._open and self._open[0][0] else None

    def _step(self) -> Any:
        """Read one key or value, or what closes a container; the whole literal if that is its end."""
        self._skip()
        char = self._peek()
        if self._open and char in _OPENERS:
            return self._close(char)
        if self._open and isinstance(self._open[-1][0], dict) and self._open[-1][1] is None:
            self._key()
            return None
        if char in _COUPLES:
            if len(self._open) >= MAX_DEPTH:
                raise _BrokenError
            self._open.append(({} if char == "{" else [], None))
            self.at += 1
            return None
        self._add(self._value(char))
        self._part()
        return None

    def _close(self, char: str) -> Any:
        whole, key = self._open.pop()
        if key is not None or isinstance(whole, dict) != (char == "}"):
            raise _BrokenError
        self.at += 1
        if not self._open:
            return whole
        self._add(whole)
        self._part()
        return None

    def _add(self, value: Any) -> None:
        whole, key = self._open[-1]
        if isinstance(whole, list):
            whole.append(value)
        elif key is not None:
            whole[key] = value
            self._open[-1] = (whole, None)

    def _part(self) -> None:
        """What stands between two values: a comma, or a line break where it was forgotten."""
        before = self.at
        self._skip()
        char = self._text[self.at : self.at + 1]
        if char == ",":
            self.at += 1
        elif char and char not in _OPENERS and "\n" not in self._text[before : self.at]:
            raise _BrokenError

    def _key(self) -> None:
        char = self._peek()
        if char in _CLOSERS:
            key = self._string(char)
        else:
            match = _BARE_KEY.match(self._text, self.at)
            if match is None:
                raise _BrokenError
            key, self.at = match[0].strip(), match.end()
        self._skip()
        if self._peek() != ":":
            raise _BrokenError
        self.at += 1
        self._open[-1] = (self._open[-1][0], key)

    def _value(self, char: str) -> Any:
        if char in _CLOSERS:
            return self._string(char)
        match = _GROUPED.match(self._text, self.at) or _BARE.match(self._text, self.at)
        if match is None or not match[0].strip():
            raise _BrokenError
        said = match[0]
        remark = _REMARK.search(said)
        said = said[: remark.start()] if remark else said
        said = said.partition(")")[0] if self._in_tuple(said) else said
        self.at += len(said)
        if said.strip() in _NO_NUMBERS or (isinstance(self._open[-1][0], dict) and _PAIR.search(said)):
            raise _BrokenError
        return scalar(said.replace(",", ""))

    def _in_tuple(self, said: str) -> bool:
        return isinstance(self._open[-1][0], list) and ")" in said and "(" not in said

    def _string(self, quote: str) -> str:
        """The string that a quotation mark opens; it ends on the same line."""
        start = self.at + 1
        closers = _CLOSERS[quote]
        at = start
        while at < len(self._text):
            char = self._text[at]
            if char == "\n":
                break
            if char == "\\":
                at += 2
                continue
            if char in closers and _ENDS.match(self._text, at + 1):
                self.at = at + 1
                return unescaped(self._text[start:at])
            at += 1
        self.at = min(at, len(self._text))
        raise _BrokenError

    def _skip(self) -> None:
        """Pass over white space and comments."""
        while match := _BLANK.match(self._text, self.at):
            self.at = match.end()

    def _peek(self) -> str:
        if self.at >= len(self._text):
            raise EOFError
        return self._text[self.at]
