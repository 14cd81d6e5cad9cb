"""What the store is told, each entry as the statements that write it down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from evolif.domain import Ending, TurnFacts
from evolif.judging import Judgement, dump_records
from evolif.protocol._events import Role, Spent
from evolif.protocol.store._texts import dump_constraints, dump_verdicts, storable

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


Entry = TurnEntry | VerdictEntry | FaultEntry | EndEntry | CostEntry


def _judged(judgement: Judgement | None) -> tuple[str | None, str, str]:
    """Verdicts, heuristic, scores."""
    if judgement is None:
        return None, "[]", ""
    return dump_verdicts(judgement.verdicts), dump_verdicts(judgement.heuristic), dump_records(judgement.records)


def _calls(session: int | None, dialogue: int, turn: int, spent: Iterable[Spent]) -> Iterator[Statement]:
    for one in spent:
        usage = one.usage
        told = "INSERT INTO call (session, dialogue, turn, role, model, calls, prompt_tokens, completion_tokens)"
        row = (session, dialogue, turn, one.role, storable(one.model), one.calls)
        yield f"{told} VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, usage.prompt_tokens, usage.completion_tokens)
