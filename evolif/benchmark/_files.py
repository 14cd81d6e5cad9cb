"""A dialogue's file: its name, appending whole lines, rewriting one, cutting a torn last one."""

from __future__ import annotations

import json
import os
from pathlib import Path

Stamp = tuple[int, int, int]
"""What tells one state of a file from another: inode, bytes, time of the last change in nanoseconds."""


def dialogue_file(root: Path, dialogue: int) -> Path:
    """Where a dialogue lies; names come from numbers only."""
    return root / "dialogues" / f"{dialogue:04d}.jsonl"


def stamp_of(path: Path) -> Stamp:
    """The file's present state."""
    stat = path.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def append(path: Path, text: str) -> None:
    """Append whole lines durably."""
    with path.open("a+b") as file:
        if file.tell() and text:
            file.seek(-1, os.SEEK_END)
            text = text if file.read(1) == b"\n" else f"\n{text}"
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())


def rewrite_line(path: Path, number: int, line: str) -> None:
    """Put another line in the place of the `number`-th that is not blank; the file is whole at every moment.

    Args:
        path: The file.
        number: Counted from 1, blank lines left out.
        line: With its line break.
    """
    lines = path.read_bytes().split(b"\n")
    filled = [index for index, text in enumerate(lines) if text.strip()]
    lines[filled[number - 1]] = line.removesuffix("\n").encode("utf-8")
    write_whole(path, b"\n".join(lines))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, durably."""
    temporary = path.with_suffix(path.suffix + ".tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def cut_torn_line(path: Path) -> bool:
    """Cut a last line that was torn by a crash; says whether there was one."""
    data = path.read_bytes()
    tail = data[data.rfind(b"\n") + 1 :]
    if not tail or _is_object(tail):  # an editor may have left out nothing but the last line break
        return False
    with path.open("r+b") as file:
        file.truncate(len(data) - len(tail))
    return True


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
