"""What a run stores of how contexts were built."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolif import evaluate, load_run
from evolif.contexts import OwnCost, Shown
from evolif.runner.context_record import ContextRecord
from evolif.scenarios.instructions import generate

DECISION = {"topic": {"action": "SWITCH_TOPIC", "target": 0}, "branch": None}


@given(
    st.dictionaries(st.integers(1, 60), st.sampled_from(["full", "summary"])),
    st.sampled_from([None, DECISION]),
    st.builds(OwnCost, calls=st.integers(0, 5), embedded=st.integers(0, 5), seconds=st.floats(0, 9)),
)
def test_it_comes_back_from_json(shown: dict[int, Shown], decision: dict[str, object] | None, cost: OwnCost) -> None:
    built = ContextRecord(shown, decision, cost)
    again = ContextRecord.load(json.loads(json.dumps(built.dump())))
    assert again == built and again.cost.seconds == cost.seconds
    assert list(again.shown) == sorted(shown)


def test_runs_of_rounds_take_no_room() -> None:
    assert ContextRecord(dict.fromkeys([*range(1, 900), 950], "summary")).dump() == {"summary": "1-899,950"}


@pytest.mark.slow
def test_an_edited_range_does_not_fill_the_memory() -> None:
    assert len(ContextRecord.load({"full": "1-99999999999999999999"}).shown) < 1_000_000


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("built")
    generate(root / "bench", dialogues=1, turns=4, seed=5, profile="objective")
    for context in ("full", "last:2"):
        evaluate(root / "bench", "sim/perfect", root / context, context=context, patience=9, max_turns=4).close()
    return {context: root / context for context in ("full", "last:2")}


def built(path: Path) -> list[ContextRecord | None]:
    run = load_run(path, read_only=True)
    [(_, records)] = run.transcripts("sim/perfect")
    run.close()
    return [record.built for record in records]


def test_a_run_says_what_each_call_was_shown(runs: dict[str, Path]) -> None:
    rounds: list[dict[int, Shown]] = [{}, {1: "full"}, {1: "full", 2: "full"}, {2: "full", 3: "full"}]
    assert built(runs["last:2"]) == [ContextRecord(shown) for shown in rounds]
    assert built(runs["full"]) == [None] * 4


def test_what_was_shown_is_sealed(runs: dict[str, Path]) -> None:
    with closing(sqlite3.connect(runs["last:2"] / "run.sqlite")) as file, file:
        file.execute('UPDATE turn SET context = \'{"full":"1"}\' WHERE turn = 3')
    run = load_run(runs["last:2"], read_only=True)
    assert [edit.turn for edit in run.integrity().edited] == [3]
    run.close()


def test_a_run_from_before_is_read_and_resumed(runs: dict[str, Path], tmp_path: Path) -> None:
    old = runs["full"]
    with closing(sqlite3.connect(old / "run.sqlite")) as file, file:
        file.execute("ALTER TABLE turn DROP COLUMN context")
    before = (old / "run.sqlite").read_bytes()
    run = load_run(old, read_only=True)
    assert not run.integrity().edited
    run.close()
    assert built(old) == [None] * 4
    assert (old / "run.sqlite").read_bytes() == before
    again = evaluate(old.parent / "bench", "sim/perfect", old, epochs=2, patience=9, max_turns=4)
    assert [len(records) for _, records in again.transcripts("sim/perfect")] == [4, 4]
    assert not again.integrity().edited
    again.close()
