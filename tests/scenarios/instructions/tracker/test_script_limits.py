"""The filter, exhausted catalogues, and profiles at their limits."""

from itertools import islice

import pytest

from evolif.errors import InternalError, UsageError
from evolif.scenarios.instructions.tracker import Profile, ScriptSpec, load_profile, load_topics, script
from evolif.scenarios.instructions.tracker.profile import parse_profile
from evolif.scenarios.instructions.tracker.script import DrawStatistics, raw_turns
from evolif.util.rng import Stream

TOPICS = load_topics()
UNITS = ("words", "sentences", "paragraphs", "characters")


def turns_of(spec, dialogue, count):
    return list(islice(script(spec, dialogue), count))


def profile_with(**changes) -> Profile:
    data = load_profile("objective").model_dump()
    return parse_profile({**data, **changes}).resolved()


def test_dialogues_that_hold_too_little_are_redrawn_in_their_own_stream():
    keep = {"turns": 20, "min_mean_constraints": 2.6}
    spec = ScriptSpec(profile_with(keep=keep), TOPICS, 11)
    redrawn = 0
    for number in range(1, 9):
        stream = Stream(11, 1, number)
        first = list(islice(raw_turns(spec, number, stream, DrawStatistics()), 20))
        kept = turns_of(spec, number, 20)
        assert sum(len(t.constraints) for t in kept) >= 52
        redrawn += first != kept
    assert 0 < redrawn < 8


@pytest.mark.slow
def test_a_profile_that_keeps_nothing_says_so():
    spec = ScriptSpec(profile_with(keep={"turns": 1, "min_mean_constraints": 2}), TOPICS, 11)
    with pytest.raises(UsageError, match="keeps no dialogue"):
        next(script(spec, 1))


def test_one_topic_is_never_left():
    spec = ScriptSpec(load_profile("objective"), TOPICS[:1], 11)
    assert {t.move for t in turns_of(spec, 1, 60)[1:]} == {"continue"}


def test_an_exhausted_catalogue_goes_back():
    spec = ScriptSpec(load_profile("objective"), TOPICS[:2], 11)
    turns = turns_of(spec, 1, 80)
    assert [t.move for t in turns].count("new") == 2
    assert [t.move for t in turns].count("backtrack") > 5


@pytest.mark.slow
def test_a_long_dialogue_goes_on():
    spec = ScriptSpec(load_profile("objective"), TOPICS[:3], 11)
    assert len(turns_of(spec, 1, 1000)) == 1000


def test_one_group_alone_is_only_modified():
    spec = ScriptSpec(
        profile_with(groups=["bullets"], pools={}, keep={"turns": 1, "min_mean_constraints": 1}), TOPICS, 11
    )
    kinds = {t.operation.kind for t in turns_of(spec, 1, 40) if t.move != "new" or t.turn == 1}
    assert kinds == {"add", "modify"}


def test_no_witness_for_anything_is_our_fault():
    pools = {"length": {"relations": ["less_than"], **{u: {"min": 1, "max": 1, "step": 1} for u in UNITS}}}
    spec = ScriptSpec(
        profile_with(groups=["length"], pools=pools, keep={"turns": 1, "min_mean_constraints": 1}), TOPICS, 11
    )
    with pytest.raises(InternalError, match="no operation with a witness"):
        next(script(spec, 1))
