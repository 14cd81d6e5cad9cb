"""A benchmark on disk: repaired, extended by several at once, and read as the hostile input it may be."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evolif import EvolifError, InputError, OutsideError, UsageError, load_benchmark
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.scenarios.instructions.turn_lines import read_turns, turn_hash

Edit = Callable[[dict[str, Any]], Any]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("bench") / "b"
    generate(root, dialogues=3, turns=6, seed=5, profile="objective")
    return root


@pytest.fixture
def bench(original: Path, tmp_path: Path) -> Path:
    shutil.copytree(original, tmp_path / "b")
    return tmp_path / "b"


def file_of(root: Path, dialogue: int = 1) -> Path:
    return root / "dialogues" / f"{dialogue:04d}.jsonl"


def edit(root: Path, line: int, change: Edit, dialogue: int = 1) -> None:
    path = file_of(root, dialogue)
    lines = path.read_text(encoding="utf-8").split("\n")
    data = json.loads(lines[line - 1])
    changed = change(data)
    lines[line - 1] = changed if isinstance(changed, str) else json.dumps(data, ensure_ascii=False)
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize("cut", [1, 40, 700])
def test_a_torn_last_line_is_cut_with_a_word_and_made_again(bench: Path, original: Path, cut: int) -> None:
    path = file_of(bench)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"\n" + whole[:cut])
    told: list[str] = []
    opened = InstructionBenchmark(bench, notify=told.append)
    assert len(opened.turns(1)) == 6 and path.read_bytes() == whole
    assert len(told) == 1 and str(path) in told[0] and "torn" in told[0]


def test_a_line_torn_inside_a_character_is_made_again_the_same(bench: Path, original: Path) -> None:
    path = file_of(bench)
    whole = path.read_bytes()
    at = whole.rfind("“".encode()) + 1
    path.write_bytes(whole[:at])
    opened = load_benchmark(bench)
    opened.extend(6)
    assert path.read_bytes() == whole


def test_a_last_line_without_line_break_is_kept(bench: Path, original: Path) -> None:
    path = file_of(bench)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    told: list[str] = []
    opened = InstructionBenchmark(bench, notify=told.append)
    assert len(opened.turns(1)) == 6 and not told
    opened.turn(1, 7)
    assert path.read_bytes().startswith(whole)
    assert len(list(read_turns(path))) == 7


def test_a_line_torn_by_another_process_while_this_one_is_open_is_repaired(bench: Path) -> None:
    opened = load_benchmark(bench)
    opened.turns(1)
    with file_of(bench).open("ab") as file:
        file.write(b'{"dialogue":1,"tu')
    assert opened.turn(1, 8).turn == 8
    assert [t.turn for t in load_benchmark(bench).turns(1)] == list(range(1, 9))


def test_turns_lost_on_disk_are_written_again_by_who_still_has_them(bench: Path, original: Path) -> None:
    opened = load_benchmark(bench)
    opened.turns(1)
    lines = file_of(bench).read_bytes().split(b"\n")
    file_of(bench).write_bytes(b"\n".join(lines[:4]) + b"\n")
    opened.turn(1, 7)
    assert [t.turn for t in load_benchmark(bench).turns(1)] == list(range(1, 8))
    assert file_of(bench).read_bytes().startswith(file_of(original).read_bytes())


def test_an_empty_dialogue_file_is_filled(bench: Path, original: Path) -> None:
    file_of(bench).write_bytes(b"")
    assert load_benchmark(bench).turn(1, 6).turn == 6
    assert file_of(bench).read_bytes() == file_of(original).read_bytes()


GROW = """
import sys
from evolif.scenarios.instructions import InstructionBenchmark
bench = InstructionBenchmark(sys.argv[1])
for number in range(7, 25):
    for dialogue in (1, 2, 3)[:: int(sys.argv[2])]:
        bench.turn(dialogue, number)
"""


@pytest.mark.slow
def test_processes_that_extend_at_once_neither_lose_nor_double_a_turn(bench: Path, tmp_path: Path) -> None:
    growers = [subprocess.Popen([sys.executable, "-c", GROW, str(bench), step]) for step in ("1", "-1", "1")]
    assert [grower.wait(60) for grower in growers] == [0, 0, 0]
    generate(tmp_path / "whole", dialogues=3, turns=24, seed=5, profile="objective")
    for dialogue in (1, 2, 3):
        assert file_of(bench, dialogue).read_bytes() == file_of(tmp_path / "whole", dialogue).read_bytes()


def test_extending_does_not_change_the_identity_and_editing_changes_the_turns_hash(bench: Path) -> None:
    before = load_benchmark(bench)
    hashes = [turn_hash(turn) for turn in before.turns(1)]
    before.extend(9)
    after = load_benchmark(bench)
    assert after.identity == before.identity
    assert [turn_hash(turn) for turn in after.turns(1)][:6] == hashes
    edit(bench, 2, lambda line: line.update(query=line["query"] + " Please."))
    edited = load_benchmark(bench)
    assert edited.identity == before.identity
    changed = [turn_hash(turn) != old for turn, old in zip(edited.turns(1), hashes, strict=False)]
    assert changed == [False, True, False, False, False, False]


def test_the_hash_covers_constraints_and_not_the_answer_key(bench: Path) -> None:
    turn = load_benchmark(bench).turns(1)[1]
    edit(bench, 2, lambda line: line.update(witness=None))
    assert turn_hash(load_benchmark(bench).turns(1)[1]) == turn_hash(turn)
    edit(bench, 2, lambda line: line.update(constraints=[{"group": "bullets", "params": {"count": 77}}]))
    assert turn_hash(load_benchmark(bench).turns(1)[1]) != turn_hash(turn)


def test_other_topics_or_another_seed_are_another_benchmark(bench: Path, tmp_path: Path) -> None:
    first = load_benchmark(bench).identity
    assert generate(tmp_path / "c", dialogues=3, turns=6, seed=6, profile="objective").identity != first
    with (bench / "topics.jsonl").open("a", encoding="utf-8") as file:
        topic = {"id": "extra", "prompt": "Do it.", "keywords": [f"word{i}" for i in range(20)]}
        file.write(json.dumps(topic) + "\n")
    assert load_benchmark(bench).identity != first


def test_names_on_disk_come_from_numbers_whatever_else_lies_there(bench: Path) -> None:
    for name in ("7.jsonl", "00001.jsonl", "x.jsonl", "0009.jsonl.tmp", "²³.jsonl"):
        (bench / "dialogues" / name).write_text("", encoding="utf-8")
    assert load_benchmark(bench).dialogues() == [1, 2, 3]
    with pytest.raises(UsageError, match="no dialogue 7"):
        load_benchmark(bench).turns(7)


def test_a_dialogue_that_this_version_would_script_otherwise_is_not_extended(bench: Path) -> None:
    edit(bench, 3, lambda line: line.update(move="new"))
    assert len(load_benchmark(bench).turns(1)) == 6
    with pytest.raises(UsageError, match=r"turn 3 differs.*--max-turns"):
        load_benchmark(bench).turn(1, 7)


def test_an_edited_query_keeps_its_words_and_the_dialogue_can_be_extended(bench: Path) -> None:
    edit(bench, 3, lambda line: line.update(query="Say it in my words.", status="edited"))
    opened = load_benchmark(bench)
    opened.extend(8)
    assert load_benchmark(bench).turns(1)[2].query == "Say it in my words."
    assert len(load_benchmark(bench).turns(1)) == 8


def with_constraint(group: str, params: object) -> Edit:
    return lambda line: line.update(constraints=[{"group": group, "params": params}])


HOSTILE: dict[str, tuple[Edit, str]] = {
    "no JSON": (lambda line: "{broken", "not a JSON object"),
    "deep": (lambda line: "[" * 200_000, "not a JSON object"),
    "a list": (lambda line: "[1, 2]", "must be an object with fields"),
    "huge number": (lambda line: '{"turn": ' + "9" * 6000 + "}", "not a JSON object"),
    "NaN": (lambda line: line.update(turn=float("nan")), "turn"),
    "text for a number": (lambda line: line.update(turn="two"), "turn"),
    "null query": (lambda line: line.update(query=None), "query"),
    "empty query": (lambda line: line.update(query=""), "query"),
    "half a character": (lambda line: json.dumps({**line, "query": "\ud800"}), "query"),
    "unknown move": (lambda line: line.update(move="sideways"), "move"),
    "no topic": (lambda line: line.pop("topic"), "topic"),
    "unknown group": (with_constraint("haiku", {}), "unknown constraint group “haiku”"),
    "unknown mode": (with_constraint("format", {"mode": "yaml"}), "format"),
    "params of a list": (with_constraint("length", [1]), "params"),
    "fraction": (with_constraint("bullets", {"count": 1.5}), "bullets"),
    "true for a number": (with_constraint("bullets", {"count": True}), "bullets"),
    "two formats": (
        lambda line: line.update(constraints=[{"group": "format", "params": {"mode": m}} for m in ("csv", "json")]),
        "one format",
    ),
    "constraints of text": (lambda line: line.update(constraints="none"), "constraints"),
    "turn twice": (lambda line: line.update(turn=1), "expected turn 2 but found turn 1"),
    "gap": (lambda line: line.update(turn=4), "expected turn 2 but found turn 4"),
    "other dialogue": (lambda line: line.update(dialogue=3), "belongs to dialogue 3"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", list(HOSTILE))
def test_a_hostile_line_is_told_with_file_line_and_reason(bench: Path, name: str) -> None:
    change, reason = HOSTILE[name]
    edit(bench, 2, change)
    with pytest.raises(InputError) as caught:
        load_benchmark(bench).turns(1)
    sentence = str(caught.value)
    assert sentence.startswith(f"{file_of(bench)}, line 2: ") and reason in sentence
    assert "\n" not in sentence and len(sentence) < 600


HEADERS: dict[str, tuple[bytes, str]] = {
    "no JSON": (b"{", "not JSON"),
    "not UTF-8": (b"\xff\xfe", "not JSON"),
    "deep": (b"[" * 200_000, "not JSON"),
    "huge number": (b'{"format_version": ' + b"9" * 6000 + b"}", "not JSON"),
    "a list": (b"[]", "not a JSON object"),
    "empty": (b"{}", "spec"),
    "other format": (b'{"format": "zip", "spec": {}}', "format"),
}


@pytest.mark.parametrize("name", list(HEADERS))
def test_a_hostile_header_is_told_with_file_and_reason(bench: Path, name: str) -> None:
    data, reason = HEADERS[name]
    (bench / "benchmark.json").write_bytes(data)
    with pytest.raises(InputError) as caught:
        load_benchmark(bench)
    assert "benchmark.json" in str(caught.value) and reason in str(caught.value)


def change_header(root: Path, change: Edit) -> None:
    data = json.loads((root / "benchmark.json").read_text(encoding="utf-8"))
    change(data)
    (root / "benchmark.json").write_text(json.dumps(data), encoding="utf-8")


def test_a_header_with_a_group_that_is_not_here_names_file_and_group(bench: Path) -> None:
    change_header(bench, lambda data: data["spec"]["profile"].update(groups=["haiku"]))
    with pytest.raises(InputError, match=r"benchmark\.json.*“haiku”"):
        load_benchmark(bench)


def test_another_format_version_is_refused(bench: Path) -> None:
    change_header(bench, lambda data: data.update(format_version=99))
    with pytest.raises(UsageError, match="format version 99"):
        load_benchmark(bench)


@pytest.mark.parametrize("missing", ["benchmark.json", "topics.jsonl", "personas.jsonl"])
def test_a_missing_part_is_a_sentence(bench: Path, missing: str) -> None:
    (bench / missing).unlink()
    with pytest.raises(UsageError, match=r"benchmark\.json|cannot be read"):
        load_benchmark(bench)


def test_an_empty_or_missing_dialogues_folder_has_no_dialogues(bench: Path) -> None:
    shutil.rmtree(bench / "dialogues")
    assert load_benchmark(bench).dialogues() == []


def test_a_disk_that_refuses_to_extend_is_told_and_nothing_is_lost(
    bench: Path, original: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = load_benchmark(bench)
    opened.turns(1)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("evolif.benchmark.files.os.fsync", full)
        with pytest.raises(OutsideError, match=r"cannot be written \(No space left"):
            opened.turn(1, 7)
    assert [t.turn for t in (opened.turn(1, n) for n in (7, 8))] == [7, 8]
    assert [t.turn for t in load_benchmark(bench).turns(1)] == list(range(1, 9))


def test_every_error_is_of_the_tree() -> None:
    assert issubclass(InputError, UsageError) and issubclass(OutsideError, EvolifError)
    assert (UsageError.exit_code, OutsideError.exit_code) == (2, 3)


def test_only_so_many_dialogues_are_held_and_the_others_are_read_again(tmp_path: Path) -> None:
    bench = generate(tmp_path / "bench", dialogues=4, turns=2, seed=5, profile="objective")
    bench.hold(2)
    first = {dialogue: bench.turns(dialogue) for dialogue in bench.dialogues()}
    assert bench.turns(4) is first[4] and bench.turns(3) is first[3]
    assert bench.turns(1) is not first[1] and bench.turns(1) == first[1]
    assert bench.turns(3) is first[3] and bench.turns(4) is not first[4]
    assert [bench.turn(d, 4).turn for d in (1, 2, 3, 4)] == [4] * 4
    assert bench.turns(2) == load_benchmark(bench.path).turns(2)
