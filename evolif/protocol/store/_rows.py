"""What the store keeps of a turn, and its two-way translation."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from evolif.domain import JudgedTurn, Move, Span, Usage, Verdict


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One finished turn: what was asked, answered, judged, and what it cost. Times are seconds."""

    turn: int
    turn_hash: str
    move: Move
    depth: int
    query: str
    answer: str
    reasoning: str
    truncated: bool
    verdicts: tuple[Verdict, ...]
    heuristic: tuple[Verdict, ...]
    usage: Usage
    served_by: str
    seconds: float

    @property
    def judged(self) -> JudgedTurn:
        """The turn as metrics read it."""
        return JudgedTurn(self.turn, self.verdicts, self.depth, self.move)

    def to_row(self, session: int) -> tuple[Any, ...]:
        """The values of the turn table, in its order."""
        return (
            session,
            self.turn,
            self.turn_hash,
            self.move,
            self.depth,
            storable(self.query),
            storable(self.answer),
            storable(self.reasoning),
            int(self.truncated),
            _dump(self.verdicts),
            _dump(self.heuristic),
            self.usage.prompt_tokens,
            self.usage.completion_tokens,
            storable(self.served_by),
            self.seconds,
        )

    @classmethod
    def from_row(cls, row: tuple[Any, ...]) -> TurnRecord:
        """The record of a row without its session."""
        turn, digest, move, depth, query, answer, reasoning, truncated, verdicts, heuristic, *rest = row
        prompt_tokens, completion_tokens, served_by, seconds = rest
        return cls(
            turn,
            digest,
            move,
            depth,
            query,
            answer,
            reasoning,
            bool(truncated),
            _load(verdicts),
            _load(heuristic),
            Usage(prompt_tokens, completion_tokens),
            served_by,
            seconds,
        )


def storable(text: str) -> str:
    """SQLite takes no lone surrogates, which a hostile answer may hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _dump(verdicts: tuple[Verdict, ...]) -> str:
    return json.dumps(
        [
            {
                "group": v.group,
                "satisfied": v.satisfied,
                "expected": v.expected,
                "found": v.found,
                "spans": [[s.start, s.end, s.view] for s in v.spans[:64]],
            }
            for v in verdicts
        ],
        separators=(",", ":"),
    )


def _load(text: str) -> tuple[Verdict, ...]:
    return tuple(
        Verdict(v["group"], v["satisfied"], v["expected"], v["found"], tuple(Span(*span) for span in v["spans"]))
        for v in json.loads(text)
    )
