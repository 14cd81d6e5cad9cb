"""A benchmark is a pure function of its specification: same bytes, any order, any length, any machine."""

from __future__ import annotations

import getpass
import json
import os
import socket
from pathlib import Path

import pytest

from evolif import InputError, OutsideError, UsageError, load_benchmark
from evolif.scenarios.instructions import generate

DIALOGUES, TURNS, SEED = 20, 30, 7


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("bench") / "out"
    generate(root, dialogues=DIALOGUES, turns=TURNS, seed=SEED, profile="objective")
    return root


def contents(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file() and p.name != ".lock"}


@pytest.mark.slow
def test_the_same_command_gives_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    generate(tmp_path / "again", dialogues=DIALOGUES, turns=TURNS, seed=SEED, profile="objective")
    assert contents(tmp_path / "again") == contents(whole)
    assert len(list((whole / "dialogues").iterdir())) == DIALOGUES


def test_one_dialogue_alone_has_the_bytes_it_has_in_the_whole_set(whole: Path, tmp_path: Path) -> None:
    made = generate(tmp_path / "one", dialogues=DIALOGUES, turns=TURNS, seed=SEED, only=13, profile="objective")
    assert made.dialogues() == [13]
    name = "dialogues/0013.jsonl"
    assert (tmp_path / "one" / name).read_bytes() == (whole / name).read_bytes()


@pytest.mark.slow
def test_dialogues_made_in_any_order_give_the_same_set(whole: Path, tmp_path: Path) -> None:
    for number in (17, 3, 20):
        generate(tmp_path / "odd", dialogues=DIALOGUES, turns=TURNS, seed=SEED, only=number, profile="objective")
    generate(tmp_path / "odd", dialogues=DIALOGUES, turns=TURNS, seed=SEED, profile="objective")
    assert contents(tmp_path / "odd") == contents(whole)


@pytest.mark.slow
def test_an_extension_has_the_bytes_of_a_longer_generation(whole: Path, tmp_path: Path) -> None:
    short = generate(tmp_path / "short", dialogues=DIALOGUES, turns=TURNS - 10, seed=SEED, profile="objective")
    assert short.extend(TURNS) == 10 * DIALOGUES
    assert short.extend(TURNS) == 0
    for path in (whole / "dialogues").iterdir():
        assert (tmp_path / "short" / "dialogues" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_turns_asked_for_one_by_one_by_fresh_readers_are_the_same_too(whole: Path, tmp_path: Path) -> None:
    generate(tmp_path / "b", dialogues=DIALOGUES, turns=1, seed=SEED, only=2, profile="objective")
    for number in (2, 3, 7, 8, TURNS):
        load_benchmark(tmp_path / "b").turn(2, number)
    name = "dialogues/0002.jsonl"
    assert (tmp_path / "b" / name).read_bytes() == (whole / name).read_bytes()


def test_another_seed_gives_other_dialogues(whole: Path, tmp_path: Path) -> None:
    generate(tmp_path / "b", dialogues=2, turns=3, seed=SEED + 1, profile="objective")
    first = (tmp_path / "b" / "dialogues" / "0001.jsonl").read_text(encoding="utf-8")
    assert not (whole / "dialogues" / "0001.jsonl").read_text(encoding="utf-8").startswith(first)


def test_nothing_on_disk_tells_of_the_machine(whole: Path) -> None:
    text = b"\n".join(contents(whole).values()).decode("utf-8")
    header = (whole / "benchmark.json").read_text(encoding="utf-8")
    assert str(whole) not in text and str(Path.home()) + "/" not in text
    assert socket.gethostname() not in header and f'"{getpass.getuser()}"' not in header
    assert set(json.loads(header)) == {
        "format", "format_version", "edition", "generator", "reading_rules", "compatibility", "grows", "spec",
        "definitions",
    }  # fmt: skip


def test_a_line_holds_what_the_design_says(whole: Path) -> None:
    lines = [json.loads(line) for line in (whole / "dialogues" / "0001.jsonl").read_text("utf-8").splitlines()]
    assert [line["turn"] for line in lines] == list(range(1, TURNS + 1))
    assert list(lines[0]) == [
        "dialogue", "turn", "topic", "move", "operation", "constraints", "persona", "query", "source", "attempts",
        "findings", "status", "witness",
    ]  # fmt: skip
    assert {line["dialogue"] for line in lines} == {1} and {line["status"] for line in lines} == {"verified"}
    assert all(len(line["topic"]["keywords"]) >= 20 and line["witness"] for line in lines)
    assert len({json.dumps(line["persona"]) for line in lines}) == 1
    assert all(set(c) == {"group", "params", "description"} for line in lines for c in line["constraints"])


def test_another_specification_in_the_folder_is_refused_with_the_difference(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"already contains another benchmark \(spec.seed: 7 → 8\)"):
        generate(whole, dialogues=DIALOGUES, turns=TURNS, seed=8, profile="objective")
    own = tmp_path / "topics.jsonl"
    topic = {"id": "t", "prompt": "Do it.", "keywords": [f"word{i}" for i in range(20)]}
    own.write_text(json.dumps(topic) + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match="topics: another file"):
        generate(whole, dialogues=DIALOGUES, turns=TURNS, seed=SEED, topics=own, profile="objective")


def test_own_topics_without_title_make_a_benchmark(tmp_path: Path) -> None:
    own = tmp_path / "topics.jsonl"
    topics = [
        {"id": f"t{n}", "prompt": f"Write about matter {n}.", "keywords": [f"word{i}x{n}" for i in range(20)]}
        for n in range(3)
    ]
    own.write_text("".join(json.dumps(t) + "\n" for t in topics), encoding="utf-8")
    made = generate(tmp_path / "b", dialogues=2, turns=40, seed=1, topics=own, profile="objective")
    turns = [turn for dialogue in made.dialogues() for turn in made.turns(dialogue)]
    backs = [turn for turn in turns if turn.move == "backtrack"]
    assert backs
    assert all(turn.topic.prompt.rstrip(".") in turn.query for turn in backs)


def test_a_folder_with_something_else_and_a_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("mine", encoding="utf-8")
    for out in (tmp_path, tmp_path / "f"):
        with pytest.raises(UsageError, match="exists and is not a benchmark"):
            generate(out, dialogues=1, turns=1, profile="objective")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["f"]


def test_a_generation_broken_off_at_its_very_beginning_goes_on(whole: Path, tmp_path: Path) -> None:
    root = tmp_path / "b"
    (root / "dialogues").mkdir(parents=True)
    (root / "topics.jsonl").write_text("half", encoding="utf-8")
    generate(root, dialogues=DIALOGUES, turns=TURNS, seed=SEED, only=13, profile="objective")
    name = "dialogues/0013.jsonl"
    assert (root / name).read_bytes() == (whole / name).read_bytes()


@pytest.mark.parametrize(
    "wrong",
    [
        {"dialogues": 0},
        {"turns": 0},
        {"seed": -1},
        {"only": 21},
        {"synthesizers": ("sim/steady",)},
        {"profile": "nope"},
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_written(tmp_path: Path, wrong: dict[str, object]) -> None:
    arguments = {"dialogues": 20, "turns": 5, "seed": 1, **wrong}
    with pytest.raises(UsageError):
        generate(tmp_path / "b", **arguments)
    assert not (tmp_path / "b").exists()


def test_a_disk_that_refuses_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OutsideError, match="No space left"):
        generate(tmp_path / "b", dialogues=1, turns=1, profile="objective")


def test_a_profile_may_be_a_file_and_is_written_out_in_full(tmp_path: Path) -> None:
    made = generate(tmp_path / "b", dialogues=1, turns=1, profile="objective")
    profile = json.loads((tmp_path / "b" / "benchmark.json").read_text("utf-8"))["spec"]["profile"]
    assert profile["name"] == "objective" and set(profile["pools"]) == set(profile["groups"])
    (tmp_path / "p.yaml").write_text("groups: 3\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"p\.yaml"):
        generate(tmp_path / "c", dialogues=1, turns=1, profile=str(tmp_path / "p.yaml"))
    assert made.header.spec.profile.protocol.patience == 3
