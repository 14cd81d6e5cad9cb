"""Several changes of one turn, and the end of all earlier demands: read as one query, compared change by change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from evolif.scenarios.instructions.queries.change import Claim, QueryChange, QueryIntention
from evolif.scenarios.instructions.queries.claims import read, reader_of
from evolif.scenarios.instructions.queries.comparison import finding
from evolif.scenarios.instructions.queries.demand_table import carry_words, reset_words
from evolif.scenarios.instructions.queries.demand_values import is_everyday, literals_of
from evolif.scenarios.instructions.queries.reading import Query
from evolif.scenarios.instructions.queries.side_effects import SAID_WITH, in_force, is_own, is_sample, unasked
from evolif.scenarios.instructions.turns import Finding

_MOST_SHARED = 0.6
"""Of a claim, the share that may stand inside what is said of a change before it counts as part of that."""
MOST_LISTED = 1
"""Constraints that a query may name which says that all are off."""


EVERYTHING = "everything"
"""What a claim on all groups has in place of a group."""


def lifts_of_all(query: Query, *, lenient: bool = False) -> tuple[Claim, ...]:
    """The claims that all earlier demands are off.

    Args:
        query: The query.
        lenient: Whether it is known that they are.
    """
    found = [match.span() for match in reset_words().finditer(query.shadow)]
    if lenient and not found:
        found = [match.span() for match in reset_words(lenient=True).finditer(query.shadow)]
    return tuple(Claim(EVERYTHING, "lift", {}, span) for span in found)


def check_changes(query: Query, meant: QueryIntention) -> list[Finding]:
    """Findings on all changes of a turn, and on what the query asks for beside them.

    Args:
        query: The query, its task masked.
        meant: What it should say.
    """
    carried = [match.span() for match in carry_words().finditer(query.shadow)] if meant.move == "new" else []
    if meant.carries:
        return _check_carried(query, meant, carried)
    if carried:
        message = "it says that the demands of the task before hold here, too"
        return [finding("extra", meant.changes[0], message, carried[0])]
    return _check_one_by_one(query, meant)


def _check_one_by_one(query: Query, meant: QueryIntention) -> list[Finding]:
    resets = [claim.span for claim in lifts_of_all(query, lenient=meant.lifts_all)]
    first, gone = meant.changes[0], {change.group for change in meant.changes}
    if meant.lifts_all and not resets:
        return [finding("missing", first, "it does not say that all earlier demands are off")]
    asked = meant.said
    if meant.lifts_all:
        query = _blanked(query, resets)
        if not asked:
            return []
    findings: list[Finding] = []
    spans: list[tuple[int, int]] = []
    for change in asked:
        mine = _without_others(query, change, asked)
        reading = read(mine, change)
        findings += reader_of(change.group).compare(mine, change, reading.own)
        spans += [one.span for one in reading.own if one.role == "new"]
    if findings:
        return findings
    if resets and not meant.lifts_all and _is_plain_reset(first):
        return [finding("extra", first, "it says that all earlier demands are off", resets[0])]
    claims = read(query, asked[0]).claims
    if meant.lifts_all and (found := _of_what_goes(meant, [one for one in claims if not _is_within(one, spans)])):
        return [found]
    others = [claim for claim in claims if claim.group not in gone]
    if len(asked) > 1 or any(map(_by_table, asked)):
        others = [claim for claim in others if not _is_within(claim, spans)]
        others = [claim for claim in others if not any(is_own(query, change, claim) for change in asked)]
    return unasked(query, asked[0], others)


def _check_carried(query: Query, meant: QueryIntention, carried: Sequence[tuple[int, int]]) -> list[Finding]:
    """Findings on a new task for which all demands of the one before hold; one of them may be named."""
    first = meant.changes[0]
    if not carried:
        return [finding("missing", first, "it does not say that the demands of the task before hold here, too")]
    rest = _blanked(query, carried)
    held = {change.group: change.params for change in meant.changes}
    claims = [
        one for one in read(rest, replace(first, others=())).claims if one.polarity != "lift" or one.group in held
    ]
    known = [one for one in claims if one.group in held and one.polarity != "lift" and in_force(one, held[one.group])]
    for claim in claims:
        if claim not in known:
            return [finding("extra", first, "it asks for more than what held for the task before", claim.span)]
    if len({claim.group for claim in known}) > MOST_LISTED:
        return [finding("restates", first, "it lists what holds as before", *(claim.span for claim in known))]
    return []


def _of_what_goes(meant: QueryIntention, claims: Sequence[Claim]) -> Finding | None:
    """What is wrong with how a query names the demands that go with all others; None if nothing is."""
    lost = {change.group: change for change in meant.changes if change.after is None}
    lifted = [claim for claim in claims if claim.polarity == "lift" and claim.group in lost]
    if len(lifted) > MOST_LISTED:
        return finding("restates", meant.changes[0], "it lists what goes", *(claim.span for claim in lifted))
    for claim in claims:
        if claim.group in lost and claim.polarity != "lift":
            return finding("extra", lost[claim.group], "it asks for it, although it goes with the rest", claim.span)
    return None


def _without_others(query: Query, change: QueryChange, changes: Sequence[QueryChange]) -> Query:
    """The query without the quoted values of the turn's other changes, which this one would take for its own."""
    mine = {text.casefold() for params in (change.before, change.after) for text in literals_of(params or {})}
    others = [other for other in changes if other is not change]
    foreign = [text for other in others for text in (*literals_of(other.params), *SAID_WITH.get(other.group, ()))]
    spans = [span for text in foreign if text.casefold() not in mine for span in query.find(text)]
    labels = [text for other in others if other.group == "labels" for text in literals_of(other.params)]
    if any(other.group == "manner" for other in others):
        spans += [(one.start, one.end) for one in query.quotations if is_sample(query, (one.start, one.end))]
    bare = [span for text in labels if text in query.text for span in query.find(text)]
    numbered = any("noun" in other.params for other in others if other.group == "labels")
    if not spans and not numbered:
        return query
    chars = list(query.text)
    for noun in (other.params["noun"] for other in others if other.group == "labels" and "noun" in other.params):
        for match in re.finditer(rf"(?<!\w)\w+ {re.escape(noun.lower())}s?(?!\w)", query.low):
            chars[match.start() : match.end()] = "x" * len(match.group())  # “three versions” are no list
    for start, end in spans:
        if query.is_quoted(start):  # with its quotation marks
            chars[start - 1 : end + 1] = "x" * (end - start + 2)
        elif (start, end) in bare:  # “Part 1” counts nothing
            chars[start:end] = "x" * (end - start)
    return Query("".join(chars))


def _is_plain_reset(change: QueryChange) -> bool:
    """Whether words of a reset can only mean all: a removal may use them of its one constraint."""
    return change.kind != "remove" and _by_table(change)


def _by_table(change: QueryChange) -> bool:
    return is_everyday(change.group, change.before) or is_everyday(change.group, change.after)


def _is_within(claim: Claim, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a claim is part of what is said of a change: `an emoji at the end` of `end with an emoji`."""
    start, end = claim.span
    return any(min(end, high) - max(start, low) > _MOST_SHARED * (end - start) for low, high in spans)


def _blanked(query: Query, spans: Sequence[tuple[int, int]]) -> Query:
    """The query without the words of the reset, so that they do not lift what follows."""
    chars = list(query.text)
    for start, end in spans:
        chars[start:end] = " " * (end - start)
        behind = next((at for at in range(end, len(chars)) if not chars[at].isspace()), None)
        if behind is not None and chars[behind] in ",:;-–—.!":
            chars[behind] = " "
    return Query("".join(chars))
