"""Decisions of reviewers, as the journal keeps them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from evolif.errors import InputError, OutsideError
from evolif.judging import THRESHOLD
from evolif.resources import complaint
from evolif.types import Finding

DecisionKind = Literal["accept", "edit", "template", "regenerate", "reject", "score", "skip", "note", "undo"]
TopicVerdict = Literal["accept", "change", "reject"]

VERDICTS: dict[str, TopicVerdict] = {
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
    decision: DecisionKind
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
    def verdict(self) -> TopicVerdict | None:
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
    decision: DecisionKind
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
class EditConflict:
    """The item is not what the reviewer saw: somebody changed it meanwhile."""

    now: dict[str, Any]
    by: Decision | None
    """Whose decision that was; None where the change came from outside the review."""


SaveOutcome = Done | Objected | EditConflict


# The journal: one append-only file of decisions that several reviewers write at the same time.

_PATIENCE = 10.0
"""Seconds to wait for another reviewer's decision to be written; it takes milliseconds."""


class DecisionLog:
    """Decisions on disk, read as far as they go and followed as they grow.

    Args:
        path: The file; made with the first decision.
        lock: The lock file that goes with it.
        notify: Told in one sentence when something was repaired.
    """

    def __init__(self, path: Path, lock: Path, notify: Callable[[str], None] | None = None) -> None:
        self.path = path
        self._lock_path = lock
        self._notify = notify or (lambda _: None)
        self._depth = 0
        self._read_to = 0
        """Bytes that were read, up to a line's end."""
        self._line = 0
        self.records: list[Decision] = []

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else decides meanwhile; may be nested."""
        from filelock import FileLock, Timeout

        if self._depth:
            yield
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self._lock_path, timeout=_PATIENCE)
            lock.acquire()
        except Timeout:
            raise OutsideError(
                f"{self._lock_path} has been held for {_PATIENCE:.0f} seconds; is another review hanging?"
            ) from None
        except OSError as fault:
            raise self._unwritable(fault) from None
        self._depth = 1
        try:
            yield
        finally:
            self._depth = 0
            lock.release()

    def follow(self) -> list[Decision]:
        """Read what was added since the last time.

        Raises:
            InputError: a line that is no decision, other than a last one that is being written.
        """
        try:
            size = self.path.stat().st_size if self.path.exists() else 0
            if size < self._read_to:  # somebody restored an older file
                self.records, self._read_to, self._line = [], 0, 0
            if size == self._read_to:
                return []
            with self.path.open("rb") as file:
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
        """Write a decision durably; under the lock."""
        with self.locked():
            try:
                self._repair()
                self.follow()
                with self.path.open("ab") as file:
                    file.write(_to_line(record))
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as fault:
                raise self._unwritable(fault) from None
            self.follow()

    def _repair(self) -> None:
        """Cut a last line that was torn by a crash; give one that lacks only its line break the break."""
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
        self._notify(f"{self.path}: the last line was torn and has been cut; that decision was never confirmed")

    def _parse(self, line: bytes) -> Decision | None:
        self._line += 1
        if not line.strip():
            return None
        try:
            return Decision.model_validate(json.loads(line))
        except ValidationError as fault:
            told = complaint(fault, "decision")
        except (ValueError, RecursionError):
            told = "not a JSON object"
        number, self._line = self._line, 0
        self.records, self._read_to = [], 0
        raise InputError(f"{told}; mend or delete the line", path=self.path, line=number)

    def _unwritable(self, fault: OSError) -> OutsideError:
        return OutsideError(f"{self.path} cannot be written ({fault.strerror}); make the folder writable")


def _to_line(record: Decision) -> bytes:
    data = {key: value for key, value in record.model_dump(mode="json").items() if value is not None}
    try:
        return (json.dumps(data, ensure_ascii=False) + "\n").encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair in a stored query
        return (json.dumps(data) + "\n").encode("ascii")


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


# Drafts: what is being typed, on disk with every keystroke, so that a crash costs none.


class UnsavedText(BaseModel):
    """A text that was not saved."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    reviewer: str
    item: str
    time: AwareDatetime
    base: str
    """The words that the reviewer started from."""
    text: str


@dataclass(frozen=True, slots=True)
class Drafts:
    """A reviewer's drafts in a folder, one file each; names on disk come from hashes, never from names given."""

    folder: Path
    reviewer: str

    def keep(self, item: str, base: str, text: str) -> None:
        """Write the draft whole; the process may die the moment after.

        Not forced through to the platter: a keystroke must not wait for a disk, and only a power failure would tell.

        Raises:
            OutsideError: the folder cannot be written.
        """
        draft = UnsavedText(reviewer=self.reviewer, item=item, time=now(), base=base, text=text)
        path = self._path(item)
        temporary = path.with_suffix(".tmp")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(draft.model_dump(mode="json")), encoding="utf-8")
            os.replace(temporary, path)
        except OSError as fault:
            raise OutsideError(f"{path} cannot be written ({fault.strerror}); make the folder writable") from None

    def get(self, item: str) -> UnsavedText | None:
        """The draft for an item; None where there is none, or one that cannot be read."""
        try:
            draft = UnsavedText.model_validate(json.loads(self._path(item).read_text(encoding="utf-8")))
        except (OSError, ValueError, RecursionError, ValidationError):
            return None
        return draft if (draft.reviewer, draft.item) == (self.reviewer, item) else None

    def drop(self, item: str) -> None:
        """Forget the draft; one that cannot be removed is offered again, and that is all."""
        with suppress(OSError):
            self._path(item).unlink(missing_ok=True)

    def _path(self, item: str) -> Path:
        name = hashlib.sha256(json.dumps([self.reviewer, item]).encode()).hexdigest()[:24]
        return self.folder / f"{name}.json"


# What a person or a script fills into an exported line.


class FilledLine(BaseModel):
    """The fields beside the new words."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    decision: Literal["", "accept", "edit", "template", "reject", "note"] | None = ""
    note: Annotated[str, Field(max_length=10_000)] | None = ""
    force: bool = False

    def fault(self, text: str | None, kinds: Sequence[str], noun: str) -> str:
        """What keeps the line from being a decision, in a sentence; empty where nothing does.

        Args:
            text: The new words, None where there are none.
            kinds: Decisions that can be made on such an item.
            noun: What an item is called.
        """
        if not self.decision:
            return "" if text is None else "there are new words, but no decision; fill “decision” with “edit”"
        if self.decision not in kinds:
            return f"a {noun} cannot be decided on with “{self.decision}”; use {', '.join(kinds)}"
        if self.decision == "edit" and text is None:
            return "an edit needs new words that differ from the old; fill them in, or accept the old ones"
        if self.decision != "edit" and text is not None:
            return f"there are new words beside the decision “{self.decision}”; make it “edit” or delete them"
        if self.decision == "note" and not (self.note or "").strip():
            return "a note needs words; fill “note”"
        return ""
