"""A response as read by all checkers: its body, its blocks, and the counts and matches in them.

Each view is computed once, on first use. The rules' numbers are those of the constraint specification.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

from evolif.text.answers import MAX_BODY_BYTES, READING_RULES_VERSION, is_too_long
from evolif.text.blocks import Block, Content, FormatFaultError
from evolif.text.data_formats import parse_csv, parse_json, parse_xml
from evolif.text.emoji import find_emoji
from evolif.text.html import parse_html
from evolif.text.lines import body_lines
from evolif.text.markdown import markdown_content
from evolif.text.points import Point, read_points
from evolif.text.prose import without_code, without_quotations
from evolif.text.sentences import Surroundings, sentences
from evolif.text.tokens import count_graphemes, count_words, find_all, fold, fold_offsets, normalise
from evolif.types import Span

_PARSERS = {"json": parse_json, "xml": parse_xml, "html": parse_html, "csv": parse_csv}
_OPEN = re.compile(r"(`{3,}|~{3,})([^\n]*)(?:\n|\Z)")

_TEXT = frozenset({"", "text", "plain", "md", "markdown"})
_UNWRAPS: Mapping[str | None, frozenset[str]] = {
    None: _TEXT,
    "markdown": frozenset({"md", "markdown"}),
    "literal_list": _TEXT | {"python", "py", "json"},
    "code": frozenset(),  # the fence is what is asked for
}
_SIGNS = frozenset("<>#*_~|+=^`")
EMPTY = "the answer is empty"
"""Why nothing can be read of an answer without a body."""


def unwrap(text: str, fmt: str | None) -> str:
    """Rule 2: the text, or what is inside the one code fence that encloses all of it.

    Args:
        text: A normalised text.
        fmt: The requested format (json, xml, html, csv, markdown or None).
    """
    opening = _OPEN.match(text)
    if opening is None:
        return text
    fence, info = opening.group(1), opening.group(2).strip()
    if fence[0] == "`" and "`" in info:
        return text
    language = info.split(None, 1)[0].lower() if info else ""
    if language not in _UNWRAPS.get(fmt, {"", fmt}):
        return text
    closing_line = re.compile(rf"^ {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$", re.MULTILINE)
    closing = closing_line.search(text, opening.end())
    if closing is None:
        # CommonMark lets the end of the document close a fence; the format Markdown requires every fence to be closed.
        return text if fmt == "markdown" else text[opening.end() :].strip()
    if text[closing.end() :].strip():
        return text
    return text[opening.end() : closing.start()].strip()


@lru_cache(maxsize=4096)
def is_skippable(char: str) -> bool:
    """Whether rule 10 skips it: white space, Unicode punctuation, and the signs of mark-up."""
    return char.isspace() or char in _SIGNS or unicodedata.category(char)[0] == "P"


@dataclass(frozen=True, slots=True)
class Edge:
    """Where content begins (or ends): the block, the offset of its first (after its last) content character.

    `blocked` is what is there instead: an ordered list's number or a JSON literal.
    """

    block: int
    offset: int
    blocked: str = ""


def outer_block(content: Content, *, last: bool) -> tuple[int, Block] | None:
    """The first (or last) block with a visible character, for edges on which nothing is skipped."""
    visible = [(index, block) for index, block in enumerate(content.blocks) if block.text.strip()]
    return visible[-1 if last else 0] if visible else None


class Reading:
    """A response as all checkers of one instruction see it.

    Args:
        response: The answer as received.
        fmt: The format that the instruction requests (json, xml, html, csv, markdown), or None.
        max_bytes: A longer body is not parsed and fails every constraint.
        rules: The edition of the reading rules.
    """

    def __init__(
        self,
        response: str,
        fmt: str | None = None,
        max_bytes: int = MAX_BODY_BYTES,
        *,
        rules: int = READING_RULES_VERSION,
    ) -> None:
        self.fmt = fmt
        self.rules = rules
        self.text = normalise(response)
        self.body = unwrap(self.text, fmt)
        self.unreadable = self._size_fault(max_bytes)
        self._fold_offsets: dict[int, list[int]] = {}
        self.fault: FormatFaultError | None = None
        """Why the body is not in the requested format; the other checkers then read it as Markdown."""

    def _size_fault(self, max_bytes: int) -> str:
        if not self.body:
            return EMPTY
        if is_too_long(self.body, max_bytes):
            return f"the answer is longer than {max_bytes // 1024} KiB"
        return ""

    @cached_property
    def content(self) -> Content:
        """The typed blocks; sets `fault` if the body does not parse as the requested format."""
        parser = _PARSERS.get(self.fmt or "")
        if parser is not None:
            try:
                return parser(self.body)
            except FormatFaultError as fault:
                self.fault = fault
        return markdown_content(self.body, self.rules)

    @property
    def blocks(self) -> list[Block]:
        """The blocks of the content, in document order."""
        return self.content.blocks

    @cached_property
    def content_text(self) -> str:
        """All blocks, one after the other, separated by line breaks; spans of the content count in it."""
        return "\n".join(block.text for block in self.blocks)

    @cached_property
    def offsets(self) -> list[int]:
        """Where each block starts in `content_text`."""
        return _starts(block.text for block in self.blocks)

    @cached_property
    def folded(self) -> list[str]:
        """Each block in the form in which keywords are compared."""
        return [fold(block.text) for block in self.blocks]

    @cached_property
    def _folded_whole(self) -> tuple[str, list[int]]:
        """All folded blocks in one text, and where each starts; no keyword holds the line break between them."""
        return "\n".join(self.folded), _starts(self.folded)

    @cached_property
    def words(self) -> int:
        """How many words the content has."""
        return count_words(self.content_text)

    @cached_property
    def surroundings(self) -> Surroundings:
        """What the running text says about doubtful full stops, as `sentences` takes it."""
        return Surroundings([block.text for block in self.blocks if block.running], self.rules)

    @cached_property
    def sentence_spans(self) -> list[tuple[int, int]]:
        """The sentences, as ranges of `content_text`."""
        running = [(at, block.text) for at, block in zip(self.offsets, self.blocks, strict=True) if block.running]
        return [(at + start, at + end) for at, text in running for start, end in sentences(text, self.surroundings)]

    @cached_property
    def paragraphs(self) -> int:
        """How many paragraphs the content has."""
        return len({block.paragraph for block in self.blocks if block.paragraph >= 0})

    @cached_property
    def characters(self) -> int:
        """How many grapheme clusters the body has."""
        return count_graphemes(self.body)

    @cached_property
    def lines(self) -> list[tuple[int, int]]:
        """The lines of the body that hold something, as ranges of it; what is no line, `body_lines` says."""
        return body_lines(self.body, self.content)

    @cached_property
    def points(self) -> list[Point]:
        """What a reader counts as items, as `read_points` says."""
        return read_points(self.content, self.offsets)

    @cached_property
    def emoji(self) -> list[tuple[int, int]]:
        """The emoji, as ranges of `content_text`."""
        return find_emoji(self.content_text)

    @cached_property
    def prose(self) -> list[str]:
        """Each block with blanks in place of code, so that places in it stay the same."""
        return [without_code(block) for block in self.blocks]

    @cached_property
    def unquoted(self) -> list[str]:
        """The same, with blanks in place of quotations too."""
        pairs = zip(self.blocks, self.prose, strict=True)
        return [without_quotations(" " * len(text) if block.quoted else text) for block, text in pairs]

    @cached_property
    def start(self) -> Edge | None:
        """The first content character; None if there is no content."""
        for index, block in enumerate(self.blocks):
            blocked = self.content.literal_first or block.number
            if blocked:
                return Edge(index, 0, blocked)
            for offset, char in enumerate(block.text):
                if not is_skippable(char):
                    return Edge(index, offset)
        return None

    @cached_property
    def end(self) -> Edge | None:
        """Just after the last content character; None if there is no content."""
        for index, block in reversed(list(enumerate(self.blocks))):
            if self.content.literal_last:
                return Edge(index, len(block.text), self.content.literal_last)
            for offset in range(len(block.text), 0, -1):
                if not is_skippable(block.text[offset - 1]):
                    return Edge(index, offset)
            if block.number:
                return Edge(index, 0, block.number)
        return None

    def occurrences(self, keyword: str) -> list[tuple[int, int, int]]:
        """Where `keyword` occurs: (block, start, end) in the folded block."""
        whole, starts = self._folded_whole
        found = []
        for start, end in find_all(whole, fold(keyword), self.rules):
            block = bisect_right(starts, start) - 1
            found.append((block, start - starts[block], end - starts[block]))
        return found

    def spans(self, block: int, start: int, end: int) -> tuple[Span, ...]:
        """A range of a block as spans of the content and, where known, of the body."""
        at = self.offsets[block]
        spans = [Span(at + start, at + end)]
        leaf = self.blocks[block]
        first, last = leaf.to_body(start), leaf.to_body(end, end=True)
        if first is not None and last is not None:
            spans.append(Span(first, last, "body"))
        return tuple(spans)

    def folded_spans(self, block: int, start: int, end: int) -> tuple[Span, ...]:
        """Like `spans`, for a range of the folded block; nothing if folding composed characters."""
        text, folded = self.blocks[block].text, self.folded[block]
        if len(folded) == len(text) and fold(text[start:end]) == folded[start:end]:
            return self.spans(block, start, end)
        if block not in self._fold_offsets:
            self._fold_offsets[block] = fold_offsets(text)
        offsets = self._fold_offsets[block]
        return self.spans(block, offsets[start], offsets[end - 1] + 1) if offsets else ()


def _starts(texts: Iterable[str]) -> list[int]:
    """Where each text starts in all of them joined by line breaks."""
    return [0, *accumulate(len(text) + 1 for text in texts)][:-1]
