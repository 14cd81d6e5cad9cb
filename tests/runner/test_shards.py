"""What a run takes over of another run: every row once, with its seal, and nothing of a file that is not whole."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scripted import Scripted, good_but
from tables_of_version_2 import TABLES_OF_VERSION_2

from evolif import UsageError
from evolif.errors import ModelError
from evolif.models import Reply
from evolif.runner import Run, RunSettings, RunStore, load_run
from evolif.runner.records import CostEntry
from evolif.runner.settings import sessions_of
from evolif.runner.shards import Absorbed, absorb
from evolif.types import Spent, Usage

Play = Callable[..., Run]
NAMED = "SELECT model, session.dialogue, epoch, turn.turn, digest, answer, seconds, verdicts, turn.seal"
ALL_TURNS = f"{NAMED} FROM turn JOIN session ON session.id = session JOIN asked ON asked.id = asked ORDER BY 1, 2, 3, 4"
ENDS = "SELECT model, dialogue, epoch, ending, cause, reason, seal FROM session ORDER BY 1, 2, 3"
CALLS = "SELECT dialogue, turn, role, model, calls, prompt_tokens, state, bound FROM call ORDER BY 1, 2, 3, 4, 5, 6, 7"


def rows(root: Path, *queries: str) -> list[list[Any]]:
    with closing(sqlite3.connect(root / "run.sqlite")) as file:
        return [file.execute(query).fetchall() for query in queries]


def change(root: Path, script: str) -> None:
    with closing(sqlite3.connect(root / "run.sqlite")) as file, file:
        file.executescript(script)


def target(root: Path, of: Path) -> RunStore:
    """A run with the settings of another and none of its turns."""
    with closing(load_run(of)) as run:
        return target_of(root, run.settings)


def target_of(root: Path, settings: RunSettings) -> RunStore:
    store = RunStore.create(root, settings)
    for model in settings.models:
        store.enrol(sessions_of(settings, model))
    return store


def test_everything_is_taken_over_once_with_its_seals(play: Play, tmp_path: Path) -> None:
    whole = play(Scripted(good_but(1, 2, 3)), limit=2).path
    with closing(target(tmp_path / "new", whole)) as store:
        assert absorb(store, whole) == Absorbed(sessions=2, turns=6)
        assert absorb(store, whole) == Absorbed(known=2)
        assert store.integrity().edited == () and store.integrity().sealed == 6
    told = (ALL_TURNS, ENDS, CALLS)
    assert rows(tmp_path / "new", *told) == rows(whole, *told)


def test_a_longer_state_replaces_a_shorter_one_and_no_call_is_counted_twice(play: Play, tmp_path: Path) -> None:
    def paid(request: Any) -> Reply | Exception:
        if request.prompt.turn == 3 and not mended:
            return ModelError("busy")
        return Reply("", usage=Usage(100, 7))

    mended: list[bool] = []
    early = play(Scripted(paid), patience=9, max_turns=4)
    with closing(target(tmp_path / "new", early.path)) as store:
        assert absorb(store, early.path) == Absorbed(sessions=1, turns=2)
        early.close()
        mended.append(True)
        later = play(Scripted(paid), patience=9, max_turns=4).path
        assert absorb(store, later) == Absorbed(sessions=1, turns=2)
        assert absorb(store, later) == Absorbed(known=1)
        told = (ALL_TURNS, ENDS, CALLS, "SELECT turn, role, kind, message FROM fault ORDER BY id")
        assert rows(store.root, *told) == rows(later, *told)
        assert store.integrity().edited == ()


def test_another_answer_is_refused_and_nothing_is_taken_over(play: Play, tmp_path: Path) -> None:
    one = play(Scripted(lambda _: "a"), out="one", patience=9, max_turns=2).path
    other = play(Scripted(lambda request: "ab"[request.prompt.turn - 1]), out="two", patience=9, max_turns=2, limit=2)
    with closing(target(tmp_path / "new", other.path)) as store:
        absorb(store, one)
        before = rows(store.root, ALL_TURNS, ENDS, CALLS)
        with pytest.raises(
            UsageError, match=r"two has another answer of fake/model, dialogue 1, turn 2, than the runs"
        ):
            absorb(store, other.path)
        assert rows(store.root, ALL_TURNS, ENDS, CALLS) == before


def plays(play: Play, out: str, *, turns: int, seconds: float, tokens: int = 100) -> Path:
    """A run of one session with the same answers as others, each of which took this long."""
    model = Scripted(lambda request: Reply("a", usage=Usage(tokens + request.prompt.turn, 7), seconds=seconds))
    run = play(model, out=out, patience=9, max_turns=turns)
    run.close()
    return run.path


def spent(root: Path) -> list[tuple[int, int]]:
    [found] = rows(root, "SELECT sum(calls), sum(prompt_tokens) FROM call")
    return found


def test_two_plays_of_a_session_were_both_paid_whatever_comes_first(play: Play, tmp_path: Path) -> None:
    long, short = (plays(play, name, turns=4, seconds=at) for name, at in (("long", 1.5), ("short", 2.5)))
    change(short, "DELETE FROM turn WHERE turn > 2; DELETE FROM call WHERE turn > 2;")
    change(short, "UPDATE session SET ending = NULL, cause = '', reason = '', seal = NULL")
    usage = []
    for name, order in (("a", (long, short)), ("b", (short, long))):
        with closing(target(tmp_path / name, long)) as store:
            for one in (*order, *order):
                absorb(store, one)
            [(_, records)] = load_run(store.root).transcripts("fake/model")
            usage.append([record.usage.prompt_tokens for record in records])
            assert store.integrity().edited == () and [record.seconds for record in records] == [1.5] * 4
        assert spent(tmp_path / name) == [(6, (101 + 102 + 103 + 104) + (101 + 102))]
    assert usage == [[101, 102, 103, 104]] * 2  # what the other play has used is not that of these turns
    with closing(target(tmp_path / "c", long)) as store:
        for one in (tmp_path / "a", tmp_path / "b", long, short):
            absorb(store, one)
    assert spent(tmp_path / "c") == spent(tmp_path / "a")


def test_a_copy_that_went_on_otherwise_shares_only_its_past(play: Play, tmp_path: Path) -> None:
    first = plays(play, "first", turns=2, seconds=1.5)
    change(first, "UPDATE session SET ending = NULL, cause = '', reason = '', seal = NULL")
    for name, turns, seconds in (("left", 4, 2.5), ("right", 3, 3.5)):
        shutil.copytree(first, tmp_path / name)
        change(tmp_path / name, """UPDATE run SET value = replace(value, '"max_turns":2', '"max_turns":4')""")
        model = Scripted(lambda _, at=seconds: Reply("a", usage=Usage(100, 7), seconds=at))
        model.answer = fault_after(turns, model.answer)
        play(model, out=name, patience=9, max_turns=4).close()
    with closing(target(tmp_path / "new", tmp_path / "left")) as store:
        absorb(store, tmp_path / "right")
        absorb(store, tmp_path / "left")
        assert len(store.turns(1)) == 4
    [found] = rows(tmp_path / "new", "SELECT turn, count(*) FROM call WHERE prompt_tokens > 0 GROUP BY turn")
    assert found == [(1, 1), (2, 1), (3, 2), (4, 1)]


def fault_after(turn: int, answer: Any) -> Any:
    return lambda request: ModelError("busy") if request.prompt.turn > turn else answer(request)


def worded(root: Path, *tokens: int) -> None:
    with closing(RunStore.open(root)) as store:
        for number in tokens:
            store.write([CostEntry(None, 1, 5, (Spent("synthesizer", "fake/words", Usage(number, 1)),))])


def test_what_wording_costs_counts_for_each_machine_and_once_for_a_copy(play: Play, tmp_path: Path) -> None:
    one = play(Scripted(lambda _: Reply("a", seconds=1.0)), out="one", patience=9, max_turns=2, limit=2).path
    worded(one, 50, 60)
    shutil.copytree(one, tmp_path / "copy")
    worded(tmp_path / "copy", 70)
    other = play(
        Scripted(lambda _: Reply("a", seconds=2.0)), out="two", patience=9, max_turns=2, dialogues="3-4", limit=None
    )
    worded(other.path, 50, 60)
    words = "SELECT prompt_tokens FROM call WHERE session IS NULL ORDER BY 1"
    with closing(load_run(one)) as run:
        settings = run.settings.grown(other.settings)
    with closing(RunStore.create(tmp_path / "new", settings)) as store:
        for shard in (one, tmp_path / "copy", one, other.path, other.path):
            absorb(store, shard)
    assert rows(tmp_path / "new", words) == [[(50,), (50,), (60,), (60,), (70,)]]


def killed(root: Path) -> None:
    """Leave the run as a process leaves it that dies with a call under way: with a log beside the file."""
    script = f"""
import os, signal, sqlite3
file = sqlite3.connect({str(root / "run.sqlite")!r})
file.execute("PRAGMA journal_mode=WAL")
file.execute("INSERT INTO call (session, dialogue, turn, role, model, calls, state, bound) "
             "VALUES (1, 1, 3, 'target', 'fake/model', 1, 'open', 900)")
file.commit()
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", script]).returncode == -signal.SIGKILL


@pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are not there")
def test_the_file_of_a_killed_process_is_read_with_its_log_and_nothing_is_written_beside_it(
    play: Play, tmp_path: Path
) -> None:
    run = play(Scripted(lambda _: Reply("a", usage=Usage(9, 9))), patience=9, max_turns=2)
    run.close()
    killed(run.path)
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in run.path.iterdir()}
    assert before["run.sqlite-wal"][0]
    with closing(target_of(tmp_path / "new", run.settings)) as store:
        absorb(store, run.path)
        absorb(store, run.path)
        assert [(one.unknown, one.bound) for one in store.costs() if one.role == "target"] == [(1, 900)]
        assert store.under_way() == []
    assert rows(tmp_path / "new", "SELECT state, bound FROM call WHERE state IS NOT NULL") == [[("lost", 900)]]
    assert {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in run.path.iterdir()} == before


@pytest.fixture
def file(play: Play) -> Path:
    """A run of one session of two turns, as one file."""
    run = play(Scripted(lambda _: Reply("a", usage=Usage(9, 9))), patience=9, max_turns=2)
    run.close()
    return run.path


def test_a_file_of_an_earlier_version_is_read_as_it_is(file: Path, tmp_path: Path) -> None:
    with closing(load_run(file)) as run:
        answers = [record.answer for _, records in run.transcripts("fake/model") for record in records]
        costs = run.costs()
    change(file, f"{TABLES_OF_VERSION_2} ALTER TABLE session DROP COLUMN seal;")
    before = (file / "run.sqlite").read_bytes()
    with closing(target(tmp_path / "new", file)) as store:
        assert absorb(store, file) == Absorbed(sessions=1, turns=2)
        assert absorb(store, file) == Absorbed(known=1)
        assert store.costs() == costs and store.integrity().not_sealed == 2
        assert [record.answer for record in store.turns(1)] == answers
    assert (file / "run.sqlite").read_bytes() == before


def no_database(root: Path) -> None:
    (root / "run.sqlite").write_bytes(b"x" * 4096)


def half_a_file(root: Path) -> None:
    (root / "run.sqlite").write_bytes((root / "run.sqlite").read_bytes()[:9000])


def a_link(root: Path) -> None:
    shutil.move(root / "run.sqlite", root.parent / "elsewhere")
    (root / "run.sqlite").symlink_to("../elsewhere")


def a_pipe(root: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("pipes of this kind are not there")
    (root / "run.sqlite").unlink()
    os.mkfifo(root / "run.sqlite")


def a_journal(root: Path) -> None:
    (root / "run.sqlite-journal").write_bytes(b"x")


UNSEALED = "UPDATE turn SET seal = NULL; UPDATE session SET seal = NULL"
HOSTILE: Mapping[str, tuple[Callable[[Path], None] | str, str]] = {
    "no database": (no_database, "is no SQLite database; copy it again"),
    "half a file": (half_a_file, "cannot be read as a run"),
    "a link": (a_link, "a link that leads out of the folder"),
    "a pipe": (a_pipe, "is not a run"),
    "a journal": (a_journal, "says that run.sqlite is half written"),
    "a view": ("ALTER TABLE fault RENAME TO f; CREATE VIEW fault AS SELECT * FROM f", "no plain table “fault”"),
    "a computed column": ("ALTER TABLE run ADD COLUMN big AS (zeroblob(1000000000))", "no plain table “run”"),
    "a missing table": ("DROP TABLE call", "no plain table “call”"),
    "an edited answer": ("UPDATE turn SET answer = 'b' WHERE turn = 2", "dialogue 1, turn 2 (its query, its answer or"),
    "huge numbers": (f"UPDATE call SET prompt_tokens = {2**62}", "a row of its table “call” that no run writes"),
    "no number": ("UPDATE call SET calls = 'many'", "a row of its table “call” that no run writes"),
    "bytes": ("UPDATE call SET model = x'ff'", "a row of its table “call” that no run writes"),
    "no time": (f"UPDATE turn SET seconds = 9e999; {UNSEALED}", "a row of its table “turn” that no run writes"),
    "no text": (f"UPDATE turn SET answer = CAST(x'ff' AS TEXT); {UNSEALED}", "cannot be read as a run"),
    "a stranger": (
        "INSERT INTO session (model, dialogue, epoch, ending) VALUES ('x', 1, 1, 'suspended')",
        "a session of x, dialogue 1, which its settings do not name",
    ),
    "no prompt": (f"UPDATE turn SET asked = 99; {UNSEALED}", "an answer to no prompt of its dialogue"),
    "another version": ("UPDATE run SET value = '99' WHERE key = 'schema'", "was written by another version of evolif"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_file_that_is_not_whole_is_refused_and_nothing_is_taken_over(file: Path, tmp_path: Path, what: str) -> None:
    with closing(target(tmp_path / "new", file)) as store:
        before = rows(store.root, ALL_TURNS, ENDS, CALLS)
        make, told = HOSTILE[what]
        if isinstance(make, str):
            change(file, f"PRAGMA foreign_keys=OFF; {make}")
        else:
            make(file)
        with pytest.raises(UsageError) as refused:
            absorb(store, file)
        assert told in str(refused.value) and len(str(refused.value).splitlines()) == 1
        assert rows(store.root, ALL_TURNS, ENDS, CALLS) == before


def test_triggers_and_views_of_a_file_are_neither_run_nor_copied(file: Path, tmp_path: Path) -> None:
    change(
        file,
        """
        CREATE VIEW more AS SELECT randomblob(1000000000) FROM run;
        CREATE TRIGGER evil BEFORE INSERT ON session BEGIN DELETE FROM turn; END;
        CREATE TRIGGER worse AFTER INSERT ON turn BEGIN UPDATE run SET value = 'x'; END;
        """,
    )
    schema = "SELECT type, name FROM sqlite_master ORDER BY 1, 2"
    with closing(target(tmp_path / "new", file)) as store:
        before = rows(store.root, schema)
        assert absorb(store, file) == Absorbed(sessions=1, turns=2)
        assert rows(store.root, schema) == before and len(store.turns(1)) == 2
