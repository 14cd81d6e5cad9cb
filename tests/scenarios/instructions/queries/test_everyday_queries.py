"""Everyday demands, worded by the short plans: each says exactly its change, and nothing else passes for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from everyday_values import VALUES, Params, some_of

import evolif
from evolif.scenarios.instructions.queries.demand_values import says_demand
from evolif.scenarios.instructions.synthesis.plans import SEAL, UNSEAL
from evolif.scenarios.instructions.synthesis.short_plans import (
    ShortPlans,
    fill_short,
    load_drop_plans,
    load_short_plans,
)
from evolif.scenarios.instructions.synthesis.short_values import short_form
from evolif.scenarios.instructions.turns import OperationKind
from evolif.util.rng import Stream

DRAWN = [pytest.param(5), pytest.param(8, marks=pytest.mark.slow)]
"""Values of each group."""
FIRST = (next(iter(VALUES)), 5)
SAMPLED = [FIRST, *((group, 8) for group in VALUES)]
KINDS = ("do", "bit", "hung", "say", "gripe")
BY_PARTS = ("existence", "forbidden")
"""Groups whose modifications name only the words that come or go."""
LEAST_ADDED = 0.97
TOPIC = {
    "id": "t",
    "prompt": "Explain how a heat pump works to my uncle.",
    "title": "the heat pump",
    "keywords": ["warmth", "coil", "pipe"],
}


def turn(kind: OperationKind, group: str, before: Params | None, after: Params | None) -> dict[str, Any]:
    held = [] if after is None else [{"group": group, "params": after}]
    operation = {"kind": kind, "group": group, "before": before, "after": after}
    return {"topic": TOPIC, "move": "continue", "operation": operation, "constraints": held}


def plans_of(group: str) -> ShortPlans:
    plans = load_short_plans(group)
    assert plans is not None
    return plans


def sentence(kind: str, text: str) -> str:
    """A plan's text as a query of its own."""
    text = text.replace(SEAL, "").replace(UNSEAL, "")
    if kind == "hung":
        return f"Same again, {text[0].lower()}{text[1:]}."
    return text if text[-1] in ".?!" else f"{text}."


def wordings(group: str, params: Params, kinds: tuple[str, ...], stream: Stream) -> Iterator[str]:
    """What every plan of a kind of constraint says of it."""
    form, plans = short_form(group, params, in_words=stream.below(100) < 45), plans_of(group)
    assert form is not None, params
    for kind in kinds:
        for plan in plans.of(form.shape, kind):
            text = fill_short(plan, form.slots)
            for tail in form.tails:
                ending = stream.choice(plans.tails[tail])
                text = f"{text[:-1]}{ending}{text[-1]}" if text[-1] in ".?" else f"{text}{ending}"
            yield sentence(kind, text)


def found(turn: dict[str, Any], query: str) -> list[str]:
    return [finding.message for finding in evolif.check_query(turn, query)]


@pytest.fixture
def stream(request: pytest.FixtureRequest) -> Stream:
    return Stream(31, len(request.node.name))


@pytest.mark.sampled
@pytest.mark.parametrize(("group", "drawn"), SAMPLED)
def test_every_plan_says_its_change_and_no_other(group: str, drawn: int, stream: Stream) -> None:
    rejected, passed = [], []
    for params in some_of(group, stream, drawn):
        other = stream.choice(VALUES[group])
        same = says_demand(group, other, params)
        for query in wordings(group, params, KINDS, stream):
            if fault := found(turn("add", group, None, params), query):
                rejected.append((query, params, fault))
            if not same and not found(turn("add", group, None, other), query):
                passed.append((query, other))
            if not same and group not in BY_PARTS:
                instead = f"{query[:-1]} instead." if query[-1] == "." else query
                rejected += [(instead, params, f) for f in found(turn("modify", group, other, params), instead)]
    assert rejected == []
    assert passed == []


@pytest.mark.parametrize("drawn", DRAWN)
@pytest.mark.parametrize("group", VALUES)
def test_a_new_value_alone_is_read_by_what_it_changes(group: str, drawn: int, stream: Stream) -> None:
    rejected = []
    for params in some_of(group, stream, drawn):
        form = short_form(group, params)
        old = stream.choice(VALUES[group])
        was = short_form(group, old)
        if form and was and was.shape == form.shape and not says_demand(group, old, params) and group not in BY_PARTS:
            for query in wordings(group, params, ("to",), stream):
                rejected += [(query, old, params, fault) for fault in found(turn("modify", group, old, params), query)]
    assert rejected == []


@pytest.mark.sampled
@pytest.mark.parametrize(("group", "drawn"), SAMPLED)
def test_every_lift_is_read(group: str, drawn: int, stream: Stream) -> None:
    rejected, kept = [], []
    for params in some_of(group, stream, drawn):
        for name in wordings(group, params, ("names",), stream):
            named = name.removesuffix(".")
            for kind, plans in load_drop_plans().lift.items():
                text = stream.choice(plans).text
                text = text.replace("{name}", named).replace("{Name}", f"{named[0].upper()}{named[1:]}")
                query = sentence(kind, text)
                if fault := found(turn("remove", group, params, None), query):
                    rejected.append((query, params, fault))
        demand = next(iter(wordings(group, params, ("do",), stream)))
        kept += [demand] if not found(turn("remove", group, params, None), demand) else []
    assert rejected == []
    assert kept == []


@pytest.mark.sampled
@pytest.mark.parametrize(("group", "drawn"), [FIRST, *((group, 15) for group in VALUES)])
def test_a_missing_demand_and_one_too_many_are_found(group: str, drawn: int, stream: Stream) -> None:
    foreign = [name for name in VALUES if name != group]
    asked = missed = 0
    unheard = []
    for params in some_of(group, stream, drawn):
        own = stream.choice(list(wordings(group, params, ("do", "bit", "say"), stream)))
        other = stream.choice(foreign)
        added = stream.choice(VALUES[other])
        words = stream.choice(list(wordings(other, added, ("do", "bit", "say"), stream)))
        missed += not found(turn("add", group, None, params), words)
        if not overlaps(group, other):
            asked += 1
            query = f"{own} {words}" if stream.below(2) else f"{words} {own}"
            unheard += [] if found(turn("add", group, None, params), query) else [query]
    assert missed == 0
    assert len(unheard) <= (1 - LEAST_ADDED) * asked + 1, unheard


def overlaps(group: str, other: str) -> bool:
    """Whether a demand of one group may be a part of what the other asks for."""
    return {group, other} in ({"existence", "forbidden"}, {"manner", "choice"})


RESETS = ("Forget all that. ", "Scrap the rules. ", "From now on only: ", "Never mind the form so far. ")


@pytest.mark.parametrize("reset", RESETS)
def test_the_end_of_all_demands_is_one_claim(reset: str) -> None:
    gone, come = {"relation": "none"}, {"unit": "words", "relation": "at_most", "count": 50}
    line = {
        "topic": TOPIC,
        "move": "continue",
        "act": "replace_all",
        "operations": [
            {"kind": "remove", "group": "emoji", "before": gone, "after": None},
            {"kind": "remove", "group": "manner", "before": {"mode": "answer_only"}, "after": None},
            {"kind": "add", "group": "length", "before": None, "after": come},
        ],
        "constraints": [{"group": "length", "params": come}],
    }
    assert found(line, f"{reset}max 50 words.") == []
    assert found(line, "Max 50 words.") != []
    assert found(line, f"{reset}max 60 words.") != []
    assert found(line, f"{reset}max 50 words and no hashtags.") != []
    assert found(line, reset) != []
    assert found(turn("add", "emoji", None, gone), f"{reset}no emojis.") != []


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        ("Max 5 bullets, no emojis.", True),
        ("Use at most 5 bullets and no emojis.", True),
        ("Max 5 bullets. Don't use emojis.", True),
        ("Max 5 bullets.", False),
        ("No emojis.", False),
        ("Max 6 bullets, no emojis.", False),
        ("Max 5 bullets, no emojis, no bold.", False),
        ("Max 5 bullets, some emojis.", False),
    ],
)
def test_two_demands_in_one_query(query: str, fits: bool) -> None:
    bullets, emoji = {"kind": "bullet", "relation": "at_most", "count": 5}, {"relation": "none"}
    line = {
        "topic": TOPIC,
        "move": "continue",
        "operations": [
            {"kind": "add", "group": "bullets", "before": None, "after": bullets},
            {"kind": "add", "group": "emoji", "before": None, "after": emoji},
        ],
        "constraints": [{"group": "bullets", "params": bullets}, {"group": "emoji", "params": emoji}],
    }
    assert (found(line, query) == []) == fits
