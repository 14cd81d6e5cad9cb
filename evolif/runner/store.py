"""The durable store of a run: one SQLite file; a turn is committed before the next one of its session starts.

The file is in WAL mode with `synchronous=NORMAL`: what is committed survives the death of this process at any point
(SIGKILL included); a loss of power may cost the last commits, never the file. Each benchmark turn is stored once in
`asked`, regardless of the number of models and epochs, and each answer once in `turn`: conversations are assembled from
the two, so that a run's size is linear in its messages, not quadratic.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError

from evolif.errors import EvolifError, InternalError, OutsideError, UsageError
from evolif.runner.events import SessionKey
from evolif.runner.records import (
    PROMPTS,
    STOP_RULE,
    TURNS_OF_SESSION,
    BareVerdicts,
    EarlyEnd,
    SessionState,
    StoreEntry,
    TurnRecord,
    prompt_from_row,
)
from evolif.runner.settings import RunSettings
from evolif.types import Ending, JudgedTurn, Prompt, Role, Session, Spent, Usage

FILE_NAME = "run.sqlite"

_OWN_FILES = frozenset({".lock", FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm", f"{FILE_NAME}-journal"})
"""What a run killed at the very start may leave behind."""
_DISK_FULL = frozenset({"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_SHMSIZE"})

SCHEMA_VERSION = 3
"""Increase it with every change of `SCHEMA`."""

EDITED = "a turn was edited since it was used in this run"
"""SQLite's message for a turn that differs from the stored one of the same number."""

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS run (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS session (
    id INTEGER PRIMARY KEY,
    model TEXT NOT NULL,
    dialogue INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    ending TEXT,
    cause TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    UNIQUE (model, dialogue, epoch)
);
CREATE TABLE IF NOT EXISTS asked (
    dialogue INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    hash TEXT NOT NULL,
    move TEXT NOT NULL,
    depth INTEGER NOT NULL,
    topic TEXT NOT NULL,
    query TEXT NOT NULL,
    constraints TEXT NOT NULL,
    operation TEXT NOT NULL DEFAULT '',
    source TEXT NOT NULL DEFAULT '',
    register TEXT NOT NULL DEFAULT '',
    witness TEXT,               -- NULL: the benchmark has none for this turn
    PRIMARY KEY (dialogue, turn)
);
CREATE TRIGGER IF NOT EXISTS asked_once BEFORE INSERT ON asked
WHEN EXISTS (SELECT 1 FROM asked WHERE dialogue = NEW.dialogue AND turn = NEW.turn AND hash <> NEW.hash)
BEGIN SELECT RAISE(ABORT, '{EDITED}'); END;
CREATE TABLE IF NOT EXISTS turn (
    session INTEGER NOT NULL REFERENCES session (id),
    turn INTEGER NOT NULL,
    answer TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    truncated INTEGER NOT NULL,
    served_by TEXT NOT NULL,
    seconds REAL NOT NULL,
    verdicts TEXT,              -- NULL: answered, not judged yet
    heuristic TEXT NOT NULL DEFAULT '[]',
    scores TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (session, turn)
);
CREATE TABLE IF NOT EXISTS call (
    id INTEGER PRIMARY KEY,
    session INTEGER REFERENCES session (id),  -- NULL: the wording of a turn, which belongs to no session
    dialogue INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    role TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS call_of_turn ON call (session, turn);
CREATE TABLE IF NOT EXISTS fault (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (id),
    turn INTEGER NOT NULL,
    role TEXT NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL
);
"""

UPGRADES: dict[str, tuple[str, ...]] = {
    "2": (
        "ALTER TABLE asked ADD COLUMN operation TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE asked ADD COLUMN source TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE asked ADD COLUMN register TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE asked ADD COLUMN witness TEXT",
        f"UPDATE run SET value = '{SCHEMA_VERSION}' WHERE key = 'schema'",
    )
}
"""Statements that upgrade a run of an earlier version; columns are added at the end, as in `SCHEMA`."""


def connect(root: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open the run's file, created unless `read_only`; only one thread at a time may use it."""
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


class RunStore:
    """Reads and writes one run. Not shared between threads."""

    def __init__(self, root: Path, connection: sqlite3.Connection, settings: RunSettings) -> None:
        self.root = root
        self.settings = settings
        self._connection = connection

    @classmethod
    def open(cls, root: Path, *, read_only: bool = False) -> RunStore:
        """Open a run; with `read_only` another process may be writing it.

        Raises:
            UsageError: there is no run, or another version of evolif wrote it.
        """
        if not cls.begun(root, read_only=read_only):
            raise UsageError(f"{root} is not a run: it has no {FILE_NAME}; create one with `evolif evaluate`")
        with disk_faults(root):
            connection = connect(root, read_only=read_only)
            try:
                if not read_only:
                    _upgrade(connection)
                return cls(root, connection, _stored_settings(root, connection))
            except BaseException:
                connection.close()
                raise

    @classmethod
    def create(
        cls,
        root: Path,
        settings: RunSettings,
        fill: Callable[[sqlite3.Connection], None] | None = None,
        source: Path | None = None,
    ) -> RunStore:
        """Start a run in an empty or missing folder.

        Args:
            root: The folder.
            settings: Stored with the run.
            fill: Called in the transaction that starts the run.
            source: Another run's folder, which `fill` sees as the schema `source`.
        """
        with disk_faults(root):
            if root.exists() and (not root.is_dir() or any(p.name not in _OWN_FILES for p in root.iterdir())):
                raise UsageError(f"{root} exists and is not a run; choose another folder")
            root.mkdir(parents=True, exist_ok=True)
            connection = connect(root)
            connection.executescript(SCHEMA)
            if source is not None:
                connection.execute("ATTACH DATABASE ? AS source", (str(source / FILE_NAME),))
            with connection:  # all at once: a run with settings is complete, see `begun`
                connection.execute("INSERT INTO run VALUES ('schema', ?)", (str(SCHEMA_VERSION),))
                _write_settings(connection, settings)
                if fill is not None:
                    fill(connection)
            if source is not None:
                connection.execute("DETACH DATABASE source")
        return cls(root, connection, settings)

    @staticmethod
    def begun(root: Path, *, read_only: bool = False) -> bool:
        """Whether a run was started in the folder; a run killed before it wrote its settings does not count."""
        if not (root / FILE_NAME).is_file():
            return False
        with disk_faults(root), closing(connect(root, read_only=read_only)) as connection:
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            if "run" in tables:
                return connection.execute("SELECT 1 FROM run LIMIT 1").fetchone() is not None
            return bool(tables)  # a foreign database

    def grow(self, settings: RunSettings) -> None:
        """Store settings of a larger extent."""
        if settings == self.settings:
            return
        with disk_faults(self.root), self._connection:
            _write_settings(self._connection, settings)
        self.settings = settings

    def enrol(self, sessions: Iterable[SessionKey]) -> None:
        """Add the sessions of the run, so that a report knows about those that never began."""
        with disk_faults(self.root), self._connection:
            self._connection.executemany(
                "INSERT OR IGNORE INTO session (model, dialogue, epoch) VALUES (?, ?, ?)",
                ((key.model, key.dialogue, key.epoch) for key in sessions),
            )

    def ended(self, model: str) -> set[tuple[int, int]]:
        """(dialogue, epoch) of a model's sessions that ended for good.

        A session cut short by a budget or stop rule continues with a larger budget, or without the rule.
        """
        with disk_faults(self.root):
            rows = self._connection.execute(
                "SELECT dialogue, epoch FROM session WHERE model = ?"
                " AND ending IN ('finished', 'censored', 'withheld') AND cause NOT IN ('budget', 'stop rule')",
                (model,),
            )
            return set(rows.fetchall())

    def state(self, key: SessionKey) -> SessionState:
        """An enrolled session with its stored turns."""
        with disk_faults(self.root):
            number, ending, cause = self._connection.execute(
                "SELECT id, ending, cause FROM session WHERE model = ? AND dialogue = ? AND epoch = ?",
                (key.model, key.dialogue, key.epoch),
            ).fetchone()
        return SessionState(number, ending, cause, tuple(self.turns(number)))

    def used_turns(self) -> Iterator[tuple[int, int, str]]:
        """(dialogue, turn, hash) of every turn of the benchmark that the run has used, in order."""
        with disk_faults(self.root):
            yield from self._connection.execute("SELECT dialogue, turn, hash FROM asked ORDER BY dialogue, turn")

    def asked(self, dialogue: int, turn: int) -> Prompt:
        """A turn of the benchmark that the run has used."""
        with disk_faults(self.root):
            rows = self._connection.execute(f"{PROMPTS} WHERE dialogue = ? AND turn = ?", (dialogue, turn))
            return prompt_from_row(rows.fetchone())

    def prompts(self) -> Iterator[Prompt]:
        """Every turn of the benchmark that the run has used, by dialogue and turn."""
        with disk_faults(self.root):
            for row in self._connection.execute(f"{PROMPTS} ORDER BY dialogue, turn"):
                yield prompt_from_row(row)

    def turns(self, session: int) -> list[TurnRecord]:
        """The answered turns of a session, in order."""
        with disk_faults(self.root):
            return [TurnRecord.from_row(row) for row in self._connection.execute(TURNS_OF_SESSION, (session,))]

    def write(self, entries: Iterable[StoreEntry]) -> None:
        """Make entries durable, all or none.

        Raises:
            OutsideError: the disk.
            EvolifError: an entry that the store refuses.
        """
        try:
            with disk_faults(self.root), self._connection:
                for entry in entries:
                    for statement, values in entry.statements():
                        self._connection.execute(statement, values)
        except (sqlite3.InterfaceError, OverflowError, ValueError, TypeError) as fault:
            raise InternalError(f"the store of {self.root} cannot store a value ({fault})") from None

    def sessions(self, model: str | None = None, *, unbegun: bool = True) -> Iterator[tuple[int, Session]]:
        """Every session with its judged turns, in the order of models, epochs and dialogues.

        Verdicts omit their texts, which `turns` includes, to save memory for large runs.

        Args:
            model: Only sessions of this model.
            unbegun: Include sessions that a budget or stop rule prevented.
        """
        order = {name: i for i, name in enumerate(self.settings.models)}
        with disk_faults(self.root):
            rows = self._connection.execute(
                "SELECT id, model, dialogue, epoch, ending, reason FROM session WHERE ? IN (model, '')"
                " AND (? OR ending IS NOT NULL OR cause = '')",
                (model or "", unbegun),
            ).fetchall()
            bare = BareVerdicts()
            for number, name, dialogue, epoch, ending, reason in sorted(rows, key=lambda r: (order[r[1]], r[3], r[2])):
                judged = tuple(self._judged_turns(number, bare))
                yield number, Session(name, dialogue, epoch, self.settings.patience, ending, reason, judged)

    def _judged_turns(self, session: int, bare: BareVerdicts) -> Iterator[JudgedTurn]:
        for turn, verdicts, depth, move in self._connection.execute(_JUDGED, (session,)):
            if verdicts is None:
                return
            yield JudgedTurn(turn, bare(verdicts), {"depth": depth, "move": move})

    def endings(self) -> dict[tuple[str, Ending | None, str], int]:
        """How many sessions per model, ending and cause."""
        with disk_faults(self.root):
            rows = self._connection.execute(
                "SELECT model, ending, cause, count(*) FROM session GROUP BY model, ending, cause"
            ).fetchall()
        return {(model, ending, cause): number for model, ending, cause, number in rows}

    def reasons(self) -> list[tuple[str, str, int]]:
        """(model, reason, sessions) of suspended sessions, the most frequent first."""
        with disk_faults(self.root):
            return self._connection.execute(
                "SELECT model, reason, count(*) AS n FROM session WHERE ending = 'suspended'"
                " GROUP BY model, reason ORDER BY n DESC, model, reason"
            ).fetchall()

    def costs(self) -> list[Spent]:
        """Calls and tokens per role and model."""
        with disk_faults(self.root):
            rows: list[tuple[Role, str, int, int, int]] = self._connection.execute(
                "SELECT role, model, sum(calls), sum(prompt_tokens), sum(completion_tokens) FROM call"
                " GROUP BY role, model ORDER BY role, model"
            ).fetchall()
        return [Spent(role, model, Usage(prompt, completion), calls) for role, model, calls, prompt, completion in rows]

    def faults(self) -> list[tuple[str, int, int, str, str]]:
        """(model, dialogue, turn, kind, message) of every fault, oldest first."""
        with disk_faults(self.root):
            return self._connection.execute(
                "SELECT model, dialogue, turn, kind, message FROM fault JOIN session ON session.id = fault.session"
                " ORDER BY fault.id"
            ).fetchall()

    def note_early_end(self, end: EarlyEnd) -> None:
        """Store that a stop rule was satisfied; replaces an earlier note."""
        with disk_faults(self.root), self._connection:
            self._connection.execute("INSERT OR REPLACE INTO run VALUES ('early end', ?)", (end.dump(),))

    def early_end(self) -> EarlyEnd | None:
        """The stop rule's end; None if there was none, or if every session it cut short has been played since."""
        with disk_faults(self.root):
            row = self._connection.execute(
                "SELECT value FROM run WHERE key = 'early end' AND EXISTS (SELECT 1 FROM session WHERE cause = ?)",
                (STOP_RULE,),
            ).fetchone()
        return None if row is None else EarlyEnd.load(row[0])

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


_JUDGED = """
SELECT turn.turn, verdicts, depth, move FROM turn JOIN session ON session.id = turn.session
JOIN asked ON asked.dialogue = session.dialogue AND asked.turn = turn.turn
WHERE turn.session = ? ORDER BY turn.turn
"""


def _write_settings(connection: sqlite3.Connection, settings: RunSettings) -> None:
    rows = (("settings", settings.model_dump_json()), ("hash", settings.hash()))
    connection.executemany("INSERT OR REPLACE INTO run VALUES (?, ?)", rows)


def _upgrade(connection: sqlite3.Connection) -> None:
    """Upgrade a run of an earlier version, all or nothing."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'run'").fetchone() is None:
        return
    row = connection.execute("SELECT value FROM run WHERE key = 'schema'").fetchone()
    steps = UPGRADES.get(row[0], ()) if row else ()
    if not steps:
        return
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for step in steps:
            connection.execute(step)


def _stored_settings(root: Path, connection: sqlite3.Connection) -> RunSettings:
    try:
        rows = dict(connection.execute("SELECT key, value FROM run").fetchall())
    except sqlite3.OperationalError as fault:
        if "no such table" not in str(fault):
            raise
        rows = {}
    version = rows.get("schema")
    if version != str(SCHEMA_VERSION):
        raise UsageError(
            f"{root} was written by another version of evolif (store version {version or 'unknown'}, this one writes "
            f"{SCHEMA_VERSION}); read it with that version, or evaluate into a new folder"
        )
    try:
        return RunSettings.model_validate_json(rows["settings"])
    except (KeyError, ValidationError):
        raise UsageError(f"the settings of {root} cannot be read; evaluate into a new folder") from None


class StoreWriter(Protocol):
    """Where sessions write: a `WriteBatcher`, or a proxy for it in another process."""

    async def __call__(self, *entries: StoreEntry) -> None:
        """Return once the entries are durable.

        Raises:
            StoreError: nothing can be stored any more.
            EvolifError: these entries cannot be stored.
        """
        ...


class StoreError(OutsideError):
    """The store itself failed: no session can continue."""


_LARGEST_BATCH = 8
"""Maximum number of writes in one commit."""


class WriteBatcher:
    """Commits entries that arrive together in one batch; implements `StoreWriter`.

    A commit in WAL mode is a write without a sync, cheap enough for the loop itself (docs/performance.md); a thread
    would wait for the interpreter's lock just when the loop is busiest. Batches stay small: sessions whose turns were
    committed together continue together, and their requests would come in bursts.
    """

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._waiting: list[tuple[tuple[StoreEntry, ...], asyncio.Future[None] | None]] = []
        self._lost: StoreError | None = None
        """The fault of a posted entry; raised at the next write."""

    async def __call__(self, *entries: StoreEntry) -> None:
        """Return once the entries are durable."""
        self._raise_lost()
        loop = asyncio.get_running_loop()
        durable = loop.create_future()
        self._waiting.append((entries, durable))
        if len(self._waiting) >= _LARGEST_BATCH:
            self.flush()
        elif len(self._waiting) == 1:
            loop.call_soon(self.flush)
        await durable

    def post(self, *entries: StoreEntry) -> None:
        """Write entries with the next commit without waiting; a fault is raised at a later write."""
        self._waiting.append((entries, None))
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self.flush)

    def flush(self) -> None:
        """Write everything that waits."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        try:
            self._store.write(entry for entries, _ in waiting for entry in entries)
        except Exception:
            # One entry may be at fault, or too large for a full disk; the others are written one by one. Every waiting
            # session gets a result in any case, or the run would never end.
            for entries, durable in waiting:
                fault = self._write(entries)
                if durable is None and fault is not None:
                    self._lost = StoreError(str(fault))
                _settle(durable, fault)
        else:
            for _, durable in waiting:
                _settle(durable, None)

    def close(self) -> None:
        """Write all pending entries, for the last time.

        Raises:
            StoreError: an entry posted without waiting could not be stored.
        """
        self.flush()
        self._raise_lost()

    def _raise_lost(self) -> None:
        lost, self._lost = self._lost, None
        if lost is not None:
            raise lost

    def _write(self, entries: tuple[StoreEntry, ...]) -> Exception | None:
        try:
            self._store.write(entries)
        except OutsideError as fault:
            return StoreError(str(fault))
        except EvolifError as fault:
            return fault
        except Exception as fault:  # its text is left out: it may contain the entry
            return InternalError(f"an entry could not be stored: an unexpected {type(fault).__name__} in evolif")
        return None


def _settle(durable: asyncio.Future[None] | None, fault: Exception | None) -> None:
    if durable is None or durable.done():  # its session was cancelled
        return
    if fault is None:
        durable.set_result(None)
    else:
        durable.set_exception(fault)
