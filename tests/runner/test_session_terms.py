"""What figures need of a session is kept with it: the same figures to the last digit, and nothing out of date."""

from __future__ import annotations

import json
import math
import pickle
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evolif
from evolif.metrics import terms as kept
from evolif.metrics.exact import exact_parts
from evolif.metrics.seeded import SeededDraws
from evolif.metrics.terms import StoredTurns
from evolif.report import RunAnalysis
from evolif.report.comparable import group_comparable
from evolif.report.json import analysis_object
from evolif.runner import Run, load_run
from evolif.runner.findings import Findings
from evolif.runner.shards import absorb
from evolif.runner.store import RunStore
from evolif.scenario import get_scenario
from evolif.types import Session

Make = Callable[[Path], Run]


def objective(root: Path, **more: Any) -> Run:
    bench = evolif.generate(root / "b", dialogues=6, turns=6, seed=8, profile="paper")
    models = ["sim/steady", "sim/forgetful", "sim/steady?skill=.6"]
    return evolif.evaluate(bench, models, root / "r", max_turns=8, patience=2, **more)


def everyday(root: Path) -> Run:
    bench = evolif.generate(root / "b", dialogues=4, turns=5, seed=3)
    how = {"relevance": "lexical", "relevance_counts": True, "feedback": "repair"}
    return evolif.evaluate(bench, ["sim/steady?skill=.5", "sim/forgetful"], root / "r", max_turns=6, **how)


def games(root: Path) -> Run:
    return of_scenario(root, "games", ["sim/scripted", "sim/floor"], game=("names",), turns=(2, 4))


def shifts(root: Path) -> Run:
    return of_scenario(root, "shifts", ["sim/perfect"], rounds=(10,))


def broadcast(root: Path) -> Run:
    return of_scenario(root, "broadcast", ["sim/perfect"], task=("CR",), sport=("hockey",), chunks=(4,))


def of_scenario(root: Path, name: str, models: list[str], **options: Any) -> Run:
    scenario = get_scenario(name)
    spec = scenario.spec.model_validate(options)
    bench = scenario.generate(root / "b", spec, dialogues=2, seed=1)
    return evolif.evaluate(bench, models, root / "r")


MADE: dict[str, Make] = {
    "objective": objective, "everyday": everyday, "games": games, "shifts": shifts, "broadcast": broadcast
}  # fmt: skip


@pytest.fixture(scope="module", params=MADE)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    played = MADE[request.param](tmp_path_factory.mktemp(request.param))
    yield played
    played.close()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("played")
    objective(root).close()
    return root / "r"


@pytest.fixture
def copy(played: Path, tmp_path: Path) -> Path:
    shutil.copytree(played, tmp_path / "r")
    return tmp_path / "r"


def edit(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / "run.sqlite")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def told(run: Run) -> str:
    return json.dumps(analysis_object(group_comparable([RunAnalysis(run, resamples=50)])), sort_keys=True)


def test_sessions_are_the_same_read_now_or_later(run: Run) -> None:
    for now, later in zip(run.sessions(), run.sessions(lazily=True), strict=True):
        assert isinstance(later.turns, StoredTurns)
        assert len(later.turns) == len(now.turns)
        assert list(kept.outcomes_of(later)) == list(kept.outcomes_of(now))
        assert kept.targets_of(later) == kept.targets_of(now)
        assert later == now and now == later
        assert pickle.loads(pickle.dumps(later)).turns == now.turns
        assert later.turns[1:] == now.turns[1:] and later.turns[-1] == now.turns[-1]


def test_figures_are_the_same_to_the_last_digit(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(run)
    sessions = run.sessions

    def eagerly(model: str | None = None, *, lazily: bool = False) -> list[Session]:
        return sessions(model)

    monkeypatch.setattr(run, "sessions", eagerly)
    assert told(run) == found


def test_a_report_by_instructions_reads_no_turn(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(load_run(played)) as run:
        told(run)  # counts context tokens, and works out floor and ceiling

        def never(self: StoredTurns) -> None:
            raise AssertionError("a turn was read")

        monkeypatch.setattr(StoredTurns, "whole", never)
        told(run)


def test_terms_are_those_that_would_be_worked_out_now(copy: Path) -> None:
    with closing(RunStore.open(copy)) as store:
        assert store.stale_terms() == []
    before = rows(copy)
    edit(copy, "DELETE FROM terms")
    with closing(RunStore.open(copy)) as store:
        store.keep_terms()
    assert rows(copy) == before


def rows(folder: Path) -> list[Any]:
    with closing(sqlite3.connect(folder / "run.sqlite")) as connection:
        found = connection.execute("SELECT * FROM terms ORDER BY session").fetchall()
        return found + connection.execute("SELECT * FROM cells ORDER BY breakdown, session").fetchall()


def test_a_run_of_a_version_without_terms_is_read_as_it_is(copy: Path) -> None:
    with closing(load_run(copy)) as run:
        found = told(run)
    with closing(sqlite3.connect(copy / "run.sqlite")) as connection, connection:
        for name in [n for (n,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]:
            if name.startswith("terms_after"):
                connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DROP TABLE terms")
        connection.execute("DROP TABLE cells")
    for read_only in (True, False):
        with closing(load_run(copy, read_only=read_only)) as run:
            assert told(run) == found
            assert not any(isinstance(session.turns, StoredTurns) for session in run.sessions(lazily=True))
    with closing(RunStore.open(copy)) as store:
        store.keep_terms()
    with closing(load_run(copy)) as run:
        assert all(isinstance(session.turns, StoredTurns) for session in run.sessions(lazily=True))
        assert told(run) == found


CHANGES = {
    "a verdict": "UPDATE turn SET verdicts = replace(verdicts, 'true', 'false') WHERE session = 2",
    "a turn less": "DELETE FROM turn WHERE session = 2 AND turn = (SELECT max(turn) FROM turn WHERE session = 2)",
    "an end": "UPDATE session SET ending = 'suspended' WHERE id = 2",
    "a prompt": "UPDATE asked SET labels = '{}' WHERE dialogue = (SELECT dialogue FROM session WHERE id = 2)",
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_a_session_removes_its_terms(copy: Path, change: str) -> None:
    edit(copy, CHANGES[change])
    with closing(sqlite3.connect(copy / "run.sqlite")) as connection:
        [left] = connection.execute("SELECT count(*) FROM terms WHERE session = 2").fetchone()
    assert left == 0
    with closing(load_run(copy)) as run:
        assert run.integrity().edited
        shown = {(s.model, s.dialogue): s for s in run.sessions()}
        for session in RunAnalysis(run).model(run.models[0]).sessions:
            assert session == shown[session.model, session.dialogue]


def test_edited_terms_do_not_count(copy: Path) -> None:
    with closing(load_run(copy)) as run:
        found = told(run)
    edit(copy, "UPDATE terms SET data = replace(data, '1', '0')", "UPDATE cells SET data = '[[\"x\",1,1,1,1,0,1.0]]'")
    with closing(load_run(copy)) as run:
        assert told(run) == found
        assert not any(isinstance(session.turns, StoredTurns) for session in run.sessions(lazily=True))
    with closing(RunStore.open(copy)) as store:
        assert len(store.stale_terms()) == 18


def test_terms_that_cannot_be_read_are_none() -> None:
    whole = kept.SessionTerms(((True,), ()), turns=2, requirements=2, silent=1, has_verdicts=True).dump()
    data = json.loads(whole)
    assert kept.SessionTerms.load(data).outcomes == ((True,), ())
    for wrong in ({"outcomes": "1,x"}, {"outcomes": "1"}, {"targets": 3}, {"turns": "2"}, {"credits": [1.0]}):
        with pytest.raises(ValueError, match="not as they were written"):
            kept.SessionTerms.load({**data, **wrong})
    with pytest.raises(KeyError):
        kept.SessionTerms.load({})


def test_a_check_is_made_once_for_the_same_bytes(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = []
    check = RunStore._check_seals

    def counted(self: RunStore) -> Any:
        checks.append(self.root)
        return check(self)

    monkeypatch.setattr("evolif.runner.sharing.RedactedStore._check_seals", counted)
    monkeypatch.setattr(RunStore, "_check_seals", counted)
    (copy / ".findings.json").unlink(missing_ok=True)
    for _ in range(3):
        with closing(load_run(copy)) as run:
            found = run.integrity()
            assert found.sealed and not found.edited
    assert len(checks) == 1
    with closing(load_run(copy)) as run:
        assert run.integrity(afresh=True) == found
    assert len(checks) == 2


def test_an_edit_of_single_bytes_is_seen(copy: Path) -> None:
    with closing(load_run(copy)) as run:
        assert not run.integrity().edited
    file = copy / "run.sqlite"
    data = file.read_bytes()
    with closing(sqlite3.connect(file)) as connection:
        [answer] = connection.execute("SELECT answer FROM turn WHERE length(answer) > 20 LIMIT 1").fetchone()
    place = data.index(answer.encode()[:20])
    file.write_bytes(data[:place] + b"#" + data[place + 1 :])
    with closing(load_run(copy)) as run:
        assert run.integrity().edited
        # What is kept was worked out before the edit, so the figures are of the turns themselves.
        assert not any(isinstance(s.turns, StoredTurns) for m in RunAnalysis(run).models for s in m.sessions)


def test_findings_hold_for_their_bytes_alone(copy: Path, tmp_path: Path) -> None:
    (copy / ".findings.json").unlink(missing_ok=True)
    findings = Findings(copy)
    findings.note({"key": "text"})
    assert Findings(copy).noted("key") == "text"
    edit(copy, "INSERT INTO run VALUES ('more', 'text')")
    assert Findings(copy).noted("key") == findings.noted("key") == ""
    for hostile in (b"[]", b"{", b'{"file": 1}', b"[" * 100_000):
        (copy / ".findings.json").write_bytes(hostile)
        assert Findings(copy).noted("key") == "" and Findings(copy).integrity() is None
    (copy / ".findings.json").unlink()
    Findings(copy, is_frozen=True).note({"key": "text"})
    assert not (copy / ".findings.json").exists()
    assert Findings(tmp_path / "none").noted("key") == ""


def test_nothing_is_found_of_a_run_that_is_being_written(copy: Path) -> None:
    with closing(sqlite3.connect(copy / "run.sqlite")) as connection, connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("INSERT INTO run VALUES ('more', 'text')")
        connection.commit()
        Findings(copy).note({"key": "text"})
        assert Findings(copy).noted("key") == ""


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.floats(-1e15, 1e15), max_size=6), max_size=6))
def test_parts_have_the_sum_of_the_whole(lists: list[list[float]]) -> None:
    parts = [exact_parts(own) for own in lists]
    assert math.fsum(one for own in parts for one in own) == math.fsum(one for own in lists for one in own)
    for own, few in zip(lists, parts, strict=True):
        assert math.fsum(few) == math.fsum(own) and len(few) <= 1 + len(own) // 2 + 2


def test_draws_of_numpy_are_those_of_python() -> None:
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed")
    draws = SeededDraws(numpy)
    for seed in (0, 1, 2**32 - 1, 2**32, 1_000_003 * 7 + 5, 2**70 + 3):
        draws.begin(seed)
        chance = random.Random(seed).random
        assert [*draws.take(3), *draws.take(700)] == [chance() for _ in range(703)]


def test_terms_come_with_sessions_that_are_taken_over(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(RunStore.open(played)) as source:
        settings = source.settings
    with closing(RunStore.create(tmp_path / "whole", settings)) as store:
        monkeypatch.setattr(RunStore, "_keep_terms", lambda self, number: pytest.fail("they were worked out again"))
        absorb(store, played)
        assert len(store.endings()) and store.stale_terms() == []
    assert len(rows(tmp_path / "whole")) == len(rows(played)) > 18
