"""What the store tells of a session and of its turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evolif.domain import Ending, JudgedTurn, Move, TurnFacts, Usage, Verdict
from evolif.judging import JudgeRecord, load_records
from evolif.protocol.store._texts import load_constraints, load_verdicts


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
