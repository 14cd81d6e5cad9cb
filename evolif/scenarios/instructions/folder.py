"""A benchmark directory: opened, read, and extended as sessions request turns."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from evolif.benchmark import HEADER, append, cut_torn_line, dialogue_file, json_line, locked, write_whole, writing
from evolif.benchmark.files import Stamp, dialogue_numbers, lock_of, rewrite_line, stamp_of
from evolif.benchmark.line_places import LinePlaces
from evolif.benchmark.shown import benchmark_line, benchmark_table
from evolif.errors import InternalError, OutsideError, UsageError
from evolif.scenarios.instructions.constraints import code_of
from evolif.scenarios.instructions.generator import UNPLAYABLE, TurnGenerator
from evolif.scenarios.instructions.partition import EDITION as PARTITION
from evolif.scenarios.instructions.synthesis import (
    TEMPLATE,
    author_of,
    load_frames,
    load_personas,
    parse_share,
    registers,
)
from evolif.scenarios.instructions.tracker import load_profile, load_topics
from evolif.scenarios.instructions.turn_lines import (
    RECORDS,
    Header,
    ImportOrigin,
    Spec,
    SynthesisRecord,
    TopicRef,
    add_record,
    edition_of,
    parse_turn,
    persona_object,
    read_header,
    read_records,
    read_turns,
    to_line,
    topic_object,
    turn_hash,
)
from evolif.scenarios.instructions.turns import NAME, Persona, Topic, Turn, TurnStatus
from evolif.text import plural
from evolif.util.opened import read_text, refuse_links
from evolif.util.resources import read_catalogue

REGISTERS = "registers.yaml"
"""Frames of the benchmark's own registers, if any."""
CATALOGUES = ("topics.jsonl", "personas.jsonl", REGISTERS)
"""Files of a benchmark besides its header and dialogues."""
IMPORTED = "imported"
"""The synthesizer and profile name of an imported benchmark."""
_IMPORTED_PROFILE = "Imported: nothing is drawn from these figures; evaluation takes patience and cap from `protocol`."
_HELD = 256
"""Dialogues kept in memory by default."""
_MOST_HELD = 512
"""Dialogues kept in memory however many are asked for; of the others, the places of their lines."""


def load_imported_topics(path: Path) -> tuple[Topic, ...]:
    """The topics of an imported benchmark, which may have fewer keywords than drawing needs.

    Raises:
        InputError: a line that is not a topic, or an id used twice.
    """
    return read_catalogue(path, lambda data: TopicRef.model_validate(data).to_topic(), "topic")


class ImportedWriter:
    """Writes a benchmark directory dialogue by dialogue; `benchmark.json` comes last, so a half-written one is invalid.

    Args:
        root: An empty directory.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._hash = hashlib.sha256()
        self._files: list[str] = []
        self._groups: dict[str, None] = {}
        self._topics: dict[str, Topic] = {}
        self._personas: dict[str, Persona] = {}
        self._longest = 0
        with writing(root):
            (root / "dialogues").mkdir(parents=True, exist_ok=True)

    @property
    def dialogues(self) -> int:
        """The number of written dialogues."""
        return len(self._files)

    def add(self, turns: Sequence[Turn], file: str) -> None:
        """Write a dialogue.

        Args:
            turns: All of them, numbered from 1.
            file: The name of its source file.
        """
        self._files.append(file)
        self._longest = max(self._longest, len(turns))
        for turn in turns:
            self._hash.update(f"{turn.dialogue}/{turn.turn}/{turn_hash(turn)}\n".encode())
            self._groups |= dict.fromkeys(c.group for c in turn.constraints)
            self._topics.setdefault(turn.topic.id, turn.topic)
            self._personas.setdefault(turn.persona.id, turn.persona)
        self._write(dialogue_file(self._root, turns[0].dialogue), "".join(map(to_line, turns)))

    def finish(self, header: Header, catalogues: Mapping[str, str]) -> None:
        """Write the header and catalogues of an exported benchmark, restoring its identity.

        Args:
            header: Its header.
            catalogues: The texts of its files, by names from `CATALOGUES`.
        """
        for name in CATALOGUES:
            if name in catalogues:
                self._write(self._root / name, catalogues[name])
        self._write(self._root / HEADER, header.to_json())

    def finish_foreign(self, source: str) -> None:
        """Write a header, topics and personas derived from the turns; the benchmark cannot be extended.

        Args:
            source: The source format of the turns.
        """
        if not self._files:
            raise UsageError("there are no dialogues to import")
        groups = tuple(self._groups) or ("format",)
        profile = load_profile("paper").model_copy(
            update={"name": IMPORTED, "source": _IMPORTED_PROFILE, "groups": groups, "pools": {}}
        )
        spec = Spec(
            profile=profile, seed=0, dialogues=self.dialogues, turns=max(1, self._longest), synthesizers=(IMPORTED,)
        )
        same = len(set(self._files)) == 1
        origin = ImportOrigin(
            format=source, files=tuple(self._files[:1] if same else self._files), content=self._hash.hexdigest()[:16]
        )
        known = registers()
        personas = (
            replace(p, register=p.register if p.register in known else "neutral") for p in self._personas.values()
        )
        catalogues = {
            "topics.jsonl": "".join(json_line(topic_object(topic)) for topic in self._topics.values()),
            "personas.jsonl": "".join(json_line(persona_object(persona)) for persona in personas),
        }
        self.finish(Header(spec=spec, imported=origin, own_code=code_of(groups)), catalogues)

    def _write(self, path: Path, text: str) -> None:
        with writing(path):
            write_whole(path, text.encode("utf-8"))


class InstructionBenchmark:
    """An opened benchmark directory.

    Args:
        path: The directory.
        notify: Called with one sentence when something was repaired.
    """

    def __init__(self, path: Path | str, notify: Callable[[str], None] | None = None) -> None:
        self.path = Path(path)
        self.header = read_header(self.path / HEADER)
        refuse_links(self.path, (*CATALOGUES, RECORDS), ("dialogues",))
        self.notify = notify or (lambda _: None)
        load = load_topics if self.header.imported is None else load_imported_topics
        self.topics = load(self.path / "topics.jsonl")
        self.frames = load_frames(self.path / REGISTERS) if (self.path / REGISTERS).is_file() else None
        self.personas = load_personas(self.path / "personas.jsonl", self.frames)
        self._generator = TurnGenerator(self.header, self.topics, self.personas, self.path, self.frames)
        self._shares = tuple(map(parse_share, self.header.spec.synthesizers))
        self._turns: dict[int, list[Turn]] = {}
        """Cached dialogues, least recently used first."""
        self._held = _HELD
        self._places = LinePlaces(self.path, 0)
        """Of dialogues that were in memory."""
        self._stamps: dict[int, Stamp] = {}
        """State of each dialogue's file when last read or written here."""
        self._replaced: set[tuple[int, int]] = set()
        """Turns played with the template's query, already reported to the user."""
        count, planned = len(self.dialogues()), self.header.spec.dialogues
        if count < planned:
            self.notify(
                f"{self.path} has {count} of its {plural(planned, 'dialogue')}; run the same `evolif "
                "generate` to make the rest"
            )

    def __repr__(self) -> str:
        """Its folder, scenario and size."""
        return benchmark_line(self)

    def _repr_html_(self) -> str | None:
        """What it is made of, for notebooks; dialogues are counted and not read."""
        return benchmark_table(self)

    @property
    def scenario(self) -> str:
        """Instruction following."""
        return NAME

    @property
    def variant(self) -> str:
        """The name of the profile."""
        return self.header.spec.profile.name

    @property
    def identity(self) -> str:
        """Identifies the benchmark independently of its length on disk (16 hex digits)."""
        names = CATALOGUES if self.frames else CATALOGUES[:-1]
        parts = [self.header.identified_by(), *(read_text(self.path / name) for name in names)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    @property
    def extendable(self) -> bool:
        """Whether more turns can be generated; imported dialogues have no script."""
        return self.header.imported is None

    def refuse_unless_extendable(self) -> None:
        """Raise `UsageError` if the benchmark was imported and has no script."""
        if not self.extendable:
            raise UsageError(
                f"{self.path} was imported and has no script, so its dialogues cannot be extended; stay within its "
                "turns, or generate your own dialogues with `evolif generate`"
            )

    def can_grow(self, dialogue: int) -> bool:
        """Whether this version can add turns to a dialogue: it has a script, and its template words are still ours."""
        own = self.header.edition == self._own_edition and self._knows_partition
        return self.extendable and (own or self.author(dialogue) != TEMPLATE)

    @property
    def _knows_partition(self) -> bool:
        split = self.header.spec.split
        return split is None or split.edition == PARTITION

    @property
    def _own_edition(self) -> int:
        return edition_of(self.header.spec.profile)

    def refuse_other_edition(self) -> None:
        """Raise `UsageError` if the template of this version words turns differently from those of the benchmark."""
        if self.header.spec.split is not None:
            self.header.spec.split.require()
        if self.header.edition != self._own_edition:
            raise UsageError(
                f"{self.path} is of edition {self.header.edition}, made by evolif {self.header.generator}; this evolif "
                f"words turns as edition {self._own_edition} and cannot extend it in the same words. Stay within its "
                f"turns (--max-turns), extend it with evolif {self.header.generator}, or generate a fresh benchmark"
            )

    def dialogues(self) -> list[int]:
        """The numbers of the dialogues on disk, in order."""
        return dialogue_numbers(self.path)

    def hold(self, dialogues: int) -> None:
        """Set how many dialogues are kept at hand, at least one; the others are read again when needed.

        Beyond some hundreds, a turn of a dialogue is read from its file when it is played.
        """
        self._held = min(max(1, dialogues), _MOST_HELD)
        self._places = LinePlaces(self.path, dialogues - self._held)

    def turns(self, dialogue: int) -> list[Turn]:
        """The stored turns of a dialogue."""
        if dialogue in self._turns:
            self._turns[dialogue] = self._turns.pop(dialogue)
        else:
            path = dialogue_file(self.path, dialogue)
            if not path.is_file():
                raise UsageError(f"{self.path} has no dialogue {dialogue}")
            lock = lock_of(self.path)
            try:
                with suppress(OSError):  # a read-only folder has no writer to conflict with
                    lock.acquire()
                self._turns[dialogue] = self._read(dialogue, path)
            finally:
                lock.release()
            self._places.forget(dialogue)
            while len(self._turns) > self._held:
                oldest = next(iter(self._turns))
                self._places.note(oldest, self._stamps[oldest], len(self._turns[oldest]))
                del self._turns[oldest], self._stamps[oldest]
                self._generator.forget(oldest)
        return self._turns[dialogue]

    def length(self, dialogue: int) -> int:
        """How many turns of a dialogue are stored."""
        known = None if dialogue in self._turns else self._places.count(dialogue)
        return len(self.turns(dialogue)) if known is None else known

    def turn(self, dialogue: int, number: int) -> Turn:
        """A turn as sessions play it, counted from 1; generated and appended if missing.

        Flagged or rejected queries are never played: the template's replace them, and `source` and `findings` say so.
        `turns` returns the stored line.
        """
        line = None if dialogue in self._turns else self._places.line(dialogue, number)
        alone = None if line is None else parse_turn(json.loads(line))
        if alone is not None and alone.status not in UNPLAYABLE:
            return alone
        turns = self.turns(dialogue)
        if number > len(turns):
            self.refuse_unless_extendable()
            author = self.author(dialogue)
            if author != TEMPLATE:
                raise UsageError(
                    f"dialogue {dialogue} of {self.path} is written by {author} and has no more turns; "
                    "extend it with `evolif extend`, or stay within its turns (--max-turns)"
                )
            self._extend(dialogue, number)
        stored = turns[number - 1]
        if stored.status not in UNPLAYABLE:
            return stored
        played = self._generator.playable(stored, turns[: number - 1])
        if (dialogue, number) not in self._replaced:
            self._replaced.add((dialogue, number))
            self.notify(f"dialogue {dialogue}, turn {number}: {played.findings[0]}")
        return played

    def author(self, dialogue: int) -> str:
        """The name of a dialogue's synthesizer."""
        if not self.extendable:
            return IMPORTED
        return author_of(self._shares, self.header.spec.seed, dialogue)

    def draft(self, dialogue: int) -> Turn:
        """The next turn of a dialogue, with the template's query and not stored."""
        self.refuse_unless_extendable()
        return self._generator.following(dialogue, self.turns(dialogue))

    def begin(self, dialogue: int) -> None:
        """Create a dialogue's file if it is missing."""
        path = dialogue_file(self.path, dialogue)
        with writing(path, "make the folder writable"):
            path.touch()

    def store(self, turn: Turn) -> Turn:
        """Append the next turn of a dialogue durably.

        Returns:
            The stored turn; a different one if another process was first.
        """
        known, path = self.turns(turn.dialogue), dialogue_file(self.path, turn.dialogue)
        with locked(self.path, path):
            lost = self._catch_up(turn.dialogue, path)
            if turn.turn == len(known) + 1:
                turn = replace(turn, query=self._generator.told(turn.query, turn, known))
                append(path, "".join(map(to_line, [*lost, turn])))
                self._stamps[turn.dialogue] = stamp_of(path)
                known.append(turn)
        return known[turn.turn - 1]

    def record(self, record: SynthesisRecord) -> None:
        """Store the result and cost of writing a query."""
        with locked(self.path, self.path / RECORDS):
            add_record(self.path, record)

    def records(self) -> Iterator[SynthesisRecord]:
        """Results and costs of writing queries, oldest first."""
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
        """Replace a stored turn's query atomically; other lines keep their bytes.

        Args:
            dialogue: Its dialogue.
            number: The turn, counted from 1.
            query: The new query.
            status: Its status.
            source: Its author.
            findings: Objections to it.
            attempts: How many attempts it took; unchanged if None.

        Raises:
            UsageError: there is no such turn, or the query is empty.
            OutsideError: the folder cannot be written.
        """
        _refuse_empty(query)
        path = dialogue_file(self.path, dialogue)
        if not path.is_file():
            raise UsageError(f"{self.path} has no dialogue {dialogue}")
        with locked(self.path, path):
            stored = self._read(dialogue, path)  # another process may have changed the dialogue
            if not 1 <= number <= len(stored):
                raise UsageError(f"dialogue {dialogue} of {self.path} has no turn {number}")
            old = stored[number - 1]
            turn = replace(
                old,
                query=self._generator.told(query, old, stored[: number - 1]),
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
        """Extend every template dialogue to at least `turns` turns; returns how many turns were generated."""
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
        """How many turns are missing up to a length, per chat model that must write them."""
        if not self.extendable:
            return {}
        count: Counter[str] = Counter()
        for dialogue in self.dialogues() if dialogues is None else dialogues:
            count[self.author(dialogue)] += max(0, turns - len(self.turns(dialogue)))
        return {author: number for author, number in count.items() if number and author != TEMPLATE}

    def _read(self, dialogue: int, path: Path) -> list[Turn]:
        """Read the turns on disk; call it under the lock, because a half-written line looks torn."""
        try:
            if cut_torn_line(path):
                self.notify(f"{path}: the last line was incomplete and was removed; the turn will be generated again")
            self._stamps[dialogue] = stamp_of(path)
        except OSError as fault:
            raise OutsideError(f"{path} cannot be read ({fault.strerror})") from None
        return list(read_turns(path, dialogue))

    def _extend(self, dialogue: int, turns: int) -> None:
        self.refuse_other_edition()
        known, path = self._turns[dialogue], dialogue_file(self.path, dialogue)
        with locked(self.path, path):
            lost = self._catch_up(dialogue, path)
            whole = list(known)
            while len(whole) < turns:
                whole.append(self._generator.following(dialogue, whole))
            fresh = whole[len(known) :]
            append(path, "".join(map(to_line, [*lost, *fresh])))
            self._stamps[dialogue] = stamp_of(path)
        known.extend(fresh)

    def _catch_up(self, dialogue: int, path: Path) -> list[Turn]:
        """Read turns appended by another process; returns known turns that the file has lost."""
        known = self._turns[dialogue]
        if stamp_of(path) == self._stamps[dialogue]:
            return []
        stored = self._read(dialogue, path)
        known.extend(stored[len(known) :])
        return known[len(stored) :]


def folder_of(bench: object) -> InstructionBenchmark:
    """A benchmark that was opened as one of instruction following.

    Raises:
        InternalError: it was not.
    """
    if not isinstance(bench, InstructionBenchmark):
        raise InternalError(f"{bench} was not opened as a benchmark of instruction following")
    return bench


def _refuse_empty(query: str) -> None:
    try:
        query.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError("the query contains an invalid character and cannot be stored") from None
    if not query.strip():
        raise UsageError("the query is empty")
