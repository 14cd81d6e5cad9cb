"""Reads counts of things: bullets, headings, bold passages, questions, words per sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from evolif.scenarios.instructions.queries.change import Claim, QueryChange
from evolif.scenarios.instructions.queries.comparison import Said, compare, finding, is_lifted, misnamed, removed
from evolif.scenarios.instructions.queries.numbers import UNBOUNDED, Quantity, counts_as_one, quantities, relation
from evolif.scenarios.instructions.queries.polarity import Role, is_denied, role_of, stance_of
from evolif.scenarios.instructions.queries.reader import Reader
from evolif.scenarios.instructions.queries.reading import Query
from evolif.scenarios.instructions.queries.vocabulary import cues, heard
from evolif.scenarios.instructions.turns import Finding, Params

_ADJECTIVES = r"([\s-]{1,4}(?!bullet|heading|bold|question|word|number)[a-z'-]{1,40}){0,2}?[\s-]{0,4}"
_PUNCTUATION_ALONE = r"[,.;:!?)—–]|$|-\s"
_ANOTHER_UNIT = re.compile(r"\s{0,4}(?:words|sentences|paragraphs|characters)")
_ENUMERATED = re.compile(r"\d\s?,\s\d|\d\)\s")
_SENTENCE_END = re.compile(r"[.!?;]")
_AHEAD, _BACK, _RIGHT_BEHIND = 110, 60, 16


@dataclass(frozen=True, slots=True)
class Countable:
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


class CountReader(Reader):
    """Reads how many of a thing there are to be.

    Args:
        group: The group.
        kinds: The things that the group counts, each by the parameters that tell it from the others.
    """

    def __init__(self, group: str, *kinds: tuple[Countable, Params]) -> None:
        super().__init__(group)
        self._kinds = kinds

    def said(self, query: Query, change: QueryChange) -> list[Said]:
        """Every number of a thing: `(thing, quantity)`."""
        mine = self._thing(change) if change.is_known else None
        found = _said_of(query, change, mine) if mine else []
        taken = {one.start for one in found}
        for thing, _ in self._kinds:
            if thing is not mine and (thing.most or thing.nouns.search(query.shadow)):
                found += [one for one in thing_claims(query, thing) if one.start not in taken]
        return found

    def claim(self, query: Query, said: Said) -> Claim | None:
        """A number beside the plain name of the thing."""
        thing, quantity = said.value
        told = next(told for kind, told in self._kinds if kind is thing)
        if said.role != "new" or not (said.resolved or _is_plain(query, thing, said)):
            return None
        return Claim(self.group, "require", {**told, **_counted(thing, quantity)}, said.span)

    def claims(self, query: Query, said: Sequence[Said]) -> Iterator[Claim]:
        """The numbers, and things that are asked for without one."""
        counted = list(super().claims(query, said))
        yield from counted
        for thing, told in self._kinds if not counted else ():
            vocabulary = heard(thing.group)
            yield from _ruled_out(query, thing)
            if "uncounted" not in vocabulary.keys(thing.key):
                continue
            for match in vocabulary.anywhere(thing.key, "uncounted").finditer(query.shadow):
                if is_asked(query, *match.span()):
                    yield Claim(self.group, "require", told, match.span())

    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on a number of things."""
        thing = self._thing(change)
        return compare_count(query, change, thing, [one for one in said if one.value[0] is thing])

    def _thing(self, change: QueryChange) -> Countable:
        """What the change counts."""
        return next(thing for thing, told in self._kinds if _is_kind(change.params, told))


def _ruled_out(query: Query, thing: Countable) -> Iterator[Claim]:
    """`no bullets`, but not `no bullets needed`."""
    vocabulary = heard(thing.group)
    if "none" not in vocabulary.keys(thing.key):
        return
    for match in vocabulary.anywhere(thing.key, "none").finditer(query.shadow):
        if not is_lifted(query, *match.span()) and role_of(query, *match.span()) == "new":
            yield Claim(thing.group, "forbid", {}, match.span())


def is_asked(query: Query, start: int, end: int) -> bool:
    """Whether a thing that is named without a number is wanted.

    Args:
        query: The query.
        start: Where it starts.
        end: Where it ends.
    """
    if role_of(query, start, end) != "new" or is_lifted(query, start, end) or is_denied(query, start, end):
        return False
    return stance_of(query, start, end) not in ("forbid", "lift")


def _is_kind(params: Params, told: Params) -> bool:
    return all(params.get(key) == value for key, value in told.items())


def _said_of(query: Query, change: QueryChange, thing: Countable) -> list[Said]:
    """Every number of the change's thing, and where none asks for a new one, what stands alone: `make it ten`."""
    claims = thing_claims(query, thing, elsewhere=change.kind == "modify")
    known = change.kind == "modify" or thing.nouns.search(query.shadow) is not None
    if change.kind != "remove" and known and not _asks(claims, change) and not _names_another(query, change):
        return [*claims, *_elided(query, thing, claims)]
    return claims


def _is_plain(query: Query, thing: Countable, said: Said) -> bool:
    """Whether the thing is named right beside its number."""
    vocabulary, quantity = heard(thing.group), said.value[1]
    if thing.most:
        low, high = query.sentence(said.start)
        told = "word" in query.shadow[said.start : said.end] and quantity.high < UNBOUNDED
        return told and vocabulary.anywhere(thing.key, "plain").search(query.shadow, low, high) is not None
    if "plain" not in vocabulary.keys(thing.key):
        return True
    around = query.shadow[max(0, said.start - _FAR) : said.end + 1]
    return vocabulary.anywhere(thing.key, "plain").search(around) is not None


_FAR = 24
"""Characters round a number in which its thing is named."""


def _counted(thing: Countable, quantity: Quantity) -> Params:
    if thing.most:
        return {"count": quantity.high}
    exact = quantity.low == quantity.high and not quantity.vague
    return {"count": quantity.number} | ({} if exact else {"relation": relation(quantity)})


def compare_count(query: Query, change: QueryChange, thing: Countable, claims: Sequence[Said]) -> list[Finding]:
    """Findings on a number of things.

    Args:
        query: The query.
        change: The change of the turn.
        thing: What is counted.
        claims: What the query says of it.
    """
    demand = thing.demand(change.params)
    if change.kind == "remove":
        return removed(query, change, thing.nouns, claims, cues().anywhere("counted", "free"), _is, demand)
    if change.kind == "add" and not thing.most:
        denied = [m.span() for m in thing.nouns.finditer(query.shadow) if _is_unwanted(query, *m.span())]
        if denied:
            return [finding("reversed", change, f"it asks for no {thing.name}", denied[0])]
    findings = compare(query, change, claims, _most if thing.most else _exactly, demand)
    return findings or (misnamed(change, claims, _is) if "count" in (change.before or {}) else [])


def is_count_denied(query: Query, quantity: Quantity) -> bool:
    """Whether an exact number is ruled out by the verb before it."""
    before = cues().framed("counted", "denied_verb", right="( (exactly|precisely|just|only))?( )?$")
    exact = quantity.low == quantity.high and not quantity.vague
    return exact and before.search(query.shadow, max(0, quantity.start - _BACK), quantity.start) is not None


def _asks(claims: Sequence[Said], change: QueryChange) -> bool:
    """Whether some claim asks for another number than the one in force."""
    return any(claim.role == "new" and not _is(claim.value, change.before or {}) for claim in claims)


def _elided(query: Query, thing: Countable, claims: Sequence[Said]) -> list[Said]:
    """Numbers that stand alone where the thing need not be said: `make it ten`."""
    taken = {claim.start for claim in claims}
    return [
        Said((thing, quantity), quantity.start, quantity.end, role_alone(query, quantity), resolved=True)
        for quantity in lone_numbers(query)
        if quantity.start not in taken
    ]


def role_alone(query: Query, quantity: Quantity) -> Role:
    """Whether a number that stands alone is wanted; `down to 5` says where another one goes."""
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


def _names_another(query: Query, change: QueryChange) -> bool:
    """Whether the number is said to count something of another group."""
    vocabulary = cues().anywhere("counted", "another_thing", change.group)
    return vocabulary.search(query.shadow) is not None


def thing_claims(query: Query, thing: Countable, *, elsewhere: bool = False) -> list[Said]:
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
            claims.append(Said((thing, quantity), quantity.start, end, role))
    return claims


def _beneath(query: Query, thing: Countable, quantity: Quantity) -> Quantity:
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


def _exactly(value: tuple[Countable, Quantity], params: Params) -> bool:
    """Whether a number is said to be exactly that of the parameters."""
    quantity = value[1]
    return not quantity.vague and quantity.low == quantity.high == params.get("count")


def _end_of_claim(query: Query, thing: Countable, quantity: Quantity, claims: Sequence[Said]) -> int | None:
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


def _of_them(query: Query, thing: Countable, quantity: Quantity, rest: str) -> bool:
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


def _most(value: tuple[Countable, Quantity], params: Params) -> bool:
    quantity = value[1]
    if quantity.vague or quantity.high != params.get("count"):
        return False
    return quantity.low <= 1 or quantity.bare


def _is(value: tuple[Countable, Quantity], params: Params) -> bool:
    return bool(value[1].number == params.get("count"))


# Reads bullet points and numbered items, headings, and passages in bold.

BULLETS = Countable("bullet points", "bullets", "bullets")
NUMBERED = Countable("numbered items", "bullets", "numbered")
HEADINGS = Countable("headings", "headings", "headings")
BOLD = Countable("bold passages", "emphasis", "emphasis")


class BulletsReader(CountReader):
    """Reads bullet points and numbered items."""

    def __init__(self) -> None:
        super().__init__("bullets", (NUMBERED, {"kind": "numbered"}), (BULLETS, {}))

    def said(self, query: Query, change: QueryChange) -> list[Said]:
        """Every number of items."""
        return super().said(query, _of_kind(change) if change.is_known else change)

    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on the number of items, and on their kind."""
        mine = _of_kind(change)
        findings = super().compare(query, mine, said)
        if findings or not (change.kind == "add" or mine is not change):
            return findings
        numbered = change.params.get("kind") == "numbered"
        called = heard("bullets").anywhere("kinds", "numbered" if numbered else "bullet")
        fine = ("new", "was") if change.kind == "add" else ("new",)
        if any(role_of(query, *m.span()) in fine for m in called.finditer(query.shadow)):
            return []
        what = "numbered" if numbered else "bullet points"
        return [finding("missing", change, f"it does not say that the items are {what}")]


def _of_kind(change: QueryChange) -> QueryChange:
    """The change; the same number of items of another kind is another demand."""
    other = change.kind == "modify" and (change.before or {}).get("kind") != change.params.get("kind")
    return replace(change, before=None) if other else change


class EmphasisReader(CountReader):
    """Reads passages in bold."""

    def __init__(self) -> None:
        super().__init__("emphasis", (BOLD, {}))

    def said(self, query: Query, change: QueryChange) -> list[Said]:
        """Every number of passages; a number near talk of bold type may be one of them."""
        return super().said(query, change) if change.is_known else list(_near_bold(query))

    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on the number of passages."""
        if change.kind == "add" and not heard("emphasis").anywhere("named").search(query.shadow):
            return [finding("missing", change, "it does not speak of bold type")]
        return super().compare(query, change, said)


def _near_bold(query: Query) -> Iterator[Said]:
    """`six bold passages`, `use bold six times`."""
    numbers = list(quantities(query, ranges=False))
    for match in heard("emphasis").anywhere("named").finditer(query.shadow) if numbers else ():
        low, high = query.sentence(match.start())
        for quantity in numbers:
            near = low <= quantity.start < high and abs(quantity.start - match.start()) <= _NEAR
            if near and quantity.number > 1 and not _counts_another(query, quantity):
                role = role_of(query, quantity.start, quantity.end)
                yield Said((BOLD, quantity), quantity.start, quantity.end, role)


_NEAR = 60
"""Characters between talk of bold type and a number of passages."""


def _counts_another(query: Query, quantity: Quantity) -> bool:
    """`five headings, wholly bold lines counted`: the number is of another thing."""
    return cues().after("counted", "another").match(query.shadow, quantity.end) is not None


# Reads rules on sentences: the most words of each, the number of questions, a different first word for each.

QUESTIONS = Countable("questions", "sentences", "questions")
MAX_WORDS = Countable("words per sentence", "sentences", "max_words", most=True)


class SentencesReader(CountReader):
    """Reads rules about sentences: how many are questions, how long each is, how each starts."""

    def __init__(self) -> None:
        super().__init__("sentences", (QUESTIONS, {"mode": "questions"}), (MAX_WORDS, {"mode": "max_words"}))

    def said(self, query: Query, change: QueryChange) -> list[Said]:
        """Every number of questions and of words in a sentence, and where sentences are to start differently."""
        if change.is_known and change.params["mode"] != "distinct_starts":
            return super().said(query, change)
        numbers = [] if change.is_known else super().said(query, change)
        return [*numbers, *(Said(None, *m.span(), role_of(query, *m.span())) for m in _said(query))]

    def claim(self, query: Query, said: Said) -> Claim | None:
        """A rule that needs no turn."""
        if said.value is not None:
            return super().claim(query, said)
        plain = said.role == "new" and not _fault(query, *said.span)
        return Claim("sentences", "require", {"mode": "distinct_starts"}, said.span) if plain else None

    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on rules about sentences."""
        if change.params["mode"] != "distinct_starts":
            return super().compare(query, change, said)
        if change.kind == "remove":
            return removed(query, change, _cue("nouns"), free=_cue("free"))
        fine = ("new", "was") if change.kind == "add" else ("new",)
        if not any(place.role in fine for place in said):
            message = "it does not say that every sentence starts with a different word"
            return [finding("missing", change, message)]
        faults = ((place.span, _fault(query, *place.span)) for place in said)
        return next(([finding("reversed", change, fault, span)] for span, fault in faults if fault), [])


def distinct_starts(query: Query) -> list[tuple[int, int]]:
    """Where the query plainly wants every sentence to start with another word."""
    return [m.span() for m in _said(query) if not _fault(query, *m.span()) and role_of(query, *m.span()) == "new"]


def _said(query: Query) -> list[re.Match[str]]:
    return [m for m in _cue("said").finditer(query.shadow) if _of_starts(query, m.start())]


def _cue(key: str) -> re.Pattern[str]:
    return heard("sentences").anywhere("distinct_starts", key)


def _of_starts(query: Query, at: int) -> bool:
    """Whether the sentence speaks of how sentences start."""
    low, high = query.sentence(at)
    return all(_cue(key).search(query.shadow, low, high) is not None for key in ("starts", "sentence"))


def _fault(query: Query, start: int, end: int) -> str:
    """What is wrong with a way to say it: `the same word` has to be denied, `a different word` must not be."""
    told = query.shadow[start:end]
    same = _cue("same").match(told) is not None
    low, high = query.sentence(start)
    denied = _cue("denied").search(query.shadow, low, high if same else end) is not None
    if same and not denied:
        return "it asks for the same word, not for different ones"
    by_itself = _cue("denied_itself").match(told) is not None
    if denied and not same and not by_itself and _cue("not_different").search(query.shadow):
        return "it does not ask for different words"
    return ""
