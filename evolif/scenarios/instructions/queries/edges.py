"""Reads what a text starts or ends with: a letter, an emoji, a keyword, a pair of marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import regex

from evolif.scenarios.instructions.queries.bare_words import words_behind
from evolif.scenarios.instructions.queries.change import Claim, QueryChange
from evolif.scenarios.instructions.queries.comparison import Said, compare, finding, is_lifted, removed
from evolif.scenarios.instructions.queries.mentions import find_edge_letters, find_letters, find_pairs, mentions_of
from evolif.scenarios.instructions.queries.polarity import role_of
from evolif.scenarios.instructions.queries.reader import Reader
from evolif.scenarios.instructions.queries.reading import MASK, Query
from evolif.scenarios.instructions.queries.vocabulary import cues, heard
from evolif.scenarios.instructions.turns import Finding, Params

# Finds what an answer may start or end with: emoji, keywords, pairs of marks, letters.

_EMOJI = regex.compile(r"\p{Extended_Pictographic}")
_SIGNS = "©®™↔↕"
"""Pictographic by Unicode, but signs to everybody."""
_DECORATION_ENDS = re.compile(r"[\"'”’]{0,2}\W{0,3}(?:\n|$|[A-Z])")
_FOLLOWING = 40


class EdgeReader(Reader):
    """Reads what a text is to start or to end with."""

    def said(self, query: Query, change: QueryChange) -> list[Said]:
        """Every value that the query names, in order: `(mode, value)`."""
        return _values(query, change)

    def claim(self, query: Query, said: Said) -> Claim | None:
        """The claim that a value makes beside words that plainly speak of this edge of the text."""
        near = min((_gap(query, said, place) for place in _strong(query, self.group)), default=_FAR)
        plain = said.role == "new" and near <= _PLAIN_REACH
        return Claim(self.group, "require", _params(said), said.span) if plain else None

    def claims(self, query: Query, said: Sequence[Said]) -> Iterator[Claim]:
        """The claims of the values that stand nearest to such words."""
        values = [one for one in said if one.role == "new"][:_MOST]
        for place in _strong(query, self.group) if values else ():
            nearest = min(values, key=lambda one: _gap(query, one, place))
            claim = self.claim(query, nearest)
            if claim is not None and _gap(query, nearest, place) <= _PLAIN_REACH:
                yield claim

    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on a start or an end."""
        return _compare(query, change, _of_change(query, change, said))


def _of_change(query: Query, change: QueryChange, said: Sequence[Said]) -> list[Said]:
    """The values that can be those of the change: no further words, no emoji far from any talk of edges."""
    known = {str(p["value"]).casefold() for p in (change.before, change.after) if p and p["mode"] == "keyword"}
    others = _other_keywords(query, change)
    mine = [c for c in said if c.value[0] != "keyword" or c.value[1] in known or c.span in others]
    quoted = {c.value for c in mine if query.is_quoted(c.start)}  # who quotes a word here uses it elsewhere
    mine = [c for c in mine if c.value not in quoted or c.value[0] != "keyword" or query.is_quoted(c.start)]
    opposite = [params for group, params in change.others if group in ("start_with", "end_with")]
    own = [params for params in (change.before, change.after) if params]
    mine = [c for c in mine if any(says(c.value, p) for p in own) or not any(says(c.value, p) for p in opposite)]
    if change.after is None and change.params["mode"] != "emoji":
        return [c for c in mine if c.value[0] != "emoji" or not _decorates(query, c)]
    wanted = [c for c in mine if change.after is not None and says(c.value, change.after)]
    if not wanted:
        return mine
    return [c for c in mine if c in wanted or c.value[0] != "emoji" or not _decorates(query, c)]


_Value = tuple[str, object]


def _values(query: Query, change: QueryChange) -> list[Said]:
    """Emoji, letters that are called so, pairs of marks, words."""
    params = [p for p in (change.before, change.after) if p is not None]
    found: list[tuple[_Value, tuple[int, int]]] = [
        (("emoji", m.group()), m.span()) for m in _EMOJI.finditer(query.text) if m.group() not in _SIGNS
    ]
    letters = {str(p["value"]).lower() for p in params if p["mode"] == "letter"}
    if letters or "letter" in query.low or find_edge_letters(query):
        found += [(("letter", query.text[at].lower()), (at, at + 1)) for at in find_letters(query, letters)]
    pairs = find_pairs(query, [p for p in params if p["mode"] == "quotation"])
    found += [(("quotation", pair), (start, end)) for pair, start, end in pairs]
    taken = {start for _, (start, _) in found}
    words = {span: (("keyword", word), span) for word, span in _words(query, change) if span[0] not in taken}
    return sorted((_claim(query, value, *span) for value, span in (*found, *words.values())), key=lambda c: c.start)


def _words(query: Query, change: QueryChange) -> Iterator[tuple[str, tuple[int, int]]]:
    """Words in quotation marks; without them the change's keywords, and those of the topic behind `start with`."""
    for params in (change.before, change.after):
        if params is not None and params["mode"] == "keyword":
            yield from ((params["value"].casefold(), span) for span in query.find(params["value"]))
    yield from ((q.text.casefold(), (q.start, q.end)) for q in query.quotations if _WORDED.fullmatch(q.text))
    if not change.is_known:
        yield from ((word.value.casefold(), (word.start, word.end)) for word in words_behind(query, "edges", "word_is"))
    onto = cues().framed("edges", "onto_word", right="( )?$")
    for mention in mentions_of(query, change.keywords):
        start, end = mention.start, mention.end
        if not query.is_quoted(start) and onto.search(query.shadow, max(0, start - _PLAIN_REACH), start):
            yield mention.value.casefold(), (start, end)


_WORDED = re.compile(r"[^\W_](?:[\w' -]{0,40}[^\W_])?")


def says(value: tuple[str, object], params: Params) -> bool:
    """Whether a claim's value is that of the parameters."""
    kind, what = value
    if kind != params["mode"]:
        return False
    if kind == "quotation":
        return what == (params["left"], params["right"])
    return bool(str(what) == str(params["value"]).casefold().replace("\ufe0f", ""))


def _other_keywords(query: Query, change: QueryChange) -> set[tuple[int, int]]:
    """Where keywords of the topic are quoted that are not another constraint's."""
    keywords = {k.casefold() for k in change.keywords}
    elsewhere = " ".join(str(params).casefold() for _, params in change.others)
    return {
        (q.start, q.end)
        for q in query.quotations
        if q.text.casefold().strip() in keywords and q.text.casefold() not in elsewhere
    }


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


def _compare(query: Query, change: QueryChange, claims: Sequence[Said]) -> list[Finding]:
    other = "end_with" if change.group == "start_with" else "start_with"
    here, there = heard(change.group).anywhere("edge"), heard(other).anywhere("edge")
    demand = _demand(change)
    if change.kind != "remove":
        return compare(query, change, claims, says, demand) or _position(query, change, here, there, claims)
    findings = removed(query, change, here, claims, heard(change.group).anywhere("free"), says, demand)
    theirs = [m.span() for m in there.finditer(query.shadow) if is_lifted(query, *m.span())]
    if not findings and theirs and not any(is_lifted(query, *m.span()) for m in here.finditer(query.shadow)):
        return [finding("wrong", change, f"it lifts the other edge, not {demand}", theirs[0])]
    return findings


def _position(
    query: Query, change: QueryChange, here: re.Pattern[str], there: re.Pattern[str], claims: Sequence[Said]
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


def _demand(change: QueryChange) -> str:
    params: Params = change.params
    place = "at the start" if change.group == "start_with" else "at the end"
    what = f"{params['left']} {params['right']}" if params["mode"] == "quotation" else f"“{params['value']}”"
    return f"the {params['mode']} {what} {place}"


# Plain demands on an edge, whatever the turn is about.

_MOST = 40
"""Values, and words that speak of an edge, that are compared with each other."""
_PLAIN_REACH = 60
"""Characters between a value and the cue of its edge, at most."""


def _strong(query: Query, group: str) -> list[tuple[int, int]]:
    """Where an edge of the text is plainly spoken of."""
    no_edge = cues().anywhere("edges", "no_edge")
    return [
        m.span()
        for m in heard(group).anywhere("plain").finditer(query.shadow)
        if not no_edge.match(query.shadow, m.start())
    ][:_MOST]


def _gap(query: Query, claim: Said, cue: tuple[int, int]) -> int:
    """Characters between a value and a cue in its sentence; far where another sentence holds it."""
    low, high = query.sentence(claim.start)
    start, end = cue
    if not low <= start < max(high, claim.end):
        return _FAR
    between = (end, claim.start) if end <= claim.start else (claim.end, start)
    other = cues().anywhere("edges", "another").search(query.shadow, *between)
    return _FAR if other else max(0, between[1] - between[0]) + _parted(query, *between)


def _params(claim: Said) -> Params:
    mode, value = claim.value
    return (
        {"mode": mode, "left": value[0], "right": value[1]} if mode == "quotation" else {"mode": mode, "value": value}
    )
