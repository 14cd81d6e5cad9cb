"""Decisions of reviewers, as the journal keeps them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from secrets import token_hex
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from evolif.domain import Finding
from evolif.judging import THRESHOLD

Kind = Literal["accept", "edit", "template", "regenerate", "reject", "score", "skip", "note", "undo"]
Verdict = Literal["accept", "change", "reject"]

VERDICTS: dict[str, Verdict] = {
    "accept": "accept",
    "edit": "change",
    "template": "change",
    "regenerate": "change",
    "reject": "reject",
}
"""What a decision says of the words that it was made on."""


VOUCHERS = ("verified_by", "rejected_by")
"""Fields of a topic's line that say what reviewers think of it, not what it is."""


class FoundModel(BaseModel):
    """A finding as stored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    checker: str
    message: str
    spans: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, finding: Finding) -> FoundModel:
        """The stored form of a finding."""
        return cls(checker=finding.checker, message=finding.message, spans=finding.spans)


class Decision(BaseModel):
    """One line of the journal: who decided what on which item, and what the item was before and after."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: Annotated[str, Field(min_length=1, max_length=64)]
    time: AwareDatetime
    reviewer: Annotated[str, Field(min_length=1, max_length=200)]
    item: str
    """`dialogue/turn`, a topic's id, or the number of a judged answer."""
    dialogue: int | None = None
    turn: int | None = None
    decision: Kind
    before: dict[str, Any]
    """The item as the reviewer saw it."""
    after: dict[str, Any]
    findings: tuple[FoundModel, ...] = ()
    """What the checkers held against the words decided on, at that moment."""
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """How long the reviewer looked at the item; absent where a file was applied."""
    note: str = ""
    undoes: str | None = None
    applied: bool = True
    """False where the item was left alone: a note, or an opinion beside another reviewer's decision."""

    @property
    def verdict(self) -> Verdict | None:
        """What it says of the words; None for notes, skips and undos."""
        if self.decision == "score":
            return "accept" if self.after.get("score", 0) > THRESHOLD else "reject"
        said = VERDICTS.get(self.decision)
        # Who asks for the template's words where they stand already leaves the words as they are.
        return "accept" if said == "change" and self.before.get("query", 0) == self.after.get("query") else said

    @property
    def words(self) -> str:
        """The words that were decided on: the query, or all of a topic but who vouches for it.

        A judged answer never changes, and what the reviewer gave it before is no part of it.
        """
        if self.decision == "score":
            return ""
        if "query" in self.before:
            return str(self.before["query"])
        return json.dumps({k: v for k, v in self.before.items() if k not in VOUCHERS}, sort_keys=True)


def told_time(time: datetime) -> str:
    """A time for a person, with its zone."""
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def new_id() -> str:
    """An id that two reviewers do not give twice."""
    return token_hex(8)


def now() -> datetime:
    """The time, UTC, to the millisecond."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def standing(records: Iterable[Decision]) -> list[Decision]:
    """The decisions that hold: neither undone nor an undo, oldest first."""
    kept = list(records)
    undone = {record.undoes for record in kept if record.decision == "undo"}
    return [record for record in kept if record.decision != "undo" and record.id not in undone]


@dataclass(frozen=True, slots=True)
class Request:
    """A decision that a reviewer asks for."""

    item: str
    decision: Kind
    seen: dict[str, Any]
    """The item as it was shown (`Desk.seen`)."""
    text: str | None = None
    """The new words, for an edit or a regeneration."""
    source: str | None = None
    """The model that wrote them, for a regeneration."""
    attempts: int | None = None
    """How many attempts the model took."""
    score: int | None = None
    """1 to 10, for a score."""
    undoes: str | None = None
    """The decision to be undone, for an undo."""
    note: str = ""
    seconds: float | None = None
    force: bool = False
    """Take words that the checkers object to; needs a note."""
    overwrite: bool = False
    """Put it in the place of what another reviewer decided meanwhile."""
    opinion: bool = False
    """Leave the item alone and keep the decision as an opinion."""


@dataclass(frozen=True, slots=True)
class Done:
    """It is on disk."""

    record: Decision


@dataclass(frozen=True, slots=True)
class Objected:
    """The checkers object to the words, and nobody gave a reason to take them."""

    findings: Sequence[Finding]


@dataclass(frozen=True, slots=True)
class Conflict:
    """The item is not what the reviewer saw: somebody changed it meanwhile."""

    now: dict[str, Any]
    by: Decision | None
    """Whose decision that was; None where the change came from outside the review."""


Outcome = Done | Objected | Conflict
