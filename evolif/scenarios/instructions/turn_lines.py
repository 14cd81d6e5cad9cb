"""The files of a benchmark directory, written in a fixed order and read as hostile input.

`benchmark.json` holds the header, `dialogues/NNNN.jsonl` a turn per line, `synthesis.jsonl` the cost of each turn.
Nothing in them is specific to a machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    field_validator,
    model_serializer,
    model_validator,
)

from evolif._version import __version__
from evolif.benchmark import append, cut_torn_line, json_line, read_header_json, write_whole
from evolif.errors import InputError, UsageError
from evolif.scenario import DEFAULT_SCENARIO
from evolif.scenarios.instructions.constraints import describe, format_of, parse_constraints
from evolif.scenarios.instructions.constraints.compatibility import table_version
from evolif.scenarios.instructions.partition import EDITION as PARTITION
from evolif.scenarios.instructions.partition import Side
from evolif.scenarios.instructions.synthesis import PersonaModel
from evolif.scenarios.instructions.tracker import Profile
from evolif.scenarios.instructions.turns import NAME, Operation, Persona, ScriptTurn, Topic, Turn, TurnAct
from evolif.text import FIRST_RULES
from evolif.types import Usage
from evolif.util.opened import open_file
from evolif.util.resources import complaint, read_json_lines
from evolif.util.suggestions import did_you_mean


class _Model(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class TopicRef(_Model):
    """A topic as stored in a turn."""

    id: str
    prompt: str
    keywords: tuple[str, ...]
    domain: str = ""
    title: str = ""
    short: str = ""
    wordings: dict[str, str] = Field(default_factory=dict)

    def to_topic(self) -> Topic:
        """The topic."""
        kept = (self.id, self.prompt, self.keywords, self.domain, self.title)
        return Topic(*kept, wordings=self.wordings, short=self.short)


_MOST_OPERATIONS = 100


class _Operation(_Model):
    kind: Literal["add", "modify", "remove"]
    group: str
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None

    def to_operation(self) -> Operation:
        return Operation(self.kind, self.group, self.before, self.after)


class _Line(_Model):
    dialogue: Annotated[int, Field(ge=0)]
    turn: Annotated[int, Field(ge=1)]
    topic: TopicRef
    move: Literal["new", "continue", "backtrack"]
    operation: _Operation | None = None
    operations: Annotated[tuple[_Operation, ...], Field(min_length=1, max_length=_MOST_OPERATIONS)] | None = None
    act: TurnAct | None = None
    constraints: list[dict[str, Any]]
    persona: PersonaModel
    query: Annotated[str, Field(min_length=1)]
    source: str
    attempts: int = 1
    findings: tuple[str, ...] = ()
    status: Literal["verified", "flagged", "edited", "rejected"] = "verified"
    witness: str | None = None

    @model_validator(mode="after")
    def _tells_changes(self) -> _Line:
        if self.operation is None and self.operations is None:
            raise ValueError("it needs “operation”, or “operations” if several constraints change")
        groups = [operation.group for operation in self.operations or ()]
        if twice := sorted({group for group in groups if groups.count(group) > 1}):
            raise ValueError(f"“operations” change {twice[0]} twice; keep one of them")
        return self

    def all_operations(self) -> tuple[Operation, ...]:
        """Of a line with both entries, the list counts."""
        if self.operations is not None:
            return tuple(operation.to_operation() for operation in self.operations)
        return (self.operation.to_operation(),) if self.operation is not None else ()


def to_line(turn: Turn) -> str:
    """The line of a turn, with its line break."""
    return json_line(to_object(turn))


def to_object(turn: Turn) -> dict[str, Any]:
    """The JSON object of a turn."""
    answer_format = format_of(turn.constraints)
    return {
        "dialogue": turn.dialogue,
        "turn": turn.turn,
        "topic": topic_object(turn.topic),
        "move": turn.move,
        **change_object(turn),
        "constraints": [
            {"group": c.group, "params": dict(c.params), "description": describe(c, answer_format)}
            for c in turn.constraints
        ],
        "persona": persona_object(turn.persona),
        "query": turn.query,
        "source": turn.source,
        "attempts": turn.attempts,
        "findings": list(turn.findings),
        "status": turn.status,
        "witness": turn.witness,
    }


def change_object(turn: Turn | ScriptTurn) -> dict[str, Any]:
    """What a turn's object says of its change: `operation` if there is just one, else `operations`; `act` if told."""
    operations = [
        {"kind": one.kind, "group": one.group, "before": one.before, "after": one.after} for one in turn.operations
    ]
    told: dict[str, Any] = {"operation": operations[0]} if len(operations) == 1 else {"operations": operations}
    return told if turn.act == "change" else {**told, "act": turn.act}


def topic_object(topic: Topic) -> dict[str, Any]:
    """The JSON object of a topic."""
    return {
        "id": topic.id,
        "prompt": topic.prompt,
        "keywords": list(topic.keywords),
        "domain": topic.domain,
        "title": topic.title,
        **({"short": topic.short} if topic.short else {}),
        **({"wordings": dict(topic.wordings)} if topic.wordings else {}),
    }


def persona_object(persona: Persona) -> dict[str, Any]:
    """The JSON object of a persona."""
    return {
        "id": persona.id,
        "sentence": persona.sentence,
        "phrases": list(persona.phrases),
        "register": persona.register,
    }


def read_turns(path: Path, dialogue: int | None = None) -> Iterator[Turn]:
    """The turns of one dialogue's file, in order.

    Args:
        path: The file.
        dialogue: The required number of every line; any number if None.

    Raises:
        InputError: a line is not a turn, or is out of order.
    """
    for expected, (number, data) in enumerate(read_json_lines(path), 1):
        try:
            turn = parse_turn(data)
        except UsageError as fault:
            raise InputError(f"{fault}; fix or regenerate the dialogue", path=path, line=number) from None
        problem = ""
        if turn.turn != expected:
            problem = f"expected turn {expected} but found turn {turn.turn}; restore the missing lines"
        elif dialogue is not None and turn.dialogue != dialogue:
            problem = f"the line belongs to dialogue {turn.dialogue}; put every dialogue in its own file"
        if problem:
            raise InputError(problem, path=path, line=number)
        yield turn


def parse_turn(data: object) -> Turn:
    """The turn of a JSON object.

    Raises:
        UsageError: it is not a turn, its parameters are invalid, or a group is not installed here.
    """
    try:
        line = _Line.model_validate(data)
    except ValidationError as fault:
        raise InputError(complaint(fault, "turn")) from None
    return Turn(
        dialogue=line.dialogue,
        turn=line.turn,
        topic=line.topic.to_topic(),
        move=line.move,
        operations=line.all_operations(),
        constraints=parse_constraints(line.constraints, stored=True),
        persona=line.persona.to_persona(),
        query=line.query,
        source=line.source,
        attempts=line.attempts,
        findings=line.findings,
        status=line.status,
        witness=line.witness,
        act=line.act or "change",
    )


_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def turn_hash(turn: Turn) -> str:
    """Identifies a used turn by its query and constraints (16 hex digits)."""
    parts = [turn.query, turn.move, turn.topic.id, [[c.group, dict(c.params)] for c in turn.constraints]]
    canonical = _CANONICAL.encode(parts)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def same_intention(turn: Turn, scripted: ScriptTurn) -> bool:
    """Whether a stored turn matches the current script."""
    return (
        turn.topic.id == scripted.topic.id
        and turn.move == scripted.move
        and [(c.group, dict(c.params)) for c in turn.constraints]
        == [(c.group, dict(c.params)) for c in scripted.constraints]
    )


FORMAT_VERSION = 1
EDITION, SHORT_EDITION, PERSON_EDITION = 2, 3, 4
"""What the generator draws and how it words it: whatever changes the bytes of generated sets raises one of them. The
last is that of profiles whose askers have a life, a voice and reasons that fit; without these, the second is that of
profiles that word demands in short."""

Definitions = Literal["system", "query"]
"""Who says what exactly is counted: the system prompt, or the queries, each rule once in a dialogue."""

# A header may come from anyone: it may name a model, but not the address that receives its key.
_SynthesizerName = Annotated[str, Field(max_length=300, pattern=r"^[^?\s]([^?\x00-\x1f]*[^?\s])?$")]


_ShortText = Annotated[str, Field(max_length=300)]


class SplitSide(BaseModel):
    """Which side of the partition a benchmark is made of (`partition.py`)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    side: Side
    edition: Annotated[int, Field(ge=1)] = PARTITION
    """Of the partition."""
    both: Annotated[tuple[_ShortText, ...], Field(max_length=100)] = ()
    """Constraint groups that have no kinds, so that both sides ask for the same."""
    neither: Annotated[tuple[_ShortText, ...], Field(max_length=100)] = ()
    """Groups of its profile that it lacks, because the profile draws only kinds of the other side."""

    def __str__(self) -> str:
        return f"{self.side} (edition {self.edition} of the partition)"

    def require(self) -> Side:
        """The side, to draw from.

        Raises:
            UsageError: it is one of another edition.
        """
        if self.edition != PARTITION:
            raise UsageError(
                f"it is split by edition {self.edition} of the partition, and this evolif knows edition {PARTITION}; "
                "stay within its turns and dialogues, or generate a fresh benchmark"
            )
        return self.side


class Spec(BaseModel):
    """What scripts and template queries depend on, besides topics and personas."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    profile: Profile
    seed: Annotated[int, Field(ge=0)]
    dialogues: Annotated[int, Field(ge=1)]
    turns: Annotated[int, Field(ge=1)]
    synthesizers: Annotated[tuple[_SynthesizerName, ...], Field(min_length=1, max_length=100)] = ("template",)
    """The synthesizers, as `NAME` or `NAME=WEIGHT`; names without endpoints, keys or paths."""
    checker: _SynthesizerName | None = None
    """The model that checks what rules cannot."""
    split: SplitSide | None = None
    """None: modes, topics, personas and wordings of both sides."""

    @field_validator("profile")
    @classmethod
    def _without_persons(cls, profile: Profile) -> Profile:
        """A stored profile that says nothing of persons has none; resolved again it must not get any."""
        return profile if profile.persons is not None else profile.model_copy(update={"persons": False})

    @model_serializer(mode="wrap")
    def _leave_out_absent(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # So that benchmarks from before checkers and splits existed keep their identity.
        data: dict[str, Any] = serialize(self)
        return {name: value for name, value in data.items() if value is not None or name not in ("checker", "split")}


def edition_of(profile: Profile) -> int:
    """The edition of the generator for a profile.

    >>> from evolif.scenarios.instructions.tracker import load_profile
    >>> edition_of(load_profile("objective")), edition_of(load_profile("everyday"))
    (4, 4)
    >>> edition_of(load_profile("paper"))
    2
    """
    if profile.persons:
        return PERSON_EDITION
    return SHORT_EDITION if profile.short_words else EDITION


class ImportOrigin(_Model):
    """Where an imported benchmark comes from; it has turns but no script."""

    format: Annotated[str, Field(max_length=40)]
    files: Annotated[tuple[Annotated[str, Field(max_length=120)], ...], Field(max_length=100_000)] = ()
    """Per dialogue, its source file without the folder; one name if all are the same."""
    content: Annotated[str, Field(max_length=64)] = ""
    """A hash of all turns, so that different content is a different benchmark."""


_OPTIONAL = frozenset({"imported", "grows", "judged", "definitions", "own_code"})
"""Entries of a header that are left out where they are empty."""


class Header(_Model):
    """The contents of `benchmark.json`."""

    format: Literal["evolif-benchmark"] = "evolif-benchmark"
    format_version: int = FORMAT_VERSION
    edition: Annotated[int, Field(ge=1)] = 1
    """Of the generator; sets from before editions do not name theirs, which is the first."""
    generator: str = __version__
    reading_rules: int = FIRST_RULES
    """The first edition of the reading rules by which its witnesses satisfy their turns; they do by every later one."""
    compatibility: int = Field(default_factory=table_version)
    grows: bool = False
    """Whether dialogues may be added; its identity then does not depend on how many there are."""
    spec: Spec
    imported: ImportOrigin | None = None
    """Set for a benchmark without a script; its `spec` then gives only its size and the evaluation settings."""
    judged: bool = False
    """Whether some of its constraints only a judge can check, of a profile that has none by itself."""
    definitions: Definitions | None = None
    """Where it is said what exactly is counted; sets from before this was a choice do not say so."""
    own_code: Annotated[Mapping[_ShortText, _ShortText], Field(max_length=100)] = Field(default_factory=dict)
    """Per constraint group that is not evolif's: the file it was drawn by, and its digest. Nothing is loaded by it."""

    @model_serializer(mode="wrap")
    def _leave_out_absent(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = serialize(self)
        if data["edition"] == 1:  # so that sets of the first edition keep their identity
            del data["edition"]
        return {name: value for name, value in data.items() if value or name not in _OPTIONAL}

    def to_json(self) -> str:
        """The text written to disk: readable, stable, one trailing line break."""
        return _readable(self.model_dump(mode="json"))

    def identified_by(self) -> str:
        """What of it identifies the benchmark: all, but for how many dialogues a set has that may grow."""
        data = self.model_dump(mode="json")
        if self.grows:
            del data["spec"]["dialogues"]
        return _readable(data)


def _readable(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def parse_header(data: object) -> Header:
    """Validate the contents of `benchmark.json`.

    Raises:
        UsageError: another format version, or a constraint group that is not installed here.
        ValidationError: it is not a header.
    """
    header = Header.model_validate(data)
    if header.format_version != FORMAT_VERSION:
        raise UsageError(
            f"it has format version {header.format_version}, but this evolif reads version {FORMAT_VERSION}"
        )
    return header


def read_header(path: Path) -> Header:
    """Read and validate `benchmark.json`.

    Raises:
        UsageError: there is no benchmark, or one of another format version.
        InputError: the file is broken, or the benchmark is one of another scenario.
    """
    data = read_header_json(path)
    scenario = data.get("scenario", DEFAULT_SCENARIO)
    if scenario != NAME:
        raise InputError(
            f"it belongs to the scenario “{scenario!s:.60}”, but this works with benchmarks of instruction following "
            "only",
            path=path,
        )
    try:
        return parse_header(data)
    except ValidationError as fault:
        raise InputError(complaint(fault, "header"), path=path) from None
    except UsageError as fault:
        raise InputError(str(fault), path=path) from None


def definitions_named(name: str) -> Definitions:
    """The choice of that name.

    Raises:
        UsageError: there is none.
    """
    choices: tuple[Definitions, ...] = get_args(Definitions)
    for choice in choices:
        if name == choice:
            return choice
    raise UsageError(f"unknown --definitions “{name:.40}”{did_you_mean(name, choices)}; use {' or '.join(choices)}")


RECORDS = "synthesis.jsonl"
BROKEN_OFF = "broken off"
"""The outcome of a turn that was not stored, so that it is requested again."""

_Count = Annotated[int, Field(ge=0, lt=2**53)]


class TokenCost(_Model):
    """Calls of a role and their tokens."""

    calls: _Count = 0
    prompt_tokens: _Count = 0
    completion_tokens: _Count = 0


class SynthesisRecord(_Model):
    """One line of `synthesis.jsonl`: a turn that was written, or aborted by a fault."""

    dialogue: _Count
    turn: _Count
    synthesizer: str
    outcome: Literal["accepted", "repaired", "flagged", "broken off"]
    """Accepted at once, repaired, flagged, or aborted by a fault, so that the turn is requested again."""
    attempts: _Count
    played: Literal["as worded", "template"] = "as worded"
    """`template` if a flagged turn was needed at once and the template's query was stored instead."""
    failed: tuple[tuple[str, ...], ...] = ()
    """The checkers with findings, per failed attempt."""
    cost: dict[Literal["synthesizer", "checker"], TokenCost] = {}

    def usage(self, role: Literal["synthesizer", "checker"]) -> Usage:
        """Tokens of a role."""
        cost = self.cost.get(role, TokenCost())
        return Usage(cost.prompt_tokens, cost.completion_tokens)


def add_record(root: Path, record: SynthesisRecord) -> None:
    """Append a record durably; the caller holds the benchmark's lock.

    A process that was killed may have left the record of a turn that it could not store any more. That turn was broken
    off, which its record then says: so a turn has one record of how it was written, and every call stays counted.
    """
    path = root / RECORDS
    if path.exists():
        cut_torn_line(path)
    line = json_line(record.model_dump(mode="json"))
    lost = {} if record.outcome == BROKEN_OFF else _earlier(path, record)
    if not lost:
        append(path, line)
        return
    lines = path.read_text("utf-8", errors="replace").removesuffix("\n").split("\n")
    for number, earlier in lost.items():
        lines[number] = json_line({**earlier.model_dump(mode="json"), "outcome": BROKEN_OFF}).removesuffix("\n")
    write_whole(path, "".join([*(f"{text}\n" for text in lines), line]).encode("utf-8", "replace"))


def _earlier(path: Path, record: SynthesisRecord) -> dict[int, SynthesisRecord]:
    """What was said before of how the same turn was written, by the number of the line, from 0."""
    start = json_line({"dialogue": record.dialogue, "turn": record.turn}).removesuffix("}\n") + ","
    text = path.read_text("utf-8", errors="replace") if path.exists() else ""
    if start not in text:  # as a rule
        return {}
    lines = ((number, line) for number, line in enumerate(text.split("\n")) if line.startswith(start))
    found = {number: earlier for number, line in lines if (earlier := _record_of(line))}
    return {number: earlier for number, earlier in found.items() if earlier.outcome != BROKEN_OFF}


def read_records(root: Path) -> Iterator[SynthesisRecord]:
    """The records of a benchmark; unreadable lines are skipped, since nothing depends on them."""
    path = root / RECORDS
    if not path.is_file():
        return
    with open_file(path) as file:
        for raw in file:
            record = _record_of(raw.decode("utf-8", "replace"))
            if record is not None:
                yield record


def _record_of(line: str) -> SynthesisRecord | None:
    try:
        return SynthesisRecord.model_validate(json.loads(line))
    except (ValidationError, ValueError, RecursionError):
        return None


@dataclass(slots=True)
class Rates:
    """The results of a synthesizer: numbers of turns, calls and tokens, including those of aborted turns."""

    turns: int = 0
    accepted: int = 0
    repaired: int = 0
    flagged: int = 0
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    checker_calls: int = 0
    checker_usage: Usage = field(default_factory=Usage)


def rates(records: Iterable[SynthesisRecord]) -> dict[str, Rates]:
    """Rates per synthesizer; if a turn was written twice, the last record counts, and the cost of both."""
    by_synthesizer: dict[str, Rates] = {}
    last: dict[tuple[int, int], SynthesisRecord] = {}
    for record in records:
        sums = by_synthesizer.setdefault(record.synthesizer, Rates())
        sums.calls += record.cost.get("synthesizer", TokenCost()).calls
        sums.usage += record.usage("synthesizer")
        sums.checker_calls += record.cost.get("checker", TokenCost()).calls
        sums.checker_usage += record.usage("checker")
        if record.outcome != BROKEN_OFF:
            last[record.dialogue, record.turn] = record
    for record in last.values():
        sums = by_synthesizer[record.synthesizer]
        sums.turns += 1
        setattr(sums, record.outcome, getattr(sums, record.outcome) + 1)
    return by_synthesizer
