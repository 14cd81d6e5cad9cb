"""Labels: short texts that open a line and are set off from what follows, such as `Summary:` or `[Summary]`.

A line is one of the rendered answer, outside code and tables. Marks of quotes, headings, lists and bold type, emoji and
one pair of brackets may stand before a label; a colon, a dash, a bracket, a full stop behind a number or the line's end
behind it. Inside brackets, it needs none of these.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

import regex

from evolif.text.blocks import Block, Range
from evolif.text.emoji import EMOJI_SHAPE
from evolif.text.tokens import fold, fold_offsets

_READ = frozenset({"heading", "paragraph", "item"})
_SKIPPED = regex.compile(
    r"[>\s\\]++|#{1,6}+(?=\s)|[-+*•▪◦‣·](?=\s)|[0-9]{1,9}[.)](?=\s)|\[[ x]\](?=\s)|[*_~]++|" + EMOJI_SHAPE
)
_IN_BRACKETS = re.compile(r"[*_\s]*")
_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "'": "'"}
_BRACKETS = {
    "<": ">",
    "《": "》",
    "〈": "〉",
    "(": ")",
    "[": "]",
    "{": "}",
    "【": "】",
    "（": "）",
    "［": "］",
    "〔": "〕",
    "「": "」",
    "『": "』",
}
_FOLLOWS = re.compile(r"[*_]*+(?:\s*+(?:[:：—–―(（]|#*+\s*+\\?\Z)|\s++-)")
_STOP = re.compile(r"[*_]*+\.(?![0-9])")
_WORD_NUMBER = re.compile(r"([^\W\d_]++(?:['-][^\W\d_]++)*+) #?([0-9]{1,3})(?![0-9])")

Matcher = Callable[[str, int], Iterator[tuple[str, int]]]
"""What labels stand at an offset of a folded line: their names, and where they end; the longest first."""


@dataclass(frozen=True, slots=True)
class LabelLine:
    """A line that opens with a label; offsets are in the block's text."""

    name: str
    block: int
    line: int
    """Where the line begins."""
    start: int
    end: int
    """Where the label ends, signs behind it not included."""


def text_lines(blocks: Sequence[Block]) -> Iterator[tuple[int, int, int]]:
    """The lines of running text and headings as (block, start, end), without code and tables."""
    for index, block in enumerate(blocks):
        if block.kind not in _READ:
            continue
        at = 0
        for line in block.text.split("\n"):
            yield index, at, at + len(line)
            at += len(line) + 1


def bold_passage(block: Block, start: int, end: int) -> Range | None:
    """The last bold passage that begins before the end of a range and reaches into it; None without one."""
    at = bisect_left(block.bold, end, key=itemgetter(0)) - 1
    return block.bold[at] if at >= 0 and block.bold[at][1] > start else None


def is_bold(block: Block, start: int, end: int) -> bool:
    """Whether all letters and digits of a range are in one bold passage, which holds no others."""
    passage = bold_passage(block, start, end)
    if passage is None:
        return False
    return not (_wordy(block.text, start, passage[0]) or _wordy(block.text, end, passage[1]))


def _wordy(text: str, one: int, other: int) -> bool:
    """Whether a letter or digit stands between two places."""
    return any(map(str.isalnum, text[min(one, other) : max(one, other)]))


def label_lines(blocks: Sequence[Block], match: Matcher, left_out: Collection[int] = ()) -> list[LabelLine]:
    """The lines that open with a label, in order, without those of some blocks."""
    found = []
    for index, start, end in text_lines(blocks):
        if index in left_out:
            continue
        block = blocks[index]
        number = f"{block.number} " if block.number and not start else ""
        shift = start - len(number)
        for name, first, last, set_off in _labels_of(number + block.text[start:end], match):
            first, last = max(start, shift + first), max(start, shift + last)
            if set_off or is_bold(block, first, last):
                found.append(LabelLine(name, index, start, first, last))
                break
    return found


def _labels_of(line: str, match: Matcher) -> Iterator[tuple[str, int, int, bool]]:
    """The labels that a line may open with: name, range in the line, and whether they are set off from the rest.

    One that is not set off must be alone in bold.
    """
    folded = fold(line)
    places: Sequence[int] = range(len(line) + 1)
    if len(folded) != len(line):
        places = [*fold_offsets(line), len(line)]
        if len(places) <= len(folded):
            return  # folding composed characters, so the places are not known
    for at, closing in _starts(folded):
        for name, end in match(folded, at):
            if _is_set_off(folded, end, closing):
                yield name, places[at], places[end], True
            elif not closing:
                yield name, places[at], places[end], False


def _starts(line: str) -> Iterator[tuple[int, str]]:
    """Where a label may begin, and the bracket that must then close behind it."""
    at = 0
    while at < len(line):
        yield at, ""
        closing = _BRACKETS.get(line[at]) or _QUOTES.get(line[at])
        if closing:
            inner = _IN_BRACKETS.match(line, at + 1)
            yield inner.end() if inner else at + 1, closing
        skipped = _SKIPPED.match(line, at)
        if skipped is None:
            return
        at = skipped.end()


def _is_set_off(line: str, end: int, closing: str) -> bool:
    if closing:
        while end < len(line) and line[end] in "*_ :：":
            end += 1
        if not line.startswith(closing, end):
            return False
        return closing not in _QUOTES.values() or bool(_FOLLOWS.match(line, end + 1))
    last = line[end - 1]
    if not last.isalnum():
        return True
    return bool(_FOLLOWS.match(line, end) or (last.isdigit() and _STOP.match(line, end)))


def given_labels(labels: Sequence[str]) -> Matcher:
    """A matcher of given labels; it names them as they are given."""
    folded = sorted(((comparable(label), label) for label in labels), key=lambda pair: -len(pair[0]))
    starts = tuple(text for text, _ in folded)

    def match(line: str, at: int) -> Iterator[tuple[str, int]]:
        if line.startswith(starts, at):
            yield from ((label, at + len(text)) for text, label in folded if line.startswith(text, at))

    return match


def numbered_labels(noun: str) -> Matcher:
    """A matcher of a noun and a number from 1, such as `Version 2`; it gives the number."""
    wanted = re.compile(re.escape(comparable(noun)) + r" #?([1-9][0-9]{0,8})(?![0-9])")

    def match(line: str, at: int) -> Iterator[tuple[str, int]]:
        found = wanted.match(line, at)
        if found:
            yield found.group(1), found.end()

    return match


def comparable(label: str) -> str:
    """A label in the form in which labels are compared."""
    return fold(label).strip()


def counted_lines(blocks: Sequence[Block], listed: Collection[int] = ()) -> list[LabelLine]:
    """Two or more lines that open with the same word and a number, counting up from 1; those that begin first.

    Args:
        blocks: The blocks of an answer.
        listed: Blocks that are not looked at.
    """

    def match(line: str, at: int) -> Iterator[tuple[str, int]]:
        found = _WORD_NUMBER.match(line, at)
        if found:
            yield f"{found.group(1)} {int(found.group(2))}", found.end()

    series: dict[str, list[LabelLine]] = {}
    for line in label_lines(blocks, match, listed):
        series.setdefault(line.name.rpartition(" ")[0], []).append(line)
    for word, lines in series.items():
        if len(lines) > 1 and all(line.name == f"{word} {number}" for number, line in enumerate(lines, 1)):
            return lines
    return []
