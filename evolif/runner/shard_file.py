"""The file of another run, opened to be read as it is: nothing of it is executed, and nothing is written beside it."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolif.errors import OutsideError, UsageError
from evolif.runner.hash_chain import check_seals
from evolif.runner.schema import adapt
from evolif.runner.settings import RunSettings
from evolif.runner.store_file import FILE_NAME, stored_settings
from evolif.util.opened import open_file, refuse_links
from evolif.util.suggestions import wrong_folder

_MAGIC = b"SQLite format 3\x00"
_LOG, _JOURNAL = f"{FILE_NAME}-wal", f"{FILE_NAME}-journal"
_TABLES = ("run", "session", "asked", "turn", "call", "fault")
_OF_SQLITE = frozenset({"sqlite_schema", "sqlite_temp_schema", "sqlite_master", "sqlite_temp_master"})
_KEPT = ("terms", "cells")
"""Tables that may be missing: what they hold is worked out again then."""
_COPY_AGAIN = "copy it again from where it was made, or leave it out"


class NotBegunError(UsageError):
    """The process of a run was killed before the run had anything."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A run whose rows are copied."""

    root: Path
    settings: RunSettings
    _connection: sqlite3.Connection

    def rows(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, one by one.

        Raises:
            UsageError: the file is damaged.
        """
        try:
            yield from self._connection.execute(sql, values)
        except sqlite3.Error as fault:
            raise _damaged(self.root, fault) from None

    def noted(self, key: str) -> str:
        """The text that the run has stored under a key; empty for none."""
        return next((str(value) for (value,) in self.rows("SELECT value FROM run WHERE key = ?", (key,))), "")

    def check(self) -> None:
        """Look through all rows before any is copied.

        Raises:
            UsageError: the file was edited after it was written, is damaged, or has a row that no run writes.
        """
        try:
            found = check_seals(self._connection)
            if found.edited:
                raise UsageError(
                    f"{self.root / FILE_NAME} was edited after it was written: {found.named}. Restore the file from a "
                    "copy, or leave it out"
                )
            for table, is_wrong in _WRONG.items():
                if next(self.rows(f"SELECT 1 FROM {table} WHERE {is_wrong} LIMIT 1"), None) is not None:
                    raise UsageError(
                        f"{self.root / FILE_NAME} has a row of its table “{table}” that no run writes; {_COPY_AGAIN}"
                    )
            if next(self.rows(_MISPLACED), None) is not None:
                raise UsageError(f"{self.root / FILE_NAME} has an answer to no prompt of its dialogue; {_COPY_AGAIN}")
        except sqlite3.Error as fault:
            raise _damaged(self.root, fault) from None


@contextmanager
def open_shard(root: Path) -> Iterator[Shard]:
    """Open the file of a run that nobody plays at the moment.

    Args:
        root: The run's folder. If its process was killed, what stands in the log beside the file counts, too.

    Raises:
        UsageError: there is no run, its file is no run's or of another version, or it changed while it was read.
        NotBegunError: there is nothing in it yet.
        OutsideError: the disk.
    """
    file = root / FILE_NAME
    if not file.is_file():
        raise UsageError(wrong_folder(root, "run"))
    try:
        refuse_links(root, (FILE_NAME, _LOG, _JOURNAL))
        before = _stamp(root)
        _refuse_others(file)
        if _size(root / _JOURNAL):
            raise UsageError(f"{root / _JOURNAL} says that {FILE_NAME} is half written; {_COPY_AGAIN}")
        with tempfile.TemporaryDirectory(prefix="evolif-shard-") as room:
            uri = f"{file.resolve().as_uri()}?mode=ro&immutable=1"
            if _size(root / _LOG):
                # Read where it lies, SQLite would write an index of the log beside it.
                for name in (FILE_NAME, _LOG):
                    shutil.copyfile(root / name, Path(room) / name)
                uri = f"{(Path(room) / FILE_NAME).as_uri()}?mode=ro"
            with closing(sqlite3.connect(uri, uri=True)) as connection:
                yield _opened(root, connection)
        if _stamp(root) != before:
            raise UsageError(f"{root} changed while it was read; wait until nobody evaluates into it")
    except OSError as fault:
        raise OutsideError(f"{root} cannot be read ({fault.strerror or fault})") from None


def _opened(root: Path, connection: sqlite3.Connection) -> Shard:
    """Set a connection up for a file from elsewhere, which may be of an earlier version."""
    try:
        for setting in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0"):
            connection.execute(f"PRAGMA {setting}")
        kinds = {name: kind for _, name, kind, *_ in connection.execute("PRAGMA main.table_list")}
        if not kinds.keys() - _OF_SQLITE:
            raise _not_begun(root)
        kept = [table for table in _KEPT if table in kinds]
        for table in (*_TABLES, *kept) if "run" in kinds else ():
            computed = any(row[6] for row in connection.execute(f"PRAGMA main.table_xinfo({table})"))
            if kinds.get(table) != "table" or computed:
                raise UsageError(f"{root / FILE_NAME} has no plain table “{table}” as runs have; {_COPY_AGAIN}")
        if "run" in kinds and connection.execute("SELECT 1 FROM run LIMIT 1").fetchone() is None:
            raise _not_begun(root)
        adapt(connection, migrate=False)
        return Shard(root, stored_settings(root, connection), connection)
    except sqlite3.Error as fault:
        raise _damaged(root, fault) from None


def _not_begun(root: Path) -> NotBegunError:
    return NotBegunError(f"{root} is a run whose process was killed before it began; leave it out")


def _refuse_others(file: Path) -> None:
    with open_file(file) as opened:
        start = opened.read(len(_MAGIC))
        if not start:
            raise _not_begun(file.parent)
        if start != _MAGIC:
            raise UsageError(f"{file} is not a run's file: it is no SQLite database; {_COPY_AGAIN}")


def _damaged(root: Path, fault: sqlite3.Error) -> UsageError:
    return UsageError(f"{root / FILE_NAME} cannot be read as a run ({fault}); {_COPY_AGAIN}")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _stamp(root: Path) -> list[tuple[int, int]]:
    """What changes when somebody writes to a run."""
    there = [(root / name).stat() for name in (FILE_NAME, _LOG) if _size(root / name)]
    return [(one.st_size, one.st_mtime_ns) for one in there]


# What the columns of a run hold; SQLite itself would store anything in them. Sums of these numbers do not overflow.


def _text(*columns: str) -> str:
    return " OR ".join(f"typeof({column}) <> 'text'" for column in columns)


def _text_or_null(*columns: str) -> str:
    return " OR ".join(f"typeof({column}) NOT IN ('text', 'null')" for column in columns)


def _number(column: str, least: int = 0, most: int = 10**10) -> str:
    return f"typeof({column}) <> 'integer' OR {column} NOT BETWEEN {least} AND {most}"


def _number_or_null(*columns: str) -> str:
    return " OR ".join(f"({column} IS NOT NULL AND ({_number(column)}))" for column in columns)


_WRONG = {
    "session": " OR ".join(
        (
            _text("model", "cause", "reason"),
            _text_or_null("ending", "seal"),
            "ending NOT IN ('finished', 'censored', 'suspended', 'withheld')",
            _number("dialogue", 1),
            _number("epoch", 1),
        )
    ),
    "asked": " OR ".join(
        (
            _text("digest", "messages", "query", "payload", "labels"),
            "seat IS NULL OR seat NOT IN ('target', 'partner')",
            _number("dialogue", 1),
            _number("turn", 1),
            _number("fixed", 0, 1),
            _number_or_null("max_tokens"),
        )
    ),
    "turn": " OR ".join(
        (
            _text("answer", "reasoning", "served_by", "scores", "heuristic", "records", "notes"),
            _text_or_null("verdicts", "seal", "context"),
            _number("turn", 1),
            _number("truncated", 0, 1),
            "typeof(seconds) NOT IN ('real', 'integer') OR seconds NOT BETWEEN 0 AND 1e9",
            _number_or_null("context_tokens"),
        )
    ),
    "call": " OR ".join(
        (
            _text("model"),
            _text_or_null("state"),
            "role IS NULL OR role NOT IN ('target', 'partner', 'judge', 'context', 'synthesizer', 'checker', 'runner')",
            _number("dialogue"),
            _number("turn"),
            _number("calls"),
            _number_or_null("session", "prompt_tokens", "completion_tokens", "bound"),
            _number_or_null("cached_tokens", "reasoning_tokens", "image_tokens"),
        )
    ),
    "fault": " OR ".join((_text("role", "kind", "message"), _number("turn"))),
    "terms": " OR ".join((_text("data", "seal"), _number("edition"))),
    "cells": _text("breakdown", "data", "seal"),
}
"""Per table, what no row of a run is."""
_MISPLACED = """
SELECT 1 FROM turn LEFT JOIN asked ON asked.id = turn.asked LEFT JOIN session ON session.id = turn.session
WHERE asked.dialogue IS NOT session.dialogue OR asked.turn IS NOT turn.turn OR session.id IS NULL LIMIT 1
"""
