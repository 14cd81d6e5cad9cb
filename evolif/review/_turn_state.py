"""What a decision may change of a benchmark's line, and what it makes of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolif._errors import InputError, UsageError
from evolif._json_lines import complaint
from evolif.domain import Finding, Turn
from evolif.review._safe import hidden, visible

LONGEST = 20_000
"""Characters of a query that a person writes at most."""


class TurnState(BaseModel):
    """The changeable part of a line, as the journal has it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    query: Annotated[str, Field(min_length=1)]
    status: Literal["verified", "flagged", "edited", "rejected"]
    source: str
    attempts: int = 1
    findings: tuple[str, ...] = ()


def state_of(turn: Turn) -> dict[str, Any]:
    """The changeable part of a turn."""
    return {
        "query": turn.query,
        "status": turn.status,
        "source": turn.source,
        "attempts": turn.attempts,
        "findings": list(turn.findings),
    }


def parse_state(data: object) -> TurnState:
    """A state out of a journal.

    Raises:
        InputError: it is none.
    """
    try:
        return TurnState.model_validate(data)
    except ValidationError as fault:
        raise InputError(complaint(fault, "turn")) from None


def checked_words(text: str | None) -> str:
    """Words that a person or a model wrote, fit to be stored.

    Raises:
        UsageError: they are none, or cannot be stored.
    """
    words = (text or "").replace("\r\n", "\n").strip()
    if not words:
        raise UsageError("the query is empty; write one, or reject the turn")
    if len(words) > LONGEST:
        raise UsageError(f"the query has {len(words)} characters; {LONGEST} are enough for a person's")
    unseen = [words[start] for start, _ in hidden(words)]
    if unseen:
        raise UsageError(f"the query holds a sign that no screen shows ({visible(unseen[0]).text}); delete it")
    return words


def stored_findings(found: list[Finding] | tuple[Finding, ...]) -> list[str]:
    """Findings as a benchmark line has them."""
    return [f"{finding.checker}: {finding.message}" for finding in found]


def split_finding(stored: str) -> Finding:
    """A finding out of a benchmark line; the checker is `note` where the line does not name one."""
    checker, colon, message = stored.partition(":")
    if colon and checker.strip() and len(checker) <= 40 and " " not in checker.strip():
        return Finding(checker.strip(), message.strip())
    return Finding("note", stored)


def equal_words(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two states have the same words of the same author."""
    return bool(one["query"] == other["query"] and one["source"] == other["source"])
