"""A disk that is full: the run stops with a sentence, what was stored is whole, and the same command goes on."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from scripted import Scripted

from evolif import OutsideError
from evolif.runner import Run, evaluate, load_run, store

Play = Callable[..., Run]
PADDING = "x" * 3000


def long(request: object) -> str:
    return PADDING


def endings(run: Run) -> list[tuple[int, str | None, int]]:
    return [(s.dialogue, s.ending, len(s.turns)) for s in run.sessions()]


def is_whole(folder: Path) -> bool:
    with closing(sqlite3.connect(folder / "run.sqlite")) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_full_database_stops_the_run_and_keeps_what_it_has(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = store.connect

    def small(root: Path) -> sqlite3.Connection:
        connection = connect(root)
        connection.execute("PRAGMA max_page_count = 40")  # SQLite says of it what it says of a full disk
        return connection

    first = Scripted(long, connections=2)
    with monkeypatch.context() as patched:
        patched.setattr(store, "connect", small)
        with pytest.raises(OutsideError, match=r"disk may be full.*the same command to continue"):
            play(first, limit=None, patience=99, max_turns=12)
    assert first.closed == 1 and is_whole(tmp_path / "run")
    run = load_run(tmp_path / "run")
    kept = {(s.dialogue, turn.turn) for s in run.sessions() for turn in s.turns}
    run.close()
    assert 4 < len(kept) < 48
    second = Scripted(long)
    run = play(second, limit=None, patience=99, max_turns=12)
    assert endings(run) == [(d, "censored", 12) for d in (1, 2, 3, 4)]
    assert not kept & set(second.turns)
    assert len(first.turns) - len(kept) <= 2


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
from evolif.__main__ import main
sys.argv = ["evolif", *sys.argv[1:]]
main()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit on file sizes there")
def test_the_program_says_a_sentence_when_a_file_can_grow_no_more(bench: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    arguments = ["evaluate", str(bench), "-m", "sim/perfect", "--out", str(out), "--max-turns", "60", "--epochs", "9"]
    told = subprocess.run([sys.executable, "-c", LIMITED, *arguments], capture_output=True, text=True, timeout=120)
    assert told.returncode == 3, told.stderr
    assert "could not be written" in told.stderr and "the disk may be full" in told.stderr
    assert "Traceback" not in told.stderr and is_whole(out)
    run = evaluate(bench, "sim/perfect", out, max_turns=60, epochs=9)
    assert {(e, n) for _, e, n in endings(run)} == {("censored", 60)} and len(run.sessions()) == 36
    run.close()
