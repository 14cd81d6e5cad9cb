"""Transcripts as HTML, one at a time: each goes to a file of its own at once, and none is held."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from evolif.errors import EvolifError
from evolif.report.page.evidence import one_line, visible
from evolif.report.page.transcripts import SessionHead, faults_of, intentions, session_head, turn_views
from evolif.runner import Run, load_run
from evolif.text import unhidden

if TYPE_CHECKING:
    from jinja2 import Environment


# Jinja as the page uses it: everything escaped, nothing undefined, templates out of the package.

_FOLDER = "templates"
_COMMENT = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
"""Those of style sheets, and the lines of scripts that are nothing else."""


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(_source),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(visible=visible, one_line=one_line, thousands=_thousands)
    made.globals.update(policy=policy)
    return made


def _source(name: str) -> str:
    """Through importlib, so that a package inside an archive works too."""
    return (files("evolif.report.page") / _FOLDER / name).read_text(encoding="utf-8")


def _finalize(value: Any) -> Any:
    """Every text that a template prints, in an attribute as well as outside: nothing hides in it."""
    return unhidden(value) if type(value) is str else value


def _thousands(number: int) -> str:
    return f"{number:,}"


@lru_cache(maxsize=8)
def asset(*names: str) -> Markup:
    """Style sheets or scripts of ours as they stand in the page, one after the other; no comment, no indentation."""
    text = "".join(_COMMENT.sub("", _source(name)) for name in names)
    if "</" in text or "<!--" in text:
        raise AssertionError(f"{names} would close or comment out their own element")
    return Markup("".join(f"{line.strip()}\n" for line in text.splitlines() if line.strip()))


def policy(*, style: str, script: str) -> str:
    """The content security policy: our style sheet and our script by their hashes, and nothing else at all.

    Args:
        style: The text of the page's one `<style>`.
        script: The text of the page's one `<script>`.
    """
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src 'none'; "
        "connect-src 'none'; font-src 'none'; media-src 'none'; object-src 'none'; frame-src 'none'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(str(text).encode()).digest()).decode()


_SMALL = 20_000
"""Bytes of a transcript that is never passed over for its size."""


class TranscriptCache:
    """A folder of transcripts that are not pages yet.

    Args:
        folder: Exists; whoever made it removes it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.heads: list[SessionHead] = []
        self.sizes: list[int] = []
        """Bytes of each transcript, in the order of `heads`."""

    def add(self, number: int, run: Run) -> None:
        """Render every session of a run in which something was said or went wrong.

        Args:
            number: Of the run, from 0.
            run: Read session by session.
        """
        template = environment().get_template("transcript.html")
        known, faults = intentions(run), faults_of(run)
        for model in run.models:
            for session, records in run.transcripts(model):
                here = faults.get((model, session.dialogue), ())
                if not records and not here and session.ending is None:
                    continue  # kept from beginning by a budget or a stop rule: there is nothing to show
                head = session_head(len(self.heads) + 1, number, session, records, here)
                turns = turn_views(session, records, known)
                data = template.render(head=head, turns=turns, patience=session.patience).encode()
                self._file(head.number).write_bytes(data)
                self.heads.append(head)
                self.sizes.append(len(data))

    def read(self, number: int) -> str:
        """The transcript of a session, by its number (from 1)."""
        return self._file(number).read_text(encoding="utf-8")

    def fitting(self, order: Sequence[int], most: int, room: int) -> set[int]:
        """As many transcripts from the beginning of an order as there is room for.

        One that would take more than a tenth of the room is passed over; otherwise the first for which there is no room
        ends it: to go on with shorter ones would favour sessions that failed early.

        Args:
            order: Numbers of sessions.
            most: How many at most.
            room: Bytes.
        """
        outsized = room // 10
        taken: set[int] = set()
        for number in order:
            size = self.sizes[number - 1]
            if size > outsized and size > _SMALL:
                continue
            room -= size
            if room < 0 or len(taken) == most:
                break
            taken.add(number)
        return taken

    def _file(self, number: int) -> Path:
        return self._folder / f"{number}.part"

    def __iter__(self) -> Iterator[SessionHead]:
        return iter(self.heads)


# Transcripts rendered by a process of their own, while this one computes figures: two cores are better than one.
#
# `python -m evolif.report.page._aside FOLDER RUN…` is that process. It is a plain program and no fork, so that it does
# not matter who writes the page: a script, a notebook, a program with threads.

WORTH_IT = 100
"""Sessions from which on a second process is started; it takes half a second to come up."""

_HEADS = "heads.json"


@contextmanager
def spooling(runs: Sequence[Run], folder: Path) -> Iterator[Callable[[], TranscriptCache]]:
    """Begin to render the transcripts of runs.

    Args:
        runs: In order; they are read anew from disk.
        folder: An empty one, where they are put.

    Yields:
        Waits for them, and gives them; renders them here where no other process did.
    """
    helper = _start(runs, folder) if _is_worth_it(runs) else None

    def finish() -> TranscriptCache:
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


def _render(runs: Sequence[Run], folder: Path) -> TranscriptCache:
    spool = TranscriptCache(folder)
    for number, run in enumerate(runs):
        spool.add(number, run)
    return spool


def _load(folder: Path) -> TranscriptCache:
    spool = TranscriptCache(folder)
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
