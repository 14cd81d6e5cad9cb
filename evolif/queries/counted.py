"""Reads counts of things: bullets, headings, bold passages, questions, words per sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evolif.queries.change import Change
from evolif.queries.comparison import Said, compare, finding, is_lifted, misnamed, removed
from evolif.queries.numbers import (
    UNBOUNDED,
    Quantity,
    by_pronoun,
    counts_as_one,
    last_unit,
    quantities,
    unit_after,
    unit_in,
    unit_of,
    units_in,
)
from evolif.queries.polarity import Role, is_denied, role_of
from evolif.queries.reading import Query
from evolif.queries.vocabulary import cues, heard
from evolif.turns import Finding, Params

_ADJECTIVES = r"([\s-]{1,4}(?!bullet|heading|bold|question|word|number)[a-z'-]{1,40}){0,2}?[\s-]{0,4}"
_PUNCTUATION_ALONE = r"[,.;:!?)—–]|$|-\s"
_ANOTHER_UNIT = re.compile(r"\s{0,4}(?:words|sentences|paragraphs|characters)")
_ENUMERATED = re.compile(r"\d\s?,\s\d|\d\)\s")
_SENTENCE_END = re.compile(r"[.!?;]")
_AHEAD, _BACK, _RIGHT_BEHIND = 110, 60, 16


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that can be counted; how people name it stands in its group's vocabulary."""

    name: str
    group: str
    key: str
    """Where its names stand under `heard`."""
    most: bool = False
    """The number is the most that is allowed, not the exact number."""

    @property
    def nouns(self) -> re.Pattern[str]:
        """What the constraint may be called by when it is lifted."""
        return heard(self.group).anywhere(self.key, "nouns")

    @property
    def after(self) -> re.Pattern[str]:
        """What may follow the number."""
        return heard(self.group).framed(self.key, "after", left=_ADJECTIVES)

    @property
    def before(self) -> re.Pattern[str]:
        """What may stand before it: `the bullet count to 5`."""
        return heard(self.group).framed(self.key, "before", right="(( )?<thing_fill>){0,5}( )?$")

    def demand(self, params: Params) -> str:
        """What a query should ask for, in words."""
        return f"{'at most' if self.most else 'exactly'} {params.get('count')} {self.name}"


def read_counted(query: Query, change: Change, thing: Thing) -> list[Finding]:
    """Findings on a number of things.

    Args:
        query: The query.
        change: The change of the turn.
        thing: What is counted.
    """
    claims = thing_claims(query, thing, elsewhere=change.kind == "modify")
    known = change.kind == "modify" or thing.nouns.search(query.shadow) is not None
    if change.kind != "remove" and known and not _asks(claims, change) and not _names_another(query, change):
        claims = [*claims, *_elided(query, claims)]
    demand = thing.demand(change.params)
    if change.kind == "remove":
        return removed(query, change, thing.nouns, claims, cues().anywhere("counted", "free"), _is, demand)
    if change.kind == "add" and not thing.most:
        denied = [m.span() for m in thing.nouns.finditer(query.shadow) if _is_unwanted(query, *m.span())]
        if denied:
            return [finding("reversed", change, f"it asks for no {thing.name}", denied[0])]
    findings = compare(query, change, claims, _most if thing.most else exactly, demand)
    return findings or (misnamed(change, claims, _is) if "count" in (change.before or {}) else [])


def is_count_denied(query: Query, quantity: Quantity) -> bool:
    """Whether an exact number is ruled out by the verb before it."""
    before = cues().framed("counted", "denied_verb", right="( (exactly|precisely|just|only))?( )?$")
    exact = quantity.low == quantity.high and not quantity.vague
    return exact and before.search(query.shadow, max(0, quantity.start - _BACK), quantity.start) is not None


def _asks(claims: Sequence[Said], change: Change) -> bool:
    """Whether some claim asks for another number than the one in force."""
    return any(claim.role == "new" and not _is(claim.value, change.before or {}) for claim in claims)


def _elided(query: Query, claims: Sequence[Said]) -> list[Said]:
    """Numbers that stand alone where the thing need not be said: `make it ten`."""
    taken = {claim.start for claim in claims}
    return [
        Said(quantity, quantity.start, quantity.end, _role_alone(query, quantity))
        for quantity in lone_numbers(query)
        if quantity.start not in taken
    ]


def _role_alone(query: Query, quantity: Quantity) -> Role:
    moved = cues().before("counted", "moved_to").search(query.shadow, max(0, quantity.start - _BACK), quantity.start)
    return "new" if moved else role_of(query, quantity.start, quantity.end)


def lone_numbers(query: Query, *, ranges: bool = False) -> list[Quantity]:
    """The numbers that no noun follows, in order; a `one` is none.

    Args:
        query: The query.
        ranges: Whether `2 to 3` is one of them.
    """
    alone = cues().framed("counted", "lone", left="( )?(", right=f"|{_PUNCTUATION_ALONE})")
    return [
        quantity
        for quantity in quantities(query, ranges=ranges)
        if quantity.number > 1 and alone.match(query.shadow, quantity.end)
    ]


def _names_another(query: Query, change: Change) -> bool:
    """Whether the number is said to count something of another group."""
    vocabulary = cues().anywhere("counted", "another_thing", change.group)
    return vocabulary.search(query.shadow) is not None


def thing_claims(query: Query, thing: Thing, *, elsewhere: bool = False) -> list[Said]:
    """What the query says of the number of a thing.

    Args:
        query: The query.
        thing: What is counted.
        elsewhere: Whether numbers of words count for sentences even where no sentence is named.
    """
    if thing.most and not elsewhere and not heard(thing.group).anywhere("per_sentence").search(query.shadow):
        return []
    claims: list[Said] = []
    for counted in quantities(query, ranges=False):
        quantity = _beneath(query, thing, counted)
        end = _end_of_claim(query, thing, quantity, claims)
        if end is not None:
            # "she'd never get through five", "don't use exactly 7 bullets"
            denied = (quantity.bare and is_denied(query, quantity.start, end)) or is_count_denied(query, quantity)
            role = "old" if denied else role_of(query, quantity.start, quantity.end)
            claims.append(Said(quantity, quantity.start, end, role))
    return claims


def _beneath(query: Query, thing: Thing, quantity: Quantity) -> Quantity:
    """`organise it under 3 headings` asks for three; `split any sentence over 20 words` allows twenty."""
    vocabulary = heard(thing.group)
    over = thing.most and quantity.low == quantity.number + 1 and quantity.high == UNBOUNDED
    if over and vocabulary.anywhere(thing.key, "split").search(query.shadow, *query.sentence(quantity.start)):
        return replace(quantity, low=0, high=quantity.number)
    if thing.key not in vocabulary or "beneath" not in vocabulary.keys(thing.key):
        return quantity
    before = vocabulary.before(thing.key, "beneath")
    if not before.search(query.shadow, max(0, quantity.start - _BACK), quantity.start):
        return quantity
    return replace(quantity, low=quantity.number, high=quantity.number, bare=True)


def exactly(value: Quantity, params: Params) -> bool:
    """Whether a number is said to be exactly that of the parameters."""
    return not value.vague and value.low == value.high == params.get("count")


def _end_of_claim(query: Query, thing: Thing, quantity: Quantity, claims: Sequence[Said]) -> int | None:
    """Where the claim ends that a number makes; None where it does not count the thing."""
    rest = query.shadow[quantity.end : quantity.end + _AHEAD]
    after = thing.after.match(rest)
    if _counts_nothing(query, quantity, rest, after is not None):
        return None
    if _of_them(query, thing, quantity, rest):
        return quantity.end
    if cues().after("counted", "relative").match(rest):
        return None  # "two bullets more" counts from where one is
    if after:
        return quantity.end + after.end()
    start = quantity.start
    alone = _stands_alone(rest)
    before = thing.before.search(query.shadow, max(0, start - _BACK), start)
    if before and (alone or not _ANOTHER_UNIT.match(rest)):
        return quantity.end
    named = bool(claims) or thing.nouns.search(query.shadow, max(0, start - 50), start) is not None
    return quantity.end if named and alone else None  # "bullets would help. Make it 5"


def _counts_nothing(query: Query, quantity: Quantity, rest: str, named: bool) -> bool:
    """`one` as a pronoun, and numbers that only enumerate: `(1, 2, 3 and so on)`."""
    if _ENUMERATED.search(query.shadow[max(0, quantity.start - 6) : quantity.end + 3]):
        return True
    if quantity.number != 1:
        return False
    if cues().anywhere("counted", "named_thing").search(rest[:_RIGHT_BEHIND]) is None:
        return True  # "one small point", "this next one"
    return not named or counts_as_one(query, quantity) or cues().after("counted", "one").match(rest) is not None


def _of_them(query: Query, thing: Thing, quantity: Quantity, rest: str) -> bool:
    """Whether the thing was named just before: `Bullets, please: five of them`."""
    if not cues().after("counted", "of_them").match(rest):
        return False
    asked = cues().before("counted", "asked", marks="[,:—–]")
    if not asked.search(query.shadow, max(0, quantity.start - 16), quantity.start):
        return False
    return thing.nouns.search(query.shadow, *query.sentence(quantity.start)) is not None


def _stands_alone(rest: str) -> bool:
    alone = cues().framed("counted", "alone", left="( )?(", right=f"|(of (them|those)( )?)?({_PUNCTUATION_ALONE}))")
    return alone.match(rest) is not None


def _is_unwanted(query: Query, start: int, end: int) -> bool:
    """`no bullets`, `bullets mustn't occur`."""
    if cues().before("counted", "denied").search(query.shadow, max(0, start - 30), start):
        return True
    rest = _SENTENCE_END.split(query.shadow[end : end + _BACK], maxsplit=1)[0]
    return cues().anywhere("counted", "denied_after").search(rest) is not None


def _most(value: Quantity, params: Params) -> bool:
    if value.vague or value.high != params.get("count"):
        return False
    return value.low <= 1 or value.bare


def _is(value: Quantity, params: Params) -> bool:
    return bool(value.number == params.get("count"))


# Reads bullet points and numbered items, headings, and passages in bold.

BULLETS = Thing("bullet points", "bullets", "bullets")
NUMBERED = Thing("numbered items", "bullets", "numbered")
HEADINGS = Thing("headings", "headings", "headings")
BOLD = Thing("bold passages", "emphasis", "emphasis")


def read_bullets(query: Query, change: Change) -> list[Finding]:
    """Bullet points, or numbered items."""
    kind = change.params.get("kind")
    other_kind = change.kind == "modify" and (change.before or {}).get("kind") != kind
    if other_kind:
        change = replace(change, before=None)  # the same number of other things is another demand
    findings = read_counted(query, change, NUMBERED if kind == "numbered" else BULLETS)
    if findings or not (change.kind == "add" or other_kind):
        return findings
    called = heard("bullets").anywhere("kinds", "numbered" if kind == "numbered" else "bullet")
    fine = ("new", "was") if change.kind == "add" else ("new",)
    if any(role_of(query, *m.span()) in fine for m in called.finditer(query.shadow)):
        return []
    what = "numbered" if kind == "numbered" else "bullet points"
    return [finding("missing", change, f"it does not say that the items are {what}")]


def read_headings(query: Query, change: Change) -> list[Finding]:
    """Headings."""
    return read_counted(query, change, HEADINGS)


def read_emphasis(query: Query, change: Change) -> list[Finding]:
    """Passages in bold."""
    if change.kind == "add" and not heard("emphasis").anywhere("named").search(query.shadow):
        return [finding("missing", change, "it does not speak of bold type")]
    return read_counted(query, change, BOLD)


# Reads rules on sentences: the most words of each, the number of questions, a different first word for each.

QUESTIONS = Thing("questions", "sentences", "questions")
MAX_WORDS = Thing("words per sentence", "sentences", "max_words", most=True)


def read_sentences(query: Query, change: Change) -> list[Finding]:
    """Findings on rules about sentences."""
    mode = change.params["mode"]
    if mode != "distinct_starts":
        return read_counted(query, change, MAX_WORDS if mode == "max_words" else QUESTIONS)
    if change.kind == "remove":
        return removed(query, change, _cue("nouns"), free=_cue("free"))
    said = _said(query)
    fine = ("new", "was") if change.kind == "add" else ("new",)
    if not any(role_of(query, *m.span()) in fine for m in said):
        return [finding("missing", change, "it does not say that every sentence starts with a different word")]
    return next(([finding("reversed", change, fault, m.span())] for m in said if (fault := _fault(query, m))), [])


def distinct_starts(query: Query) -> list[tuple[int, int]]:
    """Where the query plainly wants every sentence to start with another word."""
    return [m.span() for m in _said(query) if not _fault(query, m) and role_of(query, *m.span()) == "new"]


def _said(query: Query) -> list[re.Match[str]]:
    return [m for m in _cue("said").finditer(query.shadow) if _of_starts(query, m.start())]


def _cue(key: str) -> re.Pattern[str]:
    return heard("sentences").anywhere("distinct_starts", key)


def _of_starts(query: Query, at: int) -> bool:
    """Whether the sentence speaks of how sentences start."""
    low, high = query.sentence(at)
    return all(_cue(key).search(query.shadow, low, high) is not None for key in ("starts", "sentence"))


def _fault(query: Query, match: re.Match[str]) -> str:
    """What is wrong with a way to say it: `the same word` has to be denied, `a different word` must not be."""
    same = _cue("same").match(match.group()) is not None
    low, high = query.sentence(match.start())
    denied = _cue("denied").search(query.shadow, low, high if same else match.end()) is not None
    if same and not denied:
        return "it asks for the same word, not for different ones"
    by_itself = _cue("denied_itself").match(match.group()) is not None
    if denied and not same and not by_itself and _cue("not_different").search(query.shadow):
        return "it does not ask for different words"
    return ""


# Reads lengths: number, unit and relation.

_ALONE = r"[,.;:!?)—–-]|$"
_LENGTH_BACK = 90
"""Characters before a number in which it may be said to be what another one changes to."""


def read_length(query: Query, change: Change) -> list[Finding]:
    """Findings on a turn that adds, changes or lifts a length."""
    claims = _ranges(_claims(query, change))
    if change.kind != "remove" and not any(c.role == "new" and not _is_former(c, change) for c in claims):
        claims = [*claims, *_unitless(query, change, claims)]
    demand = _demand(change.params)
    if change.kind != "remove":
        findings = compare(query, change, claims, _says, demand) or misnamed(change, claims, _about_that)
        return findings or _taken_back(query, change)
    vocabulary = heard("length")
    nouns, free = vocabulary.anywhere("nouns"), vocabulary.anywhere("free")
    return removed(query, change, nouns, claims, free, _same_number, demand) or _other_unit(query, change)


def _is_former(claim: Said, change: Change) -> bool:
    return change.before is not None and _same_number(claim.value, change.before)


def _unitless(query: Query, change: Change, claims: Sequence[Said]) -> list[Said]:
    """Numbers without a unit: it is the one that the query wants counted, or the one in force."""
    unit = _counted_unit(query, change)
    taken = [claim.span for claim in claims]
    found = []
    ranged = change.params["relation"] == "between"
    for quantity in lone_numbers(query, ranges=ranged) if unit else ():
        if not any(start <= quantity.start < end for start, end in taken):
            inherits = change.before is not None and unit == change.before["unit"]
            told = _inherited(query, change, quantity) if inherits else quantity
            found.append(Said((unit, told), quantity.start, quantity.end, _role_alone(query, quantity)))
    return found


def _counted_unit(query: Query, change: Change) -> str:
    """The unit that the query names and does not give up, else the one in force; empty where there is none."""
    named = [(f"{m['unit']}s", m.span()) for m in units_in(query)]
    current = (change.before or {}).get("unit", "")
    kept = [unit for unit, span in named if unit != current and role_of(query, *span) == "new"]
    return kept[0] if kept else current


_NO_LIMIT = re.compile(
    r"(?<!\w)(?:there(?:'s| is)|with) no (?:upper |lower )?limit (?:to|on) the (?:answer|response|text|length)(?!\w)"
)


def _taken_back(query: Query, change: Change) -> list[Finding]:
    """A limit that the same query says there is not."""
    found = _NO_LIMIT.search(query.shadow)
    return [finding("reversed", change, "it also says that there is no limit", found.span())] if found else []


def _about_that(value: tuple[str, Quantity], params: Params) -> bool:
    """The same number, give or take the one by which `at most 19` and `fewer than 20` differ."""
    unit, quantity = value
    return bool(unit == params["unit"] and abs(quantity.number - params["count"]) <= 1)


def _other_unit(query: Query, change: Change) -> list[Finding]:
    """A limit is lifted by the name of another unit: `drop the word limit`."""
    limits = heard("length").anywhere("limits").finditer(query.shadow)
    units = {unit_in(m.group()) for m in limits if is_lifted(query, *m.span())}
    if units and change.params["unit"] not in units:
        return [
            finding("wrong", change, f"it lifts a limit on {', '.join(sorted(units))}, not on {change.params['unit']}")
        ]
    return []


def _claims(query: Query, change: Change) -> list[Said]:
    claims: list[Said] = []
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
            claims.append(Said((found, told), quantity.start, end, role))
    return claims


def _role(query: Query, change: Change, quantity: Quantity) -> Role:
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


def _ranges(claims: Sequence[Said]) -> Sequence[Said]:
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


def length_claims(query: Query) -> Sequence[Said]:
    """The lengths that the query names, whatever the turn is about."""
    return _ranges(_claims(query, Change("add", "length", None, None)))


def length_range(params: Params) -> tuple[int, int]:
    """The least and the most that a constraint allows."""
    low, high = _range(params)
    return max(low, 1), high


def _demand(params: Params) -> str:
    relation = {"less_than": "fewer than", "more_than": "more than", "exactly": "exactly", "between": "between"}
    upper = f" and {params['upper']}" if "upper" in params else ""
    return f"{relation[params['relation']]} {params['count']}{upper} {params['unit']}"
