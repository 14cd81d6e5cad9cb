"""The date of a run: when its answers were last asked for."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evolif.runner import evaluate, load_run
from evolif.runner.rejudge import rejudge
from evolif.scenarios.instructions import generate

OLD = datetime(2025, 3, 4, 5, 6, 7, tzinfo=UTC)


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    generate(tmp_path / "bench", dialogues=1, turns=2, seed=1, profile="objective")
    return tmp_path / "bench"


def test_a_run_stores_when_it_was_played(bench: Path, tmp_path: Path) -> None:
    before = datetime.now(UTC) - timedelta(seconds=1)
    with closing(evaluate(bench, ["sim/steady"], tmp_path / "run", max_turns=2)) as run:
        played = run.played()
        assert played is not None and before <= played <= datetime.now(UTC)
        assert played.microsecond == 0 and played.tzinfo is UTC


def test_only_more_answers_change_it(bench: Path, tmp_path: Path) -> None:
    run = evaluate(bench, ["sim/steady"], tmp_path / "run", max_turns=2)
    run.store.note_played(OLD)
    run.close()
    same = evaluate(bench, ["sim/steady"], tmp_path / "run", max_turns=2)
    assert same.played() == OLD
    same.close()
    grown = evaluate(bench, ["sim/steady", "sim/forgetful"], tmp_path / "run", max_turns=2)
    assert grown.played() != OLD
    grown.close()


def test_judging_again_keeps_the_date_of_the_answers(bench: Path, tmp_path: Path) -> None:
    run = evaluate(bench, ["sim/steady"], tmp_path / "run", max_turns=2)
    run.store.note_played(OLD)
    run.close()
    rejudge(tmp_path / "run", "lexical", tmp_path / "again").close()
    again = load_run(tmp_path / "again", read_only=True)
    assert again.played() == OLD
    again.close()


def test_a_run_of_an_earlier_version_has_none(bench: Path, tmp_path: Path) -> None:
    run = evaluate(bench, ["sim/steady"], tmp_path / "run", max_turns=2)
    with run.store._connection as store:
        store.execute("DELETE FROM run WHERE key = 'played'")
    assert run.played() is None
    run.store.note_played(None)
    assert run.played() is None
    run.close()
