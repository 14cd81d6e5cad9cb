"""Texts with chosen mistakes fail exactly the constraints they are meant to fail."""

import random
from collections import Counter
from itertools import islice

import pytest

from evolif.scenarios.instructions.constraints import check
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics, script
from evolif.scenarios.instructions.turns import Constraint
from evolif.scenarios.instructions.witness.flawed import build_flawed
from evolif.util.rng import Stream

KEYWORDS = ("bridge", "cable", "pier", "river")


def turns_of(profile, dialogues, length):
    spec = ScriptSpec(load_profile(profile), load_topics(), 3)
    return [turn for number in range(1, dialogues + 1) for turn in islice(script(spec, number), length)]


def failed_groups(turn, missed, key=0):
    text = build_flawed(turn.constraints, turn.topic.keywords, missed, Stream(key, turn.dialogue, turn.turn))
    return set() if text is None else {v.group for v in check(turn.constraints, text) if not v.satisfied}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("profile", "length"),
    [("objective", 25), ("escalating", 25), pytest.param("escalating", 60, marks=pytest.mark.slow)],
)
def test_each_group_fails_alone_wherever_the_others_leave_room(profile, length):
    tried, exact = Counter(), Counter()
    for turn in turns_of(profile, 3, length):
        for group in {c.group for c in turn.constraints}:
            tried[group] += 1
            exact[group] += failed_groups(turn, {group}) == {group}
    assert set(tried) == set(load_profile(profile).groups)
    assert all(exact[group] >= 0.95 * tried[group] for group in tried), (tried, exact)
    assert exact.total() >= 0.99 * tried.total()


@pytest.mark.slow
def test_several_groups_fail_together():
    draw = random.Random(5)
    turns = [turn for turn in turns_of("escalating", 2, 60) if len(turn.constraints) >= 4]
    missed = [set(draw.sample(sorted(c.group for c in turn.constraints), 3)) for turn in turns]
    exact = sum(failed_groups(turn, groups) == groups for turn, groups in zip(turns, missed, strict=True))
    assert exact >= 0.97 * len(turns) > 50


def test_mistakes_differ_by_stream():
    constraints = (Constraint("length", {"unit": "words", "relation": "exactly", "count": 100}),)
    texts = {build_flawed(constraints, KEYWORDS, {"length"}, Stream(key)) for key in range(10)}
    assert len(texts) > 5


def test_the_nearest_text_stands_in_where_there_is_none():
    """Ten items are more than five sentences, so the length cannot fail alone."""
    constraints = (
        Constraint("bullets", {"count": 10}),
        Constraint("length", {"unit": "sentences", "relation": "more_than", "count": 5}),
        Constraint("case", {"mode": "all_lower"}),
    )
    assert build_flawed(constraints, KEYWORDS, {"length"}, Stream(1)) is None
    text = build_flawed(constraints, KEYWORDS, {"length", "case"}, Stream(1))
    assert {v.group for v in check(constraints, text) if not v.satisfied} == {"case"}


@pytest.mark.parametrize(
    "foreign",
    [
        Constraint("length", {"unit": "words", "relation": "less_than", "count": 10**12}),
        Constraint("sentences", {"mode": "max_words", "count": 10**12}),
        Constraint("sentences", {"mode": "questions", "count": 10**12}),
        Constraint("existence", {"counts": {"pier": 10**12}}),
    ],
)
def test_a_foreign_number_builds_no_endless_text(foreign):
    assert build_flawed((foreign,), KEYWORDS, {foreign.group}, Stream(1)) is None
