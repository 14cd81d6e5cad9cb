"""Reads what a text starts or ends with: a letter, an emoji, a keyword, a pair of marks."""

from __future__ import annotations

import re

import regex

from evolif.domain import Finding, Params
from evolif.synthesis.checkers._claims import Change, Claim, compare, missing
from evolif.synthesis.checkers._cues import whole_words
from evolif.synthesis.checkers._pairs import find_pairs
from evolif.synthesis.checkers._removal import is_lifted, removed
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import MASK, Query

_START = whole_words(
    [
        "start(s|ed|ing)?",
        "beg(in|ins|an|un|inning|innings)",
        "open(s|ed|ing|er)?",
        "first",
        "kick(s|ed|ing)?( \\w+){0,3} off",
        "lead(s|ing)?( off| with| in)?",
        "commenc(e|es|ed|ing)",
        "launch(es|ing)?( into)?",
        "initial",
        "preced(e|es|ing)", "under way", "set(s|ting)? (out|off)", "lead-in",
        "outset",
        "front",
        "top",
        "head",
        "upfront",
        "up front",
        "before (anything|everything|any|all)\\w*",
        "very beginning",
        "ahead of( \\w+)?",
        "introduc\\w+",
        "put \\S+ first",
    ]
)
_END = whole_words(
    [
        "end(s|ed|ing)?",
        "finish(es|ed|ing)?",
        "conclud(e|es|ed|ing)",
        "conclusion",
        "clos(e|es|ed|ing|er)",
        "wrap(s|ped|ping)?( \\w+){0,3} up",
        "last",
        "final(ly)?",
        "sign(s|ing)? off( with)?",
        "tail",
        "bottom",
        "close out",
        "cap(s|ped|ping)?( \\w+){0,2} off",
        "round(s|ed|ing)?( \\w+){0,3} off",
        "terminat(e|es|ing)",
        "very end",
        "closing",
        "follow(s|ed|ing)? by nothing",
        "after (everything|all|that nothing)",
        "sign-?off",
        "finale", "parting( \\w+)?", "farewell",
        "finish line",
        "top(s|ped|ping)?( \\w+){0,2} off",
    ]
)
_OFF_START = whole_words(
    [
        "start(s|ed|ing)? and end",
        "from start to finish",
        "first of all",
        "at first",
        "first thing i",
        "starting (now|with the next|from now)",
        "to (start|begin) with(?=,)",
        "open to",
        "topic",
    ]
)
_EMOJI = regex.compile(r"\p{Extended_Pictographic}")
_LETTER = re.compile(
    rf"(?<!\w)(?:letters?|an?|the|with|by|in|to|be|from|of|for|is)\s+(?:letter\s+|a\s+|an\s+|the\s+)?(?:capital\s+|small\s+|upper-?case\s+|lower-?case\s+)?[\"'“‘(]?(?P<letter>{MASK}|[A-Za-z])[\"'”’)]?(?![\w'’])(?!\s*-\s*\w)"
)
_LONE_LETTER = re.compile(r"(?<![\w'’.-])([B-HJ-Z]|(?<=[aA] )A|(?<=[aA]n )I)(?![\w'’.-]\w)(?![\w'’-])")
_NAMED_LETTER = re.compile(
    r"\b(?:[Mm]ake|[Hh]ave|[Ll]et)\s+([A-Z])\s+(?:be\s+)?(?:the|your|its)\b|\bletter(?:\s+of\s+(?:the|your|its)\s+\w+(?:\s+\w+)?)?(?:\s+(?:is|be|as|to|to\s+be|should\s+be|must\s+be))?:?\s+[\"'“‘]?([A-Za-z])(?![\w'’])(?!\s+[\"'“‘]?[A-Za-z](?!\w))",
)
_QUOTED_LETTER = re.compile(r"[\"'“‘]([A-Za-z])[\"'”’](?!\w)")


_FREE = whole_words(
    [
        "(start|open|begin|end|close|finish|conclude)( it| things| off| the \\w+)? (however|any way|anyhow|as|with whatever|on whatever|with anything|wherever)( that)? (you|it|i) (like|please|want|wish|choose|prefer|see fit)s?"
    ]
)


def read_edge(query: Query, change: Change) -> list[Finding]:
    """Findings on a start or an end."""
    here, there = (_START, _END) if change.group == "start_with" else (_END, _START)
    claims = _claims(query, change)
    if change.kind == "remove":
        assert change.before is not None  # a removal
        findings = removed(query, change, here, claims, _FREE, _says)
        other = [m for m in there.finditer(query.shadow) if is_lifted(query, *m.span())]
        mine = [m for m in here.finditer(query.shadow) if is_lifted(query, *m.span())]
        if not findings and other and not mine:
            return [missing(change, f"it lifts the other edge, not {_demand(change, change.before)}", other[0].span())]
        lifted = [c for c in claims if is_lifted(query, c.start, c.end)]
        if not findings and lifted and not any(_says(c.value, change.before) for c in lifted):
            return [
                missing(
                    change,
                    f"it lifts another value than {_demand(change, change.before)}",
                    (lifted[0].start, lifted[0].end),
                )
            ]
        return findings
    assert change.after is not None  # an add or a modification
    findings = compare(query, change, claims, _says, _demand(change, change.after))
    return findings or _position(query, change, here, there, claims)


def _position(
    query: Query, change: Change, here: re.Pattern[str], there: re.Pattern[str], claims: list[Claim]
) -> list[Finding]:
    """Whether the value is asked for at the right edge."""
    assert change.after is not None
    wanted = [c for c in claims if c.role != "old" and _says(c.value, change.after)]
    paired = change.after["mode"] == "quotation"
    for claim in wanted:
        right, wrong = _nearest(query, here, claim, paired), _nearest(query, there, claim, paired)
        if right is not None and (wrong is None or right <= wrong):
            return []
        if right is None and wrong is None and change.kind == "modify" and not there.search(query.shadow):
            return []  # "make it “k” instead": the edge is the one that stands
    place = "start" if change.group == "start_with" else "end"
    return [
        missing(change, f"it does not say that the answer is to {place} with it", *((c.start, c.end) for c in wanted))
    ]


def _nearest(query: Query, cues: re.Pattern[str], claim: Claim, paired: bool) -> int | None:
    """Characters to the nearest cue in the claim's sentence; marks of a pair have cues of their own, which say nothing."""
    low, high = query.sentence(claim.start)
    if claim.end > high:
        high = claim.end
    best = None
    for cue in cues.finditer(query.low if paired else query.shadow, low, high):
        if _OFF_START.match(query.shadow, cue.start()):
            continue
        if paired and _belongs_to_mark(query, cue):
            distance = 10_000 + cue.start() - low  # only where nothing else tells; the first of them then
        elif cue.end() <= claim.start:
            distance = claim.start - cue.end() + _parted(query, cue.end(), claim.start)
        else:
            distance = max(0, cue.start() - claim.end) + 1 + _parted(query, claim.end, cue.start())
        best = distance if best is None else min(best, distance)
    return best


def _parted(query: Query, start: int, end: int) -> int:
    """A semicolon parts more than any distance, a comma more than a few words."""
    gap = query.shadow[start:end]
    return 300 if re.search(r"[;.!?]", gap) else 30 if "," in gap else 0


def _belongs_to_mark(query: Query, cue: re.Match[str]) -> bool:
    """`begins with '('`, `')' at the end`: said of a mark, not of the answer."""
    after = query.shadow[cue.end() : cue.end() + 16]
    before = query.shadow[max(0, cue.start() - 22) : cue.start()]
    mark = r"[\"'“”‘’`]*(?:[\ue000]{1,3}|[^\w\s,.])"
    return (
        re.match(rf"\s*(?:it\s+|them\s+)?(?:with|by|in|on)?\s*(?:an?\s+|the\s+)?{mark}", after) is not None
        or re.search(rf"{mark}[\"'“”‘’`]*\s*$", before) is not None
        or re.search(rf"{mark}[\"'“”‘’`]*\s+(?:at|as|in|on)\s+(?:its|the)\s+(?:very\s+)?$", before) is not None
    )


def _claims(query: Query, change: Change) -> list[Claim]:
    claims: list[Claim] = []
    params = [p for p in (change.before, change.after) if p is not None]
    for p in params:
        if p["mode"] == "keyword":
            claims += [_claim(query, ("keyword", p["value"].casefold()), s, e) for s, e in query.find(p["value"])]
    for match in _EMOJI.finditer(query.text):
        if match.group() not in "©®™↔↕":
            claims.append(_claim(query, ("emoji", match.group()), *match.span()))
    if any(p["mode"] == "letter" for p in params) or "letter" in query.low:
        claims += _letters(query, {str(p["value"]).lower() for p in params if p["mode"] == "letter"})
    claims += [
        _claim(query, ("quotation", pair), s, e)
        for pair, s, e in find_pairs(query, [p for p in params if p["mode"] == "quotation"])
    ]
    taken = {(c.start, c.end) for c in claims}
    known = {k.casefold() for k in change.keywords}
    claims += [
        _claim(query, ("keyword", q.text.casefold()), q.start, q.end)
        for q in query.quotations
        if (q.start, q.end) not in taken
        and q.text.casefold().strip() in known
        and not _elsewhere(query, change, q.text)
    ]
    wanted = [c for c in claims if change.after is not None and _says(c.value, change.after)]
    if wanted:  # decoration: an emoji far from any talk of edges asks for nothing
        claims = [c for c in claims if c in wanted or c.value[0] != "emoji" or not _decorates(query, c)]
    return sorted(claims, key=lambda claim: claim.start)


_DENIED = re.compile(
    r"(?:\bnot|n't|\bnever|\bavoid|\bwithout|\bno\s+longer|\bstop)\s+(?:\w+\s+){0,2}?(?:start|begin|open|kick|lead|commenc|end|finish|clos|conclud|wrap|sign|round|cap|top)\w*(?:\s+\w+){0,7}\s*[\"'“‘]?$"
    r"|(?:\bnot|n't|\bnever)\s+let\s+(?:\w+\s+){0,2}?[\"'“‘]?$|(?<!\w)(?:except|other\s+than|anything\s+but|nothing)\s+(?:(?:for|in|an?|the|with|letter|emoji|word)\s+)*[\"'“‘]?$"
)


def _claim(query: Query, value: tuple[str, object], start: int, end: int) -> Claim:
    moved = re.search(r"^[^.!?;]{0,40}?\b(?:to|into)\b", query.shadow[end:]) is not None
    role = role_of(query, start, end, moved=moved)
    if _DENIED.search(query.shadow, query.segment(start)[0], start):
        role = "old"
    return Claim(value, start, end, role)


def _elsewhere(query: Query, change: Change, keyword: str) -> bool:
    """Whether another active constraint has that keyword, so that naming it is no claim on this edge."""
    return any(keyword.casefold() in str(params).casefold() for _, params in change.others)


def _decorates(query: Query, claim: Claim) -> bool:
    return re.match(r"[\"'”’]*\W{0,3}(?:\n|$|[A-Z])", query.text[claim.end : claim.end + 6]) is not None


def _letters(query: Query, known: set[str]) -> list[Claim]:
    found: dict[int, Claim] = {}
    for match in _QUOTED_LETTER.finditer(query.text):
        found[match.start(1)] = _claim(query, ("letter", match[1].lower()), match.start(1), match.end(1))
    for match in _LETTER.finditer(query.shadow):
        at = match.start("letter")
        letter = query.text[at]
        named = "letter" in match.group() or letter.isupper()
        if letter.isalpha() and letter.isascii() and named and letter not in "I":
            found.setdefault(at, _claim(query, ("letter", letter.lower()), at, at + 1))
    for match in _LONE_LETTER.finditer(query.text):
        if match[1].lower() in known:
            found.setdefault(match.start(1), _claim(query, ("letter", match[1].lower()), *match.span(1)))
    for match in _NAMED_LETTER.finditer(query.text):
        group = match.lastindex or 1
        found.setdefault(match.start(group), _claim(query, ("letter", match[group].lower()), *match.span(group)))
    return list(found.values())


def _says(value: tuple[str, object], params: Params) -> bool:
    kind, what = value
    if kind != params["mode"]:
        return False
    if kind == "quotation":
        return what == (params["left"], params["right"])
    return bool(str(what) == str(params["value"]).casefold().replace("\ufe0f", ""))


def _demand(change: Change, params: Params) -> str:
    place = "at the start" if change.group == "start_with" else "at the end"
    what = f"{params['left']} {params['right']}" if params["mode"] == "quotation" else f"“{params['value']}”"
    return f"the {params['mode']} {what} {place}"
