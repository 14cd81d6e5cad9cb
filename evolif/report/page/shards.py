"""Transcripts in shards: small scripts in a folder beside the page, which it loads when a session is opened.

A page that is opened from the disk may not read files, but it may load scripts. So a shard is a script that hands over
its transcripts: `evolif.shard(NAME, [HTML, …])`. Its name has a digest of them, so that a page never shows those of
another one.

The sessions are cut into units, which several processes render: each takes the next one that nobody has taken. Units
and shards depend on the runs alone, and so do their bytes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from evolif.report.page.transcript_cache import SessionRenderer, sessions_of
from evolif.report.page.transcripts import SessionHead
from evolif.runner import Run
from evolif.types import Session

SHARD_BYTES = 1_000_000
"""A shard is full once it has as many."""
UNIT_SESSIONS = 250
"""Of one model, in sequence."""

_SHARD = re.compile(r"\d{6,12}-[0-9a-f]{16}\.js")
_OPENING = "evolif.shard("


def data_folder(page: Path) -> Path:
    """The folder of a page's shards: `report.html` has `report.data`."""
    stem = page.stem if page.suffix.lower() in (".html", ".htm") else page.name
    return page.with_name(f"{stem}.data")


def remove_shards(page: Path, kept: frozenset[str] = frozenset()) -> None:
    """Remove the shards of an earlier page, and the folder if it is then empty; nothing else.

    Args:
        page: Of that name.
        kept: Names of shards that stay.

    Raises:
        OSError: the disk.
    """
    folder = data_folder(page)
    if folder.is_symlink() or not folder.is_dir():
        return
    for file in folder.iterdir():
        if file.name not in kept and _SHARD.fullmatch(file.name) and not file.is_symlink() and _is_ours(file):
            file.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()


def _is_ours(file: Path) -> bool:
    if not file.is_file():
        return False
    with file.open("rb") as opened:
        return opened.read(len(_OPENING)) == _OPENING.encode()


def script_text(text: str) -> str:
    """A text as a literal that is the same in JSON and in a script, in a file or inside of an element.

    Nothing in it ends or comments out an element, and no character of it ends a line.
    """
    literal = json.dumps(text, ensure_ascii=False).replace("</", "<\\/").replace("<!", "\\u003c!")
    return literal.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


class ShardWriter:
    """Writes transcripts to shards, one shard in memory at a time.

    Args:
        folder: Must exist.
        first: The number in the page of the first session that may come.
    """

    def __init__(self, folder: Path, first: int) -> None:
        self._folder = folder
        self._texts: list[str] = []
        self._first = first
        self._bytes = 0
        self.written: list[tuple[str, int]] = []
        """Name and number of sessions of each shard."""

    def add(self, number: int, transcript: str) -> None:
        """Add the transcript of a session, by its number in the page; numbers ascend."""
        if not self._texts:
            self._first = number
        self._texts.append(script_text(transcript))
        self._bytes += len(self._texts[-1])
        if self._bytes >= SHARD_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what has no shard yet."""
        if not self._texts:
            return
        body = ",\n".join(self._texts).encode()
        name = f"{self._first:06}-{sha256(body).hexdigest()[:16]}.js"
        with (self._folder / name).open("wb") as file:
            file.write(f'{_OPENING}"{name}",[\n'.encode())
            file.write(body)
            file.write(b"\n]);\n")
        self.written.append((name, len(self._texts)))
        self._texts, self._bytes = [], 0


@dataclass(frozen=True, slots=True)
class Unit:
    """Some sessions of one model of a run, in sequence, which one process renders."""

    number: int
    run: int
    model: str
    start: int
    """The position of the first one among the model's."""
    first: int
    """Its number in the page."""


def units(runs: Sequence[Run], models: Sequence[frozenset[str] | None]) -> Iterator[Unit]:
    """All sessions of runs, cut alike in every process.

    Args:
        runs: In order.
        models: Per run those that are wanted; all of them if None.
    """
    number, first = 0, 1
    for place, (run, own) in enumerate(zip(runs, models, strict=True)):
        for model in (name for name in run.models if own is None or name in own):
            sessions = len(sessions_of(run, model))
            for start in range(0, sessions, UNIT_SESSIONS):
                yield Unit(number, place, model, start, first + start)
                number += 1
            first += sessions


@dataclass(frozen=True, slots=True)
class RenderedUnit:
    """What became of a unit.

    Attributes:
        heads: A line of the list per session.
        shards: Name and number of sessions of each shard, in the order of the heads.
    """

    heads: Sequence[SessionHead]
    shards: Sequence[tuple[str, int]]


class ShardRoom:
    """A folder in which processes render units side by side; the shards are in its folder `data`.

    Args:
        folder: Must exist; the caller removes it.
        runs: In order.
        models: Per run those that are wanted; all of them if None.
    """

    def __init__(self, folder: Path, runs: Sequence[Run], models: Sequence[frozenset[str] | None]) -> None:
        self._folder = folder
        self._runs = runs
        self._units = [*units(runs, models)]
        self._renderer: tuple[int, SessionRenderer] | None = None
        self._listed: tuple[tuple[int, str], list[tuple[int, Session]]] | None = None
        self.data = folder / "data"
        self.data.mkdir(exist_ok=True)

    def work(self) -> None:
        """Render units until all are taken."""
        for unit in self._units:
            if self._take(unit):
                self._render(unit)

    def rendered(self) -> Iterator[RenderedUnit]:
        """Every unit, in order. One that was taken but never finished, by a process that died, is rendered here."""
        for unit in self._units:
            if not self._result(unit).exists():
                self._render(unit)
            told = json.loads(self._result(unit).read_text(encoding="utf-8"))
            heads = [SessionHead.load(head) for head in told["heads"]]
            yield RenderedUnit(heads, [(name, number) for name, number in told["shards"]])

    def _take(self, unit: Unit) -> bool:
        try:
            os.close(os.open(self._folder / f"{unit.number}.taken", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            return False
        return True

    def _result(self, unit: Unit) -> Path:
        return self._folder / f"{unit.number}.json"

    def _render(self, unit: Unit) -> None:
        renderer, writer, heads = self._renderer_of(unit.run), ShardWriter(self.data, unit.first), []
        listed = self._sessions(unit.run, unit.model)[unit.start : unit.start + UNIT_SESSIONS]
        for number, (stored, session) in enumerate(listed, start=unit.first):
            made = renderer.render(number, stored, session)
            if made is not None:
                heads.append(asdict(made[0]))
                writer.add(number, made[1].decode())
        writer.flush()
        draft = self._folder / f"{unit.number}.part"
        draft.write_text(json.dumps({"heads": heads, "shards": writer.written}), encoding="utf-8")
        os.replace(draft, self._result(unit))  # now it is finished

    def _renderer_of(self, run: int) -> SessionRenderer:
        if self._renderer is None or self._renderer[0] != run:
            self._renderer = run, SessionRenderer(run, self._runs[run])
        return self._renderer[1]

    def _sessions(self, run: int, model: str) -> list[tuple[int, Session]]:
        if self._listed is None or self._listed[0] != (run, model):
            self._listed = (run, model), sessions_of(self._runs[run], model)
        return self._listed[1]
