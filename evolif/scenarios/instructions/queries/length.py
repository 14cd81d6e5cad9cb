"""Reads lengths: number, unit and relation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evolif.scenarios.instructions.queries.change import Claim, QueryChange
from evolif.scenarios.instructions.queries.comparison import Said, compare, finding, is_lifted, misnamed, removed
from evolif.scenarios.instructions.queries.counted import (
    distinct_starts,
    is_asked,
    is_count_denied,
    lone_numbers,
    role_alone,
)
from evolif.scenarios.instructions.queries.numbers import (
    UNBOUNDED,
    Quantity,
    by_pronoun,
    counts_as_one,
    last_unit,
    quantities,
    relation,
    unit_after,
    unit_in,
    unit_of,
    units_in,
)
from evolif.scenarios.instructions.queries.polarity import Role, role_of
from evolif.scenarios.instructions.queries.reader import Reader
from evolif.scenarios.instructions.queries.reading import Query
from evolif.scenarios.instructions.queries.vocabulary import cues, heard
from evolif.scenarios.instructions.turns import Finding, Params

_ALONE = r"[,.;:!?)—–-]|$"
_LENGTH_BACK = 90
"""Characters before a number in which it may be said to be what another one changes to."""


class LengthReader(Reader):
    """Reads lengths of the whole text."""

    def said(self, query: Query, change: QueryChange) -> list[Said]:
        """Every length: `(unit, quantity)`; where none is new, numbers without a unit, too."""
        claims = _ranges(_claims(query, change))
        if not change.is_known or change.kind == "remove":
            return claims
        if any(c.role == "new" and not _is_former(c, change) for c in claims):
            return claims
        return [*claims, *_unitless(query, change, claims)]

    def claim(self, query: Query, said: Said) -> Claim | None:
        """A length of the text, and not one of its parts."""
        unit, quantity = said.value
        if (
            said.role != "new"
            or (quantity.bare and quantity.number == 1)
            or (unit == "sentences" and quantity.number <= 2 and distinct_starts(query))
            or _counts_a_part(query, unit, quantity, said.end)
        ):
            return None
        return Claim("length", "require", {"unit": unit, **_sized(quantity)}, said.span)

    def claims(self, query: Query, said: Sequence[Said]) -> Iterator[Claim]:
        """The lengths, and words that only ask for a short or a long text."""
        counted = list(super().claims(query, said))
        yield from counted
        for match in heard("length").anywhere("uncounted").finditer(query.shadow) if not counted else ():
            if is_asked(query, *match.span()):
                yield Claim("length", "require", {}, match.span())

    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on a length."""
        return _compare(query, change, said)


def _compare(query: Query, change: QueryChange, claims: Sequence[Said]) -> list[Finding]:
    demand = _demand(change.params)
    if change.kind != "remove":
        findings = compare(query, change, claims, _says, demand) or misnamed(change, claims, _about_that)
        return findings or _taken_back(query, change)
    vocabulary = heard("length")
    nouns, free = vocabulary.anywhere("nouns"), vocabulary.anywhere("free")
    return removed(query, change, nouns, claims, free, _same_number, demand) or _other_unit(query, change)


def _is_former(claim: Said, change: QueryChange) -> bool:
    return change.before is not None and _same_number(claim.value, change.before)


def _unitless(query: Query, change: QueryChange, claims: Sequence[Said]) -> list[Said]:
    """Numbers without a unit: it is the one that the query wants counted, or the one in force."""
    unit = _counted_unit(query, change)
    taken = [claim.span for claim in claims]
    found = []
    ranged = change.params["relation"] == "between"
    for quantity in lone_numbers(query, ranges=ranged) if unit else ():
        if not any(start <= quantity.start < end for start, end in taken):
            inherits = change.before is not None and unit == change.before["unit"]
            told = _inherited(query, change, quantity) if inherits else quantity
            found.append(Said((unit, told), quantity.start, quantity.end, role_alone(query, quantity)))
    return found


def _counted_unit(query: Query, change: QueryChange) -> str:
    """The unit that the query names and does not give up, else the one in force; empty where there is none."""
    named = [(f"{m['unit']}s", m.span()) for m in units_in(query)]
    current = (change.before or {}).get("unit", "")
    kept = [unit for unit, span in named if unit != current and role_of(query, *span) == "new"]
    return kept[0] if kept else current


_NO_LIMIT = re.compile(
    r"(?<!\w)(?:there(?:'s| is)|with) no (?:upper |lower )?limit (?:to|on) the (?:answer|response|text|length)(?!\w)"
)


def _taken_back(query: Query, change: QueryChange) -> list[Finding]:
    """A limit that the same query says there is not."""
    found = _NO_LIMIT.search(query.shadow)
    return [finding("reversed", change, "it also says that there is no limit", found.span())] if found else []


def _about_that(value: tuple[str, Quantity], params: Params) -> bool:
    """The same number, give or take the one by which `at most 19` and `fewer than 20` differ."""
    unit, quantity = value
    return bool(unit == params["unit"] and abs(quantity.number - params["count"]) <= 1)


def _other_unit(query: Query, change: QueryChange) -> list[Finding]:
    """A limit is lifted by the name of another unit: `drop the word limit`."""
    limits = heard("length").anywhere("limits").finditer(query.shadow)
    units = {unit_in(m.group()) for m in limits if is_lifted(query, *m.span())}
    if units and change.params["unit"] not in units:
        return [
            finding("wrong", change, f"it lifts a limit on {', '.join(sorted(units))}, not on {change.params['unit']}")
        ]
    return []


def _claims(query: Query, change: QueryChange) -> list[Said]:
    claims: list[Said] = []
    unit = ""
    spans = any((p or {}).get("relation") == "between" for p in (change.before, change.after))
    for quantity in quantities(query, moves=not spans):
        if quantity.number == 1 and _is_no_length(query, change, quantity):
            continue
        if heard("length").framed("relative", left=r"[\s-]{1,4}").match(query.shadow, quantity.end):
            unit = last_unit(query, quantity.end + 20) or unit
            continue  # "a hundred characters more" counts from where one is
        found, end = unit_of(query, quantity)
        elided = not found and _is_elided(query, quantity, unit)
        if elided:
            found, end = last_unit(query, quantity.start) or unit, quantity.end
        if found:
            if elided and any(c.value == (found, c.value[1]) and c.value[1].number == quantity.number for c in claims):
                continue  # "ten sentences, bang on ten"
            unit = found
            role = _role(query, change, quantity)
            inherits = elided or _is_moved_to(query, quantity) or _is_of_before(change, found, quantity)
            told = _inherited(query, change, quantity) if inherits else quantity
            claims.append(Said((found, told), quantity.start, end, role))
    return claims


def _is_no_length(query: Query, change: QueryChange, one: Quantity) -> bool:
    """`one` that counts nothing: `a list counts as one paragraph`, where no length of one is asked for."""
    if not unit_after(query.shadow[one.end :]):
        return True
    asked = change.after is not None and change.after.get("count") == 1
    return counts_as_one(query, one) and not asked


def _is_of_before(change: QueryChange, unit: str, quantity: Quantity) -> bool:
    """`the limit of 800 words`: the number in force, whose relation need not be said again."""
    before, after = change.before or {}, change.after or {}
    same = (unit, quantity.number) == (before.get("unit"), before.get("count"))
    return same and (unit, quantity.number) != (after.get("unit"), after.get("count"))


def _role(query: Query, change: QueryChange, quantity: Quantity) -> Role:
    if _contrasts(query, quantity, change.before):
        return "old"
    if is_count_denied(query, quantity):
        return "old"
    if by_pronoun(query, quantity.end):
        return "new"  # "300 words isn't enough, so write more than that"
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
    return heard("length").before(key).search(query.shadow, max(0, start - _LENGTH_BACK), start) is not None


def _inherited(query: Query, change: QueryChange, quantity: Quantity) -> Quantity:
    """A bare number takes the relation of the constraint that it changes."""
    if not quantity.bare or change.before is None:
        return quantity
    low, high = _range({**change.before, "count": quantity.number})
    vague = change.before["relation"] == "about"
    return Quantity(low, high, quantity.start, quantity.end, vague, number=quantity.number)


def _contrasts(query: Query, quantity: Quantity, before: Params | None) -> bool:
    """`…, not more than 1000` where more than 1000 was the old demand."""
    if before is None or quantity.number != before["count"] or before["relation"] not in ("more_than", "less_than"):
        return False
    pattern = heard("length").framed("contrast", before["relation"], left="(,|and|but) ", right="( )?$")
    return pattern.search(query.shadow, max(0, quantity.start - 30), quantity.start) is not None


def _ranges(claims: list[Said]) -> list[Said]:
    """`at least 800 characters, and 900 at most` is one range."""
    least = [c for c in claims if c.role == "new" and c.value[1].high == UNBOUNDED]
    most = [c for c in claims if c.role == "new" and c.value[1].low == 0]
    if len(least) != 1 or len(most) != 1 or least[0].value[0] != most[0].value[0]:
        return claims
    low, high = least[0].value[1], most[0].value[1]
    start, end = min(low.start, high.start), max(least[0].end, most[0].end)
    both = Quantity(low.low, high.high, start, end, number=low.low)
    rest = [c for c in claims if c is not least[0] and c is not most[0]]
    return sorted([*rest, Said((least[0].value[0], both), start, end, "new")], key=lambda claim: claim.start)


def _range(params: Params) -> tuple[int, int]:
    count = params["count"]
    return {
        "less_than": (0, count - 1),
        "more_than": (count + 1, UNBOUNDED),
        "at_most": (0, count),
        "at_least": (count, UNBOUNDED),
        "exactly": (count, count),
        "about": (count, count),
        "between": (count, params.get("upper", count)),
    }[params["relation"]]


def _says(value: tuple[str, Quantity], params: Params) -> bool:
    unit, quantity = value
    low, high = _range(params)
    told, asked = (max(quantity.low, 1), quantity.high), (max(low, 1), high)
    vague = params["relation"] == "about"
    return bool(unit == params["unit"] and quantity.vague == vague and told == asked)


def _same_number(value: tuple[str, Quantity], params: Params) -> bool:
    unit, quantity = value
    return bool(unit == params["unit"] and quantity.number == params["count"])


def _sized(quantity: Quantity) -> Params:
    """A length as the group stores it; at most 199 is less than 200."""
    told = relation(quantity)
    if told == "less_than":
        return {"relation": told, "count": quantity.high + 1}
    if told == "more_than":
        return {"relation": told, "count": quantity.low - 1}
    between = {"upper": quantity.high} if told == "between" else {}
    return {"relation": told, "count": quantity.low, **between}


def _counts_a_part(query: Query, unit: str, quantity: Quantity, end: int) -> bool:
    """Words of a sentence, words in bold, sentences that are questions, two that may not be alike."""
    low, high = query.sentence(quantity.start)
    if (
        quantity.bare
        and quantity.number <= 2
        and cues().before("counted", "any_of").search(query.shadow, max(low, quantity.start - _FAR), quantity.start)
    ):
        return True
    vocabulary = heard("sentences")
    if unit == "words":
        bold = heard("emphasis").anywhere("named").search(query.shadow, end, min(high, end + _FAR))
        return bold is not None or vocabulary.anywhere("max_words", "plain").search(query.shadow, low, high) is not None
    asked = vocabulary.anywhere("questions", "plain").search(query.shadow, low, high)
    return unit == "sentences" and asked is not None


_FAR = 24
"""Characters round a number in which it may be said to be one of a part."""


def length_range(params: Params) -> tuple[int, int]:
    """The least and the most that a constraint allows."""
    low, high = _range(params)
    return max(low, 1), high


def _demand(params: Params) -> str:
    relation = {"less_than": "fewer than", "more_than": "more than"}
    upper = f" and {params['upper']}" if "upper" in params else ""
    told = relation.get(params["relation"], params["relation"].replace("_", " "))
    return f"{told} {params['count']}{upper} {params['unit']}"
