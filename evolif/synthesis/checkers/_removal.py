"""Whether a query says that a constraint is lifted, and which."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from evolif.domain import Finding
from evolif.synthesis.checkers._claims import Change, Claim, Says, missing
from evolif.synthesis.checkers._cues import cue_pattern
from evolif.synthesis.checkers._roles import lifted, lifted_after
from evolif.synthesis.checkers._shadow import Query
from evolif.synthesis.checkers._stance import stance_of

KEPT = re.compile(
    r"(?<!\w)(?:keep(?:ing)?|retain|maintain|preserve|hold\s+on\s+to|hang\s+on\s+to|stick\s+(?:to|with)|stays?|remains?|still|as\s+(?:it\s+is|they\s+are|is|before))(?!\w)"
)


_WITHOUT = re.compile(
    r"(?<!\w)(?:can|may|could|might|fine|okay?|will\s+do|works?|manage|only|just)(?![\w'])[^.!?;,]{0,30}?\bwithout\b[^.!?;,]{0,80}"
)
_SO = re.compile(r"^\s*(?:but|so|and)(?!\w)")


def removed(
    query: Query,
    change: Change,
    nouns: re.Pattern[str],
    claims: Sequence[Claim],
    free: re.Pattern[str] | None = None,
    says: Says | None = None,
) -> list[Finding]:
    """Findings on a removal.

    Args:
        query: The query.
        change: A removal.
        nouns: What the constraint may be called by.
        claims: What the query says about the group: values named in it.
        free: Ways to say that the thing is now free, which need no further cue.
        says: Tells the lifted value from another.
    """
    assert change.before is not None  # a removal
    asked = [c for c in claims if c.role == "new" and not _in_zone(query, c.start, c.end)]
    if says is not None:
        asked = [c for c in asked if not says(c.value, change.before)]
    asked = [c for c in asked if stance_of(query, c.start, c.end) != "lift"]
    spans = [(m.start(), m.end()) for m in nouns.finditer(query.shadow)]
    spans += [(c.start, c.end) for c in claims]
    if any(is_lifted(query, start, end) for start, end in spans) or (free is not None and _is_free(query, free)):
        if asked and not spans_lifted(query, ((c.start, c.end) for c in asked)):
            return [
                missing(change, "it asks for something new where it should only lift the constraint", *_places(asked))
            ]
        return []
    kept = [span for span in spans if KEPT.search(query.shadow, *query.segment(span[0]))]
    if kept:
        return [missing(change, f"it keeps the constraint “{change.group}”, which should be lifted", *kept)]
    return [missing(change, f"it does not say that the constraint “{change.group}” is lifted")]


def _is_free(query: Query, free: re.Pattern[str]) -> bool:
    """Whether the thing is set free: `as long as you like`, and not `it's not fine to …`."""
    return any(
        not re.search(r"(?:\bnot|n't|\bnever)\s+(?:\w+\s+)?$", query.shadow[max(0, m.start() - 24) : m.start()])
        for m in free.finditer(query.shadow)
    )


def is_lifted(query: Query, start: int, end: int) -> bool:
    """Whether what stands at `[start, end)` is said to be given up."""
    if _in_zone(query, start, end):
        return True
    low, high = query.segment(start)
    if KEPT.search(query.shadow, low, high):
        return False
    if lifted_after(query.shadow[end:high]):
        return True
    # A clause in brackets or between commas may part the thing from what is said of it.
    last = query.sentence(start)[1]
    parted = query.shadow.find(";", end, last)
    if _by_pronoun(query.shadow[last : last + 120]) or (parted >= 0 and _by_pronoun(query.shadow[parted + 1 : last])):
        return True
    rest = re.split(r"[;:]", query.shadow[end:last])[0]
    return high < last and (lifted_after(rest[:60]) or lifted_after(_SO.sub("", rest[high - end :])))


_PLEASE = re.compile(r"\s*(?:(?:please|just|so|let's|you\s+can|well|then|kindly)[\s,]+)*")
_IT = re.compile(
    r"\s+(?:all\s+of\s+)?(?:it|that|them|those|this)(?!\s+\w+(?:\s+\w+)?\s+(?:rule|requirement|limit))(?!\w)"
)
_SUBJECT = re.compile(r"\s*(?:it|they|that|those|this|these)(?!\w)")
_TOSS = re.compile(
    r"\s*(?:toss|throw|chuck|kick|fling|cast|take|leave)\s+(?:it|that|them|those|this)\s+(?:overboard|out|away|aside|off|behind)"
)


def _by_pronoun(following: str) -> bool:
    """Whether the next sentence lifts what this one names: `… the eleven bullets? Scrap them.`"""
    at = (opened := _PLEASE.match(following)) and opened.end() or 0
    cue = cue_pattern("lift").match(following, at)
    if (cue is not None and _IT.match(following, cue.end())) or _TOSS.match(following, at):
        return True
    subject = _SUBJECT.match(following)
    return subject is not None and lifted_after(re.split(r"[.!?;]", following[subject.end() :])[0])


def spans_lifted(query: Query, spans: Iterable[tuple[int, int]]) -> bool:
    """Whether all of them are."""
    return all(is_lifted(query, *span) for span in spans)


def _in_zone(query: Query, start: int, end: int) -> bool:
    zones = [*lifted(query.shadow, True), *(m.span() for m in _WITHOUT.finditer(query.shadow))]
    return any(low < end and start < high for low, high in zones)


def _places(claims: Sequence[Claim]) -> list[tuple[int, int]]:
    return [(c.start, c.end) for c in claims]
