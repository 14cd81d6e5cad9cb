"""What a query says of the turn's own group, compared with what it should say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evolif.scenarios.instructions.queries.change import QueryChange
from evolif.scenarios.instructions.queries.polarity import Role, lifted, lifted_after, stance_of
from evolif.scenarios.instructions.queries.reading import Query
from evolif.scenarios.instructions.queries.vocabulary import cues
from evolif.scenarios.instructions.turns import Finding, FindingKind, Params


@dataclass(frozen=True, slots=True)
class Said:
    """Something that the query says about the group."""

    value: Any
    """Comparable with parameters by the `Says` of the group's reader."""
    start: int
    end: int
    role: Role
    resolved: bool = False
    """Whether only the turn tells that it is said of the group: `make it ten`."""

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands."""
        return self.start, self.end


Says = Callable[[Any, Params], bool]
"""Whether a claim's value says what parameters demand."""


def compare(query: Query, change: QueryChange, claims: Sequence[Said], says: Says, demand: str) -> list[Finding]:
    """Findings on a new or changed value.

    Args:
        query: The query.
        change: An add or a modification.
        claims: What the query says about the group, in order.
        says: Compares a claim with parameters.
        demand: What the query should ask for, in words.
    """
    after, before = change.params, change.before
    fits = [c for c in claims if says(c.value, after)]
    former = [c for c in claims if before is not None and says(c.value, before)]
    wrong = [c for c in claims if c.role == "new" and c not in fits and c not in former]
    wanted = _wanted(query, change, fits, former)
    if not wanted:
        return [_unsaid(query, change, fits, wrong, demand)]
    if wrong:
        message = f"beside {demand} it also asks for {_told(query, wrong[0])}"
        return [finding("extra", change, message, *_spans(wrong))]
    # An old value that comes first is the one that is replaced, unless the query says that it stays; one that
    # comes last without a word like "instead of" may be what is wanted.
    unclear = [c for c in former if c.role == "new" and (_stays(query, c) or c.start > wanted[-1].start)]
    if unclear:
        message = f"it asks for {demand} and still for {_told(query, unclear[0])}"
        return [finding("reversed", change, message, *_spans(unclear))]
    return []


def _wanted(query: Query, change: QueryChange, fits: Sequence[Said], former: Sequence[Said]) -> list[Said]:
    """The claims that ask for the new value."""
    fits = [c for c in fits if not is_taken_back(query, c.end)]
    wanted = [c for c in fits if c.role == "new"]
    if not wanted and change.kind == "add":  # "if the last word were …"
        wanted = [c for c in fits if c.role == "was"]
    return wanted or _in_turn(query, fits, former)


def is_taken_back(query: Query, end: int) -> bool:
    """Whether what is only named is given up by the next words: `the happy tone? Forget it`.

    Args:
        query: The query.
        end: Where the thing ends.
    """
    return (
        cues().framed("removal", "taken_back", left=_TAKEN_BACK, right=r"\W{0,3}$").match(query.shadow, end) is not None
    )


_TAKEN_BACK = (
    r"[\"'”’)]{0,2}( [\w-]{1,20}){0,4}( )?[?:.,!–—-]{1,2}( )?"
    r"((no|nah|nope|ok|okay|well|just|please|so),? ){0,2}"
)


def _in_turn(query: Query, fits: Sequence[Said], former: Sequence[Said]) -> list[Said]:
    """The new value where nothing parts it from the old one: `in place of four paragraphs a text of 250 words`."""
    segment = query.segment_number
    old = [(f.end, segment(f.start)) for f in former if f.role == "old"]
    return [c for c in fits if c.role == "old" and any(end <= c.start and at == segment(c.start) for end, at in old)]


def _unsaid(query: Query, change: QueryChange, fits: Sequence[Said], wrong: Sequence[Said], demand: str) -> Finding:
    if wrong:
        return finding("wrong", change, f"it asks for {_told(query, wrong[0])}, not for {demand}", *_spans(wrong))
    backwards = [c for c in fits if c.role != "new"]
    if backwards:
        message = f"it gives up {_told(query, backwards[0])}, which is what it should ask for"
        return finding("reversed", change, message, *_spans(backwards))
    return finding("missing", change, f"it does not ask for {demand}")


def _stays(query: Query, claim: Said) -> bool:
    low, _ = query.segment(claim.start)
    return cues().anywhere("removal", "stays").search(query.shadow, low, claim.start) is not None


def _told(query: Query, claim: Said) -> str:
    return f"“{query.text[claim.start : claim.end]}”"


def _spans(claims: Sequence[Said]) -> list[tuple[int, int]]:
    return [c.span for c in claims]


def finding(kind: FindingKind, change: QueryChange, message: str, *spans: tuple[int, int]) -> Finding:
    """A finding of the change's group."""
    return Finding(change.group, message, spans, kind)


def misnamed(change: QueryChange, claims: Sequence[Said], same: Says) -> list[Finding]:
    """Findings on an old value that is named wrongly: `not 97 bullets but 7` where nine were asked for.

    Args:
        change: The change of the turn; only a modification has an old value beside the new.
        claims: What the query says about the group.
        same: Whether a claim's value is that of the parameters, its relation aside.
    """
    before, after = change.before, change.after
    if change.kind != "modify" or before is None or after is None:
        return []
    wrong = [c for c in claims if c.role == "old" and not same(c.value, before) and not same(c.value, after)]
    return (
        [finding("wrong", change, "it names another old value than the one in force", wrong[0].span)] if wrong else []
    )


# Whether a query says that a constraint is lifted, and which.

_NEXT = 120
"""Characters of the next sentence in which a pronoun may lift what this one names."""
_AFTER_BRACKET = 60
_CLAUSES = re.compile(r"[;:](?!\d)")
_JOINED = re.compile(r",?\s(?:but|so|and)\s")
_QUOTES = " \"'”’`)"
_SENTENCE_MARKS = re.compile(r"[.!?;]")


def removed(
    query: Query,
    change: QueryChange,
    nouns: re.Pattern[str],
    claims: Sequence[Said] = (),
    free: re.Pattern[str] | None = None,
    says: Says | None = None,
    demand: str = "",
) -> list[Finding]:
    """Findings on a removal.

    Args:
        query: The query.
        change: A removal.
        nouns: What the constraint may be called by.
        claims: What the query says about the group: values named in it.
        free: Ways to say that the thing is now free, which need no further cue.
        says: Tells the lifted value from another.
        demand: The lifted value in words; where given, lifting only another value is a finding.
    """
    spans = _named(query, nouns, free) + [c.span for c in claims]
    if not any(is_lifted(query, *span) for span in spans) and not (free and _is_free(query, free)):
        fits = [says is None or says(c.value, change.params) for c in claims]
        other = bool(fits) and not any(fits)
        return [] if not other and is_released(query, spans) else [_not_lifted(query, change, spans)]
    asked = [c for c in claims if c.role == "new" and not _in_zone(query, *c.span)]
    asked = [c for c in asked if not (free and _is_among(c, free, query))]
    asked = [c for c in asked if not (says and says(c.value, change.params)) and stance_of(query, *c.span) != "lift"]
    if not all(is_lifted(query, *c.span) for c in asked):
        message = "it asks for something new where it should only lift the constraint"
        return [finding("extra", change, message, *(c.span for c in asked))]
    lifts = [c for c in claims if is_lifted(query, *c.span)]
    if demand and says and lifts and not any(says(c.value, change.params) for c in lifts):
        told = query.text[slice(*lifts[0].span)]
        return [finding("wrong", change, f"it lifts “{told}”, not {demand}", lifts[0].span)]
    return []


def _is_among(said: Said, free: re.Pattern[str], query: Query) -> bool:
    """Whether a value is only named as what is allowed now: `capitals where you like`."""
    return any(m.start() <= said.start and said.end <= m.end() for m in free.finditer(query.shadow))


def _named(query: Query, nouns: re.Pattern[str], free: re.Pattern[str] | None) -> list[tuple[int, int]]:
    """Where the constraint is named; `normal capitalisation` names its absence."""
    other = [m.span() for m in free.finditer(query.shadow)] if free else []
    spans = [m.span() for m in nouns.finditer(query.shadow)]
    return [span for span in spans if not any(low <= span[0] and span[1] <= high for low, high in other)]


def is_released(query: Query, spans: Iterable[tuple[int, int]]) -> bool:
    """Whether the query lets go of what it names in the same sentence or the next: `the X thing? nah, skip it`.

    Args:
        query: The query.
        spans: Where the constraint is named.
    """
    insists = cues().anywhere("removal", "insists")
    denied, but = cues().before("removal", "not_free"), cues().anywhere("removal", "but")
    named = list(spans)
    for cue in cues().anywhere("removal", "release").finditer(query.shadow):
        if denied.search(query.shadow, max(0, cue.start() - 24), cue.start()):
            continue
        if insists.search(query.shadow, *query.sentence(cue.start())):
            continue
        at = query.sentence_number(cue.start())
        for start, _ in named:
            if insists.search(query.shadow, *query.sentence(start)):
                continue
            near = at - query.sentence_number(start)
            if near == 1 or (near == 0 and not but.search(query.shadow, cue.end(), max(start, cue.end()))):
                return True
    return False


def _not_lifted(query: Query, change: QueryChange, spans: Sequence[tuple[int, int]]) -> Finding:
    kept = [span for span in spans if is_kept(query, span[0])]
    if kept:
        return finding("reversed", change, f"it keeps the constraint “{change.group}”, which should be lifted", *kept)
    return finding("missing", change, f"it does not say that the constraint “{change.group}” is lifted")


def _is_free(query: Query, free: re.Pattern[str]) -> bool:
    """Whether the thing is set free: `as long as you like`, and not `it's not fine to …`."""
    not_free = cues().before("removal", "not_free")
    return any(
        not not_free.search(query.shadow, max(0, m.start() - 24), m.start())
        and not lifted_after(query.shadow[m.end() : query.segment(m.end())[1]])
        for m in free.finditer(query.shadow)
    )


def is_kept(query: Query, at: int) -> bool:
    """Whether the segment round a place says that something stays."""
    return cues().anywhere("removal", "kept").search(query.shadow, *query.segment(at)) is not None


def is_lifted(query: Query, start: int, end: int) -> bool:
    """Whether what stands at `[start, end)` is said to be given up."""
    if _in_zone(query, start, end):
        return True
    _, high = query.segment(max(start, end - 1))
    if is_kept(query, start):
        return False
    if lifted_after(query.shadow[end:high]):
        return True
    last = query.sentence(start)[1]
    clause, *later = _CLAUSES.split(query.shadow[end:last])
    joined = _JOINED.split(clause, maxsplit=1)[1:]  # "… occurs once, but we can do without it"
    if any(_by_pronoun(text) for text in (query.shadow[last : last + _NEXT], *later[:1], *joined)):
        return True
    if later and not clause.strip(_QUOTES):  # a label: "Bullet count: not restricted any more"
        return lifted_after(later[0].partition(",")[0])
    if high >= last:
        return False
    # A clause in brackets or between commas may part the thing from what is said of it.
    following = clause[high - end :]
    linked = cues().after("removal", "goes_on").match(following)
    return lifted_after(clause[:_AFTER_BRACKET]) or lifted_after(following[linked.end() :] if linked else following)


def _by_pronoun(following: str) -> bool:
    """Whether the next sentence lifts what this one names: `… the eleven bullets? Scrap them`."""
    polite = cues().framed("removal", "please", left=r"\s{0,4}(", right=r"[\s,]{1,4}){0,4}").match(following)
    at = polite.end() if polite else 0
    cue = cues().anywhere("lift").match(following, at)
    if cue is not None and cues().after("removal", "pronoun").match(following, cue.end()):
        return True
    if cues().after("removal", "toss").match(following, at):
        return True
    subject = cues().after("removal", "subject").match(following)
    return subject is not None and lifted_after(_SENTENCE_MARKS.split(following[subject.end() :], maxsplit=1)[0])


def _in_zone(query: Query, start: int, end: int) -> bool:
    zones = [*lifted(query.shadow, True), *_without(query.shadow)]
    return any(low < end and start < high for low, high in zones)


@lru_cache(maxsize=256)
def _without(shadow: str) -> tuple[tuple[int, int], ...]:
    """What one can do without: `it works without the dagger`."""
    return tuple(m.span() for m in cues().anywhere("removal", "without").finditer(shadow))
