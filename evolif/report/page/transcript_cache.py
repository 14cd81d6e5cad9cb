"""Render transcripts to HTML files, one at a time, so that memory never holds them all.

`python -m evolif.report.page.transcript_cache FOLDER RUN…` does the same in a second process, while the first computes
figures. It is a plain program and not a fork, so it works in a script, a notebook or a program with threads.
"""

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
from dataclasses import asdict, replace
from functools import lru_cache, partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from evolif.errors import EvolifError
from evolif.report.page.evidence import breakable, label, one_line, visible
from evolif.report.page.transcripts import (
    PromptReader,
    SessionHead,
    exhibits_of,
    faults_of,
    long,
    outcome,
    score,
    session_head,
    turn_views,
)
from evolif.report.page.tree_drawing import tree_svg
from evolif.report.topic_tree import tree_of
from evolif.runner import Run, load_run
from evolif.text import plural, unhidden
from evolif.types import Session

if TYPE_CHECKING:
    from jinja2 import Environment


_PACKAGE, _FOLDER = "evolif.report.page", "templates"
_COMMENT = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
"""Comments of style sheets, and whole comment lines of scripts."""


@lru_cache(maxsize=2)
def environment(package: str = _PACKAGE) -> Environment:
    """The templates of a package; everything is escaped, and an undefined name is an error."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    jinja = Environment(
        loader=FunctionLoader(partial(_source, package=package)),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    jinja.filters.update(visible=visible, label=label, one_line=one_line, long=long, breakable=breakable)
    jinja.filters.update(thousands="{:,}".format, plural=plural, outcome=outcome, score=score)
    jinja.filters.update(data_url=data_url)
    jinja.globals.update(policy=policy)
    return jinja


def _source(name: str, package: str = _PACKAGE) -> str:
    # Read through importlib, so that a package inside an archive works too.
    return (files(package) / _FOLDER / name).read_text(encoding="utf-8")


def _finalize(value: Any) -> Any:
    """Spell out hidden characters in every text that a template prints, in attributes too."""
    return unhidden(value) if type(value) is str else value


@lru_cache(maxsize=8)
def asset(*names: str, package: str = _PACKAGE) -> Markup:
    """Our style sheets or scripts, joined, without comments and indentation.

    Args:
        names: Of files.
        package: Whose templates they are among.
    """
    text = "".join(_COMMENT.sub("", _source(name, package)) for name in names)
    if "</" in text or "<!--" in text:
        raise AssertionError(f"{names} would close or comment out their own element")
    return Markup("".join(f"{line.strip()}\n" for line in text.splitlines() if line.strip()))


def policy(*, style: str, script: str, pictures: bool = False, shards: bool = False) -> str:
    """The content security policy: our style sheet and our script by their hashes, and nothing else.

    Args:
        style: The text of the page's one `<style>`.
        script: The text of the page's one `<script>`.
        pictures: Whether the page holds pictures of exhibits; it still loads none.
        shards: Whether the script may load others, which no markup of the page can.
    """
    loads = " 'strict-dynamic'" if shards else ""
    images = "data:" if pictures else "'none'"
    return (
        f"default-src 'none'; script-src '{_hash(script)}'{loads}; style-src '{_hash(style)}'; img-src {images}; "
        "connect-src 'none'; font-src 'none'; media-src 'none'; object-src 'none'; frame-src 'none'; "
        "base-uri 'none'; form-action 'none'"
    )


def data_url(picture: bytes) -> str:
    """A PNG picture as the address of an image."""
    return f"data:image/png;base64,{base64.b64encode(picture).decode()}"


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(str(text).encode()).digest()).decode()


def sessions_of(run: Run, model: str) -> list[tuple[int, Session]]:
    """The sessions of a model without their turns, by epoch and dialogue, with their numbers in the run's file.

    Those that never began are left out.
    """
    return [
        (number, replace(session, turns=()))
        for number, session in run.store.sessions(model, unbegun=False, lazily=True)
    ]


class SessionRenderer:
    """Renders sessions of a run.

    Args:
        number: Of the run, from 0.
        run: Read session by session.
    """

    def __init__(self, number: int, run: Run) -> None:
        self._number = number
        self._run = run
        self._reader = PromptReader(run)
        self._faults = faults_of(run)
        self._template = environment().get_template("transcript.html")

    def render(self, place: int, stored: int, session: Session) -> tuple[SessionHead, bytes] | None:
        """A session's line in the list, and its transcript.

        Args:
            place: Its number among all sessions of the page, from 1.
            stored: Its number in the run's file.
            session: Without turns, see `sessions_of`.

        Returns:
            None for a session that a budget or a stop rule prevented: there is nothing to show.
        """
        records, faults = self._run.store.turns(stored), self._faults.get((session.model, session.dialogue), ())
        if not records and not faults and session.ending is None:
            return None
        scenario = self._reader.scenario
        tree, exhibits = tree_of(records, scenario), exhibits_of(records, scenario)
        head = session_head(place, self._number, session, records, faults, cap=self._run.settings.max_turns)
        if any(one.pictures for one in exhibits):
            head = replace(head, pictures=True)
        data = self._template.render(
            head=head,
            turns=turn_views(session, records, self._reader),
            exhibits=exhibits,
            tree=tree,
            drawing="" if tree is None else tree_svg(tree),
            patience=session.patience,
            partner=self._reader.speaker(session.model),
            requirement=scenario.presentation.requirement,
        ).encode()
        return head, data


_HEADS = "heads.json"
_SMALL = 20_000
"""A smaller transcript is never skipped for its size, in bytes."""


class TranscriptCache:
    """A folder of rendered transcripts.

    Args:
        folder: Must exist; the caller removes it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.heads: list[SessionHead] = []
        self.sizes: list[int] = []
        """Bytes of each transcript, in the order of `heads`."""

    def add(self, number: int, run: Run, models: frozenset[str] | None = None) -> None:
        """Render every session of a run that has a turn, a fault or an ending.

        Args:
            number: Of the run, from 0.
            run: Read session by session.
            models: Those whose sessions are rendered; all if None.
        """
        renderer = SessionRenderer(number, run)
        for model in (name for name in run.models if models is None or name in models):
            for session in sessions_of(run, model):
                made = renderer.render(len(self.heads) + 1, *session)
                if made is not None:
                    self.keep(*made)

    def keep(self, head: SessionHead, data: bytes) -> None:
        """Store a rendered transcript."""
        self._file(head.number).write_bytes(data)
        self.heads.append(head)
        self.sizes.append(len(data))

    def read(self, number: int) -> str:
        """The transcript of a session, by its number (from 1)."""
        return self._file(number).read_text(encoding="utf-8")

    def fitting(self, order: Sequence[int], room: int) -> set[int]:
        """As many transcripts, in the given order, as there is room for.

        If not all fit, a transcript that would take more than a tenth of the room is skipped. The first other one
        without room ends the list: continuing with shorter ones would favour sessions that failed early.

        Args:
            order: Numbers of sessions.
            room: Bytes.
        """
        if sum(self.sizes[number - 1] for number in order) <= room:
            return set(order)
        outsized = room // 10
        taken: set[int] = set()
        for number in order:
            size = self.sizes[number - 1]
            if size > outsized and size > _SMALL:
                continue
            room -= size
            if room < 0:
                break
            taken.add(number)
        return taken

    def save(self) -> None:
        """Store the list of the sessions, for `load`."""
        listed = {"sizes": self.sizes, "heads": [asdict(head) for head in self.heads]}
        (self._folder / _HEADS).write_text(json.dumps(listed), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> TranscriptCache:
        """What another process rendered into a folder."""
        transcripts = cls(folder)
        stored = json.loads((folder / _HEADS).read_text(encoding="utf-8"))
        transcripts.sizes = stored["sizes"]
        transcripts.heads += map(SessionHead.load, stored["heads"])
        return transcripts

    def _file(self, number: int) -> Path:
        return self._folder / f"{number}.part"

    def __iter__(self) -> Iterator[SessionHead]:
        return iter(self.heads)


MIN_SESSIONS = 100
"""Number of sessions from which a second process is started; it takes half a second to start."""


@contextmanager
def rendering(
    runs: Sequence[Run], folder: Path, chosen: Sequence[frozenset[str]] | None = None
) -> Iterator[Callable[[], TranscriptCache]]:
    """Start rendering the transcripts of runs.

    Args:
        runs: In order; the second process reads them from disk.
        folder: An empty folder for the transcripts.
        chosen: Per run the models whose transcripts are wanted, rendered here; all of them if None.

    Yields:
        A function that waits for the transcripts, or renders them here without a second process.
    """
    arguments = [str(folder), *(str(run.path.resolve()) for run in runs)]
    worker = start_worker(__name__, arguments) if chosen is None and _is_worth_it(runs) else None

    def finish() -> TranscriptCache:
        if worker is not None and worker.wait() == 0:
            return TranscriptCache.load(folder)
        return _render(runs, folder, chosen)  # raises what the worker failed on, if anything

    try:
        yield finish
    finally:
        if worker is not None:
            worker.kill()
            worker.wait()


def _is_worth_it(runs: Sequence[Run]) -> bool:
    settings = [run.settings for run in runs]
    sessions = sum(len(one.models) * len(one.dialogues) * one.epochs for one in settings)
    return sessions >= MIN_SESSIONS and (os.cpu_count() or 1) > 1


def start_worker(module: str, arguments: Sequence[str]) -> subprocess.Popen[bytes] | None:
    """Run a module of ours as a program; None if no process can be started.

    Args:
        module: Its name.
        arguments: Of the program.
    """
    home = str(Path(__file__).resolve().parents[3])
    paths = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH", ""))))
    # -P: no module is imported from the working directory.
    command = [sys.executable, "-P", "-m", module, *arguments]
    try:
        return subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": paths},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None  # Python is embedded in another program, or no process can be started


def _render(runs: Sequence[Run], folder: Path, chosen: Sequence[frozenset[str]] | None = None) -> TranscriptCache:
    transcripts = TranscriptCache(folder)
    for number, run in enumerate(runs):
        transcripts.add(number, run, None if chosen is None else chosen[number])
    return transcripts


def main(folder: Path, paths: Sequence[str]) -> None:
    """Render the transcripts of the runs into the folder, with a list of the sessions."""
    runs: list[Run] = []
    try:
        runs += (load_run(path, read_only=True) for path in paths)
        transcripts = _render(runs, folder)
    finally:
        for run in runs:
            run.close()
    transcripts.save()


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), sys.argv[2:])
    except (EvolifError, OSError):
        sys.exit(1)
