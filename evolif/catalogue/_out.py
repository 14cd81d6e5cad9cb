"""The file that new entries go to: one writer at a time, every entry on disk as soon as it is had."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evolif._errors import InputError, OutsideError, UsageError
from evolif.benchmark._files import append, cut_torn_line
from evolif.catalogue._rows import Row, read_rows


class OutFile:
    """A JSONL file that entries are appended to."""

    def __init__(self, path: Path, rows: tuple[Row, ...]) -> None:
        self.path = path
        self.rows = rows
        """What stood in it when it was opened."""
        self._line = max((row.line for row in rows), default=0)

    def append(self, entry: Mapping[str, Any]) -> int:
        """Append an entry durably; returns its line.

        Raises:
            OutsideError: the disk failed.
        """
        try:
            append(self.path, json.dumps(entry, ensure_ascii=False) + "\n")
        except OSError as fault:
            raise OutsideError(f"{self.path} cannot be written ({fault.strerror}); free or mend that place") from None
        self._line += 1
        return self._line


@contextmanager
def opened(path: Path, kind: str) -> Iterator[OutFile]:
    """Open a file to go on with, or one that is not there yet: it is made with its first entry.

    Args:
        path: The file.
        kind: `topics` or `personas`, as the command line calls them.

    Raises:
        InputError: it holds something else than entries.
        UsageError: another process writes to it.
        OutsideError: it, or its folder, cannot be written.
    """
    from filelock import FileLock, Timeout

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path.with_name(f".{path.name}.lock"), timeout=0)
        lock.acquire()
    except Timeout:
        raise UsageError(f"another evolif writes to {path} just now; wait for it, or name another file") from None
    except OSError as fault:
        raise OutsideError(f"{path.parent} cannot be written ({fault.strerror}); name another place") from None
    try:
        yield OutFile(path, tuple(_whole(path, kind)) if path.exists() else ())
    finally:
        lock.release()


def _whole(path: Path, kind: str) -> list[Row]:
    """The lines that are there; a last one that was torn by a crash is cut."""
    rows = list(read_rows(path))
    broken = [row for row in rows if row.data is None]
    if broken and broken[0] is rows[-1] and _is_torn(path):
        try:
            cut_torn_line(path)
        except OSError as fault:
            raise OutsideError(f"{path} cannot be mended ({fault.strerror}); make it writable") from None
        return rows[:-1]
    if broken:
        raise InputError(
            f"{broken[0].faults[0].message}; mend it (evolif {kind} lint shows all) or name another file",
            path=path,
            line=broken[0].line,
        )
    return rows


def _is_torn(path: Path) -> bool:
    """Whether the last line is the beginning of an entry and has no end."""
    tail = path.read_bytes().rpartition(b"\n")[2]
    return tail.startswith(b'{"id"')
