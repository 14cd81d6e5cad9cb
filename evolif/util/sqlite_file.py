"""A small SQLite file that is opened on first use: the caches of requests and of scores."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evolif.errors import OutsideError


class SqliteFile:
    """One file in WAL mode, used by one thread at a time and by any number of processes.

    Args:
        path: The file; created on first use.
        schema: Statements that create what is missing.
        error: The sentence for a fault.
        prepare: Called with every new connection.
        make_folder: Create the file's folder, for this user only.
    """

    def __init__(
        self,
        path: Path,
        schema: str,
        error: Callable[[Exception], str],
        prepare: Callable[[sqlite3.Connection], None] | None = None,
        *,
        make_folder: bool = False,
    ) -> None:
        self._path = path
        self._schema = schema
        self._error = error
        self._prepare = prepare
        self._make_folder = make_folder
        self._connection: sqlite3.Connection | None = None

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """The open connection.

        Raises:
            OutsideError: the file cannot be used.
        """
        try:
            if self._connection is None:
                self._connection = self._open()
            yield self._connection
        except (sqlite3.Error, OSError) as fault:
            raise OutsideError(self._error(fault)) from None

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _open(self) -> sqlite3.Connection:
        if self._make_folder:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # A URI, so that a file that is attached may be one too.
        connection = sqlite3.connect(self._path.resolve().as_uri(), timeout=30, check_same_thread=False, uri=True)
        try:
            connection.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; {self._schema}")
            if self._prepare is not None:
                self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection
