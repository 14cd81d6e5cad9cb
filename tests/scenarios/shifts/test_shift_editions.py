"""Editions of generated dialogues: stored benchmarks keep the bytes of the first one, and new ones have the second."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path

import pytest

from evolif.benchmark import open_benchmark
from evolif.errors import ArgumentError, UsageError
from evolif.exchange import export
from evolif.scenario import get_scenario, options_of
from evolif.scenarios.shifts import generate
from evolif.scenarios.shifts.lines import lines_of

SCENARIO = get_scenario("shifts")
FIRST = "9632fd33e7d1ef0a"
"""Of 12 dialogues of seed 7, as they were before there were editions."""


def made(folder: Path, **options: object) -> dict[str, object]:
    SCENARIO.generate(folder, options_of(SCENARIO.spec, options, "shifts"), dialogues=2, seed=3)
    found: dict[str, object] = json.loads((folder / "benchmark.json").read_text(encoding="utf-8"))["spec"]
    return found


def test_dialogues_of_the_first_edition_keep_their_bytes() -> None:
    lines = [list(lines_of(dialogue)) for dialogue in generate(12, seed=7, edition=1)]
    assert blake2b(json.dumps(lines).encode(), digest_size=8).hexdigest() == FIRST


def test_a_benchmark_stores_its_edition_unless_it_is_the_first(tmp_path: Path) -> None:
    assert made(tmp_path / "new")["edition"] == 2
    assert "edition" not in made(tmp_path / "old", edition=1)
    assert open_benchmark(tmp_path / "new").spec.edition == 2
    assert open_benchmark(tmp_path / "old").spec.edition == 1


def test_one_without_an_edition_is_completed_as_it_was_begun(tmp_path: Path) -> None:
    made(tmp_path / "old", edition=1)
    file = tmp_path / "old" / "dialogues" / "0002.jsonl"
    before = file.read_bytes()
    file.unlink()
    with pytest.raises(UsageError):
        made(tmp_path / "old")
    made(tmp_path / "old", edition=1)
    assert file.read_bytes() == before


def test_there_is_no_other_edition() -> None:
    with pytest.raises(ArgumentError, match="there is no edition 3"):
        generate(1, edition=3)


def test_the_closing_reply_is_stored_nowhere_but_in_the_witness(tmp_path: Path) -> None:
    made(tmp_path / "b")
    bench = open_benchmark(tmp_path / "b")
    last = bench.lines(1)[-1]
    assert last["reply"] == "" and last["witness"]
    export(tmp_path / "b", tmp_path / "out.jsonl", format="jsonl")
    text = (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    assert json.dumps(last["witness"], ensure_ascii=False)[1:60] not in text
