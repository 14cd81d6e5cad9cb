"""Decisions of reviewers as stored in their log file. `evolif.review` writes the log; an audit reads it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import InputError
from evolif.judge_audit.sample import audit_folder
from evolif.judging import THRESHOLD
from evolif.util.opened import read_file, refuse_links
from evolif.util.resources import complaint

DecisionKind = Literal["accept", "edit", "template", "regenerate", "reject", "score", "skip", "note", "undo"]
ReviewVerdict = Literal["accept", "change", "reject"]

_VERDICTS: dict[str, ReviewVerdict] = {
    "accept": "accept",
    "edit": "change",
    "template": "change",
    "regenerate": "change",
    "reject": "reject",
}

VOUCHERS = ("verified_by", "rejected_by")
"""Fields of a topic's line that name reviewers."""

DECISIONS = "decisions.jsonl"
"""The log's name in an audit's folder."""


class StoredFinding(BaseModel):
    """A finding in the log."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    checker: str
    message: str
    spans: tuple[tuple[int, int], ...] = ()


class Decision(BaseModel):
    """One line of the log: who decided what on which item, and the item before and after."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: Annotated[str, Field(min_length=1, max_length=64)]
    time: AwareDatetime
    reviewer: Annotated[str, Field(min_length=1, max_length=200)]
    item: str
    """`dialogue/turn`, a topic's id, or the number of a judged answer."""
    dialogue: int | None = None
    turn: int | None = None
    decision: DecisionKind
    before: dict[str, Any]
    """The item as the reviewer saw it."""
    after: dict[str, Any]
    findings: tuple[StoredFinding, ...] = ()
    """The checkers' findings at that moment."""
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """How long the reviewer looked at the item; None for decisions from a file."""
    note: str = ""
    undoes: str | None = None
    applied: bool = True
    """False if the item did not change: a note, or an opinion beside another reviewer's decision."""

    @property
    def verdict(self) -> ReviewVerdict | None:
        """Its verdict on the text; None for notes, skips and undos."""
        if self.decision == "score":
            return "accept" if self.after.get("score", 0) > THRESHOLD else "reject"
        verdict = _VERDICTS.get(self.decision)
        # Reverting to the template when its text is already in place changes nothing.
        return "accept" if verdict == "change" and self.before.get("query", 0) == self.after.get("query") else verdict

    @property
    def words(self) -> str:
        """The reviewed text: the query, or a topic without its vouchers; empty for a judged answer."""
        if self.decision == "score":
            return ""
        if "query" in self.before:
            return str(self.before["query"])
        return json.dumps({k: v for k, v in self.before.items() if k not in VOUCHERS}, sort_keys=True)

    @property
    def number(self) -> int:
        """The number of a judged answer in the sample."""
        return int(self.item)

    @property
    def score(self) -> int | None:
        """1 to 10 for a score, else None."""
        return self.after.get("score") if self.decision == "score" else None


def parse_decision(line: bytes, path: Path, number: int, required: type[BaseModel] | None = None) -> Decision:
    """Read a line of the log.

    Args:
        line: JSON.
        path: The log, for the error.
        number: The line's number, for the error.
        required: A stricter model that the line must also satisfy.

    Raises:
        InputError: the line is not a decision.
    """
    try:
        data = json.loads(line)
        if required is not None:
            required.model_validate(data)
        return Decision.model_validate(data)
    except ValidationError as fault:
        problem = complaint(fault, "decision")
    except (ValueError, RecursionError):
        problem = "not a JSON object"
    raise InputError(f"{problem}; fix or delete the line", path=path, line=number)


def standing(records: Iterable[Decision]) -> list[Decision]:
    """The effective decisions, oldest first: without undone ones and undos."""
    all_records = list(records)
    undone = {record.undoes for record in all_records if record.decision == "undo"}
    return [record for record in all_records if record.decision != "undo" and record.id not in undone]


class _Scored(BaseModel):
    score: Annotated[int, Field(ge=1, le=10, strict=True)] | None = None


class _AuditLine(BaseModel):
    """Additional requirements for a line of a judge audit."""

    item: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,8}$")]
    decision: Literal["score", "skip", "note", "undo"]
    after: _Scored


def load_judge_audit(run_path: Path | str) -> tuple[Decision, ...]:
    """The effective decisions of a run's judge audit, oldest first; empty without an audit.

    A torn or half-written last line is ignored.

    Raises:
        InputError: a line is not a decision; names it.
    """
    path = audit_folder(run_path) / DECISIONS
    try:
        refuse_links(Path(run_path), ("judge-audit",), ("judge-audit",))
        data = read_file(path)
    except FileNotFoundError:
        return ()
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None
    records = []
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        if line.strip():
            record = parse_decision(line, path, number, _AuditLine)
            if record.decision == "score" and record.score is None:
                raise InputError("a score needs a number; fix or delete the line", path=path, line=number)
            records.append(record)
    return tuple(standing(records))
