"""HTML: is it well-kept, and what text would a browser show?

A linear scan checks the mark-up and names the first fault; it builds no tree and never recurses. The content then comes
from a spec-conforming tree (Lexbor), block by block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from evolif.text.blocks import (
    MAX_DEPTH,
    UNKNOWN,
    Block,
    BlockKind,
    Content,
    FormatFaultError,
    ItemKind,
    ListItem,
    OuterItem,
)
from evolif.text.tokens import clean

# Element names by their role in the HTML standard; obsolete ones are included, since browsers still know them.
VOID = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split()
)
OPTIONAL_END = frozenset(
    "p li dt dd tr td th thead tbody tfoot caption colgroup option optgroup rb rt rtc rp html head body".split()
)
RAW_TEXT = frozenset("script style textarea title xmp iframe noembed noframes".split())
FOREIGN = frozenset({"svg", "math"})
HIDDEN = frozenset("head script style template noembed noframes iframe title".split())
HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
BOLD = frozenset({"b", "strong"})
BLOCKS = HEADINGS | frozenset(
    """address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption
    figure footer form header hgroup hr html legend li listing main menu nav ol optgroup option p plaintext pre search
    section select summary table tbody td textarea tfoot th thead tr ul xmp""".split()
)
_INLINE = frozenset(
    """a abbr acronym applet audio b bdi bdo big blink canvas cite code data datalist del dfn em font frameset i ins kbd
    label map mark marquee meter nobr noscript object output picture portal progress q rb rp rt rtc ruby s samp script
    slot small span strike strong style sub sup svg math template time title tt u var video colgroup isindex""".split()
)
KNOWN = VOID | OPTIONAL_END | RAW_TEXT | FOREIGN | HIDDEN | BLOCKS | _INLINE

_ROLES = {
    **dict.fromkeys(HEADINGS, "heading"),
    **dict.fromkeys(("td", "th", "caption"), "cell"),
    **dict.fromkeys(("pre", "textarea", "listing", "xmp"), "code"),
    **dict.fromkeys(BOLD, "bold"),
}
"""What an open element means for the text inside it."""
_LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
_ITEM_KINDS: dict[str, ItemKind] = {"ul": "bullet", "ol": "number"}

_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9:._-]*)(?=[\s/>])")
_ATTRIBUTE = re.compile(r"""\s*+[^\s"'<>/=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'=<>`]++))?""")
_TAG_END = re.compile(r"\s*+(/?)>")


def parse_html(body: str) -> Content:
    """The content of well-kept HTML.

    Raises:
        FormatFaultError: with the first fault.
    """
    if not re.match(r"<(?:[A-Za-z]|!--|!doctype)", body, re.IGNORECASE):
        raise FormatFaultError("does not start with a tag, doctype or comment", 0)
    if not body.endswith(">"):
        raise FormatFaultError("does not end with >", len(body) - 1)
    _Scanner(body).run()
    return html_content(body)


class _Scanner:
    def __init__(self, body: str) -> None:
        self._body = body
        self._open: list[str] = []

    def _fault(self, reason: str, offset: int) -> FormatFaultError:
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
            return self._skip_past("-->", at, at + 4, "a comment is never closed")
        if body[at + 1 : at + 9].lower() == "!doctype":
            return self._skip_past(">", at, at + 9, "the doctype is never closed")
        if body.startswith(("<!", "<?"), at):
            if body.startswith("<![CDATA[", at) and any(name in FOREIGN for name in self._open):
                return self._skip_past("]]>", at, at + 9, "a CDATA section is never closed")
            raise self._fault("an unknown HTML declaration", at)
        name = _NAME.match(body, at)
        if name is None:
            if body[at + 1 : at + 2].isalpha() or body.startswith("</", at):
                raise self._fault("a tag is left open", at)
            return at + 1  # a bare "<" before a space or digit is text
        return self._tag(at, name)

    def _skip_past(self, mark: str, at: int, start: int, reason: str) -> int:
        end = self._body.find(mark, start)
        if end < 0:
            raise self._fault(reason, at)
        return end + len(mark)

    def _tag(self, at: int, match: re.Match[str]) -> int:
        name = match.group(1).lower()
        foreign = any(n in FOREIGN for n in self._open)
        if name not in KNOWN and "-" not in name and not foreign:
            raise self._fault(f"<{name}> is not an HTML element", at)
        position = match.end()
        while attribute := _ATTRIBUTE.match(self._body, position):
            position = attribute.end()
        end = _TAG_END.match(self._body, position)
        if end is None:
            raise self._fault(f"the tag <{name}> is left open or badly quoted", at)
        if self._body.startswith("</", at):
            self._close(name, at)
        elif name not in VOID and not (end.group(1) and (foreign or name in FOREIGN)):
            return self._enter(name, at, end.end())
        return end.end()

    def _enter(self, name: str, at: int, position: int) -> int:
        self._open.append(name)
        if len(self._open) > MAX_DEPTH:
            raise self._fault(f"nested deeper than {MAX_DEPTH} levels", at)
        if name in RAW_TEXT:
            closing = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(self._body, position)
            if closing is None:
                raise self._fault(f"<{name}> is never closed", at)
            return closing.start()
        return position

    def _close(self, name: str, at: int) -> None:
        while self._open and self._open[-1] != name and self._open[-1] in OPTIONAL_END:
            self._open.pop()
        if not self._open or self._open[-1] != name:
            raise self._fault(f"</{name}> closes no element that is open here", at)
        self._open.pop()


def html_content(source: str, first_paragraph: int = 0, enclosing: int = -1) -> Content:
    """What a browser shows of `source`.

    Args:
        source: HTML, well-kept or not.
        first_paragraph: Number of the first paragraph found.
        enclosing: The paragraph that all of it belongs to (inside a Markdown list), or -1.
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
    collector.flush()
    return collector.content


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
        """How many elements of each role are open."""
        self._buffer: list[str] = []
        self._plain = False
        """The buffer holds text that is not bold."""
        self._bold_filled = False
        """The open bold passage holds text."""
        self._list_paragraph = -1
        self._lists: list[str] = []
        self._items: list[ListItem] = []
        self._numbers: list[int] = []
        self._number = ""
        self._quotes = 0
        """How many block quotes are open."""
        self._level = 0
        """That of the open heading, or of the last one."""

    def enter(self, tag: str) -> None:
        if tag in BLOCKS:
            self.flush()
            self._level = int(tag[1]) if tag in HEADINGS else self._level
        self._quotes += tag == "blockquote"
        role = _ROLES.get(tag, "")
        self._open[role] += 1
        self._bold_filled = self._bold_filled and not (role == "bold" and self._open[role] == 1)
        if tag in _LISTS:
            self._lists.append(tag)
            self._numbers.append(0)
        elif tag == "li":
            kind = _ITEM_KINDS.get(self._lists[-1], "") if self._lists else ""
            first = len(self.content.blocks)
            # Only an item of an outermost list has no open list around its own.
            self._items.append(ListItem(kind, first=first if len(self._lists) == 1 else -1))
            if kind == "number":
                self._numbers[-1] += 1
                self._number = f"{self._numbers[-1]}."
        elif tag == "br":
            self._buffer.append("\n")

    def leave(self, tag: str) -> None:
        if tag in BLOCKS:
            self.flush()
        self._quotes -= tag == "blockquote"
        role = _ROLES.get(tag, "")
        self._open[role] -= 1
        if role == "bold" and not self._open[role] and self._bold_filled:
            self.content.strong.append(UNKNOWN)
        if tag in _LISTS:
            self._lists.pop()
            self._numbers.pop()
            if not self._lists:
                self._list_paragraph = -1
        elif tag == "li" and self._items:
            item = self._items.pop()
            self._number = ""
            if item.filled and item.kind:
                (self.content.bullets if item.kind == "bullet" else self.content.numbered).append(UNKNOWN)
            if item.kind and 0 <= item.first < len(self.content.blocks):
                after = len(self.content.blocks)
                self.content.outer_items.append(OuterItem(item.kind, item.first, after, UNKNOWN))

    def text(self, data: str) -> None:
        if not self._open["code"]:
            lead = " " if data[:1].isspace() else ""
            tail = " " if data[-1:].isspace() else ""
            data = f"{lead}{' '.join(data.split())}{tail}" if data.strip() else " "
        self._plain = self._plain or (not self._open["bold"] and not data.isspace())
        self._bold_filled = self._bold_filled or (self._open["bold"] > 0 and not data.isspace())
        self._buffer.append(data)

    def flush(self) -> None:
        text = "".join(self._buffer)
        text = "\n".join(" ".join(line.split(" ")).strip() for line in text.split("\n")).strip()
        all_bold = not self._plain and not self._lists and "\n" not in text
        self._buffer, self._plain = [], False
        if not text:
            return
        if self._items:
            self._items[-1].filled = True
        level = self._level if self._open["heading"] else 0
        block = Block(self._kind(all_bold), clean(text), number=self._number, level=level, quoted=self._quotes > 0)
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
        if self._lists and self._list_paragraph >= 0:
            return self._list_paragraph
        number = self.content.paragraphs
        self.content.paragraphs += 1
        if self._lists:
            self._list_paragraph = number
        return number
