"""Claims: what a query asks for in one group, compared with what it should ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evolif.domain import Finding, OperationKind, Params
from evolif.synthesis.checkers._cues import cues
from evolif.synthesis.checkers._roles import Role
from evolif.synthesis.checkers._shadow import Query


@dataclass(frozen=True, slots=True)
class Change:
    """The one change of a turn, and what else is in force."""

    kind: OperationKind
    group: str
    before: Params | None
    after: Params | None
    keywords: tuple[str, ...] = ()
    """The topic's."""
    others: tuple[tuple[str, Params], ...] = ()
    """The other active constraints: group and parameters."""
    told_all: bool = False
    """Whether it is known what else is in force: the turn lists its constraints, its own among them."""

    @property
    def params(self) -> Params:
        """What the query has to say: the new parameters, or those that a removal lifts."""
        params = self.before if self.kind == "remove" else self.after
        assert params is not None  # check_query refuses other operations
        return params


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that the query says about the group."""

    value: Any
    """Comparable with parameters by the `Says` of the group's reader."""
    start: int
    end: int
    role: Role

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands."""
        return self.start, self.end


Says = Callable[[Any, Params], bool]
"""Whether a claim's value says what parameters demand."""


def compare(query: Query, change: Change, claims: Sequence[Claim], says: Says, demand: str) -> list[Finding]:
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
        return [missing(change, message, *_spans(wrong))]
    # An old value that comes first is the one that is replaced, unless the query says that it stays; one that
    # comes last without a word like "instead of" may be what is wanted.
    unclear = [c for c in former if c.role == "new" and (_stays(query, c) or c.start > wanted[-1].start)]
    if unclear:
        message = f"it asks for {demand} and still for {_told(query, unclear[0])}"
        return [missing(change, message, *_spans(unclear))]
    return []


def _wanted(query: Query, change: Change, fits: Sequence[Claim], former: Sequence[Claim]) -> list[Claim]:
    """The claims that ask for the new value."""
    wanted = [c for c in fits if c.role == "new"]
    if not wanted and change.kind == "add":  # "if the last word were …"
        wanted = [c for c in fits if c.role == "was"]
    return wanted or _in_turn(query, fits, former)


def _in_turn(query: Query, fits: Sequence[Claim], former: Sequence[Claim]) -> list[Claim]:
    """The new value where nothing parts it from the old one: `in place of four paragraphs a text of 250 words`."""
    segment = query.segment_number
    old = [(f.end, segment(f.start)) for f in former if f.role == "old"]
    return [c for c in fits if c.role == "old" and any(end <= c.start and at == segment(c.start) for end, at in old)]


def _unsaid(query: Query, change: Change, fits: Sequence[Claim], wrong: Sequence[Claim], demand: str) -> Finding:
    if wrong:
        return missing(change, f"it asks for {_told(query, wrong[0])}, not for {demand}", *_spans(wrong))
    backwards = [c for c in fits if c.role != "new"]
    if backwards:
        message = f"it gives up {_told(query, backwards[0])}, which is what it should ask for"
        return missing(change, message, *_spans(backwards))
    return missing(change, f"it does not ask for {demand}")


def _stays(query: Query, claim: Claim) -> bool:
    low, _ = query.segment(claim.start)
    return cues().anywhere("removal", "stays").search(query.shadow, low, claim.start) is not None


def _told(query: Query, claim: Claim) -> str:
    return f"“{query.text[claim.start : claim.end]}”"


def _spans(claims: Sequence[Claim]) -> list[tuple[int, int]]:
    return [c.span for c in claims]


def missing(change: Change, message: str, *spans: tuple[int, int]) -> Finding:
    """A finding of the group."""
    return Finding(change.group, message, spans)


def misnamed(change: Change, claims: Sequence[Claim], same: Says) -> list[Finding]:
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
    return [missing(change, "it names another old value than the one in force", wrong[0].span)] if wrong else []
