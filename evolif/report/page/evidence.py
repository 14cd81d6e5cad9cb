"""Find the evidence of verdicts in an answer as it was received, and mark it in HTML.

Spans count in the body or in the content, which the reading rules make from the answer: they cut off reasoning, unify
line ends and composition, remove invisible characters and an enclosing fence, and read markup. This module maps spans
back.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup

from evolif.text import READING_RULES_VERSION, Reading, clean, unhidden
from evolif.text.display import visible_html
from evolif.text.tokens import strip_reasoning
from evolif.types import Span, Verdict

EvidenceSpan = tuple[int, int, int]
"""(start, end, index of the verdict): a half-open range of characters."""


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """The evidence for the verdicts on one answer."""

    answer: tuple[EvidenceSpan, ...]
    """Places in the answer as received."""
    content: str = ""
    """The parsed content, if some evidence has no place in the answer."""
    in_content: tuple[EvidenceSpan, ...] = ()
    """All evidence that has a place in the content; empty if the answer shows all of it."""


def evidence(
    answer: str, fmt: str | None, verdicts: Sequence[Verdict], rules: int = READING_RULES_VERSION
) -> AnswerEvidence:
    """Find the places of the verdicts' spans.

    Args:
        answer: The answer as stored.
        fmt: The format that the turn's constraints require, which decides how the answer is read.
        verdicts: The turn's verdicts; spans outside the text (in a foreign file) are left out.
        rules: The edition of the reading rules that they were reached by.
    """
    if not any(verdict.spans for verdict in verdicts):
        return AnswerEvidence(())
    reading = Reading(answer, fmt, rules=rules)
    offsets = _Offsets.of(answer, reading)
    found: list[EvidenceSpan] = []
    lost = offsets is None
    for index, verdict in enumerate(verdicts):
        for span, twin in _with_twins(verdict.spans):
            ranges = list(_in_body(span, twin, reading))
            lost = lost or not all(ranges)
            found += [(*offsets.back(*one), index) for one in ranges if one and offsets is not None]
    if not lost:
        return AnswerEvidence(_within(found, len(answer)))
    content = reading.content_text
    spans = ((s.start, s.end, i) for i, v in enumerate(verdicts) for s in v.spans if s.view == "content")
    return AnswerEvidence(_within(found, len(answer)), content, _within(spans, len(content)))


def _with_twins(spans: Sequence[Span]) -> Iterator[tuple[Span, Span | None]]:
    """Each piece of evidence once: a content span right before a body span is the same passage."""
    at = 0
    while at < len(spans):
        span = spans[at]
        at += 1
        twin = None
        if span.view == "content" and at < len(spans) and spans[at].view == "body":
            twin = spans[at]
            at += 1
        yield span, twin


def _in_body(span: Span, twin: Span | None, reading: Reading) -> Iterator[tuple[int, int] | None]:
    """The span's ranges of the body, one per block it touches; None for what has no known place there."""
    if twin is not None or span.view == "body":
        known = twin or span
        yield known.start, known.end
        return
    starts = reading.offsets
    index = max(0, bisect_right(starts, span.start) - 1)
    while index < len(starts) and starts[index] < span.end:
        block, at = reading.blocks[index], starts[index]
        index += 1
        start, end = max(span.start - at, 0), min(span.end - at, len(block.text))
        if start >= end:
            continue
        first, last = block.to_body(start), block.to_body(end, end=True)
        yield None if first is None or last is None else (first, last)


def _within(places: Iterable[EvidenceSpan], length: int) -> tuple[EvidenceSpan, ...]:
    inside = {place for place in places if 0 <= place[0] < place[1] <= length}
    return tuple(sorted(inside))


@dataclass(frozen=True, slots=True)
class _Offsets:
    """Maps body offsets back to the answer; `starts` is empty if they are only shifted."""

    shift: int
    starts: Sequence[int] = ()
    ends: Sequence[int] = ()

    @classmethod
    def of(cls, answer: str, reading: Reading) -> _Offsets | None:
        """None if the answer cannot be split into the pieces that were normalised."""
        part = strip_reasoning(answer)[0]
        cut = len(answer) - len(part)  # the rest is always the answer's end
        cleaned = clean(part)
        # The body begins where the text does, or after the opening line of its fence and white space.
        inside = 0
        if reading.body != reading.text:
            inside = reading.text.find(reading.body, reading.text.find("\n") + 1)
        lead = len(cleaned) - len(cleaned.lstrip()) + inside
        if cleaned == part:
            return cls(cut + lead)
        starts, ends, made = _clusters(part)
        return cls(lead, [cut + s for s in starts], [cut + e for e in ends]) if made == cleaned else None

    def back(self, start: int, end: int) -> tuple[int, int]:
        """A range of the body as a range of the answer; empty if it is out of range."""
        start, end = start + self.shift, end + self.shift
        if not self.starts:
            return start, end
        if not 0 <= start < end <= len(self.starts):
            return 0, 0
        return self.starts[start], self.ends[end - 1]


def _clusters(text: str) -> tuple[list[int], list[int], str]:
    """Where each character of the cleaned text starts and ends in `text`, and the text cleaned piece by piece.

    Composition never crosses grapheme cluster boundaries except in crafted texts; the caller compares.
    """
    import regex

    starts: list[int] = []
    ends: list[int] = []
    made: list[str] = []
    for match in regex.finditer(r"\X", text):
        cluster, at = match.group(), match.start()
        piece = clean(cluster)
        made.append(piece)
        exact = len(piece) == len(cluster)
        for i in range(len(piece)):
            starts.append(at + i if exact else at)
            ends.append(at + i + 1 if exact else match.end())
    return starts, ends, "".join(made)


def visible(text: str) -> Markup:
    """The text as HTML: markup escaped, and each character that hides or acts shown as a small mark with its number."""
    return Markup(visible_html(text))


_SLASH = re.compile(r"(?<!<)/")


def breakable(shown: Markup) -> Markup:
    """What `visible` gives, which may go on in another line after each slash, such as that of a model's name."""
    return Markup(_SLASH.sub("/<wbr>", shown))


@lru_cache(maxsize=8192)
def label(text: str) -> Markup:
    """`visible` with a cache, for texts that recur: names of groups, expected and found values."""
    return visible(text)


def one_line(text: str, limit: int = 0) -> str:
    """The text as `unhidden` has it, on one line, and cut where a limit is given."""
    safe = unhidden(" ".join(text.split()))
    return safe if not limit or len(safe) <= limit else f"{safe[: limit - 1]}…"


def marked(text: str, places: Sequence[EvidenceSpan], failed: frozenset[int]) -> Markup:
    """The text as HTML with a `<mark>` around each stretch that is evidence of the same verdicts.

    Args:
        text: Foreign text.
        places: Ranges within the text, with the index of the verdict each belongs to; they may overlap.
        failed: The verdicts that were not satisfied: their marks look different.
    """
    if not places:
        return visible(text)
    changes: dict[int, tuple[list[int], list[int]]] = {}
    for start, end, index in places:
        changes.setdefault(start, ([], []))[0].append(index)
        changes.setdefault(end, ([], []))[1].append(index)
    open_: dict[int, int] = {}
    pieces: list[str] = []
    at = 0
    for bound in sorted(changes):
        pieces.append(_stretch(text[at:bound], open_, failed))
        begun, ended = changes[bound]
        for index in begun:
            open_[index] = open_.get(index, 0) + 1
        for index in ended:
            open_[index] -= 1
            if not open_[index]:
                del open_[index]
        at = bound
    pieces.append(visible_html(text[at:]))
    return Markup("".join(pieces))


def _stretch(text: str, verdicts: dict[int, int], failed: frozenset[int]) -> str:
    shown = visible_html(text)
    if not verdicts or not text:
        return shown
    numbers = sorted(verdicts)
    look = ' class="bad"' if any(index in failed for index in numbers) else ""
    return f'<mark{look} data-v="{" ".join(map(str, numbers))}">{shown}</mark>'
