"""Profiles that change with the turn: stages, preferences, and returns to the topic left longest ago."""

from collections import Counter
from itertools import islice

import pytest
import yaml

from evolif.errors import InputError
from evolif.scenarios.instructions.tracker import ScriptSpec, load_profile, load_topics, script
from evolif.scenarios.instructions.tracker.profile import parse_profile
from evolif.util.resources import data_path

TOPICS = load_topics()
OBJECTIVE = yaml.safe_load(data_path("seeds", "profiles", "objective.yaml").read_text(encoding="utf-8"))


def turns_of(count, seed=11, **changes):
    profile = parse_profile({**OBJECTIVE, "keep": {"turns": 1, "min_mean_constraints": 0}, **changes}).resolved()
    return [turn for number in range(1, 9) for turn in islice(script(ScriptSpec(profile, TOPICS, seed), number), count)]


@pytest.mark.parametrize("name", ["paper", "objective", "extended"])
def test_profiles_without_stages_are_written_as_before(name):
    profile = load_profile(name)
    data = profile.model_dump(mode="json")
    assert not {"stages", "preferences"} & data.keys()
    assert data["visit"].keys() - {"stay"} == {"min_turns", "switch", "new"}
    assert ("persons" in data) == ("stay" in data["visit"]) == (name != "paper")
    assert profile.phases() == {1: profile}


def test_a_profile_with_stages_is_read_back_from_a_header():
    profile = load_profile("escalating")
    assert parse_profile(profile.model_dump(mode="json")) == profile


def test_a_stage_keeps_what_it_does_not_name():
    stages = [
        {"from_turn": 3, "pools": {"bullets": {"min": 9}}},
        {"from_turn": 8, "visit": {"min_turns": 1, "switch": 1, "new": 0}, "pools": {"bullets": {"max": 9}}},
    ]
    profile = parse_profile({**OBJECTIVE, "stages": stages}).resolved()
    phases = profile.phases()
    assert list(phases) == [1, 3, 8]
    assert [phases[turn].pools["bullets"] for turn in phases] == [
        {"min": 3, "max": 15}, {"min": 9, "max": 15}, {"min": 9, "max": 9},
    ]  # fmt: skip
    assert [phases[turn].visit.switch for turn in phases] == [0, 0, 1]
    assert phases[8].operations == profile.operations


def test_a_stage_begins_at_its_turn():
    stages = [{"from_turn": 6, "pools": {"bullets": {"min": 20, "max": 30}}}]
    turns = turns_of(30, pools={"bullets": {"min": 3, "max": 5}}, stages=stages)
    operations = [(t.turn, t.operation) for t in turns if t.operation.group == "bullets"]
    drawn = [(turn, operation.after["count"]) for turn, operation in operations if operation.after]
    assert {turn < 6 for turn, _ in drawn} == {True, False}
    assert all((count <= 5) == (turn < 6) for turn, count in drawn)


def test_preferred_groups_are_added_first_and_removed_last():
    turns = turns_of(60, preferences={"case": 50})
    first = Counter(turn.operation.group for turn in turns if turn.move == "new")
    assert first["case"] > 0.7 * first.total()  # 50 of 58 are expected, 1 of 9 without preferences
    choices = [t.operation for t in turns if t.operation.kind == "remove" and any(c.group == "case" for c in t.before)]
    assert len(choices) > 20
    assert sum(operation.group == "case" for operation in choices) < 0.1 * len(choices)


def test_a_return_goes_to_the_topic_left_longest_ago():
    visit = {"min_turns": 1, "switch": 1, "new": 0.3, "longest_absent": 1}
    last, seen = {}, 0
    for turn in turns_of(60, visit=visit):
        if turn.turn == 1:
            last = {}
        if turn.move == "backtrack":
            assert turn.topic.id == min(last, key=last.__getitem__)
            seen += len(last) > 2
        last[turn.topic.id] = turn.turn
    assert seen > 100


BAD = [
    ({"stages": [{"from_turn": 1}]}, "stages.0.from_turn"),
    ({"stages": [{"from_turn": 9}, {"from_turn": 5}]}, "sort them by from_turn"),
    ({"stages": [{"from_turn": 9}, {"from_turn": 9}]}, "sort them by from_turn"),
    ({"stages": [{"from_turn": 9, "colour": 1}]}, "stages.0.colour"),
    ({"stages": [{"from_turn": 9, "pools": {"emotion": {}}}]}, "pools are given for emotion"),
    ({"stages": [{"from_turn": 9, "preferences": {"colour": 2}}]}, "preferences are given for colour"),
    ({"stages": [{"from_turn": 9, "pools": {"bullets": {"min": 99}}}]}, "stages.0.pools.bullets: no constraint"),
    ({"preferences": {"case": 0}}, "preferences.case"),
    ({"visit": {"min_turns": 4, "switch": 0.8, "new": 0.4, "longest_absent": 2}}, "visit.longest_absent"),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=[f"{number}" for number in range(len(BAD))])
def test_a_bad_stage_is_told_where(tmp_path, changes, message):
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump({**OBJECTIVE, **changes}), encoding="utf-8")
    with pytest.raises(InputError, match=message.replace(".", r"\.")):
        load_profile(str(path))
