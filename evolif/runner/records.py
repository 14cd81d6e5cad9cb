"""What the store is told, each entry as the statements that write it down."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evolif.judging import Judgement, JudgeRecord, dump_records, load_records
from evolif.runner.events import Role, Spent
from evolif.types import Constraint, Ending, JudgedTurn, Move, Span, TurnFacts, Usage, Verdict

# Verdicts and other values as the store's columns hold them.

_MOST_SPANS = 64
_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))


def storable(text: str) -> str:
    """SQLite takes no lone surrogates, which a hostile answer may hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text


def dump_constraints(constraints: Iterable[Constraint]) -> str:
    """An instruction, as in a benchmark's line but without descriptions."""
    return _ENCODER.encode([{"group": c.group, "params": dict(c.params)} for c in constraints])


def load_constraints(text: str) -> tuple[Constraint, ...]:
    """The instruction that `dump_constraints` wrote."""
    return tuple(Constraint(told["group"], told["params"]) for told in json.loads(text))


def dump_verdicts(verdicts: Sequence[Verdict]) -> str:
    """Verdicts with what was expected and found."""
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
    """The verdicts that `dump_verdicts` wrote; none where the turn is not judged yet."""
    if text is None:
        return ()
    return tuple(
        Verdict(v["group"], v["satisfied"], v["expected"], v["found"], tuple(Span(*span) for span in v["spans"]))
        for v in json.loads(text)
    )


class BareVerdicts:
    """Reads verdicts for the figures alone: groups and outcomes, each combination held once in memory."""

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[str, bool | None], ...], tuple[Verdict, ...]] = {}

    def __call__(self, text: str) -> tuple[Verdict, ...]:
        """The verdicts without their texts."""
        key = tuple((v["group"], v["satisfied"]) for v in json.loads(text))
        if key not in self._known:
            self._known[key] = tuple(Verdict(group, satisfied, "", "") for group, satisfied in key)
        return self._known[key]


Statement = tuple[str, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """What the benchmark said in a turn; stored once for all sessions."""

    hash: str
    facts: TurnFacts

    def statements(self) -> Iterator[Statement]:
        """Refused by the store where it knows another turn under that number."""
        facts = self.facts
        row = (
            facts.dialogue,
            facts.turn,
            self.hash,
            facts.move,
            facts.depth,
            storable(facts.topic),
            storable(facts.query),
            dump_constraints(facts.constraints),
            facts.operation,
            storable(facts.source),
            storable(facts.register),
            None if facts.witness is None else storable(facts.witness),
        )
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
    """A turn was answered, and judged where there is a judgement."""

    session: int
    asked: AskedTurn
    answer: AnsweredTurn
    judgement: Judgement | None
    spent: tuple[Spent, ...] = ()

    def statements(self) -> Iterator[Statement]:
        """The question once, the answer, and what both cost."""
        yield from self.asked.statements()
        answer = self.answer
        row = (
            self.session,
            self.asked.facts.turn,
            storable(answer.text),
            storable(answer.reasoning),
            int(answer.truncated),
            storable(answer.served_by),
            answer.seconds,
            *_judged(self.judgement),
        )
        yield "INSERT INTO turn VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row
        yield from _calls(self.session, self.asked.facts.dialogue, self.asked.facts.turn, self.spent)


@dataclass(frozen=True, slots=True)
class VerdictEntry:
    """An answer that was stored before is judged now."""

    session: int
    dialogue: int
    turn: int
    judgement: Judgement
    spent: tuple[Spent, ...] = ()

    def statements(self) -> Iterator[Statement]:
        """The verdicts and what they cost."""
        told = "UPDATE turn SET verdicts = ?, heuristic = ?, scores = ? WHERE session = ? AND turn = ?"
        yield told, (*_judged(self.judgement), self.session, self.turn)
        yield from _calls(self.session, self.dialogue, self.turn, self.spent)


@dataclass(frozen=True, slots=True)
class FaultEntry:
    """Something outside failed, and what had been paid by then."""

    session: int
    dialogue: int
    turn: int
    role: Role
    kind: str
    message: str
    spent: tuple[Spent, ...] = ()

    def statements(self) -> Iterator[Statement]:
        """The fault, which never counts against the model."""
        row = (self.session, self.turn, self.role, self.kind, storable(self.message))
        yield "INSERT INTO fault (session, turn, role, kind, message) VALUES (?, ?, ?, ?, ?)", row
        yield from _calls(self.session, self.dialogue, self.turn, self.spent)


@dataclass(frozen=True, slots=True)
class EndEntry:
    """How a session ended; with None it goes on, or was kept from beginning where there is a cause."""

    session: int
    ending: Ending | None
    cause: str = ""
    reason: str = ""

    def statements(self) -> Iterator[Statement]:
        """The session's last word so far."""
        row = (self.ending, self.cause, storable(self.reason), self.session)
        yield "UPDATE session SET ending = ?, cause = ?, reason = ? WHERE id = ?", row


@dataclass(frozen=True, slots=True)
class CostEntry:
    """Calls were paid that brought no entry of their own."""

    session: int | None
    """None where a turn of the benchmark was worded, for whoever needs it."""
    dialogue: int
    turn: int
    spent: tuple[Spent, ...]

    def statements(self) -> Iterator[Statement]:
        """The calls."""
        yield from _calls(self.session, self.dialogue, self.turn, self.spent)


StoreEntry = TurnEntry | VerdictEntry | FaultEntry | EndEntry | CostEntry


def _judged(judgement: Judgement | None) -> tuple[str | None, str, str]:
    """Verdicts, heuristic, scores."""
    if judgement is None:
        return None, "[]", ""
    records = dump_records(judgement.records) if judgement.records else ""
    return dump_verdicts(judgement.verdicts), dump_verdicts(judgement.heuristic), records


def _calls(session: int | None, dialogue: int, turn: int, spent: Iterable[Spent]) -> Iterator[Statement]:
    for one in spent:
        usage = one.usage
        told = "INSERT INTO call (session, dialogue, turn, role, model, calls, prompt_tokens, completion_tokens)"
        row = (session, dialogue, turn, one.role, storable(one.model), one.calls)
        yield f"{told} VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, usage.prompt_tokens, usage.completion_tokens)


# What the store tells of a session and of its turns.


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One stored turn: what was asked, answered, judged, and what it cost. Times are seconds."""

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
    """False where the answer is kept and its judging failed or was broken off; a resume judges it."""
    verdicts: tuple[Verdict, ...]
    heuristic: tuple[Verdict, ...]
    records: tuple[JudgeRecord, ...]
    """Who of a panel scored what and why."""
    usage: Usage
    """Tokens of the model under test; judges' and synthesizers' are told by `Run.costs`."""

    @property
    def judged(self) -> JudgedTurn:
        """The turn as metrics read it."""
        return JudgedTurn(self.turn, self.verdicts, self.depth, self.move)

    @classmethod
    def from_row(cls, row: tuple[Any, ...]) -> TurnRecord:
        """The record of a row of `TURNS_OF_SESSION`."""
        turn, digest, move, depth, topic, query, answer, reasoning, truncated, served_by, seconds, *rest = row
        verdicts, heuristic, scores, prompt_tokens, completion_tokens = rest
        return cls(
            turn,
            digest,
            move,
            depth,
            topic,
            query,
            answer,
            reasoning,
            bool(truncated),
            served_by,
            seconds,
            verdicts is not None,
            load_verdicts(verdicts),
            load_verdicts(heuristic),
            load_records(scores),
            Usage(prompt_tokens, completion_tokens),
        )


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
    """A session as the store has it."""

    id: int
    ending: Ending | None = None
    cause: str = ""
    records: tuple[TurnRecord, ...] = ()


# That a stop rule ended a run early, as the store keeps it.

STOP_RULE = "stop rule"
"""The cause of sessions that a stop rule ended or kept from beginning."""


@dataclass(frozen=True, slots=True)
class EarlyEnd:
    """The rule, and the dialogues that satisfied it."""

    rule: str
    dialogues: tuple[int, ...]
    batch: int
    """Dialogues by which the prefix grew."""

    def dump(self) -> str:
        """As one text."""
        return json.dumps(asdict(self))

    @classmethod
    def load(cls, text: str) -> EarlyEnd:
        """What `dump` wrote."""
        told = json.loads(text)
        return cls(told["rule"], tuple(told["dialogues"]), told["batch"])
