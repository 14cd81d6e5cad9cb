"""Entries of the run store as SQL statements, and stored rows as objects."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from pydantic_core import PydanticSerializationError, from_json, to_json

from evolif.errors import UsageError
from evolif.judging import Judgement, JudgeRecord
from evolif.judging.records import dump_records, load_records
from evolif.runner.context_record import ContextRecord
from evolif.runner.hash_chain import Sealer, digest_of
from evolif.types import Ending, Exchange, Image, JudgedTurn, Message, Prompt, Role, Score, Span, Spent, Usage, Verdict

WITHHELD = "withheld"
"""Note of a turn whose answer is not there, because the export that the run was imported from left it out."""
STOP_RULE = "stop rule"
"""The cause of sessions that a stop rule ended or prevented."""
_MOST_SPANS = 64
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def storable(text: str) -> str:
    """Text that SQLite accepts: a hostile answer may contain lone surrogates, which are replaced."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text


def load_json(text: str) -> Any:
    """The value of JSON text from a store."""
    try:
        return from_json(text)  # half of the standard library's time
    except ValueError:  # half a surrogate pair, which earlier versions stored as an escape
        return json.loads(text)


def dump_verdicts(verdicts: Sequence[Verdict]) -> str:
    """Verdicts as JSON, with what was expected and found."""
    if not verdicts:
        return "[]"
    rows = [
        {
            "group": v.group,
            "satisfied": v.satisfied,
            "expected": v.expected,
            "found": v.found,
            "spans": [[s.start, s.end, s.view] for s in v.spans[:_MOST_SPANS]],
        }
        for v in verdicts
    ]
    return _json(rows)


def load_verdicts(text: str | None) -> tuple[Verdict, ...]:
    """The verdicts that `dump_verdicts` wrote; none for a turn that is not judged yet."""
    if text is None:
        return ()
    return tuple(
        Verdict(v["group"], v["satisfied"], v["expected"], v["found"], tuple(Span(*span) for span in v["spans"]))
        for v in load_json(text)
    )


class BareVerdicts:
    """Reads only groups and outcomes, which is all that figures need; each combination is stored in memory once."""

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[str, bool | None], ...], tuple[Verdict, ...]] = {}

    def __call__(self, text: str) -> tuple[Verdict, ...]:
        key = tuple((v["group"], v["satisfied"]) for v in load_json(text))
        if key not in self._known:
            self._known[key] = tuple(Verdict(group, satisfied, "", "") for group, satisfied in key)
        return self._known[key]


Statement = tuple[str, tuple[Any, ...]]


AskedKey = tuple[int, int, str]
"""(dialogue, turn, digest): identifies a stored prompt."""


_REFUSED = "the scenario asked a prompt that cannot be stored"


def with_digest(prompt: Prompt) -> Prompt:
    """The prompt with a digest, worked out from what an answer to it depends on if it has none.

    Raises:
        UsageError: it cannot be stored.
    """
    if prompt.digest:
        return prompt
    wrong = [name for name, value in prompt.labels.items() if not isinstance(value, (str, int))]
    if wrong:
        raise UsageError(f"{_REFUSED}: its label {wrong[0]} is neither a text nor a whole number")
    messages = [[m.role, m.content, *(image.digest for image in m.images)] for m in prompt.messages]
    parts = [prompt.seat, messages, dict(prompt.payload), prompt.max_tokens]
    try:
        text = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as fault:
        raise UsageError(f"{_REFUSED}: its payload is not JSON ({fault})") from None
    return replace(prompt, digest=hashlib.sha256(text.encode()).hexdigest()[:16])


_COLUMNS_OF_PROMPT = "dialogue, turn, digest, fixed, seat, messages, query, payload, labels, max_tokens"
_INSERT_ASKED = f"INSERT INTO asked ({_COLUMNS_OF_PROMPT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def _messages(messages: Sequence[Message]) -> str:
    """All but the last text as JSON; empty where there is only that. Of pictures the store has the digests alone."""
    *earlier, last = messages
    objects: list[dict[str, Any]] = [{"role": m.role, "content": m.content, **_pictures(m)} for m in earlier]
    if last.images:
        objects.append({"role": last.role, **_pictures(last)})
    return _json(objects) if objects else ""


def _pictures(message: Message) -> dict[str, Any]:
    return {"images": [[image.digest, image.media_type] for image in message.images]} if message.images else {}


def _load_messages(text: str, query: str) -> tuple[Message, ...]:
    objects = load_json(text) if text else []
    if not objects or "content" in objects[-1]:
        objects.append({"role": "user"})
    return tuple(
        Message(
            m["role"], m.get("content", query), tuple(Image(b"", kind, digest) for digest, kind in m.get("images", []))
        )
        for m in objects
    )


def _json(value: Any) -> str:
    """As JSON text that SQLite accepts.

    Raises:
        ValueError: it holds a number that JSON has not.
    """
    try:
        text = to_json(value).decode()  # a third of the standard library's time
    except PydanticSerializationError:  # half a surrogate pair, from a hostile text
        return storable(_ENCODER.encode(value))
    return _ENCODER.encode(value) if "NaN" in text or "Infinity" in text else text


@dataclass(frozen=True, slots=True)
class AnsweredTurn:
    """An answer as received."""

    text: str
    reasoning: str = ""
    truncated: bool = False
    served_by: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TurnEntry:
    """An answered turn; unjudged where `judgement` is None."""

    session: int
    prompt: Prompt
    answer: AnsweredTurn
    judgement: Judgement | None
    spent: tuple[Spent, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)
    context_tokens: int | None = None
    built: ContextRecord | None = None

    @property
    def key(self) -> AskedKey:
        """Identifies the prompt in the store."""
        return self.prompt.dialogue, self.prompt.turn, self.prompt.digest

    def asked(self) -> Statement:
        """Stores the prompt, unless it is there; the store rejects another fixed one with that number."""
        prompt = self.prompt
        texts = (_messages(prompt.messages), storable(prompt.query), _json(prompt.payload), _json(prompt.labels))
        return _INSERT_ASKED, (*self.key, int(prompt.fixed), prompt.seat, *texts, prompt.max_tokens)

    def statements(self, asked: StoredPrompt, sealer: Sealer) -> Iterator[Statement]:
        """The answer to the stored prompt, and the calls."""
        turn, answer = self.prompt.turn, self.answer
        texts = (storable(answer.text), storable(answer.reasoning), int(answer.truncated), storable(answer.served_by))
        notes = _json(self.notes) if self.notes else ""
        built = None if self.built is None else _json(self.built.dump())
        columns = (*texts, answer.seconds + 0.0, notes, self.context_tokens, built)
        judgement = _judgement_columns(self.judgement)
        seal = sealer.turn(self.session, turn, asked.digest, columns, judgement)
        yield _INSERT_TURN, (self.session, turn, asked.number, *columns, *judgement, seal)
        yield from _calls(self.session, self.prompt.dialogue, turn, self.spent)


_INSERT_TURN = """
INSERT INTO turn (session, turn, asked, answer, reasoning, truncated, served_by, seconds, notes, context_tokens,
                  context, verdicts, scores, heuristic, records, seal)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


@dataclass(frozen=True, slots=True)
class VerdictEntry:
    """The judgement on an already stored answer."""

    session: int
    dialogue: int
    turn: int
    judgement: Judgement
    spent: tuple[Spent, ...] = ()

    def statements(self, sealer: Sealer) -> Iterator[Statement]:
        sql = "UPDATE turn SET verdicts = ?, scores = ?, heuristic = ?, records = ?, seal = ?"
        columns = _judgement_columns(self.judgement)
        seal = sealer.judged(self.session, self.turn, columns)
        yield f"{sql} WHERE session = ? AND turn = ?", (*columns, seal, self.session, self.turn)
        yield from _calls(self.session, self.dialogue, self.turn, self.spent)


@dataclass(frozen=True, slots=True)
class FaultEntry:
    """Something outside failed; it never counts against the model."""

    session: int
    dialogue: int
    turn: int
    role: Role
    kind: str
    message: str
    spent: tuple[Spent, ...] = ()

    def statements(self) -> Iterator[Statement]:
        row = (self.session, self.turn, self.role, self.kind, storable(self.message))
        yield "INSERT INTO fault (session, turn, role, kind, message) VALUES (?, ?, ?, ?, ?)", row
        yield from _calls(self.session, self.dialogue, self.turn, self.spent)


@dataclass(frozen=True, slots=True)
class EndEntry:
    """How a session ended. With None it continues or, if there is a cause, never began."""

    session: int
    ending: Ending | None
    cause: str = ""
    reason: str = ""

    def statements(self, sealer: Sealer) -> Iterator[Statement]:
        columns = (self.ending, self.cause, storable(self.reason))
        seal = sealer.ended(self.session, *columns)
        yield (
            "UPDATE session SET ending = ?, cause = ?, reason = ?, seal = ? WHERE id = ?",
            (*columns, seal, self.session),
        )


@dataclass(frozen=True, slots=True)
class CostEntry:
    """Calls without another entry."""

    session: int | None
    """None for writing a turn, whose cost belongs to the benchmark."""
    dialogue: int
    turn: int
    spent: tuple[Spent, ...]

    def statements(self) -> Iterator[Statement]:
        yield from _calls(self.session, self.dialogue, self.turn, self.spent)


@dataclass(frozen=True, slots=True)
class StoredPrompt:
    """A prompt of the store."""

    number: int
    digest: str
    """Of all its columns."""


def store(
    connection: sqlite3.Connection, entry: StoreEntry, prompts: MutableMapping[AskedKey, StoredPrompt], sealer: Sealer
) -> None:
    """Store an entry; of a turn the prompt too, if that is new.

    Args:
        connection: Within a transaction.
        entry: What is stored.
        prompts: Stored prompts that are known, so that they need not be encoded again; gets the new one.
        sealer: Of this connection.
    """
    if isinstance(entry, TurnEntry):
        prompt = prompts.get(entry.key)
        if prompt is None:
            prompt = prompts[entry.key] = _store_prompt(connection, entry)
        statements = entry.statements(prompt, sealer)
    elif isinstance(entry, VerdictEntry | EndEntry):
        statements = entry.statements(sealer)
    elif isinstance(entry, Reservation):
        entry.number = connection.execute(*entry.statement()).lastrowid or 0
        return
    else:
        statements = entry.statements()
    for statement, values in statements:
        connection.execute(statement, values)


def _store_prompt(connection: sqlite3.Connection, entry: TurnEntry) -> StoredPrompt:
    statement, columns = entry.asked()
    cursor = connection.execute(statement, columns)
    number = cursor.lastrowid if cursor.rowcount == 1 else None
    if number is None:  # stored before, maybe by an earlier version with other signs in its JSON
        number, *columns = connection.execute(_STORED, entry.key).fetchone()
    return StoredPrompt(number, digest_of(columns))


_STORED = f"SELECT id, {_COLUMNS_OF_PROMPT} FROM asked WHERE dialogue = ? AND turn = ? AND digest = ?"


def _judgement_columns(judgement: Judgement | None) -> tuple[str | None, str, str, str]:
    """The columns verdicts, scores, heuristic and records."""
    if judgement is None:
        return None, "", "[]", ""
    records = dump_records(judgement.records) if judgement.records else ""
    return dump_verdicts(judgement.verdicts), dump_scores(judgement.scores), dump_verdicts(judgement.heuristic), records


def dump_scores(scores: Sequence[Score]) -> str:
    """Scores as JSON; empty for none."""
    return _json([[s.name, s.value, s.expected, s.found] for s in scores]) if scores else ""


def load_scores(text: str) -> tuple[Score, ...]:
    """The scores that `dump_scores` wrote."""
    return tuple(Score(*row) for row in load_json(text)) if text else ()


def _calls(session: int | None, dialogue: int, turn: int, spent: Iterable[Spent]) -> Iterator[Statement]:
    """Rows of the ledger; calls of unknown usage have their own."""
    for one in spent:
        row = (session, dialogue, turn, one.role, storable(one.model))
        if one.calls > one.unknown and not one.booked:
            tokens = (one.usage.prompt_tokens, one.usage.completion_tokens)
            yield _INSERT_CALL, (*row, one.calls - one.unknown, *tokens, None, None, *_parts(one.usage))
        if one.unknown and not one.booked:
            yield _INSERT_CALL, (*row, one.unknown, None, None, None, one.bound, None, None, None)


def _parts(usage: Usage) -> tuple[int | None, ...]:
    """Tokens with a name of their own; None instead of 0, since few endpoints tell that none were."""
    return tuple(number or None for number in (usage.cached_tokens, usage.reasoning_tokens, usage.image_tokens))


_INSERT_CALL = """
INSERT INTO call (session, dialogue, turn, role, model, calls, prompt_tokens, completion_tokens, state, bound,
                  cached_tokens, reasoning_tokens, image_tokens)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


@dataclass(slots=True)
class Reservation:
    """A call that is about to be made; durable before it is, so that a kill does not hide it."""

    session: int | None
    dialogue: int
    turn: int
    role: Role
    model: str
    bound: int
    """The most tokens that it can use."""
    number: int = 0
    """Of its row, once that is stored."""

    def statement(self) -> Statement:
        """Stores it."""
        row = (self.session, self.dialogue, self.turn, self.role, storable(self.model))
        return _INSERT_CALL, (*row, 1, None, None, "open", self.bound, None, None, None)


@dataclass(frozen=True, slots=True)
class SettledEntry:
    """Reservations that are replaced by what the calls have cost, in the same transaction."""

    numbers: tuple[int, ...]

    def statements(self) -> Iterator[Statement]:
        for number in self.numbers:
            yield "DELETE FROM call WHERE id = ?", (number,)


StoreEntry = TurnEntry | VerdictEntry | FaultEntry | EndEntry | CostEntry | Reservation | SettledEntry


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A stored turn: query, answer, verdicts and usage. Times are seconds."""

    prompt: Prompt
    answer: str
    reasoning: str
    truncated: bool
    served_by: str
    seconds: float
    is_judged: bool
    """False if judging failed or was interrupted; a resume judges the stored answer."""
    verdicts: tuple[Verdict, ...]
    scores: tuple[Score, ...]
    heuristic: tuple[Verdict, ...]
    records: tuple[JudgeRecord, ...]
    """Each panel member's scores and rationales."""
    notes: Mapping[str, Any]
    """What the context strategy learnt at this turn."""
    context_tokens: int | None
    """Tokens that the call was shown; None if they were not counted while it was played."""
    built: ContextRecord | None
    """How the strategy built the context; None under `full`, which shows everything, and in runs of earlier versions,
    which did not store it."""
    usage: Usage
    """Tokens of the speaker itself; for those of judges and synthesizers see `Run.costs`."""

    @property
    def turn(self) -> int:
        """From 1, over all seats."""
        return self.prompt.turn

    @property
    def query(self) -> str:
        """The user's message."""
        return self.prompt.query

    def exchange(self, heard: str) -> Exchange:
        """The turn as an environment and a context strategy see it; `heard` is what the others heard of it."""
        return Exchange(self.prompt, self.answer, heard, self.notes, self.truncated)

    @property
    def withheld(self) -> bool:
        """Whether the answer is not there, so that it cannot be judged again."""
        return bool(self.notes.get(WITHHELD))

    @property
    def judgement(self) -> Judgement | None:
        """What was found of the answer; None if it is not judged yet."""
        if not self.is_judged:
            return None
        return Judgement(self.verdicts, self.heuristic, self.records, self.scores)

    @property
    def judged(self) -> JudgedTurn:
        """The turn as metrics read it."""
        asked = "" if self.prompt.fixed else self.prompt.digest
        return JudgedTurn(self.turn, self.verdicts, self.prompt.labels, self.scores, self.prompt.seat, asked)


class AskedAndAnswered(NamedTuple):
    """A stored turn without what was found of it."""

    prompt: Prompt
    answer: str
    notes: Mapping[str, Any]
    truncated: bool

    def exchange(self, heard: str) -> Exchange:
        """The turn as an environment sees it; `heard` is what the others heard of it."""
        return Exchange(self.prompt, self.answer, heard, self.notes, self.truncated)


def record_from_row(prompt: Prompt, row: Sequence[Any]) -> TurnRecord:
    """The record of a row of `TURNS_OF_SESSION`, without the prompt's own columns."""
    answer, reasoning, truncated, served_by, seconds, *judged, notes, tokens, built = row[:-_USAGE_WIDTH]
    verdicts, scores, heuristic, records = judged
    return TurnRecord(
        prompt,
        answer,
        reasoning,
        bool(truncated),
        served_by,
        seconds,
        verdicts is not None,
        load_verdicts(verdicts),
        load_scores(scores),
        load_verdicts(heuristic),
        load_records(records),
        load_json(notes) if notes else {},
        tokens,
        None if built is None else ContextRecord.load(load_json(built)),
        Usage(*row[-_USAGE_WIDTH:]),
    )


_PROMPT_COLUMNS = """asked.id, asked.dialogue, asked.turn, asked.digest, asked.fixed, asked.seat, asked.messages,
       asked.query, asked.payload, asked.labels, asked.max_tokens"""
PROMPT_WIDTH = 11
"""Columns of a prompt in `PROMPTS` and `TURNS_OF_SESSION`."""

_USAGE_COLUMNS = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens", "image_tokens")
_USAGE_WIDTH = len(_USAGE_COLUMNS)
SUM_OF_USAGE = ", ".join(f"coalesce(sum({column}), 0)" for column in _USAGE_COLUMNS)
"""In SQL, what `Usage` takes."""
OWN_TOKENS = """(SELECT coalesce(sum({}), 0) FROM call
        WHERE call.session = turn.session AND call.turn = turn.turn AND role = asked.seat)"""
"""In SQL, the sum of a column of the speaker's own calls in a turn, where `turn` is joined to `asked`."""

TURNS_OF_SESSION = f"""
SELECT {_PROMPT_COLUMNS},
       answer, reasoning, truncated, served_by, seconds, verdicts, scores, heuristic, records, notes, context_tokens,
       context, {", ".join(map(OWN_TOKENS.format, _USAGE_COLUMNS))}
FROM turn JOIN asked ON asked.id = turn.asked
WHERE turn.session = ? ORDER BY turn.turn
"""

PROMPTS = f"SELECT {_PROMPT_COLUMNS} FROM asked"


def prompt_from_row(row: Sequence[Any]) -> Prompt:
    """The prompt of a row of `PROMPTS`."""
    _, dialogue, turn, digest, fixed, seat, messages, query, payload, labels, max_tokens = row
    return Prompt(
        dialogue,
        turn,
        _load_messages(messages, query),
        seat,
        load_json(payload),
        load_json(labels),
        bool(fixed),
        max_tokens,
        digest,
    )


@dataclass(frozen=True, slots=True)
class SessionState:
    """A session as stored."""

    id: int
    ending: Ending | None = None
    cause: str = ""
    records: tuple[TurnRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class EarlyEnd:
    """A stop rule that ended a run early, and the dialogues that satisfied it."""

    rule: str
    dialogues: tuple[int, ...]
    batch: int
    """Dialogues added to the prefix between two looks; with the method `pilot`, those of the only look."""
    method: str = "batches"
    """`pilot`, `sequence` or, in runs of earlier versions, `batches`: repeated looks at ordinary intervals."""
    sessions: int = 0
    """Sessions of each dialogue, over models and epochs, that it was decided from; 0 if unknown."""

    @property
    def metric(self) -> str:
        """The metric of the rule."""
        return self.rule.partition("=")[0]

    def dump(self) -> str:
        """As JSON text."""
        return json.dumps(asdict(self))

    @classmethod
    def load(cls, text: str) -> EarlyEnd:
        """What `dump` wrote."""
        data = load_json(text)
        later = {key: data[key] for key in ("method", "sessions") if key in data}
        return cls(data["rule"], tuple(data["dialogues"]), data["batch"], **later)
