"""Benchmarks are opened by the scenario that their header names; no name means instruction following."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from quiz_scenario import Quiz, QuizOptions

import evolif
from evolif import InputError, UsageError
from evolif.benchmark import BenchmarkFolder
from evolif.scenario import Defaults, get_scenario, options_of, pairs_of
from evolif.scenarios import instructions


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Quiz().generate(tmp_path / "quiz", QuizOptions(), dialogues=2, seed=0)
    return tmp_path / "quiz"


def make(folder: Path) -> None:
    evolif.generate(folder, dialogues=2, turns=2, seed=3, profile="objective")


@pytest.fixture
def own(tmp_path: Path, copied: Callable[..., Path]) -> Path:
    return copied(make, tmp_path / "own")


def test_no_name_means_instruction_following(own: Path) -> None:
    assert "scenario" not in json.loads((own / "benchmark.json").read_text("utf-8"))
    bench = evolif.load_benchmark(str(own))
    assert isinstance(bench, instructions.InstructionBenchmark)
    assert (bench.scenario, bench.variant, bench.dialogues()) == ("instructions", "objective", [1, 2])


def test_instruction_following_is_a_scenario_like_any_other(own: Path, tmp_path: Path) -> None:
    scenario = get_scenario("instructions")
    options = options_of(scenario.spec, {"turns": "2", "profile": "objective"}, scenario.name)
    made = scenario.generate(tmp_path / "again", options, dialogues=2, seed=3)
    assert made.identity == evolif.load_benchmark(own).identity
    assert (tmp_path / "again/dialogues/0002.jsonl").read_bytes() == (own / "dialogues/0002.jsonl").read_bytes()
    assert scenario.defaults(made, scenario.play()) == Defaults(max_turns=50, patience=3, reacts=True)


def test_a_scenario_that_is_not_installed_is_named_with_file_and_mend(folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        evolif.load_benchmark(folder)
    assert str(caught.value) == (
        f"{folder / 'benchmark.json'}: the scenario “quiz” is not installed here; there are instructions, recorded, "
        "shifts, games, broadcast; a benchmark is opened with the package that made it"
    )


@pytest.mark.usefixtures("quiz")
def test_plugins_can_be_turned_off(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evolif.load_benchmark(folder)
    monkeypatch.setenv("EVOLIF_PLUGINS", "0")
    with pytest.raises(UsageError, match="“quiz” is not installed here"):
        evolif.load_benchmark(folder)


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("LaterQuiz", "made by version 1 of the scenario quiz, but version 2 is installed; generate the"),
        ("RaisingQuiz", r"the plug-in of the scenario quiz failed \(ZeroDivisionError: oh\); fix or remove it"),
        ("Untitled", "quiz_scenario:Untitled calls its scenario “untitled”|cannot be loaded"),
        ("NoSuchClass", "the plug-in quiz_scenario:NoSuchClass cannot be loaded"),
    ],
)
def test_what_a_plugin_gets_wrong_is_a_sentence(folder: Path, install, place: str, sentence: str) -> None:
    install(quiz=place)
    with pytest.raises(UsageError, match=sentence):
        evolif.load_benchmark(folder)


def test_the_folder_of_one_scenario_is_not_opened_as_one_of_another(folder: Path, own: Path) -> None:
    with pytest.raises(InputError, match="it belongs to the scenario “quiz”, but this works with benchmarks of instr"):
        instructions.InstructionBenchmark(folder)
    with pytest.raises(InputError, match="it names no scenario, so it belongs to instruction following"):
        BenchmarkFolder(own, Quiz())
    with pytest.raises(InputError, match="it belongs to the scenario “quiz”"):
        evolif.generate(folder, dialogues=1, turns=1, profile="objective")
    with pytest.raises(InputError, match="belongs to instruction following"):
        Quiz().generate(own, QuizOptions(), dialogues=2, seed=0)


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        (["questions=7"], QuizOptions(questions=7)),
        (["topics=seas, ponds", "topics=bays"], QuizOptions(topics=("seas", "ponds", "bays"))),
        (["topics=a=b"], QuizOptions(topics=("a=b",))),
        (["level=hard", "spare=4"], QuizOptions(level="hard", spare=4)),
        ([], QuizOptions()),
    ],
)
def test_options_are_read_from_pairs(texts: list[str], options: QuizOptions) -> None:
    assert options_of(QuizOptions, pairs_of(texts, QuizOptions), "quiz") == options


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (["questions"], "--set questions: write KEY=VALUE"),
        (["=3"], "--set =3: write KEY=VALUE"),
        (["level=easy", "level=hard"], "--set level is given twice; it takes one value"),
        (["colour=red"], "--set colour: the scenario quiz has no such option; it has questions, topics, level, spare"),
        (["questions=many"], "--set questions must be a whole number, not “many”"),
        (["level=absurd"], "--set level must be easy or hard, not “absurd”"),
    ],
)
def test_wrong_pairs_are_told_in_a_sentence(texts: list[str], sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        options_of(QuizOptions, pairs_of(texts, QuizOptions), "quiz")
    assert str(caught.value).startswith(sentence)
