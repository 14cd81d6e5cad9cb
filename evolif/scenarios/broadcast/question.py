"""A question of a break, as data: what is asked, its key, and where the evidence lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Question:
    """What a friend asks in a break.

    Attributes:
        kind: `A` anchored event, `I` interval, `L` changes of the lead, `T` top player, `H` named player,
            `Q` statistics.
        question: What is asked. Moments are `[period, clock]`. `A` has `player`, `anchor`, `delta` (seconds of
            broadcast time, at most one decimal) and in hockey `opponent`; `I` has `start`, `end`; `L` has `period`;
            `T` has `start`, `end`, and in basketball `at`; `H` the same and `player`; `Q` has `period`, `team` (None
            for the best of both teams) and `players`, the answer's names.
        key: The answer, as the functions for keys return it.
        distance: Periods between the evidence and the question; None for statistics.
        evidence_period: The period of the evidence: of the target of `A`, of the span's end of `I`, `T` and `H`.
        evidence_moment: `[period, clock]` of the same; of `L` the last change; None for statistics.
    """

    kind: str
    question: dict[str, Any]
    key: Any
    distance: int | None
    evidence_period: int | None
    evidence_moment: list[Any] | None
