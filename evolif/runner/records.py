"""Entries of the run store as SQL statements, and stored rows as objects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evolif.judging import Judgement, JudgeRecord, dump_records, load_records
from evolif.runner.events import Role, Spent
from evolif.types import Constraint, Ending, JudgedTurn, Move, Span, TurnFacts, Usage, Verdict

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


def dump_constraints(constraints: Iterable[Constraint]) -> str:
    """An instruction as JSON, without descriptions."""
    return _ENCODER.encode([{"group": c.group, "params": dict(c.params)} for c in constraints])


def load_constraints(text: str) -> tuple[Constraint, ...]:
    """The instruction that `dump_constraints` wrote."""
    return tuple(Constraint(item["group"], item["params"]) for item in json.loads(text))


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


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """A turn of the benchmark; stored once for all sessions."""

    hash: str
    facts: TurnFacts

    def statements(self) -> Iterator[Statement]:
        """The store rejects them if it has a different turn with that number."""
        facts = self.facts
        witness = None if facts.witness is None else storable(facts.witness)
        place = (facts.dialogue, facts.turn, self.hash, facts.move, facts.depth, storable(facts.topic))
        prompt = (storable(facts.query), dump_constraints(facts.constraints), facts.operation)
        row = (*place, *prompt, storable(facts.source), storable(facts.register), witness)
        yield "INSERT OR IGNORE INTO asked VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row


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
    asked: AskedTurn
    answer: AnsweredTurn
    judgement: Judgement | None
    spent: tuple[Spent, ...] = ()

    def statements(self) -> Iterator[Statement]:
        """The turn, if new, its answer and the calls."""
        yield from self.asked.statements()
        answer = self.answer
        facts = self.asked.facts
        texts = (storable(answer.text), storable(answer.reasoning), int(answer.truncated), storable(answer.served_by))
        row = (self.session, facts.turn, *texts, answer.seconds, *_judgement_columns(self.judgement))
        yield "INSERT INTO turn VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row
        yield from _calls(self.session, facts.dialogue, facts.turn, self.spent)


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

    turn: int
    turn_hash: str
    move: Move
    depth: int
    topic: str
    """Id of the turn's topic."""
    query: str
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
    def judged(self) -> JudgedTurn:
        """The turn as metrics read it."""
        return JudgedTurn(self.turn, self.verdicts, self.depth, self.move)

    @classmethod
    def from_row(cls, row: tuple[Any, ...]) -> TurnRecord:
        """The record of a row of `TURNS_OF_SESSION`."""
        *known, truncated, served_by, seconds, verdicts, heuristic, scores, prompt_tokens, completion_tokens = row
        values = [*known, bool(truncated), served_by, seconds, verdicts is not None]
        values += [load_verdicts(verdicts), load_verdicts(heuristic), load_records(scores)]
        values.append(Usage(prompt_tokens, completion_tokens))
        return cls(*values)


TURNS_OF_SESSION = """
SELECT turn.turn, asked.hash, asked.move, asked.depth, asked.topic, asked.query, answer, reasoning, truncated,
       served_by, seconds, verdicts, heuristic, scores,
       (SELECT coalesce(sum(prompt_tokens), 0) FROM call
        WHERE call.session = turn.session AND call.turn = turn.turn AND role = 'target'),
       (SELECT coalesce(sum(completion_tokens), 0) FROM call
        WHERE call.session = turn.session AND call.turn = turn.turn AND role = 'target')
FROM turn JOIN session ON session.id = turn.session
JOIN asked ON asked.dialogue = session.dialogue AND asked.turn = turn.turn
WHERE turn.session = ? ORDER BY turn.turn
"""

FACTS = """
SELECT dialogue, turn, move, depth, topic, query, constraints, operation, source, register, witness FROM asked
"""


def facts_from_row(row: tuple[Any, ...]) -> TurnFacts:
    """The facts of a row of `FACTS`."""
    dialogue, turn, move, depth, topic, query, constraints, *rest = row
    return TurnFacts(dialogue, turn, move, depth, topic, query, load_constraints(constraints), *rest)


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
