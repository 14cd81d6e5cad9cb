"""Finds what an answer may start or end with: emoji, keywords, pairs of marks, letters."""

from __future__ import annotations

import re

import regex

from evolif.domain import Params
from evolif.synthesis.checkers._claims import Change, Claim
from evolif.synthesis.checkers._cues import cues
from evolif.synthesis.checkers._letters import find_letters
from evolif.synthesis.checkers._pairs import find_pairs
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import Query

_EMOJI = regex.compile(r"\p{Extended_Pictographic}")
_SIGNS = "©®™↔↕"
"""Pictographic by Unicode, but signs to everybody."""
_DECORATION_ENDS = re.compile(r"[\"'”’]{0,2}\W{0,3}(?:\n|$|[A-Z])")
_FOLLOWING = 40


def edge_claims(query: Query, change: Change) -> list[Claim]:
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


def _other_keywords(query: Query, change: Change, taken: set[tuple[int, int]]) -> list[Claim]:
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


def _claim(query: Query, value: tuple[str, object], start: int, end: int) -> Claim:
    sentence_rest = re.split(r"[.!?;]", query.shadow[end : end + _FOLLOWING], maxsplit=1)[0]
    moved = cues().anywhere("edges", "becomes").search(sentence_rest) is not None
    if cues().before("edges", "denied").search(query.shadow, query.segment(start)[0], start):
        return Claim(value, start, end, "old")
    if cues().after("edges", "denied_after").match(query.shadow, end):
        return Claim(value, start, end, "old")
    return Claim(value, start, end, role_of(query, start, end, moved=moved))


def _decorates(query: Query, claim: Claim) -> bool:
    """Whether an emoji only closes a sentence."""
    return _DECORATION_ENDS.match(query.text[claim.end : claim.end + 6]) is not None
