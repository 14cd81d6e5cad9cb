"""Reads counts of things: bullets, numbered items, headings, bold passages, questions, words per sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from evolif.domain import Finding, Params
from evolif.synthesis.checkers._claims import Change, Claim, compare, missing
from evolif.synthesis.checkers._relations import Quantity, counts_as_one, quantities
from evolif.synthesis.checkers._removal import is_lifted, removed
from evolif.synthesis.checkers._roles import role_of
from evolif.synthesis.checkers._shadow import Query


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that can be counted, and how people name it."""

    name: str
    after: re.Pattern[str]
    """What may follow the number."""
    before: re.Pattern[str]
    """What may stand before it: `the bullet count to 5`."""
    nouns: re.Pattern[str]
    """What the constraint may be called by when it is lifted."""
    most: bool = False
    """The number is the most that is allowed, not the exact number."""


_DENIED = re.compile(
    r"(?<!\w)(?:no|without|avoid(?:ing)?|not\s+(?:use|include|add)|n't\s+(?:use|include|add|want))\s+(?:any\s+)?$"
)
_DENIED_AFTER = re.compile(
    r"^[^.!?;]{0,40}?(?<!\w)(?:must|should|may)(?:n't|\s+not|\s+never)\s+(?:occur|appear|be|show|come)"
)
_ADJECTIVES = r"(?:[\s-]+(?!bullet|heading|bold|question|word|number)[a-z'-]+){0,2}?"


def _thing(name: str, after: str, before: str, nouns: str, *, most: bool = False) -> Thing:
    return Thing(
        name,
        re.compile(rf"^{_ADJECTIVES}[\s-]*(?:{after})(?!\w)"),
        re.compile(
            rf"(?<!\w)(?:{before})\s*(?:(?:of|is|at|to|be|with|down|up|has|have|holds?|contain\w*|=|:|should|must|now|from|exactly|precisely|a|total|just|only|count)\s*){{0,5}}$"
        ),
        re.compile(rf"(?<!\w)(?:{nouns})(?!\w)"),
        most,
    )


_BULLET = (
    r"bullets?(?:[\s-]?(?:points?|list|items?|entries|lines))*|bulleted(?:\s+\w+)?|points?|(?:list\s+)?items?|dots?"
)
BULLETS = _thing(
    "bullet points",
    rf"(?:{_BULLET})(?![\s-]*(?:out|font))",
    r"bullets?(?:[\s-]?points?)?(?:\s+(?:count|number|total|list|tally))?|bulleted\s+list|number\s+of\s+(?:bullets?(?:[\s-]?points?)?|points|items)|list",
    r"bullets?(?:[\s-]?(?:points?|lists?|items?|count|rule|requirement))*|bulleted|(?:bullet(?:ed)?\s+)?lists?|list\s+items?|points",
)
NUMBERED = _thing(
    "numbered items",
    r"numbered(?:\s+(?:list\s+)?(?:items?|points?|entries|steps?|lines))?|(?:items?|points?|steps?|entries)(?:\s+(?:in|on)\s+(?:a|the)\s+(?:numbered|ordered)\s+list)?|ordered(?:\s+(?:list\s+)?(?:items?|points?))?",
    r"(?:numbered|ordered)\s+(?:list|items?|points?)|number\s+of\s+numbered\s+(?:\w+\s*)+|list",
    r"number(?:ed|ing)?(?:\s+(?:list|items?|points?|entries))*|ordered\s+list|lists?|list\s+items?",
)
HEADINGS = _thing(
    "headings",
    r"(?:sub)?(?:section\s+)?(?:headings?|headers?|subheadings?|titles?)",
    r"(?:headings?|headers?)(?:\s+(?:count|number|total))?|number\s+of\s+(?:headings?|headers?)",
    r"(?:sub)?(?:headings?|headers?)|titles?|section\s+titles?",
)
BOLD = _thing(
    "bold passages",
    r"(?:[\w-]+\s+){0,6}?(?:in\s+bold|bold(?:ed|face|faced)?|emphasi[sz]ed)(?:\s+(?:passages?|phrases?|words?|bits?|places?|parts?|pieces?|terms?|type|print|spots?|spans?|snippets?|sections?))*"
    r"|(?:passages?|phrases?|bits?|places?|parts?|pieces?|spots?|snippets?)",
    r"(?:number\s+of\s+)?(?:bold(?:ed|face)?)(?:\s+(?:passages?|phrases?|words?|bits?|parts?|type|text|count|spots?|snippets?))*",
    r"bold(?:ed|face|ing|s)?(?:\s+\w+)?|emphasis|emphasi[sz]\w+",
)
QUESTIONS = _thing(
    "questions",
    r"(?:\s+of\s+(?:them|these|those))?\W*(?:exactly\s+\w+\W+)?(?:should|must|are|have\s+to|to)\s+(?:be\s+)?(?:phrased\s+as\s+)?questions?|of\s+(?:the|your|my|its)\s+sentences?[^.!?]{0,60}?question\s+marks?|(?:of\s+(?:the|your)\s+)?(?:sentences?\s+)?(?:(?:\w+\s+){0,4})?(?:questions?(?:\s+marks?)?)",
    r"(?:number\s+of\s+)?questions?(?:\s+(?:count|number|total))?",
    r"questions?(?:\s+marks?)?",
)
MAX_WORDS = _thing(
    "words per sentence",
    r"words?",
    r"sentence(?:s|\s+length)?(?:\s+\w+){0,4}",
    r"sentences?(?:[\s-]lengths?)?|(?:words?\s+)?(?:per|in\s+a)\s+sentence|how\s+long\s+(?:\w+\s+)?sentences?",
    most=True,
)

_PER_SENTENCE = re.compile(
    r"(?<!\w)(?:(?:each|every|any|no|per|a|one|single|all|individual|your|the|longest|max\w*)\s+(?:\w+\s+)?sentences?|sentences?(?:\s+\w+){0,6}\s+(?:each|apiece|\d+|longer)|sentences)(?!\w)"
)
_WORD_LIMIT = re.compile(r"(?:-word)\s+sentences?")


_FREE = re.compile(
    r"(?<!\w)(?:as\s+(?:long|many\s+\w+|much)(?:\s+or\s+(?:as\s+)?(?:short|few))?\s+as\s+(?:you|it|they|the)|any\s+(?:number|length)|however\s+(?:many|long)|(?:may|can|could|might)\s+(?!not)(?:\w+\s+)?(?:exceed|go\s+(?:over|past|beyond|above)|run\s+(?:over|past|on)|be\s+longer)|(?:may|can)\s+be\s+(?:any|longer|as\s+long))(?!\w)"
)


def read_counted(query: Query, change: Change, thing: Thing, other: Thing | None = None) -> list[Finding]:
    """Findings on a number of things.

    Args:
        query: The query.
        change: The change of the turn.
        thing: What is counted after it, or before it in a removal.
        other: What was counted before, where a modification changes the thing.
    """
    claims = _claims(query, change, thing, change.after if change.kind != "remove" else change.before)
    if change.kind == "remove":
        findings = removed(query, change, thing.nouns, claims, _FREE, _is)
        wrong = [c for c in claims if is_lifted(query, c.start, c.end) and not _is(c.value, change.before or {})]
        if not findings and wrong:
            return [
                missing(
                    change,
                    f"it lifts another number than {_demand(thing, change.before or {})}",
                    (wrong[0].start, wrong[0].end),
                )
            ]
        return findings
    denied = [
        m.span()
        for m in thing.nouns.finditer(query.shadow)
        if _DENIED.search(query.shadow, max(0, m.start() - 30), m.start())
        or _DENIED_AFTER.match(query.shadow[m.end() :])
    ]
    if denied and change.kind == "add" and not thing.most:
        return [missing(change, f"it asks for no {thing.name}", *denied[:1])]
    return compare(query, change, claims, _exact if not thing.most else _most, _demand(thing, change.after or {}))


def _claims(query: Query, change: Change, thing: Thing, params: Params | None) -> list[Claim]:
    claims: list[Claim] = []
    if thing.most and not _PER_SENTENCE.search(query.shadow) and change.kind != "modify":
        return []
    for quantity in quantities(query, ranges=False):
        rest = query.shadow[quantity.end : quantity.end + 110]
        after = thing.after.match(rest)
        before = thing.before.search(query.shadow[max(0, quantity.start - 60) : quantity.start])
        if quantity.number == 1 and (not after or counts_as_one(query, quantity) or _FOR_EACH.search(rest)):
            continue
        if _ENUMERATED.search(query.shadow[max(0, quantity.start - 6) : quantity.end + 3]):
            continue  # "(1, 2, 3 and so on)"
        listed = _OF_THEM.match(rest) and _ASKED.search(query.shadow, max(0, quantity.start - 16), quantity.start)
        if listed and thing.nouns.search(query.shadow, *query.sentence(quantity.start)):
            claims.append(Claim(quantity, quantity.start, quantity.end, role_of(query, quantity.start, quantity.end)))
            continue
        elided = (bool(claims) or _just_named(query, thing, quantity.start)) and _stands_alone(rest)
        if _RELATIVE.match(rest) or re.search(
            r"(?<!\w)more\s*$", query.shadow[max(0, quantity.end - 5) : quantity.end]
        ):
            continue  # "two bullets more" counts from where one is
        if (
            after
            or (before and (_stands_alone(rest) or not re.match(r"\s*(?:words|sentences|paragraphs|characters)", rest)))
            or elided
        ):
            end = quantity.end + (after.end() if after else 0)
            claims.append(Claim(quantity, quantity.start, end, role_of(query, quantity.start, quantity.end)))
    return claims


_ENUMERATED = re.compile(r"\d\s?,\s\d|\d\)\s")
_FOR_EACH = re.compile(r"^[^.!?,;]{0,30}?(?<!\w)(?:for\s+(?:each|every)|per)(?!\w)")
_RELATIVE = re.compile(
    r"\s*(?:more|fewer|less|extra|additional)(?!\w)(?!\s+than)|(?:\s+(?!or\b)[\w-]+){1,3}\s+(?:more|fewer|less)(?!\s+than)(?!\w)"
)


_OF_THEM = re.compile(r"\s+of\s+(?:them|those|these)(?!\w)")
_ASKED = re.compile(r"(?:[,:—–]|(?<!\w)(?:make|use|have|include|with|want|give|get|exactly|just|precisely|only))\s*$")


def _just_named(query: Query, thing: Thing, at: int) -> bool:
    """Whether the thing was named shortly before: `bullets would help. Make it 5`."""
    return thing.nouns.search(query.shadow, max(0, at - 50), at) is not None


def _stands_alone(rest: str) -> bool:
    return (
        re.match(
            r"\s*(?:of\s+(?:them|those))?\s*(?:[,.;:!?)—–]|$|-\s|now|altogether|in\s+(?:number|all)|all\s+told|overall|instead|this|please|exactly|in\s+(?:total|place)|rather|from|long|will|(?:is|are)\s+(?:enough|plenty|the\s+(?:number|magic)|it|right|perfect|what|fine)|suffice)",
            rest,
        )
        is not None
    )


def _exact(value: Quantity, params: Params) -> bool:
    return not value.vague and value.low == value.high == params.get("count")


def _most(value: Quantity, params: Params) -> bool:
    if value.vague or value.high != params.get("count"):
        return False
    return value.low <= 1 or value.bare


def _is(value: Quantity, params: Params) -> bool:
    return bool(value.number == params.get("count"))


def _demand(thing: Thing, params: Mapping[str, object]) -> str:
    return f"{'at most' if thing.most else 'exactly'} {params.get('count')} {thing.name}"


def _bullet_claims(query: Query, change: Change) -> list[Claim]:
    return [
        claim
        for claim in _claims(query, change, BULLETS, None)
        if re.search(r"bullet", query.shadow[claim.start : claim.end + 1]) and not claim.value.vague
    ]


bullet_claims = (_bullet_claims, _exact)
"""The claims on bullets that name them, and what compares them."""


def read_bullets(query: Query, change: Change) -> list[Finding]:
    """Bullet points, or numbered items."""
    params = change.after if change.kind != "remove" else change.before
    numbered = (params or {}).get("kind") == "numbered"
    if change.before is not None and change.after is not None and change.before.get("kind") != change.after.get("kind"):
        change = replace(change, before=None)  # the same number of other things is another demand
    findings = read_counted(query, change, NUMBERED if numbered else BULLETS)
    if not findings and change.kind != "remove":
        kind = re.compile(r"(?<!\w)(?:numbered|ordered|numbers)(?!\w)" if numbered else r"(?<!\w)(?:bullet\w*)")
        named = any(role_of(query, *m.span()) == "new" for m in kind.finditer(query.shadow))
        if not named and (change.kind == "add" or (change.before or {}).get("kind") != (params or {}).get("kind")):
            return [
                missing(change, f"it does not say that the items are {'numbered' if numbered else 'bullet points'}")
            ]
    return findings


def read_headings(query: Query, change: Change) -> list[Finding]:
    """Headings."""
    return read_counted(query, change, HEADINGS)


def read_emphasis(query: Query, change: Change) -> list[Finding]:
    """Passages in bold."""
    if change.kind == "add" and not re.search(r"(?<!\w)(?:bold|emphasi[sz])", query.shadow):
        return [missing(change, "it does not speak of bold type")]
    return read_counted(query, change, BOLD)
