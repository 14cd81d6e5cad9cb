"""Reads what a text starts or ends with: a letter, an emoji, a keyword, a pair of marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import regex

from evolif.queries.change import Change
from evolif.queries.comparison import Said, compare, finding, is_lifted, removed
from evolif.queries.mentions import find_letters, find_pairs, mentions_of
from evolif.queries.polarity import role_of
from evolif.queries.reading import MASK, Query
from evolif.queries.vocabulary import cues, heard
from evolif.turns import Finding, Params

# Finds what an answer may start or end with: emoji, keywords, pairs of marks, letters.

_EMOJI = regex.compile(r"\p{Extended_Pictographic}")
_SIGNS = "©®™↔↕"
"""Pictographic by Unicode, but signs to everybody."""
_DECORATION_ENDS = re.compile(r"[\"'”’]{0,2}\W{0,3}(?:\n|$|[A-Z])")
_FOLLOWING = 40


def edge_claims(query: Query, change: Change) -> list[Said]:
    """All values that the query names, in order: `(mode, value)`."""
    params = [p for p in (change.before, change.after) if p is not None]
    claims = [
        _claim(query, ("keyword", p["value"].casefold()), *span)
        for p in params
        if p["mode"] == "keyword"
        for span in query.find(p["value"])
    ]
    emoji = [m for m in _EMOJI.finditer(query.text) if m.group() not in _SIGNS]
    claims += [_claim(query, ("emoji", m.group()), *m.span()) for m in emoji]
    known = {str(p["value"]).lower() for p in params if p["mode"] == "letter"}
    if known or "letter" in query.low:
        claims += [_claim(query, ("letter", query.text[at].lower()), at, at + 1) for at in find_letters(query, known)]
    pairs = find_pairs(query, [p for p in params if p["mode"] == "quotation"])
    claims += [_claim(query, ("quotation", pair), start, end) for pair, start, end in pairs]
    claims += _other_keywords(query, change, {c.span for c in claims})
    if change.after is None and change.params["mode"] != "emoji":
        claims = [c for c in claims if c.value[0] != "emoji" or not _decorates(query, c)]
    wanted = [c for c in claims if change.after is not None and says(c.value, change.after)]
    if wanted:  # an emoji far from any talk of edges asks for nothing
        claims = [c for c in claims if c in wanted or c.value[0] != "emoji" or not _decorates(query, c)]
    return sorted(claims, key=lambda claim: claim.start)


def says(value: tuple[str, object], params: Params) -> bool:
    """Whether a claim's value is that of the parameters."""
    kind, what = value
    if kind != params["mode"]:
        return False
    if kind == "quotation":
        return what == (params["left"], params["right"])
    return bool(str(what) == str(params["value"]).casefold().replace("\ufe0f", ""))


def _other_keywords(query: Query, change: Change, taken: set[tuple[int, int]]) -> list[Said]:
    """Quoted keywords of the topic that are not the one the turn is about, nor another constraint's."""
    keywords = {k.casefold() for k in change.keywords}
    elsewhere = " ".join(str(params).casefold() for _, params in change.others)
    return [
        _claim(query, ("keyword", q.text.casefold()), q.start, q.end)
        for q in query.quotations
        if (q.start, q.end) not in taken
        and q.text.casefold().strip() in keywords
        and q.text.casefold() not in elsewhere
    ]


def _claim(query: Query, value: tuple[str, object], start: int, end: int) -> Said:
    sentence_rest = re.split(r"[.!?;]", query.shadow[end : end + _FOLLOWING], maxsplit=1)[0]
    moved = cues().anywhere("edges", "becomes").search(sentence_rest) is not None
    low = query.segment(start)[0]
    challenged = cues().anywhere("edges", "challenge").search(query.shadow, low, start)
    if not challenged and cues().before("edges", "denied").search(query.shadow, low, start):
        return Said(value, start, end, "old")
    if cues().after("edges", "denied_after").match(query.shadow, end):
        return Said(value, start, end, "old")
    return Said(value, start, end, role_of(query, start, end, moved=moved))


def _decorates(query: Query, claim: Said) -> bool:
    """Whether an emoji only closes a sentence."""
    return _DECORATION_ENDS.match(query.text[claim.end : claim.end + 6]) is not None


_MARK = rf"[\"'“”‘’`]{{0,2}}(?:{MASK}{{1,3}}|[^\w\s,.])"
_OPENS_MARK = re.compile(rf"\s{{0,4}}(?:(?:it|them)\s+)?(?:with|by|in|on)?\s{{0,4}}(?:(?:an?|the)\s{{1,4}})?{_MARK}")
_CLOSES_MARK = re.compile(rf"{_MARK}[\"'“”‘’`]{{0,2}}(?:\s{{0,4}}|\s{{1,4}}(?:at|as|in|on)\s(?:its|the)\s(?:very\s)?)$")
_FAR = 10_000
"""Beyond any distance: used only where nothing else tells."""
_PARTED = 300
"""What a semicolon between a cue and a value counts for, in characters."""
_COMMA = 30


def read_edge(query: Query, change: Change) -> list[Finding]:
    """Findings on a start or an end."""
    other = "end_with" if change.group == "start_with" else "start_with"
    here, there = heard(change.group).anywhere("edge"), heard(other).anywhere("edge")
    claims = edge_claims(query, change)
    demand = _demand(change)
    if change.kind != "remove":
        return compare(query, change, claims, says, demand) or _position(query, change, here, there, claims)
    findings = removed(query, change, here, claims, heard(change.group).anywhere("free"), says, demand)
    theirs = [m.span() for m in there.finditer(query.shadow) if is_lifted(query, *m.span())]
    if not findings and theirs and not any(is_lifted(query, *m.span()) for m in here.finditer(query.shadow)):
        return [finding("wrong", change, f"it lifts the other edge, not {demand}", theirs[0])]
    return findings


def _position(
    query: Query, change: Change, here: re.Pattern[str], there: re.Pattern[str], claims: Sequence[Said]
) -> list[Finding]:
    """Whether the value is asked for at the right edge."""
    fits = [c for c in claims if says(c.value, change.params)]
    wanted = [c for c in fits if c.role != "old"] or fits
    if heard(change.group).anywhere("pronoun").search(query.shadow):
        return []  # "the next one starts with P, so finish on that letter"
    paired = change.params["mode"] == "quotation"
    for claim in wanted:
        right, wrong = _nearest(query, here, claim, paired), _nearest(query, there, claim, paired)
        if right is not None and (wrong is None or right <= wrong):
            return []
        known = change.kind == "modify" or _speaks_of(query, here)
        if right is None and wrong is None and known and not _speaks_of(query, there):
            return []  # "make it “k” instead": the edge is the one that stands, or was named before
    place = "start" if change.group == "start_with" else "end"
    return [
        finding("wrong", change, f"it does not say that the answer is to {place} with it", *(c.span for c in wanted))
    ]


def _speaks_of(query: Query, edge: re.Pattern[str]) -> bool:
    """Whether the query names an edge anywhere."""
    no_edge = cues().anywhere("edges", "no_edge")
    return any(not no_edge.match(query.shadow, m.start()) for m in edge.finditer(query.shadow))


def _nearest(query: Query, edge: re.Pattern[str], claim: Said, paired: bool) -> int | None:
    """Characters to the nearest cue of an edge in the claim's sentence; the marks of a pair have edges of their own."""
    low, high = query.sentence(claim.start)
    high = max(high, claim.end)
    distances = []
    for cue in edge.finditer(query.low if paired else query.shadow, low, high):
        if cues().anywhere("edges", "no_edge").match(query.shadow, cue.start()):
            continue
        if paired and not _is_behind_pair(query, claim, cue.start()) and _belongs_to_mark(query, cue):
            distances.append(_FAR + cue.start() - low)
        elif cue.end() <= claim.start:
            distances.append(claim.start - cue.end() + _parted(query, cue.end(), claim.start))
        else:
            distances.append(max(0, cue.start() - claim.end) + 1 + _parted(query, claim.end, cue.start()))
    return min(distances, default=None)


def _parted(query: Query, start: int, end: int) -> int:
    """A semicolon parts more than any distance, a comma more than a few words."""
    gap = query.shadow[start:end]
    return _PARTED if any(mark in gap for mark in ";.!?") else _COMMA if "," in gap else 0


def _belongs_to_mark(query: Query, cue: re.Match[str]) -> bool:
    """`begins with '('`, `')' at the end`: said of a mark, not of the answer."""
    after = query.shadow[cue.end() : cue.end() + 16]
    before = query.shadow[max(0, cue.start() - 22) : cue.start()]
    return _OPENS_MARK.match(after) is not None or _CLOSES_MARK.search(before) is not None


def _is_behind_pair(query: Query, claim: Said, at: int) -> bool:
    """`a quotation in () at the end`: said of both marks together, as nothing but blanks and dots parts them."""
    inside = query.text[claim.start + 1 : claim.end - 1]
    return at >= claim.end and claim.end - claim.start > 1 and not inside.strip(" .…")


def _demand(change: Change) -> str:
    params: Params = change.params
    place = "at the start" if change.group == "start_with" else "at the end"
    what = f"{params['left']} {params['right']}" if params["mode"] == "quotation" else f"“{params['value']}”"
    return f"the {params['mode']} {what} {place}"


# Plain demands on an edge, whatever the turn is about.

_PLAIN_REACH = 60
"""Characters between a value and the cue of its edge, at most."""
_EDGES = ("start_with", "end_with")


def plain_edges(query: Query, change: Change) -> Iterator[tuple[str, Params, tuple[int, int]]]:
    """What the query plainly wants the text to start or end with: the group, its parameters, the place."""
    cues_of = {group: _strong(query, group) for group in _EDGES}
    if not any(cues_of.values()):
        return
    values = [claim for claim in _plain_values(query, change) if claim.role == "new"]
    for group, places in cues_of.items():
        for place in places:
            gaps = [_gap(query, claim, place) for claim in values]
            if gaps and min(gaps) <= _PLAIN_REACH:
                claim = values[gaps.index(min(gaps))]
                yield group, _params(claim), claim.span


def _strong(query: Query, group: str) -> list[tuple[int, int]]:
    """Where an edge of the text is plainly spoken of."""
    no_edge = cues().anywhere("edges", "no_edge")
    return [
        m.span()
        for m in heard(group).anywhere("plain").finditer(query.shadow)
        if not no_edge.match(query.shadow, m.start())
    ]


def _gap(query: Query, claim: Said, cue: tuple[int, int]) -> int:
    """Characters between a value and a cue in its sentence; far where another sentence holds it."""
    low, high = query.sentence(claim.start)
    start, end = cue
    if not low <= start < max(high, claim.end):
        return _FAR
    between = (end, claim.start) if end <= claim.start else (claim.end, start)
    other = cues().anywhere("edges", "another").search(query.shadow, *between)
    return _FAR if other else max(0, between[1] - between[0]) + _parted(query, *between)


def _plain_values(query: Query, change: Change) -> list[Said]:
    """Emoji, quoted words, letters that are called so, pairs of marks; a keyword of the topic needs no quotes."""
    emoji = [m for m in _EMOJI.finditer(query.text) if m.group() not in _SIGNS]
    values = [_new(("emoji", m.group()), m.span()) for m in emoji]
    if "letter" in query.low:
        values += [_new(("letter", query.text[at].lower()), (at, at + 1)) for at in find_letters(query, set())]
    values += [_new(("quotation", pair), (start, end)) for pair, start, end in find_pairs(query, [])]
    taken = {v.start for v in values}
    words = [q for q in query.quotations if q.start not in taken and _WORDED.fullmatch(q.text)]
    values += [_new(("keyword", q.text.casefold()), (q.start, q.end)) for q in words]
    quoted = [(q.start, q.end) for q in query.quotations]
    onto = cues().framed("edges", "onto_word", right="( )?$")
    for mention in mentions_of(query, change.keywords):
        if any(start <= mention.start < end for start, end in quoted):
            continue
        if onto.search(query.shadow, max(0, mention.start - _PLAIN_REACH), mention.start):
            values.append(_new(("keyword", mention.value.casefold()), (mention.start, mention.end)))
    return sorted((_claim(query, v.value, *v.span) for v in values), key=lambda v: v.start)


def _new(value: tuple[str, object], span: tuple[int, int]) -> Said:
    return Said(value, *span, role="new")


_WORDED = re.compile(r"[^\W_](?:[\w' -]{0,40}[^\W_])?")


def _params(claim: Said) -> Params:
    mode, value = claim.value
    return (
        {"mode": mode, "left": value[0], "right": value[1]} if mode == "quotation" else {"mode": mode, "value": value}
    )
