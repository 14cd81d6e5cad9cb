"""A folder beside a file or folder in which it is made, so that nobody ever sees half of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evolif.errors import OutsideError, UsageError

_LOCK = "lock"


@contextmanager
def new_path(path: Path, *, is_folder: bool) -> Iterator[Path]:
    """A temporary file or folder to fill, which becomes `path` once it is complete.

    Raises:
        UsageError: `path` exists, other than as an empty folder when a folder is requested.
        OutsideError: the disk failed.
    """
    if path.exists() and not (is_folder and path.is_dir() and not any(path.iterdir())):
        raise UsageError(f"{path} already exists; choose another {'folder' if is_folder else 'name'}")
    try:
        with workshop(path) as folder:
            part = folder / path.name
            if is_folder:
                part.mkdir()
            yield part
            if path.exists() and is_folder:
                path.rmdir()
            os.replace(part, path)
    except OSError as fault:
        raise OutsideError(f"{path} cannot be written ({fault.strerror or fault})") from None


@contextmanager
def workshop(path: Path) -> Iterator[Path]:
    """An empty folder to make `path` in, to be moved to `path` at the end; removed with all that is left in it.

    Its name depends on `path` only. So what a killed process left behind is removed by the next one, and two processes
    do not make the same thing at the same time.

    Raises:
        UsageError: another process is making it.
        OSError: the disk.
    """
    from filelock import FileLock, Timeout

    folder = path.with_name(f".{path.name}.part")
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / _LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise UsageError(f"{path} is being written by another process; wait for it, or choose another name") from None
    try:
        for left in folder.iterdir():
            if left.name != _LOCK:
                _remove(left)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
