"""Looks through one stream of text for the queries of an index, with as much memory as a few blocks take."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from struct import Struct
from unicodedata import normalize

# What is left of a text when only its letters and digits are compared: the form in which queries are looked for.
#
# White space, punctuation and case go, so that line breaks, quotation marks, Markdown and JSON's escapes do not hide a
# query. There are two forms. `normalize_ascii` drops everything that is not ASCII, from queries and corpus alike; it
# runs at the speed of `bytes.translate` and is enough for English. `normalize_for_search` keeps the letters of every
# script.

_LOWER = bytes(code + 32 if 65 <= code <= 90 else code for code in range(256))
_DROPPED = bytes(code for code in range(128) if not chr(code).isalnum())
_ALL_BUT_ASCII = _DROPPED + bytes(range(128, 256))
_BEYOND = re.compile(rb"[\x80-\xff]+")
_COMMON_ESCAPES = (b"\\n", b'\\"', b"\\t", b"\\r")
_ESCAPES = re.compile(rb"\\(?:u[0-9a-fA-F]{4}(?:\\u[0-9a-fA-F]{4})*|\S)")
"""It begins with a literal, for which a search is fast."""


def normalize_for_search(raw: bytes) -> bytes:
    """Letters and digits of UTF-8 text in lower case, without accents; a JSON escape counts as what it stands for.

    Args:
        raw: Text; cut at white space, it may be squeezed piece by piece.
    """
    raw = _without_common_escapes(raw)
    if b"\\" in raw:
        raw = _ESCAPES.sub(_unescaped, raw)
    squeezed = raw.translate(_LOWER, _DROPPED)
    return squeezed if squeezed.isascii() else _BEYOND.sub(_plain, squeezed)


def normalize_ascii(raw: bytes) -> bytes:
    """ASCII letters and digits in lower case; JSON escapes go like other signs."""
    raw = _without_common_escapes(raw)
    if b"\\" in raw:
        raw = _ESCAPES.sub(b" ", raw)
    return raw.translate(_LOWER, _ALL_BUT_ASCII)


def _without_common_escapes(raw: bytes) -> bytes:
    if b"\\" in raw:
        for escape in _COMMON_ESCAPES:
            raw = raw.replace(escape, b" ")
    return raw


def _unescaped(escape: re.Match[bytes]) -> bytes:
    found = escape.group()
    if len(found) == 2:
        return b""
    text: str = json.loads(b'"' + found + b'"')
    return text.encode("utf-8", "ignore")


def _plain(run: re.Match[bytes]) -> bytes:
    return _letters(run.group())


@lru_cache(maxsize=8192)
def _letters(run: bytes) -> bytes:
    """The letters and digits of text beyond ASCII, without accents."""
    text = normalize("NFKD", run.decode("utf-8", "ignore")).lower()
    return "".join(filter(str.isalnum, text)).encode("utf-8")


# Which queries a piece of squeezed text may come from: blocks of them, looked up at every n-th place of a corpus.
#
# A corpus is probed only at multiples of `STRIDE`, a query is known by blocks at all its offsets: whatever both share
# over `SHORTEST` letters is met by one probe at least. A probe costs one look-up for `STRIDE` letters of text.

BLOCK = 12
STRIDE = 12
SHORTEST = STRIDE + BLOCK - 1
"""Letters and digits that a query needs to be found wherever it stands."""
_KEPT = 0.8
"""So much of every query must be ASCII, of its letters and digits, for the fast form."""
_ORDINARY = 3
"""A block of more queries than these is a turn of phrase; no overlap is told by it alone."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A text to look for, and the turns that say it."""

    text: bytes
    """Squeezed."""
    turns: tuple[tuple[int, int], ...]
    """(dialogue, turn); none for the canary."""
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    """Where its words start and end in `text`."""

    def words(self, start: int, end: int) -> int:
        """How many whole words lie in a range of the text."""
        return max(0, bisect_right(self.ends, end) - bisect_left(self.starts, start))


class QueryIndex:
    """All texts to look for.

    Args:
        queries: (dialogue, turn, query).
        canary: Looked for as well.
    """

    def __init__(self, queries: Iterable[tuple[int, int, str]], canary: str) -> None:
        told = [(dialogue, turn, query.encode("utf-8", "ignore")) for dialogue, turn, query in queries]
        self.squeeze = _form(query for _, _, query in told)
        """The form in which text is compared."""
        self.turns, self.too_short = len(told), 0
        by_text: dict[bytes, tuple[bytes, list[tuple[int, int]]]] = {
            self.squeeze(canary.encode()): (canary.encode(), [])
        }
        for dialogue, turn, query in told:
            text = self.squeeze(query)
            if len(text) < SHORTEST:
                self.too_short += 1
            else:
                by_text.setdefault(text, (query, []))[1].append((dialogue, turn))
        self.wanted = tuple(self._wanted(text, query, turns) for text, (query, turns) in by_text.items())
        self.longest = max(len(wanted.text) for wanted in self.wanted)
        self.blocks: dict[bytes, list[tuple[int, int]]] = {}
        """Per block, the texts that hold it and where."""
        common = Counter(block for wanted in self.wanted for block in {*_blocks(wanted.text)})
        for number, wanted in enumerate(self.wanted):
            blocks = _blocks(wanted.text)
            rarest = _rarest(blocks, common)
            for offset, block in enumerate(blocks):
                if rarest <= offset < rarest + STRIDE or common[block] <= _ORDINARY:
                    self.blocks.setdefault(block, []).append((number, offset))

    def _wanted(self, text: bytes, query: bytes, turns: list[tuple[int, int]]) -> Wanted:
        starts, ends, at = [], [], 0
        for word in query.split():
            length = len(self.squeeze(word))
            if length:
                starts.append(at)
                at += length
                ends.append(at)
        return Wanted(text, tuple(turns), tuple(starts), tuple(ends))


def _form(queries: Iterable[bytes]) -> Callable[[bytes], bytes]:
    """The fast form, unless it would leave too little of some query: one in another script than Latin."""
    pairs = ((len(normalize_ascii(query)), len(normalize_for_search(query))) for query in queries)
    return normalize_ascii if all(kept >= _KEPT * whole for kept, whole in pairs) else normalize_for_search


def _blocks(text: bytes) -> list[bytes]:
    return [text[at : at + BLOCK] for at in range(len(text) - BLOCK + 1)]


def _rarest(blocks: list[bytes], common: Counter[bytes]) -> int:
    """Where the stretch of `STRIDE` blocks begins that the fewest other texts share."""
    sums = [sum(common[block] for block in blocks[:STRIDE])]
    for at in range(STRIDE, len(blocks)):
        sums.append(sums[-1] + common[blocks[at]] - common[blocks[at - STRIDE]])
    return sums.index(min(sums))


_PIECE = 4096
"""Bytes of raw text among which a place is looked for letter by letter."""
_AT_ONCE = Struct(f"{BLOCK}s{STRIDE - BLOCK}x" * 64)
"""Probes that are looked up together: nearly always none of them hits."""
_ALIGNED = 100_000
"""Alignments that are remembered before the oldest are let go."""


@dataclass(frozen=True, slots=True)
class MatchedRun:
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

    def __init__(self, index: QueryIndex, least_words: int, found: Callable[[MatchedRun], None]) -> None:
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
            self._found(MatchedRun(number, start, end, partial(segment.place, begin)))


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
