"""Decisions of a reviewer: requests and their outcomes, the decision log, and drafts."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import InputError
from evolif.judge_audit import Decision, DecisionKind, json_line, replace_file
from evolif.judge_audit.decisions import parse_decision
from evolif.judge_audit.files import locked, unwritable
from evolif.scenarios.instructions.turns import Finding
from evolif.util.opened import open_file, read_text


def format_time(time: datetime) -> str:
    """A time with its zone, for a person."""
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def new_id() -> str:
    """A random id for a decision."""
    return token_hex(8)


def now() -> datetime:
    """The time, UTC, to the millisecond."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


@dataclass(frozen=True, slots=True)
class Request:
    """A decision that a reviewer wants to make."""

    item: str
    decision: DecisionKind
    seen: dict[str, Any]
    """The item as it was shown (`ReviewQueue.seen`)."""
    text: str | None = None
    """The new words, for an edit or a regeneration."""
    source: str | None = None
    """The model that wrote the words, for a regeneration."""
    attempts: int | None = None
    """The model's attempts."""
    score: int | None = None
    """1 to 10, for a score."""
    undoes: str | None = None
    """The decision to undo, for an undo."""
    note: str = ""
    seconds: float | None = None
    force: bool = False
    """Accept words despite the checkers' objections; needs a note."""
    overwrite: bool = False
    """Replace another reviewer's recent decision."""
    opinion: bool = False
    """Record the decision only, and leave the item unchanged."""


@dataclass(frozen=True, slots=True)
class Done:
    """The decision is on disk."""

    record: Decision


@dataclass(frozen=True, slots=True)
class Objected:
    """The checkers object to the words, and no reason to accept them was given."""

    findings: Sequence[Finding]


@dataclass(frozen=True, slots=True)
class EditConflict:
    """Somebody changed the item after the reviewer saw it."""

    now: dict[str, Any]
    by: Decision | None
    """The decision that changed it; None if the change came from outside the review."""


SaveOutcome = Done | Objected | EditConflict


class DecisionLog:
    """An append-only file of decisions, which several reviewers write and read concurrently.

    Args:
        path: The file; created with the first decision.
        lock: Its lock file.
        notify: Called with a sentence when something was repaired.
    """

    def __init__(self, path: Path, lock: Path, notify: Callable[[str], None] | None = None) -> None:
        self.path = path
        self.records: list[Decision] = []
        self._lock_path = lock
        self._notify = notify or (lambda _: None)
        self._is_locked = False
        self._read_to = 0
        """Bytes read, up to the end of a line."""
        self._line = 0

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock out other reviewers; may be nested."""
        if self._is_locked:
            yield
            return
        with locked(self._lock_path, self.path):
            self._is_locked = True
            try:
                yield
            finally:
                self._is_locked = False

    def follow(self) -> list[Decision]:
        """Return the decisions added since the last call.

        Raises:
            InputError: a line is not a decision, except a half-written last one.
        """
        try:
            size = self.path.stat().st_size if self.path.exists() else 0
            if size < self._read_to:  # an older file was restored
                self.records, self._read_to, self._line = [], 0, 0
            if size == self._read_to:
                return []
            with open_file(self.path) as file:
                file.seek(self._read_to)
                data = file.read()
        except OSError as fault:
            raise InputError(f"cannot be read ({fault.strerror})", path=self.path) from None
        whole = data[: data.rfind(b"\n") + 1]
        fresh = [record for line in whole.split(b"\n")[:-1] if (record := self._parse(line)) is not None]
        self._read_to += len(whole)
        self.records += fresh
        return fresh

    def append(self, record: Decision) -> None:
        """Write a decision durably, under the lock."""
        with self.locked():
            try:
                self._repair()
                self.follow()
                with self.path.open("ab") as file:
                    fields = record.model_dump(mode="json").items()
                    file.write(json_line({key: value for key, value in fields if value is not None}) + b"\n")
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as fault:
                raise unwritable(self.path, fault) from None
            self.follow()

    def _repair(self) -> None:
        """Cut a last line that was torn by a crash; complete one that lacks only its line break."""
        if not self.path.exists():
            return
        with self.path.open("r+b") as file:
            data = file.read()
            tail = data[data.rfind(b"\n") + 1 :]
            if not tail:
                return
            if _is_object(tail):
                file.write(b"\n")
                return
            file.truncate(len(data) - len(tail))
        self._notify(f"{self.path}: the last line was incomplete and was removed; that decision was never confirmed")

    def _parse(self, line: bytes) -> Decision | None:
        self._line += 1
        if not line.strip():
            return None
        try:
            return parse_decision(line, self.path, self._line)
        except InputError:
            self.records, self._read_to, self._line = [], 0, 0
            raise


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


class UnsavedText(BaseModel):
    """A text that was typed and not saved."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    reviewer: str
    item: str
    time: AwareDatetime
    base: str
    """The words that the reviewer started from."""
    text: str


@dataclass(frozen=True, slots=True)
class Drafts:
    """A reviewer's drafts in a folder, one file each: a crash costs no keystroke. File names are hashes."""

    folder: Path
    reviewer: str

    def keep(self, item: str, base: str, text: str) -> None:
        """Write the draft.

        It is not synced to disk: a keystroke must not wait, and only a power failure could lose it.

        Raises:
            OutsideError: the folder cannot be written.
        """
        draft = UnsavedText(reviewer=self.reviewer, item=item, time=now(), base=base, text=text)
        replace_file(self._path(item), json.dumps(draft.model_dump(mode="json")).encode(), durable=False)

    def get(self, item: str) -> UnsavedText | None:
        """The draft for an item; None if there is none, or it cannot be read."""
        try:
            draft = UnsavedText.model_validate(json.loads(read_text(self._path(item))))
        except (OSError, ValueError, RecursionError, ValidationError):
            return None
        return draft if (draft.reviewer, draft.item) == (self.reviewer, item) else None

    def drop(self, item: str) -> None:
        """Delete the draft; one that cannot be deleted is merely offered again."""
        with suppress(OSError):
            self._path(item).unlink(missing_ok=True)

    def _path(self, item: str) -> Path:
        name = hashlib.sha256(json.dumps([self.reviewer, item]).encode()).hexdigest()[:24]
        return self.folder / f"{name}.json"


class FilledLine(BaseModel):
    """The fields that a person or script fills in an exported line, besides the new words."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    decision: Literal["", "accept", "edit", "template", "reject", "note"] | None = ""
    note: Annotated[str, Field(max_length=10_000)] | None = ""
    force: bool = False

    def fault(self, text: str | None, kinds: Sequence[str], noun: str) -> str:
        """Why the line is not a decision, in a sentence; empty if it is one or none is intended.

        Args:
            text: The new words, or None.
            kinds: Decisions that can be made on such an item.
            noun: The name of an item.
        """
        if not self.decision:
            return "" if text is None else "the line has new words but no decision; set “decision” to “edit”"
        if self.decision not in kinds:
            return f"“{self.decision}” is not a decision for {noun}s; use {', '.join(kinds)}"
        if self.decision == "edit" and text is None:
            return "an edit needs words that differ from the old ones; fill them in, or accept the old ones"
        if self.decision != "edit" and text is not None:
            return (
                f"the line has new words but its decision is “{self.decision}”; make it “edit” or delete the new words"
            )
        if self.decision == "note" and not (self.note or "").strip():
            return "the note is empty; fill in “note”"
        return ""
