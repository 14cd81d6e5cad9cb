"""Reads lengths: number, unit and relation."""

from __future__ import annotations

import re

from evolif.domain import Finding, Params
from evolif.synthesis.checkers._claims import Change, Claim, compare, missing
from evolif.synthesis.checkers._relations import UNBOUNDED, Quantity, counts_as_one, quantities
from evolif.synthesis.checkers._removal import is_lifted, removed
from evolif.synthesis.checkers._roles import Role, role_of
from evolif.synthesis.checkers._shadow import Query

UNITS = ("words", "sentences", "paragraphs", "characters")
_UNIT = re.compile(
    r"^(?:[\s-]*(?:(?:or|and)\s+(?:more|fewer|less|so|under|over|up)|full|complete|short|long|whole|separate|individual|distinct|English|plain|brief|"
    r"proper|actual|different|single|total|in\s+total|solid|neat|well-formed))?[\s-]*(word|sentence|paragraph|character)s?(?!\w)",
    re.IGNORECASE,
)
_UNIT_BEFORE = re.compile(
    r"(?<!\w)(word|sentence|paragraph|character)s?(?:[\s-]+(?:count|limit|total|number|budget|target|cap|length|mark|maximum|minimum|ceiling|floor|tally|range))?\s*"
    r"(?:of|is|at|to|should\s+be|must\s+be|be|stays?|:|=|comes?\s+(?:out\s+)?(?:to|at))?\s*(?:(?:\w+[\s-]+){0,3})$"
)
_ANY_UNIT = re.compile(r"(?<!\w)(word|sentence|paragraph|character)s?(?!\w)")
_COUNT_OF = re.compile(
    r"(?<!\w)(?:number|count|amount)\s+of\s+(word|sentence|paragraph|character)s?(?!\w)|(?<!\w)(word|sentence|paragraph|character)s?[\s-]+(?:count|limit|total|budget|target|cap|length|tally|maximum|minimum|range)"
)
_EACH = re.compile(
    r"^\s*(?:long\s+)?(?:each|apiece|every|(?:per|in|for|to)\s+(?:a|an|each|every|any|the\s+\w+)?\s*(?:sentence|paragraph|bullet|item|point|line|section)s?)(?!\w)"
)
_EVERY_BEFORE = re.compile(
    r"(?<!\w)(?:each|every|no|any|all)\s+(?:single\s+)?(?:sentence|paragraph|bullet|item|point)s?\s[^.!?;,]{0,60}$"
)
_NOUNS = re.compile(
    r"(?<!\w)(?:lengths?|how\s+(?:long|short|many\s+(?:words|sentences|paragraphs|characters))|(?:word|sentence|paragraph|character)s?[\s-]*(?:count|limit|total|number|requirement|budget|target|cap|restriction|range|minimum|maximum|rule|ceiling|quota|goal|figure|constraint)s?"
    r"|number\s+of\s+(?:words|sentences|paragraphs|characters)|size(?:\s+limit)?|brevity|shortness|long|(?<!point\s)(?<!points\s)(?<!bullet\s)(?<!item\s)(?<!heading\s)(?<!keyword\s)limit)(?!\w)"
)
_FREE = re.compile(
    r"(?<!\w)(?:as\s+(?:much|long)\s+or\s+as\s+(?:little|short)\s+as|n't\s+count\s+(?:the\s+)?(?:words|sentences|paragraphs|characters)|as\s+(?:long|short|many\s+(?:words|sentences|paragraphs|characters)|much)(?:\s+or\s+(?:as\s+)?(?:long|short|few))?\s+as\s+(?:you|it|the)|any\s+length|whatever\s+length|however\s+(?:long|short|many)|length\s+(?:is\s+)?(?:up\s+to\s+you|free)|of\s+any\s+length)(?!\w)"
)


def read_length(query: Query, change: Change) -> list[Finding]:
    """Findings on a turn that adds, changes or lifts a length."""
    claims = _ranges(_claims(query, change))
    if change.kind != "remove":
        return compare(query, change, claims, _says, _demand(change.after or {}))
    assert change.before is not None  # a removal
    findings = removed(query, change, _NOUNS, claims, _FREE, _same_number)
    wrong = [c for c in claims if is_lifted(query, c.start, c.end) and not _same_number(c.value, change.before)]
    if not findings and wrong:
        return [
            missing(change, f"it lifts another length than {_demand(change.before)}", (wrong[0].start, wrong[0].end))
        ]
    units = {
        unit for m in _COUNT_OF.finditer(query.shadow) for unit in m.groups() if unit and is_lifted(query, *m.span())
    }
    if not findings and units and change.before["unit"].removesuffix("s") not in units:
        return [missing(change, f"it lifts a limit on {', '.join(sorted(units))}s, not on {change.before['unit']}")]
    return findings


def _claims(query: Query, change: Change) -> list[Claim]:
    claims: list[Claim] = []
    unit = ""
    spans = any((p or {}).get("relation") == "between" for p in (change.before, change.after))
    for quantity in quantities(query, moves=not spans):
        if quantity.number == 1 and (counts_as_one(query, quantity) or not _UNIT.match(query.shadow[quantity.end :])):
            continue
        if _RELATIVE.match(query.shadow[quantity.end :]):
            unit = _last_unit(query, quantity.end + 20) or unit
            continue  # "a hundred characters more" counts from where one is
        found, end = _unit_of(query, quantity)
        ranged = 0 < quantity.low < quantity.high < UNBOUNDED
        moved = not ranged or _UP_FROM.search(query.shadow, 0, quantity.start) is not None
        role: Role = role_of(query, quantity.start, quantity.end, moved=moved)
        if _contrasts(query, quantity, change.before):
            role = "old"
        if not found and (unit or _OF_THEM.match(query.shadow, quantity.end)) and _is_elided(query, quantity):
            found, end = _last_unit(query, quantity.start) or unit, quantity.end
            if quantity.bare and change.before is not None:
                quantity = _inherit(quantity, change.before)
        elif found and quantity.bare and change.before is not None and _MOVED.search(query.shadow, 0, quantity.start):
            quantity = _inherit(quantity, change.before)  # "raise the ceiling from 1,000 characters to 2,400"
        if found:
            unit = found
            claims.append(Claim((found, quantity), quantity.start, end, role))
    return claims


_RELATIVE = re.compile(
    r"[\s-]+(?:more\s+|fewer\s+|extra\s+|additional\s+)?(?:words?|sentences?|paragraphs?|characters?)\s+(?:more|fewer|less|longer|shorter)(?!\s+than)(?!\w)"
)


def _ranges(claims: list[Claim]) -> list[Claim]:
    """`at least 800 characters, and 900 at most` is one range."""
    least = [c for c in claims if c.role == "new" and c.value[1].high == UNBOUNDED]
    most = [c for c in claims if c.role == "new" and c.value[1].low == 0]
    if len(least) != 1 or len(most) != 1 or least[0].value[0] != most[0].value[0]:
        return claims
    low, high = least[0].value[1], most[0].value[1]
    start, end = min(low.start, high.start), max(least[0].end, most[0].end)
    both = Quantity(low.low, high.high, start, end, number=low.low)
    rest = [c for c in claims if c is not least[0] and c is not most[0]]
    return sorted([*rest, Claim((least[0].value[0], both), start, end, "new")], key=lambda claim: claim.start)


_UP_FROM = re.compile(r"(?<!\w)(?:up|down|away|over|back)\s+from\s+(?:\w+\s+)?$")
_MOVED = re.compile(r"(?<!\w)from\s[^.!?;]{0,60}\bto\s+$")


def _unit_of(query: Query, quantity: Quantity) -> tuple[str, int]:
    rest = query.shadow[quantity.end : quantity.end + 60]
    after = _UNIT.match(rest)
    if after:
        if _EACH.match(rest[after.end() :]) or _EVERY_BEFORE.search(
            query.shadow[max(0, quantity.start - 90) : quantity.start]
        ):
            return "", 0
        return f"{after[1].lower()}s", quantity.end + after.end()
    before = _UNIT_BEFORE.search(query.shadow[max(0, quantity.start - 60) : quantity.start])
    if before and re.match(
        r"^\s*(?:[,.;:!?)—–-]|$|mark|or\s|and\s|now|instead|this|please|in\s|total|for\s|exactly|tops|max)", rest
    ):
        return f"{before[1]}s", quantity.end
    return "", 0


def _contrasts(query: Query, quantity: Quantity, before: Params | None) -> bool:
    """`…, not more than 1000` where more than 1000 was the old demand."""
    if before is None or quantity.number != before["count"]:
        return False
    cue = {"more_than": r"more|over|above", "less_than": r"less|fewer|under|below"}.get(before["relation"])
    left = query.shadow[max(0, quantity.start - 30) : quantity.start]
    return cue is not None and re.search(rf"(?:,|and|but)\s+not\s+(?:{cue})(?:\s+than)?\s+$", left) is not None


_OF_THEM = re.compile(r"\s+of\s+(?:them|those)(?!\w)")


def _last_unit(query: Query, at: int) -> str:
    """The unit that was named last, shortly before: `what counts is sentences, exactly 20`."""
    named = list(_ANY_UNIT.finditer(query.shadow, max(0, at - 70), at))
    return f"{named[-1][1]}s" if named else ""


def _is_elided(query: Query, quantity: Quantity) -> bool:
    """A number that stands alone after another length: `not 200 words but 300`."""
    return (
        re.match(
            r"^\s*(?:[,.;:!?)—–]|$|now|instead|this\s+time|please|of\s+(?:them|those)|be|would|will|is|might|should|may|suffices?|seems?|sounds?|rather|from|in\s+place|at\s+(?:the\s+)?(?:very\s+)?(?:most|least)|or\s+(?:more|fewer))",
            query.shadow[quantity.end :],
        )
        is not None
    )


def _inherit(quantity: Quantity, before: Params) -> Quantity:
    low, high = _range({**before, "count": quantity.number})
    return Quantity(low, high, quantity.start, quantity.end, number=quantity.number)


def _range(params: Params) -> tuple[int, int]:
    count = params["count"]
    return {
        "less_than": (0, count - 1),
        "more_than": (count + 1, UNBOUNDED),
        "exactly": (count, count),
        "between": (count, params.get("upper", count)),
    }[params["relation"]]


def _says(value: tuple[str, Quantity], params: Params) -> bool:
    unit, quantity = value
    low, high = _range(params)
    least = 1 if low == 0 else low
    told = 1 if quantity.low == 0 else quantity.low
    return unit == params["unit"] and not quantity.vague and (told, quantity.high) == (least, high)


def _same_number(value: tuple[str, Quantity], params: Params) -> bool:
    unit, quantity = value
    return unit == params["unit"] and quantity.number == params["count"]


def _plain_claims(query: Query, change: Change) -> list[Claim]:
    return _ranges(_claims(query, Change("add", "length", None, None)))


length_claims = (_plain_claims, _says)
"""The claims on length, and what compares them, for whoever looks for demands beside the change."""


def _demand(params: Params) -> str:
    relation = {"less_than": "fewer than", "more_than": "more than", "exactly": "exactly", "between": "between"}
    upper = f" and {params['upper']}" if "upper" in params else ""
    return f"{relation[params['relation']]} {params['count']}{upper} {params['unit']}"
