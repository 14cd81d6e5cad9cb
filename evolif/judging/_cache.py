"""Scores kept by content: the same judge asked the same about the same text costs nothing a second time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
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
        path: The file, made where it is missing; its folder must be there.

    Raises:
        OutsideError: the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._faults():
            self._connection = sqlite3.connect(path, timeout=30, check_same_thread=False)
            try:
                for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", _SCHEMA):
                    self._connection.execute(statement)
            except BaseException:
                self._connection.close()
                raise

    def get(self, key: str) -> CachedScore | None:
        """The score kept under a key."""
        with self._faults():
            row = self._connection.execute(
                "SELECT score, rationale, served_by, temperature FROM score WHERE key = ?", (key,)
            ).fetchone()
        return None if row is None else CachedScore(*row)

    def put(self, key: str, score: CachedScore) -> None:
        """Keep a score; committed before this returns."""
        row = (key, score.score, score.rationale, score.served_by, score.temperature)
        with self._faults(), self._connection:
            self._connection.execute("INSERT OR REPLACE INTO score VALUES (?, ?, ?, ?, ?)", row)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
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
