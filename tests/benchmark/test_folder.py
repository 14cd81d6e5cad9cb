"""The folder of any scenario: made, completed, opened, and read as hostile input."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from quiz_scenario import Quiz, QuizFolder, QuizOptions

from evolif import InputError, UsageError, __version__, load_benchmark
from evolif.benchmark import BenchmarkFolder, FolderScenario, dialogue_file
from evolif.benchmark.folder import stored_seed
from evolif.scenario import options_of, pairs_of

pytestmark = pytest.mark.usefixtures("quiz")


def make(out: Path, *, dialogues: int = 3, seed: int = 5, **options: Any) -> QuizFolder:
    return Quiz().generate(out, QuizOptions(**options), dialogues=dialogues, seed=seed)


def contents(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file() and path.name != ".lock")
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


@pytest.fixture
def made(tmp_path: Path) -> Path:
    make(tmp_path / "made")
    return tmp_path / "made"


def test_a_made_folder_is_opened_as_it_was_made(made: Path) -> None:
    told: list[str] = []
    bench = load_benchmark(made, told.append)
    assert isinstance(bench, QuizFolder) and told == []
    assert (bench.scenario, bench.variant, bench.seed, bench.dialogues()) == ("quiz", "easy", 5, [1, 2, 3])
    assert bench.spec == QuizOptions()
    assert [line["turn"] for line in bench.lines(2)] == [1, 2, 3]
    assert "Höher?" in bench.lines(2)[0]["question"] and "Höher?" in dialogue_file(made, 2).read_text("utf-8")


def test_the_header_says_what_it_was_made_from_and_nothing_of_the_machine(made: Path) -> None:
    assert json.loads((made / "benchmark.json").read_text("utf-8")) == {
        "format": "evolif-benchmark",
        "format_version": 1,
        "generator": __version__,
        "scenario": "quiz",
        "scenario_version": 1,
        "grows": True,
        "spec": {
            "dialogues": 3,
            "seed": 5,
            "questions": 3,
            "topics": ["rivers", "lakes"],
            "level": "easy",
            "spare": None,
        },
    }


def test_the_same_seed_makes_the_same_bytes(made: Path, tmp_path: Path) -> None:
    make(tmp_path / "again")
    make(tmp_path / "other", seed=6)
    assert contents(tmp_path / "again") == contents(made) != contents(tmp_path / "other")


def test_an_interrupted_folder_is_not_played_and_the_same_call_completes_it(made: Path, tmp_path: Path) -> None:
    whole, asked = load_benchmark(made), []
    assert isinstance(whole, QuizFolder)

    def lines(dialogue: int) -> Iterator[dict[str, Any]]:
        asked.append(dialogue)
        if asked == [1, 2]:
            raise KeyboardInterrupt
        yield from whole.lines(dialogue)

    def again(out: Path, **options: Any) -> BenchmarkFolder:
        return QuizFolder.make(out, Quiz(), QuizOptions(**options), lines, dialogues=3, seed=5)

    out = tmp_path / "half"
    with pytest.raises(KeyboardInterrupt):
        again(out)
    assert stored_seed(out) == 5
    for open_it in (lambda: load_benchmark(out), lambda: QuizFolder(out, Quiz())):
        with pytest.raises(UsageError, match="is only half made; run the same `evolif generate`"):
            open_it()
    with pytest.raises(UsageError, match=r"another benchmark \(spec.level: \"easy\" → \"hard\"\)"):
        again(out, level="hard")
    assert again(out).dialogues() == [1, 2, 3] and asked == [1, 2, 2, 3]
    assert contents(out) == contents(made)


def test_a_lost_dialogue_is_told_and_made_again(made: Path) -> None:
    before = contents(made)
    dialogue_file(made, 2).unlink()
    told: list[str] = []
    assert load_benchmark(made, told.append).dialogues() == [1, 3]
    assert told == [f"{made} has 2 of its 3 dialogues; run the same `evolif generate` to make the rest"]
    make(made)
    assert contents(made) == before


@pytest.mark.parametrize(
    ("change", "clause"), [({"questions": 4}, "spec.questions: 3 → 4"), ({"seed": 6}, "spec.seed: 5 → 6")]
)
def test_other_options_are_refused_and_nothing_changes(made: Path, change: dict[str, int], clause: str) -> None:
    before = contents(made)
    with pytest.raises(UsageError) as caught:
        make(made, **change)
    assert str(caught.value) == f"{made} already contains another benchmark ({clause}); choose another folder"
    assert contents(made) == before


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="exists and is not a benchmark; choose another folder"):
        make(tmp_path)
    assert list(contents(tmp_path)) == ["thesis.txt"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({"x": float("nan")}, "nan is not a number in JSON"),
        ({"x": {1}}, "type set is not JSON"),
        ({"x": "\ud800"}, "half a character"),
    ],
)
def test_a_line_that_cannot_be_read_again_is_not_written(tmp_path: Path, line: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=f"quiz made a line of dialogue 1 that cannot be stored: .*{problem}"):
        QuizFolder.make(tmp_path / "out", Quiz(), QuizOptions(), lambda _: [line], dialogues=1, seed=0)
    assert not dialogue_file(tmp_path / "out", 1).exists()


def test_options_that_every_benchmark_has_are_taken(tmp_path: Path) -> None:
    class Seeded(QuizOptions):
        seed: int = 1

    with pytest.raises(UsageError, match="quiz cannot have an option seed: every benchmark has it"):
        QuizFolder.make(tmp_path / "out", Quiz(), Seeded(), lambda _: [], dialogues=1, seed=0)
    assert not (tmp_path / "out").exists()


def test_the_identity_is_that_of_the_header(made: Path, tmp_path: Path) -> None:
    identity = load_benchmark(made).identity
    assert len(identity) == 16 and int(identity, 16) >= 0
    shutil.copytree(made, tmp_path / "elsewhere")
    dialogue_file(tmp_path / "elsewhere", 3).unlink()
    assert load_benchmark(tmp_path / "elsewhere").identity == identity
    assert make(tmp_path / "hard", level="hard").identity != identity


def test_as_many_dialogues_are_kept_as_are_held(made: Path) -> None:
    bench = make(made)
    bench.hold(2)
    first, second = bench.lines(1), bench.lines(2)
    assert bench.lines(1) is first  # now dialogue 2 is the one that was used longest ago
    bench.lines(3)
    assert bench.lines(1) is first and bench.lines(2) is not second and bench.lines(2) == second


def test_a_torn_last_line_is_cut_with_a_word(made: Path) -> None:
    file = dialogue_file(made, 1)
    whole = file.read_bytes()
    file.write_bytes(whole[:-7])
    told: list[str] = []
    bench = QuizFolder(made, Quiz(), told.append)
    assert [line["turn"] for line in bench.lines(1)] == [1, 2]
    [word] = told
    assert word.startswith(f"{file}: the last line was incomplete and was removed; to get it back, delete the file")
    file.unlink()
    make(made)
    assert file.read_bytes() == whole


def test_a_last_line_without_its_break_is_whole(made: Path) -> None:
    file = dialogue_file(made, 1)
    file.write_bytes(file.read_bytes().rstrip(b"\n"))
    assert len(QuizFolder(made, Quiz()).lines(1)) == 3


def nested(levels: int) -> str:
    return '{"a": ' * levels + "1" + "}" * levels


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{broken", "not a JSON object"),
        ("[1]", "not a JSON object"),
        ("[" * 200_000, "not a JSON object"),
        ('{"a": ' + "9" * 6000 + "}", "not a JSON object"),
        (nested(500), "nested more than 64 levels deep"),
        ('{"a": NaN}', "nan is not a number in JSON"),
        ('{"a": ["\\ud800"]}', "half a character"),
        ('{"\\ud800": 1}', "half a character"),
    ],
    ids=["torn", "list", "brackets", "digits", "deep", "nan", "surrogate", "surrogate key"],
)
def test_a_broken_line_is_told_with_file_line_and_mend(made: Path, line: str, problem: str) -> None:
    file = dialogue_file(made, 2)
    lines = file.read_text("utf-8").splitlines()
    file.write_text("\n".join([lines[0], line, lines[2]]) + "\n", "utf-8")
    bench = QuizFolder(made, Quiz())
    assert len(bench.lines(1)) == 3
    with pytest.raises(InputError) as caught:
        bench.lines(2)
    sentence = str(caught.value)
    assert sentence.startswith(f"{file}, line 2: ") and problem in sentence and "fix or delete the line" in sentence


@pytest.mark.slow
def test_a_dialogue_that_is_too_large_is_not_read(made: Path) -> None:
    with dialogue_file(made, 1).open("r+b") as file:
        file.truncate(300 << 20)  # sparse
    with pytest.raises(InputError, match="larger than 256 MB"):
        QuizFolder(made, Quiz()).lines(1)


def test_a_missing_dialogue_is_told(made: Path) -> None:
    with pytest.raises(UsageError, match="has no dialogue 9"):
        QuizFolder(made, Quiz()).lines(9)


def change(**keys: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda header: {**header, **keys}


def respec(**keys: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda header: {**header, "spec": {**header["spec"], **keys}}


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (lambda _: [], "not a JSON object"),
        (lambda _: json.loads(nested(200)), "nested more than 64 levels deep"),
        (change(format="zip"), "format must be evolif-benchmark"),
        (change(format_version=2), "format version 2, but this evolif reads version 1; update evolif"),
        (change(scenario=7), "scenario is a name"),
        (change(scenario_version="1"), "scenario_version a number"),
        (change(scenario_version=2), "made by version 2 of the scenario quiz, but version 1 is installed; update the"),
        (
            change(scenario="x" * 50),
            f"the scenario “{'x' * 50}” is not installed here; there are instructions, recorded, shifts, games, "
            "broadcast, quiz",
        ),
        (change(spec=[]), "spec"),
        (respec(dialogues=0), "spec.dialogues"),
        (respec(seed="5"), "spec.seed"),
        (respec(questions="many"), "spec.questions must be a whole number, not “many”"),
        (respec(colour="red"), "spec.colour is unknown here"),
    ],
)
def test_a_hostile_header_is_told_in_a_sentence(made: Path, edit: Callable[[Any], Any], problem: str) -> None:
    file = made / "benchmark.json"
    file.write_text(json.dumps(edit(json.loads(file.read_text("utf-8")))), "utf-8")
    with pytest.raises(InputError) as caught:
        load_benchmark(made)
    sentence = str(caught.value)
    assert sentence.startswith(f"{file}: ") and problem in sentence and "\n" not in sentence and len(sentence) < 500


class Cards(FolderScenario):
    name, title, spec = "quiz", "cards", QuizOptions

    def lines(self, spec: Any, dialogue: int, seed: int) -> list[dict[str, Any]]:
        return [{"query": topic} for topic in spec.topics]


@pytest.mark.parametrize(
    ("options", "said", "unsaid"),
    [
        ({}, [], []),
        ({"questions": 4, "topics": ("seas", "bays")}, ["--set", "questions=4", "--set", "topics=seas,bays"], []),
        ({"topics": ("a, b",), "spare": 7}, ["--set", "spare=7"], ["with topics of its benchmark.json"]),
    ],
)
def test_the_command_that_made_a_folder(tmp_path: Path, options: Any, said: list[str], unsaid: list[str]) -> None:
    cards = Cards()
    bench = cards.generate(tmp_path / "b", QuizOptions(**options), dialogues=2, seed=11)
    words, notes = cards.presentation.command(bench, "", [1])
    assert list(words) == ["--scenario", "quiz", "--dialogues", "2", "--seed", "11", *said] and list(notes) == unsaid
    if said and not unsaid:
        again = options_of(QuizOptions, pairs_of(said[1::2], QuizOptions), "quiz")
        assert again == QuizOptions(**options)
    assert "SEED" in cards.presentation.command(None, "", [1])[0]
