"""The SQLite file of a run: how it is opened, and its faults as errors of this program."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from evolif.errors import InternalError, OutsideError, UsageError
from evolif.runner.schema import EDITED, KNOWN_VERSIONS, SCHEMA_VERSION
from evolif.runner.settings import RunSettings
from evolif.util.opened import refuse_links

FILE_NAME = "run.sqlite"
FINDINGS = ".findings.json"
"""What was found of the file, see `evolif.runner.findings`."""
OWN_FILES = frozenset({".lock", FINDINGS, FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm", f"{FILE_NAME}-journal"})
"""What a run killed at the very start may leave behind."""
_DISK_FULL = frozenset({"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_SHMSIZE"})


def connect(root: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open the run's file, created unless `read_only`; only one thread at a time may use it."""
    refuse_links(root, OWN_FILES)
    if not os.access(root, os.W_OK) and not (root / f"{FILE_NAME}-wal").exists():
        # A finished run on a read-only medium: SQLite would want to write its log beside it.
        return sqlite3.connect(f"{(root / FILE_NAME).resolve().as_uri()}?immutable=1", uri=True)
    if read_only:
        uri = f"{(root / FILE_NAME).resolve().as_uri()}?mode=ro"
        return sqlite3.connect(uri, timeout=30, check_same_thread=False, uri=True)
    # In a notebook the thread that uses the connection is not the one that opened it.
    connection = sqlite3.connect(root / FILE_NAME, timeout=30, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")
    return connection


@contextmanager
def disk_faults(root: Path) -> Iterator[None]:
    """Turn faults of SQLite and of the disk into errors of this program.

    Raises:
        UsageError: a turn of the benchmark was edited since the run used it.
        InternalError: a row that the store rejects; only its session is broken.
        OutsideError: the disk is full, or the file cannot be used.
    """
    try:
        yield
    except sqlite3.IntegrityError as fault:
        if EDITED in str(fault):
            raise UsageError(f"{EDITED}; evaluate into a new folder") from None
        raise InternalError(f"the store of {root} rejected a row ({fault})") from None
    except (sqlite3.DatabaseError, OSError) as fault:
        if getattr(fault, "sqlite_errorname", "") in _DISK_FULL:
            raise OutsideError(
                f"{root} could not be written ({fault}): the disk may be full. Everything stored before is kept; "
                "free some space and run the same command to continue"
            ) from None
        reason = fault.strerror if isinstance(fault, OSError) else str(fault)
        raise OutsideError(f"{root} cannot be used as a run folder ({reason})") from None


def write_settings(connection: sqlite3.Connection, settings: RunSettings) -> None:
    """Store the settings of a run, within a transaction."""
    rows = (("settings", settings.model_dump_json()), ("hash", settings.hash()))
    connection.executemany("INSERT OR REPLACE INTO run VALUES (?, ?)", rows)


def stored_settings(root: Path, connection: sqlite3.Connection) -> RunSettings:
    """The settings that a run's file has.

    Raises:
        UsageError: it is no run, or one of another version.
    """
    try:
        rows = dict(connection.execute("SELECT key, value FROM run").fetchall())
    except sqlite3.OperationalError as fault:
        if "no such table" not in str(fault):
            raise
        rows = {}
    version = rows.get("schema")
    if version != str(SCHEMA_VERSION) and version not in KNOWN_VERSIONS:
        raise UsageError(
            f"{root} was written by another version of evolif (store version {version or 'unknown'}, this one writes "
            f"{SCHEMA_VERSION}); read it with that version, or evaluate into a new folder"
        )
    try:
        return RunSettings.model_validate_json(rows["settings"])
    except (KeyError, ValidationError):
        raise UsageError(f"the settings of {root} cannot be read; evaluate into a new folder") from None
