"""Reads lengths: number, unit and relation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evolif.domain import Finding, Params
from evolif.synthesis.checkers._claims import Change, Claim, compare, misnamed, missing
from evolif.synthesis.checkers._cues import cues, heard
from evolif.synthesis.checkers._quantities import UNBOUNDED, Quantity, counts_as_one, quantities
from evolif.synthesis.checkers._removal import is_lifted, removed
from evolif.synthesis.checkers._roles import Role, role_of
from evolif.synthesis.checkers._shadow import Query
from evolif.synthesis.checkers._units import last_unit, unit_after, unit_in, unit_of

_ALONE = r"[,.;:!?)—–-]|$"
_BACK = 90
"""Characters before a number in which it may be said to be what another one changes to."""


def read_length(query: Query, change: Change) -> list[Finding]:
    """Findings on a turn that adds, changes or lifts a length."""
    claims = _ranges(_claims(query, change))
    demand = _demand(change.params)
    if change.kind != "remove":
        findings = compare(query, change, claims, _says, demand) or misnamed(change, claims, _about_that)
        return findings or _taken_back(query, change)
    vocabulary = heard("length")
    nouns, free = vocabulary.anywhere("nouns"), vocabulary.anywhere("free")
    return removed(query, change, nouns, claims, free, _same_number, demand) or _other_unit(query, change)


_NO_LIMIT = re.compile(
    r"(?<!\w)(?:there(?:'s| is)|with) no (?:upper |lower )?limit (?:to|on) the (?:answer|response|text|length)(?!\w)"
)


def _taken_back(query: Query, change: Change) -> list[Finding]:
    """A limit that the same query says there is not."""
    found = _NO_LIMIT.search(query.shadow)
    return [missing(change, "it also says that there is no limit", found.span())] if found else []


def _about_that(value: tuple[str, Quantity], params: Params) -> bool:
    """The same number, give or take the one by which `at most 19` and `fewer than 20` differ."""
    unit, quantity = value
    return bool(unit == params["unit"] and abs(quantity.number - params["count"]) <= 1)


def _other_unit(query: Query, change: Change) -> list[Finding]:
    """A limit is lifted by the name of another unit: `drop the word limit`."""
    limits = heard("length").anywhere("limits").finditer(query.shadow)
    units = {unit_in(m.group()) for m in limits if is_lifted(query, *m.span())}
    if units and change.params["unit"] not in units:
        return [missing(change, f"it lifts a limit on {', '.join(sorted(units))}, not on {change.params['unit']}")]
    return []


def _claims(query: Query, change: Change) -> list[Claim]:
    claims: list[Claim] = []
    unit = ""
    spans = any((p or {}).get("relation") == "between" for p in (change.before, change.after))
    for quantity in quantities(query, moves=not spans):
        if quantity.number == 1 and (counts_as_one(query, quantity) or not unit_after(query.shadow[quantity.end :])):
            continue
        if heard("length").framed("relative", left=r"[\s-]{1,4}").match(query.shadow, quantity.end):
            unit = last_unit(query, quantity.end + 20) or unit
            continue  # "a hundred characters more" counts from where one is
        found, end = unit_of(query, quantity)
        elided = not found and _is_elided(query, quantity, unit)
        if elided:
            found, end = last_unit(query, quantity.start) or unit, quantity.end
        if found:
            unit = found
            role = _role(query, change, quantity)
            told = _inherited(query, change, quantity) if elided or _is_moved_to(query, quantity) else quantity
            claims.append(Claim((found, told), quantity.start, end, role))
    return claims


def _role(query: Query, change: Change, quantity: Quantity) -> Role:
    if _contrasts(query, quantity, change.before):
        return "old"
    ranged = 0 < quantity.low < quantity.high < UNBOUNDED
    moved = not ranged or _precedes(query, "up_from", quantity)  # "from 8 to 12" may be a range
    return role_of(query, quantity.start, quantity.end, moved=moved)


def _is_elided(query: Query, quantity: Quantity, unit: str) -> bool:
    """A number that stands alone after another length: `not 200 words but 300`."""
    of_them = cues().after("counted", "of_them").match(query.shadow, quantity.end)
    alone = heard("length").framed("alone", left="( )?(", right=f"|{_ALONE})")
    return (bool(unit) or of_them is not None) and alone.match(query.shadow, quantity.end) is not None


def _is_moved_to(query: Query, quantity: Quantity) -> bool:
    """`raise the ceiling from 1,000 characters to 2,400 characters`: the relation stays."""
    return _precedes(query, "from_to", quantity)


def _precedes(query: Query, key: str, quantity: Quantity) -> bool:
    start = quantity.start
    return heard("length").before(key).search(query.shadow, max(0, start - _BACK), start) is not None


def _inherited(query: Query, change: Change, quantity: Quantity) -> Quantity:
    """A bare number takes the relation of the constraint that it changes."""
    if not quantity.bare or change.before is None:
        return quantity
    low, high = _range({**change.before, "count": quantity.number})
    return Quantity(low, high, quantity.start, quantity.end, number=quantity.number)


def _contrasts(query: Query, quantity: Quantity, before: Params | None) -> bool:
    """`…, not more than 1000` where more than 1000 was the old demand."""
    if before is None or quantity.number != before["count"] or before["relation"] not in ("more_than", "less_than"):
        return False
    pattern = heard("length").framed("contrast", before["relation"], left="(,|and|but) ", right="( )?$")
    return pattern.search(query.shadow, max(0, quantity.start - 30), quantity.start) is not None


def _ranges(claims: Sequence[Claim]) -> Sequence[Claim]:
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
    told, asked = (max(quantity.low, 1), quantity.high), (max(low, 1), high)
    return bool(unit == params["unit"] and not quantity.vague and told == asked)


def _same_number(value: tuple[str, Quantity], params: Params) -> bool:
    unit, quantity = value
    return bool(unit == params["unit"] and quantity.number == params["count"])


def _plain_claims(query: Query, change: Change) -> Sequence[Claim]:
    return _ranges(_claims(query, Change("add", "length", None, None)))


length_claims = (_plain_claims, _says)
"""The claims on length, and what compares them, for whoever looks for demands beside the change."""


def _demand(params: Params) -> str:
    relation = {"less_than": "fewer than", "more_than": "more than", "exactly": "exactly", "between": "between"}
    upper = f" and {params['upper']}" if "upper" in params else ""
    return f"{relation[params['relation']]} {params['count']}{upper} {params['unit']}"
