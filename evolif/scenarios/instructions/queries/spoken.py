"""Reads everyday constraints of every group by one table of wordings (`demand_table.py`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evolif.scenarios.instructions.queries.change import AsideClaim, Claim, QueryChange
from evolif.scenarios.instructions.queries.comparison import Said, Says, compare, finding, removed
from evolif.scenarios.instructions.queries.counted import lone_numbers
from evolif.scenarios.instructions.queries.demand_table import Demands, demands_of, quotations, taken
from evolif.scenarios.instructions.queries.demand_values import (
    LITERALS,
    PRONOUNS,
    is_everyday,
    literals_of,
    normal,
    says_demand,
)
from evolif.scenarios.instructions.queries.lenient import heard_leniently, relation_of, released_leniently
from evolif.scenarios.instructions.queries.numbers import Quantity, find_numbers, quantities
from evolif.scenarios.instructions.queries.polarity import Role, given_up, is_denied, role_of, stance_of
from evolif.scenarios.instructions.queries.reader import Reader
from evolif.scenarios.instructions.queries.reading import MASK, Query
from evolif.scenarios.instructions.turns import Finding, Params


@dataclass(frozen=True, slots=True)
class Demand:
    """What a wording asks for."""

    params: Params
    aside: bool = False


class SpokenReader(Reader):
    """Reads a group by the table of demands; of a group with a reader of its own, only its everyday kinds.

    Args:
        group: The group.
        own: The reader of the group's other kinds.
    """

    def __init__(self, group: str, own: Reader | None = None) -> None:
        super().__init__(group)
        self._own = own

    def _reads(self, change: QueryChange) -> bool:
        """Whether the table reads this change."""
        return self._own is None or is_everyday(self.group, change.before) or is_everyday(self.group, change.after)

    def said(self, query: Query, change: QueryChange) -> Sequence[Said]:
        """Every demand of the table; of other kinds, what the group's own reader hears."""
        if change.is_known and not self._reads(change) and self._own is not None:
            return self._own.said(query, change)
        found = tuple(demands_in(query, self.group, change))
        if change.is_known and change.after is not None:
            found = tuple(one for one in found if not _is_included(self.group, one.value, change.after))
        if change.is_known:
            lenient = list(_leniently(query, change, found))
            kept = (one for one in found if not _is_part(one.value, change) and not _says_before(one.value, change))
            return [*(kept if lenient else found), *lenient]
        if self._own is None:
            return found
        return [*self._own.said(query, change), *found]

    def claim(self, query: Query, said: Said) -> Claim | None:
        """A demand that could stand alone."""
        if said.role != "new":
            return None
        ruled_out = said.value.params.get("relation") == "none"
        kind = AsideClaim if said.value.aside else Claim
        return kind(self.group, "forbid" if ruled_out else "require", said.value.params, said.span)

    def claims(self, query: Query, said: Sequence[Said]) -> Iterator[Claim]:
        """What the group's own reader asks for, then what only the table hears."""
        tabled = [one for one in said if isinstance(one.value, Demand)]
        mine: list[Claim] = []
        if self._own is not None and len(tabled) < max(len(said), 1):
            mine = list(self._own.claims(query, [one for one in said if not isinstance(one.value, Demand)]))
        elif self._own is not None and not tabled:
            mine = list(self._own.claims(query, ()))
        yield from mine
        for claim in super().claims(query, tabled):
            if not any(claim.span[0] < one.span[1] and one.span[0] < claim.span[1] for one in mine):
                yield claim

    def compare(self, query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
        """Findings on a change, by the table where it is of an everyday kind."""
        if not self._reads(change) and self._own is not None:
            return self._own.compare(query, change, said) or _in_a_fence(query, change)
        return compare_demands(query, change, said)


def _is_included(group: str, told: Demand, wanted: Params) -> bool:
    """Whether a demand is a part of the one that is wanted: `no lists, no bullets`, `no intro and no offers`."""
    if group == "bullets" and wanted.get("relation") == "none" and wanted.get("kind") == "either":
        return told.params.get("relation") == "none" and told.params.get("kind") != "either"
    return group == "manner" and wanted.get("mode") == "answer_only" and told.params.get("mode") == "no_offer"


def _says_before(demand: Demand, change: QueryChange) -> bool:
    """Whether it is the value that was in force, of which a new one may be only an extension."""
    return change.before is not None and says_demand(change.group, demand.params, change.before)


def _is_part(demand: Demand, change: QueryChange) -> bool:
    """Whether only the first labels were heard of those that the turn asks for: `label them Take 1, Take 2, …`."""
    if change.group == "choice" and (change.after or {}).get("reason"):
        return says_demand("choice", {**demand.params, "reason": True}, change.after or {})
    told, wanted = {*demand.params.get("labels", ())}, {*literals_of(change.after or {})}
    return change.group == "labels" and bool(told) and told < wanted


def _leniently(query: Query, change: QueryChange, found: Sequence[Said]) -> Iterator[Said]:
    """The turn's demand where the table hears nothing of it, and its name and values are enough."""
    told = [one for one in found if one.role == "new" and not _is_part(one.value, change)]
    if change.kind == "remove" or not all(_says_before(one.value, change) for one in told):
        return

    def fits(told: Params) -> bool:
        return says_demand(change.group, told, change.params)

    heard = heard_leniently(_with_values(query, change), change, fits)
    if heard is not None:
        yield Said(Demand(heard[0]), heard[1], heard[2], "new")


def _in_a_fence(query: Query, change: QueryChange) -> list[Finding]:
    """A format that is asked for in a block of code, where none is."""
    if change.group != "format" or change.kind == "remove":
        return []
    fenced = [one for one in demands_in(query, change.group, change) if one.value.params.get("fence")]
    return [finding("extra", change, "it also asks for a block of code", one.span) for one in fenced[:1]]


def demands_in(query: Query, group: str, change: QueryChange) -> Iterator[Said]:
    """What the query says of a group, by the table; of wordings that overlap, the longest.

    Args:
        query: The query.
        group: The group.
        change: The change, whose literal values are known where nobody quotes them.
    """
    table = demands_of(group)
    if table is None:
        return
    masked = _with_pronouns(query) if group == "person" else _with_values(query, change)
    found = [*_amounts_in(masked, table, change), *_wordings_in(masked, table)]
    kept: list[tuple[int, int, Demand]] = []
    for start, end, demand in sorted(found, key=lambda one: (one[0] - one[1], one[0])):
        if not any(start < high and low < end for low, high, _ in kept):
            kept.append((start, end, demand))
    for start, end, demand in sorted(kept, key=lambda one: one[0]):
        yield Said(_with_tails(masked, table, demand), start, end, _role(masked, demand, start, end))


def _role(query: Query, demand: Demand, start: int, end: int) -> Role:
    """Whether a demand holds now: not where the words round it lift or deny it."""
    params = demand.params
    if params.get("relation") == "none" or params.get("mode") in _DENYING or "avoid" in params or "not" in params:
        # Its own words deny something, so that only those before it tell.
        zones = (zone for zone in given_up(query.shadow) if zone[0] < start < zone[1])
        return "old" if any(_BUT.fullmatch(query.shadow, low, start) is None for low, _ in zones) else "new"
    if _JOINED.search(query.shadow, max(0, start - _NEAR), start):
        return "new"  # what is lifted or denied before stays there
    role = role_of(query, start, end)
    if role != "new" or ("count" in params and "relation" in params):  # “no more than” denies nothing
        return role
    low = max((mark.end() for mark in _CLAUSE.finditer(query.shadow, 0, start)), default=0)
    if _DENIED.search(query.shadow, low, start) or (is_denied(query, start, end) and not low):
        return "old"
    return "old" if stance_of(query, start, end, near=True) == "lift" else role


_OR = re.compile(r"(?<!\w)or(?!\w)|/")
_NEAR = 24
_JOINED = re.compile(r"(?<!\w)(?:and|but|then)\s(?:(?:please|just|instead|also|then|always|rather)\s){0,2}$")
"""Before a demand that starts a clause of its own."""
_CLAUSE = re.compile(r"[.,;:!?\n—–]|(?<!\w)(?:and|but|then|so)(?!\w)")
_DENIED = re.compile(
    r"(?<!\w)(?:not|no|never|without|avoid(?:ing)?|stop|skip|nor|dont|cannot|no longer|\w{1,12}n't)"
    r"(?:\s[\w']{1,20}){0,3}\s$"
)
_BUT = re.compile(r"[\s,]{0,4}(?:but|and|just|also|please)?[\s,]{0,4}")
"""What may stand between the start of what seems given up and a denial, which then only adds to what is said."""
_DENYING = frozenset({"exclude", "exclude_all", "without", "no_repeat", "plain", "no_offer", "no_closing_question",
                      "no_disclaimer", "answer_only", "none", "max_letters", "min_letters"})  # fmt: skip


def _wordings_in(query: Query, table: Demands) -> Iterator[tuple[int, int, Demand]]:
    for wording in table.wordings:
        for match in wording.pattern.finditer(query.shadow):
            if match.end() > match.start():
                params = _arranged(table.group, taken(match, query, wording.params))
                if len(params.get("options", ())) > 1 and not _OR.search(match.group()):
                    continue  # both are asked for, not one of them
                mark = params.get("mark", "-")
                if not mark.strip() or any(map(str.isalnum, mark)):
                    continue  # “no "it"” rules out a word, not a mark
                if table.group == "existence" and (times := _MORE_TIMES.match(query.shadow, match.end())) is not None:
                    params = {"at_least": {word: _times_of(times[1]) for word in params.get("at_least", {})}}
                adverbs = _ADVERBS.match(query.shadow, match.end())
                yield match.start(), adverbs.end() if adverbs else match.end(), Demand(params, wording.aside)


_MORE_TIMES = re.compile(
    r",?\s(?:at\sleast\s|exactly\s|no\sless\sthan\s)?(twice|thrice|(?:\d{1,2}|two|three|four|five)\stimes)(?!\w)"
)


def _times_of(told: str) -> int:
    """How many times: `twice` is 2."""
    return {"twice": 2, "thrice": 3}.get(told) or find_numbers(told)[0].value


def _arranged(group: str, params: dict[str, Any]) -> dict[str, Any]:
    """The parameters as the group stores them."""
    if group == "language":
        params.pop("kind", None)
    if group == "existence":
        times = params.pop("times", 1)
        words = params.pop("at_least", None)
        if words is not None:
            params["counts" if times < 0 else "at_least"] = dict.fromkeys(words, abs(times))
    if group == "placement" and "which" not in params:
        params["which"] = "every"
    return params


def _amounts_in(query: Query, table: Demands, change: QueryChange) -> Iterator[tuple[int, int, Demand]]:
    told = [quantity for quantity in quantities(query) if quantity.high] if table.amounts else []
    for quantity in told:
        for amount in table.amounts:
            after = amount.after.match(query.shadow, quantity.end)
            if after is None:
                continue
            start = quantity.start
            params: dict[str, Any] = {**amount.params}
            if amount.before is not None:
                low, _ = query.sentence(quantity.start)
                before = next(_endings(amount.before, query.shadow, low, quantity.start), None)
                if before is None:
                    continue
                start = before.start()
                params |= taken(before, query, {})
            params |= taken(after, query, {})
            numbers = _numbers(quantity, amount.relation)
            end = _ADVERBS.match(query.shadow, after.end())
            yield (
                start,
                end.end() if end else after.end(),
                Demand(_lettered(table.group, params | numbers), amount.aside),
            )
            break
    yield from _of_own_noun(query, change, table)


_ADVERBS = re.compile(r"(?:,?\s(?:please|pls|now|instead|this time|max|tops|at most|in total|in all|in it)(?!\w)){1,3}")


def _endings(pattern: re.Pattern[str], text: str, low: int, end: int) -> Iterator[re.Match[str]]:
    """Matches that end right before a place."""
    found = pattern.search(text, low, end)
    if found is not None:
        yield found


def _of_own_noun(query: Query, change: QueryChange, table: Demands) -> Iterator[tuple[int, int, Demand]]:
    """`5 tips`, where the constraint counts tips."""
    noun = (change.params.get("noun") or "") if change.is_known and table.group == "bullets" else ""
    if not noun:
        return
    pattern = re.compile(
        rf"[\s-]{{0,4}}(?:[\w'-]{{1,20}}\s){{0,2}}?{re.escape(noun.lower().removesuffix('s'))}(?:s|es)?(?!\w)"
    )
    for quantity in quantities(query):
        after = pattern.match(query.shadow, quantity.end)
        if after is not None:
            kind = change.params.get("kind", "bullet")
            yield quantity.start, after.end() + 1, Demand({"kind": kind, **_numbers(quantity, "")})


def _numbers(quantity: Quantity, relation: str) -> dict[str, Any]:
    """A quantity as a relation with its numbers, unless the words round it give one."""
    return {"relation": relation, "count": quantity.number} if relation else relation_of(quantity)


def _lettered(group: str, params: dict[str, Any]) -> dict[str, Any]:
    """Of letters a word has at most or at least so many; the mode says which."""
    if group != "lettering":
        return params
    mode = {"at_most": "max_letters", "at_least": "min_letters"}.get(params["relation"], "letters")
    return {"mode": mode, "count": params["count"]}


def _with_tails(query: Query, table: Demands, demand: Demand) -> Demand:
    """The demand with what the query adds to it elsewhere."""
    for tail in table.tails:
        if tail.pattern.search(query.shadow):
            demand = Demand({**demand.params, **tail.params}, demand.aside)
    return demand


def _with_values(query: Query, change: QueryChange) -> Query:
    """The query with the change's literal values masked as if they were quoted."""
    shown = list(literals_of(change.after or change.before or {}))
    if any(query.is_quoted(at) for text in shown for at, _ in query.find(text)):
        return query
    texts = shown if query.quotations else [*shown, *literals_of(change.before or {})]
    spans = [span for text in texts for span in query.find(text) if not query.is_quoted(span[0])]
    if change.group == "labels":
        spans = [(start, end + (query.text[end : end + 1] == ":")) for start, end in spans]
    return query.masking(spans) if spans else query


def _with_pronouns(query: Query) -> Query:
    """The query with pronouns to be read where they stand in quotation marks."""
    shown = [one for one in query.quotations if one.text.casefold() in PRONOUNS]
    if not shown:
        return query
    other, chars = Query(query.text), list(query.shadow)
    for one in shown:
        chars[one.start : one.end] = query.low[one.start : one.end]
    other.shadow = "".join(chars)
    return other


def compare_demands(query: Query, change: QueryChange, said: Sequence[Said]) -> list[Finding]:
    """Findings on an everyday change.

    Args:
        query: The query.
        change: The change.
        said: What the query says of the group.
    """
    table = demands_of(change.group)
    if table is None:
        return [finding("missing", change, f"nobody can read demands of the group {change.group}")]
    demand = f"the {change.group} that the turn asks for"

    def says(value: Demand, params: Params) -> bool:
        return says_demand(change.group, value.params, params)

    if change.kind == "remove":
        masked = _with_values(query, change)
        found = removed(masked, change, table.nouns, said, table.free, _lifts(change.group), demand)
        if not found and (forbids := _forbidden_words(masked, change, table)) is not None:
            return [finding("reversed", change, "it rules out what should only be dropped", forbids)]
        missing = [one for one in found if one.kind == "missing"]
        return [] if missing and released_leniently(masked, change) else found
    if change.group == "existence" and change.kind == "modify":
        return _compare_words(query, change, said, says)
    if (beyond := _one_label_more(query, change)) is not None:
        return [finding("wrong", change, f"it asks for more than {demand}", beyond)]
    if change.kind == "modify" and not any(one.role == "new" for one in said):
        said = [*said, *_elided(query, change)]
    return compare(query, change, said, says, demand)


def _one_label_more(query: Query, change: QueryChange) -> tuple[int, int] | None:
    """Where the label behind the last numbered one is asked for; None if it is not."""
    params = change.params
    if change.group != "labels" or "noun" not in params:
        return None
    return next(iter(query.find(f"{params['noun']} {params['count'] + 1}")), None)


_NOT_TO_USE = re.compile(
    r"(?<!\w)(?:don't|dont|do\snot|never)\s(?:use|mention|say|write|include|put)(?:\s(?:in|the|any|words?|terms?)){0,2}\s[\"“'‘`]?$"
)


def _forbidden_words(query: Query, change: QueryChange, table: Demands) -> tuple[int, int] | None:
    """Where the thing that a turn only drops is ruled out: `don't use “rust” any more`; None if it is not."""
    if change.group not in ("existence", "bullets", "emoji", "hashtags", "headings", "emphasis"):
        return None
    if change.params.get("relation") == "none":
        return None
    named = [match.span() for match in table.nouns.finditer(query.shadow)]
    named += [span for word in literals_of(change.params) for span in query.find(word)]
    return next((span for span in named if _NOT_TO_USE.search(query.shadow[max(0, span[0] - _FAR) : span[0]])), None)


_NAMING = frozenset(LITERALS) | {"count", "upper", "letter", "unit", "measure", "mark", "tag", "place", "low", "high"}
"""Parameters by which people tell which constraint they drop; what they say of its relation does not matter."""


def _lifts(group: str) -> Says:
    """Whether what is said names a constraint, or leaves open which."""

    def says(value: Demand, params: Params) -> bool:
        mine, theirs = normal(group, value.params), normal(group, params)
        if group == "format" and mine.get("mode") != theirs.get("mode"):
            return False
        if group == "language":
            return mine.get("code", mine.get("not")) == theirs.get("code", theirs.get("not"))
        if group == "person":
            return mine.get("avoid", mine.get("use")) == theirs.get("avoid", theirs.get("use"))
        return all(value == theirs[key] for key, value in mine.items() if key in _NAMING and key in theirs)

    return says


def _elided(query: Query, change: QueryChange) -> Iterator[Said]:
    """What stands alone where the rest need not be said: `make it 3`, `“Bye” instead`."""
    before, after = change.before or {}, change.params
    numbers = ("count", "upper", "relation", "column_count")
    if {**before, **dict.fromkeys(numbers)} == {**after, **dict.fromkeys(numbers)} and "count" in before:
        for quantity in lone_numbers(query, ranges=True):
            told = _numbers(quantity, "")
            if quantity.bare and "relation" in before:
                told = {**told, "relation": before["relation"]}
            params = {key: value for key, value in before.items() if key not in numbers}
            told = told if "relation" in before else {"count": told["count"]}
            yield Said(
                Demand(_lettered_back(change.group, {**params, **told})), quantity.start, quantity.end, "new", True
            )
    elif before.keys() & {"value", "values"} and after.keys() & {"value", "values"}:
        masked = _with_values(query, change)
        for run in re.finditer(f"{MASK}+(?:[^{MASK}]{{1,9}}{MASK}+){{0,9}}", masked.shadow):
            values = quotations(masked, *run.span())
            rest = {key: value for key, value in after.items() if key not in ("value", "values")}
            told = {**rest, "value": values[0]} if len(values) == 1 else {**rest, "values": values}
            yield Said(Demand(told), run.start(), run.end(), role_of(masked, *run.span()), True)


def _lettered_back(group: str, params: dict[str, Any]) -> dict[str, Any]:
    return params if group != "lettering" else {key: value for key, value in params.items() if key != "relation"}


_SWAPPED = re.compile(
    r"(?<!\w)(?:instead\sof|rather\sthan|in\splace\sof|in\sfor|replac(?:e|ing)|swap(?:ping)?|not|out\swith)"
    r"(?:\s(?:the|words?|just)){0,2}\s[\"“'‘`]?$"
)


_INSTEAD = re.compile(r"(?<!\w)instead(?!\w|\sof)")


def _are_swapped(query: Query, words: Iterable[str]) -> bool:
    """Whether the words stand behind what says that others take their place: `use “loan” instead of “fuel”`."""
    return all(
        any(_SWAPPED.search(query.shadow[max(0, start - _FAR) : start]) for start, _ in query.find(word))
        for word in words
    )


_FAR = 40


def _compare_words(query: Query, change: QueryChange, said: Sequence[Said], says: Says) -> list[Finding]:
    """Words that are to occur, of which some come or go."""
    before, after = change.before or {}, change.params
    if "any_of" in before or "any_of" in after:
        return compare(query, change, said, says, "these words")
    old, new = (({**p.get("counts", {}), **p.get("at_least", {})}) for p in (before, after))
    key = "counts" if "counts" in after else "at_least"
    gone = {word: count for word, count in old.items() if word not in new}
    come = {word: count for word, count in new.items() if old.get(word) != count}
    findings: list[Finding] = []
    swapped = _are_swapped(query, gone) or (bool(come) and _INSTEAD.search(query.shadow) is not None)
    if gone and not swapped:
        part = replace(change, kind="remove", before={key: gone}, after=None)
        findings += compare_demands(query, part, said)
    if come:
        part = replace(change, kind="add", before=None, after={key: come})
        whole = compare(query, change, said, says, "these words")
        findings += compare_demands(query, part, said) if whole else []
    return findings
