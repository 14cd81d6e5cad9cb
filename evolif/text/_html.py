"""The text a browser would show, block by block, from a spec-conforming tree (Lexbor)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evolif.text._blocks import Block, BlockKind, Content
from evolif.text._html_names import BLOCKS, BOLD, HEADINGS, HIDDEN
from evolif.text._html_syntax import check_html
from evolif.text._normalise import clean

_LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
_CELLS = frozenset({"td", "th", "caption"})
_CODE = frozenset({"pre", "textarea", "listing", "xmp"})


def _role(tag: str) -> str:
    """What an open element means for the text inside it; counted, so that depth costs nothing."""
    for role, tags in (("heading", HEADINGS), ("cell", _CELLS), ("code", _CODE), ("bold", BOLD)):
        if tag in tags:
            return role
    return ""


def _walk(root: Any) -> Iterator[tuple[Any, bool]]:
    """Every node with whether it is entered or left, without recursion."""
    stack: list[tuple[Any, bool]] = [(root, True)]
    while stack:
        node, entered = stack.pop()
        yield node, entered
        if not entered or node.tag in HIDDEN:
            continue
        stack.append((node, False))
        child = node.last_child
        while child is not None:
            stack.append((child, True))
            child = child.prev


class _Collector:
    def __init__(self, first_paragraph: int, enclosing: int) -> None:
        self.content = Content([], paragraphs=first_paragraph)
        self._enclosing = enclosing
        self._open = {"heading": 0, "cell": 0, "code": 0, "bold": 0, "": 0}
        self._buffer: list[str] = []
        self._plain = False
        self._list = -1
        self._lists: list[str] = []
        self._items: list[list[bool]] = []
        self._numbers: list[int] = []
        self._number = ""
        self._bold_filled = False

    def enter(self, tag: str) -> None:
        if tag in BLOCKS:
            self._flush()
        role = _role(tag)
        self._open[role] += 1
        self._bold_filled = self._bold_filled and not (role == "bold" and self._open[role] == 1)
        if tag in _LISTS:
            self._lists.append(tag)
            self._numbers.append(0)
        elif tag == "li":
            self._enter_item()
        elif tag == "br":
            self._buffer.append("\n")

    def _enter_item(self) -> None:
        parent = self._lists[-1] if self._lists else ""
        self._items.append([parent == "ul", False, parent == "ol"])
        if parent == "ol":
            self._numbers[-1] += 1
            self._number = f"{self._numbers[-1]}."

    def leave(self, tag: str) -> None:
        if tag in BLOCKS:
            self._flush()
        role = _role(tag)
        self._open[role] -= 1
        if role == "bold" and not self._open[role] and self._bold_filled:
            self.content.strong.append((-1, -1))
        if tag in _LISTS:
            self._lists.pop()
            self._numbers.pop()
            if not self._lists:
                self._list = -1
        elif tag == "li" and self._items:
            bullet, filled, numbered = self._items.pop()
            self._number = ""
            if filled and (bullet or numbered):
                (self.content.bullets if bullet else self.content.numbered).append((-1, -1))

    def text(self, data: str) -> None:
        if not self._open["code"]:
            lead = " " if data[:1].isspace() else ""
            tail = " " if data[-1:].isspace() else ""
            data = f"{lead}{' '.join(data.split())}{tail}" if data.strip() else " "
        self._plain = self._plain or (not self._open["bold"] and not data.isspace())
        self._bold_filled = self._bold_filled or (self._open["bold"] > 0 and not data.isspace())
        self._buffer.append(data)

    def _flush(self) -> None:
        text = "".join(self._buffer)
        text = "\n".join(" ".join(line.split(" ")).strip() for line in text.split("\n")).strip()
        all_bold = not self._plain and not self._lists and "\n" not in text
        self._buffer, self._plain = [], False
        if not text:
            return
        if self._items:
            self._items[-1][1] = True
        block = Block(self._kind(all_bold), clean(text), number=self._number)
        self._number = ""
        if block.kind in ("paragraph", "item"):
            block.running, block.paragraph = True, self._paragraph()
        self.content.blocks.append(block)

    def _kind(self, all_bold: bool) -> BlockKind:
        if self._open["heading"] or all_bold:
            return "heading"
        if self._open["cell"]:
            return "cell"
        if self._open["code"]:
            return "code"
        return "item" if self._lists else "paragraph"

    def _paragraph(self) -> int:
        if self._enclosing >= 0:
            return self._enclosing
        if self._lists and self._list >= 0:
            return self._list
        number = self.content.paragraphs
        self.content.paragraphs += 1
        if self._lists:
            self._list = number
        return number


def html_content(source: str, first_paragraph: int = 0, enclosing: int = -1) -> Content:
    """What a browser shows of `source`.

    Args:
        source: HTML, well-kept or not.
        first_paragraph: Number of the first paragraph found.
        enclosing: The paragraph all of it belongs to (inside a Markdown list), or -1.
    """
    from selectolax.lexbor import LexborHTMLParser

    collector = _Collector(first_paragraph, enclosing)
    root = LexborHTMLParser(source).root
    if root is None:
        return collector.content
    for node, entered in _walk(root):
        tag = node.tag
        if tag == "-text":
            if entered:
                collector.text(node.text_content or "")
        elif tag is None or tag.startswith(("-", "!")) or tag in HIDDEN:
            continue
        elif entered:
            collector.enter(tag)
        else:
            collector.leave(tag)
    collector._flush()
    return collector.content


def parse_html(body: str) -> Content:
    """The content of well-kept HTML.

    Raises:
        FormatFaultError: with the first fault.
    """
    check_html(body)
    return html_content(body)
