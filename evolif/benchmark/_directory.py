"""A benchmark on disk: opened, read, extended by as many turns as a session asks for."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from evolif._errors import OutsideError, UsageError
from evolif.benchmark._header import Header, read_header
from evolif.benchmark._lines import read_turns, same_intention, to_line
from evolif.domain import Persona, ScriptTurn, Topic, Turn
from evolif.synthesis import TemplateSynthesizer, load_personas, persona_for
from evolif.tracker import ScriptSpec, load_topics, script

if TYPE_CHECKING:
    from filelock import FileLock


def dialogue_file(root: Path, dialogue: int) -> Path:
    """Where a dialogue lies; names come from numbers only."""
    return root / "dialogues" / f"{dialogue:04d}.jsonl"


class Maker:
    """Makes the turns of a benchmark: script, persona, words."""

    def __init__(self, header: Header, topics: tuple[Topic, ...], personas: tuple[Persona, ...]) -> None:
        spec = header.spec
        self._script = ScriptSpec(spec.profile, topics, spec.seed)
        self._personas = personas
        self._seed = spec.seed
        self._synthesizer = TemplateSynthesizer(spec.seed)

    def script(self, dialogue: int) -> Iterator[ScriptTurn]:
        """The intentions of a dialogue, without end."""
        return script(self._script, dialogue)

    def put_into_words(self, turn: ScriptTurn) -> Turn:
        """The scripted turn as a benchmark line has it."""
        persona = persona_for(self._personas, self._seed, turn.dialogue)
        return Turn(
            dialogue=turn.dialogue,
            turn=turn.turn,
            topic=turn.topic,
            move=turn.move,
            operation=turn.operation,
            constraints=turn.constraints,
            persona=persona,
            query=self._synthesizer.say(turn, persona),
            source=self._synthesizer.name,
            witness=turn.witness,
        )


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
        self._sizes: dict[int, int] = {}
        """Bytes of a dialogue's file when it was last read or written here."""
        self._scripts: dict[int, Iterator[ScriptTurn]] = {}
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
        """A turn, counted from 1; made, and appended to the file, where the dialogue does not reach that far."""
        turns = self.turns(dialogue)
        if number > len(turns):
            self._extend(dialogue, number)
        return turns[number - 1]

    def extend(self, turns: int) -> int:
        """Make every dialogue at least `turns` long; returns how many turns were made."""
        made = 0
        for dialogue in self.dialogues():
            missing = turns - len(self.turns(dialogue))
            if missing > 0:
                self._extend(dialogue, turns)
                made += missing
        return made

    def _lock(self) -> FileLock:
        from filelock import FileLock

        return FileLock(self.path / ".lock")

    def _stored(self, dialogue: int, path: Path) -> list[Turn]:
        """The turns on disk; under the lock, for a line that somebody is writing looks torn."""
        try:
            self._repair(path)
            self._sizes[dialogue] = path.stat().st_size
        except OSError as fault:
            raise OutsideError(f"{path} cannot be read ({fault.strerror})") from None
        return list(read_turns(path, dialogue))

    def _extend(self, dialogue: int, upto: int) -> None:
        known = self._turns[dialogue]
        path = dialogue_file(self.path, dialogue)
        try:
            with self._lock():
                stored = known
                if path.stat().st_size != self._sizes[dialogue]:
                    # Another process has extended the dialogue meanwhile: its turns are ours, too.
                    stored = self._stored(dialogue, path)
                    known.extend(stored[len(known) :])
                fresh = [self._next(dialogue, number) for number in range(len(known) + 1, upto + 1)]
                self._sizes[dialogue] = _append(path, "".join(map(to_line, [*known[len(stored) :], *fresh])))
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

    def _repair(self, path: Path) -> None:
        """Cut a last line that was torn by a crash; the turn is made again when it is asked for."""
        data = path.read_bytes()
        tail = data[data.rfind(b"\n") + 1 :]
        if not tail or _is_object(tail):  # an editor may have left out nothing but the last line break
            return
        with path.open("r+b") as file:
            file.truncate(len(data) - len(tail))
        self._notify(f"{path}: the last line was torn and has been cut; the turn will be made again")


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _append(path: Path, text: str) -> int:
    """Append whole lines durably; returns the file's size."""
    with path.open("a+b") as file:
        if file.tell() and text:
            file.seek(-1, os.SEEK_END)
            text = text if file.read(1) == b"\n" else f"\n{text}"
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())
        return file.tell()


def load_benchmark(path: Path | str) -> Benchmark:
    """Open a benchmark directory.

    Raises:
        UsageError: not a benchmark.
        InputError: a broken file; names the line.
    """
    return Benchmark(path)
