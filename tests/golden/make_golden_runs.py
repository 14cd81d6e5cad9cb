"""Make the stored runs: `python tests/golden/make_golden_runs.py`. Done once; the tests read what lies in `runs/`.

`finished` has sessions that ran out of patience and sessions that reached the cap, with tokens and seconds written in
by hand, since simulated models have none. `killed` was ended by SIGKILL, some sessions in the middle, some before they
began, its benchmark shorter than its cap.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import evolif

RUNS = Path(__file__).parent / "runs"
EVENTS = 60
"""Events after which the second run is killed."""


def finished(folder: Path) -> None:
    """Three simulated models, patience 2, judged by word lists."""
    evolif.generate(folder / "bench", dialogues=4, turns=6, seed=11, profile="paper")
    models = ["sim/steady", "sim/forgetful", "sim/perfect"]
    shape = {"max_turns": 6, "patience": 2, "judge": "lexical"}
    evolif.evaluate(folder / "bench", models, folder / "finished", **shape).close()
    with closing(sqlite3.connect(folder / "finished" / "run.sqlite")) as connection, connection:
        connection.execute("UPDATE turn SET seconds = 0.25 * turn + session")
        connection.execute("UPDATE call SET prompt_tokens = 90 * turn + dialogue, completion_tokens = 40 + turn")


def killed(folder: Path) -> None:
    """Killed from within, at the same event every time."""
    evolif.generate(folder / "short", dialogues=4, turns=6, seed=11, profile="objective")
    events = 0

    def watch(_: object) -> None:
        nonlocal events
        events += 1
        if events == EVENTS:
            os.kill(os.getpid(), signal.SIGKILL)

    models = ["sim/steady", "sim/forgetful"]
    evolif.evaluate(folder / "short", models, folder / "killed", max_turns=8, max_connections=2, observe=watch)


def settle(run: Path) -> None:
    """Bring the log into the file, and the file to its smallest; it stays a file in WAL mode."""
    connection = sqlite3.connect(run / "run.sqlite", isolation_level=None)
    for statement in ("wal_checkpoint(TRUNCATE)", "journal_mode=DELETE", "page_size=1024"):
        connection.execute(f"PRAGMA {statement}").fetchall()
    connection.execute("VACUUM")
    connection.execute("PRAGMA journal_mode=WAL").fetchall()
    connection.close()
    (RUNS / run.name).mkdir(parents=True, exist_ok=True)
    shutil.copy(run / "run.sqlite", RUNS / run.name / "run.sqlite")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        finished(folder)
        died = subprocess.run([sys.executable, __file__, str(folder)], check=False)
        assert died.returncode == -signal.SIGKILL
        settle(folder / "finished")
        settle(folder / "killed")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        killed(Path(sys.argv[1]))
    else:
        main()
