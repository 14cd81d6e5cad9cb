"""A benchmark on disk: opened, read, extended by as many turns as a session asks for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from evolif._errors import OutsideError, UsageError
from evolif.benchmark._files import Stamp, append, cut_torn_line, dialogue_file, rewrite_line, stamp_of
from evolif.benchmark._header import read_header
from evolif.benchmark._lines import read_turns, same_intention, to_line
from evolif.benchmark._maker import Maker
from evolif.domain import ScriptTurn, Turn, TurnStatus
from evolif.synthesis import load_personas
from evolif.tracker import load_topics

if TYPE_CHECKING:
    from filelock import FileLock


class Benchmark:
    """An opened benchmark directory.

    Args:
        path: The directory.
        notify: Told in one sentence when something was repaired.
    """

    def __init__(self, path: Path | str, notify: Callable[[str], None] | None = None) -> None:
        self.path = Path(path)
        self.header = read_header(self.path / "benchmark.json")
        self._notify = notify or (lambda _: None)
        self.topics = load_topics(self.path / "topics.jsonl")
        self.personas = load_personas(self.path / "personas.jsonl")
        self._maker = Maker(self.header, self.topics, self.personas)
        self._turns: dict[int, list[Turn]] = {}
        self._stamps: dict[int, Stamp] = {}
        """A dialogue's file as it was last read or written here."""
        self._scripts: dict[int, Iterator[ScriptTurn]] = {}
        self._told: set[tuple[int, int]] = set()
        """Turns of which it was said that the template stands in."""
        there, meant = len(self.dialogues()), self.header.spec.dialogues
        if there < meant:
            self._notify(
                f"{self.path} holds {there} of its {meant} dialogues; the same `evolif generate` makes the rest"
            )

    @property
    def identity(self) -> str:
        """What the benchmark is, whatever its length on disk (16 hex digits)."""
        parts = [self.header.to_json()]
        parts += [(self.path / name).read_text(encoding="utf-8") for name in ("topics.jsonl", "personas.jsonl")]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    def dialogues(self) -> list[int]:
        """The numbers of the dialogues that lie on disk, in order."""
        files = (self.path / "dialogues").glob("*.jsonl")
        numbers = ((file, int(file.stem)) for file in files if file.stem.isascii() and file.stem.isdigit())
        return sorted(number for file, number in numbers if file.name == dialogue_file(self.path, number).name)

    def turns(self, dialogue: int) -> list[Turn]:
        """The turns of a dialogue as far as they go."""
        if dialogue not in self._turns:
            path = dialogue_file(self.path, dialogue)
            if not path.is_file():
                raise UsageError(f"{self.path} has no dialogue {dialogue}")
            lock = self._lock()
            try:
                with suppress(OSError):  # a folder that cannot be written has no writer whom a reader could meet
                    lock.acquire()
                self._turns[dialogue] = self._stored(dialogue, path)
            finally:
                lock.release()
        return self._turns[dialogue]

    def turn(self, dialogue: int, number: int) -> Turn:
        """A turn as sessions play it, counted from 1; made, and appended, where the dialogue does not reach that far.

        Words that are flagged or rejected are never played: the template's stand in, `source` and `findings` say so.
        `turns` gives the stored line.
        """
        turns = self.turns(dialogue)
        if number > len(turns):
            self._extend(dialogue, number)
        return self._played(turns[number - 1])

    def replace(
        self,
        dialogue: int,
        number: int,
        *,
        query: str,
        status: TurnStatus,
        source: str,
        findings: tuple[str, ...] = (),
        attempts: int | None = None,
    ) -> Turn:
        """Give a stored turn other words; the file is whole at every moment, and other lines keep their bytes.

        Args:
            dialogue: Its dialogue.
            number: The turn, counted from 1.
            query: The new words.
            status: Their status.
            source: Whose words they are.
            findings: What is held against them.
            attempts: How many attempts they took; as stored where None.

        Raises:
            UsageError: there is no such turn, or the words are none.
            OutsideError: the folder cannot be written.
        """
        _refuse_empty(query)
        path = dialogue_file(self.path, dialogue)
        if not path.is_file():
            raise UsageError(f"{self.path} has no dialogue {dialogue}")
        try:
            with self._lock():
                stored = self._stored(dialogue, path)  # another process may have changed the dialogue meanwhile
                if not 1 <= number <= len(stored):
                    raise UsageError(f"dialogue {dialogue} of {self.path} has no turn {number}")
                old = stored[number - 1]
                turn = replace(
                    old,
                    query=query,
                    status=status,
                    source=source,
                    findings=findings,
                    attempts=old.attempts if attempts is None else attempts,
                )
                rewrite_line(path, number, to_line(turn))
                self._stamps[dialogue] = stamp_of(path)
        except OSError as fault:
            raise OutsideError(f"{path} cannot be written ({fault.strerror}); make the folder writable") from None
        stored[number - 1] = turn
        self._turns[dialogue] = stored
        return turn

    def extend(self, turns: int) -> int:
        """Make every dialogue at least `turns` long; returns how many turns were made."""
        made = 0
        for dialogue in self.dialogues():
            missing = turns - len(self.turns(dialogue))
            if missing > 0:
                self._extend(dialogue, turns)
                made += missing
        return made

    def _played(self, turn: Turn) -> Turn:
        """What a session may be given; says once per turn where the template stands in."""
        played = self._maker.playable(turn)
        where = (turn.dialogue, turn.turn)
        if played is not turn and where not in self._told:
            self._told.add(where)
            self._notify(f"dialogue {turn.dialogue}, turn {turn.turn}: {played.findings[0]}")
        return played

    def _lock(self) -> FileLock:
        from filelock import FileLock

        return FileLock(self.path / ".lock")

    def _stored(self, dialogue: int, path: Path) -> list[Turn]:
        """The turns on disk; under the lock, for a line that somebody is writing looks torn."""
        try:
            if cut_torn_line(path):
                self._notify(f"{path}: the last line was torn and has been cut; the turn will be made again")
            self._stamps[dialogue] = stamp_of(path)
        except OSError as fault:
            raise OutsideError(f"{path} cannot be read ({fault.strerror})") from None
        return list(read_turns(path, dialogue))

    def _extend(self, dialogue: int, upto: int) -> None:
        known = self._turns[dialogue]
        path = dialogue_file(self.path, dialogue)
        try:
            with self._lock():
                stored = known
                if stamp_of(path) != self._stamps[dialogue]:
                    # Another process has extended the dialogue meanwhile: its turns are ours, too.
                    stored = self._stored(dialogue, path)
                    known.extend(stored[len(known) :])
                fresh = [self._next(dialogue, number) for number in range(len(known) + 1, upto + 1)]
                append(path, "".join(map(to_line, [*known[len(stored) :], *fresh])))
                self._stamps[dialogue] = stamp_of(path)
        except OSError as fault:
            raise OutsideError(f"{path} cannot be extended ({fault.strerror}); make the folder writable") from None
        known.extend(fresh)

    def _next(self, dialogue: int, number: int) -> Turn:
        """The turn of that number out of the script; the script is replayed once and then kept."""
        turns = self._scripts.get(dialogue)
        scripted = next(turns) if turns is not None else None
        if scripted is None or scripted.turn != number:
            turns = self._replayed(dialogue, number)
            scripted = next(turns)
        assert turns is not None  # set together with `scripted`
        self._scripts[dialogue] = turns
        return self._maker.put_into_words(scripted)

    def _replayed(self, dialogue: int, number: int) -> Iterator[ScriptTurn]:
        turns = self._maker.script(dialogue)
        for stored in self._turns[dialogue][: number - 1]:
            if not same_intention(stored, next(turns)):
                raise UsageError(
                    f"dialogue {dialogue} of {self.path} was scripted by evolif {self.header.generator} with other "
                    f"rules and cannot be extended by this version (turn {stored.turn} differs); stay within its turns "
                    "(--max-turns) or generate a fresh benchmark"
                )
        return turns


def _refuse_empty(query: str) -> None:
    try:
        query.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError("the query holds half a character and cannot be stored") from None
    if not query.strip():
        raise UsageError("a query needs words")


def load_benchmark(path: Path | str) -> Benchmark:
    """Open a benchmark directory.

    Raises:
        UsageError: not a benchmark.
        InputError: a broken file; names the line.
    """
    return Benchmark(path)
