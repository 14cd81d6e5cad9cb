"""What persons said in a judge audit, read from the run's folder; written by `evolif.review` alone."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from evolif._errors import InputError
from evolif._json_lines import complaint
from evolif.judge_audit._files import audit_folder
from evolif.judging import THRESHOLD

DECISIONS = "decisions.jsonl"
"""The journal's name in the audit's folder."""


class _After(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    score: Annotated[int, Field(ge=1, le=10, strict=True)] | None = None


class AuditDecision(BaseModel):
    """One line of the journal, as far as it matters for the judge."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    time: AwareDatetime
    reviewer: str
    item: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,8}$")]
    """The item's number in the sample."""
    decision: Literal["score", "skip", "note", "undo"]
    after: _After
    note: str = ""
    undoes: str | None = None

    @property
    def number(self) -> int:
        """The item's number in the sample."""
        return int(self.item)

    @property
    def score(self) -> int | None:
        """1 to 10; None for a skip and a note."""
        return self.after.score if self.decision == "score" else None

    @property
    def accepts(self) -> bool | None:
        """Whether the score says yes, as a judge's would: above 6; None where there is none."""
        return None if self.score is None else self.score > THRESHOLD


def load_judge_audit(run_path: Path | str) -> tuple[AuditDecision, ...]:
    """The decisions that hold, neither undone nor an undo, oldest first; none where no audit was begun.

    A last line that was torn by a crash, or is just being written, is left out.

    Raises:
        InputError: a line that is no decision; names it.
    """
    path = audit_folder(run_path) / DECISIONS
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ()
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None
    whole = data[: data.rfind(b"\n") + 1].split(b"\n")
    records = [_parsed(line, path, number) for number, line in enumerate(whole, 1) if line.strip()]
    undone = {record.undoes for record in records if record.decision == "undo"}
    return tuple(record for record in records if record.decision != "undo" and record.id not in undone)


def last_scores(decisions: Iterable[AuditDecision]) -> dict[tuple[str, int], AuditDecision]:
    """Per (reviewer, item) the last score or skip: of several by one person, that one counts."""
    return {(one.reviewer, one.number): one for one in decisions if one.decision in ("score", "skip")}


def _parsed(line: bytes, path: Path, number: int) -> AuditDecision:
    try:
        record = AuditDecision.model_validate(json.loads(line))
        if record.decision == "score" and record.score is None:
            raise InputError("a score without a number; mend or delete the line", path=path, line=number)
    except ValidationError as fault:
        told = complaint(fault, "decision")
        raise InputError(f"{told}; mend or delete the line", path=path, line=number) from None
    except (ValueError, RecursionError):
        raise InputError("not a JSON object; mend or delete the line", path=path, line=number) from None
    return record
