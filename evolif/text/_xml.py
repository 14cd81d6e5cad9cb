"""XML by the standard library's expat, hardened: no DTD, no entities, bounded depth."""

from __future__ import annotations

import re
from xml.parsers import expat

from evolif.text._blocks import MAX_DEPTH, Block, Content, FormatFaultError

_TAG = "\x1f"
"""Stands where a tag stood: a character that no XML text can hold."""
_TAG_IN_WORD = re.compile(r"(?<=\w)\x1f+(?=\w)")


def _flatten(pieces: list[str]) -> str:
    """Mixed content as one run of text; a tag between two words keeps them apart (`<n>1</n><t>Mix</t>`)."""
    return " ".join(_TAG_IN_WORD.sub(" ", "".join(pieces)).replace(_TAG, "").split())


class _Frame:
    """An open element: its text so far, its blocks so far, and whether it has text of its own."""

    __slots__ = ("blocks", "own", "pieces")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.blocks: list[Block] = []
        self.own = False


class _Reader:
    """Collects one block per outermost element that has text of its own."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._open: list[_Frame] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise FormatFaultError(f"nested deeper than {MAX_DEPTH} levels")
        self._open.append(_Frame())

    def text(self, data: str) -> None:
        if self._open:
            frame = self._open[-1]
            frame.pieces.append(data)
            frame.own = frame.own or not data.isspace()

    def end(self, name: str) -> None:
        frame = self._open.pop()
        blocks = frame.blocks
        if frame.own:
            # Text of its own swallows the blocks of its children: mixed content reads as one run.
            blocks = [Block("value", _flatten(frame.pieces), running=True)]
        if self._open:
            self._open[-1].pieces.append("".join((_TAG, *frame.pieces, _TAG)))
            self._open[-1].blocks.extend(blocks)
        else:
            self.blocks = blocks


def _refuse_doctype(*_: object) -> None:
    raise FormatFaultError("a document type declaration is refused")


def parse_xml(body: str) -> Content:
    """The text nodes of one well-formed document.

    Raises:
        FormatFaultError: not well-formed, a DTD or entity declaration, or nested too deeply.
    """
    if not body.startswith("<"):
        raise FormatFaultError("does not start with <", 0)
    reader = _Reader()
    parser = expat.ParserCreate(encoding="utf-8")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.EntityDeclHandler = _refuse_doctype
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(body.encode(), True)
    except expat.ExpatError as fault:
        raise FormatFaultError(
            f"{expat.ErrorString(fault.code)} (line {fault.lineno}, column {fault.offset + 1})"
        ) from None
    return Content(reader.blocks)
