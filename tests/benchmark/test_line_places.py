"""Single lines of dialogue files, found again without reading the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolif import InputError, load_benchmark
from evolif.benchmark.files import stamp_of
from evolif.benchmark.line_places import LinePlaces
from evolif.scenarios.instructions import InstructionBenchmark, generate
from evolif.scenarios.instructions import folder as folder_of_instructions


def places(root: Path, text: bytes, lines: int, most: int = 2) -> LinePlaces:
    file = root / "dialogues" / "0001.jsonl"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text)
    found = LinePlaces(root, most)
    found.note(1, stamp_of(file), lines)
    return found


@pytest.mark.parametrize("end", [b"\n", b""])
def test_every_line_is_found_where_it_is(tmp_path: Path, end: bytes) -> None:
    found = places(tmp_path, b'{"a":1}\n{"b":"\xc3\xa9"}\n{}' + end, 3)
    assert found.count(1) == 3
    lines = [found.line(1, n) or b"" for n in (1, 2, 3)]
    assert [line.strip() for line in lines] == [b'{"a":1}', b'{"b":"\xc3\xa9"}', b"{}"]
    assert found.line(1, 0) is found.line(1, 4) is found.line(2, 1) is None


@pytest.mark.parametrize("text", [b"{}\n\n{}\n", b"{}\r\n{}\n", b"{}\n"])
def test_a_file_that_is_read_in_another_way_has_no_places(tmp_path: Path, text: bytes) -> None:
    found = places(tmp_path, text, 2)
    assert found.count(1) is None and found.line(1, 1) is None


def test_a_file_that_has_changed_has_no_places(tmp_path: Path) -> None:
    found = places(tmp_path, b"{}\n{}\n", 2)
    with (tmp_path / "dialogues" / "0001.jsonl").open("ab") as file:
        file.write(b"{}\n")
    assert found.count(1) is None and found.line(1, 1) is None


def test_only_so_many_files_are_known(tmp_path: Path) -> None:
    found = places(tmp_path, b"{}\n", 1)
    for dialogue in (2, 3):
        file = tmp_path / "dialogues" / f"{dialogue:04}.jsonl"
        file.write_bytes(b"{}\n")
        found.note(dialogue, stamp_of(file), 1)
    assert [found.count(dialogue) for dialogue in (1, 2, 3)] == [None, 1, 1]


@pytest.fixture
def crowded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InstructionBenchmark:
    """Four dialogues of which one is kept in memory."""
    monkeypatch.setattr(folder_of_instructions, "_MOST_HELD", 1)
    bench = generate(tmp_path / "bench", dialogues=4, turns=3, seed=5, profile="objective")
    bench.hold(8)
    for dialogue in bench.dialogues():
        bench.turns(dialogue)
    return bench


def test_a_turn_is_played_without_the_others_of_its_dialogue(
    crowded: InstructionBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = load_benchmark(crowded.path)
    expected = [whole.turns(dialogue) for dialogue in (1, 2, 3)]
    monkeypatch.setattr(InstructionBenchmark, "_read", lambda *_: pytest.fail("a dialogue was read as a whole"))
    assert [[crowded.turn(d, n) for n in (1, 2, 3)] for d in (1, 2, 3)] == expected
    assert [crowded.length(dialogue) for dialogue in (1, 2, 3, 4)] == [3] * 4


def test_a_dialogue_that_grew_or_was_edited_meanwhile_is_read_as_a_whole(crowded: InstructionBenchmark) -> None:
    other = load_benchmark(crowded.path)
    grown = other.turn(1, 5)
    assert crowded.length(1) == 5 and crowded.turn(1, 5) == grown and crowded.turn(1, 6).turn == 6
    file = crowded.path / "dialogues" / "0002.jsonl"
    file.write_text("{}\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(InputError):
        crowded.turn(2, 1)
