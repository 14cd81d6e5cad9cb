"""Markdown: a body read as CommonMark with GFM tables, task boxes and strikethrough, as blocks with their places.

The parser is pyromark (pulldown-cmark): linear in the text, not recursive, and it reports source ranges. `prepare`
changes the body before the parser sees it, `Builder` turns the parser's events into blocks.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import replace
from functools import lru_cache
from typing import Any

from evolif.text.blocks import UNKNOWN, Block, BlockKind, Content, ListItem, OuterItem, Range, Table
from evolif.text.editions import FIRST_RULES, READING_RULES_VERSION
from evolif.text.html import BLOCKS, BOLD, KNOWN, html_content
from evolif.text.leaf import Leaf
from evolif.text.markdown_source import BRACKET_STAND_IN, MarkdownSource, prepare, without_stand_ins

_WIDE = re.compile(r"[^\x00-\x7f]+")
_CODE_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})")


class CharacterOffsets:
    """Turns the parser's UTF-8 byte offsets into character offsets."""

    def __init__(self, source: str) -> None:
        self._at: list[int] = []
        self._extra: list[int] = [0]
        extra = 0
        for match in [] if source.isascii() else _WIDE.finditer(source):
            for char in range(match.start(), match.end()):
                size = len(source[char].encode())
                self._at.append(char + extra + size)
                extra += size - 1
                self._extra.append(extra)

    def __call__(self, offset: int) -> int:
        """The character offset of a byte offset between two characters."""
        return offset - self._extra[bisect_right(self._at, offset)] if self._at else offset


def is_fence_closed(source: str, inside: str) -> bool:
    """Whether the fenced code block of this source has its closing fence: a last line that is not inside."""
    lines = source.rstrip().split("\n")
    opening = _CODE_FENCE.match(lines[0])
    if opening is None or len(lines) != 2 + inside.count("\n") + (not inside.endswith("\n") and inside != ""):
        return False
    mark = opening.group(1)
    last = lines[-1].strip(" \t>")
    return last.startswith(mark) and not last.strip(mark[0])


_INLINE_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")
_INLINE = {"Emphasis", "Strong", "Strikethrough", "Link", "Image"}
_ELEMENTS = {"Heading", "Table", "BlockQuote", "CodeBlock", *_INLINE}
_READ_AT_END = {"TableCell", "CodeBlock"}
"""Their handlers read the leaf before it is closed."""


@lru_cache(maxsize=128)
def _handler_name(kind: str, name: str) -> str:
    return f"_{kind}_{name}".lower()


class Builder:
    """Turns parser events into content; one small method per kind of event."""

    def __init__(self, source: MarkdownSource, rules: int) -> None:
        self.content = Content([])
        self._source = source
        self._body = source.shown
        self._exact = source.exact
        self._rules = rules
        self._leaf: Leaf | None = None
        self._lists: list[int | None] = []
        self._items: list[ListItem] = []
        self._list_paragraph = -1
        self._number = ""
        self._quotes = 0
        """How many block quotes are open."""
        self._strong = 0
        self._bold_tags, self._in_code = 0, False
        self._bold_from = -1
        self._bold_filled = False
        self._head_open = False
        self._html: list[str] | None = None
        self._head_end = -1
        self._marks: list[int] = []
        """An offset in each line that is only a mark."""
        self._delimited: list[int] = []
        """An offset in each header row of a table; the line below is a delimiter row."""
        self._fenced: list[Range] = []
        self._row_filled = False

    def feed(self, event: Any, start: int, end: int) -> None:
        if isinstance(event, str):
            if event in ("SoftBreak", "HardBreak"):
                self._break()
            elif event == "Rule":
                self.close_leaf()
                self._marks.append(start)
            return
        [(kind, value)] = event.items()
        if kind in ("Start", "End"):
            name, detail = (value, None) if isinstance(value, str) else next(iter(value.items()))
            if name not in _INLINE and not (kind == "End" and name in _READ_AT_END):
                self.close_leaf()
            self.content.elements += kind == "Start" and name in _ELEMENTS
            handler = getattr(self, _handler_name(kind, name), None)
            if handler is not None:
                handler(detail, start, end)
        elif kind in ("Text", "Code"):
            self.content.elements += kind == "Code"
            self._text(value, start, end, code=kind == "Code")
        elif kind == "Html":
            (self._html if self._html is not None else []).append(self._source.restored(value, start, end))
        elif kind == "InlineHtml":
            self._inline_html(value, start, end)

    # Leaves

    def _open(self, kind: BlockKind) -> Leaf:
        self._bold_tags, self._in_code = 0, False
        self._leaf = Leaf(kind)
        return self._leaf

    def _start_paragraph(self, detail: Any, start: int, end: int) -> None:
        self._open("item" if self._lists else "paragraph")

    def _start_heading(self, detail: Any, start: int, end: int) -> None:
        self._open("heading").level = int(detail["level"][1])
        last = len(self._body[start:end].rstrip()) + start
        if "\n" in self._body[start:last]:
            self._marks.append(last - 1)  # an underline

    def _start_table(self, detail: Any, start: int, end: int) -> None:
        self.content.tables.append(Table())

    def _start_tablehead(self, detail: Any, start: int, end: int) -> None:
        self._head_end, self._head_open = end, True
        self._delimited.append(start)

    def _start_tablerow(self, detail: Any, start: int, end: int) -> None:
        self._delimiter(start)
        self._head_open = self._row_filled = False

    def _end_table(self, detail: Any, start: int, end: int) -> None:
        self._delimiter(end)

    def _delimiter(self, until: int) -> None:
        if self._head_end >= 0 and self._exact:
            self.content.delimiter_rows.append((self._head_end, until))
        self._head_end = -1

    def _start_tablecell(self, detail: Any, start: int, end: int) -> None:
        self._open("cell")

    def _end_tablecell(self, detail: Any, start: int, end: int) -> None:
        text = self._leaf.text().strip() if self._leaf is not None else ""
        table = self.content.tables[-1]
        if self._head_open:
            table.header.append(text)
        elif text and not self._row_filled:
            self._row_filled = True
            table.rows += 1
        self.close_leaf()

    def _start_codeblock(self, detail: Any, start: int, end: int) -> None:
        self._open("code" if isinstance(detail, dict) else "paragraph")

    def _end_codeblock(self, detail: Any, start: int, end: int) -> None:
        leaf = self._leaf
        if leaf is not None and leaf.kind == "code":
            last = len(self._body[start:end].rstrip()) + start - 1
            self._fenced.append((start, last))
            self._marks.append(start)
            if is_fence_closed(self._body[start:end], "".join(leaf.parts)):
                self._marks.append(last)
            else:
                self.content.open_fence = start
        self.close_leaf()

    # Containers

    def _start_blockquote(self, detail: Any, start: int, end: int) -> None:
        self._quotes += 1

    def _end_blockquote(self, detail: Any, start: int, end: int) -> None:
        self._quotes -= 1

    def _start_list(self, detail: Any, start: int, end: int) -> None:
        self._lists.append(self._number_of(detail, start))
        # A list of • signs is a list to a reader, but not to CommonMark.
        self.content.elements += not self._body.startswith("•", start)

    def _number_of(self, number: int | None, start: int) -> int | None:
        """A list's first number as written; None for bullets."""
        if number is None or not self._source.numbers:
            return number
        while self._body[start] in " \t":
            start += 1
        return int(self._source.numbers.get(start, number))

    def _end_list(self, detail: Any, start: int, end: int) -> None:
        self._lists.pop()
        if not self._lists:
            self._list_paragraph = -1

    def _start_item(self, detail: Any, start: int, end: int) -> None:
        number = self._lists[-1] if self._lists else None
        first = len(self.content.blocks)
        self._items.append(ListItem("bullet" if number is None else "number", start, first=first))
        if number is not None:
            self._number = f"{number}."
            self._lists[-1] = number + 1

    def _end_item(self, detail: Any, start: int, end: int) -> None:
        item = self._items.pop()
        self._number = ""
        place = self._place(item.start, len(self._body[item.start : end].rstrip()) + item.start)
        if item.filled:
            (self.content.bullets if item.kind == "bullet" else self.content.numbered).append(place)
        after = len(self.content.blocks)
        if not self._items and after > item.first:
            self.content.outer_items.append(OuterItem(item.kind, item.first, after, place))

    # Inline

    def _start_strong(self, detail: Any, start: int, end: int) -> None:
        self._open_bold(start)
        self._strong += 1

    def _end_strong(self, detail: Any, start: int, end: int) -> None:
        self._strong -= 1
        self._close_bold(end)

    def _open_bold(self, start: int) -> None:
        if self._bold_from < 0:  # bold inside bold is not a separate passage
            self._bold_from, self._bold_filled = start, False

    def _close_bold(self, end: int) -> None:
        if self._bold_from >= 0 and self._strong + self._bold_tags == 0:
            if self._bold_filled:
                self.content.strong.append(self._place(self._bold_from, end) if end >= 0 else UNKNOWN)
            self._bold_from = -1

    def _place(self, start: int, end: int) -> Range:
        return (start, end) if self._exact else UNKNOWN

    def _text(self, text: str, start: int, end: int, *, code: bool) -> None:
        leaf = self._leaf or self._open("item" if self._lists else "paragraph")
        if code:
            found = self._body.find(text, start, end)
            start, end = (found, found + len(text)) if found >= 0 else (start, end)
        at = leaf.length
        if end - start == len(text):
            text = self._body[start:end]  # undoes what `prepare` replaced
            if self._exact:
                leaf.pieces.append((leaf.length, start, len(text)))
        text = without_stand_ins(text)
        leaf.parts.append(text)
        leaf.length += len(text)
        bold = self._strong + self._bold_tags > 0
        if bold:
            before = leaf.bold_parts.pop()[0] if leaf.bold_parts and leaf.bold_parts[-1][1] == at else at
            leaf.bold_parts.append((before, leaf.length))
        if code or self._in_code:
            leaf.code_parts.append((at, leaf.length))
        if text.strip():
            if bold:
                leaf.bold = leaf.line_bold = True
            else:
                leaf.plain = leaf.line_plain = True
            self._bold_filled = self._bold_filled or bold

    def _break(self) -> None:
        if self._leaf is not None:
            self._leaf.end_line(closed=self._strong + self._bold_tags == 0)

    def _inline_html(self, tag: str, start: int, end: int) -> None:
        name = _INLINE_TAG.match(tag)
        if name is None:
            return  # a comment, declaration or processing instruction
        element = name.group(1).lower()
        if element in BLOCKS or element == "br":
            self._break()  # a reader sees a new line there
        elif element in BOLD:
            if tag.startswith("</"):
                self._bold_tags = 0
                self._close_bold(end)
            else:
                self._open_bold(start)
                self._bold_tags = 1
        elif element == "code":
            self._in_code = not tag.startswith("</")
        elif element not in KNOWN:
            self._text(tag, start, end, code=False)

    # HTML blocks

    def _start_htmlblock(self, detail: Any, start: int, end: int) -> None:
        self._html = []

    def _end_htmlblock(self, detail: Any, start: int, end: int) -> None:
        source, self._html = "".join(self._html or ()).replace(BRACKET_STAND_IN, "["), None
        enclosing = self._take_paragraph() if self._lists else -1  # may take a number, so it comes first
        inside = html_content(source, self.content.paragraphs, enclosing)
        self.content.paragraphs = inside.paragraphs
        before = len(self.content.blocks)
        for item in () if self._items else inside.outer_items:
            self.content.outer_items.append(replace(item, first=item.first + before, after=item.after + before))
        self.content.bullets += inside.bullets
        self.content.numbered += inside.numbered
        self.content.strong += inside.strong
        for block in inside.blocks:
            block.text = without_stand_ins(block.text)
            self._add(block)

    # Results

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
        block.quoted = block.quoted or self._quotes > 0
        self._number = ""
        self.content.blocks.append(block)

    def close_leaf(self) -> None:
        """Finish the open leaf, if any; a leaf without text is no block."""
        leaf, self._leaf, self._bold_tags = self._leaf, None, 0
        if leaf is not None and self._bold_from >= 0:
            self._close_bold(-1)  # the tag is never closed, so where the passage ends is not known
        if leaf is None:
            return
        if self._rules == FIRST_RULES:
            self._close_part(leaf)
            return
        for part, is_title in leaf.split():
            self._close_part(part, is_title=is_title)

    def _close_part(self, leaf: Leaf, *, is_title: bool = False) -> None:
        """Finish a leaf or a part of one: a bold title line, or what stands before or behind it."""
        text = leaf.text()
        if not text.strip():
            return
        kind = leaf.final_kind()
        if is_title and kind == "paragraph":
            kind = "heading"
        block = Block(kind, text, pieces=leaf.pieces, bold=leaf.bold_parts, code=leaf.code_parts)
        if kind == "heading":
            block.level = leaf.level
        if kind in ("paragraph", "item"):
            block.running, block.paragraph = not is_title, self._take_paragraph()
        self._add(block)

    def number_lines(self, source: str) -> None:
        """Turn the places of marks and code into line numbers."""
        if not (self._marks or self._delimited):
            return
        ends = [match.start() for match in _LINE_END.finditer(source)]
        marks = {bisect_left(ends, at) for at in self._marks}
        marks.update(bisect_left(ends, at) + 1 for at in self._delimited)
        self.content.mark_lines = frozenset(marks)
        self.content.code_lines = [(bisect_left(ends, first), bisect_left(ends, last)) for first, last in self._fenced]


_LINE_END = re.compile("\n")
_MARKUP = re.compile(r"[*_`#\[\]<>|~\\&]|^[ \t]*(?:[-+•=]|\d+[.)])|^(?: {4}| {0,3}\t)", re.MULTILINE)
_BREAK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


def markdown_content(body: str, rules: int = READING_RULES_VERSION) -> Content:
    """The content of `body` as a reader of the rendered answer sees it, by an edition of the reading rules."""
    if not _MARKUP.search(body):
        return _plain(body)
    import pyromark

    source = prepare(body, rules)
    options = pyromark.Options
    builder = Builder(source, rules)
    flags = options.ENABLE_TABLES | options.ENABLE_STRIKETHROUGH | options.ENABLE_TASKLISTS
    at = CharacterOffsets(source.text)
    for event, where in pyromark.events_with_range(source.text, options=flags):
        start, end = where["start"], where["end"]
        if start < end:  # the cells that a short table row leaves out have no width, and there may be very many
            builder.feed(event, at(start), at(end))
    builder.close_leaf()
    builder.number_lines(source.text)
    return builder.content


def _plain(body: str) -> Content:
    """The content of a body without any Markdown sign: just paragraphs, so no parser is needed."""
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
        if text.strip():
            content.blocks.append(Block("paragraph", text, True, content.paragraphs, pieces=pieces))
            content.paragraphs += 1
        start = gap.end() if gap else end
    return content
