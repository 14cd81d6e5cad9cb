"""Entries of the run store as SQL statements, and stored rows as objects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evolif.judging import Judgement, JudgeRecord, dump_records, load_records
from evolif.types import Ending, JudgedTurn, Message, Prompt, Role, Span, Spent, Usage, Verdict

STOP_RULE = "stop rule"
"""The cause of sessions that a stop rule ended or prevented."""
_MOST_SPANS = 64
_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))


def storable(text: str) -> str:
    """Text that SQLite accepts: a hostile answer may contain lone surrogates, which are replaced."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text


def dump_verdicts(verdicts: Sequence[Verdict]) -> str:
    """Verdicts as JSON, with what was expected and found."""
    if not verdicts:
        return "[]"
    return _ENCODER.encode(
        [
            {
                "group": v.group,
                "satisfied": v.satisfied,
                "expected": v.expected,
                "found": v.found,
                "spans": [[s.start, s.end, s.view] for s in v.spans[:_MOST_SPANS]],
            }
            for v in verdicts
        ]
    )


def load_verdicts(text: str | None) -> tuple[Verdict, ...]:
    """The verdicts that `dump_verdicts` wrote; none for a turn that is not judged yet."""
    if text is None:
        return ()
    return tuple(
        Verdict(v["group"], v["satisfied"], v["expected"], v["found"], tuple(Span(*span) for span in v["spans"]))
        for v in json.loads(text)
    )


class BareVerdicts:
    """Reads only groups and outcomes, which is all that figures need; each combination is stored in memory once."""

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[str, bool | None], ...], tuple[Verdict, ...]] = {}

    def __call__(self, text: str) -> tuple[Verdict, ...]:
        key = tuple((v["group"], v["satisfied"]) for v in json.loads(text))
        if key not in self._known:
            self._known[key] = tuple(Verdict(group, satisfied, "", "") for group, satisfied in key)
        return self._known[key]


Statement = tuple[str, tuple[Any, ...]]


def _asked(prompt: Prompt) -> Statement:
    """A prompt, stored once for all sessions; the store rejects another one with that number."""
    labels, payload = prompt.labels, prompt.payload
    witness = None if payload["witness"] is None else storable(payload["witness"])
    place = (
        prompt.dialogue,
        prompt.turn,
        prompt.digest,
        labels["move"],
        labels["depth"],
        storable(str(labels["topic"])),
    )
    asked = (storable(prompt.query), _ENCODER.encode(payload["constraints"]), labels["operation"])
    row = (*place, *asked, storable(str(labels["source"])), storable(str(labels["register"])), witness)
    return "INSERT OR IGNORE INTO asked VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row


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

    def statements(self) -> Iterator[Statement]:
        """The turn, if new, its answer and the calls."""
        yield _asked(self.prompt)
        answer = self.answer
        prompt = self.prompt
        texts = (storable(answer.text), storable(answer.reasoning), int(answer.truncated), storable(answer.served_by))
        row = (self.session, prompt.turn, *texts, answer.seconds, *_judgement_columns(self.judgement))
        yield "INSERT INTO turn VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row
        yield from _calls(self.session, prompt.dialogue, prompt.turn, self.spent)


@dataclass(frozen=True, slots=True)
class VerdictEntry:
    """The judgement on an already stored answer."""

    session: int
    dialogue: int
    turn: int
    judgement: Judgement
    spent: tuple[Spent, ...] = ()

    def statements(self) -> Iterator[Statement]:
        sql = "UPDATE turn SET verdicts = ?, heuristic = ?, scores = ? WHERE session = ? AND turn = ?"
        yield sql, (*_judgement_columns(self.judgement), self.session, self.turn)
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

    def statements(self) -> Iterator[Statement]:
        row = (self.ending, self.cause, storable(self.reason), self.session)
        yield "UPDATE session SET ending = ?, cause = ?, reason = ? WHERE id = ?", row


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


StoreEntry = TurnEntry | VerdictEntry | FaultEntry | EndEntry | CostEntry


def _judgement_columns(judgement: Judgement | None) -> tuple[str | None, str, str]:
    """The columns verdicts, heuristic and scores."""
    if judgement is None:
        return None, "[]", ""
    records = dump_records(judgement.records) if judgement.records else ""
    return dump_verdicts(judgement.verdicts), dump_verdicts(judgement.heuristic), records


def _calls(session: int | None, dialogue: int, turn: int, spent: Iterable[Spent]) -> Iterator[Statement]:
    for one in spent:
        row = (session, dialogue, turn, one.role, storable(one.model), one.calls)
        yield _INSERT_CALL, (*row, one.usage.prompt_tokens, one.usage.completion_tokens)


_INSERT_CALL = """
INSERT INTO call (session, dialogue, turn, role, model, calls, prompt_tokens, completion_tokens)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""


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
    heuristic: tuple[Verdict, ...]
    records: tuple[JudgeRecord, ...]
    """Each panel member's scores and rationales."""
    usage: Usage
    """Tokens of the model under test; for those of judges and synthesizers see `Run.costs`."""

    @property
    def turn(self) -> int:
        """From 1, over all seats."""
        return self.prompt.turn

    @property
    def query(self) -> str:
        """The user's message."""
        return self.prompt.query

    @property
    def judged(self) -> JudgedTurn:
        """The turn as metrics read it."""
        return JudgedTurn(self.turn, self.verdicts, self.prompt.labels)

    @classmethod
    def from_row(cls, row: tuple[Any, ...]) -> TurnRecord:
        """The record of a row of `TURNS_OF_SESSION`."""
        *asked, answer, reasoning, truncated, served_by, seconds, verdicts, heuristic, scores = row[:-2]
        prompt_tokens, completion_tokens = row[-2:]
        values: list[Any] = [prompt_from_row(asked), answer, reasoning]
        values += [bool(truncated), served_by, seconds, verdicts is not None]
        values += [load_verdicts(verdicts), load_verdicts(heuristic), load_records(scores)]
        values.append(Usage(prompt_tokens, completion_tokens))
        return cls(*values)


TURNS_OF_SESSION = """
SELECT asked.dialogue, asked.turn, hash, move, depth, topic, query, constraints, operation, source, register, witness,
       answer, reasoning, truncated, served_by, seconds, verdicts, heuristic, scores,
       (SELECT coalesce(sum(prompt_tokens), 0) FROM call
        WHERE call.session = turn.session AND call.turn = turn.turn AND role = 'target'),
       (SELECT coalesce(sum(completion_tokens), 0) FROM call
        WHERE call.session = turn.session AND call.turn = turn.turn AND role = 'target')
FROM turn JOIN session ON session.id = turn.session
JOIN asked ON asked.dialogue = session.dialogue AND asked.turn = turn.turn
WHERE turn.session = ? ORDER BY turn.turn
"""

PROMPTS = """
SELECT dialogue, turn, hash, move, depth, topic, query, constraints, operation, source, register, witness FROM asked
"""


def prompt_from_row(row: Sequence[Any]) -> Prompt:
    """The prompt of a row of `PROMPTS`."""
    dialogue, turn, digest, move, depth, topic, query, constraints, operation, source, register, witness = row
    labels = {"topic": topic, "move": move, "depth": depth}
    labels |= {"operation": operation, "source": source, "register": register}
    payload = {"constraints": json.loads(constraints), "witness": witness}
    return Prompt(dialogue, turn, (Message("user", query),), payload=payload, labels=labels, digest=digest)


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
    """Dialogues added to the prefix between two checks."""

    def dump(self) -> str:
        """As JSON text."""
        return json.dumps(asdict(self))

    @classmethod
    def load(cls, text: str) -> EarlyEnd:
        """What `dump` wrote."""
        data = json.loads(text)
        return cls(data["rule"], tuple(data["dialogues"]), data["batch"])
