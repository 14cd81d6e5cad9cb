"""The files of a benchmark's folder: lines written durably, files written whole, JSON read as hostile input."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolif.errors import InputError, OutsideError, UsageError
from evolif.text import plural
from evolif.util.opened import read_file, read_text, refuse_links
from evolif.util.suggestions import wrong_folder

if TYPE_CHECKING:
    from filelock import FileLock

HEADER = "benchmark.json"
"""Says what a benchmark was made from."""
Stamp = tuple[int, int, int]
"""Identifies a state of a file: inode, size, modification time in nanoseconds."""
_HINT = "make the folder writable"
_MOST_HEADER = 64 << 20
"""Bytes of a header; that of an imported benchmark names its source files."""
_MOST_NESTING = 64


@contextmanager
def writing(path: Path, hint: str = "") -> Iterator[None]:
    """Report an `OSError` of the block as a file that cannot be written.

    Args:
        path: The file or folder to name.
        hint: What the user can do about it, as an imperative.

    Raises:
        OutsideError: instead of the `OSError`.
    """
    try:
        yield
    except OSError as fault:
        mend = f"; {hint}" if hint else ""
        raise OutsideError(f"{path} cannot be written ({fault.strerror}){mend}") from None


def lock_of(root: Path) -> FileLock:
    """The lock that whoever writes to a benchmark holds."""
    from filelock import FileLock

    return FileLock(root / ".lock")


@contextmanager
def locked(root: Path, path: Path) -> Iterator[None]:
    """Hold a benchmark's lock while one of its files is written; errors as for `writing`."""
    with writing(path, _HINT), lock_of(root):
        yield


def dialogue_file(root: Path, dialogue: int) -> Path:
    """The file of a dialogue; its name comes from the number only."""
    return root / "dialogues" / f"{dialogue:04d}.jsonl"


def dialogue_numbers(root: Path) -> list[int]:
    """The numbers of the dialogues on disk, in order."""
    files = (root / "dialogues").glob("*.jsonl")
    numbers = ((file, int(file.stem)) for file in files if file.stem.isascii() and file.stem.isdigit())
    return sorted(number for file, number in numbers if file.name == dialogue_file(root, number).name)


def json_line(data: object) -> str:
    """Compact JSON with a line break."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def stamp_of(path: Path) -> Stamp:
    """The file's current state."""
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
    """Replace a line of a file atomically.

    Args:
        path: The file.
        number: Counted from 1, without blank lines.
        line: With its line break.
    """
    lines = read_file(path).split(b"\n")
    filled = [index for index, text in enumerate(lines) if text.strip()]
    lines[filled[number - 1]] = line.removesuffix("\n").encode("utf-8")
    write_whole(path, b"\n".join(lines))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file completely or not at all, durably."""
    temporary = path.with_suffix(path.suffix + ".tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def cut_torn_line(path: Path) -> bool:
    """Cut an incomplete last line, left by a crash; returns whether there was one."""
    data = read_file(path)
    tail = data[data.rfind(b"\n") + 1 :]
    if not tail or _is_object(tail):  # an editor may have omitted the last line break
        return False
    with path.open("r+b") as file:
        file.truncate(len(data) - len(tail))
    return True


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def read_header_json(path: Path) -> dict[str, Any]:
    """The object in a benchmark's header, not yet validated.

    Args:
        path: The header's file.

    Raises:
        UsageError: there is no benchmark.
        InputError: the file is broken.
    """
    if not path.is_file():
        raise UsageError(wrong_folder(path.parent, "benchmark"))
    try:
        refuse_links(path.parent, (path.name,))
        data = json.loads(read_text(path, _MOST_HEADER, mend="which no header is; restore the file"))
    except OSError as fault:
        raise InputError(f"cannot be read ({fault.strerror})", path=path) from None
    except (ValueError, RecursionError):
        raise InputError("not JSON; restore the file or generate the benchmark again", path=path) from None
    problem = objection(data)
    if problem:
        raise InputError(f"{problem}; restore the file or generate the benchmark again", path=path)
    whole: dict[str, Any] = data
    return whole


def objection(data: object) -> str:
    """Why data is not an object that any JSON file can hold, as a clause; empty if it is one."""
    if not isinstance(data, dict):
        return "not a JSON object"
    level: list[object] = [data]
    for _ in range(_MOST_NESTING):
        fault = next(filter(None, map(_value_objection, level)), "")
        level = [inner for value in level for inner in _inside(value)]
        if fault or not level:
            return fault
    return f"nested more than {_MOST_NESTING} levels deep"


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return chain(value.keys(), value.values())
    return value if isinstance(value, list | tuple) else ()


def _value_objection(value: object) -> str:
    if isinstance(value, str):
        return "" if value.isascii() or not _is_torn(value) else "a text has half a character (a lone surrogate)"
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"{value} is not a number in JSON"
    if value is None or isinstance(value, int | dict | list | tuple):
        return ""
    return f"a value of type {type(value).__name__} is not JSON"


def _is_torn(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def refuse_other(
    root: Path, stored: Mapping[str, Any], wanted: Mapping[str, Any], more: Sequence[str] = (), *, grows: bool
) -> None:
    """Check that a folder may be completed, or may get more dialogues.

    Args:
        root: The folder.
        stored: What it was made from; with `spec.dialogues`.
        wanted: What it is to be made from.
        more: Further differences, in words.
        grows: Whether it may get more dialogues.

    Raises:
        UsageError: it holds another benchmark, one of more dialogues, or one that cannot grow.
    """
    have, want = stored["spec"]["dialogues"], wanted["spec"]["dialogues"]
    other = [*differences(stored, {**wanted, "spec": {**wanted["spec"], "dialogues": have}}), *more]
    if other:
        raise UsageError(f"{root} already contains another benchmark ({'; '.join(other[:3])}); choose another folder")
    if want < have:
        raise UsageError(
            f"{root} already has {plural(have, 'dialogue')}; to use {want} of them, play them with --limit {want}, or "
            "choose another folder"
        )
    if want > have and not grows:
        raise UsageError(
            f"{root} has {plural(have, 'dialogue')} and cannot get more: it was imported, or an earlier version "
            "made it, which identified a set by its size too; generate a new folder with the same seed and options"
        )


def differences(old: object, new: object, where: str = "") -> list[str]:
    """Where two JSON values differ, as `key: old → new`."""
    if isinstance(old, dict) and isinstance(new, dict):
        found = []
        for key in sorted(old.keys() | new.keys()):
            found += differences(old.get(key), new.get(key), f"{where}.{key}" if where else key)
        return found
    return [] if old == new else [f"{where}: {json.dumps(old)} → {json.dumps(new)}"]


def folder_digest(folder: Path) -> str:
    """A digest of the names and bytes of all files of a folder, hidden ones apart; empty if one cannot be read.

    Args:
        folder: Of a benchmark.
    """
    whole = hashlib.sha256()
    try:
        for file in sorted(folder.rglob("[!.]*")):
            if file.is_file():
                whole.update(f"{file.relative_to(folder).as_posix()}\0{file.stat().st_size}\0".encode())
                whole.update(file.read_bytes())
    except OSError:
        return ""
    return whole.hexdigest()
