"""Is this well-kept HTML? A linear scan that names the first fault; it builds no tree and never recurses."""

from __future__ import annotations

import re

from evolif.text._blocks import MAX_DEPTH, FormatFaultError
from evolif.text._html_names import FOREIGN, KNOWN, OPTIONAL_END, RAW_TEXT, VOID

_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9:._-]*)(?=[\s/>])")
_ATTRIBUTE = re.compile(r"""\s*+[^\s"'<>/=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'=<>`]++))?""")
_TAG_END = re.compile(r"\s*+(/?)>")


class _Scanner:
    def __init__(self, body: str) -> None:
        self._body = body
        self._open: list[str] = []

    def fault(self, reason: str, offset: int) -> FormatFaultError:
        line = self._body.count("\n", 0, offset) + 1
        return FormatFaultError(f"{reason} (line {line})", offset)

    def run(self) -> None:
        position = self._body.find("<")
        while position >= 0:
            position = self._body.find("<", self._markup(position))
        left = [name for name in self._open if name not in OPTIONAL_END]
        if left:
            raise FormatFaultError(f"<{left[-1]}> is never closed")

    def _markup(self, at: int) -> int:
        body = self._body
        if body.startswith("<!--", at):
            return self._until("-->", at, at + 4, "a comment is never closed")
        if body[at + 1 : at + 9].lower() == "!doctype":
            return self._until(">", at, at + 9, "the doctype is never closed")
        if body.startswith(("<!", "<?"), at):
            if body.startswith("<![CDATA[", at) and any(name in FOREIGN for name in self._open):
                return self._until("]]>", at, at + 9, "a CDATA section is never closed")
            raise self.fault("a declaration that HTML does not have", at)
        name = _NAME.match(body, at)
        if name is None:
            if body[at + 1 : at + 2].isalpha() or body.startswith("</", at):
                raise self.fault("a tag is left open", at)
            return at + 1  # a bare "<" before a space or digit is text
        return self._tag(at, name)

    def _until(self, mark: str, at: int, start: int, reason: str) -> int:
        end = self._body.find(mark, start)
        if end < 0:
            raise self.fault(reason, at)
        return end + len(mark)

    def _tag(self, at: int, match: re.Match[str]) -> int:
        name = match.group(1).lower()
        foreign = any(n in FOREIGN for n in self._open)
        if name not in KNOWN and "-" not in name and not foreign:
            raise self.fault(f"<{name}> is no HTML element", at)
        position = match.end()
        while attribute := _ATTRIBUTE.match(self._body, position):
            position = attribute.end()
        end = _TAG_END.match(self._body, position)
        if end is None:
            raise self.fault(f"the tag <{name}> is left open or badly quoted", at)
        if self._body.startswith("</", at):
            self._close(name, at)
        elif name not in VOID and not (end.group(1) and (foreign or name in FOREIGN)):
            return self._enter(name, at, end.end())
        return end.end()

    def _enter(self, name: str, at: int, position: int) -> int:
        self._open.append(name)
        if len(self._open) > MAX_DEPTH:
            raise self.fault(f"nested deeper than {MAX_DEPTH} levels", at)
        if name in RAW_TEXT:
            closing = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(self._body, position)
            if closing is None:
                raise self.fault(f"<{name}> is never closed", at)
            return closing.start()
        return position

    def _close(self, name: str, at: int) -> None:
        while self._open and self._open[-1] != name and self._open[-1] in OPTIONAL_END:
            self._open.pop()
        if not self._open or self._open[-1] != name:
            raise self.fault(f"</{name}> closes nothing that is open here", at)
        self._open.pop()


def check_html(body: str) -> None:
    """Raise `FormatFaultError` with the first reason why the body is not well-kept HTML."""
    if not re.match(r"<(?:[A-Za-z]|!--|!doctype)", body, re.IGNORECASE):
        raise FormatFaultError("does not start with a tag, doctype or comment", 0)
    if not body.endswith(">"):
        raise FormatFaultError("does not end with >", len(body) - 1)
    _Scanner(body).run()
