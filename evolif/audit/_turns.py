"""A turn as audits see it, whatever file it comes from."""

from __future__ import annotations

from dataclasses import dataclass

from evolif.audit._queries import QueryToAudit
from evolif.domain import Constraint, Move


@dataclass(frozen=True, slots=True)
class TurnToAudit:
    """What a turn asks for, and what its line says about it."""

    file: str
    """Relative to what is audited."""
    dialogue: int | str
    turn: int
    topic: str
    move: Move
    operation: str
    """`add`, `modify`, `remove`, or `other` where more than one thing changed."""
    constraints: tuple[Constraint, ...]
    descriptions: tuple[str, ...]
    """As stored, one per constraint; empty where there is none."""
    keywords: tuple[str, ...] = ()
    witness: str | None = None
    unmapped: str = ""
    """Why a constraint of a foreign line is none of ours."""
    query: QueryToAudit | None = None
    """None where the line holds no words, or more than one thing changed."""
