"""The file of a run from elsewhere: copied, and looked through before anything of it is read as a run.

SQLite runs what stands in a file's schema: triggers, views, expressions of indexes and of generated columns. A journal
beside a file is played back when the file is opened, and may name other files that are then removed. So a run is
accepted as one plain file with the tables of a run, and is opened as a copy that nothing stands beside.
"""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from evolif.errors import EvolifError, OutsideError, UsageError
from evolif.runner import Run, load_run
from evolif.runner.schema import SCHEMA
from evolif.runner.store_file import FILE_NAME, FINDINGS
from evolif.text import plural
from evolif.util.opened import open_file
from evolif.util.suggestions import wrong_folder

MOST_BYTES = 256 << 20
"""Of a run's file: some 60,000 turns."""
_MOST_SECONDS = 120
"""Of looking through a file."""
_MAGIC = b"SQLite format 3\x00"
_TABLES = frozenset({"run", "session", "asked", "turn", "call", "fault"})
_KEPT = frozenset({"terms", "cells"})
"""Tables that may be missing: what they hold is worked out again then."""
LEFT_BESIDE = (f"{FILE_NAME}-shm", f"{FILE_NAME}-wal")
"""What reading leaves beside a file, empty of changes."""
_HARMLESS = frozenset({FILE_NAME, FINDINGS, ".lock", f"{FILE_NAME}-shm"})
_LEFT = (f"{FILE_NAME}-wal", f"{FILE_NAME}-journal")
"""What SQLite keeps beside a file that is in use, or that a killed process has left."""
_MOST_NAMED = 3


class RefusedFileError(UsageError):
    """What lies where a run's file should is none that a board takes."""


def faults_of_folder(folder: Path) -> list[str]:
    """What keeps a folder from being one run and nothing else, each as a sentence; opens nothing.

    Args:
        folder: Of a run.
    """
    if folder.is_symlink() or not folder.is_dir():
        return ["it is a link or a file, not a folder; put the run's folder in its place"]
    with os.scandir(folder) as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    faults = [f"{one.name} is a link; put the file in its place" for one in entries if one.is_symlink()]
    foreign = [one.name for one in entries if one.name not in (*_HARMLESS, *_LEFT)]
    if foreign:
        more = f" and {len(foreign) - _MOST_NAMED} more" if len(foreign) > _MOST_NAMED else ""
        faults.append(
            f"besides {FILE_NAME} it holds {', '.join(foreign[:_MOST_NAMED])}{more}, which no board needs; remove "
            f"{'it' if len(foreign) == 1 else 'them'}, or add the run with evolif board add"
        )
    return [*faults, *faults_of_use(folder)]


def faults_of_use(folder: Path) -> list[str]:
    """Why the file of a run alone is not the whole of it, as a sentence; empty if it is."""
    left = [name for name in _LEFT if os.path.lexists(folder / name) and (folder / name).lstat().st_size]
    if not left:
        return []
    return [
        f"{left[0]} holds changes that are not in {FILE_NAME} yet: the run is in use, or its process was killed; wait "
        f"for it, or run evolif report {folder.name} on the machine that made it, which closes it"
    ]


@contextmanager
def opened_copy(folder: Path) -> Iterator[tuple[Run, Path]]:
    """A run from elsewhere, opened for reading from a copy of its one file, which is removed afterwards.

    Args:
        folder: Of the run.

    Yields:
        The run, and the copy of its file.

    Raises:
        UsageError: it is no run.
        RefusedFileError: its file is none that a board takes; the sentence has the reason.
        OutsideError: the disk.
    """
    if not os.path.lexists(folder / FILE_NAME):
        raise UsageError(wrong_folder(folder, "run"))
    with tempfile.TemporaryDirectory(prefix="evolif-board-") as room:
        copy = Path(room) / (folder.resolve().name or "run") / FILE_NAME
        copy.parent.mkdir()
        copy_file(folder / FILE_NAME, copy)
        look_through(copy, folder / FILE_NAME)
        with closing(_opened(copy.parent, folder)) as run:
            yield run, copy


def _opened(copy: Path, folder: Path) -> Run:
    try:
        return load_run(copy, read_only=True)
    except EvolifError as fault:
        raise RefusedFileError(str(fault).replace(str(copy), str(folder))) from None


def copy_file(source: Path, target: Path) -> None:
    """Copy a run's file; never through a link.

    Raises:
        RefusedFileError: it is a link, or too large.
        UsageError: it is a pipe or a device.
        OutsideError: it cannot be read or written.
    """
    if source.is_symlink():
        raise RefusedFileError(f"{source} is a link; put the file in its place")
    try:
        with open_file(source) as file, target.open("xb") as copy:
            left = MOST_BYTES
            while piece := file.read(min(1 << 20, left + 1)):
                left -= len(piece)
                if left < 0:
                    raise RefusedFileError(
                        f"{source} is larger than {MOST_BYTES >> 20} MB, the most that a board takes; evaluate fewer "
                        "dialogues or epochs, or one model in a run"
                    )
                copy.write(piece)
            times = os.fstat(file.fileno())
        # Of a run that stores no date, that of its file counts.
        os.utime(target, ns=(times.st_atime_ns, times.st_mtime_ns))
    except OSError as fault:
        raise OutsideError(f"{source} cannot be copied ({fault.strerror or fault})") from None


def look_through(file: Path, shown: Path) -> None:
    """Refuse a file that is not a run's, that holds more than the tables of one, or that is damaged.

    Args:
        file: A copy that nothing stands beside.
        shown: What errors call it.

    Raises:
        UsageError: it is no SQLite database.
        RefusedFileError: such a file.
    """
    with file.open("rb") as opened:
        if opened.read(len(_MAGIC)) != _MAGIC:
            raise UsageError(f"{shown} is not a run's file: it is no SQLite database; copy it again, as it is")
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?immutable=1", uri=True)) as connection:
            _harden(connection)
            fault = _foreign(connection) or _damage(connection)
    except sqlite3.Error as error:
        fault = f"it cannot be read ({error})"
    if fault:
        raise RefusedFileError(f"{shown} is refused: {fault}. Copy it again from where it was made, or evaluate anew")


def _harden(connection: sqlite3.Connection) -> None:
    """What SQLite advises for files from elsewhere (“Defense Against The Dark Arts”)."""
    for setting in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "ignore_check_constraints=ON"):
        connection.execute(f"PRAGMA {setting}")
    end = time.monotonic() + _MOST_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > end, 100_000)


def _foreign(connection: sqlite3.Connection) -> str:
    """What stands in the schema besides the tables of a run; empty if nothing does."""
    with closing(sqlite3.connect(":memory:")) as own:
        own.executescript(SCHEMA)
        triggers = {name: _bare(sql) for name, sql in own.execute("SELECT name, sql FROM sqlite_schema WHERE sql > ''")}
    found = connection.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY name").fetchall()
    for kind, name, sql in found:
        known = (kind == "table" and name in _TABLES | _KEPT) or kind == "index"
        if not known and not (kind == "trigger" and _bare(str(sql)) == triggers.get(name)):
            return f"it holds a {kind} “{name}”, which is not part of a run"
    tables = {name: kind for _, name, kind, *_ in connection.execute("PRAGMA main.table_list")}
    for table in sorted((_TABLES | _KEPT) & {name for kind, name, _ in found if kind == "table"}):
        if tables.get(table) != "table" or any(row[6] for row in connection.execute(f"PRAGMA table_xinfo({table})")):
            return f"its table “{table}” is computed, not stored"
        for _, index, _, _, partial in connection.execute(f"PRAGMA index_list({table})").fetchall():
            quoted = index.replace('"', '""')
            columns = connection.execute(f'PRAGMA index_xinfo("{quoted}")').fetchall()
            if partial or any(column < -1 for _, column, *_ in columns):
                return f"its index “{index}” is computed"
    missing = sorted(_TABLES - {name for kind, name, _ in found if kind == "table"})
    return f"it has no {'table' if len(missing) == 1 else 'tables'} {', '.join(missing)}" if missing else ""


def _bare(sql: str) -> str:
    return re.sub(r"\s+", " ", sql).strip()


def _damage(connection: sqlite3.Connection) -> str:
    """What SQLite finds broken in the file; empty if nothing is."""
    rows = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({_MOST_NAMED})")]
    return "" if rows == ["ok"] else f"it is damaged ({plural(len(rows), 'fault')}, the first: {rows[0]})"
