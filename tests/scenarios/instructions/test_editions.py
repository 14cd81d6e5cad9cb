"""Editions of the generator: sets of an older one are opened and played, and not extended in other words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from older_profiles import PROFILES

from evolif import UsageError, evaluate, generate, load_benchmark
from evolif.benchmark import HEADER
from evolif.scenarios.instructions.presentation import InstructionPresentation
from evolif.scenarios.instructions.scenario import InstructionFollowing
from evolif.scenarios.instructions.tracker.profile import load_profile, parse_profile
from evolif.scenarios.instructions.turn_lines import EDITION, PERSON_EDITION, SHORT_EDITION, edition_of


def older(folder: Path) -> Path:
    """A set from before editions: its header does not name one."""
    generate(folder, dialogues=2, turns=5, seed=3, profile="paper")
    header = json.loads((folder / HEADER).read_text(encoding="utf-8"))
    assert header.pop("edition") == EDITION
    (folder / HEADER).write_text(json.dumps({**header, "generator": "0.1.2"}), encoding="utf-8")
    return folder


def test_a_set_of_an_older_edition_is_played_to_the_end_of_its_turns(tmp_path: Path) -> None:
    bench = load_benchmark(older(tmp_path / "b"))
    assert bench.header.edition == 1 and "edition" not in json.loads(bench.header.to_json())
    run = evaluate(bench, ["sim/perfect"], out=tmp_path / "run", max_turns=9)
    assert {(len(s.turns), s.ending, s.reason) for s in run.sessions()} == {
        (5, "censored", "the dialogue cannot be extended")
    }


def test_extending_it_is_refused_with_its_edition_and_version(tmp_path: Path) -> None:
    bench = load_benchmark(older(tmp_path / "b"))
    with pytest.raises(UsageError, match=r"is of edition 1, made by evolif 0\.1\.2; this evolif words"):
        bench.extend(6)
    with pytest.raises(UsageError, match="edition 1"):
        bench.turn(1, 6)
    assert len(bench.turns(1)) == 5


def test_generating_into_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="already contains another benchmark"):
        generate(older(tmp_path / "b"), dialogues=2, turns=5, seed=3, profile="paper")


def test_sets_with_persons_have_an_edition_of_their_own(tmp_path: Path) -> None:
    bench = generate(tmp_path / "b", dialogues=1, turns=2, seed=3)
    assert bench.header.edition == PERSON_EDITION and bench.can_grow(1)
    header = json.loads((tmp_path / "b" / HEADER).read_text(encoding="utf-8"))
    (tmp_path / "b" / HEADER).write_text(json.dumps({**header, "edition": SHORT_EDITION}), encoding="utf-8")
    older_words = load_benchmark(tmp_path / "b")
    assert not older_words.can_grow(1)
    with pytest.raises(UsageError, match="edition 3"):
        older_words.extend(4)


@pytest.mark.parametrize(("name", "edition"), [("everyday", SHORT_EDITION), ("objective", EDITION)])
def test_sets_without_persons_are_extended_as_before(tmp_path: Path, name: str, edition: int) -> None:
    profile = str(PROFILES / f"{name}.yaml")
    bench = generate(tmp_path / "b", dialogues=1, turns=3, seed=3, profile=profile)
    assert bench.header.edition == edition and "persons" not in bench.header.to_json()
    bench.extend(6)
    whole = generate(tmp_path / "whole", dialogues=1, turns=6, seed=3, profile=profile)
    assert [turn.query for turn in bench.turns(1)] == [turn.query for turn in whole.turns(1)]
    assert not any(turn.topic.wordings or turn.topic.short for turn in whole.turns(1))


def test_paper_sets_word_tasks_by_who_asks_where_they_are_told_to(tmp_path: Path) -> None:
    plain = generate(tmp_path / "plain", dialogues=12, turns=1, seed=3, profile="paper")
    told = generate(tmp_path / "told", dialogues=12, turns=1, seed=3, profile="paper", voices=True)
    assert told.identity != plain.identity
    pairs = [(plain.turn(at, 1), told.turn(at, 1)) for at in range(1, 13)]
    for one, other in pairs:
        assert (one.topic.id, one.constraints) == (other.topic.id, other.constraints)
        worded = other.topic.wordings.get(other.persona.register)
        assert (worded or other.topic.prompt)[:40] in other.query or other.persona.register in ("casual", "warm")
    assert sum(bool(other.topic.wordings) for _, other in pairs) > 4
    again = generate(tmp_path / "told", dialogues=12, turns=1, seed=3)
    assert again.header.spec.profile.voices


@pytest.mark.parametrize(("name", "persons"), [("paper", False), ("objective", True), ("everyday", True)])
def test_profiles_say_whether_persons_have_a_life(name: str, persons: bool) -> None:
    profile = load_profile(name)
    told = profile.model_dump(mode="json")
    assert profile.persons is persons and told.get("persons", False) is persons
    assert ("persons" in told) is persons, "the paper's stored headers keep their bytes"
    stored = parse_profile({key: value for key, value in told.items() if key != "persons"})
    assert stored.persons is None and edition_of(stored) == (SHORT_EDITION if name == "everyday" else EDITION)
    assert edition_of(profile) == (PERSON_EDITION if persons else EDITION)


def test_a_stored_profile_gets_no_persons_by_being_used_again(tmp_path: Path) -> None:
    paper = generate(tmp_path / "a", dialogues=1, turns=3, seed=3, profile="paper")
    again = generate(
        tmp_path / "b", dialogues=1, turns=3, seed=3, profile=load_benchmark(paper.path).header.spec.profile
    )
    assert again.identity == paper.identity and again.turns(1) == paper.turns(1)


def test_the_command_that_makes_a_set_again_says_all_that_it_takes(tmp_path: Path) -> None:
    presentation = InstructionPresentation(InstructionFollowing())
    told = generate(tmp_path / "told", dialogues=1, turns=1, seed=3, profile="paper", voices=True)
    judged = generate(tmp_path / "judged", dialogues=1, turns=1, seed=3, judged=True)
    before = generate(tmp_path / "before", dialogues=1, turns=1, seed=3, profile=str(PROFILES / "everyday.yaml"))
    flags = {bench: presentation.command(bench, bench.variant, [1]) for bench in (told, judged, before)}
    assert "--voices" in flags[told][0] and "--judged" not in flags[told][0]
    assert "--judged" in flags[judged][0] and "--voices" not in flags[judged][0]
    assert any("edition 3" in note for note in flags[before][1])
    assert not any("edition" in note for bench in (told, judged) for note in flags[bench][1])
