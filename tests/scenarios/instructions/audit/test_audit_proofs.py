"""Hand-made impossible sets, each with the smallest conflict that must be named, and near misses that are none."""

from __future__ import annotations

import random

import pytest

from evolif.scenarios.instructions.audit.satisfiability import refute, satisfiability
from evolif.scenarios.instructions.constraints import DrawContext, get_group, parse_constraints
from evolif.scenarios.instructions.tracker import load_profile, load_topics
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.witness import Refusal, build_fallback
from evolif.util.rng import Stream

PADDING = {"start_with": {"mode": "emoji", "value": "🐝"}, "punctuation": {"mode": "include", "mark": ";"}}


def constraints(**groups: object) -> tuple[Constraint, ...]:
    return parse_constraints({"group": group, "params": params} for group, params in groups.items())


def length(unit: str, relation: str, count: int) -> dict[str, object]:
    return {"unit": unit, "relation": relation, "count": count}


def keyword(value: str) -> dict[str, str]:
    return {"mode": "keyword", "value": value}


def without(mark: str) -> dict[str, str]:
    return {"mode": "exclude", "mark": mark}


IMPOSSIBLE = [
    # a forbidden keyword inside a required one
    ({"forbidden": {"keywords": ["app"]}, "start_with": keyword("app store")}, {"start_with", "forbidden"}),
    ({"forbidden": {"keywords": ["Store"]}, "end_with": keyword("app store")}, {"end_with", "forbidden"}),
    ({"forbidden": {"keywords": ["app"]}, "existence": {"counts": {"app": 1}}}, {"existence", "forbidden"}),
    ({"forbidden": {"keywords": ["budget"]}, "existence": {"counts": {"low-budget": 2}}}, {"existence", "forbidden"}),
    # required and not to occur
    ({"existence": {"counts": {"app": 0}}, "start_with": keyword("app store")}, {"start_with", "existence"}),
    ({"existence": {"counts": {"App": 2, "app": 3}}}, {"existence"}),
    # an excluded mark inside what must stand there
    ({"existence": {"counts": {"U.S.": 2}}, "punctuation": without(".")}, {"existence", "punctuation"}),
    ({"end_with": keyword("3,5"), "punctuation": without(",")}, {"end_with", "punctuation"}),
    (
        {"start_with": {"mode": "quotation", "left": "(", "right": ")"}, "punctuation": without(")")},
        {"start_with", "punctuation"},
    ),
    # counts of keywords inside one another
    ({"existence": {"counts": {"cargo bike": 3, "bike": 2}}}, {"existence"}),
    ({"existence": {"counts": {"bike": 1}}, "start_with": keyword("bike to bike")}, {"start_with", "existence"}),
    ({"existence": {"counts": {"search folder": 2, "search engine": 2, "search": 3}}}, {"existence"}),
    # both edges
    (
        {"existence": {"counts": {"tea": 1}}, "start_with": keyword("tea"), "end_with": keyword("green tea")},
        {"start_with", "end_with", "existence"},
    ),
    (
        {"existence": {"counts": {"tea": 1}}, "start_with": keyword("tea"), "end_with": keyword("tea"),
         "length": length("words", "more_than", 99)},
        {"start_with", "end_with", "existence", "length"},
    ),
    (
        {"existence": {"counts": {"tea": 1, "milk": 2}}, "start_with": keyword("tea"), "end_with": keyword("tea")},
        {"start_with", "end_with", "existence"},
    ),
    (
        {"existence": {"counts": {"2024": 1}}, "start_with": keyword("2024"), "end_with": keyword("2024"),
         "case": {"mode": "all_upper"}},
        {"start_with", "end_with", "existence", "case"},
    ),
    # what a data format has not
    ({"format": {"mode": "json"}, "bullets": {"count": 3}}, {"format", "bullets"}),
    ({"format": {"mode": "csv"}, "bullets": {"count": 1}}, {"format", "bullets"}),
    ({"format": {"mode": "xml"}, "length": length("paragraphs", "exactly", 2)}, {"format", "length"}),
    ({"format": {"mode": "csv"}, "length": length("sentences", "more_than", 5)}, {"format", "length"}),
    # too little room
    ({"length": length("words", "less_than", 0)}, {"length"}),
    ({"length": length("characters", "less_than", 1)}, {"length"}),
    ({"length": length("words", "less_than", 1), "case": {"mode": "all_lower"}}, {"length", "case"}),
    ({"length": length("words", "exactly", 0), "existence": {"counts": {"tea": 1}}}, {"length", "existence"}),
    (
        {"length": length("characters", "less_than", 100), "existence": {"counts": {"photosynthesis": 9}}},
        {"length", "existence"},
    ),
    (
        {"length": length("words", "less_than", 10), "existence": {"counts": {"cup of green tea": 4}}},
        {"length", "existence"},
    ),
    ({"length": length("characters", "less_than", 25), "bullets": {"count": 15}}, {"length", "bullets"}),
    (
        {"length": length("characters", "exactly", 12), "format": {"mode": "xml"}, "start_with": keyword("teapot")},
        {"start_with", "format", "length"},
    ),
    # more than is read
    ({"length": length("words", "more_than", 40_000)}, {"length"}),
    ({"length": length("characters", "exactly", 70_000)}, {"length"}),
    ({"bullets": {"count": 10**9}}, {"bullets"}),
    ({"existence": {"counts": {"kyoto": 10**9}}}, {"existence"}),
]  # fmt: skip


@pytest.mark.parametrize(("groups", "conflict"), IMPOSSIBLE)
def test_what_no_response_can_satisfy_is_proved_with_the_smallest_conflict(groups, conflict):
    padded = {**PADDING, **groups} if not PADDING.keys() & groups.keys() else groups
    for asked in (groups, padded):
        found = satisfiability(constraints(**asked))
        assert found.status == "impossible", found
        assert set(found.conflict) == conflict
        assert found.reason


POSSIBLE = [
    {"existence": {"counts": {"cargo bike": 1, "bike lane": 1, "bike": 1}}},
    {"existence": {"counts": {"cargo bike": 2, "bike lane": 2, "bike": 2, "cargo bike lane": 2}}},
    {"existence": {"counts": {"tea": 1}}, "start_with": keyword("tea"), "end_with": keyword("tea")},
    {"existence": {"counts": {"tea": 2}}, "start_with": keyword("tea"), "end_with": keyword("tea")},
    {"existence": {"counts": {"budgets": 2, "budget": 1}}},
    {"forbidden": {"keywords": ["app"]}, "start_with": keyword("apple tart")},
    {"existence": {"counts": {"don't": 2}}, "punctuation": {"mode": "exclude", "mark": "'"}},
    {"format": {"mode": "json"}, "start_with": {"mode": "quotation", "left": "[", "right": "]"}},
    {"format": {"mode": "csv"}, "start_with": {"mode": "quotation", "left": '"', "right": '"'}},
    {"format": {"mode": "json"}, "length": length("paragraphs", "less_than", 3)},
    {"format": {"mode": "csv"}, "length": length("sentences", "less_than", 10)},
    {"bullets": {"count": 10}, "length": length("sentences", "less_than", 5)},
    {"length": length("words", "less_than", 3), "existence": {"counts": {"kyoto": 9}}},
    {"length": length("characters", "exactly", 1)},
]


@pytest.mark.parametrize("groups", POSSIBLE)
def test_what_only_looks_impossible_gets_a_text(groups):
    found = satisfiability(constraints(**groups))
    assert found.status in ("satisfiable", "awkward"), found


def drawn(dice: random.Random, stream: Stream, count: int, *, small: bool):
    """Draws past the table from keywords that overlap, as a generator without any care would make them."""
    profile, topics = load_profile("objective"), load_topics()
    for _ in range(count):
        words = dice.sample(dice.choice(topics).keywords, 4)
        parts = [part for word in words for part in word.split()]
        words = list(dict.fromkeys([*words, *parts, *(f"{a} {b}" for a in parts[:3] for b in parts[:4] if a != b)]))
        asked = []
        for group in dice.sample(profile.groups, dice.randint(1, 9)):
            params = get_group(group).draw(stream, DrawContext(tuple(words), profile.pools[group], {}))
            if small and group == "length":
                params = {**params, "count": dice.randint(0, 60)}
            if group == "existence":
                params = {"counts": {w: dice.randint(0, 4) for w in dice.sample(words, min(len(words), 4))}}
            asked.append(Constraint(group, params))
        yield asked


@pytest.mark.sampled
@pytest.mark.parametrize("small", [False, True])
def test_no_text_is_ever_found_for_what_was_proved_impossible(small):
    statuses = []
    for asked in drawn(random.Random(5), Stream(5, 1, 1), 250, small=small):
        found = satisfiability(asked)
        statuses.append(found.status)
        if found.status == "impossible":
            assert isinstance(build_fallback(asked, ()), Refusal), asked
            of_conflict = {c.group: c.params for c in asked if c.group in found.conflict}
            assert refute(of_conflict) == found.reason
            for group in of_conflict:
                assert refute({g: p for g, p in of_conflict.items() if g != group}) is None, "not the smallest"
    assert statuses.count("undecided") <= len(statuses) * 0.02
    assert {"satisfiable", "awkward", "impossible"} <= set(statuses)
