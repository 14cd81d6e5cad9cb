"""Reads upper and lower case, and shares of capitals."""

from __future__ import annotations

import re

from evolif.domain import Finding, Params
from evolif.synthesis.checkers._claims import Change, Claim, compare, missing
from evolif.synthesis.checkers._cues import whole_words
from evolif.synthesis.checkers._numbers import find_numbers
from evolif.synthesis.checkers._relations import _BEFORE
from evolif.synthesis.checkers._removal import is_lifted, removed
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import Query

_UPPER = whole_words(
    [
        "upper-?case(d)?",
        "upper case",
        "(all )?caps",
        "capitals?( letters?)?",
        "capitali[sz]ed",
        "capitali[sz]e",
        "big letters?",
        "majuscules?",
        "block (letters|capitals)",
        "shout(ed|ing)?( case)?",
    ]
)
_LOWER = whole_words(
    ["lower-?case(d)?", "lower case", "small (letters?|ones?)", "every letter( \\w+){0,2} small", "all( \\w+){0,2} letters small", "uncapitali[sz]ed", "minuscules?", "little letters?"]
)
_NOUNS = whole_words(
    [
        "(letter )?case",
        "casing",
        "capitali[sz]ation",
        "capital letters?",
        "caps",
        "capitals",
        "upper-?case",
        "upper case",
        "lower-?case",
        "lower case",
        "small letters",
        "(share|percentage|proportion|percent|ratio) of (capitals?|upper-?case|upper case|letters|caps)( letters)?",
    ]
)
_CASES = (("upper", _UPPER), ("lower", _LOWER))
_FREE = whole_words(
    [
        "the (normal|usual|ordinary|regular) way",
        "as usual",
        "like (a normal person|anyone else|everyone else)",
        "(normal|regular|ordinary|usual|standard|mixed|natural|any) (letter )?(case|casing|capitali[sz]ation|capitals|caps)",
        "case is (your|up)( \\w+){1,2}", "capitali[sz]e (normally|as usual|naturally|however you like|properly)",
        "(usual|normal) mix of( \\w+){1,6}",
        "sentence case",
        "(write|use (case|capitals|caps)) (normally|as usual|naturally|properly)",
        "(capitals|caps) (where|wherever) (they|you)",
    ]
)
_DENIED = re.compile(
    r"(?:\bnot|n't|\bno|\bnever|\bwithout|\bavoid\w*|\bnothing|\bfree\s+of|\bzero|\bnor|\bskip\w*|\bleav\w+\s+out|\bdrop\w*|\bban\w*|\bstay\w*\s+away\s+from|\bsteer\w*\s+clear\s+of|\bditch|\blose|\bstand|\bhate|\bdislike|\bloathe|\btired\s+of|\bsick\s+of)"
    r"(?:\s+(?:a|any|single|the|in|use|using|write|writing|have|all|of|be|contain|with|one|even|ever|is|are|at))*\s*$"
)
_PERCENT = re.compile(r"^\s*(?:%|per\s?-?cent(?:age)?(?:\s+points?)?)")
_LETTERS = whole_words(
    ["letters?", "caps?", "capital\\w*", "upper-?case", "upper case", "lower-?case", "lower case", "text", "it"]
)
_MARGIN = re.compile(
    r"(?:within|±|plus\s+or\s+minus|give\s+or\s+take|tolerance\s+of|margin\s+of|up\s+to|by)\s+(?:\w+\s+)?$|(?:points?|either\s+(?:way|side|direction))"
)
_FRACTIONS = {
    "half": 50,
    "a quarter": 25,
    "one quarter": 25,
    "a fifth": 20,
    "one fifth": 20,
    "a tenth": 10,
    "one tenth": 10,
    "three quarters": 75,
    "three-quarters": 75,
    "one-quarter": 25,
    "one in ten": 10,
    "one in five": 20,
    "one in four": 25,
}
_FRACTION = whole_words(
    [re.escape(name).replace("\\ ", " ").replace("\\-", "-") for name in sorted(_FRACTIONS, key=len, reverse=True)]
)


def read_case(query: Query, change: Change) -> list[Finding]:
    """Findings on letter case."""
    shares = _shares(query)
    claims = [*shares, *(c for c in _whole(query) if not any(_measured(query, c, share) for share in shares))]
    claims.sort(key=lambda claim: claim.start)
    if change.kind == "remove":
        assert change.before is not None  # a removal
        claims = [c for c in claims if c.value[0] == "share" or change.before["mode"] != "share"]
        free = _FREE.search(query.shadow)
        findings = [] if free else removed(query, change, _NOUNS, claims, _FREE, _says)
        lifted = [c for c in claims if is_lifted(query, c.start, c.end)]
        if not findings and lifted and not any(_says(c.value, change.before) for c in lifted):
            return [missing(change, "it lifts another case than the one in force", (lifted[0].start, lifted[0].end))]
        return findings
    assert change.after is not None  # an add or a modification
    if change.after["mode"] == "share" or any(c.value[0] == "share" and c.role == "new" for c in claims):
        claims = [c for c in claims if c.value[0] == "share" or c.role == "old" or change.after["mode"] != "share"]
    return compare(query, change, claims, _says, _demand(change.after))


def _measured(query: Query, claim: Claim, share: Claim) -> bool:
    """Whether a case is named only as what a share is a share of: `40 % of the letters in upper case`."""
    if share.end <= claim.start:
        gap = query.shadow[share.end : claim.start]
        return len(gap) <= 60 and not re.search(r"[,;:.!?]|(?<!\w)(?:but|all|use|instead)(?!\w)", gap)
    gap = query.shadow[claim.end : share.start]
    return len(gap) <= 40 and not re.search(r"[;.!?,]", gap)


def _shares(query: Query) -> list[Claim]:
    claims = []
    numbers = [(n.start, n.end, n.value) for n in find_numbers(query.shadow)]
    for start, end, value in numbers:
        percent = _PERCENT.match(query.shadow[end : end + 14])
        if not _LETTERS.search(query.shadow[slice(*query.sentence(start))]):
            continue  # another kind of share
        if not percent or _is_margin(query, start, end + percent.end()):
            continue
        claims.append(_share(query, start, end + percent.end(), value))
    for match in _FRACTION.finditer(query.shadow):
        if re.match(
            r"(?:\s+(?:of|the|your|all|its))*\s+(?:letters|text|characters|capitals|upper)",
            query.shadow[match.end() : match.end() + 40],
        ):
            claims.append(_share(query, *match.span(), _FRACTIONS[" ".join(match.group().split())]))
    return claims


def _share(query: Query, start: int, end: int, value: int) -> Claim:
    before = _BEFORE.search(query.shadow[max(0, start - 40) : start])
    after = re.match(
        r"\s*(?:or\s+(?:more|less|fewer|higher|lower)|at\s+(?:least|most)|minimum|maximum)",
        query.shadow[end : end + 20],
    )
    loose = (before is not None and before.lastgroup in ("least", "most", "less", "more")) or after is not None
    low_case = _nearest_case(query, start, end) == "lower"
    told = ("share", "loose" if loose else 100 - value if low_case else value)
    return Claim(told, start, end, role_of(query, start, end))


def _nearest_case(query: Query, start: int, end: int) -> str:
    """The case that a share is a share of: the first one named behind it in its sentence, else the last one before it."""
    low, high = query.sentence(start)
    behind = [(m.start(), kind) for kind, p in _CASES for m in p.finditer(query.shadow, end, high)]
    before = [(-m.start(), kind) for kind, p in _CASES for m in p.finditer(query.shadow, low, start)]
    return min(behind or before or [(0, "upper")])[1]


def _is_margin(query: Query, start: int, end: int) -> bool:
    return (
        re.search(
            r"(?:within|±|plus\s+or\s+minus|give\s+or\s+take|tolerance\s+of|margin\s+of)\s+(?:\w+\s+)?$",
            query.shadow[max(0, start - 30) : start],
        )
        is not None
        or re.match(r"\s*(?:percentage\s+)?points?|\s*either\s+(?:way|side|direction)", query.shadow[end : end + 30])
        is not None
        or "point" in query.shadow[start:end]
    )


_BOTH = re.compile(r"(?:upper|lower|capitals?|small|big|capital)(?:[\s-]?(?:case|letters?))?\s+and\s+$")


def _whole(query: Query) -> list[Claim]:
    claims = []
    for mode, other, pattern in (("all_upper", "all_lower", _UPPER), ("all_lower", "all_upper", _LOWER)):
        for match in pattern.finditer(query.shadow):
            if _BOTH.search(query.shadow, max(0, match.start() - 16), match.start()):
                continue
            if re.match(r"\s+(?:and|or)\s+(?:lower|small|upper|capital)", query.shadow[match.end() : match.end() + 16]):
                continue  # "upper and lower case" names the thing, not a value
            denied = _DENIED.search(query.shadow, max(0, match.start() - 60), match.start()) is not None
            role = role_of(query, *match.span())
            if denied and role != "new":
                role = (
                    "new"
                    if re.search(r"(?:no|without\s+(?:a|any))\s+(?:single\s+|more\s+)?$", query.shadow[: match.start()])
                    else role
                )
            claims.append(Claim((other if denied else mode, None), *match.span(), role))
    return claims


def _says(value: tuple[str, object], params: Params) -> bool:
    kind, share = value
    if kind == "share":
        return bool(params["mode"] == "share" and share == params["percent"])
    return bool(params["mode"] == kind)


def _plain_claims(query: Query, change: Change) -> list[Claim]:
    """Demands on the whole text, not a word on capitals in passing."""
    return [
        c
        for c in _whole(query)
        if not _EITHER.search(query.shadow, max(0, c.start - 14), c.end + 8)
        and _ALL.search(query.shadow, max(0, c.start - 24), c.end + 24)
    ]


_ALL = re.compile(
    r"(?<!\w)(?:all|every|everything|entirely|only|whole|in\s+(?:upper|lower|all|capital))(?!\w)|(?:upper|lower)[\s-]?case\s+(?:only|throughout)"
)
_EITHER = re.compile(r"(?<!\w)or(?!\w)|capitali[sz]ed")
case_claims = (_plain_claims, _says)
"""The claims on case that are plainly demands, and what compares them."""


def _demand(params: Params) -> str:
    if params["mode"] == "share":
        return f"about {params['percent']} % capitals"
    return "every letter in upper case" if params["mode"] == "all_upper" else "every letter in lower case"
