"""Search a text stream for the queries of an index, holding only a few blocks in memory.

Only letters and digits are compared, so that line breaks, quotation marks, Markdown, case and JSON escapes do not hide
a query. There are two normal forms: `normalize_ascii` drops everything beyond ASCII, runs at the speed of
`bytes.translate` and is enough for English; `normalize_for_search` keeps the letters of every script.

The index knows each query by its blocks at every offset, while the stream is probed at multiples of `STRIDE` only, so
that `STRIDE` letters of text cost one look-up. At least one probe hits any common stretch of `SHORTEST` letters.
"""

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

BLOCK = 12
STRIDE = 12
SHORTEST = STRIDE + BLOCK - 1
"""Minimum letters and digits of a query to be found at any position."""
_ASCII_SHARE = 0.8
"""The fast form is used if this share of every query's letters and digits is ASCII."""
_COMMON_FROM = 3
"""A block in more queries than this is a common phrase and shows no overlap on its own."""
_PIECE = 4096
"""Bytes of raw text within which a place is located letter by letter."""
_PROBES = Struct(f"{BLOCK}s{STRIDE - BLOCK}x" * 64)
"""Probes looked up together, since hits are rare."""
_MOST_ALIGNMENTS = 100_000
"""Maximum number of remembered alignments."""

_LOWER = bytes(code + 32 if 65 <= code <= 90 else code for code in range(256))
_DROPPED = bytes(code for code in range(128) if not chr(code).isalnum())
_ALL_BUT_ASCII = _DROPPED + bytes(range(128, 256))
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_COMMON_ESCAPES = (b"\\n", b'\\"', b"\\t", b"\\r")
_ESCAPES = re.compile(rb"\\(?:u[0-9a-fA-F]{4}(?:\\u[0-9a-fA-F]{4})*|\S)")
"""Starts with a literal, which makes the search fast."""


def normalize_for_search(raw: bytes) -> bytes:
    """The letters and digits of UTF-8 text in lower case, without accents; JSON escapes are resolved.

    Args:
        raw: Text; can be normalized in pieces cut at white space.
    """
    raw = _without_common_escapes(raw)
    if b"\\" in raw:
        raw = _ESCAPES.sub(_unescaped, raw)
    kept = raw.translate(_LOWER, _DROPPED)
    return kept if kept.isascii() else _BEYOND_ASCII.sub(lambda run: _letters(run.group()), kept)


def normalize_ascii(raw: bytes) -> bytes:
    """The ASCII letters and digits in lower case; JSON escapes are dropped."""
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


@lru_cache(maxsize=8192)
def _letters(run: bytes) -> bytes:
    text = normalize("NFKD", run.decode("utf-8", "ignore")).lower()
    return "".join(filter(str.isalnum, text)).encode("utf-8")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A text to search for, and the turns it comes from."""

    text: bytes
    """Normalized."""
    turns: tuple[tuple[int, int], ...]
    """(dialogue, turn); empty for the canary."""
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    """Where words start and end in `text`."""

    def words(self, start: int, end: int) -> int:
        """The number of whole words in a range of the text."""
        return max(0, bisect_right(self.ends, end) - bisect_left(self.starts, start))


class QueryIndex:
    """All texts to search for.

    Args:
        queries: (dialogue, turn, query).
        canary: Another text to search for.
    """

    def __init__(self, queries: Iterable[tuple[int, int, str]], canary: str) -> None:
        encoded = [(dialogue, turn, query.encode("utf-8", "ignore")) for dialogue, turn, query in queries]
        self.normalize = _normal_form(query for _, _, query in encoded)
        """The form in which texts are compared."""
        self.turns, self.too_short = len(encoded), 0
        by_text: dict[bytes, tuple[bytes, list[tuple[int, int]]]] = {
            self.normalize(canary.encode()): (canary.encode(), [])
        }
        for dialogue, turn, query in encoded:
            text = self.normalize(query)
            if len(text) < SHORTEST:
                self.too_short += 1
            else:
                by_text.setdefault(text, (query, []))[1].append((dialogue, turn))
        self.wanted = tuple(self._wanted(text, query, turns) for text, (query, turns) in by_text.items())
        self.longest = max(len(wanted.text) for wanted in self.wanted)
        self.blocks: dict[bytes, list[tuple[int, int]]] = {}
        """For each block, the numbers of the texts that contain it, and its offsets."""
        common = Counter(block for wanted in self.wanted for block in {*_blocks(wanted.text)})
        for number, wanted in enumerate(self.wanted):
            blocks = _blocks(wanted.text)
            rarest = _rarest(blocks, common)
            for offset, block in enumerate(blocks):
                if rarest <= offset < rarest + STRIDE or common[block] <= _COMMON_FROM:
                    self.blocks.setdefault(block, []).append((number, offset))

    def _wanted(self, text: bytes, query: bytes, turns: list[tuple[int, int]]) -> Wanted:
        starts, ends, position = [], [], 0
        for word in query.split():
            length = len(self.normalize(word))
            if length:
                starts.append(position)
                position += length
                ends.append(position)
        return Wanted(text, tuple(turns), tuple(starts), tuple(ends))


def _normal_form(queries: Iterable[bytes]) -> Callable[[bytes], bytes]:
    """The fast form, unless it drops too much of some query, for example of one in Cyrillic."""
    lengths = ((len(normalize_ascii(query)), len(normalize_for_search(query))) for query in queries)
    is_ascii = all(ascii_length >= _ASCII_SHARE * length for ascii_length, length in lengths)
    return normalize_ascii if is_ascii else normalize_for_search


def _blocks(text: bytes) -> list[bytes]:
    return [text[at : at + BLOCK] for at in range(len(text) - BLOCK + 1)]


def _rarest(blocks: list[bytes], common: Counter[bytes]) -> int:
    """The offset of the `STRIDE` consecutive blocks that the fewest other texts share."""
    sums = [sum(common[block] for block in blocks[:STRIDE])]
    for at in range(STRIDE, len(blocks)):
        sums.append(sums[-1] + common[blocks[at]] - common[blocks[at - STRIDE]])
    return sums.index(min(sums))


@dataclass(frozen=True, slots=True)
class MatchedRun:
    """A part of a wanted text found in the stream."""

    wanted: int
    start: int
    end: int
    """In the normalized text."""
    place: Callable[[], tuple[int, int]]
    """Computes line (from 1) and byte (from 0); slow, and valid only until the next block."""


class _Segment:
    """A block of raw text, and where it starts in the normalized stream."""

    def __init__(self, index: QueryIndex, begin: int, raw: bytes, offset: int, line: int) -> None:
        self.begin = begin
        self._normalize = index.normalize
        self._raw = raw
        self._offset = offset
        self._line = line
        self._pieces: list[tuple[int, int, int]] = []

    def place(self, at: int) -> tuple[int, int]:
        """Line and byte of a letter of the normalized stream."""
        if not self._pieces:
            self._pieces = list(self._cut())
        number = bisect_right(self._pieces, at - self.begin, key=lambda piece: piece[0]) - 1
        before, start, line = self._pieces[max(0, number)]
        low, high = start, min(len(self._raw), start + 2 * _PIECE)
        while low < high:  # find the first byte up to which the normalized text includes the letter
            middle = (low + high) // 2
            if before + len(self._normalize(self._raw[start : middle + 1])) > at - self.begin:
                high = middle
            else:
                low = middle + 1
        return line + self._raw.count(b"\n", start, low), self._offset + low

    def _cut(self) -> Iterator[tuple[int, int, int]]:
        """(letters before, byte, line) of each piece; pieces end at white space."""
        letters, start, line = 0, 0, self._line
        while start < len(self._raw):
            yield letters, start, line
            end = cut_before(self._raw, start, min(len(self._raw), start + _PIECE))
            letters += len(self._normalize(self._raw[start:end]))
            line += self._raw.count(b"\n", start, end)
            start = end


def cut_before(raw: bytes, start: int, end: int) -> int:
    """Where text can be cut at or before `end`: after white space, or else after a complete UTF-8 character."""
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
    """Searches one stream, fed block by block.

    Args:
        index: The texts to search for.
        least_words: How many consecutive words of a query are a match, even if the rest is missing.
        found: Called with every match.
    """

    def __init__(self, index: QueryIndex, least_words: int, found: Callable[[MatchedRun], None]) -> None:
        self._index = index
        self._least_words = least_words
        self._found = found
        self._text = b""
        """Normalized, from `_base` on."""
        self._base = 0
        self._next = 0
        """The position of the next probe in the normalized stream."""
        self._segments: deque[_Segment] = deque()
        self._offset, self._line = 0, 1
        self._aligned: dict[tuple[int, int], int] = {}
        """How far each wanted text was compared, by its number and start position."""

    def feed(self, raw: bytes) -> None:
        """Search the next block of raw text, which must end where `cut_before` allows."""
        self._segments.append(_Segment(self._index, self._base + len(self._text), raw, self._offset, self._line))
        self._offset += len(raw)
        self._line += raw.count(b"\n")
        self._text += self._index.normalize(raw)
        self._probe(len(self._text) - self._index.longest)
        keep = max(0, self._next - self._base - self._index.longest)
        self._text, self._base = self._text[keep:], self._base + keep
        while len(self._segments) > 1 and self._segments[1].begin <= self._base:
            self._segments.popleft()

    def end(self) -> None:
        """Search the rest of the stream."""
        self._probe(len(self._text) - BLOCK + 1)

    def _probe(self, stop: int) -> None:
        text, blocks, start = self._text, self._index.blocks, self._next - self._base
        if stop <= start:
            return
        self._next += -(-(stop - start) // STRIDE) * STRIDE
        while start < stop:
            end = start + _PROBES.size
            if end <= stop:
                no_hit = blocks.keys().isdisjoint(_PROBES.unpack_from(text, start))
                hits: Iterable[int] = () if no_hit else range(start, end, STRIDE)
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
        before, after = wanted.text[:offset], wanted.text[offset:]
        left = _common_prefix(before[::-1], self._text[max(0, at - offset) : at][::-1])
        right = _common_prefix(after, self._text[at : at + len(after)])
        if len(self._aligned) > _MOST_ALIGNMENTS:
            self._aligned.clear()
        self._aligned[key] = self._base + at + right
        start, end = offset - left, offset + right
        whole = end - start == len(wanted.text)
        if whole or (wanted.turns and wanted.words(start, end) >= self._least_words):
            begin = self._base + at - left
            segment = next(s for s in reversed(self._segments) if s.begin <= begin or s is self._segments[0])
            self._found(MatchedRun(number, start, end, partial(segment.place, begin)))


def _common_prefix(one: bytes, other: bytes) -> int:
    """The number of equal bytes at the start."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
