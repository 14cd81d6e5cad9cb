"""Files that several reviewers write concurrently: locks and atomic replacement."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evolif.errors import OutsideError

LOCK_TIMEOUT = 10.0
"""Seconds to wait for another reviewer, whose writing takes milliseconds."""


def unwritable(path: Path, fault: OSError) -> OutsideError:
    """The error for a file or folder that cannot be written."""
    return OutsideError(f"{path} cannot be written ({fault.strerror}); make the folder writable")


@contextmanager
def locked(lock: Path, target: Path, held: Path | None = None) -> Iterator[None]:
    """Hold a lock file.

    Args:
        lock: The lock file; its folder is created.
        target: What is about to be written, for the error.
        held: What another reviewer holds, for the error; the lock file if None.

    Raises:
        OutsideError: another reviewer holds it for too long, or it cannot be written.
    """
    from filelock import FileLock, Timeout

    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        file_lock = FileLock(lock, timeout=LOCK_TIMEOUT)
        file_lock.acquire()
    except Timeout:
        seconds = f"{LOCK_TIMEOUT:.0f} seconds"
        raise OutsideError(f"another review has locked {held or lock} for {seconds}; close it or try again") from None
    except OSError as fault:
        raise unwritable(target, fault) from None
    try:
        yield
    finally:
        file_lock.release()


def replace_file(path: Path, data: bytes, *, durable: bool = True, keep_mode: bool = False) -> None:
    """Write a file atomically.

    Args:
        path: The file; its folder is created.
        data: Its content.
        durable: Wait for the disk, so that it survives a power failure.
        keep_mode: Keep the permissions of the existing file.

    Raises:
        OutsideError: it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if keep_mode:
            shutil.copymode(path, temporary)
        os.replace(temporary, path)
    except OSError as fault:
        raise unwritable(path, fault) from None


def json_line(data: Mapping[str, Any]) -> bytes:
    """An object as one line of JSON without its line break; in ASCII if it contains half a surrogate pair."""
    try:
        return json.dumps(data, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(data).encode("ascii")
