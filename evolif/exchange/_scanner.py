"""Looks through one stream of text for the queries of an index, with as much memory as a few blocks take."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from struct import Struct

from evolif.exchange._query_index import BLOCK, STRIDE, QueryIndex

_PIECE = 4096
"""Bytes of raw text among which a place is looked for letter by letter."""
_AT_ONCE = Struct(f"{BLOCK}s{STRIDE - BLOCK}x" * 64)
"""Probes that are looked up together: nearly always none of them hits."""
_ALIGNED = 100_000
"""Alignments that are remembered before the oldest are let go."""


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of a wanted text that stands in the stream."""

    wanted: int
    start: int
    end: int
    """In the wanted text, in letters and digits."""
    place: Callable[[], tuple[int, int]]
    """Tells its line, from 1, and its byte, from 0; takes a while, and only until the next block."""


class _Segment:
    """A block of raw text, and where it begins in the squeezed stream."""

    def __init__(self, index: QueryIndex, begin: int, raw: bytes, offset: int, line: int) -> None:
        self.begin = begin
        self._squeeze = index.squeeze
        self._raw = raw
        self._offset = offset
        self._line = line
        self._pieces: list[tuple[int, int, int]] = []

    def place(self, at: int) -> tuple[int, int]:
        """Line and byte of a letter of the squeezed stream."""
        if not self._pieces:
            self._pieces = list(self._cut())
        number = bisect_right(self._pieces, at - self.begin, key=lambda piece: piece[0]) - 1
        before, start, line = self._pieces[max(0, number)]
        low, high = start, min(len(self._raw), start + 2 * _PIECE)
        while low < high:  # the first byte by which more is squeezed than stands before the letter
            middle = (low + high) // 2
            if before + len(self._squeeze(self._raw[start : middle + 1])) > at - self.begin:
                high = middle
            else:
                low = middle + 1
        return line + self._raw.count(b"\n", start, low), self._offset + low

    def _cut(self) -> Iterator[tuple[int, int, int]]:
        """(letters before, byte, line) of pieces that end at white space."""
        letters, start, line = 0, 0, self._line
        while start < len(self._raw):
            yield letters, start, line
            end = cut_before(self._raw, start, min(len(self._raw), start + _PIECE))
            letters += len(self._squeeze(self._raw[start:end]))
            line += self._raw.count(b"\n", start, end)
            start = end


def cut_before(raw: bytes, start: int, end: int) -> int:
    """Where text may be cut at or before `end`: behind white space, or else where a character of UTF-8 ends."""
    if end >= len(raw):
        return len(raw)
    space = max(raw.rfind(b" ", start, end), raw.rfind(b"\n", start, end))
    if space >= start:
        return space + 1
    at = end
    while at > start + 1 and 0x80 <= raw[at] < 0xC0:
        at -= 1
    return at


class Scanner:
    """One stream; blocks are fed in order.

    Args:
        index: What is looked for.
        least_words: So many words in a row of a query are told, even where the rest is missing.
        found: Told of every run.
    """

    def __init__(self, index: QueryIndex, least_words: int, found: Callable[[Run], None]) -> None:
        self._index = index
        self._least = least_words
        self._found = found
        self._text = b""
        """Squeezed, from `_base` on."""
        self._base = 0
        self._next = 0
        """The next probe, in letters of the whole stream."""
        self._segments: deque[_Segment] = deque()
        self._offset, self._line = 0, 1
        self._aligned: dict[tuple[int, int], int] = {}
        """Per wanted text and where it would begin, how far it was compared."""

    def feed(self, raw: bytes) -> None:
        """The next block of raw text, cut where `cut_before` allows."""
        self._segments.append(_Segment(self._index, self._base + len(self._text), raw, self._offset, self._line))
        self._offset += len(raw)
        self._line += raw.count(b"\n")
        self._text += self._index.squeeze(raw)
        self._probe(len(self._text) - self._index.longest)
        keep = max(0, self._next - self._base - self._index.longest)
        self._text, self._base = self._text[keep:], self._base + keep
        while len(self._segments) > 1 and self._segments[1].begin <= self._base:
            self._segments.popleft()

    def end(self) -> None:
        """The stream is over."""
        self._probe(len(self._text) - BLOCK + 1)

    def _probe(self, stop: int) -> None:
        text, blocks, start = self._text, self._index.blocks, self._next - self._base
        if stop <= start:
            return
        self._next += -(-(stop - start) // STRIDE) * STRIDE
        while start < stop:
            end = start + _AT_ONCE.size
            if end <= stop:
                nothing = blocks.keys().isdisjoint(_AT_ONCE.unpack_from(text, start))
                hits: Iterable[int] = () if nothing else range(start, end, STRIDE)
            else:
                hits = range(start, stop, STRIDE)
            for at in hits:
                for number, offset in blocks.get(text[at : at + BLOCK], ()):
                    self._compare(number, offset, at)
            start = end

    def _compare(self, number: int, offset: int, at: int) -> None:
        key = (number, self._base + at - offset)
        if self._aligned.get(key, -1) >= self._base + at:
            return
        wanted = self._index.wanted[number]
        left = _same_before(wanted.text, offset, self._text, at)
        right = _same_after(wanted.text, offset, self._text, at)
        if len(self._aligned) > _ALIGNED:
            self._aligned.clear()
        self._aligned[key] = self._base + at + right
        start, end = offset - left, offset + right
        whole = end - start == len(wanted.text)
        if whole or (wanted.turns and wanted.words(start, end) >= self._least):
            begin = self._base + at - left
            segment = next(s for s in reversed(self._segments) if s.begin <= begin or s is self._segments[0])
            self._found(Run(number, start, end, partial(segment.place, begin)))


def _same_after(one: bytes, i: int, other: bytes, j: int) -> int:
    """How many bytes agree from two places on."""
    low, high = 0, min(len(one) - i, len(other) - j)
    while low < high:
        middle = (low + high + 1) // 2
        if one[i + low : i + middle] == other[j + low : j + middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _same_before(one: bytes, i: int, other: bytes, j: int) -> int:
    """How many bytes agree before two places."""
    low, high = 0, min(i, j)
    while low < high:
        middle = (low + high + 1) // 2
        if one[i - middle : i - low] == other[j - middle : j - low]:
            low = middle
        else:
            high = middle - 1
    return low
