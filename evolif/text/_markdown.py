"""A body read as CommonMark with GFM tables, task boxes and strikethrough: typed blocks with their places.

The parser is pyromark (pulldown-cmark): linear in the text, not recursive, and it gives source ranges.
"""

from __future__ import annotations

import re
from typing import Any

from evolif.text._blocks import Block, BlockKind, Content
from evolif.text._html import html_content
from evolif.text._html_names import KNOWN
from evolif.text._markdown_source import STAND_IN, CharacterOffsets, prepare
from evolif.text._normalise import clean

_MARKUP = re.compile(r"[*_`#\[\]<>|~\\&!]|^[ \t]*(?:[-+•=]|\d+[.)])|^(?: {4}| {0,3}\t)", re.MULTILINE)
_BREAK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_INLINE_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")
_CODE_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})")
_ELEMENTS = {
    "Heading", "List", "Table", "BlockQuote", "CodeBlock", "Emphasis", "Strong", "Strikethrough", "Link", "Image",
}  # fmt: skip


def markdown_content(body: str) -> Content:
    """The content of `body` as a reader of the rendered answer sees it."""
    if not _MARKUP.search(body):
        return _plain(body)
    import pyromark

    source, exact = prepare(body)
    options = pyromark.Options
    builder = _Builder(body if exact else source, exact)
    flags = options.ENABLE_TABLES | options.ENABLE_STRIKETHROUGH | options.ENABLE_TASKLISTS
    at = CharacterOffsets(source)
    for event, where in pyromark.events_with_range(source, options=flags):
        builder.feed(event, at(where["start"]), at(where["end"]))
    builder.close_leaf()
    return builder.content


def _plain(body: str) -> Content:
    """Without any Markdown sign a body is just paragraphs: no parser needed."""
    content = Content([])
    start = 0
    for gap in [*_BREAK.finditer(body), None]:
        end = gap.start() if gap else len(body)
        lines, pieces, at, offset = [], [], 0, start
        for line in body[start:end].split("\n"):
            text = line.strip(" \t")
            pieces.append((at, offset + line.find(text), len(text)))
            lines.append(text)
            at += len(text) + 1
            offset += len(line) + 1
        text = "\n".join(lines)
        content.blocks.append(Block("paragraph", text, True, content.paragraphs, pieces=pieces))
        content.paragraphs += 1
        start = gap.end() if gap else end
    return content


class _Item:
    __slots__ = ("bullet", "filled", "start")

    def __init__(self, bullet: bool, start: int) -> None:
        self.bullet = bullet
        self.start = start
        self.filled = False


class _Leaf:
    """The leaf block being read."""

    __slots__ = ("at", "bold", "breaks", "end", "kind", "parts", "pieces", "plain", "setext", "start")

    def __init__(self, kind: BlockKind, start: int) -> None:
        self.kind: BlockKind = kind
        self.start = start
        self.end = start
        self.parts: list[str] = []
        self.pieces: list[tuple[int, int, int]] = []
        self.at = 0
        self.breaks = 0
        self.plain = False
        self.bold = False
        self.setext = False


class _Builder:
    """Turns parser events into content; one small method per kind of event."""

    def __init__(self, body: str, exact: bool) -> None:
        self.content = Content([])
        self._body = body
        self._exact = exact
        self._leaf: _Leaf | None = None
        self._lists: list[int | None] = []
        self._items: list[_Item] = []
        self._list_paragraph = -1
        self._number = ""
        self._strong = 0
        self._html: list[str] | None = None
        self._head_end = -1

    def feed(self, event: Any, start: int, end: int) -> None:
        if isinstance(event, str):
            if event in ("SoftBreak", "HardBreak"):
                self._break()
            elif event == "Rule":
                self.close_leaf()
            return
        [(kind, value)] = event.items()
        if kind in ("Start", "End"):
            name, detail = (value, None) if isinstance(value, str) else next(iter(value.items()))
            handler = getattr(self, f"_{kind.lower()}_{name.lower()}", None)
            if kind == "Start" and name in _ELEMENTS:
                self.content.elements += 1
            if handler is not None:
                handler(detail, start, end)
        elif kind in ("Text", "Code"):
            self.content.elements += kind == "Code"
            self._text(value, start, end, code=kind == "Code")
        elif kind == "Html":
            (self._html if self._html is not None else []).append(value)
        elif kind == "InlineHtml":
            self._inline_html(value, start, end)

    # Leaves

    def _open(self, kind: BlockKind, start: int) -> _Leaf:
        self.close_leaf()
        self._leaf = _Leaf(kind, start)
        return self._leaf

    def _start_paragraph(self, detail: Any, start: int, end: int) -> None:
        self._open("item" if self._lists else "paragraph", start)

    def _end_paragraph(self, detail: Any, start: int, end: int) -> None:
        self.close_leaf()

    def _start_heading(self, detail: Any, start: int, end: int) -> None:
        self._open("heading", start)

    _end_heading = _end_paragraph

    def _start_tablehead(self, detail: Any, start: int, end: int) -> None:
        self.close_leaf()
        self._head_end = end

    def _start_tablerow(self, detail: Any, start: int, end: int) -> None:
        self._delimiter(start)

    def _end_table(self, detail: Any, start: int, end: int) -> None:
        self._delimiter(end)

    def _delimiter(self, until: int) -> None:
        if self._head_end >= 0 and self._exact:
            self.content.delimiter_rows.append((self._head_end, until))
        self._head_end = -1

    def _start_tablecell(self, detail: Any, start: int, end: int) -> None:
        self._open("cell", start)

    _end_tablecell = _end_paragraph

    def _start_codeblock(self, detail: Any, start: int, end: int) -> None:
        self._open("code" if isinstance(detail, dict) else "paragraph", start)
        if isinstance(detail, dict) and not self._fence_closed(start, end):
            self.content.open_fence = start

    def _fence_closed(self, start: int, end: int) -> bool:
        lines = self._body[start:end].rstrip().split("\n")
        opening = _CODE_FENCE.match(lines[0])
        if opening is None or len(lines) < 2:
            return False
        mark = opening.group(1)
        last = lines[-1].strip(" \t>")
        return last.startswith(mark) and not last.strip(mark[0])

    _end_codeblock = _end_paragraph

    # Containers

    def _start_list(self, detail: Any, start: int, end: int) -> None:
        self.close_leaf()
        self._lists.append(detail)

    def _end_list(self, detail: Any, start: int, end: int) -> None:
        self.close_leaf()
        self._lists.pop()
        if not self._lists:
            self._list_paragraph = -1

    def _start_item(self, detail: Any, start: int, end: int) -> None:
        self.close_leaf()
        number = self._lists[-1] if self._lists else None
        self._items.append(_Item(number is None, start))
        if number is not None:
            self._number = f"{number}."
            self._lists[-1] = number + 1

    def _end_item(self, detail: Any, start: int, end: int) -> None:
        self.close_leaf()
        item = self._items.pop()
        self._number = ""
        if item.bullet and item.filled:
            place = (item.start, len(self._body[item.start : end].rstrip()) + item.start) if self._exact else (-1, -1)
            self.content.bullets.append(place)

    def _start_blockquote(self, detail: Any, start: int, end: int) -> None:
        self.close_leaf()

    _end_blockquote = _start_blockquote

    # Inline

    def _start_strong(self, detail: Any, start: int, end: int) -> None:
        self._strong += 1

    def _end_strong(self, detail: Any, start: int, end: int) -> None:
        self._strong -= 1

    def _text(self, text: str, start: int, end: int, *, code: bool) -> None:
        leaf = self._leaf or self._open("item" if self._lists else "paragraph", start)
        if code:
            found = self._body.find(text, start, end)
            start, end = (found, found + len(text)) if found >= 0 else (start, end)
        if end - start == len(text):
            text = self._body[start:end]  # undoes what `prepare` replaced
            if self._exact:
                leaf.pieces.append((leaf.at, start, len(text)))
        text = text.replace(STAND_IN, "<")
        leaf.parts.append(text)
        leaf.at += len(text)
        leaf.end = end
        if text.strip():
            leaf.plain = leaf.plain or not self._strong
            leaf.bold = leaf.bold or self._strong > 0

    def _break(self) -> None:
        if self._leaf is not None:
            self._leaf.parts.append("\n")
            self._leaf.at += 1
            self._leaf.breaks += 1

    def _inline_html(self, tag: str, start: int, end: int) -> None:
        name = _INLINE_TAG.match(tag)
        if name is None:
            return  # a comment, declaration or processing instruction
        if name.group(1).lower() == "br":
            self._break()
        elif name.group(1).lower() not in KNOWN:
            self._text(tag, start, end, code=False)

    # HTML blocks

    def _start_htmlblock(self, detail: Any, start: int, end: int) -> None:
        self.close_leaf()
        self._html = []

    def _end_htmlblock(self, detail: Any, start: int, end: int) -> None:
        source, self._html = "".join(self._html or ()), None
        inside = html_content(source, self.content.paragraphs, self._enclosing_paragraph())
        self.content.paragraphs = inside.paragraphs
        self.content.bullets += inside.bullets
        for block in inside.blocks:
            block.text = block.text.replace(STAND_IN, "<")
            self._add(block)

    # Results

    def _enclosing_paragraph(self) -> int:
        return self._take_paragraph() if self._lists else -1

    def _take_paragraph(self) -> int:
        if self._lists and self._list_paragraph >= 0:
            return self._list_paragraph
        number = self.content.paragraphs
        self.content.paragraphs += 1
        if self._lists:
            self._list_paragraph = number
        return number

    def _add(self, block: Block) -> None:
        if self._items:
            self._items[-1].filled = True
        block.number = block.number or self._number
        self._number = ""
        self.content.blocks.append(block)

    def close_leaf(self) -> None:
        """Finish the open leaf, if any; a leaf without text is no block."""
        leaf, self._leaf = self._leaf, None
        if leaf is None:
            return
        text = "".join(leaf.parts)
        if "&" in self._body:
            text = clean(text)  # a character reference may have written what rule 1 removes
        text = text.rstrip("\n")
        if not text.strip():
            return
        kind = leaf.kind
        if kind == "heading" and leaf.breaks:
            kind = "paragraph"  # text over a --- line is read as running text
        elif kind == "paragraph" and leaf.bold and not leaf.plain and not leaf.breaks:
            kind = "heading"
        block = Block(kind, text, pieces=leaf.pieces)
        if kind in ("paragraph", "item"):
            block.running, block.paragraph = True, self._take_paragraph()
        self._add(block)
