"""Compares the plain demands of a query with what is in force beside the change: what is extra, what is said again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from evolif.scenarios.instructions.constraints import EVERYDAY_GROUPS, EXTENDED_GROUPS, GROUPS
from evolif.scenarios.instructions.queries.change import Claim, QueryChange
from evolif.scenarios.instructions.queries.comparison import finding
from evolif.scenarios.instructions.queries.demand_table import demands_of
from evolif.scenarios.instructions.queries.demand_values import PRONOUNS, is_everyday, literals_of, says_demand
from evolif.scenarios.instructions.queries.length import length_range
from evolif.scenarios.instructions.queries.numbers import find_numbers
from evolif.scenarios.instructions.queries.reading import Query
from evolif.scenarios.instructions.queries.vocabulary import heard
from evolif.scenarios.instructions.turns import Finding, Params

_EDGES = frozenset({"start_with", "end_with"})
_MARKDOWN = frozenset({"bullets", "headings", "emphasis"})
DISCLAIMERS = (
    "as an ai",
    "as an ai language model",
    "as a language model",
    "i'm sorry",
    "i am sorry",
    "i'm just an ai",
    "i'm sorry but i can't",
    "happy to help",
    "happy to help further",
    "let me know",
)
"""What answers are not to say that excuse themselves or offer more, as people quote it."""
SAID_WITH: Mapping[str, Sequence[str]] = {"person": PRONOUNS, "manner": DISCLAIMERS}
"""Words that demands of a group name in quotation marks, and that another group would take for its own."""
MOST_RESTATED = 1
"""Other constraints in force that a query may say again with their values."""


def unasked(query: Query, change: QueryChange, claims: Iterable[Claim]) -> list[Finding]:
    """Findings on claims of other groups: those that are not in force, and those in force that are listed again.

    Args:
        query: The query.
        change: The turn's change; without the other active constraints nothing can be told.
        claims: What the query asks for, in order.
    """
    if not change.told_all or change.group not in (*GROUPS, *EXTENDED_GROUPS, *EVERYDAY_GROUPS):
        return []  # nobody here knows what a foreign group's own words sound like
    active = dict(change.others)
    others = [c for c in claims if c.group != change.group and not is_own(query, change, c)]
    others = [c for c in others if not _is_of_kin(change, c)]
    restated: dict[str, Claim] = {}
    for claim in others:
        if claim.polarity != "lift" and claim.group in active and in_force(claim, active[claim.group]):
            restated.setdefault(claim.group, claim)
        elif claim.polarity != "lift" or claim.group in active:
            return [finding("extra", change, f"{_told(query, claim)}, which is not this turn's change", claim.span)]
    if len(restated) > MOST_RESTATED:
        message = f"it says again what stays in force: {', '.join(restated)}"
        return [finding("restates", change, message, *(claim.span for claim in restated.values()))]
    return []


def _is_of_kin(change: QueryChange, claim: Claim) -> bool:
    """Whether a claim only says in an everyday group's words what the change's group says in its own."""
    table = demands_of(claim.group)
    modes = table.kin.get(change.group, ()) if table is not None else ()
    return any((params or {}).get("mode") in modes for params in (change.before, change.after))


def _told(query: Query, claim: Claim) -> str:
    what = {"require": "asks for", "forbid": "rules out", "lift": "lifts"}[claim.polarity]
    return f"it also {what} “{query.text[slice(*claim.span)]}” ({claim.group})"


_SAMPLED = frozenset({"forbidden", "existence", "start_with", "end_with", "punctuation"})
_SAMPLE = re.compile(
    r"let me know|hope (?:this|that|it)|happy to|sure|certainly|of course|absolutely|here(?:'s| is| are)|as an ai|"
    r"sorry|language model|great question|feel free|would you like|do you want|want me to|need anything|anything else|"
    r"can't help|cannot help|i'd be|i'll"
)


def is_sample(query: Query, span: tuple[int, int]) -> bool:
    """Whether a place stands in a quotation that shows how an answer is not to open or end, or excuse itself.

    Args:
        query: The query.
        span: The place.
    """
    return any(
        one.start <= span[0] <= one.end and _SAMPLE.search(query.low[one.start : one.end]) for one in query.quotations
    )


def is_own(query: Query, change: QueryChange, claim: Claim) -> bool:
    """Whether a claim only repeats, in another group's words, what the change itself says.

    Args:
        query: The query.
        change: The change.
        claim: A claim of another group.
    """
    if change.group == "manner" and claim.group in _SAMPLED and is_sample(query, claim.span):
        return True
    if change.group == "labels" and (change.after or {}).get("only") and claim.group == "manner":
        return claim.params.get("mode") == "answer_only"  # “no intro before the first”
    mine = _texts(change)
    if claim.group in _MARKDOWN and not claim.params and change.group == "format":
        return claim.polarity == "forbid" or "markdown" in mine  # "in Markdown, with proper headings"
    own = _OWN_CLAIMS.get(claim.group)
    return own is not None and own(query, change, claim, mine)


def _own_edge(query: Query, change: QueryChange, claim: Claim, mine: set[str]) -> bool:
    if change.group in _EDGES or change.group == "existence":
        return False  # the start is not the end, and neither is anywhere
    one = claim.params.get("value") or claim.params.get("left", "") + claim.params.get("right", "")
    values = claim.params.get("values") or [one]
    bare = {text.rstrip(":.") for text in mine}
    return all(value in mine or value.casefold().rstrip(":.") in bare for value in values)


def _own_words(query: Query, change: QueryChange, claim: Claim, mine: set[str]) -> bool:
    words = next((claim.params[key] for key in _WORD_KEYS if claim.params.get(key)), ())
    named = SAID_WITH.get(change.group, ())
    if named and all(word.casefold().strip(" .…,!") in named for word in words):
        return True  # 'no "I" and no "we"'
    if change.group == "digits" and not {*words} & {*change.keywords}:
        return all(find_numbers(word.casefold()) for word in words)  # “twelve” and not the figure
    parts = mine | {part for text in mine for part in text.split()}
    return all({word.casefold(), word.casefold().rstrip(":")} & parts for word in words)


def _own_mark(query: Query, change: QueryChange, claim: Claim, mine: set[str]) -> bool:
    return claim.params.get("mark") in mine or _stands_at_edge(query, change, claim)


_PER_PART = re.compile(r"(?:\bper|\beach|\bevery) $")
_BY_PART = re.compile(r" (?:per|(?:in |of |for )?(?:each|every)) ")


def _lifts_of_part(query: Query, change: QueryChange, claim: Claim) -> bool:
    """Whether a dropped length, or list, is only the limit of each part: *the words limit per bullet*."""
    if change.group != "part_length" or claim.polarity != "lift":
        return False
    before, after = query.low[max(0, claim.span[0] - 8) : claim.span[0]], query.low[claim.span[1] : claim.span[1] + 16]
    return bool(_BY_PART.match(after) if claim.group == "length" else _PER_PART.search(before))


def _own_items(query: Query, change: QueryChange, claim: Claim, mine: set[str]) -> bool:
    if _lifts_of_part(query, change, claim):
        return True
    if claim.polarity != "require" or not (change.group == "labels" or _is_a_list(change)):
        return False
    return claim.params.get("count") in (None, (change.after or change.before or {}).get("count"))


def _own_length(query: Query, change: QueryChange, claim: Claim, mine: set[str]) -> bool:
    if _lifts_of_part(query, change, claim):
        return True
    if change.group == "part_length" and claim.polarity == "lift":
        return (change.before or {}).get("unit", "-") in query.low[slice(*claim.span)]  # “the line rule”
    return bool(claim.params) and _is_a_size_of(change, claim)


def _own_placement(query: Query, change: QueryChange, claim: Claim, mine: set[str]) -> bool:
    return claim.params.get("value", "").casefold() in mine


_OWN_CLAIMS: Mapping[str, Callable[[Query, QueryChange, Claim, set[str]], bool]] = {
    "start_with": _own_edge,
    "end_with": _own_edge,
    "existence": _own_words,
    "forbidden": _own_words,
    "punctuation": _own_mark,
    "bullets": _own_items,
    "length": _own_length,
    "placement": _own_placement,
}
"""By the claim's group, whether it is a part of the change."""


def _is_a_list(change: QueryChange) -> bool:
    """Whether the change asks for a list in one line, whose items anybody may count or call a list."""
    return any((params or {}).get("mode") in ("comma_list", "literal_list") for params in (change.before, change.after))


_WORD_KEYS = ("counts", "keywords", "at_least", "any_of")
"""Where claims of words have them."""


def _stands_at_edge(query: Query, change: QueryChange, claim: Claim) -> bool:
    """A full stop that may not stand behind what the answer ends with."""
    if claim.params.get("mark") != "." or change.group not in _EDGES:
        return False
    return heard(change.group).anywhere("edge").search(query.shadow, *query.sentence(claim.span[0])) is not None


def _texts(change: QueryChange) -> set[str]:
    """All texts of the change's parameters, and the marks of its pairs, in lower case."""
    found: set[str] = set()
    for params in (change.before, change.after):
        for value in (params or {}).values():
            found |= {v.casefold() for v in _flat(value)}
        if params and "left" in params:
            found.add(params["left"] + params["right"])
        found |= {text.casefold() for text in literals_of(params or {})}
    return found


def _flat(value: Any) -> Sequence[str]:
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, (list, tuple, Mapping)) else []


_MOST_KEYWORDS = 10
"""Words that a query may count when it means keywords."""


def _is_a_size_of(change: QueryChange, claim: Claim) -> bool:
    """`three words must occur`, the paragraphs of an acrostic: a number that belongs to the change itself."""
    unit, count = claim.params["unit"], claim.params["count"]
    if change.group in ("existence", "forbidden"):
        return bool(unit == "words" and claim.params["relation"] == "exactly" and count <= _MOST_KEYWORDS)
    if change.group == "placement":
        return bool(unit == "paragraphs" and count in (2, *(len(word) for word in _texts(change))))
    return bool(change.group == "sentences" and unit == "sentences" and count == 3)


def in_force(claim: Claim, params: Params) -> bool:
    """Whether a claim says what a constraint of its group demands; a number that stands alone says it, too.

    Args:
        claim: A claim of the constraint's group.
        params: The constraint's parameters.
    """
    told = claim.params
    if claim.group in _EDGES and "value" in told and "value" in params:
        return bool(_plain(told["value"]) == _plain(params["value"]))
    if told.keys() == {"count"} and params.get("relation") == "exactly":
        return bool(told["count"] == params.get("count"))
    if is_everyday(claim.group, told) or is_everyday(claim.group, params):
        return says_demand(claim.group, told, params)
    if claim.polarity == "forbid" and claim.group not in ("forbidden", "punctuation", "digits"):
        return False
    if claim.group == "length":
        return _same_length(told, params)
    if claim.group == "existence":
        counts = {k.casefold(): v for k, v in params.get("counts", {}).items()}
        return all(counts.get(k.casefold()) in (v, -v) for k, v in told["counts"].items())
    if claim.group == "forbidden":
        held = {k.casefold() for k in params["keywords"]}
        return all(k.casefold() in held for k in told["keywords"])
    mine = {key: value for key, value in told.items() if key in params}
    same = all(_plain(params[key]) == _plain(value) for key, value in mine.items())
    return same and told.get("relation", "exactly") == "exactly"


def _plain(value: Any) -> Any:
    return value.casefold().replace("\ufe0f", "") if isinstance(value, str) else value


def _same_length(told: Params, params: Params) -> bool:
    if not told:
        return True  # "keep it short", where a length is in force
    if told["unit"] != params["unit"]:
        return False
    if told["relation"] in ("exactly", "about"):
        return bool(told["count"] == params["count"])
    return length_range(told) == length_range(params)
