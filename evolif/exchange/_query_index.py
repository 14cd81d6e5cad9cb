"""Which queries a piece of squeezed text may come from: blocks of them, looked up at every n-th place of a corpus.

A corpus is probed only at multiples of `STRIDE`, a query is known by blocks at all its offsets: whatever both share
over `SHORTEST` letters is met by one probe at least. A probe costs one look-up for `STRIDE` letters of text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from evolif.exchange._squeeze import squeeze, squeeze_ascii

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
    pairs = ((len(squeeze_ascii(query)), len(squeeze(query))) for query in queries)
    return squeeze_ascii if all(kept >= _KEPT * whole for kept, whole in pairs) else squeeze


def _blocks(text: bytes) -> list[bytes]:
    return [text[at : at + BLOCK] for at in range(len(text) - BLOCK + 1)]


def _rarest(blocks: list[bytes], common: Counter[bytes]) -> int:
    """Where the stretch of `STRIDE` blocks begins that the fewest other texts share."""
    sums = [sum(common[block] for block in blocks[:STRIDE])]
    for at in range(STRIDE, len(blocks)):
        sums.append(sums[-1] + common[blocks[at]] - common[blocks[at - STRIDE]])
    return sums.index(min(sums))
