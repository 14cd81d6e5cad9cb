"""The run's SQLite file: opened, and its faults said in sentences.

WAL mode with `synchronous=NORMAL`: what is committed survives the death of this process at any point (SIGKILL
included); a loss of power may cost the last commits, never the file.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evolif._errors import InternalError, OutsideError, UsageError
from evolif.protocol.store._schema import EDITED

FILE_NAME = "run.sqlite"

_FULL = frozenset({"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_SHMSIZE"})


def connect(root: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open the run's file, made where it is missing unless it is only read; one thread at a time may use it."""
    if not os.access(root, os.W_OK) and not (root / f"{FILE_NAME}-wal").exists():
        # A finished run on a medium that cannot be written: SQLite would want to put its log beside it.
        return sqlite3.connect(f"{(root / FILE_NAME).resolve().as_uri()}?immutable=1", uri=True)
    if read_only:
        uri = f"{(root / FILE_NAME).resolve().as_uri()}?mode=ro"
        return sqlite3.connect(uri, timeout=30, check_same_thread=False, uri=True)
    # In a notebook the thread that uses it is not the one that opened it.
    connection = sqlite3.connect(root / FILE_NAME, timeout=30, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")
    return connection


@contextmanager
def disk_faults(root: Path) -> Iterator[None]:
    """Say what SQLite and the disk complain of.

    Raises:
        UsageError: a turn of the benchmark was edited since the run used it.
        InternalError: a row that the store does not take; only the session it belongs to is broken.
        OutsideError: the disk is full, or the file cannot be used.
    """
    try:
        yield
    except sqlite3.IntegrityError as fault:
        if EDITED in str(fault):
            raise UsageError(f"{EDITED}; evaluate into a new folder") from None
        raise InternalError(f"the store of {root} refused a row ({fault})") from None
    except (sqlite3.DatabaseError, OSError) as fault:
        if getattr(fault, "sqlite_errorname", "") in _FULL:
            raise OutsideError(
                f"{root} could not be written ({fault}): the disk may be full. Everything stored before is kept; "
                "make room, and the same command goes on"
            ) from None
        reason = fault.strerror if isinstance(fault, OSError) else str(fault)
        raise OutsideError(f"{root} cannot be used as a run folder ({reason})") from None
