"""Transcripts rendered by a process of their own, while this one computes figures: two cores are better than one.

`python -m evolif.report.page._aside FOLDER RUN…` is that process. It is a plain program and no fork, so that it does
not matter who writes the page: a script, a notebook, a program with threads.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from evolif._errors import EvolifError
from evolif.protocol import Run, load_run
from evolif.report.page._session_view import SessionHead
from evolif.report.page._spool import Spool

WORTH_IT = 100
"""Sessions from which on a second process is started; it takes half a second to come up."""

_HEADS = "heads.json"


@contextmanager
def spooling(runs: Sequence[Run], folder: Path) -> Iterator[Callable[[], Spool]]:
    """Begin to render the transcripts of runs.

    Args:
        runs: In order; they are read anew from disk.
        folder: An empty one, where they are put.

    Yields:
        Waits for them, and gives them; renders them here where no other process did.
    """
    helper = _start(runs, folder) if _is_worth_it(runs) else None

    def finish() -> Spool:
        if helper is not None and helper.wait() == 0:
            return _load(folder)
        return _render(runs, folder)  # which also says what is wrong, where something is

    try:
        yield finish
    finally:
        if helper is not None:
            helper.kill()
            helper.wait()


def _is_worth_it(runs: Sequence[Run]) -> bool:
    settings = [run.settings for run in runs]
    sessions = sum(len(one.models) * len(one.dialogues) * one.epochs for one in settings)
    return sessions >= WORTH_IT and (os.cpu_count() or 1) > 1


def _start(runs: Sequence[Run], folder: Path) -> subprocess.Popen[bytes] | None:
    home = str(Path(__file__).resolve().parents[3])
    paths = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH", ""))))
    # -P: what lies in the working directory is not taken for a module.
    command = [sys.executable, "-P", "-m", __name__, str(folder), *(str(run.path.resolve()) for run in runs)]
    try:
        return subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": paths},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None  # no program to start (Python inside another one), or no process to be had


def _render(runs: Sequence[Run], folder: Path) -> Spool:
    spool = Spool(folder)
    for number, run in enumerate(runs):
        spool.add(number, run)
    return spool


def _load(folder: Path) -> Spool:
    spool = Spool(folder)
    told = json.loads((folder / _HEADS).read_text(encoding="utf-8"))
    spool.sizes = told["sizes"]
    for head in told["heads"]:
        head["failed_groups"] = tuple(head["failed_groups"])
        head["faults"] = tuple(tuple(fault) for fault in head["faults"])
        spool.heads.append(SessionHead(**head))
    return spool


def main(folder: Path, paths: Sequence[str]) -> None:
    """Render the transcripts of the runs into the folder, and what is known of each session."""
    runs: list[Run] = []
    try:
        runs += (load_run(path, read_only=True) for path in paths)
        spool = _render(runs, folder)
    finally:
        for run in runs:
            run.close()
    told = {"sizes": spool.sizes, "heads": [asdict(head) for head in spool]}
    (folder / _HEADS).write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), sys.argv[2:])
    except (EvolifError, OSError):
        sys.exit(1)
