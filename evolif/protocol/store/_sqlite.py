"""The durable store of a run: one SQLite file in WAL mode; a turn is committed before the next one starts.

`synchronous=NORMAL` in WAL mode survives the death of this process at any point (SIGKILL included); only a loss of
power may cost the last commits, never the file.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from pydantic import ValidationError

from evolif._errors import OutsideError, UsageError
from evolif.domain import Ending, Session
from evolif.protocol._settings import RunSettings
from evolif.protocol.store._rows import TurnRecord, storable
from evolif.protocol.store._schema import SCHEMA, SCHEMA_VERSION

FILE_NAME = "run.sqlite"


class RunStore:
    """Reads and writes one run. Not shared between threads."""

    def __init__(self, root: Path, connection: sqlite3.Connection, settings: RunSettings) -> None:
        self.root = root
        self.settings = settings
        self._connection = connection

    @classmethod
    def open(cls, root: Path) -> RunStore:
        """Open an existing run.

        Raises:
            UsageError: there is none, or another version of evolif wrote it.
        """
        if not cls.begun(root):
            raise UsageError(f"{root} is no run: it has no {FILE_NAME}; make one with `evolif evaluate`")
        with _disk_faults(root):
            connection = _connect(root)
            try:
                return cls(root, connection, _stored_settings(root, connection))
            except BaseException:
                connection.close()
                raise

    @classmethod
    def create(cls, root: Path, settings: RunSettings) -> RunStore:
        """Start a run in an empty or missing folder."""
        with _disk_faults(root):
            if root.exists() and (not root.is_dir() or any(p.name not in _OWN for p in root.iterdir())):
                raise UsageError(f"{root} exists and is no run; choose another folder")
            root.mkdir(parents=True, exist_ok=True)
            connection = _connect(root)
            connection.executescript(SCHEMA)
            rows = [("schema", str(SCHEMA_VERSION)), ("settings", settings.model_dump_json())]
            with connection:  # settings last and at once: a run that has them is whole, see `begun`
                connection.executemany("INSERT INTO run VALUES (?, ?)", rows)
        return cls(root, connection, settings)

    @staticmethod
    def begun(root: Path) -> bool:
        """Whether a run was started in the folder, and not killed before it had written down its settings."""
        if not (root / FILE_NAME).is_file():
            return False
        with _disk_faults(root), closing(_connect(root)) as connection:
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            if "run" in tables:
                return connection.execute("SELECT 1 FROM run LIMIT 1").fetchone() is not None
            return bool(tables)  # somebody else's database

    def enrol(self, sessions: Iterable[tuple[str, int, int]]) -> None:
        """Write down all (model, dialogue, epoch) of the run, so that a report knows of those that never began."""
        with _disk_faults(self.root), self._connection:
            self._connection.executemany(
                "INSERT OR IGNORE INTO session (model, dialogue, epoch) VALUES (?, ?, ?)", sessions
            )

    def session_id(self, model: str, dialogue: int, epoch: int) -> int:
        """The number of an enrolled session."""
        key = (model, dialogue, epoch)
        with _disk_faults(self.root):
            [number] = self._connection.execute(
                "SELECT id FROM session WHERE model = ? AND dialogue = ? AND epoch = ?", key
            ).fetchone()
        return int(number)

    def used_turns(self) -> list[tuple[int, int, str]]:
        """(dialogue, turn, hash) of every turn of the benchmark that the run has used so far."""
        with _disk_faults(self.root):
            return self._connection.execute(
                "SELECT DISTINCT dialogue, turn, turn_hash FROM turn JOIN session ON session.id = turn.session"
                " ORDER BY dialogue, turn"
            ).fetchall()

    def ending(self, session: int) -> Ending | None:
        """How a session ended, or None."""
        with _disk_faults(self.root):
            row = self._connection.execute("SELECT ending FROM session WHERE id = ?", (session,)).fetchone()
        ending: Ending | None = row[0]
        return ending

    def turns(self, session: int) -> list[TurnRecord]:
        """The finished turns of a session, in order."""
        with _disk_faults(self.root):
            rows = self._connection.execute(f"SELECT {_COLUMNS} FROM turn WHERE session = ? ORDER BY turn", (session,))
            return [TurnRecord.from_row(row) for row in rows]

    def add_turn(self, session: int, record: TurnRecord) -> None:
        """Make a finished turn durable."""
        row = record.to_row(session)
        with _disk_faults(self.root), self._connection:
            self._connection.execute(f"INSERT INTO turn VALUES ({', '.join('?' * len(row))})", row)

    def add_fault(self, session: int, turn: int, kind: str, message: str) -> None:
        """Keep a fault of a provider or of this program; it never counts against the model."""
        with _disk_faults(self.root), self._connection:
            self._connection.execute(
                "INSERT INTO fault (session, turn, kind, message) VALUES (?, ?, ?, ?)",
                (session, turn, kind, storable(message)),
            )

    def end(self, session: int, ending: Ending, reason: str) -> None:
        """Record how a session ended."""
        with _disk_faults(self.root), self._connection:
            self._connection.execute(
                "UPDATE session SET ending = ?, reason = ? WHERE id = ?", (ending, storable(reason), session)
            )

    def sessions(self) -> Iterator[tuple[int, Session]]:
        """Every session with its judged turns, in the order of models, epochs and dialogues."""
        order = {model: i for i, model in enumerate(self.settings.models)}
        rows = self._connection.execute("SELECT id, model, dialogue, epoch, ending, reason FROM session").fetchall()
        for number, model, dialogue, epoch, ending, reason in sorted(rows, key=lambda r: (order[r[1]], r[3], r[2])):
            judged = tuple(record.judged for record in self.turns(number))
            yield number, Session(model, dialogue, epoch, self.settings.patience, ending, reason, judged)

    def faults(self) -> list[tuple[str, int, int, str, str]]:
        """(model, dialogue, turn, kind, message) of every fault."""
        return self._connection.execute(
            "SELECT model, dialogue, turn, kind, message FROM fault JOIN session ON session.id = fault.session"
            " ORDER BY fault.id"
        ).fetchall()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


_OWN = frozenset({".lock", FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm", f"{FILE_NAME}-journal"})
"""What a run that was killed in its first moment may have left behind."""

_COLUMNS = (
    "turn, turn_hash, move, depth, query, answer, reasoning, truncated, verdicts, heuristic, "
    "prompt_tokens, completion_tokens, served_by, seconds"
)


def _stored_settings(root: Path, connection: sqlite3.Connection) -> RunSettings:
    try:
        rows = dict(connection.execute("SELECT key, value FROM run").fetchall())
    except sqlite3.OperationalError as fault:
        if "no such table" not in str(fault):
            raise
        rows = {}
    if rows.get("schema") != str(SCHEMA_VERSION):
        raise UsageError(f"{root} was written by another version of evolif; evaluate into a new folder")
    try:
        return RunSettings.model_validate_json(rows["settings"])
    except (KeyError, ValidationError):
        raise UsageError(f"the settings of {root} cannot be read; evaluate into a new folder") from None


def _connect(root: Path) -> sqlite3.Connection:
    if not os.access(root, os.W_OK) and not (root / f"{FILE_NAME}-wal").exists():
        # A finished run on a medium that cannot be written: SQLite would want to put its log beside it.
        return sqlite3.connect(f"{(root / FILE_NAME).resolve().as_uri()}?immutable=1", uri=True)
    # Used by one thread at a time, but in a notebook not by the one that opened it.
    connection = sqlite3.connect(root / FILE_NAME, timeout=30, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")
    return connection


@contextmanager
def _disk_faults(root: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.DatabaseError, OSError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else str(fault)
        raise OutsideError(f"{root} cannot be used as a run folder ({reason})") from None
