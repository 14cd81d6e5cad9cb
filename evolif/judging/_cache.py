"""Scores kept by content: the same judge asked the same about the same text costs nothing a second time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from evolif._errors import OutsideError

CACHE_FILE = "judgements.sqlite"
"""The cache's file in a run's folder."""


@dataclass(frozen=True, slots=True)
class CachedScore:
    """A score that was had; only scores are kept, never that there was none."""

    score: float
    rationale: str
    served_by: str
    temperature: float | None


class JudgeCache(Protocol):
    """Where scores are kept. The key is a hash of judge, rubric, constraint and text."""

    def get(self, key: str) -> CachedScore | None:
        """The score kept under a key."""
        ...

    def put(self, key: str, score: CachedScore) -> None:
        """Keep a score, durably before the call returns."""
        ...

    def close(self) -> None:
        """Release what is held."""
        ...


class MemoryJudgeCache:
    """Keeps scores for as long as the program runs."""

    def __init__(self) -> None:
        self._scores: dict[str, CachedScore] = {}

    def get(self, key: str) -> CachedScore | None:
        """The score kept under a key."""
        return self._scores.get(key)

    def put(self, key: str, score: CachedScore) -> None:
        """Keep a score."""
        self._scores[key] = score

    def close(self) -> None:
        """Nothing is held."""


class SqliteJudgeCache:
    """Keeps scores in one small SQLite file; used by one thread at a time.

    Args:
        path: The file; made, in a folder that is there, when the first score is looked for.
        earlier: Such a file of another run; what it holds is taken over when `path` is opened. Where it cannot be read,
            scores are asked for again.

    Its calls raise `OutsideError` where the file cannot be used.
    """

    def __init__(self, path: Path, earlier: Path | None = None) -> None:
        self._path = path
        self._earlier = earlier
        self._opened: sqlite3.Connection | None = None

    def get(self, key: str) -> CachedScore | None:
        """The score kept under a key."""
        with self._faults() as connection:
            row = connection.execute(
                "SELECT score, rationale, served_by, temperature FROM score WHERE key = ?", (key,)
            ).fetchone()
        return None if row is None else CachedScore(*row)

    def put(self, key: str, score: CachedScore) -> None:
        """Keep a score; committed before this returns."""
        row = (key, score.score, score.rationale, score.served_by, score.temperature)
        with self._faults() as connection, connection:
            connection.execute("INSERT OR REPLACE INTO score VALUES (?, ?, ?, ?, ?)", row)

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

    def _connection(self) -> sqlite3.Connection:
        if self._opened is None:
            connection = sqlite3.connect(self._path.resolve().as_uri(), timeout=30, check_same_thread=False, uri=True)
            try:
                for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", _SCHEMA):
                    connection.execute(statement)
                self._take_over(connection)
            except BaseException:
                connection.close()
                raise
            self._opened = connection
        return self._opened

    def _take_over(self, connection: sqlite3.Connection) -> None:
        if self._earlier is None or not self._earlier.is_file():
            return
        with suppress(sqlite3.Error):  # a finished run on a medium that cannot be written, or a damaged file
            connection.execute("ATTACH DATABASE ? AS earlier", (f"{self._earlier.resolve().as_uri()}?mode=ro",))
            with connection:
                connection.execute("INSERT OR IGNORE INTO main.score SELECT * FROM earlier.score")
            connection.execute("DETACH DATABASE earlier")

    @contextmanager
    def _faults(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._connection()
        except (sqlite3.Error, OSError) as fault:
            raise OutsideError(f"the judge's scores cannot be kept in {self._path} ({fault})") from None


_SCHEMA = """
CREATE TABLE IF NOT EXISTS score (
    key TEXT PRIMARY KEY,
    score REAL NOT NULL,
    rationale TEXT NOT NULL,
    served_by TEXT NOT NULL,
    temperature REAL
) WITHOUT ROWID
"""
