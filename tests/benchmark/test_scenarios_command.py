"""`evolif scenarios`, `evolif generate --scenario`, and verbs that know instruction following only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from quiz_scenario import Quiz, QuizFolder
from typer.testing import CliRunner, Result

from evolif.cli import app


def run(*words: object, code: int = 0) -> Result:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done


def refused(*words: object) -> str:
    done = run(*words, code=2)
    [line] = done.stderr.splitlines()
    assert line.startswith("evolif: ")
    return line.removeprefix("evolif: ")


def test_the_list_has_a_line_for_each_also_for_a_broken_plugin(install) -> None:
    install(quiz="Quiz", gone="NoSuchClass", untitled="Untitled")
    lines = run("scenarios").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [
        "instructions",
        "recorded",
        "shifts",
        "games",
        "broadcast",
        "gone",
        "quiz",
        "untitled",
    ]
    assert lines[6].endswith("questions about waters")
    assert all("cannot be loaded" in line and line.endswith("fix or remove it") for line in (lines[5], lines[7]))
    rows = {row.pop("name"): row for row in json.loads(run("scenarios", "--json").stdout)}
    assert rows["quiz"] == {"title": "questions about waters"} and list(rows["gone"]) == ["fault"]


def test_plugins_can_be_turned_off(install, monkeypatch: pytest.MonkeyPatch) -> None:
    install(quiz="Quiz")
    monkeypatch.setenv("EVOLIF_PLUGINS", "0")
    assert [line.split()[0] for line in run("scenarios").stdout.splitlines()] == [
        "instructions",
        "recorded",
        "shifts",
        "games",
        "broadcast",
    ]
    assert "is not installed here" in refused("scenarios", "quiz")


@pytest.mark.usefixtures("quiz")
def test_one_scenario_shows_its_options() -> None:
    assert run("scenarios", "quiz").stdout.splitlines() == [
        "quiz: questions about waters",
        "Options of evolif generate (--scenario quiz --set KEY=VALUE):",
        "  questions (int)       Questions per dialogue. [default: 3]",
        "  topics (list of str)  What is asked about. [default: rivers,lakes]",
        "  level (easy|hard)     How hard. [default: easy]",
        "  spare (int)           [default: none]",
        "Options of evolif evaluate: none",
    ]
    shown = json.loads(run("scenarios", "quiz", "--json").stdout)
    assert shown["generate"][2] == {
        "name": "level",
        "type": "easy|hard",
        "required": False,
        "default": "easy",
        "description": "How hard.",
    }
    assert (shown["version"], shown["seats"], shown["evaluate"]) == (1, ["target"], [])


def test_a_range_of_values_is_no_type() -> None:
    rows = json.loads(run("scenarios", "broadcast", "--json").stdout)["generate"]
    types = {row["name"]: row["type"] for row in rows}
    assert (types["chunks"], types["switch"], types["whole"]) == ("list of int", "list of math|chat|none", "bool")


def test_instruction_following_shows_its_flags() -> None:
    lines = run("scenarios", "instructions").stdout.splitlines()
    assert lines[1] == "Options of evolif generate (each is a flag):" and lines[2].endswith("[default: 20]")


@pytest.mark.usefixtures("quiz")
def test_a_scenario_is_generated_with_its_options_and_completed_with_the_same_seed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("generate", out, "--scenario", "quiz", "--dialogues", 2, "--set", "questions=2", "--set", "topics=a,b")
    first = run(*words).stdout
    bench = QuizFolder(out, Quiz())
    assert first.startswith(f"{out}: 2 dialogues, scenario quiz easy, seed {bench.seed}\nNext: evolif evaluate {out}")
    assert (bench.spec.questions, bench.spec.topics, len(bench.lines(2))) == (2, ("a", "b"), 2)
    assert run(*words).stdout == first  # the seed was drawn at the first call


@pytest.mark.usefixtures("quiz")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["--scenario", "quizz"],
            "the scenario “quizz” is not installed here (did you mean quiz?); there are instructions, recorded, "
            "shifts, games, broadcast, quiz",
        ),
        (["--scenario", "quiz", "--set", "colour=red"], "--set colour: the scenario quiz has no such option"),
        (["--scenario", "quiz", "--turns", "20"], "--turns belongs to instruction following; the scenario quiz takes"),
        (["--scenario", "quiz", "--temperature", "1"], "--temperature belongs to instruction following"),
        (["--scenario", "quiz", "--constraints", "x"], "--constraints belongs to instruction following"),
        (["--set", "turns=3"], "--set: instruction following has a flag for each option"),
    ],
)
def test_wrong_flags_are_told_in_a_sentence_and_nothing_is_made(
    tmp_path: Path, words: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOLIF_CONSTRAINTS", "")  # set by the flag, for the rest of the process
    assert refused("generate", tmp_path / "out", *words).startswith(sentence)
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("quiz")
def test_variables_of_other_flags_are_no_reason_to_refuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLIF_TEMPERATURE", "0.5")
    run("generate", tmp_path / "out", "--scenario", "quiz", "--dialogues", 1)


def test_a_plugin_that_raises_is_a_sentence(tmp_path: Path, install) -> None:
    install(quiz="RaisingQuiz")
    told = refused("generate", tmp_path / "out", "--scenario", "quiz")
    assert told == "the plug-in of the scenario quiz failed (ZeroDivisionError: oh); fix or remove it"


@pytest.mark.usefixtures("quiz")
@pytest.mark.parametrize(
    "words",
    [
        ["audit", "BENCH"],
        ["review", "BENCH", "--list"],
        ["contamination", "CORPUS", "--benchmark", "BENCH"],
        ["generate", "BENCH", "--dialogues", "1"],
    ],
)
def test_verbs_of_instruction_following_tell_other_folders_apart(tmp_path: Path, words: list[str]) -> None:
    run("generate", tmp_path / "bench", "--scenario", "quiz", "--dialogues", 1)
    (tmp_path / "corpus.txt").write_text("words")
    places = {"BENCH": tmp_path / "bench", "CORPUS": tmp_path / "corpus.txt", "OUT": tmp_path / "out.jsonl"}
    assert refused(*(places.get(word, word) for word in words)) == (
        f"{tmp_path / 'bench' / 'benchmark.json'}: it belongs to the scenario “quiz”, but this works with benchmarks "
        "of instruction following only"
    )
