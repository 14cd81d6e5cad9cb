"""The journal: one append-only file of decisions that several reviewers write at the same time."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from evolif._errors import InputError, OutsideError
from evolif._json_lines import complaint
from evolif.review._decision import Decision

_PATIENCE = 10.0
"""Seconds to wait for another reviewer's decision to be written; it takes milliseconds."""


class Journal:
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
