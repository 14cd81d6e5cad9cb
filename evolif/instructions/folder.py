"""A benchmark on disk: opened, read, extended by as many turns as a session asks for."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolif.errors import OutsideError, UsageError
from evolif.instructions.generator import UNPLAYABLE, TurnGenerator
from evolif.instructions.turn_lines import FILE as RECORDS
from evolif.instructions.turn_lines import (
    Header,
    ImportOrigin,
    Spec,
    Stamp,
    SynthesisRecord,
    TopicRef,
    add_record,
    append,
    cut_torn_line,
    dialogue_file,
    read_header,
    read_records,
    read_turns,
    rewrite_line,
    stamp_of,
    to_line,
    turn_hash,
    write_whole,
)
from evolif.resources import read_catalogue
from evolif.synthesis import TEMPLATE, author_of, load_frames, load_personas, parse_share, registers
from evolif.tracker import load_profile, load_topics
from evolif.types import Persona, Topic, Turn, TurnStatus

if TYPE_CHECKING:
    from filelock import FileLock


# A benchmark that was imported: turns, topics and personas of others, without the script that could go on.

IMPORTED = "imported"
"""Who words the turns of an imported benchmark, and the name of its profile."""

CATALOGUES = ("topics.jsonl", "personas.jsonl", "registers.yaml")
"""Files of a benchmark beside its header and its dialogues; the last only where it has registers of its own."""

_PROFILE = "Imported: nothing is drawn from these figures; evaluation takes patience and cap from `protocol`."


def load_imported_topics(path: Path) -> tuple[Topic, ...]:
    """The topics of an imported benchmark, which may have fewer keywords than one can draw from.

    Raises:
        InputError: a line that is not a topic, or an id used twice.
    """
    return read_catalogue(path, lambda data: TopicRef.model_validate(data).to_topic(), "topic")


class ImportedWriter:
    """Writes a benchmark directory, dialogue by dialogue; `benchmark.json` comes last, so that half of one is none.

    Args:
        root: A directory that is empty.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._hash = hashlib.sha256()
        self._files: list[str] = []
        self._groups: dict[str, None] = {}
        self._topics: dict[str, Topic] = {}
        self._personas: dict[str, Persona] = {}
        self._longest = 0
        _write(lambda: (root / "dialogues").mkdir(parents=True, exist_ok=True), root)

    @property
    def dialogues(self) -> int:
        """How many were written."""
        return len(self._files)

    def add(self, turns: Sequence[Turn], file: str) -> None:
        """Write a dialogue.

        Args:
            turns: All of them, numbered from 1.
            file: The name of the file it came in.
        """
        self._files.append(file)
        self._longest = max(self._longest, len(turns))
        for turn in turns:
            self._hash.update(f"{turn.dialogue}/{turn.turn}/{turn_hash(turn)}\n".encode())
            self._groups |= dict.fromkeys(c.group for c in turn.constraints)
            self._topics.setdefault(turn.topic.id, turn.topic)
            self._personas.setdefault(turn.persona.id, turn.persona)
        path = dialogue_file(self._root, turns[0].dialogue)
        data = "".join(map(to_line, turns)).encode("utf-8")
        _write(lambda: write_whole(path, data), path)

    def finish(self, header: Header, catalogues: Mapping[str, str]) -> None:
        """Write what the dialogues were made of: the benchmark is again what it was.

        Args:
            header: Its header.
            catalogues: The texts of its files, by names out of `CATALOGUES`.
        """
        for name in CATALOGUES:
            if name in catalogues:
                self._whole(name, catalogues[name])
        self._whole("benchmark.json", header.to_json())

    def finish_foreign(self, source: str) -> None:
        """Write a header, topics and personas made from the turns; the benchmark ends where its dialogues end.

        Args:
            source: The format that the turns came in.
        """
        if not self._files:
            raise UsageError("there is no dialogue to import")
        groups = tuple(self._groups) or ("format",)
        paper = load_profile("paper")
        profile = paper.model_copy(update={"name": IMPORTED, "source": _PROFILE, "groups": groups, "pools": {}})
        spec = Spec(
            profile=profile, seed=0, dialogues=self.dialogues, turns=max(1, self._longest), synthesizers=(IMPORTED,)
        )
        same = len(set(self._files)) == 1
        origin = ImportOrigin(
            format=source,
            files=tuple(self._files[:1] if same else self._files),
            content=self._hash.hexdigest()[:16],
        )
        topics = _lines(
            {"id": t.id, "prompt": t.prompt, "keywords": list(t.keywords), "domain": t.domain, "title": t.title}
            for t in self._topics.values()
        )
        known = registers()
        personas = _lines(
            {
                "id": p.id,
                "sentence": p.sentence,
                "phrases": list(p.phrases),
                "register": p.register if p.register in known else "neutral",
            }
            for p in self._personas.values()
        )
        self.finish(Header(spec=spec, imported=origin), {"topics.jsonl": topics, "personas.jsonl": personas})

    def _whole(self, name: str, text: str) -> None:
        path = self._root / name
        _write(lambda: write_whole(path, text.encode("utf-8")), path)


def _lines(objects: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n" for one in objects)


def _write(act: Callable[[], object], path: Path) -> None:
    try:
        act()
    except OSError as fault:
        raise OutsideError(f"{path} cannot be written ({fault.strerror})") from None


REGISTERS = "registers.yaml"
"""Frames of registers of its own, where it has some."""
HELD = 256
"""Dialogues kept in memory at first."""


class Benchmark:
    """An opened benchmark directory.

    Args:
        path: The directory.
        notify: Told in one sentence when something was repaired.
    """

    def __init__(self, path: Path | str, notify: Callable[[str], None] | None = None) -> None:
        self.path = Path(path)
        self.header = read_header(self.path / "benchmark.json")
        self.notify = notify or (lambda _: None)
        load = load_topics if self.header.imported is None else load_imported_topics
        self.topics = load(self.path / "topics.jsonl")
        self.frames = load_frames(self.path / REGISTERS) if (self.path / REGISTERS).is_file() else None
        self.personas = load_personas(self.path / "personas.jsonl", self.frames)
        self._maker = TurnGenerator(self.header, self.topics, self.personas, self.path, self.frames)
        self._shares = tuple(map(parse_share, self.header.spec.synthesizers))
        self._turns: dict[int, list[Turn]] = {}
        """Dialogues as they were last read, the one used longest ago first."""
        self._held = HELD
        self._stamps: dict[int, Stamp] = {}
        """A dialogue's file as it was last read or written here."""
        self._told: set[tuple[int, int]] = set()
        """Turns of which it was said that the template stands in."""
        there, meant = len(self.dialogues()), self.header.spec.dialogues
        if there < meant:
            self.notify(
                f"{self.path} holds {there} of its {meant} dialogues; the same `evolif generate` makes the rest"
            )

    @property
    def identity(self) -> str:
        """What the benchmark is, whatever its length on disk (16 hex digits)."""
        parts = [self.header.to_json()]
        names = ("topics.jsonl", "personas.jsonl", *([REGISTERS] if self.frames else []))
        parts += [(self.path / name).read_text(encoding="utf-8") for name in names]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    @property
    def extendable(self) -> bool:
        """Whether further turns can be made; imported dialogues have no script and end where they end."""
        return self.header.imported is None

    def refuse_unless_extendable(self) -> None:
        """See that further turns can be made.

        Raises:
            UsageError: the benchmark was imported and has no script.
        """
        if not self.extendable:
            raise UsageError(
                f"{self.path} was imported and has no script, so its dialogues cannot be extended; stay within its "
                "turns, or make dialogues of your own with `evolif generate`"
            )

    def dialogues(self) -> list[int]:
        """The numbers of the dialogues that lie on disk, in order."""
        files = (self.path / "dialogues").glob("*.jsonl")
        numbers = ((file, int(file.stem)) for file in files if file.stem.isascii() and file.stem.isdigit())
        return sorted(number for file, number in numbers if file.name == dialogue_file(self.path, number).name)

    def hold(self, dialogues: int) -> None:
        """Keep so many dialogues in memory once they are read, at least one; the others are read again when needed."""
        self._held = max(1, dialogues)

    def turns(self, dialogue: int) -> list[Turn]:
        """The turns of a dialogue as far as they go."""
        if dialogue in self._turns:
            self._turns[dialogue] = self._turns.pop(dialogue)
        else:
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
            self._forget()
        return self._turns[dialogue]

    def turn(self, dialogue: int, number: int) -> Turn:
        """A turn as sessions play it, counted from 1; made, and appended, where the dialogue does not reach that far.

        Words that are flagged or rejected are never played: the template's stand in, `source` and `findings` say so.
        `turns` gives the stored line.
        """
        turns = self.turns(dialogue)
        if number > len(turns):
            self.refuse_unless_extendable()
            self._refuse_unless_template(dialogue)
            self._extend(dialogue, number)
        return self._played(turns[number - 1])

    def author(self, dialogue: int) -> str:
        """The name of the synthesizer that words a dialogue."""
        if not self.extendable:
            return IMPORTED
        return author_of(self._shares, self.header.spec.seed, dialogue)

    def draft(self, dialogue: int) -> Turn:
        """The turn that comes next in a dialogue, in the template's words and not stored."""
        self.refuse_unless_extendable()
        return self._maker.following(dialogue, self.turns(dialogue))

    def begin(self, dialogue: int) -> None:
        """See that a dialogue's file is there, empty where it was not."""
        path = dialogue_file(self.path, dialogue)
        try:
            path.touch()
        except OSError as fault:
            raise OutsideError(f"{path} cannot be written ({fault.strerror}); make the folder writable") from None

    def store(self, turn: Turn) -> Turn:
        """Append the turn that comes next in its dialogue, durably.

        Returns:
            The stored turn; another one where another process was first.
        """
        known, path = self.turns(turn.dialogue), dialogue_file(self.path, turn.dialogue)
        with self._writing(path):
            lost = self._catch_up(turn.dialogue, path)
            if turn.turn == len(known) + 1:
                append(path, "".join(map(to_line, [*lost, turn])))
                self._stamps[turn.dialogue] = stamp_of(path)
                known.append(turn)
        return known[turn.turn - 1]

    def record(self, record: SynthesisRecord) -> None:
        """Keep what wording a turn came to and cost."""
        with self._writing(self.path / RECORDS):
            add_record(self.path, record)

    def records(self) -> Iterator[SynthesisRecord]:
        """What wording the turns came to and cost, oldest first."""
        return read_records(self.path)

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
        with self._writing(path):
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
        stored[number - 1] = turn
        self._turns[dialogue] = stored
        return turn

    def extend(self, turns: int) -> int:
        """Make every dialogue that the template words at least `turns` long; returns how many turns were made."""
        made = 0
        for dialogue in self.dialogues():
            missing = turns - len(self.turns(dialogue))
            if missing > 0:
                self.refuse_unless_extendable()
            if missing > 0 and self.author(dialogue) == TEMPLATE:
                self._extend(dialogue, turns)
                made += missing
        return made

    def missing(self, turns: int, dialogues: Iterable[int] | None = None) -> dict[str, int]:
        """How many turns are missing up to a length, per chat model that has to word them; none that cannot be made."""
        if not self.extendable:
            return {}
        count: Counter[str] = Counter()
        for dialogue in self.dialogues() if dialogues is None else dialogues:
            count[self.author(dialogue)] += max(0, turns - len(self.turns(dialogue)))
        return {author: number for author, number in count.items() if number and author != TEMPLATE}

    def _forget(self) -> None:
        """Let go of the dialogues that were used longest ago."""
        while len(self._turns) > self._held:
            dialogue = next(iter(self._turns))
            del self._turns[dialogue], self._stamps[dialogue]
            self._maker.forget(dialogue)

    def _played(self, turn: Turn) -> Turn:
        """What a session may be given; says once per turn where the template stands in."""
        if turn.status not in UNPLAYABLE:
            return turn
        played = self._maker.playable(turn)
        where = (turn.dialogue, turn.turn)
        if where not in self._told:
            self._told.add(where)
            self.notify(f"dialogue {turn.dialogue}, turn {turn.turn}: {played.findings[0]}")
        return played

    def _lock(self) -> FileLock:
        from filelock import FileLock

        return FileLock(self.path / ".lock")

    def _stored(self, dialogue: int, path: Path) -> list[Turn]:
        """The turns on disk; under the lock, for a line that somebody is writing looks torn."""
        try:
            if cut_torn_line(path):
                self.notify(f"{path}: the last line was torn and has been cut; the turn will be made again")
            self._stamps[dialogue] = stamp_of(path)
        except OSError as fault:
            raise OutsideError(f"{path} cannot be read ({fault.strerror})") from None
        return list(read_turns(path, dialogue))

    @contextmanager
    def _writing(self, path: Path) -> Iterator[None]:
        """Hold the lock to write a file."""
        try:
            with self._lock():
                yield
        except OSError as fault:
            raise OutsideError(f"{path} cannot be written ({fault.strerror}); make the folder writable") from None

    def _refuse_unless_template(self, dialogue: int) -> None:
        author = self.author(dialogue)
        if author != TEMPLATE:
            raise UsageError(
                f"dialogue {dialogue} of {self.path} is worded by {author} and ends here; "
                "make it longer with `evolif extend`, or stay within its turns (--max-turns)"
            )

    def _extend(self, dialogue: int, upto: int) -> None:
        known, path = self._turns[dialogue], dialogue_file(self.path, dialogue)
        with self._writing(path):
            lost = self._catch_up(dialogue, path)
            whole = list(known)
            while len(whole) < upto:
                whole.append(self._maker.following(dialogue, whole))
            fresh = whole[len(known) :]
            append(path, "".join(map(to_line, [*lost, *fresh])))
            self._stamps[dialogue] = stamp_of(path)
        known.extend(fresh)

    def _catch_up(self, dialogue: int, path: Path) -> list[Turn]:
        """Take over what another process has appended; returns turns known here that the file has lost."""
        known = self._turns[dialogue]
        if stamp_of(path) == self._stamps[dialogue]:
            return []
        stored = self._stored(dialogue, path)
        known.extend(stored[len(known) :])
        return known[len(stored) :]


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
