"""Benchmarks of one side of the partition: what they hold, what their headers say, what is refused."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

import evolif
from evolif import InputError, UsageError
from evolif.benchmark.files import dialogue_file
from evolif.exchange.shared_parts import parts_of, shared_parts
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.scenarios.instructions.constraints import check, rule_checked
from evolif.scenarios.instructions.generation import grow
from evolif.scenarios.instructions.partition import SIDES, Side, Wordings, kind_of, side_of, side_of_kind
from evolif.scenarios.instructions.synthesis import load_personas
from evolif.scenarios.instructions.synthesis.plans import REGISTER_LETTERS
from evolif.scenarios.instructions.synthesis.short_plans import load_drop_plans
from evolif.scenarios.instructions.tracker import load_profile, load_topics
from evolif.scenarios.instructions.tracker.profile import BUILT_IN
from evolif.scenarios.instructions.tracker.sides import drawn_from, drawn_kinds

FIRST_EDITION: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "partition_1.yaml").read_text(encoding="utf-8"))
OTHER: dict[Side, Side] = {"train": "test", "test": "train"}


def test_the_first_edition_of_the_partition_never_changes() -> None:
    for group, sides in FIRST_EDITION["kinds"].items():
        assert {kind: side_of_kind(group, kind) for side in SIDES for kind in sides.get(side, ())} == {
            kind: side for side in SIDES for kind in sides.get(side, ())
        }
    for thing in ("topic", "persona", "wording"):
        for side in SIDES:
            assert {side_of(thing, name) for name in FIRST_EDITION[thing][side]} == {side}


@pytest.mark.sampled
@pytest.mark.parametrize("profile", BUILT_IN)
def test_each_side_draws_its_share_of_each_group(profile: str) -> None:
    for group, kinds in drawn_kinds(load_profile(profile)).items():
        shares = Counter[Side | None]()
        for kind, count in kinds.items():
            shares[side_of_kind(group, kind)] += count
        if len(kinds) == 1:
            continue  # on both sides without a kind, on one of them with one
        assert min(shares[side] for side in SIDES) >= 0.19 * shares.total(), group


def test_topics_and_personas_are_halved() -> None:
    for thing, named in (("topic", load_topics()), ("persona", load_personas())):
        shares = Counter(side_of("topic" if thing == "topic" else "persona", one.id) for one in named)
        assert min(shares.values()) > 0.45 * len(named)


def test_a_profile_lacks_the_groups_that_are_all_on_the_other_side() -> None:
    objective = load_profile("objective")
    assert set(objective.groups) - set(drawn_from(objective, "test").groups) == {"bullets"}
    assert drawn_from(objective, "train") is objective
    everyday = drawn_from(load_profile("everyday"), "test")
    assert "sentences" not in everyday.groups and "sentences" not in everyday.pools
    assert drawn_from(everyday, "test") == everyday


def test_each_register_can_drop_demands_on_either_side() -> None:
    drops = load_drop_plans()
    for plans in (drops.reset, drops.reset_with, drops.again, drops.back, drops.carry, drops.still, drops.lift["do"]):
        for register in REGISTER_LETTERS.values():
            typed = [plan for plan in plans if plan.fits_person(register)]
            assert all(Wordings(side).of(typed) for side in SIDES)


def made(folder: Path, side: Side | None, profile: str, dialogues: int = 3, turns: int = 8) -> InstructionBenchmark:
    name = f"{profile}-{side}-{dialogues}"
    return generate(folder / name, profile=profile, dialogues=dialogues, turns=turns, seed=4, split=side)


@pytest.mark.sampled
@pytest.mark.parametrize("profile", BUILT_IN)
def test_two_sides_share_nothing_and_every_turn_has_its_witness(profile: str, tmp_path: Path) -> None:
    sides = {side: made(tmp_path, side, profile) for side in SIDES}
    for side, bench in sides.items():
        split = bench.header.spec.split
        assert split is not None and (split.side, split.edition) == (side, 1)
        parts = parts_of(bench)
        assert parts.kinds and parts.wordings and not parts.whole
        assert {side_of_kind(*name.split("/", 1)) for name in parts.kinds} == {side}
        assert {side_of("wording", text) for text in parts.wordings} == {side}
        assert parts.without_kinds <= set(split.both)
        assert {side_of("topic", topic.id) for topic in bench.topics} == {side}
        assert {side_of("persona", persona.id) for persona in bench.personas} == {side}
        for dialogue in bench.dialogues():
            turns = bench.turns(dialogue)
            assert len(turns) == 8
            for turn in turns:
                assert all(v.satisfied for v in check(rule_checked(turn.constraints), turn.witness or ""))
    found = shared_parts(sides["train"], sides["test"])
    assert not found.found
    assert sides["train"].identity != sides["test"].identity


def test_a_set_without_a_split_shares_much_with_either_side(tmp_path: Path) -> None:
    whole, train = made(tmp_path, None, "objective"), made(tmp_path, "train", "objective")
    assert "split" not in json.loads((whole.path / "benchmark.json").read_text(encoding="utf-8"))["spec"]
    found = shared_parts(whole, train)
    assert found.found and found.kinds and found.sides == (None, "train")
    assert "(no split) shares" in next(found.lines())


def test_words_that_are_not_the_templates_are_compared_as_they_stand(tmp_path: Path) -> None:
    train, test = (made(tmp_path, side, "objective") for side in SIDES)
    for bench in (train, test):
        file = dialogue_file(bench.path, 1)
        first, *others = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        edited = {**first, "query": "Say something nice.", "source": "openai/w"}
        file.write_text("".join(f"{json.dumps(one)}\n" for one in (edited, *others)), encoding="utf-8")
    found = shared_parts(InstructionBenchmark(train.path), InstructionBenchmark(test.path))
    assert (found.wordings, found.whole, found.kinds) == (("Say something nice.",), 2, ())


def test_growing_and_going_on_keep_the_side(tmp_path: Path) -> None:
    at_once = made(tmp_path, "test", "everyday", turns=3)
    grown = grow(made(tmp_path, "test", "everyday", dialogues=2, turns=3), 3)
    for number in at_once.dialogues():
        one, other = (dialogue_file(bench.path, number).read_bytes() for bench in (at_once, grown))
        assert one == other
    again = generate(grown.path, dialogues=4, turns=3, seed=4)  # says neither the profile nor the side
    assert again.header.spec.split == at_once.header.spec.split and len(again.dialogues()) == 4
    again.extend(4)
    assert {side_of("wording", text) for text in parts_of(again).wordings} == {"test"}


def test_another_side_is_another_benchmark(tmp_path: Path) -> None:
    bench = made(tmp_path, "train", "objective", dialogues=1, turns=1)
    with pytest.raises(UsageError, match=r"another benchmark \(split: train .* → test"):
        generate(bench.path, profile="objective", dialogues=1, turns=1, seed=4, split="test")


def test_what_cannot_be_split_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no split “tset” \(did you mean test\?\); use train or test"):
        evolif.generate(tmp_path / "b", split="tset")
    with pytest.raises(UsageError, match="only instruction following has such keywords"):
        evolif.generate(tmp_path / "b", scenario="games", split="train")
    topic = load_topics()[0]
    file = tmp_path / "topics.jsonl"
    stored = {"id": topic.id, "prompt": topic.prompt, "keywords": list(topic.keywords)}
    file.write_text(json.dumps(stored) + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match="1 topic cannot be split"):
        generate(tmp_path / "b", topics=file, split=OTHER[side_of("topic", topic.id)])
    own = side_of("topic", topic.id)
    assert generate(tmp_path / "c", profile="paper", dialogues=1, turns=2, topics=file, split=own).topics


def test_a_set_of_another_edition_plays_what_it_has(tmp_path: Path) -> None:
    bench = made(tmp_path, "train", "objective", dialogues=2, turns=3)
    header = bench.path / "benchmark.json"
    data = json.loads(header.read_text(encoding="utf-8"))
    data["spec"]["split"]["edition"] = 2
    header.write_text(json.dumps(data), encoding="utf-8")
    later = InstructionBenchmark(bench.path)
    assert len(later.turns(1)) == 3 and not later.can_grow(1)
    with pytest.raises(UsageError, match="edition 2 of the partition, and this evolif knows edition 1"):
        later.extend(4)
    with pytest.raises(UsageError, match="edition 2 of the partition"):
        grow(later, 3)
    data["spec"]["split"]["side"] = "both"
    shutil.copytree(bench.path, tmp_path / "broken")
    (tmp_path / "broken" / "benchmark.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(InputError, match="side"):
        InstructionBenchmark(tmp_path / "broken")


@pytest.mark.parametrize(
    ("group", "params", "kind"),
    [
        ("length", {"unit": "words", "relation": "between", "count": 5, "upper": 9}, "words.between"),
        ("start_with", {"mode": "phrase", "values": ["Yes", "No"]}, "Yes | No"),
        ("start_with", {"mode": "letter", "value": "k"}, "letter"),
        ("punctuation", {"mode": "exclude", "mark": ";"}, "exclude ;"),
        ("punctuation", {"mode": "include", "mark": ";"}, "include"),
        ("format", {"mode": "json", "keys": ["a", "b"]}, "json"),
        ("emoji", {"relation": "at_most", "count": 2}, "at_most"),
        ("headings", {"count": 3}, "count"),
        ("language", {"not": "en"}, "not en"),
        ("persona", {"as": "a pirate captain"}, "a pirate captain"),
        ("digits", {"mode": "none"}, ""),
        ("existence", {"counts": {"tide": 1}}, ""),
    ],
)
def test_kinds(group: str, params: dict[str, Any], kind: str) -> None:
    assert kind_of(group, params) == kind
