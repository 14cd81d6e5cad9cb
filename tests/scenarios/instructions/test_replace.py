"""One turn's words are replaced whole; what was flagged or rejected is never played."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from evolif import OutsideError, UsageError, load_benchmark
from evolif.scenarios.instructions import InstructionBenchmark, generate

WORDS = {"query": "Say it in my words, “so”.", "status": "edited", "source": "person"}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("bench") / "b"
    generate(root, dialogues=2, turns=5, seed=5, profile="objective")
    return root


@pytest.fixture
def bench(original: Path, tmp_path: Path) -> Path:
    shutil.copytree(original, tmp_path / "b")
    return tmp_path / "b"


def lines(root: Path, dialogue: int = 1) -> list[bytes]:
    return (root / "dialogues" / f"{dialogue:04d}.jsonl").read_bytes().split(b"\n")


def test_one_line_changes_and_every_other_byte_stays(bench: Path, original: Path) -> None:
    opened = load_benchmark(bench)
    old = opened.turns(1)[2]
    made = opened.replace(1, 3, **WORDS, findings=("it was dull",), attempts=3)
    expected = replace(
        old, query=WORDS["query"], status="edited", source="person", findings=("it was dull",), attempts=3
    )
    assert made == expected == opened.turns(1)[2] == load_benchmark(bench).turns(1)[2]
    before, after = lines(original), lines(bench)
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, True, False, True, True, True]
    assert lines(bench, 2) == lines(original, 2)


def test_attempts_stay_where_none_are_given_and_findings_go(bench: Path) -> None:
    opened = load_benchmark(bench)
    opened.replace(1, 2, **WORDS, findings=("a",), attempts=3)
    again = opened.replace(1, 2, **WORDS)
    assert (again.attempts, again.findings) == (3, ())


def test_a_dialogue_with_a_replaced_turn_is_extended_like_any_other(bench: Path) -> None:
    opened = load_benchmark(bench)
    opened.replace(1, 5, **WORDS)
    opened.extend(7)
    assert [t.query == WORDS["query"] for t in load_benchmark(bench).turns(1)] == [False] * 4 + [True, False, False]


def test_a_turn_replaced_by_another_process_is_not_written_over_by_who_extends(bench: Path) -> None:
    first, second = load_benchmark(bench), load_benchmark(bench)
    first.turns(1)
    second.replace(1, 2, **WORDS)
    first.turn(1, 6)
    first.replace(1, 3, **WORDS)
    words = [t.query for t in load_benchmark(bench).turns(1)]
    assert len(words) == 6 and words[1] == words[2] == WORDS["query"]
    assert first.turns(1)[1].query == WORDS["query"]


@pytest.mark.parametrize(("dialogue", "number"), [(1, 0), (1, 6), (9, 1)])
def test_what_is_not_there_is_not_replaced(bench: Path, original: Path, dialogue: int, number: int) -> None:
    with pytest.raises(UsageError, match="has no"):
        load_benchmark(bench).replace(dialogue, number, **WORDS)
    assert lines(bench) == lines(original)


@pytest.mark.parametrize("query", ["", " \n", "half \ud800 a character"])
def test_words_that_are_none_are_refused(bench: Path, original: Path, query: str) -> None:
    with pytest.raises(UsageError, match="query"):
        load_benchmark(bench).replace(1, 1, **{**WORDS, "query": query})
    assert lines(bench) == lines(original)


def test_a_full_disk_leaves_the_old_line(bench: Path, original: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = load_benchmark(bench)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("evolif.benchmark.files.os.fsync", full)
        with pytest.raises(OutsideError, match="No space left"):
            opened.replace(1, 1, **WORDS)
    assert lines(bench) == lines(original)
    assert opened.turns(1)[0].query != WORDS["query"]
    opened.replace(1, 1, **WORDS)
    assert load_benchmark(bench).dialogues() == [1, 2]


REWRITE = """
import sys
from evolif.scenarios.instructions import InstructionBenchmark
bench, number = InstructionBenchmark(sys.argv[1]), int(sys.argv[2])
for i in range(20):
    bench.replace(1, number, query=f"words {i} of {number}", status="edited", source="person")
"""


@pytest.mark.slow
def test_reviewers_at_once_lose_nothing(bench: Path) -> None:
    reviewers = [subprocess.Popen([sys.executable, "-c", REWRITE, str(bench), str(n)]) for n in (1, 2, 3)]
    opened = InstructionBenchmark(bench)
    for number in range(6, 20):
        opened.turn(1, number)
    assert [r.wait(60) for r in reviewers] == [0, 0, 0]
    turns = load_benchmark(bench).turns(1)
    assert [t.query for t in turns[:3]] == [f"words 19 of {n}" for n in (1, 2, 3)]
    assert len(turns) == 19


@pytest.mark.parametrize("status", ["flagged", "rejected"])
def test_words_that_were_flagged_or_rejected_are_not_played(bench: Path, status: str) -> None:
    template = load_benchmark(bench).turns(1)
    told: list[str] = []
    opened = InstructionBenchmark(bench, notify=told.append)
    for number in range(1, 6):
        opened.replace(1, number, query="Do as you like.", status=status, source="some/model", findings=("x",))
    for number, meant in enumerate(template, 1):
        stored, played = opened.turns(1)[number - 1], opened.turn(1, number)
        assert (stored.query, stored.status, stored.source) == ("Do as you like.", status, "some/model")
        assert (played.query, played.source, played.status) == (meant.query, "template", "verified")
        assert "some/model" in played.findings[0] and status in played.findings[0]
        assert played.constraints == meant.constraints and played.witness == meant.witness
    opened.turn(1, 1)
    assert len(told) == 5 and "dialogue 1, turn 1" in told[0] and "template" in told[0]


@pytest.mark.parametrize("status", ["verified", "edited"])
def test_words_that_were_accepted_are_played_as_they_are(bench: Path, status: str) -> None:
    opened = load_benchmark(bench)
    made = opened.replace(1, 1, query="In other words.", status=status, source="some/model", findings=("x",))
    assert opened.turn(1, 1) == made
